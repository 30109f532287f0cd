//===- MatmulPlain.cpp - A kernel.matmul as scalar loops ------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels/Halves.h"
#include "Kernels/PlainLoops.h"
#include "MatmulSchedule.h"

using namespace mlir;
using namespace onnxc;

namespace {

struct PlainMatmul : PlainLoops {
  using PlainLoops::PlainLoops;

  void emit(kernel::MatmulOp matmul);
};

void PlainMatmul::emit(kernel::MatmulOp matmul) {
  unsigned k = matmul.getNumBatchLoops() + 2;
  Value operands[] = {matmul.getLhs(), matmul.getRhs(), matmul.getInit()};
  FloatAttr factor = matmul.getRhsFactorAttr();
  Extents extents(k + 1, index.constant(1));
  for (auto [i, operand] : llvm::enumerate(operands))
    for (auto [d, expr] : llvm::enumerate(matmul.getMap(i).getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        extents[dim.getPosition()] = sizeOf(operand, d);
  overPlaces(
      ArrayRef<OpFoldResult>(extents).drop_back(), [&](const Indices &at) {
        Value total =
            addUp(extents.back(), constant(b.getZeroAttr(sum)),
                  [&](const Indices &step, Value carried) {
                    Indices loops(at);
                    loops.append(step);
                    Value x = load(operands[0], apply(matmul.getMap(0), loops)),
                          y = load(operands[1], apply(matmul.getMap(1), loops));
                    Value left = extend(x, matmul.getLhsUnsigned());
                    Value right = factor ? widenElements(b, loc, y, factor)
                                         : extend(y, matmul.getRhsUnsigned());
                    return multiplyAdd(left, right, carried);
                  });
        Indices loops(at);
        loops.push_back(index.constant(0));
        finish(apply(matmul.getMap(2), loops), total);
      });
}

} // namespace

void onnxc::emitPlainLoops(OpBuilder &b, kernel::MatmulOp op) {
  PlainMatmul(b, op).emit(op);
}
