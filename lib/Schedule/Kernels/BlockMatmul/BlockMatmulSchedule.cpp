//===- BlockMatmulSchedule.cpp - The decision on one product --------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockMatmulSchedule.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"

#include <algorithm>

using namespace mlir;
using namespace onnxc;

DictionaryAttr BlockMatmulSchedule::toAttr(MLIRContext *ctx) const {
  Builder b(ctx);
  return b.getDictionaryAttr(
      {b.getNamedAttr("rows", b.getI64IntegerAttr(rows)),
       b.getNamedAttr("wide_rows", b.getI64IntegerAttr(wideRows))});
}

std::optional<BlockMatmulSchedule>
BlockMatmulSchedule::fromOp(kernel::BlockMatmulOp op) {
  auto dict = op->getAttrOfType<DictionaryAttr>(program::schedule);
  if (!dict)
    return std::nullopt;
  BlockMatmulSchedule schedule;
  for (auto [name, value] : {std::pair("rows", &schedule.rows),
                             std::pair("wide_rows", &schedule.wideRows)}) {
    auto number = dict.getAs<IntegerAttr>(name);
    if (!number || number.getInt() < 1)
      return std::nullopt;
    *value = number.getInt();
  }
  return schedule;
}

BlockMatmulSchedule BlockMatmulSchedule::select(kernel::BlockMatmulOp,
                                                TargetAttr target) {
  // Beside the sums: the weights of one step, their scales, and a table; or the
  // weights alone.
  auto fit = [&](int64_t others) {
    return std::clamp<int64_t>(
        (target.getRegisters() - others) / BlockMatmulSchedule::vectors, 1, 12);
  };
  BlockMatmulSchedule schedule;
  schedule.rows = fit(2 + 2 * BlockMatmulSchedule::vectors);
  schedule.wideRows = fit(1 + BlockMatmulSchedule::vectors);
  return schedule;
}
