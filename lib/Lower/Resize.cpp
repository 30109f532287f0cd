//===- Resize.cpp - Resampling --------------------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sampling.h"

#include "onnxc/Dialect/ONNX/Image.h"
#include "onnxc/Dialect/ONNX/Movement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace onnxc;
using utils::IteratorType;

namespace {

/// One resampled dimension; numbers are f64.
struct Axis {
  int64_t dim;
  /// The size that the model asks for, if it asks for sizes.
  OpFoldResult wanted;
  /// `start` and `end` only where a region is cropped.
  Value scale, input, output, start, end;
};

class Resampler {
public:
  Resampler(ScalarBuilder &s, ResizeOp op) : s(s), op(op) {}

  Value constant(double value) {
    OpBuilder &b = s.getBuilder();
    return arith::ConstantOp::create(b, s.getLoc(), b.getF64FloatAttr(value));
  }

  /// Where result element `x` lies among the input's elements.
  Value position(const Axis &axis, Value x) {
    StringRef mode = op.getCoordinateTransformationMode();
    Value half = constant(0.5), one = constant(1), zero = constant(0);
    // As if elements could be divided: not the rounded number of results.
    Value exact = s.mul(axis.input, axis.scale);
    Value isSingle = s.eq(exact, one);
    Value lastOut = s.sub(exact, one);
    Value lastIn = s.sub(axis.input, one);
    auto halfPixel = [&] {
      return s.sub(s.div(s.add(x, half), axis.scale), half);
    };
    if (mode == "asymmetric")
      return s.div(x, axis.scale);
    // Exporters write it after opset 11, too. A dimension that is not resized
    // stays as it is, as for ONNX Runtime; other modes give that anyway.
    if (mode == "tf_half_pixel_for_nn") {
      Value isOne = s.eq(axis.scale, one);
      return s.select(isOne, x, s.div(s.add(x, half), axis.scale));
    }
    if (mode == "align_corners")
      return s.select(isSingle, zero, s.div(s.mul(x, lastIn), lastOut));
    if (mode == "pytorch_half_pixel")
      return s.select(isSingle, zero, halfPixel());
    if (mode == "half_pixel_symmetric") {
      Value adjustment = s.div(axis.output, exact);
      Value center = s.mul(axis.input, half);
      Value offset = s.mul(center, s.sub(one, adjustment));
      return s.add(offset, halfPixel());
    }
    if (mode == "tf_crop_and_resize") {
      Value extent = s.sub(axis.end, axis.start);
      Value first = s.mul(axis.start, lastIn);
      Value many =
          s.add(first, s.div(s.mul(s.mul(x, extent), lastIn), lastOut));
      Value single = s.mul(s.mul(s.add(axis.start, axis.end), half), lastIn);
      return s.select(isSingle, single, many);
    }
    return halfPixel();
  }

  Taps nearest(Value position) {
    StringRef mode = op.getNearestMode();
    Value half = constant(0.5);
    Value at = mode == "floor"               ? s.floor(position)
               : mode == "ceil"              ? s.ceil(position)
               : mode == "round_prefer_ceil" ? s.floor(s.add(position, half))
                                             : s.ceil(s.sub(position, half));
    return {{at}, {}, {}};
  }

  /// Whether a position is outside of what may be read.
  Value isBeyond(const Axis &axis, Value position) {
    Value last = s.sub(axis.input, constant(1));
    Value isBelow = s.lt(position, constant(0));
    return s.bitOr(isBelow, s.gt(position, last));
  }

  /// The kernel of the mode at any distance.
  Value weigh(Value distance) {
    Value d = s.abs(distance), one = constant(1);
    if (op.getMode() == "linear") {
      Value near = s.sub(one, d);
      return s.max(near, constant(0));
    }
    double a = op.getCubicCoeffA().convertToDouble();
    Value isWithin = s.lt(d, constant(2));
    Value far = cubicFar(s, d, a);
    far = s.select(isWithin, far, constant(0));
    Value isNear = s.le(d, one);
    return s.select(isNear, cubicNear(s, d, a), far);
  }

  Taps around(Value position) {
    if (op.getMode() == "nearest")
      return nearest(position);
    return op.getMode() == "linear"
               ? linearTaps(s, position)
               : cubicTaps(s, position, op.getCubicCoeffA().convertToDouble());
  }

