// RUN: onnx-mlir-opt %s -split-input-file -verify-diagnostics

func.func @missing_result(%x: tensor<4xf32>) {
  // expected-error @below {{expected a result for each of its 1 outs}}
  rt.call "sort"() outs(%x : tensor<4xf32>)
  return
}

// -----

func.func @mixed(%x: tensor<4xf32>, %y: memref<4xf32>) {
  // expected-error @below {{cannot pass a value of type 'memref<4xf32>'}}
  %0 = rt.call "sort"(%x, %y : tensor<4xf32>, memref<4xf32>) -> i64
  return
}

// -----

func.func @dtypes(%x: tensor<4xf32>) {
  // expected-error @below {{expected 2 dtypes}}
  %0 = rt.call "box"(%x : tensor<4xf32>) {dtypes = array<i32: 1>} -> i64
  return
}
