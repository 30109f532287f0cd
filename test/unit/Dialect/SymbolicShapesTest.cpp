//===- SymbolicShapesTest.cpp - What is known of open sizes ---------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/SymbolicShapes.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <limits>

using namespace mlir;
using namespace onnxc;

namespace {

/// The results of the ops of a function, by their order: `get(0)` is the first
/// op's, and `argument(0)` the first argument.
class SymbolicShapesTest : public testing::Test {
protected:
  SymbolicShapesTest() {
    context.loadDialect<ONNXDialect, func::FuncDialect>();
  }

  void parse(StringRef signature, StringRef body) {
    std::string text = ("func.func @main(" + signature +
                        ") attributes {onnx.entry} {\n" + body + "\nreturn\n}")
                           .str();
    module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    function = *module->getOps<func::FuncOp>().begin();
  }
  Value argument(unsigned index) { return function.getArgument(index); }
  Value get(unsigned index) {
    return std::next(function.front().begin(), index)->getResult(0);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
};

TEST_F(SymbolicShapesTest, NamesAreSizes) {
  parse("%x: tensor<?x?xf32> {onnx.dim_params = [\"n\", \"m\"]}, "
        "%y: tensor<?xf32> {onnx.dim_params = [\"n\"]}, %z: tensor<?xf32>",
        "");
  SymbolicShapes shapes;
  EXPECT_TRUE(shapes.isSameDim(argument(0), 0, argument(1), 0));
  EXPECT_FALSE(shapes.isSameDim(argument(0), 1, argument(1), 0));
  EXPECT_FALSE(shapes.isSameDim(argument(2), 0, argument(1), 0));
  EXPECT_TRUE(shapes.isSameDim(argument(2), 0, argument(2), 0));
}

TEST_F(SymbolicShapesTest, BroadcastOfAnySizes) {
  parse("%x: tensor<?x4xf32>, %y: tensor<?x4xf32>", R"(
    %0 = onnx.Relu(%x) : (tensor<?x4xf32>) -> tensor<?x4xf32>
    %1 = onnx.Add(%x, %0) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    %2 = onnx.Add(%x, %y) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>)");
  SymbolicShapes shapes;
  EXPECT_TRUE(shapes.isSameShape(get(1), argument(0)));
  // One of them may be 1.
  EXPECT_FALSE(shapes.isSameShape(get(2), argument(0)));
  EXPECT_FALSE(shapes.isSameShape(get(2), argument(1)));
  // For people that does not count.
  int count = 0;
  SymbolicShapes lenient([&](Value, int64_t) {
    return Size::symbol("s" + std::to_string(count++));
  });
  EXPECT_TRUE(lenient.isSameShape(get(2), argument(0)));
}

TEST_F(SymbolicShapesTest, QuotientsAndBounds) {
  parse("%x: tensor<?x12x64xf32>, %y: tensor<?x?xf32>", R"(
    %0 = onnx.Constant() {value = dense<[-1, 768]> : tensor<2xi64>} : () -> tensor<2xi64>
    %1 = onnx.Reshape(%x, %0) : (tensor<?x12x64xf32>, tensor<2xi64>) -> tensor<?x768xf32>
    %2 = onnx.Flatten(%x) {axis = 2 : i64} : (tensor<?x12x64xf32>) -> tensor<?x64xf32>
    %3 = onnx.Concat(%y, %y) {axis = 0 : i64} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>)");
  SymbolicShapes shapes;
  SymbolicDim n = shapes.getDim(argument(0), 0);
  SymbolicDim rows = shapes.getDim(get(2), 0);
  EXPECT_TRUE(shapes.isSame(shapes.getDim(get(1), 0), n));
  EXPECT_TRUE(shapes.divides(12, rows));
  EXPECT_TRUE(shapes.divides(4, rows));
  EXPECT_FALSE(shapes.divides(5, rows));
  EXPECT_FALSE(shapes.divides(2, n));
  EXPECT_TRUE(shapes.isAtMost(n, rows));
  EXPECT_FALSE(shapes.isAtMost(rows, n)); // unless it is 0
  EXPECT_TRUE(shapes.isAtMost(0, n));
  EXPECT_FALSE(shapes.isAtMost(1, n));
  EXPECT_TRUE(shapes.isAtMost(n, std::numeric_limits<int64_t>::max()));
  EXPECT_TRUE(shapes.isLess(-1, n));
  EXPECT_FALSE(shapes.isLess(0, n));
  EXPECT_FALSE(shapes.isLess(n, rows)); // unless it is 0
  EXPECT_TRUE(shapes.divides(2, shapes.getDim(get(3), 0)));
  EXPECT_TRUE(shapes.isSameDim(get(3), 1, argument(1), 1));
}

TEST_F(SymbolicShapesTest, DimensionsAreNotNegative) {
  parse("%x: tensor<2x4x?xf32>, %y: tensor<2x4xf32>", R"(
    %0 = onnx.MaxPool(%x) {kernel_shape = array<i64: 3>} : (tensor<2x4x?xf32>) -> tensor<2x4x?xf32>
    %1 = onnx.Shape(%0) : (tensor<2x4x?xf32>) -> tensor<3xi64>
    %2 = onnx.Reshape(%x, %1) {allowzero = 1 : i64} : (tensor<2x4x?xf32>, tensor<3xi64>) -> tensor<2x4x?xf32>)");
  SymbolicShapes shapes;
  // n - 2, which a Reshape does not take for -1.
  EXPECT_TRUE(shapes.isSameDim(get(2), 2, get(0), 2));
  EXPECT_FALSE(shapes.isSameDim(get(0), 2, argument(0), 2));
  EXPECT_TRUE(
      shapes.isAtMost(shapes.getDim(get(0), 2), shapes.getDim(argument(0), 2)));
  EXPECT_TRUE(shapes.isAtMost(0, shapes.getDim(get(0), 2)));
}

TEST_F(SymbolicShapesTest, RemaindersStayOpen) {
  parse("%x: tensor<?x3xf32>", R"(
    %0 = onnx.Constant() {value = dense<[-1, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
    %1 = onnx.Reshape(%x, %0) : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<?x2xf32>
    %2 = onnx.Reshape(%x, %0) : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<?x2xf32>)");
  SymbolicShapes shapes;
  SymbolicDim half = shapes.getDim(get(1), 0);
  EXPECT_FALSE(shapes.isSame(half, shapes.getDim(get(2), 0)));
  EXPECT_FALSE(shapes.isAtMost(half, shapes.getDim(argument(0), 0)));
  EXPECT_TRUE(shapes.isAtMost(0, half));
}

TEST_F(SymbolicShapesTest, ElementsOfShapes) {
  parse("%x: tensor<?x?xf32>, %s: tensor<2xi64>", R"(
    %0 = onnx.Shape(%x) : (tensor<?x?xf32>) -> tensor<2xi64>
    %1 = onnx.Reshape(%x, %0) : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
    %2 = onnx.Reshape(%x, %s) : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
    %3 = onnx.Reshape(%x, %s) {allowzero = 1 : i64} : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>)");
  SymbolicShapes shapes;
  EXPECT_TRUE(shapes.isSame(shapes.getElement(get(0), 1),
                            shapes.getDim(argument(0), 1)));
  EXPECT_TRUE(shapes.isSameShape(get(1), argument(0)));
  // An element may be 0, of a dimension that is copied, or -1.
  SymbolicDim element = shapes.getElement(argument(1), 0);
  EXPECT_FALSE(shapes.isAtMost(0, element));
  EXPECT_FALSE(shapes.isSame(shapes.getDim(get(2), 0), element));
  EXPECT_FALSE(shapes.isSame(shapes.getDim(get(3), 0), element));
}

} // namespace
