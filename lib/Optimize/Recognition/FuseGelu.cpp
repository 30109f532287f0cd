//===- FuseGelu.cpp - Gelu in its parts -----------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recognition.h"

#include "onnxc/Dialect/ONNX/Activation.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Optimize/RewritePass.h"

#include <cmath>

namespace onnxc {
#define GEN_PASS_DEF_FUSEGELU
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

static constexpr double pi = 3.14159265358979323846;

namespace {
/// coefficient * x^power.
struct Monomial {
  double coefficient;
  int64_t power;
  unsigned numConstants;
};
} // namespace

/// A product of powers of x.
static std::optional<Monomial> readMonomial(Parts &parts,
                                            const Product &product, Value x) {
  Monomial monomial{product.coefficient, 0, product.numConstants};
  if (!product.divisors.empty())
    return std::nullopt;
  for (Value factor : product.factors) {
    if (areSameValue(factor, x)) {
      ++monomial.power;
      continue;
    }
    size_t mark = parts.getMark();
    if (Value base = readSquare(parts, factor); base && areSameValue(base, x)) {
      monomial.power += 2;
      continue;
    }
    parts.returnTo(mark);
    auto pow = parts.find<PowOp>(factor);
    if (!pow || !areSameValue(pow.getX(), x) || getScalar(pow.getY(), x) != 3.0)
      return std::nullopt;
    monomial.power += 3;
  }
  return monomial;
}

/// Whether `value` is scale * sqrt(2 / pi) * (x + 0.044715 x^3), however the
/// polynomial is written.
static bool isTanhArgument(Parts &parts, Value value, Value x, double scale) {
  Product product = readProduct(parts, value);
  // One of the factors is a sum, the others are powers of x; or the value is
  // a sum itself.
  AddOp sum;
  Product rest = product;
  for (auto [i, factor] : llvm::enumerate(product.factors))
    if ((sum = areSameValue(factor, x) ? AddOp() : parts.find<AddOp>(factor))) {
      rest.factors.erase(rest.factors.begin() + i);
      break;
    }
  if (!sum)
    return false;
  std::optional<Monomial> outer = readMonomial(parts, rest, x);
  if (!outer)
    return false;
  Type element = getElementType(x);
  auto readTerm = [&](Value term, Value other) -> std::optional<Monomial> {
    if (std::optional<double> number = getScalar(term, other))
      return Monomial{*number, 0, 1};
    if (areSameValue(term, x))
      return Monomial{1, 1, 0};
    return readMonomial(parts, readProduct(parts, term), x);
  };
  auto a = readTerm(sum.getA(), sum.getB()),
       b = readTerm(sum.getB(), sum.getA());
  if (!a || !b)
    return false;
  if (a->power > b->power)
    std::swap(a, b);
  double root = scale * std::sqrt(2 / pi);
  auto is = [&](const Monomial &term, int64_t power, double expected) {
    return outer->power + term.power == power &&
           isNear(outer->coefficient * term.coefficient, expected, element,
                  outer->numConstants + term.numConstants);
  };
  return is(*a, 1, root) && is(*b, 3, root * 0.044715);
}

/// Whether `value` is erf(x / sqrt(2)).
static bool isErf(Parts &parts, Value value, Value x) {
  auto erf = parts.find<ErfOp>(value);
  if (!erf)
    return false;
  Product product = readProduct(parts, erf.getInput());
  return product.isOf(x) && isNear(product.coefficient, std::sqrt(0.5),
                                   getElementType(x), product.numConstants);
}

static bool isTanh(Parts &parts, Value value, Value x) {
  auto tanh = parts.find<TanhOp>(value);
  return tanh && isTanhArgument(parts, tanh.getInput(), x, 1);
}

/// Whether coefficient * gate is (1 + erf(...)) / 2 or (1 + tanh(...)) / 2.
static std::optional<StringRef> readGate(Parts &parts, Value gate,
                                         double coefficient, Value x) {
  size_t mark = parts.getMark();
  // (1 + tanh(u)) / 2 = sigmoid(2 u)
  if (auto sigmoid = parts.find<SigmoidOp>(gate))
    return coefficient == 1 && isTanhArgument(parts, sigmoid.getX(), x, 2)
               ? std::optional<StringRef>("tanh")
               : std::nullopt;
  Line line = readLine(parts, gate);
  if (coefficient * line.a != 0.5 || coefficient * line.b != 0.5) {
    parts.returnTo(mark);
    return std::nullopt;
  }
  mark = parts.getMark();
  if (isErf(parts, line.x, x))
    return "none";
  parts.returnTo(mark);
  if (isTanh(parts, line.x, x))
    return "tanh";
  return std::nullopt;
}

namespace {
template <typename Root> struct Recognize : Rewriting<Root> {
  using Rewriting<Root>::Rewriting;

  LogicalResult matchAndRewrite(Root op,
                                PatternRewriter &rewriter) const override {
    if (!isAvailable<GeluOp>(op, this->options))
      return rewriter.notifyMatchFailure(op, "this opset has no Gelu");
    Parts parts(op);
    Product product = readProduct(parts, op->getResult(0));
    if (product.factors.size() != 2 || !product.divisors.empty())
      return rewriter.notifyMatchFailure(op, "not a product of two values");
    for (int i : {0, 1}) {
      Value x = product.factors[i], gate = product.factors[1 - i];
      Type type = getResultType(op, x);
      Type element = getElementType(x);
      if (!type || !gate.getDefiningOp())
        continue;
      size_t mark = parts.getMark();
      auto approximate = readGate(parts, gate, product.coefficient, x);
      // Of float64, implementations of the approximation differ in the digits
      // of the constants.
      if (!approximate || (*approximate == "tanh" && element.isF64()) ||
          !parts.areSelfContained()) {
        parts.returnTo(mark);
        continue;
      }
      auto gelu = GeluOp::create(
          rewriter, fuseLocations(parts.getFirst(), op), type, x,
          *approximate == "none" ? StringAttr()
                                 : rewriter.getStringAttr(*approximate));
      return replaceRoot(rewriter, op, gelu->getResults());
    }
    return rewriter.notifyMatchFailure(op, "not x times what Gelu has");
  }
};

struct FuseGelu : onnxc::impl::FuseGeluBase<FuseGelu> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns.add<Recognize<MulOp>, Recognize<DivOp>>(patterns.getContext(),
                                                     options);
  }
};
} // namespace
