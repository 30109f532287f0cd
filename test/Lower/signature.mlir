// RUN: onnx-mlir-opt %s -onnxc-lower-to-linalg | FileCheck %s

// CHECK: func.func @main_graph
// CHECK-SAME: %{{.+}}: tensor<?x4xi8> {onnxc.dim_params = ["N", ""], onnxc.dtype = 2 : i32, onnxc.name = "image", onnxc.type = "tensor(uint8)"}
// CHECK-SAME: -> (tensor<i1> {onnxc.dtype = 9 : i32, onnxc.name = "flag", onnxc.type = "tensor(bool)"}, tensor<?x4xi8> {onnxc.dtype = 2 : i32, onnxc.name = "out", onnxc.type = "tensor(uint8)"})
// CHECK-SAME: attributes {onnxc.entry}
func.func @main_graph(%x: tensor<?x4xui8> {onnx.name = "image", onnx.dim_params = ["N", ""]})
    -> (tensor<i1> {onnx.name = "flag", onnx.dim_params = []}, tensor<?x4xui8> {onnx.name = "out"}) attributes {onnx.entry} {
  %0 = onnx.Constant() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  return %0, %x : tensor<i1>, tensor<?x4xui8>
}
