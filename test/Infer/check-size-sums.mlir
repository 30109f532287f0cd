// RUN: onnx-mlir-opt %s --onnx-check-size-sums -split-input-file | FileCheck %s

// A mask as long as the cache and the new tokens: Reshape to that fails where it is not, and tells that it is.
// CHECK-LABEL: @mask
// CHECK: %[[P:.*]] = onnx.Shape(%arg2) {end = 2, start = 1}
// CHECK: %[[N:.*]] = onnx.Shape(%arg0) {end = 2, start = 1}
// CHECK: %[[SUM:.*]] = onnx.Add(%[[P]], %[[N]])
// CHECK: %[[SHAPE:.*]] = onnx.Concat(%{{.*}}, %[[SUM]])
// CHECK: %[[MASK:.*]] = onnx.Reshape(%arg1, %[[SHAPE]]) {allowzero = 1
// CHECK: onnx.Abs(%[[MASK]])
func.func @mask(%ids: tensor<?x?xi64> {onnx.dim_params = ["s1", "s70"]}, %mask: tensor<?x?xi64> {onnx.dim_params = ["s1", "s31 + s70"]}, %past: tensor<?x?x4xf32> {onnx.dim_params = ["s1", "s31", ""]}) -> tensor<?x?xi64> attributes {onnx.entry} {
  %0 = onnx.Abs(%mask) : (tensor<?x?xi64>) -> tensor<?x?xi64>
  return %0 : tensor<?x?xi64>
}

// -----

// Names that people gave, of what is no input's size, and sizes that are known tell nothing.
// CHECK-LABEL: @others
// CHECK-NOT: onnx.Reshape
func.func @others(%ids: tensor<?x?xi64> {onnx.dim_params = ["past", "s70"]}, %a: tensor<?xi64> {onnx.dim_params = ["past + s70"]}, %b: tensor<?xi64> {onnx.dim_params = ["s70 + s8"]}, %c: tensor<3xi64> {onnx.dim_params = ["s70 + s70"]}) -> tensor<?xi64> attributes {onnx.entry} {
  %0 = onnx.Abs(%a) : (tensor<?xi64>) -> tensor<?xi64>
  return %0 : tensor<?xi64>
}
