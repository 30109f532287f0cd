// RUN: onnx-mlir-opt %s -onnxc-set-target="triple=x86_64-linux-gnu cpu=skylake" -onnxc-select-schedule | FileCheck %s --check-prefixes=CHECK,SMALL
// RUN: onnx-mlir-opt %s -onnxc-set-target="triple=x86_64-linux-gnu cpu=alderlake" -onnxc-select-schedule | FileCheck %s --check-prefixes=CHECK,LARGE

// The processors differ in their caches alone: 32 and 256 KiB, and 48 and 1,280 KiB.

#lhs = affine_map<(m, n, k) -> (m, k)>
#panels = affine_map<(m, n, k) -> (n floordiv 24, k, n mod 24)>
#out = affine_map<(m, n, k) -> (m, n)>

// Steps of which a panel of 24 columns takes three quarters of the first level; rows that take a quarter of the second.
// CHECK-LABEL: func.func @products
// SMALL: depth = 254, block = 64, rows_outside = true
// LARGE: depth = 381, block = 108, rows_outside = true
func.func @products(%x: tensor<1500x762xf32>, %w: tensor<48x762x24xf32>, %y: tensor<1500x1152xf32>) -> tensor<1500x1152xf32> {
  %0 = kernel.matmul ins(%x, %w : tensor<1500x762xf32>, tensor<48x762x24xf32>) outs(%y : tensor<1500x1152xf32>)
      {indexing_maps = [#lhs, #panels, #out], epilogue_maps = []} epilogue {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  } -> tensor<1500x1152xf32>
  return %0 : tensor<1500x1152xf32>
}

// A pointwise convolution's blocks of channels at a time: as many as half of the first level holds of a panel.
// CHECK-LABEL: func.func @channels
// SMALL: depth = 32
// LARGE: depth = 43
func.func @channels(%x: tensor<1x128x14x14x8xf32>, %w: tensor<16x128x1x1x8x16xf32>, %y: tensor<1x32x14x14x8xf32>) -> tensor<1x32x14x14x8xf32> {
  %r = kernel.conv ins(%x, %w : tensor<1x128x14x14x8xf32>, tensor<16x128x1x1x8x16xf32>)
      outs(%y : tensor<1x32x14x14x8xf32>) {channels = 1024 : i64, filters = 256 : i64, group = 1 : i64, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, epilogue_maps = []} epilogue {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  } -> tensor<1x32x14x14x8xf32>
  return %r : tensor<1x32x14x14x8xf32>
}
