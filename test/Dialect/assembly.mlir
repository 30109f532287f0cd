// The textual form of the dialect, as a person reads and writes it.
// RUN: onnx-mlir-opt %s | FileCheck %s
// RUN: onnx-mlir-opt %s | onnx-mlir-opt | FileCheck %s
// RUN: onnx-mlir-opt %s --emit-bytecode | onnx-mlir-opt | FileCheck %s
// RUN: onnx-mlir-opt %s --mlir-print-debuginfo --mlir-print-local-scope \
// RUN:   | onnx-mlir-opt --mlir-print-debuginfo --mlir-print-local-scope \
// RUN:   | FileCheck %s --check-prefix=LOC

// Attributes read as in ONNX; those at their default may be absent.
// CHECK-LABEL: func.func @attributes
func.func @attributes(%x: tensor<1x3x224x224xf32>, %w: tensor<64x3x7x7xf32>, %b: tensor<64xf32>) {
  // CHECK: onnx.Conv(%arg0, %arg1, %arg2) {kernel_shape = [7, 7], pads = [3, 3, 3, 3], strides = [2, 2]}
  // CHECK-SAME: : (tensor<1x3x224x224xf32>, tensor<64x3x7x7xf32>, tensor<64xf32>) -> tensor<1x64x112x112xf32>
  %0 = onnx.Conv(%x, %w, %b) {kernel_shape = [7, 7], strides = [2, 2], pads = [3, 3, 3, 3]}
      : (tensor<1x3x224x224xf32>, tensor<64x3x7x7xf32>, tensor<64xf32>) -> tensor<1x64x112x112xf32>
  // CHECK: onnx.LeakyRelu(%0) {alpha = 0.1} : (tensor<1x64x112x112xf32>) -> tensor<1x64x112x112xf32>
  %1 = onnx.LeakyRelu(%0) {alpha = 0.1} : (tensor<1x64x112x112xf32>) -> tensor<1x64x112x112xf32>
  // CHECK: onnx.LRN(%1) {alpha = 1.0e-05, size = 5}
  %2 = onnx.LRN(%1) {size = 5, alpha = 0.00001} : (tensor<1x64x112x112xf32>) -> tensor<1x64x112x112xf32>
  // Infinity has no decimal form.
  // CHECK: onnx.Elu(%2) {alpha = 0x7F800000 : f32}
  %3 = onnx.Elu(%2) {alpha = 0x7F800000 : f32} : (tensor<1x64x112x112xf32>) -> tensor<1x64x112x112xf32>
  return
}

// `_` is an absent operand or result; at the end it is not written.
// CHECK-LABEL: func.func @absent
func.func @absent(%x: tensor<2x3x4xf32>, %max: tensor<f32>, %w: tensor<1x5x4xf32>, %r: tensor<1x5x5xf32>) {
  // CHECK: onnx.Clip(%arg0, _, %arg1) : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3x4xf32>
  %0 = onnx.Clip(%x, _, %max) : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3x4xf32>
  // CHECK: onnx.Clip(%0) :
  %1 = onnx.Clip(%0, _, _) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  // CHECK: %output = onnx.Dropout(%1) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %2 = onnx.Dropout(%1) : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, _)
  // CHECK: %Y_h = onnx.RNN({{.*}}) {hidden_size = 5} : ({{.*}}) -> (_, tensor<1x3x5xf32>)
  %3 = onnx.RNN(%2, %w, %r) {hidden_size = 5}
      : (tensor<2x3x4xf32>, tensor<1x5x4xf32>, tensor<1x5x5xf32>) -> (_, tensor<1x3x5xf32>)
  return
}

