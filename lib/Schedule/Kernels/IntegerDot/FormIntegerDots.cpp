//===- FormIntegerDots.cpp - Contractions of quantized numbers ------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With x = x' - zx and w = w' - zw, where x' and w' are bytes,
//
//   sum(x * w) = sum(x' * w') - zx * sum(w) - zw * sum(x')
//
// The kernel computes the first sum; the others are a constant for each column
// and, where weights have zero points, a sum for each row or window. Depthwise,
// weights with zero points are 16-bit numbers instead.
//
//===----------------------------------------------------------------------===//

#include "Form/WindowLoops.h"
#include "Kernels/KernelForms.h"
#include "Kernels/PackedConstants.h"
#include "Kernels/QuantizedFactor.h"
#include "Select/Schedule.h"
#include "WidePairs.h"
#include "WindowSums.h"
#include "onnxc/Dialect/Kernel/KernelDialect.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Schedule/Passes.h"
#include "onnxc/Support/SaturatingInt.h"
#include "onnxc/Target/Instructions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace onnxc {
#define GEN_PASS_DEF_FORMINTEGERDOTSPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {

/// What is read for each column: nothing, a constant for each, or a tensor.
struct Extras {
  SmallVector<Value> values;
  SmallVector<AffineMap> maps;

  Value add(Value value, AffineMap map) {
    values.push_back(value);
    maps.push_back(map);
    return value;
  }
};

/// The weights of a contraction as numbers: columns, then taps, then channels.
/// The columns of each group read channels of their own.
struct Weights {
  int64_t columns = 0, taps = 1, channels = 0, groups = 1;
  SmallVector<int16_t> values;
  bool isWide = false;             // more than a signed byte holds
  SmallVector<int32_t> zeroPoints; // by column; empty if all are 0
  SmallVector<float> scales;       // by column; empty if there are none

  int16_t at(int64_t column, int64_t tap, int64_t channel) const {
    return values[(column * taps + tap) * channels + channel];
  }
  void mergeGroups(int64_t count);
};

/// Makes one group of `count`, whose columns have zeros, as their zero points
/// say, for the others' channels.
void Weights::mergeGroups(int64_t count) {
  if (count == 1)
    return;
  int64_t perGroup = columns / groups;
  SmallVector<int16_t> merged;
  merged.reserve(values.size() * count);
  for (int64_t row = 0; row < columns * taps; ++row) {
    int64_t column = row / taps, member = column / perGroup % count;
    merged.append(count * channels,
                  zeroPoints.empty() ? 0 : zeroPoints[column]);
    llvm::copy(ArrayRef(values).slice(row * channels, channels),
               merged.begin() + (row * count + member) * channels);
  }
  values = std::move(merged);
  // no overflow: the merged weights are in memory
  channels *= count;
  groups /= count;
}

class Former {
public:
  Former(IRRewriter &rewriter, Operation *op, TargetAttr target)
      : b(rewriter), loc(op->getLoc()), target(target),
        lanes(target.getLayoutTarget().getVectorBytes() / 4),
        group(getDotGroup(target)) {
    b.setInsertionPoint(op);
  }

  LogicalResult formConvolution(const WindowLoops &conv);
  LogicalResult formMatmul(linalg::MatmulOp matmul);

private:
  LogicalResult takeWeights(Value weights, ArrayRef<int64_t> order,
                            int64_t columns, int64_t taps, int64_t channels,
                            bool mayBeWide);
  LogicalResult takeInit(Value init, unsigned columnDim);
  void takeSign();
  Value pack(ArrayRef<int64_t> window, int64_t width, bool depthwise);
  void describePairs(ArrayRef<char> packed, ArrayRef<int64_t> shape);
  Value constantColumns(ArrayRef<int32_t> values);
  Value constantColumns(ArrayRef<float> values);
  Value makeDot(Value image, Value filter, ArrayRef<OpFoldResult> sizes,
                ArrayRef<int64_t> window, ArrayRef<int64_t> strides,
                ArrayRef<int64_t> dilations, bool depthwise);
  SmallVector<int32_t> sumWeights(Value image);
  void fillEpilogue(Region &epilogue, const Extras &extras, bool scaleApart);
  bool isFormed(Value dot);
  Value zeroPointScalar();
  Value padTo(Value image, ArrayRef<OpFoldResult> low,
              ArrayRef<OpFoldResult> high);