  /// Brings indices into the input, and with exclude_outside takes the weight
  /// of those outside away.
  void finish(const Axis &axis, Taps &taps) {
    if (op.getExcludeOutside() && !taps.weights.empty()) {
      Value sum, zero = constant(0);
      for (auto [at, weight] : llvm::zip(taps.at, taps.weights)) {
        weight = s.select(isBeyond(axis, at), zero, weight);
        sum = sum ? s.add(sum, weight) : weight;
      }
      for (Value &weight : taps.weights)
        weight = s.div(weight, sum);
    }
    settleTaps(s, taps, axis.input, false);
  }

  ScalarBuilder &s;
  ResizeOp op;
};

} // namespace

/// A float element of a small operand.
static Value elementAsDouble(Lowering &l, Value tensor, int64_t at) {
  Value element = l.b.createOrFold<tensor::ExtractOp>(l.loc, tensor,
                                                      ValueRange{l.index(at)});
  ScalarBuilder s(l.b, l.loc, l.b.getF64Type(), false);
  return s.cast(element, l.b.getF64Type(), false, false);
}

static Value sizeAsDouble(Lowering &l, OpFoldResult size) {
  return sizeAsFloat(l, size, l.b.getF64Type());
}

/// The dimensions that are resampled, with all that is known of them but the
/// sizes of the result.
static FailureOr<SmallVector<Axis>>
findAxes(Lowering &l, ResizeOp op, ResizeOp::Adaptor operands, bool byScale) {
  Value x = operands.getX();
  int64_t rank = Lowering::rank(x);
  SmallVector<int64_t> dims;
  if (std::optional<ArrayRef<int64_t>> axes = op.getAxes())
    for (int64_t axis : *axes)
      dims.push_back(axis < 0 ? axis + rank : axis);
  else
    dims = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  ScalarBuilder s(l.b, l.loc, l.b.getF64Type(), false);

  Value given = byScale ? operands.getScales() : operands.getSizes();
  if (!given || Lowering::rank(given) != 1)
    return l.invalid("scales or sizes must be there, of rank 1");
  l.checkEqual(l.dim(given, 0), l.attr(dims.size()),
               "scales or sizes must have " + Twine(dims.size()) + " elements");
  bool isCrop = op.getCoordinateTransformationMode() == "tf_crop_and_resize";
  if (isCrop) {
    if (!operands.getRoi() || Lowering::rank(operands.getRoi()) != 1)
      return l.invalid("tf_crop_and_resize needs roi, of rank 1");
    l.checkEqual(l.dim(operands.getRoi(), 0), l.attr(2 * dims.size()),
                 "roi must have two elements per axis");
  }

  SmallVector<Axis> axes;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    Axis axis;
    axis.dim = dim;
    axis.input = sizeAsDouble(l, l.dim(x, dim));
    if (byScale) {
      axis.scale = elementAsDouble(l, given, i);
    } else {
      axis.wanted = l.asIndex(l.scalar(given, i));
      axis.scale = s.div(sizeAsDouble(l, axis.wanted), axis.input);
    }
    if (isCrop) {
      axis.start = elementAsDouble(l, operands.getRoi(), i);
      axis.end = elementAsDouble(l, operands.getRoi(), dims.size() + i);
    }
    axes.push_back(axis);
  }
  // One scale for all, which keeps the proportions.
  StringRef policy = op.getKeepAspectRatioPolicy();
  if (!byScale && policy != "stretch" && !axes.empty()) {
    Value common = axes.front().scale;
    for (const Axis &axis : ArrayRef(axes).drop_front())
      common = policy == "not_larger" ? s.min(common, axis.scale)
                                      : s.max(common, axis.scale);
    for (Axis &axis : axes) {
      axis.scale = common;
      axis.wanted = {};
    }
  }
  return axes;
}

