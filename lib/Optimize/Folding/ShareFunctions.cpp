//===- ShareFunctions.cpp - Equal functions of the model become one -------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Optimize/RewritePass.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/SymbolTable.h"

namespace onnxc {
#define GEN_PASS_DEF_SHAREFUNCTIONS
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {
/// Functions of equal bodies, whatever they and their nodes are called.
class Sharing {
public:
  explicit Sharing(ModuleOp module) : module(module), symbols(module) {}

  /// Callers of functions that became one may be equal then.
  int64_t run() {
    int64_t changes = 0;
    while (int64_t found = runOnce())
      changes += found;
    return changes;
  }

private:
  int64_t runOnce() {
    int64_t changes = 0;
    llvm::DenseMap<llvm::hash_code, SmallVector<func::FuncOp, 1>> byHash;
    for (auto func :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      if (func.isExternal() || !func->hasAttr(model::function) ||
          func->hasAttr(model::entry))
        continue;
      auto &candidates = byHash[hash(func)];
      auto same = llvm::find_if(candidates, [&](func::FuncOp other) {
        return areEqual(other, func);
      });
      if (same == candidates.end()) {
        candidates.push_back(func);
        continue;
      }
      if (failed(SymbolTable::replaceAllSymbolUses(func, same->getSymNameAttr(),
                                                   module)))
        continue;
      symbols.erase(func);
      ++changes;
    }
    return changes;
  }

  static llvm::hash_code hash(func::FuncOp func) {
    llvm::hash_code code = hash_value(Type(func.getFunctionType()));
    func.getBody().walk([&](Operation *op) {
      code = llvm::hash_combine(code,
                                OperationEquivalence::computeHash(
                                    op, OperationEquivalence::ignoreHashValue,
                                    OperationEquivalence::ignoreHashValue,
                                    OperationEquivalence::IgnoreLocations));
    });
    return code;
  }

  static bool areEqual(func::FuncOp a, func::FuncOp b) {
    auto opsets = [](func::FuncOp func) {
      return func->getAttrOfType<DictionaryAttr>(model::function)
          .get("opset_imports");
    };
    return a.getFunctionType() == b.getFunctionType() &&
           opsets(a) == opsets(b) &&
           OperationEquivalence::isRegionEquivalentTo(
               &a.getBody(), &b.getBody(),
               OperationEquivalence::IgnoreLocations);
  }

  ModuleOp module;
  SymbolTable symbols;
};

struct ShareFunctions : onnxc::impl::ShareFunctionsBase<ShareFunctions> {
  int64_t rewriteModule(ModuleOp module, const RewriteOptions &) override {
    return Sharing(module).run();
  }
};
} // namespace
