//===- KernelSchedules.cpp - How kernels are computed ---------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Kernel/KernelDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace onnxc::kernel;

#include "onnxc/Dialect/Kernel/KernelAttrInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "onnxc/Dialect/Kernel/KernelAttributes.cpp.inc"

void KernelDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "onnxc/Dialect/Kernel/KernelAttributes.cpp.inc"
      >();
}

using EmitError = function_ref<InFlightDiagnostic()>;
using Say = function_ref<void(StringRef, const Twine &)>;

/// Whether the number of a schedule, `name`, is at least `least`.
static LogicalResult checkNumber(EmitError emitError, StringRef name,
                                 int64_t value, int64_t least) {
  if (value < least)
    return emitError() << name << " is " << value << ", expected at least "
                       << least;
  return success();
}

/// The op, if it is of the kind that the schedule is for; null with a
/// diagnostic.
template <typename Op>
static Op castOrReport(Operation *op, Attribute schedule, EmitError emitError) {
  auto kernel = dyn_cast<Op>(op);
  if (!kernel)
    emitError() << "has the schedule " << schedule << ", which is one of '"
                << Op::getOperationName() << "'";
  return kernel;
}

static void sayNumber(Say say, StringRef name, int64_t value) {
  if (value)
    say(name, Twine(value));
}

static void sayFlag(Say say, StringRef name, bool value) {
  if (value)
    say(name, "yes");
}

/// A whole number of panels, or a part of one.
static bool isWholePanels(int64_t tile, int64_t panel) {
  return tile % panel == 0 || panel % tile == 0;
}

//===----------------------------------------------------------------------===//
// MatmulScheduleAttr
//===----------------------------------------------------------------------===//

LogicalResult MatmulScheduleAttr::verify(EmitError emitError, int64_t rows,
                                         int64_t columns, int64_t depth,
                                         int64_t block, bool rowsOutside,
                                         bool prefetch, bool copy, bool widen,
                                         bool byElement, int64_t singleRow,
                                         int64_t twoRows, bool) {
  if (failed(checkNumber(emitError, "rows", rows, 1)) ||
      failed(checkNumber(emitError, "columns", columns, 1)) ||
      failed(checkNumber(emitError, "depth", depth, 0)) ||
      failed(checkNumber(emitError, "block", block, 0)) ||
      failed(checkNumber(emitError, "single_row", singleRow, 0)) ||
      failed(checkNumber(emitError, "two_rows", twoRows, 0)))
    return failure();
  if (depth && !block)
    return emitError() << "depth is " << depth
                       << ", expected a block of rows with it";
  if (rowsOutside && !block)
    return emitError() << "rows_outside is set, expected a block of rows";
  if (singleRow && copy)
    return emitError() << "single_row is " << singleRow
                       << ", expected none with copy";
  if (twoRows && !singleRow)
    return emitError() << "two_rows is " << twoRows
                       << ", expected single_row with it";
  return success();
}

LogicalResult MatmulScheduleAttr::verifyFor(Operation *op,
                                            EmitError emitError) const {
  auto matmul = castOrReport<MatmulOp>(op, *this, emitError);
  if (!matmul)
    return failure();
  int64_t panel = matmul.getPanelWidth();
  if (panel && !isWholePanels(getColumns(), panel))
    return emitError() << "has a schedule of " << getColumns()
                       << " columns, expected whole panels of " << panel
                       << " or a part of one";
  if (panel && getCopy())
    return emitError() << "has a schedule that copies packed columns";
  bool isOpen =
      ShapedType::isDynamic(matmul.getLoopExtent(matmul.getNumBatchLoops()));
  auto isOfFew = [&](int64_t columns) {
    return isOpen && panel && isWholePanels(columns, panel) &&
           columns % getColumns() == 0;
  };
  for (auto [columns, rows] :
       {std::pair(getSingleRow(), "a single row"), {getTwoRows(), "two rows"}})
    if (columns && !isOfFew(columns))
      return emitError() << "has a schedule for " << rows << " of " << columns
                         << " columns, expected an open number of rows, and "
                            "whole tiles and panels or a part of one";
  if (getEachRest() && !isOpen)
    return emitError() << "has a schedule with tiles for each rest, expected "
                          "an open number of rows";
  if (!getWiden())
    return success();
  if (!panel || getColumns() % panel != 0 ||
      !isHalf(getElementTypeOrSelf(matmul.getRhs().getType())) ||
      ShapedType::isDynamic(
          matmul.getLoopExtent(matmul.getNumBatchLoops() + 2)))
    return emitError() << "has a schedule that widens, expected whole panels "
                          "of halves and a known number of steps";
  return success();
}

