//===- IntegerDotSchedule.cpp - The decision on one product ---------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IntegerDotSchedule.h"
#include "DotWinogradSchedule.h"
#include "onnxc/Support/SaturatingInt.h"
#include "onnxc/Target/Instructions.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace onnxc;

bool onnxc::dotsBytes(kernel::IntegerDotOp op, TargetAttr target) {
  return !op.isImageWidened() &&
         supports(target, op.getImageSigned() ? Capability::DotSignedBytes
                                              : Capability::DotBytes);
}

bool onnxc::multipliesBytes(kernel::IntegerDotOp op, TargetAttr target) {
  return !op.isImageWidened() &&
         (dotsBytes(op, target) ||
          ((op.getWide() || op.getNarrowPairs()) &&
           supports(target, Capability::MultiplyBytes)));
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

const Instruction *onnxc::findMultiplyTiles(kernel::IntegerDotOp op,
                                            TargetAttr target) {
  if (op.getImageSigned())
    return nullptr;
  return findInstruction(target, Capability::MultiplyTiles,
                         target.getVectorBytes());
}

bool onnxc::isOfTiles(kernel::IntegerDotOp op, TargetAttr target) {
  return !op.getDepthwise() && op.getGroup() == 4 && !op.isImageWidened() &&
         dotsBytes(op, target) && findMultiplyTiles(op, target);
}

/// Whether the epilogue reads a table of bytes by shuffles, which take as long
/// for a whole register.
static bool hasShuffledTable(kernel::IntegerDotOp op, TargetAttr target) {
  return supports(target, Capability::ShuffleBytes) &&
         !supports(target, Capability::PermuteBytes) &&
         llvm::any_of(op.getEpilogue().front().getOps<kernel::LookupOp>(),
                      [](kernel::LookupOp table) {
                        return table.getType().isInteger(8);
                      });
}

int64_t onnxc::countJoinedVectors(kernel::IntegerDotOp op, TargetAttr target) {
  constexpr int64_t kElements = 16;
  int64_t lanes = target.getVectorBytes() / 4;
  if (hasShuffledTable(op, target))
    return target.getVectorBytes() / lanes;
  Type element = getElementTypeOrSelf(op.getInit().getType());
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() > 16)
    return 1;
  return std::max<int64_t>(kElements / lanes, 1);
}

int64_t onnxc::countTableRows(kernel::IntegerDotOp op, int64_t vectors,
                              TargetAttr target) {
  return hasShuffledTable(op, target)
             ? std::max<int64_t>(countJoinedVectors(op, target) / vectors, 1)
             : 1;
}

/// Of each group.
static int64_t countColumns(kernel::IntegerDotOp op) {
  return cast<ShapedType>(op.getInit().getType()).getShape().back() /
         int64_t(op.getGroups());
}

int64_t onnxc::selectTileVectors(bool isProduct, int64_t columns,
                                 TargetAttr target) {
  // Of few registers three vectors leave too few rows: weights are read too
  // often.
  constexpr int64_t kManyRegisters = 32;
  int64_t lanes = target.getVectorBytes() / 4;
  return isProduct && columns % (3 * lanes) == 0 &&
                 target.getRegisters() >= kManyRegisters
             ? 3
             : 2;
}

/// Panels that are packed for processors with shorter vectors, or for several,
/// may be of one vector.
static int64_t selectPanels(kernel::IntegerDotOp op, TargetAttr target) {
  int64_t lanes = target.getVectorBytes() / 4,
          vectors = op.getPanelWidth() / lanes, columns = countColumns(op);
  if (vectors != 1 || columns <= lanes)
    return 1;
  return selectTileVectors(op.getNumSpatial() == 0, columns, target);
}

