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

#include "FormIntegerDots.h"
#include "onnxc/Schedule/IntegerDots.h"

#include "DotOrder.h"
#include "IntegerDotMatch.h"
#include "IntegerDotSchedule.h"
#include "Kernels/KernelForms.h"
#include "Kernels/PackedConstants.h"
#include "WidePairs.h"
#include "WindowSums.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Schedule/Passes.h"
#include "onnxc/Target/Instructions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

namespace onnxc {
#define GEN_PASS_DEF_FORMINTEGERDOTSPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {

/// What an epilogue does with the sums, and the operands that it reads: each is
/// added where its value is used.
class DotEpilogue {
public:
  DotEpilogue(OpBuilder &b, Location loc, unsigned rank)
      : b(b), loc(loc), rank(rank), block(std::make_unique<Block>()) {
    sum = block->addArgument(b.getI32Type(), loc);
  }

  /// The element of an operand that has one for each column, for each row, or
  /// for all.
  Value readColumn(Value operand) {
    return read(operand, AffineMap::get(rank, 0, b.getAffineDimExpr(rank - 1)));
  }
  Value readRow(Value operand) {
    return read(operand, b.getMultiDimIdentityMap(rank).dropResult(rank - 1));
  }
  Value readSingle(Value operand) {
    SmallVector<AffineExpr> zeros(
        cast<RankedTensorType>(operand.getType()).getRank(),
        b.getAffineConstantExpr(0));
    return read(operand, AffineMap::get(rank, 0, zeros, b.getContext()));
  }

  /// `Op` of the sum and another number is the new sum.
  template <typename Op> void apply(Value other) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(block.get());
    sum = Op::create(b, loc, sum, other);
  }
  /// What `make` makes in the epilogue.
  Value make(function_ref<Value()> make) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(block.get());
    return make();
  }
  /// Ends it and moves it to a kernel.
  void moveTo(Region &region) {
    make([&]() -> Value {
      kernel::YieldOp::create(b, loc, sum);
      return {};
    });
    region.push_back(block.release());
  }

  Type getType() const { return sum.getType(); }

  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  Value sum;

private:
  Value read(Value operand, AffineMap map) {
    operands.push_back(operand);
    maps.push_back(map);
    return block->addArgument(getElementTypeOrSelf(operand.getType()), loc);
  }

  OpBuilder &b;
  Location loc;
  unsigned rank;
  std::unique_ptr<Block> block;
};

/// Makes the kernel of one match.
class DotBuilder {
public:
  DotBuilder(RewriterBase &b, IntegerDotMatch match, TargetAttr target,
             bool winograd)
      : b(b), loc(match.result->getLoc()), target(target),
        lanes(getPanelLanes(target)), group(getDotGroup(target)),
        match(std::move(match)), x(this->match.image), w(this->match.weights),
        xZero(x.knownZeroPoint()), winograd(winograd) {
    b.setInsertionPoint(this->match.result);
  }

  FailureOr<kernel::IntegerDotOp> formConvolution(std::string &why);
  FailureOr<kernel::IntegerDotOp> formMatmul(std::string &why);

private:
  Value flipSign(Value bytes);
  void takeSign();
  int64_t getWidth(int64_t columns, int64_t most) const;
  Value pack(int64_t width);
  void describePairs(ArrayRef<char> packed, ArrayRef<int64_t> shape);
  template <typename T> Value constantColumns(Type element, ArrayRef<T> values);
  kernel::IntegerDotOp makeDot(Value image, Value filter,
                               ArrayRef<OpFoldResult> sizes);
  SmallVector<int32_t> sumWeights(Value image);
  void takeImageZero(DotEpilogue &epilogue, Value image);
  int64_t findLargestSum();
  void takeWeightsZero(DotEpilogue &epilogue, Value image,
                       ArrayRef<OpFoldResult> sizes);
  void takeScales(DotEpilogue &epilogue);
  Value zeroPointScalar();
  Value padTo(Value image, ArrayRef<OpFoldResult> low,
              ArrayRef<OpFoldResult> high);

  RewriterBase &b;
  Location loc;
  TargetAttr target;
  int64_t lanes, group;
  IntegerDotMatch match;
  QuantizedFactor &x;
  QuantizedWeights &w;
  std::optional<int64_t> xZero; // if it is known
  bool winograd;
  /// Of the packed weights: kernel.integer_dot's.
  Value wide, order;
  bool hasNarrowPairs = false;
};

} // namespace