void MatmulScheduleAttr::describe(Say say) const {
  say("tile", Twine(getRows()) + " x " + Twine(getColumns()));
  sayNumber(say, "depth", getDepth());
  sayNumber(say, "block", getBlock());
  sayFlag(say, "rows_outside", getRowsOutside());
  sayFlag(say, "prefetch", getPrefetch());
  sayFlag(say, "copy", getCopy());
  sayFlag(say, "widen", getWiden());
  sayFlag(say, "by_element", getByElement());
  if (getSingleRow())
    say("tile of a single row", Twine(getSingleRow()));
  if (getTwoRows())
    say("tile of two rows", Twine(getTwoRows()));
  sayFlag(say, "each_rest", getEachRest());
}

SmallVector<SmallVector<int64_t>> MatmulScheduleAttr::getParts() const {
  return {{getRows(), getColumns()},
          {getDepth(), getBlock(), getRowsOutside()},
          {getPrefetch()},
          {getCopy()},
          {getWiden()},
          {getByElement()},
          {getSingleRow(), getTwoRows()},
          {getEachRest()}};
}

//===----------------------------------------------------------------------===//
// ConvScheduleAttr
//===----------------------------------------------------------------------===//

LogicalResult ConvScheduleAttr::verify(EmitError emitError, int64_t rows,
                                       int64_t columns, int64_t blocks,
                                       int64_t depth, bool prefetchFilter,
                                       bool prefetchImage, bool widen,
                                       bool byElement, bool) {
  return success(succeeded(checkNumber(emitError, "rows", rows, 1)) &&
                 succeeded(checkNumber(emitError, "columns", columns, 1)) &&
                 succeeded(checkNumber(emitError, "blocks", blocks, 0)) &&
                 succeeded(checkNumber(emitError, "depth", depth, 0)));
}

LogicalResult ConvScheduleAttr::verifyFor(Operation *op,
                                          EmitError emitError) const {
  auto conv = castOrReport<ConvOp>(op, *this, emitError);
  if (!conv)
    return failure();
  if (getPrefetchBlocks() && (conv.isDepthwise() || !conv.isImageBlocked()))
    return emitError() << "has a schedule that fetches blocks of channels "
                          "ahead, expected a blocked image, and sums over them";
  if (!getBlocks())
    return success();
  if (conv.isDepthwise() || !isWholePanels(getBlocks(), conv.getPanelBlocks()))
    return emitError() << "has a schedule of " << getBlocks()
                       << " blocks of channels, expected whole panels or a "
                          "part of one";
  return success();
}

void ConvScheduleAttr::describe(Say say) const {
  say("tile", Twine(getRows()) + " x " + Twine(getColumns()));
  sayNumber(say, "blocks", getBlocks());
  sayNumber(say, "depth", getDepth());
  sayFlag(say, "prefetch_filter", getPrefetchFilter());
  sayFlag(say, "prefetch_image", getPrefetchImage());
  sayFlag(say, "widen", getWiden());
  sayFlag(say, "by_element", getByElement());
  sayFlag(say, "prefetch_blocks", getPrefetchBlocks());
}

SmallVector<SmallVector<int64_t>> ConvScheduleAttr::getParts() const {
  return {{getRows(), getColumns(), getBlocks()},
          {getDepth()},
          {getPrefetchFilter()},
          {getPrefetchImage()},
          {getWiden()},
          {getByElement()},
          {getPrefetchBlocks()}};
}

//===----------------------------------------------------------------------===//
// WinogradScheduleAttr
//===----------------------------------------------------------------------===//

LogicalResult WinogradScheduleAttr::verify(EmitError emitError, int64_t squares,
                                           int64_t blocks, int64_t depth,
                                           int64_t run, bool weightsFirst,
                                           int64_t squareCost,
                                           int64_t fixedCost,
                                           ScheduleInterface direct) {
  if (isa_and_nonnull<WinogradScheduleAttr>(direct))
    return emitError() << "expected another schedule for direct sums";
  // So that no number of pixels in memory overflows with it.
  constexpr int64_t most = 1 << 16;
  for (int64_t cost : {squareCost, fixedCost})
    if (cost < 0 || cost > most)
      return emitError() << "a cost is " << cost << ", expected 0 to " << most;
  return success(succeeded(checkNumber(emitError, "squares", squares, 1)) &&
                 succeeded(checkNumber(emitError, "blocks", blocks, 1)) &&
                 succeeded(checkNumber(emitError, "depth", depth, 1)) &&
                 succeeded(checkNumber(emitError, "run", run, 1)));
}

