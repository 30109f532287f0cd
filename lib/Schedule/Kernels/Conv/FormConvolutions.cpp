//===- FormConvolutions.cpp - Kernels of convolutions ---------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FormConvolutions.h"
#include "ConvSchedule.h"
#include "Form/WindowLoops.h"
#include "Kernels/Halves.h"
#include "Kernels/KernelForms.h"
#include "Kernels/PackedConstants.h"
#include "Kernels/Reorder/Blocks.h"
#include "Kernels/Winograd/MinimalFiltering.h"
#include "SpreadImage.h"
#include "WinogradSchedule.h"
#include "onnxc/Schedule/Passes.h"
#include "onnxc/Support/SaturatingInt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

namespace onnxc {
#define GEN_PASS_DEF_FORMCONVOLUTIONSPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {

/// The weights of a panel that all tiles of a map read anew; with more of them
/// the second level of the cache holds no panel, and memory is what a
/// convolution waits for.
constexpr int64_t kMaxPanelBytes = 1 << 20;
/// What a panel has of such a convolution, which becomes several.
constexpr int64_t kCutPanelBytes = 640 << 10;
/// Tiles at a row's ends have so many taps at most: those of rows of open
/// length, which find out when they run which taps lie outside, or of known
/// length, which have code for the taps that do not.
constexpr int64_t kTapsOfOpenTiles = 16, kTapsOfKnownTiles = 9;
/// Blocks of channels of a group, whose vectors may be shorter than the
/// target's.
constexpr int64_t kLeastLanes = 8;
/// So many filters read the pixels that a pointwise convolution with strides
/// takes often enough to pay for their copy.
constexpr int64_t kFiltersOfCopy = 128;
/// Tiles of so few pixels wait for all of their weights in any case.
constexpr int64_t kFewPixels = 14 * 14;

/// A convolution, and what else becomes part of the kernel.
struct Convolution : WindowLoops {
  explicit Convolution(WindowLoops loops) : WindowLoops(std::move(loops)) {}

  ElementsAttr weights;
  /// [f, c, k…]; without c if each channel has a filter of its own.
  SmallVector<int64_t> filterShape;
  SmallVector<int64_t> pads;
  /// How far pixels lie apart, with zeros between them; empty: they do not.
  SmallVector<int64_t> spread;
  /// The most lanes of a block of channels.
  int64_t maxLanes = 0;

