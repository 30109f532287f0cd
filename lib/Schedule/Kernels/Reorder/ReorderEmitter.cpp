//===- ReorderEmitter.cpp - The loops of kernel.reorder -------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Squares of as many pixels as a block has lanes are transposed in registers.
// Where pixels are left over, the last square overlaps the one before; fewer
// pixels than a square are copied element by element.
//
//===----------------------------------------------------------------------===//

#include "Kernels/EmitKernels.h"
#include "Kernels/KernelLoops.h"
#include "Kernels/TransposeSquare.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc;

namespace {

/// A square takes about so many cycles for each of its rows.
constexpr int64_t kCyclesPerRow = 8;
/// Pixels that are worth a part of their own.
constexpr int64_t kLeastPart = 128;

class Emitter {
public:
  Emitter(OpBuilder &b, kernel::ReorderOp op)
      : b(b), loc(op.getLoc()), index{b, loc}, op(op),
        isBlocking(op.isBlocking()),
        lanes(op.getBlockedType().getShape().back()),
        channels(op.getPlainType().getDimSize(1)) {}
  void emit();

private:
  void emitSquare(OpFoldResult plainAt, OpFoldResult blockedAt, int64_t live);
  void emitPixel(OpFoldResult plainAt, OpFoldResult blockedAt, int64_t live);
  void emitBlock(ArrayRef<OpFoldResult> at, OpFoldResult block, int64_t live,
                 int64_t partPixels);
  void shareBlocks(OpFoldResult first, int64_t count, int64_t live);

  OpBuilder &b;
  Location loc;
  IndexMath index;
  kernel::ReorderOp op;
  bool isBlocking;
  int64_t lanes, channels;
  FlatBuffer plain, blocked;
  OpFoldResult pixels, plainPixel, blockedPixel;
  /// The leading spatial dimensions, if pixels do not follow each other.
  SmallVector<unsigned> outer;
};

void Emitter::emitSquare(OpFoldResult plainAt, OpFoldResult blockedAt,
                         int64_t live) {
  auto type = VectorType::get(lanes, plain.element);
  auto place = [&](OpFoldResult at, OpFoldResult step, int64_t i) {
    return index.value(index.add(at, index.mul(step, i)));
  };
  SmallVector<Value> rows;
  for (int64_t i = 0; i < lanes; ++i) {
    if (!isBlocking)
      rows.push_back(vector::LoadOp::create(b, loc, type, blocked.memory,
                                            place(blockedAt, blockedPixel, i)));
    else if (i < live)
      rows.push_back(vector::LoadOp::create(
          b, loc, type, plain.memory, place(plainAt, plain.strides[1], i)));
    else
      rows.push_back(arith::ConstantOp::create(b, loc, b.getZeroAttr(type)));
  }
  rows = transposeSquare(index, std::move(rows));
  for (int64_t i = 0; i < lanes; ++i) {
    if (isBlocking)
      vector::StoreOp::create(b, loc, rows[i], blocked.memory,
                              place(blockedAt, blockedPixel, i));
    else if (i < live)
      vector::StoreOp::create(b, loc, rows[i], plain.memory,
                              place(plainAt, plain.strides[1], i));
  }
}

void Emitter::emitPixel(OpFoldResult plainAt, OpFoldResult blockedAt,
                        int64_t live) {
  Value zero;
  if (isBlocking && live < lanes)
    zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(plain.element));
  for (int64_t i = 0; i < (isBlocking ? lanes : live); ++i) {
    Value inBlock = index.value(index.add(blockedAt, index.constant(i)));
    if (i >= live) {
      memref::StoreOp::create(b, loc, zero, blocked.memory, inBlock);
      continue;
    }
    Value inPlain =
        index.value(index.add(plainAt, index.mul(plain.strides[1], i)));
    if (isBlocking)
      memref::StoreOp::create(
          b, loc, memref::LoadOp::create(b, loc, plain.memory, inPlain),
          blocked.memory, inBlock);
    else
      memref::StoreOp::create(
          b, loc, memref::LoadOp::create(b, loc, blocked.memory, inBlock),
          plain.memory, inPlain);
  }
}

