//===- FuseActivation.cpp - Activations in their parts --------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recognition.h"

#include "onnxc/Dialect/ONNX/Activation.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_FUSEACTIVATION
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

/// Activations take bfloat16 from this version on.
static constexpr int64_t bfloat16Version = 22;

/// Whether `value` is log(1 + exp(x)), written so; where exp is infinite, this
/// is and Softplus is not.
static Value readLogOfExp(Parts &parts, Value value) {
  auto log = parts.find<LogOp>(value);
  auto add = log ? parts.findSole<AddOp>(log.getInput()) : AddOp();
  Value x;
  if (add)
    inAnyOrder(add, [&](Value one, Value power) {
      auto exp = parts.findSole<ExpOp>(power);
      if (!exp || getScalar(one, power) != 1.0)
        return false;
      x = exp.getInput();
      return true;
    });
  return x;
}

/// x of 1 + exp(-x).
static Value readDivisorOfSigmoid(Parts &parts, Value value) {
  auto add = parts.find<AddOp>(value);
  Value x;
  if (add)
    inAnyOrder(add, [&](Value one, Value power) {
      auto exp = parts.findSole<ExpOp>(power);
      if (!exp || getScalar(one, power) != 1.0)
        return false;
      Product product = readProduct(parts, exp.getInput());
      if (product.coefficient != -1 || !product.divisors.empty() ||
          product.factors.size() != 1)
        return false;
      x = product.factors[0];
      return true;
    });
  return x;
}

