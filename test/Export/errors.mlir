// RUN: split-file %s %t
// RUN: echo before > %t/out.onnx
// RUN: not onnx-mlir-translate --mlir-to-onnx %t/newer.mlir -o %t/out.onnx 2>&1 | FileCheck %s --check-prefix=NEWER
// RUN: not onnx-mlir-translate --mlir-to-onnx %t/operand.mlir -o %t/out.onnx 2>&1 | FileCheck %s --check-prefix=OPERAND
// RUN: not onnx-mlir-translate --mlir-to-onnx %t/lowered.mlir -o %t/out.onnx 2>&1 | FileCheck %s --check-prefix=LOWERED
// RUN: not onnx-mlir-translate --mlir-to-onnx %t/entry.mlir -o %t/out.onnx 2>&1 | FileCheck %s --check-prefix=ENTRY
// RUN: not onnx-mlir-translate --mlir-to-onnx %t/domain.mlir -o %t/out.onnx 2>&1 | FileCheck %s --check-prefix=DOMAIN
// RUN: not onnx-mlir-translate --mlir-to-onnx %t/newer.mlir -o %t/none/out.onnx 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: not onnx-mlir-translate --mlir-to-onnx %t/default.mlir -o %t/out.onnx 2>&1 | FileCheck %s --check-prefix=DEFAULT
// RUN: not onnx-mlir-translate --mlir-to-onnx %t/good.mlir -o %t/none/out.onnx 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: FileCheck %s --check-prefix=KEPT < %t/out.onnx
// RUN: ls %t | count 8

// After an error the file is what it was.
// KEPT: before

//--- newer.mlir
// NEWER: node 'act' (Gelu): Gelu has no such form at opset 17 of domain 'ai.onnx': it exists from opset 20 on
module attributes {onnx.ir_version = 8 : i64, onnx.opset_imports = {ai.onnx = 17 : i64}} {
func.func @main_graph(%x: tensor<2xf32> {onnx.name = "x"}) -> (tensor<2xf32> {onnx.name = "y"}) attributes {onnx.entry} {
  %0 = onnx.Gelu(%x) : (tensor<2xf32>) -> tensor<2xf32> loc(fused<#onnx.source<name = "act", op = "Gelu", outputs = ["z"]>>["f":1:0])
  return %0 : tensor<2xf32>
}
}
//--- operand.mlir
// OPERAND: node 'squeeze' (Squeeze): has no form at opset 11, where Squeeze is of version 11: its input 'axes' is an attribute at the target opset
module attributes {onnx.ir_version = 6 : i64, onnx.opset_imports = {ai.onnx = 11 : i64}} {
func.func @main_graph(%x: tensor<1x2xf32> {onnx.name = "x"}, %a: tensor<1xi64> {onnx.name = "a"}) -> (tensor<?xf32> {onnx.name = "y"}) attributes {onnx.entry} {
  %0 = onnx.Squeeze(%x, %a) : (tensor<1x2xf32>, tensor<1xi64>) -> tensor<?xf32> loc(fused<#onnx.source<name = "squeeze", op = "Squeeze", outputs = ["z"]>>["f":1:0])
  return %0 : tensor<?xf32>
}
}
//--- lowered.mlir
// LOWERED: operation 'arith.constant' is not an ONNX operator: only modules of the onnx dialect can be written as models
func.func @main_graph() -> tensor<2xf32> attributes {onnx.entry} {
  %0 = arith.constant dense<1.0> : tensor<2xf32>
  return %0 : tensor<2xf32>
}
//--- entry.mlir
// ENTRY: no function is the model's graph: none has the attribute 'onnx.entry', none is called 'main_graph'
func.func @f() {
  return
}
//--- domain.mlir
// DOMAIN: is of domain 'ai.onnx.ml', which the model does not import
module attributes {onnx.ir_version = 8 : i64, onnx.opset_imports = {ai.onnx = 17 : i64}} {
func.func @main_graph(%x: tensor<2xf32> {onnx.name = "x"}) -> (tensor<2xf32> {onnx.name = "y"}) attributes {onnx.entry} {
  %0 = onnx.ml.Binarizer(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
}
//--- default.mlir
// DEFAULT: the default of input 'w' is not a tensor
func.func @main_graph(%x: tensor<2xf32> {onnx.name = "x"}, %w: tensor<2xf32> {onnx.default = 1.0 : f32, onnx.name = "w"}) -> tensor<2xf32> attributes {onnx.entry} {
  %0 = onnx.Add(%x, %w) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
//--- good.mlir
// FOLDER: No such file or directory
func.func @main_graph(%x: tensor<2xf32>) -> tensor<2xf32> attributes {onnx.entry} {
  %0 = onnx.Relu(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
