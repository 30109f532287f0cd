// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --onnxc-form-pools | FileCheck %s

#read = affine_map<(n, c, y, x, ky, kx) -> (n, c, y * 2 + ky, x * 2 + kx)>
#window = affine_map<(n, c, y, x, ky, kx) -> (ky, kx)>
#result = affine_map<(n, c, y, x, ky, kx) -> (n, c, y, x)>

// The image comes from a kernel: so it is blocked. What is around it is -inf, and becomes pads.
// CHECK-LABEL: @maximum
// CHECK: %[[W:.*]] = arith.constant dense<1.000000e+00> : tensor<1x3x3x16xf32>
// CHECK: kernel.conv ins(%arg0, %[[W]] : tensor<1x2x8x8x16xf32>
// CHECK-SAME: group = 20
// CHECK-SAME: maximum
// CHECK-SAME: pads = array<i64: 1, 1, 0, 1>
// CHECK-SAME: strides = array<i64: 2, 2>
func.func @maximum(%blocked: tensor<1x2x8x8x16xf32>) -> tensor<1x20x4x4xf32> {
  %low = arith.constant 0xFF800000 : f32
  %plain = tensor.empty() : tensor<1x20x8x8xf32>
  %x = kernel.reorder ins(%blocked : tensor<1x2x8x8x16xf32>) outs(%plain : tensor<1x20x8x8xf32>) -> tensor<1x20x8x8xf32>
  %padded = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 0, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %low : f32
  } : tensor<1x20x8x8xf32> to tensor<1x20x9x10xf32>
  %w = tensor.empty() : tensor<3x3xf32>
  %empty = tensor.empty() : tensor<1x20x4x4xf32>
  %start = linalg.fill ins(%low : f32) outs(%empty : tensor<1x20x4x4xf32>) -> tensor<1x20x4x4xf32>
  %y = linalg.generic {indexing_maps = [#read, #window, #result],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%padded, %w : tensor<1x20x9x10xf32>, tensor<3x3xf32>) outs(%start : tensor<1x20x4x4xf32>) {
  ^bb0(%in: f32, %tap: f32, %out: f32):
    %m = arith.maximumf %out, %in : f32
    linalg.yield %m : f32
  } -> tensor<1x20x4x4xf32>
  return %y : tensor<1x20x4x4xf32>
}