  unsigned spatial() const { return strides.size(); }
  int64_t filters() const { return filterShape[0]; }
  int64_t channels() const {
    return isDepthwise ? filterShape[0] : filterShape[1] * group;
  }
  ArrayRef<int64_t> taps() const {
    return ArrayRef(filterShape).drop_front(isDepthwise ? 1 : 2);
  }
};

/// Whether the zeros around a row are written before. Of many taps many tiles
/// are at the ends of a row: of open length they look for each tap whether it
/// lies outside, of known length there are as many tiles with code for each
/// tap. Next to a row's sums over all channels, the copy is nothing.
bool isPaddedBefore(const Convolution &conv, tensor::PadOp pad) {
  int64_t most = pad.getResultType().isDynamicDim(2) ? kTapsOfOpenTiles
                                                     : kTapsOfKnownTiles;
  return conv.spatial() == 1 && !conv.isDepthwise && conv.taps()[0] > most &&
         !pad.getSource().getDefiningOp<tensor::InsertSliceOp>();
}

/// Takes the zeros around the image into the convolution.
void takePadding(Convolution &conv) {
  conv.pads.assign(2 * conv.spatial(), 0);
  std::optional<ZeroPadding> padding = matchZeroPadding(conv.image);
  if (!padding || isPaddedBefore(conv, padding->pad))
    return;
  conv.pads = padding->pads;
  conv.image = padding->pad.getSource();
}

/// More phases make more code than they save time.
constexpr int64_t kMaxPhases = 16;

/// Takes the zeros between the pixels of the image into the convolution.
void takeSpread(Convolution &conv) {
  if (llvm::any_of(conv.strides, [](int64_t stride) { return stride != 1; }))
    return;
  std::optional<SpreadImage> spread = matchSpread(conv.image);
  if (!spread)
    return;
  SaturatingInt phases = 1;
  for (int64_t step : spread->steps)
    phases *= step;
  if (phases > kMaxPhases)
    return;
  conv.spread = spread->steps;
  conv.image = spread->source;
}

/// The most lanes of a block of channels, at most `lanes`, of which each
/// belongs to one group; 0 if those would be too few. Of a group with half as
/// many channels as a vector has lanes, or an odd multiple of that, shorter
/// vectors do the sums.
int64_t selectMaxLanes(const Convolution &conv, int64_t lanes) {
  if (conv.group == 1)
    return lanes;
  int64_t fit = std::gcd(conv.filterShape[1], conv.filters() / conv.group);
  int64_t least = std::min(lanes, kLeastLanes);
  for (; lanes >= least; lanes /= 2)
    if (fit % lanes == 0)
      return lanes;
  return 0;
}

std::optional<Convolution> match(linalg::LinalgOp op, TargetAttr target,
                                 std::string &why) {
  auto fail = [&](const Twine &reason) {
    refuse(why, reason);
    return std::nullopt;
  };
  if (!op.hasPureTensorSemantics())
    return fail("it is not on tensors");
  std::optional<WindowLoops> loops = matchWindowLoops(op);
  if (!loops)
    return fail("it is not sums over windows");
  Convolution conv(std::move(*loops));
  Value filter = conv.filter = op.getDpsInputs()[1];
  for (Value value : {conv.image, filter})
    if (!getElementTypeOrSelf(value).isF32() &&
        !isHalf(getElementTypeOrSelf(value)))
      return fail("image or filter are not floats of at most 32 bits");
  if (!getElementTypeOrSelf(conv.init).isF32())
    return fail("the sums are not float32");
  conv.weights = getPackableConstant(filter);
  if (!conv.weights)
    return fail("the filter is not a constant");
  conv.filterShape =
      llvm::to_vector(cast<ShapedType>(filter.getType()).getShape());
  if (conv.group > 1) {
    int64_t groups = conv.filterShape[0];
    conv.filterShape.erase(conv.filterShape.begin());
    // no overflow: the weights are a tensor, whose elements CheckSizes counted
    conv.filterShape[0] *= groups;
  }
  if (llvm::is_contained(conv.filterShape, 0) ||
      cast<ShapedType>(conv.image.getType()).getDimSize(1) != conv.channels())
    return fail("the number of channels is not known, or there are no taps");
  // Groups that end within a block of weights would share its vectors. Where
  // several processors have one copy of the weights, all of them leave those
  // groups to loops that read weights as they are.
  conv.maxLanes = selectMaxLanes(conv, packedLanes(target));
  if (conv.maxLanes == 0)
    return fail("groups that end within a block would share its vectors");
  takePadding(conv);
  takeSpread(conv);
  return conv;
}

/// Some of the channels (of each group).
struct Channels {
  int64_t first, count;
};

/// What a kernel adds to its sums.
struct Start {
  SmallVector<Value> extras;
  SmallVector<AffineMap> maps;
};

/// How many output channels a panel of weights has, and how many channels a
/// block of a panel.
struct Packing {
  int64_t panel, block;
};

/// Makes the kernels of one convolution.
class ConvBuilder {
public:
  ConvBuilder(RewriterBase &b, TargetAttr target, int64_t maxLanes,
              bool winograd)
      : b(b), target(target), lanes(std::min(floatLanes(target), maxLanes)),
        winograd(winograd) {}
  FailureOr<kernel::ConvOp> form(Location loc, Convolution conv,
                                 std::string &why);

private:
  /// The kernels, from results of the spatial sizes that `sizes` ends with; the
  /// last one.
  FailureOr<kernel::ConvOp> createKernels(Location loc, Convolution conv,
                                          ArrayRef<OpFoldResult> sizes,
                                          std::string &why);
  FailureOr<kernel::ConvOp> formFiltered(Location loc, const Convolution &conv,
                                         ArrayRef<OpFoldResult> sizes);
  SmallVector<Channels> cutChannels(const Convolution &conv, Packing packing,
                                    int64_t pixels);
  Value sliceBlocks(Location loc, Value image, Channels channels);
  kernel::ConvOp createKernel(Location loc, const Convolution &conv,
                              Channels channels, Value image, Value filter,
                              const Start &start, Value init);
  Packing selectPacking(const Convolution &conv, const FilterShape &shape);
  Value packFilter(Location loc, const Convolution &conv, bool isPlain,
                   Packing packing, Channels channels);
  /// Adds what the sums start from to the epilogue, if that is not zero.
  void startSums(Location loc, const Convolution &conv, Start &start);

