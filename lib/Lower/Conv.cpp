//===- Conv.cpp - Convolutions --------------------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "onnxc/Dialect/ONNX/Conv.h"
#include "onnxc/Dialect/ONNX/Quantization.h"
#include "onnxc/Dialect/ONNX/Window.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace onnxc;
using utils::IteratorType;

/// x, zero-padded in its spatial dimensions as the window says.
static Value padSpatial(Lowering &l, Value x, Window &window) {
  Sizes low(2, l.attr(0)), high(2, l.attr(0));
  for (int64_t i = 0, e = Lowering::rank(x) - 2; i < e; ++i) {
    auto [before, after] = window.padding(i, l.shapes().dim(x, i + 2));
    low.push_back(l.asIndex(before));
    high.push_back(l.asIndex(after));
  }
  return l.pad(x, low, high, l.constant(Lowering::elementType(x), 0));
}

/// What sums start from: the bias by channel (dimension 1), or zeros.
Value onnxc::startFromBias(Lowering &l, Value bias,
                           ArrayRef<OpFoldResult> sizes, Type accumulator) {
  if (!bias)
    return l.filled(sizes, l.constant(accumulator, 0));
  AffineMap byChannel =
      AffineMap::get(sizes.size(), 0, l.b.getAffineDimExpr(1));
  return l.map(bias, byChannel, sizes, accumulator,
               [&](ScalarBuilder &s, ValueRange args) {
                 return s.cast(args[0], accumulator, false, false);
               });
}

namespace {
/// Of windows, and of the taps inside of one.
struct Steps {
  ArrayRef<int64_t> strides, dilations;
};
} // namespace

template <typename Op>
static Value createNamed(Lowering &l, Value x, Value w, Value init,
                         const Steps &steps) {
  auto vector = [&](ArrayRef<int64_t> values) {
    return l.b.getI64VectorAttr(values);
  };
  return Op::create(l.b, l.loc, init.getType(), ValueRange{x, w}, init,
                    vector(steps.strides), vector(steps.dilations))
      ->getResult(0);
}

/// x [n (g) c s…], w [(g) f c k…] -> [n (g) f o…]; `grouped` says whether the
/// group dimension is there.
static Value createGeneric(Lowering &l, Value x, Value w, Value init,
                           const Steps &steps, bool grouped) {
  int64_t spatial = steps.strides.size(), lead = grouped ? 3 : 2;
  int64_t loops = lead + spatial + 1 + spatial;
  auto d = [&](int64_t i) { return l.b.getAffineDimExpr(i); };
  // Loops: n (g) f o… c k….
  AffineExpr c = d(lead + spatial);
  SmallVector<AffineExpr> xs{d(0)}, ws, ys;
  if (grouped) {
    xs.push_back(d(1));
    ws.push_back(d(1));
  }
  xs.push_back(c);
  ws.append({d(lead - 1), c});
  for (int64_t i = 0; i < lead; ++i)
    ys.push_back(d(i));
  SmallVector<IteratorType> iterators(lead + spatial, IteratorType::parallel);
  iterators.append(1 + spatial, IteratorType::reduction);
  for (int64_t i = 0; i < spatial; ++i) {
    AffineExpr o = d(lead + i), k = d(lead + spatial + 1 + i);
    xs.push_back(o * steps.strides[i] + k * steps.dilations[i]);
    ws.push_back(k);
    ys.push_back(o);
  }
  auto map = [&](ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(loops, 0, exprs, l.b.getContext());
  };
  return l.generic({x, w}, init, {map(xs), map(ws), map(ys)}, iterators,
                   [](ScalarBuilder &s, ValueRange args) {
                     Type type = args[2].getType();
                     return s.add(args[2],
                                  s.mul(s.cast(args[0], type, false, false),
                                        s.cast(args[1], type, false, false)));
                   });
}

