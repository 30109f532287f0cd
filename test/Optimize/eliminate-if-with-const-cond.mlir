// RUN: onnx-mlir-opt %s --onnx-eliminate-if-with-const-cond | FileCheck %s

// CHECK-LABEL: func @taken
// CHECK: %[[C:.*]] = onnx.Constant() {value = dense<true> : tensor<1x1xi1>}
// CHECK-NEXT: %[[S:.*]] = onnx.Sin(%arg0)
// CHECK-NEXT: %[[I:.*]] = onnx.If(%arg1)
// CHECK: onnx.Relu(%[[S]])
// CHECK: return %[[I]], %arg0
func.func @taken(%x: tensor<2xf32>, %d: tensor<i1>) -> (tensor<2xf32>, tensor<2xf32>) {
  %c = onnx.Constant() {value = dense<true> : tensor<1x1xi1>} : () -> tensor<1x1xi1>
  %0, %1 = onnx.If(%c) then_branch {
    %a = onnx.Sin(%x) : (tensor<2xf32>) -> tensor<2xf32>
    %n = onnx.If(%d) then_branch {
      %r = onnx.Relu(%a) : (tensor<2xf32>) -> tensor<2xf32>
      onnx.yield %r : tensor<2xf32>
    } else_branch {
      onnx.yield %a : tensor<2xf32>
    } : (tensor<i1>) -> tensor<2xf32>
    onnx.yield %n, %x : tensor<2xf32>, tensor<2xf32>
  } else_branch {
    onnx.yield %x, %x : tensor<2xf32>, tensor<2xf32>
  } : (tensor<1x1xi1>) -> (tensor<2xf32>, tensor<2xf32>)
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func @not_known
// CHECK: onnx.If
func.func @not_known(%x: tensor<2xf32>, %d: tensor<i1>) -> tensor<2xf32> {
  %0 = onnx.If(%d) then_branch {
    onnx.yield %x : tensor<2xf32>
  } else_branch {
    %n = onnx.Neg(%x) : (tensor<2xf32>) -> tensor<2xf32>
    onnx.yield %n : tensor<2xf32>
  } : (tensor<i1>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
