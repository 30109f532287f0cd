// RUN: onnx-mlir-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @cast_like
func.func @cast_like(%x: tensor<?xf32>, %t: tensor<*xf16>, %u: !onnx.unknown) -> (tensor<?xf16>, tensor<?xf32>, !onnx.unknown) {
  // CHECK: onnx.Cast(%arg0) {saturate = 0, to = 10} : (tensor<?xf32>) -> tensor<?xf16>
  %0 = onnx.CastLike(%x, %t) {saturate = 0} : (tensor<?xf32>, tensor<*xf16>) -> tensor<?xf16>
  // CHECK-NOT: onnx.CastLike(%arg0, %arg0)
  %1 = onnx.CastLike(%x, %x) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  // CHECK: onnx.CastLike(%arg0, %arg2)
  %2 = onnx.CastLike(%x, %u) : (tensor<?xf32>, !onnx.unknown) -> !onnx.unknown
  return %0, %1, %2 : tensor<?xf16>, tensor<?xf32>, !onnx.unknown
}
