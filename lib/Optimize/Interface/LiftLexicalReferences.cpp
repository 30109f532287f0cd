//===- LiftLexicalReferences.cpp - What graphs capture, by name -----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"

#include "onnxc/Dialect/ONNX/ControlFlow.h"
#include "onnxc/Optimize/RewritePass.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

#include <set>

namespace onnxc {
#define GEN_PASS_DEF_LIFTLEXICALREFERENCES
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// What upstream calls the attribute, for Caffe2.
static constexpr StringLiteral controlInputs = "__control_inputs";

namespace {
struct LiftLexicalReferences
    : onnxc::impl::LiftLexicalReferencesBase<LiftLexicalReferences> {
  int64_t rewriteModule(ModuleOp module,
                        const RewriteOptions &options) override {
    int64_t changes = 0;
    module.walk([&](Operation *op) {
      if (!isa<IfOp, LoopOp>(op) &&
          (options.upstreamCompatible || !isa<ScanOp>(op)))
        return;
      llvm::SetVector<Value> captures;
      getUsedValuesDefinedAbove(op->getRegions(), captures);
      std::set<std::string> names;
      for (Value capture : captures)
        if (std::string name = getValueName(capture); !name.empty())
          names.insert(name);
      SmallVector<StringRef> sorted(names.begin(), names.end());
      Attribute list = Builder(op->getContext()).getStrArrayAttr(sorted);
      if (op->getAttr(controlInputs) == list)
        return;
      op->setAttr(controlInputs, list);
      ++changes;
    });
    return changes;
  }
};
} // namespace
