//===- ShapeBuilderTest.cpp - The readings of shape rules agree -----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each rule is read twice over random dims: as inference, all dims and shape
// operands being known; and as code, none of them being known, which is then
// folded with the same dims and values. Both must tell the same shape.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <random>

using namespace mlir;
using namespace onnxc;

namespace {

using Ints = std::vector<int64_t>;

/// A tensor of some shape, or an int64 vector of some values.
struct Arg {
  Ints shape;
  std::optional<Ints> values;
};
Arg data(Ints shape) { return {std::move(shape), std::nullopt}; }
Arg ints(Ints values) { return {{}, std::move(values)}; }

class ShapeBuilderTest : public testing::Test {
protected:
  ShapeBuilderTest() {
    context
        .loadDialect<ONNXDialect, arith::ArithDialect, cf::ControlFlowDialect,
                     func::FuncDialect, tensor::TensorDialect>();
  }

  static std::string vectorType(const Arg &arg) {
    return "tensor<" + std::to_string(arg.values->size()) + "xi64>";
  }

  static std::string tensorType(const Arg &arg, bool isStatic) {
    std::string text = "tensor<";
    for (int64_t dim : arg.shape)
      text += (isStatic ? std::to_string(dim) : "?") + "x";
    return text + "f32>";
  }

  /// `op` applied to %a, %b, …: known shapes and constants, or nothing known.
  OwningOpRef<ModuleOp> parse(const std::string &op, llvm::ArrayRef<Arg> args,
                              bool isStatic) {
    std::string parameters, constants, types;
    for (auto [i, arg] : llvm::enumerate(args)) {
      std::string name = "%" + std::string(1, 'a' + i);
      std::string type =
          arg.values ? vectorType(arg) : tensorType(arg, isStatic);
      types += (i ? ", " : "") + type;
      if (!arg.values || !isStatic) {
        parameters += (parameters.empty() ? "" : ", ") + name + ": " + type;
        continue;
      }
      std::string list;
      for (int64_t value : *arg.values)
        list += (list.empty() ? "" : ",") + std::to_string(value);
      constants += name + " = onnx.Constant() {value = dense<[" + list +
                   "]> : " + type + "} : () -> " + type + "\n";
    }
    std::string text = "func.func @f(" + parameters + ") {\n" + constants +
                       "%r = " + op + " : (" + types +
                       ") -> !onnx.unknown\nreturn\n}";
    // The verifier would refuse what the rule is to refuse.
    ParserConfig config(&context, /*verifyAfterParse=*/false);
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, config);
    EXPECT_TRUE(module) << text;
    return module;
  }

  static Operation *getOp(ModuleOp module) {
    auto function = *module.getOps<func::FuncOp>().begin();
    return function.front().getTerminator()->getPrevNode();
  }

  /// The shape by inference; nullopt if the rule refuses the operands.
  std::optional<Ints> infer(const std::string &op, llvm::ArrayRef<Arg> args) {
    OwningOpRef<ModuleOp> module = parse(op, args, /*isStatic=*/true);
    llvm::SmallVector<Type> types;
    auto ignore = [](const llvm::Twine &) {};
    if (failed(inferResultTypes(getOp(*module), types, ignore)))
      return std::nullopt;
    auto type = dyn_cast_or_null<RankedTensorType>(types[0]);
    EXPECT_TRUE(type && type.hasStaticShape()) << op;
    if (!type)
      return std::nullopt;
    return Ints(type.getShape().begin(), type.getShape().end());
  }

