//===- Quantization.cpp - Narrow numbers for floats -----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "onnxc/Dialect/ONNX/Quantization.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace onnxc;

//===----------------------------------------------------------------------===//
// Scales and zero points
//===----------------------------------------------------------------------===//

namespace {

/// How a quantized tensor and what goes with it are given: the type of the
/// dialect says what its bytes mean.
struct Quantized {
  Value stored;
  Type element;

  /// `original` is the operand of the op before its conversion.
  Quantized(Value stored, Value original)
      : stored(stored),
        element(original ? getElementTypeOrSelf(original.getType()) : Type()) {}

  bool isUnsigned() const { return element.isUnsignedInteger(); }
  explicit operator bool() const { return static_cast<bool>(stored); }
};

/// Inputs of a loop nest, each with the map that reads it.
struct Reads {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;

  void add(std::pair<Value, AffineMap> read) {
    inputs.push_back(read.first);
    maps.push_back(read.second);
  }
};

} // namespace

/// How `scale` (or a zero point) is read from loops over `sizes`: one for all,
/// one per index of `axis`, or, with its own rank, one per block along it.
static std::pair<Value, AffineMap> readScale(Lowering &l, Value scale,
                                             ArrayRef<OpFoldResult> sizes,
                                             int64_t axis, int64_t block) {
  RankedTensorType type = Lowering::typeOf(scale);
  int64_t rank = sizes.size(), own = type.getRank();
  MLIRContext *context = l.b.getContext();
  if (own == 0 || (own == 1 && type.getDimSize(0) == 1) || rank == 0) {
    SmallVector<AffineExpr> zeros(own, l.b.getAffineConstantExpr(0));
    return {scale, AffineMap::get(rank, 0, zeros, context)};
  }
  // A vector has one axis only, whatever the attribute says.
  if (rank == 1)
    axis = 0;
  if (own == 1 && block == 0) {
    Sizes spread(rank, l.attr(1));
    spread[axis] = l.dim(scale, 0);
    scale = l.reshape(scale, spread);
    own = rank;
  }
  if (block == 0) {
    for (int64_t i = 0; i < own; ++i) {
      OpFoldResult size = l.dim(scale, i), full = sizes[rank - own + i];
      if (getConstantIntValue(size) == int64_t(1) || isSameIndex(size, full))
        continue;
      auto equals = [&](OpFoldResult x, OpFoldResult y) {
        Value left = l.asValue(x);
        return l.b.createOrFold<arith::CmpIOp>(l.loc, arith::CmpIPredicate::eq,
                                               left, l.asValue(y));
      };
      Value isFull = equals(size, full);
      l.check(l.b.createOrFold<arith::OrIOp>(l.loc, isFull,
                                             equals(size, l.attr(1))),
              "a scale or zero point must have one element, or one for each "
              "index of the axis");
    }
    return l.broadcast(scale, sizes);
  }
  SmallVector<AffineExpr> exprs;
  for (int64_t i = 0; i < own; ++i) {
    AffineExpr d = l.b.getAffineDimExpr(i);
    exprs.push_back(i == axis ? d.floorDiv(block) : d);
    OpFoldResult size = l.dim(scale, i);
    l.checkEqual(size,
                 i == axis ? l.ceilDiv(sizes[i], l.attr(block)) : sizes[i],
                 "dimension " + Twine(i) +
                     " of a scale or zero point does not fit the blocks");
  }
  return {scale, AffineMap::get(rank, 0, exprs, context)};
}

/// Whether readScale can read these: as many dimensions as there are loops at
/// most, and those of blocks exactly.
static LogicalResult checkLayout(Lowering &l, ValueRange scales, int64_t rank,
                                 int64_t axis, int64_t block) {
  for (Value scale : scales) {
    if (!scale)
      continue;
    int64_t own = Lowering::rank(scale);
    if (own > rank || (block != 0 && own != 0 && own != rank))
      return l.invalid("a scale or zero point has rank " + Twine(own) +
                       ", which a tensor of rank " + Twine(rank) +
                       " cannot have");
    if (own != 0 && rank > 1 && (axis < 0 || axis >= rank))
      return l.invalid("axis " + Twine(axis) + " is out of range for rank " +
                       Twine(rank));
  }
  return success();
}

