// RUN: onnx-mlir-opt %s -split-input-file -onnxc-vectorize=remarks -canonicalize -verify-diagnostics | FileCheck %s

// Accumulators stay in registers; 5 rows are 4 and 1; 12 columns are a full
// vector and a masked one.
// CHECK-LABEL: func.func @matmul
// CHECK: scf.for %{{.*}} iter_args({{.*}}) -> ({{(vector<8xf32>(, )?)+}})
// CHECK-NOT: vector.transfer
// CHECK: arith.mulf %{{.*}}, %{{.*}} fastmath<contract> : vector<8xf32>
// CHECK: vector.maskedstore
// CHECK-NOT: linalg
func.func @matmul(%a: memref<5x9xf32>, %b: memref<9x12xf32>, %c: memref<5x12xf32>) {
  linalg.matmul ins(%a, %b : memref<5x9xf32>, memref<9x12xf32>) outs(%c : memref<5x12xf32>)
  return
}

// -----

// A panel of b is copied once for all rows; a tile reads it in steps of 16.
// CHECK-LABEL: func.func @packed
// CHECK: scf.for
// CHECK: %[[P:.*]] = memref.alloc() {alignment = 64 : i64} : memref<1024xf32>
// CHECK: vector.store %{{.*}}, %[[P]]
// CHECK: scf.for
// CHECK: scf.for %{{.*}} iter_args
// CHECK: vector.load %[[P]]
func.func @packed(%a: memref<48x64xf32>, %b: memref<64x96xf32>, %c: memref<48x96xf32>) {
  linalg.matmul ins(%a, %b : memref<48x64xf32>, memref<64x96xf32>) outs(%c : memref<48x96xf32>)
  return
}

// -----

// Four partial sums hide the latency of an addition; NaN and infinities pass.
// CHECK-LABEL: func.func @sum
// CHECK: scf.for %{{.*}} iter_args({{.*}}) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK: vector.reduction <add>, %{{.*}} fastmath<reassoc>
func.func @sum(%x: memref<1024xf32>, %y: memref<f32>) {
  linalg.reduce {arith.addf} ins(%x : memref<1024xf32>) outs(%y : memref<f32>) dimensions = [0]
  return
}

// -----

// Lanes behind the end must not win; NaN must.
// CHECK-LABEL: func.func @dynamic_maximum
// CHECK: %[[LOW:.*]] = arith.constant dense<0xFF800000> : vector<8xf32>
// CHECK: %[[TERM:.*]] = vector.maskedload
// CHECK: arith.select %{{.*}}, %[[TERM]], %[[LOW]]
// CHECK: %[[BEST:.*]] = vector.reduction <maxnumf>
// CHECK: %[[NAN:.*]] = vector.reduction <or>
// CHECK: arith.select %[[NAN]], %{{.*}}, %[[BEST]]
func.func @dynamic_maximum(%x: memref<?xf32>, %y: memref<f32>) {
  linalg.reduce {arith.maximumf} ins(%x : memref<?xf32>) outs(%y : memref<f32>) dimensions = [0]
  return
}

// -----

// An accumulator that only takes numbers is none of NaN: a comparison is enough.
// CHECK-LABEL: func.func @greatest_number
// CHECK: arith.constant dense<0xFF800000> : vector<8xf32>
// CHECK: scf.for {{.*}} iter_args(%[[ACC:[a-z0-9]+]] =
// CHECK: %[[WINS:.*]] = arith.cmpf ogt, %[[TERM:.*]], %[[ACC]]
// CHECK: arith.select %[[WINS]], %[[TERM]], %[[ACC]]
// CHECK: vector.reduction <maxnumf>, %{{.*}} fastmath<nnan,nsz>
// CHECK-NOT: cmpf uno
func.func @greatest_number(%x: memref<?xf32>, %y: memref<f32>) {
  linalg.reduce {arith.maxnumf} ins(%x : memref<?xf32>) outs(%y : memref<f32>) dimensions = [0]
  return
}

// -----

// The same of the least.
// CHECK-LABEL: func.func @least_number
// CHECK: arith.constant dense<0x7F800000> : vector<8xf32>
// CHECK: scf.for {{.*}} iter_args(%[[ACC:[a-z0-9]+]] =
// CHECK: %[[WINS:.*]] = arith.cmpf olt, %[[TERM:.*]], %[[ACC]]
// CHECK: arith.select %[[WINS]], %[[TERM]], %[[ACC]]
// CHECK: vector.reduction <minnumf>, %{{.*}} fastmath<nnan,nsz>
// CHECK-NOT: cmpf uno
func.func @least_number(%x: memref<?xf32>, %y: memref<f32>) {
  linalg.reduce {arith.minnumf} ins(%x : memref<?xf32>) outs(%y : memref<f32>) dimensions = [0]
  return
}

// -----

