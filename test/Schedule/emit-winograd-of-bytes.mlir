// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v3" --onnxc-emit-kernels --canonicalize --cse | FileCheck %s

// Pixels and weights become 16-bit numbers before the transforms, and pairs of these products. A square's sums times the inverse
// of 9, divided by 64, are those of its pixels, to which the column's number is added. Behind the image, which ends within a
// square, the last row and column are read again.
// CHECK-LABEL: @image
// CHECK-DAG: %[[SIX:.*]] = arith.constant dense<6> : vector<8xi32>
// CHECK-DAG: %[[INVERSE:.*]] = arith.constant dense<954437177> : vector<8xi32>
// CHECK-DAG: %[[LAST:.*]] = arith.constant 15 : index
// CHECK: arith.minsi %{{.*}}, %[[LAST]] : index
// CHECK-COUNT-36: arith.extui %{{.*}} : vector<16xi8> to vector<16xi16>
// CHECK: arith.shrsi %{{.*}} : vector<16xi16>
// CHECK: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
// CHECK: %[[MULTIPLE:.*]] = arith.muli %{{.*}}, %[[INVERSE]] : vector<8xi32>
// CHECK: %[[SUM:.*]] = arith.shrsi %[[MULTIPLE]], %[[SIX]] : vector<8xi32>
// CHECK: arith.addi %[[SUM]], %{{.*}} : vector<8xi32>
// CHECK-NOT: kernel.integer_dot
func.func @image(%x: memref<1x16x16x64xi8>, %w: memref<2x3x3x16x16x4xi8>, %c: memref<32xi32>, %y: memref<1x14x14x32xi32>) {
  kernel.integer_dot ins(%x, %w : memref<1x16x16x64xi8>, memref<2x3x3x16x16x4xi8>) extras(%c : memref<32xi32>)
      outs(%y : memref<1x14x14x32xi32>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, largest_sum = 1000 : i64,
      epilogue_maps = [affine_map<(n, h, w, f) -> (f)>],
      onnxc.schedule = #kernel.winograd_schedule<squares = 5, blocks = 2, depth = 32, run = 16>} epilogue {
  ^bb0(%sum: i32, %column: i32):
    %r = arith.addi %sum, %column : i32
    kernel.yield %r : i32
  }
  return
}