/// x ^ 128 is x + 128 as an unsigned byte, and x - 128 as a signed one.
Value DotBuilder::flipSign(Value bytes) {
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
               Value flipped = arith::XOrIOp::create(inner, at, args[0], sign);
               linalg::YieldOp::create(inner, at, flipped);
             })
      .getResult(0);
}

/// The image as bytes of a sign that the target multiplies.
void DotBuilder::takeSign() {
  bool dotsUnsigned = supports(target, Capability::DotBytes),
       dotsSigned = supports(target, Capability::DotSignedBytes);
  bool takesUnsigned = x.isUnsigned ? dotsUnsigned || !dotsSigned : !dotsSigned;
  if (x.isUnsigned == takesUnsigned)
    return;
  x.bytes = flipSign(x.bytes);
  x.isUnsigned = takesUnsigned;
  if (xZero)
    *xZero += takesUnsigned ? 128 : -128;
  else
    x.zeroPoint = flipSign(x.zeroPoint);
}

template <typename T>
Value DotBuilder::constantColumns(Type element, ArrayRef<T> values) {
  return arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(
          RankedTensorType::get(int64_t(values.size()), element), values));
}

/// The columns of a panel, at most `most` vectors. Levels that share weights
/// have panels of the longest vector: where that is several of their own, a
/// tile takes no more than these, and where it is one, several panels.
int64_t DotBuilder::getWidth(int64_t columns, int64_t most) const {
  return columns <= lanes || target.getLayout() ? lanes : most * lanes;
}

/// The weights in the layout of kernel.integer_dot.
Value DotBuilder::pack(int64_t width) {
  SmallVector<int64_t> extents;
  if (match.isDepthwise)
    extents.push_back(w.columns);
  else
    extents.append({w.groups, w.columns / w.groups});
  llvm::append_range(extents, match.window);
  if (!match.isDepthwise)
    extents.push_back(w.channels);
  kernel::PackedLayout layout =
      match.isDepthwise
          ? kernel::IntegerDotOp::getDepthwiseLayout(b.getContext(), extents)
          : kernel::IntegerDotOp::getFilterLayout(b.getContext(), extents,
                                                  width, group);
  SmallVector<int64_t> shape = layout.getShape();
  AsmResourceBlob packed =
      packElements(w.getBytes(), w.isWide ? 2 : 1, extents, layout,
                   b.getMultiDimIdentityMap(extents.size()));
  if (!match.isDepthwise)
    describePairs(packed.getData(), shape);
  Type element = b.getIntegerType(w.isWide ? 16 : 8);
  return makePacked(b, loc, RankedTensorType::get(shape, element),
                    std::move(packed));
}

/// Finds where instructions may add pairs of products to sums of 16 bits, if
/// the target has none that adds four to one of 32.
void DotBuilder::describePairs(ArrayRef<char> packed, ArrayRef<int64_t> shape) {
  if (group != 4 || !x.isUnsigned || supports(target, Capability::DotBytes) ||
      !supports(target, Capability::MultiplyBytes))
    return;
  ArrayRef<int64_t> dots = shape.drop_back(2);
  WidePairs pairs = findWidePairs(packed, shape[dots.size()]);
  hasNarrowPairs = pairs.count == 0;
  DotOrder found(packed, shape.front(), shape[dots.size()]);
  // Bytes by themselves take 3 instructions; an image of 16-bit numbers takes
  // 4, which wait less for each other.
  bool isOrdered = found.takesAtMost(hasNarrowPairs ? 2.7 : 3.4);
  if (!hasNarrowPairs && !isOrdered && !pairs.isWorthwhile())
    return;
  if (!hasNarrowPairs)
    wide = makePacked(b, loc, RankedTensorType::get(dots, b.getI8Type()),
                      HeapAsmResourceBlob::allocateAndCopyInferAlign(
                          ArrayRef<char>(pairs.wide)));
  if (!isOrdered)
    return;
  int64_t numbers = found.numbers.size() / shape.front();
  order = makePacked(
      b, loc, RankedTensorType::get({shape.front(), numbers}, b.getI16Type()),
      HeapAsmResourceBlob::allocateAndCopyInferAlign(
          ArrayRef<uint16_t>(found.numbers)));
}

