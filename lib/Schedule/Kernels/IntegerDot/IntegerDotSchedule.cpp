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
  // Weights, what is made of the image, and the product.
  int64_t temporaries = vectors + 2;
  if (op.getGroup() == 1)
    temporaries = vectors + 3;
  else if (!op.getDepthwise() && !multipliesBytes(op, target))
    temporaries = 2 * vectors + 3;
  else if (!op.getDepthwise() && !dotsBytes(op, target))
    temporaries = vectors + 3;
  int64_t rows = std::clamp<int64_t>(
      (target.getRegisters() - temporaries) / vectors, 1, 14);
  return kernel::IntegerDotScheduleAttr::get(op.getContext(), rows, panels);
}
