//===- SplitPhases.cpp - Phases of a spread image as filters --------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution over an image whose pixels are s apart, with zeros between
// them, has for each s-th result the same taps: its phase. With few filters
// most lanes of a vector of filters would be empty. Here each phase has filters
// of its own over the image without zeros ("sub-pixel convolution", Shi et al.,
// "Is the deconvolution layer the same as a convolutional layer?", 2016).
//
// Of one dimension, with `low` zeros before the image: o = s v - r + low, for a
// result o, with r in [0, s) and integer v, is the sum over taps t and pixels
// v + t of filter[r + s t]. Filters of a phase stand in the order of s - 1 - r,
// so that the phases of v, and those of v + 1, follow each other in the result.
//
//===----------------------------------------------------------------------===//

#include "ConvSchedule.h"
#include "Form/WindowLoops.h"
#include "FormConvolutions.h"
#include "Kernels/KernelForms.h"
#include "Kernels/PackedConstants.h"
#include "Kernels/Reorder/Blocks.h"
#include "SpreadImage.h"
#include "onnxc/Schedule/Passes.h"
#include "onnxc/Support/SaturatingInt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

namespace onnxc {
#define GEN_PASS_DEF_SPLITPHASESPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {

/// Multiply-adds of a vector that it takes to move an element of the result to
/// its place: out of its block, and between those of the other phases.
constexpr int64_t kMovesOfElement = 4;

/// A convolution over a spread image. Lists have an entry for each spatial
/// dimension.
struct SpreadConvolution {
  linalg::LinalgOp op;
  Value image, init;
  ElementsAttr weights;
  int64_t filters = 0, channels = 0;
  SmallVector<int64_t> taps, steps, low, high;

  unsigned spatial() const { return steps.size(); }
  SaturatingInt phases() const {
    SaturatingInt count = 1;
    for (int64_t step : steps)
      count *= step;
    return count;
  }
  int64_t tapsOfPhase(unsigned i) const { return taps[i] / steps[i]; }
  /// Zeros before and behind the image without zeros between its pixels.
  int64_t lowOfPhase(unsigned i) const { return low[i] / steps[i]; }
  int64_t highOfPhase(unsigned i) const {
    return tapsOfPhase(i) - 1 -
           llvm::divideFloorSigned(taps[i] - 1 - high[i], steps[i]);
  }
  /// How many results of the first pixel's phases come before the first one.
  int64_t skipped(unsigned i) const { return steps[i] - 1 - low[i] % steps[i]; }
};

/// Whether each phase has as many taps. A tap that only fills up would multiply
/// a pixel that its window does not have by 0, which of an infinity is NaN.
bool hasEqualPhases(const SpreadConvolution &conv) {
  for (unsigned i = 0; i < conv.spatial(); ++i)
    if (conv.taps[i] % conv.steps[i] != 0)
      return false;
  return true;
}

/// Whether filters of their own for each phase take less time. Of both ways,
/// vectors of multiply-adds for a pixel of the image.
bool pays(const SpreadConvolution &conv, int64_t lanes) {
  SaturatingInt before = llvm::divideCeil(conv.filters, lanes),
                filters = conv.phases() * conv.filters;
  SaturatingInt after = llvm::divideCeil(filters.get(), lanes);
  for (unsigned i = 0; i < conv.spatial(); ++i) {
    before *= conv.taps[i];
    after *= conv.tapsOfPhase(i);
  }
  before *= conv.channels;
  after *= conv.channels;
  after += filters * kMovesOfElement;
  return after < before;
}

FailureOr<SpreadConvolution> match(linalg::LinalgOp op) {
  std::optional<WindowLoops> loops;
  if (op.hasPureTensorSemantics())
    loops = matchWindowLoops(op);
  auto isOne = [](int64_t x) { return x == 1; };
  if (!loops || loops->isDepthwise || loops->group != 1 ||
      !llvm::all_of(loops->strides, isOne) ||
      !llvm::all_of(loops->dilations, isOne) ||
      !getElementTypeOrSelf(loops->init).isF32())
    return failure();
  SpreadConvolution conv;
  conv.op = op;
  conv.init = loops->init;
  conv.weights = getPackableConstant(loops->filter);
  ArrayRef<int64_t> filter =
      cast<ShapedType>(loops->filter.getType()).getShape();
  if (!conv.weights || llvm::is_contained(filter, 0))
    return failure();
  conv.filters = filter[0];
  conv.channels = filter[1];
  conv.taps = llvm::to_vector(filter.drop_front(2));
  unsigned spatial = conv.taps.size();
  Value image = loops->image;
  conv.low.assign(spatial, 0);
  conv.high.assign(spatial, 0);
  if (std::optional<ZeroPadding> padding = matchZeroPadding(image)) {
    image = padding->pad.getSource();
    conv.low = llvm::to_vector(ArrayRef(padding->pads).take_front(spatial));
    conv.high = llvm::to_vector(ArrayRef(padding->pads).drop_front(spatial));
  }
  std::optional<SpreadImage> spread = matchSpread(image);
  if (!spread)
    return failure();
  conv.image = spread->source;
  conv.steps = spread->steps;
  return conv;
}

class PhaseSplitter {
public:
  PhaseSplitter(RewriterBase &b, SpreadConvolution &conv)
      : b(b), loc(conv.op.getLoc()), conv(conv), phases(conv.phases()),
        spatial(conv.spatial()) {}