/// round(x) + zero point, brought into the range of the integers `to`. Floats
/// hold all of these integers exactly. NaN gives the least one.
static Value saturate(ScalarBuilder &s, Value x, Value zeroPoint, Type to) {
  Type type = x.getType();
  bool isUnsigned = to.isUnsignedInteger();
  Value y = s.round(x);
  if (zeroPoint)
    y = s.add(y, s.cast(s.decode(zeroPoint, to), type, isUnsigned, false));
  unsigned width = to.getIntOrFloatBitWidth();
  double low = isUnsigned ? 0 : -double(uint64_t(1) << (width - 1));
  double high = double(uint64_t(1) << (isUnsigned ? width : width - 1)) - 1;
  Value least = s.constant(y, low), greatest = s.constant(y, high);
  y = s.select(s.gt(y, least), y, least);
  y = s.select(s.lt(y, greatest), y, greatest);
  OpBuilder &b = s.getBuilder();
  Value integer = arith::FPToSIOp::create(b, s.getLoc(), b.getI32Type(), y);
  return s.cast(integer, getStorageType(to), false, false);
}

/// In `precision`, of which a float narrower than f32 is computed in f32.
static Value divide(ScalarBuilder &s, Value x, Value scale, Type precision) {
  Type type = getAccumulatorType(precision);
  Value quotient =
      s.div(s.cast(x, type, false, false), s.cast(scale, type, false, false));
  return s.cast(s.cast(quotient, precision, false, false), type, false, false);
}

//===----------------------------------------------------------------------===//
// QuantizeLinear, DequantizeLinear
//===----------------------------------------------------------------------===//

/// The type that x / scale is rounded to.
static Type getPrecision(QuantizeLinearOp op) {
  MLIRContext *context = op.getContext();
  auto isComputed = [](Type type) {
    return isa_and_nonnull<FloatType>(type) && type.getIntOrFloatBitWidth() > 8;
  };
  Type x = getElementTypeOrSelf(op.getX().getType());
  Type scale = getElementTypeOrSelf(op.getYScale().getType());
  for (Type type : {getElementType(context, op.getPrecision()), scale, x})
    if (isComputed(type))
      return type;
  return Float64Type::get(context);
}

static LogicalResult lowerQuantizeLinear(QuantizeLinearOp op,
                                         QuantizeLinearOp::Adaptor operands,
                                         Lowering &l) {
  Value x = operands.getX(), scale = operands.getYScale();
  Quantized zeroPoint(operands.getYZeroPoint(), op.getYZeroPoint());
  int64_t rank = Lowering::rank(x), axis = op.getAxis(),
          block = op.getBlockSize();
  axis += axis < 0 ? rank : 0;
  if (failed(checkLayout(l, {scale, zeroPoint.stored}, rank, axis, block)))
    return failure();
  Type to = getElementTypeOrSelf(op.getY().getType());
  Type scaleType = getElementTypeOrSelf(op.getYScale().getType());
  Type precision = getPrecision(op);
  CastMode mode;
  mode.saturate = op.getSaturate() != 0;
  Sizes sizes = l.sizes(x);
  Reads reads;
  reads.add({x, l.identityMap(rank)});
  reads.add(readScale(l, scale, sizes, axis, block));
  if (zeroPoint)
    reads.add(readScale(l, zeroPoint.stored, sizes, axis, block));
  auto body = [&](ScalarBuilder &s, ValueRange args) -> Value {
    Value q = divide(s, args[0], s.decode(args[1], scaleType), precision);
    if (isa<IntegerType>(to))
      return saturate(s, q, zeroPoint ? args[2] : Value(), to);
    if (zeroPoint)
      q = s.add(q, s.cast(s.decode(args[2], to), q.getType(), false, false));
    return s.encode(q, to, false, mode);
  };
  return l.replace(
      l.map(reads.inputs, reads.maps, sizes, getStorageType(to), body));
}

static LogicalResult lowerDequantizeLinear(DequantizeLinearOp op,
                                           DequantizeLinearOp::Adaptor operands,
                                           Lowering &l) {
  Quantized x(operands.getX(), op.getX());
  Value scale = operands.getXScale(), zeroPoint = operands.getXZeroPoint();
  Type scaleType = getElementTypeOrSelf(op.getXScale().getType());
  int64_t rank = Lowering::rank(x.stored), axis = op.getAxis(),
          block = op.getBlockSize();
  axis += axis < 0 ? rank : 0;
  if (failed(checkLayout(l, {scale, zeroPoint}, rank, axis, block)))
    return failure();
  Type to = l.resultType().getElementType(), type = getAccumulatorType(to);
  Sizes sizes = l.sizes(x.stored);
  Reads reads;
  reads.add({x.stored, l.identityMap(rank)});
  reads.add(readScale(l, scale, sizes, axis, block));
  if (zeroPoint)
    reads.add(readScale(l, zeroPoint, sizes, axis, block));
  // Integers are subtracted as such.
  Type exact = isa<IntegerType>(x.element) ? Type(l.b.getI32Type()) : type;
  auto body = [&](ScalarBuilder &s, ValueRange args) {
    auto read = [&](Value stored) {
      return s.cast(s.decode(stored, x.element), exact, x.isUnsigned(), false);
    };
    Value y = read(args[0]);
    if (zeroPoint)
      y = s.sub(y, read(args[2]));
    Value factor = s.cast(s.decode(args[1], scaleType), type, false, false);
    return s.cast(s.mul(s.cast(y, type, false, false), factor), to, false,
                  false);
  };
  return l.replace(l.map(reads.inputs, reads.maps, sizes, to, body));
}

