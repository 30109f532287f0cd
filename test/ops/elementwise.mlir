// The shape law of elementwise ops: numpy's broadcasting.
// RUN: onnx-mlir-opt %s --onnx-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @broadcast
// CHECK-SAME: -> (tensor<2x3x4xf32>, tensor<0x4xf32>, tensor<?x4xf32>, tensor<5x?xf32>, tensor<2x3x4xf32>)
func.func @broadcast(%a: tensor<3x1xf32>, %b: tensor<2x1x4xf32>, %z: tensor<0x1xf32>, %v: tensor<4xf32>, %d: tensor<?x4xf32>, %e: tensor<5x?xf32>, %s: tensor<f32>)
    -> (!onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %0 = onnx.Add(%a, %b) : (tensor<3x1xf32>, tensor<2x1x4xf32>) -> !onnx.unknown
  // 0 is not 1: it does not stretch, but 1 stretches to it.
  %1 = onnx.Mul(%z, %v) : (tensor<0x1xf32>, tensor<4xf32>) -> !onnx.unknown
  %2 = onnx.Sub(%d, %v) : (tensor<?x4xf32>, tensor<4xf32>) -> !onnx.unknown
  %3 = onnx.Pow(%e, %s) : (tensor<5x?xf32>, tensor<f32>) -> !onnx.unknown
  %4 = onnx.Sum(%a, %v, %b) : (tensor<3x1xf32>, tensor<4xf32>, tensor<2x1x4xf32>) -> !onnx.unknown
  return %0, %1, %2, %3, %4 : !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// CHECK-LABEL: @types
// CHECK-SAME: -> (tensor<3xi1>, tensor<3xf16>, tensor<3xi64>, tensor<2x3xf32>, tensor<*xf32>)
func.func @types(%x: tensor<3xf32>, %i: tensor<3xi64>, %c: tensor<2x1xi1>, %h: tensor<f16>, %u: tensor<*xf32>) -> (!onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown) {
  %0 = onnx.Less(%x, %x) : (tensor<3xf32>, tensor<3xf32>) -> !onnx.unknown
  %1 = onnx.CastLike(%x, %h) : (tensor<3xf32>, tensor<f16>) -> !onnx.unknown
  %2 = onnx.Cast(%x) {to = 7} : (tensor<3xf32>) -> !onnx.unknown
  %3 = onnx.Where(%c, %x, %x) : (tensor<2x1xi1>, tensor<3xf32>, tensor<3xf32>) -> !onnx.unknown
  %4 = onnx.Add(%u, %x) : (tensor<*xf32>, tensor<3xf32>) -> !onnx.unknown
  return %0, %1, %2, %3, %4 : !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown, !onnx.unknown
}

// -----

func.func @mismatch(%a: tensor<3xf32>, %b: tensor<2xf32>) -> !onnx.unknown {
  // expected-error @below {{broadcast: dimensions 3 and 2 cannot be broadcast to each other}}
  %0 = onnx.Add(%a, %b) : (tensor<3xf32>, tensor<2xf32>) -> !onnx.unknown
  return %0 : !onnx.unknown
}

// -----

func.func @declared(%a: tensor<3xf32>) {
  // expected-error @below {{output 0 is declared 'tensor<4xf32>', but must be 'tensor<3xf32>'}}
  %0 = onnx.Relu(%a) : (tensor<3xf32>) -> tensor<4xf32>
  return
}