/// The zero point as a byte.
Value DotBuilder::zeroPointScalar() {
  if (xZero)
    return arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(*xZero));
  auto type = cast<RankedTensorType>(x.zeroPoint.getType());
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  return tensor::ExtractOp::create(b, loc, x.zeroPoint,
                                   SmallVector<Value>(type.getRank(), zero));
}

/// What lies outside of an image is its zero point.
Value DotBuilder::padTo(Value image, ArrayRef<OpFoldResult> low,
                        ArrayRef<OpFoldResult> high) {
  auto isZero = [](OpFoldResult amount) {
    return getConstantIntValue(amount) == 0;
  };
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero))
    return image;
  return tensor::PadOp::create(b, loc, Type(), image, low, high,
                               zeroPointScalar());
}

/// The sums of the weights without their zero points, for all that the window's
/// sum has: channels that only fill up are the image's zero point.
SmallVector<int32_t> DotBuilder::sumWeights(Value image) {
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

/// No sum of products of a column and bytes of the image is larger.
int64_t DotBuilder::findLargestSum() {
  int64_t largest = 0, ofColumn = w.taps * w.channels;
  for (int64_t f = 0; f < w.columns; ++f) {
    int64_t above = 0, below = 0; // sums of the weights of each sign
    for (int64_t weight : ArrayRef(w.values).slice(f * ofColumn, ofColumn))
      (weight > 0 ? above : below) += std::abs(weight);
    largest = std::max(largest, x.isUnsigned ? 255 * std::max(above, below)
                                             : 128 * (above + below));
  }
  return largest;
}

/// Minus the zero point of the image, times the sums of the weights. What is
/// constant is one number for each column, and a constant bias part of it.
void DotBuilder::takeImageZero(DotEpilogue &epilogue, Value image) {
  SmallVector<int32_t> sums = sumWeights(image);
  Type i32 = b.getI32Type();
  if (!xZero) {
    Value column = epilogue.readColumn(constantColumns<int32_t>(i32, sums));
    Value byte = epilogue.readSingle(x.zeroPoint);
    epilogue.apply<arith::SubIOp>(epilogue.make([&]() -> Value {
      Value zero = extendBytes(b, loc, i32, byte, x.isUnsigned);
      return arith::MulIOp::create(b, loc, zero, column);
    }));
    return;
  }
  for (int32_t &sum : sums)
    sum = -*xZero * sum;
  // A bias of integers is known as well.
  std::optional<SmallVector<char>> known =
      match.bias && w.scales.empty() ? readConstant(match.bias) : std::nullopt;
  if (known) {
    const auto *values = reinterpret_cast<const int32_t *>(known->data());
    for (auto [i, value] : llvm::enumerate(sums))
      value += values[i];
    match.bias = nullptr;
  }
  epilogue.apply<arith::AddIOp>(
      epilogue.readColumn(constantColumns<int32_t>(i32, sums)));
}

/// Minus the zero points of the weights, times the sum of the image for each
/// row or window.
void DotBuilder::takeWeightsZero(DotEpilogue &epilogue, Value image,
                                 ArrayRef<OpFoldResult> sizes) {
  if (w.zeroPoints.empty())
    return;
  Value zero;
  if (llvm::all_equal(w.zeroPoints))
    zero = epilogue.make([&]() -> Value {
      return arith::ConstantOp::create(
          b, loc, b.getI32IntegerAttr(w.zeroPoints.front()));
    });
  else
    zero = epilogue.readColumn(
        constantColumns<int32_t>(b.getI32Type(), w.zeroPoints));
  Value row = epilogue.readRow(sumWindows(b, loc, image, x.isUnsigned,
                                          match.window, match.strides,
                                          match.dilations, sizes.drop_back()));
  epilogue.apply<arith::SubIOp>(epilogue.make(
      [&]() -> Value { return arith::MulIOp::create(b, loc, zero, row); }));
}

/// The sum as a float, times the scales of image and weights.
void DotBuilder::takeScales(DotEpilogue &epilogue) {
  if (w.scales.empty())
    return;
  SmallVector<float> factors(w.scales);
  Value ofImage;
  // A float: of other factors none is matched.
  if (std::optional<SmallVector<char>> scale = readConstant(x.scale)) {
    float known;
    std::memcpy(&known, scale->data(), sizeof(float));
    for (float &factor : factors)
      factor *= known;
  } else {
    ofImage = epilogue.readSingle(x.scale);
  }
  Type f32 = b.getF32Type();
  Value factor = epilogue.readColumn(constantColumns<float>(f32, factors));
  if (ofImage)
    factor = epilogue.make([&]() -> Value {
      return arith::MulFOp::create(b, loc, ofImage, factor);
    });
  epilogue.sum = epilogue.make([&]() -> Value {
    return arith::SIToFPOp::create(b, loc, f32, epilogue.sum);
  });
  epilogue.apply<arith::MulFOp>(factor);
}

/// The kernel with the epilogue that brings in zero points, scales and bias.
kernel::IntegerDotOp DotBuilder::makeDot(Value image, Value filter,
                                         ArrayRef<OpFoldResult> sizes) {
  DotEpilogue epilogue(b, loc, sizes.size());
  takeImageZero(epilogue, image);
  takeWeightsZero(epilogue, image, sizes);
  takeScales(epilogue);
  if (match.bias && !w.scales.empty())
    epilogue.apply<arith::AddFOp>(epilogue.readColumn(match.bias));
  else if (match.bias)
    epilogue.apply<arith::AddIOp>(epilogue.readColumn(match.bias));
  Value init =
      tensor::EmptyOp::create(b, loc, sizes, epilogue.getType()).getResult();
  auto dot = kernel::IntegerDotOp::create(
      b, loc, init.getType(), image, filter, wide, order, epilogue.operands,
      init, match.strides, match.dilations,
      b.getAffineMapArrayAttr(epilogue.maps),
      /*image_signed=*/!x.isUnsigned, match.isDepthwise, hasNarrowPairs,
      w.groups,
      /*group_channels=*/w.groups > 1 ? w.channels : 0,
      /*largest_sum=*/IntegerAttr());
  epilogue.moveTo(dot.getEpilogue());
  if (winograd && dot.isWinogradForm())
    dot.setLargestSum(findLargestSum());
  return dot;
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

FailureOr<kernel::IntegerDotOp> DotBuilder::formConvolution(std::string &why) {
  takeSign();
  int64_t rank = cast<RankedTensorType>(x.bytes.getType()).getRank();
  Value image = transpose(b, loc, x.bytes, channelsLast(rank));
  auto reorder = [&](SmallVector<OpFoldResult> &amounts) {
    OpFoldResult channel = amounts[1];
    amounts.erase(amounts.begin() + 1);
    amounts.push_back(channel);
  };
  reorder(match.low);
  reorder(match.high);
  int64_t present = cast<RankedTensorType>(image.getType()).getShape().back();
  if (!match.isDepthwise)
    match.high.back() =
        b.getIndexAttr((w.groups - 1) * w.channels +
                       int64_t(llvm::alignTo(w.channels, group)) - present);
  image = padTo(image, match.low, match.high);

  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, match.init);
  if (int64_t(sizes.size()) > rank)
    sizes.erase(sizes.begin() + 1); // groups are apart
  sizes[1] = b.getIndexAttr(w.columns);
  reorder(sizes);
  Value filter = pack(getWidth(w.columns / w.groups, 2));
  kernel::IntegerDotOp dot = makeDot(image, filter, sizes);
  if (!keepIfEmittable(b, dot, target, why))
    return failure();
  Value plain = transpose(b, loc, dot->getResult(0), channelsFirst(rank));
  plain.getDefiningOp()->setAttr(program::sinks, b.getUnitAttr());
  b.replaceOp(match.result, plain);
  return dot;
}

FailureOr<kernel::IntegerDotOp> DotBuilder::formMatmul(std::string &why) {
  takeSign();
  auto type = cast<RankedTensorType>(x.bytes.getType());
  if (type.isDynamicDim(type.getRank() - 1)) {
    // The weights determine how many there are.
    SmallVector<int64_t> shape(type.getShape());
    shape.back() = w.channels;
    type = type.clone(shape);
    x.bytes = tensor::CastOp::create(b, loc, type, x.bytes);
  }
  SmallVector<OpFoldResult> low(type.getRank(), b.getIndexAttr(0)), high(low);
  high.back() =
      b.getIndexAttr(int64_t(llvm::alignTo(w.channels, group)) - w.channels);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, x.bytes);
  sizes.back() = b.getIndexAttr(w.columns);
  Value image = padTo(x.bytes, low, high);
  Value filter = pack(getWidth(
      w.columns, selectTileVectors(/*isProduct=*/true, w.columns, target)));
  kernel::IntegerDotOp dot = makeDot(image, filter, sizes);
  if (!keepIfEmittable(b, dot, target, why))
    return failure();
  Value result = dot->getResult(0);
  if (!match.joined) {
    b.replaceOp(match.result, result);
    return dot;
  }
  SmallVector<ReassociationIndices> joined =
      match.joined.getReassociationIndices();
  for (Operation *user : llvm::make_early_inc_range(match.result->getUsers()))
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(user))
      if (expand.getReassociationIndices() == joined &&
          expand.getType() == result.getType())
        b.replaceOp(expand, result);
  if (!match.result->use_empty())
    b.replaceOp(match.result,
                tensor::CollapseShapeOp::create(b, loc, result, joined));
  else
    b.eraseOp(match.result);
  return dot;
}

