// RUN: onnx-mlir-opt %s -onnxc-fuse-elementwise -canonicalize | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#m = affine_map<(m, n, k) -> (m, k)>
#n = affine_map<(m, n, k) -> (k, n)>
#o = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func.func @chain_is_one_op
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK: arith.addf
// CHECK-NOT: linalg.generic
func.func @chain_is_one_op(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %a = linalg.exp ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %b = linalg.add ins(%a, %y : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %b : tensor<4x8xf32>
}

// Used twice, exp would be computed twice.
// CHECK-LABEL: func.func @no_duplicates
// CHECK-COUNT-1: math.exp
// CHECK-NOT: math.exp
// CHECK: return
func.func @no_duplicates(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %a = linalg.exp ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %b = linalg.add ins(%a, %x : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %c = linalg.mul ins(%a, %x : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %b, %c : tensor<4x8xf32>, tensor<4x8xf32>
}

// Broadcast along j, a division would be done once per j.
// CHECK-LABEL: func.func @no_repetition
// CHECK: linalg.generic
// CHECK: arith.divf
// CHECK: linalg.yield
// CHECK: linalg.generic
// CHECK: arith.subf
func.func @no_repetition(%x: tensor<4x8xf32>, %s: tensor<4xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %v = tensor.empty() : tensor<4xf32>
  %a = linalg.div ins(%s, %s : tensor<4xf32>, tensor<4xf32>) outs(%v : tensor<4xf32>) -> tensor<4xf32>
  %b = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %a : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%u: f32, %w: f32, %o: f32):
    %r = arith.subf %u, %w : f32
    linalg.yield %r : f32
  } -> tensor<4x8xf32>
  return %b : tensor<4x8xf32>
}

// Each element is summed once: exp moves into the sum.
// CHECK-LABEL: func.func @into_reduction
// CHECK: iterator_types = ["parallel", "reduction"]
// CHECK: math.exp
// CHECK: arith.addf
func.func @into_reduction(%x: tensor<4x8xf32>, %init: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %a = linalg.exp ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%u: f32, %o: f32):
    %r = arith.addf %o, %u : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  return %s : tensor<4xf32>
}

// Not even something cheap moves into a contraction.
// CHECK-LABEL: func.func @not_into_contraction
// CHECK: iterator_types = ["parallel", "parallel"]
// CHECK: iterator_types = ["parallel", "parallel", "reduction"]
func.func @not_into_contraction(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %init: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %a = linalg.add ins(%x, %x : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = linalg.matmul ins(%a, %w : tensor<4x8xf32>, tensor<8x16xf32>) outs(%init : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %s : tensor<4x16xf32>
}

// What only repeats moves into all of its users; also where a dimension of size 1 is repeated.
// CHECK-LABEL: func.func @repeated
// CHECK-COUNT-4: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @repeated(%s: tensor<8xf32>, %t: tensor<4x1xf32>, %x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%u: f32, %o: f32):
    linalg.yield %u : f32
  } -> tensor<4x8xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, 0)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t : tensor<4x1xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%u: f32, %o: f32):
    linalg.yield %u : f32
  } -> tensor<4x8xf32>
  %c = linalg.mul ins(%a, %x : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %d = linalg.sub ins(%a, %x : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %f = linalg.mul ins(%b, %x : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %g = linalg.sub ins(%b, %x : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %c, %d, %f, %g : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// Used twice, what reads in another order stays, and so does a diagonal.
// CHECK-LABEL: func.func @not_only_repeated
// CHECK-COUNT-6: linalg.generic
// CHECK: return
func.func @not_only_repeated(%t: tensor<8x4xf32>, %q: tensor<8x8xf32>, %x: tensor<4x8x4xf32>)
    -> (tensor<4x8x4xf32>, tensor<4x8x4xf32>, tensor<4x8x4xf32>, tensor<4x8x4xf32>) {
  %e = tensor.empty() : tensor<4x8x4xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (j, i)>, affine_map<(i, j, k) -> (i, j, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%t : tensor<8x4xf32>) outs(%e : tensor<4x8x4xf32>) {
  ^bb0(%u: f32, %o: f32):
    linalg.yield %u : f32
  } -> tensor<4x8x4xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (j, j)>, affine_map<(i, j, k) -> (i, j, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%q : tensor<8x8xf32>) outs(%e : tensor<4x8x4xf32>) {
  ^bb0(%u: f32, %o: f32):
    linalg.yield %u : f32
  } -> tensor<4x8x4xf32>
  %b1 = linalg.mul ins(%b, %x : tensor<4x8x4xf32>, tensor<4x8x4xf32>) outs(%e : tensor<4x8x4xf32>) -> tensor<4x8x4xf32>
  %b2 = linalg.sub ins(%b, %x : tensor<4x8x4xf32>, tensor<4x8x4xf32>) outs(%e : tensor<4x8x4xf32>) -> tensor<4x8x4xf32>
  %c1 = linalg.mul ins(%c, %x : tensor<4x8x4xf32>, tensor<4x8x4xf32>) outs(%e : tensor<4x8x4xf32>) -> tensor<4x8x4xf32>
  %c2 = linalg.sub ins(%c, %x : tensor<4x8x4xf32>, tensor<4x8x4xf32>) outs(%e : tensor<4x8x4xf32>) -> tensor<4x8x4xf32>
  return %b1, %b2, %c1, %c2 : tensor<4x8x4xf32>, tensor<4x8x4xf32>, tensor<4x8x4xf32>, tensor<4x8x4xf32>
}

// Two cheap operations are done once per j rather than stored; three are not.
// CHECK-LABEL: func.func @cheap
// CHECK: linalg.generic
// CHECK: arith.negf
// CHECK: arith.addf
// CHECK: arith.subf
// CHECK: linalg.yield
// CHECK: linalg.generic
// CHECK: arith.negf
// CHECK: arith.addf
// CHECK: arith.mulf
// CHECK: linalg.yield
// CHECK: linalg.generic
// CHECK: arith.subf
func.func @cheap(%x: tensor<4x8xf32>, %s: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %v = tensor.empty() : tensor<4xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%s : tensor<4xf32>) outs(%v : tensor<4xf32>) {
  ^bb0(%u: f32, %o: f32):
    %n = arith.negf %u : f32
    %r = arith.addf %n, %u : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  %b = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %a : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%u: f32, %w: f32, %o: f32):
    %r = arith.subf %u, %w : f32
    linalg.yield %r : f32
  } -> tensor<4x8xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%s : tensor<4xf32>) outs(%v : tensor<4xf32>) {
  ^bb0(%u: f32, %o: f32):
    %n = arith.negf %u : f32
    %p = arith.addf %n, %u : f32
    %r = arith.mulf %p, %u : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %c : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%u: f32, %w: f32, %o: f32):
    %r = arith.subf %u, %w : f32
    linalg.yield %r : f32
  } -> tensor<4x8xf32>
  return %b, %d : tensor<4x8xf32>, tensor<4x8xf32>
}