  /// Copies the pixels of a blocked image that a pointwise convolution takes,
  /// every nth, if that pays, so that tiles go over the ends of rows: sets the
  /// strides of `conv` to one. `sizes` are those of the result. (The copy is a
  /// pool of a blocked image, which every target emits.)
  Value takePixels(Location loc, Convolution &conv, Value image,
                   ArrayRef<OpFoldResult> sizes);
  /// Says how exact Winograd's filtering of these weights is.
  void estimateError(kernel::ConvOp kernel, const Convolution &conv,
                     Channels channels);

  RewriterBase &b;
  TargetAttr target;
  int64_t lanes;
  bool winograd;
};

/// The channels of each of the kernels that a convolution becomes: all of them
/// if panels of weights are not too long.
SmallVector<Channels> ConvBuilder::cutChannels(const Convolution &conv,
                                               Packing packing,
                                               int64_t pixels) {
  int64_t channels = conv.isDepthwise ? conv.channels() : conv.filterShape[1],
          panel = packing.panel;
  SaturatingInt perChannel = panel * int64_t(sizeof(float));
  for (int64_t size : conv.taps())
    perChannel *= size;
  bool isFew = !ShapedType::isDynamic(pixels) && pixels <= kFewPixels;
  if (conv.isDepthwise || conv.group > 1 || !conv.spread.empty() || isFew ||
      perChannel == panel * int64_t(sizeof(float)) ||
      channels * perChannel <= kMaxPanelBytes)
    return {{0, channels}};
  int64_t pieces = llvm::divideCeil(channels * perChannel, kCutPanelBytes);
  int64_t most =
      llvm::alignTo(llvm::divideCeil(channels, pieces), packing.block);
  SmallVector<Channels> cut;
  for (int64_t first = 0; first < channels; first += most)
    cut.push_back({first, std::min(most, channels - first)});
  return cut;
}

/// These channels of a blocked image.
Value ConvBuilder::sliceBlocks(Location loc, Value image, Channels channels) {
  int64_t rank = cast<RankedTensorType>(image.getType()).getRank(),
          blocks = llvm::divideCeil(channels.count, lanes);
  SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0)),
      strides(rank, b.getIndexAttr(1)),
      sizes = tensor::getMixedSizes(b, loc, image);
  offsets[1] = b.getIndexAttr(channels.first / lanes);
  sizes[1] = b.getIndexAttr(blocks);
  return tensor::ExtractSliceOp::create(b, loc, image, offsets, sizes, strides);
}

Packing ConvBuilder::selectPacking(const Convolution &conv,
                                   const FilterShape &shape) {
  if (conv.isDepthwise)
    return {lanes, lanes};
  if (!target.getLayout())
    return {lanes * selectPanelVectors(shape, lanes, target.getRegisters()),
            lanes};
  // Several processors read the same panels, those with shorter vectors as
  // several blocks.
  return {conv.maxLanes, conv.maxLanes};
}

Value ConvBuilder::packFilter(Location loc, const Convolution &conv,
                              bool isPlain, Packing packing,
                              Channels channels) {
  MLIRContext *context = b.getContext();
  if (conv.isDepthwise) {
    kernel::PackedLayout layout = kernel::ConvOp::getDepthwiseLayout(
        context, conv.filterShape, lanes, /*shared=*/false);
    return packConstant(b, loc, conv.weights, conv.filterShape, layout,
                        b.getMultiDimIdentityMap(conv.filterShape.size()));
  }
  SmallVector<int64_t> all{conv.group, conv.filters() / conv.group,
                           conv.filterShape[1]};
  llvm::append_range(all, conv.taps());
  SmallVector<int64_t> extents(all);
  extents[2] = channels.count;
  kernel::PackedLayout layout = kernel::ConvOp::getFilterLayout(
      context, extents, packing.panel, isPlain ? 0 : packing.block);
  // Some channels are not the first ones.
  SmallVector<AffineExpr> source;
  for (unsigned d = 0; d < all.size(); ++d)
    source.push_back(b.getAffineDimExpr(d) + (d == 2 ? channels.first : 0));
  return packConstant(b, loc, conv.weights, all, layout,
                      AffineMap::get(all.size(), 0, source, context));
}

