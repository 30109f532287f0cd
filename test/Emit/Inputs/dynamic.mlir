// Sizes known at run time: c = a + a for a of Nx2, and d = the first k of the
// numbers 0, 1, 2, ..., by way of a temporary. A negative k is an error.
module attributes {
  onnxc.signature = #onnxc.signature<
    name = "dynamic",
    inputs = [
      #onnxc.value_info<name = "a", dtype = 1, dims = [-1, 2], symbols = ["N", ""]>,
      #onnxc.value_info<name = "int", dtype = 7, dims = [], symbols = []>,
      #onnxc.value_info<name = "a.b", dtype = 9, dims = [-1, -1], symbols = ["N", ""]>],
    outputs = [
      #onnxc.value_info<name = "c", dtype = 1, dims = [-1, 2], symbols = ["N", ""]>,
      #onnxc.value_info<name = "0d", dtype = 1, dims = [-1], symbols = ["k"]>]>
} {
  llvm.func @onnxc_rt_output(!llvm.ptr, !llvm.ptr, i32, i32, !llvm.ptr) -> !llvm.ptr
  llvm.func @onnxc_rt_status(!llvm.ptr) -> i32
  llvm.func @onnxc_rt_alloc(!llvm.ptr, i64) -> !llvm.ptr
  llvm.func @onnxc_rt_free(!llvm.ptr, !llvm.ptr)
  llvm.func @onnxc_rt_fail(!llvm.ptr, !llvm.ptr) -> i32
  llvm.mlir.global private constant @message("node 'top' (TopK): k is negative, expected 0 or more\00")

  func.func private @at(%p: !llvm.ptr, %n: i64) -> memref<?xf32> {
    %0 = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    %1 = llvm.insertvalue %p, %0[0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    %2 = llvm.insertvalue %p, %1[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    %zero = llvm.mlir.constant(0 : i64) : i64
    %one = llvm.mlir.constant(1 : i64) : i64
    %3 = llvm.insertvalue %zero, %2[2] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    %4 = llvm.insertvalue %n, %3[3, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    %5 = llvm.insertvalue %one, %4[4, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    %6 = builtin.unrealized_conversion_cast %5 : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> to memref<?xf32>
    return %6 : memref<?xf32>
  }

  func.func @main_graph(%ctx: !llvm.ptr, %inputs: !llvm.ptr, %outputs: !llvm.ptr) -> i32 attributes {onnxc.entry} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i64
    %two = arith.constant 2 : i64
    %four = arith.constant 4 : i64
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %i2 = arith.constant 2 : i32
    %null = llvm.mlir.zero : !llvm.ptr
    // onnxc_tensor: dims at 24, 152 bytes in all
    %ap = llvm.load %inputs : !llvm.ptr -> !llvm.ptr
    %np = llvm.getelementptr %inputs[24] : (!llvm.ptr) -> !llvm.ptr, i8
    %n = llvm.load %np : !llvm.ptr -> i64
    %kt = llvm.getelementptr %inputs[152] : (!llvm.ptr) -> !llvm.ptr, i8
    %kp = llvm.load %kt : !llvm.ptr -> !llvm.ptr
    %k = llvm.load %kp : !llvm.ptr -> i64
    %dims = llvm.alloca %two x i64 : (i64) -> !llvm.ptr
    %bad = arith.cmpi slt, %k, %zero : i64
    cf.cond_br %bad, ^refuse, ^first
  ^refuse:
    %text = llvm.mlir.addressof @message : !llvm.ptr
    %code = llvm.call @onnxc_rt_fail(%ctx, %text) : (!llvm.ptr, !llvm.ptr) -> i32
    return %code : i32
  ^first:
    llvm.store %n, %dims : i64, !llvm.ptr
    %dim1 = llvm.getelementptr %dims[1] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %two, %dim1 : i64, !llvm.ptr
    %cp = llvm.call @onnxc_rt_output(%ctx, %outputs, %i0, %i2, %dims) : (!llvm.ptr, !llvm.ptr, i32, i32, !llvm.ptr) -> !llvm.ptr
    %nocp = llvm.icmp "eq" %cp, %null : !llvm.ptr
    cf.cond_br %nocp, ^fail, ^second
  ^second:
    %an = arith.muli %n, %two : i64
    %a = call @at(%ap, %an) : (!llvm.ptr, i64) -> memref<?xf32>
    %c = call @at(%cp, %an) : (!llvm.ptr, i64) -> memref<?xf32>
    linalg.add ins(%a, %a : memref<?xf32>, memref<?xf32>) outs(%c : memref<?xf32>)
    %bytes = arith.muli %k, %four : i64
    %tp = llvm.call @onnxc_rt_alloc(%ctx, %bytes) : (!llvm.ptr, i64) -> !llvm.ptr
    %notp = llvm.icmp "eq" %tp, %null : !llvm.ptr
    cf.cond_br %notp, ^fail, ^third
  ^third:
    %t = call @at(%tp, %k) : (!llvm.ptr, i64) -> memref<?xf32>
    %kindex = arith.index_cast %k : i64 to index
    scf.for %i = %c0 to %kindex step %c1 {
      %j = arith.index_cast %i : index to i32
      %f = arith.sitofp %j : i32 to f32
      memref.store %f, %t[%i] : memref<?xf32>
    }
    llvm.store %k, %dims : i64, !llvm.ptr
    %dp = llvm.call @onnxc_rt_output(%ctx, %outputs, %i1, %i1, %dims) : (!llvm.ptr, !llvm.ptr, i32, i32, !llvm.ptr) -> !llvm.ptr
    %nodp = llvm.icmp "eq" %dp, %null : !llvm.ptr
    cf.cond_br %nodp, ^fail, ^last
  ^last:
    %d = call @at(%dp, %k) : (!llvm.ptr, i64) -> memref<?xf32>
    linalg.copy ins(%t : memref<?xf32>) outs(%d : memref<?xf32>)
    llvm.call @onnxc_rt_free(%ctx, %tp) : (!llvm.ptr, !llvm.ptr) -> ()
    %ok = arith.constant 0 : i32
    return %ok : i32
  ^fail:
    %status = llvm.call @onnxc_rt_status(%ctx) : (!llvm.ptr) -> i32
    return %status : i32
  }
}
