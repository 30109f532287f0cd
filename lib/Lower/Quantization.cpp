//===- Quantization.cpp - 8- and 16-bit integers for floats -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "onnxc/Dialect/ONNX/Quantization.h"

using namespace mlir;
using namespace onnxc;

static bool isUnsignedElement(Value original) {
  auto type = original ? dyn_cast<TensorType>(original.getType()) : nullptr;
  return type && type.getElementType().isUnsignedInteger();
}

/// How a scale or zero point is read from loops over a tensor of rank `rank`:
/// one for all, one per index of `axis`, or one per block along it.
static AffineMap getScaleMap(Lowering &l, Value scale, int64_t rank,
                             int64_t axis, int64_t block) {
  RankedTensorType type = Lowering::typeOf(scale);
  SmallVector<AffineExpr> exprs;
  if (type.getRank() == 1)
    exprs.push_back(type.getDimSize(0) == 1 ? l.b.getAffineConstantExpr(0)
                                            : l.b.getAffineDimExpr(axis));
  else
    for (int64_t i = 0; i < type.getRank(); ++i) {
      AffineExpr d = l.b.getAffineDimExpr(i);
      exprs.push_back(i == axis && block > 0 ? d.floorDiv(block) : d);
    }
  return AffineMap::get(rank, 0, exprs, l.b.getContext());
}

/// round(x) + zero point, brought into the range of `to`. Floats hold all of
/// these integers exactly.
static Value saturate(ScalarBuilder &s, Value x, Value zeroPoint, Type to,
                      bool isUnsigned) {
  Type type = x.getType();
  Value y = s.round(x);
  if (zeroPoint)
    y = s.add(y, s.cast(zeroPoint, type, isUnsigned, false));
  unsigned width = to.getIntOrFloatBitWidth();
  double low = isUnsigned ? 0 : -double(uint64_t(1) << (width - 1));
  double high = double(uint64_t(1) << (isUnsigned ? width : width - 1)) - 1;
  y = s.max(s.min(y, s.constant(y, high)), s.constant(y, low));
  return s.cast(y, to, false, isUnsigned);
}

static LogicalResult lowerQuantizeLinear(QuantizeLinearOp op,
                                         QuantizeLinearOp::Adaptor operands,
                                         Lowering &l) {
  Value x = operands.getX(), scale = operands.getYScale(),
        zeroPoint = operands.getYZeroPoint();
  int64_t rank = Lowering::rank(x), axis = op.getAxis();
  axis += axis < 0 ? rank : 0;
  Type to = l.resultType().getElementType();
  if (!isa<IntegerType>(to) || to.getIntOrFloatBitWidth() > 16)
    return l.fail("quantization to this type");
  bool isUnsigned = isUnsignedElement(op.getY());
  Type type = getAccumulatorType(Lowering::elementType(scale));
  AffineMap map = getScaleMap(l, scale, rank, axis, op.getBlockSize());
  SmallVector<Value> inputs{x, scale};
  SmallVector<AffineMap> maps{l.identityMap(rank), map};
  if (zeroPoint) {
    inputs.push_back(zeroPoint);
    maps.push_back(getScaleMap(l, zeroPoint, rank, axis, op.getBlockSize()));
  }
  return l.replace(l.map(
      inputs, maps, l.sizes(x), to, [&](ScalarBuilder &s, ValueRange args) {
        Value q = s.div(s.cast(args[0], type, false, false),
                        s.cast(args[1], type, false, false));
        return saturate(s, q, zeroPoint ? args[2] : Value(), to, isUnsigned);
      }));
}

static LogicalResult lowerDequantizeLinear(DequantizeLinearOp op,
                                           DequantizeLinearOp::Adaptor operands,
                                           Lowering &l) {
  Value x = operands.getX(), scale = operands.getXScale(),
        zeroPoint = operands.getXZeroPoint();
  int64_t rank = Lowering::rank(x), axis = op.getAxis();
  axis += axis < 0 ? rank : 0;
  Type from = Lowering::elementType(x), to = l.resultType().getElementType();
  Type type = getAccumulatorType(to), i32 = l.b.getI32Type();
  if (!isa<IntegerType>(from))
    return l.fail("dequantization from this type");
  bool isUnsigned = l.isUnsigned();
  SmallVector<Value> inputs{x, scale};
  SmallVector<AffineMap> maps{
      l.identityMap(rank),
      getScaleMap(l, scale, rank, axis, op.getBlockSize())};
  if (zeroPoint) {
    inputs.push_back(zeroPoint);
    maps.push_back(getScaleMap(l, zeroPoint, rank, axis, op.getBlockSize()));
  }
  return l.replace(l.map(
      inputs, maps, l.sizes(x), to, [&](ScalarBuilder &s, ValueRange args) {
        Value y = s.cast(args[0], i32, isUnsigned, false);
        if (zeroPoint)
          y = s.sub(y, s.cast(args[2], i32, isUnsigned, false));
        Value product = s.mul(s.cast(y, type, false, false),
                              s.cast(args[1], type, false, false));
        return s.cast(product, to, false, false);
      }));
}