// CHECK-LABEL: func.func @variadic
func.func @variadic(%x: tensor<4x2xf32>, %lengths: tensor<2xi64>) -> tensor<4x2xf32> {
  // CHECK: %0:2 = onnx.Split(%arg0, %arg1) : (tensor<4x2xf32>, tensor<2xi64>) -> (tensor<?x2xf32>, tensor<?x2xf32>)
  %0:2 = onnx.Split(%x, %lengths) : (tensor<4x2xf32>, tensor<2xi64>) -> (tensor<?x2xf32>, tensor<?x2xf32>)
  // CHECK: onnx.Concat(%0#0, %0#1) {axis = 0} : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<4x2xf32>
  %1 = onnx.Concat(%0#0, %0#1) {axis = 0} : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}

// Subgraphs are regions with the name of their attribute; they may capture.
// CHECK-LABEL: func.func @subgraphs
func.func @subgraphs(%c: tensor<i1>, %n: tensor<i64>, %x: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK:      %0 = onnx.If(%arg0) then_branch {
  // CHECK-NEXT:   %2 = onnx.Neg(%arg2)
  // CHECK-NEXT:   onnx.yield %2 : tensor<?xf32>
  // CHECK-NEXT: } else_branch {
  // CHECK-NEXT:   onnx.yield %arg2 : tensor<?xf32>
  // CHECK-NEXT: } : (tensor<i1>) -> tensor<?xf32>
  %0 = onnx.If(%c) then_branch {
    %t = onnx.Neg(%x) : (tensor<?xf32>) -> tensor<?xf32>
    onnx.yield %t : tensor<?xf32>
  } else_branch {
    onnx.yield %x : tensor<?xf32>
  } : (tensor<i1>) -> tensor<?xf32>
  // CHECK:      onnx.Loop(%arg1, _, %0) body {
  // CHECK-NEXT: ^bb0(%arg3: tensor<i64>, %arg4: tensor<i1>, %arg5: tensor<?xf32>):
  // CHECK:      } : (tensor<i64>, tensor<?xf32>) -> tensor<?xf32>
  %1 = onnx.Loop(%n, _, %0) body {
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %state: tensor<?xf32>):
    %next = onnx.Add(%state, %x) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    onnx.yield %go, %next : tensor<i1>, tensor<?xf32>
  } : (tensor<i64>, tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// An optional subgraph that is absent is not written.
// CHECK-LABEL: func.func @optional_subgraph
func.func @optional_subgraph(%q: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  // CHECK: onnx.preview.FlexAttention(%arg0, %arg0, %arg0) prob_mod {
  // CHECK-NEXT: ^bb0(%arg1: tensor<1x2x3x3xf32>):
  %0 = onnx.preview.FlexAttention(%q, %q, %q) prob_mod {
  ^bb0(%p: tensor<1x2x3x3xf32>):
    onnx.yield %p : tensor<1x2x3x3xf32>
  } : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  return %0 : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: func.func @types
// CHECK-SAME: %arg0: tensor<?x!onnx.string>, %arg1: !onnx.seq<tensor<?xui8>>,
// CHECK-SAME: %arg2: !onnx.opt<!onnx.seq<tensor<*xf32>>>,
// CHECK-SAME: %arg3: !onnx.map<i64, tensor<f32>>, %arg4: !onnx.map<!onnx.string, !onnx.seq<tensor<f64>>>
// CHECK-SAME: %arg5: !onnx.sparse<tensor<3x4xf32>>, %arg6: !onnx.unknown,
// CHECK-SAME: %arg7: tensor<?xbf16>, %arg8: tensor<2xf8E4M3FN>, %arg9: tensor<2xf4E2M1FN>
// CHECK-SAME: %arg10: tensor<4xi4>, %arg11: tensor<4xui2>, %arg12: tensor<2xcomplex<f32>>
func.func @types(%0: tensor<?x!onnx.string>, %1: !onnx.seq<tensor<?xui8>>,
    %2: !onnx.opt<!onnx.seq<tensor<*xf32>>>, %3: !onnx.map<i64, tensor<f32>>,
    %4: !onnx.map<!onnx.string, !onnx.seq<tensor<f64>>>, %5: !onnx.sparse<tensor<3x4xf32>>,
    %6: !onnx.unknown, %7: tensor<?xbf16>, %8: tensor<2xf8E4M3FN>, %9: tensor<2xf4E2M1FN>,
    %10: tensor<4xi4>, %11: tensor<4xui2>, %12: tensor<2xcomplex<f32>>) {
  // CHECK: onnx.OptionalGetElement(%arg2) : (!onnx.opt<!onnx.seq<tensor<*xf32>>>) -> !onnx.seq<tensor<*xf32>>
  %seq = onnx.OptionalGetElement(%2) : (!onnx.opt<!onnx.seq<tensor<*xf32>>>) -> !onnx.seq<tensor<*xf32>>
  // CHECK: onnx.ml.CastMap(%arg3) : (!onnx.map<i64, tensor<f32>>) -> tensor<?x?xf32>
  %map = onnx.ml.CastMap(%3) : (!onnx.map<i64, tensor<f32>>) -> tensor<?x?xf32>
  // What inference has not reached yet goes everywhere.
  // CHECK: onnx.Add(%arg6, %arg7) : (!onnx.unknown, tensor<?xbf16>) -> !onnx.unknown
  %sum = onnx.Add(%6, %7) : (!onnx.unknown, tensor<?xbf16>) -> !onnx.unknown
  return
}

// CHECK-LABEL: func.func @constants
func.func @constants() {
  // CHECK: onnx.Constant() {value = dense<[1, -1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %0 = onnx.Constant() {value = dense<[1, -1]> : tensor<2xi64>} : () -> tensor<2xi64>
  // CHECK: onnx.Constant() {value = dense_resource<weights> : tensor<2xf32>} : () -> tensor<2xf32>
  %1 = onnx.Constant() {value = dense_resource<weights> : tensor<2xf32>} : () -> tensor<2xf32>
  // CHECK: onnx.Constant() {value_floats = [0.1, 2.0]} : () -> tensor<2xf32>
  %2 = onnx.Constant() {value_floats = [0.1, 2.0]} : () -> tensor<2xf32>
  // CHECK: onnx.Constant() {value_strings = ["a", "b"]} : () -> tensor<2x!onnx.string>
  %3 = onnx.Constant() {value_strings = ["a", "b"]} : () -> tensor<2x!onnx.string>
  // CHECK: {sparse_value = #onnx.sparse_elements<values = dense<7> : tensor<1xi8>,
  // CHECK-SAME: indices = dense<2> : tensor<1xi64>, type = tensor<4xi8>>} : () -> tensor<4xi8>
  %4 = onnx.Constant() {sparse_value = #onnx.sparse_elements<values = dense<7> : tensor<1xi8>,
      indices = dense<2> : tensor<1xi64>, type = tensor<4xi8>>} : () -> tensor<4xi8>
  return
}

// Older forms, custom domains and unknown operators.
// CHECK-LABEL: func.func @nodes
func.func @nodes(%x: tensor<2x3xf32>) {
  // CHECK: onnx.node "Softmax" domain "" version 1(%arg0) {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = onnx.node "Softmax" domain "" version 1(%x) {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %none = onnx.none
  // CHECK: onnx.node "Fancy" domain "com.example" version 0(%arg0, %{{.*}}) {}
  // CHECK-SAME: graphs ["body"] {
  // CHECK-NEXT: ^bb0(%arg1: !onnx.unknown):
  // CHECK-NEXT: onnx.yield %arg1 : !onnx.unknown
  // CHECK-NEXT: } : (tensor<2x3xf32>, none) -> (!onnx.unknown, none)
  %1:2 = onnx.node "Fancy" domain "com.example" version 0(%x, %none) {} graphs ["body"] {
  ^bb0(%y: !onnx.unknown):
    onnx.yield %y : !onnx.unknown
  } : (tensor<2x3xf32>, none) -> (!onnx.unknown, none)
  return
}

// Operators of the other domains.
// CHECK-LABEL: func.func @domains
func.func @domains(%x: tensor<?x3xf32>, %r: tensor<f32>, %t: tensor<i64>) {
  // CHECK: onnx.ml.Scaler(%arg0) {offset = [0.5], scale = [2.0]} : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %0 = onnx.ml.Scaler(%x) {offset = [0.5], scale = [2.0]} : (tensor<?x3xf32>) -> tensor<?x3xf32>
  // CHECK: %{{.*}}:2 = onnx.preview.training.Adagrad(%arg1, %arg2, %arg0, %arg0, %arg0)
  %1:2 = onnx.preview.training.Adagrad(%r, %t, %x, %x, %x)
      : (tensor<f32>, tensor<i64>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>)
      -> (tensor<?x3xf32>, tensor<?x3xf32>)
  return
}

// What a node was called in its model rides on its location.
// LOC: onnx.Relu(%arg0) {{.*}} loc(fused<#onnx.source<name = "relu1", op = "Relu", outputs = ["y"], doc = "after conv">>["model.onnx":3:0])
func.func @locations(%x: tensor<4xf32>) {
  %0 = onnx.Relu(%x) : (tensor<4xf32>) -> tensor<4xf32>
      loc(fused<#onnx.source<name = "relu1", op = "Relu", outputs = ["y"], doc = "after conv">>["model.onnx":3:0])
  return
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x040000000000803F00000040"
    }
  }
#-}