bool onnxc::paysToWidenImage(kernel::IntegerDotOp op, TargetAttr target) {
  if (op.getDepthwise() || op.getGroup() != 4 || op.getImageSigned() ||
      op.isImageWidened() || multipliesBytes(op, target) ||
      !supports(target, Capability::MultiplyPairs) ||
      selectWinograd(op, target))
    return false;
  // A byte is widened once for each tile of columns and tap that reads it, or
  // before, with a load and a store more.
  constexpr int64_t kLeastReads = 4;
  int64_t lanes = target.getVectorBytes() / 4,
          width = op.getPanelWidth() * selectPanels(op, target);
  SaturatingInt reads =
      llvm::divideCeil(std::max(countColumns(op), lanes), width);
  ArrayRef<int64_t> filter =
      cast<ShapedType>(op.getFilter().getType()).getShape();
  for (unsigned i = 0; i < op.getNumSpatial(); ++i)
    reads *= filter[1 + i];
  SaturatingInt strides = 1;
  for (int64_t stride : op.getStrides())
    strides *= stride;
  return reads >= strides * kLeastReads;
}

/// From how many rows on the weights of a tile's columns are prepared.
static int64_t selectPrepared(kernel::IntegerDotOp op, TargetAttr target,
                              int64_t rows) {
  bool describes = (op.getWide() || op.getOrder()) && !dotsBytes(op, target) &&
                   multipliesBytes(op, target);
  if (!op.isImageWidened() && !describes)
    return 0;
  // A tile of rows saves about as much as it takes to store and load what was
  // prepared.
  constexpr int64_t kLeastTiles = 4;
  return kLeastTiles * rows;
}

kernel::IntegerDotScheduleAttr onnxc::selectSchedule(kernel::IntegerDotOp op,
                                                     TargetAttr target) {
  int64_t lanes = target.getVectorBytes() / 4, vectors = 1, panels = 1;
  if (!op.getDepthwise()) {
    int64_t ofPanel = op.getPanelWidth() / lanes;
    panels = selectPanels(op, target);
    vectors = ofPanel * panels;
  }
  bool hasDots =
      !op.getDepthwise() && op.getGroup() == 4 && dotsBytes(op, target);
  bool byElement = hasDots && supports(target, Capability::ByElement),
       blocks = hasDots && isOfBlocks(op, target),
       tiles = isOfTiles(op, target);
  auto withRows = [&](int64_t rows) {
    return kernel::IntegerDotScheduleAttr::get(op.getContext(), rows, panels,
                                               selectPrepared(op, target, rows),
                                               byElement, blocks, tiles);
  };
  // Each register of columns is multiplied by two of rows, if there are enough
  // registers.
  if (tiles)
    return withRows(32);
  int64_t left = target.getRegisters() - 1;
  if (blocks)
    return withRows(std::max<int64_t>((left - 2 * vectors) / (vectors + 1), 2) /
                    2 * 2);
  if (byElement)
    return withRows(std::max<int64_t>((left - vectors) / (vectors + 1), 1));
  // Weights, what is made of the image, and the product.
  int64_t temporaries = vectors + 2;
  if (op.getDepthwise() && op.getNumSpatial() > 0) {
    // The weights of a row of the window, but no more than half of the
    // registers.
    auto filter = cast<ShapedType>(op.getFilter().getType());
    temporaries =
        2 + std::min<int64_t>(filter.getDimSize(op.getNumSpatial() - 1),
                              target.getRegisters() / 2 - 2);
  } else if (op.getGroup() == 1) {
    temporaries = vectors + 3;
  } else if (op.isImageWidened()) {
    // Two products may wait to be added: where sums take all registers but
    // four, LLVM keeps some of them on the stack in the loop. Short vectors
    // lose more if weights are read more often.
    constexpr int64_t kShortBytes = 16;
    temporaries = vectors + (target.getVectorBytes() > kShortBytes ? 3 : 2);
  } else if (!op.getDepthwise() && !multipliesBytes(op, target)) {
    temporaries = 2 * vectors + 3;
  } else if (!op.getDepthwise() && !dotsBytes(op, target)) {
    // Of an order, weights of two dot products, and more of what is made.
    bool isOrdered = op.getOrder() && panels == 1;
    temporaries = isOrdered ? 2 * vectors + 4 : vectors + 3;
  }
  int64_t rows = std::clamp<int64_t>(
      (target.getRegisters() - temporaries) / vectors, 1, 14);
  int64_t ofTable = countTableRows(op, vectors, target);
  return withRows(rows > ofTable ? rows / ofTable * ofTable : rows);
}
