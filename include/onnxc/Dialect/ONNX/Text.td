//===- Text.td - Strings --------------------------------- -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_TEXT
#define ONNXC_DIALECT_ONNX_TEXT

include "onnxc/Dialect/ONNX/ONNXBase.td"

def ONNX_StringConcatOp : ONNX_Op<"StringConcat", [20],
    (ins ONNX_T<OnlyString>:$X, ONNX_T<OnlyString>:$Y),
    (outs ONNX_T<OnlyString>:$Z), [Pure]> {
  let summary = "Joins strings element by element, broadcast";
}

def ONNX_StringNormalizerOp : ONNX_Op<"StringNormalizer", [10],
    (ins ONNX_T<OnlyString, "">:$X, OneOf<"NONE", ["LOWER", "UPPER", "NONE"]>:$case_change_action, Flag<0>:$is_case_sensitive,
         OptString:$locale, OptStrings:$stopwords),
    (outs ONNX_T<OnlyString, "">:$Y), [Pure]> {
  let summary = "Changes case and drops stop words";
}

def ONNX_StringSplitOp : ONNX_Op<"StringSplit", [20],
    (ins ONNX_T<OnlyString, "T1">:$X, OptString:$delimiter, OptInt:$maxsplit),
    (outs ONNX_T<OnlyString, "T2">:$Y, ONNX_T<OnlyInt64, "T3">:$Z), [Pure]> {
  let summary = "Splits each string at a delimiter";
}

def ONNX_RegexFullMatchOp : ONNX_Op<"RegexFullMatch", [20],
    (ins ONNX_T<OnlyString, "T1">:$X, OptString:$pattern),
    (outs ONNX_T<OnlyBool, "T2">:$Y), [Pure, ONNX_KeepsShape<0>]> {
  let summary = "Whether a pattern (RE2) matches the whole string";
}

// Of ONNX Runtime's domain, since no composition of ONNX's operators computes
// it: nodes become it by their upgrade.
def ONNX_TokenizerOp : ONNX_Op<"Tokenizer", [1],
    (ins ONNX_T<OnlyString>:$X, I64Attr:$mark, I64Attr:$mincharnum, StrAttr:$pad_value,
         OptStrings:$separators, OptString:$tokenexp),
    (outs ONNX_T<OnlyString>:$Y), [Pure], "com.microsoft"> {
  let summary = "Splits each string into tokens, by patterns (RE2)";
}

def ONNX_TfIdfVectorizerOp : ONNX_Op<"TfIdfVectorizer", [9],
    (ins ONNX_T<ONNX_ElemSet<[Int32s64s], [ONNX_String]>>:$X, RequiredIntFrom<1>:$max_gram_length,
         RequiredIntFrom<0>:$max_skip_count, RequiredIntFrom<1>:$min_gram_length, RequiredOneOf<["TF", "IDF", "TFIDF"]>:$mode,
         RequiredIntsFrom<0>:$ngram_counts, RequiredIntsFrom<0>:$ngram_indexes, OptInts:$pool_int64s,
         OptStrings:$pool_strings, OptFloats:$weights),
    (outs ONNX_T<OnlyFloat, "T1">:$Y), [Pure]> {
  let summary = "Counts or weighs n-grams of a vocabulary";
}

#endif // ONNXC_DIALECT_ONNX_TEXT
