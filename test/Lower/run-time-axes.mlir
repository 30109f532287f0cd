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

// -----

// How many sizes an input has is checked against the rank of what is made of it; then they are read.
// CHECK-LABEL: @sizes
// CHECK: %[[N:.*]] = tensor.dim %arg0, %c0
// CHECK: %[[FITS:.*]] = arith.cmpi eq, %[[N]], %c2
// CHECK: cf.assert %[[FITS]], "{{.*}}input 0 must have 2 elements to match the ranks"
// CHECK: tensor.extract {{.*}} : tensor<{{[2?]}}xi64>
func.func @sizes(%s: tensor<?xi64>) -> tensor<?x?xf32> {
  %0 = onnx.ConstantOfShape(%s) : (tensor<?xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: @reshape
// CHECK: cf.assert {{.*}}input 1 must have 3 elements to match the ranks"
// CHECK-COUNT-3: tensor.extract
func.func @reshape(%x: tensor<?x4xf32>, %s: tensor<?xi64>) -> tensor<?x?x?xf32> {
  %0 = onnx.Reshape(%x, %s) : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}
