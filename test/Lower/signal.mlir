// RUN: onnx-mlir-opt %s -onnxc-lower-to-linalg -canonicalize -split-input-file | FileCheck %s

// CHECK-LABEL: @rfft
// CHECK-DAG: %[[AXIS:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[LENGTH:.*]] = arith.constant 10 : index
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i64
// CHECK: rt.call "dft"(%arg0, %[[AXIS]], %[[LENGTH]], %[[ZERO]], %[[ONE]] {{.*}} outs({{.*}} : tensor<2x6x2xf32>)
func.func @rfft(%x: tensor<2x10x1xf32>) -> tensor<2x6x2xf32> {
  %0 = onnx.DFT(%x, _, _) {onesided = 1} : (tensor<2x10x1xf32>) -> tensor<2x6x2xf32>
  return %0 : tensor<2x6x2xf32>
}

// -----

// A length that is an input is checked when run.
// CHECK-LABEL: @length
// CHECK: cf.assert {{.*}}the length of the transform must be positive
func.func @length(%x: tensor<2x10x1xf16>, %n: tensor<i64>) -> tensor<2x?x2xf16> {
  %0 = onnx.DFT(%x, %n, _) : (tensor<2x10x1xf16>, tensor<i64>) -> tensor<2x?x2xf16>
  return %0 : tensor<2x?x2xf16>
}

// -----

// Frames overlap; each is multiplied by the window on its way.
// CHECK-LABEL: @stft
// CHECK: linalg.generic
// CHECK: tensor.extract %arg0
// CHECK: arith.mulf
// CHECK: rt.call "dft"({{.*}} : tensor<1x5x16x1xf32>
func.func @stft(%x: tensor<1x32x1xf32>, %w: tensor<16xf32>) -> tensor<1x5x9x2xf32> {
  %s = onnx.Constant() {value = dense<4> : tensor<i64>} : () -> tensor<i64>
  %0 = onnx.STFT(%x, %s, %w, _) : (tensor<1x32x1xf32>, tensor<i64>, tensor<16xf32>) -> tensor<1x5x9x2xf32>
  return %0 : tensor<1x5x9x2xf32>
}

// -----

// A real signal without a last dimension, as torch writes it.
// CHECK-LABEL: @stft_without_parts
// CHECK: tensor.extract %arg0[%{{[^,]*}}, %{{[^,]*}}] : tensor<1x32xf32>
// CHECK: rt.call "dft"({{.*}} : tensor<1x5x16x1xf32>
func.func @stft_without_parts(%x: tensor<1x32xf32>, %w: tensor<16xf32>) -> tensor<1x5x9x2xf32> {
  %s = onnx.Constant() {value = dense<4> : tensor<i64>} : () -> tensor<i64>
  %0 = onnx.STFT(%x, %s, %w, _) : (tensor<1x32xf32>, tensor<i64>, tensor<16xf32>) -> tensor<1x5x9x2xf32>
  return %0 : tensor<1x5x9x2xf32>
}

// -----

// Integers are cut off from f32.
// CHECK-LABEL: @window
// CHECK: math.cos {{.*}} : f64
// CHECK: arith.truncf {{.*}} : f64 to f32
// CHECK: arith.fpto
func.func @window() -> tensor<8xi32> {
  %n = onnx.Constant() {value = dense<8> : tensor<i64>} : () -> tensor<i64>
  %0 = onnx.HannWindow(%n) {output_datatype = 6} : (tensor<i64>) -> tensor<8xi32>
  return %0 : tensor<8xi32>
}
