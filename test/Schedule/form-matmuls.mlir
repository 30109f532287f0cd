// RUN: onnx-mlir-opt %s -split-input-file -onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v4" -onnxc-form-matmuls -canonicalize -onnxc-select-schedule | FileCheck %s

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#z = affine_map<(m, n, k) -> (m, n)>

// The constant is packed: columns side by side, the last panel filled up.
// CHECK-DAG: #[[LHS:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[PANELS:.*]] = affine_map<(d0, d1, d2) -> (d1 floordiv 16, d2, d1 mod 16)>
// CHECK-LABEL: func.func @constant_is_packed
// CHECK: %[[W:.*]] = arith.constant dense_resource<packed> : tensor<1x2x16xf32>
// CHECK: kernel.matmul ins(%{{.*}}, %[[W]] : tensor<?x2xf32>, tensor<1x2x16xf32>)
// CHECK-SAME: indexing_maps = [#[[LHS]], #[[PANELS]],
// CHECK-SAME: onnxc.schedule = #kernel.matmul_schedule<rows = {{[0-9]+}}, columns = 16,
// CHECK: packed: "0x400000000000803F0000004000004040000080400000A0400000
func.func @constant_is_packed(%x: tensor<?x2xf32>, %m: index) -> tensor<?x5xf32> {
  %w = arith.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0, 10.0]]> : tensor<2x5xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%m) : tensor<?x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x5xf32>) -> tensor<?x5xf32>
  %r = linalg.generic {indexing_maps = [#x, #y, #z], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x2xf32>, tensor<2x5xf32>) outs(%f : tensor<?x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x5xf32>
  return %r : tensor<?x5xf32>
}

// -----

#x = affine_map<(b, m, n, k) -> (b, m, k)>
#y = affine_map<(b, m, n, k) -> (b, k, n)>
#z = affine_map<(b, m, n, k) -> (b, m, n)>
#t = affine_map<(i, j, k) -> (j, i, k)>
#id = affine_map<(i, j, k) -> (i, j, k)>

// Transposed inputs and results are index maps.
// CHECK-DAG: #[[IN:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d0, d3)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d0, d2)>
// CHECK-LABEL: func.func @heads
// CHECK-NOT: linalg.generic
// CHECK: kernel.matmul ins(%arg0, %arg1 : tensor<7x3x8xf32>, tensor<3x8x9xf32>)
// CHECK-SAME: outs({{.*}} : tensor<7x3x9xf32>)
// CHECK-SAME: indexing_maps = [#[[IN]], #{{.*}}, #[[OUT]]]
// CHECK-NOT: linalg.generic
func.func @heads(%q: tensor<7x3x8xf32>, %k: tensor<3x8x9xf32>) -> tensor<7x3x9xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<3x7x8xf32>
  %h = linalg.generic {indexing_maps = [#t, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%q : tensor<7x3x8xf32>) outs(%e0 : tensor<3x7x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<3x7x8xf32>
  %e = tensor.empty() : tensor<3x7x9xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x7x9xf32>) -> tensor<3x7x9xf32>
  %r = linalg.generic {indexing_maps = [#x, #y, #z], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%h, %k : tensor<3x7x8xf32>, tensor<3x8x9xf32>) outs(%f : tensor<3x7x9xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<3x7x9xf32>
  %e1 = tensor.empty() : tensor<7x3x9xf32>
  %o = linalg.generic {indexing_maps = [#t, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%r : tensor<3x7x9xf32>) outs(%e1 : tensor<7x3x9xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<7x3x9xf32>
  return %o : tensor<7x3x9xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#z = affine_map<(m, n, k) -> (m, n)>

// What the sums start from is added to them.
// CHECK-LABEL: func.func @start
// CHECK: %[[SUMS:.*]] = kernel.matmul
// CHECK: linalg.generic {{.*}} ins(%[[SUMS]], %arg2 :
// CHECK: arith.addf
func.func @start(%x: tensor<4x8xf32>, %y: tensor<8x16xf32>, %z: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %r = linalg.generic {indexing_maps = [#x, #y, #z], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<4x8xf32>, tensor<8x16xf32>) outs(%z : tensor<4x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}

// A sum of products over two loops that one input does not share is none.
// CHECK-LABEL: func.func @no_product
// CHECK-NOT: kernel.matmul
func.func @no_product(%x: tensor<4x8xf32>, %y: tensor<8x16xf32>, %z: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %r = linalg.generic {indexing_maps = [#x, #y, #z], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<4x8xf32>, tensor<8x16xf32>) outs(%z : tensor<4x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.maximumf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (n, k)>
#z = affine_map<(m, n, k) -> (m, n)>

// Columns that lie in rows, of 1, 3, 5, 7, 9 and 2, 4, 6, 8, 10: panels have them side by side.
// CHECK-LABEL: func.func @columns_in_rows
// CHECK: kernel.matmul ins(%{{.*}}, %{{.*}} : tensor<?x2xf32>, tensor<1x2x16xf32>)
// CHECK: packed: "0x400000000000803F000040400000A0400000E04000001041{{(00000000)+}}00000040000080400000C0400000004100002041{{(00000000)+}}"
func.func @columns_in_rows(%x: tensor<?x2xf32>, %z: tensor<?x5xf32>) -> tensor<?x5xf32> {
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0], [9.0, 10.0]]> : tensor<5x2xf32>
  %r = linalg.generic {indexing_maps = [#x, #y, #z], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x2xf32>, tensor<5x2xf32>) outs(%z : tensor<?x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x5xf32>
  return %r : tensor<?x5xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#z = affine_map<(m, n, k) -> (m, n)>

// A few rows: the panels are all of 64 columns, none is filled up.
// CHECK-LABEL: func.func @few_rows
// CHECK: kernel.matmul {{.*}}onnxc.few_rows, {{.*}}rows = 6, columns = 64
func.func @few_rows(%a: tensor<?x2xf32>, %c: tensor<?x640xf32>) -> tensor<?x640xf32> {
  %b = arith.constant dense<1.0> : tensor<2x640xf32>
  %0 = linalg.generic {indexing_maps = [#x, #y, #z], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x2xf32>, tensor<2x640xf32>) outs(%c : tensor<?x640xf32>) attrs = {onnxc.few_rows} {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %p = arith.mulf %l, %r : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<?x640xf32>
  return %0 : tensor<?x640xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#z = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>

// Constants stay halves, the other operand is widened before; rounding is a step of the epilogue.
// CHECK-LABEL: func.func @halves
// CHECK: %[[W:.*]] = arith.constant dense_resource<packed> : tensor<1x2x16xf16>
// CHECK: %[[X:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<9x2xf16>)
// CHECK: arith.extf {{.*}} : f16 to f32
// CHECK: kernel.matmul ins(%[[X]], %[[W]] : tensor<9x2xf32>, tensor<1x2x16xf16>)
// CHECK-SAME: outs({{.*}} : tensor<9x5xf16>)
// CHECK: ^bb0(%[[SUM:.*]]: f32):
// CHECK: %[[HALF:.*]] = arith.truncf %[[SUM]] : f32 to f16
// CHECK: kernel.yield %[[HALF]]
// CHECK-NOT: linalg.generic
func.func @halves(%x: tensor<9x2xf16>) -> tensor<9x5xf16> {
  %w = arith.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0, 10.0]]> : tensor<2x5xf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<9x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<9x5xf32>) -> tensor<9x5xf32>
  %r = linalg.generic {indexing_maps = [#x, #y, #z], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<9x2xf16>, tensor<2x5xf16>) outs(%f : tensor<9x5xf32>) {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %p = arith.extf %a : f16 to f32
    %q = arith.extf %b : f16 to f32
    %t = arith.mulf %p, %q : f32
    %s = arith.addf %c, %t : f32
    linalg.yield %s : f32
  } -> tensor<9x5xf32>
  %h = tensor.empty() : tensor<9x5xf16>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%r : tensor<9x5xf32>) outs(%h : tensor<9x5xf16>) {
  ^bb0(%a: f32, %b: f16):
    %t = arith.truncf %a : f32 to f16
    linalg.yield %t : f16
  } -> tensor<9x5xf16>
  return %y : tensor<9x5xf16>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#z = affine_map<(m, n, k) -> (m, n)>

// Panels of halves are widened once for many rows; rows of halves are no reason to.
// CHECK-LABEL: func.func @half_weights
// CHECK: kernel.matmul ins(%{{.*}} : tensor<?x2xf32>, tensor<1x2x16xf16>)
// CHECK-SAME: onnxc.schedule = #kernel.matmul_schedule<{{.*}}widen = true>
func.func @half_weights(%x: tensor<?x2xf32>, %m: index) -> tensor<?x5xf32> {
  %w = arith.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0, 10.0]]> : tensor<2x5xf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%m) : tensor<?x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x5xf32>) -> tensor<?x5xf32>
  %r = linalg.generic {indexing_maps = [#x, #y, #z], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x2xf32>, tensor<2x5xf16>) outs(%f : tensor<?x5xf32>) {
  ^bb0(%a: f32, %b: f16, %c: f32):
    %b1 = arith.extf %b : f16 to f32
    %p = arith.mulf %a, %b1 : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x5xf32>
  return %r : tensor<?x5xf32>
}

// CHECK-LABEL: func.func @half_rows
// CHECK: kernel.matmul ins(%{{.*}} : tensor<?x2xf32>, tensor<1x2x16xf32>)
// CHECK-NOT: widen
func.func @half_rows(%x: tensor<?x2xf16>, %m: index) -> tensor<?x5xf32> {
  %w = arith.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0, 10.0]]> : tensor<2x5xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%m) : tensor<?x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x5xf32>) -> tensor<?x5xf32>
  %r = linalg.generic {indexing_maps = [#x, #y, #z], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x2xf16>, tensor<2x5xf32>) outs(%f : tensor<?x5xf32>) {
  ^bb0(%a: f16, %b: f32, %c: f32):
    %a1 = arith.extf %a : f16 to f32
    %p = arith.mulf %a1, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x5xf32>
  return %r : tensor<?x5xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#z = affine_map<(m, n, k) -> (m, n)>

// A sum over 3000 steps is cut into three alike; one over 1024 is not cut.
// CHECK-LABEL: func.func @depths
// CHECK: kernel.matmul {{.*}} onnxc.schedule = #kernel.matmul_schedule<{{.*}}depth = 1000,
// CHECK: kernel.matmul
// CHECK-NOT: depth
// CHECK: return
func.func @depths(%x: tensor<200x3000xf32>, %w: tensor<3000x64xf32>, %v: tensor<200x1024xf32>, %u: tensor<1024x64xf32>) -> (tensor<200x64xf32>, tensor<200x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<200x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<200x64xf32>) -> tensor<200x64xf32>
  %r = linalg.generic {indexing_maps = [#x, #y, #z], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<200x3000xf32>, tensor<3000x64xf32>) outs(%f : tensor<200x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.addf %c, %p : f32
    linalg.yield %q : f32
  } -> tensor<200x64xf32>
  %s = linalg.generic {indexing_maps = [#x, #y, #z], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v, %u : tensor<200x1024xf32>, tensor<1024x64xf32>) outs(%f : tensor<200x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.addf %c, %p : f32
    linalg.yield %q : f32
  } -> tensor<200x64xf32>
  return %r, %s : tensor<200x64xf32>, tensor<200x64xf32>
}

// -----

#id4 = affine_map<(a, b, c, d) -> (a, b, c, d)>
#bx = affine_map<(b, m, n, k) -> (b, m, k)>
#by = affine_map<(b, m, n, k) -> (b, k, n)>
#bz = affine_map<(b, m, n, k) -> (b, m, n)>

// Batches that an op behind them walks in two loops are two loops of the
// product; what was joined is read as it was, of whatever sizes.
// CHECK-LABEL: func.func @joined_batches
// CHECK: %[[H:.*]] = linalg.generic
// CHECK: %[[K:.*]] = tensor.expand_shape %arg1
// CHECK-NOT: tensor.expand_shape
// CHECK: kernel.matmul ins(%[[H]], %[[K]] : tensor<?x?x7x8xf32>,
// CHECK: tensor.collapse_shape
func.func @joined_batches(%q: tensor<?x?x7x8xf32>, %k: tensor<?x8x9xf32>, %o: tensor<?x?x7x8xf32>, %e: tensor<?x7x9xf32>) -> tensor<?x7x9xf32> {
  %zero = arith.constant 0.0 : f32
  %h = linalg.generic {indexing_maps = [#id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%q : tensor<?x?x7x8xf32>) outs(%o : tensor<?x?x7x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  } -> tensor<?x?x7x8xf32>
  %c = tensor.collapse_shape %h [[0, 1], [2], [3]] : tensor<?x?x7x8xf32> into tensor<?x7x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x7x9xf32>) -> tensor<?x7x9xf32>
  %r = linalg.generic {indexing_maps = [#bx, #by, #bz], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%c, %k : tensor<?x7x8xf32>, tensor<?x8x9xf32>) outs(%f : tensor<?x7x9xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<?x7x9xf32>
  return %r : tensor<?x7x9xf32>
}

// -----

#id4 = affine_map<(a, b, m, k) -> (a, b, m, k)>
#bx = affine_map<(b, m, n, k) -> (b, m, k)>
#by = affine_map<(b, m, n, k) -> (b, n, k)>
#bz = affine_map<(b, m, n, k) -> (b, m, n)>

// Keys that are scaled where they lie are joined as they were.
// CHECK-LABEL: func.func @scaled_keys
// CHECK: kernel.matmul ins(%arg0, %{{.*}} : tensor<6x7x8xf32>, tensor<6x9x8xf32>)
func.func @scaled_keys(%q: tensor<6x7x8xf32>, %k: tensor<2x3x9x8xf32>, %o: tensor<2x3x9x8xf32>, %e: tensor<6x7x9xf32>) -> tensor<6x7x9xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.3 : f32
  %h = linalg.generic {indexing_maps = [#id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%k : tensor<2x3x9x8xf32>) outs(%o : tensor<2x3x9x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %n = arith.mulf %a, %scale : f32
    linalg.yield %n : f32
  } -> tensor<2x3x9x8xf32>
  %c = tensor.collapse_shape %h [[0, 1], [2], [3]] : tensor<2x3x9x8xf32> into tensor<6x9x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<6x7x9xf32>) -> tensor<6x7x9xf32>
  %r = linalg.generic {indexing_maps = [#bx, #by, #bz], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %c : tensor<6x7x8xf32>, tensor<6x9x8xf32>) outs(%f : tensor<6x7x9xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<6x7x9xf32>
  return %r : tensor<6x7x9xf32>
}
