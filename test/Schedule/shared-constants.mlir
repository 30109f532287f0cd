// A constant that others read too gets panels of its own up to 64 KiB; a larger one
// stays as it is, and its columns, which lie in rows, are copied, for all rows at
// once. Panels are no second copy where only matmuls read it.

// RUN: %python -c "import sys; print(sys.stdin.read().replace('ROWS256', '0000803F00000040' * 32 * 256).replace('ROWS257', '0000803F00000040' * 32 * 257))" < %s > %t.mlir
// RUN: onnx-mlir-opt %t.mlir -onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v4" -onnxc-form-matmuls -canonicalize -onnxc-select-schedule | FileCheck %s

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (n, k)>
#z = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func.func @small
// CHECK: kernel.matmul ins({{.*}} : tensor<?x64xf32>, tensor<6x64x48xf32>)
// CHECK: tensor.extract {{.*}} : tensor<256x64xf32>
func.func @small(%x: tensor<?x64xf32>, %z: tensor<?x256xf32>, %i: index) -> (tensor<?x256xf32>, f32) {
  %w = arith.constant dense<"0xROWS256"> : tensor<256x64xf32>
  %r = linalg.generic {indexing_maps = [#x, #y, #z], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x64xf32>, tensor<256x64xf32>) outs(%z : tensor<?x256xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x256xf32>
  %e = tensor.extract %w[%i, %i] : tensor<256x64xf32>
  return %r, %e : tensor<?x256xf32>, f32
}

// CHECK-LABEL: func.func @large
// CHECK: kernel.matmul ins({{.*}} : tensor<?x64xf32>, tensor<257x64xf32>)
// CHECK-SAME: onnxc.schedule = #kernel.matmul_schedule<rows = 8, columns = 48, copy = true>
func.func @large(%x: tensor<?x64xf32>, %z: tensor<?x257xf32>, %i: index) -> (tensor<?x257xf32>, f32) {
  %w = arith.constant dense<"0xROWS257"> : tensor<257x64xf32>
  %r = linalg.generic {indexing_maps = [#x, #y, #z], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x64xf32>, tensor<257x64xf32>) outs(%z : tensor<?x257xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x257xf32>
  %e = tensor.extract %w[%i, %i] : tensor<257x64xf32>
  return %r, %e : tensor<?x257xf32>, f32
}

// CHECK-LABEL: func.func @only_multiplied
// CHECK: kernel.matmul ins({{.*}} : tensor<?x64xf32>, tensor<6x64x48xf32>)
func.func @only_multiplied(%x: tensor<?x64xf32>, %z: tensor<?x257xf32>, %i: index) -> tensor<?x257xf32> {
  %w = arith.constant dense<"0xROWS257"> : tensor<257x64xf32>
  %r = linalg.generic {indexing_maps = [#x, #y, #z], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x64xf32>, tensor<257x64xf32>) outs(%z : tensor<?x257xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x257xf32>
  return %r : tensor<?x257xf32>
}
