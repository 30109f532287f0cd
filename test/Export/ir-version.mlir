// RUN: split-file %s %t
// RUN: onnx-mlir-translate --mlir-to-onnx %t/own.mlir -o %t/own.onnx
// RUN: onnx-mlir-translate --mlir-to-onnx %t/new.mlir -o %t/new.onnx
// RUN: onnx-mlir-translate --mlir-to-onnx %t/none.mlir -o %t/none.onnx
// RUN: onnx-mlir-translate --mlir-to-onnx %t/said.mlir -o %t/said.onnx
// RUN: %python -c "import onnx, sys; [print(name, onnx.load('%t/' + name).ir_version) for name in sys.argv[1:]]" own.onnx new.onnx none.onnx said.onnx | FileCheck %s

// Without a version of the format it is that of the release whose opset it is; a model without ONNX's own
// operators takes the first one that has opsets.
// CHECK: own.onnx 3
// CHECK: new.onnx 8
// CHECK: none.onnx {{(8|9|1[0-9])$}}
// CHECK: said.onnx 7

//--- own.mlir
module attributes {onnx.opset_imports = {a.a = 1 : i64, b.b = 1 : i64, c.c = 1 : i64, com.example = 1 : i64, d.d = 1 : i64, e.e = 1 : i64,
    f.f = 1 : i64, g.g = 1 : i64, h.h = 1 : i64, i.i = 1 : i64, j.j = 1 : i64, k.k = 1 : i64, l.l = 1 : i64}} {
func.func @main_graph(%x: tensor<2xf32> {onnx.name = "x"}) -> (tensor<2xf32> {onnx.name = "y"}) attributes {onnx.entry} {
  %0 = onnx.node "Foo" domain "com.example" version 1 (%x) {} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
}
//--- new.mlir
module attributes {onnx.opset_imports = {ai.onnx = 17 : i64}} {
func.func @main_graph(%x: tensor<2xf32> {onnx.name = "x"}) -> (tensor<2xf32> {onnx.name = "y"}) attributes {onnx.entry} {
  %0 = onnx.Relu(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
}
//--- none.mlir
func.func @main_graph(%x: tensor<2xf32> {onnx.name = "x"}) -> (tensor<2xf32> {onnx.name = "y"}) attributes {onnx.entry} {
  %0 = onnx.Relu(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
//--- said.mlir
module attributes {onnx.ir_version = 7 : i64, onnx.opset_imports = {ai.onnx = 12 : i64}} {
func.func @main_graph(%x: tensor<2xf32> {onnx.name = "x"}) -> (tensor<2xf32> {onnx.name = "y"}) attributes {onnx.entry} {
  %0 = onnx.Relu(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
}