void ConvBuilder::startSums(Location loc, const Convolution &conv,
                            Start &start) {
  if (auto fill = conv.init.getDefiningOp<linalg::FillOp>())
    if (isFloatZero(fill.getInputs()[0]))
      return;
  unsigned rank = conv.spatial() + 3;
  if (Value bias = getRepeatedByChannel(conv.init)) {
    start.extras.push_back(blockVector(b, loc, bias, lanes));
    start.maps.push_back(AffineMap::get(
        rank, 0, {b.getAffineDimExpr(1), b.getAffineDimExpr(rank - 1)},
        b.getContext()));
    return;
  }
  start.extras.push_back(createBlocked(b, loc, conv.init, lanes));
  start.maps.push_back(b.getMultiDimIdentityMap(rank));
}

kernel::ConvOp ConvBuilder::createKernel(Location loc, const Convolution &conv,
                                         Channels channels, Value image,
                                         Value filter, const Start &start,
                                         Value init) {
  int64_t all =
      conv.isDepthwise || conv.group > 1 ? conv.channels() : channels.count;
  auto kernel = kernel::ConvOp::create(
      b, loc, init.getType(), image, filter, start.extras, init,
      b.getDenseI64ArrayAttr(conv.strides),
      b.getDenseI64ArrayAttr(conv.dilations), b.getDenseI64ArrayAttr(conv.pads),
      b.getI64IntegerAttr(all), b.getI64IntegerAttr(conv.filters()),
      b.getI64IntegerAttr(conv.isDepthwise ? conv.channels() : conv.group),
      b.getAffineMapArrayAttr(start.maps), UnitAttr(), UnitAttr(),
      conv.spread.empty() ? DenseI64ArrayAttr()
                          : b.getDenseI64ArrayAttr(conv.spread),
      /*maximum=*/UnitAttr(), /*winograd_error=*/FloatAttr(),
      /*winograd_taps=*/DenseI64ArrayAttr());
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(&kernel.getEpilogue());
  Value sum = block->addArgument(b.getF32Type(), loc);
  for (Value extra : start.extras) {
    Value own = block->addArgument(getElementTypeOrSelf(extra), loc);
    if (isHalf(own.getType()))
      own = arith::ExtFOp::create(b, loc, b.getF32Type(), own);
    sum = arith::AddFOp::create(b, loc, sum, own);
  }
  kernel::YieldOp::create(b, loc, sum);
  return kernel;
}

/// The rounding errors of the worst filter, as WindowFiltering says them. Parts
/// of the window that are filtered by themselves follow each other, row by row,
/// slice by slice, and have the same channels.
static double estimateWorstError(const winograd::WindowFiltering &filtering,
                                 const Convolution &conv, Channels channels,
                                 std::pair<int64_t, int64_t> window,
                                 int64_t depth) {
  ArrayRef<float> weights = getFloats(conv.weights);
  int64_t rows = window.first, columns = window.second;
  int64_t rowTaps = filtering.rows.taps, columnTaps = filtering.columns.taps;
  int64_t perRow = llvm::divideCeil(columns, columnTaps),
          perSlice = llvm::divideCeil(rows, rowTaps) * perRow;
  // no overflow: a tensor's
  int64_t ofSlice = rows * columns,
          slices = llvm::product_of(conv.taps()) / ofSlice,
          ofChannel = slices * ofSlice,
          ofFilter = conv.filterShape[1] * ofChannel;
  double worst = 0;
  for (int64_t f = 0; f < conv.filters(); ++f) {
    ArrayRef<float> own = weights.slice(
        f * ofFilter + channels.first * ofChannel, channels.count * ofChannel);
    auto tap = [&](int64_t c, int64_t k) -> double {
      int64_t part = c / channels.count, slice = part / perSlice;
      part %= perSlice;
      int64_t row = part / perRow * rowTaps + k / columnTaps,
              column = part % perRow * columnTaps + k % columnTaps;
      if (row >= rows || column >= columns)
        return 0;
      return own[c % channels.count * ofChannel + slice * ofSlice +
                 row * columns + column];
    };
    worst =
        std::max(worst, filtering.estimateError(
                            slices * perSlice * channels.count, depth, tap));
  }
  return worst;
}

