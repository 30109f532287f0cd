//===- WinogradEmitter.cpp - Convolutions by minimal filtering ------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The result is cut into squares (4 x 4 pixels, or 4 of a row or of a column if
// one axis of the window has several taps), of which the last ones of a row or
// a column may have fewer pixels. For each place of a transformed square there
// is a matrix product: squares by channels, times channels by filters.
//
// Of three dimensions, results are those of slices of the image, and the taps
// of a window along the depth meet shares of channels of their own: pixels of
// the slices before and behind. So do the parts that a window is cut into if it
// has more taps than are filtered at a time.
//
// Weights are transformed at run time, out of the panels that other schedules
// read: transformed ones would be four times as large as the model, and to load
// them takes longer than to make them. They are made once for all runs, or in
// each panel for all squares of a run.
//
//===----------------------------------------------------------------------===//

#include "ConvSchedule.h"
#include "ConvWinograd.h"
#include "WinogradSchedule.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::conv;
using namespace onnxc::winograd;

ConvWinograd::Sizes ConvWinograd::prepare() {
  prepareOperands(schedule.getBlocks());
  groups = op.getGroup();
  channels = op.getChannels() / groups;
  depth = schedule.getDepth();
  // no overflow: a tile's squares have at most some hundred times the elements
  // of the image and of the result, and a share's weights of those in memory
  sharesOfPart = channels / depth;
  parts[kDepth] = axes[kDepth].taps;
  parts[kRow] = llvm::divideCeil(axes[kRow].taps, filtering.rows.taps);
  parts[kColumn] = llvm::divideCeil(axes[kColumn].taps, filtering.columns.taps);
  shares = llvm::product_of(parts) * sharesOfPart;
  channelsPerSquare = llvm::alignTo(depth, lanes);
  OpFoldResult columns = axes[kColumn].out;
  int64_t outputs = filtering.columns.outputs,
          beside = filtering.columns.taps - 1;
  int64_t fit =
      kStripBytes / (filtering.rows.points() * lanes * kElementBytes) - beside;
  int64_t perPiece = std::max<int64_t>(fit / outputs, 1);
  // Pieces of whole rows begin and end with them.
  if (std::optional<int64_t> known =
          getConstantIntValue(index.ceilDiv(columns, outputs));
      known && *known <= perPiece)
    perPiece = *known;
  stripColumns = perPiece * outputs + beside;
  return {batches,
          /*slices=*/axes[kDepth].out,
          /*rows=*/axes[kRow].out,
          columns,
          groups,
          blocks / groups,
          vectorType,
          shares,
          /*elementsOfSquare=*/channelsPerSquare,
          perPiece};
}

Share ConvWinograd::shareOf(OpFoldResult number) {
  // Channels of a part follow each other, then parts along each axis.
  Share share;
  OpFoldResult part = index.constant(0);
  if (shares > sharesOfPart) {
    part = index.floorDiv(number, sharesOfPart);
    number = index.sub(number, index.mul(part, sharesOfPart));
  }
  share.first = index.mul(number, depth);
  share.block = index.mul(number, depth / lanes);
  int64_t taken[] = {1, filtering.rows.taps, filtering.columns.taps},
          inner = llvm::product_of(parts);
  for (AxisName a : {kDepth, kRow, kColumn}) {
    inner /= parts[a];
    OpFoldResult own = index.constant(0);
    if (parts[a] > 1) {
      own = index.floorDiv(part, inner);
      part = index.sub(part, index.mul(own, inner));
    }
    share.tap[a] = index.mul(own, taken[a]);
  }
  return share;
}

/// The number of a panel among those of all groups.
OpFoldResult ConvWinograd::panelOf(const Panel &panel) {
  return index.add(index.mul(panel.group, panels / groups), panel.number);
}

Value ConvWinograd::multiplyAdd(Value pixels, Value weights, Value sum) {
  return vector::FMAOp::create(b, loc, pixels, weights, sum);
}

Value ConvWinograd::addSums(Value x, Value y) {
  return arith::AddFOp::create(b, loc, x, y);
}

void ConvWinograd::emit(TargetAttr target) {
  emitLoops(prepare(), [&] {
    emitVectors(b, op, cast<kernel::ConvScheduleAttr>(schedule.getDirect()),
                target);
  });
}

void onnxc::emitWinograd(OpBuilder &b, kernel::ConvOp op,
                         kernel::WinogradScheduleAttr schedule,
                         TargetAttr target) {
  ConvWinograd(b, op, schedule).emit(target);
}