  IRRewriter &b;
  Location loc;
  TargetAttr target;
  /// The lanes of vectors that panels are of: of the processor that constants
  /// are packed for.
  int64_t lanes;
  int64_t group;
  QuantizedFactor x;
  std::optional<int64_t> xZero; // if it is known
  Weights w;
  Value bias; // by column, of the type of the sums; or null
  /// Of the packed weights: kernel.integer_dot's.
  Value wide;
  bool hasNarrowPairs = false;
};

/// The weights in the order columns, taps, channels; `order` says which
/// dimension each of the three is (of the constant as it is multiplied). If
/// they may be wide, no zero point is left.
/// Long: the fields of `w` are found one by the other.
LogicalResult Former::takeWeights(Value weights, ArrayRef<int64_t> order,
                                  int64_t columns, int64_t taps,
                                  int64_t channels, bool mayBeWide) {
  std::optional<QuantizedFactor> factor = matchQuantizedFactor(weights);
  if (!factor)
    return failure();
  std::optional<SmallVector<char>> bytes = readConstant(factor->bytes);
  if (!bytes || int64_t(bytes->size()) != columns * taps * channels)
    return failure();
  w.columns = columns;
  w.taps = taps;
  w.channels = channels;
  // Each column's zero point and scale.
  auto byColumn = [&](Value value, AffineMap map,
                      int64_t width) -> std::optional<SmallVector<char>> {
    std::optional<SmallVector<char>> own = readConstant(value);
    if (!own)
      return std::nullopt;
    int64_t count = own->size() / width;
    if (count != 1 && count != columns)
      return std::nullopt;
    // Along a dimension of size 1 it does not matter what is read.
    auto shape = cast<RankedTensorType>(value.getType()).getShape();
    for (auto [size, expr] : llvm::zip_equal(shape, map.getResults()))
      if (size != 1 && expr != b.getAffineDimExpr(order[0]))
        return std::nullopt;
    SmallVector<char> all;
    for (int64_t i = 0; i < columns; ++i)
      all.append(own->begin() + (count == 1 ? 0 : i) * width,
                 own->begin() + (count == 1 ? 1 : i + 1) * width);
    return all;
  };
  w.zeroPoints.assign(columns, 0);
  if (factor->zeroPoint) {
    auto zeros = byColumn(factor->zeroPoint, factor->zeroPointMap, 1);
    if (!zeros)
      return failure();
    for (auto [to, from] : llvm::zip_equal(w.zeroPoints, *zeros))
      to = factor->isUnsigned ? int32_t(uint8_t(from)) : int32_t(int8_t(from));
  }
  if (factor->scale) {
    auto scales = byColumn(factor->scale, factor->scaleMap, 4);
    if (!scales)
      return failure();
    w.scales.resize(columns);
    memcpy(w.scales.data(), scales->data(), scales->size());
  }

  // Without the zero point if signed bytes hold that, else by 128 less.
  bool fits = true;
  auto read = [&](int64_t i) -> int32_t {
    return factor->isUnsigned ? int32_t(uint8_t((*bytes)[i]))
                              : int32_t(int8_t((*bytes)[i]));
  };
  bool columnsFirst = order[0] < order[1];
  auto indexOf = [&](int64_t column, int64_t tap, int64_t channel) {
    // [columns, channels, taps] or [channels, columns].
    return columnsFirst ? (column * channels + channel) * taps + tap
                        : channel * columns + column;
  };
  for (int64_t f = 0; f < columns; ++f)
    for (int64_t i = 0; i < taps * channels; ++i) {
      int32_t value =
          read(indexOf(f, i / channels, i % channels)) - w.zeroPoints[f];
      fits &= value >= -128 && value <= 127;
    }
  w.isWide = mayBeWide && !fits;
  bool isCentered = mayBeWide || fits;
  int32_t shift = factor->isUnsigned ? 128 : 0;
  w.values.reserve(bytes->size());
  for (int64_t f = 0; f < columns; ++f)
    for (int64_t t = 0; t < taps; ++t)
      for (int64_t c = 0; c < channels; ++c)
        w.values.push_back(read(indexOf(f, t, c)) -
                           (isCentered ? w.zeroPoints[f] : shift));
  if (isCentered)
    w.zeroPoints.clear();
  for (int32_t &zero : w.zeroPoints)
    zero -= shift;
  return success();
}

