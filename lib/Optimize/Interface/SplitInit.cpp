//===- SplitInit.cpp - What can be computed once --------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "SplitModel.h"

#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_SPLITINIT
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
struct SplitInit : onnxc::impl::SplitInitBase<SplitInit> {
  int64_t rewriteModule(ModuleOp module, const RewriteOptions &) override {
    func::FuncOp func = getEntry(module);
    if (!func)
      return 0;
    SplitGraph split(func);
    Block &block = func.getBody().front();
    Operation *terminator = block.getTerminator();
    SmallVector<Attribute> results;
    for (Value value : split.interface)
      results.push_back(describeInterfaceValue(func, value));
    terminator->setOperands(split.interface.getArrayRef());

    int64_t changes = 0;
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (&op != terminator && (split.predict.contains(&op) ||
                                (isAttribute(&op) && op.use_empty()))) {
        op.erase();
        ++changes;
      }
    llvm::BitVector dropped(func.getNumArguments());
    for (unsigned i = 0; i < func.getNumArguments(); ++i)
      if (!func.getArgAttr(i, model::defaultValue))
        dropped.set(i);
    if (failed(func.eraseArguments(dropped)))
      return changes;
    func.removeResAttrsAttr();
    func.setFunctionType(FunctionType::get(func.getContext(),
                                           block.getArgumentTypes(),
                                           terminator->getOperandTypes()));
    func.setAllResultAttrs(results);
    return changes + dropped.count();
  }
};
} // namespace
