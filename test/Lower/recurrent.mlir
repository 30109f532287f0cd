// RUN: onnx-mlir-opt %s -onnxc-lower-to-linalg -canonicalize -split-input-file | FileCheck %s

// One product for the input of all steps; the loop updates its states in place.
// CHECK-LABEL: @lstm
// CHECK: linalg.matmul {{.*}} ins({{.*}} : tensor<14x3xf32>, tensor<16x3xf32>)
// CHECK: scf.for {{.*}} iter_args(%[[H:.*]] = {{.*}}, %[[C:.*]] = {{.*}}, %[[Y:.*]] =
// CHECK: linalg.matmul {{.*}} ins(%[[H]], {{.*}} : tensor<2x4xf32>, tensor<16x4xf32>)
// CHECK: %[[C1:.*]] = linalg.generic {{.*}} outs(%[[C]] :
// CHECK: %[[H1:.*]] = linalg.generic {{.*}} outs(%[[H]] :
// CHECK: %[[Y1:.*]] = tensor.insert_slice %[[H1]] into %[[Y]]
// CHECK: scf.yield %[[H1]], %[[C1]], %[[Y1]]
func.func @lstm(%x: tensor<7x2x3xf32>, %w: tensor<1x16x3xf32>, %r: tensor<1x16x4xf32>) -> (tensor<7x1x2x4xf32>, tensor<1x2x4xf32>) {
  %0, %1, %2 = onnx.LSTM(%x, %w, %r, _, _, _, _, _) : (tensor<7x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>) -> (tensor<7x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return %0, %1 : tensor<7x1x2x4xf32>, tensor<1x2x4xf32>
}

// -----

// A sequence that has ended keeps its state; sums of f16 are made in f32.
// CHECK-LABEL: @rnn_lengths
// CHECK: cf.assert {{.*}}sequence_lens must be at least 0
// CHECK: linalg.matmul {{.*}} outs({{.*}} : tensor<14x4xf32>)
// CHECK: scf.for
// CHECK: math.tanh
// CHECK: arith.cmpi slt
// CHECK: arith.select
func.func @rnn_lengths(%x: tensor<7x2x3xf16>, %w: tensor<1x4x3xf16>, %r: tensor<1x4x4xf16>, %n: tensor<2xi32>) -> tensor<1x2x4xf16> {
  %0, %1 = onnx.RNN(%x, %w, %r, _, %n, _) : (tensor<7x2x3xf16>, tensor<1x4x3xf16>, tensor<1x4x4xf16>, tensor<2xi32>) -> (tensor<7x1x2x4xf16>, tensor<1x2x4xf16>)
  return %1 : tensor<1x2x4xf16>
}

// -----

// With linear_before_reset, one product with the state for all gates.
// CHECK-LABEL: @gru_linear
// CHECK: scf.for
// CHECK: linalg.matmul {{.*}} outs({{.*}} : tensor<2x12xf32>)
// CHECK-NOT: linalg.matmul
// CHECK: scf.yield
func.func @gru_linear(%x: tensor<7x2x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>) -> tensor<1x2x4xf32> {
  %0, %1 = onnx.GRU(%x, %w, %r, _, _, _) {linear_before_reset = 1} : (tensor<7x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>) -> (tensor<7x1x2x4xf32>, tensor<1x2x4xf32>)
  return %1 : tensor<1x2x4xf32>
}

// -----

// What sizes are only known when run is checked then.
// CHECK-LABEL: @rnn_dynamic
// CHECK: cf.assert {{.*}}dimension 1 of W does not fit
func.func @rnn_dynamic(%x: tensor<?x?x3xf32>, %w: tensor<1x?x3xf32>, %r: tensor<1x4x4xf32>) -> tensor<1x?x4xf32> {
  %0, %1 = onnx.RNN(%x, %w, %r, _, _, _) : (tensor<?x?x3xf32>, tensor<1x?x3xf32>, tensor<1x4x4xf32>) -> (tensor<?x1x?x4xf32>, tensor<1x?x4xf32>)
  return %1 : tensor<1x?x4xf32>
}

// -----

// Constant weights lie as steps read them, several gates at a time: [hidden,
// gates]. Few rows: one for each sequence.
// CHECK-LABEL: @rnn_constant
// CHECK-DAG: %[[W:.*]] = arith.constant dense_resource<transposed{{.*}}> : tensor<1x2xf32>
// CHECK-DAG: %[[R:.*]] = arith.constant dense_resource<transposed{{.*}}> : tensor<2x2xf32>
// CHECK: linalg.matmul ins({{.*}}, %[[W]] :
// CHECK: scf.for
// CHECK: linalg.matmul {onnxc.few_rows} ins({{.*}}, %[[R]] :
func.func @rnn_constant(%x: tensor<7x?x1xf32>) -> tensor<1x?x2xf32> {
  %w = onnx.Constant() {value = dense<[[[5.0], [6.0]]]> : tensor<1x2x1xf32>} : () -> tensor<1x2x1xf32>
  %r = onnx.Constant() {value = dense<[[[1.0, 2.0], [3.0, 4.0]]]> : tensor<1x2x2xf32>} : () -> tensor<1x2x2xf32>
  %0, %1 = onnx.RNN(%x, %w, %r, _, _, _) : (tensor<7x?x1xf32>, tensor<1x2x1xf32>, tensor<1x2x2xf32>) -> (tensor<7x1x?x2xf32>, tensor<1x?x2xf32>)
  return %1 : tensor<1x?x2xf32>
}
// The columns 1, 3 and 2, 4, behind the alignment.
// CHECK: transposed{{.*}}: "0x400000000000803F000040400000004000008040"

// -----

// Both gates of a GRU are logistic; only the hidden state is a tanh.
// CHECK-LABEL: @gru_activations
// CHECK: scf.for
// CHECK: math.tanh
// CHECK-NOT: math.tanh
// CHECK: scf.yield
func.func @gru_activations(%x: tensor<7x2x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>) -> tensor<1x2x4xf32> {
  %0, %1 = onnx.GRU(%x, %w, %r, _, _, _) {linear_before_reset = 1} : (tensor<7x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>) -> (tensor<7x1x2x4xf32>, tensor<1x2x4xf32>)
  return %1 : tensor<1x2x4xf32>
}

// -----

// The input of one step is of few rows, as the states are; that of two is not.
// CHECK-LABEL: @one_step
// CHECK: linalg.matmul {{.*}} {onnxc.few_rows} ins({{.*}} : tensor<2x3xf32>, tensor<4x3xf32>)
// CHECK-LABEL: @two_steps
// CHECK: linalg.matmul indexing_maps = [{{[^{]*}}] ins({{.*}} : tensor<4x3xf32>, tensor<4x3xf32>)
// CHECK: linalg.matmul {{.*}} {onnxc.few_rows}
func.func @one_step(%x: tensor<1x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) -> tensor<1x1x2x4xf32> {
  %0 = onnx.RNN(%x, %w, %r, _, _, _) : (tensor<1x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> tensor<1x1x2x4xf32>
  return %0 : tensor<1x1x2x4xf32>
}
func.func @two_steps(%x: tensor<2x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) -> tensor<2x1x2x4xf32> {
  %0 = onnx.RNN(%x, %w, %r, _, _, _) : (tensor<2x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> tensor<2x1x2x4xf32>
  return %0 : tensor<2x1x2x4xf32>
}