/// Sums of windows of `x` (padded already), weighted by `w` [f, c/group, k…],
/// added to `init` [n, f, o…].
static Value convolve(Lowering &l, Value x, Value w, Value init,
                      const Steps &steps, int64_t group) {
  int64_t spatial = steps.strides.size();
  if (group == 1) {
    if (spatial == 1)
      return createNamed<linalg::Conv1DNcwFcwOp>(l, x, w, init, steps);
    if (spatial == 2)
      return createNamed<linalg::Conv2DNchwFchwOp>(l, x, w, init, steps);
    return createGeneric(l, x, w, init, steps, false);
  }
  OpFoldResult channels = l.dim(w, 1), filters = l.dim(w, 0);
  Sizes wSizes = l.sizes(w);
  // One input and one output channel per group: no reduction over channels.
  bool isDepthwise = getConstantIntValue(channels) == int64_t(1) &&
                     getConstantIntValue(filters) == group;
  if (isDepthwise && spatial <= 3) {
    Sizes kernel(wSizes);
    kernel.erase(kernel.begin() + 1);
    Value taps = l.reshape(w, kernel);
    if (spatial == 1)
      return createNamed<linalg::DepthwiseConv1DNcwCwOp>(l, x, taps, init,
                                                         steps);
    if (spatial == 2)
      return createNamed<linalg::DepthwiseConv2DNchwChwOp>(l, x, taps, init,
                                                           steps);
    return createNamed<linalg::DepthwiseConv3DNcdhwCdhwOp>(l, x, taps, init,
                                                           steps);
  }
  // Split channels by group on all three.
  OpFoldResult groups = l.attr(group);
  OpFoldResult perGroup = l.floorDiv(filters, groups);
  auto split = [&](Value tensor, int64_t dim, OpFoldResult inner) {
    Sizes sizes = l.sizes(tensor);
    sizes[dim] = inner;
    sizes.insert(sizes.begin() + dim, groups);
    return l.reshape(tensor, sizes);
  };
  Value splitX = split(x, 1, channels);
  Value splitW = split(w, 0, perGroup);
  Value result =
      createGeneric(l, splitX, splitW, split(init, 1, perGroup), steps, true);
  return l.reshape(result, l.sizes(init));
}

template <typename OpTy>
Value onnxc::convolveWindows(Lowering &l, OpTy op, Value x, Value w,
                             Value init) {
  int64_t spatial = Lowering::rank(x) - 2;
  Dims kernel;
  for (int64_t i = 0; i < spatial; ++i)
    kernel.push_back(l.shapes().dim(w, i + 2));
  Window window(l.shapes(),
                {op.getKernelShape(), op.getStrides(), op.getDilations(),
                 op.getPads(), op.getAutoPad()},
                spatial, kernel, "conv");
  return convolve(l, padSpatial(l, x, window), w, init,
                  {window.strides, window.dilations}, op.getGroup());
}
template Value onnxc::convolveWindows(Lowering &, ConvIntegerOp, Value, Value,
                                      Value);
template Value onnxc::convolveWindows(Lowering &, QLinearConvOp, Value, Value,
                                      Value);

static LogicalResult lowerConv(ConvOp op, ConvOp::Adaptor operands,
                               Lowering &l) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Type element = l.resultType().getElementType();
  Value init =
      startFromBias(l, operands.getB(), *sizes, getAccumulatorType(element));
  Value sum = convolveWindows(l, op, operands.getX(), operands.getW(), init);
  return l.replace(l.castElements(sum, element));
}

//===----------------------------------------------------------------------===//
// ConvTranspose
//===----------------------------------------------------------------------===//

/// w [c, f/group, k...] as the weights of the convolution that does the same:
/// [f, c/group, k...] with the taps in reverse order.
static Value reverseWeights(Lowering &l, Value w, int64_t group) {
  Sizes from = l.sizes(w), to(from);
  if (Lowering::typeOf(w).hasStaticShape() &&
      Lowering::typeOf(w).getDimSize(0) % group == 0) {
    // A copy by a map of indices: constants can be rearranged at compile time.
    Sizes split(from);
    split[0] = l.floorDiv(from[0], l.attr(group));
    split.insert(split.begin(), l.attr(group));
    SmallVector<AffineExpr> at{l.b.getAffineDimExpr(0), l.b.getAffineDimExpr(2),
                               l.b.getAffineDimExpr(1)};
    for (unsigned i = 3; i < split.size(); ++i)
      at.push_back(*getConstantIntValue(split[i]) - 1 -
                   l.b.getAffineDimExpr(i));
    w = l.reshape(w, split);
    std::swap(split[1], split[2]);
    w = l.map(w, AffineMap::get(split.size(), 0, at, l.b.getContext()), split,
              Lowering::elementType(w),
              [](ScalarBuilder &, ValueRange args) { return args[0]; });
    to[0] = l.mul(split[0], split[1]);
    to[1] = split[2];
    return l.reshape(w, to);
  }
  OpFoldResult groups = l.attr(group);
  Value perGroup = l.asValue(from[1]);
  Value channels = l.asValue(l.floorDiv(from[0], groups));
  to[0] = l.mul(from[1], groups);
  to[1] = l.floorDiv(from[0], groups);
  return l.generate(
      to, Lowering::elementType(w), [&](ScalarBuilder &s, ValueRange at) {
        OpBuilder &b = s.getBuilder();
        Value which = arith::DivUIOp::create(b, s.getLoc(), at[0], perGroup);
        SmallVector<Value> read;
        read.push_back(s.add(s.mul(which, channels), at[1]));
        read.push_back(arith::RemUIOp::create(b, s.getLoc(), at[0], perGroup));
        for (size_t i = 2; i < from.size(); ++i) {
          Value size = l.asValue(from[i]);
          read.push_back(s.sub(s.sub(size, s.one(size)), at[i]));
        }
        return tensor::ExtractOp::create(b, s.getLoc(), w, read).getResult();
      });
}

