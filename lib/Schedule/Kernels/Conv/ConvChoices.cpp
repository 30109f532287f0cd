//===- ConvChoices.cpp - Schedules that a convolution may have ------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile decides which sums grow side by side, and not in which order one takes
// its products. Whether a convolution is filtered, and how many channels are
// multiplied at a time then, changes roundings: that stays as it was decided.
//
//===----------------------------------------------------------------------===//

#include "ConvSchedule.h"
#include "Kernels/Winograd/FilteringChoice.h"
#include "WinogradSchedule.h"
#include "onnxc/Schedule/Tuning.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc;

std::string onnxc::getTuningKey(kernel::ConvOp op, TargetAttr target) {
  std::string key =
      makeTuningKey(cast<kernel::KernelOpInterface>(op.getOperation()));
  return selectWinograd(op, target) ? key + " winograd" : key;
}

/// Blocks of channels of a tile: whole panels, or a part of one. What widens
/// halves widens whole ones.
static SmallVector<int64_t> listBlocks(kernel::ConvOp op, TargetAttr target) {
  int64_t panel = op.getPanelBlocks(),
          ofGroup = llvm::divideCeil(int64_t(op.getFilters() / op.getGroup()),
                                     op.getBlock());
  bool isHalf = !getElementTypeOrSelf(op.getFilter().getType()).isF32();
  SmallVector<int64_t> list;
  for (int64_t blocks = 1; blocks <= 8; ++blocks) {
    bool isPart = panel % blocks == 0 && !isHalf,
         isWhole = blocks % panel == 0 && blocks <= ofGroup &&
                   (op.getGroup() == 1 || ofGroup % blocks == 0);
    if ((blocks == panel || isPart || isWhole) &&
        2 * blocks + 1 <= target.getRegisters())
      list.push_back(blocks);
  }
  return list;
}

/// All input channels at once, or equal parts of them.
static SmallVector<int64_t> listDepths(kernel::ConvOp op, int64_t decided) {
  llvm::SmallSetVector<int64_t, 4> list;
  list.insert(0);
  list.insert(decided);
  bool isPlain = op.isImageBlocked() && !op.getSpread() && op.getGroup() == 1;
  int64_t all = isPlain ? op.getChannels() / op.getBlock() : 0;
  for (int64_t channels : {32, 128, 256, 512})
    if (int64_t most = channels / op.getBlock(); most > 0 && all > most)
      list.insert(llvm::divideCeil(all, llvm::divideCeil(all, most)));
  return list.takeVector();
}

void onnxc::visitChoices(kernel::ConvOp op, TargetAttr target,
                         function_ref<void(kernel::ScheduleInterface)> visit) {
  if (kernel::WinogradScheduleAttr filtering = selectWinograd(op, target))
    return winograd::visitFilterings(filtering, listBlocks(op, target),
                                     target.getRegisters() - 1, visit);
  kernel::ConvScheduleAttr basis = selectSchedule(op, target);
  auto result = cast<ShapedType>(op.getInit().getType());
  int64_t extent = result.getDimSize(op.getNumSpatial() + 1);
  if (op.isDepthwise()) {
    int64_t most = op.getMaximum() ? basis.getColumns() : 14;
    for (int64_t columns : listCounts(extent, most))
      visit(kernel::ConvScheduleAttr::get(
          op.getContext(), 1, columns, 0, 0, basis.getPrefetchFilter(),
          basis.getPrefetchImage(), basis.getWiden(), basis.getByElement(),
          basis.getPrefetchBlocks()));
    return;
  }
  for (int64_t blocks : listBlocks(op, target)) {
    int64_t left = target.getRegisters() - blocks - 1,
            each = basis.getByElement() ? blocks + 1 : blocks,
            most = std::max<int64_t>(left / each, 1);
    bool isOwn = !target.getLayout() && blocks == op.getPanelBlocks();
    for (int64_t columns : listCounts(extent, most)) {
      SmallVector<int64_t> rows{1};
      if (basis.getRows() > 1 && !ShapedType::isDynamic(extent) &&
          columns >= extent)
        for (int64_t count = 2; count <= 2 * basis.getRows(); ++count)
          if (count * extent <= most)
            rows.push_back(count);
      for (int64_t count : rows)
        for (bool filter : {false, true})
          for (bool image : {false, true})
            if ((!filter || basis.getPrefetchFilter()) &&
                (!image || isPointwise(op)))
              for (int64_t depth : listDepths(op, basis.getDepth()))
                visit(kernel::ConvScheduleAttr::get(
                    op.getContext(), count, columns, isOwn ? 0 : blocks, depth,
                    filter, image, basis.getWiden(), basis.getByElement(),
                    basis.getPrefetchBlocks()));
    }
  }
}
