//===- Shape.cpp - Sizes as values, and tensors made from sizes -----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "onnxc/Dialect/ONNX/Shape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace onnxc;

static LogicalResult lowerShape(ShapeOp op, ShapeOp::Adaptor operands,
                                Lowering &l) {
  Value data = operands.getData();
  if (!isa<RankedTensorType>(data.getType())) {
    Value start = l.constant(l.b.getI64IntegerAttr(op.getStart()));
    Value end =
        l.constant(l.b.getI64IntegerAttr(op.getEnd().value_or(INT64_MAX)));
    auto type = RankedTensorType::get({ShapedType::kDynamic}, l.b.getI64Type());
    return l.replace(l.call("shape", {data, start, end}, {}, type));
  }
  int64_t rank = Lowering::rank(data);
  auto clamp = [&](int64_t at) {
    return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  int64_t start = clamp(op.getStart());
  int64_t end = clamp(op.getEnd().value_or(rank));
  SmallVector<Value> sizes;
  for (int64_t i = start; i < end; ++i)
    sizes.push_back(l.asElement(l.dim(data, i), l.b.getI64Type()));
  auto type = RankedTensorType::get(int64_t(sizes.size()), l.b.getI64Type());
  return l.replace(l.fromScalars(type, sizes));
}

static LogicalResult lowerSize(SizeOp, SizeOp::Adaptor operands, Lowering &l) {
  Value data = operands.getData();
  Value element = isa<RankedTensorType>(data.getType())
                      ? l.asElement(l.product(l.sizes(data)), l.b.getI64Type())
                      : l.call("size", data, {}, l.b.getI64Type()).front();
  return l.replace(
      l.fromScalars(RankedTensorType::get({}, l.b.getI64Type()), element));
}

static LogicalResult lowerConstantOfShape(ConstantOfShapeOp op,
                                          ConstantOfShapeOp::Adaptor,
                                          Lowering &l) {
  if (failed(l.setLength(0, l.resultType().getRank())))
    return failure();
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  RankedTensorType type = l.resultType();
  Type element = type.getElementType();
  Value scalar = l.constant(element, 0);
  if (std::optional<ElementsAttr> value = op.getValue()) {
    auto stored = dyn_cast_or_null<DenseElementsAttr>(getStored(*value));
    if (!stored || stored.getNumElements() != 1)
      return l.fail("a value that is not one dense element");
    scalar = l.constant(*stored.value_begin<TypedAttr>());
  }
  if (Lowering::isShapeLike(type)) {
    SmallVector<Value> elements(type.getNumElements(), scalar);
    return l.replace(l.fromScalars(type, elements));
  }
  return l.replace(l.filled(*sizes, scalar));
}

/// The number of elements from start to limit, by steps of delta.
static Value countSteps(Lowering &l, Value start, Value limit, Value delta) {
  OpBuilder &b = l.b;
  Type type = start.getType();
  ScalarBuilder s(b, l.loc, type, false);
  Value isZero = s.eq(delta, s.zero(delta));
  Value isNotZero = b.createOrFold<arith::XOrIOp>(
      l.loc, isZero, l.constant(b.getBoolAttr(true)));
  l.check(isNotZero, "delta must not be 0");
  Value step = s.select(isZero, s.one(delta), delta);
  if (isa<FloatType>(type)) {
    Type f64 = b.getF64Type();
    auto wide = [&](Value value) { return s.cast(value, f64, false, false); };
    Value end = wide(limit);
    Value distance = s.sub(end, wide(start));
    Value count = s.ceil(s.div(distance, wide(step)));
    l.check(s.lt(count, s.constant(count, 0x1p62)),
            "the number of elements is not finite");
    count = s.max(count, s.zero(count));
    return s.cast(count, b.getI64Type(), false, false);
  }
  Type i64 = b.getI64Type();
  auto wide = [&](Value value) { return s.cast(value, i64, false, false); };
  Value end = wide(limit);
  Value distance = s.sub(end, wide(start));
  return b.createOrFold<arith::CeilDivSIOp>(l.loc, distance, wide(step));
}

static LogicalResult lowerRange(RangeOp, RangeOp::Adaptor operands,
                                Lowering &l) {
  Value start = l.scalar(operands.getStart());
  Value delta = l.scalar(operands.getDelta());
  RankedTensorType type = l.resultType();
  OpFoldResult size;
  if (type.getElementType().isInteger(64) &&
      getConstantIntValue(delta).value_or(0) != 0) {
    // The rule's, which may be known to be a size of another tensor.
    FailureOr<Sizes> sizes = l.resultSizes();
    if (failed(sizes))
      return failure();
    size = sizes->front();
  } else {
    Value count = countSteps(l, start, l.scalar(operands.getLimit()), delta);
    size = l.max(l.asIndex(count), l.attr(0));
    if (!type.isDynamicDim(0)) {
      l.checkEqual(size, l.attr(type.getDimSize(0)),
                   "the number of elements must be " +
                       Twine(type.getDimSize(0)) + ", as the model declares");
      size = l.attr(type.getDimSize(0));
    }
  }
  Type element = type.getElementType();
  Type compute = getAccumulatorType(element);
  auto at = [&](ScalarBuilder &s, Value index) {
    Value number = arith::IndexCastOp::create(
        s.getBuilder(), s.getLoc(), s.getBuilder().getI64Type(), index);
    auto wide = [&](Value value) {
      return s.cast(value, compute, false, false);
    };
    Value factor = wide(number);
    Value offset = s.mul(factor, wide(delta));
    return s.cast(s.add(wide(start), offset), element, false, false);
  };
  if (Lowering::isShapeLike(type)) {
    ScalarBuilder s(l.b, l.loc, element, false);
    SmallVector<Value> elements;
    for (int64_t i = 0; i < type.getNumElements(); ++i)
      elements.push_back(
          s.add(start, s.mul(s.constant(delta, double(i)), delta)));
    return l.replace(l.fromScalars(type, elements));
  }
  return l.replace(
      l.generate(size, element, [&](ScalarBuilder &s, ValueRange indices) {
        return at(s, indices[0]);
      }));
}

static LogicalResult lowerEyeLike(EyeLikeOp op, EyeLikeOp::Adaptor,
                                  Lowering &l) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Type element = l.resultType().getElementType();
  return l.replace(
      l.generate(*sizes, element, [&](ScalarBuilder &s, ValueRange indices) {
        Value k = arith::ConstantIndexOp::create(s.getBuilder(), s.getLoc(),
                                                 op.getK());
        Value isOn = s.eq(indices[1], s.add(indices[0], k));
        return s.cast(isOn, element, false, false);
      }));
}

void onnxc::populateShape(Lowerings &lowerings) {
  lowerings.add<ConstantOfShapeOp>(lowerConstantOfShape);
  lowerings.add<EyeLikeOp>(lowerEyeLike);
  lowerings.add<RangeOp>(lowerRange);
  lowerings.addWithHandles<ShapeOp>(lowerShape);
  lowerings.addWithHandles<SizeOp>(lowerSize);
}
