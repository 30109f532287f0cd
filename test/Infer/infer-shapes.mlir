// Types flow through the function, join with what is declared, and reach its
// signature.
// RUN: onnx-mlir-opt %s --onnx-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @signature
// CHECK-SAME: (%{{.*}}: tensor<?x4xf32> {onnx.name = "x"}) -> (tensor<?x4xf32> {onnx.dim_params = ["N", ""], onnx.name = "y"}) attributes {onnx.entry}
func.func @signature(%x: tensor<?x4xf32> {onnx.name = "x"}) -> (tensor<?x?xf32> {onnx.name = "y", onnx.dim_params = ["N", ""]}) attributes {onnx.entry} {
  %0 = onnx.Relu(%x) : (tensor<?x4xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// What is declared and cannot be inferred is kept, and flows on.
// CHECK-LABEL: @declared
// CHECK: onnx.NonZero{{.*}} -> tensor<2x5xi64>
// CHECK: onnx.Transpose{{.*}} -> tensor<5x2xi64>
func.func @declared(%x: tensor<3x4xf32>) -> !onnx.unknown {
  %0 = onnx.NonZero(%x) : (tensor<3x4xf32>) -> tensor<?x5xi64>
  %1 = onnx.Transpose(%0) : (tensor<?x5xi64>) -> !onnx.unknown
  return %1 : !onnx.unknown
}

// Where nothing tells the shape, the type variable still tells the element type.
// CHECK-LABEL: @type_variable
// CHECK: onnx.Reshape{{.*}} -> tensor<*xf16>
// CHECK: onnx.Reshape{{.*}} -> tensor<4x?xf16>
func.func @type_variable(%x: tensor<2x4xf16>, %s: tensor<?xi64>) -> (!onnx.unknown, tensor<4x?xf16>) {
  %0 = onnx.Reshape(%x, %s) : (tensor<2x4xf16>, tensor<?xi64>) -> !onnx.unknown
  %1 = onnx.Reshape(%x, %s) : (tensor<2x4xf16>, tensor<?xi64>) -> tensor<4x?xf16>
  return %0, %1 : !onnx.unknown, tensor<4x?xf16>
}

// Pads tell the rank, as far as a tensor may have that many dimensions.
// CHECK-LABEL: @pads_tell_rank
// CHECK: onnx.Pad{{.*}} -> tensor<?x?xf32>
// CHECK: onnx.Pad{{.*}} -> tensor<*xf32>
func.func @pads_tell_rank(%x: tensor<*xf32>, %p: tensor<4xi64>, %q: tensor<2147483648xi64>) -> (!onnx.unknown, !onnx.unknown) {
  %0 = onnx.Pad(%x, %p) : (tensor<*xf32>, tensor<4xi64>) -> !onnx.unknown
  %1 = onnx.Pad(%x, %q) : (tensor<*xf32>, tensor<2147483648xi64>) -> !onnx.unknown
  return %0, %1 : !onnx.unknown, !onnx.unknown
}

// The chain that exporters write for "flatten all but the batch".
// CHECK-LABEL: @shape_chain
// CHECK: onnx.Reshape{{.*}} -> tensor<?x12xf32>
func.func @shape_chain(%x: tensor<?x3x4xf32>) -> !onnx.unknown {
  %s = onnx.Shape(%x) : (tensor<?x3x4xf32>) -> !onnx.unknown
  %i = onnx.Constant() {value_int = 0} : () -> tensor<i64>
  %n = onnx.Gather(%s, %i) : (!onnx.unknown, tensor<i64>) -> !onnx.unknown
  %a = onnx.Constant() {value_ints = [0]} : () -> tensor<1xi64>
  %u = onnx.Unsqueeze(%n, %a) : (!onnx.unknown, tensor<1xi64>) -> !onnx.unknown
  %m = onnx.Constant() {value_ints = [12]} : () -> tensor<1xi64>
  %c = onnx.Concat(%u, %m) {axis = 0} : (!onnx.unknown, tensor<1xi64>) -> !onnx.unknown
  %0 = onnx.Reshape(%x, %c) : (tensor<?x3x4xf32>, !onnx.unknown) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// A known condition puts a branch in place of the If; the other one may be at
// odds with what is known by then.
// CHECK-LABEL: @known_branch
// CHECK-SAME: -> tensor<2x3xf32>
// CHECK-NOT: onnx.If
// CHECK: %[[R:.*]] = onnx.Relu
// CHECK: %[[N:.*]] = onnx.Neg(%[[R]]) : (tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK: return %[[N]]
func.func @known_branch(%x: tensor<2x3xf32>) -> !onnx.unknown {
  %r = onnx.Relu(%x) : (tensor<2x3xf32>) -> !onnx.unknown
  %s = onnx.Shape(%r) {start = 0, end = 1} : (!onnx.unknown) -> !onnx.unknown
  %one = onnx.Constant() {value_ints = [1]} : () -> tensor<1xi64>
  %a = onnx.Constant() {value_ints = [0]} : () -> tensor<1xi64>
  %c = onnx.Equal(%s, %one) : (!onnx.unknown, tensor<1xi64>) -> !onnx.unknown
  %0 = onnx.If(%c) then_branch {
    %q = onnx.Squeeze(%r, %a) : (!onnx.unknown, tensor<1xi64>) -> !onnx.unknown
    onnx.yield %q : !onnx.unknown
  } else_branch {
    %n = onnx.Neg(%r) : (!onnx.unknown) -> !onnx.unknown
    onnx.yield %n : !onnx.unknown
  } : (!onnx.unknown) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @contradiction(%x: tensor<3x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{output 0 is declared 'tensor<4x4xf32>', but must be 'tensor<4x3xf32>'}}
  %0 = onnx.Transpose(%x) : (tensor<3x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// A rule that holds only once types are known is checked then.
func.func @late(%x: tensor<3x4xf32>, %y: tensor<2x4xf32>) -> !onnx.unknown {
  %0 = onnx.Relu(%x) : (tensor<3x4xf32>) -> !onnx.unknown
  // expected-error @below {{concat_c3: dimension 0 of input 1: dimensions 3 and 2 must be equal}}
  %1 = onnx.Concat(%0, %y) {axis = 1} : (!onnx.unknown, tensor<2x4xf32>) -> !onnx.unknown
  return %1 : !onnx.unknown
}

// -----

// A copied size that is not known may be 0: then the sizes that are left need not
// agree. Where it is known, they must.
// CHECK-LABEL: @copied_size_may_be_zero
// CHECK: onnx.Reshape{{.*}} -> tensor<?xf16>
func.func @copied_size_may_be_zero(%x: tensor<?x5x4xf16>) -> !onnx.unknown {
  %s = onnx.Constant() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %0 = onnx.Reshape(%x, %s) : (tensor<?x5x4xf16>, tensor<1xi64>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// The length of the transform is a scalar, and half of it are the bins.
// CHECK-LABEL: func.func @mel_bins
func.func @mel_bins(%rate: tensor<i64>, %low: tensor<f32>, %high: tensor<f32>) -> tensor<?x?xf32> {
  %bins = onnx.Constant() {value = dense<8> : tensor<i64>} : () -> tensor<i64>
  %length = onnx.Constant() {value = dense<17> : tensor<i64>} : () -> tensor<i64>
  // CHECK: onnx.MelWeightMatrix{{.*}} -> tensor<9x8xf32>
  %0 = onnx.MelWeightMatrix(%bins, %length, %rate, %low, %high) : (tensor<i64>, tensor<i64>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
