//===- Normalization.td - Normalizations, and the softmaxes ---------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_NORMALIZATION
#define ONNXC_DIALECT_ONNX_NORMALIZATION

include "onnxc/Dialect/ONNX/ONNXBase.td"

def StashTypes : ONNX_ElemSet<[], [ONNX_Float, ONNX_BFloat16]>;

def ONNX_BatchNormalizationOp : ONNX_Op<"BatchNormalization", [14, 15],
    (ins ONNX_T<Floats>:$X, ONNX_T<Floats, "T1">:$scale, ONNX_T<Floats, "T1">:$B,
         ONNX_T<Floats, "T2">:$input_mean, ONNX_T<Floats, "T2">:$input_var,
         FloatOr<"1e-05">:$epsilon, FloatOr<"0.9">:$momentum, IntOr<0>:$training_mode),
    (outs ONNX_T<Floats>:$Y, ONNX_Opt<ONNX_T<Floats, "T2">>:$running_mean,
          ONNX_Opt<ONNX_T<Floats, "T2">>:$running_var), [Pure, ONNX_KeepsShape<0>, ONNX_Linear]> {
  let summary = "Normalizes each channel by given statistics or, in training, its own";
  let cost = "Result";
  let upgrades = [
    [{ {"BatchNormalization", 9, {custom("batchNormalizationTraining")}} }],
    [{ {"BatchNormalization", 7, {custom("batchNormalizationSpatial"),
        custom("batchNormalizationTraining")}} }],
    [{ {"BatchNormalization", 6, {custom("batchNormalizationIsTest"),
        custom("batchNormalizationSpatial"), custom("batchNormalizationTraining")}} }],
    [{ {"BatchNormalization", 1, {dropAttr("consumed_inputs"), custom("batchNormalizationIsTest"),
        custom("batchNormalizationSpatial"), custom("batchNormalizationTraining")}} }]
  ];
}

def ONNX_InstanceNormalizationOp : ONNX_Op<"InstanceNormalization", [6, 22],
    (ins ONNX_T<Floats>:$input, ONNX_T<Floats>:$scale, ONNX_T<Floats>:$B,
         FloatOr<"1e-05">:$epsilon),
    (outs ONNX_T<Floats>:$output), [Pure, ONNX_KeepsShape<0>, ONNX_Linear]> {
  let summary = "Normalizes each channel of each sample";
  let cost = "FivePerElement";
  let upgrades = [[{ {"InstanceNormalization", 1, {dropAttr("consumed_inputs")}} }]];
}

def ONNX_LayerNormalizationOp : ONNX_Op<"LayerNormalization", [17],
    (ins ONNX_T<Floats>:$X, ONNX_T<Floats>:$Scale, ONNX_Opt<ONNX_T<Floats>>:$B, Axis<"X", -1>:$axis,
         FloatOr<"1e-05">:$epsilon, IntOr<1>:$stash_type),
    (outs ONNX_T<Floats>:$Y,
          ONNX_Opt<ONNX_T<StashTypes, "U">>:$Mean,
          ONNX_Opt<ONNX_T<StashTypes, "U">>:$InvStdDev), [Pure, ONNX_KeepsShape<0>, ONNX_Linear]> {
  let summary = "Normalizes over the axes from `axis` on";
  let cost = "FivePerElement";
}

def ONNX_RMSNormalizationOp : ONNX_Op<"RMSNormalization", [23],
    (ins ONNX_T<Floats>:$X, ONNX_T<Floats, "V">:$scale, Axis<"X", -1>:$axis, FloatOr<"1e-05">:$epsilon,
         IntOr<1>:$stash_type),
    (outs ONNX_T<Floats, "V">:$Y), [Pure, ONNX_KeepsShape<0>, ONNX_Linear]> {
  let summary = "Divides by the root mean square over the axes from `axis` on";
  let cost = "FivePerElement";
}