// Zeros around the image change a maximum: they stay. Sums have a filter of ones.
// CHECK-LABEL: @zeros
// CHECK: tensor.pad
// CHECK: kernel.conv
// CHECK-SAME: maximum
// CHECK-SAME: pads = array<i64: 0, 0, 0, 0>
// CHECK: kernel.conv
// CHECK-NOT: maximum
// CHECK-SAME: pads = array<i64: 1, 1, 1, 1>
func.func @zeros(%blocked: tensor<?x2x8x8x16xf32>, %n: index) -> (tensor<?x32x4x4xf32>, tensor<?x32x4x4xf32>) {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %plain = tensor.empty(%n) : tensor<?x32x8x8xf32>
  %x = kernel.reorder ins(%blocked : tensor<?x2x8x8x16xf32>) outs(%plain : tensor<?x32x8x8xf32>) -> tensor<?x32x8x8xf32>
  %padded = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<?x32x8x8xf32> to tensor<?x32x10x10xf32>
  %w = tensor.empty() : tensor<3x3xf32>
  %empty = tensor.empty(%n) : tensor<?x32x4x4xf32>
  %lows = linalg.fill ins(%low : f32) outs(%empty : tensor<?x32x4x4xf32>) -> tensor<?x32x4x4xf32>
  %greatest = linalg.generic {indexing_maps = [#read, #window, #result],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%padded, %w : tensor<?x32x10x10xf32>, tensor<3x3xf32>) outs(%lows : tensor<?x32x4x4xf32>) {
  ^bb0(%in: f32, %tap: f32, %out: f32):
    %m = arith.maximumf %out, %in : f32
    linalg.yield %m : f32
  } -> tensor<?x32x4x4xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x32x4x4xf32>) -> tensor<?x32x4x4xf32>
  %sums = linalg.generic {indexing_maps = [#read, #window, #result],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%padded, %w : tensor<?x32x10x10xf32>, tensor<3x3xf32>) outs(%zeros : tensor<?x32x4x4xf32>) {
  ^bb0(%in: f32, %tap: f32, %out: f32):
    %s = arith.addf %out, %in : f32
    linalg.yield %s : f32
  } -> tensor<?x32x4x4xf32>
  return %greatest, %sums : tensor<?x32x4x4xf32>, tensor<?x32x4x4xf32>
}

// Not from a kernel: rows of pixels are as good as blocks, and blocking would be extra work.
// CHECK-LABEL: @plain
// CHECK-NOT: kernel.conv
func.func @plain(%x: tensor<1x32x9x9xf32>) -> tensor<1x32x4x4xf32> {
  %low = arith.constant 0xFF800000 : f32
  %w = tensor.empty() : tensor<3x3xf32>
  %empty = tensor.empty() : tensor<1x32x4x4xf32>
  %start = linalg.fill ins(%low : f32) outs(%empty : tensor<1x32x4x4xf32>) -> tensor<1x32x4x4xf32>
  %y = linalg.generic {indexing_maps = [#read, #window, #result],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<1x32x9x9xf32>, tensor<3x3xf32>) outs(%start : tensor<1x32x4x4xf32>) {
  ^bb0(%in: f32, %tap: f32, %out: f32):
    %m = arith.maximumf %out, %in : f32
    linalg.yield %m : f32
  } -> tensor<1x32x4x4xf32>
  return %y : tensor<1x32x4x4xf32>
}

// The greatest of halves is found among float32, and rounded to what it is.
// CHECK-LABEL: @halves
// CHECK: arith.extf
// CHECK: kernel.conv {{.*}} tensor<1x2x8x8x16xf32>, tensor<1x3x3x16xf32>
// CHECK-SAME: maximum
// CHECK: kernel.reorder {{.*}} -> tensor<1x32x3x3xf32>
// CHECK: arith.truncf {{.*}} : f32 to bf16
func.func @halves(%blocked: tensor<1x2x8x8x16xbf16>) -> tensor<1x32x3x3xbf16> {
  %low = arith.constant 0xFF80 : bf16
  %plain = tensor.empty() : tensor<1x32x8x8xbf16>
  %x = kernel.reorder ins(%blocked : tensor<1x2x8x8x16xbf16>) outs(%plain : tensor<1x32x8x8xbf16>) -> tensor<1x32x8x8xbf16>
  %w = tensor.empty() : tensor<3x3xbf16>
  %empty = tensor.empty() : tensor<1x32x3x3xbf16>
  %start = linalg.fill ins(%low : bf16) outs(%empty : tensor<1x32x3x3xbf16>) -> tensor<1x32x3x3xbf16>
  %y = linalg.generic {indexing_maps = [#read, #window, #result],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<1x32x8x8xbf16>, tensor<3x3xbf16>) outs(%start : tensor<1x32x3x3xbf16>) {
  ^bb0(%in: bf16, %tap: bf16, %out: bf16):
    %m = arith.maximumf %out, %in : bf16
    linalg.yield %m : bf16
  } -> tensor<1x32x3x3xbf16>
  return %y : tensor<1x32x3x3xbf16>
}

// Large windows overlap: the greatest of rows, then that of columns.
// CHECK-LABEL: @rows_then_columns
// CHECK: %[[ROWS:.*]] = kernel.conv ins(%arg0, %{{.*}} : tensor<1x2x8x8x16xf32>, tensor<1x1x5x16xf32>)
// CHECK-SAME: pads = array<i64: 0, 2, 0, 2>
// CHECK: kernel.conv ins(%[[ROWS]], %{{.*}} : tensor<1x2x8x8x16xf32>, tensor<1x5x1x16xf32>)
// CHECK-SAME: pads = array<i64: 2, 0, 2, 0>
func.func @rows_then_columns(%blocked: tensor<1x2x8x8x16xf32>) -> tensor<1x32x8x8xf32> {
  %low = arith.constant 0xFF800000 : f32
  %plain = tensor.empty() : tensor<1x32x8x8xf32>
  %x = kernel.reorder ins(%blocked : tensor<1x2x8x8x16xf32>) outs(%plain : tensor<1x32x8x8xf32>) -> tensor<1x32x8x8xf32>
  %padded = tensor.pad %x low[0, 0, 2, 2] high[0, 0, 2, 2] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %low : f32
  } : tensor<1x32x8x8xf32> to tensor<1x32x12x12xf32>
  %w = tensor.empty() : tensor<5x5xf32>
  %start = linalg.fill ins(%low : f32) outs(%plain : tensor<1x32x8x8xf32>) -> tensor<1x32x8x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, c, y, x, ky, kx) -> (n, c, y + ky, x + kx)>, #window, #result],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%padded, %w : tensor<1x32x12x12xf32>, tensor<5x5xf32>) outs(%start : tensor<1x32x8x8xf32>) {
  ^bb0(%in: f32, %tap: f32, %out: f32):
    %m = arith.maximumf %out, %in : f32
    linalg.yield %m : f32
  } -> tensor<1x32x8x8xf32>
  return %y : tensor<1x32x8x8xf32>
}
