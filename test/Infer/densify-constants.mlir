// Sparse constants become dense ones.
// RUN: onnx-mlir-opt %s -split-input-file -verify-diagnostics -onnx-densify-constants | FileCheck %s

// CHECK-LABEL: @places
func.func @places() -> (tensor<2x3xf32>, tensor<2x2xi1>, tensor<3x!onnx.string>, tensor<2xi8>) {
  // CHECK: {value = dense<{{\[\[}}0.000000e+00, 0.000000e+00, 5.000000e+00], [0.000000e+00, 6.000000e+00, 0.000000e+00]]> : tensor<2x3xf32>}
  %0 = onnx.Constant() {sparse_value = #onnx.sparse_elements<values = dense<[5.0, 6.0]> : tensor<2xf32>,
      indices = dense<[[0, 2], [1, 1]]> : tensor<2x2xi64>, type = tensor<2x3xf32>>} : () -> tensor<2x3xf32>
  // CHECK: {value = dense<{{\[\[}}false, false], [true, true]]> : tensor<2x2xi1>}
  %1 = onnx.Constant() {sparse_value = #onnx.sparse_elements<values = dense<true> : tensor<2xi1>,
      indices = dense<[2, 3]> : tensor<2xi64>, type = tensor<2x2xi1>>} : () -> tensor<2x2xi1>
  // CHECK: {value = dense<["", "a", ""]> : tensor<3x!onnx.string>}
  %2 = onnx.Constant() {sparse_value = #onnx.sparse_elements<values = dense<"a"> : tensor<1x!onnx.string>,
      indices = dense<1> : tensor<1xi64>, type = tensor<3x!onnx.string>>} : () -> tensor<3x!onnx.string>
  // CHECK: {value = dense<0> : tensor<2xi8>}
  %3 = onnx.Constant() {sparse_value = #onnx.sparse_elements<values = dense<> : tensor<0xi8>,
      indices = dense<> : tensor<0xi64>, type = tensor<2xi8>>} : () -> tensor<2xi8>
  return %0, %1, %2, %3 : tensor<2x3xf32>, tensor<2x2xi1>, tensor<3x!onnx.string>, tensor<2xi8>
}

// Bits, and numbers of two bytes.
// CHECK-LABEL: @packed
func.func @packed() -> (tensor<9xi1>, tensor<2x2xf16>) {
  // CHECK: dense<[true, false, false, true, false, false, false, false, true]>
  %0 = onnx.Constant() {sparse_value = #onnx.sparse_elements<values = dense<[true, false, true, true]> : tensor<4xi1>,
      indices = dense<[0, 2, 3, 8]> : tensor<4xi64>, type = tensor<9xi1>>} : () -> tensor<9xi1>
  // CHECK: dense<{{\[\[}}0.000000e+00, 1.000000e+00], [2.000000e+00, 0.000000e+00]]>
  %1 = onnx.Constant() {sparse_value = #onnx.sparse_elements<values = dense<[1.0, 2.0]> : tensor<2xf16>,
      indices = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>, type = tensor<2x2xf16>>} : () -> tensor<2x2xf16>
  return %0, %1 : tensor<9xi1>, tensor<2x2xf16>
}

// -----

func.func @out_of_range() -> tensor<2x3xf32> {
  // expected-error @below {{has a sparse value whose indices are not of shape [NNZ] or [NNZ, rank], or out of range}}
  %0 = onnx.Constant() {sparse_value = #onnx.sparse_elements<values = dense<5.0> : tensor<1xf32>,
      indices = dense<[[0, 3]]> : tensor<1x2xi64>, type = tensor<2x3xf32>>} : () -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @too_large() -> tensor<4294967296xf32> {
  // expected-error @below {{has a sparse value that is too large to be made dense}}
  %0 = onnx.Constant() {sparse_value = #onnx.sparse_elements<values = dense<5.0> : tensor<1xf32>,
      indices = dense<0> : tensor<1xi64>, type = tensor<4294967296xf32>>} : () -> tensor<4294967296xf32>
  return %0 : tensor<4294967296xf32>
}

// -----

// The last of more elements than an integer counts is in range.
func.func @uncountable() -> tensor<4611686018427387904x4xf32> {
  // expected-error @below {{has a sparse value that is too large to be made dense}}
  %0 = onnx.Constant() {sparse_value = #onnx.sparse_elements<values = dense<5.0> : tensor<1xf32>,
      indices = dense<[[4611686018427387903, 3]]> : tensor<1x2xi64>, type = tensor<4611686018427387904x4xf32>>} : () -> tensor<4611686018427387904x4xf32>
  return %0 : tensor<4611686018427387904x4xf32>
}
