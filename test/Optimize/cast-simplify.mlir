// RUN: onnx-mlir-opt %s --onnx-cast-simplify | FileCheck %s

// CHECK-LABEL: func @chains
// CHECK: %[[A:.*]] = onnx.Cast(%arg0) {to = 1}
// CHECK: %[[B:.*]] = onnx.Cast(%arg1) {to = 7}
// CHECK: return %[[A]], %[[B]]
func.func @chains(%x: tensor<2xf16>, %i: tensor<?xui8>) -> (tensor<2xf32>, tensor<?xi64>) {
  %0 = onnx.Cast(%x) {to = 11} : (tensor<2xf16>) -> tensor<2xf64>
  %1 = onnx.Cast(%0) {to = 1} : (tensor<2xf64>) -> tensor<2xf32>
  %2 = onnx.Cast(%i) {to = 6} : (tensor<?xui8>) -> tensor<?xi32>
  %3 = onnx.Cast(%2) {to = 7} : (tensor<?xi32>) -> tensor<?xi64>
  return %1, %3 : tensor<2xf32>, tensor<?xi64>
}

// CHECK-LABEL: func @shape
// CHECK: onnx.Shape(%arg0)
func.func @shape(%x: tensor<?xf16>) -> tensor<1xi64> {
  %0 = onnx.Cast(%x) {to = 1} : (tensor<?xf16>) -> tensor<?xf32>
  %1 = onnx.Shape(%0) : (tensor<?xf32>) -> tensor<1xi64>
  return %1 : tensor<1xi64>
}

// The first rounds, wraps around, or decides what the text is.
// CHECK-LABEL: func @lossy
// CHECK: onnx.Cast(%arg0) {to = 10}
// CHECK: onnx.Cast({{.*}}) {to = 1}
// CHECK: onnx.Cast(%arg1) {to = 1}
// CHECK: onnx.Cast({{.*}}) {to = 7}
// CHECK: onnx.Cast(%arg0) {to = 11}
// CHECK: onnx.Cast({{.*}}) {to = 8}
func.func @lossy(%x: tensor<2xf32>, %i: tensor<2xi64>) -> (tensor<2xf32>, tensor<2xi64>, tensor<2x!onnx.string>) {
  %0 = onnx.Cast(%x) {to = 10} : (tensor<2xf32>) -> tensor<2xf16>
  %1 = onnx.Cast(%0) {to = 1} : (tensor<2xf16>) -> tensor<2xf32>
  %2 = onnx.Cast(%i) {to = 1} : (tensor<2xi64>) -> tensor<2xf32>
  %3 = onnx.Cast(%2) {to = 7} : (tensor<2xf32>) -> tensor<2xi64>
  %4 = onnx.Cast(%x) {to = 11} : (tensor<2xf32>) -> tensor<2xf64>
  %5 = onnx.Cast(%4) {to = 8} : (tensor<2xf64>) -> tensor<2x!onnx.string>
  return %1, %3, %5 : tensor<2xf32>, tensor<2xi64>, tensor<2x!onnx.string>
}

// To the type that it is of.
// CHECK-LABEL: func @same_type
// CHECK: %[[A:.*]] = onnx.Cast(%arg0) {to = 7}
// CHECK: %[[B:.*]] = onnx.Cast(%arg1) {to = 7}
// CHECK: return %[[A]], %[[B]]
func.func @same_type(%x: tensor<2xui8>, %y: tensor<2xi8>) -> (tensor<2xi64>, tensor<2xi64>) {
  %0 = onnx.Cast(%x) {to = 2} : (tensor<2xui8>) -> tensor<2xui8>
  %1 = onnx.Cast(%0) {to = 7} : (tensor<2xui8>) -> tensor<2xi64>
  %2 = onnx.Cast(%y) {to = 3} : (tensor<2xi8>) -> tensor<2xi8>
  %3 = onnx.Cast(%2) {to = 7} : (tensor<2xi8>) -> tensor<2xi64>
  return %1, %3 : tensor<2xi64>, tensor<2xi64>
}

// The sign is lost, or the greatest number.
// CHECK-LABEL: func @signs
// CHECK-COUNT-3: onnx.Cast(%{{[0-9]+}}) {to = 7}
func.func @signs(%x: tensor<2xi8>, %y: tensor<2xui8>, %z: tensor<2xui32>) -> (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) {
  %0 = onnx.Cast(%x) {to = 4} : (tensor<2xi8>) -> tensor<2xui16>
  %1 = onnx.Cast(%0) {to = 7} : (tensor<2xui16>) -> tensor<2xi64>
  %2 = onnx.Cast(%y) {to = 3} : (tensor<2xui8>) -> tensor<2xi8>
  %3 = onnx.Cast(%2) {to = 7} : (tensor<2xi8>) -> tensor<2xi64>
  %4 = onnx.Cast(%z) {to = 1} : (tensor<2xui32>) -> tensor<2xf32>
  %5 = onnx.Cast(%4) {to = 7} : (tensor<2xf32>) -> tensor<2xi64>
  return %1, %3, %5 : tensor<2xi64>, tensor<2xi64>, tensor<2xi64>
}