/// What the sums start from must be 0 or the same for all rows.
LogicalResult Former::takeInit(Value init, unsigned columnDim) {
  if (auto fill = init.getDefiningOp<linalg::FillOp>())
    return success(matchPattern(fill.getInputs()[0], m_Zero()) ||
                   matchPattern(fill.getInputs()[0], m_AnyZeroFloat()));
  auto spread = init.getDefiningOp<linalg::GenericOp>();
  if (!spread || spread.getNumDpsInputs() != 1 ||
      !llvm::hasSingleElement(*spread.getBlock()) ||
      spread.getBlock()->getTerminator()->getOperand(0) !=
          spread.getBlock()->getArgument(0))
    return failure();
  AffineMap map = spread.getIndexingMapsArray()[0];
  if (map.getNumResults() != 1 ||
      map.getResult(0) != b.getAffineDimExpr(columnDim))
    return failure();
  bias = spread.getInputs()[0];
  return success();
}

/// The image as bytes of a sign that the target multiplies: x ^ 128 is x + 128
/// as an unsigned byte, and x - 128 as a signed one.
void Former::takeSign() {
  bool dotsUnsigned = supports(target, Capability::DotBytes),
       dotsSigned = supports(target, Capability::DotSignedBytes);
  bool takesUnsigned = x.isUnsigned ? dotsUnsigned || !dotsSigned : !dotsSigned;
  if (x.isUnsigned == takesUnsigned)
    return;
  auto flip = [&](Value bytes) -> Value {
    auto type = cast<RankedTensorType>(bytes.getType());
    AffineMap map = b.getMultiDimIdentityMap(type.getRank());
    Value to = tensor::EmptyOp::create(
        b, loc, tensor::getMixedSizes(b, loc, bytes), type.getElementType());
    SmallVector<utils::IteratorType> kinds(type.getRank(),
                                           utils::IteratorType::parallel);
    return linalg::GenericOp::create(
               b, loc, to.getType(), bytes, to, ArrayRef<AffineMap>{map, map},
               kinds,
               [](OpBuilder &inner, Location at, ValueRange args) {
                 Value sign = arith::ConstantOp::create(
                     inner, at, inner.getI8IntegerAttr(-128));
                 Value flipped =
                     arith::XOrIOp::create(inner, at, args[0], sign);
                 linalg::YieldOp::create(inner, at, flipped);
               })
        .getResult(0);
  };
  x.bytes = flip(x.bytes);
  x.isUnsigned = takesUnsigned;
  if (xZero)
    *xZero += takesUnsigned ? 128 : -128;
  else
    x.zeroPoint = flip(x.zeroPoint);
}

Value Former::constantColumns(ArrayRef<int32_t> values) {
  return arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(
          RankedTensorType::get(int64_t(values.size()), b.getI32Type()),
          values));
}

Value Former::constantColumns(ArrayRef<float> values) {
  return arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(
          RankedTensorType::get(int64_t(values.size()), b.getF32Type()),
          values));
}

/// The weights in the layout of kernel.integer_dot.
Value Former::pack(ArrayRef<int64_t> window, int64_t width, bool depthwise) {
  SmallVector<char> bytes;
  Type element = b.getIntegerType(w.isWide ? 16 : 8);
  int64_t elementBytes = w.isWide ? 2 : 1;
  for (int16_t value : w.values) {
    const char *first = reinterpret_cast<const char *>(&value);
    bytes.append(first, first + elementBytes);
  }
  SmallVector<int64_t> extents;
  if (depthwise)
    extents.push_back(w.columns);
  else
    extents.append({w.groups, w.columns / w.groups});
  llvm::append_range(extents, window);
  if (!depthwise)
    extents.push_back(w.channels);
  kernel::PackedLayout layout =
      depthwise
          ? kernel::IntegerDotOp::getDepthwiseLayout(b.getContext(), extents)
          : kernel::IntegerDotOp::getFilterLayout(b.getContext(), extents,
                                                  width, group);
  SmallVector<int64_t> shape = layout.getShape();
  AsmResourceBlob packed =
      packElements(bytes, elementBytes, extents, layout,
                   b.getMultiDimIdentityMap(extents.size()));
  if (!depthwise)
    describePairs(packed.getData(), shape);
  return makePacked(b, loc, RankedTensorType::get(shape, element),
                    std::move(packed));
}

