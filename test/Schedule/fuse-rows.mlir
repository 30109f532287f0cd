// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(func.func(onnxc-fuse-rows),cse)' | FileCheck %s

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#one = affine_map<(d0) -> (d0)>
#last = affine_map<(d0, d1) -> (d1)>

// The powers of a softmax are computed where the result goes; only what is read
// later leaves the loop.
// CHECK-LABEL: @softmax
// CHECK: %[[Y:.*]] = scf.forall (%[[I:.*]]) in (%{{.*}}) shared_outs(%[[OUT:.*]] = %{{.*}}) -> (tensor<?x?xf32>) {
// CHECK: tensor.extract_slice %arg0[%[[I]], 0] [1, %{{.*}}] [1, 1] : tensor<?x?xf32> to tensor<?xf32>
// CHECK: linalg.generic {{.*}}["reduction"]{{.*}} outs(%{{.*}} : tensor<f32>)
// CHECK: %[[PLACE:.*]] = tensor.extract_slice %[[OUT]][%[[I]], 0]
// CHECK: %[[POWERS:.*]] = linalg.generic {{.*}}["parallel"]{{.*}} outs(%[[PLACE]] : tensor<?xf32>)
// CHECK: math.exp
// CHECK: linalg.generic {{.*}}["reduction"]{{.*}} ins(%[[POWERS]]
// CHECK: %[[Q:.*]] = linalg.generic {{.*}} outs(%[[POWERS]] : tensor<?xf32>)
// CHECK: tensor.parallel_insert_slice %[[Q]] into %[[OUT]][%[[I]], 0]
// CHECK: onnxc.work = 432
// CHECK: return %[[Y]]
func.func @softmax(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = tensor.empty(%n, %m) : tensor<?x?xf32>
  %i = linalg.fill ins(%low : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%i : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.maximumf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %max : tensor<?x?xf32>, tensor<?xf32>) outs(%f : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x?xf32>
  %j = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%p : tensor<?x?xf32>) outs(%j : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%p, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%f : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// What others read (the sum of two tensors, before it is normalized) leaves the
// loop as well; a vector for all rows is read whole.
// CHECK-LABEL: @residual
// CHECK: %[[R:.*]]:2 = scf.forall {{.*}} -> (tensor<8x64xf32>, tensor<8x64xf32>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}}, %arg2 : tensor<64xf32>, tensor<f32>, tensor<64xf32>)
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @residual(%x: tensor<8x64xf32>, %r: tensor<8x64xf32>, %s: tensor<64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = tensor.empty() : tensor<8x64xf32>
  %a = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %r : tensor<8x64xf32>, tensor<8x64xf32>) outs(%f : tensor<8x64xf32>) {
  ^bb0(%u: f32, %v: f32, %w: f32):
    %0 = arith.addf %u, %v : f32
    linalg.yield %0 : f32
  } -> tensor<8x64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<8x64xf32>) outs(%i : tensor<8xf32>) {
  ^bb0(%u: f32, %v: f32):
    %0 = arith.addf %u, %v : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #last, #all], iterator_types = ["parallel", "parallel"]} ins(%a, %sum, %s : tensor<8x64xf32>, tensor<8xf32>, tensor<64xf32>) outs(%f : tensor<8x64xf32>) {
  ^bb0(%u: f32, %v: f32, %w: f32, %o: f32):
    %0 = arith.subf %u, %v : f32
    %1 = arith.mulf %0, %w : f32
    linalg.yield %1 : f32
  } -> tensor<8x64xf32>
  return %a, %y : tensor<8x64xf32>, tensor<8x64xf32>
}

