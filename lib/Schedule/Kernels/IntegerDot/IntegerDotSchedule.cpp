//===- IntegerDotSchedule.cpp - The decision on one product ---------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IntegerDotSchedule.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"

#include <algorithm>

using namespace mlir;
using namespace onnxc;

DictionaryAttr IntegerDotSchedule::toAttr(MLIRContext *ctx) const {
  Builder b(ctx);
  return b.getDictionaryAttr(
      {b.getNamedAttr("rows", b.getI64IntegerAttr(rows))});
}

std::optional<IntegerDotSchedule>
IntegerDotSchedule::fromOp(kernel::IntegerDotOp op) {
  auto dict = op->getAttrOfType<DictionaryAttr>(program::schedule);
  if (!dict)
    return std::nullopt;
  IntegerDotSchedule schedule;
  for (auto [name, value] : {std::pair("rows", &schedule.rows)}) {
    auto number = dict.getAs<IntegerAttr>(name);
    if (!number || number.getInt() < 1)
      return std::nullopt;
    *value = number.getInt();
  }
  return schedule;
}

IntegerDotSchedule IntegerDotSchedule::select(kernel::IntegerDotOp op,
                                              TargetAttr target) {
  int64_t lanes = target.getVectorBytes() / 4;
  int64_t vectors = op.getDepthwise() ? 1 : op.getPanelWidth() / lanes;
  int64_t temporaries = vectors + (op.getGroup() == 4 ? 2 : 3);
  IntegerDotSchedule schedule;
  schedule.rows = std::clamp<int64_t>(
      (target.getRegisters() - temporaries) / vectors, 1, 14);
  return schedule;
}
