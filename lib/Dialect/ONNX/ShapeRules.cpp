//===- ShapeRules.cpp - Shape rules that families share -------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/ShapeRules.h"

#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/Sequence.h"

using namespace mlir;
using namespace onnxc;

LogicalResult onnxc::withElementType(ShapeBuilder &s, Value input,
                                     Type elementType) {
  return s.ranked(input) ? s.result(0, elementType, s.dims(input))
                         : s.unranked(0, elementType);
}

Dims onnxc::dimsOfRank(ShapeBuilder &s, Value value, int64_t rank,
                       const llvm::Twine &tag) {
  Dims unknown(rank, s.unknown());
  if (!value || !s.ranked(value))
    return unknown;
  return s.require(s.rank(value) == rank, tag + ": must have rank " +
                                              llvm::Twine(rank) + ", has " +
                                              llvm::Twine(s.rank(value)))
             ? s.dims(value)
             : unknown;
}

bool onnxc::requireScalar(ShapeBuilder &s, Value value,
                          const llvm::Twine &message) {
  if (!s.ranked(value))
    return true;
  Dim count = s.size(value), one = s.constant(1);
  return s.requireLessEqual(count, one, message) &&
         s.requireLessEqual(one, count, message);
}

bool onnxc::requireMultiple(ShapeBuilder &s, Dim whole, int64_t parts,
                            const llvm::Twine &message) {
  // Without a rest nothing is lost by rounding down.
  return s.requireLessEqual(whole, s.floordiv(whole, s.constant(parts)) * parts,
                            message);
}

std::pair<Dim, Dim> onnxc::featureDims(ShapeBuilder &s, Value x,
                                       llvm::StringRef op) {
  if (!s.ranked(x))
    return {s.unknown(), s.unknown()};
  Dims dims = s.dims(x);
  if (!s.require(dims.size() == 1 || dims.size() == 2,
                 op + "_x: must have rank 1 or 2, has " +
                     llvm::Twine(dims.size())))
    return {s.unknown(), s.unknown()};
  return {dims.size() == 1 ? s.constant(1) : dims[0], dims.back()};
}

void onnxc::requireAxis(ShapeBuilder &s, Value x, Value axis,
                        const llvm::Twine &name) {
  requireScalar(s, axis, name + ": must be one number");
  std::optional<Dims> values = s.values(axis);
  if (!values || values->size() != 1 || !s.ranked(x))
    return;
  int64_t rank = s.rank(x);
  if (std::optional<int64_t> known = values->front().getKnown())
    s.require(*known >= -rank && *known < rank,
              name + ": is " + llvm::Twine(*known) +
                  ", but the input has rank " + llvm::Twine(rank));
}

bool onnxc::isEmptySequence(Value value) {
  while (auto identity = value.getDefiningOp<IdentityOp>())
    value = identity.getInput();
  return value.getDefiningOp<SequenceEmptyOp>() != nullptr;
}

LogicalResult onnxc::convolutionShape(ShapeBuilder &s, Value x, Value w,
                                      Value bias, const WindowAttrs &attrs,
                                      int64_t group, Type elementType,
                                      llvm::StringRef op) {
  if (!s.ranked(x) && !s.ranked(w))
    return s.unranked(0, elementType);
  int64_t rank = s.rank(s.ranked(x) ? x : w);
  if (!s.require(rank >= 3, op +
                                "_x: must have a batch, a channel and at least "
                                "one spatial dimension, has rank " +
                                llvm::Twine(rank)))
    return failure();
  Dims input = dimsOfRank(s, x, rank, op + "_x");
  Dims weights = dimsOfRank(s, w, rank, op + "_w");
  s.require(group >= 1, op + "_group: must be positive");
  s.same(input[1], weights[1] * group,
         op + "_channels: channels of the input "
              "and of the weights times group");
  if (group >= 1)
    requireMultiple(s, weights[0], group,
                    op + "_group: the number of feature maps must be a "
                         "multiple of group");
  if (bias && s.ranked(bias))
    s.same(dimsOfRank(s, bias, 1, op + "_b")[0], weights[0],
           op + "_b: bias and feature maps");

  Window window(s, attrs, rank - 2, llvm::ArrayRef(weights).drop_front(2), op);
  Dims output = {input[0], weights[0]};
  for (int64_t i = 0; i < rank - 2; ++i)
    output.push_back(window.output(i, input[i + 2]));
  return s.result(0, elementType, output);
}

LogicalResult onnxc::matmulShape(ShapeBuilder &s, Value a, Value b,
                                 Type elementType, llvm::StringRef op) {
  if (!s.ranked(a) || !s.ranked(b))
    return s.unranked(0, elementType);
  if (!s.require(s.rank(a) >= 1 && s.rank(b) >= 1,
                 op + "_rank: operands must have at least rank 1"))
    return failure();
  Dims left = s.dims(a), right = s.dims(b);
  bool rowAdded = left.size() == 1, columnAdded = right.size() == 1;
  if (rowAdded)
    left.insert(left.begin(), s.constant(1));
  if (columnAdded)
    right.push_back(s.constant(1));
  s.same(left.back(), right[right.size() - 2],
         op + "_k: last dimension of the left and last but one of the right "
              "operand");
  Dims output = s.broadcast(llvm::ArrayRef(left).drop_back(2),
                            llvm::ArrayRef(right).drop_back(2), op + "_batch");
  if (!rowAdded)
    output.push_back(left[left.size() - 2]);
  if (!columnAdded)
    output.push_back(right.back());
  return s.result(0, elementType, output);
}

LogicalResult onnxc::reductionShape(ShapeBuilder &s, Value data, Value axes,
                                    bool keepDims, bool noopWithEmptyAxes,
                                    llvm::StringRef op) {
  Type elementType = s.elementType(data);
  std::optional<int64_t> count =
      axes ? s.length(axes) : std::optional<int64_t>(0);
  bool all = count == 0 && !noopWithEmptyAxes;
  if (all && !keepDims)
    return s.result(0, elementType, {});
  if (!s.ranked(data))
    return s.unranked(0, elementType);
  int64_t rank = s.rank(data);
  if (all)
    return s.result(0, elementType, Dims(rank, s.constant(1)));
  if (count == 0)
    return s.result(0, elementType, s.dims(data));
  if (!count)
    return keepDims ? s.result(0, elementType, Dims(rank, s.unknown()))
                    : s.unranked(0, elementType);
  // There are no values of lists that are longer than any rank.
  std::optional<Dims> listed = s.values(axes);
  if (!s.require(listed && *count <= rank,
                 op + "_axes: " + llvm::Twine(*count) + " axes for rank " +
                     llvm::Twine(rank)))
    return failure();
  AxisSet set(s, *listed, rank, op + "_axes");
  return s.result(0, elementType,
                  keepDims ? set.select(s.constant(1), s.dims(data))
                           : set.drop(s.dims(data)));
}