void ConvBuilder::estimateError(kernel::ConvOp kernel, const Convolution &conv,
                                Channels channels) {
  if (!winograd || getFloats(conv.weights).empty() || !kernel.isWinogradForm())
    return;
  std::pair<int64_t, int64_t> window = kernel.getWindow();
  int64_t depth = selectWinogradDepth(channels.count, lanes);
  // The fewest products with errors that are allowed, or the least errors.
  std::pair<int64_t, int64_t> taps;
  double least = HUGE_VAL;
  for (auto candidate : listFilterings(window.first, window.second)) {
    auto filtering = winograd::WindowFiltering::get(candidate);
    double error = estimateWorstError(filtering, conv, channels, window, depth);
    if (error >= least)
      continue;
    least = error;
    taps = candidate;
    if (error <= kMostWinogradError)
      break;
  }
  // A kernel does not say which parts would not be allowed.
  bool isWhole = taps == window;
  if (!isWhole && least > kMostWinogradError)
    return;
  // One decimal is enough for the decision, and keeps the text short.
  kernel.setWinogradErrorAttr(
      b.getF32FloatAttr(static_cast<float>(std::ceil(least * 10) / 10)));
  if (isWhole)
    return;
  SmallVector<int64_t> ofAxes = {taps.first, taps.second};
  kernel.setWinogradTaps(
      ArrayRef(ofAxes).take_back(std::min<size_t>(conv.spatial(), 2)));
}

Value ConvBuilder::takePixels(Location loc, Convolution &conv, Value image,
                              ArrayRef<OpFoldResult> sizes) {
  auto isOne = [](int64_t x) { return x == 1; };
  if (conv.isDepthwise || conv.group > 1 || !conv.spread.empty() ||
      !llvm::all_of(conv.taps(), isOne) || llvm::all_of(conv.strides, isOne) ||
      llvm::any_of(conv.pads, [](int64_t pad) { return pad != 0; }) ||
      conv.filters() < kFiltersOfCopy)
    return image;
  SmallVector<OpFoldResult> ofPixels(sizes);
  ofPixels[1] = b.getIndexAttr(conv.channels());
  Value init = createBlockedEmpty(b, loc, ofPixels, conv.channels(),
                                  b.getF32Type(), lanes);
  Windows windows{SmallVector<int64_t>(conv.taps()), conv.strides,
                  conv.dilations, conv.pads};
  // The greatest of one pixel is that pixel.
  kernel::ConvOp pixels = createPool(b, loc, image, windows, conv.channels(),
                                     /*isMaximum=*/true, init);
  conv.strides.assign(conv.spatial(), 1);
  return pixels->getResult(0);
}

/// Tiles of a result of known size have code for the taps that lie in the
/// image, whose size must then be known, too: what the result says of it
/// becomes part of its type. Fails where that is not one number.
static LogicalResult refineImage(OpBuilder &b, Location loc, Convolution &conv,
                                 ArrayRef<OpFoldResult> sizes) {
  auto type = cast<RankedTensorType>(conv.image.getType());
  SmallVector<int64_t> shape(type.getShape());
  for (unsigned i = 0; i < conv.spatial(); ++i) {
    std::optional<int64_t> out = getConstantIntValue(sizes[i + 2]);
    if (!out || !ShapedType::isDynamic(shape[i + 2]))
      continue;
    if (conv.strides[i] != 1)
      return failure();
    int64_t step = conv.spread.empty() ? 1 : conv.spread[i],
            last = *out - 1 + (conv.taps()[i] - 1) * conv.dilations[i] -
                   conv.pads[i] - conv.pads[conv.spatial() + i];
    if (last < 0 || last % step != 0)
      return failure();
    shape[i + 2] = last / step + 1;
  }
  if (shape != type.getShape())
    conv.image = tensor::CastOp::create(
        b, loc, RankedTensorType::get(shape, type.getElementType()),
        conv.image);
  return success();
}

