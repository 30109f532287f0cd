//===- ActivationSimplify.cpp - Limits of limits --------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Activation.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Normalization.h"
#include "onnxc/Dialect/ONNX/OpFacts.h"
#include "onnxc/Optimize/RewritePass.h"

#include <cmath>
#include <limits>

namespace onnxc {
#define GEN_PASS_DEF_ACTIVATIONSIMPLIFY
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
/// The numbers that a value may be, NaN apart.
struct Bounds {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};
} // namespace

/// As the operators compare: -0 is less than +0.
static bool isLess(double a, double b) {
  return a < b || (a == b && std::signbit(a) && !std::signbit(b));
}
static double greater(double a, double b) { return isLess(a, b) ? b : a; }
static double lesser(double a, double b) { return isLess(b, a) ? b : a; }

/// The bounds of a Clip that are known: both constant or absent, no NaN, of a
/// type whose numbers doubles are.
static std::optional<Bounds> getBounds(ClipOp op) {
  Type type = optimize::getElementType(op.getInput());
  auto integer = dyn_cast_or_null<IntegerType>(type);
  if (!type || !type.isIntOrFloat() || (integer && integer.getWidth() > 32))
    return std::nullopt;
  Bounds range;
  auto read = [](Value bound, double &into) {
    std::optional<double> number = bound ? getNumber(bound) : into;
    if (!number || std::isnan(*number))
      return false;
    into = *number;
    return true;
  };
  if (!read(op.getMin(), range.low) || !read(op.getMax(), range.high))
    return std::nullopt;
  return range;
}

/// What an op gives, whatever it is given.
static Bounds getRange(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto clip = dyn_cast_or_null<ClipOp>(op)) {
    std::optional<Bounds> bounds = getBounds(clip);
    return bounds && !isLess(bounds->high, bounds->low) ? *bounds : Bounds();
  }
  if (isa_and_present<HardSigmoidOp, SigmoidOp>(op))
    return {0, 1};
  if (isa_and_present<TanhOp>(op))
    return {-1, 1};
  // The only one that gives back a zero with its sign.
  if (isa_and_present<SqrtOp>(op))
    return {-0.0};
  // Of integers, the least one has no absolute value.
  bool isFloat = isa_and_present<FloatType>(optimize::getElementType(value));
  if (isa_and_present<ReluOp>(op) ||
      (isFloat && hasFact(op, OpFact::NeverNegative)))
    return {0};
  auto integer = dyn_cast_or_null<IntegerType>(optimize::getElementType(value));
  if (!integer || integer.getWidth() > 32)
    return Bounds();
  if (integer.isUnsigned() || integer.getWidth() == 1)
    return {0, std::ldexp(1.0, integer.getWidth()) - 1};
  double limit = std::ldexp(1.0, integer.getWidth() - 1);
  return {-limit, limit - 1};
}

/// A bound as an operand: absent where it bounds nothing, one that is there if
/// it is the same.
static Value makeBound(PatternRewriter &rewriter, Operation *root, Type type,
                       double bound, ArrayRef<Value> present,
                       StringRef suffix) {
  if (std::isinf(bound))
    return nullptr;
  for (Value value : present)
    if (value && getNumber(value) == bound && getRank(value) == 0 &&
        std::signbit(*getNumber(value)) == std::signbit(bound))
      return value;
  std::optional<ElementsAttr> element =
      makeElements(RankedTensorType::get({}, type), ArrayRef<double>(bound));
  return makeConstant(rewriter, root, *element, suffix);
}

static LogicalResult replaceByClip(PatternRewriter &rewriter, Operation *root,
                                   Value input, Bounds bounds,
                                   ArrayRef<Value> present) {
  Type type = optimize::getElementType(input);
  // +inf as the least bound, and -inf as the greatest, bound everything.
  if (bounds.low == std::numeric_limits<double>::infinity() ||
      bounds.high == -std::numeric_limits<double>::infinity())
    return rewriter.notifyMatchFailure(root, "a bound leaves only infinity");
  Value low = makeBound(rewriter, root, type, bounds.low, present, "min"),
        high = makeBound(rewriter, root, type, bounds.high, present, "max");
  rewriter.replaceOpWithNewOp<ClipOp>(root, root->getResult(0).getType(), input,
                                      low, high);
  return success();
}

namespace {
/// A limit that its input keeps anyway.
struct ForwardWithinRange : RewritePattern {
  ForwardWithinRange(MLIRContext *context, const RewriteOptions &options)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context),
        options(options) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    std::optional<Bounds> bounds;
    if (auto clip = dyn_cast<ClipOp>(op))
      bounds = getBounds(clip);
    else if (isa<ReluOp>(op))
      bounds = Bounds{0};
    if (!bounds)
      return rewriter.notifyMatchFailure(op, "no limits that are known");
    Bounds range = getRange(op->getOperand(0));
    auto isOutside = [&](double a, double b) {
      return options.noSignedZeros ? a < b : isLess(a, b);
    };
    if (isOutside(range.low, bounds->low) ||
        isOutside(bounds->high, range.high))
      return rewriter.notifyMatchFailure(op, "the input may be out of them");
    return replaceRoot(rewriter, op, op->getOperand(0));
  }

  RewriteOptions options;
};

