//===- LowerMath.cpp - Math ops to instructions and libm ------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandMath.h"
#include "onnxc/Emit/Passes.h"

#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Threading.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <cmath>

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

/// The approximations take subnormal numbers for the least normal one: gives
/// them x times 2^24 instead.
template <typename LogOp> void scaleSubnormals(LogOp op, double correction) {
  Value x = op.getOperand();
  Type type = x.getType();
  if (!getElementTypeOrSelf(type).isF32())
    return;
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto constant = [&](double value) -> Value {
    TypedAttr number = b.getF32FloatAttr(static_cast<float>(value));
    if (auto shaped = dyn_cast<ShapedType>(type))
      number = DenseElementsAttr::get(shaped, number);
    return arith::ConstantOp::create(b, loc, number);
  };
  // Numbers below zero have no logarithm anyway.
  Value isSmall = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x,
                                        constant(0x1p-126));
  Value scaled = arith::MulFOp::create(b, loc, x, constant(0x1p24));
  op.getOperandMutable().assign(
      arith::SelectOp::create(b, loc, isSmall, scaled, x));
  b.setInsertionPointAfter(op);
  Value less = arith::SubFOp::create(b, loc, op, constant(correction));
  Value result = arith::SelectOp::create(b, loc, isSmall, less, op);
  op.getResult().replaceUsesWithIf(result, [&](OpOperand &use) {
    return use.getOwner() != less.getDefiningOp() &&
           use.getOwner() != result.getDefiningOp();
  });
}

class LowerMath final : public onnxc::impl::LowerMathBase<LowerMath> {
public:
  using LowerMathBase::LowerMathBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet widening(context);
    supported = std::make_shared<SetVector<Type>>();
    supported->insert(Float32Type::get(context));
    supported->insert(Float64Type::get(context));
    types = std::make_shared<TypeConverter>();
    math::populateExtendToSupportedTypesTypeConverter(
        *types, *supported, Float32Type::get(context));
    math::populateExtendToSupportedTypesPatterns(widening, *types);
    widenPatterns = std::move(widening);
    RewritePatternSet libm(context);
    populateMathToLibmConversionPatterns(libm);
    libmPatterns = std::move(libm);
    return success();
  }

  void runOnOperation() override {
    setExpansions();
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    // Kernels are long and many, and few of their operations are concerned.
    if (failed(failableParallelForEach(
            &getContext(), functions,
            [&](func::FuncOp function) -> LogicalResult {
              return failure(failed(widen(function)) ||
                             failed(expand(function)));
            })) ||
        failed(callLibm()))
      signalPassFailure();
  }

private:
  template <typename Predicate>
  static bool contains(Operation *op, Predicate predicate) {
    return op
        ->walk([&](Operation *inner) {
          return predicate(inner) ? WalkResult::interrupt()
                                  : WalkResult::advance();
        })
        .wasInterrupted();
  }

  static bool isMath(Operation *op) {
    return isa_and_nonnull<math::MathDialect>(op->getDialect());
  }

  static bool isIntegerQuotient(Operation *op) {
    return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(
               op) &&
           isa<VectorType>(op->getResult(0).getType());
  }

  static bool isNarrow(Type type) {
    auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
    return element && element.getWidth() < 32;
  }

  /// Applies patterns to the operations that one of them may look for.
  static LogicalResult rewrite(func::FuncOp function,
                               const FrozenRewritePatternSet &patterns) {
    SmallVector<Operation *> ops;
    function->walk([&](Operation *op) {
      if (isMath(op) ||
          isa<arith::DivFOp, arith::RemFOp, arith::CeilDivSIOp,
              arith::CeilDivUIOp, arith::FloorDivSIOp>(op) ||
          isIntegerQuotient(op))
        ops.push_back(op);
    });
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    return applyOpPatternsGreedily(ops, patterns, config);
  }

  /// What is left of expressions that were replaced as a whole.
  static void eraseDead(func::FuncOp function) {
    function->walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
      if (isOpTriviallyDead(op))
        op->erase();
    });
  }

  /// Computes f16, bf16 and f8 in f32.
  LogicalResult widen(func::FuncOp function) {
    if (!contains(function, [](Operation *op) {
          return isMath(op) && (llvm::any_of(op->getOperandTypes(), isNarrow) ||
                                llvm::any_of(op->getResultTypes(), isNarrow));
        }))
      return success();
    ConversionTarget target(*function.getContext());
    math::populateExtendToSupportedTypesConversionTarget(target, *types);
    return applyPartialConversion(function, target, widenPatterns);
  }

  void setExpansions() {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    math::populateExpansionPatterns(
        patterns, {math::RsqrtOp::getOperationName().substr(5)});
    patterns.add<ExpandClamp>(context);
    if (approximate) {
      RewritePatternSet whole(context);
      onnxc::populateExpandActivationPatterns(
          whole, onnxc::TargetAttr::of(getOperation()));
      wholePatterns = std::move(whole);
      onnxc::populateExpandMathPatterns(patterns,
                                        onnxc::TargetAttr::of(getOperation()));
      onnxc::populateExpandArcPatterns(patterns);
      onnxc::populateExpandQuotientPatterns(
          patterns, onnxc::TargetAttr::of(getOperation()));
      // Accurate to a few units in the last place over the whole range; what
      // upstream makes of sin and cos is not, for large arguments.
      static const StringRef names[] = {
          math::ExpM1Op::getOperationName(), math::LogOp::getOperationName(),
          math::Log2Op::getOperationName(), math::Log1pOp::getOperationName(),
          math::TanhOp::getOperationName()};
      populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
        return llvm::is_contained(names, name);
      });
    }
    expandPatterns = std::move(patterns);
  }

  LogicalResult expand(func::FuncOp function) {
    if (approximate) {
      if (failed(rewrite(function, wholePatterns)))
        return failure();
      eraseDead(function);
      function->walk([](Operation *op) {
        if (auto log = dyn_cast<math::LogOp>(op))
          scaleSubnormals(log, 24 * M_LN2);
        else if (auto log2 = dyn_cast<math::Log2Op>(op))
          scaleSubnormals(log2, 24);
      });
    }
    if (failed(rewrite(function, expandPatterns)))
      return failure();
    eraseDead(function);
    return success();
  }

  /// Declares what is called in the module.
  LogicalResult callLibm() {
    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    makeIllegal(target, static_cast<LibmOps *>(nullptr));
    if (!contains(getOperation(), [&](Operation *op) {
          return isMath(op) && target.isIllegal(op);
        }))
      return success();
    return applyPartialConversion(getOperation(), target, libmPatterns);
  }

  /// The type converter refers to it.
  std::shared_ptr<SetVector<Type>> supported;
  std::shared_ptr<TypeConverter> types;
  FrozenRewritePatternSet widenPatterns, wholePatterns, expandPatterns,
      libmPatterns;
};

} // namespace