static LogicalResult
lowerDynamicQuantizeLinear(DynamicQuantizeLinearOp op,
                           DynamicQuantizeLinearOp::Adaptor operands,
                           Lowering &l) {
  Value x = operands.getX();
  int64_t rank = Lowering::rank(x);
  Type f32 = l.b.getF32Type();
  Type byte = getElementTypeOrSelf(op.getY().getType());
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
        // All zeros have any scale: that of ONNX Runtime is 1.
        Value isZero = s.eq(range, s.zero(range)),
              most = s.constant(range, 255);
        return s.div(s.select(isZero, most, range), most);
      });
  Type i8 = getStorageType(byte);
  Value zeroPoint =
      l.mapSame({least, scale}, i8, [&](ScalarBuilder &s, ValueRange args) {
        return saturate(s, s.div(s.neg(args[0]), args[1]), {}, byte);
      });
  AffineMap scalar = AffineMap::get(rank, 0, l.b.getContext());
  Value y = l.map({x, scale, zeroPoint}, {l.identityMap(rank), scalar, scalar},
                  l.sizes(x), i8, [&](ScalarBuilder &s, ValueRange args) {
                    return saturate(s, s.div(args[0], args[1]), args[2], byte);
                  });
  return l.replace({y, scale, zeroPoint});
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// x - zero point, as i32 or, of 8-bit floats, as f32. A vector of zero points
/// goes with the indices of `axis`.
static Value subtractZeroPoint(Lowering &l, Quantized x, Value zeroPoint,
                               int64_t axis) {
  Type type = isa<IntegerType>(x.element) ? Type(l.b.getI32Type())
                                          : Type(l.b.getF32Type());
  int64_t rank = Lowering::rank(x.stored);
  Sizes sizes = l.sizes(x.stored);
  Reads reads;
  reads.add({x.stored, l.identityMap(rank)});
  if (zeroPoint)
    reads.add(readScale(l, zeroPoint, sizes, axis, 0));
  auto body = [&](ScalarBuilder &s, ValueRange args) {
    auto read = [&](Value stored) {
      return s.cast(s.decode(stored, x.element), type, x.isUnsigned(), false);
    };
    Value number = read(args[0]);
    return zeroPoint ? s.sub(number, read(args[1])) : number;
  };
  return l.map(reads.inputs, reads.maps, sizes, type, body);
}

/// Sums of products as quantized numbers of type `to`: by the scales of both
/// factors, divided by the result's.
struct Requantize {
  std::pair<Value, AffineMap> xScale, yScale, scale, zeroPoint;
};

static Value requantize(Lowering &l, Value sum, const Requantize &by, Type to) {
  Reads reads;
  reads.add({sum, l.identityMap(Lowering::rank(sum))});
  for (const auto &read : {by.xScale, by.yScale, by.scale, by.zeroPoint})
    reads.add(read);
  auto body = [&](ScalarBuilder &s, ValueRange args) -> Value {
    auto wide = [&](Value v) {
      return s.cast(v, s.getBuilder().getF32Type(), false, false);
    };
    Value xScale = wide(args[1]);
    Value product = s.mul(xScale, wide(args[2]));
    Value factor = s.div(product, wide(args[3]));
    Value y = s.mul(wide(args[0]), factor);
    if (isa<IntegerType>(to))
      return saturate(s, y, args[4], to);
    return s.encode(s.add(y, s.decode(args[4], to)), to);
  };
  return l.map(reads.inputs, reads.maps, l.sizes(sum), getStorageType(to),
               body);
}

