//===- KernelDialect.cpp - Contractions as they are scheduled -------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Kernel/KernelDialect.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace onnxc::kernel;

#include "onnxc/Dialect/Kernel/KernelDialect.cpp.inc"
#include "onnxc/Dialect/Kernel/KernelInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "onnxc/Dialect/Kernel/KernelOps.cpp.inc"

ElementsAttr
KernelDialect::getDerivedConstant(Attribute key,
                                  llvm::function_ref<ElementsAttr()> make) {
  // Held meanwhile: others that ask for the same one wait for it.
  std::lock_guard<std::mutex> lock(constantsMutex);
  auto [known, isNew] = constants.try_emplace(key);
  if (isNew)
    known->second = make();
  return known->second;
}

void KernelDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "onnxc/Dialect/Kernel/KernelOps.cpp.inc"
      >();
}

void onnxc::kernel::buildTrivialEpilogue(OpBuilder &b, Location loc,
                                         Region &region, Type sum) {
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(&region, region.end(), sum, loc);
  YieldOp::create(b, loc, block->getArguments());
}

LogicalResult YieldOp::verify() {
  // Whatever the kernel is: the list of those is the dialect's.
  if (!isa_and_nonnull<KernelOpInterface>((*this)->getParentOp()))
    return emitOpError("expected to end the epilogue of a kernel");
  return success();
}

//===----------------------------------------------------------------------===//
// What all kernels have in common
//===----------------------------------------------------------------------===//

LogicalResult onnxc::kernel::detail::verifyKernel(Operation *op) {
  auto kernel = cast<KernelOpInterface>(op);
  auto init = cast<ShapedType>(kernel.getInitMutable().get().getType());
  bool isTensor = isa<RankedTensorType>(init);
  if (op->getNumResults() != (isTensor ? 1 : 0) ||
      (isTensor && op->getResult(0).getType() != init))
    return op->emitOpError("expected a result of the type of the destination "
                           "on tensors, and none on buffers");
  for (Value operand : op->getOperands())
    if (auto shaped = dyn_cast<ShapedType>(operand.getType()))
      if (!shaped.hasRank() || isa<VectorType>(shaped) ||
          isa<RankedTensorType>(shaped) != isTensor)
        return op->emitOpError(
            "expected either tensors or buffers, all of known rank");

  for (OpOperand &operand : op->getOpOperands())
    if (std::optional<PackedLayout> layout = kernel.getPackedLayout(operand)) {
      SmallVector<int64_t> shape = layout->getShape();
      auto type = cast<ShapedType>(operand.get().getType());
      if (failed(verifyCompatibleShape(type.getShape(), shape)))
        return op->emitOpError("expected operand ")
               << operand.getOperandNumber() << " to have the shape of "
               << RankedTensorType::get(shape, type.getElementType())
               << ", have " << type;
    }

  OperandRange extras = kernel.getExtras();
  SmallVector<AffineMap> maps = kernel.getEpilogueAffineMaps();
  Block &block = kernel.getEpilogue().front();
  if (maps.size() != extras.size() ||
      block.getNumArguments() != extras.size() + 1)
    return op->emitOpError("expected an epilogue map and an argument of the "
                           "epilogue for each of ")
           << extras.size() << " extras, and an argument for the sum";
  for (auto [i, extra] : llvm::enumerate(extras)) {
    auto shaped = dyn_cast<ShapedType>(extra.getType());
    int64_t rank = shaped ? shaped.getRank() : 0;
    if (maps[i].getNumDims() != uint64_t(init.getRank()) ||
        maps[i].getNumSymbols() != 0 ||
        maps[i].getNumResults() != uint64_t(rank))
      return op->emitOpError("expected epilogue map ")
             << i << " to lead from " << init.getRank() << " dimensions to "
             << rank;
    if (block.getArgument(i + 1).getType() != getElementTypeOrSelf(extra))
      return op->emitOpError("expected argument ")
             << i + 1 << " of the epilogue to have the type of extra " << i;
  }
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getValues().size() != 1 ||
      yield.getValues()[0].getType() != init.getElementType())
    return op->emitOpError("expected the epilogue to yield one ")
           << init.getElementType();
  return success();
}

