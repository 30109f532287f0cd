//===- InlineFunctions.cpp - The model's functions where they are called --===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Optimize/RewritePass.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

namespace onnxc {
#define GEN_PASS_DEF_INLINEFUNCTIONS
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
class Inliner {
public:
  explicit Inliner(ModuleOp module) : module(module), symbols(module) {}

  int64_t run() {
    for (auto func : module.getOps<func::FuncOp>())
      if (!func.isExternal())
        visit(func);
    return changes;
  }

private:
  /// Callees first: each body is copied with nothing left to inline in it.
  void visit(func::FuncOp func) {
    if (!visited.insert(func).second)
      return;
    SmallVector<func::CallOp> calls;
    func.walk([&](func::CallOp call) { calls.push_back(call); });
    for (func::CallOp call : calls) {
      auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
      if (!callee || callee.isExternal())
        continue;
      // ONNX has no recursion; a function that calls itself is still visited.
      visit(callee);
      if (isBeingVisited(callee) || callee == func)
        continue;
      inlineCall(call, callee);
    }
    done.insert(func);
  }

  bool isBeingVisited(func::FuncOp func) { return !done.contains(func); }

  void inlineCall(func::CallOp call, func::FuncOp callee) {
    OpBuilder builder(call);
    IRMapping mapping;
    mapping.map(callee.getArguments(), call.getOperands());
    Block &body = callee.getBody().front();
    for (Operation &op : body.without_terminator()) {
      Operation *copy = builder.clone(op, mapping);
      // Where it is called from is part of what its nodes are called.
      copy->walk([&](Operation *inner) {
        inner->setLoc(CallSiteLoc::get(inner->getLoc(), call.getLoc()));
      });
    }
    for (auto [result, value] : llvm::zip_equal(
             call.getResults(), body.getTerminator()->getOperands()))
      result.replaceAllUsesWith(mapping.lookupOrDefault(value));
    call.erase();
    ++changes;
  }

  ModuleOp module;
  SymbolTable symbols;
  SmallPtrSet<Operation *, 16> visited, done;
  int64_t changes = 0;
};

struct InlineFunctions : onnxc::impl::InlineFunctionsBase<InlineFunctions> {
  int64_t rewriteModule(ModuleOp module, const RewriteOptions &) override {
    int64_t changes = Inliner(module).run();
    if (changes > 0)
      updateResultTypes(module);
    return changes;
  }
};
} // namespace