// A product of matrices reads rows again and again, and short rows fill no
// lanes.
// CHECK-LABEL: @others
// CHECK-NOT: scf.forall
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @others(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>, %t: tensor<1024x3xf32>) -> (tensor<8x64xf32>, tensor<1024xf32>) {
  %zero = arith.constant 0.0 : f32
  %f = tensor.empty() : tensor<8x64xf32>
  %e = tensor.empty() : tensor<1024xf32>
  %i = linalg.fill ins(%zero : f32) outs(%f : tensor<8x64xf32>) -> tensor<8x64xf32>
  %p = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<8x64xf32>, tensor<64x64xf32>) outs(%i : tensor<8x64xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %0 = arith.mulf %u, %v : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x64xf32>
  %j = linalg.fill ins(%zero : f32) outs(%e : tensor<1024xf32>) -> tensor<1024xf32>
  %s = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%t : tensor<1024x3xf32>) outs(%j : tensor<1024xf32>) {
  ^bb0(%u: f32, %o: f32):
    %0 = arith.addf %o, %u : f32
    linalg.yield %0 : f32
  } -> tensor<1024xf32>
  %q = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%s : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%u: f32, %o: f32):
    %0 = math.sqrt %u : f32
    linalg.yield %0 : f32
  } -> tensor<1024xf32>
  return %p, %q : tensor<8x64xf32>, tensor<1024xf32>
}

// The mean of each row, whose dimension of size 1 its reader does not walk.
// CHECK-LABEL: @unwalked
// CHECK: scf.forall
// CHECK: %[[SCALED:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<1x8xf32>)
// CHECK: %[[MEAN:.*]] = tensor.extract_slice %[[SCALED]][0, 0] [1, 8] [1, 1] : tensor<1x8xf32> to tensor<8xf32>
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[MEAN]] : tensor<4x8xf32>, tensor<8xf32>)
func.func @unwalked(%x: tensor<16x4x8xf32>, %m: tensor<16x1x8xf32>) -> tensor<16x8xf32> {
  %quarter = arith.constant 0.25 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x1x8xf32>
  %mean = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%m : tensor<16x1x8xf32>) outs(%e : tensor<16x1x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %quarter : f32
    linalg.yield %0 : f32
  } -> tensor<16x1x8xf32>
  %f = tensor.empty() : tensor<16x4x8xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, 0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %mean : tensor<16x4x8xf32>, tensor<16x1x8xf32>) outs(%f : tensor<16x4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.subf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<16x4x8xf32>
  %g = tensor.empty() : tensor<16x8xf32>
  %i = linalg.fill ins(%zero : f32) outs(%g : tensor<16x8xf32>) -> tensor<16x8xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%d : tensor<16x4x8xf32>) outs(%i : tensor<16x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<16x8xf32>
  return %s : tensor<16x8xf32>
}

// The second sum starts from 0, too, though the reshape of the mean divides the
// ops into two loops and the last op of its loop writes to other memory.
// CHECK-LABEL: @two_sums
// CHECK: scf.forall {{.*}} shared_outs(%{{[^,]*}}, %{{[^,]*}}) -> (tensor<8x64xf32>, tensor<8xf32>)
// CHECK: tensor.expand_shape
// CHECK: scf.forall
// CHECK: %[[ZERO:.*]] = linalg.generic {{.*}} iterator_types = []} ins(%{{.*}} : f32)
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction"]} ins(%{{.*}} : tensor<64xf32>) outs(%[[ZERO]] : tensor<f32>)
func.func @two_sums(%x: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x64xf32>
  %f = tensor.empty() : tensor<8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%f : tensor<8xf32>) -> tensor<8xf32>
  %a = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%u: f32, %o: f32):
    %0 = math.exp %u : f32
    linalg.yield %0 : f32
  } -> tensor<8x64xf32>
  %s = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<8x64xf32>) outs(%start : tensor<8xf32>) {
  ^bb0(%u: f32, %o: f32):
    %0 = arith.addf %o, %u : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %kept = tensor.expand_shape %s [[0, 1]] output_shape [8, 1] : tensor<8xf32> into tensor<8x1xf32>
  %d = linalg.generic {indexing_maps = [#all, affine_map<(d0, d1) -> (d0, 0)>, #all], iterator_types = ["parallel", "parallel"]} ins(%a, %kept : tensor<8x64xf32>, tensor<8x1xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %0 = arith.subf %u, %v : f32
    linalg.yield %0 : f32
  } -> tensor<8x64xf32>
  %t = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%d : tensor<8x64xf32>) outs(%start : tensor<8xf32>) {
  ^bb0(%u: f32, %o: f32):
    %0 = arith.addf %o, %u : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %q = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%t : tensor<8xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%u: f32, %o: f32):
    %0 = math.sqrt %u : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  return %d, %q : tensor<8x64xf32>, tensor<8xf32>
}

