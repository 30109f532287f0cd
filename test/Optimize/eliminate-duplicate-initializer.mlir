// RUN: onnx-mlir-opt %s --onnx-eliminate-duplicate-initializer | FileCheck %s
// RUN: onnx-mlir-opt %s --onnx-eliminate-duplicate-initializer=upstream-compatible | FileCheck %s --check-prefix=UPSTREAM

// CHECK-LABEL: func @bits
func.func @bits() {
  // CHECK-COUNT-2: onnx.Constant() {value = dense<{{-?}}0.0{{.*}}> : tensor<2xf32>}
  // CHECK-NEXT: onnx.Constant() {value = dense<0x7FC00000> : tensor<f32>}
  // CHECK-NEXT: onnx.Constant() {value = dense<0> : tensor<2xi32>}
  // CHECK-NEXT: onnx.Constant() {value = dense<1.0{{.*}}> : tensor<2xf8E4M3FN>}
  // CHECK-NEXT: return
  %a = onnx.Constant() {value = dense<0.0> : tensor<2xf32>} : () -> tensor<2xf32>
  %b = onnx.Constant() {value = dense<-0.0> : tensor<2xf32>} : () -> tensor<2xf32>
  %c = onnx.Constant() {value = dense<0.0> : tensor<2xf32>} : () -> tensor<2xf32>
  %d = onnx.Constant() {value = dense<0x7FC00000> : tensor<f32>} : () -> tensor<f32>
  %e = onnx.Constant() {value = dense<0x7FC00000> : tensor<f32>} : () -> tensor<f32>
  %f = onnx.Constant() {value = dense<0> : tensor<2xi32>} : () -> tensor<2xi32>
  %g = onnx.Constant() {value = dense<1.0> : tensor<2xf8E4M3FN>} : () -> tensor<2xf8E4M3FN>
  %h = onnx.Constant() {value = dense<1.0> : tensor<2xf8E4M3FN>} : () -> tensor<2xf8E4M3FN>
  return
}

// By content, whatever holds it.
// CHECK-LABEL: func @resources
func.func @resources() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  // CHECK-NEXT: %[[A:.*]] = onnx.Constant() {value = dense_resource<one>
  // CHECK-NEXT: %[[C:.*]] = onnx.Constant() {value = dense_resource<other>
  // CHECK-NEXT: return %[[A]], %[[A]], %[[C]]
  %a = onnx.Constant() {value = dense_resource<one> : tensor<2xf32>} : () -> tensor<2xf32>
  %b = onnx.Constant() {value = dense_resource<two> : tensor<2xf32>} : () -> tensor<2xf32>
  %c = onnx.Constant() {value = dense_resource<other> : tensor<2xf32>} : () -> tensor<2xf32>
  return %a, %b, %c : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// Out of both branches.
// CHECK-LABEL: func @branches
// UPSTREAM-LABEL: func @branches
func.func @branches(%c: tensor<i1>) -> tensor<2xf32> {
  // CHECK-NEXT: %[[K:.*]] = onnx.Constant()
  // CHECK-NEXT: onnx.If
  // CHECK-NEXT: onnx.yield %[[K]]
  // CHECK: onnx.Neg(%[[K]])
  // UPSTREAM-NEXT: onnx.If
  // UPSTREAM-COUNT-2: onnx.Constant
  %y = onnx.If(%c) then_branch {
    %a = onnx.Constant() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    onnx.yield %a : tensor<2xf32>
  } else_branch {
    %b = onnx.Constant() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %n = onnx.Neg(%b) : (tensor<2xf32>) -> tensor<2xf32>
    onnx.yield %n : tensor<2xf32>
  } : (tensor<i1>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      one: "0x040000000000803F0000803F",
      two: "0x040000000000803F0000803F",
      other: "0x040000000000803F00000040"
    }
  }
#-}
