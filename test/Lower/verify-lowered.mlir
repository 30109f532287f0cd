// RUN: onnx-mlir-opt %s --onnxc-verify-lowered --split-input-file --verify-diagnostics

// Handles and the rest of other dialects pass.
func.func @lowered(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %0 = scf.for %i = %n to %n step %n iter_args(%y = %x) -> tensor<?xf32> {
    scf.yield %y : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// -----

func.func @op(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{is left after lowering}}
  %0 = onnx.Relu(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// An operand and a result of ONNX's types.
func.func @values(%x: tensor<2xf32>) {
  // expected-error @below {{is left after lowering}}
  %0 = builtin.unrealized_conversion_cast %x : tensor<2xf32> to !onnx.seq<tensor<2xf32>>
  // expected-error @below {{is left after lowering}}
  %1 = builtin.unrealized_conversion_cast %0 : !onnx.seq<tensor<2xf32>> to tensor<2xf32>
  return
}

// -----

// Unsigned integers are signless from here on.
func.func @unsigned(%x: tensor<2xi8>) {
  // expected-error @below {{is left after lowering}}
  %0 = builtin.unrealized_conversion_cast %x : tensor<2xi8> to tensor<2xui8>
  return
}

// -----

// An argument without uses.
// expected-error @below {{is left after lowering}}
func.func @argument(%x: !onnx.unknown) {
  return
}
