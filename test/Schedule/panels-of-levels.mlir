// Several processors read the same packed weights: panels are three vectors of
// the widest wide, and each takes a part of one in a tile, or one.
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v2 layout=x86-64-v4" --onnxc-form-matmuls --onnxc-select-schedule | FileCheck %s --check-prefixes=ALL,V2
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v3 layout=x86-64-v4" --onnxc-form-matmuls --onnxc-select-schedule | FileCheck %s --check-prefixes=ALL,V3
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v4 layout=x86-64-v4+avx512vnni" --onnxc-form-matmuls --onnxc-select-schedule | FileCheck %s --check-prefixes=ALL,V4

// ALL-LABEL: func.func @panels
// ALL: kernel.matmul ins(%{{.*}}, %{{.*}} : tensor<384x2xf32>, tensor<1x2x48xf32>)
// V2-SAME: rows = 4, columns = 12
// V3-SAME: rows = 4, columns = 24
// V4-SAME: rows = 8, columns = 48
func.func @panels(%x: tensor<384x2xf32>) -> tensor<384x48xf32> {
  %w = arith.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
                             [2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]]> : tensor<2x48xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<384x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<384x48xf32>) -> tensor<384x48xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<384x2xf32>, tensor<2x48xf32>) outs(%f : tensor<384x48xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<384x48xf32>
  return %0 : tensor<384x48xf32>
}
