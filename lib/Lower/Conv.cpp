//===- Conv.cpp - Convolutions -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "onnxc/Dialect/ONNX/Conv.h"
#include "onnxc/Dialect/ONNX/Window.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace onnxc;
using utils::IteratorType;

/// x, zero-padded in its spatial dimensions as the window says.
static Value padSpatial(Lowering &l, Value x, Window &window) {
  Sizes low(2, l.attr(0)), high(2, l.attr(0));
  for (int64_t i = 0, e = Lowering::rank(x) - 2; i < e; ++i) {
    auto [before, after] =
        window.padding(i, l.shapes().dim(x, i + 2));
    low.push_back(l.asIndex(before));
    high.push_back(l.asIndex(after));
  }
  return l.pad(x, low, high, l.constant(Lowering::elementType(x), 0));
}

/// What sums start from: the bias by channel (dimension 1), or zeros.
static Value startFromBias(Lowering &l, Value bias,
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

template <typename Op>
static Value createNamed(Lowering &l, Value x, Value w, Value init,
                         const Window &window) {
  auto vector = [&](ArrayRef<int64_t> values) {
    return l.b.getI64VectorAttr(values);
  };
  return Op::create(l.b, l.loc, init.getType(), ValueRange{x, w}, init,
                    vector(window.strides), vector(window.dilations))
      ->getResult(0);
}

/// x [n (g) c s…], w [(g) f c k…] -> [n (g) f o…]; `grouped` says whether the
/// group dimension is there.
static Value createGeneric(Lowering &l, Value x, Value w, Value init,
                           const Window &window, bool grouped) {
  int64_t spatial = window.strides.size(), lead = grouped ? 3 : 2;
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
    xs.push_back(o * window.strides[i] + k * window.dilations[i]);
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
                      const Window &window, int64_t group) {
  int64_t spatial = window.strides.size();
  if (group == 1) {
    if (spatial == 1)
      return createNamed<linalg::Conv1DNcwFcwOp>(l, x, w, init, window);
    if (spatial == 2)
      return createNamed<linalg::Conv2DNchwFchwOp>(l, x, w, init, window);
    return createGeneric(l, x, w, init, window, false);
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
                                                         window);
    if (spatial == 2)
      return createNamed<linalg::DepthwiseConv2DNchwChwOp>(l, x, taps, init,
                                                           window);
    return createNamed<linalg::DepthwiseConv3DNcdhwCdhwOp>(l, x, taps, init,
                                                           window);
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
  Value result =
      createGeneric(l, split(x, 1, channels), split(w, 0, perGroup),
                    split(init, 1, perGroup), window, true);
  return l.reshape(result, l.sizes(init));
}

static LogicalResult lowerConv(ConvOp op, ConvOp::Adaptor operands,
                               Lowering &l) {
  FailureOr<Sizes> sizes = l.resultSizes();
  if (failed(sizes))
    return failure();
  Value x = operands.getX(), w = operands.getW();
  int64_t spatial = Lowering::rank(x) - 2, group = op.getGroup();
  Dims kernel;
  for (int64_t i = 0; i < spatial; ++i)
    kernel.push_back(l.shapes().dim(w, i + 2));
  Window window(l.shapes(),
                {op.getKernelShape(), op.getStrides(), op.getDilations(),
                 op.getPads(), op.getAutoPad()},
                spatial, kernel, "conv");
  Type element = l.resultType().getElementType();
  Value init =
      startFromBias(l, operands.getB(), *sizes, getAccumulatorType(element));
  Value sum = convolve(l, padSpatial(l, x, window), w, init, window, group);
  return l.replace(l.castElements(sum, element));
}

void onnxc::populateConv(Lowerings &lowerings) {
  lowerings.add<ConvOp>(lowerConv);
}