  /// The shape by the code of the reify reading, folded with what the operands
  /// turn out to be.
  std::optional<Ints> reify(const std::string &op, llvm::ArrayRef<Arg> args) {
    OwningOpRef<ModuleOp> module = parse(op, args, /*isStatic=*/false);
    Operation *root = getOp(*module);
    OpBuilder builder(root);
    ReifyShapeBuilder shapes(builder, root->getLoc(), root->getOperands(), 1);
    if (failed(cast<SchemaOpInterface>(root).applyShapeRule(
            shapes, root->getOperands())))
      return std::nullopt;
    FailureOr<llvm::SmallVector<OpFoldResult>> dims = shapes.getResultDims(0);
    if (failed(dims))
      return std::nullopt;
    // Keep the dims in sight while folding replaces values.
    llvm::SmallVector<Value> values;
    for (OpFoldResult dim : *dims)
      values.push_back(
          getValueOrCreateConstantIndexOp(builder, root->getLoc(), dim));
    Operation *keeper = UnrealizedConversionCastOp::create(
        builder, root->getLoc(), TypeRange(), values);

    Block &block = *root->getBlock();
    builder.setInsertionPointToStart(&block);
    for (auto [argument, arg] : llvm::zip_equal(block.getArguments(), args)) {
      if (!arg.values) {
        argument.setType(
            RankedTensorType::get(arg.shape, builder.getF32Type()));
        continue;
      }
      auto type = cast<RankedTensorType>(argument.getType());
      Value constant = arith::ConstantOp::create(
          builder, root->getLoc(),
          DenseElementsAttr::get(type, llvm::ArrayRef(*arg.values)));
      argument.replaceAllUsesWith(constant);
    }
    for (Operation &each : llvm::make_early_inc_range(block)) {
      if (&each == keeper)
        break;
      llvm::SmallVector<Value> folded;
      builder.setInsertionPoint(&each);
      if (succeeded(builder.tryFold(&each, folded)))
        each.replaceAllUsesWith(folded);
    }
    Ints result;
    for (Value value : keeper->getOperands()) {
      llvm::APInt known;
      if (!matchPattern(value, m_ConstantInt(&known)))
        return std::nullopt;
      result.push_back(known.getSExtValue());
    }
    return result;
  }

  void expectAgreement(const std::string &op,
                       const std::function<std::vector<Arg>()> &draw) {
    int compared = 0;
    for (int trial = 0; trial < 60; ++trial) {
      std::vector<Arg> args = draw();
      std::optional<Ints> inferred = infer(op, args);
      if (!inferred)
        continue;
      ++compared;
      std::string what = op;
      for (const Arg &arg : args) {
        what += arg.values ? " values" : " shape";
        for (int64_t v : arg.values ? *arg.values : arg.shape)
          what += " " + std::to_string(v);
      }
      std::optional<Ints> reified = reify(op, args);
      ASSERT_TRUE(reified) << what;
      ASSERT_EQ(*inferred, *reified) << what;
    }
    EXPECT_GE(compared, 10) << op << ": too few draws that the rule accepts";
  }

  int64_t pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  }

  MLIRContext context;
  std::mt19937 random{20};
};

TEST_F(ShapeBuilderTest, Broadcast) {
  expectAgreement("onnx.Add(%a, %b)", [&]() -> std::vector<Arg> {
    Ints x, y;
    for (int i = 0; i < 3; ++i) {
      int64_t dim = pick(0, 3);
      x.push_back(pick(0, 2) ? dim : 1);
      y.push_back(pick(0, 2) ? dim : 1);
    }
    return {data(x), data(Ints(y.begin() + pick(0, 3), y.end()))};
  });
}

TEST_F(ShapeBuilderTest, MatMul) {
  expectAgreement("onnx.MatMul(%a, %b)", [&]() -> std::vector<Arg> {
    int64_t k = pick(0, 4), batch = pick(0, 3);
    return {data({pick(0, 1) ? batch : 1, pick(0, 4), k}),
            data({pick(0, 1) ? batch : 1, k, pick(0, 4)})};
  });
}

TEST_F(ShapeBuilderTest, ConvNotset) {
  expectAgreement("onnx.Conv(%a, %b) {strides = [2, 3], pads = [1, 0, 2, 1], "
                  "dilations = [1, 2], group = 2}",
                  [&]() -> std::vector<Arg> {
                    int64_t c = pick(1, 3);
                    return {data({pick(0, 2), 2 * c, pick(1, 9), pick(1, 9)}),
                            data({2 * pick(1, 2), c, pick(1, 4), pick(1, 4)})};
                  });
}