/// A convolution over x with zeros between its elements.
static LogicalResult lowerConvTranspose(ConvTransposeOp op,
                                        ConvTransposeOp::Adaptor operands,
                                        Lowering &l) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Value x = operands.getX(), w = operands.getW();
  int64_t rank = Lowering::rank(x), spatial = rank - 2, group = op.getGroup();
  if (group < 1)
    return l.invalid("group must be positive");
  auto attribute = [&](std::optional<ArrayRef<int64_t>> given, int64_t count,
                       int64_t byDefault) {
    SmallVector<int64_t> values(count, byDefault);
    if (given && int64_t(given->size()) == count)
      values.assign(given->begin(), given->end());
    return values;
  };
  SmallVector<int64_t> strides = attribute(op.getStrides(), spatial, 1),
                       dilations = attribute(op.getDilations(), spatial, 1),
                       pads = attribute(op.getPads(), 2 * spatial, 0),
                       extra = attribute(op.getOutputPadding(), spatial, 0);
  Sizes from = l.sizes(x), spread(from), at(rank, l.attr(0)), steps;
  steps.assign(2, l.attr(1));
  Sizes low(2, l.attr(0)), high(2, l.attr(0)), cropped(rank, l.attr(0));
  for (int64_t i = 0; i < spatial; ++i) {
    OpFoldResult stride = l.attr(strides[i]), one = l.attr(1);
    spread[i + 2] =
        l.max(l.add(l.mul(l.sub(from[i + 2], one), stride), one), l.attr(0));
    steps.push_back(stride);
    // From the first to the last tap.
    OpFoldResult reach =
        l.mul(l.sub(l.dim(w, i + 2), one), l.attr(dilations[i]));
    OpFoldResult before = l.attr(pads[i]), behind;
    if (op.getOutputShape() || op.getAutoPad().starts_with("SAME")) {
      OpFoldResult full = l.add(l.add(spread[i + 2], reach), l.attr(extra[i]));
      OpFoldResult total = l.sub(full, (*sizes)[i + 2]);
      OpFoldResult half = l.floorDiv(total, l.attr(2));
      // A total below zero adds to the end what no tap reaches.
      before =
          l.max(op.getAutoPad() == "SAME_UPPER" ? half : l.sub(total, half),
                l.attr(0));
    } else if (op.getAutoPad() == "VALID") {
      before = l.attr(0);
    }
    OpFoldResult ahead = l.sub(reach, before);
    if (op.getOutputShape() || op.getAutoPad() != "NOTSET")
      behind =
          l.sub(l.sub(l.add((*sizes)[i + 2], reach), ahead), spread[i + 2]);
    else
      behind = l.add(l.sub(reach, l.attr(pads[spatial + i])), l.attr(extra[i]));
    OpFoldResult zero = l.attr(0);
    low.push_back(l.max(ahead, zero));
    high.push_back(l.max(behind, zero));
    at[i + 2] = l.max(l.sub(zero, ahead), zero);
    cropped[i + 2] = l.add(at[i + 2], l.max(l.sub(zero, behind), zero));
  }
  Type element = Lowering::elementType(x);
  Value zero = l.constant(element, 0);
  bool isSpread = llvm::any_of(strides, [](int64_t s) { return s != 1; });
  if (isSpread)
    x = tensor::InsertSliceOp::create(l.b, l.loc, x, l.filled(spread, zero),
                                      Sizes(rank, l.attr(0)), from, steps);
  auto isZero = [](OpFoldResult size) {
    return getConstantIntValue(size) == int64_t(0);
  };
  if (!llvm::all_of(cropped, isZero)) {
    Sizes kept;
    for (auto [size, gone] : llvm::zip(spread, cropped))
      kept.push_back(l.sub(size, gone));
    x = l.slice(x, at, kept);
  }
  x = l.pad(x, low, high, zero);
  Value init =
      startFromBias(l, operands.getB(), *sizes, getAccumulatorType(element));
  SmallVector<int64_t> ones(spatial, 1);
  Value sum = convolve(l, x, reverseWeights(l, w, group), init,
                       {ones, dilations}, group);
  return l.replace(l.castElements(sum, element));
}

void onnxc::populateConv(Lowerings &lowerings) {
  lowerings.add<ConvOp>(lowerConv);
  lowerings.add<ConvTransposeOp>(lowerConvTranspose);
}
