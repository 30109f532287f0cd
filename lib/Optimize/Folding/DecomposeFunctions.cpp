//===- DecomposeFunctions.cpp - Operators as their function bodies --------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bodies that ONNX gives, of which parts that are functions, too, are
// decomposed at once. A few are written otherwise than there, where ONNX's
// overflow on values on which the operator does not.
//
//===----------------------------------------------------------------------===//

#include "FunctionBody.h"

#include "onnxc/Dialect/ONNX/Activation.h"
#include "onnxc/Dialect/ONNX/Conversion.h"
#include "onnxc/Dialect/ONNX/Logic.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Random.h"
#include "onnxc/Dialect/ONNX/Trigonometry.h"
#include "onnxc/Optimize/RewritePass.h"

#include <cmath>

namespace onnxc {
#define GEN_PASS_DEF_DECOMPOSEFUNCTIONS
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

static Value makeElu(FunctionBody &b, Value x, double alpha) {
  Value factor = b.number(alpha, x);
  Value power = b.exp(x);
  Value negative = b.mul(factor, b.sub(power, b.number(1, x)));
  return b.where(b.less(x, b.number(0, x)), negative, x);
}

static Value makeHardSigmoid(FunctionBody &b, Value x, double alpha,
                             double beta) {
  Value scaled = b.mul(x, b.number(alpha, x));
  Value line = b.add(scaled, b.number(beta, x));
  Value bounded = b.min(line, b.number(1, x));
  return b.max(bounded, b.number(0, x));
}

/// max(x, 0) + log(1 + exp(-|x|)), as exp(x) overflows.
static Value makeSoftplus(FunctionBody &b, Value x) {
  Value tail = b.exp(b.make<NegOp>(b.abs(x)));
  Value positive = b.max(x, b.number(0, x));
  return b.add(positive, b.log(b.add(b.number(1, x), tail)));
}

static Value makeSwish(FunctionBody &b, Value x, double alpha) {
  return b.mul(x, b.make<SigmoidOp>(b.mul(b.number(alpha, x), x)));
}

/// 0.5 x (1 + erf(x / sqrt(2))).
static Value makeGelu(FunctionBody &b, Value x) {
  Value erf = b.make<ErfOp>(b.div(x, b.number(std::sqrt(2.0), x)));
  Value halved = b.mul(b.number(0.5, x), x);
  return b.mul(halved, b.add(b.number(1, x), erf));
}

/// 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).
static Value makeGeluTanh(FunctionBody &b, Value x) {
  Value cubed = b.mul(b.mul(x, x), x);
  Value sum = b.add(x, b.mul(b.number(0.044715, x), cubed));
  Value tanh = b.make<TanhOp>(
      b.mul(b.number(std::sqrt(2 / 3.14159265358979323846), x), sum));
  Value halved = b.mul(b.number(0.5, x), x);
  return b.mul(halved, b.add(b.number(1, x), tanh));
}

static Value makeShrink(FunctionBody &b, Value x, double bias, double lambd) {
  Value isAbove = b.less(b.number(lambd, x), x);
  Value moved = b.sub(x, b.number(bias, x));
  Value high = b.where(isAbove, moved, b.number(0, x));
  Value isBelow = b.less(x, b.number(-lambd, x));
  return b.where(isBelow, b.add(x, b.number(bias, x)), high);
}

static Value makeSelu(FunctionBody &b, Value x, double alpha, double gamma) {
  Value a = b.number(alpha, x), g = b.number(gamma, x);
  Value negative = b.mul(g, b.sub(b.mul(a, b.exp(x)), a));
  Value isNegative = b.less(x, b.number(0, x));
  return b.where(isNegative, negative, b.mul(g, x));
}

static bool isFloat(Value x) {
  return isa_and_present<FloatType>(getElementType(x));
}
static bool isNumber(Value x) {
  return isa_and_present<FloatType, IntegerType>(getElementType(x));
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// Of one operand of floats.
template <typename Op>
static BodyResults
inlineActivation(FunctionBody &b, Op op,
                 function_ref<Value(FunctionBody &, Value)> make) {
  Value x = op->getOperand(0);
  return isFloat(x) ? BodyResults(make(b, x)) : BodyResults();
}

static double get(APFloat attribute) { return attribute.convertToDouble(); }

static BodyResults inlineCelu(FunctionBody &b, CeluOp op) {
  return inlineActivation(b, op, [&](FunctionBody &b, Value x) {
    Value alpha = b.number(get(op.getAlpha()), x);
    return b.mul(alpha, makeElu(b, b.div(x, alpha), 1));
  });
}

static BodyResults inlineElu(FunctionBody &b, EluOp op) {
  return inlineActivation(b, op, [&](FunctionBody &b, Value x) {
    return makeElu(b, x, get(op.getAlpha()));
  });
}

static BodyResults inlineGelu(FunctionBody &b, GeluOp op) {
  return inlineActivation(
      b, op, op.getApproximate() == "tanh" ? makeGeluTanh : makeGelu);
}

static BodyResults inlineHardSigmoid(FunctionBody &b, HardSigmoidOp op) {
  return inlineActivation(b, op, [&](FunctionBody &b, Value x) {
    return makeHardSigmoid(b, x, get(op.getAlpha()), get(op.getBeta()));
  });
}

static BodyResults inlineHardSwish(FunctionBody &b, HardSwishOp op) {
  return inlineActivation(b, op, [](FunctionBody &b, Value x) {
    return b.mul(x, makeHardSigmoid(b, x, 1.0 / 6, 0.5));
  });
}

static BodyResults inlineLeakyRelu(FunctionBody &b, LeakyReluOp op) {
  return inlineActivation(b, op, [&](FunctionBody &b, Value x) {
    Value scaled = b.mul(b.number(get(op.getAlpha()), x), x);
    return b.where(b.less(x, b.number(0, x)), scaled, x);
  });
}

static BodyResults inlineMish(FunctionBody &b, MishOp op) {
  return inlineActivation(b, op, [](FunctionBody &b, Value x) {
    return b.mul(x, b.make<TanhOp>(makeSoftplus(b, x)));
  });
}

static BodyResults inlineSelu(FunctionBody &b, SeluOp op) {
  return inlineActivation(b, op, [&](FunctionBody &b, Value x) {
    return makeSelu(b, x, get(op.getAlpha()), get(op.getGamma()));
  });
}

static BodyResults inlineShrink(FunctionBody &b, ShrinkOp op) {
  return inlineActivation(b, op, [&](FunctionBody &b, Value x) {
    return makeShrink(b, x, get(op.getBias()), get(op.getLambd()));
  });
}

static BodyResults inlineSoftplus(FunctionBody &b, SoftplusOp op) {
  return inlineActivation(b, op, makeSoftplus);
}

static BodyResults inlineSoftsign(FunctionBody &b, SoftsignOp op) {
  return inlineActivation(b, op, [](FunctionBody &b, Value x) {
    Value one = b.number(1, x);
    return b.div(x, b.add(one, b.abs(x)));
  });
}

static BodyResults inlineSwish(FunctionBody &b, SwishOp op) {
  return inlineActivation(b, op, [&](FunctionBody &b, Value x) {
    return makeSwish(b, x, get(op.getAlpha()));
  });
}

static BodyResults inlineSwiGLU(FunctionBody &b, SwiGLUOp op) {
  return inlineActivation(b, op, [&](FunctionBody &b, Value x) {
    return b.mul(makeSwish(b, x, get(op.getAlpha())), op.getB());
  });
}

static BodyResults inlineThresholdedRelu(FunctionBody &b,
                                         ThresholdedReluOp op) {
  return inlineActivation(b, op, [&](FunctionBody &b, Value x) {
    Value isAbove = b.less(b.number(get(op.getAlpha()), x), x);
    return b.where(isAbove, x, b.number(0, x));
  });
}

static BodyResults inlineRelu(FunctionBody &b, ReluOp op) {
  Value x = op.getX();
  return isNumber(x) ? BodyResults(b.max(x, b.number(0, x))) : BodyResults();
}

static BodyResults inlinePRelu(FunctionBody &b, PReluOp op) {
  Value x = op.getX();
  if (!isNumber(x))
    return {};
  Value scaled = b.mul(op.getSlope(), x);
  return b.where(b.less(x, b.number(0, x)), scaled, x);
}

static BodyResults inlineClip(FunctionBody &b, ClipOp op) {
  Value x = op.getInput();
  if (Value least = op.getMin())
    x = b.where(b.less(x, least), least, x);
  if (Value most = op.getMax())
    x = b.where(b.less(most, x), most, x);
  return x;
}

static BodyResults inlineCastLike(FunctionBody &b, CastLikeOp op) {
  Type type = getElementType(op.getTargetType());
  int to = type ? getDataType(type) : 0;
  if (to == 0)
    return {};
  SmallVector<NamedAttribute> attributes{b.attribute("to", to)};
  if (op.getSaturateAttr())
    attributes.push_back(b.attribute("saturate", op.getSaturateAttr()));
  if (op.getRoundModeAttr())
    attributes.push_back(b.attribute("round_mode", op.getRoundModeAttr()));
  return b.make<CastOp>(op.getInput(), attributes);
}

template <typename Op, typename Strict>
static BodyResults inlineComparison(FunctionBody &b, Op op) {
  SmallVector<Value> operands(op->getOperands());
  Value strict = b.make<Strict>(operands);
  return b.make<OrOp>({strict, b.make<EqualOp>(operands)});
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct DecomposeFunctions
    : onnxc::impl::DecomposeFunctionsBase<DecomposeFunctions> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    auto add = [&](auto body, int64_t since) {
      addBody(patterns, options, body, since);
    };
    add(inlineCastLike, 15);
    add(inlineCelu, 12);
    add(inlineClip, 11);
    add(inlineElu, 9);
    add(inlineGelu, 20);
    add(inlineComparison<GreaterOrEqualOp, GreaterOp>, 12);
    add(inlineComparison<LessOrEqualOp, LessOp>, 12);
    add(inlineHardSigmoid, 8);
    add(inlineHardSwish, 14);
    add(inlineLeakyRelu, 9);
    add(inlineMish, 18);
    add(inlinePRelu, 9);
    add(inlineRelu, 8);
    add(inlineSelu, 9);
    add(inlineShrink, 9);
    add(inlineSoftplus, 8);
    add(inlineSoftsign, 7);
    add(inlineSwiGLU, 28);
    add(inlineSwish, 24);
    add(inlineThresholdedRelu, 10);
    populateTensorFunctions(patterns, options);
    populateAttentionFunctions(patterns, options);
  }
};
} // namespace
