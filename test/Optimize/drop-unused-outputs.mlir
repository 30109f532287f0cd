// RUN: onnx-mlir-opt %s --onnx-drop-unused-outputs | FileCheck %s

// CHECK-LABEL: func @optional
func.func @optional(%x: tensor<1x1x4x4xf32>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2x2xi64>) {
  // CHECK-NEXT: %[[A:.*]] = onnx.MaxPool(%arg0) {{.*}} -> tensor<1x1x2x2xf32>
  // CHECK-NEXT: %{{.*}}, %[[I:.*]] = onnx.MaxPool
  // CHECK-NEXT: return %[[A]], %[[I]]
  %a, %i = onnx.MaxPool(%x) {kernel_shape = [2, 2], strides = [2, 2]} : (tensor<1x1x4x4xf32>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2x2xi64>)
  %b, %j = onnx.MaxPool(%x) {kernel_shape = [2, 2], strides = [2, 2]} : (tensor<1x1x4x4xf32>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2x2xi64>)
  return %a, %j : tensor<1x1x2x2xf32>, tensor<1x1x2x2xi64>
}

// CHECK-LABEL: func @middle
func.func @middle(%x: tensor<5x1x3xf32>, %w: tensor<1x8x3xf32>, %r: tensor<1x8x2xf32>) -> tensor<1x1x2xf32> {
  // CHECK-NEXT: %[[C:.*]] = onnx.LSTM({{.*}} -> (_, _, tensor<1x1x2xf32>)
  // CHECK-NEXT: return %[[C]]
  %y, %h, %c = onnx.LSTM(%x, %w, %r, _, _, _, _, _) {hidden_size = 2} : (tensor<5x1x3xf32>, tensor<1x8x3xf32>, tensor<1x8x2xf32>) -> (tensor<5x1x1x2xf32>, tensor<1x1x2xf32>, tensor<1x1x2xf32>)
  return %c : tensor<1x1x2xf32>
}

// CHECK-LABEL: func @split
func.func @split(%x: tensor<5x3xf32>, %d: tensor<?x3xf32>) -> (tensor<2x3xf32>, tensor<?x3xf32>) {
  // CHECK-DAG: %[[S:.*]] = onnx.Constant() {value = dense<2> : tensor<1xi64>}
  // CHECK-DAG: %[[E:.*]] = onnx.Constant() {value = dense<4> : tensor<1xi64>}
  // CHECK: onnx.Slice(%arg0, %[[S]], %[[E]],
  // CHECK: onnx.Split(%arg1
  %a:3 = onnx.Split(%x, _) {axis = 0, num_outputs = 3} : (tensor<5x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>)
  %b:2 = onnx.Split(%d, _) {axis = 0, num_outputs = 2} : (tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>)
  return %a#1, %b#0 : tensor<2x3xf32>, tensor<?x3xf32>
}
