// RUN: onnx-mlir-opt %s -onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v4" -onnxc-select-schedule | FileCheck %s --check-prefixes=CHECK,AVX512
// RUN: onnx-mlir-opt %s -onnxc-select-schedule | FileCheck %s --check-prefixes=CHECK,AVX2

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

// A transposition: tiles are whole lines of the cache where they are read (loop 1) and
// where they are written, and follow each other along the result.
// CHECK-LABEL: func.func @transposed
// AVX512: onnxc.schedule = {order = array<i64: 0, 1, 2>, squares = 1 : i64, tile = array<i64: 1, 16, 16>, vector = array<i64: 0, 0, 16>}
// AVX2: onnxc.schedule = {order = array<i64: 0, 1, 2>, squares = 1 : i64, tile = array<i64: 1, 16, 16>, vector = array<i64: 0, 0, 8>}
func.func @transposed(%a: tensor<2x256x64xf32>, %c: tensor<2x64x256xf32>) -> tensor<2x64x256xf32> {
  %0 = linalg.transpose ins(%a : tensor<2x256x64xf32>) outs(%c : tensor<2x64x256xf32>) permutation = [0, 2, 1]
  return %0 : tensor<2x64x256xf32>
}

// Two steps are gathered. Of bytes a square has 32 rows at most.
// CHECK-LABEL: func.func @transposed_pairs
// AVX512: onnxc.schedule = {order = array<i64: 1, 0>, tile = array<i64: 1, 16>, vector = array<i64: 0, 16>}
// AVX512: onnxc.schedule = {order = array<i64: 0, 1>, squares = 0 : i64, tile = array<i64: 32, 32>, vector = array<i64: 0, 32>}
// AVX2: onnxc.schedule = {order = array<i64: 1, 0>, tile = array<i64: 1, 8>, vector = array<i64: 0, 8>}
// AVX2: onnxc.schedule = {order = array<i64: 0, 1>, squares = 0 : i64, tile = array<i64: 32, 32>, vector = array<i64: 0, 32>}
func.func @transposed_pairs(%a: tensor<256x2xf32>, %b: tensor<2x256xf32>, %c: tensor<256x64xi8>, %d: tensor<64x256xi8>) -> (tensor<2x256xf32>, tensor<64x256xi8>) {
  %0 = linalg.transpose ins(%a : tensor<256x2xf32>) outs(%b : tensor<2x256xf32>) permutation = [1, 0]
  %1 = linalg.transpose ins(%c : tensor<256x64xi8>) outs(%d : tensor<64x256xi8>) permutation = [1, 0]
  return %0, %1 : tensor<2x256xf32>, tensor<64x256xi8>
}

// The largest divisors that fit the registers: 15 rows are three times 5; 6 vectors of 16
// columns are twice 3, and 12 of 8 columns are six times 2.
// CHECK-LABEL: func.func @divisors
// AVX512: {order = array<i64: 1, 0>, tile = array<i64: 5, 48, 1>, vector = array<i64: 0, 16, 0>}
// AVX2: {order = array<i64: 1, 0>, tile = array<i64: 5, 16, 1>, vector = array<i64: 0, 8, 0>}
func.func @divisors(%a: tensor<15x64xf32>, %b: tensor<64x96xf32>, %c: tensor<15x96xf32>) -> tensor<15x96xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<15x64xf32>, tensor<64x96xf32>) outs(%c : tensor<15x96xf32>) -> tensor<15x96xf32>
  return %0 : tensor<15x96xf32>
}

// 13 rows have no divisor that is more than half of what fits, and 11 vectors have none: there is a remainder.
// CHECK-LABEL: func.func @remainders
// AVX512: {order = array<i64: 1, 0>, tile = array<i64: 6, 64, 1>, vector = array<i64: 0, 16, 0>}
// AVX2: {order = array<i64: 1, 0>, tile = array<i64: 6, 16, 1>, vector = array<i64: 0, 8, 0>}
func.func @remainders(%a: tensor<13x64xf32>, %b: tensor<64x176xf32>, %c: tensor<13x176xf32>) -> tensor<13x176xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<13x64xf32>, tensor<64x176xf32>) outs(%c : tensor<13x176xf32>) -> tensor<13x176xf32>
  return %0 : tensor<13x176xf32>
}