/// The sizes of the result where the shape rule does not find them. What the
/// model declares is checked.
static Sizes computeSizes(Lowering &l, Value x, ArrayRef<Axis> axes,
                          bool byScale) {
  Type f32 = l.b.getF32Type();
  ScalarBuilder s(l.b, l.loc, f32, false);
  RankedTensorType declared = l.resultType();
  Sizes sizes = l.sizes(x);
  for (const Axis &axis : axes) {
    OpFoldResult size = axis.wanted;
    if (!size) {
      Value exact;
      if (byScale) {
        // Scales are floats, and so is what sizes are computed in.
        exact = s.mul(s.cast(axis.input, f32, false, false),
                      s.cast(axis.scale, f32, false, false));
      } else {
        exact = s.mul(axis.input, axis.scale);
        exact = s.add(exact, s.constant(exact, 0.5));
      }
      Value limit = s.constant(exact, double(1 << 30));
      Value isNotNegative = s.ge(exact, s.zero(exact));
      l.check(s.bitAnd(isNotNegative, s.le(exact, limit)),
              "dimension " + Twine(axis.dim) +
                  " of the result must not be negative or huge");
      Value whole = s.floor(exact);
      size = getAsOpFoldResult(
          floatToIndex(s, clampNumber(s, whole, s.zero(exact), limit)));
    }
    if (!declared.isDynamicDim(axis.dim)) {
      OpFoldResult known = l.attr(declared.getDimSize(axis.dim));
      l.checkEqual(size, known,
                   "dimension " + Twine(axis.dim) + " of the result must be " +
                       Twine(declared.getDimSize(axis.dim)) +
                       ", as the model declares");
      size = known;
    }
    sizes[axis.dim] = size;
  }
  return sizes;
}

//===----------------------------------------------------------------------===//
// Antialiasing
//===----------------------------------------------------------------------===//

/// Resamples one dimension with the mode's kernel, widened where the result
/// has fewer elements than the input, so that all elements count. `size` is
/// that of the result; numbers are of `type`.
static Value resampleSmoothly(Lowering &l, ResizeOp op, Value x,
                              const Axis &axis, OpFoldResult size, Type type,
                              bool isUnsigned) {
  Type f64 = l.b.getF64Type();
  ScalarBuilder s(l.b, l.loc, f64, false);
  Resampler atOnce(s, op);
  double reach = op.getMode() == "linear" ? 1 : 2;
  Value one = atOnce.constant(1);
  Value shrink = s.select(s.lt(axis.scale, one), axis.scale, one);
  // What the kernel reaches on each side, in whole elements.
  Value side = s.ceil(s.div(atOnce.constant(reach), shrink));
  Value limit = s.add(axis.input, one);
  limit = s.mul(limit, atOnce.constant(2 * reach));
  side = clampNumber(s, side, one, limit);
  Value first = s.sub(one, side);
  OpFoldResult count =
      l.mul(getAsOpFoldResult(floatToIndex(s, side)), l.attr(2));

  auto tapAt = [&](Resampler &resampler, Value o, Value k) {
    ScalarBuilder &s = resampler.s;
    Value position = resampler.position(axis, indexToFloat(s, o, f64));
    Value base = s.add(s.floor(position), first);
    Value at = s.add(base, indexToFloat(s, k, f64));
    return std::pair(position, at);
  };
  Value weights = l.generate(
      {size, count}, f64, [&](ScalarBuilder &s, ValueRange loops) -> Value {
        Resampler resampler(s, op);
        auto [position, at] = tapAt(resampler, loops[0], loops[1]);
        Value weight = resampler.weigh(s.mul(s.sub(at, position), shrink));
        if (op.getExcludeOutside()) {
          Value isBeyond = resampler.isBeyond(axis, at);
          weight = s.select(isBeyond, resampler.constant(0), weight);
        }
        return weight;
      });
  Value sums = l.reduce(weights, 1, l.constant(f64, 0),
                        [](ScalarBuilder &s, ValueRange args) {
                          return s.add(args[1], args[0]);
                        });

  int64_t rank = Lowering::rank(x);
  Sizes sizes = l.sizes(x);
  sizes[axis.dim] = size;
  auto d = [&](int64_t i) { return l.b.getAffineDimExpr(i); };
  auto map = [&](ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(rank + 1, 0, exprs, l.b.getContext());
  };
  SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
  iterators.push_back(IteratorType::reduction);
  return l.generic(
      {weights, sums}, l.filled(sizes, l.constant(type, 0)),
      {map({d(axis.dim), d(rank)}), map(d(axis.dim)),
       l.dropDims(rank + 1, rank)},
      iterators, [&](ScalarBuilder &s, ValueRange args) -> Value {
        OpBuilder &b = s.getBuilder();
        Resampler resampler(s, op);
        SmallVector<Value> from;
        for (int64_t i = 0; i <= rank; ++i)
          from.push_back(linalg::IndexOp::create(b, s.getLoc(), i));
        Taps taps;
        taps.at = {tapAt(resampler, from[axis.dim], from[rank]).second};
        settleTaps(s, taps, axis.input, false);
        from.pop_back();
        from[axis.dim] = taps.at.front();
        Value read = tensor::ExtractOp::create(b, s.getLoc(), x, from);
        Value weight = s.cast(s.div(args[0], args[1]), type, false, false);
        return s.add(args[2],
                     s.mul(s.cast(read, type, isUnsigned, false), weight));
      });
}