/// min(max(min(max(x, a), b), c), d) is min(max(x, max(a, c)), min(max(b, c),
/// d)), no matter which of them is greater.
struct MergeClips : Rewriting<ClipOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(ClipOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Bounds> outer = getBounds(op), inner;
    Operation *first = op.getInput().getDefiningOp();
    if (!outer || !first || !first->hasOneUse())
      return rewriter.notifyMatchFailure(op, "not of a limit that is known");
    SmallVector<Value> present = {op.getMin(), op.getMax()};
    if (auto clip = dyn_cast<ClipOp>(first)) {
      inner = getBounds(clip);
      present.append({clip.getMin(), clip.getMax()});
    } else if (isa<ReluOp>(first)) {
      inner = Bounds{0};
    }
    if (!inner)
      return rewriter.notifyMatchFailure(op, "not of a limit that is known");
    Bounds both{greater(inner->low, outer->low),
                lesser(greater(inner->high, outer->low), outer->high)};
    return replaceByClip(rewriter, op, first->getOperand(0), both, present);
  }
};

struct MergeReluOfClip : Rewriting<ReluOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(ReluOp op,
                                PatternRewriter &rewriter) const override {
    auto clip = op.getX().getDefiningOp<ClipOp>();
    std::optional<Bounds> bounds = clip ? getBounds(clip) : std::nullopt;
    if (!bounds || !clip->hasOneUse())
      return rewriter.notifyMatchFailure(op, "not of a limit that is known");
    Bounds both{greater(bounds->low, 0.0), greater(bounds->high, 0.0)};
    return replaceByClip(rewriter, op, clip.getInput(), both,
                         {clip.getMin(), clip.getMax()});
  }
};

/// Min and Max by numbers are a Clip, if the lower one is.
struct ClipByMinMax : RewritePattern {
  ClipByMinMax(MLIRContext *context, const RewriteOptions &options)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context),
        options(options) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isa<MaxOp, MinOp>(op))
      return rewriter.notifyMatchFailure(op, "no limit");
    std::optional<Limit> outer = getLimit(op);
    Operation *first = outer ? outer->of.getDefiningOp() : nullptr;
    if (!first || !first->hasOneUse() || !isa<MaxOp, MinOp>(first) ||
        first->getName() == op->getName())
      return rewriter.notifyMatchFailure(op, "no two limits");
    std::optional<Limit> inner = getLimit(first);
    if (!inner)
      return rewriter.notifyMatchFailure(op, "no two limits");
    bool isMax = isa<MaxOp>(op);
    Bounds bounds{isMax ? outer->number : inner->number,
                  isMax ? inner->number : outer->number};
    if (!(bounds.low <= bounds.high) || isLess(bounds.high, bounds.low) ||
        std::isinf(bounds.low) || std::isinf(bounds.high))
      return rewriter.notifyMatchFailure(op, "the limits cross");
    Type type = optimize::getElementType(inner->of);
    if (!isAvailable(isa<FloatType>(type) ? clipOfOperands : clipOfIntegers, op,
                     options))
      return rewriter.notifyMatchFailure(op, "the opset has no such Clip");
    return replaceByClip(rewriter, op, inner->of, bounds,
                         {outer->bound, inner->bound});
  }

private:
  struct Limit {
    Value of, bound;
    double number;
  };

  /// Of two operands one is a number, which is not a shape.
  static std::optional<Limit> getLimit(Operation *op) {
    if (op->getNumOperands() != 2)
      return std::nullopt;
    for (unsigned i : {0, 1}) {
      Value of = op->getOperand(i), bound = op->getOperand(1 - i);
      Type type = optimize::getElementType(of);
      auto integer = dyn_cast_or_null<IntegerType>(type);
      std::optional<double> number = getNumber(bound);
      if (type && !isConstant(of) && number &&
          !(integer && integer.getWidth() > 32) &&
          broadcastsInto(*getShape(bound), of.getType()))
        return Limit{of, bound, *number};
    }
    return std::nullopt;
  }

  static constexpr int64_t clipOfOperands = 11, clipOfIntegers = 12;
  RewriteOptions options;
};
} // namespace

namespace {
struct ActivationSimplify
    : PatternsPass<onnxc::impl::ActivationSimplifyBase<ActivationSimplify>,
                   ForwardWithinRange, MergeClips, MergeReluOfClip,
                   ClipByMinMax> {};
} // namespace