// Every second element comes from two loads and a shuffle.
// CHECK-LABEL: func.func @strided
// CHECK: vector.load
// CHECK: vector.load
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [0, 2, 4, 6, 9, 11, 13, 15]
func.func @strided(%x: memref<64xf32>, %y: memref<32xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (2 * i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<64xf32>) outs(%y : memref<32xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

// The layout that bufferization chose rules out the lanes that were decided.
// CHECK-LABEL: func.func @chooses_again
// CHECK: vector.store
func.func @chooses_again(%x: memref<16x16xf32, strided<[1, 16]>>, %y: memref<16x16xf32, strided<[1, 16]>>) {
  linalg.copy {onnxc.schedule = {tile = array<i64: 1, 8>, vector = array<i64: 0, 8>, order = array<i64: 0, 1>}}
      ins(%x : memref<16x16xf32, strided<[1, 16]>>) outs(%y : memref<16x16xf32, strided<[1, 16]>>)
  return
}

// -----

// CHECK-LABEL: func.func @stays
// CHECK: linalg.copy
func.func @stays(%x: memref<16xi1>, %y: memref<16xi1>) {
  // expected-remark @below {{stays a scalar loop: elements narrower than a byte}}
  linalg.copy ins(%x : memref<16xi1>) outs(%y : memref<16xi1>)
  return
}

// -----

// A row that the body reads has a layout now: every fourth element is gathered.
// CHECK-LABEL: func.func @strided_row
// CHECK: %{{.*}}, %[[OFFSET:.*]], %{{.*}}:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %arg0
// CHECK: %[[FLAT:.*]] = memref.reinterpret_cast %arg0 to offset: [%[[OFFSET]]]
// CHECK: %[[ROW:.*]] = arith.muli %arg1, %[[STRIDES]]#0
// CHECK: %[[AT:.*]] = arith.addi %[[ROW]]
// CHECK: vector.gather %[[FLAT]][%[[AT]]]
// CHECK-NOT: vector.load
// CHECK: return
func.func @strided_row(%x: memref<?x?xf32, strided<[?, 4], offset: ?>>, %i: index, %y: memref<?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d) -> (d)>], iterator_types = ["parallel"]} outs(%y : memref<?xf32>)
      attrs = {onnxc.schedule = {order = array<i64: 0>, tile = array<i64: 64>, vector = array<i64: 8>}} {
  ^bb0(%out: f32):
    %d = linalg.index 0 : index
    %v = memref.load %x[%i, %d] : memref<?x?xf32, strided<[?, 4], offset: ?>>
    linalg.yield %v : f32
  }
  return
}

// -----

// Of an open number of elements, four vectors at a time, then one, and the last one by a mask.
// CHECK-LABEL: func.func @open_row
// CHECK: scf.for
// CHECK-COUNT-4: vector.store
// CHECK: scf.for
// CHECK: vector.store
// CHECK-NOT: vector.store
// CHECK: scf.for
// CHECK: vector.maskedstore
// CHECK-NOT: scf.for
// CHECK: return
func.func @open_row(%x: memref<?xf32>, %y: memref<?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = ["parallel"]} ins(%x : memref<?xf32>) outs(%y : memref<?xf32>)
      attrs = {onnxc.schedule = {order = array<i64: 0>, tile = array<i64: 32>, vector = array<i64: 8>}} {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %in, %in : f32
    linalg.yield %v : f32
  }
  return
}

// -----

// A transposition of 12 x 11 by squares of 4: eight rows of four elements are loaded and
// shuffled before anything is stored, so that a line of the cache is read at once. Of the
// last three columns rows are loaded by a mask: there may be nothing behind them.
// CHECK-LABEL: func.func @squares
// CHECK: vector.load %{{.*}}[%c0]
// CHECK: vector.load %{{.*}}[%c11]
// CHECK: vector.load %{{.*}}[%c22]
// CHECK: vector.load %{{.*}}[%c33]
// CHECK: vector.load %{{.*}}[%c4]
// CHECK: vector.load %{{.*}}[%c15]
// CHECK: vector.load %{{.*}}[%c26]
// CHECK: vector.load %{{.*}}[%c37]
// CHECK: vector.store %{{.*}}[%c0]
// CHECK: vector.load %{{.*}}[%c44]
// CHECK-NOT: vector.gather
// CHECK: vector.constant_mask [3]
// CHECK: vector.maskedload %{{.*}}[%c8]
// CHECK-NOT: vector.gather
// CHECK: return
func.func @squares(%x: memref<12x11xf32>, %y: memref<11x12xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<12x11xf32>) outs(%y : memref<11x12xf32>)
      attrs = {onnxc.schedule = {order = array<i64: 0, 1>, squares = 0 : i64, tile = array<i64: 8, 8>, vector = array<i64: 0, 4>}} {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

// Sixteen rows are added to the sums of all columns, then the next sixteen; six rows are left.
// CHECK-LABEL: func.func @bands
// CHECK: scf.for %{{.*}} = %c0 to %c1024 step %c16 {
// CHECK: scf.for %{{.*}} = %c0 to %c512 step %c32 {
// CHECK: %[[OLD:.*]] = vector.load %[[Y:.*]][
// CHECK: scf.for %{{.*}} = %c0 to %c16 step %c1 iter_args(%{{.*}} = %[[OLD]],
// CHECK: vector.store %{{.*}}, %[[Y]][
// CHECK: scf.for %{{.*}} = %c0 to %c512 step %c32 {
// CHECK: scf.for %{{.*}} = %c0 to %c6 step %c1 iter_args
func.func @bands(%x: memref<1030x512xf32>, %y: memref<512xf32>) {
  linalg.reduce {arith.addf} ins(%x : memref<1030x512xf32>) outs(%y : memref<512xf32>) dimensions = [0]
  return
}