TEST_F(ShapeBuilderTest, ConvSame) {
  expectAgreement(
      "onnx.Conv(%a, %b) {strides = [3], auto_pad = \"SAME_LOWER\"}",
      [&]() -> std::vector<Arg> {
        return {data({1, 2, pick(0, 9)}), data({3, 2, pick(1, 4)})};
      });
}

TEST_F(ShapeBuilderTest, ConvTranspose) {
  expectAgreement("onnx.ConvTranspose(%a, %b) {strides = [2], pads = [1, 0], "
                  "output_padding = [1]}",
                  [&]() -> std::vector<Arg> {
                    return {data({1, 2, pick(1, 9)}), data({2, 3, pick(1, 4)})};
                  });
}

TEST_F(ShapeBuilderTest, PoolCeil) {
  expectAgreement(
      "onnx.AveragePool(%a) {kernel_shape = [3], strides = [2], "
      "pads = [1, 2], ceil_mode = 1}",
      [&]() -> std::vector<Arg> { return {data({1, 2, pick(0, 12)})}; });
}

TEST_F(ShapeBuilderTest, Reshape) {
  expectAgreement("onnx.Reshape(%a, %b)", [&]() -> std::vector<Arg> {
    Ints shape = {pick(0, 3), pick(1, 3), pick(1, 4)};
    Ints to = shape;
    std::shuffle(to.begin(), to.end(), random);
    if (pick(0, 1))
      to[pick(0, 2)] = -1;
    if (pick(0, 1))
      to[0] = shape[0] ? 0 : to[0];
    return {data(shape), ints(to)};
  });
}

TEST_F(ShapeBuilderTest, Expand) {
  expectAgreement("onnx.Expand(%a, %b)", [&]() -> std::vector<Arg> {
    int64_t dim = pick(0, 3);
    return {data({dim, 1}),
            ints({pick(0, 3), pick(0, 1) ? dim : 1, pick(0, 4)})};
  });
}

TEST_F(ShapeBuilderTest, SliceWithRuntimeEverything) {
  expectAgreement("onnx.Slice(%a, %b, %c, %d, %e)", [&]() -> std::vector<Arg> {
    int64_t step = pick(-3, 3);
    return {data({pick(0, 7), pick(0, 7)}), ints({pick(-9, 9)}),
            ints({pick(-9, 9)}), ints({pick(-2, 1)}), ints({step ? step : 1})};
  });
}

TEST_F(ShapeBuilderTest, Pad) {
  expectAgreement("onnx.Pad(%a, %b, _, %c)", [&]() -> std::vector<Arg> {
    int64_t axis = pick(-2, 1);
    return {data({pick(2, 5), pick(2, 5)}), ints({pick(-1, 3), pick(-1, 3)}),
            ints({axis})};
  });
}

TEST_F(ShapeBuilderTest, ReductionOverRuntimeAxes) {
  for (const char *op :
       {"onnx.ReduceSum(%a, %b)", "onnx.ReduceSum(%a, %b) {keepdims = 0}"})
    expectAgreement(op, [&]() -> std::vector<Arg> {
      int64_t first = pick(0, 2), second = (first + pick(1, 2)) % 3;
      return {data({pick(0, 5), pick(0, 5), pick(0, 5)}),
              ints({pick(0, 1) ? first : first - 3,
                    pick(0, 1) ? second : second - 3})};
    });
}

TEST_F(ShapeBuilderTest, UnsqueezeAtRuntimeAxes) {
  expectAgreement("onnx.Unsqueeze(%a, %b)", [&]() -> std::vector<Arg> {
    int64_t first = pick(0, 3), second = (first + pick(1, 3)) % 4;
    return {data({pick(0, 5), pick(0, 5)}),
            ints({pick(0, 1) ? first : first - 4, second})};
  });
}