/// What a schedule of minimal filtering has to do with either kernel: `sizes`
/// are those of image and result, `channels` elements of which blocks have
/// `block`, and the filter's panels have `panelBlocks` blocks.
static LogicalResult verifyFiltering(WinogradScheduleAttr schedule,
                                     Operation *op, EmitError emitError,
                                     ArrayRef<ArrayRef<int64_t>> sizes,
                                     int64_t channels, int64_t block,
                                     int64_t panelBlocks) {
  ScheduleInterface direct = schedule.getDirect();
  if (!direct && llvm::any_of(sizes, ShapedType::isDynamicShape))
    return emitError() << "has a schedule of Winograd's filtering alone, "
                          "expected known sizes of image and result";
  if (direct && failed(direct.verifyFor(op, emitError)))
    return failure();
  int64_t depth = schedule.getDepth();
  if (channels % depth != 0 || (depth != channels && depth % block != 0))
    return emitError() << "has a schedule of " << depth << " of " << channels
                       << " channels at a time, expected equal shares of "
                          "whole blocks";
  if (!isWholePanels(schedule.getBlocks(), panelBlocks))
    return emitError() << "has a schedule of " << schedule.getBlocks()
                       << " blocks of channels, expected whole panels or a "
                          "part of one";
  return success();
}

LogicalResult WinogradScheduleAttr::verifyFor(Operation *op,
                                              EmitError emitError) const {
  if (auto dot = dyn_cast<IntegerDotOp>(op)) {
    if (!dot.getLargestSum())
      return emitError() << "has a schedule of Winograd's filtering, but no "
                            "largest_sum";
    if (*dot.getLargestSum() > IntegerDotOp::kLargestFilteredSum)
      return emitError() << "has a schedule of Winograd's filtering, but sums "
                            "of more than 26 bits";
    // Weights are transformed by dot products of two pairs, pixels by vectors,
    // of the target's lanes, of which the shortest have four.
    constexpr int64_t kFewestLanes = 4;
    if (getDepth() % 2 != 0 || getDepth() < kFewestLanes)
      return emitError() << "has a schedule of " << getDepth()
                         << " pairs of channels at a time, expected an even "
                            "number, and 4 at least";
    auto image = cast<ShapedType>(dot.getImage().getType()),
         result = cast<ShapedType>(dot.getInit().getType());
    return verifyFiltering(
        *this, op, emitError,
        {image.getShape().slice(1, 2), result.getShape().slice(1, 2)},
        dot.countPairs(), /*block=*/1,
        /*panelBlocks=*/1);
  }
  auto conv = castOrReport<ConvOp>(op, *this, emitError);
  if (!conv)
    return failure();
  if (!conv.getWinogradError())
    return emitError() << "has a schedule of Winograd's filtering, but no "
                          "winograd_error";
  if (int64_t ofGroup = conv.getFilters() / conv.getGroup();
      conv.getGroup() > 1 && ofGroup % (getBlocks() * conv.getBlock()) != 0)
    return emitError() << "has a schedule of " << getBlocks()
                       << " blocks of channels, expected a part of those of "
                          "each group";
  return verifyFiltering(
      *this, op, emitError,
      {cast<ShapedType>(conv.getImage().getType()).getShape().drop_front(2),
       cast<ShapedType>(conv.getInit().getType()).getShape().drop_front(2)},
      conv.getGroupChannels(), conv.getBlock(), conv.getPanelBlocks());
}

void WinogradScheduleAttr::describe(Say say) const {
  say("winograd", "minimal filtering");
  say("tile", Twine(getSquares()) + " x " + Twine(getBlocks()));
  sayNumber(say, "depth", getDepth());
  sayNumber(say, "run", getRun());
  sayFlag(say, "weights first", getWeightsFirst());
  if (getDirect())
    say("unless small", "as defined");
}

SmallVector<SmallVector<int64_t>> WinogradScheduleAttr::getParts() const {
  return {{getSquares(), getBlocks()},
          {getDepth()},
          {getRun(), getWeightsFirst()},
          {getSquareCost(), getFixedCost()}};
}

//===----------------------------------------------------------------------===//
// IntegerDotScheduleAttr
//===----------------------------------------------------------------------===//

