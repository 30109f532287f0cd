// RUN: onnx-mlir-opt %s --onnx-activation-simplify | FileCheck %s
// RUN: onnx-mlir-opt %s --onnx-activation-simplify=nsz=true | FileCheck %s --check-prefix=NSZ

// CHECK-LABEL: func @within
// CHECK: %[[S:.*]] = onnx.Sigmoid(%arg0)
// CHECK: %[[R:.*]] = onnx.Relu(%arg0)
// CHECK: %[[T:.*]] = onnx.Tanh(%arg0)
// CHECK: return %[[S]], %[[R]], %arg1, %[[T]]
func.func @within(%x: tensor<?xf32>, %u: tensor<2xui8>) -> (tensor<?xf32>, tensor<?xf32>, tensor<2xui8>, tensor<?xf32>) {
  %n = onnx.Constant() {value = dense<-1.0> : tensor<f32>} : () -> tensor<f32>
  %z = onnx.Constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %o = onnx.Constant() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %m = onnx.Constant() {value = dense<255> : tensor<ui8>} : () -> tensor<ui8>
  %0 = onnx.Sigmoid(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = onnx.Clip(%0, %z, %o) : (tensor<?xf32>, tensor<f32>, tensor<f32>) -> tensor<?xf32>
  %2 = onnx.Relu(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %3 = onnx.Relu(%2) : (tensor<?xf32>) -> tensor<?xf32>
  %4 = onnx.Clip(%u, _, %m) : (tensor<2xui8>, tensor<ui8>) -> tensor<2xui8>
  %5 = onnx.Tanh(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %6 = onnx.Clip(%5, %n, %o) : (tensor<?xf32>, tensor<f32>, tensor<f32>) -> tensor<?xf32>
  return %1, %3, %4, %6 : tensor<?xf32>, tensor<?xf32>, tensor<2xui8>, tensor<?xf32>
}

// CHECK-LABEL: func @merged
// CHECK-DAG: %[[Z:.*]] = onnx.Constant() {value = dense<0.000000e+00> : tensor<f32>}
// CHECK-DAG: %[[SIX:.*]] = onnx.Constant() {value = dense<6.000000e+00> : tensor<f32>}
// CHECK: onnx.Clip(%arg0, %[[Z]], %[[SIX]])
func.func @merged(%x: tensor<?xf32>) -> tensor<?xf32> {
  %m = onnx.Constant() {value = dense<-1.0> : tensor<f32>} : () -> tensor<f32>
  %s = onnx.Constant() {value = dense<6.0> : tensor<f32>} : () -> tensor<f32>
  %0 = onnx.Clip(%x, %m, %s) : (tensor<?xf32>, tensor<f32>, tensor<f32>) -> tensor<?xf32>
  %1 = onnx.Relu(%0) : (tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// CHECK-LABEL: func @min_of_max
// CHECK: %[[A:.*]] = onnx.Constant() {value = dense<2> : tensor<i32>}
// CHECK: %[[B:.*]] = onnx.Constant() {value = dense<5> : tensor<i32>}
// CHECK: onnx.Clip(%arg0, %[[A]], %[[B]])
func.func @min_of_max(%x: tensor<?xi32>) -> tensor<?xi32> {
  %a = onnx.Constant() {value = dense<2> : tensor<i32>} : () -> tensor<i32>
  %b = onnx.Constant() {value = dense<5> : tensor<i32>} : () -> tensor<i32>
  %0 = onnx.Max(%a, %x) : (tensor<i32>, tensor<?xi32>) -> tensor<?xi32>
  %1 = onnx.Min(%0, %b) : (tensor<?xi32>, tensor<i32>) -> tensor<?xi32>
  return %1 : tensor<?xi32>
}

// Limits that cross, vary, or are NaN; integers have a least one without absolute.
// CHECK-LABEL: func @near_misses
// CHECK: onnx.Max
// CHECK: onnx.Min
// CHECK: onnx.Clip(%arg0, %arg1)
// CHECK: onnx.Relu
// CHECK: onnx.Abs
// CHECK: onnx.Relu
func.func @near_misses(%x: tensor<?xf32>, %v: tensor<f32>, %i: tensor<?xi8>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xi8>) {
  %a = onnx.Constant() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %b = onnx.Constant() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %0 = onnx.Max(%x, %a) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %1 = onnx.Min(%0, %b) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %2 = onnx.Clip(%x, %v, _) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %3 = onnx.Relu(%2) : (tensor<?xf32>) -> tensor<?xf32>
  %4 = onnx.Abs(%i) : (tensor<?xi8>) -> tensor<?xi8>
  %5 = onnx.Relu(%4) : (tensor<?xi8>) -> tensor<?xi8>
  return %1, %3, %5 : tensor<?xf32>, tensor<?xf32>, tensor<?xi8>
}

// Sqrt of -0 is -0, of which Relu makes +0; of two zeros the greater bound is +0.
// CHECK-LABEL: func @signed_zeros
// CHECK: onnx.Sqrt
// CHECK: %[[R:.*]] = onnx.Relu
// CHECK: %[[P:.*]] = onnx.Constant() {value = dense<0.000000e+00> : tensor<f32>}
// CHECK: %[[C:.*]] = onnx.Clip(%arg0, %[[P]])
// CHECK: return %[[R]], %[[C]]
// NSZ-LABEL: func @signed_zeros
// NSZ: %[[S:.*]] = onnx.Sqrt
// NSZ: return %[[S]]
func.func @signed_zeros(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %n = onnx.Constant() {value = dense<-0.0> : tensor<f32>} : () -> tensor<f32>
  %0 = onnx.Sqrt(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = onnx.Relu(%0) : (tensor<?xf32>) -> tensor<?xf32>
  %2 = onnx.Clip(%x, %n, _) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %3 = onnx.Relu(%2) : (tensor<?xf32>) -> tensor<?xf32>
  return %1, %3 : tensor<?xf32>, tensor<?xf32>
}

// Limits in the upper half of unsigned numbers, of one element in a list; limits
// that the type has anyway. Those of 64 bits are no numbers of float64.
// CHECK-LABEL: func @unsigned
// CHECK: %[[L:.*]] = onnx.Constant() {value = dense<130> : tensor<ui8>}
// CHECK: %[[H:.*]] = onnx.Constant() {value = dense<200> : tensor<ui8>}
// CHECK: %[[C:.*]] = onnx.Clip(%arg0, %[[L]], %[[H]])
// CHECK: onnx.Max(%arg1,
// CHECK: %[[M:.*]] = onnx.Min
// CHECK: return %[[C]], %[[M]], %arg0
func.func @unsigned(%x: tensor<?xui8>, %y: tensor<?xui64>) -> (tensor<?xui8>, tensor<?xui64>, tensor<?xui8>) {
  %a = onnx.Constant() {value = dense<130> : tensor<1xui8>} : () -> tensor<1xui8>
  %b = onnx.Constant() {value = dense<200> : tensor<1xui8>} : () -> tensor<1xui8>
  %0 = onnx.Max(%x, %a) : (tensor<?xui8>, tensor<1xui8>) -> tensor<?xui8>
  %1 = onnx.Min(%0, %b) : (tensor<?xui8>, tensor<1xui8>) -> tensor<?xui8>
  %c = onnx.Constant() {value = dense<9223372036854775808> : tensor<1xui64>} : () -> tensor<1xui64>
  %d = onnx.Constant() {value = dense<13835058055282163712> : tensor<1xui64>} : () -> tensor<1xui64>
  %2 = onnx.Max(%y, %c) : (tensor<?xui64>, tensor<1xui64>) -> tensor<?xui64>
  %3 = onnx.Min(%2, %d) : (tensor<?xui64>, tensor<1xui64>) -> tensor<?xui64>
  %e = onnx.Constant() {value = dense<255> : tensor<ui8>} : () -> tensor<ui8>
  %4 = onnx.Clip(%x, _, %e) : (tensor<?xui8>, tensor<ui8>) -> tensor<?xui8>
  return %1, %3, %4 : tensor<?xui8>, tensor<?xui64>, tensor<?xui8>
}