bool onnxc::canFormIntegerDot(linalg::LinalgOp op, TargetAttr target,
                              std::string &why) {
  return matchIntegerDot(op, target, why).has_value();
}

bool onnxc::hasIntegerDots(ModuleOp module, TargetAttr target) {
  std::string why;
  return module
      ->walk([&](linalg::LinalgOp op) {
        std::optional<IntegerDotMatch> match = matchIntegerDot(op, target, why);
        return match && !match->isDepthwise ? WalkResult::interrupt()
                                            : WalkResult::advance();
      })
      .wasInterrupted();
}

FailureOr<kernel::IntegerDotOp>
onnxc::formIntegerDot(RewriterBase &b, linalg::LinalgOp op, TargetAttr target,
                      bool winograd, std::string &why) {
  std::optional<IntegerDotMatch> match = matchIntegerDot(op, target, why);
  if (!match)
    return failure();
  bool isConvolution = match->isConvolution;
  DotBuilder builder(b, std::move(*match), target, winograd);
  return isConvolution ? builder.formConvolution(why) : builder.formMatmul(why);
}

namespace {

/// Joined rows whose last dimensions are 1, [rows, 1, channels], may have these
/// counted to the channels: makes them rows, in the operand and in what splits
/// the result, as matchIntegerDot takes it.
void countOnesAsRows(IRRewriter &b, linalg::MatmulOp op) {
  auto collapse = op.getInputs()[0].getDefiningOp<tensor::CollapseShapeOp>();
  if (!collapse)
    return;
  SmallVector<ReassociationIndices> old = collapse.getReassociationIndices();
  ArrayRef<int64_t> shape = collapse.getSrcType().getShape();
  if (old.size() != 2 || old[1].size() == 1 ||
      llvm::any_of(shape.slice(old[0].size(), old[1].size() - 1),
                   [](int64_t size) { return size != 1; }))
    return;
  SmallVector<ReassociationIndices> groups(2);
  llvm::append_range(groups[0], llvm::seq<int64_t>(0, shape.size() - 1));
  groups[1] = {int64_t(shape.size()) - 1};
  b.setInsertionPoint(collapse);
  Value rows = tensor::CollapseShapeOp::create(
      b, collapse.getLoc(), collapse.getType(), collapse.getSrc(), groups);
  b.modifyOpInPlace(op, [&] { op.getDpsInputOperand(0)->set(rows); });
  for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
    auto expand = dyn_cast<tensor::ExpandShapeOp>(user);
    if (!expand || expand.getReassociationIndices() != old)
      continue;
    b.setInsertionPoint(expand);
    b.replaceOpWithNewOp<tensor::ExpandShapeOp>(expand, expand.getType(),
                                                expand.getSrc(), groups,
                                                expand.getMixedOutputShape());
  }
}

class FormIntegerDots
    : public onnxc::impl::FormIntegerDotsPassBase<FormIntegerDots> {
public:
  using FormIntegerDotsPassBase::FormIntegerDotsPassBase;

private:
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    TargetAttr target = TargetAttr::of(getOperation());
    std::string why;
    for (auto op : collectOps<linalg::MatmulOp>(getOperation()))
      if (getElementTypeOrSelf(op->getResult(0).getType()).isInteger())
        countOnesAsRows(rewriter, op);
    for (auto op : collectOps<linalg::LinalgOp>(getOperation()))
      (void)formIntegerDot(rewriter, op, target, winograd, why);
  }
};

} // namespace
