//===- EliminateUnusedInitializer.cpp - Initializers without a use --------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"

#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Optimize/RewritePass.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace onnxc {
#define GEN_PASS_DEF_ELIMINATEUNUSEDINITIALIZER
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// Erases inputs that have a default and no use, as onnx-optimizer does:
/// callers that give them a value have to change.
static int64_t eraseUnusedInputs(func::FuncOp func) {
  llvm::BitVector unused(func.getNumArguments());
  for (BlockArgument argument : func.getArguments())
    if (argument.use_empty() &&
        func.getArgAttr(argument.getArgNumber(), model::defaultValue))
      unused.set(argument.getArgNumber());
  if (unused.none() || failed(func.eraseArguments(unused)))
    return 0;
  return unused.count();
}

namespace {
struct EliminateUnusedInitializer
    : onnxc::impl::EliminateUnusedInitializerBase<EliminateUnusedInitializer> {
  int64_t rewriteModule(ModuleOp module,
                        const RewriteOptions &options) override {
    int64_t changes = 0;
    module.walk([&](ConstantOp op) {
      if (!isInitializer(op) || !op.use_empty())
        return;
      op.erase();
      ++changes;
    });
    func::FuncOp func = getEntry(module);
    if (func && !options.keepInterface)
      changes += eraseUnusedInputs(func);
    return changes;
  }
};
} // namespace
