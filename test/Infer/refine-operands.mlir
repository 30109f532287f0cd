// What uses tell of what they use.
// RUN: onnx-mlir-opt %s --onnx-infer-shapes | FileCheck %s

// An LSTM's input has three dimensions, so what it is unsqueezed from has two.
// CHECK-LABEL: @ranks
// CHECK: onnx.SequenceAt{{.*}} -> tensor<?x?xf32>
// CHECK: onnx.Unsqueeze{{.*}} -> tensor<1x?x?xf32>
func.func @ranks(%s: !onnx.seq<tensor<*xf32>>, %p: tensor<i64>, %w: tensor<1x16x3xf32>, %r: tensor<1x16x4xf32>) -> !onnx.unknown {
  %a = onnx.Constant() {value_ints = [0]} : () -> tensor<1xi64>
  %0 = onnx.SequenceAt(%s, %p) : (!onnx.seq<tensor<*xf32>>, tensor<i64>) -> !onnx.unknown
  %1 = onnx.Unsqueeze(%0, %a) : (!onnx.unknown, tensor<1xi64>) -> !onnx.unknown
  %2 = onnx.LSTM(%1, %w, %r) {hidden_size = 4} : (!onnx.unknown, tensor<1x16x3xf32>, tensor<1x16x4xf32>) -> !onnx.unknown
  return %2 : !onnx.unknown
}

// A branch of another rank is left to the run time, as is a use that not every
// run comes to.
// CHECK-LABEL: @branches
// CHECK: %[[IF:.*]] = onnx.If
// CHECK: } : (tensor<i1>) -> tensor<*xf32>
// CHECK: onnx.If
// CHECK: %[[I:.*]] = onnx.Identity(%[[IF]]) : (tensor<*xf32>) -> tensor<?x?xf32>
// CHECK: onnx.MatMul(%[[I]]
// CHECK: onnx.Shape(%[[IF]])
func.func @branches(%c: tensor<i1>, %x: tensor<2x3xf32>, %y: tensor<3xf32>, %w: tensor<3x4xf32>) -> (tensor<2x4xf32>, !onnx.unknown) {
  %0 = onnx.If(%c) then_branch {
    onnx.yield %x : tensor<2x3xf32>
  } else_branch {
    onnx.yield %y : tensor<3xf32>
  } : (tensor<i1>) -> !onnx.unknown
  %1 = onnx.If(%c) then_branch {
    %2 = onnx.MatMul(%0, %w) : (!onnx.unknown, tensor<3x4xf32>) -> tensor<2x4xf32>
    onnx.yield %2 : tensor<2x4xf32>
  } else_branch {
    %3 = onnx.Constant() {value = dense<0.0> : tensor<2x4xf32>} : () -> tensor<2x4xf32>
    onnx.yield %3 : tensor<2x4xf32>
  } : (tensor<i1>) -> tensor<2x4xf32>
  %4 = onnx.Shape(%0) : (!onnx.unknown) -> !onnx.unknown
  return %1, %4 : tensor<2x4xf32>, !onnx.unknown
}

// What the model declares of an If reaches what the branches compute.
// CHECK-LABEL: @yields
// CHECK: onnx.SequenceAt{{.*}} -> tensor<?x?xf32>
func.func @yields(%c: tensor<i1>, %s: !onnx.seq<tensor<*xf32>>, %p: tensor<i64>, %x: tensor<2x3xf32>) -> tensor<?x?xf32> {
  %0 = onnx.If(%c) then_branch {
    %1 = onnx.SequenceAt(%s, %p) : (!onnx.seq<tensor<*xf32>>, tensor<i64>) -> !onnx.unknown
    onnx.yield %1 : !onnx.unknown
  } else_branch {
    onnx.yield %x : tensor<2x3xf32>
  } : (tensor<i1>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
