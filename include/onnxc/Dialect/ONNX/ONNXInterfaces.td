//===- ONNXInterfaces.td - Interfaces of every onnx op --- -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_ONNXINTERFACES
#define ONNXC_DIALECT_ONNX_ONNXINTERFACES

include "mlir/IR/OpBase.td"

def ONNX_SchemaOpInterface : OpInterface<"SchemaOpInterface"> {
  let cppNamespace = "::onnxc";
  let description = [{
    What the ONNX schema says of an op, as data: the importer, the upgrader, the
    exporter and the assembly format are generic over it. ONNX_Op attaches it.
  }];
  let methods = [
    StaticInterfaceMethod<"ONNX domain; empty for ai.onnx.",
      "::llvm::StringRef", "getOnnxDomain">,
    StaticInterfaceMethod<"Operator name as in ONNX.",
      "::llvm::StringRef", "getOnnxName">,
    StaticInterfaceMethod<"Schema versions that this record represents as is, ascending.",
      "::llvm::ArrayRef<int>", "getSchemaVersions">,
    StaticInterfaceMethod<"Rules that bring older forms to this one.",
      "::llvm::ArrayRef<::onnxc::UpgradeRule>", "getUpgradeRules">,
    StaticInterfaceMethod<"Formal inputs in ONNX order.",
      "::llvm::ArrayRef<::onnxc::ValueSpec>", "getOperandSpecs">,
    StaticInterfaceMethod<"Formal outputs in ONNX order.",
      "::llvm::ArrayRef<::onnxc::ValueSpec>", "getResultSpecs">,
    StaticInterfaceMethod<"Names of graph attributes, in the order of the regions.",
      "::llvm::ArrayRef<::llvm::StringLiteral>", "getRegionNames">,
    InterfaceMethod<[{
        Runs the op's shape rule on `operands`, which stand for the op's own (the
        converted ones during lowering). Results go to `builder`.
      }],
      "::llvm::LogicalResult", "applyShapeRule",
      (ins "::onnxc::ShapeBuilder &":$builder, "::mlir::ValueRange":$operands)>,
  ];
}

def ONNX_ScalarOpInterface : OpInterface<"ScalarOpInterface"> {
  let cppNamespace = "::onnxc";
  let description = [{
    An elementwise op: each result element depends on the (broadcast) operand
    elements at its own place. One lowering pattern serves them all.
  }];
  let methods = [
    InterfaceMethod<[{
        Emits the result element for the operand elements `args` (signless).
        Null if the op has no body for this element type.
      }],
      "::mlir::Value", "buildScalar",
      (ins "::onnxc::ScalarBuilder &":$b, "::mlir::ValueRange":$args)>,
  ];
}

def ONNX_VariadicScalarOpInterface : OpInterface<"VariadicScalarOpInterface"> {
  let cppNamespace = "::onnxc";
  let description = [{
    An elementwise op of any number of operands, which are combined in order:
    the first two, the result with the third, and so on.
  }];
  let methods = [
    InterfaceMethod<"Combines what came of the operands so far with the next one.",
      "::mlir::Value", "combine",
      (ins "::onnxc::ScalarBuilder &":$b, "::mlir::Value":$x, "::mlir::Value":$y)>,
    InterfaceMethod<"Makes the result of what came of all of them.",
      "::mlir::Value", "finish",
      (ins "::onnxc::ScalarBuilder &":$b, "::mlir::Value":$x)>,
  ];
}

def ONNX_ShapeElementsOpInterface : OpInterface<"ShapeElementsOpInterface"> {
  let cppNamespace = "::onnxc";
  let description = [{
    An op that models compute shapes with, as tensors: Shape, Gather, Concat, Mul.
  }];
  let methods = [
    InterfaceMethod<[{
        What element `index` of the result, an integer tensor of rank 0 or 1, is
        in dims and constants; nullopt where it is unknown.
      }],
      "::std::optional<::onnxc::Dim>", "followElement",
      (ins "::onnxc::ShapeElements &":$elements, "int64_t":$index)>,
  ];
}

#endif // ONNXC_DIALECT_ONNX_ONNXINTERFACES
