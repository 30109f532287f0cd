//===- IntegerDotSchedule.cpp - The decision on one product ---------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IntegerDotSchedule.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Target/Instructions.h"

#include <algorithm>

using namespace mlir;
using namespace onnxc;

DictionaryAttr IntegerDotSchedule::toAttr(MLIRContext *ctx) const {
  Builder b(ctx);
  return b.getDictionaryAttr(
      {b.getNamedAttr("panels", b.getI64IntegerAttr(panels)),
       b.getNamedAttr("rows", b.getI64IntegerAttr(rows))});
}

std::optional<IntegerDotSchedule>
IntegerDotSchedule::fromOp(kernel::IntegerDotOp op) {
  auto dict = op->getAttrOfType<DictionaryAttr>(program::schedule);
  if (!dict)
    return std::nullopt;
  IntegerDotSchedule schedule;
  for (auto [name, value] : {std::pair("panels", &schedule.panels),
                             std::pair("rows", &schedule.rows)}) {
    auto number = dict.getAs<IntegerAttr>(name);
    if (!number || number.getInt() < 1)
      return std::nullopt;
    *value = number.getInt();
  }
  return schedule;
}

bool onnxc::dotsBytes(kernel::IntegerDotOp op, TargetAttr target) {
  return supports(target, op.getImageSigned() ? Capability::DotSignedBytes
                                              : Capability::DotBytes);
}

bool onnxc::multipliesBytes(kernel::IntegerDotOp op, TargetAttr target) {
  return dotsBytes(op, target) || ((op.getWide() || op.getNarrowPairs()) &&
                                   supports(target, Capability::MultiplyBytes));
}

/// Panels that are packed for processors with shorter vectors, or for several,
/// may be of one vector; a tile is of two or, without a window, of three.
static int64_t selectPanels(kernel::IntegerDotOp op, int64_t lanes) {
  int64_t vectors = op.getPanelWidth() / lanes,
          columns = cast<ShapedType>(op.getInit().getType()).getShape().back() /
                    int64_t(op.getGroups());
  if (vectors != 1 || columns <= lanes)
    return 1;
  return op.getNumSpatial() == 0 && columns % (3 * lanes) == 0 ? 3 : 2;
}

IntegerDotSchedule IntegerDotSchedule::select(kernel::IntegerDotOp op,
                                              TargetAttr target) {
  IntegerDotSchedule schedule;
  int64_t lanes = target.getVectorBytes() / 4, vectors = 1;
  if (!op.getDepthwise()) {
    int64_t ofPanel = op.getPanelWidth() / lanes;
    schedule.panels = selectPanels(op, lanes);
    vectors = ofPanel * schedule.panels;
  }
  // Weights, what is made of the image, and the product.
  int64_t temporaries = vectors + 2;
  if (op.getGroup() == 1)
    temporaries = vectors + 3;
  else if (!op.getDepthwise() && !multipliesBytes(op, target))
    temporaries = 2 * vectors + 3;
  else if (!op.getDepthwise() && !dotsBytes(op, target))
    temporaries = vectors + 3;
  schedule.rows = std::clamp<int64_t>(
      (target.getRegisters() - temporaries) / vectors, 1, 14);
  return schedule;
}
