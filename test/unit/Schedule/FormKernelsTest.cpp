//===- FormKernelsTest.cpp - Formations and their preconditions -----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A precondition changes nothing and says why not; a formation does what its
// precondition promises, and leaves the op where that refuses.
//
//===----------------------------------------------------------------------===//

#include "Kernels/BlockMatmul/FormBlockMatmuls.h"
#include "Kernels/Conv/FormConvolutions.h"
#include "Kernels/IntegerDot/FormIntegerDots.h"
#include "Kernels/Matmul/FormMatmuls.h"
#include "onnxc/Schedule/KernelCodegen.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace onnxc;

namespace {

class FormKernels : public testing::Test {
protected:
  FormKernels() {
    DialectRegistry registry;
    registry.insert<ProgramDialect, arith::ArithDialect, func::FuncDialect,
                    kernel::KernelDialect, linalg::LinalgDialect,
                    tensor::TensorDialect>();
    registerKernelCodegen(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// Calls `can` and `form` for the one op of type `Op` in the text. Returns
  /// the reason against it, empty if the kernel was formed.
  template <typename Op, typename Can, typename Form>
  std::string run(StringRef text, Can can, Form form) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    if (!module)
      return "does not parse";
    Op op;
    module->walk([&](Op found) { op = found; });
    auto print = [&] {
      std::string printed;
      llvm::raw_string_ostream os(printed);
      module->print(os);
      return printed;
    };
    std::string before = print(), why, again;
    TargetAttr target = TargetAttr::of(*module);
    bool possible = can(op, target, why);
    EXPECT_EQ(print(), before);
    EXPECT_EQ(possible, why.empty());
    IRRewriter rewriter(&context);
    EXPECT_EQ(succeeded(form(rewriter, op, target, again)), possible);
    EXPECT_EQ(why, again);
    EXPECT_EQ(print() == before, !possible);
    EXPECT_TRUE(succeeded(verify(*module)));
    return why;
  }

  std::string convolve(StringRef filter, StringRef argument = "") {
    std::string text =
        ("func.func @f(%x: tensor<1x16x8xf32>" + argument +
         ") -> tensor<1x16x6xf32> {\n" + filter +
         "\n  %z = arith.constant 0.0 : f32\n"
         "  %e = tensor.empty() : tensor<1x16x6xf32>\n"
         "  %i = linalg.fill ins(%z : f32) outs(%e : tensor<1x16x6xf32>) -> "
         "tensor<1x16x6xf32>\n"
         "  %r = linalg.conv_1d_ncw_fcw ins(%x, %w : tensor<1x16x8xf32>, "
         "tensor<16x16x3xf32>) outs(%i : tensor<1x16x6xf32>) -> "
         "tensor<1x16x6xf32>\n  return %r : tensor<1x16x6xf32>\n}")
            .str();
    return run<linalg::Conv1DNcwFcwOp>(
        text,
        [](auto op, TargetAttr target, std::string &why) {
          return canFormConvolution(op, target, why);
        },
        [](RewriterBase &b, auto op, TargetAttr target, std::string &why) {
          return formConvolution(b, op, target, /*winograd=*/true, why);
        });
  }

  MLIRContext context;
};

/// The body of a function that multiplies %x by %w.
std::string product(StringRef weights, StringRef types, StringRef sums) {
  return ("func.func @f(%x: tensor<4x8x" + types + ">) -> tensor<4x16x" + sums +
          "> {\n" + weights + "\n  %z = arith.constant " +
          (sums == "i32" ? "0" : "0.0") + " : " + sums +
          "\n  %e = tensor.empty() : tensor<4x16x" + sums +
          ">\n  %i = linalg.fill ins(%z : " + sums +
          ") outs(%e : tensor<4x16x" + sums + ">) -> tensor<4x16x" + sums +
          ">\n  %r = linalg.matmul ins(%x, %w : tensor<4x8x" + types +
          ">, tensor<8x16x" + types + ">) outs(%i : tensor<4x16x" + sums +
          ">) -> tensor<4x16x" + sums + ">\n  return %r : tensor<4x16x" + sums +
          ">\n}")
      .str();
}

TEST_F(FormKernels, Convolution) {
  EXPECT_EQ(convolve("  %w = arith.constant dense<1.0> : tensor<16x16x3xf32>"),
            "");
  EXPECT_EQ(convolve("", ", %w: tensor<16x16x3xf32>"),
            "the filter is not a constant");
}

TEST_F(FormKernels, Pool) {
  auto form = [&](StringRef text) {
    return run<linalg::GenericOp>(
        text,
        [](linalg::GenericOp op, TargetAttr, std::string &why) {
          return canFormPool(op, why);
        },
        [](RewriterBase &b, linalg::GenericOp op, TargetAttr target,
           std::string &why) { return formPool(b, op, target, why); });
  };
  EXPECT_EQ(form(R"(
#in = affine_map<(n, c, o, k) -> (n, c, o + k)>
#window = affine_map<(n, c, o, k) -> (k)>
#out = affine_map<(n, c, o, k) -> (n, c, o)>
func.func @f(%x: tensor<1x16x8xf32>) -> tensor<1x16x6xf32> {
  %z = arith.constant 0.0 : f32
  %w = tensor.empty() : tensor<3xf32>
  %e = tensor.empty() : tensor<1x16x6xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<1x16x6xf32>) -> tensor<1x16x6xf32>
  %r = linalg.generic {indexing_maps = [#in, #window, #out],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<1x16x8xf32>, tensor<3xf32>) outs(%i : tensor<1x16x6xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<1x16x6xf32>
  return %r : tensor<1x16x6xf32>
})"),
            "the image does not come from a kernel");
}

TEST_F(FormKernels, IntegerDot) {
  auto form = [&](const std::string &text) {
    return run<linalg::MatmulOp>(
        text,
        [](auto op, TargetAttr target, std::string &why) {
          return canFormIntegerDot(op, target, why);
        },
        [](RewriterBase &b, auto op, TargetAttr target, std::string &why) {
          return formIntegerDot(b, op, target, /*winograd=*/true, why);
        });
  };
  EXPECT_EQ(form(product("  %w = arith.constant dense<1.0> : tensor<8x16xf32>",
                         "f32", "f32")),
            "the image is not quantized");
}

TEST_F(FormKernels, BlockMatmul) {
  auto form = [&](const std::string &text) {
    return run<linalg::MatmulOp>(
        text,
        [](linalg::MatmulOp op, TargetAttr target, std::string &why) {
          return canFormBlockMatmul(op, target, why);
        },
        [](RewriterBase &b, linalg::MatmulOp op, TargetAttr target,
           std::string &why) { return formBlockMatmul(b, op, target, why); });
  };
  EXPECT_EQ(form(product("  %w = arith.constant dense<1.0> : tensor<8x16xf32>",
                         "f32", "f32")),
            "the right operand is not a dequantized matrix");
  EXPECT_EQ(form(product(R"(  %n = arith.constant dense<3> : tensor<8x16xi8>
  %s = arith.constant dense<2.0> : tensor<16xf32>
  %v = tensor.empty() : tensor<8x16xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%n, %s : tensor<8x16xi8>, tensor<16xf32>) outs(%v : tensor<8x16xf32>) {
  ^bb0(%a: i8, %b: f32, %c: f32):
    %d = arith.extsi %a : i8 to i32
    %f = arith.sitofp %d : i32 to f32
    %g = arith.mulf %f, %b : f32
    linalg.yield %g : f32
  } -> tensor<8x16xf32>)",
                         "f32", "f32")),
            "");
}

TEST_F(FormKernels, Matmul) {
  auto form = [&](StringRef combine) {
    std::string text = (R"(
func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %i: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x8xf32>, tensor<8x16xf32>) outs(%i : tensor<4x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = )" + combine + R"( %p, %c : f32
    linalg.yield %s : f32
  } -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
})")
                           .str();
    return run<linalg::GenericOp>(
        text,
        [](linalg::GenericOp op, TargetAttr, std::string &why) {
          return canFormMatmul(op, why);
        },
        [](RewriterBase &b, linalg::GenericOp op, TargetAttr,
           std::string &why) { return formMatmul(b, op, why); });
  };
  EXPECT_EQ(form("arith.addf"), "");
  EXPECT_EQ(form("arith.maximumf"), "the body is not a multiply-add of floats");
}

} // namespace