#turned = affine_map<(d0, d1) -> (d1, d0)>

// A row of a transpose is a column of its source: the ops read that, and what
// follows writes to the result, not over the source.
// CHECK-LABEL: @transposed
// CHECK: scf.forall (%[[I:.*]]) in (%{{.*}}) shared_outs(%{{.*}} = %{{.*}}, %[[OUT:.*]] = %{{.*}}) -> (tensor<?xf32>, tensor<?x?xf32>) {
// CHECK: %[[COLUMN:.*]] = tensor.extract_slice %arg0[0, %[[I]]]
// CHECK: linalg.generic {{.*}}["reduction"]{{.*}} ins(%[[COLUMN]]
// CHECK: %[[PLACE:.*]] = tensor.extract_slice %[[OUT]][%[[I]], 0]
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}}["parallel"]{{.*}} ins(%[[COLUMN]] : tensor<?xf32>) outs(%[[PLACE]] : tensor<?xf32>)
// CHECK: tensor.parallel_insert_slice %[[SUM]] into %[[OUT]]
func.func @transposed(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %f = tensor.empty(%m, %n) : tensor<?x?xf32>
  %t = linalg.generic {indexing_maps = [#turned, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<?x?xf32>
  %e = tensor.empty(%m) : tensor<?xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%t : tensor<?x?xf32>) outs(%i : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %b, %a : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%t : tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %a : f32
    linalg.yield %0 : f32
  } -> tensor<?x?xf32>
  return %sum, %y : tensor<?xf32>, tensor<?x?xf32>
}

// A row that leaves the loop through a transpose is read at its end: what else is
// computed from it is written elsewhere.
// CHECK-LABEL: @copied_and_used
// CHECK: scf.forall (%[[I:.*]]) in (8) shared_outs(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
// CHECK: %[[HALF:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<64xf32>, tensor<f32>)
// CHECK: linalg.generic {{.*}} ins(%[[HALF]] : tensor<64xf32>) outs(%[[OTHER:.*]] : tensor<64xf32>)
// CHECK-NOT: outs(%[[HALF]]
// CHECK: scf.forall.in_parallel
func.func @copied_and_used(%x: tensor<8x64xf32>) -> (tensor<64x8xf32>, tensor<8x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x64xf32>) outs(%i : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %b, %a : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %f = tensor.empty() : tensor<8x64xf32>
  %half = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %sum : tensor<8x64xf32>, tensor<8xf32>) outs(%f : tensor<8x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<8x64xf32>
  %g = tensor.empty() : tensor<64x8xf32>
  %t = linalg.generic {indexing_maps = [#all, #turned], iterator_types = ["parallel", "parallel"]} ins(%half : tensor<8x64xf32>) outs(%g : tensor<64x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<64x8xf32>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%half : tensor<8x64xf32>) outs(%f : tensor<8x64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %a : f32
    linalg.yield %0 : f32
  } -> tensor<8x64xf32>
  return %t, %y : tensor<64x8xf32>, tensor<8x64xf32>
}

// What asks for the number of its row gets the loop's.
// CHECK-LABEL: @order
// CHECK: scf.forall (%[[I:.*]]) in (8)
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]
// CHECK: %[[J:.*]] = linalg.index 0
// CHECK: arith.cmpi slt, %[[I]], %[[J]]
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction"]
// CHECK: scf.forall.in_parallel
func.func @order(%x: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %f = tensor.empty() : tensor<8x64xf32>
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x64xf32>) outs(%f : tensor<8x64xf32>) {
  ^bb0(%u: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %later = arith.cmpi slt, %i, %j : index
    %0 = arith.select %later, %zero, %u : f32
    linalg.yield %0 : f32
  } -> tensor<8x64xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<8x64xf32>) outs(%s : tensor<8xf32>) {
  ^bb0(%u: f32, %o: f32):
    %0 = arith.addf %o, %u : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  return %a, %sum : tensor<8x64xf32>, tensor<8xf32>
}
