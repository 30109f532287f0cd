//===- ONNXDialect.td - The onnx dialect, its types and attributes --------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_ONNXDIALECT
#define ONNXC_DIALECT_ONNX_ONNXDIALECT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def ONNX_Dialect : Dialect {
  let name = "onnx";
  let cppNamespace = "::onnxc";
  let summary = "The operators of ONNX in their newest form";
  let description = [{
    One operation per ONNX operator (`onnx.Conv`, `onnx.ml.Scaler`), in the form
    of the newest opset only. Older forms, custom domains and unknown operators
    are `onnx.node` until the upgrade stage rewrites them.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  // What CanonicalizationInterface provides.
  let hasCanonicalizer = 1;
  // One member per op family: each is defined in the family's own .cpp beside
  // the generated code, so that no translation unit sees every op.
  let extraClassDeclaration = [{
    void registerTypes();
    void registerAttributes();
#define ONNXC_FAMILY(Name) void register##Name##Ops();
#include "onnxc/Dialect/ONNX/Families.def"
  }];
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class ONNX_TypeDef<string cppName, string typeMnemonic> : TypeDef<ONNX_Dialect, cppName> {
  let mnemonic = typeMnemonic;
}

def ONNX_UnknownType : ONNX_TypeDef<"Unknown", "unknown"> {
  let summary = "The type of a value that inference has not reached yet";
}

def ONNX_StringType : ONNX_TypeDef<"String", "string"> {
  let summary = "Element type of a tensor of UTF-8 strings";
}

def ONNX_SeqType : ONNX_TypeDef<"Seq", "seq"> {
  let summary = "ONNX sequence(T)";
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
}

def ONNX_OptType : ONNX_TypeDef<"Opt", "opt"> {
  let summary = "ONNX optional(T)";
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
}

def ONNX_MapType : ONNX_TypeDef<"Map", "map"> {
  let summary = "ONNX map(K, V): keys are integers or strings, values any ONNX type";
  let parameters = (ins "::mlir::Type":$keyType, "::mlir::Type":$valueType);
  let assemblyFormat = "`<` $keyType `,` $valueType `>`";
}

def ONNX_SparseType : ONNX_TypeDef<"Sparse", "sparse"> {
  let summary = "ONNX sparse_tensor(T): a dense tensor type whose values are mostly zero";
  let parameters = (ins "::mlir::Type":$denseType);
  let assemblyFormat = "`<` $denseType `>`";
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

class ONNX_AttrDef<string cppName, string attrMnemonic> : AttrDef<ONNX_Dialect, cppName> {
  let mnemonic = attrMnemonic;
}

def ONNX_SourceAttr : ONNX_AttrDef<"Source", "source"> {
  let summary = "What a node was called in the model; rides on its location";
  let description = [{
    Metadata of the FusedLoc of an imported op. It follows the op through every
    rewrite that keeps locations, so that errors, debug info and the exporter can
    name the model's own node. `outputs` are the ONNX value names (`""` for an
    omitted one), `attributes` the attribute names in the order of the file.
  }];
  let parameters = (ins
    "::mlir::StringAttr":$name,
    "::mlir::StringAttr":$op,
    OptionalParameter<"::mlir::ArrayAttr">:$outputs,
    OptionalParameter<"::mlir::ArrayAttr">:$attributes,
    OptionalParameter<"::mlir::StringAttr">:$doc,
    OptionalParameter<"::mlir::DictionaryAttr">:$metadata);
  let assemblyFormat = "`<` struct(params) `>`";
}

def ONNX_SparseElementsAttr : ONNX_AttrDef<"SparseElements", "sparse_elements"> {
  let summary = "A sparse initializer: values, and their indices in COO form";
  let description = [{
    `indices` is [NNZ] linearized or [NNZ, rank], ascending (ONNX
    SparseTensorProto); `type` is the dense type.
  }];
  let parameters = (ins
    "::mlir::ElementsAttr":$values, "::mlir::ElementsAttr":$indices,
    "::mlir::Type":$type);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif // ONNXC_DIALECT_ONNX_ONNXDIALECT