FailureOr<kernel::ConvOp>
ConvBuilder::createKernels(Location loc, Convolution conv,
                           ArrayRef<OpFoldResult> sizes, std::string &why) {
  if (failed(refineImage(b, loc, conv, sizes)))
    return refuse(why, "the size of the image is not known, that of the "
                       "result is"),
           failure();
  int64_t pixels = 1;
  for (OpFoldResult size : sizes.drop_front(2)) {
    std::optional<int64_t> known = getConstantIntValue(size);
    pixels = !known || ShapedType::isDynamic(pixels) ? ShapedType::kDynamic
                                                     : pixels * *known;
  }
  bool isPlain =
      !conv.isDepthwise && conv.channels() < lanes && !isFromKernel(conv.image);
  Value image = widen(b, conv.image);
  if (!isPlain) {
    image = createBlocked(b, loc, image, lanes);
    image = takePixels(loc, conv, image, sizes);
  }
  auto isOne = [](int64_t x) { return x == 1; };
  // Phases of a spread image that have one tap each are pointwise, too.
  bool isPointwise = llvm::all_of(conv.strides, isOne);
  for (auto [i, taps] : llvm::enumerate(conv.taps()))
    isPointwise &= taps <= (conv.spread.empty() ? 1 : conv.spread[i]);
  FilterShape shape{conv.filters() / conv.group, isPointwise, pixels,
                    conv.group > 1};
  Packing packing = selectPacking(conv, shape);
  // Kernels of some channels each start from the sums of the one before.
  SmallVector<Channels> cut = cutChannels(conv, packing, pixels);
  kernel::ConvOp last;
  for (Channels channels : cut) {
    Value some = cut.size() > 1 ? sliceBlocks(loc, image, channels) : image;
    Value filter = packFilter(loc, conv, isPlain, packing, channels);
    Start start;
    if (last)
      start = {{last->getResult(0)},
               {b.getMultiDimIdentityMap(conv.spatial() + 3)}};
    else
      startSums(loc, conv, start);
    Value init = createBlockedEmpty(b, loc, sizes, conv.filters(),
                                    b.getF32Type(), lanes);
    last = createKernel(loc, conv, channels, some, filter, start, init);
    estimateError(last, conv, channels);
    if (!keepIfEmittable(b, last, target, why))
      return failure();
  }
  return last;
}

/// A row whose taps are `apart` pixels apart as an image of two dimensions, in
/// which they are below each other: nothing if that takes more than to read it
/// in another shape.
static std::optional<int64_t> getColumns(const Convolution &conv) {
  if (conv.spatial() != 1 || conv.isDepthwise || conv.group > 1 ||
      !conv.spread.empty() || conv.strides[0] != 1 || conv.dilations[0] == 1)
    return std::nullopt;
  // Sums that start from an image of their own would start from its shape.
  auto fill = conv.init.getDefiningOp<linalg::FillOp>();
  if (!(fill && isFloatZero(fill.getInputs()[0])) &&
      !getRepeatedByChannel(conv.init))
    return std::nullopt;
  auto lengthOf = [](Value row) {
    return cast<ShapedType>(row.getType()).getDimSize(2);
  };
  int64_t apart = conv.dilations[0], in = lengthOf(conv.image),
          out = lengthOf(conv.result->getResult(0));
  if (ShapedType::isDynamic(in) || ShapedType::isDynamic(out))
    return std::nullopt;
  for (int64_t size : {in, out, conv.pads[0], conv.pads[1]})
    if (size % apart != 0)
      return std::nullopt;
  return apart;
}

/// Dilated rows by minimal filtering, which takes taps that lie next to each
/// other. Fails where that is not chosen.
FailureOr<kernel::ConvOp>
ConvBuilder::formFiltered(Location loc, const Convolution &conv,
                          ArrayRef<OpFoldResult> sizes) {
  std::optional<int64_t> columns = getColumns(conv);
  if (!winograd || !columns)
    return failure();
  auto withColumns = [&](ArrayRef<OpFoldResult> plain, int64_t length) {
    SmallVector<OpFoldResult> list(plain);
    list[2] = b.getIndexAttr(length / *columns);
    list.push_back(b.getIndexAttr(*columns));
    return list;
  };
  SmallVector<ReassociationIndices> groups = {{0}, {1}, {2, 3}};
  Convolution image = conv;
  auto type = cast<RankedTensorType>(conv.image.getType());
  SmallVector<OpFoldResult> ofImage =
      withColumns(sizesOf(b, loc, conv.image), type.getDimSize(2));
  SmallVector<int64_t> shape(type.getShape());
  shape[2] /= *columns;
  shape.push_back(*columns);
  image.image = tensor::ExpandShapeOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), conv.image,
      groups, ofImage);
  image.filterShape.push_back(1);
  image.strides = image.dilations = {1, 1};
  image.pads = {conv.pads[0] / *columns, 0, conv.pads[1] / *columns, 0};
  std::string why;
  auto resultType = cast<RankedTensorType>(conv.result->getResult(0).getType());
  SmallVector<OpFoldResult> ofResult =
      withColumns(sizes, resultType.getDimSize(2));
  FailureOr<kernel::ConvOp> kernel = createKernels(loc, image, ofResult, why);
  if (failed(kernel))
    return failure();
  if (!selectWinograd(*kernel, target)) {
    b.eraseOp(*kernel);
    return failure();
  }
  shape.assign(resultType.getShape().begin(), resultType.getShape().end());
  shape[2] /= *columns;
  shape.push_back(*columns);
  Value plain = createPlain(
      b, loc, (*kernel)->getResult(0),
      RankedTensorType::get(shape, resultType.getElementType()), ofResult);
  b.replaceOpWithNewOp<tensor::CollapseShapeOp>(conv.result, resultType, plain,
                                                groups);
  return kernel;
}

