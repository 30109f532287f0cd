// RUN: onnx-mlir-opt %s -onnxc-select-schedule="vector-bytes=64 registers=32" | FileCheck %s --check-prefixes=CHECK,AVX512
// RUN: onnx-mlir-opt %s -onnxc-select-schedule="vector-bytes=32 registers=16" | FileCheck %s --check-prefixes=CHECK,AVX2

#a = affine_map<(m, n, k) -> (m, k)>
#bt = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Lanes along n, the register tile along m and n; a panel of b is packed for
// all rows of a.
// CHECK-LABEL: func.func @matmul
// AVX512: linalg.matmul {onnxc.schedule = {order = array<i64: 1, 0>, pack = 1 : i64, tile = array<i64: 6, 64, 1>, vector = array<i64: 0, 16, 0>}}
// AVX2: linalg.matmul {onnxc.schedule = {{.*}}pack = 1 : i64, tile = array<i64: 6, 16, 1>, vector = array<i64: 0, 8, 0>}}
func.func @matmul(%a: tensor<48x256xf32>, %b: tensor<256x512xf32>, %c: tensor<48x512xf32>) -> tensor<48x512xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<48x256xf32>, tensor<256x512xf32>) outs(%c : tensor<48x512xf32>) -> tensor<48x512xf32>
  return %0 : tensor<48x512xf32>
}

// For a few rows, packing b costs more than it brings.
// CHECK-LABEL: func.func @few_rows
// AVX512: linalg.matmul {onnxc.few_rows, onnxc.schedule = {order = array<i64: 1, 0>, tile = array<i64: 4, 64, 1>
func.func @few_rows(%a: tensor<?x256xf32>, %b: tensor<256x512xf32>, %c: tensor<?x512xf32>) -> tensor<?x512xf32> {
  %0 = linalg.matmul {onnxc.few_rows} ins(%a, %b : tensor<?x256xf32>, tensor<256x512xf32>) outs(%c : tensor<?x512xf32>) -> tensor<?x512xf32>
  return %0 : tensor<?x512xf32>
}

// Rows of both operands are contiguous along k: lanes hold partial sums.
// CHECK-LABEL: func.func @matmul_transposed_b
// AVX512: vector = array<i64: 0, 0, 16>
// AVX2: vector = array<i64: 0, 0, 8>
func.func @matmul_transposed_b(%a: tensor<48x256xf32>, %b: tensor<512x256xf32>, %c: tensor<48x512xf32>) -> tensor<48x512xf32> {
  %0 = linalg.generic {indexing_maps = [#a, #bt, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<48x256xf32>, tensor<512x256xf32>) outs(%c : tensor<48x512xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %z, %p : f32
    linalg.yield %r : f32
  } -> tensor<48x512xf32>
  return %0 : tensor<48x512xf32>
}

// Lanes along the width, the tile along output channels and width.
// CHECK-LABEL: func.func @convolution
// AVX512: tile = array<i64: 1, 6, 1, 64, 1, 1, 1>, vector = array<i64: 0, 0, 0, 16, 0, 0, 0>
func.func @convolution(%x: tensor<1x64x66x66xf32>, %k: tensor<96x64x3x3xf32>, %y: tensor<1x96x64x64xf32>) -> tensor<1x96x64x64xf32> {
  %0 = linalg.conv_2d_nchw_fchw ins(%x, %k : tensor<1x64x66x66xf32>, tensor<96x64x3x3xf32>) outs(%y : tensor<1x96x64x64xf32>) -> tensor<1x96x64x64xf32>
  return %0 : tensor<1x96x64x64xf32>
}

// A dynamic batch does not matter to the lanes.
// CHECK-LABEL: func.func @row_sum
// AVX512: tile = array<i64: 1, 64>, vector = array<i64: 0, 16>
func.func @row_sum(%x: tensor<?x768xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x768xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @reasons
// CHECK: {onnxc.schedule = {reason = "elements narrower than a byte"}}
// CHECK: {onnxc.schedule = {reason = "no loop is long enough for lanes"}}
// CHECK: {onnxc.schedule = {reason = "an index is not a linear function of the loops"}}
func.func @reasons(%b: tensor<64xi1>, %s: tensor<3xf32>, %x: tensor<64xf32>, %y: tensor<32xf32>) -> (tensor<64xi1>, tensor<3xf32>, tensor<64xf32>) {
  %0 = linalg.copy ins(%b : tensor<64xi1>) outs(%b : tensor<64xi1>) -> tensor<64xi1>
  %1 = linalg.copy ins(%s : tensor<3xf32>) outs(%s : tensor<3xf32>) -> tensor<3xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i floordiv 2)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%y : tensor<32xf32>) outs(%x : tensor<64xf32>) {
  ^bb0(%u: f32, %v: f32):
    linalg.yield %u : f32
  } -> tensor<64xf32>
  return %0, %1, %2 : tensor<64xi1>, tensor<3xf32>, tensor<64xf32>
}

// A transposition: the loop along which the input lies is the innermost.
// CHECK-LABEL: func.func @transposed
// AVX512: onnxc.schedule = {order = array<i64: 0, 2, 1>, tile = array<i64: 1, 1, 16>, vector = array<i64: 0, 0, 16>}
// AVX2: onnxc.schedule = {order = array<i64: 0, 2, 1>, tile = array<i64: 1, 1, 8>, vector = array<i64: 0, 0, 8>}
func.func @transposed(%a: tensor<2x256x64xf32>, %c: tensor<2x64x256xf32>) -> tensor<2x64x256xf32> {
  %0 = linalg.transpose ins(%a : tensor<2x256x64xf32>) outs(%c : tensor<2x64x256xf32>) permutation = [0, 2, 1]
  return %0 : tensor<2x64x256xf32>
}
