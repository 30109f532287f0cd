//===- LowerMath.cpp - Math ops to instructions and libm --------*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Emit/Passes.h"

#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace onnxc {
#define GEN_PASS_DEF_LOWERMATH
#include "onnxc/Emit/Passes.h.inc"
} // namespace onnxc

using namespace mlir;

namespace {

/// Floating-point ops that LLVM has no intrinsic for, or a poor one.
using LibmOps =
    std::tuple<math::AcosOp, math::AcoshOp, math::AsinOp, math::AsinhOp,
               math::AtanOp, math::Atan2Op, math::AtanhOp, math::CbrtOp,
               math::CoshOp, math::ErfOp, math::ErfcOp, math::ExpM1Op,
               math::Log1pOp, math::SinhOp, math::TanOp, math::TanhOp>;

template <typename... Ops>
void makeIllegal(ConversionTarget &target, std::tuple<Ops...> *) {
  target.addIllegalOp<Ops...>();
}

/// NaN stays NaN. (Upstream's expansion mixes up the two bounds.)
struct ExpandClamp final : OpRewritePattern<math::ClampFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ClampFOp op,
                                PatternRewriter &rewriter) const override {
    Value raised = arith::MaximumFOp::create(rewriter, op.getLoc(),
                                             op.getValue(), op.getMin());
    rewriter.replaceOpWithNewOp<arith::MinimumFOp>(op, raised, op.getMax());
    return success();
  }
};

class LowerMath final : public onnxc::impl::LowerMathBase<LowerMath> {
public:
  using LowerMathBase::LowerMathBase;

  void runOnOperation() override {
    if (failed(widen()) || failed(expand()) || failed(callLibm()))
      signalPassFailure();
  }

private:
  /// Computes f16, bf16 and f8 in f32.
  LogicalResult widen() {
    MLIRContext *context = &getContext();
    TypeConverter types;
    SetVector<Type> supported;
    supported.insert(Float32Type::get(context));
    supported.insert(Float64Type::get(context));
    math::populateExtendToSupportedTypesTypeConverter(
        types, supported, Float32Type::get(context));
    ConversionTarget target(*context);
    math::populateExtendToSupportedTypesConversionTarget(target, types);
    RewritePatternSet patterns(context);
    math::populateExtendToSupportedTypesPatterns(patterns, types);
    return applyPartialConversion(getOperation(), target, std::move(patterns));
  }

  LogicalResult expand() {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    math::populateExpansionPatterns(
        patterns, {math::RsqrtOp::getOperationName().substr(5)});
    patterns.add<ExpandClamp>(context);
    if (approximate) {
      // Accurate to a few units in the last place over the whole range; the
      // approximations of sin and cos are not, for large arguments.
      static const StringRef names[] = {
          math::ExpOp::getOperationName(),   math::ExpM1Op::getOperationName(),
          math::LogOp::getOperationName(),   math::Log2Op::getOperationName(),
          math::Log1pOp::getOperationName(), math::TanhOp::getOperationName(),
          math::ErfOp::getOperationName()};
      populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
        return llvm::is_contained(names, name);
      });
    }
    return applyPatternsGreedily(getOperation(), std::move(patterns));
  }

  LogicalResult callLibm() {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    populateMathToLibmConversionPatterns(patterns);
    ConversionTarget target(*context);
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    makeIllegal(target, static_cast<LibmOps *>(nullptr));
    return applyPartialConversion(getOperation(), target, std::move(patterns));
  }
};

} // namespace
