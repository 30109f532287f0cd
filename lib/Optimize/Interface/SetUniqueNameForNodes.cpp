//===- SetUniqueNameForNodes.cpp - A name for every node ------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"

#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Optimize/RewritePass.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"

namespace onnxc {
#define GEN_PASS_DEF_SETUNIQUENAMEFORNODES
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

static bool isNode(Operation *op) {
  if (isa<func::CallOp>(op))
    return true;
  return isa_and_present<ONNXDialect>(op->getDialect()) &&
         !isa<NoneOp, YieldOp>(op) && !isInitializer(op);
}

/// All names of nodes and values, subgraphs and functions included.
static llvm::StringSet<> collectNames(ModuleOp module) {
  llvm::StringSet<> names;
  module.walk([&](Operation *op) {
    if (SourceAttr source = getSource(op->getLoc())) {
      names.insert(source.getName().getValue());
      if (ArrayAttr outputs = source.getOutputs())
        for (auto output : outputs.getAsRange<StringAttr>())
          names.insert(output.getValue());
    }
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          if (auto name = dyn_cast<NameLoc>(argument.getLoc()))
            names.insert(name.getName().getValue());
    auto func = dyn_cast<func::FuncOp>(op);
    for (unsigned i = 0; func && i < func.getNumResults(); ++i)
      if (auto name = func.getResultAttrOfType<StringAttr>(i, model::name))
        names.insert(name.getValue());
  });
  return names;
}

namespace {
struct SetUniqueNameForNodes
    : onnxc::impl::SetUniqueNameForNodesBase<SetUniqueNameForNodes> {
  int64_t rewriteModule(ModuleOp module, const RewriteOptions &) override {
    llvm::StringSet<> names = collectNames(module);
    int64_t changes = 0, number = 0;
    module.walk([&](Operation *op) {
      SourceAttr source = getSource(op->getLoc());
      if (!isNode(op) || (source && !source.getName().empty()))
        return;
      std::string name;
      do
        name = "_v_" + std::to_string(number++);
      while (!names.insert(name).second);
      op->setLoc(getNamed(op, source, name));
      ++changes;
    });
    return changes;
  }

private:
  static Location getNamed(Operation *op, SourceAttr source, StringRef name) {
    Builder b(op->getContext());
    auto named =
        source ? SourceAttr::get(op->getContext(), b.getStringAttr(name),
                                 source.getOp(), source.getOutputs(),
                                 source.getAttributes(), source.getDoc(),
                                 source.getMetadata())
               : SourceAttr::get(op->getContext(), b.getStringAttr(name),
                                 b.getStringAttr(op->getName().stripDialect()),
                                 nullptr, nullptr, nullptr, nullptr);
    if (auto fused = dyn_cast<FusedLoc>(op->getLoc()))
      return FusedLoc::get(fused.getLocations(), named, op->getContext());
    return FusedLoc::get({op->getLoc()}, named, op->getContext());
  }
};
} // namespace