/// Finds where instructions may add pairs of products to sums of 16 bits, if
/// the target has none that adds four to one of 32.
void Former::describePairs(ArrayRef<char> packed, ArrayRef<int64_t> shape) {
  if (group != 4 || !x.isUnsigned || supports(target, Capability::DotBytes) ||
      !supports(target, Capability::MultiplyBytes))
    return;
  ArrayRef<int64_t> dots = shape.drop_back(2);
  WidePairs pairs = findWidePairs(packed, shape[dots.size()]);
  hasNarrowPairs = pairs.count == 0;
  if (hasNarrowPairs || !pairs.isWorthwhile())
    return;
  wide = makePacked(b, loc, RankedTensorType::get(dots, b.getI8Type()),
                    HeapAsmResourceBlob::allocateAndCopyInferAlign(
                        ArrayRef<char>(pairs.wide)));
}

/// The zero point as a byte.
Value Former::zeroPointScalar() {
  if (xZero)
    return arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(*xZero));
  auto type = cast<RankedTensorType>(x.zeroPoint.getType());
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  return tensor::ExtractOp::create(b, loc, x.zeroPoint,
                                   SmallVector<Value>(type.getRank(), zero));
}

/// What lies outside of an image is its zero point.
Value Former::padTo(Value image, ArrayRef<OpFoldResult> low,
                    ArrayRef<OpFoldResult> high) {
  auto isZero = [](OpFoldResult amount) {
    return getConstantIntValue(amount) == 0;
  };
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero))
    return image;
  return tensor::PadOp::create(b, loc, Type(), image, low, high,
                               zeroPointScalar());
}

/// What the kernel makes of the sum of products of one element, the extras
/// being those of makeDot, in its order.
void Former::fillEpilogue(Region &epilogue, const Extras &extras,
                          bool scaleApart) {
  OpBuilder::InsertionGuard guard(b);
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  bool isFloat = !w.scales.empty();
  SmallVector<Type> types{i32};
  for (Value extra : extras.values)
    types.push_back(getElementTypeOrSelf(extra.getType()));
  Block *block = b.createBlock(&epilogue, {}, types,
                               SmallVector<Location>(types.size(), loc));
  unsigned next = 1;
  auto take = [&] { return block->getArgument(next++); };
  Value sum = block->getArgument(0);
  if (xZero) {
    sum = arith::AddIOp::create(b, loc, sum, take());
  } else {
    Value column = take();
    Value zero = extendBytes(b, loc, i32, take(), x.isUnsigned);
    sum = arith::SubIOp::create(
        b, loc, sum, arith::MulIOp::create(b, loc, zero, column).getResult());
  }
  if (!w.zeroPoints.empty()) {
    Value zero = llvm::all_equal(w.zeroPoints)
                     ? arith::ConstantOp::create(
                           b, loc, b.getI32IntegerAttr(w.zeroPoints.front()))
                           .getResult()
                     : take();
    Value row = take();
    sum = arith::SubIOp::create(
        b, loc, sum, arith::MulIOp::create(b, loc, zero, row).getResult());
  }
  if (isFloat) {
    Value factor;
    if (scaleApart)
      factor = take();
    Value column = take();
    factor = factor ? arith::MulFOp::create(b, loc, factor, column).getResult()
                    : column;
    sum = arith::SIToFPOp::create(b, loc, f32, sum);
    sum = arith::MulFOp::create(b, loc, sum, factor);
  }
  if (bias)
    sum = isFloat ? arith::AddFOp::create(b, loc, sum, take()).getResult()
                  : arith::AddIOp::create(b, loc, sum, take()).getResult();
  kernel::YieldOp::create(b, loc, sum);
}

/// The sums of the weights without their zero points, for all that the window's
/// sum has: channels that only fill up are the image's zero point.
SmallVector<int32_t> Former::sumWeights(Value image) {
  SmallVector<int32_t> sums;
  int64_t summed =
      w.taps * cast<RankedTensorType>(image.getType()).getShape().back();
  for (int64_t f = 0; f < w.columns; ++f) {
    int64_t sum = w.zeroPoints.empty() ? 0 : -summed * w.zeroPoints[f];
    for (int64_t i = 0, e = w.taps * w.channels; i < e; ++i)
      sum += w.values[f * e + i];
    sums.push_back(sum);
  }
  return sums;
}

