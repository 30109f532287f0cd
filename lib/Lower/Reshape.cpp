//===- Reshape.cpp - Ops that keep the elements as they stand -------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "Lowering.h"

#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/Shape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace onnxc;

/// The first operand in the result's shape.
static LogicalResult lowerReshape(Lowering &l, FailureOr<Sizes> to) {
  Value data = l.operands.front();
  RankedTensorType type = l.resultType();
  if (Lowering::isShapeLike(data) && Lowering::isShapeLike(type) &&
      Lowering::typeOf(data).getNumElements() == type.getNumElements())
    return l.replace(l.fromScalars(type, l.scalars(data)));
  if (failed(to))
    return failure();
  RankedTensorType from = Lowering::typeOf(data);
  if (from.hasStaticShape() && type.hasStaticShape() &&
      from.getNumElements() != type.getNumElements())
    return l.invalid(
        "the shapes before and after do not have the same number of "
        "elements");
  l.checkSameCount(l.sizes(data), *to);
  return l.replace(l.reshape(data, *to));
}

/// Squeeze of whatever is 1, where the rank of the result is known: each other
/// dimension goes to the next place.
static FailureOr<Sizes> sizesOtherThanOne(Lowering &l) {
  ShapeBuilder &s = l.shapes();
  Dim place = s.constant(0), one = s.constant(1);
  Dims dims(l.resultType().getRank(), one);
  for (const Dim &dim : s.dims(l.operands.front())) {
    for (auto [i, size] : llvm::enumerate(dims))
      size = s.selectEqual(place, s.constant(i), dim, size);
    place = place + s.selectEqual(dim, one, s.constant(0), one);
  }
  l.checkEqual(l.asIndex(place), l.attr(dims.size()),
               "the input must have " + Twine(dims.size()) +
                   " dimensions other than 1");
  Sizes sizes;
  for (const Dim &dim : dims)
    sizes.push_back(l.asIndex(dim));
  return sizes;
}

template <typename OpTy>
static LogicalResult lowerAsReshape(OpTy, typename OpTy::Adaptor, Lowering &l) {
  // How many sizes or axes there are.
  int64_t from = Lowering::rank(l.operands.front()),
          to = l.resultType().getRank();
  int64_t length = std::is_same_v<OpTy, ReshapeOp> ? to : std::abs(to - from);
  if (l.operands.size() > 1 && failed(l.setLength(1, length)))
    return failure();
  if (std::is_same_v<OpTy, SqueezeOp> && l.operands.size() == 1 &&
      !Lowering::typeOf(l.operands.front()).hasStaticShape())
    return lowerReshape(l, sizesOtherThanOne(l));
  return lowerReshape(l, l.resultSizes());
}

static LogicalResult lowerIdentity(IdentityOp, IdentityOp::Adaptor operands,
                                   Lowering &l) {
  if (isHandle(operands.getInput()) || isHandle(l.resultValueType()))
    return replaceByHandle(l, operandHandle(l, 0));
  return l.replace(operands.getInput());
}

void onnxc::populateReshape(Lowerings &lowerings) {
  lowerings.add<FlattenOp>(lowerAsReshape);
  lowerings.addWithHandles<IdentityOp>(lowerIdentity);
  lowerings.add<ReshapeOp>(lowerAsReshape);
  lowerings.add<SqueezeOp>(lowerAsReshape);
  lowerings.add<UnsqueezeOp>(lowerAsReshape);
}
