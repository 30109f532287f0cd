// RUN: onnx-mlir-opt %s -onnxc-lower-to-linalg | FileCheck %s

// Types as the model has them, by which the C interface is made: the program has
// other ones for unsigned integers, and handles for sequences.
// CHECK: onnxc.signature = #onnxc.signature<name = "pixels", producer = "by hand", opset = 21,
// CHECK-SAME: inputs = [#onnxc.value_info<name = "image", dtype = 2, type = "tensor(uint8)", dims = [-1, 4], symbols = ["N", ""]>,
// CHECK-SAME: #onnxc.value_info<name = "list", dtype = {{[0-9]+}}, type = "seq(tensor(float))">]
// CHECK-SAME: outputs = [#onnxc.value_info<name = "flag", dtype = 9, type = "tensor(bool)", dims = [], symbols = []>,
// CHECK-SAME: #onnxc.value_info<name = "out", dtype = 2, type = "tensor(uint8)", dims = [-1, 4], symbols = ["", ""]>]
// CHECK: func.func @main_graph(%{{.+}}: tensor<?x4xi8>, %{{.+}}: i64) -> (tensor<i1>, tensor<?x4xi8>) attributes {onnxc.entry}
module attributes {onnx.model_name = "pixels", onnx.producer_name = "by hand", onnx.opset_imports = {ai.onnx = 21 : i64}} {
  func.func @main_graph(%x: tensor<?x4xui8> {onnx.name = "image", onnx.dim_params = ["N", ""]}, %l: !onnx.seq<tensor<*xf32>> {onnx.name = "list"})
      -> (tensor<i1> {onnx.name = "flag", onnx.dim_params = []}, tensor<?x4xui8> {onnx.name = "out"}) attributes {onnx.entry} {
    %0 = onnx.Constant() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
    return %0, %x : tensor<i1>, tensor<?x4xui8>
  }
}