//===----------------------------------------------------------------------===//
// Repetition
//===----------------------------------------------------------------------===//

/// Whether the result with index i is the input's with index i / times, if
/// there are `times` as many results.
static bool isRepetition(ResizeOp op, int64_t times) {
  StringRef from = op.getCoordinateTransformationMode(),
            mode = op.getNearestMode();
  // A part of an element that is less than 1: (i % times) / times.
  if (from == "asymmetric")
    return mode == "floor" || (mode == "round_prefer_floor" && times == 2);
  // The same with a half more.
  if (from == "tf_half_pixel_for_nn")
    return mode == "floor";
  // Less than a half away from the element.
  return (from == "half_pixel" || from == "pytorch_half_pixel" ||
          from == "half_pixel_symmetric") &&
         (mode == "round_prefer_floor" || mode == "round_prefer_ceil");
}

/// Whether a Concat takes the result, which it does from tables as it is made:
/// what has repetitions apart it would copy.
static bool isConcatenated(ResizeOp op) {
  return llvm::any_of(op->getUsers(), llvm::IsaPred<ConcatOp>);
}

/// How often each element along an axis is repeated; 0 if that is not all.
static int64_t findRepetition(Lowering &l, ResizeOp op, Value x,
                              const Axis &axis, OpFoldResult size) {
  FloatAttr scale;
  if (op.getMode() != "nearest" ||
      !matchPattern(axis.scale, m_Constant(&scale)))
    return 0;
  double times = scale.getValueAsDouble();
  if (!(times >= 2 && times <= 64) || times != std::floor(times) ||
      !isRepetition(op, times))
    return 0;
  return isSameIndex(l.mul(l.dim(x, axis.dim), l.attr(times)), size) ? times
                                                                     : 0;
}

/// The input with elements repeated side by side, where repetitions have a
/// dimension of their own: nothing is read by a table.
static Value repeatElements(Lowering &l, Value x, ArrayRef<int64_t> times,
                            const Sizes &sizes) {
  Sizes own = l.sizes(x), loops;
  SmallVector<AffineExpr> from;
  for (auto [dim, count] : llvm::enumerate(times)) {
    from.push_back(l.b.getAffineDimExpr(loops.size()));
    loops.push_back(own[dim]);
    if (count > 1)
      loops.push_back(l.attr(count));
  }
  AffineMap map = AffineMap::get(loops.size(), 0, from, l.b.getContext());
  Value all = l.map(x, map, loops, Lowering::elementType(x),
                    [](ScalarBuilder &, ValueRange args) { return args[0]; });
  return l.reshape(all, sizes);
}

//===----------------------------------------------------------------------===//
// Resize
//===----------------------------------------------------------------------===//

/// All dimensions at once, from few taps of each, which are computed once for
/// each place along it.
static Value resample(Lowering &l, ResizeOp op, Value x, ArrayRef<Axis> axes,
                      ArrayRef<OpFoldResult> sizes, Type type) {
  int64_t count = op.getMode() == "nearest"  ? 1
                  : op.getMode() == "linear" ? 2
                                             : 4;
  TableSampling sampling;
  sampling.type = type;
  sampling.element =
      op.getMode() == "nearest" ? Lowering::elementType(x) : type;
  for (const Axis &axis : axes) {
    TapTables table = tabulateTaps(
        l, sizes[axis.dim], count, count > 1 ? type : Type(),
        /*hasCounts=*/false, [&](ScalarBuilder &s, ValueRange loops) {
          Resampler resampler(s, op);
          Value o = indexToFloat(s, loops.front(), l.b.getF64Type());
          Taps taps = resampler.around(resampler.position(axis, o));
          resampler.finish(axis, taps);
          return taps;
        });
    sampling.add(axis.dim, table, sizes.size(), l.b.getAffineDimExpr(axis.dim));
  }
  return sampleByTables(l, x, sampling, sizes);
}

