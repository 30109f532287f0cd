//===- Random.td - Random numbers ------------------------ -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_RANDOM
#define ONNXC_DIALECT_ONNX_RANDOM

include "onnxc/Dialect/ONNX/ONNXBase.td"

// An op that draws: never merged with its like, but removed when it has no uses.
class ONNX_RandomOp<string name, list<int> since, dag ins_, dag outs_, list<Trait> extraTraits = []>
    : ONNX_Op<name, since, ins_, outs_,
              !listconcat([DeclareOpInterfaceMethods<MemoryEffectsOpInterface>], extraTraits)> {
  let moreDefinitions = [{
    void $cppClass::getEffects(
        ::llvm::SmallVectorImpl<::mlir::SideEffects::EffectInstance<::mlir::MemoryEffects::Effect>> &effects) {
      effects.emplace_back(::mlir::MemoryEffects::Allocate::get(), getOperation()->getOpResult(0));
    }
  }];
}

def ONNX_RandomNormalOp : ONNX_RandomOp<"RandomNormal", [1, 22],
    (ins RequiredIntsFrom<0>:$shape, IntOr<1>:$dtype, FloatOr<"0.0">:$mean, FloatOr<"1.0">:$scale,
         OptFloat:$seed),
    (outs ONNX_T<Floats>:$output)> {
  let summary = "Normally distributed numbers";
}

def ONNX_RandomNormalLikeOp : ONNX_RandomOp<"RandomNormalLike", [1, 22],
    (ins ONNX_T<AllIR4, "T1">:$input, OptInt:$dtype, FloatOr<"0.0">:$mean, FloatOr<"1.0">:$scale,
         OptFloat:$seed),
    (outs ONNX_T<Floats, "T2">:$output), [ONNX_KeepsShape<0>]> {
  let summary = "Normally distributed numbers in the shape of a tensor";
}

def ONNX_RandomUniformOp : ONNX_RandomOp<"RandomUniform", [1, 22],
    (ins RequiredIntsFrom<0>:$shape, IntOr<1>:$dtype, FloatOr<"1.0">:$high, FloatOr<"0.0">:$low,
         OptFloat:$seed),
    (outs ONNX_T<Floats>:$output)> {
  let summary = "Uniformly distributed numbers";
}

def ONNX_RandomUniformLikeOp : ONNX_RandomOp<"RandomUniformLike", [1, 22],
    (ins ONNX_T<AllIR4, "T1">:$input, OptInt:$dtype, FloatOr<"1.0">:$high, FloatOr<"0.0">:$low,
         OptFloat:$seed),
    (outs ONNX_T<Floats, "T2">:$output), [ONNX_KeepsShape<0>]> {
  let summary = "Uniformly distributed numbers in the shape of a tensor";
}

def ONNX_BernoulliOp : ONNX_RandomOp<"Bernoulli", [15, 22],
    (ins ONNX_T<Floats, "T1">:$input, OptInt:$dtype, OptFloat:$seed),
    (outs ONNX_T<NumbersAndBool, "T2">:$output), [ONNX_KeepsShape<0>, ONNX_NeverNegative]> {
  let summary = "Draws 0 or 1 by probabilities";
}

def ONNX_MultinomialOp : ONNX_RandomOp<"Multinomial", [7, 22],
    (ins ONNX_T<Floats, "T1">:$input, IntOr<6>:$dtype, IntFrom<0, 1>:$sample_size, OptFloat:$seed),
    (outs ONNX_T<Int32s64s, "T2">:$output)> {
  let summary = "Draws classes by unnormalized log probabilities";
}

def ONNX_DropoutOp : ONNX_Op<"Dropout", [12, 13, 22],
    (ins ONNX_T<FloatsAndFloat8s>:$data, ONNX_Opt<ONNX_T<FloatsAndFloat8s, "T1">>:$ratio,
         ONNX_Opt<ONNX_T<OnlyBool, "T2">>:$training_mode, OptInt:$seed),
    (outs ONNX_T<FloatsAndFloat8s>:$output,
          ONNX_Opt<ONNX_T<OnlyBool, "T2">>:$mask),
    [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, ONNX_KeepsShape<0>]> {
  let summary = "The input itself or, in training, with random elements zeroed and the rest scaled";
  let cost = "None";
  let hasCanonicalizeMethod = 1;
  let upgrades = [
    [{ {"Dropout", 10, {attrToInput("ratio")}} }],
    [{ {"Dropout", 7, {custom("dropoutMask"), attrToInput("ratio")}} }],
    [{ {"Dropout", 6, {dropAttr("is_test"), custom("dropoutMask"), attrToInput("ratio")}} }],
    [{ {"Dropout", 1, {dropAttr("consumed_inputs"), dropAttr("is_test"), custom("dropoutMask"),
        attrToInput("ratio")}} }]
  ];
}

#endif // ONNXC_DIALECT_ONNX_RANDOM
