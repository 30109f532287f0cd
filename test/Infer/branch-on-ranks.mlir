// RUN: onnx-mlir-opt %s --onnx-infer-shapes=branch=true | FileCheck %s

// Of the ranks that are tried, 7 and 8 agree with what follows.
// CHECK-LABEL: @some
// CHECK: onnx.If
// CHECK: onnx.Identity(%arg1) : (tensor<?xi64>) -> tensor<7xi64>
// CHECK: onnx.Gather
// CHECK: else_branch
// CHECK: onnx.Identity(%arg1) : (tensor<?xi64>) -> tensor<8xi64>
// CHECK: onnx.Gather
// CHECK-NOT: onnx.Gather
// CHECK: return
func.func @some(%x: tensor<?xf32>, %s: tensor<?xi64>, %i: tensor<i64>) -> !onnx.unknown {
  %0 = onnx.Reshape(%x, %s) : (tensor<?xf32>, tensor<?xi64>) -> !onnx.unknown
  %1 = onnx.Exp(%0) : (!onnx.unknown) -> !onnx.unknown
  %2 = onnx.Gather(%1, %i) {axis = 6} : (!onnx.unknown, tensor<i64>) -> !onnx.unknown
  return %2 : !onnx.unknown
}

// Code for each rank until it is known again.
// CHECK-LABEL: @any
// CHECK-SAME: -> tensor<f32>
// CHECK: onnx.If
// CHECK:   onnx.Exp({{.*}}) : (tensor<f32>) -> tensor<f32>
// CHECK:   onnx.ReduceSum
// CHECK: onnx.If
// CHECK:   onnx.Exp({{.*}}) : (tensor<?xf32>) -> tensor<?xf32>
// CHECK: onnx.Exp({{.*}}) : (tensor<?x?x?x?x?x?x?x?xf32>)
// CHECK-NOT: onnx.Exp
func.func @any(%s: tensor<?xi64>) -> !onnx.unknown {
  %0 = onnx.ConstantOfShape(%s) : (tensor<?xi64>) -> !onnx.unknown
  %1 = onnx.Exp(%0) : (!onnx.unknown) -> !onnx.unknown
  %2 = onnx.ReduceSum(%1) {keepdims = 0} : (!onnx.unknown) -> !onnx.unknown
  return %2 : !onnx.unknown
}

// What is not 1 is a list, of at most as many as there are dimensions.
// CHECK-LABEL: @squeeze
// CHECK: onnx.Compress
// CHECK: onnx.Reshape({{.*}} -> tensor<f32>
// CHECK: onnx.Reshape({{.*}} -> tensor<?xf32>
// CHECK: onnx.Reshape({{.*}} -> tensor<?x?xf32>
func.func @squeeze(%x: tensor<?x?xf32>) -> !onnx.unknown {
  %0 = onnx.Squeeze(%x) : (tensor<?x?xf32>) -> !onnx.unknown
  %1 = onnx.Exp(%0) : (!onnx.unknown) -> !onnx.unknown
  %2 = onnx.ReduceSum(%1) {keepdims = 0} : (!onnx.unknown) -> !onnx.unknown
  return %2 : !onnx.unknown
}

// The length of the input settles that of the list and which branch is taken;
// with any other, the output has another rank than is declared.
// CHECK-LABEL: @source
// CHECK: onnx.Identity(%arg1) : (tensor<?xi64>) -> tensor<2xi64>
// CHECK-NOT: onnx.If
// CHECK: onnx.Reshape({{.*}}) {{.*}} -> tensor<?x?x1xf32>
// CHECK: return
func.func @source(%x: tensor<?xf32>, %s: tensor<?xi64>) -> tensor<?x?x?xf32> {
  %one = onnx.Constant() {value_ints = [1]} : () -> tensor<1xi64>
  %three = onnx.Constant() {value_int = 3} : () -> tensor<i64>
  %size = onnx.Size(%s) : (tensor<?xi64>) -> tensor<i64>
  %c = onnx.Equal(%size, %three) : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %list = onnx.Concat(%s, %one) {axis = 0} : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi64>
  %0 = onnx.Reshape(%x, %list) : (tensor<?xf32>, tensor<?xi64>) -> tensor<*xf32>
  %1 = onnx.If(%c) then_branch {
    %2 = onnx.Unsqueeze(%0, %one) : (tensor<*xf32>, tensor<1xi64>) -> tensor<*xf32>
    onnx.yield %2 : tensor<*xf32>
  } else_branch {
    onnx.yield %0 : tensor<*xf32>
  } : (tensor<i1>) -> tensor<?x?x?xf32>
  return %1 : tensor<?x?x?xf32>
}