static LogicalResult
lowerDynamicQuantizeLinear(DynamicQuantizeLinearOp op,
                           DynamicQuantizeLinearOp::Adaptor operands,
                           Lowering &l) {
  Value x = operands.getX();
  int64_t rank = Lowering::rank(x);
  Type f32 = l.b.getF32Type(), i8 = l.b.getI8Type();
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  // The range always has 0 in it.
  Value zero = l.constant(f32, 0);
  Value greatest =
      l.reduce(x, axes, zero, [](ScalarBuilder &s, ValueRange args) {
        return s.max(args[1], args[0]);
      });
  Value least = l.reduce(x, axes, zero, [](ScalarBuilder &s, ValueRange args) {
    return s.min(args[1], args[0]);
  });
  Value scale =
      l.mapSame({greatest, least}, f32, [](ScalarBuilder &s, ValueRange args) {
        Value range = s.sub(args[0], args[1]);
        return s.div(range, s.constant(range, 255));
      });
  Value zeroPoint =
      l.mapSame({least, scale}, i8, [&](ScalarBuilder &s, ValueRange args) {
        return saturate(s, s.div(s.neg(args[0]), args[1]), {}, i8, true);
      });
  AffineMap scalar = AffineMap::get(rank, 0, l.b.getContext());
  Value y =
      l.map({x, scale, zeroPoint}, {l.identityMap(rank), scalar, scalar},
            l.sizes(x), i8, [&](ScalarBuilder &s, ValueRange args) {
              return saturate(s, s.div(args[0], args[1]), args[2], i8, true);
            });
  return l.replace({y, scale, zeroPoint});
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// x - zero point as i32. `map` says how the zero point is read.
static Value subtractZeroPoint(Lowering &l, Value x, Value zeroPoint,
                               AffineMap map, bool isUnsigned) {
  Type i32 = l.b.getI32Type();
  SmallVector<Value> inputs{x};
  SmallVector<AffineMap> maps{l.identityMap(Lowering::rank(x))};
  if (zeroPoint) {
    inputs.push_back(zeroPoint);
    maps.push_back(map);
  }
  return l.map(
      inputs, maps, l.sizes(x), i32, [&](ScalarBuilder &s, ValueRange args) {
        Value y = s.cast(args[0], i32, isUnsigned, false);
        return zeroPoint ? s.sub(y, s.cast(args[1], i32, isUnsigned, false))
                         : y;
      });
}

/// One for all, one per index of `axis`, or of x's own rank.
static AffineMap getZeroPointMap(Lowering &l, Value x, Value zeroPoint,
                                 int64_t axis) {
  if (!zeroPoint)
    return {};
  if (Lowering::rank(zeroPoint) > 1)
    return l.broadcast(zeroPoint, l.sizes(x)).second;
  return getScaleMap(l, zeroPoint, Lowering::rank(x), axis, 0);
}

static LogicalResult lowerMatMulInteger(MatMulIntegerOp op,
                                        MatMulIntegerOp::Adaptor operands,
                                        Lowering &l) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Value x = operands.getA(), y = operands.getB();
  int64_t xRank = Lowering::rank(x), yRank = Lowering::rank(y);
  if (xRank == 0 || yRank == 0)
    return l.fail("a scalar operand");
  x = subtractZeroPoint(l, x, operands.getAZeroPoint(),
                        getZeroPointMap(l, x, operands.getAZeroPoint(),
                                        std::max<int64_t>(xRank - 2, 0)),
                        isUnsignedElement(op.getA()));
  y = subtractZeroPoint(
      l, y, operands.getBZeroPoint(),
      getZeroPointMap(l, y, operands.getBZeroPoint(), yRank - 1),
      isUnsignedElement(op.getB()));
  return l.replace(matmul(l, x, y, *sizes, l.b.getI32Type()));
}

