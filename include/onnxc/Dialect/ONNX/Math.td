//===- Math.td - Arithmetic, elementwise ----------------- -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_MATH
#define ONNXC_DIALECT_ONNX_MATH

include "onnxc/Dialect/ONNX/ONNXBase.td"

def ONNX_AbsOp : ONNX_Elementwise<"Abs", [6, 13],
    (ins ONNX_T<Numbers>:$X),
    (outs ONNX_T<Numbers>:$Y), [{ return b.abs(x); }], [ONNX_Idempotent, ONNX_NeverNegative]> {
  let summary = "Absolute value";
  let upgrades = [[{ {"Abs", 1, {dropAttr("consumed_inputs")}} }]];
}

def ONNX_NegOp : ONNX_Elementwise<"Neg", [6, 13],
    (ins ONNX_T<SignedNumbers>:$X),
    (outs ONNX_T<SignedNumbers>:$Y), [{ return b.neg(x); }]> {
  let summary = "Negation";
  let upgrades = [[{ {"Neg", 1, {dropAttr("consumed_inputs")}} }]];
}

def ONNX_SignOp : ONNX_Elementwise<"Sign", [9, 13],
    (ins ONNX_T<Numbers>:$input),
    (outs ONNX_T<Numbers>:$output), [{ return b.sign(x); }], [ONNX_Idempotent]> {
  let summary = "-1, 0 or 1 by the sign";
}

def ONNX_AddOp : ONNX_Elementwise<"Add", [7, 13, 14],
    (ins ONNX_T<Numbers>:$A, ONNX_T<Numbers>:$B),
    (outs ONNX_T<Numbers>:$C), [{ return b.add(x, y); }], [ONNX_Commutative, ONNX_KeepsNonNegative, ONNX_FollowsElements]> {
  let summary = "Sum of two tensors, broadcast";
  let upgrades = [
    [{ {"Add", 6, {custom("legacyBroadcast")}} }],
    [{ {"Add", 1, {dropAttr("consumed_inputs"), custom("legacyBroadcast")}} }]
  ];
}

def ONNX_SubOp : ONNX_Elementwise<"Sub", [7, 13, 14],
    (ins ONNX_T<Numbers>:$A, ONNX_T<Numbers>:$B),
    (outs ONNX_T<Numbers>:$C), [{ return b.sub(x, y); }], [ONNX_FollowsElements]> {
  let summary = "Difference of two tensors, broadcast";
  let upgrades = [
    [{ {"Sub", 6, {custom("legacyBroadcast")}} }],
    [{ {"Sub", 1, {dropAttr("consumed_inputs"), custom("legacyBroadcast")}} }]
  ];
}

def ONNX_MulOp : ONNX_Elementwise<"Mul", [7, 13, 14],
    (ins ONNX_T<Numbers>:$A, ONNX_T<Numbers>:$B),
    (outs ONNX_T<Numbers>:$C), [{ return b.mul(x, y); }], [ONNX_Commutative, ONNX_KeepsNonNegative, ONNX_FollowsElements]> {
  let summary = "Product of two tensors, broadcast";
  let upgrades = [
    [{ {"Mul", 6, {custom("legacyBroadcast")}} }],
    [{ {"Mul", 1, {dropAttr("consumed_inputs"), custom("legacyBroadcast")}} }]
  ];
}

def ONNX_DivOp : ONNX_Elementwise<"Div", [7, 13, 14],
    (ins ONNX_T<Numbers>:$A, ONNX_T<Numbers>:$B),
    (outs ONNX_T<Numbers>:$C), [{ return b.div(x, y); }], [ONNX_FollowsElements]> {
  let summary = "Quotient of two tensors, broadcast; integers round towards zero";
  let upgrades = [
    [{ {"Div", 6, {custom("legacyBroadcast")}} }],
    [{ {"Div", 1, {dropAttr("consumed_inputs"), custom("legacyBroadcast")}} }]
  ];
}

