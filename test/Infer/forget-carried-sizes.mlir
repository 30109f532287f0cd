// RUN: onnx-mlir-opt %s --onnx-forget-carried-sizes --split-input-file | FileCheck %s

// A carried value, what is computed from it, and the result; not others.
// CHECK-LABEL: @loop
// CHECK: ^bb0({{.*}} %[[S:.*]]: tensor<?x?xf32>)
// CHECK: onnx.Neg(%[[S]]) : (tensor<?x?xf32>) -> tensor<?x?xf32>
// CHECK: onnx.Neg(%arg1) : (tensor<?x4xf32>) -> tensor<2x4xf32>
// CHECK: } : (tensor<i64>, tensor<i1>, tensor<?x4xf32>) -> tensor<?x?xf32>
func.func @loop(%n: tensor<i64>, %x: tensor<?x4xf32>, %c: tensor<i1>) -> tensor<1x4xf32> {
  %0 = onnx.Loop(%n, %c, %x) body {
  ^bb0(%i: tensor<i64>, %d: tensor<i1>, %s: tensor<1x4xf32>):
    %1 = onnx.Neg(%s) : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %2 = onnx.Neg(%x) : (tensor<?x4xf32>) -> tensor<2x4xf32>
    onnx.yield %d, %1 : tensor<i1>, tensor<1x4xf32>
  } : (tensor<i64>, tensor<i1>, tensor<?x4xf32>) -> tensor<1x4xf32>
  %3 = onnx.Neg(%0) : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %3 : tensor<1x4xf32>
}

// -----

// An output of the model is as it is declared.
// CHECK-LABEL: @output
// CHECK: } : (tensor<i64>, tensor<i1>, tensor<?x4xf32>) -> tensor<1x4xf32>
func.func @output(%n: tensor<i64>, %x: tensor<?x4xf32>, %c: tensor<i1>) -> tensor<1x4xf32> {
  %0 = onnx.Loop(%n, %c, %x) body {
  ^bb0(%i: tensor<i64>, %d: tensor<i1>, %s: tensor<1x4xf32>):
    onnx.yield %d, %s : tensor<i1>, tensor<1x4xf32>
  } : (tensor<i64>, tensor<i1>, tensor<?x4xf32>) -> tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}

// -----