  /// Whether sums start from what filters of phases can start from, too.
  bool isSupported() const;
  void rewrite();

private:
  Value padImage();
  Value createFilter();
  /// What sums start from, of `sizes`.
  Value createInit(ArrayRef<OpFoldResult> sizes);
  /// Results of all phases [n, f, s..., v...] as [n, f, v s...].
  Value interleave(Value results, ArrayRef<OpFoldResult> sizes);
  OpFoldResult index(int64_t value) { return b.getIndexAttr(value); }
  template <typename Op> OpFoldResult combine(OpFoldResult size, int64_t by);
  RankedTensorType typeOf(ArrayRef<OpFoldResult> sizes, Type element) {
    return RankedTensorType::get(decomposeMixedValues(sizes).first, element);
  }

  RewriterBase &b;
  Location loc;
  SpreadConvolution &conv;
  int64_t phases;
  unsigned spatial;
};

bool PhaseSplitter::isSupported() const {
  if (auto fill = conv.init.getDefiningOp<linalg::FillOp>())
    return isFloatZero(fill.getInputs()[0]);
  return bool(getRepeatedByChannel(conv.init));
}

template <typename Op>
OpFoldResult PhaseSplitter::combine(OpFoldResult size, int64_t by) {
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return index(std::is_same_v<Op, arith::AddIOp> ? *known + by : *known * by);
  Value factor = arith::ConstantIndexOp::create(b, loc, by);
  return Op::create(b, loc, cast<Value>(size), factor).getResult();
}

Value PhaseSplitter::padImage() {
  auto type = cast<RankedTensorType>(conv.image.getType());
  SmallVector<OpFoldResult> low(2, index(0)), high(low);
  SmallVector<int64_t> shape(type.getShape());
  bool isPadded = false;
  for (unsigned i = 0; i < spatial; ++i) {
    int64_t before = conv.lowOfPhase(i), behind = conv.highOfPhase(i);
    low.push_back(index(before));
    high.push_back(index(behind));
    isPadded |= before != 0 || behind != 0;
    if (!ShapedType::isDynamic(shape[i + 2]))
      shape[i + 2] += before + behind;
  }
  if (!isPadded)
    return conv.image;
  Value zero =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(type.getElementType()));
  return tensor::PadOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), conv.image,
      low, high, zero);
}

Value PhaseSplitter::createFilter() {
  // [f, s..., c, t...], of which the first dimensions become one.
  SmallVector<int64_t> source = {conv.filters, conv.channels},
                       shape = {conv.filters};
  source.append(conv.taps);
  shape.append(conv.steps);
  shape.push_back(conv.channels);
  SmallVector<AffineExpr> from = {b.getAffineDimExpr(0),
                                  b.getAffineDimExpr(1 + spatial)};
  SmallVector<int64_t> joined = {conv.filters * phases, conv.channels};
  for (unsigned i = 0; i < spatial; ++i) {
    int64_t step = conv.steps[i], taps = conv.tapsOfPhase(i);
    shape.push_back(taps);
    joined.push_back(taps);
    from.push_back(step - 1 - b.getAffineDimExpr(1 + i) +
                   b.getAffineDimExpr(2 + spatial + i) * step);
  }
  Value filter =
      rearrangeConstant(b, loc, conv.weights, source, shape,
                        AffineMap::get(shape.size(), 0, from, b.getContext()));
  SmallVector<ReassociationIndices> groups(1);
  for (int64_t i = 0; i < 1 + int64_t(spatial); ++i)
    groups[0].push_back(i);
  for (int64_t i = 1 + spatial; i < int64_t(shape.size()); ++i)
    groups.push_back({i});
  auto type = RankedTensorType::get(joined, conv.weights.getElementType());
  return tensor::CollapseShapeOp::create(b, loc, type, filter, groups);
}

