//===- Trigonometry.td - Trigonometric and hyperbolic functions, elementwise -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_TRIGONOMETRY
#define ONNXC_DIALECT_ONNX_TRIGONOMETRY

include "onnxc/Dialect/ONNX/ONNXBase.td"

// A function of one float argument.
class ONNX_FloatFunction<string name, list<int> since, string body, list<Trait> extraTraits = []>
    : ONNX_Elementwise<name, since, (ins ONNX_T<Floats>:$input), (outs ONNX_T<Floats>:$output), body, extraTraits>;

def ONNX_SinOp : ONNX_FloatFunction<"Sin", [7, 22], "return b.sin(x);"> {
  let summary = "Sine";
}

def ONNX_CosOp : ONNX_FloatFunction<"Cos", [7, 22], "return b.cos(x);"> {
  let summary = "Cosine";
}

def ONNX_TanOp : ONNX_FloatFunction<"Tan", [7, 22], "return b.tan(x);"> {
  let summary = "Tangent";
}

def ONNX_AsinOp : ONNX_FloatFunction<"Asin", [7, 22], "return b.asin(x);"> {
  let summary = "Inverse sine";
}

def ONNX_AcosOp : ONNX_FloatFunction<"Acos", [7, 22], "return b.acos(x);", [ONNX_NeverNegative]> {
  let summary = "Inverse cosine";
}

def ONNX_AtanOp : ONNX_FloatFunction<"Atan", [7, 22], "return b.atan(x);"> {
  let summary = "Inverse tangent";
}

def ONNX_SinhOp : ONNX_FloatFunction<"Sinh", [9, 22], "return b.sinh(x);"> {
  let summary = "Hyperbolic sine";
}

def ONNX_CoshOp : ONNX_FloatFunction<"Cosh", [9, 22], "return b.cosh(x);", [ONNX_NeverNegative]> {
  let summary = "Hyperbolic cosine";
}

def ONNX_AsinhOp : ONNX_FloatFunction<"Asinh", [9, 22], "return b.asinh(x);"> {
  let summary = "Inverse hyperbolic sine";
}

def ONNX_AcoshOp : ONNX_FloatFunction<"Acosh", [9, 22], "return b.acosh(x);", [ONNX_NeverNegative]> {
  let summary = "Inverse hyperbolic cosine";
}

def ONNX_AtanhOp : ONNX_FloatFunction<"Atanh", [9, 22], "return b.atanh(x);"> {
  let summary = "Inverse hyperbolic tangent";
}

#endif // ONNXC_DIALECT_ONNX_TRIGONOMETRY
