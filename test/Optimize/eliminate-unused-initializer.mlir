// RUN: onnx-mlir-opt %s --onnx-eliminate-unused-initializer=keep-interface=false | FileCheck %s
// RUN: onnx-mlir-opt %s --onnx-eliminate-unused-initializer | FileCheck %s --check-prefix=KEEP

// Who gives a value to an input goes on to be understood.
// KEEP-LABEL: func @main
// KEEP-SAME: onnx.name = "x"{{.*}}onnx.name = "unused"{{.*}}onnx.name = "used"
// KEEP-NEXT: onnx.Constant() {value_int = 1}

// CHECK-LABEL: func @main
// CHECK-SAME: (%arg0: tensor<2xf32> {onnx.name = "x"}, %arg1: tensor<2xf32> {onnx.default = dense<2.000000e+00> : tensor<2xf32>, onnx.name = "used"})
// CHECK-NEXT: onnx.Constant() {value_int = 1}
// CHECK-NEXT: onnx.Add
func.func @main(%x: tensor<2xf32> {onnx.name = "x"}, %d: tensor<2xf32> {onnx.name = "unused", onnx.default = dense<1.0> : tensor<2xf32>},
    %e: tensor<2xf32> {onnx.name = "used", onnx.default = dense<2.0> : tensor<2xf32>}) -> tensor<2xf32> attributes {onnx.entry} {
  %0 = onnx.Constant() {onnx.initializer, value = dense<1.0> : tensor<2xf32>} : () -> tensor<2xf32>
  %1 = onnx.Constant() {value_int = 1} : () -> tensor<i64>
  %2 = onnx.Add(%x, %e) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}

// CHECK-LABEL: func @in_a_branch
// CHECK: onnx.Constant
func.func @in_a_branch(%c: tensor<i1>) -> tensor<2xf32> {
  %0 = onnx.Constant() {onnx.initializer, value = dense<1.0> : tensor<2xf32>} : () -> tensor<2xf32>
  %1 = onnx.If(%c) then_branch {
    onnx.yield %0 : tensor<2xf32>
  } else_branch {
    %n = onnx.Neg(%0) : (tensor<2xf32>) -> tensor<2xf32>
    onnx.yield %n : tensor<2xf32>
  } : (tensor<i1>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