/// On buffers: everything but the destination is read.
template <typename Op>
static void
addEffects(Op op,
           SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
               &effects) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<BaseMemRefType>(operand.get().getType()))
      continue;
    if (&operand == &op.getInitMutable())
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
    else
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
  }
}

template <typename Op>
static LogicalResult reifyInit(Op op, OpBuilder &b,
                               ReifiedRankedShapedTypeDims &reified) {
  if (op->getNumResults() == 0)
    return failure();
  reified.push_back(tensor::getMixedSizes(b, op.getLoc(), op.getInit()));
  return success();
}

/// Extras that are read at the place of the result alone may share its memory.
template <typename Op>
static bool readsInPlace(Op op, ArrayRef<OpOperand *> operands) {
  unsigned first =
      op.getExtras().empty() ? 0 : op.getExtrasMutable()[0].getOperandNumber();
  SmallVector<AffineMap> maps = op.getEpilogueAffineMaps();
  return llvm::all_of(operands, [&](OpOperand *operand) {
    if (operand == &op.getInitMutable())
      return true;
    unsigned number = operand->getOperandNumber();
    return number >= first && number - first < maps.size() && first != 0 &&
           maps[number - first].isIdentity();
  });
}

static bool readsInPlace(ReorderOp, ArrayRef<OpOperand *>) { return false; }

template <typename Op>
static LogicalResult bufferizeKernel(Op op, RewriterBase &b,
                                     const BufferizationOptions &options,
                                     BufferizationState &state) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    if (!isa<TensorType>(operand.getType())) {
      operands.push_back(operand);
      continue;
    }
    FailureOr<Value> buffer = getBuffer(b, operand, options, state);
    if (failed(buffer))
      return failure();
    operands.push_back(*buffer);
  }
  Value init = operands[op.getInitMutable().getOperandNumber()];
  OperationState made(op.getLoc(), op->getName());
  made.addOperands(operands);
  made.addAttributes(op->getAttrs());
  made.propertiesAttr = op->getPropertiesAsAttribute();
  for (Region &region : op->getRegions())
    made.addRegion()->takeBody(region);
  b.create(made);
  replaceOpWithBufferizedValues(b, op, init);
  return success();
}

#define ONNXC_KERNEL_METHODS(OP)                                               \
  void OP::getEffects(                                                         \
      SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>      \
          &effects) {                                                          \
    addEffects(*this, effects);                                                \
  }                                                                            \
  LogicalResult OP::reifyResultShapes(OpBuilder &b,                            \
                                      ReifiedRankedShapedTypeDims &reified) {  \
    return reifyInit(*this, b, reified);                                       \
  }                                                                            \
  bool OP::bufferizesToMemoryRead(OpOperand &operand, const AnalysisState &) { \
    return &operand != &getInitMutable();                                      \
  }                                                                            \
  bool OP::bufferizesToMemoryWrite(OpOperand &operand,                         \
                                   const AnalysisState &) {                    \
    return &operand == &getInitMutable();                                      \
  }                                                                            \
  bool OP::bufferizesToElementwiseAccess(const AnalysisState &,                \
                                         ArrayRef<OpOperand *> operands) {     \
    return readsInPlace(*this, operands);                                      \
  }                                                                            \
  AliasingValueList OP::getAliasingValues(OpOperand &operand,                  \
                                          const AnalysisState &) {             \
    if (&operand != &getInitMutable())                                         \
      return {};                                                               \
    return {{getOperation()->getResult(0), BufferRelation::Equivalent,         \
             /*isDefinite=*/true}};                                            \
  }                                                                            \
  LogicalResult OP::bufferize(RewriterBase &b,                                 \
                              const BufferizationOptions &options,             \
                              BufferizationState &state) {                     \
    return bufferizeKernel(*this, b, options, state);                          \
  }

