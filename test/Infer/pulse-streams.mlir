// RUN: onnx-mlir-opt %s --pass-pipeline="builtin.module(onnx-pulse-streams{pulses=time=8})" -split-input-file -verify-diagnostics | FileCheck %s

// A causal convolution reads the rows before the pulse, and needs no mask.
// CHECK-LABEL: @causal
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x4x8xf32>
// CHECK-SAME: %[[PAST:[a-z0-9]+]]: tensor<?x4x2xf32> {onnx.dim_params = ["b", "", ""], onnx.name = "Conv.past", onnx.state = "Conv.past.next"}
// CHECK-SAME: onnx.name = "y", onnx.pulse = #onnxc.pulse<axis = 2, positions = 8, input_positions = 8>
// CHECK: %[[ROWS:.*]] = onnx.Concat(%[[PAST]], %[[X]]) {axis = 2
// CHECK-DAG: %[[NEXT:.*]] = onnx.Slice(%[[X]],
// CHECK-DAG: %[[Y:.*]] = onnx.Conv(%[[ROWS]], {{.*}}pads = [0, 0]
// CHECK-NOT: onnx.Where
// CHECK: return %[[Y]], %[[NEXT]]
func.func @causal(%x: tensor<?x4x?xf32> {onnx.name = "x", onnx.dim_params = ["b", "", "time"]}, %w: tensor<6x4x3xf32> {onnx.name = "w"}) -> (tensor<?x6x?xf32> {onnx.name = "y"}) attributes {onnx.entry} {
  // expected-remark @above {{pulse: output 'y': 8 samples per 8 of 'time', delay 0}}
  %0 = onnx.Conv(%x, %w, _) {auto_pad = "NOTSET", dilations = [1], group = 1 : i64, kernel_shape = [3], pads = [2, 0], strides = [1]} : (tensor<?x4x?xf32>, tensor<6x4x3xf32>) -> tensor<?x6x?xf32>
  return %0 : tensor<?x6x?xf32>
}

// -----

// A second convolution with padding reads a delayed stream: what is before its
// start and behind its end becomes zeros.
// CHECK-LABEL: @delayed
// CHECK-SAME: onnx.name = "time.pulses"
// CHECK-SAME: onnx.name = "time.length"
// CHECK-SAME: onnx.pulse = #onnxc.pulse<axis = 2, positions = 4, delay = 1, input_positions = 8, lookahead = 0>
// CHECK: %[[FIRST:.*]] = onnx.Conv
// CHECK: %[[START:.*]] = onnx.GreaterOrEqual
// CHECK: %[[END:.*]] = onnx.Less
// CHECK: %[[INSIDE:.*]] = onnx.And(%[[START]], %[[END]])
// CHECK: onnx.Where(%[[INSIDE]], %[[FIRST]]
func.func @delayed(%x: tensor<1x4x?xf32> {onnx.name = "x", onnx.dim_params = ["", "", "time"]}, %w: tensor<4x4x3xf32> {onnx.name = "w"}) -> (tensor<1x4x?xf32> {onnx.name = "y"}) attributes {onnx.entry} {
  // expected-remark @above {{pulse: output 'y': 4 samples per 8 of 'time', delay 1; state 'time.length' is to be set}}
  %0 = onnx.Conv(%x, %w, _) {auto_pad = "NOTSET", dilations = [1], group = 1 : i64, kernel_shape = [3], pads = [1, 1], strides = [1]} : (tensor<1x4x?xf32>, tensor<4x4x3xf32>) -> tensor<1x4x?xf32>
  %1 = onnx.Conv(%0, %w, _) {auto_pad = "NOTSET", dilations = [1], group = 1 : i64, kernel_shape = [3], pads = [1, 1], strides = [2]} : (tensor<1x4x?xf32>, tensor<4x4x3xf32>) -> tensor<1x4x?xf32>
  return %1 : tensor<1x4x?xf32>
}

// -----

