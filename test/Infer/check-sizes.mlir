// RUN: onnx-mlir-opt %s -split-input-file -onnx-check-sizes -verify-diagnostics

// 16 GiB are possible, and open dimensions count for 1.
func.func @fits(%x: tensor<65536x65536xf32>, %y: tensor<?x65536xf32>) {
  return
}

// -----

func.func @too_large(%x: tensor<262144x1xf32>, %y: tensor<1x65536xf32>) {
  // expected-error @below {{output 0 is 'tensor<262144x65536xf32>', which takes 68719476736 bytes; at most 34359738368 are allowed (--max-tensor-bytes)}}
  %0 = onnx.Add(%x, %y) : (tensor<262144x1xf32>, tensor<1x65536xf32>) -> tensor<262144x65536xf32>
  return
}

// -----

// expected-error @below {{input 'x' is 'tensor<1099511627776x1099511627776xi8>', which takes more bytes than can be counted}}
func.func @uncountable(%x: tensor<1099511627776x1099511627776xi8> {onnx.name = "x"}) attributes {onnx.entry} {
  return
}

// -----

// Nothing is little, whatever the other dimensions are.
func.func @empty(%x: tensor<0x1099511627776x1099511627776xi8>) {
  return
}
