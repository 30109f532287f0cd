//===- DiagnosticsTest.cpp - How errors read ------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Support/Diagnostics.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace onnxc;

namespace {

class DiagnosticsTest : public ::testing::Test {
protected:
  /// A node called `name`, as a FusedLoc with a string for metadata.
  Location nodeAt(StringRef name, StringRef file = "m.onnx") {
    // Nodes of a model file have no column.
    Location position = FileLineColLoc::get(
        &context, file, 4, file.ends_with(".onnx") ? 0 : 2);
    return FusedLoc::get(&context, {position}, StringAttr::get(&context, name));
  }

  static std::optional<NodeName> findNode(Location location) {
    if (auto fused = dyn_cast<FusedLoc>(location))
      if (auto name = dyn_cast_or_null<StringAttr>(fused.getMetadata()))
        return NodeName{name.str(), "Conv"};
    return std::nullopt;
  }

  /// What a printer writes while `emit` runs.
  std::string print(llvm::function_ref<void()> emit, bool remarks = false) {
    std::string text;
    llvm::raw_string_ostream os(text);
    DiagnosticPrinter printer(&context, os, {findNode, {}}, remarks);
    emit();
    hadError = printer.hadError();
    return text;
  }

  MLIRContext context;
  bool hadError = false;
};

TEST_F(DiagnosticsTest, NamesFileAndNode) {
  EXPECT_EQ(print([&] { emitError(nodeAt("c1"), "conv_c2: no such thing"); }),
            "m.onnx: node 'c1' (Conv): conv_c2: no such thing\n");
  EXPECT_TRUE(hadError);
}

TEST_F(DiagnosticsTest, DropsWhatTheNodeSaysAlready) {
  EXPECT_EQ(print([&] { emitError(nodeAt("c1"), "'onnx.Conv' op is odd"); }),
            "m.onnx: node 'c1' (Conv): is odd\n");
  EXPECT_EQ(print([&] { emitError(nodeAt("c1"), "'onnx.Add' op is odd"); }),
            "m.onnx: node 'c1' (Conv): 'onnx.Add' op is odd\n");
}

TEST_F(DiagnosticsTest, TextFilesHaveLineAndColumn) {
  EXPECT_EQ(print([&] {
              emitError(FileLineColLoc::get(&context, "m.mlir", 4, 2), "odd");
            }),
            "m.mlir:4:2: odd\n");
}

TEST_F(DiagnosticsTest, UnknownPlaces) {
  EXPECT_EQ(print([&] { emitError(UnknownLoc::get(&context), "odd"); }),
            "odd\n");
}

TEST_F(DiagnosticsTest, RemarksOnlyWhenAskedFor) {
  auto remark = [&] { emitRemark(nodeAt("c1"), "not vectorized"); };
  EXPECT_EQ(print(remark), "");
  EXPECT_EQ(print(remark, /*remarks=*/true),
            "m.onnx: remark: node 'c1' (Conv): not vectorized\n");
  EXPECT_FALSE(hadError);
}

TEST_F(DiagnosticsTest, UnsupportedOpsAreListedAtOnce) {
  UnsupportedOps unsupported;
  EXPECT_TRUE(unsupported.empty());
  EXPECT_TRUE(succeeded(unsupported.report(UnknownLoc::get(&context))));
  unsupported.add("Foo", "", 3, nodeAt("f1"));
  unsupported.add("Bar", "com.acme", 1, nodeAt("b1"));
  unsupported.add("Foo", "", 3, nodeAt("f2"));
  Location file = FileLineColLoc::get(&context, "m.onnx", 0, 0);
  EXPECT_EQ(print([&] { EXPECT_TRUE(failed(unsupported.report(file))); }),
            "m.onnx: 2 operators are not supported by this version of onnxc:\n"
            "  m.onnx: node 'f1' (Conv): Foo of domain 'ai.onnx' version 3: 2 "
            "nodes, this is the first\n"
            "  m.onnx: node 'b1' (Conv): Bar of domain 'com.acme' version 1: "
            "1 node\n");
}

} // namespace
