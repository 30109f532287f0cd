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
                                         bool byElement, int64_t singleRow) {
  if (failed(checkNumber(emitError, "rows", rows, 1)) ||
      failed(checkNumber(emitError, "columns", columns, 1)) ||
      failed(checkNumber(emitError, "depth", depth, 0)) ||
      failed(checkNumber(emitError, "block", block, 0)) ||
      failed(checkNumber(emitError, "single_row", singleRow, 0)))
    return failure();
  if (depth && !block)
    return emitError() << "depth is " << depth
                       << ", expected a block of rows with it";
  if (rowsOutside && !block)
    return emitError() << "rows_outside is set, expected a block of rows";
  if (singleRow && copy)
    return emitError() << "single_row is " << singleRow
                       << ", expected none with copy";
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
  if (int64_t single = getSingleRow();
      single &&
      (!panel || !isWholePanels(single, panel) || single % getColumns() != 0 ||
       !ShapedType::isDynamic(matmul.getLoopExtent(matmul.getNumBatchLoops()))))
    return emitError() << "has a schedule for a single row of " << single
                       << " columns, expected an open number of rows, and "
                          "whole tiles and panels or a part of one";
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
}

SmallVector<SmallVector<int64_t>> MatmulScheduleAttr::getParts() const {
  return {{getRows(), getColumns()},
          {getDepth(), getBlock(), getRowsOutside()},
          {getPrefetch()},
          {getCopy()},
          {getWiden()},
          {getByElement()},
          {getSingleRow()}};
}

//===----------------------------------------------------------------------===//
// ConvScheduleAttr
//===----------------------------------------------------------------------===//

LogicalResult ConvScheduleAttr::verify(EmitError emitError, int64_t rows,
                                       int64_t columns, int64_t blocks,
                                       int64_t depth, bool prefetchFilter,
                                       bool prefetchImage, bool widen,
                                       bool byElement) {
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
}

SmallVector<SmallVector<int64_t>> ConvScheduleAttr::getParts() const {
  return {{getRows(), getColumns(), getBlocks()},
          {getDepth()},
          {getPrefetchFilter()},
          {getPrefetchImage()},
          {getWiden()},
          {getByElement()}};
}

//===----------------------------------------------------------------------===//
// WinogradScheduleAttr
//===----------------------------------------------------------------------===//

LogicalResult WinogradScheduleAttr::verify(EmitError emitError, int64_t squares,
                                           int64_t blocks, int64_t depth,
                                           int64_t run, bool weightsFirst,
                                           int64_t squareCost,
                                           int64_t fixedCost,
                                           ConvScheduleAttr direct) {
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

LogicalResult WinogradScheduleAttr::verifyFor(Operation *op,
                                              EmitError emitError) const {
  auto conv = castOrReport<ConvOp>(op, *this, emitError);
  if (!conv)
    return failure();
  if (!conv.getWinogradError())
    return emitError() << "has a schedule of Winograd's filtering, but no "
                          "winograd_error";
  ArrayRef<int64_t>
      image =
          cast<ShapedType>(conv.getImage().getType()).getShape().drop_front(2),
      result =
          cast<ShapedType>(conv.getInit().getType()).getShape().drop_front(2);
  if (!getDirect() &&
      (ShapedType::isDynamicShape(image) || ShapedType::isDynamicShape(result)))
    return emitError() << "has a schedule of Winograd's filtering alone, "
                          "expected known sizes of image and result";
  if (getDirect() && failed(getDirect().verifyFor(op, emitError)))
    return failure();
  int64_t channels = conv.getChannels(), depth = getDepth();
  if (channels % depth != 0 ||
      (depth != channels && depth % conv.getBlock() != 0))
    return emitError() << "has a schedule of " << depth << " of " << channels
                       << " channels at a time, expected equal shares of "
                          "whole blocks";
  if (!isWholePanels(getBlocks(), conv.getPanelBlocks()))
    return emitError() << "has a schedule of " << getBlocks()
                       << " blocks of channels, expected whole panels or a "
                          "part of one";
  return success();
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
                                              int64_t nearRows, int64_t depth) {
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
}

SmallVector<SmallVector<int64_t>> BlockMatmulScheduleAttr::getParts() const {
  return {{getRows()}, {getWideRows()}, {getNearRows(), getDepth()}};
}

//===----------------------------------------------------------------------===//
// BlockDotScheduleAttr
//===----------------------------------------------------------------------===//

LogicalResult BlockDotScheduleAttr::verify(EmitError emitError, int64_t rows,
                                           int64_t nearRows, bool) {
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
}

SmallVector<SmallVector<int64_t>> BlockDotScheduleAttr::getParts() const {
  return {{getRows()}, {getNearRows()}, {getTiles()}};
}
