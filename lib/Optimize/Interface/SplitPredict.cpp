//===- SplitPredict.cpp - What each run has to compute --------------------===//
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
#define GEN_PASS_DEF_SPLITPREDICT
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
struct SplitPredict : onnxc::impl::SplitPredictBase<SplitPredict> {
  int64_t rewriteModule(ModuleOp module, const RewriteOptions &) override {
    func::FuncOp func = getEntry(module);
    if (!func)
      return 0;
    SplitGraph split(func);
    Block &block = func.getBody().front();
    int64_t changes = 0;
    for (Value value : split.interface) {
      DictionaryAttr description = describeInterfaceValue(func, value);
      Location loc = value.getLoc();
      if (auto name = description.getAs<StringAttr>(model::name))
        loc = NameLoc::get(name, loc);
      unsigned index = func.getNumArguments();
      if (failed(func.insertArgument(index, value.getType(), description, loc)))
        return changes;
      value.replaceAllUsesWith(func.getArgument(index));
      ++changes;
    }
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (!split.predict.contains(&op) &&
          !(isAttribute(&op) && !op.use_empty())) {
        op.erase();
        ++changes;
      }
    llvm::BitVector unused(func.getNumArguments());
    for (BlockArgument argument : func.getArguments())
      if (argument.use_empty())
        unused.set(argument.getArgNumber());
    if (failed(func.eraseArguments(unused)))
      return changes;
    return changes + unused.count();
  }
};
} // namespace
