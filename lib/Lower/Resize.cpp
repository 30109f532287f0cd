//===- Resize.cpp - Resampling -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "onnxc/Dialect/ONNX/Image.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace onnxc;

namespace {

/// One resampled dimension; numbers are f64.
struct Axis {
  int64_t dim;
  Value scale, input, output, start, end;
};

/// The elements of one dimension that a result element is made from.
struct Taps {
  SmallVector<Value> indices, weights;
};

class Resampler {
public:
  Resampler(ScalarBuilder &s, ResizeOp op) : s(s), op(op) {}

  Value number(Value index) {
    OpBuilder &b = s.getBuilder();
    Value integer =
        arith::IndexCastOp::create(b, s.getLoc(), b.getI64Type(), index);
    return arith::SIToFPOp::create(b, s.getLoc(), b.getF64Type(), integer);
  }
  Value index(Value number) {
    OpBuilder &b = s.getBuilder();
    Value integer = s.cast(number, b.getI64Type(), false, false);
    return arith::IndexCastOp::create(b, s.getLoc(), b.getIndexType(), integer);
  }
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
      Value many = s.add(s.mul(axis.start, lastIn),
                         s.div(s.mul(s.mul(x, extent), lastIn), lastOut));
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
    return {{at}, {}};
  }

  Taps linear(Value position) {
    Value at = s.floor(position), ratio = s.sub(position, at);
    Value one = constant(1);
    return {{at, s.add(at, one)}, {s.sub(one, ratio), ratio}};
  }

  Taps cubic(Value position) {
    Value at = s.floor(position), ratio = s.sub(position, at);
    double a = op.getCubicCoeffA().convertToDouble();
    // Keys' kernel at distance d, near (d <= 1) and far (1 < d < 2).
    auto polynomial = [&](Value d, double c3, double c2, double c1, double c0) {
      Value sum = s.add(s.mul(constant(c3), d), constant(c2));
      sum = s.add(s.mul(sum, d), constant(c1));
      return s.add(s.mul(sum, d), constant(c0));
    };
    auto near = [&](Value d) { return polynomial(d, a + 2, -(a + 3), 0, 1); };
    auto far = [&](Value d) { return polynomial(d, a, -5 * a, 8 * a, -4 * a); };
    Value one = constant(1), rest = s.sub(one, ratio);
    Taps taps;
    for (double offset : {-1.0, 0.0, 1.0, 2.0})
      taps.indices.push_back(s.add(at, constant(offset)));
    taps.weights = {far(s.add(ratio, one)), near(ratio), near(rest),
                    far(s.add(rest, one))};
    return taps;
  }

  /// Brings indices into the input, and with exclude_outside takes the weight
  /// of those outside away.
  void finish(const Axis &axis, Taps &taps) {
    Value last = s.sub(axis.input, constant(1)), zero = constant(0);
    if (op.getExcludeOutside() && !taps.weights.empty()) {
      Value sum;
      for (auto [at, weight] : llvm::zip(taps.indices, taps.weights)) {
        Value isInside = s.bitAnd(s.ge(at, zero), s.le(at, last));
        weight = s.select(isInside, weight, zero);
        sum = sum ? s.add(sum, weight) : weight;
      }
      for (Value &weight : taps.weights)
        weight = s.div(weight, sum);
    }
    for (Value &at : taps.indices)
      at = index(s.max(s.min(at, last), zero));
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
  ScalarBuilder s(l.b, l.loc, l.b.getF64Type(), false);
  return s.cast(l.asElement(size, l.b.getI64Type()), l.b.getF64Type(), false,
                false);
}

/// The dimensions that are resampled, with what is known of each.
static FailureOr<SmallVector<Axis>> findAxes(Lowering &l, ResizeOp op,
                                             ResizeOp::Adaptor operands,
                                             ArrayRef<OpFoldResult> sizes) {
  Value x = operands.getX();
  int64_t rank = Lowering::rank(x);
  SmallVector<int64_t> dims;
  if (op.getAxes())
    for (int64_t axis : *op.getAxes())
      dims.push_back(axis < 0 ? axis + rank : axis);
  else
    dims = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  bool isCrop = op.getCoordinateTransformationMode() == "tf_crop_and_resize";
  if (isCrop && !operands.getRoi())
    return l.fail("tf_crop_and_resize without roi");
  ScalarBuilder s(l.b, l.loc, l.b.getF64Type(), false);

  auto hasElements = [&](Value operand, size_t count) {
    RankedTensorType type = Lowering::typeOf(operand);
    return type.getRank() == 1 && type.getDimSize(0) == int64_t(count);
  };
  bool byScale =
      operands.getScales() && hasElements(operands.getScales(), dims.size());
  if (!byScale &&
      !(operands.getSizes() && hasElements(operands.getSizes(), dims.size())))
    return l.fail("neither scales nor sizes of the right length");

  SmallVector<Axis> axes;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    Axis axis;
    axis.dim = dim;
    axis.input = sizeAsDouble(l, l.dim(x, dim));
    axis.output = sizeAsDouble(l, sizes[dim]);
    if (byScale) {
      axis.scale = elementAsDouble(l, operands.getScales(), i);
    } else {
      Value wanted =
          sizeAsDouble(l, l.asIndex(l.scalar(operands.getSizes(), i)));
      axis.scale = s.div(wanted, axis.input);
    }
    if (isCrop) {
      axis.start = elementAsDouble(l, operands.getRoi(), i);
      axis.end = elementAsDouble(l, operands.getRoi(), dims.size() + i);
    }
    axes.push_back(axis);
  }
  // One scale for all, which keeps the proportions.
  StringRef policy = op.getKeepAspectRatioPolicy();
  if (!byScale && policy != "stretch") {
    Value common = axes.front().scale;
    for (const Axis &axis : ArrayRef(axes).drop_front())
      common = policy == "not_larger" ? s.min(common, axis.scale)
                                      : s.max(common, axis.scale);
    for (Axis &axis : axes)
      axis.scale = common;
  }
  llvm::erase_if(axes, [&](const Axis &axis) {
    FloatAttr scale;
    return !isCrop && matchPattern(axis.scale, m_Constant(&scale)) &&
           scale.getValueAsDouble() == 1 &&
           isSameIndex(l.dim(x, axis.dim), sizes[axis.dim]);
  });
  return axes;
}

