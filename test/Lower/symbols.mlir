// RUN: onnx-mlir-opt %s -split-input-file -onnxc-lower-to-linalg -canonicalize | FileCheck %s

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

// -----

// A size that a tensor of sizes tells is not one that Reshape infers: nothing is divided, and the sums need no check.
// CHECK-LABEL: @reshaped
// CHECK-SAME: (%[[X:.+]]: tensor<?x8xf32>,
// CHECK: %[[N:.+]] = tensor.dim %[[X]], %c0
// CHECK-NOT: arith.divsi
// CHECK-NOT: arith.floordivsi
// CHECK: tensor.expand_shape %[[X]] {{.*}} output_shape [%[[N]], 2, 4]
// CHECK-NOT: scf.if
// CHECK: linalg.generic
module {
  func.func @reshaped(%x: tensor<?x8xf32> {onnx.dim_params = ["N", ""]}, %y: tensor<?x2x4xf32> {onnx.dim_params = ["N", "", ""]})
      -> tensor<?x2x4xf32> attributes {onnx.entry} {
    %rest = onnx.Constant() {value = dense<[2, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
    %size = onnx.Shape(%x) {start = 0 : i64, end = 1 : i64} : (tensor<?x8xf32>) -> tensor<1xi64>
    %sizes = onnx.Concat(%size, %rest) {axis = 0 : i64} : (tensor<1xi64>, tensor<2xi64>) -> tensor<3xi64>
    %z = onnx.Reshape(%x, %sizes) : (tensor<?x8xf32>, tensor<3xi64>) -> tensor<?x2x4xf32>
    %0 = onnx.Add(%z, %y) : (tensor<?x2x4xf32>, tensor<?x2x4xf32>) -> tensor<?x2x4xf32>
    return %0 : tensor<?x2x4xf32>
  }
}