/// The kernel with the epilogue that brings in zero points, scales and bias;
/// extras are added in the order of fillEpilogue.
Value Former::makeDot(Value image, Value filter, ArrayRef<OpFoldResult> sizes,
                      ArrayRef<int64_t> window, ArrayRef<int64_t> strides,
                      ArrayRef<int64_t> dilations, bool depthwise) {
  unsigned rank = sizes.size();
  AffineMap byColumn = AffineMap::get(rank, 0, b.getAffineDimExpr(rank - 1));
  AffineMap byRow = b.getMultiDimIdentityMap(rank).dropResult(rank - 1);
  auto single = [&](Value value) {
    SmallVector<AffineExpr> zeros(
        cast<RankedTensorType>(value.getType()).getRank(),
        b.getAffineConstantExpr(0));
    return AffineMap::get(rank, 0, zeros, b.getContext());
  };
  SmallVector<int32_t> sums = sumWeights(image);
  Extras extras;
  bool isFloat = !w.scales.empty();
  if (xZero) {
    SmallVector<int32_t> base;
    for (int32_t sum : sums)
      base.push_back(-*xZero * sum);
    // A bias of integers is known as well.
    std::optional<SmallVector<char>> known =
        bias && !isFloat ? readConstant(bias) : std::nullopt;
    if (known) {
      const auto *values = reinterpret_cast<const int32_t *>(known->data());
      for (auto [i, value] : llvm::enumerate(base))
        value += values[i];
      bias = nullptr;
    }
    extras.add(constantColumns(base), byColumn);
  } else {
    extras.add(constantColumns(sums), byColumn);
    extras.add(x.zeroPoint, single(x.zeroPoint));
  }
  bool oneZeroPoint = llvm::all_equal(w.zeroPoints);
  if (!w.zeroPoints.empty()) {
    if (!oneZeroPoint)
      extras.add(constantColumns(w.zeroPoints), byColumn);
    extras.add(sumWindows(b, loc, image, x.isUnsigned, window, strides,
                          dilations, sizes.drop_back()),
               byRow);
  }
  SmallVector<float> factors(w.scales);
  bool scaleApart = false;
  if (isFloat) {
    // A float: of other factors none is matched.
    if (std::optional<SmallVector<char>> scale = readConstant(x.scale)) {
      float known;
      memcpy(&known, scale->data(), sizeof(float));
      for (float &factor : factors)
        factor *= known;
    } else {
      scaleApart = true;
      extras.add(x.scale, single(x.scale));
    }
    extras.add(constantColumns(factors), byColumn);
  }
  if (bias)
    extras.add(bias, byColumn);

  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  Value init =
      tensor::EmptyOp::create(b, loc, sizes, isFloat ? f32 : i32).getResult();
  auto dot = kernel::IntegerDotOp::create(
      b, loc, init.getType(), image, filter, wide, extras.values, init, strides,
      dilations, b.getAffineMapArrayAttr(extras.maps),
      /*image_signed=*/!x.isUnsigned, depthwise, hasNarrowPairs, w.groups,
      /*group_channels=*/w.groups > 1 ? w.channels : 0);
  fillEpilogue(dot.getEpilogue(), extras, scaleApart);
  return dot.getResults()[0];
}

/// Whether there is code for the kernel; what was made for another one has no
/// use.
bool Former::isFormed(Value dot) {
  std::string why;
  return isEmittable(dot.getDefiningOp<kernel::IntegerDotOp>(), target, why);
}

/// Where dimension i of the result comes from; and the other way round.
static SmallVector<int64_t> channelsLast(int64_t rank) {
  SmallVector<int64_t> order{0};
  for (int64_t i = 2; i < rank; ++i)
    order.push_back(i);
  order.push_back(1);
  return order;
}
static SmallVector<int64_t> channelsFirst(int64_t rank) {
  SmallVector<int64_t> order{0, rank - 1};
  for (int64_t i = 1; i + 1 < rank; ++i)
    order.push_back(i);
  return order;
}

static Value transpose(OpBuilder &b, Location loc, Value from,
                       ArrayRef<int64_t> order) {
  auto type = cast<RankedTensorType>(from.getType());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, from), to;
  for (int64_t dim : order)
    to.push_back(sizes[dim]);
  Value init = tensor::EmptyOp::create(b, loc, to, type.getElementType());
  return linalg::TransposeOp::create(b, loc, from, init, order)->getResult(0);
}

