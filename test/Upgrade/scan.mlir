// RUN: onnx-mlir-opt %s --pass-pipeline="builtin.module(onnx-upgrade)" | FileCheck %s

// A batch of sequences: the outer Scan gives the inner one a sequence at a time.
// CHECK-LABEL: @batch
// CHECK: onnx.Scan(%arg0, %arg1) body {
// CHECK-NEXT: ^bb0(%[[S:.*]]: !onnx.unknown, %[[X:.*]]: !onnx.unknown):
// CHECK-NEXT:   %[[INNER:.*]]:2 = onnx.Scan(%[[S]], %[[X]]) body {
// CHECK:          onnx.Add
// CHECK:        } {num_scan_inputs = 1, scan_input_directions = [1]}
// CHECK-NEXT:   onnx.yield %[[INNER]]#0, %[[INNER]]#1
// CHECK-NEXT: } {num_scan_inputs = 2}
func.func @batch(%s: tensor<2x3xf32>, %x: tensor<2x5x3xf32>) -> (tensor<2x3xf32>, tensor<2x5x3xf32>) {
  %none = onnx.none
  %0:2 = onnx.node "Scan" domain "" version 8(%none, %s, %x) {directions = array<i64: 1>, num_scan_inputs = 1 : i64} graphs ["body"] {
  ^bb0(%state: tensor<3xf32>, %element: tensor<3xf32>):
    %sum = onnx.Add(%state, %element) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    onnx.yield %sum, %sum : tensor<3xf32>, tensor<3xf32>
  } : (none, tensor<2x3xf32>, tensor<2x5x3xf32>) -> (tensor<2x3xf32>, tensor<2x5x3xf32>)
  return %0#0, %0#1 : tensor<2x3xf32>, tensor<2x5x3xf32>
}

// Sequences of several lengths: behind its end, a sequence changes nothing.
// CHECK-LABEL: @lengths
// CHECK: onnx.Scan(%arg2, %arg0, %arg1) body {
// CHECK-NEXT: ^bb0(%[[LEN:.*]]: !onnx.unknown, %[[S:.*]]: !onnx.unknown, %[[X:.*]]: !onnx.unknown):
// CHECK:   %[[INNER:.*]]:3 = onnx.Scan(%{{.*}}, %[[S]], %[[X]]) body {
// CHECK:   ^bb0(%[[I:.*]]: tensor<i64>, %[[STATE:.*]]: tensor<3xf32>, %{{.*}}: tensor<3xf32>):
// CHECK:     %[[SUM:.*]] = onnx.Add
// CHECK:     %[[NEXT:.*]] = onnx.Add(%[[I]]
// CHECK:     %[[RUNS:.*]] = onnx.Less(%[[I]], %[[LEN]])
// CHECK:     onnx.Where(%[[RUNS]], %[[SUM]], %[[STATE]])
// CHECK:     onnx.yield %[[NEXT]]
// CHECK:   onnx.yield %[[INNER]]#1, %[[INNER]]#2
func.func @lengths(%s: tensor<2x3xf32>, %x: tensor<2x5x3xf32>, %lengths: tensor<2xi64>) -> (tensor<2x3xf32>, tensor<2x5x3xf32>) {
  %0:2 = onnx.node "Scan" domain "" version 8(%lengths, %s, %x) {num_scan_inputs = 1 : i64} graphs ["body"] {
  ^bb0(%state: tensor<3xf32>, %element: tensor<3xf32>):
    %sum = onnx.Add(%state, %element) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    onnx.yield %sum, %sum : tensor<3xf32>, tensor<3xf32>
  } : (tensor<2xi64>, tensor<2x3xf32>, tensor<2x5x3xf32>) -> (tensor<2x3xf32>, tensor<2x5x3xf32>)
  return %0#0, %0#1 : tensor<2x3xf32>, tensor<2x5x3xf32>
}
