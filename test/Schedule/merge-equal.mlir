// RUN: onnx-mlir-opt %s --onnxc-merge-equal | FileCheck %s

#id = affine_map<(i) -> (i)>

// Of the same body there is one, within a loop as well; another number is another body.
// CHECK-LABEL: func.func @bodies
// CHECK:         %[[A:.*]] = linalg.generic
// CHECK:           arith.mulf %{{.*}}, %[[TWO:.*]] : f32
// CHECK:         %[[B:.*]] = linalg.generic
// CHECK:           arith.mulf %{{.*}}, %[[THREE:.*]] : f32
// CHECK-NOT:     linalg.generic
// CHECK:         return %[[A]], %[[A]], %[[B]]
func.func @bodies(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %two = arith.constant 2.0 : f32
  %three = arith.constant 3.0 : f32
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.mulf %in, %two : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %same = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.mulf %in, %two : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.mulf %in, %three : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  return %a, %same, %b : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// What has an effect stays, and what is in one branch is not known in the other. What nothing
// uses goes.
// CHECK-LABEL: func.func @effects
// CHECK-COUNT-2: memref.load
// CHECK:         scf.if
// CHECK:           arith.mulf
// CHECK:         } else {
// CHECK:           arith.mulf
// CHECK-NOT:     arith.negf
// CHECK:         return
func.func @effects(%p: memref<f32>, %c: i1) -> f32 {
  %a = memref.load %p[] : memref<f32>
  %b = memref.load %p[] : memref<f32>
  %r = scf.if %c -> f32 {
    %m = arith.mulf %a, %b : f32
    scf.yield %m : f32
  } else {
    %m = arith.mulf %a, %b : f32
    scf.yield %m : f32
  }
  %dead = arith.negf %r : f32
  return %r : f32
}
