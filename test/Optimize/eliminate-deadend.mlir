// RUN: onnx-mlir-opt %s --onnx-eliminate-deadend | FileCheck %s

// CHECK-LABEL: func @chains
// CHECK-NEXT: onnx.If
// CHECK-NEXT: onnx.Neg
// CHECK-NEXT: onnx.yield
// CHECK-NEXT: else_branch
// CHECK-NEXT: onnx.yield
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @chains(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = onnx.Exp(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = onnx.RandomNormalLike(%0) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = onnx.If(%c) then_branch {
    %n = onnx.Neg(%x) : (tensor<2xf32>) -> tensor<2xf32>
    %d = onnx.Add(%1, %n) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %e = onnx.node "Custom" domain "my" version 1 (%d) {} : (tensor<2xf32>) -> tensor<2xf32>
    onnx.yield %n : tensor<2xf32>
  } else_branch {
    onnx.yield %x : tensor<2xf32>
  } : (tensor<i1>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}

// CHECK-LABEL: func @captured
// CHECK-NEXT: onnx.Exp
func.func @captured(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = onnx.Exp(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = onnx.If(%c) then_branch {
    onnx.yield %0 : tensor<2xf32>
  } else_branch {
    onnx.yield %x : tensor<2xf32>
  } : (tensor<i1>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
