// RUN: onnx-mlir-opt %s --onnx-infer-shapes --onnx-specialize-lengths --onnx-infer-shapes | FileCheck %s

// One length is possible: it is stated.
// CHECK-LABEL: @reshape
// CHECK-NOT: onnx.If
// CHECK: %[[S:.*]] = onnx.Identity(%arg1) : (tensor<?xi64>) -> tensor<3xi64>
// CHECK: onnx.Reshape(%arg0, %[[S]])
func.func @reshape(%x: tensor<?x?xf32>, %s: tensor<?xi64>) -> tensor<?x?x?xf32> {
  %0 = onnx.Reshape(%x, %s) : (tensor<?x?xf32>, tensor<?xi64>) -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}

// A branch for each number of axes that a matrix has; the other lists are as
// long.
// CHECK-LABEL: @slice
// CHECK: %[[N:.*]] = onnx.Shape(%arg1) {start = 0}
// CHECK: onnx.Gather(%[[N]]
// CHECK: onnx.Equal
// CHECK: onnx.If({{.*}}) then_branch {
// CHECK:   onnx.Slice{{.*}}, tensor<0xi64>, tensor<0xi64>, tensor<0xi64>)
// CHECK: } else_branch {
// CHECK:   onnx.If({{.*}}) then_branch {
// CHECK:     onnx.Slice{{.*}}, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>)
// CHECK:   } else_branch {
// CHECK:     onnx.Slice{{.*}}, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>)
// CHECK-NOT: onnx.Slice
// CHECK: return
func.func @slice(%x: tensor<?x?xf32>, %b: tensor<?xi64>, %e: tensor<?xi64>, %a: tensor<?xi64>) -> tensor<?x?xf32> {
  %0 = onnx.Slice(%x, %b, %e, %a) : (tensor<?x?xf32>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// Two for each axis, and no more axes than dimensions.
// CHECK-LABEL: @pad
// CHECK: onnx.Pad{{.*}}, tensor<0xi64>, tensor<0xi64>)
// CHECK: onnx.Pad{{.*}}, tensor<2xi64>, tensor<1xi64>)
// CHECK: onnx.Pad{{.*}}, tensor<4xi64>, tensor<2xi64>)
// CHECK-NOT: onnx.Pad
// CHECK: return
func.func @pad(%x: tensor<?x?xf32>, %p: tensor<?xi64>, %a: tensor<?xi64>) -> tensor<?x?xf32> {
  %0 = onnx.Pad(%x, %p, _, %a) : (tensor<?x?xf32>, tensor<?xi64>, tensor<?xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// The last dimension of indices is the length of each.
// CHECK-LABEL: @gathernd
// CHECK: onnx.Identity(%arg1) : (tensor<?x?xi64>) -> tensor<?x2xi64>
func.func @gathernd(%x: tensor<?x?x?xf32>, %i: tensor<?x?xi64>) -> tensor<?x?xf32> {
  %0 = onnx.GatherND(%x, %i) : (tensor<?x?x?xf32>, tensor<?x?xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// No axes at all are all of them.
// CHECK-LABEL: @reduce
// CHECK: onnx.ReduceSum{{.*}}, tensor<0xi64>)
// CHECK: onnx.ReduceSum{{.*}}, tensor<1xi64>)
// CHECK: onnx.ReduceSum{{.*}}, tensor<2xi64>)
// CHECK-NOT: onnx.ReduceSum
// CHECK: return
func.func @reduce(%x: tensor<?x?xf32>, %a: tensor<?xi64>) -> tensor<?x?xf32> {
  %0 = onnx.ReduceSum(%x, %a) : (tensor<?x?xf32>, tensor<?xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// A vector may be a scalar where one is wanted.
// CHECK-LABEL: @range
// CHECK: %[[L:.*]] = onnx.Identity(%arg1) : (tensor<?xi64>) -> tensor<1xi64>
// CHECK: onnx.Range(%arg0, %[[L]], %arg0)
func.func @range(%a: tensor<i64>, %l: tensor<?xi64>) -> tensor<?xi64> {
  %0 = onnx.Range(%a, %l, %a) : (tensor<i64>, tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
  return %0 : tensor<?xi64>
}

// Of other vectors the rules ask nothing, even if few lengths fit.
// CHECK-LABEL: @add
// CHECK-NEXT: onnx.Add
// CHECK-NEXT: return
func.func @add(%a: tensor<?xi64>, %b: tensor<3xi64>) -> tensor<3xi64> {
  %0 = onnx.Add(%a, %b) : (tensor<?xi64>, tensor<3xi64>) -> tensor<3xi64>
  return %0 : tensor<3xi64>
}

// Nothing tells a rank: nothing to choose from.
// CHECK-LABEL: @unknown
// CHECK-NOT: onnx.Identity
// CHECK: return
func.func @unknown(%x: tensor<?x?xf32>, %s: tensor<?xi64>) -> tensor<*xf32> {
  %0 = onnx.Expand(%x, %s) : (tensor<?x?xf32>, tensor<?xi64>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}