// The earlier branch of a sum is delayed.
// CHECK-LABEL: @branches
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<1x4x8xf32>
// CHECK-SAME: %[[LATE:[a-z0-9]+]]: tensor<1x4x2xf32> {{{.*}}onnx.name = "Add.delayed"
// CHECK: %[[C:.*]] = onnx.Conv
// CHECK: %[[PART:.*]] = onnx.Slice(%[[X]]
// CHECK: %[[D:.*]] = onnx.Concat(%[[LATE]], %[[PART]])
// CHECK: onnx.Add(%[[C]], %[[D]])
func.func @branches(%x: tensor<1x4x?xf32> {onnx.name = "x", onnx.dim_params = ["", "", "time"]}, %w: tensor<4x4x3xf32> {onnx.name = "w"}) -> (tensor<1x4x?xf32> {onnx.name = "y"}) attributes {onnx.entry} {
  // expected-remark @above {{delay 2}}
  %0 = onnx.Conv(%x, %w, _) {auto_pad = "NOTSET", dilations = [2], group = 1 : i64, kernel_shape = [3], pads = [2, 2], strides = [1]} : (tensor<1x4x?xf32>, tensor<4x4x3xf32>) -> tensor<1x4x?xf32>
  %1 = onnx.Add(%0, %x) : (tensor<1x4x?xf32>, tensor<1x4x?xf32>) -> tensor<1x4x?xf32>
  return %1 : tensor<1x4x?xf32>
}

// -----

// A recurrence whose stream starts inside of a pulse is computed in two parts.
// CHECK-LABEL: @recurrence
// CHECK: onnx.RNN
// CHECK: %[[IS:.*]] = onnx.Equal
// CHECK: %[[H:.*]] = onnx.Where(%[[IS]]
// CHECK: onnx.RNN({{.*}}, %[[H]])
func.func @recurrence(%x: tensor<1x4x?xf32> {onnx.name = "x", onnx.dim_params = ["", "", "time"]}, %k: tensor<4x4x3xf32> {onnx.name = "k"}, %w: tensor<1x5x4xf32> {onnx.name = "w"}, %r: tensor<1x5x5xf32> {onnx.name = "r"}) -> (tensor<?x1x1x5xf32> {onnx.name = "y"}) attributes {onnx.entry} {
  // expected-remark @above {{delay 1}}
  %0 = onnx.Conv(%x, %k, _) {auto_pad = "NOTSET", dilations = [1], group = 1 : i64, kernel_shape = [3], pads = [1, 1], strides = [1]} : (tensor<1x4x?xf32>, tensor<4x4x3xf32>) -> tensor<1x4x?xf32>
  %1 = onnx.Transpose(%0) {perm = [2, 0, 1]} : (tensor<1x4x?xf32>) -> tensor<?x1x4xf32>
  %2:2 = onnx.RNN(%1, %w, %r, _, _, _) {direction = "forward"} : (tensor<?x1x4xf32>, tensor<1x5x4xf32>, tensor<1x5x5xf32>) -> (tensor<?x1x1x5xf32>, tensor<1x1x5xf32>)
  return %2#0 : tensor<?x1x1x5xf32>
}

// -----

func.func @mean(%x: tensor<1x?xf32> {onnx.name = "x", onnx.dim_params = ["", "time"]}) -> (tensor<1x1xf32> {onnx.name = "y"}) attributes {onnx.entry} {
  %axes = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  // expected-error @+1 {{cannot be computed by pulses of 'time': it needs all positions of the sequence at once}}
  %0 = onnx.ReduceMean(%x, %axes) {keepdims = 1 : i64} : (tensor<1x?xf32>, tensor<1xi64>) -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}

// -----

func.func @stride(%x: tensor<1x4x?xf32> {onnx.name = "x", onnx.dim_params = ["", "", "time"]}, %w: tensor<4x4x3xf32> {onnx.name = "w"}) -> (tensor<1x4x?xf32> {onnx.name = "y"}) attributes {onnx.entry} {
  // expected-error @+1 {{it has 8 positions per pulse, expected a multiple of 6; the smallest pulses of 'time' that work are 6, 12 and 18}}
  %0 = onnx.Conv(%x, %w, _) {auto_pad = "NOTSET", dilations = [1], group = 1 : i64, kernel_shape = [3], pads = [2, 0], strides = [6]} : (tensor<1x4x?xf32>, tensor<4x4x3xf32>) -> tensor<1x4x?xf32>
  return %0 : tensor<1x4x?xf32>
}

// -----

// expected-error @+1 {{no input has a dimension 'time'; named are frames}}
func.func @names(%x: tensor<1x?xf32> {onnx.name = "x", onnx.dim_params = ["", "frames"]}) -> (tensor<1x?xf32> {onnx.name = "y"}) attributes {onnx.entry} {
  return %x : tensor<1x?xf32>
}
