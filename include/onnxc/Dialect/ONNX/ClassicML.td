//===- ClassicML.td - Classic machine learning (ai.onnx.ml) ---------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_CLASSICML
#define ONNXC_DIALECT_ONNX_CLASSICML

include "onnxc/Dialect/ONNX/ONNXBase.td"

defvar SVMKernels = ["LINEAR", "POLY", "RBF", "SIGMOID"];
def MLNumbers : ONNX_ElemSet<[Float32s64s, Int32s64s]>;
def MLTypes : ONNX_ElemSet<[MLNumbers], [ONNX_String]>;
def Labels : ONNX_ElemSet<[], [ONNX_Int64, ONNX_String]>;

// Parameters that are maps, or sequences of maps.
class ONNX_M<string var, list<string> types>
    : ONNX_Value<var, ONNX_None, ONNX_None, ONNX_None, ONNX_None, types>;

def ONNX_ArrayFeatureExtractorOp : ONNX_MLOp<"ArrayFeatureExtractor", [1],
    (ins ONNX_T<MLTypes>:$X, ONNX_T<OnlyInt64, "">:$Y),
    (outs ONNX_T<MLTypes>:$Z), [Pure]> {
  let summary = "Picks elements along the last axis";
}

def ONNX_BinarizerOp : ONNX_MLOp<"Binarizer", [1],
    (ins ONNX_T<MLNumbers>:$X, FloatOr<"0.0">:$threshold),
    (outs ONNX_T<MLNumbers>:$Y), [Pure, ONNX_KeepsShape<0>]> {
  let summary = "1 where x > threshold, else 0";
  let shapeRule = "return s.sameAsOperand(0);";
}

def ONNX_CastMapOp : ONNX_MLOp<"CastMap", [1],
    (ins ONNX_M<"T1", ["map(int64,tensor(float))", "map(int64,tensor(string))"]>:$X,
         StrOr<"TO_FLOAT">:$cast_to, StrOr<"DENSE">:$map_form, IntOr<1>:$max_map),
    (outs ONNX_T<ONNX_ElemSet<[Labels], [ONNX_Float]>, "T2">:$Y), [Pure]> {
  let summary = "Tensor of the values of a map";
}

def ONNX_CategoryMapperOp : ONNX_MLOp<"CategoryMapper", [1],
    (ins ONNX_T<Labels, "T1">:$X, OptInts:$cats_int64s, OptStrings:$cats_strings,
         IntOr<-1>:$default_int64, StrOr<"_Unused">:$default_string),
    (outs ONNX_T<Labels, "T2">:$Y), [Pure, ONNX_KeepsShape<0>]> {
  let summary = "Strings to integers or back, by two lists";
}

def ONNX_DictVectorizerOp : ONNX_MLOp<"DictVectorizer", [1],
    (ins ONNX_M<"T1", ["map(int64,tensor(double))", "map(int64,tensor(float))",
                       "map(int64,tensor(string))", "map(string,tensor(double))",
                       "map(string,tensor(float))", "map(string,tensor(int64))"]>:$X,
         OptInts:$int64_vocabulary, OptStrings:$string_vocabulary),
    (outs ONNX_T<ONNX_ElemSet<[Float32s64s, Labels]>, "T2">:$Y), [Pure]> {
  let summary = "Values of a map, in the order of a vocabulary";
}

def ONNX_FeatureVectorizerOp : ONNX_MLOp<"FeatureVectorizer", [1],
    (ins ONNX_Many<ONNX_T<MLNumbers, "T1">>:$X, OptInts:$inputdimensions),
    (outs ONNX_T<OnlyFloat, "">:$Y), [Pure]> {
  let summary = "Joins features along the last axis, as floats";
}

def ONNX_ImputerOp : ONNX_MLOp<"Imputer", [1],
    (ins ONNX_T<MLNumbers>:$X, OptFloats:$imputed_value_floats, OptInts:$imputed_value_int64s,
         FloatOr<"0.0">:$replaced_value_float, IntOr<0>:$replaced_value_int64),
    (outs ONNX_T<MLNumbers>:$Y), [Pure, ONNX_KeepsShape<0>]> {
  let summary = "Replaces a missing value by a given one per feature";
}

