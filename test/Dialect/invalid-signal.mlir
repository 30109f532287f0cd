// What the shape rules of signal ops refuse.
// RUN: onnx-mlir-opt %s --split-input-file --verify-diagnostics

func.func @hannwindow_output_datatype(%a: tensor<i64>) {
  // expected-error @below {{hannwindow_output_datatype: is no element type}}
  %0 = onnx.HannWindow(%a) {output_datatype = 99} : (tensor<i64>) -> !onnx.unknown
  return
}

// -----

func.func @hammingwindow_output_datatype(%a: tensor<i64>) {
  // expected-error @below {{hammingwindow_output_datatype: is no element type}}
  %0 = onnx.HammingWindow(%a) {output_datatype = 99} : (tensor<i64>) -> !onnx.unknown
  return
}

// -----

func.func @blackmanwindow_output_datatype(%a: tensor<i64>) {
  // expected-error @below {{blackmanwindow_output_datatype: is no element type}}
  %0 = onnx.BlackmanWindow(%a) {output_datatype = 99} : (tensor<i64>) -> !onnx.unknown
  return
}

// -----

func.func @melweightmatrix_output_datatype(%a: tensor<i64>, %b: tensor<i64>, %c: tensor<i64>, %d: tensor<f32>, %e: tensor<f32>) {
  // expected-error @below {{melweightmatrix_output_datatype: is no element type}}
  %0 = onnx.MelWeightMatrix(%a, %b, %c, %d, %e) {output_datatype = 99} : (tensor<i64>, tensor<i64>, tensor<i64>, tensor<f32>, tensor<f32>) -> !onnx.unknown
  return
}

// -----

func.func @dft_axis(%a: tensor<1x8x2xf32>) {
  %c = onnx.Constant() {value_int = 2} : () -> tensor<i64>
  // expected-error @below {{dft_axis: must not be the one of real and imaginary parts}}
  %0 = onnx.DFT(%a, _, %c) : (tensor<1x8x2xf32>, tensor<i64>) -> !onnx.unknown
  return
}

// -----

func.func @dft_input(%a: tensor<8xf32>) {
  // expected-error @below {{dft_input: must have at least rank 2}}
  %0 = onnx.DFT(%a) : (tensor<8xf32>) -> !onnx.unknown
  return
}

// -----

func.func @stft_frame_step(%a: tensor<1x8x1xf32>) {
  %b = onnx.Constant() {value_int = 0} : () -> tensor<i64>
  %d = onnx.Constant() {value_int = 4} : () -> tensor<i64>
  // expected-error @below {{stft_frame_step: must be positive}}
  %0 = onnx.STFT(%a, %b, _, %d) : (tensor<1x8x1xf32>, tensor<i64>, tensor<i64>) -> !onnx.unknown
  return
}

// -----

func.func @stft_signal(%a: tensor<1x8xf32>) {
  %b = onnx.Constant() {value_int = 2} : () -> tensor<i64>
  %d = onnx.Constant() {value_int = 4} : () -> tensor<i64>
  // expected-error @below {{stft_signal: must have rank 3, has 2}}
  %0 = onnx.STFT(%a, %b, _, %d) : (tensor<1x8xf32>, tensor<i64>, tensor<i64>) -> !onnx.unknown
  return
}

// -----

func.func @stft_window(%a: tensor<1x8x1xf32>, %c: tensor<1x4xf32>) {
  %b = onnx.Constant() {value_int = 2} : () -> tensor<i64>
  // expected-error @below {{stft_window: must have rank 1, has 2}}
  %0 = onnx.STFT(%a, %b, %c) : (tensor<1x8x1xf32>, tensor<i64>, tensor<1x4xf32>) -> !onnx.unknown
  return
}
