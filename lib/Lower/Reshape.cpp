//===- Reshape.cpp - Ops that keep the elements as they stand -*- C++ -*-===//
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
static LogicalResult lowerReshape(Lowering &l) {
  Value data = l.operands.front();
  RankedTensorType type = l.resultType();
  if (Lowering::isShapeLike(data) && Lowering::isShapeLike(type) &&
      Lowering::typeOf(data).getNumElements() == type.getNumElements())
    return l.replace(l.fromScalars(type, l.scalars(data)));
  FailureOr<Sizes> to = l.resultSizes();
  if (failed(to))
    return failure();
  RankedTensorType from = Lowering::typeOf(data);
  if (from.hasStaticShape() && type.hasStaticShape() &&
      from.getNumElements() != type.getNumElements())
    return l.fail("the shapes before and after do not have the same number of "
                  "elements");
  l.checkSameCount(l.sizes(data), *to);
  return l.replace(l.reshape(data, *to));
}

template <typename OpTy>
static LogicalResult lowerAsReshape(OpTy, typename OpTy::Adaptor, Lowering &l) {
  // How many sizes or axes there are.
  int64_t from = Lowering::rank(l.operands.front()),
          to = l.resultType().getRank();
  int64_t length = std::is_same_v<OpTy, ReshapeOp> ? to : std::abs(to - from);
  if (l.operands.size() > 1 && failed(l.setLength(1, length)))
    return failure();
  return lowerReshape(l);
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
