// How a stream that one row waits for is fetched: through the second level of the cache, or on AMD's processors, and on those that may
// be theirs, into the first one alone.
// RUN: onnx-mlir-opt %s -onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v4" -onnxc-emit-kernels -canonicalize -cse | FileCheck %s --check-prefix=TWO
// RUN: onnx-mlir-opt %s -onnxc-set-target="triple=x86_64-linux-gnu cpu=sapphirerapids" -onnxc-emit-kernels -canonicalize -cse | FileCheck %s --check-prefix=TWO
// RUN: onnx-mlir-opt %s -onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v3" -onnxc-emit-kernels -canonicalize -cse | FileCheck %s --check-prefix=ONE
// RUN: onnx-mlir-opt %s -onnxc-set-target="triple=x86_64-linux-gnu cpu=znver5" -onnxc-emit-kernels -canonicalize -cse | FileCheck %s --check-prefix=ONE

#lhs = affine_map<(m, n, k) -> (m, k)>
#panels = affine_map<(m, n, k) -> (n floordiv 16, k, n mod 16)>
#out = affine_map<(m, n, k) -> (m, n)>

// TWO-DAG: arith.constant 768 : index
// TWO-DAG: arith.constant 192 : index
// TWO: memref.prefetch {{.*}} locality<2>
// TWO: memref.prefetch {{.*}} locality<3>
// TWO: return
// ONE: arith.constant 256 : index
// ONE-NOT: locality<2>
// ONE: memref.prefetch {{.*}} locality<3>
// ONE-NOT: locality<2>
// ONE: return
func.func @streams(%x: memref<1x1001xf32>, %w: memref<8x1001x16xf32>, %y: memref<1x128xf32>) {
  kernel.matmul ins(%x, %w : memref<1x1001xf32>, memref<8x1001x16xf32>)
      outs(%y : memref<1x128xf32>) {indexing_maps = [#lhs, #panels, #out], epilogue_maps = [],
      onnxc.schedule = #kernel.matmul_schedule<rows = 1, columns = 64, prefetch = true>} epilogue {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}