/// min(max(alpha x + beta, 0), 1) of `coefficient` times a clamp of a line of
/// x.
static std::optional<Line> readHardSigmoid(Parts &parts, Value value,
                                           double coefficient,
                                           unsigned numConstants) {
  if (auto known = parts.find<HardSigmoidOp>(value)) {
    if (coefficient != 1)
      return std::nullopt;
    return Line{known.getAlpha().convertToDouble(),
                known.getBeta().convertToDouble(), 0, known.getX()};
  }
  std::optional<Clamp> clamp = readClamp(parts, value);
  if (!clamp || clamp->low != 0 ||
      !isNear(coefficient * clamp->high, 1, getElementType(value),
              numConstants))
    return std::nullopt;
  Line line = readLine(parts, clamp->x);
  line.a *= coefficient;
  line.b *= coefficient;
  line.numConstants += numConstants;
  return line;
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {
/// Products of x and a gate that is computed from x.
template <typename Root> struct RecognizeGated : Rewriting<Root> {
  using Rewriting<Root>::Rewriting;

  LogicalResult matchAndRewrite(Root op,
                                PatternRewriter &rewriter) const override {
    Parts parts(op);
    Product product = readProduct(parts, op->getResult(0));
    if (product.factors.empty() ||
        !isa_and_present<FloatType>(getElementType(op->getResult(0))))
      return rewriter.notifyMatchFailure(op, "not a product of floats");
    if (product.factors.size() == 1 && product.divisors.size() == 1) {
      if (Value y = makeOfQuotient(op, parts, product, rewriter))
        return replaceRoot(rewriter, op, y);
      return rewriter.notifyMatchFailure(op, "not x over 1 + exp(-x)");
    }
    if (product.factors.size() != 2 || !product.divisors.empty())
      return rewriter.notifyMatchFailure(op, "not a product of two values");
    for (int i : {0, 1}) {
      size_t mark = parts.getMark();
      if (Value y = makeGated(op, parts, product.factors[i],
                              product.factors[1 - i], product, rewriter))
        return replaceRoot(rewriter, op, y);
      parts.returnTo(mark);
    }
    return rewriter.notifyMatchFailure(op, "not x times a known gate");
  }

private:
  Value makeSwish(Root op, Parts &parts, Value x, double alpha, Type type,
                  PatternRewriter &rewriter) const {
    if (!isAvailable<SwishOp>(op, this->options) ||
        !fitsFloatAttribute(alpha, getElementType(x)) ||
        !parts.areSelfContained())
      return {};
    return SwishOp::create(rewriter, fuseLocations(parts.getFirst(), op), type,
                           x, rewriter.getF32FloatAttr(alpha));
  }

  /// x / (1 + exp(-x)); Sigmoid itself has a pattern of its own.
  Value makeOfQuotient(Root op, Parts &parts, const Product &product,
                       PatternRewriter &rewriter) const {
    Value x = product.factors[0];
    Type type = getResultType(op, x);
    Value of = readDivisorOfSigmoid(parts, product.divisors[0]);
    if (!type || !of || !areSameValue(of, x) || product.coefficient != 1)
      return {};
    return makeSwish(op, parts, x, 1, type, rewriter);
  }

  Value makeGated(Root op, Parts &parts, Value x, Value gate,
                  const Product &product, PatternRewriter &rewriter) const {
    Type type = getResultType(op, x), element = getElementType(x);
    if (!type)
      return {};
    auto loc = [&] { return fuseLocations(parts.getFirst(), op); };
    if (auto sigmoid = parts.find<SigmoidOp>(gate)) {
      Product inner = readProduct(parts, sigmoid.getX());
      if (product.coefficient != 1 || !inner.isOf(x))
        return {};
      return makeSwish(op, parts, x, inner.coefficient, type, rewriter);
    }
    if (auto tanh = parts.find<TanhOp>(gate)) {
      auto softplus = parts.find<SoftplusOp>(tanh.getInput());
      if (!softplus || !areSameValue(softplus.getX(), x) ||
          product.coefficient != 1 || !parts.areSelfContained() ||
          !isAvailable<MishOp>(op, this->options))
        return {};
      return MishOp::create(rewriter, loc(), type, x);
    }
    std::optional<Line> line =
        readHardSigmoid(parts, gate, product.coefficient, product.numConstants);
    // The operator's sixth is a float, whatever the elements are.
    if (!line || !areSameValue(line->x, x) || element.isF64() ||
        !isNear(line->a, 1.0 / 6, element, line->numConstants + 1) ||
        !isNear(line->b, 0.5, element, line->numConstants) ||
        !parts.areSelfContained() ||
        !takesElements(element, bfloat16Version, op, this->options) ||
        !isAvailable<HardSwishOp>(op, this->options))
      return {};
    return HardSwishOp::create(rewriter, loc(), type, x);
  }
};

/// Clamps and multiples of clamps.
template <typename Root> struct RecognizeHardSigmoid : Rewriting<Root> {
  using Rewriting<Root>::Rewriting;

  LogicalResult matchAndRewrite(Root op,
                                PatternRewriter &rewriter) const override {
    Parts parts(op);
    Product product = readProduct(parts, op->getResult(0));
    if (product.factors.size() != 1 || !product.divisors.empty())
      return rewriter.notifyMatchFailure(op, "not a multiple of a clamp");
    Value clamp = product.factors[0];
    if (clamp.getDefiningOp<HardSigmoidOp>() ||
        !isa_and_present<FloatType>(getElementType(clamp)))
      return rewriter.notifyMatchFailure(op, "not a clamp of floats");
    if (clamp != op->getResult(0) && !hasSoleUse(clamp))
      return rewriter.notifyMatchFailure(op, "the clamp has other uses");
    std::optional<Line> line = readHardSigmoid(
        parts, clamp, product.coefficient, product.numConstants);
    if (!line || (line->a == 1 && line->b == 0))
      return rewriter.notifyMatchFailure(op, "no line limited to [0, 1]");
    Type type = getResultType(op, line->x), element = getElementType(line->x);
    if (!type || !fitsFloatAttribute(line->a, element) ||
        !fitsFloatAttribute(line->b, element) ||
        !takesElements(element, bfloat16Version, op, this->options) ||
        !parts.areSelfContained())
      return rewriter.notifyMatchFailure(op, "HardSigmoid cannot express it");
    auto hardSigmoid = HardSigmoidOp::create(
        rewriter, fuseLocations(parts.getFirst(), op), type, line->x,
        rewriter.getF32FloatAttr(line->a), rewriter.getF32FloatAttr(line->b));
    return replaceRoot(rewriter, op, hardSigmoid->getResults());
  }
};

/// 1 / (1 + exp(-x)).
template <typename Root> struct RecognizeSigmoid : Rewriting<Root> {
  using Rewriting<Root>::Rewriting;

  LogicalResult matchAndRewrite(Root op,
                                PatternRewriter &rewriter) const override {
    Parts parts(op);
    Product product = readProduct(parts, op->getResult(0));
    if (!product.factors.empty() || product.divisors.size() != 1 ||
        product.coefficient != 1)
      return rewriter.notifyMatchFailure(op, "not 1 over a value");
    Value x = readDivisorOfSigmoid(parts, product.divisors[0]);
    Type type = x ? getResultType(op, x) : Type();
    if (!type || !parts.areSelfContained())
      return rewriter.notifyMatchFailure(op, "the value is not 1 + exp(-x)");
    auto sigmoid = SigmoidOp::create(
        rewriter, fuseLocations(parts.getFirst(), op), type, x);
    return replaceRoot(rewriter, op, sigmoid->getResults());
  }
};

/// log(1 + exp(x)), if no value is infinite.
struct RecognizeSoftplus : Rewriting<LogOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(LogOp op,
                                PatternRewriter &rewriter) const override {
    if (!options.noInfinities)
      return rewriter.notifyMatchFailure(
          op, "where exp(x) is infinite, so is its logarithm");
    Parts parts(op);
    Value x = readLogOfExp(parts, op->getResult(0));
    Type type = x ? getResultType(op, x) : Type();
    if (!type || !parts.areSelfContained() ||
        !takesElements(getElementType(x), bfloat16Version, op, options))
      return rewriter.notifyMatchFailure(op, "not log(1 + exp(x))");
    auto softplus = SoftplusOp::create(
        rewriter, fuseLocations(parts.getFirst(), op), type, x);
    return replaceRoot(rewriter, op, softplus->getResults());
  }
};

struct FuseActivation : onnxc::impl::FuseActivationBase<FuseActivation> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns.add<RecognizeGated<MulOp>, RecognizeGated<DivOp>,
                 RecognizeHardSigmoid<MulOp>, RecognizeHardSigmoid<DivOp>,
                 RecognizeHardSigmoid<ClipOp>, RecognizeHardSigmoid<MinOp>,
                 RecognizeHardSigmoid<MaxOp>, RecognizeSigmoid<DivOp>,
                 RecognizeSigmoid<ReciprocalOp>, RecognizeSoftplus>(
        patterns.getContext(), options);
  }
};
} // namespace