#v = affine_map<(i) -> (i)>

// Two ops that read twelve values become one, of thirteen they do not.
// CHECK-LABEL: func.func @inputs
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8, %arg9, %arg10 :
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5 :
// CHECK: linalg.generic {{.*}} ins(%{{[0-9]+}}, %arg6, %arg7, %arg8, %arg9, %arg10, %arg11 :
func.func @inputs(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>, %arg3: tensor<4xf32>, %arg4: tensor<4xf32>, %arg5: tensor<4xf32>, %arg6: tensor<4xf32>, %arg7: tensor<4xf32>, %arg8: tensor<4xf32>, %arg9: tensor<4xf32>, %arg10: tensor<4xf32>, %arg11: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.generic {indexing_maps = [#v, #v, #v, #v, #v, #v, #v], iterator_types = ["parallel"]}
      ins(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32, %s: f32, %t: f32, %u: f32, %o: f32):
    %y0 = arith.addf %p, %q : f32
    %y1 = arith.addf %y0, %r : f32
    %y2 = arith.addf %y1, %s : f32
    %y3 = arith.addf %y2, %t : f32
    %y4 = arith.addf %y3, %u : f32
    linalg.yield %y4 : f32
  } -> tensor<4xf32>
  %b = linalg.generic {indexing_maps = [#v, #v, #v, #v, #v, #v, #v], iterator_types = ["parallel"]}
      ins(%a, %arg6, %arg7, %arg8, %arg9, %arg10 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32, %s: f32, %t: f32, %u: f32, %o: f32):
    %y0 = arith.addf %p, %q : f32
    %y1 = arith.addf %y0, %r : f32
    %y2 = arith.addf %y1, %s : f32
    %y3 = arith.addf %y2, %t : f32
    %y4 = arith.addf %y3, %u : f32
    linalg.yield %y4 : f32
  } -> tensor<4xf32>
  %c = linalg.generic {indexing_maps = [#v, #v, #v, #v, #v, #v, #v], iterator_types = ["parallel"]}
      ins(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32, %s: f32, %t: f32, %u: f32, %o: f32):
    %y0 = arith.addf %p, %q : f32
    %y1 = arith.addf %y0, %r : f32
    %y2 = arith.addf %y1, %s : f32
    %y3 = arith.addf %y2, %t : f32
    %y4 = arith.addf %y3, %u : f32
    linalg.yield %y4 : f32
  } -> tensor<4xf32>
  %d = linalg.generic {indexing_maps = [#v, #v, #v, #v, #v, #v, #v, #v], iterator_types = ["parallel"]}
      ins(%c, %arg6, %arg7, %arg8, %arg9, %arg10, %arg11 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32, %s: f32, %t: f32, %u: f32, %w: f32, %o: f32):
    %y0 = arith.addf %p, %q : f32
    %y1 = arith.addf %y0, %r : f32
    %y2 = arith.addf %y1, %s : f32
    %y3 = arith.addf %y2, %t : f32
    %y4 = arith.addf %y3, %u : f32
    %y5 = arith.addf %y4, %w : f32
    linalg.yield %y5 : f32
  } -> tensor<4xf32>
  return %b, %d : tensor<4xf32>, tensor<4xf32>
}

// Both read the sums of a kernel, so that neither could be its epilogue: one op can.
// CHECK-LABEL: func.func @users_of_sums
// CHECK: kernel.matmul
// CHECK: linalg.generic
// CHECK: arith.divf
// CHECK: math.erf
// CHECK: arith.mulf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @users_of_sums(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %s = kernel.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x8xf32>) outs(%e : tensor<4x8xf32>)
      {indexing_maps = [#m, #n, #o], epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<4x8xf32>
  %a = linalg.div ins(%s, %c : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %b = linalg.erf ins(%a : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %d = linalg.mul ins(%s, %b : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %d : tensor<4x8xf32>
}

// It alone reads the sums: it becomes their epilogue, which its user may not.
// CHECK-LABEL: func.func @user_of_sums
// CHECK: linalg.generic
// CHECK: arith.negf
// CHECK: linalg.generic
func.func @user_of_sums(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %s = kernel.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x8xf32>) outs(%e : tensor<4x8xf32>)
      {indexing_maps = [#m, #n, #o], epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<4x8xf32>
  %a = linalg.negf ins(%s : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %b = linalg.sub ins(%a, %c : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %b : tensor<4x8xf32>
}
