// What the shape rules of signal ops refuse.
// RUN: onnx-mlir-opt %s --split-input-file --verify-diagnostics

func.func @hannwindow_output_datatype(%a: tensor<i64>) {
  // expected-error @below {{hannwindow_output_datatype: is not a tensor element type}}
  %0 = onnx.HannWindow(%a) {output_datatype = 99} : (tensor<i64>) -> !onnx.unknown
  return
}

// -----

func.func @hammingwindow_output_datatype(%a: tensor<i64>) {
  // expected-error @below {{hammingwindow_output_datatype: is not a tensor element type}}
  %0 = onnx.HammingWindow(%a) {output_datatype = 99} : (tensor<i64>) -> !onnx.unknown
  return
}

// -----

func.func @blackmanwindow_output_datatype(%a: tensor<i64>) {
  // expected-error @below {{blackmanwindow_output_datatype: is not a tensor element type}}
  %0 = onnx.BlackmanWindow(%a) {output_datatype = 99} : (tensor<i64>) -> !onnx.unknown
  return
}

// -----

func.func @melweightmatrix_output_datatype(%a: tensor<i64>, %b: tensor<i64>, %c: tensor<i64>, %d: tensor<f32>, %e: tensor<f32>) {
  // expected-error @below {{melweightmatrix_output_datatype: is not a tensor element type}}
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

func.func @stft_signal(%a: tensor<8xf32>) {
  %b = onnx.Constant() {value_int = 2} : () -> tensor<i64>
  %d = onnx.Constant() {value_int = 4} : () -> tensor<i64>
  // expected-error @below {{stft_signal: must have rank 3, has 1}}
  %0 = onnx.STFT(%a, %b, _, %d) : (tensor<8xf32>, tensor<i64>, tensor<i64>) -> !onnx.unknown
  return
}

// -----

func.func @stft_window(%a: tensor<1x8x1xf32>, %c: tensor<1x4xf32>) {
  %b = onnx.Constant() {value_int = 2} : () -> tensor<i64>
  // expected-error @below {{stft_window: must have rank 1, has 2}}
  %0 = onnx.STFT(%a, %b, %c) : (tensor<1x8x1xf32>, tensor<i64>, tensor<1x4xf32>) -> !onnx.unknown
  return
}

// -----

func.func @dft_c1(%a: tensor<1x8x2xf32>, %n: tensor<2xi64>) {
  // expected-error @below {{dft_c1: axis and length must be scalars}}
  %0 = onnx.DFT(%a, %n) : (tensor<1x8x2xf32>, tensor<2xi64>) -> !onnx.unknown
  return
}

// -----

func.func @stft_c1(%a: tensor<1x8x1xf32>, %n: tensor<0xi64>) {
  // expected-error @below {{stft_c1: length and step of frames must be scalars}}
  %0 = onnx.STFT(%a, %n) : (tensor<1x8x1xf32>, tensor<0xi64>) -> !onnx.unknown
  return
}

// -----

func.func @window_size(%n: tensor<2x1xi64>) {
  // expected-error @below {{window_size: must be one number}}
  %0 = onnx.HannWindow(%n) : (tensor<2x1xi64>) -> !onnx.unknown
  return
}

// -----

func.func @melweightmatrix_c1(%n: tensor<2xi64>, %i: tensor<i64>, %f: tensor<f32>) {
  // expected-error @below {{melweightmatrix_c1: numbers of bins must be scalars}}
  %0 = onnx.MelWeightMatrix(%n, %i, %i, %f, %f) : (tensor<2xi64>, tensor<i64>, tensor<i64>, tensor<f32>, tensor<f32>) -> !onnx.unknown
  return
}

// -----

// Whatever the other sizes are.
func.func @dft_parts_of_open_batch(%a: tensor<?x8x3xf32>) {
  // expected-error @below {{dft_input: the last dimension must be 1 (real) or 2 (complex)}}
  %0 = onnx.DFT(%a) : (tensor<?x8x3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @dft_open_parts(%a: tensor<4x8x?xf32>) {
  %0 = onnx.DFT(%a) : (tensor<4x8x?xf32>) -> !onnx.unknown
  return
}
