// Scores, softmax and the product by the values share one loop over batches and
// blocks of rows.
// RUN: onnx-mlir-opt %s -onnxc-set-target="triple=x86_64-linux-gnu cpu=sapphirerapids" -onnxc-block-attention -split-input-file | FileCheck %s

#q = affine_map<(b, m, n, k) -> (b, m, k)>
#k = affine_map<(b, m, n, k) -> (b, n, k)>
#v = affine_map<(b, m, n, k) -> (b, k, n)>
#o = affine_map<(b, m, n, k) -> (b, m, n)>
#bias = affine_map<(b, m, n) -> (m, n)>
#row = affine_map<(d) -> (d)>
#one = affine_map<(d) -> ()>

// CHECK-LABEL: func @whole
// CHECK: scf.forall (%[[B:.*]], %{{.*}}) in (6, 1) shared_outs
// CHECK: tensor.extract_slice %arg0[%[[B]], 0, 0] [1, 40, 16]
// CHECK: tensor.extract_slice %arg3[0, 0] [40, 50]
// CHECK: kernel.matmul {{.*}} tensor<40x16xf32>, tensor<50x16xf32>) extras
// CHECK: } -> tensor<40x50xf32>
// CHECK: scf.forall (%{{.*}}) in (40) shared_outs
// The least weights are dropped, no others: e to -12 would show in the result.
// CHECK: %[[LEAST:.*]] = arith.constant -8.000000e+01 : f32
// CHECK: %[[TINY:.*]] = arith.cmpf olt, %[[X:.*]], %[[LEAST]]
// CHECK: %[[E:.*]] = math.exp %[[X]]
// CHECK: arith.select %[[TINY]], %{{.*}}, %[[E]]
// CHECK: kernel.matmul {{.*}} tensor<40x50xf32>, tensor<50x16xf32>) outs
// CHECK: tensor.parallel_insert_slice {{.*}}[%[[B]], 0, 0] [1, 40, 16]
// CHECK-NOT: tensor<6x40x50xf32>
func.func @whole(%q: tensor<6x40x16xf32>, %k: tensor<6x50x16xf32>, %v: tensor<6x50x16xf32>, %bias: tensor<40x50xf32>) -> tensor<6x40x16xf32> {
  %low = arith.constant 0xFF800000 : f32
  %s = tensor.empty() : tensor<6x40x50xf32>
  %scores = kernel.matmul ins(%q, %k : tensor<6x40x16xf32>, tensor<6x50x16xf32>) extras(%bias : tensor<40x50xf32>) outs(%s : tensor<6x40x50xf32>) {indexing_maps = [#q, #k, #o], epilogue_maps = [#bias]} epilogue {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    kernel.yield %z : f32
  } -> tensor<6x40x50xf32>
  %weights = scf.forall (%b, %m) in (6, 40) shared_outs(%out = %s) -> (tensor<6x40x50xf32>) {
    %in = tensor.extract_slice %scores[%b, %m, 0] [1, 1, 50] [1, 1, 1] : tensor<6x40x50xf32> to tensor<50xf32>
    %to = tensor.extract_slice %out[%b, %m, 0] [1, 1, 50] [1, 1, 1] : tensor<6x40x50xf32> to tensor<50xf32>
    %e = tensor.empty() : tensor<f32>
    %f = linalg.fill ins(%low : f32) outs(%e : tensor<f32>) -> tensor<f32>
    %max = linalg.generic {indexing_maps = [#row, #one], iterator_types = ["reduction"]} ins(%in : tensor<50xf32>) outs(%f : tensor<f32>) {
    ^bb0(%x: f32, %acc: f32):
      %y = arith.maximumf %acc, %x : f32
      linalg.yield %y : f32
    } -> tensor<f32>
    %w = linalg.generic {indexing_maps = [#row, #one, #row], iterator_types = ["parallel"]} ins(%in, %max : tensor<50xf32>, tensor<f32>) outs(%to : tensor<50xf32>) {
    ^bb0(%x: f32, %m0: f32, %o: f32):
      %y = arith.subf %x, %m0 : f32
      %z = math.exp %y : f32
      linalg.yield %z : f32
    } -> tensor<50xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %w into %out[%b, %m, 0] [1, 1, 50] [1, 1, 1] : tensor<50xf32> into tensor<6x40x50xf32>
    }
  }
  %r = tensor.empty() : tensor<6x40x16xf32>
  %y = kernel.matmul ins(%weights, %v : tensor<6x40x50xf32>, tensor<6x50x16xf32>) outs(%r : tensor<6x40x16xf32>) {indexing_maps = [#q, #v, #o], epilogue_maps = []} epilogue {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } -> tensor<6x40x16xf32>
  return %y : tensor<6x40x16xf32>
}

// -----

#q = affine_map<(b, m, n, k) -> (b, m, k)>
#k = affine_map<(b, m, n, k) -> (b, n, k)>
#v = affine_map<(b, m, n, k) -> (b, k, n)>
#o = affine_map<(b, m, n, k) -> (b, m, n)>
#row = affine_map<(d) -> (d)>

// Many rows: blocks of one size, and what is left of them in a loop of its own.
// CHECK-LABEL: func @blocks
// CHECK: %[[FULL:.*]] = scf.forall (%{{.*}}, %[[N:.*]]) in (2, 14) shared_outs(%{{.*}} = %{{.*}})
// CHECK: affine.apply {{.*}}(%[[N]])
// CHECK: tensor.empty() : tensor<100x1301xf32>
// CHECK: scf.forall (%{{.*}}) in (2, 1) shared_outs(%{{.*}} = %[[FULL]])
// CHECK: tensor.empty() : tensor<50x1301xf32>
func.func @blocks(%q: tensor<2x1450x16xf32>, %k: tensor<2x1301x16xf32>, %v: tensor<2x1301x16xf32>) -> tensor<2x1450x16xf32> {
  %s = tensor.empty() : tensor<2x1450x1301xf32>
  %scores = kernel.matmul ins(%q, %k : tensor<2x1450x16xf32>, tensor<2x1301x16xf32>) outs(%s : tensor<2x1450x1301xf32>) {indexing_maps = [#q, #k, #o], epilogue_maps = []} epilogue {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } -> tensor<2x1450x1301xf32>
  %weights = scf.forall (%b, %m) in (2, 1450) shared_outs(%out = %s) -> (tensor<2x1450x1301xf32>) {
    %in = tensor.extract_slice %scores[%b, %m, 0] [1, 1, 1301] [1, 1, 1] : tensor<2x1450x1301xf32> to tensor<1301xf32>
    %to = tensor.extract_slice %out[%b, %m, 0] [1, 1, 1301] [1, 1, 1] : tensor<2x1450x1301xf32> to tensor<1301xf32>
    %w = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]} ins(%in : tensor<1301xf32>) outs(%to : tensor<1301xf32>) {
    ^bb0(%x: f32, %o: f32):
      %z = arith.mulf %x, %x : f32
      linalg.yield %z : f32
    } -> tensor<1301xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %w into %out[%b, %m, 0] [1, 1, 1301] [1, 1, 1] : tensor<1301xf32> into tensor<2x1450x1301xf32>
    }
  }
  %r = tensor.empty() : tensor<2x1450x16xf32>
  %y = kernel.matmul ins(%weights, %v : tensor<2x1450x1301xf32>, tensor<2x1301x16xf32>) outs(%r : tensor<2x1450x16xf32>) {indexing_maps = [#q, #v, #o], epilogue_maps = []} epilogue {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } -> tensor<2x1450x16xf32>
  return %y : tensor<2x1450x16xf32>
}

// -----

#q = affine_map<(b, m, n, k) -> (b, m, k)>
#k = affine_map<(b, m, n, k) -> (b, n, k)>
#v = affine_map<(b, m, n, k) -> (b, k, n)>
#o = affine_map<(b, m, n, k) -> (b, m, n)>
#row = affine_map<(d) -> (d)>
#one = affine_map<(d) -> ()>

// Scores that are rounded to halves are a buffer of their own, beside the weights.
// CHECK-LABEL: func @halves
// CHECK: scf.forall (%{{.*}}, %{{.*}}) in (6, 1) shared_outs
// CHECK: %[[SCORES:.*]] = kernel.matmul {{.*}} tensor<40x16xf32>, tensor<50x16xf32>) outs
// CHECK: } -> tensor<40x50xf16>
// CHECK: scf.forall (%[[ROW:.*]]) in (40) shared_outs({{.*}}) -> (tensor<40x50xf32>)
// CHECK: tensor.extract_slice %[[SCORES]][%[[ROW]], 0] [1, 50] [1, 1] : tensor<40x50xf16> to tensor<50xf16>
// CHECK: arith.subf {{.*}} : f16
// CHECK: %[[TINY:.*]] = arith.cmpf olt
// CHECK: kernel.matmul {{.*}} tensor<40x50xf32>, tensor<50x16xf32>) outs
// CHECK-NOT: tensor<6x40x50x
func.func @halves(%q: tensor<6x40x16xf32>, %k: tensor<6x50x16xf32>, %v: tensor<6x50x16xf32>) -> tensor<6x40x16xf32> {
  %low = arith.constant 0xFC00 : f16
  %s = tensor.empty() : tensor<6x40x50xf16>
  %scores = kernel.matmul ins(%q, %k : tensor<6x40x16xf32>, tensor<6x50x16xf32>) outs(%s : tensor<6x40x50xf16>) {indexing_maps = [#q, #k, #o], epilogue_maps = []} epilogue {
  ^bb0(%x: f32):
    %z = arith.truncf %x : f32 to f16
    kernel.yield %z : f16
  } -> tensor<6x40x50xf16>
  %t = tensor.empty() : tensor<6x40x50xf32>
  %weights = scf.forall (%b, %m) in (6, 40) shared_outs(%out = %t) -> (tensor<6x40x50xf32>) {
    %in = tensor.extract_slice %scores[%b, %m, 0] [1, 1, 50] [1, 1, 1] : tensor<6x40x50xf16> to tensor<50xf16>
    %to = tensor.extract_slice %out[%b, %m, 0] [1, 1, 50] [1, 1, 1] : tensor<6x40x50xf32> to tensor<50xf32>
    %e = tensor.empty() : tensor<f16>
    %f = linalg.fill ins(%low : f16) outs(%e : tensor<f16>) -> tensor<f16>
    %max = linalg.generic {indexing_maps = [#row, #one], iterator_types = ["reduction"]} ins(%in : tensor<50xf16>) outs(%f : tensor<f16>) {
    ^bb0(%x: f16, %acc: f16):
      %y = arith.maximumf %acc, %x : f16
      linalg.yield %y : f16
    } -> tensor<f16>
    %w = linalg.generic {indexing_maps = [#row, #one, #row], iterator_types = ["parallel"]} ins(%in, %max : tensor<50xf16>, tensor<f16>) outs(%to : tensor<50xf32>) {
    ^bb0(%x: f16, %m0: f16, %o: f32):
      %y = arith.subf %x, %m0 : f16
      %u = arith.extf %y : f16 to f32
      %z = math.exp %u : f32
      linalg.yield %z : f32
    } -> tensor<50xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %w into %out[%b, %m, 0] [1, 1, 50] [1, 1, 1] : tensor<50xf32> into tensor<6x40x50xf32>
    }
  }
  %r = tensor.empty() : tensor<6x40x16xf32>
  %y = kernel.matmul ins(%weights, %v : tensor<6x40x50xf32>, tensor<6x50x16xf32>) outs(%r : tensor<6x40x16xf32>) {indexing_maps = [#q, #v, #o], epilogue_maps = []} epilogue {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } -> tensor<6x40x16xf32>
  return %y : tensor<6x40x16xf32>
}

// -----

#q = affine_map<(b, m, n, k) -> (b, m, k)>
#k = affine_map<(b, m, n, k) -> (b, n, k)>
#v = affine_map<(b, m, n, k) -> (b, k, n)>
#o = affine_map<(b, m, n, k) -> (b, m, n)>
#row = affine_map<(d) -> (d)>

// Where both numbers are open, the run decides: blocks if a row fits a thread's memory, else what was there. Of rows so long
// that less than 24 lie near, as many as have room are a block.
// CHECK-LABEL: func @open
// CHECK: %[[FITS:.*]] = arith.cmpi sle, %[[C:.*]], %c524288
// CHECK: scf.if %[[FITS]]
// CHECK: %[[NEAR:.*]] = arith.divsi %c131072
// CHECK: %[[ROOM:.*]] = arith.divsi %c524288
// CHECK: %[[FEW:.*]] = arith.minsi %[[ROOM]], %c24
// CHECK: arith.maxsi %[[NEAR]], %[[FEW]]
// CHECK: scf.forall (%[[B:.*]], %[[I:.*]]) in (6, %{{.*}}) shared_outs
// CHECK: %[[START:.*]] = affine.apply {{.*}}(%[[I]])[%[[SIZE:.*]]]
// CHECK: %[[LEFT:.*]] = arith.subi %{{.*}}, %[[START]]
// CHECK: %[[ROWS:.*]] = arith.minsi %[[SIZE]], %[[LEFT]]
// CHECK: tensor.extract_slice %arg2[%[[B]], %[[START]], 0] [1, %[[ROWS]], 16]
// CHECK: bufferization.alloc_tensor() : tensor<524288xf32>
// CHECK: %[[SCRATCH:.*]] = tensor.expand_shape {{.*}} output_shape [%[[ROWS]], %[[C]]]
// CHECK: kernel.matmul {{.*}} outs(%[[SCRATCH]] : tensor<?x?xf32>)
// CHECK: scf.forall (%{{.*}}) in (%[[ROWS]]) shared_outs
// CHECK: kernel.matmul {{.*}} tensor<?x?xf32>, tensor<?x16xf32>) outs
// CHECK: tensor.parallel_insert_slice {{.*}}[%[[B]], %[[START]], 0] [1, %[[ROWS]], 16]
// CHECK: } else {
// CHECK: %[[SCORES:.*]] = kernel.matmul
// CHECK: %[[WEIGHTS:.*]] = scf.forall (%{{.*}}, %{{.*}}) in (6, %{{.*}}) shared_outs
// CHECK: tensor.extract_slice %[[SCORES]]
// CHECK: %[[Y:.*]] = kernel.matmul ins(%[[WEIGHTS]],
// CHECK: scf.yield %[[Y]]
func.func @open(%n: index, %c: index, %q: tensor<6x?x16xf32>, %k: tensor<6x?x16xf32>, %v: tensor<6x?x16xf32>) -> tensor<6x?x16xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %s = tensor.empty(%n, %c) : tensor<6x?x?xf32>
  %scores = kernel.matmul ins(%q, %k : tensor<6x?x16xf32>, tensor<6x?x16xf32>) outs(%s : tensor<6x?x?xf32>) {indexing_maps = [#q, #k, #o], epilogue_maps = []} epilogue {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } -> tensor<6x?x?xf32>
  %rows = tensor.dim %scores, %c1 : tensor<6x?x?xf32>
  %weights = scf.forall (%b, %m) in (6, %rows) shared_outs(%out = %s) -> (tensor<6x?x?xf32>) {
    %read = tensor.dim %scores, %c2 : tensor<6x?x?xf32>
    %in = tensor.extract_slice %scores[%b, %m, 0] [1, 1, %read] [1, 1, 1] : tensor<6x?x?xf32> to tensor<?xf32>
    %all = tensor.dim %out, %c2 : tensor<6x?x?xf32>
    %to = tensor.extract_slice %out[%b, %m, 0] [1, 1, %all] [1, 1, 1] : tensor<6x?x?xf32> to tensor<?xf32>
    %w = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]} ins(%in : tensor<?xf32>) outs(%to : tensor<?xf32>) {
    ^bb0(%x: f32, %o: f32):
      %z = arith.mulf %x, %x : f32
      linalg.yield %z : f32
    } -> tensor<?xf32>
    %written = tensor.dim %out, %c2 : tensor<6x?x?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %w into %out[%b, %m, 0] [1, 1, %written] [1, 1, 1] : tensor<?xf32> into tensor<6x?x?xf32>
    }
  }
  %r = tensor.empty(%n) : tensor<6x?x16xf32>
  %y = kernel.matmul ins(%weights, %v : tensor<6x?x?xf32>, tensor<6x?x16xf32>) outs(%r : tensor<6x?x16xf32>) {indexing_maps = [#q, #v, #o], epilogue_maps = []} epilogue {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } -> tensor<6x?x16xf32>
  return %y : tensor<6x?x16xf32>
}

// -----

#q = affine_map<(b, m, n, k) -> (b, m, k)>
#k = affine_map<(b, m, n, k) -> (b, n, k)>
#v = affine_map<(b, m, n, k) -> (b, k, n)>
#o = affine_map<(b, m, n, k) -> (b, m, n)>
#row = affine_map<(d) -> (d)>

// A number of columns that is known needs no choice.
// CHECK-LABEL: func @open_rows
// CHECK-NOT: scf.if
// CHECK: scf.forall (%{{.*}}, %{{.*}}) in (6, %{{.*}}) shared_outs
// CHECK: tensor.expand_shape {{.*}} : tensor<?xf32> into tensor<?x1000xf32>
// CHECK-NOT: scf.if
func.func @open_rows(%n: index, %q: tensor<6x?x16xf32>, %k: tensor<6x1000x16xf32>, %v: tensor<6x1000x16xf32>) -> tensor<6x?x16xf32> {
  %s = tensor.empty(%n) : tensor<6x?x1000xf32>
  %scores = kernel.matmul ins(%q, %k : tensor<6x?x16xf32>, tensor<6x1000x16xf32>) outs(%s : tensor<6x?x1000xf32>) {indexing_maps = [#q, #k, #o], epilogue_maps = []} epilogue {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } -> tensor<6x?x1000xf32>
  %weights = scf.forall (%b, %m) in (6, %n) shared_outs(%out = %s) -> (tensor<6x?x1000xf32>) {
    %in = tensor.extract_slice %scores[%b, %m, 0] [1, 1, 1000] [1, 1, 1] : tensor<6x?x1000xf32> to tensor<1000xf32>
    %to = tensor.extract_slice %out[%b, %m, 0] [1, 1, 1000] [1, 1, 1] : tensor<6x?x1000xf32> to tensor<1000xf32>
    %w = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]} ins(%in : tensor<1000xf32>) outs(%to : tensor<1000xf32>) {
    ^bb0(%x: f32, %o: f32):
      %z = arith.mulf %x, %x : f32
      linalg.yield %z : f32
    } -> tensor<1000xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %w into %out[%b, %m, 0] [1, 1, 1000] [1, 1, 1] : tensor<1000xf32> into tensor<6x?x1000xf32>
    }
  }
  %r = tensor.empty(%n) : tensor<6x?x16xf32>
  %y = kernel.matmul ins(%weights, %v : tensor<6x?x1000xf32>, tensor<6x1000x16xf32>) outs(%r : tensor<6x?x16xf32>) {indexing_maps = [#q, #v, #o], epilogue_maps = []} epilogue {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } -> tensor<6x?x16xf32>
  return %y : tensor<6x?x16xf32>
}

// -----

#q = affine_map<(b, m, n, k) -> (b, m, k)>
#k = affine_map<(b, m, n, k) -> (b, n, k)>
#v = affine_map<(b, m, n, k) -> (b, k, n)>
#o = affine_map<(b, m, n, k) -> (b, m, n)>
#both = affine_map<(b, d) -> (b, d)>

// One iteration of the loop has a row of each matrix: no block of one matrix has all that it needs.
// CHECK-LABEL: func @across_matrices
// CHECK: scf.forall (%{{.*}}) in (40)
// CHECK-NOT: scf.forall (
func.func @across_matrices(%q: tensor<6x40x16xf32>, %k: tensor<6x50x16xf32>, %v: tensor<6x50x16xf32>) -> tensor<6x40x16xf32> {
  %s = tensor.empty() : tensor<6x40x50xf32>
  %scores = kernel.matmul ins(%q, %k : tensor<6x40x16xf32>, tensor<6x50x16xf32>) outs(%s : tensor<6x40x50xf32>) {indexing_maps = [#q, #k, #o], epilogue_maps = []} epilogue {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } -> tensor<6x40x50xf32>
  %weights = scf.forall (%m) in (40) shared_outs(%out = %s) -> (tensor<6x40x50xf32>) {
    %in = tensor.extract_slice %scores[0, %m, 0] [6, 1, 50] [1, 1, 1] : tensor<6x40x50xf32> to tensor<6x50xf32>
    %to = tensor.extract_slice %out[0, %m, 0] [6, 1, 50] [1, 1, 1] : tensor<6x40x50xf32> to tensor<6x50xf32>
    %w = linalg.generic {indexing_maps = [#both, #both], iterator_types = ["parallel", "parallel"]} ins(%in : tensor<6x50xf32>) outs(%to : tensor<6x50xf32>) {
    ^bb0(%x: f32, %o: f32):
      %z = arith.mulf %x, %x : f32
      linalg.yield %z : f32
    } -> tensor<6x50xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %w into %out[0, %m, 0] [6, 1, 50] [1, 1, 1] : tensor<6x50xf32> into tensor<6x40x50xf32>
    }
  }
  %r = tensor.empty() : tensor<6x40x16xf32>
  %y = kernel.matmul ins(%weights, %v : tensor<6x40x50xf32>, tensor<6x50x16xf32>) outs(%r : tensor<6x40x16xf32>) {indexing_maps = [#q, #v, #o], epilogue_maps = []} epilogue {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } -> tensor<6x40x16xf32>
  return %y : tensor<6x40x16xf32>
}

// -----

#q = affine_map<(b, m, n, k) -> (b, m, k)>
#k = affine_map<(b, m, n, k) -> (b, n, k)>
#v = affine_map<(b, m, n, k) -> (b, k, n)>
#o = affine_map<(b, m, n, k) -> (b, m, n)>
#row = affine_map<(d) -> (d)>
#id = affine_map<(a, b, c) -> (a, b, c)>

// Of few rows with many columns, threads share the columns, which may be a cache of halves: it is read as it is. The path and the
// blocks follow from the sizes.
// CHECK-LABEL: func @few_rows
// CHECK: arith.cmpi sge, %{{.*}}, %c1024
// CHECK: scf.if
// CHECK: %[[S:.*]] = scf.forall (%[[B:.*]], %[[I:.*]]) in (6, %[[N:.*]]) shared_outs(%{{.*}}) -> (tensor<6x2x?xf32>)
// CHECK: %[[START:.*]] = arith.muli %[[I]], %c512
// CHECK: tensor.extract_slice %arg2[%[[B]], %[[START]], 0] [1, %[[SIZE:.*]], 16]
// CHECK: kernel.matmul {{.*}} tensor<2x16xf32>, tensor<?x16xf16>) {{.*}} rhs_factor = 5.000000e-01 : f32
// CHECK: %[[W:.*]] = scf.forall (%{{.*}}, %{{.*}}) in (6, 2) shared_outs
// CHECK: tensor.extract_slice %[[S]]
// CHECK: %[[P:.*]] = scf.forall (%[[B:.*]], %[[I:.*]]) in (6, %{{.*}}) shared_outs(%{{.*}}) -> (tensor<?x6x2x16xf32>)
// CHECK: tensor.extract_slice %[[W]][%[[B]], 0, %[[START:.*]]] [1, 2, %[[SIZE:[0-9]+]]]
// CHECK: tensor.extract_slice %arg3[%[[B]], %[[START]], 0] [1, %[[SIZE]], 16]
// CHECK: kernel.matmul {{.*}} tensor<2x?xf32>, tensor<?x16xf16>) outs(%{{.*}} : tensor<2x16xf32>)
// CHECK: tensor.parallel_insert_slice {{.*}}[%[[I]], %[[B]], 0, 0] [1, 1, 2, 16]
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%[[P]] :
// CHECK: arith.truncf
// CHECK: } else {
// CHECK: scf.if
// CHECK: kernel.matmul {{.*}} tensor<?x16xf16>) {{.*}} rhs_factor = 5.000000e-01 : f32
// CHECK: arith.truncf
func.func @few_rows(%c: index, %q: tensor<6x2x16xf32>, %k: tensor<6x?x16xf16>, %v: tensor<6x?x16xf16>) -> tensor<6x2x16xf16> {
  %half = arith.constant 0.5 : f16
  %c2 = arith.constant 2 : index
  %wide = tensor.empty(%c) : tensor<6x?x16xf32>
  %keys = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%k : tensor<6x?x16xf16>) outs(%wide : tensor<6x?x16xf32>) {
  ^bb0(%x: f16, %o: f32):
    %y = arith.mulf %x, %half : f16
    %z = arith.extf %y : f16 to f32
    linalg.yield %z : f32
  } -> tensor<6x?x16xf32>
  %values = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v : tensor<6x?x16xf16>) outs(%wide : tensor<6x?x16xf32>) {
  ^bb0(%x: f16, %o: f32):
    %z = arith.extf %x : f16 to f32
    linalg.yield %z : f32
  } -> tensor<6x?x16xf32>
  %s = tensor.empty(%c) : tensor<6x2x?xf32>
  %scores = kernel.matmul ins(%q, %keys : tensor<6x2x16xf32>, tensor<6x?x16xf32>) outs(%s : tensor<6x2x?xf32>) {indexing_maps = [#q, #k, #o], epilogue_maps = []} epilogue {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } -> tensor<6x2x?xf32>
  %weights = scf.forall (%b, %m) in (6, 2) shared_outs(%out = %s) -> (tensor<6x2x?xf32>) {
    %read = tensor.dim %scores, %c2 : tensor<6x2x?xf32>
    %in = tensor.extract_slice %scores[%b, %m, 0] [1, 1, %read] [1, 1, 1] : tensor<6x2x?xf32> to tensor<?xf32>
    %all = tensor.dim %out, %c2 : tensor<6x2x?xf32>
    %to = tensor.extract_slice %out[%b, %m, 0] [1, 1, %all] [1, 1, 1] : tensor<6x2x?xf32> to tensor<?xf32>
    %w = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]} ins(%in : tensor<?xf32>) outs(%to : tensor<?xf32>) {
    ^bb0(%x: f32, %o: f32):
      %z = arith.mulf %x, %x : f32
      linalg.yield %z : f32
    } -> tensor<?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %w into %out[%b, %m, 0] [1, 1, %all] [1, 1, 1] : tensor<?xf32> into tensor<6x2x?xf32>
    }
  }
  %r = tensor.empty() : tensor<6x2x16xf16>
  %y = kernel.matmul ins(%weights, %values : tensor<6x2x?xf32>, tensor<6x?x16xf32>) outs(%r : tensor<6x2x16xf16>) {indexing_maps = [#q, #v, #o], epilogue_maps = []} epilogue {
  ^bb0(%x: f32):
    %z = arith.truncf %x : f32 to f16
    kernel.yield %z : f16
  } -> tensor<6x2x16xf16>
  return %y : tensor<6x2x16xf16>
}
