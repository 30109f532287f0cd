//===- EliminateNopTranspose.cpp - Transpose that moves nothing -----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_ELIMINATENOPTRANSPOSE
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// Whether only dimensions of 1 change places, among themselves.
static bool movesOnlyOnes(ArrayRef<int64_t> perm, Value data) {
  std::optional<ArrayRef<int64_t>> dims = getShape(data);
  if (!dims || dims->size() != perm.size())
    return false;
  return llvm::all_of(llvm::enumerate(perm), [&](auto entry) {
    auto [to, from] = entry;
    return static_cast<int64_t>(to) == from ||
           ((*dims)[to] == 1 && (*dims)[from] == 1);
  });
}

namespace {
struct ForwardUnmoved : Rewriting<TransposeOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<int64_t> rank = getRank(op.getData());
    std::optional<ArrayRef<int64_t>> perm = op.getPerm();
    bool isIdentity =
        perm ? llvm::equal(*perm, llvm::seq<int64_t>(0, perm->size())) &&
                   (!perm->empty() || rank == 0)
             : !options.upstreamCompatible && rank && *rank <= 1;
    if (!isIdentity && perm && !options.upstreamCompatible)
      isIdentity = !perm->empty() && movesOnlyOnes(*perm, op.getData());
    if (!isIdentity)
      return rewriter.notifyMatchFailure(op, "may move elements");
    return replaceRoot(rewriter, op, op.getData());
  }
};
} // namespace

namespace {
struct EliminateNopTranspose
    : PatternsPass<
          onnxc::impl::EliminateNopTransposeBase<EliminateNopTranspose>,
          ForwardUnmoved> {};
} // namespace
