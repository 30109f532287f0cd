//===- DriversTest.cpp - What a sweep asks of its patterns ----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Optimize/Drivers.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace onnxc;

namespace {

/// Erases the op named `victim`, once, when it comes to that named `root`.
struct EraseOther : RewritePattern {
  EraseOther(MLIRContext *context, StringRef root, StringRef victim)
      : RewritePattern(root, 1, context), victim(victim) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    for (Operation &other : *op->getBlock())
      if (other.getName().getStringRef() == victim) {
        rewriter.eraseOp(&other);
        return success();
      }
    return failure();
  }

  StringRef victim;
};

/// The matches of a sweep over four nodes without uses.
int64_t sweep(StringRef root, StringRef victim) {
  MLIRContext context;
  context.loadDialect<ONNXDialect, func::FuncDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      R"(func.func @main(%x: tensor<2xf32>) {
        %a = onnx.Neg(%x) : (tensor<2xf32>) -> tensor<2xf32>
        %b = onnx.Abs(%x) : (tensor<2xf32>) -> tensor<2xf32>
        %c = onnx.Exp(%x) : (tensor<2xf32>) -> tensor<2xf32>
        %d = onnx.Relu(%x) : (tensor<2xf32>) -> tensor<2xf32>
        return
      })",
      &context);
  EXPECT_TRUE(module);
  RewritePatternSet patterns(&context);
  patterns.add<EraseOther>(&context, root, victim);
  return sweepPatterns(*module, std::move(patterns));
}

// The op itself, and what stands before it.
TEST(Sweep, LetsPatternsEraseWhatItHasSeen) {
  EXPECT_EQ(sweep("onnx.Abs", "onnx.Abs"), 1);
  EXPECT_EQ(sweep("onnx.Abs", "onnx.Neg"), 1);
}

#ifndef NDEBUG
// What it has not come to yet may be the op that it goes on with.
TEST(SweepDeathTest, RefusesPatternsThatEraseWhatIsToCome) {
  EXPECT_DEATH(sweep("onnx.Neg", "onnx.Exp"),
               "a pattern must erase nothing but");
  EXPECT_DEATH(sweep("onnx.Abs", "onnx.Relu"),
               "a pattern must erase nothing but");
}
#endif

} // namespace
