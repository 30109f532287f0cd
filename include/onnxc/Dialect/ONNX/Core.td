//===- Core.td - The generic node, the region terminator, the absent value -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_CORE
#define ONNXC_DIALECT_ONNX_CORE

include "onnxc/Dialect/ONNX/ONNXBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def ONNX_NodeOp : Op<ONNX_Dialect, "node"> {
  let summary = "A node of any operator: an older form, a custom domain, or unknown";
  let description = [{
    Carries a NodeProto that is not an op of this dialect (yet): operator name,
    domain, and `version`, the schema version in force in the model (0 if the
    domain is not known). Absent inputs are `onnx.none`, absent outputs results of
    type `none`. Graph attributes are regions, named by `region_names`.
  }];
  let arguments = (ins Variadic<AnyType>:$inputs, StrAttr:$op_type, StrAttr:$domain,
                       I64Attr:$version, DictionaryAttr:$onnx_attributes,
                       DefaultValuedOptionalAttr<StrArrayAttr, "{}">:$region_names);
  let results = (outs Variadic<AnyType>:$outputs);
  let regions = (region VariadicRegion<AnyRegion>:$graphs);
  let assemblyFormat = [{
    $op_type `domain` $domain `version` $version `(` $inputs `)` $onnx_attributes
    (`graphs` $region_names $graphs^)? attr-dict `:` functional-type($inputs, $outputs)
  }];
  let hasVerifier = 1;
}

def ONNX_ConstantOp : ONNX_Op<"Constant", [1, 9, 11, 12, 13, 19, 21, 23, 24, 25],
    (ins OptTensor:$value, OptInt:$value_int, OptInts:$value_ints, OptFloat:$value_float,
         OptFloats:$value_floats, OptString:$value_string, OptStrings:$value_strings,
         OptionalAttr<ONNX_SparseElementsAttr>:$sparse_value),
    (outs ONNX_T<AllIR13>:$output), [Pure, ConstantLike, ONNX_Total, ONNX_TotalOfAnySize]> {
  let summary = "A tensor that the model carries, in the one attribute that is present";
  let cost = "None";
  let hasFolder = 1;
}

def ONNX_YieldOp : Op<ONNX_Dialect, "yield", [Pure, Terminator, ReturnLike]> {
  let summary = "Ends a subgraph and gives its outputs";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def ONNX_NoneOp : Op<ONNX_Dialect, "none", [Pure]> {
  let summary = "Stands for an absent input of an onnx.node";
  let results = (outs NoneType:$value);
  let assemblyFormat = "attr-dict";
}

#endif // ONNXC_DIALECT_ONNX_CORE
