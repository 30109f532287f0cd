// onnx-mlir-reduce keeps what the script asks for and drops the rest.
// RUN: onnx-mlir-reduce %s -reduction-tree='traversal-mode=0 test=%S/Inputs/has_relu.sh' | FileCheck %s

// CHECK: func.func @kept
// CHECK: onnx.Relu
// CHECK-NOT: @dropped
func.func @kept(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = onnx.Relu(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @dropped(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = onnx.Exp(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
