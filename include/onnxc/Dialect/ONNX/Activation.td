//===- Activation.td - Activation functions, elementwise - -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_ACTIVATION
#define ONNXC_DIALECT_ONNX_ACTIVATION

include "onnxc/Dialect/ONNX/ONNXBase.td"

def ONNX_ReluOp : ONNX_Elementwise<"Relu", [6, 13, 14],
    (ins ONNX_T<SignedNumbers>:$X),
    (outs ONNX_T<SignedNumbers>:$Y), [{ return b.max(x, b.zero(x)); }], [ONNX_Idempotent, ONNX_NeverNegative]> {
  let summary = "max(x, 0)";
  let upgrades = [[{ {"Relu", 1, {dropAttr("consumed_inputs")}} }]];
}

def ONNX_LeakyReluOp : ONNX_Elementwise<"LeakyRelu", [6, 16],
    (ins ONNX_T<Floats>:$X, FloatOr<"0.01">:$alpha),
    (outs ONNX_T<Floats>:$Y), [{
      auto alpha = b.constant(x, getAlpha().convertToDouble());
      auto isNegative = b.lt(x, b.zero(x));
      return b.select(isNegative, b.mul(alpha, x), x);
    }]> {
  let summary = "x, or alpha x where x < 0";
  let upgrades = [[{ {"LeakyRelu", 1, {dropAttr("consumed_inputs")}} }]];
}

def ONNX_PReluOp : ONNX_Elementwise<"PRelu", [7, 9, 16],
    (ins ONNX_T<WideNumbers>:$X, ONNX_T<WideNumbers>:$slope),
    (outs ONNX_T<WideNumbers>:$Y), [{
      auto isNegative = b.lt(x, b.zero(x));
      return b.select(isNegative, b.mul(y, x), x);
    }], [ONNX_KeepsShape<0>]> {
  let summary = "x, or slope x where x < 0; slope broadcasts to X";
  let upgrades = [
    [{ {"PRelu", 6, {custom("preluChannelSlope")}} }],
    [{ {"PRelu", 1, {dropAttr("consumed_inputs"), custom("preluChannelSlope")}} }]
  ];
  let shapeRule = [{
    if (s.ranked(op.getX()) && s.ranked(op.getSlope())) {
      Dims slope = s.dims(op.getSlope());
      s.broadcastTo(slope, s.dims(op.getX()), "prelu_slope");
    }
    return s.sameAsOperand(0);
  }];
}

def ONNX_EluOp : ONNX_Elementwise<"Elu", [6, 22],
    (ins ONNX_T<Floats>:$X, FloatOr<"1.0">:$alpha),
    (outs ONNX_T<Floats>:$Y), [{
      auto alpha = b.constant(x, getAlpha().convertToDouble());
      auto isNegative = b.lt(x, b.zero(x));
      return b.select(isNegative, b.mul(alpha, b.expm1(x)), x);
    }]> {
  let summary = "x, or alpha (exp(x) - 1) where x < 0";
  let upgrades = [[{ {"Elu", 1, {dropAttr("consumed_inputs")}} }]];
}

def ONNX_SeluOp : ONNX_Elementwise<"Selu", [6, 22],
    (ins ONNX_T<Floats>:$X, FloatOr<"1.6732632">:$alpha, FloatOr<"1.050701">:$gamma),
    (outs ONNX_T<Floats>:$Y), [{
      auto alpha = b.constant(x, getAlpha().convertToDouble());
      auto gamma = b.constant(x, getGamma().convertToDouble());
      auto negative = b.mul(alpha, b.expm1(x));
      return b.mul(gamma, b.select(b.le(x, b.zero(x)), negative, x));
    }]> {
  let summary = "gamma times x, or times alpha (exp(x) - 1) where x <= 0";
  let upgrades = [
    [{ {"Selu", 1, {dropAttr("consumed_inputs"), setDefault("alpha", 1.6732),
        setDefault("gamma", 1.0507)}} }]
  ];
}

def ONNX_CeluOp : ONNX_Elementwise<"Celu", [12, 28],
    (ins ONNX_T<Floats>:$X, FloatOr<"1.0">:$alpha),
    (outs ONNX_T<Floats>:$Y), [{
      auto alpha = b.constant(x, getAlpha().convertToDouble());
      auto zero = b.zero(x);
      auto negative = b.mul(alpha, b.expm1(b.div(x, alpha)));
      auto positive = b.max(x, zero);
      return b.add(positive, b.min(negative, zero));
    }]> {
  let summary = "max(x, 0) + min(alpha (exp(x / alpha) - 1), 0)";
}

def ONNX_SigmoidOp : ONNX_Elementwise<"Sigmoid", [6, 13],
    (ins ONNX_T<Floats>:$X),
    (outs ONNX_T<Floats>:$Y), [{ return b.sigmoid(x); }], [ONNX_NeverNegative]> {
  let summary = "1 / (1 + exp(-x))";
  let upgrades = [[{ {"Sigmoid", 1, {dropAttr("consumed_inputs")}} }]];
}

def ONNX_HardSigmoidOp : ONNX_Elementwise<"HardSigmoid", [6, 22],
    (ins ONNX_T<Floats>:$X, FloatOr<"0.2">:$alpha, FloatOr<"0.5">:$beta),
    (outs ONNX_T<Floats>:$Y), [{
      auto alpha = b.constant(x, getAlpha().convertToDouble());
      auto beta = b.constant(x, getBeta().convertToDouble());
      auto line = b.add(b.mul(alpha, x), beta);
      auto zero = b.zero(x);
      return b.max(zero, b.min(b.one(x), line));
    }], [ONNX_NeverNegative]> {
  let summary = "alpha x + beta limited to [0, 1]";
  let upgrades = [[{ {"HardSigmoid", 1, {dropAttr("consumed_inputs")}} }]];
}

