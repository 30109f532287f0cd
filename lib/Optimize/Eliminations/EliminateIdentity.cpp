//===- EliminateIdentity.cpp - Identity is its input ----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_ELIMINATEIDENTITY
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
/// Where the input and the result are both inputs or outputs of a graph, the
/// exporter puts an Identity back (R4). In a compile, the infer stage has put
/// those that tell more than their operand where the run checks it.
struct ForwardInput : Rewriting<IdentityOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(IdentityOp op,
                                PatternRewriter &rewriter) const override {
    Type given = op.getInput().getType();
    if (!options.keepOpset && joinTypes(given, op.getType()) != given)
      return rewriter.notifyMatchFailure(
          op, "the Identity narrows its operand's type");
    return replaceRoot(rewriter, op, op.getInput());
  }
};

struct EliminateIdentity
    : onnxc::impl::EliminateIdentityBase<EliminateIdentity> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns.add<ForwardInput>(patterns.getContext(), options);
  }
};
} // namespace
