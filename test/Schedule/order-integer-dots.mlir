// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(onnxc-set-target{triple=x86_64-linux-gnu cpu=x86-64-v3},func.func(onnxc-form-integer-dots))' \
// RUN:   | FileCheck %s
// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(onnxc-set-target{triple=x86_64-linux-gnu cpu=x86-64-v4 features=+avx512vnni},func.func(onnxc-form-integer-dots))' \
// RUN:   | FileCheck %s --check-prefix=VNNI

#id = affine_map<(d0, d1) -> (d0, d1)>

// A sum of 16 bits holds the first dot product, whose weights of one sign add up to 128, and the third one, whose weight has
// the other sign; the second would make it 129. The last one is 129 by itself, but not if its second and third channel change places.
// CHECK-LABEL: @order
// CHECK: kernel.integer_dot {{.*}} wide({{.*}} : tensor<1x4xi8>) order({{.*}} : tensor<1x9xi16>)
// Groups of three end at 0, of two at 2, single ones at 3, those of exchanged channels at 4 and 4; places 0, 2, 1, 3.
// CHECK: "0x02000000000002000300040004000000020001000300"
// VNNI-LABEL: @order
// VNNI-NOT: order(
func.func @order(%x: tensor<?x16xi8>, %rows: index) -> tensor<?x1xi32> {
  %w = arith.constant dense<[[64], [64], [0], [0],  [1], [0], [0], [0],  [-128], [0], [0], [0],  [64], [65], [0], [0]]> : tensor<16x1xi8>
  %c0 = arith.constant 0 : i32
  %xe = tensor.empty(%rows) : tensor<?x16xi32>
  %xc = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x16xi8>) outs(%xe : tensor<?x16xi32>) {
  ^bb0(%in: i8, %out: i32):
    %a = arith.extui %in : i8 to i32
    linalg.yield %a : i32
  } -> tensor<?x16xi32>
  %we = tensor.empty() : tensor<16x1xi32>
  %wc = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<16x1xi8>) outs(%we : tensor<16x1xi32>) {
  ^bb0(%in: i8, %out: i32):
    %a = arith.extsi %in : i8 to i32
    linalg.yield %a : i32
  } -> tensor<16x1xi32>
  %e = tensor.empty(%rows) : tensor<?x1xi32>
  %i = linalg.fill ins(%c0 : i32) outs(%e : tensor<?x1xi32>) -> tensor<?x1xi32>
  %r = linalg.matmul ins(%xc, %wc : tensor<?x16xi32>, tensor<16x1xi32>) outs(%i : tensor<?x1xi32>) -> tensor<?x1xi32>
  return %r : tensor<?x1xi32>
}
