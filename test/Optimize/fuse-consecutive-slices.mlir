// RUN: onnx-mlir-opt %s --onnx-fuse-consecutive-slices | FileCheck %s
// RUN: onnx-mlir-opt %s --onnx-fuse-consecutive-slices=upstream-compatible | FileCheck %s --check-prefix=COMPAT

// CHECK-LABEL: func @other_axes
func.func @other_axes(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>) {
  // CHECK: dense<[1, 2]>
  // CHECK: dense<[-2, 7]>
  // CHECK: dense<[0, 1]>
  // CHECK: dense<[1, 2]>
  // CHECK: onnx.Slice(%arg0,
  // CHECK-NOT: onnx.Slice
  %v0 = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %v1 = onnx.Constant() {value = dense<-2> : tensor<1xi64>} : () -> tensor<1xi64>
  %v2 = onnx.Constant() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %v3 = onnx.Constant() {value = dense<2> : tensor<1xi64>} : () -> tensor<1xi64>
  %v4 = onnx.Constant() {value = dense<7> : tensor<1xi64>} : () -> tensor<1xi64>
  %v5 = onnx.Slice(%x, %v0, %v1, %v2, %v0) : (tensor<?x?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?xf32>
  %v6 = onnx.Slice(%v5, %v3, %v4, %v0, %v3) : (tensor<?x?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?xf32>
  return %v6 : tensor<?x?xf32>
}

// CHECK-LABEL: func @same_axis_of_unknown_size
func.func @same_axis_of_unknown_size(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>) {
  // CHECK: dense<3>
  // CHECK: dense<7>
  // CHECK: dense<0>
  // CHECK: dense<6>
  // CHECK: onnx.Slice(%arg0,
  // CHECK-NOT: onnx.Slice
  %v0 = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %v1 = onnx.Constant() {value = dense<9> : tensor<1xi64>} : () -> tensor<1xi64>
  %v2 = onnx.Constant() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %v3 = onnx.Constant() {value = dense<2> : tensor<1xi64>} : () -> tensor<1xi64>
  %v4 = onnx.Constant() {value = dense<3> : tensor<1xi64>} : () -> tensor<1xi64>
  %v5 = onnx.Slice(%x, %v0, %v1, %v2, %v3) : (tensor<?x?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?xf32>
  %v6 = onnx.Slice(%v5, %v0, %v4, %v2, %v4) : (tensor<?x?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?xf32>
  return %v6 : tensor<?x?xf32>
}

// Rows 6, 4, 2, 0, then 0, 2, 4, 6.
// CHECK-LABEL: func @backward_and_backward
func.func @backward_and_backward(%x: tensor<7x8xf32>) -> (tensor<4x8xf32>) {
  // CHECK: = onnx.Constant() {value = dense<0>
  // CHECK: dense<7>
  // CHECK: dense<0>
  // CHECK: dense<2>
  // CHECK: onnx.Slice(%arg0,
  %v0 = onnx.Constant() {value = dense<-1> : tensor<1xi64>} : () -> tensor<1xi64>
  %v1 = onnx.Constant() {value = dense<-100> : tensor<1xi64>} : () -> tensor<1xi64>
  %v2 = onnx.Constant() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %v3 = onnx.Constant() {value = dense<-2> : tensor<1xi64>} : () -> tensor<1xi64>
  %v4 = onnx.Slice(%x, %v0, %v1, %v2, %v3) : (tensor<7x8xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4x8xf32>
  %v5 = onnx.Slice(%v4, %v0, %v1, %v2, %v0) : (tensor<4x8xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4x8xf32>
  return %v5 : tensor<4x8xf32>
}

// Down to row 0: the end is before it, however it is counted.
// CHECK-LABEL: func @to_the_first
func.func @to_the_first(%x: tensor<7x8xf32>) -> (tensor<2x8xf32>) {
  // CHECK: dense<4>
  // CHECK: dense<-8>
  // CHECK: dense<0>
  // CHECK: dense<-4>
  // CHECK: onnx.Slice(%arg0,
  %v0 = onnx.Constant() {value = dense<6> : tensor<1xi64>} : () -> tensor<1xi64>
  %v1 = onnx.Constant() {value = dense<-100> : tensor<1xi64>} : () -> tensor<1xi64>
  %v2 = onnx.Constant() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %v3 = onnx.Constant() {value = dense<-1> : tensor<1xi64>} : () -> tensor<1xi64>
  %v4 = onnx.Constant() {value = dense<2> : tensor<1xi64>} : () -> tensor<1xi64>
  %v5 = onnx.Constant() {value = dense<100> : tensor<1xi64>} : () -> tensor<1xi64>
  %v6 = onnx.Constant() {value = dense<4> : tensor<1xi64>} : () -> tensor<1xi64>
  %v7 = onnx.Slice(%x, %v0, %v1, %v2, %v3) : (tensor<7x8xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<7x8xf32>
  %v8 = onnx.Slice(%v7, %v4, %v5, %v2, %v6) : (tensor<7x8xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x8xf32>
  return %v8 : tensor<2x8xf32>
}

// CHECK-LABEL: func @backward_of_unknown_size
func.func @backward_of_unknown_size(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>) {
  // CHECK: onnx.Slice(%arg0,
  // CHECK: onnx.Slice
  %v0 = onnx.Constant() {value = dense<-1> : tensor<1xi64>} : () -> tensor<1xi64>
  %v1 = onnx.Constant() {value = dense<-100> : tensor<1xi64>} : () -> tensor<1xi64>
  %v2 = onnx.Constant() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %v3 = onnx.Constant() {value = dense<-2> : tensor<1xi64>} : () -> tensor<1xi64>
  %v4 = onnx.Slice(%x, %v0, %v1, %v2, %v3) : (tensor<?x?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?xf32>
  %v5 = onnx.Slice(%v4, %v0, %v1, %v2, %v0) : (tensor<?x?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?xf32>
  return %v5 : tensor<?x?xf32>
}

// CHECK-LABEL: func @nothing
func.func @nothing(%x: tensor<7x8xf32>) -> (tensor<0x8xf32>) {
  // CHECK: dense<0>
  // CHECK: dense<0>
  // CHECK: dense<0>
  // CHECK: onnx.Slice(%arg0,
  %v0 = onnx.Constant() {value = dense<5> : tensor<1xi64>} : () -> tensor<1xi64>
  %v1 = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %v2 = onnx.Constant() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %v3 = onnx.Constant() {value = dense<3> : tensor<1xi64>} : () -> tensor<1xi64>
  %v4 = onnx.Slice(%x, %v0, %v1, %v2, %v1) : (tensor<7x8xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<0x8xf32>
  %v5 = onnx.Slice(%v4, %v2, %v3, %v2, %v1) : (tensor<0x8xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<0x8xf32>
  return %v5 : tensor<0x8xf32>
}

// Onnx-optimizer joins what is no constant, and what is one too.
// COMPAT-LABEL: func @joined
func.func @joined(%x: tensor<5x6xf32>, %y: tensor<1xi64>, %z: tensor<1xi64>) -> (tensor<?x?xf32>) {
  // COMPAT: onnx.Concat(%arg1, %arg2)
  // COMPAT: onnx.Concat(%arg2, %arg1)
  // COMPAT: onnx.Concat
  // COMPAT: onnx.Concat
  // COMPAT: onnx.Slice(%arg0,
  %v0 = onnx.Constant() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %v1 = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %v2 = onnx.Slice(%x, %y, %z, %v0, %v1) : (tensor<5x6xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x6xf32>
  %v3 = onnx.Slice(%v2, %z, %y, %v1, %v1) : (tensor<?x6xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?xf32>
  return %v3 : tensor<?x?xf32>
}
