// Pools over windows of a fixed size.
// RUN: onnx-mlir-opt %s -onnxc-lower-to-linalg -canonicalize | FileCheck %s

// Of an image whose size is open the taps of each window are counted when it
// runs, though the size of the result is known.
// CHECK-LABEL: @open_image_of_known_result
// CHECK-NOT: dense<
// CHECK: %[[SIZE:.*]] = tensor.dim %arg0, %c2
// CHECK: linalg.index 2
// CHECK: arith.subi %[[SIZE]],
// CHECK: arith.divf
// CHECK: return %{{.*}} : tensor<1x1x2xf32>
func.func @open_image_of_known_result(%x: tensor<1x1x?xf32>) -> tensor<1x1x2xf32> {
  %0 = onnx.AveragePool(%x) {kernel_shape = [2], pads = [0, 1], strides = [2]} : (tensor<1x1x?xf32>) -> tensor<1x1x2xf32>
  return %0 : tensor<1x1x2xf32>
}