ONNXC_KERNEL_METHODS(MatmulOp)
ONNXC_KERNEL_METHODS(ConvOp)
ONNXC_KERNEL_METHODS(ReorderOp)
ONNXC_KERNEL_METHODS(IntegerDotOp)
ONNXC_KERNEL_METHODS(BlockMatmulOp)
ONNXC_KERNEL_METHODS(BlockDotOp)
#undef ONNXC_KERNEL_METHODS

//===----------------------------------------------------------------------===//
// MatmulOp
//===----------------------------------------------------------------------===//

int64_t MatmulOp::getPanelWidth() {
  AffineMap map = getMap(1);
  if (map.getNumResults() == 0)
    return 0;
  auto inner =
      dyn_cast<AffineBinaryOpExpr>(map.getResult(map.getNumResults() - 1));
  if (!inner || inner.getKind() != AffineExprKind::Mod)
    return 0;
  auto width = dyn_cast<AffineConstantExpr>(inner.getRHS());
  return width ? width.getValue() : 0;
}

int64_t MatmulOp::getLoopExtent(unsigned loop) {
  AffineExpr dim = getAffineDimExpr(loop, getContext());
  int64_t extent = 1;
  Value operands[] = {getInit(), getLhs(), getRhs()};
  unsigned maps[] = {2, 0, 1};
  for (auto [operand, map] : llvm::zip_equal(operands, maps))
    for (auto [i, expr] : llvm::enumerate(getMap(map).getResults()))
      if (expr == dim) {
        extent = cast<ShapedType>(operand.getType()).getDimSize(i);
        if (!ShapedType::isDynamic(extent))
          return extent;
      }
  return extent;
}

/// Whether each result of `map` is a loop of its own.
static bool isSelection(AffineMap map) {
  return map.isProjectedPermutation(/*allowZeroInResults=*/false);
}

LogicalResult MatmulOp::verify() {
  if (getIndexingMaps().size() != 3)
    return emitOpError("expected three indexing maps: lhs, rhs, result");
  unsigned loops = getMap(0).getNumDims();
  Value operands[] = {getLhs(), getRhs(), getInit()};
  for (unsigned i = 0; i < 3; ++i) {
    auto type = cast<ShapedType>(operands[i].getType());
    if (getMap(i).getNumDims() != loops || loops < 3 ||
        getMap(i).getNumResults() != uint64_t(type.getRank()))
      return emitOpError("expected indexing map ")
             << i << " to lead from the loops (batch..., m, n, k) to "
             << type.getRank() << " dimensions";
  }
  unsigned m = loops - 3, n = loops - 2, k = loops - 1;
  if (!isSelection(getMap(0)) || getMap(0).isFunctionOfDim(n) ||
      !isSelection(getMap(2)) || getMap(2).isFunctionOfDim(k))
    return emitOpError("expected lhs to be indexed by batch, m and k, and the "
                       "result by batch, m and n");
  AffineMap rhs = getMap(1);
  int64_t width = getPanelWidth();
  if (rhs.isFunctionOfDim(m) || (width == 0 && !isSelection(rhs)))
    return emitOpError("expected rhs to be indexed by batch, k and n, or to be "
                       "packed");
  if (getRhsFactor() &&
      (width != 0 || !isHalf(getElementTypeOrSelf(getRhs().getType()))))
    return emitOpError("expected rhs_factor only with 16-bit floats that are "
                       "not packed");
  if (width == 0)
    return success();
  MLIRContext *ctx = getContext();
  AffineExpr column = getAffineDimExpr(n, ctx);
  unsigned rank = rhs.getNumResults();
  if (rank < 3 || rhs.getResult(rank - 3) != column.floorDiv(width) ||
      rhs.getResult(rank - 2) != getAffineDimExpr(k, ctx) ||
      rhs.getResult(rank - 1) != column % width)
    return emitOpError("expected packed rhs to end in (n floordiv NR, k, n mod "
                       "NR)");
  return success();
}

//===----------------------------------------------------------------------===//
// ConvOp
//===----------------------------------------------------------------------===//

bool ConvOp::isDepthwise() {
  return getGroup() > 1 && getGroup() == getChannels() &&
         getGroup() == getFilters();
}

bool ConvOp::isImageBlocked() {
  return cast<ShapedType>(getImage().getType()).getRank() ==
         int64_t(getNumSpatial()) + 3;
}

