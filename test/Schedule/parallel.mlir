// RUN: onnx-mlir-opt %s -split-input-file -pass-pipeline='builtin.module(onnxc-set-target{triple=x86_64-linux-gnu cpu=x86-64-v4},func.func(onnxc-vectorize{parallel=true}),canonicalize,cse)' | FileCheck %s

// Two loops make enough blocks, which are alike: 3 times 25 of 40 rows.

// CHECK-LABEL: @two_loops
// CHECK:         scf.forall (%[[I:.*]], %[[K:.*]]) in (3, 25) {
// CHECK:           arith.muli %[[K]], %c40000
// CHECK:           scf.for %{{.*}} = %c0 to %c40 step %c1
// CHECK:             vector.load
// CHECK-NOT:     scf.if
// CHECK:         return
func.func private @two_loops(%a: memref<3x1000x1000xf32>, %b: memref<3x1000x1000xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a : memref<3x1000x1000xf32>) outs(%b : memref<3x1000x1000xf32>) {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %x : f32
    linalg.yield %z : f32
  }
  return
}

// -----

// An index counts from where the loop begins, not the block; what is left of an
// unknown size is computed in the block.

// CHECK-LABEL: @unknown_sizes
// CHECK:         scf.forall (%[[I:.*]], %[[K:.*]]) in (%{{.*}}, %{{.*}}) {
// CHECK-DAG:       %[[FROM:.*]] = arith.muli %[[K]], %c1024
// CHECK-DAG:       %[[LEFT:.*]] = arith.subi %{{.*}}, %[[FROM]]
// CHECK-DAG:       arith.minui %[[LEFT]], %c1024
// CHECK:           %[[AT:.*]] = arith.addi %[[FROM]], %{{.*}} : index
// CHECK:           vector.broadcast %[[AT]]
func.func private @unknown_sizes(%a: memref<?x?xf32>, %b: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<?x?xf32>) outs(%b : memref<?x?xf32>) {
  ^bb0(%x: f32, %y: f32):
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  }
  return
}

// -----

// Too short for threads; and a function that others may call, the entry, has
// no parallel loops.

// CHECK-LABEL: @short
// CHECK-NOT:     scf.forall
func.func private @short(%a: memref<8x100xf32>, %b: memref<8x100xf32>) {
  linalg.copy ins(%a : memref<8x100xf32>) outs(%b : memref<8x100xf32>)
  return
}
// CHECK-LABEL: @entry
// CHECK-NOT:     scf.forall
func.func @entry(%a: memref<1000x1000xf32>, %b: memref<1000x1000xf32>) {
  linalg.copy ins(%a : memref<1000x1000xf32>) outs(%b : memref<1000x1000xf32>)
  return
}

// -----

// Nothing to share where there is nothing.
// CHECK-LABEL: @no_elements
// CHECK-NOT: scf.forall
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func private @no_elements(%x: memref<?x0x64xf32>, %y: memref<?x0x64xf32>) {
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : memref<?x0x64xf32>) outs(%y : memref<?x0x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.negf %in : f32
      linalg.yield %0 : f32
  }
  return
}
