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
  SmallVector<NamedAttribute> parts{
      b.getNamedAttr("panels", b.getI64IntegerAttr(panels)),
      b.getNamedAttr("rows", b.getI64IntegerAttr(rows))};
  if (byElement)
    parts.push_back(b.getNamedAttr("by_element", b.getUnitAttr()));
  if (blocks)
    parts.push_back(b.getNamedAttr("blocks", b.getUnitAttr()));
  return b.getDictionaryAttr(parts);
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
  schedule.byElement = dict.contains("by_element");
  schedule.blocks = dict.contains("blocks");
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

const Instruction *onnxc::findMultiplyBlocks(kernel::IntegerDotOp op,
                                             TargetAttr target) {
  return findInstruction(target,
                         op.getImageSigned() ? Capability::MultiplySignedBlocks
                                             : Capability::MultiplyBlocks,
                         target.getVectorBytes());
}

bool onnxc::isOfBlocks(kernel::IntegerDotOp op, TargetAttr target) {
  // Eight channels are two dot products.
  auto filter = cast<ShapedType>(op.getFilter().getType());
  return !op.getDepthwise() && op.getGroup() == 4 &&
         filter.getDimSize(op.getNumSpatial() + 1) % 2 == 0 &&
         findMultiplyBlocks(op, target);
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
  bool hasDots =
      !op.getDepthwise() && op.getGroup() == 4 && dotsBytes(op, target);
  schedule.byElement = hasDots && supports(target, Capability::ByElement);
  schedule.blocks = hasDots && isOfBlocks(op, target);
  int64_t left = target.getRegisters() - 1;
  if (schedule.blocks)
    schedule.rows =
        std::max<int64_t>((left - 2 * vectors) / (vectors + 1), 2) / 2 * 2;
  else if (schedule.byElement)
    schedule.rows = std::max<int64_t>((left - vectors) / (vectors + 1), 1);
  if (schedule.blocks || schedule.byElement)
    return schedule;
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