TEST_F(ShapeBuilderTest, SqueezeAtRuntimeAxes) {
  expectAgreement("onnx.Squeeze(%a, %b)", [&]() -> std::vector<Arg> {
    Ints shape = {pick(2, 5), pick(2, 5), pick(2, 5)};
    int64_t axis = pick(0, 2);
    shape[axis] = 1;
    return {data(shape), ints({pick(0, 1) ? axis : axis - 3})};
  });
}

TEST_F(ShapeBuilderTest, ShapesThatMoveDims) {
  auto shape = [&]() -> std::vector<Arg> {
    return {data({pick(0, 3), pick(0, 4), pick(0, 5)})};
  };
  expectAgreement("onnx.Transpose(%a) {perm = [2, 0, 1]}", shape);
  expectAgreement("onnx.Flatten(%a) {axis = -1}", shape);
  expectAgreement("onnx.Concat(%a, %b) {axis = 1}", [&]() -> std::vector<Arg> {
    int64_t rows = pick(0, 3);
    return {data({rows, pick(0, 3)}), data({rows, pick(0, 3)})};
  });
}

TEST_F(ShapeBuilderTest, GatherTileConstantOfShape) {
  expectAgreement("onnx.Tile(%a, %b)", [&]() -> std::vector<Arg> {
    return {data({pick(0, 3), pick(0, 4)}), ints({pick(0, 3), pick(0, 3)})};
  });
  expectAgreement("onnx.ConstantOfShape(%a)", [&]() -> std::vector<Arg> {
    return {ints({pick(0, 3), pick(0, 3)})};
  });
  expectAgreement("onnx.Gather(%a, %b) {axis = -2}", [&]() -> std::vector<Arg> {
    return {data({pick(0, 3), pick(1, 3), pick(0, 3)}), ints({0, 0})};
  });
  expectAgreement("onnx.Range(%a, %b, %c)", [&]() -> std::vector<Arg> {
    int64_t delta = pick(-3, 3);
    return {ints({pick(-5, 5)}), ints({pick(-5, 5)}),
            ints({delta ? delta : 2})};
  });
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

TEST_F(ShapeBuilderTest, ErrorsAreReportedOnce) {
  std::vector<std::string> messages;
  auto record = [&](const llvm::Twine &message) {
    messages.push_back(message.str());
  };
  InferShapeBuilder s(&context, {}, 1, record);
  s.same(s.constant(2), s.constant(3), "first");
  s.require(false, "second");
  EXPECT_TRUE(s.hasFailed());
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0], "first: dimensions 2 and 3 must be equal");
  EXPECT_TRUE(failed(s.result(0, Float32Type::get(&context), {})));
}

TEST_F(ShapeBuilderTest, OverflowIsAnError) {
  InferShapeBuilder s(&context, {}, 1, nullptr);
  Dim huge = s.constant(std::numeric_limits<int64_t>::max());
  Dim sum = huge + 1;
  EXPECT_FALSE(sum.isKnown());
  EXPECT_TRUE(s.hasFailed());
}

TEST_F(ShapeBuilderTest, BroadcastIsNotMax) {
  InferShapeBuilder s(&context, {}, 1, nullptr);
  EXPECT_TRUE(s.broadcast(s.constant(0), s.constant(1), "t").is(0));
  EXPECT_TRUE(s.broadcast(s.unknown(), s.constant(0), "t").is(0));
  EXPECT_TRUE(s.broadcast(s.unknown(), s.constant(7), "t").is(7));
  EXPECT_FALSE(s.broadcast(s.unknown(), s.constant(1), "t").isKnown());
  EXPECT_FALSE(s.hasFailed());
  s.broadcast(s.constant(0), s.constant(2), "t");
  EXPECT_TRUE(s.hasFailed());
}

} // namespace