// What a branch yields; a list keeps its length, from which a rank follows.
// CHECK-LABEL: @if
// CHECK: onnx.Neg(%arg1) : (tensor<?x4xf32>) -> tensor<?x?xf32>
// CHECK: onnx.Abs(%arg2) : (tensor<?xi64>) -> tensor<3xi64>
// CHECK: } : (tensor<i1>) -> (tensor<?x?xf32>, tensor<3xi64>)
func.func @if(%c: tensor<i1>, %x: tensor<?x4xf32>, %l: tensor<?xi64>) -> tensor<?x?x?xf32> {
  %0:2 = onnx.If(%c) then_branch {
    %1 = onnx.Neg(%x) : (tensor<?x4xf32>) -> tensor<1x4xf32>
    %2 = onnx.Abs(%l) : (tensor<?xi64>) -> tensor<3xi64>
    onnx.yield %1, %2 : tensor<1x4xf32>, tensor<3xi64>
  } else_branch {
    onnx.yield %x, %l : tensor<?x4xf32>, tensor<?xi64>
  } : (tensor<i1>) -> (tensor<1x4xf32>, tensor<3xi64>)
  %3 = onnx.Reshape(%0#0, %0#1) : (tensor<1x4xf32>, tensor<3xi64>) -> tensor<?x?x?xf32>
  return %3 : tensor<?x?x?xf32>
}

// -----

// Elements of a sequence; a result of what runs within another loop.
// CHECK-LABEL: @map
// CHECK: ^bb0(%[[E:.*]]: tensor<?x?xf32>):
// CHECK: onnx.Neg(%[[E]]) : (tensor<?x?xf32>) -> tensor<?x?xf32>
func.func @map(%q: !onnx.seq<tensor<*xf32>>) -> !onnx.seq<tensor<*xf32>> {
  %0 = onnx.SequenceMap(%q) body {
  ^bb0(%e: tensor<1x4xf32>):
    %1 = onnx.Neg(%e) : (tensor<1x4xf32>) -> tensor<1x4xf32>
    onnx.yield %1 : tensor<1x4xf32>
  } : (!onnx.seq<tensor<*xf32>>) -> !onnx.seq<tensor<*xf32>>
  return %0 : !onnx.seq<tensor<*xf32>>
}

// -----

// A list that a loop carries has no length behind it, either.
// CHECK-LABEL: @list
// CHECK: onnx.Neg({{.*}}) : (tensor<?xi64>) -> tensor<?xi64>
// CHECK: onnx.Abs({{.*}}) : (tensor<?xi64>) -> tensor<0xi64>
func.func @list(%n: tensor<i64>, %c: tensor<i1>, %e: tensor<0xi64>) -> tensor<0xi64> {
  %0 = onnx.Loop(%n, %c, %e) body {
  ^bb0(%i: tensor<i64>, %d: tensor<i1>, %s: tensor<0xi64>):
    onnx.yield %d, %s : tensor<i1>, tensor<0xi64>
  } : (tensor<i64>, tensor<i1>, tensor<0xi64>) -> tensor<0xi64>
  %1 = onnx.Neg(%0) : (tensor<0xi64>) -> tensor<0xi64>
  %2 = onnx.Abs(%1) : (tensor<0xi64>) -> tensor<0xi64>
  return %2 : tensor<0xi64>
}

// -----

// The states of a Scan, what is scanned, and a loop of an older opset.
// CHECK-LABEL: @scan
// CHECK: ^bb0(%{{.*}}: tensor<?x?xf32>, %{{.*}}: tensor<4xf32>)
// CHECK: onnx.node "Scan"
// CHECK: ^bb0(%{{.*}}: tensor<?x?xf32>, %{{.*}}: tensor<?xf32>)
// CHECK: onnx.Neg({{.*}}) : (tensor<?x?xf32>) -> tensor<?x?xf32>
func.func @scan(%s: tensor<?x4xf32>, %x: tensor<3x4xf32>, %b: tensor<2x1x4xf32>, %y: tensor<2x3x4xf32>) -> (tensor<?x4xf32>, tensor<*xf32>) {
  %0 = onnx.Scan(%s, %x) body {
  ^bb0(%t: tensor<1x4xf32>, %r: tensor<4xf32>):
    %1 = onnx.Add(%t, %r) : (tensor<1x4xf32>, tensor<4xf32>) -> tensor<1x4xf32>
    onnx.yield %1 : tensor<1x4xf32>
  } {num_scan_inputs = 1} : (tensor<?x4xf32>, tensor<3x4xf32>) -> tensor<?x4xf32>
  %none = onnx.none
  %2 = onnx.node "Scan" domain "" version 8(%none, %b, %y) {num_scan_inputs = 1 : i64} graphs ["body"] {
  ^bb0(%t: tensor<1x4xf32>, %r: tensor<4xf32>):
    %3 = onnx.Neg(%t) : (tensor<1x4xf32>) -> tensor<1x4xf32>
    onnx.yield %3 : tensor<1x4xf32>
  } : (none, tensor<2x1x4xf32>, tensor<2x3x4xf32>) -> tensor<*xf32>
  return %0, %2 : tensor<?x4xf32>, tensor<*xf32>
}

// -----

// What a call takes has the type of the function.
// CHECK-LABEL: @calls
// CHECK: %[[V:.*]] = onnx.Neg({{.*}}) : (tensor<?x?xf32>) -> tensor<1x4xf32>
// CHECK: func.call @f(%[[V]]) : (tensor<1x4xf32>) -> tensor<1x4xf32>
func.func private @f(tensor<1x4xf32>) -> tensor<1x4xf32>
func.func @calls(%n: tensor<i64>, %x: tensor<?x4xf32>, %c: tensor<i1>) -> tensor<?x?xf32> {
  %0 = onnx.Loop(%n, %c, %x) body {
  ^bb0(%i: tensor<i64>, %d: tensor<i1>, %s: tensor<1x4xf32>):
    %1 = onnx.Neg(%s) : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %2 = func.call @f(%1) : (tensor<1x4xf32>) -> tensor<1x4xf32>
    onnx.yield %d, %2 : tensor<i1>, tensor<1x4xf32>
  } : (tensor<i64>, tensor<i1>, tensor<?x4xf32>) -> tensor<1x4xf32>
  %3 = onnx.Neg(%0) : (tensor<1x4xf32>) -> tensor<?x?xf32>
  return %3 : tensor<?x?xf32>
}

// -----

// What a loop within a loop collects of what the outer one carries.
// CHECK-LABEL: @nested
// CHECK: } : (tensor<i64>, tensor<i1>) -> tensor<?x?x?xf32>
// CHECK: } : (tensor<i64>, tensor<i1>, tensor<?x4xf32>) -> tensor<?x?xf32>
func.func @nested(%n: tensor<i64>, %x: tensor<?x4xf32>, %c: tensor<i1>, %y: tensor<2xi64>) -> tensor<*xf32> {
  %0 = onnx.Loop(%n, %c, %x) body {
  ^bb0(%i: tensor<i64>, %d: tensor<i1>, %s: tensor<1x4xf32>):
    %1 = onnx.Loop(%n, %c) body {
    ^bb0(%j: tensor<i64>, %e: tensor<i1>):
      %2 = onnx.Neg(%s) : (tensor<1x4xf32>) -> tensor<1x4xf32>
      onnx.yield %e, %2 : tensor<i1>, tensor<1x4xf32>
    } : (tensor<i64>, tensor<i1>) -> tensor<?x1x4xf32>
    %3 = onnx.Reshape(%1, %y) : (tensor<?x1x4xf32>, tensor<2xi64>) -> tensor<1x4xf32>
    onnx.yield %d, %3 : tensor<i1>, tensor<1x4xf32>
  } : (tensor<i64>, tensor<i1>, tensor<?x4xf32>) -> tensor<1x4xf32>
  %4 = onnx.Neg(%0) : (tensor<1x4xf32>) -> tensor<*xf32>
  return %4 : tensor<*xf32>
}