int64_t ConvOp::getBlock() {
  auto type = cast<ShapedType>(getInit().getType());
  return type.getDimSize(type.getRank() - 1);
}

std::pair<int64_t, int64_t> ConvOp::getWindow() {
  auto filter = cast<ShapedType>(getFilter().getType());
  unsigned spatial = getNumSpatial(), last = spatial + 1;
  return {spatial > 1 ? filter.getDimSize(last - 1) : 1,
          filter.getDimSize(last)};
}

std::pair<int64_t, int64_t> ConvOp::getFilteredTaps() {
  std::optional<ArrayRef<int64_t>> taps = getWinogradTaps();
  if (!taps)
    return getWindow();
  return {taps->size() > 1 ? taps->front() : 1, taps->back()};
}

bool ConvOp::isWinogradForm() {
  auto isOne = [](int64_t x) { return x == 1; };
  auto canFilter = [](int64_t taps) {
    return taps == 1 || taps >= kLeastFilteredTaps;
  };
  if (!isImageBlocked() || isDepthwise() || getSpread() || getMaximum() ||
      !llvm::all_of(getStrides(), isOne) ||
      !llvm::all_of(getDilations(), isOne))
    return false;
  auto [rows, columns] = getWindow();
  return canFilter(rows) && canFilter(columns) && rows * columns > 1;
}

static LogicalResult verifyWinograd(ConvOp op) {
  std::optional<ArrayRef<int64_t>> given = op.getWinogradTaps();
  if (!op.getWinogradError())
    return given ? op.emitOpError("expected winograd_error with winograd_taps")
                 : success();
  if (!op.isWinogradForm())
    return op.emitOpError("expected windows of 3 taps or more, or of 1, along "
                          "each axis, and strides and dilations of 1, for "
                          "winograd_error");
  if (given &&
      int64_t(given->size()) != std::min<int64_t>(op.getNumSpatial(), 2))
    return op.emitOpError(
        "expected winograd_taps for the last two spatial dimensions");
  auto canTake = [](int64_t taken, int64_t taps) {
    return taken <= taps &&
           (taps == 1 ? taken == 1
                      : taken >= ConvOp::kLeastFilteredTaps &&
                            taken <= ConvOp::kMostFilteredTaps);
  };
  auto [rows, columns] = op.getWindow();
  auto [rowTaps, columnTaps] = op.getFilteredTaps();
  if (!canTake(rowTaps, rows) || !canTake(columnTaps, columns))
    return op.emitOpError("expected winograd_taps of 3 to 5 of the window's, "
                          "or of 1 where it has 1");
  return success();
}

LogicalResult ConvOp::verify() {
  int64_t spatial = getNumSpatial();
  auto image = cast<ShapedType>(getImage().getType()),
       result = cast<ShapedType>(getInit().getType());
  if (spatial == 0 || int64_t(getDilations().size()) != spatial ||
      int64_t(getPads().size()) != 2 * spatial)
    return emitOpError("expected as many dilations as strides, and twice as "
                       "many pads");
  if (image.getRank() != spatial + 2 && image.getRank() != spatial + 3)
    return emitOpError("expected an image of rank ")
           << spatial + 2 << ", or of rank " << spatial + 3 << " if blocked";
  if (result.getRank() != spatial + 3 ||
      result.isDynamicDim(result.getRank() - 1))
    return emitOpError("expected a blocked result of rank ") << spatial + 3;
  if (getGroup() < 1 || getChannels() < 1 || getFilters() < 1 ||
      getChannels() % getGroup() != 0 || getFilters() % getGroup() != 0)
    return emitOpError(
        "expected channels and filters to be multiples of group");
  if (std::optional<ArrayRef<int64_t>> spread = getSpread())
    if (int64_t(spread->size()) != spatial ||
        llvm::any_of(*spread, [](int64_t s) { return s < 1; }) ||
        llvm::any_of(getStrides(), [](int64_t s) { return s != 1; }))
      return emitOpError("expected a positive spread for each spatial "
                         "dimension, and strides of 1 with it");
  if (getMaximum() && (!isDepthwise() || getSpread()))
    return emitOpError("expected the maximum of windows of each channel by "
                       "itself, with no zeros between pixels");
  auto filter = cast<ShapedType>(getFilter().getType());
  int64_t rank = spatial + (isDepthwise() ? 2 : isImageBlocked() ? 4 : 3);
  if (filter.getRank() != rank)
    return emitOpError("expected a filter of rank ") << rank;
  return verifyWinograd(*this);
}