def ONNX_HardSwishOp : ONNX_Elementwise<"HardSwish", [14, 22],
    (ins ONNX_T<Floats>:$X),
    (outs ONNX_T<Floats>:$Y), [{
      auto scaled = b.mul(x, b.constant(x, 1.0 / 6));
      auto line = b.add(scaled, b.constant(x, 0.5));
      auto zero = b.zero(x);
      return b.mul(x, b.max(zero, b.min(b.one(x), line)));
    }]> {
  let summary = "x times (x / 6 + 1 / 2 limited to [0, 1])";
}

def ONNX_SwishOp : ONNX_Elementwise<"Swish", [24],
    (ins ONNX_T<Floats>:$X, FloatOr<"1.0">:$alpha),
    (outs ONNX_T<Floats>:$Y), [{
      auto alpha = b.constant(x, getAlpha().convertToDouble());
      return b.mul(x, b.sigmoid(b.mul(alpha, x)));
    }]> {
  let summary = "x sigmoid(alpha x)";
}

def ONNX_SwiGLUOp : ONNX_Elementwise<"SwiGLU", [28],
    (ins ONNX_T<Floats>:$A, ONNX_T<Floats>:$B, FloatOr<"1.0">:$alpha),
    (outs ONNX_T<Floats>:$Y), [{
      auto alpha = b.constant(x, getAlpha().convertToDouble());
      return b.mul(b.mul(x, b.sigmoid(b.mul(alpha, x))), y);
    }], [ONNX_KeepsShape<0>]> {
  let summary = "A sigmoid(alpha A) B, on tensors of one shape";
  let shapeRule = "return s.sameAsOperand(0);";
}

def ONNX_TanhOp : ONNX_Elementwise<"Tanh", [6, 13],
    (ins ONNX_T<Floats>:$input),
    (outs ONNX_T<Floats>:$output), [{ return b.tanh(x); }]> {
  let summary = "Hyperbolic tangent";
  let upgrades = [[{ {"Tanh", 1, {dropAttr("consumed_inputs")}} }]];
}

def ONNX_SoftplusOp : ONNX_Elementwise<"Softplus", [1, 22],
    (ins ONNX_T<Floats>:$X),
    (outs ONNX_T<Floats>:$Y), [{ return buildSoftplus(b, x); }], [ONNX_NeverNegative]> {
  let summary = "log(1 + exp(x))";
}

def ONNX_MishOp : ONNX_Elementwise<"Mish", [18, 22],
    (ins ONNX_T<Floats>:$X),
    (outs ONNX_T<Floats>:$Y), [{ return b.mul(x, b.tanh(buildSoftplus(b, x))); }]> {
  let summary = "x tanh(log(1 + exp(x)))";
}

def ONNX_GeluOp : ONNX_Elementwise<"Gelu", [20],
    (ins ONNX_T<Floats>:$X, OneOf<"none", ["none", "tanh"]>:$approximate),
    (outs ONNX_T<Floats>:$Y), [{ return buildGelu(b, x, getApproximate() == "tanh"); }]> {
  let summary = "x Phi(x), with erf or, as approximation, with tanh";
}

def ONNX_SoftsignOp : ONNX_Elementwise<"Softsign", [1, 22],
    (ins ONNX_T<Floats>:$input),
    (outs ONNX_T<Floats>:$output), [{
      auto one = b.one(x);
      return b.div(x, b.add(one, b.abs(x)));
    }]> {
  let summary = "x / (1 + |x|)";
}

def ONNX_ThresholdedReluOp : ONNX_Elementwise<"ThresholdedRelu", [10, 22],
    (ins ONNX_T<Floats>:$X, FloatOr<"1.0">:$alpha),
    (outs ONNX_T<Floats>:$Y), [{
      auto alpha = b.constant(x, getAlpha().convertToDouble());
      auto isAbove = b.gt(x, alpha);
      return b.select(isAbove, x, b.zero(x));
    }], [ONNX_Idempotent]> {
  let summary = "x where x > alpha, else 0";
}

def ONNX_ShrinkOp : ONNX_Elementwise<"Shrink", [9],
    (ins ONNX_T<NumbersIR3>:$input, FloatOr<"0.0">:$bias, FloatOr<"0.5">:$lambd),
    (outs ONNX_T<NumbersIR3>:$output), [{
      // The parameters of integers need not be integers.
      auto type = x.getType();
      bool isUnsigned = mlir::getElementTypeOrSelf(getInput()).isUnsignedInteger();
      if (llvm::isa<mlir::IntegerType>(type))
        x = b.cast(x, b.getBuilder().getF64Type(), isUnsigned, false);
      auto bias = b.constant(x, getBias().convertToDouble());
      double lambd = getLambd().convertToDouble();
      auto low = b.lt(x, b.constant(x, -lambd));
      auto high = b.gt(x, b.constant(x, lambd));
      auto fromHigh = b.sub(x, bias);
      fromHigh = b.select(high, fromHigh, b.zero(x));
      auto moved = b.select(low, b.add(x, bias), fromHigh);
      return b.cast(moved, type, false, isUnsigned);
    }]> {
  let summary = "Moves by bias towards zero; zero where |x| <= lambd";
}

#endif // ONNXC_DIALECT_ONNX_ACTIVATION
