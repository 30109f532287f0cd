//===- ExtractConstantToInitializer.cpp - Constants out of the nodes ------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_EXTRACTCONSTANTTOINITIALIZER
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
struct MarkAsInitializer : Rewriting<ConstantOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(ConstantOp op,
                                PatternRewriter &rewriter) const override {
    if (isInitializer(op))
      return rewriter.notifyMatchFailure(op, "is one");
    if (!canBeInitializer(op))
      return rewriter.notifyMatchFailure(op,
                                         "this graph cannot have initializers");
    ElementsAttr value = getConstant(op.getOutput());
    if (!value || (options.upstreamCompatible && !op.getValue()))
      return rewriter.notifyMatchFailure(op, "the value is not a tensor");
    // Initializers are tensors, in all forms of the node.
    rewriter.modifyOpInPlace(op, [&] {
      for (StringRef name : ConstantOp::getAttributeNames())
        op->removeAttr(name);
      op.setValueAttr(value);
      op->setAttr(model::initializer, rewriter.getUnitAttr());
    });
    return success();
  }
};
} // namespace

namespace {
struct ExtractConstantToInitializer
    : PatternsPass<onnxc::impl::ExtractConstantToInitializerBase<
                       ExtractConstantToInitializer>,
                   MarkAsInitializer> {};
} // namespace