def ONNX_ModOp : ONNX_Elementwise<"Mod", [10, 13, 28],
    (ins ONNX_T<Numbers>:$A, ONNX_T<Numbers>:$B, Flag<0>:$fmod),
    (outs ONNX_T<Numbers>:$C), [{ return getFmod() ? b.fmod(x, y) : b.mod(x, y); }]> {
  let summary = "Remainder with the sign of the divisor, or of the dividend with fmod";
}

def ONNX_PowOp : ONNX_Elementwise<"Pow", [7, 12, 13, 15],
    (ins ONNX_T<ONNX_ElemSet<[Floats, Int32s64s]>>:$X, ONNX_T<Numbers, "T1">:$Y),
    (outs ONNX_T<ONNX_ElemSet<[Floats, Int32s64s]>>:$Z), [{
      mlir::APInt exponent;
      if (mlir::isa<mlir::IntegerType>(x.getType()) &&
          mlir::matchPattern(getY(), mlir::m_ConstantInt(&exponent)) && exponent.ult(65))
        return b.power(x, exponent.getZExtValue());
      return b.pow(x, y, mlir::getElementTypeOrSelf(getY()).isUnsignedInteger());
    }]> {
  let summary = "X to the power of Y, in the type of X";
  let upgrades = [[{ {"Pow", 1, {custom("legacyBroadcast")}} }]];
}

def ONNX_SqrtOp : ONNX_Elementwise<"Sqrt", [6, 13],
    (ins ONNX_T<Floats>:$X),
    (outs ONNX_T<Floats>:$Y), [{ return b.sqrt(x); }], [ONNX_NeverNegative]> {
  let summary = "Square root; NaN for negative numbers";
  let upgrades = [[{ {"Sqrt", 1, {dropAttr("consumed_inputs")}} }]];
}

def ONNX_ExpOp : ONNX_Elementwise<"Exp", [6, 13],
    (ins ONNX_T<Floats>:$input),
    (outs ONNX_T<Floats>:$output), [{ return b.exp(x); }], [ONNX_NeverNegative]> {
  let summary = "Exponential";
  let upgrades = [[{ {"Exp", 1, {dropAttr("consumed_inputs")}} }]];
}

def ONNX_LogOp : ONNX_Elementwise<"Log", [6, 13],
    (ins ONNX_T<Floats>:$input),
    (outs ONNX_T<Floats>:$output), [{ return b.log(x); }]> {
  let summary = "Natural logarithm";
  let upgrades = [[{ {"Log", 1, {dropAttr("consumed_inputs")}} }]];
}

def ONNX_ReciprocalOp : ONNX_Elementwise<"Reciprocal", [6, 13],
    (ins ONNX_T<Floats>:$X),
    (outs ONNX_T<Floats>:$Y), [{ return b.div(b.one(x), x); }]> {
  let summary = "1 / x";
  let upgrades = [[{ {"Reciprocal", 1, {dropAttr("consumed_inputs")}} }]];
}

def ONNX_ErfOp : ONNX_Elementwise<"Erf", [13],
    (ins ONNX_T<Floats>:$input),
    (outs ONNX_T<Floats>:$output), [{ return b.erf(x); }]> {
  let summary = "Gauss error function";
  let upgrades = [[{ {"Erf", 9, {custom("erfOfIntegers")}} }]];
}

def ONNX_FloorOp : ONNX_Elementwise<"Floor", [6, 13],
    (ins ONNX_T<Floats>:$X),
    (outs ONNX_T<Floats>:$Y), [{ return b.floor(x); }], [ONNX_Idempotent, ONNX_KeepsNonNegative]> {
  let summary = "Greatest integer that is not above";
  let upgrades = [[{ {"Floor", 1, {dropAttr("consumed_inputs")}} }]];
}

def ONNX_CeilOp : ONNX_Elementwise<"Ceil", [6, 13],
    (ins ONNX_T<Floats>:$X),
    (outs ONNX_T<Floats>:$Y), [{ return b.ceil(x); }], [ONNX_Idempotent, ONNX_KeepsNonNegative]> {
  let summary = "Least integer that is not below";
  let upgrades = [[{ {"Ceil", 1, {dropAttr("consumed_inputs")}} }]];
}

