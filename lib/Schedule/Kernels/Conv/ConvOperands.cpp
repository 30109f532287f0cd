//===- ConvOperands.cpp - Where the operands of kernel.conv lie -----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConvOperands.h"
#include "Select/Schedule.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::conv;

void ConvOperands::prepareOperands(int64_t tileBlocks) {
  vectorType = VectorType::get(lanes, b.getF32Type());
  auto filterType = cast<MemRefType>(op.getFilter().getType());
  image = flatten(index, op.getImage());
  filter = flatten(index, op.getFilter());
  result = flatten(index, op.getInit());

  bool isBlocked = op.isImageBlocked();
  unsigned spatial = op.getNumSpatial();
  unsigned firstTap = isBlocked && !isDepthwise ? 2 : 1;
  batches = result.sizes[0];
  blocks = llvm::divideCeil(op.getFilters(), lanes);
  packedVectors = isDepthwise ? 1 : op.getPanelBlocks();
  panelVectors = tileBlocks ? tileBlocks : packedVectors;
  panels = llvm::divideCeil(blocks, panelVectors);
  imageBlock = image.strides[1];
  imageChannel = isBlocked ? image.strides.back() : image.strides[1];
  // One filter for all channels stays where it is.
  bool isShared = isDepthwise && filterType.getDimSize(0) == 1;
  filterPanel = isShared ? index.constant(0) : filter.strides[0];
  filterBlock = isBlocked ? filter.strides[1] : index.constant(0);
  channelBlocks = op.getChannelBlocks();
  filterChannel = filter.strides[filterType.getRank() - 2];

  for (Axis &axis : axes) {
    axis.in = axis.out = index.constant(1);
    axis.ofImage = axis.ofFilter = axis.ofResult = index.constant(0);
    axis.firstTap = axis.firstResult = axis.shift = index.constant(0);
  }
  for (unsigned i = 0; i < spatial; ++i) {
    Axis &axis = axes[kAxes - spatial + i];
    axis.in = image.sizes[i + 2];
    axis.out = result.sizes[i + 2];
    axis.taps = filterType.getDimSize(firstTap + i);
    axis.stride = op.getStrides()[i];
    axis.dilation = op.getDilations()[i];
    axis.before = op.getPads()[i];
    axis.after = op.getPads()[spatial + i];
    axis.ofImage = image.strides[i + 2];
    axis.ofFilter = filter.strides[firstTap + i];
    axis.ofResult = result.strides[i + 2];
    axis.isClipped = axis.before != 0 || axis.after != 0;
    axis.spread = op.getSpreadOf(i);
    isSpread |= axis.spread != 1;
  }
  prepareExtras();
}

/// Turns the epilogue's maps into steps.
void ConvOperands::prepareExtras() {
  unsigned spatial = op.getNumSpatial(), rank = spatial + 3;
  for (auto [value, map] :
       llvm::zip_equal(op.getExtras(), op.getEpilogueAffineMaps())) {
    Extra &extra = extras.emplace_back();
    SmallVector<OpFoldResult> steps(rank + 1, index.constant(0));
    if (!isa<MemRefType>(value.getType())) {
      extra.scalar = value;
    } else {
      extra.buffer = flatten(index, value);
      for (auto [expr, stride] :
           llvm::zip_equal(map.getResults(), extra.buffer.strides)) {
        auto c = linearCoefficients(expr, rank);
        for (unsigned d = 0; d <= rank; ++d)
          steps[d] = index.add(steps[d], index.mul(stride, (*c)[d]));
      }
    }
    extra.batch = steps[0];
    extra.block = steps[1];
    for (unsigned i = 0; i < kAxes; ++i)
      extra.axes[i] = i + spatial >= kAxes ? steps[i + spatial - kAxes + 2]
                                           : index.constant(0);
    llvm::fill(extra.first, index.constant(0));
    extra.lane = steps[rank - 1];
    extra.offset = steps[rank];
  }
}

Value ConvOperands::loadVector(const FlatBuffer &from, OpFoldResult at) {
  return vector::LoadOp::create(b, loc, VectorType::get(lanes, from.element),
                                from.memory, index.value(at));
}

void ConvOperands::prefetch(const FlatBuffer &from, OpFoldResult at,
                            unsigned locality) {
  memref::PrefetchOp::create(b, loc, from.memory, index.value(at),
                             /*isWrite=*/false, locality, /*isDataCache=*/true);
}

OpFoldResult ConvOperands::startOfPanel(OpFoldResult panel) {
  if (panelVectors >= packedVectors)
    return index.mul(index.mul(panel, panelVectors / packedVectors),
                     filterPanel);
  int64_t parts = packedVectors / panelVectors;
  OpFoldResult packed = index.floorDiv(panel, parts);
  OpFoldResult part = index.sub(panel, index.mul(packed, parts));
  OpFoldResult start = index.mul(packed, filterPanel);
  return index.add(start, index.mul(part, panelVectors * lanes));
}

Value ConvOperands::broadcast(Value scalar) {
  return vector::BroadcastOp::create(
      b, loc, VectorType::get(lanes, scalar.getType()), scalar);
}

bool ConvOperands::isSharedByPixels(const Extra &extra) {
  return isIndex(extra.axes[kRow], 0) && isIndex(extra.axes[kColumn], 0);
}

Value ConvOperands::readExtra(const Extra &extra, const Pixel &from,
                              OpFoldResult block, OpFoldResult row,
                              OpFoldResult column) {
  if (extra.scalar)
    return extra.scalar;
  OpFoldResult at = index.add(extra.offset, index.mul(from.batch, extra.batch));
  at = index.add(at, index.mul(block, extra.block));
  OpFoldResult pixel[kAxes] = {index.constant(0), row, column};
  for (unsigned a = 0; a < kAxes; ++a) {
    at = index.add(at, extra.first[a]);
    at = index.add(at, index.mul(from.at[a], extra.axes[a]));
    at = index.add(at, index.mul(extra.axes[a], pixel[a]));
  }
  if (isIndex(extra.lane, 1))
    return loadVector(extra.buffer, at);
  if (isIndex(extra.lane, 0))
    return memref::LoadOp::create(b, loc, extra.buffer.memory, index.value(at));
  SmallVector<Value> elements;
  for (int64_t i = 0; i < lanes; ++i)
    elements.push_back(memref::LoadOp::create(
        b, loc, extra.buffer.memory,
        index.value(index.add(at, index.mul(extra.lane, i)))));
  return vector::FromElementsOp::create(
      b, loc, VectorType::get(lanes, extra.buffer.element), elements);
}
