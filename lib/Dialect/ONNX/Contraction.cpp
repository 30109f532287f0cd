//===- Contraction.cpp - The ops of Contraction.td ------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Contraction.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/ShapeRules.h"

#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace mlir;
using namespace onnxc;

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/Contraction.cpp.inc"

void ONNXDialect::registerContractionOps() {
  addOperations<
#define GET_OP_LIST
#include "onnxc/Dialect/ONNX/Contraction.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Shape rules
//===----------------------------------------------------------------------===//

LogicalResult MatMulOp::shape(ShapeBuilder &s, Adaptor op) {
  return matmulShape(s, op.getA(), op.getB(), s.elementType(op.getA()),
                     "matmul");
}

LogicalResult GemmOp::shape(ShapeBuilder &s, Adaptor op) {
  Dims a(2, s.unknown()), b = a;
  if (s.ranked(op.getA())) {
    if (!s.require(s.rank(op.getA()) == 2, "gemm_a: must have rank 2, has " +
                                               llvm::Twine(s.rank(op.getA()))))
      return failure();
    a = s.dims(op.getA());
  }
  if (s.ranked(op.getB())) {
    if (!s.require(s.rank(op.getB()) == 2, "gemm_b: must have rank 2, has " +
                                               llvm::Twine(s.rank(op.getB()))))
      return failure();
    b = s.dims(op.getB());
  }
  if (op.getTransA())
    std::swap(a[0], a[1]);
  if (op.getTransB())
    std::swap(b[0], b[1]);
  s.same(a[1], b[0], "gemm_k: inner dimensions");
  Dims output = {a[0], b[1]};
  if (op.getC() && s.ranked(op.getC()))
    s.broadcastTo(s.dims(op.getC()), output, "gemm_c");
  return s.result(0, s.elementType(op.getA()), output);
}

/// The labels of one term; nullopt if it is malformed.
static std::optional<std::string> parseTerm(llvm::StringRef term) {
  std::string labels;
  while (!term.empty()) {
    if (term.consume_front("...")) {
      if (llvm::is_contained(labels, '.'))
        return std::nullopt;
      labels += '.';
    } else if (llvm::isAlpha(term.front())) {
      labels += term.front();
      term = term.drop_front();
    } else {
      return std::nullopt;
    }
  }
  return labels;
}

std::optional<EinsumEquation> EinsumEquation::parse(llvm::StringRef text) {
  std::string compact;
  llvm::copy_if(text, std::back_inserter(compact),
                [](char c) { return c != ' '; });
  auto [left, right] = llvm::StringRef(compact).split("->");
  llvm::SmallVector<llvm::StringRef> terms;
  left.split(terms, ',');
  EinsumEquation equation;
  std::map<char, unsigned> uses;
  for (llvm::StringRef term : terms) {
    std::optional<std::string> labels = parseTerm(term);
    if (!labels)
      return std::nullopt;
    for (char label : *labels)
      ++uses[label];
    equation.inputs.push_back(*labels);
  }
  if (llvm::StringRef(compact).contains("->")) {
    std::optional<std::string> labels = parseTerm(right);
    if (!labels)
      return std::nullopt;
    equation.output = *labels;
    return equation;
  }
  for (auto [label, count] : uses) // The ellipsis comes before the letters.
    if (count == 1 || label == '.')
      equation.output += label;
  return equation;
}

LogicalResult EinsumOp::shape(ShapeBuilder &s, Adaptor op) {
  ValueRange operands = op.getInputs();
  std::optional<EinsumEquation> equation =
      EinsumEquation::parse(op.getEquation());
  if (!s.require(equation.has_value(), "einsum_equation: is malformed"))
    return failure();
  auto &[terms, output] = *equation;
  if (!s.require(terms.size() == operands.size(),
                 "einsum_equation: has " + llvm::Twine(terms.size()) +
                     " terms for " + llvm::Twine(operands.size()) + " inputs"))
    return failure();
  Type elementType = operands.empty() ? Type() : s.elementType(operands[0]);
  if (!s.ranked(operands))
    return s.unranked(0, elementType);

  std::map<char, Dim> letters;
  Dims ellipsis;
  for (auto [term, operand] : llvm::zip_equal(terms, operands)) {
    Dims dims = s.dims(operand);
    bool dots = term.find('.') != std::string::npos;
    size_t named = term.size() - dots;
    if (!s.require(dots ? dims.size() >= named : dims.size() == named,
                   "einsum_rank: a term has " + llvm::Twine(named) +
                       " subscripts for an input of rank " +
                       llvm::Twine(dims.size())))
      return failure();
    size_t at = 0;
    for (char c : term) {
      if (c == '.') {
        size_t count = dims.size() - named;
        ellipsis = s.broadcast(ellipsis, llvm::ArrayRef(dims).slice(at, count),
                               "einsum_ellipsis");
        at += count;
        continue;
      }
      auto [it, isNew] = letters.try_emplace(c, dims[at]);
      if (!isNew)
        it->second = s.broadcast(it->second, dims[at], "einsum_dims");
      ++at;
    }
  }
  Dims result;
  for (char c : output) {
    if (c == '.') {
      result.append(ellipsis);
      continue;
    }
    auto it = letters.find(c);
    if (!s.require(it != letters.end(),
                   llvm::Twine("einsum_equation: output subscript '") +
                       llvm::Twine(c) + "' is in no input") ||
        !s.require(llvm::count(output, c) == 1,
                   llvm::Twine("einsum_equation: output subscript '") +
                       llvm::Twine(c) + "' occurs twice"))
      return failure();
    result.push_back(it->second);
  }
  return s.result(0, elementType, result);
}

LogicalResult DetOp::shape(ShapeBuilder &s, Adaptor op) {
  Type elementType = s.elementType(op.getX());
  if (!s.ranked(op.getX()))
    return s.unranked(0, elementType);
  if (!s.require(s.rank(op.getX()) >= 2, "det_x: must have at least rank 2"))
    return failure();
  Dims dims = s.dims(op.getX());
  s.same(dims.back(), dims[dims.size() - 2], "det_x: matrices must be square");
  return s.result(0, elementType, llvm::ArrayRef(dims).drop_back(2));
}
