// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(func.func(onnxc-sink-transposes))' | FileCheck %s

#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// Between the two, the sum is computed as both operands lie in memory.
// CHECK-LABEL: @elementwise
// CHECK-NOT: linalg.transpose
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x6x4xf32>)
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @elementwise(%x: tensor<1x6x4xf32>, %y: tensor<1x6x4xf32>) -> tensor<1x6x4xf32> {
  %e = tensor.empty() : tensor<1x4x6xf32>
  %e1 = tensor.empty() : tensor<1x6x4xf32>
  %a = linalg.transpose ins(%x : tensor<1x6x4xf32>) outs(%e : tensor<1x4x6xf32>) permutation = [0, 2, 1] {onnxc.sinks}
  %b = linalg.transpose ins(%y : tensor<1x6x4xf32>) outs(%e : tensor<1x4x6xf32>) permutation = [0, 2, 1] {onnxc.sinks}
  %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a, %b : tensor<1x4x6xf32>, tensor<1x4x6xf32>) outs(%e : tensor<1x4x6xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %r = arith.addf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<1x4x6xf32>
  %t = linalg.transpose ins(%s : tensor<1x4x6xf32>) outs(%e1 : tensor<1x6x4xf32>) permutation = [0, 2, 1]
  return %t : tensor<1x6x4xf32>
}

// CHECK-LABEL: @pad
// CHECK: tensor.pad %arg0 low[0, 2, 0] high[0, 3, 0]
// CHECK: linalg.transpose
func.func @pad(%x: tensor<1x6x4xf32>) -> tensor<1x4x11xf32> {
  %c = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<1x4x6xf32>
  %a = linalg.transpose ins(%x : tensor<1x6x4xf32>) outs(%e : tensor<1x4x6xf32>) permutation = [0, 2, 1] {onnxc.sinks}
  %p = tensor.pad %a low[0, 0, 2] high[0, 0, 3] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %c : f32
  } : tensor<1x4x6xf32> to tensor<1x4x11xf32>
  return %p : tensor<1x4x11xf32>
}
