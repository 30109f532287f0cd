//===- NopRewrite.cpp - A rewrite that changes nothing --------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Optimize/RewritePass.h"

#include "mlir/IR/BuiltinOps.h"

namespace onnxc {
#define GEN_PASS_DEF_NOPREWRITE
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {
/// In and out: what is lost on the way shows.
struct NopRewrite : onnxc::impl::NopRewriteBase<NopRewrite> {
  int64_t rewriteModule(ModuleOp, const RewriteOptions &) override { return 0; }
};
} // namespace
