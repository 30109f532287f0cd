//===- RewriteInputDtype.cpp - Inputs of 32 bits --------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"

#include "onnxc/Dialect/ONNX/Conversion.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Optimize/RewritePass.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace onnxc {
#define GEN_PASS_DEF_REWRITEINPUTDTYPE
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// An input that is a result at once keeps its type: so must the result.
static bool isReturned(BlockArgument argument) {
  return llvm::any_of(argument.getUsers(), [](Operation *user) {
    return isa<func::ReturnOp>(user);
  });
}

static void narrow(BlockArgument argument, RankedTensorType type) {
  OpBuilder builder(argument.getContext());
  builder.setInsertionPointToStart(argument.getOwner());
  auto wide = argument.getType();
  argument.setType(type.clone(builder.getI32Type()));
  if (argument.use_empty())
    return;
  auto cast = CastOp::create(
      builder, argument.getLoc(), wide, argument,
      builder.getI64IntegerAttr(getDataType(builder.getI64Type())),
      /*round_mode=*/StringAttr(), /*saturate=*/IntegerAttr());
  argument.replaceAllUsesExcept(cast, cast);
}

namespace {
struct RewriteInputDtype
    : onnxc::impl::RewriteInputDtypeBase<RewriteInputDtype> {
  int64_t rewriteModule(ModuleOp module, const RewriteOptions &) override {
    func::FuncOp func = getEntry(module);
    if (!func)
      return 0;
    int64_t changes = 0;
    for (BlockArgument argument : func.getArguments()) {
      auto type = dyn_cast<RankedTensorType>(argument.getType());
      if (!type || !type.getElementType().isSignlessInteger(64) ||
          func.getArgAttr(argument.getArgNumber(), model::defaultValue) ||
          isReturned(argument))
        continue;
      narrow(argument, type);
      ++changes;
    }
    func.setFunctionType(
        FunctionType::get(func.getContext(), func.getBody().getArgumentTypes(),
                          func.getFunctionType().getResults()));
    return changes;
  }
};
} // namespace
