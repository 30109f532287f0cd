// RUN: onnx-mlir-opt %s -split-input-file -onnxc-verify-schedule=vector-bytes=32 -verify-diagnostics

func.func @none(%x: tensor<64xf32>) -> tensor<64xf32> {
  // expected-error @below {{carries no well-formed 'onnxc.schedule'}}
  %0 = linalg.copy ins(%x : tensor<64xf32>) outs(%x : tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

func.func @wide(%x: tensor<64xf32>) -> tensor<64xf32> {
  // expected-error @below {{has vectors that are too wide for the target}}
  %0 = linalg.copy {onnxc.schedule = {tile = array<i64: 64>, vector = array<i64: 64>, order = array<i64: 0>}}
      ins(%x : tensor<64xf32>) outs(%x : tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

func.func @tile_is_no_multiple(%x: tensor<64xf32>) -> tensor<64xf32> {
  // expected-error @below {{carries no well-formed 'onnxc.schedule'}}
  %0 = linalg.copy {onnxc.schedule = {tile = array<i64: 12>, vector = array<i64: 8>, order = array<i64: 0>}}
      ins(%x : tensor<64xf32>) outs(%x : tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

func.func @reason(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = linalg.copy {onnxc.schedule = {reason = "for a test"}}
      ins(%x : tensor<64xf32>) outs(%x : tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