//===----------------------------------------------------------------------===//
// ReorderOp
//===----------------------------------------------------------------------===//

bool ReorderOp::isBlocking() {
  return cast<ShapedType>(getInit().getType()).getRank() >
         cast<ShapedType>(getSource().getType()).getRank();
}

ShapedType ReorderOp::getPlainType() {
  return cast<ShapedType>((isBlocking() ? getSource() : getInit()).getType());
}

ShapedType ReorderOp::getBlockedType() {
  return cast<ShapedType>((isBlocking() ? getInit() : getSource()).getType());
}

LogicalResult ReorderOp::verify() {
  ShapedType plain = getPlainType(), blocked = getBlockedType();
  bool isTensor = isa<RankedTensorType>(getInit().getType());
  if (isTensor != isa<RankedTensorType>(getSource().getType()) ||
      getNumResults() != (isTensor ? 1 : 0) ||
      (isTensor && getResult(0).getType() != getInit().getType()))
    return emitOpError("expected tensors and a result of the type of the "
                       "destination, or buffers");
  if (plain.getRank() < 2 || blocked.getRank() != plain.getRank() + 1 ||
      plain.getElementType() != blocked.getElementType())
    return emitOpError("expected one side [n, c, ...] and the other blocked");
  int64_t lanes = blocked.getShape().back(), channels = plain.getDimSize(1);
  if (ShapedType::isDynamic(lanes) || lanes < 1 ||
      ShapedType::isDynamic(channels) ||
      blocked.getDimSize(1) != (channels + lanes - 1) / lanes)
    return emitOpError("expected a known number of channels and their blocks");
  return success();
}

namespace {
/// reorder(reorder(x)) -> x
struct CancelReorder : OpRewritePattern<ReorderOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReorderOp op,
                                PatternRewriter &rewriter) const override {
    auto first = op.getSource().getDefiningOp<ReorderOp>();
    if (!first || op.getNumResults() != 1 ||
        first.getSource().getType() != op.getInit().getType())
      return rewriter.notifyMatchFailure(op, "undoes no reorder");
    rewriter.replaceOp(op, first.getSource());
    return success();
  }
};
} // namespace

void ReorderOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<CancelReorder>(context);
}

//===----------------------------------------------------------------------===//
// LookupOp
//===----------------------------------------------------------------------===//

LogicalResult LookupOp::verify() {
  ShapedType type = getTable().getShapedType();
  if (!getElementTypeOrSelf(getIndex().getType()).isInteger(8) ||
      type.getNumElements() != 256 ||
      type.getElementType() != getElementTypeOrSelf(getResult().getType()))
    return emitOpError(
        "expected a byte, and 256 elements of the result's type");
  return success();
}

//===----------------------------------------------------------------------===//
// IntegerDotOp
//===----------------------------------------------------------------------===//

int64_t IntegerDotOp::getPanelWidth() {
  auto type = cast<ShapedType>(getFilter().getType());
  return type.getDimSize(type.getRank() - 2);
}

int64_t IntegerDotOp::getGroup() {
  return getDepthwise()
             ? 1
             : cast<ShapedType>(getFilter().getType()).getShape().back();
}

int64_t IntegerDotOp::countDots() {
  SaturatingInt dots = 1;
  auto filter = cast<ShapedType>(getFilter().getType());
  for (int64_t size : filter.getShape().drop_front().drop_back(2))
    dots *= size;
  return dots;
}

bool IntegerDotOp::isImageWidened() {
  return getElementTypeOrSelf(getImage().getType()).isInteger(16);
}