// CHECK-LABEL: func.func @less_than_a_tile
// AVX512: {order = array<i64: 1, 0>, tile = array<i64: 3, 16, 1>, vector = array<i64: 0, 16, 0>}
// AVX2: {order = array<i64: 1, 0>, tile = array<i64: 3, 16, 1>, vector = array<i64: 0, 8, 0>}
func.func @less_than_a_tile(%a: tensor<3x64xf32>, %b: tensor<64x12xf32>, %c: tensor<3x12xf32>) -> tensor<3x12xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<3x64xf32>, tensor<64x12xf32>) outs(%c : tensor<3x12xf32>) -> tensor<3x12xf32>
  return %0 : tensor<3x12xf32>
}

// Of sizes that are not known, powers of two.
// CHECK-LABEL: func.func @open
// AVX512: {order = array<i64: 1, 0>, pack = 1 : i64, tile = array<i64: 4, 64, 1>, vector = array<i64: 0, 16, 0>}
// AVX2: {order = array<i64: 1, 0>, pack = 1 : i64, tile = array<i64: 4, 16, 1>, vector = array<i64: 0, 8, 0>}
func.func @open(%a: tensor<?x64xf32>, %b: tensor<64x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// Four tiles of rows are enough for packing a panel, three are not; of one step there is nothing to be packed.
// CHECK-LABEL: func.func @tiles_of_rows
// CHECK: pack = 1 : i64, tile = array<i64: 6,
// CHECK: {order = array<i64: 1, 0>, tile = array<i64: 6,
// CHECK: {order = array<i64: 1, 0>, tile = array<i64: 6,
func.func @tiles_of_rows(%a: tensor<24x64xf32>, %b: tensor<64x256xf32>, %c: tensor<24x256xf32>,
                         %d: tensor<18x64xf32>, %e: tensor<18x256xf32>, %f: tensor<24x1xf32>, %g: tensor<1x256xf32>)
    -> (tensor<24x256xf32>, tensor<18x256xf32>, tensor<24x256xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<24x64xf32>, tensor<64x256xf32>) outs(%c : tensor<24x256xf32>) -> tensor<24x256xf32>
  %1 = linalg.matmul ins(%d, %b : tensor<18x64xf32>, tensor<64x256xf32>) outs(%e : tensor<18x256xf32>) -> tensor<18x256xf32>
  %2 = linalg.matmul ins(%f, %g : tensor<24x1xf32>, tensor<1x256xf32>) outs(%c : tensor<24x256xf32>) -> tensor<24x256xf32>
  return %0, %1, %2 : tensor<24x256xf32>, tensor<18x256xf32>, tensor<24x256xf32>
}

// A block of results shares the rows that are loaded, in as many registers as there are; what
// both operands have a batch of shares nothing.
// CHECK-LABEL: func.func @batch_of_rows
// AVX512: {order = array<i64: 0, 1, 2>, tile = array<i64: 4, 1, 4, 16>, vector = array<i64: 0, 0, 0, 16>}
// AVX2: {order = array<i64: 0, 1, 2>, tile = array<i64: 2, 1, 4, 8>, vector = array<i64: 0, 0, 0, 8>}
func.func @batch_of_rows(%a: tensor<8x48x256xf32>, %b: tensor<8x512x256xf32>, %c: tensor<8x48x512xf32>) -> tensor<8x48x512xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(m, b, n, k) -> (b, m, k)>, affine_map<(m, b, n, k) -> (b, n, k)>,
      affine_map<(m, b, n, k) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<8x48x256xf32>, tensor<8x512x256xf32>) outs(%c : tensor<8x48x512xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %z, %p : f32
    linalg.yield %r : f32
  } -> tensor<8x48x512xf32>
  return %0 : tensor<8x48x512xf32>
}