FailureOr<kernel::ConvOp> ConvBuilder::form(Location loc, Convolution conv,
                                            std::string &why) {
  b.setInsertionPoint(conv.result);
  auto resultType = cast<RankedTensorType>(conv.result->getResult(0).getType());
  SmallVector<OpFoldResult> sizes = sizesOf(b, loc, conv.init);
  if (sizes.size() > size_t(resultType.getRank()))
    sizes.erase(sizes.begin() + 2); // channels are split by group
  FailureOr<kernel::ConvOp> kernel = formFiltered(loc, conv, sizes);
  if (succeeded(kernel))
    return kernel;
  kernel = createKernels(loc, conv, sizes, why);
  if (failed(kernel))
    return failure();
  b.replaceOp(conv.result,
              createPlain(b, loc, (*kernel)->getResult(0), resultType, sizes));
  return kernel;
}

} // namespace

LogicalResult onnxc::rearrangeConstantFilter(RewriterBase &b,
                                             linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || !matchWindowLoops(op))
    return failure();
  Value filter = op.getDpsInputs()[1];
  while (Operation *reshape = filter.getDefiningOp()) {
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(reshape))
      break;
    filter = reshape->getOperand(0);
  }
  auto copy = filter.getDefiningOp<linalg::GenericOp>();
  if (!copy || copy.getNumDpsInputs() != 1 || copy.getNumDpsInits() != 1 ||
      !copy.getIndexingMapsArray()[1].isIdentity() ||
      copy.getBlock()->getTerminator()->getOperand(0) !=
          copy.getBlock()->getArgument(0))
    return failure();
  Value source = copy.getDpsInputs()[0];
  ElementsAttr constant = getPackableConstant(source);
  AffineMap map = copy.getIndexingMapsArray()[0];
  auto isLinear = [&](AffineExpr expr) {
    return linearCoefficients(expr, map.getNumDims()).has_value();
  };
  auto type = cast<RankedTensorType>(filter.getType());
  if (!constant || !type.hasStaticShape() ||
      !llvm::all_of(map.getResults(), isLinear))
    return failure();
  b.setInsertionPoint(copy);
  b.replaceAllUsesWith(
      filter, rearrangeConstant(b, copy.getLoc(), constant,
                                cast<ShapedType>(source.getType()).getShape(),
                                type.getShape(), map));
  return success();
}

bool onnxc::canFormConvolution(linalg::LinalgOp op, TargetAttr target,
                               std::string &why) {
  return match(op, target, why).has_value();
}

FailureOr<kernel::ConvOp>
onnxc::formConvolution(RewriterBase &b, linalg::LinalgOp op, TargetAttr target,
                       bool winograd, std::string &why) {
  std::optional<Convolution> conv = match(op, target, why);
  if (!conv)
    return failure();
  return ConvBuilder(b, target, conv->maxLanes, winograd)
      .form(op->getLoc(), *conv, why);
}

namespace {

class FormConvolutions
    : public onnxc::impl::FormConvolutionsPassBase<FormConvolutions> {
public:
  using FormConvolutionsPassBase::FormConvolutionsPassBase;

private:
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    TargetAttr target = TargetAttr::of(getOperation());
    std::string why;
    for (auto op : collectOps<linalg::LinalgOp>(getOperation())) {
      (void)rearrangeConstantFilter(rewriter, op);
      (void)formConvolution(rewriter, op, target, winograd, why);
    }
  }
};

} // namespace