/// With tf_crop_and_resize, what lies outside of the input has a value of its
/// own.
static Value extrapolate(Lowering &l, ResizeOp op, Value y,
                         ArrayRef<Axis> axes) {
  double outside = op.getExtrapolationValue().convertToDouble();
  return l.mapSame(
      y, Lowering::elementType(y), [&](ScalarBuilder &s, ValueRange args) {
        Resampler resampler(s, op);
        Value isOutside;
        for (const Axis &axis : axes) {
          Value o =
              linalg::IndexOp::create(s.getBuilder(), s.getLoc(), axis.dim);
          Value beyond = resampler.isBeyond(
              axis,
              resampler.position(axis, indexToFloat(s, o, l.b.getF64Type())));
          isOutside = isOutside ? s.bitOr(isOutside, beyond) : beyond;
        }
        return s.select(isOutside, s.constant(args[0], outside), args[0]);
      });
}

static LogicalResult lowerResize(ResizeOp op, ResizeOp::Adaptor operands,
                                 Lowering &l) {
  Value x = operands.getX(), scales = operands.getScales();
  StringRef mode = op.getMode();
  if (mode != "nearest" && mode != "linear" && mode != "cubic")
    return l.invalid("mode '" + mode + "', expected nearest, linear or cubic");
  StringRef transformation = op.getCoordinateTransformationMode();
  if (!llvm::is_contained({"align_corners", "asymmetric", "half_pixel",
                           "half_pixel_symmetric", "pytorch_half_pixel",
                           "tf_crop_and_resize", "tf_half_pixel_for_nn"},
                          transformation))
    return l.invalid("coordinate_transformation_mode '" + transformation +
                     "' does not exist");
  // Exporters of old opsets leave an empty `scales` beside `sizes`.
  bool byScale = scales && Lowering::typeOf(scales).getShape() != ArrayRef{0L};
  FailureOr<SmallVector<Axis>> axes = findAxes(l, op, operands, byScale);
  if (failed(axes))
    return failure();
  FailureOr<Sizes> sizes = failure();
  if (!byScale || matchPattern(scales, m_Constant()))
    sizes = l.resultSizes();
  if (failed(sizes))
    sizes = computeSizes(l, x, *axes, byScale);
  for (Axis &axis : *axes)
    axis.output = sizeAsDouble(l, (*sizes)[axis.dim]);
  bool isCrop = op.getCoordinateTransformationMode() == "tf_crop_and_resize";
  llvm::erase_if(*axes, [&](const Axis &axis) {
    FloatAttr scale;
    return !isCrop && matchPattern(axis.scale, m_Constant(&scale)) &&
           scale.getValueAsDouble() == 1 &&
           isSameIndex(l.dim(x, axis.dim), (*sizes)[axis.dim]);
  });
  SmallVector<int64_t> dims;
  for (const Axis &axis : *axes)
    dims.push_back(axis.dim);
  checkReadable(l, x, dims, *sizes);

  Type element = Lowering::elementType(x);
  Type type = isa<FloatType>(element) ? getAccumulatorType(element)
                                      : Type(l.b.getF32Type());
  bool isUnsigned = l.isUnsigned();
  SmallVector<int64_t> times(Lowering::rank(x), 1);
  for (const Axis &axis : *axes)
    times[axis.dim] = findRepetition(l, op, x, axis, (*sizes)[axis.dim]);
  if (!axes->empty() && !llvm::is_contained(times, 0) && !isConcatenated(op))
    return l.replace(repeatElements(l, x, times, *sizes));
  Value y = x;
  if (op.getAntialias() && mode != "nearest") {
    for (const Axis &axis : *axes)
      y = resampleSmoothly(l, op, y, axis, (*sizes)[axis.dim], type,
                           isUnsigned);
  } else if (mode == "cubic" && axes->size() > 2) {
    // Together they would be 4 to the power of their number of taps.
    Sizes partial = l.sizes(x);
    for (const Axis &axis : *axes) {
      partial[axis.dim] = (*sizes)[axis.dim];
      y = resample(l, op, y, axis, partial, type);
    }
  } else {
    y = resample(l, op, x, *axes, *sizes, type);
  }
  if (isCrop && !axes->empty())
    y = extrapolate(l, op, y, *axes);
  if (Lowering::elementType(y) == element)
    return l.replace(y);
  return l.replace(
      l.mapSame(y, element, [&](ScalarBuilder &s, ValueRange args) {
        if (isa<FloatType>(element))
          return s.cast(args[0], element, false, false);
        Value whole = s.round(args[0]);
        return s.cast(clampToIntegers(s, whole, element, isUnsigned), element,
                      false, isUnsigned);
      }));
}

void onnxc::populateResize(Lowerings &lowerings) {
  lowerings.add<ResizeOp>(lowerResize);
}
