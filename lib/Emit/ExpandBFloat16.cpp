//===- ExpandBFloat16.cpp - Rounding to bfloat16, subnormals too ----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Emit/Passes.h"
#include "onnxc/Target/Instructions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace onnxc {
#define GEN_PASS_DEF_EXPANDBFLOAT16
#include "onnxc/Emit/Passes.h.inc"
} // namespace onnxc

using namespace mlir;

namespace {

/// bfloat16 to double by way of float, which loses nothing: MLIR's patterns
/// know the step to float only.
struct WidenTwice : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!getElementTypeOrSelf(op.getIn()).isBF16() ||
        !getElementTypeOrSelf(type).isF64())
      return rewriter.notifyMatchFailure(op, "not bfloat16 to double");
    Type element = rewriter.getF32Type();
    auto vector = dyn_cast<VectorType>(type);
    Value single = arith::ExtFOp::create(
        rewriter, op.getLoc(), vector ? vector.clone(element) : element,
        op.getIn());
    rewriter.replaceOpWithNewOp<arith::ExtFOp>(op, type, single);
    return success();
  }
};

/// Bits of floats, alone or in a vector.
class BitsBuilder {
public:
  explicit BitsBuilder(Operation *op)
      : b(op), loc(op->getLoc()),
        vector(dyn_cast<VectorType>(op->getOperand(0).getType())) {}

  Type typeLike(Type element) {
    return vector ? vector.clone(element) : element;
  }
  Value cast(Value value, Type element) {
    return arith::BitcastOp::create(b, loc, typeLike(element), value);
  }
  Value constant(Type element, int64_t value) {
    TypedAttr attr = b.getIntegerAttr(element, value);
    if (vector)
      attr = DenseElementsAttr::get(::cast<VectorType>(typeLike(element)),
                                    Attribute(attr));
    return arith::ConstantOp::create(b, loc, attr);
  }
  template <typename Op, typename... Args> Value make(Args... args) {
    return Op::create(b, loc, args...);
  }

  OpBuilder b;
  Location loc;
  VectorType vector;
  Type i16 = b.getI16Type(), i32 = b.getI32Type(), f32 = b.getF32Type();
};

/// Rounding by an instruction that takes subnormal numbers for 0 (AVX512-BF16).
/// These get the exponent of the least normal number, whose mantissa ends at
/// the same bit, and lose it behind: the step to normal numbers included. Zeros
/// come out as they are.
void keepSubnormals(arith::TruncFOp op) {
  BitsBuilder b(op);
  Value bits = b.cast(op.getIn(), b.i32), zero = b.constant(b.i32, 0);
  Value exponent = b.make<arith::AndIOp>(bits, b.constant(b.i32, 0x7f800000));
  Value isSmall =
      b.make<arith::CmpIOp>(arith::CmpIPredicate::eq, exponent, zero);
  Value normal = b.make<arith::OrIOp>(bits, b.constant(b.i32, 0x00800000));
  Value fed = b.make<arith::SelectOp>(isSmall, normal, bits);
  Value rounded = b.make<arith::TruncFOp>(op.getType(), b.cast(fed, b.f32));
  Value result = b.cast(rounded, b.i16);
  Value less = b.make<arith::SubIOp>(result, b.constant(b.i16, 0x0080));
  result = b.make<arith::SelectOp>(isSmall, less, result);
  op.replaceAllUsesWith(b.cast(result, b.b.getBF16Type()));
  op.erase();
}

/// Widening by integers: of a maximum of what is widened, LLVM makes one of
/// bfloat16, and rounds it.
void widenBits(arith::ExtFOp op) {
  BitsBuilder b(op);
  Value bits =
      b.make<arith::ExtUIOp>(b.typeLike(b.i32), b.cast(op.getIn(), b.i16));
  bits = b.make<arith::ShLIOp>(bits, b.constant(b.i32, 16));
  Value wide = b.cast(bits, b.f32);
  if (wide.getType() != op.getType())
    wide = b.make<arith::ExtFOp>(op.getType(), wide);
  op.replaceAllUsesWith(wide);
  op.erase();
}

class ExpandBFloat16 final
    : public onnxc::impl::ExpandBFloat16Base<ExpandBFloat16> {
public:
  using ExpandBFloat16Base::ExpandBFloat16Base;

  void runOnOperation() override {
    onnxc::TargetAttr processor = onnxc::TargetAttr::of(getOperation());
    if (onnxc::supports(processor, onnxc::Capability::RoundBFloat16))
      return;
    // Most models have no bfloat16: to look costs less than to convert nothing.
    auto isBFloat16 = [](Type type) {
      return getElementTypeOrSelf(type).isBF16();
    };
    if (!getOperation()
             ->walk([&](Operation *op) {
               return llvm::any_of(op->getOperandTypes(), isBFloat16) ||
                              llvm::any_of(op->getResultTypes(), isBFloat16)
                          ? WalkResult::interrupt()
                          : WalkResult::advance();
             })
             .wasInterrupted())
      return;
    MLIRContext *ctx = &getContext();
    // Arithmetic on bfloat16 is that on float32, rounded.
    TypeConverter converter;
    arith::populateEmulateUnsupportedFloatsConversions(
        converter, {BFloat16Type::get(ctx)}, Float32Type::get(ctx));
    RewritePatternSet wider(ctx);
    arith::populateEmulateUnsupportedFloatsPatterns(wider, converter);
    ConversionTarget target(*ctx);
    arith::populateEmulateUnsupportedFloatsLegality(target, converter);
    if (failed(
            applyPartialConversion(getOperation(), target, std::move(wider))))
      return signalPassFailure();

    if (onnxc::supports(processor, onnxc::Capability::RoundNormalBFloat16)) {
      SmallVector<arith::TruncFOp> roundings;
      SmallVector<arith::ExtFOp> widenings;
      getOperation()->walk([&](Operation *op) {
        auto rounding = dyn_cast<arith::TruncFOp>(op);
        auto widening = dyn_cast<arith::ExtFOp>(op);
        if (rounding && isBFloat16(rounding.getType()) &&
            getElementTypeOrSelf(rounding.getIn()).isF32())
          roundings.push_back(rounding);
        if (widening && isBFloat16(widening.getIn().getType()))
          widenings.push_back(widening);
      });
      llvm::for_each(roundings, keepSubnormals);
      llvm::for_each(widenings, widenBits);
      return;
    }
    RewritePatternSet patterns(ctx);
    arith::populateExpandBFloat16Patterns(patterns);
    patterns.add<WidenTwice>(ctx);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
