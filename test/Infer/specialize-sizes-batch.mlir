// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(onnx-specialize-sizes{batch-of-one=true})' | FileCheck %s
// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(onnxc-infer{batch-of-one=true dims=N=2..2})' | FileCheck %s --check-prefix=STATED

// T is not a dimension of each input.
// CHECK-LABEL: @items
// CHECK: onnx.If(
// CHECK: onnx.Identity(%arg0) : (tensor<?x?xf32>) -> tensor<?x1xf32>
// CHECK: onnx.Identity(%arg1) : (tensor<?xf32>) -> tensor<1xf32>
// CHECK-NOT: onnx.If(
// STATED-LABEL: @items
// STATED-NOT: tensor<?x1xf32>
func.func @items(%x: tensor<?x?xf32> {onnx.name = "x", onnx.dim_params = ["T", "N"]}, %z: tensor<?xf32> {onnx.name = "z", onnx.dim_params = ["N"]}, %s: tensor<f32> {onnx.name = "s"}) -> (tensor<?x?xf32> {onnx.name = "y"}) attributes {onnx.entry} {
  %0 = onnx.Add(%x, %z) : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// What makes a map stands behind the branches, as no If hands on a map.
// CHECK-LABEL: @maps
// CHECK: %[[OUT:[0-9]+]] = onnx.If(
// CHECK-COUNT-2: onnx.Neg
// CHECK-NOT: onnx.Neg
// CHECK: %[[MAPS:[0-9]+]] = onnx.ml.ZipMap(%[[OUT]])
// CHECK-NEXT: return %[[MAPS]], %arg0
func.func @maps(%x: tensor<?x2xf32> {onnx.name = "x", onnx.dim_params = ["N", ""]}) -> (!onnx.seq<!onnx.map<i64, tensor<f32>>> {onnx.name = "y"}, tensor<?x2xf32> {onnx.name = "z"}) attributes {onnx.entry} {
  %0 = onnx.Neg(%x) : (tensor<?x2xf32>) -> tensor<?x2xf32>
  %1 = onnx.ml.ZipMap(%0) {classlabels_int64s = [1, 2]} : (tensor<?x2xf32>) -> !onnx.seq<!onnx.map<i64, tensor<f32>>>
  return %1, %x : !onnx.seq<!onnx.map<i64, tensor<f32>>>, tensor<?x2xf32>
}