Value PhaseSplitter::createInit(ArrayRef<OpFoldResult> sizes) {
  Value empty = tensor::EmptyOp::create(b, loc, sizes, b.getF32Type());
  if (auto fill = conv.init.getDefiningOp<linalg::FillOp>())
    return linalg::FillOp::create(b, loc, fill.getInputs()[0], empty)
        .getResult(0);
  // The bias of a filter is that of its phases.
  Value bias = getRepeatedByChannel(conv.init);
  Type element = getElementTypeOrSelf(bias);
  Value perPhase = tensor::EmptyOp::create(
      b, loc, ArrayRef<int64_t>{conv.filters, phases}, element);
  perPhase =
      linalg::BroadcastOp::create(b, loc, bias, perPhase, ArrayRef<int64_t>{1})
          ->getResult(0);
  perPhase = tensor::CollapseShapeOp::create(
      b, loc, RankedTensorType::get({conv.filters * phases}, element), perPhase,
      SmallVector<ReassociationIndices>{{0, 1}});
  auto repeat = conv.init.getDefiningOp<linalg::GenericOp>();
  auto init = linalg::GenericOp::create(b, loc, empty.getType(), perPhase,
                                        empty, repeat.getIndexingMapsArray(),
                                        repeat.getIteratorTypesArray());
  b.cloneRegionBefore(repeat.getRegion(), init.getRegion(),
                      init.getRegion().begin());
  return init.getResult(0);
}

Value PhaseSplitter::interleave(Value results, ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> split = {sizes[0], index(conv.filters)};
  for (int64_t step : conv.steps)
    split.push_back(index(step));
  llvm::append_range(split, sizes.drop_front(2));
  SmallVector<ReassociationIndices> ofFilters = {{0}, {1}},
                                    ofPixels = ofFilters;
  SmallVector<int64_t> order = {0, 1};
  SmallVector<OpFoldResult> ordered = {split[0], split[1]},
                            whole = {split[0], split[1]};
  for (int64_t i = 0; i < int64_t(spatial); ++i) {
    int64_t phase = 2 + i, pixel = 2 + spatial + i;
    ofFilters[1].push_back(phase);
    ofFilters.push_back({pixel});
    order.append({pixel, phase});
    ordered.append({split[pixel], split[phase]});
    ofPixels.push_back({2 + 2 * i, 3 + 2 * i});
    whole.push_back(combine<arith::MulIOp>(split[pixel], conv.steps[i]));
  }
  Type element = b.getF32Type();
  Value apart = tensor::ExpandShapeOp::create(b, loc, typeOf(split, element),
                                              results, ofFilters, split);
  Value empty = tensor::EmptyOp::create(b, loc, ordered, element);
  Value moved =
      linalg::TransposeOp::create(b, loc, apart, empty, order)->getResult(0);
  return tensor::CollapseShapeOp::create(b, loc, typeOf(whole, element), moved,
                                         ofPixels);
}

void PhaseSplitter::rewrite() {
  b.setInsertionPoint(conv.op);
  SmallVector<OpFoldResult> ofImage = tensor::getMixedSizes(b, loc, conv.image),
                            sizes = {ofImage[0], index(conv.filters * phases)},
                            offsets(2, index(0));
  for (unsigned i = 0; i < spatial; ++i) {
    sizes.push_back(combine<arith::AddIOp>(
        ofImage[i + 2],
        conv.lowOfPhase(i) + conv.highOfPhase(i) - conv.tapsOfPhase(i) + 1));
    offsets.push_back(index(conv.skipped(i)));
  }
  Value image = padImage(), filter = createFilter(), init = createInit(sizes);
  // The same sums over other sizes.
  Operation *sums = mlir::clone(b, conv.op.getOperation(), init.getType(),
                                ValueRange{image, filter, init});
  Value all = interleave(sums->getResult(0), sizes);
  auto type = cast<RankedTensorType>(conv.op->getResult(0).getType());
  SmallVector<OpFoldResult> kept = sizesOf(b, loc, conv.init),
                            ones(kept.size(), index(1));
  b.replaceOpWithNewOp<tensor::ExtractSliceOp>(conv.op, type, all, offsets,
                                               kept, ones);
}

class SplitPhases : public onnxc::impl::SplitPhasesPassBase<SplitPhases> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    // All targets of a module do the same, so that they share weights.
    int64_t lanes = packedLanes(TargetAttr::of(getOperation()));
    for (auto op : collectOps<linalg::LinalgOp>(getOperation())) {
      // Filters of transposed convolutions are constants in another order,
      // which onnxc-form-convolutions would resolve as well.
      (void)rearrangeConstantFilter(rewriter, op);
      FailureOr<SpreadConvolution> conv = match(op);
      if (failed(conv) || !hasEqualPhases(*conv) || !pays(*conv, lanes))
        continue;
      PhaseSplitter splitter(rewriter, *conv);
      if (splitter.isSupported())
        splitter.rewrite();
    }
  }
};

} // namespace
