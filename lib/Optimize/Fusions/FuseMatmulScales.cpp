//===- FuseMatmulScales.cpp - The scales of both operands as one ----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Contraction.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Optimize/RewritePass.h"

#include <cmath>

namespace onnxc {
#define GEN_PASS_DEF_FUSEMATMULSCALES
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
/// MatMul of two operands that are each scaled by a constant: one is, by both.
/// Attention is written so, with the root of its scale on each side.
struct ScaleOnce : Rewriting<MatMulOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(MatMulOp op,
                                PatternRewriter &rewriter) const override {
    Scaled a = getScaled(op.getA()), b = getScaled(op.getB());
    if (!a.value || !b.value || op.getA() == op.getB())
      return rewriter.notifyMatchFailure(
          op, "not both operands are scaled by a number, for this use alone");
    Type element = getElementType(op.getA());
    if (!isa_and_present<FloatType>(element))
      return rewriter.notifyMatchFailure(op, "not of floats");
    // A half has so few digits that a test sees where it was rounded; powers of
    // two only change its exponent.
    if (element.getIntOrFloatBitWidth() < 32 &&
        (!isPowerOfTwo(a.scale) || !isPowerOfTwo(b.scale)))
      return rewriter.notifyMatchFailure(op, "halves are rounded at each step");
    double both = a.scale * b.scale;
    std::optional<ElementsAttr> constant =
        makeElements(RankedTensorType::get({}, element), ArrayRef(both));
    std::optional<Elements> rounded =
        constant ? Elements::get(*constant) : std::nullopt;
    // What is scaled by both must not get out of the range of the type.
    double least = element.isF16() ? 0x1p-7 : 0x1p-60;
    if (!rounded || std::abs(both) > 1 || std::abs(both) < least)
      return rewriter.notifyMatchFailure(op,
                                         "both scales are too much at once");
    bool scaleB = isSmaller(b.value, a.value);
    Value scale = makeConstant(rewriter, op, *constant, "scale");
    const Scaled &kept = scaleB ? b : a;
    Value scaled =
        MulOp::create(rewriter, fuseLocations(kept.op, kept.op),
                      kept.op->getResult(0).getType(), kept.value, scale);
    rewriter.modifyOpInPlace(op, [&] {
      op.getAMutable().set(scaleB ? a.value : scaled);
      op.getBMutable().set(scaleB ? scaled : b.value);
    });
    return success();
  }

  struct Scaled {
    Operation *op = nullptr;
    Value value;
    double scale = 1;
  };

  /// Mul or Div of a value by one number, of this one use.
  static Scaled getScaled(Value operand) {
    Operation *op = operand.getDefiningOp();
    if (!isa_and_present<MulOp, DivOp>(op) || !operand.hasOneUse())
      return {};
    for (unsigned other : {1u, 0u}) {
      std::optional<double> number = getNumber(op->getOperand(other));
      Value value = op->getOperand(1 - other);
      if (!number || isConstant(value) || (other == 0 && isa<DivOp>(op)) ||
          getRank(op->getOperand(other)).value_or(0) >
              getRank(value).value_or(0))
        continue;
      double scale = isa<DivOp>(op) ? 1 / *number : *number;
      if (std::isfinite(scale))
        return {op, value, scale};
    }
    return {};
  }

  static bool isPowerOfTwo(double scale) {
    int exponent;
    return std::abs(std::frexp(scale, &exponent)) == 0.5;
  }

  static bool isSmaller(Value a, Value b) {
    RankedTensorType x = getStaticType(a), y = getStaticType(b);
    return x && y && x.getNumElements() < y.getNumElements();
  }
};

struct FuseMatmulScales : onnxc::impl::FuseMatmulScalesBase<FuseMatmulScales> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns.add<ScaleOnce>(patterns.getContext(), options);
  }
};
} // namespace
