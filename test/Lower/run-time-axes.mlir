// RUN: onnx-mlir-opt %s -onnxc-lower-to-linalg -canonicalize -split-input-file | FileCheck %s

// One loop nest over all elements; where each goes follows from the axes.
// CHECK-LABEL: @reduce
// CHECK: scf.for
// CHECK: arith.select
// CHECK: tensor.insert
func.func @reduce(%x: tensor<2x3xf32>, %axes: tensor<1xi64>) -> tensor<?x?xf32> {
  %0 = onnx.ReduceSum(%x, %axes) : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