/// Long: everything is checked before the first op is made, and what is found
/// on the way is what the op is made of.
LogicalResult Former::formConvolution(const WindowLoops &conv) {
  auto result = dyn_cast<RankedTensorType>(conv.result->getResult(0).getType());
  Value from = conv.image;
  auto weights = cast<RankedTensorType>(conv.filter.getType());
  int64_t rank = result.getRank();
  SmallVector<OpFoldResult> low(rank, b.getIndexAttr(0)), high(low);
  if (auto pad = from.getDefiningOp<tensor::PadOp>()) {
    Value value = pad.getConstantPaddingValue();
    if (!value || !(matchPattern(value, m_Zero()) ||
                    matchPattern(value, m_AnyZeroFloat())))
      return failure();
    low = pad.getMixedLowPad();
    high = pad.getMixedHighPad();
    from = pad.getSource();
  }
  std::optional<QuantizedFactor> factor = matchQuantizedFactor(from);
  if (!factor || !factor->isPerTensor() || !weights.hasStaticShape())
    return failure();
  x = *factor;
  SmallVector<int64_t> shape(weights.getShape());
  if (conv.group > 1) {
    shape.erase(shape.begin());
    // no overflow: the weights are a tensor, whose elements CheckSizes counted
    shape[0] *= conv.group;
  }
  int64_t columns = shape[0], channels = conv.isDepthwise ? 1 : shape[1];
  SaturatingInt taps = 1;
  SmallVector<int64_t> window(shape.begin() + (conv.isDepthwise ? 1 : 2),
                              shape.end());
  for (int64_t size : window)
    taps *= size;
  if (result.getDimSize(1) != columns || llvm::is_contained(shape, 0) ||
      failed(takeInit(conv.init, 1)) ||
      failed(takeWeights(conv.filter, {0, 1}, columns, taps, channels,
                         conv.isDepthwise)) ||
      w.scales.empty() != !x.scale)
    return failure();
  // Groups of few columns leave lanes empty; those of more fill them.
  w.groups = conv.group;
  int64_t merge = 1;
  while (merge < w.groups &&
         (w.groups % merge != 0 || merge * columns / w.groups < lanes))
    ++merge;
  w.mergeGroups(merge);
  // Each group would need sums of windows of its own.
  if (w.groups > 1 && !w.zeroPoints.empty())
    return failure();
  xZero = x.knownZeroPoint();
  takeSign();

  Value image = transpose(b, loc, x.bytes, channelsLast(rank));
  auto reorder = [&](SmallVector<OpFoldResult> &amounts) {
    OpFoldResult channel = amounts[1];
    amounts.erase(amounts.begin() + 1);
    amounts.push_back(channel);
  };
  reorder(low);
  reorder(high);
  int64_t present = cast<RankedTensorType>(image.getType()).getShape().back();
  if (ShapedType::isDynamic(present))
    return failure();
  if (!conv.isDepthwise)
    high.back() =
        b.getIndexAttr((w.groups - 1) * w.channels +
                       int64_t(llvm::alignTo(w.channels, group)) - present);
  image = padTo(image, low, high);

  SmallVector<int64_t> strides(conv.strides), dilations(conv.dilations);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, conv.init);
  if (int64_t(sizes.size()) > rank)
    sizes.erase(sizes.begin() + 1); // groups are apart
  sizes[1] = b.getIndexAttr(columns);
  reorder(sizes);
  // Windows of one pixel that leave none out are a matrix product.
  if (!conv.isDepthwise && taps == 1 &&
      llvm::all_of(strides, [](int64_t s) { return s == 1; })) {
    strides.clear();
    dilations.clear();
    window.clear();
  }
  int64_t width = columns / w.groups <= lanes ? lanes : 2 * lanes;
  Value dot = makeDot(image, pack(window, width, conv.isDepthwise), sizes,
                      window, strides, dilations, conv.isDepthwise);
  if (!isFormed(dot))
    return failure();
  Value plain = transpose(b, loc, dot, channelsFirst(rank));
  plain.getDefiningOp()->setAttr(program::sinks, b.getUnitAttr());
  b.replaceOp(conv.result, plain);
  return success();
}

