// RUN: onnx-mlir-opt %s -split-input-file -verify-diagnostics -onnxc-end-tuning | FileCheck %s

// Only kernels that have a schedule took one.
// CHECK-NOT: onnxc.tuning
// expected-remark @below {{tuning: no kernel is 'matmul rows=9 columns=96 steps=64 f32 f32 to f32 constant'}}
module attributes {onnxc.tuning = {"matmul rows=8 columns=96 steps=64 f32 f32 to f32 constant" = #kernel.matmul_schedule<rows = 2, columns = 48>,
                                   "matmul rows=9 columns=96 steps=64 f32 f32 to f32 constant" = #kernel.matmul_schedule<rows = 2, columns = 48>}} {
  func.func @tuned(%x: tensor<8x64xf32>, %w: tensor<4x64x24xf32>, %y: tensor<8x96xf32>) -> tensor<8x96xf32> {
    %0 = kernel.matmul ins(%x, %w : tensor<8x64xf32>, tensor<4x64x24xf32>) outs(%y : tensor<8x96xf32>)
        {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n floordiv 24, k, n mod 24)>, affine_map<(m, n, k) -> (m, n)>],
         epilogue_maps = [], onnxc.schedule = #kernel.matmul_schedule<rows = 2, columns = 48>, onnxc.tuned} epilogue {
    ^bb0(%s: f32):
      kernel.yield %s : f32
    } -> tensor<8x96xf32>
    return %0 : tensor<8x96xf32>
  }
}
