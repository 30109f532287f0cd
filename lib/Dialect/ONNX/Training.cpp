//===- Training.cpp - The ops of Training.td ------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Training.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"

using namespace mlir;
using namespace onnxc;

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/Training.cpp.inc"

void ONNXDialect::registerTrainingOps() {
  addOperations<
#define GET_OP_LIST
#include "onnxc/Dialect/ONNX/Training.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Shape rules
//===----------------------------------------------------------------------===//

/// Optimizers take, for each of n tensors, the tensor, its gradient and what
/// they accumulate, as n tensors of a kind after the other; they give all of it
/// back but the gradients.
static LogicalResult optimizer(ShapeBuilder &s, ValueRange inputs, size_t kinds,
                               llvm::StringRef op) {
  size_t count = inputs.size() / kinds;
  if (!s.require(inputs.size() == count * kinds,
                 op + "_inputs: must be " + llvm::Twine(kinds) +
                     " per tensor, are " + llvm::Twine(inputs.size())) ||
      !s.require(s.getNumResults() == count * (kinds - 1),
                 op + "_outputs: must be " + llvm::Twine(kinds - 1) +
                     " per tensor, are " + llvm::Twine(s.getNumResults())))
    return failure();
  for (size_t i = 0; i < inputs.size(); ++i) {
    size_t kind = i / count;
    if (kind == 1)
      continue;
    size_t result = kind == 0 ? i : i - count;
    Value tensor = inputs[i];
    if (failed(s.ranked(tensor)
                   ? s.result(result, s.elementType(tensor), s.dims(tensor))
                   : s.unranked(result, s.elementType(tensor))))
      return failure();
    if (kind != 0 && s.ranked(tensor) && s.ranked(inputs[i % count]) &&
        s.require(s.rank(tensor) == s.rank(inputs[i % count]),
                  op + "_shapes: must be those of the tensor")) {
      Dims sizes = s.dims(tensor);
      for (auto [a, b] : llvm::zip_equal(sizes, s.dims(inputs[i % count])))
        s.same(a, b, op + "_shapes");
    }
  }
  return s.asDeclared();
}

LogicalResult AdagradOp::shape(ShapeBuilder &s, Adaptor op) {
  return optimizer(s, op.getInputs(), 3, "adagrad");
}
LogicalResult AdamOp::shape(ShapeBuilder &s, Adaptor op) {
  return optimizer(s, op.getInputs(), 4, "adam");
}
LogicalResult MomentumOp::shape(ShapeBuilder &s, Adaptor op) {
  llvm::StringRef mode = op.getMode();
  s.require(mode == "standard" || mode == "nesterov",
            "momentum_mode: must be standard or nesterov, is '" + mode + "'");
  return optimizer(s, op.getInputs(), 3, "momentum");
}

LogicalResult GradientOp::shape(ShapeBuilder &s, Adaptor op) {
  // The derivative by a value has its shape; the values come first.
  size_t count = op.getXs().size();
  size_t others = op.getZs() ? op.getZs()->size() : 0;
  if (!s.require(op.getInputs().size() == count + others,
                 "gradient_inputs: must be as many as xs and zs name, are " +
                     llvm::Twine(op.getInputs().size())) ||
      !s.require(s.getNumResults() == count,
                 "gradient_outputs: must be as many as xs, are " +
                     llvm::Twine(s.getNumResults())))
    return failure();
  for (size_t i = 0; i < count; ++i) {
    Value x = op.getInputs()[i];
    if (failed(s.ranked(x) ? s.result(i, s.elementType(x), s.dims(x))
                           : s.unranked(i, s.elementType(x))))
      return failure();
  }
  return s.asDeclared();
}
