// RUN: onnx-mlir-opt %s -onnxc-lower-to-linalg -canonicalize | FileCheck %s

// Sizes of one symbol are one size, whatever other inputs stand before.
// CHECK-LABEL: @main_graph
// CHECK-SAME: (%{{.+}}: i64, %[[X:.+]]: tensor<?x4xf32>, %{{.+}}: tensor<?x4xf32>)
// CHECK: %[[N:.+]] = tensor.dim %[[X]], %c0
// CHECK-NOT: tensor.dim
// CHECK-NOT: cf.assert
// CHECK: tensor.empty(%[[N]])
// CHECK: linalg.generic
module {
  func.func @main_graph(%l: !onnx.seq<tensor<?xf32>>, %x: tensor<?x4xf32> {onnx.dim_params = ["N", ""]}, %y: tensor<?x4xf32> {onnx.dim_params = ["N", ""]})
      -> tensor<?x4xf32> attributes {onnx.entry} {
    %0 = onnx.Add(%y, %x) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    return %0 : tensor<?x4xf32>
  }
}
