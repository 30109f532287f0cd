// RUN: onnx-mlir-opt %s --onnx-set-unique-name-for-nodes --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: func @main
// CHECK-DAG: name = "_v_1", op = "Relu"
// CHECK-DAG: name = "n", op = "Neg"
// CHECK-DAG: name = "_v_2", op = "Exp"
// CHECK-NOT: name = "_v_3"
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = onnx.Relu(%x) : (tensor<2xf32>) -> tensor<2xf32> loc(fused<#onnx.source<name = "", op = "Relu", outputs = ["_v_0"]>>["m":1:0])
  %1 = onnx.Neg(%0) : (tensor<2xf32>) -> tensor<2xf32> loc(fused<#onnx.source<name = "n", op = "Neg", outputs = ["a"]>>["m":2:0])
  %2 = onnx.Exp(%1) : (tensor<2xf32>) -> tensor<2xf32> loc(fused<#onnx.source<name = "", op = "Exp", outputs = ["b"]>>["m":3:0])
  return %2 : tensor<2xf32>
}
