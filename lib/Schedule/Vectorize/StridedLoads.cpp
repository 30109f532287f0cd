//===- StridedLoads.cpp - Vectors of elements that lie apart --------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StridedLoads.h"
#include "Kernels/TransposeSquare.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace onnxc;

Value onnxc::createMask(IndexMath index, OpFoldResult live, int64_t width) {
  return vector::CreateMaskOp::create(
      index.b, index.loc, VectorType::get(width, index.b.getI1Type()),
      index.value(live));
}

/// Out of two overlapping loads: the second starts one element early, so that
/// nothing behind the last element is touched.
Value onnxc::loadEverySecond(IndexMath index, VectorType type, Value memory,
                             Value address, OpFoldResult live) {
  OpBuilder &b = index.b;
  Location loc = index.loc;
  int64_t lanes = type.getNumElements();
  auto part = [&](Value at, int64_t skip) -> Value {
    if (!live)
      return vector::LoadOp::create(b, loc, type, memory, at);
    OpFoldResult left = index.sub(index.mul(live, 2), index.constant(1 + skip));
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    return vector::MaskedLoadOp::create(b, loc, type, memory, at,
                                        createMask(index, left, lanes), zero);
  };
  SmallVector<int64_t> pick;
  for (int64_t i = 0; i < lanes; ++i)
    pick.push_back(2 * i < lanes ? 2 * i : 2 * i + 1);
  Value low = part(address, 0);
  Value high =
      index.value(index.add(OpFoldResult(address), index.constant(lanes - 1)));
  return vector::ShuffleOp::create(b, loc, low, part(high, lanes - 1), pick);
}

Value onnxc::gatherLanes(IndexMath index, VectorType type, Value memory,
                         Value address, OpFoldResult step, Value mask) {
  OpBuilder &b = index.b;
  Location loc = index.loc;
  int64_t lanes = type.getNumElements();
  VectorType indexType = VectorType::get(lanes, b.getIndexType());
  Value steps = vector::StepOp::create(b, loc, indexType);
  Value by = vector::BroadcastOp::create(b, loc, indexType, index.value(step));
  Value offsets = arith::MulIOp::create(b, loc, steps, by);
  if (!mask)
    mask = createMask(index, index.constant(lanes), lanes);
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  return vector::GatherOp::create(b, loc, type, memory, address, offsets, mask,
                                  zero);
}

Value onnxc::loadRow(IndexMath index, VectorType type, Value buffer,
                     ArrayRef<Value> at, Value mask) {
  OpBuilder &b = index.b;
  Location loc = index.loc;
  // The schedule was chosen for a tensor, whose layout was not known yet.
  if (!cast<MemRefType>(buffer.getType()).isLastDimUnitStride()) {
    FlatBuffer flat = flatten(index, buffer);
    OpFoldResult address = index.constant(0);
    for (auto [i, stride] : llvm::zip_equal(at, flat.strides))
      address = index.add(address, index.mul(OpFoldResult(i), stride));
    return gatherLanes(index, type, flat.memory, index.value(address),
                       flat.strides.back(), mask);
  }
  if (!mask)
    return vector::LoadOp::create(b, loc, type, buffer, at);
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  return vector::MaskedLoadOp::create(b, loc, type, buffer, at, mask, zero);
}

SmallVector<Value> onnxc::loadSquare(IndexMath index, const FlatBuffer &from,
                                     OpFoldResult address, OpFoldResult step,
                                     int64_t lanes, OpFoldResult live,
                                     int64_t columns) {
  SmallVector<Value> rows;
  for (int64_t i = 0; i < lanes; ++i) {
    // Behind the last row it is read again: there may be no memory.
    OpFoldResult row = index.constant(i);
    if (live)
      row = index.min(row, index.sub(live, index.constant(1)));
    rows.push_back(loadLanes(
        index, from, index.add(address, index.mul(step, row)), lanes, columns));
  }
  rows = transposeSquare(index, std::move(rows));
  rows.truncate(columns);
  return rows;
}
