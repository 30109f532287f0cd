// RUN: onnx-mlir-opt %s -split-input-file -verify-diagnostics --pass-pipeline='builtin.module(onnx-specialize-sizes{ranges=N=1..8})' | FileCheck %s
// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(onnxc-infer{dims=N=1..8,M=3})' -split-input-file -verify-diagnostics | FileCheck %s --check-prefix=STAGE

// The upper end, the lower one, half and a quarter; behind them any size.
// Constants are not copied.
// CHECK-LABEL: @entry
// CHECK: %[[W:.*]] = onnx.Constant
// CHECK: onnx.Shape(%arg0)
// CHECK: %[[C8:.*]] = onnx.Equal
// CHECK: onnx.If(%[[C8]])
// CHECK: %[[X8:.*]] = onnx.Identity(%arg0) : (tensor<?x?xf32>) -> tensor<8x?xf32>
// CHECK: %[[Z8:.*]] = onnx.Identity(%arg1) : (tensor<?xf32>) -> tensor<8xf32>
// CHECK: onnx.Add(%[[X8]], %[[W]])
// CHECK: onnx.Identity(%arg0) : (tensor<?x?xf32>) -> tensor<1x?xf32>
// CHECK: onnx.Identity(%arg0) : (tensor<?x?xf32>) -> tensor<4x?xf32>
// CHECK: onnx.Identity(%arg0) : (tensor<?x?xf32>) -> tensor<2x?xf32>
// CHECK: onnx.Add(%arg0, %[[W]])
// CHECK-NOT: onnx.Constant() {value = dense<1.0

// In the stage, what follows from a size is known; one size that is told is
// everywhere.
// STAGE-LABEL: @entry
// STAGE-SAME: tensor<?x3xf32> {onnx.dim_params = ["N", ""]
// STAGE: onnx.Add({{.*}} -> tensor<8x3xf32>
// STAGE: onnx.Add({{.*}} -> tensor<?x3xf32>
func.func @entry(%x: tensor<?x?xf32> {onnx.name = "x", onnx.dim_params = ["N", "M"]}, %z: tensor<?xf32> {onnx.name = "z", onnx.dim_params = ["N"]}) -> (tensor<?x?xf32> {onnx.name = "y"}) attributes {onnx.entry} {
  %w = onnx.Constant() {value = dense<1.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = onnx.Add(%x, %w) : (tensor<?x?xf32>, tensor<1xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// expected-error-re @+1 {{no input has a dimension '{{M|N}}'; named are K}}
func.func @absent(%x: tensor<?xf32> {onnx.name = "x", onnx.dim_params = ["K"]}) attributes {onnx.entry} {
  return
}
