//===- ExpandFloat16.cpp - Half precision by integers ---------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MathBuilder.h"
#include "onnxc/Emit/Passes.h"

#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/TargetParser/Triple.h"

namespace onnxc {
#define GEN_PASS_DEF_EXPANDFLOAT16
#include "onnxc/Emit/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using onnxc::MathBuilder;

namespace {

bool isHalf(Value value) {
  return getElementTypeOrSelf(value.getType()).isF16();
}

/// What the conversions below are made of; `like` gives the vector's shape.
class HalfBuilder : public MathBuilder {
public:
  HalfBuilder(OpBuilder &builder, Location loc, Value like)
      : MathBuilder(loc, builder, like.getType()), f32(b.getF32Type()),
        i32(b.getI32Type()) {}

  Value bits(Value single) { return cast<arith::BitcastOp>(single, i32); }
  Value single(Value bits) { return cast<arith::BitcastOp>(bits, f32); }
  Value number(int64_t value) { return constant(value, 32); }

  /// The number as f32. Where the exponents of both are set side by side, one
  /// multiplication moves the bias, of subnormals, too.
  Value widen(Value half) {
    Value all = cast<arith::ExtUIOp>(
        cast<arith::BitcastOp>(half, b.getIntegerType(16)), i32);
    Value size = makeInt<arith::AndIOp>(all, 0x7fff);
    Value sign =
        makeInt<arith::ShLIOp>(makeInt<arith::AndIOp>(all, 0x8000), 16);
    Value shifted = single(makeInt<arith::ShLIOp>(size, 13));
    Value scale = constant(f32, 0x1p112);
    Value moved = make<arith::MulFOp>(shifted, scale);
    // Infinity and NaN have all bits of the exponent.
    Value isSpecial = compareInt(arith::CmpIPredicate::uge, size, 0x7c00);
    Value exponent = number(0x7f800000);
    Value special = select(isSpecial, exponent, number(0));
    return single(
        make<arith::OrIOp>(make<arith::OrIOp>(bits(moved), special), sign));
  }

  /// To nearest, ties to even; NaN stays NaN.
  Value narrow(Value value) {
    Value all = bits(value);
    Value size = makeInt<arith::AndIOp>(all, 0x7fffffff);
    Value sign =
        makeInt<arith::AndIOp>(makeInt<arith::ShRUIOp>(all, 16), 0x8000);
    // From 2^-14 on the last bit that stays, and those behind it, carry.
    Value odd = makeInt<arith::AndIOp>(makeInt<arith::ShRUIOp>(size, 13), 1);
    Value rounded = make<arith::AddIOp>(
        makeInt<arith::AddIOp>(size, 0xfff - (int64_t(112) << 23)), odd);
    Value normal = makeInt<arith::ShRUIOp>(rounded, 13);
    // Below, a sum whose last bit is that of a subnormal half rounds.
    Value magnitude = single(size);
    Value sum = make<arith::AddFOp>(magnitude, constant(f32, 0x1p-1));
    Value subnormal = makeInt<arith::SubIOp>(bits(sum), 0x3f000000);
    Value finite =
        select(compareInt(arith::CmpIPredicate::ult, size, int64_t(113) << 23),
               subnormal, normal);
    Value isNaN = compareInt(arith::CmpIPredicate::ugt, size, 0x7f800000);
    Value nan = number(0x7e00);
    Value special = select(isNaN, nan, number(0x7c00));
    Value result =
        select(compareInt(arith::CmpIPredicate::uge, size, int64_t(143) << 23),
               special, finite);
    return cast<arith::BitcastOp>(
        cast<arith::TruncIOp>(make<arith::OrIOp>(result, sign),
                              b.getIntegerType(16)),
        b.getF16Type());
  }

  /// A double as f32, with the last bit set where there was more: rounding that
  /// once more gives what rounding the double gives.
  Value roundToOdd(Value wide) {
    Value near = cast<arith::TruncFOp>(wide, f32);
    Value back = cast<arith::ExtFOp>(near, b.getF64Type());
    Value isInexact = compare(arith::CmpFPredicate::ONE, back, wide);
    Value isAbove = compare(arith::CmpFPredicate::OGT, make<math::AbsFOp>(back),
                            make<math::AbsFOp>(wide));
    Value below =
        make<arith::SubIOp>(bits(near), cast<arith::ExtUIOp>(isAbove, i32));
    Value odd = make<arith::OrIOp>(below, cast<arith::ExtUIOp>(isInexact, i32));
    return single(odd);
  }

  Type f32, i32;
};

class ExpandFloat16 final
    : public onnxc::impl::ExpandFloat16Base<ExpandFloat16> {
public:
  using ExpandFloat16Base::ExpandFloat16Base;

  void runOnOperation() override {
    if (!llvm::Triple(onnxc::TargetAttr::of(getOperation()).getTriple())
             .isWasm())
      return;
    MLIRContext *context = &getContext();
    TypeConverter converter;
    arith::populateEmulateUnsupportedFloatsConversions(
        converter, {Float16Type::get(context)}, Float32Type::get(context));
    RewritePatternSet patterns(context);
    arith::populateEmulateUnsupportedFloatsPatterns(patterns, converter);
    ConversionTarget target(*context);
    arith::populateEmulateUnsupportedFloatsLegality(target, converter);
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      return signalPassFailure();
    getOperation()->walk([](Operation *op) {
      if (auto wider = dyn_cast<arith::ExtFOp>(op);
          wider && isHalf(wider.getIn()))
        widen(wider);
      else if (auto narrower = dyn_cast<arith::TruncFOp>(op);
               narrower && isHalf(narrower.getResult()))
        narrow(narrower);
    });
  }

private:
  static void widen(arith::ExtFOp op) {
    OpBuilder builder(op);
    HalfBuilder b(builder, op.getLoc(), op.getIn());
    Value result = b.widen(op.getIn());
    if (!getElementTypeOrSelf(op.getType()).isF32())
      result =
          b.cast<arith::ExtFOp>(result, getElementTypeOrSelf(op.getType()));
    op.replaceAllUsesWith(result);
    op.erase();
  }

  static void narrow(arith::TruncFOp op) {
    OpBuilder builder(op);
    HalfBuilder b(builder, op.getLoc(), op.getIn());
    Value value = op.getIn();
    if (!getElementTypeOrSelf(value.getType()).isF32())
      value = b.roundToOdd(value);
    op.replaceAllUsesWith(b.narrow(value));
    op.erase();
  }
};

} // namespace
