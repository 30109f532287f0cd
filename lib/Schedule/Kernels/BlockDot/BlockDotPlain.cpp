//===- BlockDotPlain.cpp - A kernel.block_dot as scalar loops -------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockDotSchedule.h"
#include "Kernels/PlainLoops.h"

using namespace mlir;
using namespace onnxc;

namespace {

struct PlainDots : PlainLoops {
  PlainDots(OpBuilder &b, kernel::BlockDotOp dot)
      : PlainLoops(b, dot), dot(dot) {}

  void emit();

private:
  Value toInteger(Value narrow) {
    return arith::ExtSIOp::create(b, loc, b.getI32Type(), narrow);
  }
  Value integer(int64_t value) {
    return constant(b.getI32IntegerAttr(int32_t(value)));
  }
  Value weightAt(OpFoldResult column, OpFoldResult step);
  /// The products of one block.
  Value addBlock(const Indices &at, OpFoldResult block);

  kernel::BlockDotOp dot;
};

} // namespace

Value PlainDots::weightAt(OpFoldResult column, OpFoldResult step) {
  int64_t bits = dot.getBits();
  Indices place = placeOf(dot.getWeightsMutable(), {column, step});
  // Within a word: which part of a byte, and which byte.
  OpFoldResult shift = index.constant(0);
  if (bits < 8)
    shift = index.mul(place.pop_back_val(), bits);
  shift = index.add(shift, index.mul(place.pop_back_val(), 8));
  Value word = load(dot.getWeights(), place);
  Value by =
      arith::IndexCastOp::create(b, loc, b.getI32Type(), index.value(shift));
  Value moved = arith::ShRUIOp::create(b, loc, word, by);
  if (bits < 8)
    return arith::AndIOp::create(b, loc, moved, integer((1 << bits) - 1));
  return toInteger(arith::TruncIOp::create(b, loc, b.getI8Type(), moved));
}

Value PlainDots::addBlock(const Indices &at, OpFoldResult block) {
  Value total = integer(0);
  OpFoldResult first = index.mul(block, int64_t(dot.getBlock()));
  return carryLoop(index, index.constant(0),
                   index.constant(int64_t(dot.getBlock())), 1, total,
                   [&](OpFoldResult i, ValueRange carried) {
                     OpFoldResult step = index.add(first, i);
                     Value x = toInteger(load(dot.getLhs(), {at[0], step}));
                     Value product = arith::MulIOp::create(
                         b, loc, x, weightAt(at[1], step));
                     return SmallVector<Value>{arith::AddIOp::create(
                         b, loc, carried.front(), product)};
                   })
      .front();
}

void PlainDots::emit() {
  int64_t blocks = dot.getSteps() / int64_t(dot.getBlock()),
          width = dot.getPanelWidth();
  Value init = dot.getInit();
  overPlaces({sizeOf(init, 0), sizeOf(init, 1)}, [&](const Indices &at) {
    OpFoldResult panel = index.floorDiv(at[1], width),
                 column = index.sub(at[1], index.mul(panel, width));
    Value total = addUp(
        index.constant(blocks), constant(b.getZeroAttr(sum)),
        [&](const Indices &of, Value carried) -> Value {
          OpFoldResult block = of.front();
          auto scaleAt = [&](int64_t row) {
            return load(dot.getScales(),
                        {panel, block, index.constant(row), column});
          };
          Value zero =
              dot.hasZeroPoints()
                  ? scaleAt(1)
                  : constant(b.getF32FloatAttr(int64_t(dot.getOffset())));
          Value products =
                    arith::SIToFPOp::create(b, loc, sum, addBlock(at, block)),
                ofRow = arith::SIToFPOp::create(
                    b, loc, sum, load(dot.getRowSums(), {at[0], block}));
          // Both are integers that a float holds.
          Value centered = arith::SubFOp::create(
              b, loc, products, arith::MulFOp::create(b, loc, zero, ofRow));
          Value scaled = arith::MulFOp::create(b, loc, centered, scaleAt(0));
          return multiplyAdd(scaled, load(dot.getRowScales(), {at[0], block}),
                             carried);
        });
    finish(at, total);
  });
}

void onnxc::emitPlainLoops(OpBuilder &b, kernel::BlockDotOp op) {
  PlainDots(b, op).emit();
}