int64_t IntegerDotOp::countPairs() {
  auto filter = cast<ShapedType>(getFilter().getType());
  return filter.getDimSize(getNumSpatial() + 1) * getGroup() / 2;
}

bool IntegerDotOp::isWinogradForm() {
  constexpr int64_t taps = 3;
  auto filter = cast<ShapedType>(getFilter().getType());
  auto isOne = [](int64_t x) { return x == 1; };
  return getNumSpatial() == 2 && !getDepthwise() && getGroup() == 4 &&
         filter.getDimSize(1) == taps && filter.getDimSize(2) == taps &&
         llvm::all_of(getStrides(), isOne) &&
         llvm::all_of(getDilations(), isOne) &&
         cast<ShapedType>(getInit().getType()).getRank() == 4;
}

LogicalResult IntegerDotOp::verify() {
  int64_t spatial = getNumSpatial();
  auto image = cast<ShapedType>(getImage().getType()),
       filter = cast<ShapedType>(getFilter().getType()),
       result = cast<ShapedType>(getInit().getType());
  bool isWide = getDepthwise() && filter.getElementType().isInteger(16);
  if (!(image.getElementType().isInteger(8) || isImageWidened()) ||
      !(filter.getElementType().isInteger(8) || isWide) ||
      !filter.hasStaticShape())
    return emitOpError("expected bytes, and a filter of known shape");
  if (int64_t(getDilations().size()) != spatial)
    return emitOpError("expected as many dilations as strides");
  if (image.getRank() != result.getRank() || result.getRank() < spatial + 2)
    return emitOpError("expected image and result of one rank, at least ")
           << spatial + 2;
  if (filter.getRank() != spatial + (getDepthwise() ? 1 : 4))
    return emitOpError("expected a filter of rank ")
           << spatial + (getDepthwise() ? 1 : 4);
  if (isImageWidened() && (getImageSigned() || getGroup() != 4))
    return emitOpError("expected 16-bit numbers of the image to be unsigned "
                       "bytes, of which dot products take four");
  int64_t channels = image.getShape().back(),
          columns = result.getShape().back(), groups = getGroups();
  if (ShapedType::isDynamic(channels) || ShapedType::isDynamic(columns))
    return emitOpError("expected known numbers of channels and columns");
  if (groups < 1 || columns % groups != 0)
    return emitOpError("expected as many columns in each of ")
           << groups << " groups";
  // What the filter has beside that is its layout.
  if (getDepthwise() ? channels < columns
                     : filter.getDimSize(spatial + 1) * getGroup() +
                               (groups - 1) * int64_t(getGroupChannels()) !=
                           channels)
    return emitOpError("expected a filter for ") << channels << " channels";
  if (getWide()) {
    auto wide = cast<ShapedType>(getWide().getType());
    if (getDepthwise() || getNarrowPairs() ||
        !wide.getElementType().isInteger(8) ||
        wide.getShape() != filter.getShape().drop_back(2))
      return emitOpError("expected wide pairs to be a byte for each dot "
                         "product of a panel");
  }
  if (getOrder()) {
    auto order = cast<ShapedType>(getOrder().getType());
    if (getGroup() != 4 || (!getWide() && !getNarrowPairs()) ||
        !order.getElementType().isInteger(16) ||
        order.getShape() !=
            ArrayRef<int64_t>{filter.getDimSize(0), kOrderParts + countDots()})
      return emitOpError("expected the order of a panel to be ")
             << kOrderParts << " 16-bit numbers and one for each dot product";
  }
  if (getLargestSum() && !isWinogradForm())
    return emitOpError("expected windows of 3 x 3 taps, strides and dilations "
                       "of 1, and dot products of four channels, for "
                       "largest_sum");
  return success();
}

//===----------------------------------------------------------------------===//
// BlockMatmulOp
//===----------------------------------------------------------------------===//

/// Whether weights in blocks may have so many bits.
static bool isNarrow(int64_t bits) {
  return bits == 2 || bits == 4 || bits == 8;
}