static LogicalResult lowerResize(ResizeOp op, ResizeOp::Adaptor operands,
                                 Lowering &l) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  if (op.getAntialias())
    return l.fail("antialias");
  Value x = operands.getX();
  Type element = Lowering::elementType(x);
  Type type = isa<FloatType>(element) ? getAccumulatorType(element)
                                      : Type(l.b.getF32Type());
  bool isUnsigned = l.isUnsigned();
  FailureOr<SmallVector<Axis>> axes = findAxes(l, op, operands, *sizes);
  if (failed(axes))
    return failure();
  bool isCrop = op.getCoordinateTransformationMode() == "tf_crop_and_resize";
  double outside = op.getExtrapolationValue().convertToDouble();

  auto body = [&](ScalarBuilder &s, ValueRange loops) -> Value {
    OpBuilder &b = s.getBuilder();
    Resampler resampler(s, op);
    SmallVector<Taps> all;
    Value isOutside;
    for (const Axis &axis : *axes) {
      Value at = resampler.position(axis, resampler.number(loops[axis.dim]));
      if (isCrop) {
        Value last = s.sub(axis.input, resampler.constant(1));
        Value beyond = s.bitOr(s.lt(at, resampler.constant(0)), s.gt(at, last));
        isOutside = isOutside ? s.bitOr(isOutside, beyond) : beyond;
      }
      Taps taps = op.getMode() == "nearest" ? resampler.nearest(at)
                  : op.getMode() == "cubic" ? resampler.cubic(at)
                                            : resampler.linear(at);
      resampler.finish(axis, taps);
      all.push_back(taps);
    }
    // The sum over all combinations of taps, the innermost axis first.
    SmallVector<Value> from(loops);
    std::function<Value(size_t)> sum = [&](size_t i) -> Value {
      if (i == all.size()) {
        Value read = tensor::ExtractOp::create(b, s.getLoc(), x, from);
        return op.getMode() == "nearest"
                   ? read
                   : s.cast(read, type, isUnsigned, false);
      }
      Value total;
      for (auto [j, at] : llvm::enumerate(all[i].indices)) {
        from[(*axes)[i].dim] = at;
        Value part = sum(i + 1);
        if (!all[i].weights.empty())
          part = s.mul(part, s.cast(all[i].weights[j], type, false, false));
        total = total ? s.add(total, part) : part;
      }
      return total;
    };
    Value result = s.cast(sum(0), element, false, isUnsigned);
    if (isOutside)
      result = s.select(isOutside, s.constant(result, outside), result);
    return result;
  };
  return l.replace(l.generate(*sizes, element, body, isUnsigned));
}

void onnxc::populateResize(Lowerings &lowerings) {
  lowerings.add<ResizeOp>(lowerResize);
}