def ONNX_GroupNormalizationOp : ONNX_Op<"GroupNormalization", [21],
    (ins ONNX_T<Floats>:$X, ONNX_T<Floats>:$scale, ONNX_T<Floats>:$bias, I64Attr:$num_groups,
         FloatOr<"1e-05">:$epsilon, IntOr<1>:$stash_type),
    (outs ONNX_T<Floats>:$Y), [Pure, ONNX_KeepsShape<0>, ONNX_Linear]> {
  let summary = "Normalizes groups of channels of each sample";
  let cost = "FivePerElement";
  let upgrades = [[{ {"GroupNormalization", 18, {custom("groupNormalizationPerChannel")}} }]];
}

def ONNX_LpNormalizationOp : ONNX_Op<"LpNormalization", [1, 22],
    (ins ONNX_T<Floats>:$input, Axis<"input", -1>:$axis, IntWithin<1, 2, 2>:$p),
    (outs ONNX_T<Floats>:$output), [Pure, ONNX_KeepsShape<0>, ONNX_Linear]> {
  let summary = "Divides by the p-norm along an axis";
  let cost = "FivePerElement";
}

def ONNX_MeanVarianceNormalizationOp : ONNX_Op<"MeanVarianceNormalization", [9, 13],
    (ins ONNX_T<Floats>:$X, DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{0, 2, 3}">:$axes),
    (outs ONNX_T<Floats>:$Y), [Pure, ONNX_Linear]> {
  let summary = "Subtracts the mean over axes and divides by the standard deviation";
  let cost = "FivePerElement";
}

def ONNX_LRNOp : ONNX_Op<"LRN", [1, 13],
    (ins ONNX_T<Floats>:$X, I64Attr:$size, FloatOr<"0.0001">:$alpha, FloatOr<"0.75">:$beta,
         FloatOr<"1.0">:$bias),
    (outs ONNX_T<Floats>:$Y), [Pure, ONNX_KeepsShape<0>]> {
  let summary = "Divides by the local sum of squares over neighbouring channels";
  let cost = "FivePerElement";
}

def ONNX_SoftmaxOp : ONNX_Op<"Softmax", [13],
    (ins ONNX_T<Floats>:$input, Axis<"input", -1>:$axis),
    (outs ONNX_T<Floats>:$output), [Pure, ONNX_KeepsShape<0>, ONNX_Linear, ONNX_NeverNegative]> {
  let summary = "exp(x) over its sum along an axis";
  let cost = "FivePerElement";
  let upgrades = [
    [{ {"Softmax", 11, {setDefault("axis", 1), custom("flattenSoftmax")}} }],
    [{ {"Softmax", 1, {setDefault("axis", 1), custom("flattenSoftmax")}} }]
  ];
}

def ONNX_LogSoftmaxOp : ONNX_Op<"LogSoftmax", [13],
    (ins ONNX_T<Floats>:$input, Axis<"input", -1>:$axis),
    (outs ONNX_T<Floats>:$output), [Pure, ONNX_KeepsShape<0>, ONNX_Linear]> {
  let summary = "Logarithm of Softmax";
  let cost = "FivePerElement";
  let upgrades = [
    [{ {"LogSoftmax", 11, {setDefault("axis", 1), custom("flattenSoftmax")}} }],
    [{ {"LogSoftmax", 1, {setDefault("axis", 1), custom("flattenSoftmax")}} }]
  ];
}

def ONNX_HardmaxOp : ONNX_Op<"Hardmax", [13],
    (ins ONNX_T<Floats>:$input, Axis<"input", -1>:$axis),
    (outs ONNX_T<Floats>:$output), [Pure, ONNX_KeepsShape<0>, ONNX_NeverNegative]> {
  let summary = "1 at the first greatest element along an axis, else 0";
  let cost = "FivePerElement";
  let upgrades = [
    [{ {"Hardmax", 11, {setDefault("axis", 1), custom("flattenSoftmax")}} }],
    [{ {"Hardmax", 1, {setDefault("axis", 1), custom("flattenSoftmax")}} }]
  ];
}

#endif // ONNXC_DIALECT_ONNX_NORMALIZATION
