// What loops would collect of a fault has a rank in the end, as code needs it.
// RUN: onnx-mlir-opt %s -split-input-file '-pass-pipeline=builtin.module(onnx-infer-shapes,onnx-infer-shapes{branch=true})' -verify-diagnostics | FileCheck %s
// RUN: onnx-mlir-opt %s -split-input-file -onnx-infer-shapes -verify-diagnostics | FileCheck %s --check-prefix=BEFORE

// BEFORE: -> tensor<*xf32>
// CHECK-LABEL: @loop
// CHECK: onnx.fault {{.*}} : tensor<i1>, tensor<f32>
// CHECK: -> tensor<?xf32>
// CHECK: onnx.Shape{{.*}} -> tensor<1xi64>
// CHECK: return %{{.*}} : tensor<?xf32>, tensor<1xi64>
func.func @loop(%m: tensor<i64>, %x: tensor<2x3xf32>, %i: tensor<i64>) -> (tensor<*xf32>, !onnx.unknown) {
  %0 = onnx.Loop(%m, _) body {
  ^bb0(%n: tensor<i64>, %c: tensor<i1>):
    // expected-warning @below {{axis 3 is out of range}}
    %g = onnx.Gather(%x, %i) {axis = 3} : (tensor<2x3xf32>, tensor<i64>) -> tensor<*xf32>
    %d = onnx.Identity(%c) : (tensor<i1>) -> tensor<i1>
    onnx.yield %d, %g : tensor<i1>, tensor<*xf32>
  } : (tensor<i64>) -> tensor<*xf32>
  %1 = onnx.Shape(%0) : (tensor<*xf32>) -> !onnx.unknown
  return %0, %1 : tensor<*xf32>, !onnx.unknown
}

// -----

// One of each iteration of a loop around it.
// CHECK-LABEL: @loops
// CHECK: onnx.fault {{.*}} : tensor<i1>, tensor<f32>
// CHECK: -> tensor<?xf32>
// CHECK: -> tensor<?x?xf32>
// BEFORE-LABEL: @loops
func.func @loops(%m: tensor<i64>, %x: tensor<2x3xf32>, %i: tensor<i64>) -> tensor<*xf32> {
  %0 = onnx.Loop(%m, _) body {
  ^bb0(%n: tensor<i64>, %c: tensor<i1>):
    %1 = onnx.Loop(%m, _) body {
    ^bb0(%k: tensor<i64>, %e: tensor<i1>):
      // expected-warning @below {{axis 3 is out of range}}
      %g = onnx.Gather(%x, %i) {axis = 3} : (tensor<2x3xf32>, tensor<i64>) -> tensor<*xf32>
      %d = onnx.Identity(%e) : (tensor<i1>) -> tensor<i1>
      onnx.yield %d, %g : tensor<i1>, tensor<*xf32>
    } : (tensor<i64>) -> tensor<*xf32>
    onnx.yield %c, %1 : tensor<i1>, tensor<*xf32>
  } : (tensor<i64>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

// CHECK-LABEL: @scan
// CHECK: onnx.fault {{.*}} : tensor<2xf32>, tensor<f32>
// CHECK: -> (tensor<2xf32>, tensor<?xf32>)
// BEFORE-LABEL: @scan
func.func @scan(%v: tensor<?x2xf32>, %s: tensor<2xf32>, %x: tensor<2x3xf32>, %i: tensor<i64>) -> tensor<*xf32> {
  %0:2 = onnx.Scan(%s, %v) body {
  ^bb0(%t: tensor<2xf32>, %e: tensor<2xf32>):
    // expected-warning @below {{axis 3 is out of range}}
    %g = onnx.Gather(%x, %i) {axis = 3} : (tensor<2x3xf32>, tensor<i64>) -> tensor<*xf32>
    %a = onnx.Add(%t, %e) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    onnx.yield %a, %g : tensor<2xf32>, tensor<*xf32>
  } {num_scan_inputs = 1} : (tensor<2xf32>, tensor<?x2xf32>) -> (tensor<2xf32>, tensor<*xf32>)
  return %0#1 : tensor<*xf32>
}

// -----

// What takes the result tells that it is of more dimensions, though not of how
// many: it is left alone, and the model is not to blame.
// CHECK-LABEL: @of_more_dimensions
// CHECK: onnx.fault {{.*}} : tensor<*xf32>
// CHECK: -> tensor<*xf32>
// BEFORE-LABEL: @of_more_dimensions
func.func @of_more_dimensions(%m: tensor<i64>, %x: tensor<2x3xf32>, %i: tensor<i64>) -> tensor<*xf32> {
  %0 = onnx.Loop(%m, _) body {
  ^bb0(%n: tensor<i64>, %c: tensor<i1>):
    // expected-warning @below {{axis 3 is out of range}}
    %g = onnx.Gather(%x, %i) {axis = 3} : (tensor<2x3xf32>, tensor<i64>) -> tensor<*xf32>
    onnx.yield %c, %g : tensor<i1>, tensor<*xf32>
  } : (tensor<i64>) -> tensor<*xf32>
  %1 = onnx.Gather(%0, %i) {axis = 2} : (tensor<*xf32>, tensor<i64>) -> tensor<*xf32>
  return %1 : tensor<*xf32>
}
