// RUN: onnx-mlir-opt %s --onnx-optimize="passes=qdq_propagate,qdq_fuse fixed-point" --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: func @on_integers
func.func @on_integers(%x: tensor<1x2x4x4xi8>) -> (tensor<1x2x2x2xi8>, tensor<1x2x4x6xi8>, tensor<1x32xi8>) {
  %s = onnx.Constant() {value = dense<0.1> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Constant() {value = dense<-3> : tensor<i8>} : () -> tensor<i8>
  %p = onnx.Constant() {value = dense<[0, 0, 0, 1, 0, 0, 0, 1]> : tensor<8xi64>} : () -> tensor<8xi64>
  // CHECK-DAG: %[[Z:.*]] = onnx.Constant() {value = dense<-3> : tensor<i8>}
  // CHECK-DAG: onnx.MaxPool(%arg0) {{.*}} -> tensor<1x2x2x2xi8>
  // CHECK-DAG: onnx.Pad(%arg0, %{{.*}}, %[[Z]])
  // CHECK-DAG: onnx.Flatten(%arg0)
  // CHECK-NOT: QuantizeLinear
  %d = onnx.DequantizeLinear(%x, %s, %z) : (tensor<1x2x4x4xi8>, tensor<f32>, tensor<i8>) -> tensor<1x2x4x4xf32>
  %a = onnx.MaxPool(%d) {kernel_shape = [2, 2], strides = [2, 2]} : (tensor<1x2x4x4xf32>) -> (tensor<1x2x2x2xf32>, _)
  %b = onnx.QuantizeLinear(%a, %s, %z) : (tensor<1x2x2x2xf32>, tensor<f32>, tensor<i8>) -> tensor<1x2x2x2xi8>
  %c = onnx.Pad(%d, %p, _, _) : (tensor<1x2x4x4xf32>, tensor<8xi64>) -> tensor<1x2x4x6xf32>
  %e = onnx.QuantizeLinear(%c, %s, %z) : (tensor<1x2x4x6xf32>, tensor<f32>, tensor<i8>) -> tensor<1x2x4x6xi8>
  %f = onnx.Flatten(%d) : (tensor<1x2x4x4xf32>) -> tensor<1x32xf32>
  %g = onnx.QuantizeLinear(%f, %s, %z) : (tensor<1x32xf32>, tensor<f32>, tensor<i8>) -> tensor<1x32xi8>
  return %b, %e, %g : tensor<1x2x2x2xi8>, tensor<1x2x4x6xi8>, tensor<1x32xi8>
}

// What picks elements or puts them in another order.
// CHECK-LABEL: func @picked
func.func @picked(%x: tensor<4x3xi16>, %i: tensor<2x1xi64>, %c: tensor<4xi1>, %l: tensor<3xi64>) -> (tensor<2x3xi16>, tensor<?x3xi16>, tensor<4x3xi16>) {
  %s = onnx.Constant() {value = dense<0.1> : tensor<f32>} : () -> tensor<f32>
  // CHECK-DAG: onnx.GatherND(%arg0, %arg1)
  // CHECK-DAG: onnx.Compress(%arg0, %arg2)
  // CHECK-DAG: onnx.ReverseSequence(%arg0, %arg3)
  // CHECK-NOT: QuantizeLinear
  // CHECK: return
  %d = onnx.DequantizeLinear(%x, %s, _) : (tensor<4x3xi16>, tensor<f32>) -> tensor<4x3xf32>
  %z = onnx.Constant() {value = dense<0> : tensor<i16>} : () -> tensor<i16>
  %a = onnx.GatherND(%d, %i) : (tensor<4x3xf32>, tensor<2x1xi64>) -> tensor<2x3xf32>
  %e = onnx.QuantizeLinear(%a, %s, %z) : (tensor<2x3xf32>, tensor<f32>, tensor<i16>) -> tensor<2x3xi16>
  %b = onnx.Compress(%d, %c) {axis = 0} : (tensor<4x3xf32>, tensor<4xi1>) -> tensor<?x3xf32>
  %f = onnx.QuantizeLinear(%b, %s, %z) : (tensor<?x3xf32>, tensor<f32>, tensor<i16>) -> tensor<?x3xi16>
  %r = onnx.ReverseSequence(%d, %l) : (tensor<4x3xf32>, tensor<3xi64>) -> tensor<4x3xf32>
  %g = onnx.QuantizeLinear(%r, %s, %z) : (tensor<4x3xf32>, tensor<f32>, tensor<i16>) -> tensor<4x3xi16>
  return %e, %f, %g : tensor<2x3xi16>, tensor<?x3xi16>, tensor<4x3xi16>
}

// Of 16 bits not everywhere.
// CHECK-LABEL: func @depth_of_16_bits
func.func @depth_of_16_bits(%x: tensor<1x4x2x2xi16>) -> tensor<1x1x4x4xi16> {
  %s = onnx.Constant() {value = dense<0.1> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Constant() {value = dense<0> : tensor<i16>} : () -> tensor<i16>
  // CHECK: onnx.DepthToSpace{{.*}} -> tensor<1x1x4x4xf32>
  %d = onnx.DequantizeLinear(%x, %s, _) : (tensor<1x4x2x2xi16>, tensor<f32>) -> tensor<1x4x2x2xf32>
  %a = onnx.DepthToSpace(%d) {blocksize = 2} : (tensor<1x4x2x2xf32>) -> tensor<1x1x4x4xf32>
  %e = onnx.QuantizeLinear(%a, %s, %z) : (tensor<1x1x4x4xf32>, tensor<f32>, tensor<i16>) -> tensor<1x1x4x4xi16>
  return %e : tensor<1x1x4x4xi16>
}

// CHECK-LABEL: func @split_and_joined
func.func @split_and_joined(%x: tensor<2x4xui8>) -> tensor<2x4xui8> {
  %s = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  // CHECK: %[[S:.*]]:2 = onnx.Split(%arg0
  // CHECK: onnx.Concat(%[[S]]#1, %[[S]]#0)
  // CHECK-NOT: QuantizeLinear
  %d = onnx.DequantizeLinear(%x, %s, _) : (tensor<2x4xui8>, tensor<f32>) -> tensor<2x4xf32>
  %p:2 = onnx.Split(%d, _) {axis = 1, num_outputs = 2} : (tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>)
  %a = onnx.QuantizeLinear(%p#0, %s, _) : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xui8>
  %b = onnx.QuantizeLinear(%p#1, %s, _) : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xui8>
  %e = onnx.DequantizeLinear(%a, %s, _) : (tensor<2x2xui8>, tensor<f32>) -> tensor<2x2xf32>
  %f = onnx.DequantizeLinear(%b, %s, _) : (tensor<2x2xui8>, tensor<f32>) -> tensor<2x2xf32>
  %c = onnx.Concat(%f, %e) {axis = 1} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x4xf32>
  %q = onnx.QuantizeLinear(%c, %s, _) : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xui8>
  return %q : tensor<2x4xui8>
}

// Each part is quantized; one that has these parameters already stays as it is.
// CHECK-LABEL: func @joined
func.func @joined(%x: tensor<2x3xui8>, %y: tensor<2x4xui8>, %z: tensor<2x1xf32>) -> (tensor<2x8xui8>, tensor<2x4xui8>, tensor<2x4xf32>) {
  %s = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %t = onnx.Constant() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  // CHECK-DAG: %[[D:.*]] = onnx.DequantizeLinear(%arg0
  // CHECK-DAG: %[[A:.*]] = onnx.QuantizeLinear(%[[D]], %{{.*}}) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xui8>
  // CHECK-DAG: %[[B:.*]] = onnx.QuantizeLinear(%arg2, %{{.*}}) : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xui8>
  // CHECK: onnx.Concat(%[[A]], %arg1, %[[B]]) {axis = 1} : (tensor<2x3xui8>, tensor<2x4xui8>, tensor<2x1xui8>) -> tensor<2x8xui8>
  %d = onnx.DequantizeLinear(%x, %s, _) : (tensor<2x3xui8>, tensor<f32>) -> tensor<2x3xf32>
  %e = onnx.DequantizeLinear(%y, %t, _) : (tensor<2x4xui8>, tensor<f32>) -> tensor<2x4xf32>
  %c = onnx.Concat(%d, %e, %z) {axis = 1} : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x8xf32>
  %q = onnx.QuantizeLinear(%c, %t, _) : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xui8>
  // Floats that something else reads are joined as such.
  // CHECK: %[[F:.*]] = onnx.Concat(%[[D]], %arg2) {axis = 1} : (tensor<2x3xf32>
  // CHECK: onnx.QuantizeLinear(%[[F]]
  %f = onnx.Concat(%d, %z) {axis = 1} : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %g = onnx.QuantizeLinear(%f, %t, _) : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xui8>
  return %q, %g, %f : tensor<2x8xui8>, tensor<2x4xui8>, tensor<2x4xf32>
}

// One side only: it changes places with what moves; scales per channel go along.
// CHECK-LABEL: func @one_side
func.func @one_side(%x: tensor<2x4xi8>, %y: tensor<2x4xf32>) -> (tensor<4x2xf32>, tensor<8xui8>) {
  %s = onnx.Constant() {value = dense<[0.5, 0.25]> : tensor<2xf32>} : () -> tensor<2xf32>
  %t = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %l = onnx.Constant() {value = dense<-1> : tensor<1xi64>} : () -> tensor<1xi64>
  // CHECK: %[[T:.*]] = onnx.Transpose(%arg0) : (tensor<2x4xi8>)
  // CHECK: onnx.DequantizeLinear(%[[T]], %{{.*}}) {axis = 1}
  %d = onnx.DequantizeLinear(%x, %s, _) {axis = 0} : (tensor<2x4xi8>, tensor<2xf32>) -> tensor<2x4xf32>
  %a = onnx.Transpose(%d) : (tensor<2x4xf32>) -> tensor<4x2xf32>
  // CHECK: %[[Q:.*]] = onnx.QuantizeLinear(%arg1
  // CHECK: onnx.Reshape(%[[Q]]
  %r = onnx.Reshape(%y, %l) : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<8xf32>
  %q = onnx.QuantizeLinear(%r, %t, _) : (tensor<8xf32>, tensor<f32>) -> tensor<8xui8>
  return %a, %q : tensor<4x2xf32>, tensor<8xui8>
}

// What is padded with is not the zero point; scales per channel and a Reshape.
// CHECK-LABEL: func @near_misses
func.func @near_misses(%x: tensor<2x4xi8>) -> (tensor<2x6xi8>, tensor<8xf32>) {
  %s = onnx.Constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %c = onnx.Constant() {value = dense<[0.5, 0.25]> : tensor<2xf32>} : () -> tensor<2xf32>
  %v = onnx.Constant() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Constant() {value = dense<0> : tensor<i8>} : () -> tensor<i8>
  %p = onnx.Constant() {value = dense<[0, 1, 0, 1]> : tensor<4xi64>} : () -> tensor<4xi64>
  %l = onnx.Constant() {value = dense<-1> : tensor<1xi64>} : () -> tensor<1xi64>
  // CHECK: onnx.DequantizeLinear
  // CHECK: onnx.Pad
  // CHECK: onnx.QuantizeLinear
  %d = onnx.DequantizeLinear(%x, %s, %z) : (tensor<2x4xi8>, tensor<f32>, tensor<i8>) -> tensor<2x4xf32>
  %a = onnx.Pad(%d, %p, %v, _) : (tensor<2x4xf32>, tensor<4xi64>, tensor<f32>) -> tensor<2x6xf32>
  %b = onnx.QuantizeLinear(%a, %s, %z) : (tensor<2x6xf32>, tensor<f32>, tensor<i8>) -> tensor<2x6xi8>
  // CHECK: onnx.DequantizeLinear
  // CHECK: onnx.Reshape
  %e = onnx.DequantizeLinear(%x, %c, _) {axis = 0} : (tensor<2x4xi8>, tensor<2xf32>) -> tensor<2x4xf32>
  %r = onnx.Reshape(%e, %l) : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<8xf32>
  return %b, %r : tensor<2x6xi8>, tensor<8xf32>
}

// -----

// Pad has bytes from opset 13 on, MaxPool from 12.
// CHECK-LABEL: func @opset_13
module attributes {onnx.opset_imports = {"ai.onnx" = 13}} {
func.func @opset_13(%x: tensor<1x2x4x4xi8>) -> (tensor<1x2x2x2xi8>, tensor<1x2x4x6xi8>) {
  %s = onnx.Constant() {value = dense<0.1> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Constant() {value = dense<-3> : tensor<i8>} : () -> tensor<i8>
  %p = onnx.Constant() {value = dense<[0, 0, 0, 1, 0, 0, 0, 1]> : tensor<8xi64>} : () -> tensor<8xi64>
  // CHECK: onnx.MaxPool(%arg0)
  // CHECK-NOT: onnx.DequantizeLinear
  // CHECK: onnx.Pad(%arg0
  %d = onnx.DequantizeLinear(%x, %s, %z) : (tensor<1x2x4x4xi8>, tensor<f32>, tensor<i8>) -> tensor<1x2x4x4xf32>
  %a = onnx.MaxPool(%d) {kernel_shape = [2, 2], strides = [2, 2]} : (tensor<1x2x4x4xf32>) -> (tensor<1x2x2x2xf32>, _)
  %b = onnx.QuantizeLinear(%a, %s, %z) : (tensor<1x2x2x2xf32>, tensor<f32>, tensor<i8>) -> tensor<1x2x2x2xi8>
  %c = onnx.Pad(%d, %p, _, _) : (tensor<1x2x4x4xf32>, tensor<8xi64>) -> tensor<1x2x4x6xf32>
  %e = onnx.QuantizeLinear(%c, %s, %z) : (tensor<1x2x4x6xf32>, tensor<f32>, tensor<i8>) -> tensor<1x2x4x6xi8>
  return %b, %e : tensor<1x2x2x2xi8>, tensor<1x2x4x6xi8>
}
}

// -----

// CHECK-LABEL: func @opset_12
module attributes {onnx.opset_imports = {"ai.onnx" = 12}} {
func.func @opset_12(%x: tensor<1x2x4x4xi8>) -> (tensor<1x2x2x2xi8>, tensor<1x2x4x6xi8>) {
  %s = onnx.Constant() {value = dense<0.1> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Constant() {value = dense<-3> : tensor<i8>} : () -> tensor<i8>
  %p = onnx.Constant() {value = dense<[0, 0, 0, 1, 0, 0, 0, 1]> : tensor<8xi64>} : () -> tensor<8xi64>
  // CHECK: %[[D:.*]] = onnx.DequantizeLinear(%arg0
  // CHECK: onnx.MaxPool(%arg0)
  // CHECK: onnx.Pad(%[[D]]
  %d = onnx.DequantizeLinear(%x, %s, %z) : (tensor<1x2x4x4xi8>, tensor<f32>, tensor<i8>) -> tensor<1x2x4x4xf32>
  %a = onnx.MaxPool(%d) {kernel_shape = [2, 2], strides = [2, 2]} : (tensor<1x2x4x4xf32>) -> (tensor<1x2x2x2xf32>, _)
  %b = onnx.QuantizeLinear(%a, %s, %z) : (tensor<1x2x2x2xf32>, tensor<f32>, tensor<i8>) -> tensor<1x2x2x2xi8>
  %c = onnx.Pad(%d, %p, _, _) : (tensor<1x2x4x4xf32>, tensor<8xi64>) -> tensor<1x2x4x6xf32>
  %e = onnx.QuantizeLinear(%c, %s, %z) : (tensor<1x2x4x6xf32>, tensor<f32>, tensor<i8>) -> tensor<1x2x4x6xi8>
  return %b, %e : tensor<1x2x2x2xi8>, tensor<1x2x4x6xi8>
}
}

// -----

// CHECK-LABEL: func @opset_11
module attributes {onnx.opset_imports = {"ai.onnx" = 11}} {
func.func @opset_11(%x: tensor<1x2x4x4xi8>) -> (tensor<1x2x2x2xi8>, tensor<1x2x4x6xi8>) {
  %s = onnx.Constant() {value = dense<0.1> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Constant() {value = dense<-3> : tensor<i8>} : () -> tensor<i8>
  %p = onnx.Constant() {value = dense<[0, 0, 0, 1, 0, 0, 0, 1]> : tensor<8xi64>} : () -> tensor<8xi64>
  // CHECK: %[[D:.*]] = onnx.DequantizeLinear(%arg0
  // CHECK: onnx.MaxPool(%[[D]])
  // CHECK: onnx.Pad(%[[D]]
  %d = onnx.DequantizeLinear(%x, %s, %z) : (tensor<1x2x4x4xi8>, tensor<f32>, tensor<i8>) -> tensor<1x2x4x4xf32>
  %a = onnx.MaxPool(%d) {kernel_shape = [2, 2], strides = [2, 2]} : (tensor<1x2x4x4xf32>) -> (tensor<1x2x2x2xf32>, _)
  %b = onnx.QuantizeLinear(%a, %s, %z) : (tensor<1x2x2x2xf32>, tensor<f32>, tensor<i8>) -> tensor<1x2x2x2xi8>
  %c = onnx.Pad(%d, %p, _, _) : (tensor<1x2x4x4xf32>, tensor<8xi64>) -> tensor<1x2x4x6xf32>
  %e = onnx.QuantizeLinear(%c, %s, %z) : (tensor<1x2x4x6xf32>, tensor<f32>, tensor<i8>) -> tensor<1x2x4x6xi8>
  return %b, %e : tensor<1x2x2x2xi8>, tensor<1x2x4x6xi8>
}
}