LogicalResult BlockMatmulOp::verify() {
  auto lhs = cast<ShapedType>(getLhs().getType()),
       weights = cast<ShapedType>(getWeights().getType()),
       scales = cast<ShapedType>(getScales().getType()),
       result = cast<ShapedType>(getInit().getType());
  if (lhs.getRank() != 2 || result.getRank() != 2 || weights.getRank() != 3 ||
      scales.getRank() != 4)
    return emitOpError(
        "expected matrices, weights of rank 3 and scales of rank 4");
  if (!lhs.getElementType().isF32() || !scales.getElementType().isF32() ||
      !weights.getElementType().isInteger(32))
    return emitOpError("expected floats, and weights in words of 32 bits");
  if (!isNarrow(getBits()))
    return emitOpError("expected weights of 2, 4 or 8 bits");
  if (!weights.hasStaticShape() || !scales.hasStaticShape() ||
      lhs.isDynamicDim(1) || result.isDynamicDim(1))
    return emitOpError("expected a known number of columns and steps");
  int64_t block = getBlock();
  if (block < 1 || (block % getPerWord() != 0 && block < getSteps()))
    return emitOpError("expected blocks of whole words");
  // What the weights have beside that is their layout.
  int64_t padded = weights.getDimSize(0) * getPanelWidth();
  if (weights.getDimSize(1) !=
          int64_t(llvm::divideCeil(getSteps(), getPerWord())) ||
      scales.getDimSize(0) != weights.getDimSize(0) ||
      scales.getDimSize(1) != int64_t(llvm::divideCeil(getSteps(), block)) ||
      scales.getDimSize(2) < 1 || scales.getDimSize(2) > 2 ||
      scales.getDimSize(3) != getPanelWidth())
    return emitOpError("expected weights and scales for ")
           << getSteps() << " steps and " << padded << " columns";
  return success();
}

//===----------------------------------------------------------------------===//
// BlockDotOp
//===----------------------------------------------------------------------===//

LogicalResult BlockDotOp::verify() {
  auto shaped = [](Value value) { return cast<ShapedType>(value.getType()); };
  ShapedType lhs = shaped(getLhs()), rowScales = shaped(getRowScales()),
             rowSums = shaped(getRowSums()), weights = shaped(getWeights()),
             scales = shaped(getScales()), result = shaped(getInit());
  if (lhs.getRank() != 2 || rowScales.getRank() != 2 ||
      rowSums.getRank() != 2 || result.getRank() != 2 ||
      weights.getRank() != 3 || scales.getRank() != 4)
    return emitOpError(
        "expected matrices, weights of rank 3 and scales of rank 4");
  if (!lhs.getElementType().isInteger(8) ||
      !rowScales.getElementType().isF32() ||
      !rowSums.getElementType().isInteger(32) ||
      !scales.getElementType().isF32() ||
      !weights.getElementType().isInteger(32))
    return emitOpError("expected bytes, sums of 32 bits, floats as scales, and "
                       "weights in words of 32 bits");
  if (!isNarrow(getBits()))
    return emitOpError("expected weights of 2, 4 or 8 bits");
  if (!weights.hasStaticShape() || !scales.hasStaticShape() ||
      result.isDynamicDim(1))
    return emitOpError("expected a known number of columns and steps");
  int64_t block = getBlock(), steps = getSteps();
  if (block < 1 || block > kMaxBlock || block % getPerWord() != 0 ||
      steps % block != 0)
    return emitOpError("expected whole blocks of whole words, of at most ")
           << kMaxBlock << " steps";
  int64_t blocks = steps / block;
  if (lhs.getDimSize(1) != steps || rowScales.getDimSize(1) != blocks ||
      rowSums.getDimSize(1) != blocks)
    return emitOpError("expected rows of ")
           << steps << " steps, in " << blocks << " blocks";
  // What the weights have beside that is their layout.
  if (scales.getDimSize(0) != weights.getDimSize(0) ||
      scales.getDimSize(1) != blocks || scales.getDimSize(2) < 1 ||
      scales.getDimSize(2) > 2 || scales.getDimSize(3) != getPanelWidth())
    return emitOpError("expected scales for ")
           << blocks << " blocks and "
           << weights.getDimSize(0) * getPanelWidth() << " columns";
  return success();
}
