//===- FillWeightsTest.cpp - Weights in what was linked -------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Emit/FillWeights.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace {

TEST(FillWeightsTest, NoPlace) {
  MLIRContext context;
  std::string errors;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.str();
    return success();
  });
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  onnxc::ModelInfo info;
  // No program has a read-only section of that size without contents.
  info.weightBytes = 123456789;
  std::string out;
  llvm::raw_string_ostream os(out);
  EXPECT_TRUE(failed(onnxc::fillWeights(*module, info, "/proc/self/exe", os)));
  EXPECT_EQ(errors, "the linker left no place for the weights");
  errors.clear();
  EXPECT_TRUE(failed(onnxc::fillWeights(*module, info, "no such file", os)));
  EXPECT_NE(errors.find("cannot read 'no such file'"), std::string::npos);
  EXPECT_EQ(out, "");
}

} // namespace