/// A block that has `live` channels: all its pixels, or the part of
/// `partPixels` that the last of the loops stands at.
void Emitter::emitBlock(ArrayRef<OpFoldResult> at, OpFoldResult block,
                        int64_t live, int64_t partPixels) {
  OpFoldResult plainAt = index.mul(at[0], plain.strides[0]);
  plainAt =
      index.add(plainAt, index.mul(index.mul(block, lanes), plain.strides[1]));
  OpFoldResult blockedAt = index.mul(at[0], blocked.strides[0]);
  blockedAt = index.add(blockedAt, index.mul(block, blocked.strides[1]));
  for (auto [i, d] : llvm::enumerate(outer)) {
    plainAt = index.add(plainAt, index.mul(at[i + 2], plain.strides[d]));
    blockedAt = index.add(blockedAt, index.mul(at[i + 2], blocked.strides[d]));
  }
  auto over = [&](OpFoldResult from, OpFoldResult to, int64_t step,
                  bool isSquare) {
    carryLoop(
        index, from, to, step, {},
        [&](OpFoldResult pixel, ValueRange) -> SmallVector<Value> {
          OpFoldResult x = index.add(plainAt, index.mul(pixel, plainPixel)),
                       y = index.add(blockedAt, index.mul(pixel, blockedPixel));
          if (isSquare)
            emitSquare(x, y, live);
          else
            emitPixel(x, y, live);
          return {};
        });
  };
  if (!isIndex(plainPixel, 1))
    return over(index.constant(0), pixels, 1, false);
  OpFoldResult full = index.mul(index.floorDiv(pixels, lanes), lanes);
  std::optional<int64_t> count = getConstantIntValue(pixels);
  if (partPixels) {
    OpFoldResult from = index.mul(at.back(), partPixels);
    OpFoldResult to = index.add(from, index.constant(partPixels));
    over(from, index.min(to, full), lanes, true);
    if (*count % lanes == 0)
      return;
    // The last pixels belong to the part that they lie in.
    Value end = index.value(to);
    auto isLast = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, end,
                                        index.value(pixels));
    auto choice = scf::IfOp::create(b, loc, isLast, false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    over(index.constant(*count - lanes), pixels, lanes, true);
    return;
  }
  over(index.constant(0), full, lanes, true);
  if (count && *count >= lanes && *count % lanes != 0)
    over(index.constant(*count - lanes), index.constant(*count), lanes, true);
  else
    over(full, pixels, 1, false);
}

/// Blocks from `first` on, of `live` channels. If they are few, threads share
/// the pixels of each.
void Emitter::shareBlocks(OpFoldResult first, int64_t count, int64_t live) {
  std::optional<int64_t> size = getConstantIntValue(pixels);
  SmallVector<OpFoldResult> extents{plain.sizes[0], index.constant(count)};
  for (unsigned d : outer)
    extents.push_back(plain.sizes[d]);
  int64_t partPixels = 0, ofOne = size.value_or(1024);
  if (size && isIndex(plainPixel, 1) && outer.empty() && count < kFewPanels &&
      *size >= 2 * kLeastPart) {
    int64_t parts = std::min<int64_t>(llvm::divideCeil(kFewPanels, count),
                                      *size / kLeastPart);
    ofOne = partPixels = llvm::alignTo(llvm::divideCeil(*size, parts), lanes);
    extents.push_back(index.constant(llvm::divideCeil(*size, partPixels)));
  }
  parallelLoop(index, extents, ofOne * kCyclesPerRow,
               [&](ArrayRef<OpFoldResult> at) {
                 emitBlock(at, index.add(first, at[1]), live, partPixels);
               });
}

void Emitter::emit() {
  FlatBuffer source = flatten(index, op.getSource()),
             target = flatten(index, op.getInit());
  plain = isBlocking ? source : target;
  blocked = isBlocking ? target : source;
  unsigned rank = plain.sizes.size();
  pixels = plainPixel = index.constant(1);
  blockedPixel = index.constant(lanes);
  // Sizes and steps of the dimensions that are walked as one.
  auto isDense = [&](Value buffer) {
    return cast<MemRefType>(buffer.getType()).getLayout().isIdentity();
  };
  bool asOne = isDense(op.getSource()) && isDense(op.getInit());
  for (unsigned d = rank; d-- > 2;) {
    if (asOne || d + 1 == rank)
      pixels = index.mul(pixels, plain.sizes[d]);
    else
      outer.insert(outer.begin(), d);
  }
  if (!asOne && rank > 2) {
    plainPixel = plain.strides[rank - 1];
    blockedPixel = blocked.strides[rank - 1];
  }
  int64_t full = channels / lanes;
  if (full)
    shareBlocks(index.constant(0), full, lanes);
  if (channels % lanes != 0)
    shareBlocks(index.constant(full), 1, channels % lanes);
}

} // namespace

void onnxc::emitReorder(OpBuilder &b, kernel::ReorderOp op) {
  Emitter(b, op).emit();
}
