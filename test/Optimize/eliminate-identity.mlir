// RUN: onnx-mlir-opt %s --onnx-eliminate-identity | FileCheck %s
// RUN: onnx-mlir-opt %s --canonicalize | FileCheck %s
// RUN: onnx-mlir-opt %s --onnx-optimize=passes=eliminate_identity,eliminate-identity | FileCheck %s

// CHECK-LABEL: func @chain
// CHECK-SAME: (%[[X:.*]]: tensor<2x?xf32>)
func.func @chain(%x: tensor<2x?xf32>) -> tensor<2x?xf32> {
  %a = onnx.Identity(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %b = onnx.Identity(%a) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK: return %[[X]]
  return %b : tensor<2x?xf32>
}

// What the Identity's type tells becomes the type of what it is replaced by.
// CHECK-LABEL: func @types_meet
func.func @types_meet(%x: tensor<2x?xf32>) -> tensor<2x3xf32> attributes {onnx.entry} {
  // CHECK: %[[R:.*]] = onnx.Relu({{.*}}) : (tensor<2x?xf32>) -> tensor<2x3xf32>
  %a = onnx.Relu(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %b = onnx.Identity(%a) : (tensor<2x?xf32>) -> tensor<2x3xf32>
  // CHECK: return %[[R]] : tensor<2x3xf32>
  return %b : tensor<2x3xf32>
}

// CHECK-LABEL: func @in_branches
func.func @in_branches(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %y = onnx.If(%c) then_branch {
    %a = onnx.Identity(%x) : (tensor<2xf32>) -> tensor<2xf32>
    // CHECK: onnx.yield %arg1
    onnx.yield %a : tensor<2xf32>
  } else_branch {
    %b = onnx.Neg(%x) : (tensor<2xf32>) -> tensor<2xf32>
    onnx.yield %b : tensor<2xf32>
  } : (tensor<i1>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
