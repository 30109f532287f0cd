// RUN: onnx-mlir-opt %s -split-input-file -onnxc-bufferize=opt-level=0 | FileCheck %s

// A chain of ops needs one temporary; the last one writes into the caller's
// buffer; a model function is part of the plan.
// CHECK: onnxc.workspace = 64 : i64
// CHECK-NOT: func.func private
// CHECK-LABEL: func.func @chain
// CHECK-NOT: memref.copy
// CHECK: %[[T:.*]] = memref.view
// CHECK: memref.store %{{.*}}, %[[T]]
// CHECK: memref.load %[[T]]
// CHECK-NOT: memref.view
// CHECK: return
func.func private @inner(%x: tensor<16xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %y = linalg.exp ins(%x : tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  return %y : tensor<16xf32>
}
func.func @chain(%x: tensor<16xf32>) -> tensor<16xf32> attributes {onnxc.entry} {
  %y = call @inner(%x) : (tensor<16xf32>) -> tensor<16xf32>
  %e = tensor.empty() : tensor<16xf32>
  %z = linalg.add ins(%x, %y : tensor<16xf32>, tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  return %z : tensor<16xf32>
}

// -----

// The producer of a padded value writes into the padded buffer, and weights
// are not copied.
// CHECK: onnxc.weights = [{offset = 0 : i64, value = dense_resource<w> : tensor<64xf32>}]
// CHECK-LABEL: func.func @pad_without_copy
// CHECK-NOT: memref.copy
// CHECK: return
func.func @pad_without_copy() -> tensor<66xf32> attributes {onnxc.entry} {
  %w = arith.constant dense_resource<w> : tensor<64xf32>
  %v = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %y = linalg.exp ins(%w : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %p = tensor.pad %y low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<64xf32> to tensor<66xf32>
  return %p : tensor<66xf32>
}

{-#
  dialect_resources: {
    builtin: {
      w: "0x0400000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
    }
  }
#-}