static LogicalResult lowerQLinearMatMul(QLinearMatMulOp op,
                                        QLinearMatMulOp::Adaptor operands,
                                        Lowering &l) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Value x = operands.getA(), y = operands.getB();
  int64_t xRank = Lowering::rank(x), yRank = Lowering::rank(y),
          rank = sizes->size();
  Type to = l.resultType().getElementType(), f32 = l.b.getF32Type();
  if (!to.isInteger(8) || xRank < 2 || yRank < 2)
    return l.fail("this type or a vector operand");
  x = subtractZeroPoint(
      l, x, operands.getAZeroPoint(),
      getZeroPointMap(l, x, operands.getAZeroPoint(), xRank - 2),
      isUnsignedElement(op.getA()));
  y = subtractZeroPoint(
      l, y, operands.getBZeroPoint(),
      getZeroPointMap(l, y, operands.getBZeroPoint(), yRank - 1),
      isUnsignedElement(op.getB()));
  Value sum = matmul(l, x, y, *sizes, l.b.getI32Type());
  bool isUnsigned = isUnsignedElement(op.getY());
  auto map = [&](Value value, int64_t axis) {
    return Lowering::rank(value) > 1 ? l.broadcast(value, *sizes).second
                                     : getScaleMap(l, value, rank, axis, 0);
  };
  return l.replace(l.map(
      {sum, operands.getAScale(), operands.getBScale(), operands.getYScale(),
       operands.getYZeroPoint()},
      {l.identityMap(rank), map(operands.getAScale(), rank - 2),
       map(operands.getBScale(), rank - 1), map(operands.getYScale(), rank - 2),
       map(operands.getYZeroPoint(), rank - 2)},
      *sizes, to, [&](ScalarBuilder &s, ValueRange args) {
        auto wide = [&](Value v) { return s.cast(v, f32, false, false); };
        Value scale = s.div(s.mul(wide(args[1]), wide(args[2])), wide(args[3]));
        return saturate(s, s.mul(wide(args[0]), scale), args[4], to,
                        isUnsigned);
      }));
}

static LogicalResult lowerConvInteger(ConvIntegerOp op,
                                      ConvIntegerOp::Adaptor operands,
                                      Lowering &l) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Value x = operands.getX(), w = operands.getW();
  Value xZero = operands.getXZeroPoint(), wZero = operands.getWZeroPoint();
  x = subtractZeroPoint(l, x, xZero, getZeroPointMap(l, x, xZero, 0),
                        isUnsignedElement(op.getX()));
  w = subtractZeroPoint(l, w, wZero, getZeroPointMap(l, w, wZero, 0),
                        isUnsignedElement(op.getW()));
  Value init = startFromBias(l, {}, *sizes, l.b.getI32Type());
  return l.replace(convolveWindows(l, op, x, w, init));
}

static LogicalResult lowerQLinearConv(QLinearConvOp op,
                                      QLinearConvOp::Adaptor operands,
                                      Lowering &l) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Value x = operands.getX(), w = operands.getW();
  Value xZero = operands.getXZeroPoint(), wZero = operands.getWZeroPoint();
  int64_t rank = sizes->size();
  Type to = l.resultType().getElementType(), f32 = l.b.getF32Type();
  x = subtractZeroPoint(l, x, xZero, getZeroPointMap(l, x, xZero, 0),
                        isUnsignedElement(op.getX()));
  w = subtractZeroPoint(l, w, wZero, getZeroPointMap(l, w, wZero, 0),
                        isUnsignedElement(op.getW()));
  Value init = startFromBias(l, operands.getB(), *sizes, l.b.getI32Type());
  Value sum = convolveWindows(l, op, x, w, init);
  bool isUnsigned = isUnsignedElement(op.getY());
  auto map = [&](Value value) { return getScaleMap(l, value, rank, 1, 0); };
  return l.replace(l.map({sum, operands.getXScale(), operands.getWScale(),
                          operands.getYScale(), operands.getYZeroPoint()},
                         {l.identityMap(rank), map(operands.getXScale()),
                          map(operands.getWScale()), map(operands.getYScale()),
                          map(operands.getYZeroPoint())},
                         *sizes, to, [&](ScalarBuilder &s, ValueRange args) {
                           Value scale =
                               s.div(s.mul(args[1], args[2]), args[3]);
                           Value y =
                               s.mul(s.cast(args[0], f32, false, false), scale);
                           return saturate(s, y, args[4], to, isUnsigned);
                         }));
}

void onnxc::populateQuantization(Lowerings &lowerings) {
  lowerings.add<ConvIntegerOp>(lowerConvInteger);
  lowerings.add<DequantizeLinearOp>(lowerDequantizeLinear);
  lowerings.add<DynamicQuantizeLinearOp>(lowerDynamicQuantizeLinear);
  lowerings.add<MatMulIntegerOp>(lowerMatMulInteger);
  lowerings.add<QLinearConvOp>(lowerQLinearConv);
  lowerings.add<QLinearMatMulOp>(lowerQLinearMatMul);
  lowerings.add<QuantizeLinearOp>(lowerQuantizeLinear);
}