def ONNX_LabelEncoderOp : ONNX_MLOp<"LabelEncoder", [2, 4],
    (ins ONNX_T<ONNX_ElemSet<[MLTypes], [ONNX_Int16]>, "T1">:$X, FloatOr<"-0.0">:$default_float,
         IntOr<-1>:$default_int64, StrOr<"_Unused">:$default_string, OptTensor:$default_tensor,
         OptFloats:$keys_floats, OptInts:$keys_int64s, OptStrings:$keys_strings,
         OptTensor:$keys_tensor, OptFloats:$values_floats, OptInts:$values_int64s,
         OptStrings:$values_strings, OptTensor:$values_tensor),
    (outs ONNX_T<ONNX_ElemSet<[MLTypes], [ONNX_Int16]>, "T2">:$Y), [Pure, ONNX_KeepsShape<0>]> {
  let summary = "Maps each element by a table of keys and values";
  let upgrades = [[{ {"LabelEncoder", 1, {custom("labelEncoderClasses")}} }]];
}

def ONNX_LinearClassifierOp : ONNX_MLOp<"LinearClassifier", [1],
    (ins ONNX_T<MLNumbers, "T1">:$X, DenseF32ArrayAttr:$coefficients, OptInts:$classlabels_ints,
         OptStrings:$classlabels_strings, OptFloats:$intercepts, IntOr<0>:$multi_class,
         OneOf<"NONE", PostTransforms>:$post_transform),
    (outs ONNX_T<Labels, "T2">:$Y, ONNX_T<OnlyFloat, "">:$Z), [Pure]> {
  let summary = "Linear scores, and the class of the greatest";
}

def ONNX_LinearRegressorOp : ONNX_MLOp<"LinearRegressor", [1],
    (ins ONNX_T<MLNumbers>:$X, OptFloats:$coefficients, OptFloats:$intercepts,
         OneOf<"NONE", PostTransforms>:$post_transform, IntOr<1>:$targets),
    (outs ONNX_T<OnlyFloat, "">:$Y), [Pure]> {
  let summary = "Linear functions of the features";
}

def ONNX_NormalizerOp : ONNX_MLOp<"Normalizer", [1],
    (ins ONNX_T<MLNumbers>:$X, OneOf<"MAX", ["MAX", "L1", "L2"]>:$norm),
    (outs ONNX_T<OnlyFloat, "">:$Y), [Pure, ONNX_KeepsShape<0>]> {
  let summary = "Divides each row by its norm";
}

def ONNX_OneHotEncoderOp : ONNX_MLOp<"OneHotEncoder", [1],
    (ins ONNX_T<MLTypes>:$X, OptInts:$cats_int64s, OptStrings:$cats_strings, IntOr<1>:$zeros),
    (outs ONNX_T<OnlyFloat, "">:$Y), [Pure]> {
  let summary = "Adds an axis with 1 at the category, else 0";
}

def ONNX_ScalerOp : ONNX_MLOp<"Scaler", [1],
    (ins ONNX_T<MLNumbers>:$X, OptFloats:$offset, OptFloats:$scale),
    (outs ONNX_T<OnlyFloat, "">:$Y), [Pure, ONNX_KeepsShape<0>]> {
  let summary = "(x - offset) times scale";
}

def ONNX_SVMClassifierOp : ONNX_MLOp<"SVMClassifier", [1],
    (ins ONNX_T<MLNumbers, "T1">:$X, OptInts:$classlabels_ints, OptStrings:$classlabels_strings,
         OptFloats:$coefficients, OptFloats:$kernel_params, OneOf<"LINEAR", SVMKernels>:$kernel_type,
         OneOf<"NONE", PostTransforms>:$post_transform, OptFloats:$prob_a, OptFloats:$prob_b, OptFloats:$rho,
         OptFloats:$support_vectors, OptInts:$vectors_per_class),
    (outs ONNX_T<Labels, "T2">:$Y, ONNX_T<OnlyFloat, "">:$Z), [Pure]> {
  let summary = "Support vector machine for classes";
}

def ONNX_SVMRegressorOp : ONNX_MLOp<"SVMRegressor", [1],
    (ins ONNX_T<MLNumbers>:$X, OptFloats:$coefficients, OptFloats:$kernel_params,
         OneOf<"LINEAR", SVMKernels>:$kernel_type, IntOr<0>:$n_supports, IntOr<0>:$one_class,
         OneOf<"NONE", PostTransforms>:$post_transform, OptFloats:$rho, OptFloats:$support_vectors),
    (outs ONNX_T<OnlyFloat, "">:$Y), [Pure]> {
  let summary = "Support vector machine for regression";
}

def ONNX_ZipMapOp : ONNX_MLOp<"ZipMap", [1],
    (ins ONNX_T<OnlyFloat, "">:$X, OptInts:$classlabels_int64s, OptStrings:$classlabels_strings),
    (outs ONNX_M<"T", ["seq(map(int64,tensor(float)))",
                       "seq(map(string,tensor(float)))"]>:$Z), [Pure]> {
  let summary = "A sequence of maps from label to score";
}

#endif // ONNXC_DIALECT_ONNX_CLASSICML
