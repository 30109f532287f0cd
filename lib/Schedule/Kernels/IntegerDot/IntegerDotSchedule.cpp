//===- IntegerDotSchedule.cpp - The decision on one product ---------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IntegerDotSchedule.h"
#include "onnxc/Target/Instructions.h"

#include <algorithm>

using namespace mlir;
using namespace onnxc;

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

kernel::IntegerDotScheduleAttr onnxc::selectSchedule(kernel::IntegerDotOp op,
                                                     TargetAttr target) {
  int64_t lanes = target.getVectorBytes() / 4, vectors = 1, panels = 1;
  if (!op.getDepthwise()) {
    int64_t ofPanel = op.getPanelWidth() / lanes;
    panels = selectPanels(op, lanes);
    vectors = ofPanel * panels;
  }
  bool hasDots =
      !op.getDepthwise() && op.getGroup() == 4 && dotsBytes(op, target);
  bool byElement = hasDots && supports(target, Capability::ByElement),
       blocks = hasDots && isOfBlocks(op, target);
  auto withRows = [&](int64_t rows) {
    return kernel::IntegerDotScheduleAttr::get(op.getContext(), rows, panels,
                                               byElement, blocks);
  };
  int64_t left = target.getRegisters() - 1;
  if (blocks)
    return withRows(std::max<int64_t>((left - 2 * vectors) / (vectors + 1), 2) /
                    2 * 2);
  if (byElement)
    return withRows(std::max<int64_t>((left - vectors) / (vectors + 1), 1));
  // Weights, what is made of the image, and the product.
  int64_t temporaries = vectors + 2;
  if (op.getGroup() == 1)
    temporaries = vectors + 3;
  else if (!op.getDepthwise() && !multipliesBytes(op, target))
    temporaries = 2 * vectors + 3;
  else if (!op.getDepthwise() && !dotsBytes(op, target))
    temporaries = vectors + 3;
  return withRows(std::clamp<int64_t>(
      (target.getRegisters() - temporaries) / vectors, 1, 14));
}