LogicalResult IntegerDotScheduleAttr::verify(EmitError emitError, int64_t rows,
                                             int64_t panels, int64_t prepared,
                                             bool byElement, bool blocks,
                                             bool tiles) {
  return success(succeeded(checkNumber(emitError, "rows", rows, 1)) &&
                 succeeded(checkNumber(emitError, "panels", panels, 1)) &&
                 succeeded(checkNumber(emitError, "prepared", prepared, 0)));
}

LogicalResult IntegerDotScheduleAttr::verifyFor(Operation *op,
                                                EmitError emitError) const {
  return success(castOrReport<IntegerDotOp>(op, *this, emitError) != nullptr);
}

void IntegerDotScheduleAttr::describe(Say say) const {
  say("rows", Twine(getRows()));
  say("panels", Twine(getPanels()));
  sayNumber(say, "prepared", getPrepared());
  sayFlag(say, "by_element", getByElement());
  sayFlag(say, "blocks", getBlocks());
  sayFlag(say, "tiles", getTiles());
}

SmallVector<SmallVector<int64_t>> IntegerDotScheduleAttr::getParts() const {
  return {{getRows(), getPanels()},
          {getPrepared()},
          {getByElement()},
          {getBlocks()},
          {getTiles()}};
}

//===----------------------------------------------------------------------===//
// BlockMatmulScheduleAttr
//===----------------------------------------------------------------------===//

LogicalResult BlockMatmulScheduleAttr::verify(EmitError emitError, int64_t rows,
                                              int64_t wideRows,
                                              int64_t nearRows, int64_t depth,
                                              bool) {
  if (failed(checkNumber(emitError, "rows", rows, 1)) ||
      failed(checkNumber(emitError, "wide_rows", wideRows, 1)) ||
      failed(checkNumber(emitError, "near_rows", nearRows, 0)) ||
      failed(checkNumber(emitError, "depth", depth, 0)))
    return failure();
  if (depth && !nearRows)
    return emitError() << "depth is " << depth
                       << ", expected near_rows with it";
  return success();
}

LogicalResult BlockMatmulScheduleAttr::verifyFor(Operation *op,
                                                 EmitError emitError) const {
  auto matmul = castOrReport<BlockMatmulOp>(op, *this, emitError);
  if (!matmul)
    return failure();
  // Pieces have whole blocks, or, of one block, whole words.
  int64_t block = matmul.getBlock(),
          unit = block < matmul.getSteps() ? block : matmul.getPerWord();
  if (getDepth() % unit != 0)
    return emitError() << "has a schedule of " << getDepth()
                       << " steps at a time, expected a multiple of " << unit;
  return success();
}

void BlockMatmulScheduleAttr::describe(Say say) const {
  say("rows", Twine(getRows()));
  say("wide_rows", Twine(getWideRows()));
  sayNumber(say, "near_rows", getNearRows());
  sayNumber(say, "depth", getDepth());
  sayFlag(say, "tiles", getTiles());
}

SmallVector<SmallVector<int64_t>> BlockMatmulScheduleAttr::getParts() const {
  return {
      {getRows()}, {getWideRows()}, {getNearRows(), getDepth()}, {getTiles()}};
}

//===----------------------------------------------------------------------===//
// BlockDotScheduleAttr
//===----------------------------------------------------------------------===//

LogicalResult BlockDotScheduleAttr::verify(EmitError emitError, int64_t rows,
                                           int64_t nearRows, bool, bool) {
  return success(succeeded(checkNumber(emitError, "rows", rows, 1)) &&
                 succeeded(checkNumber(emitError, "near_rows", nearRows, 0)));
}

LogicalResult BlockDotScheduleAttr::verifyFor(Operation *op,
                                              EmitError emitError) const {
  auto dot = castOrReport<BlockDotOp>(op, *this, emitError);
  if (!dot)
    return failure();
  if (getTiles() && !dot.fillsTiles())
    return emitError() << "has a schedule of tile registers, expected blocks "
                          "of 16, 32 or a multiple of 64 steps";
  return success();
}

void BlockDotScheduleAttr::describe(Say say) const {
  say("rows", Twine(getRows()));
  sayNumber(say, "near_rows", getNearRows());
  sayFlag(say, "tiles", getTiles());
  sayFlag(say, "split", getSplit());
}

SmallVector<SmallVector<int64_t>> BlockDotScheduleAttr::getParts() const {
  return {{getRows()}, {getNearRows()}, {getTiles()}, {getSplit()}};
}
