// RUN: onnx-mlir-opt %s --onnx-eliminate-inference-dropout | FileCheck %s

// CHECK-LABEL: func @inference
// CHECK: return %arg0, %arg0
func.func @inference(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %f = onnx.Constant() {value = dense<false> : tensor<i1>} : () -> tensor<i1>
  %0 = onnx.Dropout(%x, _, _) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = onnx.Dropout(%x, _, %f) : (tensor<2xf32>, tensor<i1>) -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func @dynamic_mask
// CHECK: %[[S:.*]] = onnx.Shape(%arg0)
// CHECK: %[[M:.*]] = onnx.ConstantOfShape(%[[S]]) {value = dense<true> : tensor<1xi1>}
// CHECK: return %[[M]]
func.func @dynamic_mask(%x: tensor<?xf32>) -> tensor<?xi1> {
  %0, %m = onnx.Dropout(%x, _, _) : (tensor<?xf32>) -> (tensor<?xf32>, tensor<?xi1>)
  return %m : tensor<?xi1>
}

// CHECK-LABEL: func @may_train
// CHECK-COUNT-2: onnx.Dropout
func.func @may_train(%x: tensor<2xf32>, %t: tensor<i1>) -> (tensor<2xf32>, tensor<2xf32>) {
  %y = onnx.Constant() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %0 = onnx.Dropout(%x, _, %t) : (tensor<2xf32>, tensor<i1>) -> tensor<2xf32>
  %1 = onnx.Dropout(%x, _, %y) : (tensor<2xf32>, tensor<i1>) -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}
