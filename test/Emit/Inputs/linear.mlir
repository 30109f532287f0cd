// y = x * W + b, all sizes fixed: x 2x3, W 3x4, b 4. As the stage bufferize
// leaves it: the arena holds x * W.
module attributes {
  onnxc.signature = #onnxc.signature<
    name = "linear", producer = "by hand", opset = 21,
    inputs = [#onnxc.value_info<name = "x", dtype = 1, dims = [2, 3], symbols = ["", ""]>],
    outputs = [#onnxc.value_info<name = "y", dtype = 1, dims = [2, 4], symbols = ["", ""]>]>,
  onnxc.workspace = 64 : i64,
  onnxc.weights = [
    {offset = 0 : i64, value = dense<[[1.0, 2.0, 3.0, 4.0], [0.5, 0.5, 0.5, 0.5], [-1.0, 0.0, 1.0, 2.0]]> : tensor<3x4xf32>},
    {offset = 64 : i64, value = dense_resource<bias> : tensor<4xf32>},
    {offset = 128 : i64, value = dense<7.0> : tensor<100xf32>}]
} {
  memref.global "private" @onnxc_weights : memref<528xi8>
  llvm.func @onnxc_rt_workspace(!llvm.ptr) -> !llvm.ptr
  llvm.func @onnxc_rt_output(!llvm.ptr, !llvm.ptr, i32, i32, !llvm.ptr) -> !llvm.ptr
  llvm.func @onnxc_rt_status(!llvm.ptr) -> i32
  llvm.mlir.global private constant @dims_y(dense<[2, 4]> : tensor<2xi64>) : !llvm.array<2 x i64>

  func.func private @at(%p: !llvm.ptr, %bytes: i64) -> memref<?xi8> {
    %0 = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    %1 = llvm.insertvalue %p, %0[0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    %2 = llvm.insertvalue %p, %1[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    %zero = llvm.mlir.constant(0 : i64) : i64
    %one = llvm.mlir.constant(1 : i64) : i64
    %3 = llvm.insertvalue %zero, %2[2] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    %4 = llvm.insertvalue %bytes, %3[3, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    %5 = llvm.insertvalue %one, %4[4, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    %6 = builtin.unrealized_conversion_cast %5 : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> to memref<?xi8>
    return %6 : memref<?xi8>
  }

  func.func @main_graph(%ctx: !llvm.ptr, %inputs: !llvm.ptr, %outputs: !llvm.ptr) -> i32 attributes {onnxc.entry} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %xp = llvm.load %inputs : !llvm.ptr -> !llvm.ptr
    %xbytes = llvm.mlir.constant(24 : i64) : i64
    %xb = call @at(%xp, %xbytes) : (!llvm.ptr, i64) -> memref<?xi8>
    %x = memref.view %xb[%c0][] : memref<?xi8> to memref<2x3xf32>
    %wb = memref.get_global @onnxc_weights : memref<528xi8>
    %w = memref.view %wb[%c0][] : memref<528xi8> to memref<3x4xf32>
    %b = memref.view %wb[%c64][] : memref<528xi8> to memref<4xf32>
    %ap = llvm.call @onnxc_rt_workspace(%ctx) : (!llvm.ptr) -> !llvm.ptr
    %abytes = llvm.mlir.constant(64 : i64) : i64
    %ab = call @at(%ap, %abytes) : (!llvm.ptr, i64) -> memref<?xi8>
    %a = memref.view %ab[%c0][] : memref<?xi8> to memref<2x4xf32>
    %dims = llvm.mlir.addressof @dims_y : !llvm.ptr
    %index = llvm.mlir.constant(0 : i32) : i32
    %rank = llvm.mlir.constant(2 : i32) : i32
    %yp = llvm.call @onnxc_rt_output(%ctx, %outputs, %index, %rank, %dims) : (!llvm.ptr, !llvm.ptr, i32, i32, !llvm.ptr) -> !llvm.ptr
    %null = llvm.mlir.zero : !llvm.ptr
    %failed = llvm.icmp "eq" %yp, %null : !llvm.ptr
    cf.cond_br %failed, ^fail, ^go
  ^go:
    %ybytes = llvm.mlir.constant(32 : i64) : i64
    %yb = call @at(%yp, %ybytes) : (!llvm.ptr, i64) -> memref<?xi8>
    %y = memref.view %yb[%c0][] : memref<?xi8> to memref<2x4xf32>
    linalg.fill ins(%zero : f32) outs(%a : memref<2x4xf32>)
    linalg.matmul ins(%x, %w : memref<2x3xf32>, memref<3x4xf32>) outs(%a : memref<2x4xf32>)
    linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : memref<2x4xf32>, memref<4xf32>) outs(%y : memref<2x4xf32>) {
    ^bb0(%l: f32, %r: f32, %o: f32):
      %s = arith.addf %l, %r : f32
      linalg.yield %s : f32
    }
    %ok = arith.constant 0 : i32
    return %ok : i32
  ^fail:
    %status = llvm.call @onnxc_rt_status(%ctx) : (!llvm.ptr) -> i32
    return %status : i32
  }
}

{-#
  dialect_resources: {
    builtin: {
      bias: "0x04000000000020410000A0410000F04100002042"
    }
  }
#-}
