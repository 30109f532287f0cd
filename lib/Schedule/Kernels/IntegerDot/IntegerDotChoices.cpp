//===- IntegerDotChoices.cpp - Schedules that a product may have ----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sums are integers: they are the same in any order.
//
//===----------------------------------------------------------------------===//

#include "DotWinogradSchedule.h"
#include "IntegerDotSchedule.h"
#include "Kernels/Winograd/FilteringChoice.h"
#include "onnxc/Schedule/Tuning.h"

using namespace mlir;
using namespace onnxc;

std::string onnxc::getTuningKey(kernel::IntegerDotOp op, TargetAttr target) {
  std::string key =
      makeTuningKey(cast<kernel::KernelOpInterface>(op.getOperation()));
  return selectWinograd(op, target) ? key + " winograd" : key;
}

void onnxc::visitChoices(kernel::IntegerDotOp op, TargetAttr target,
                         function_ref<void(kernel::ScheduleInterface)> visit) {
  int64_t lanes = target.getVectorBytes() / 4;
  if (kernel::WinogradScheduleAttr filtering = selectWinograd(op, target)) {
    SmallVector<int64_t> blocks{1};
    if (filtering.getBlocks() > 1)
      blocks.push_back(filtering.getBlocks());
    winograd::visitFilterings(filtering, blocks, target.getRegisters() - 1,
                              visit);
  }
  kernel::IntegerDotScheduleAttr basis = selectSchedule(op, target);
  int64_t vectors = 1;
  if (!op.getDepthwise())
    vectors = op.getPanelWidth() / lanes;
  constexpr int64_t mostRows = 14, mostVectors = 4;
  // Pairs of rows meet blocks of weights.
  int64_t step = basis.getBlocks() ? 2 : 1;
  SmallVector<int64_t> panels{basis.getPanels()};
  if (!op.getDepthwise())
    for (int64_t count = 1; count * vectors <= mostVectors; ++count)
      if (count != basis.getPanels())
        panels.push_back(count);
  for (int64_t count : panels) {
    if (basis.getTiles())
      for (int64_t rows : {16, 32})
        visit(kernel::IntegerDotScheduleAttr::get(
            op.getContext(), rows, count,
            /*prepared=*/0, /*by_element=*/false,
            /*blocks=*/false, /*tiles=*/true));
    int64_t most = std::min(mostRows, target.getRegisters() /
                                          (count * vectors) / step * step);
    for (int64_t rows = step; rows <= most; rows += step) {
      SmallVector<int64_t> prepared{0};
      if (basis.getPrepared())
        for (int64_t tiles : {2, 4, 8})
          prepared.push_back(tiles * rows);
      for (int64_t from : prepared)
        visit(kernel::IntegerDotScheduleAttr::get(
            op.getContext(), rows, count, from, basis.getByElement(),
            basis.getBlocks(), /*tiles=*/false));
    }
  }
}
