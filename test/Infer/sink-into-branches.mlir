// RUN: onnx-mlir-opt %s --onnx-infer-shapes | FileCheck %s

// Until the rank is known again, there is code for each.
// CHECK-LABEL: @two_ranks
// CHECK-SAME: -> (tensor<6xf32>, tensor<3xf32>)
// CHECK: %[[N:.*]] = onnx.Neg(%arg2)
// CHECK: %[[R:.*]] = onnx.If(%arg0) then_branch {
// CHECK:   %[[A:.*]] = onnx.Squeeze
// CHECK:   onnx.Relu(%[[A]]) : (tensor<6xf32>) -> tensor<6xf32>
// CHECK:   onnx.Reshape
// CHECK: } else_branch {
// CHECK:   onnx.Relu(%arg1) : (tensor<1x6xf32>) -> tensor<1x6xf32>
// CHECK:   %[[B:.*]] = onnx.Reshape
// CHECK:   onnx.yield %[[B]] : tensor<6xf32>
// CHECK: return %[[R]], %[[N]]
func.func @two_ranks(%c: tensor<i1>, %x: tensor<1x6xf32>, %z: tensor<3xf32>) -> (!onnx.unknown, tensor<3xf32>) {
  %0 = onnx.If(%c) then_branch {
    %a = onnx.Constant() {value_ints = [0]} : () -> tensor<1xi64>
    %s = onnx.Squeeze(%x, %a) : (tensor<1x6xf32>, tensor<1xi64>) -> !onnx.unknown
    onnx.yield %s : !onnx.unknown
  } else_branch {
    onnx.yield %x : tensor<1x6xf32>
  } : (tensor<i1>) -> !onnx.unknown
  %1 = onnx.Relu(%0) : (!onnx.unknown) -> !onnx.unknown
  %shape = onnx.Constant() {value_ints = [-1]} : () -> tensor<1xi64>
  %2 = onnx.Neg(%z) : (tensor<3xf32>) -> tensor<3xf32>
  %3 = onnx.Reshape(%1, %shape) : (!onnx.unknown, tensor<1xi64>) -> !onnx.unknown
  return %3, %2 : !onnx.unknown, tensor<3xf32>
}

// What only passes on needs no rank.
// CHECK-LABEL: @handle
// CHECK-SAME: -> tensor<*xf32>
// CHECK: onnx.If
// CHECK: } : (tensor<i1>) -> tensor<*xf32>
// CHECK-NEXT: onnx.Identity
func.func @handle(%c: tensor<i1>, %x: tensor<1x6xf32>, %y: tensor<f32>) -> !onnx.unknown {
  %0 = onnx.If(%c) then_branch {
    onnx.yield %x : tensor<1x6xf32>
  } else_branch {
    onnx.yield %y : tensor<f32>
  } : (tensor<i1>) -> !onnx.unknown
  %1 = onnx.Identity(%0) : (!onnx.unknown) -> !onnx.unknown
  return %1 : !onnx.unknown
}

// What is computed from another result, and used by what is moved, is moved, too.
// CHECK-LABEL: @needs_another_result
// CHECK-SAME: -> tensor<6xf32>
// CHECK: onnx.If(%arg0) then_branch {
// CHECK:   %[[A:.*]] = onnx.Abs(%arg2)
// CHECK:   onnx.Add(%{{.*}}, %[[A]])
// CHECK: } else_branch {
// CHECK:   %[[B:.*]] = onnx.Abs(%arg3)
// CHECK:   onnx.Add(%{{.*}}, %[[B]])
func.func @needs_another_result(%c: tensor<i1>, %x: tensor<1x6xf32>, %p: tensor<6xf32>, %q: tensor<6xf32>) -> !onnx.unknown {
  %0:2 = onnx.If(%c) then_branch {
    %a = onnx.Constant() {value_ints = [0]} : () -> tensor<1xi64>
    %s = onnx.Squeeze(%x, %a) : (tensor<1x6xf32>, tensor<1xi64>) -> !onnx.unknown
    onnx.yield %s, %p : !onnx.unknown, tensor<6xf32>
  } else_branch {
    onnx.yield %x, %q : tensor<1x6xf32>, tensor<6xf32>
  } : (tensor<i1>) -> (!onnx.unknown, tensor<6xf32>)
  %1 = onnx.Abs(%0#1) : (tensor<6xf32>) -> tensor<6xf32>
  %2 = onnx.Add(%0#0, %1) : (!onnx.unknown, tensor<6xf32>) -> !onnx.unknown
  %shape = onnx.Constant() {value_ints = [-1]} : () -> tensor<1xi64>
  %3 = onnx.Reshape(%2, %shape) : (!onnx.unknown, tensor<1xi64>) -> !onnx.unknown
  return %3 : !onnx.unknown
}
