//===- Acme.cpp - A pass for operators of the domain com.acme -------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `Saturate` of com.acme limits its input to [-limit, limit]. The importer
// leaves a node of a domain that onnxc does not know as onnx.node; this pass
// says what the operator is in terms of ONNX's, and all later stages know it.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Builder.h"
#include "onnxc/Dialect/ONNX/Core.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace {

bool isSaturate(onnxc::NodeOp node) {
  return node.getDomain() == "com.acme" && node.getOpType() == "Saturate";
}

/// Whether a node of the operator is as it has to be; the error names it.
LogicalResult check(onnxc::NodeOp node) {
  if (!isSaturate(node))
    return success();
  std::string name = onnxc::describeNode(node);
  if (node.getNumOperands() != 1 || node.getNumResults() != 1)
    return node.emitError()
           << name << ": has " << node.getNumOperands() << " inputs and "
           << node.getNumResults() << " outputs, expected one of each";
  Attribute limit = node.getOnnxAttributes().get("limit");
  if (!limit)
    return node.emitError()
           << name << ": attribute 'limit' is missing, expected a float";
  if (!isa<FloatAttr>(limit))
    return node.emitError()
           << name << ": attribute 'limit' is not a float: " << limit;
  return success();
}

struct ExpandSaturate : OpRewritePattern<onnxc::NodeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(onnxc::NodeOp node,
                                PatternRewriter &rewriter) const override {
    if (!isSaturate(node))
      return rewriter.notifyMatchFailure(node, "another operator");
    auto limit = node.getOnnxAttributes().getAs<FloatAttr>("limit");
    onnxc::ONNXBuilder b(rewriter, node.getLoc());
    Value x = node.getOperand(0);
    double value = limit.getValueAsDouble();
    Value result = b.max(b.min(x, b.number(value, x)), b.number(-value, x));
    if (b.hasFailed())
      return failure();
    rewriter.replaceOp(node, result);
    return success();
  }
};

struct ExpandAcme : PassWrapper<ExpandAcme, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandAcme)

  StringRef getArgument() const override { return "acme-expand"; }
  StringRef getDescription() const override {
    return "Replace operators of com.acme by ONNX's";
  }

  void runOnOperation() override {
    // What is wrong with a node is said before any is replaced: a pattern that
    // does not match leaves it as it is.
    bool isWrong = getOperation()
                       .walk([](onnxc::NodeOp node) {
                         return failed(check(node)) ? WalkResult::interrupt()
                                                    : WalkResult::advance();
                       })
                       .wasInterrupted();
    if (isWrong)
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandSaturate>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "acme", LLVM_VERSION_STRING,
          [] { PassRegistration<ExpandAcme>(); }};
}