def ONNX_RoundOp : ONNX_Elementwise<"Round", [11, 22],
    (ins ONNX_T<Floats>:$X),
    (outs ONNX_T<Floats>:$Y), [{ return b.round(x); }], [ONNX_Idempotent, ONNX_KeepsNonNegative]> {
  let summary = "Nearest integer, halves to even";
}

def ONNX_SumOp : ONNX_VariadicElementwise<"Sum", [6, 8, 13],
    (ins ONNX_Many<ONNX_T<Floats>>:$data_0),
    (outs ONNX_T<Floats>:$sum), "return b.add(x, y);",
    [ONNX_Commutative, ONNX_SelfOfOne, ONNX_KeepsNonNegative]> {
  let summary = "Sum of any number of tensors, broadcast";
  let hasFolder = 1;
  let upgrades = [[{ {"Sum", 1, {dropAttr("consumed_inputs")}} }]];
}

def ONNX_MeanOp : ONNX_VariadicElementwise<"Mean", [6, 8, 13],
    (ins ONNX_Many<ONNX_T<Floats>>:$data_0),
    (outs ONNX_T<Floats>:$mean), "return b.add(x, y);",
    [ONNX_Commutative, ONNX_SelfOfOne, ONNX_KeepsNonNegative],
    "return b.div(x, b.constant(x, getNumOperands()));"> {
  let summary = "Mean of any number of tensors, broadcast";
  let hasFolder = 1;
  let upgrades = [[{ {"Mean", 1, {dropAttr("consumed_inputs")}} }]];
}

def ONNX_MaxOp : ONNX_VariadicElementwise<"Max", [6, 8, 12, 13],
    (ins ONNX_Many<ONNX_T<Numbers>>:$data_0),
    (outs ONNX_T<Numbers>:$max), "return b.max(x, y);",
    [ONNX_Commutative, ONNX_SameOfSame, ONNX_SelfOfOne, ONNX_KeepsNonNegative, ONNX_FollowsElements, ONNX_Idempotent]> {
  let summary = "Greatest of any number of tensors, broadcast";
  let hasFolder = 1;
  let upgrades = [[{ {"Max", 1, {dropAttr("consumed_inputs")}} }]];
}

def ONNX_MinOp : ONNX_VariadicElementwise<"Min", [6, 8, 12, 13],
    (ins ONNX_Many<ONNX_T<Numbers>>:$data_0),
    (outs ONNX_T<Numbers>:$min), "return b.min(x, y);",
    [ONNX_Commutative, ONNX_SameOfSame, ONNX_SelfOfOne, ONNX_KeepsNonNegative, ONNX_FollowsElements, ONNX_Idempotent]> {
  let summary = "Least of any number of tensors, broadcast";
  let hasFolder = 1;
  let upgrades = [[{ {"Min", 1, {dropAttr("consumed_inputs")}} }]];
}

def ONNX_ClipOp : ONNX_Elementwise<"Clip", [11, 12, 13],
    (ins ONNX_T<Numbers>:$input, ONNX_Opt<ONNX_T<Numbers>>:$min, ONNX_Opt<ONNX_T<Numbers>>:$max),
    (outs ONNX_T<Numbers>:$output), [{
      unsigned next = 1;
      if (getMin())
        x = b.max(x, args[next++]);
      if (getMax())
        x = b.min(x, args[next]);
      return x;
    }], [ONNX_KeepsShape<0>, ONNX_Idempotent]> {
  let summary = "Limits to [min, max]; either bound may be absent; min > max gives max";
  let upgrades = [
    [{ {"Clip", 6, {setDefault("min", -3.4028234663852886e+38),
        setDefault("max", 3.4028234663852886e+38), attrToInput("min"), attrToInput("max")}} }],
    [{ {"Clip", 1, {dropAttr("consumed_inputs"), attrToInput("min"), attrToInput("max")}} }]
  ];
  let shapeRule = [{
    requireScalar(s, op.getMin(), "clip_min: must be one number");
    requireScalar(s, op.getMax(), "clip_max: must be one number");
    return s.sameAsOperand(0);
  }];
}

#endif // ONNXC_DIALECT_ONNX_MATH
