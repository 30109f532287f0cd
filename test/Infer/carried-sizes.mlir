// RUN: onnx-mlir-opt %s --onnx-infer-shapes | FileCheck %s

// Of the declared sizes of carried values, those stay that hold before and after
// each iteration.

// The second stays, whatever the first becomes.
// CHECK-LABEL: @grows
// CHECK: ^bb0({{.*}}, %{{.*}}: tensor<?x4xf32>
// CHECK: -> tensor<?x4xf32>
func.func @grows(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<1x4xf32>, %e: tensor<0x4xf32>) -> tensor<*xf32> {
  %0 = onnx.Loop(%n, %c, %e) body {
  ^bb0(%i: tensor<i64>, %d: tensor<i1>, %s: tensor<0x4xf32>):
    %1 = onnx.Concat(%s, %x) {axis = 0} : (tensor<0x4xf32>, tensor<1x4xf32>) -> tensor<*xf32>
    onnx.yield %d, %1 : tensor<i1>, tensor<*xf32>
  } : (tensor<i64>, tensor<i1>, tensor<0x4xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// What enters leaves it open, and the body keeps it.
// CHECK-LABEL: @keeps
// CHECK: ^bb0({{.*}}, %{{.*}}: tensor<3x4xf32>
// CHECK: } : (tensor<i64>, tensor<i1>, tensor<?x4xf32>) -> tensor<?x4xf32>
func.func @keeps(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<?x4xf32>) -> tensor<*xf32> {
  %0 = onnx.Loop(%n, %c, %x) body {
  ^bb0(%i: tensor<i64>, %d: tensor<i1>, %s: tensor<3x4xf32>):
    %1 = onnx.Neg(%s) : (tensor<3x4xf32>) -> tensor<*xf32>
    onnx.yield %d, %1 : tensor<i1>, tensor<*xf32>
  } : (tensor<i64>, tensor<i1>, tensor<?x4xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// CHECK-LABEL: @swaps
// CHECK: ^bb0({{.*}}, %{{.*}}: tensor<?x4xf32>{{.*}}, %{{.*}}: tensor<?x4xf32>
func.func @swaps(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<3x4xf32>, %y: tensor<1x4xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  %0:2 = onnx.Loop(%n, %c, %x, %y) body {
  ^bb0(%i: tensor<i64>, %d: tensor<i1>, %s: tensor<3x4xf32>, %t: tensor<1x4xf32>):
    onnx.yield %d, %t, %s : tensor<i1>, tensor<1x4xf32>, tensor<3x4xf32>
  } : (tensor<i64>, tensor<i1>, tensor<3x4xf32>, tensor<1x4xf32>) -> (tensor<*xf32>, tensor<*xf32>)
  return %0#0, %0#1 : tensor<*xf32>, tensor<*xf32>
}

// Nor does a rank stay that the body changes.
// CHECK-LABEL: @other_rank
// CHECK: ^bb0({{.*}}, %{{.*}}: tensor<*xf32>
func.func @other_rank(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<3x4xf32>, %y: tensor<4xf32>) -> tensor<*xf32> {
  %0 = onnx.Loop(%n, %c, %x) body {
  ^bb0(%i: tensor<i64>, %d: tensor<i1>, %s: tensor<3x4xf32>):
    onnx.yield %d, %y : tensor<i1>, tensor<4xf32>
  } : (tensor<i64>, tensor<i1>, tensor<3x4xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// The state of a Scan keeps its shape, which is not that of the declaration.
// CHECK-LABEL: @scan
// CHECK: ^bb0(%{{.*}}: tensor<6x4xf32>
func.func @scan(%s: tensor<6x4xf32>, %x: tensor<3x4xf32>) -> tensor<*xf32> {
  %0 = onnx.Scan(%s, %x) body {
  ^bb0(%t: tensor<1x4xf32>, %r: tensor<4xf32>):
    %1 = onnx.Add(%t, %r) : (tensor<1x4xf32>, tensor<4xf32>) -> tensor<*xf32>
    onnx.yield %1 : tensor<*xf32>
  } {num_scan_inputs = 1} : (tensor<6x4xf32>, tensor<3x4xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}