// Nothing is loaded twice; eight sums, or four, hide the latency: of one row where it is long, else of several rows.
// CHECK-LABEL: func.func @sums_of_columns
// AVX512: {order = array<i64: 0>, tile = array<i64: 96, 1>, vector = array<i64: 16, 0>}
// AVX512: {order = array<i64: 0, 1>, tile = array<i64: 6, 16, 1>, vector = array<i64: 0, 16, 0>}
// AVX2: {order = array<i64: 0>, tile = array<i64: 32, 1>, vector = array<i64: 8, 0>}
// AVX2: {order = array<i64: 0, 1>, tile = array<i64: 2, 16, 1>, vector = array<i64: 0, 8, 0>}
func.func @sums_of_columns(%x: tensor<30x96xf32>, %y: tensor<96xf32>, %u: tensor<6x30x16xf32>, %v: tensor<6x16xf32>)
    -> (tensor<96xf32>, tensor<6x16xf32>) {
  %0 = linalg.generic {indexing_maps = [affine_map<(j, i) -> (i, j)>, affine_map<(j, i) -> (j)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<30x96xf32>) outs(%y : tensor<96xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<96xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(b, j, i) -> (b, i, j)>, affine_map<(b, j, i) -> (b, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%u : tensor<6x30x16xf32>) outs(%v : tensor<6x16xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<6x16xf32>
  return %0, %1 : tensor<96xf32>, tensor<6x16xf32>
}

// Lanes are those of the widest element. Five columns are eight lanes; three are none.
// CHECK-LABEL: func.func @widths
// AVX512: {order = array<i64: 0, 1>, tile = array<i64: 1, 48>, vector = array<i64: 0, 16>}
// AVX2: {order = array<i64: 0, 1>, tile = array<i64: 1, 32>, vector = array<i64: 0, 8>}
// CHECK: linalg.exp {onnxc.schedule = {order = array<i64: 0, 1>, tile = array<i64: 1, 8>, vector = array<i64: 0, 8>}}
// CHECK: linalg.exp {onnxc.schedule = {reason = "results are not written to consecutive addresses"}}
func.func @widths(%h: tensor<40x96xf16>, %f: tensor<40x96xf32>, %x: tensor<40x5xf32>, %y: tensor<40x3xf32>)
    -> (tensor<40x96xf32>, tensor<40x5xf32>, tensor<40x3xf32>) {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<40x96xf16>) outs(%f : tensor<40x96xf32>) {
  ^bb0(%a: f16, %b: f32):
    %r = arith.extf %a : f16 to f32
    linalg.yield %r : f32
  } -> tensor<40x96xf32>
  %1 = linalg.exp ins(%x : tensor<40x5xf32>) outs(%x : tensor<40x5xf32>) -> tensor<40x5xf32>
  %2 = linalg.exp ins(%y : tensor<40x3xf32>) outs(%y : tensor<40x3xf32>) -> tensor<40x3xf32>
  return %0, %1, %2 : tensor<40x96xf32>, tensor<40x5xf32>, tensor<40x3xf32>
}

// Sums of columns, of rows that lie far apart: some rows for all columns, then the next ones. A matrix that is near is
// read tile by tile, as is one of few columns.
// CHECK-LABEL: func.func @bands
// CHECK: linalg.reduce {{.*}} dimensions = [0] {{.*}}band = 16 : i64, order = array<i64: 1>
// CHECK: linalg.reduce
// CHECK-NOT: band
func.func @bands(%x: tensor<1024x1024xf32>, %y: tensor<1024xf32>, %near: tensor<64x600xf32>, %z: tensor<600xf32>, %few: tensor<9000x16xf32>, %u: tensor<16xf32>)
    -> (tensor<1024xf32>, tensor<600xf32>, tensor<16xf32>) {
  %0 = linalg.reduce {arith.addf} ins(%x : tensor<1024x1024xf32>) outs(%y : tensor<1024xf32>) dimensions = [0]
  %1 = linalg.reduce {arith.addf} ins(%near : tensor<64x600xf32>) outs(%z : tensor<600xf32>) dimensions = [0]
  %2 = linalg.reduce {arith.addf} ins(%few : tensor<9000x16xf32>) outs(%u : tensor<16xf32>) dimensions = [0]
  return %0, %1, %2 : tensor<1024xf32>, tensor<600xf32>, tensor<16xf32>
}
