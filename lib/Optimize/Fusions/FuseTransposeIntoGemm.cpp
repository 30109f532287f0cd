//===- FuseTransposeIntoGemm.cpp - Gemm reads its operands transposed -----===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Contraction.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_FUSETRANSPOSEINTOGEMM
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
struct ReadTransposed : Rewriting<GemmOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(GemmOp op,
                                PatternRewriter &rewriter) const override {
    TransposeOp a = getSwap(op.getA()), b = getSwap(op.getB());
    if (!a && !b)
      return rewriter.notifyMatchFailure(
          op, "no operand is a Transpose that swaps two dimensions");
    rewriter.modifyOpInPlace(op, [&] {
      if (a) {
        op.getAMutable().set(a.getData());
        op.setTransA(!op.getTransA());
      }
      if (b) {
        op.getBMutable().set(b.getData());
        op.setTransB(!op.getTransB());
      }
    });
    if (a)
      eraseIfUnused(rewriter, a, options);
    if (b && b != a)
      eraseIfUnused(rewriter, b, options);
    return success();
  }

  /// The Transpose that gives an operand of Gemm, which has rank 2.
  static TransposeOp getSwap(Value operand) {
    auto transpose = operand.getDefiningOp<TransposeOp>();
    if (!transpose)
      return {};
    std::optional<ArrayRef<int64_t>> perm = transpose.getPerm();
    bool isSwap = !perm || *perm == ArrayRef<int64_t>({1, 0});
    return isSwap && getRank(transpose.getData()).value_or(2) == 2
               ? transpose
               : TransposeOp();
  }
};

struct FuseTransposeIntoGemm
    : onnxc::impl::FuseTransposeIntoGemmBase<FuseTransposeIntoGemm> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns.add<ReadTransposed>(patterns.getContext(), options);
  }
};
} // namespace
