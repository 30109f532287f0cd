// RUN: onnx-mlir-opt %s --onnx-forget-example-sizes --split-input-file | FileCheck %s

// The batch of the example, of an intermediate result and of the output. What no
// input contradicts stays, as do the channels that only the model declares.
// CHECK-LABEL: @batch
// CHECK-SAME: -> tensor<?x3x?xf32>
// CHECK: onnx.Neg(%arg0) : (tensor<?x3x?xf32>) -> tensor<?x3x?xf32>
// CHECK: onnx.Reshape({{.*}}) {{.*}} -> tensor<6x?xf32>
func.func @batch(%x: tensor<?x3x?xf32>, %shape: tensor<2xi64>) -> tensor<1x3x?xf32> attributes {onnx.entry} {
  %0 = onnx.Neg(%x) : (tensor<?x3x?xf32>) -> tensor<1x3x?xf32>
  %1 = onnx.Reshape(%0, %shape) {allowzero = 0 : i64} : (tensor<1x3x?xf32>, tensor<2xi64>) -> tensor<6x?xf32>
  return %0 : tensor<1x3x?xf32>
}

// -----

// Dimensions of one name have one size, so that adding them is possible; of two
// names, one may be 1, and nothing is known of the sum.
// CHECK-LABEL: @names
// CHECK: onnx.Add(%arg0, %arg1) : {{.*}} -> tensor<?x4xf32>
// CHECK: onnx.Add(%arg0, %arg2) : {{.*}} -> tensor<7x4xf32>
func.func @names(%x: tensor<?x4xf32> {onnx.dim_params = ["n", ""]}, %y: tensor<?x4xf32> {onnx.dim_params = ["n", ""]},
                 %z: tensor<?x4xf32> {onnx.dim_params = ["m", ""]}) -> (tensor<7x4xf32>, tensor<7x4xf32>) attributes {onnx.entry} {
  %0 = onnx.Add(%x, %y) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<7x4xf32>
  %1 = onnx.Add(%x, %z) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<7x4xf32>
  return %0, %1 : tensor<7x4xf32>, tensor<7x4xf32>
}

// -----

// Followed through the computation of a shape.
// CHECK-LABEL: @reshape
// CHECK: onnx.Reshape({{.*}}) {{.*}} -> tensor<?x8xf32>
func.func @reshape(%x: tensor<?x2x4xf32>) -> tensor<1x8xf32> attributes {onnx.entry} {
  %0 = onnx.Shape(%x) {start = 0 : i64, end = 1 : i64} : (tensor<?x2x4xf32>) -> tensor<1xi64>
  %1 = onnx.Constant() {value = dense<-1> : tensor<1xi64>} : () -> tensor<1xi64>
  %2 = onnx.Concat(%0, %1) {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %3 = onnx.Reshape(%x, %2) {allowzero = 0 : i64} : (tensor<?x2x4xf32>, tensor<2xi64>) -> tensor<1x8xf32>
  return %3 : tensor<1x8xf32>
}

// -----

// A table of 64 positions has no rows for more: the small size decides.
// CHECK-LABEL: @table
// CHECK: onnx.Add({{.*}}) : {{.*}} -> tensor<?x4xf32>
func.func @table(%x: tensor<?x4xf32>, %table: tensor<64x4xf32>) -> tensor<9x4xf32> attributes {onnx.entry} {
  %0 = onnx.Constant() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %1 = onnx.Shape(%x) {start = 0 : i64, end = 1 : i64} : (tensor<?x4xf32>) -> tensor<1xi64>
  %2 = onnx.Slice(%table, %0, %1) : (tensor<64x4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<9x4xf32>
  %3 = onnx.Add(%x, %2) : (tensor<?x4xf32>, tensor<9x4xf32>) -> tensor<9x4xf32>
  return %3 : tensor<9x4xf32>
}

// -----

// A window of 16 needs more than 11 rows: the large size decides.
// CHECK-LABEL: @image
// CHECK: onnx.MaxPool({{.*}}) {{.*}} -> tensor<?x3x?x?xf32>
// CHECK: onnx.Concat({{.*}}) {{.*}} -> tensor<?x3x?x?xf32>
func.func @image(%x: tensor<?x3x?x?xf32> {onnx.dim_params = ["n", "", "h", "h"]}) -> tensor<1x3x96x64xf32> attributes {onnx.entry} {
  %0 = onnx.MaxPool(%x) {kernel_shape = [16, 16], strides = [16, 16]} : (tensor<?x3x?x?xf32>) -> tensor<1x3x4x4xf32>
  %1 = onnx.Constant() {value = dense<[1.0, 1.0, 16.0, 16.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %2 = onnx.Resize(%0, _, %1, _) : (tensor<1x3x4x4xf32>, tensor<4xf32>) -> tensor<1x3x64x64xf32>
  %3 = onnx.Concat(%x, %2) {axis = 2 : i64} : (tensor<?x3x?x?xf32>, tensor<1x3x64x64xf32>) -> tensor<1x3x96x64xf32>
  return %3 : tensor<1x3x96x64xf32>
}

// -----

// Functions other than the entry are called with sizes of their own.
// CHECK-LABEL: @function
// CHECK: onnx.Neg(%arg0) : (tensor<?x3xf32>) -> tensor<1x3xf32>
func.func @function(%x: tensor<?x3xf32>) -> tensor<1x3xf32> {
  %0 = onnx.Neg(%x) : (tensor<?x3xf32>) -> tensor<1x3xf32>
  return %0 : tensor<1x3xf32>
}
