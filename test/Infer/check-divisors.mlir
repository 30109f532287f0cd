// RUN: onnx-mlir-opt %s -split-input-file -onnx-check-divisors -verify-diagnostics

// Floats have a quotient by 0, and what an input holds is not known.
func.func @defined(%x: tensor<2xi64>, %f: tensor<2xf32>) {
  %zero = onnx.Constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %three = onnx.Constant() {value = dense<[3, -3]> : tensor<2xi64>} : () -> tensor<2xi64>
  %0 = onnx.Div(%f, %zero) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = onnx.Div(%x, %three) : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  %2 = onnx.Mod(%three, %x) : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  return
}

// -----

// Each of them is told.
func.func @by_zero(%x: tensor<2xi64>) {
  %zero = onnx.Constant() {value_int = 0} : () -> tensor<i64>
  %list = onnx.Constant() {value = dense<[3, 0]> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-error @below {{divides by 0: element 0 of the constant B is 0, expected integers other than 0}}
  %0 = onnx.Div(%x, %zero) : (tensor<2xi64>, tensor<i64>) -> tensor<2xi64>
  // expected-error @below {{divides by 0: element 1 of the constant B is 0}}
  %1 = onnx.Mod(%x, %list) : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  return
}

// -----

func.func @external(%x: tensor<2xui8>) {
  %list = onnx.Constant() {value = dense_resource<list> : tensor<3x2xui8>} : () -> tensor<3x2xui8>
  // expected-error @below {{divides by 0: element 4 of the constant B is 0}}
  %0 = onnx.Div(%x, %list) : (tensor<2xui8>, tensor<3x2xui8>) -> tensor<3x2xui8>
  return
}

{-#
  dialect_resources: {
    builtin: {
      list: "0x08000000010203040005"
    }
  }
#-}

// -----

// Where no run need come, it is an error of the run.
func.func @branch(%c: tensor<i1>, %x: tensor<2xi64>) -> tensor<2xi64> {
  %zero = onnx.Constant() {value_int = 0} : () -> tensor<i64>
  %0 = onnx.If(%c) then_branch {
    // expected-warning @below {{divides by 0: element 0 of the constant B is 0, expected integers other than 0; a run fails if it comes to this node}}
    %1 = onnx.Div(%x, %zero) : (tensor<2xi64>, tensor<i64>) -> tensor<2xi64>
    onnx.yield %1 : tensor<2xi64>
  } else_branch {
    onnx.yield %x : tensor<2xi64>
  } : (tensor<i1>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}
