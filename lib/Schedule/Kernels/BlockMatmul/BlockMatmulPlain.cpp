//===- BlockMatmulPlain.cpp - A kernel.block_matmul as scalar loops -------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockMatmulSchedule.h"
#include "Kernels/PlainLoops.h"

using namespace mlir;
using namespace onnxc;

namespace {

struct PlainBlocks : PlainLoops {
  using PlainLoops::PlainLoops;

  void emit(kernel::BlockMatmulOp matmul);
};

void PlainBlocks::emit(kernel::BlockMatmulOp matmul) {
  int64_t bits = matmul.getBits(), block = matmul.getBlock(),
          width = matmul.getPanelWidth();
  Type i32 = b.getI32Type();
  Value init = matmul.getInit();
  overPlaces({sizeOf(init, 0), sizeOf(init, 1)}, [&](const Indices &at) {
    auto weightAt = [&](OpFoldResult step) -> Value {
      Indices place = placeOf(matmul.getWeightsMutable(), {at[1], step});
      OpFoldResult inWord = place.pop_back_val();
      Value word = load(matmul.getWeights(), place);
      // To the highest bits, then down with the sign.
      OpFoldResult above =
          index.sub(index.constant(32 - bits), index.mul(inWord, bits));
      Value up = arith::IndexCastOp::create(b, loc, i32, index.value(above));
      word = arith::ShLIOp::create(b, loc, word, up);
      word = arith::ShRSIOp::create(b, loc, word,
                                    constant(b.getI32IntegerAttr(32 - bits)));
      return arith::SIToFPOp::create(b, loc, sum, word);
    };
    Value total = addUp(
        index.constant(matmul.getSteps()), constant(b.getZeroAttr(sum)),
        [&](const Indices &step, Value carried) -> Value {
          OpFoldResult of = index.floorDiv(step.front(), block);
          OpFoldResult panel = index.floorDiv(at[1], width),
                       column = index.sub(at[1], index.mul(panel, width));
          Value scale =
              load(matmul.getScales(), {panel, of, index.constant(0), column});
          Value zero =
              matmul.hasZeroPoints()
                  ? load(matmul.getScales(),
                         {panel, of, index.constant(1), column})
                  : constant(b.getF32FloatAttr(int64_t(matmul.getOffset())));
          Value weight = arith::MulFOp::create(
              b, loc,
              arith::SubFOp::create(b, loc, weightAt(step.front()), zero),
              scale);
          return multiplyAdd(load(matmul.getLhs(), {at[0], step.front()}),
                             weight, carried);
        });
    finish(at, total);
  });
}

} // namespace

void onnxc::emitPlainLoops(OpBuilder &b, kernel::BlockMatmulOp op) {
  PlainBlocks(b, op).emit(op);
}
