// RUN: onnx-mlir-opt --pass-pipeline='builtin.module(func.func(onnxc-fuse-epilogues))' %s | FileCheck %s

#lhs = affine_map<(m, n, k) -> (m, k)>
#packed = affine_map<(m, n, k) -> (n floordiv 32, k, n mod 32)>
#result = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#columns = affine_map<(m, n) -> (n)>
#cube = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#rows = affine_map<(d0, d1, d2) -> (d0, d1)>
#swapped = affine_map<(m, n) -> (n, m)>

// Bias and residual become extras; the destination is the elementwise op's.
// CHECK-LABEL: @bias_and_residual
// CHECK-SAME: %[[X:.*]]: tensor<8x64xf32>, %[[W:.*]]: tensor<1x64x32xf32>, %[[B:.*]]: tensor<32xf32>, %[[R:.*]]: tensor<8x32xf32>, %[[O:.*]]: tensor<8x32xf32>
// CHECK: kernel.matmul ins(%[[X]], %[[W]] : {{.*}}) extras(%[[B]], %[[R]] : {{.*}}) outs(%[[O]] :
// CHECK-SAME: epilogue {
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[BIAS:.*]]: f32, %[[RES:.*]]: f32)
// CHECK: %[[T:.*]] = arith.addf %[[SUM]], %[[BIAS]]
// CHECK: %[[Y:.*]] = arith.addf %[[T]], %[[RES]]
// CHECK: kernel.yield %[[Y]]
// CHECK-NOT: linalg.generic
func.func @bias_and_residual(%x: tensor<8x64xf32>, %w: tensor<1x64x32xf32>, %b: tensor<32xf32>, %r: tensor<8x32xf32>, %o: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %e = tensor.empty() : tensor<8x32xf32>
  %0 = kernel.matmul ins(%x, %w : tensor<8x64xf32>, tensor<1x64x32xf32>) outs(%e : tensor<8x32xf32>)
      {indexing_maps = [#lhs, #packed, #result], epilogue_maps = []} epilogue {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
  } -> tensor<8x32xf32>
  %1 = linalg.generic {indexing_maps = [#id, #columns, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %b, %r : tensor<8x32xf32>, tensor<32xf32>, tensor<8x32xf32>) outs(%o : tensor<8x32xf32>) {
    ^bb0(%in: f32, %bias: f32, %res: f32, %out: f32):
      %t = arith.addf %in, %bias : f32
      %y = arith.addf %t, %res : f32
      linalg.yield %y : f32
  } -> tensor<8x32xf32>
  return %1 : tensor<8x32xf32>
}

// CHECK-LABEL: @not_where_elements_move
// CHECK: kernel.matmul
// CHECK: linalg.generic
func.func @not_where_elements_move(%x: tensor<32x64xf32>, %w: tensor<1x64x32xf32>, %o: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %e = tensor.empty() : tensor<32x32xf32>
  %0 = kernel.matmul ins(%x, %w : tensor<32x64xf32>, tensor<1x64x32xf32>) outs(%e : tensor<32x32xf32>)
      {indexing_maps = [#lhs, #packed, #result], epilogue_maps = []} epilogue {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
  } -> tensor<32x32xf32>
  %1 = linalg.generic {indexing_maps = [#swapped, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<32x32xf32>) outs(%o : tensor<32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %y = arith.negf %in : f32
      linalg.yield %y : f32
  } -> tensor<32x32xf32>
  return %1 : tensor<32x32xf32>
}

// CHECK-LABEL: @not_what_others_use
// CHECK: kernel.matmul
// CHECK: linalg.generic
func.func @not_what_others_use(%x: tensor<8x64xf32>, %w: tensor<1x64x32xf32>, %o: tensor<8x32xf32>) -> (tensor<8x32xf32>, tensor<8x32xf32>) {
  %e = tensor.empty() : tensor<8x32xf32>
  %0 = kernel.matmul ins(%x, %w : tensor<8x64xf32>, tensor<1x64x32xf32>) outs(%e : tensor<8x32xf32>)
      {indexing_maps = [#lhs, #packed, #result], epilogue_maps = []} epilogue {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
  } -> tensor<8x32xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<8x32xf32>) outs(%o : tensor<8x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %y = arith.negf %in : f32
      linalg.yield %y : f32
  } -> tensor<8x32xf32>
  return %0, %1 : tensor<8x32xf32>, tensor<8x32xf32>
}

// Where a reduction reads the sums as well, the ops of a row keep the same
// loops.
// CHECK-LABEL: @not_a_part_of_a_row
// CHECK: tensor.expand_shape
// CHECK: linalg.generic {{.*}}["parallel", "parallel", "reduction"]
// CHECK: linalg.generic {{.*}}["parallel", "parallel", "parallel"]
func.func @not_a_part_of_a_row(%x: tensor<8x64xf32>, %w: tensor<1x64x32xf32>, %i: tensor<2x4xf32>, %o: tensor<2x4x32xf32>) -> tensor<2x4x32xf32> {
  %e = tensor.empty() : tensor<8x32xf32>
  %0 = kernel.matmul ins(%x, %w : tensor<8x64xf32>, tensor<1x64x32xf32>) outs(%e : tensor<8x32xf32>)
      {indexing_maps = [#lhs, #packed, #result], epilogue_maps = []} epilogue {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
  } -> tensor<8x32xf32>
  %1 = tensor.expand_shape %0 [[0, 1], [2]] output_shape [2, 4, 32] : tensor<8x32xf32> into tensor<2x4x32xf32>
  %2 = linalg.generic {indexing_maps = [#cube, #rows], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%1 : tensor<2x4x32xf32>) outs(%i : tensor<2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %y = arith.maximumf %in, %out : f32
      linalg.yield %y : f32
  } -> tensor<2x4xf32>
  %3 = linalg.generic {indexing_maps = [#cube, #rows, #cube], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%1, %2 : tensor<2x4x32xf32>, tensor<2x4xf32>) outs(%o : tensor<2x4x32xf32>) {
    ^bb0(%in: f32, %max: f32, %out: f32):
      %y = arith.subf %in, %max : f32
      linalg.yield %y : f32
  } -> tensor<2x4x32xf32>
  return %3 : tensor<2x4x32xf32>
}

// CHECK-LABEL: @not_of_bits
// CHECK: kernel.matmul
// CHECK: linalg.generic
func.func @not_of_bits(%x: tensor<8x64xf32>, %w: tensor<1x64x32xf32>, %mask: tensor<8x32xi1>, %o: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x32xf32>
  %0 = kernel.matmul ins(%x, %w : tensor<8x64xf32>, tensor<1x64x32xf32>) outs(%e : tensor<8x32xf32>)
      {indexing_maps = [#lhs, #packed, #result], epilogue_maps = []} epilogue {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
  } -> tensor<8x32xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %mask : tensor<8x32xf32>, tensor<8x32xi1>) outs(%o : tensor<8x32xf32>) {
    ^bb0(%in: f32, %m: i1, %out: f32):
      %y = arith.select %m, %in, %zero : f32
      linalg.yield %y : f32
  } -> tensor<8x32xf32>
  return %1 : tensor<8x32xf32>
}

#of4 = affine_map<(a, b, m, n) -> (b, m, n)>
#mask4 = affine_map<(a, b, m, n) -> (a, b, m, n)>
#batched = affine_map<(b, m, n, k) -> (b, m, k)>
#keys = affine_map<(b, m, n, k) -> (b, n, k)>
#scores = affine_map<(b, m, n, k) -> (b, m, n)>

// A dimension of size 1 prevents nothing.
// CHECK-LABEL: @through_unit_dimensions
// CHECK: kernel.matmul {{.*}} extras(
// CHECK-NOT: linalg.generic
func.func @through_unit_dimensions(%q: tensor<4x8x16xf32>, %k: tensor<4x8x16xf32>, %mask: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %e = tensor.empty() : tensor<4x8x8xf32>
  %0 = kernel.matmul ins(%q, %k : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%e : tensor<4x8x8xf32>)
      {indexing_maps = [#batched, #keys, #scores], epilogue_maps = []} epilogue {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
  } -> tensor<4x8x8xf32>
  %o = tensor.empty() : tensor<1x4x8x8xf32>
  %1 = linalg.generic {indexing_maps = [#of4, #mask4, #mask4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0, %mask : tensor<4x8x8xf32>, tensor<1x4x8x8xf32>) outs(%o : tensor<1x4x8x8xf32>) {
    ^bb0(%in: f32, %m: f32, %out: f32):
      %y = arith.addf %in, %m : f32
      linalg.yield %y : f32
  } -> tensor<1x4x8x8xf32>
  return %1 : tensor<1x4x8x8xf32>
}

#wide_x = affine_map<(m, n, k) -> (m, k)>
#wide_y = affine_map<(m, n, k) -> (k, n)>
#wide_z = affine_map<(m, n, k) -> (m, n)>
#wide_id = affine_map<(m, n) -> (m, n)>

// Halves that are widened for a kernel are float32 from the start; others round what is one already.
// CHECK-LABEL: func.func @widened
// CHECK: %[[R:.*]] = kernel.matmul
// CHECK: %[[H:.*]] = arith.truncf
// CHECK: %[[W:.*]] = arith.extf %[[H]] : f16 to f32
// CHECK: kernel.yield %[[W]]
// CHECK: kernel.matmul ins(%[[R]], {{.*}}) extras(%[[R]] : tensor<8x8xf32>)
// CHECK: ^bb0(%[[SUM:.*]]: f32, %[[E:.*]]: f32):
// CHECK: %[[N:.*]] = arith.truncf %[[E]] : f32 to f16
// CHECK: arith.addf %{{.*}}, %[[N]] : f16
// CHECK-NOT: linalg.generic
func.func @widened(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<8x8xf16> {
  %e = tensor.empty() : tensor<8x8xf16>
  %f = tensor.empty() : tensor<8x8xf32>
  %r = kernel.matmul ins(%x, %y : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf16>) {indexing_maps = [#wide_x, #wide_y, #wide_z], epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    %h = arith.truncf %sum : f32 to f16
    kernel.yield %h : f16
  } -> tensor<8x8xf16>
  %w = linalg.generic {indexing_maps = [#wide_id, #wide_id], iterator_types = ["parallel", "parallel"]}
      ins(%r : tensor<8x8xf16>) outs(%f : tensor<8x8xf32>) {
  ^bb0(%a: f16, %b: f32):
    %c = arith.extf %a : f16 to f32
    linalg.yield %c : f32
  } -> tensor<8x8xf32>
  %s = kernel.matmul ins(%w, %y : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf16>) {indexing_maps = [#wide_x, #wide_y, #wide_z], epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    %h = arith.truncf %sum : f32 to f16
    kernel.yield %h : f16
  } -> tensor<8x8xf16>
  %t = linalg.generic {indexing_maps = [#wide_id, #wide_id, #wide_id], iterator_types = ["parallel", "parallel"]}
      ins(%s, %r : tensor<8x8xf16>, tensor<8x8xf16>) outs(%e : tensor<8x8xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16):
    %d = arith.addf %a, %b : f16
    linalg.yield %d : f16
  } -> tensor<8x8xf16>
  return %t : tensor<8x8xf16>
}

// Vectors of them would divide by what dead lanes hold.
// CHECK-LABEL: @not_integer_division
// CHECK: kernel.matmul
// CHECK: linalg.generic
func.func @not_integer_division(%x: tensor<8x64xi8>, %w: tensor<64x32xi8>, %d: tensor<32xi32>, %o: tensor<8x32xi32>) -> tensor<8x32xi32> {
  %0 = kernel.matmul ins(%x, %w : tensor<8x64xi8>, tensor<64x32xi8>) outs(%o : tensor<8x32xi32>)
      {indexing_maps = [#lhs, affine_map<(m, n, k) -> (k, n)>, #result], epilogue_maps = []} epilogue {
    ^bb0(%sum: i32):
      kernel.yield %sum : i32
  } -> tensor<8x32xi32>
  %1 = linalg.generic {indexing_maps = [#id, #columns, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %d : tensor<8x32xi32>, tensor<32xi32>) outs(%o : tensor<8x32xi32>) {
    ^bb0(%in: i32, %by: i32, %out: i32):
      %y = arith.ceildivsi %in, %by : i32
      linalg.yield %y : i32
  } -> tensor<8x32xi32>
  return %1 : tensor<8x32xi32>
}

// Each row of what is added belongs to two rows of the result: no emitter walks it so.
// CHECK-LABEL: @not_what_is_read_elsewhere
// CHECK: kernel.matmul
// CHECK-NOT: extras
// CHECK: linalg.generic
func.func @not_what_is_read_elsewhere(%x: tensor<8x64xf32>, %w: tensor<1x64x32xf32>, %r: tensor<4x32xf32>, %o: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %0 = kernel.matmul ins(%x, %w : tensor<8x64xf32>, tensor<1x64x32xf32>) outs(%o : tensor<8x32xf32>)
      {indexing_maps = [#lhs, #packed, #result], epilogue_maps = []} epilogue {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
  } -> tensor<8x32xf32>
  %1 = linalg.generic {indexing_maps = [#id, affine_map<(m, n) -> (m floordiv 2, n)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %r : tensor<8x32xf32>, tensor<4x32xf32>) outs(%o : tensor<8x32xf32>) {
    ^bb0(%in: f32, %row: f32, %out: f32):
      %y = arith.addf %in, %row : f32
      linalg.yield %y : f32
  } -> tensor<8x32xf32>
  return %1 : tensor<8x32xf32>
}

// What only asks for a size of the halves, of any dimension, goes on asking.
// CHECK-LABEL: func.func @widened_and_measured
// CHECK: %[[R:.*]] = kernel.matmul {{.*}} outs(%{{.*}} : tensor<?x8xf32>)
// CHECK: tensor.dim %[[R]], %arg4 : tensor<?x8xf32>
// CHECK: kernel.matmul ins(%[[R]],
func.func @widened_and_measured(%x: tensor<?x8xf32>, %y: tensor<8x8xf32>, %e: tensor<?x8xf16>, %f: tensor<?x8xf32>, %i: index) -> (tensor<?x8xf16>, index) {
  %r = kernel.matmul ins(%x, %y : tensor<?x8xf32>, tensor<8x8xf32>) outs(%e : tensor<?x8xf16>) {indexing_maps = [#wide_x, #wide_y, #wide_z], epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    %h = arith.truncf %sum : f32 to f16
    kernel.yield %h : f16
  } -> tensor<?x8xf16>
  %d = tensor.dim %r, %i : tensor<?x8xf16>
  %w = linalg.generic {indexing_maps = [#wide_id, #wide_id], iterator_types = ["parallel", "parallel"]}
      ins(%r : tensor<?x8xf16>) outs(%f : tensor<?x8xf32>) {
  ^bb0(%a: f16, %b: f32):
    %c = arith.extf %a : f16 to f32
    linalg.yield %c : f32
  } -> tensor<?x8xf32>
  %s = kernel.matmul ins(%w, %y : tensor<?x8xf32>, tensor<8x8xf32>) outs(%e : tensor<?x8xf16>) {indexing_maps = [#wide_x, #wide_y, #wide_z], epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    %h = arith.truncf %sum : f32 to f16
    kernel.yield %h : f16
  } -> tensor<?x8xf16>
  return %s, %d : tensor<?x8xf16>, index
}

// What asks for its place is no epilogue: it keeps the dimensions that others
// have beside it.
#place = affine_map<(b, m, n) -> (b, m, n)>
// CHECK-LABEL: func.func @place
// CHECK: %[[R:.*]] = kernel.matmul
// CHECK: %[[S:.*]] = tensor.expand_shape %[[R]]
// CHECK: linalg.generic {{.*}} ins(%[[S]] : tensor<2x?x8xf32>)
// CHECK: linalg.index 1
func.func @place(%x: tensor<?x8xf32>, %y: tensor<8x8xf32>, %e: tensor<?x8xf32>, %n: index, %f: tensor<2x?x8xf32>) -> tensor<2x?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %r = kernel.matmul ins(%x, %y : tensor<?x8xf32>, tensor<8x8xf32>) outs(%e : tensor<?x8xf32>) {indexing_maps = [#wide_x, #wide_y, #wide_z], epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<?x8xf32>
  %s = tensor.expand_shape %r [[0, 1], [2]] output_shape [2, %n, 8] : tensor<?x8xf32> into tensor<2x?x8xf32>
  %w = linalg.generic {indexing_maps = [#place, #place], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x?x8xf32>) outs(%f : tensor<2x?x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %later = arith.cmpi slt, %i, %j : index
    %c = arith.select %later, %zero, %a : f32
    linalg.yield %c : f32
  } -> tensor<2x?x8xf32>
  return %w : tensor<2x?x8xf32>
}

// Sums by groups, whose channels are joined and whose pixels are split, and then shuffled: the
// product writes them where they belong.
#by_group = affine_map<(g, m, n, k) -> (g, m, k)>
#image = affine_map<(g, m, n, k) -> (g, k, n)>
#sums = affine_map<(g, m, n, k) -> (g, m, n)>
#all3 = affine_map<(c, h, w) -> (c, h, w)>
// CHECK-LABEL: func.func @shuffled
// CHECK: kernel.matmul {{.*}} outs(%{{.*}} : tensor<3x2x20xf32>)
// CHECK: arith.maximumf
// CHECK: -> tensor<3x2x20xf32>
// CHECK-NOT: linalg
func.func @shuffled(%w: tensor<2x3x8xf32>, %x: tensor<2x8x20xf32>, %e: tensor<2x3x20xf32>, %f: tensor<6x4x5xf32>, %to: tensor<3x2x4x5xf32>) -> tensor<3x2x4x5xf32> {
  %zero = arith.constant 0.0 : f32
  %r = kernel.matmul ins(%w, %x : tensor<2x3x8xf32>, tensor<2x8x20xf32>) outs(%e : tensor<2x3x20xf32>) {indexing_maps = [#by_group, #image, #sums], epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<2x3x20xf32>
  %pixels = tensor.expand_shape %r [[0], [1], [2, 3]] output_shape [2, 3, 4, 5] : tensor<2x3x20xf32> into tensor<2x3x4x5xf32>
  %joined = tensor.collapse_shape %pixels [[0, 1], [2], [3]] : tensor<2x3x4x5xf32> into tensor<6x4x5xf32>
  %relu = linalg.generic {indexing_maps = [#all3, #all3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%joined : tensor<6x4x5xf32>) outs(%f : tensor<6x4x5xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %zero : f32
    linalg.yield %c : f32
  } -> tensor<6x4x5xf32>
  %split = tensor.expand_shape %relu [[0, 1], [2], [3]] output_shape [2, 3, 4, 5] : tensor<6x4x5xf32> into tensor<2x3x4x5xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(c, g, h, w) -> (g, c, h, w)>, affine_map<(c, g, h, w) -> (c, g, h, w)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%split : tensor<2x3x4x5xf32>) outs(%to : tensor<3x2x4x5xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<3x2x4x5xf32>
  return %y : tensor<3x2x4x5xf32>
}