LogicalResult Former::formMatmul(linalg::MatmulOp matmul) {
  SmallVector<AffineMap> maps = matmul.getIndexingMapsArray();
  AffineExpr m, n, k;
  bindDims(b.getContext(), m, n, k);
  auto is = [&](AffineMap map, AffineExpr row, AffineExpr column) {
    return map == AffineMap::get(3, 0, {row, column}, b.getContext());
  };
  bool byColumns = is(maps[1], n, k);
  if (!is(maps[0], m, k) || !(byColumns || is(maps[1], k, n)))
    return failure();
  auto weights = cast<RankedTensorType>(matmul.getInputs()[1].getType());
  if (!weights.hasStaticShape() || weights.getNumElements() == 0)
    return failure();

  // Rows that were joined for the product stay as they were.
  Value from = matmul.getInputs()[0];
  if (auto cast = from.getDefiningOp<tensor::CastOp>())
    from = cast.getSource();
  auto collapse = from.getDefiningOp<tensor::CollapseShapeOp>();
  if (collapse && collapse.getReassociationIndices().size() == 2 &&
      collapse.getReassociationIndices()[1].size() == 1)
    from = collapse.getSrc();
  else
    collapse = nullptr;
  std::optional<QuantizedFactor> factor = matchQuantizedFactor(from);
  int64_t columns = weights.getDimSize(byColumns ? 0 : 1),
          channels = weights.getDimSize(byColumns ? 1 : 0);
  if (!factor || !factor->isPerTensor())
    return failure();
  x = *factor;
  if (failed(takeInit(matmul.getDpsInits()[0], 1)))
    return failure();
  if (failed(takeWeights(matmul.getInputs()[1],
                         byColumns ? ArrayRef<int64_t>{0, 1}
                                   : ArrayRef<int64_t>{1, 0},
                         columns, 1, channels, false)) ||
      w.scales.empty() != !x.scale)
    return failure();
  xZero = x.knownZeroPoint();
  takeSign();

  auto type = cast<RankedTensorType>(x.bytes.getType());
  if (type.isDynamicDim(type.getRank() - 1)) {
    // The weights tell how many there are.
    SmallVector<int64_t> shape(type.getShape());
    shape.back() = channels;
    type = type.clone(shape);
    x.bytes = tensor::CastOp::create(b, loc, type, x.bytes);
  }
  if (type.getShape().back() != channels)
    return failure();
  SmallVector<OpFoldResult> low(type.getRank(), b.getIndexAttr(0)), high(low);
  high.back() =
      b.getIndexAttr(int64_t(llvm::alignTo(channels, group)) - channels);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, x.bytes);
  sizes.back() = b.getIndexAttr(columns);
  Value image = padTo(x.bytes, low, high);
  int64_t width = columns <= lanes             ? lanes
                  : columns % (3 * lanes) == 0 ? 3 * lanes
                                               : 2 * lanes;
  Value dot = makeDot(image, pack({}, width, false), sizes, {}, {}, {}, false);
  if (!isFormed(dot))
    return failure();
  if (!collapse) {
    b.replaceOp(matmul, dot);
    return success();
  }
  SmallVector<ReassociationIndices> joined = collapse.getReassociationIndices();
  for (Operation *user : llvm::make_early_inc_range(matmul->getUsers()))
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(user))
      if (expand.getReassociationIndices() == joined &&
          expand.getType() == dot.getType())
        b.replaceOp(expand, dot);
  if (!matmul->use_empty())
    b.replaceOp(matmul, tensor::CollapseShapeOp::create(b, loc, dot, joined));
  else
    b.eraseOp(matmul);
  return success();
}

class FormIntegerDots
    : public onnxc::impl::FormIntegerDotsPassBase<FormIntegerDots> {
public:
  using FormIntegerDotsPassBase::FormIntegerDotsPassBase;

private:
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<onnxc::ProgramDialect, arith::ArithDialect,
                    kernel::KernelDialect, linalg::LinalgDialect,
                    tensor::TensorDialect>();
  }
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    TargetAttr target = TargetAttr::of(getOperation());
    for (linalg::LinalgOp op : ops) {
      Former former(rewriter, op, target);
      if (auto matmul = dyn_cast<linalg::MatmulOp>(*op))
        (void)former.formMatmul(matmul);
      else if (std::optional<WindowLoops> conv = matchWindowLoops(op))
        (void)former.formConvolution(*conv);
    }
  }
};

} // namespace