static LogicalResult checkFactors(Lowering &l, Quantized x, Value xZero,
                                  Quantized y, Value yZero) {
  int64_t xRank = Lowering::rank(x.stored), yRank = Lowering::rank(y.stored);
  if (xRank == 0 || yRank == 0)
    return l.invalid("an input is a scalar, expected at least rank 1");
  if (failed(checkLayout(l, xZero, xRank, 0, 0)))
    return failure();
  return checkLayout(l, yZero, yRank, 0, 0);
}

/// Rows of x and columns of y may have zero points of their own.
static Value multiplyCentered(Lowering &l, Quantized x, Value xZero,
                              Quantized y, Value yZero,
                              ArrayRef<OpFoldResult> sizes) {
  int64_t xRank = Lowering::rank(x.stored), yRank = Lowering::rank(y.stored);
  Value left = subtractZeroPoint(l, x, xZero, std::max<int64_t>(xRank - 2, 0));
  Value right = subtractZeroPoint(l, y, yZero, yRank - 1);
  // Both are floats where either is.
  Type type = isa<FloatType>(Lowering::elementType(left))
                  ? Lowering::elementType(left)
                  : Lowering::elementType(right);
  Value wideLeft = l.castElements(left, type);
  return matmul(l, wideLeft, l.castElements(right, type), sizes, type);
}

static LogicalResult lowerMatMulInteger(MatMulIntegerOp op,
                                        MatMulIntegerOp::Adaptor operands,
                                        Lowering &l) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Quantized x(operands.getA(), op.getA()), y(operands.getB(), op.getB());
  if (failed(checkFactors(l, x, operands.getAZeroPoint(), y,
                          operands.getBZeroPoint())))
    return failure();
  return l.replace(multiplyCentered(l, x, operands.getAZeroPoint(), y,
                                    operands.getBZeroPoint(), *sizes));
}

static LogicalResult lowerQLinearMatMul(QLinearMatMulOp op,
                                        QLinearMatMulOp::Adaptor operands,
                                        Lowering &l) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Quantized x(operands.getA(), op.getA()), y(operands.getB(), op.getB());
  int64_t rank = sizes->size();
  if (failed(checkFactors(l, x, operands.getAZeroPoint(), y,
                          operands.getBZeroPoint())) ||
      failed(checkLayout(l,
                         {operands.getAScale(), operands.getBScale(),
                          operands.getYScale(), operands.getYZeroPoint()},
                         rank, 0, 0)))
    return failure();
  Value sum = multiplyCentered(l, x, operands.getAZeroPoint(), y,
                               operands.getBZeroPoint(), *sizes);
  // A vector operand leaves no dimension to have several scales for.
  auto read = [&](Value scale, int64_t axis) {
    return readScale(l, scale, *sizes, std::max<int64_t>(axis, 0), 0);
  };
  Requantize by{read(operands.getAScale(), rank - 2),
                read(operands.getBScale(), rank - 1),
                read(operands.getYScale(), rank - 2),
                read(operands.getYZeroPoint(), rank - 2)};
  return l.replace(
      requantize(l, sum, by, getElementTypeOrSelf(op.getY().getType())));
}

static LogicalResult lowerConvInteger(ConvIntegerOp op,
                                      ConvIntegerOp::Adaptor operands,
                                      Lowering &l) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Quantized x(operands.getX(), op.getX()), w(operands.getW(), op.getW());
  Value init = startFromBias(l, {}, *sizes, l.b.getI32Type());
  Value shiftedX = subtractZeroPoint(l, x, operands.getXZeroPoint(), 0);
  return l.replace(convolveWindows(
      l, op, shiftedX, subtractZeroPoint(l, w, operands.getWZeroPoint(), 0),
      init));
}

static LogicalResult lowerQLinearConv(QLinearConvOp op,
                                      QLinearConvOp::Adaptor operands,
                                      Lowering &l) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Quantized x(operands.getX(), op.getX()), w(operands.getW(), op.getW());
  Value init = startFromBias(l, operands.getB(), *sizes, l.b.getI32Type());
  Value shiftedX = subtractZeroPoint(l, x, operands.getXZeroPoint(), 0);
  Value sum = convolveWindows(
      l, op, shiftedX, subtractZeroPoint(l, w, operands.getWZeroPoint(), 0),
      init);
  auto read = [&](Value scale) { return readScale(l, scale, *sizes, 1, 0); };
  Requantize by{read(operands.getXScale()), read(operands.getWScale()),
                read(operands.getYScale()), read(operands.getYZeroPoint())};
  return l.replace(
      requantize(l, sum, by, getElementTypeOrSelf(op.getY().getType())));
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
