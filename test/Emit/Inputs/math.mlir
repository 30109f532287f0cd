// Every function of the math dialect on a row of numbers, in scalars: row k of
// the output is function k of all elements of x. RUN lines of ../math.test
// replace f32 by the other types.
module attributes {
  onnxc.signature = #onnxc.signature<
    inputs = [#onnxc.value_info<name = "x", dtype = 1, dims = [-1], symbols = ["N"]>],
    outputs = [#onnxc.value_info<name = "y", dtype = 1, dims = [36, -1], symbols = ["", "N"]>]>
} {
  llvm.func @onnxc_rt_output(!llvm.ptr, !llvm.ptr, i32, i32, !llvm.ptr) -> !llvm.ptr
  llvm.func @onnxc_rt_status(!llvm.ptr) -> i32

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
    %one = arith.constant 1 : i64
    %rows = arith.constant 36 : i64
    %xp = llvm.load %inputs : !llvm.ptr -> !llvm.ptr
    // onnxc_tensor.dims
    %np = llvm.getelementptr %inputs[24] : (!llvm.ptr) -> !llvm.ptr, i8
    %n64 = llvm.load %np : !llvm.ptr -> i64
    %n = arith.index_cast %n64 : i64 to index
    %x = call @at(%xp, %n64) : (!llvm.ptr, i64) -> memref<?xf32>
    %dims = llvm.alloca %rows x i64 : (i64) -> !llvm.ptr
    llvm.store %rows, %dims : i64, !llvm.ptr
    %dim1 = llvm.getelementptr %dims[1] : (!llvm.ptr) -> !llvm.ptr, i64
    llvm.store %n64, %dim1 : i64, !llvm.ptr
    %index = llvm.mlir.constant(0 : i32) : i32
    %rank = llvm.mlir.constant(2 : i32) : i32
    %yp = llvm.call @onnxc_rt_output(%ctx, %outputs, %index, %rank, %dims) : (!llvm.ptr, !llvm.ptr, i32, i32, !llvm.ptr) -> !llvm.ptr
    %null = llvm.mlir.zero : !llvm.ptr
    %failed = llvm.icmp "eq" %yp, %null : !llvm.ptr
    cf.cond_br %failed, ^fail, ^go
  ^go:
    %size = arith.muli %n64, %rows : i64
    %y = call @at(%yp, %size) : (!llvm.ptr, i64) -> memref<?xf32>
    %two = arith.constant 2.0 : f32
    %low = arith.constant -0.5 : f32
    %high = arith.constant 0.5 : f32
    scf.for %i = %c0 to %n step %c1 {
      %e = memref.load %x[%i] : memref<?xf32>
      %v0 = math.absf %e : f32
      %k0 = arith.constant 0 : index
      %r0 = arith.muli %k0, %n : index
      %a0 = arith.addi %r0, %i : index
      memref.store %v0, %y[%a0] : memref<?xf32>
      %v1 = math.acos %e : f32
      %k1 = arith.constant 1 : index
      %r1 = arith.muli %k1, %n : index
      %a1 = arith.addi %r1, %i : index
      memref.store %v1, %y[%a1] : memref<?xf32>
      %v2 = math.acosh %e : f32
      %k2 = arith.constant 2 : index
      %r2 = arith.muli %k2, %n : index
      %a2 = arith.addi %r2, %i : index
      memref.store %v2, %y[%a2] : memref<?xf32>
      %v3 = math.asin %e : f32
      %k3 = arith.constant 3 : index
      %r3 = arith.muli %k3, %n : index
      %a3 = arith.addi %r3, %i : index
      memref.store %v3, %y[%a3] : memref<?xf32>
      %v4 = math.asinh %e : f32
      %k4 = arith.constant 4 : index
      %r4 = arith.muli %k4, %n : index
      %a4 = arith.addi %r4, %i : index
      memref.store %v4, %y[%a4] : memref<?xf32>
      %v5 = math.atan %e : f32
      %k5 = arith.constant 5 : index
      %r5 = arith.muli %k5, %n : index
      %a5 = arith.addi %r5, %i : index
      memref.store %v5, %y[%a5] : memref<?xf32>
      %v6 = math.atanh %e : f32
      %k6 = arith.constant 6 : index
      %r6 = arith.muli %k6, %n : index
      %a6 = arith.addi %r6, %i : index
      memref.store %v6, %y[%a6] : memref<?xf32>
      %v7 = math.cbrt %e : f32
      %k7 = arith.constant 7 : index
      %r7 = arith.muli %k7, %n : index
      %a7 = arith.addi %r7, %i : index
      memref.store %v7, %y[%a7] : memref<?xf32>
      %v8 = math.ceil %e : f32
      %k8 = arith.constant 8 : index
      %r8 = arith.muli %k8, %n : index
      %a8 = arith.addi %r8, %i : index
      memref.store %v8, %y[%a8] : memref<?xf32>
      %v9 = math.cos %e : f32
      %k9 = arith.constant 9 : index
      %r9 = arith.muli %k9, %n : index
      %a9 = arith.addi %r9, %i : index
      memref.store %v9, %y[%a9] : memref<?xf32>
      %v10 = math.cosh %e : f32
      %k10 = arith.constant 10 : index
      %r10 = arith.muli %k10, %n : index
      %a10 = arith.addi %r10, %i : index
      memref.store %v10, %y[%a10] : memref<?xf32>
      %v11 = math.erf %e : f32
      %k11 = arith.constant 11 : index
      %r11 = arith.muli %k11, %n : index
      %a11 = arith.addi %r11, %i : index
      memref.store %v11, %y[%a11] : memref<?xf32>
      %v12 = math.erfc %e : f32
      %k12 = arith.constant 12 : index
      %r12 = arith.muli %k12, %n : index
      %a12 = arith.addi %r12, %i : index
      memref.store %v12, %y[%a12] : memref<?xf32>
      %v13 = math.exp %e : f32
      %k13 = arith.constant 13 : index
      %r13 = arith.muli %k13, %n : index
      %a13 = arith.addi %r13, %i : index
      memref.store %v13, %y[%a13] : memref<?xf32>
      %v14 = math.exp2 %e : f32
      %k14 = arith.constant 14 : index
      %r14 = arith.muli %k14, %n : index
      %a14 = arith.addi %r14, %i : index
      memref.store %v14, %y[%a14] : memref<?xf32>
      %v15 = math.expm1 %e : f32
      %k15 = arith.constant 15 : index
      %r15 = arith.muli %k15, %n : index
      %a15 = arith.addi %r15, %i : index
      memref.store %v15, %y[%a15] : memref<?xf32>
      %v16 = math.floor %e : f32
      %k16 = arith.constant 16 : index
      %r16 = arith.muli %k16, %n : index
      %a16 = arith.addi %r16, %i : index
      memref.store %v16, %y[%a16] : memref<?xf32>
      %v17 = math.log %e : f32
      %k17 = arith.constant 17 : index
      %r17 = arith.muli %k17, %n : index
      %a17 = arith.addi %r17, %i : index
      memref.store %v17, %y[%a17] : memref<?xf32>
      %v18 = math.log10 %e : f32
      %k18 = arith.constant 18 : index
      %r18 = arith.muli %k18, %n : index
      %a18 = arith.addi %r18, %i : index
      memref.store %v18, %y[%a18] : memref<?xf32>
      %v19 = math.log1p %e : f32
      %k19 = arith.constant 19 : index
      %r19 = arith.muli %k19, %n : index
      %a19 = arith.addi %r19, %i : index
      memref.store %v19, %y[%a19] : memref<?xf32>
      %v20 = math.log2 %e : f32
      %k20 = arith.constant 20 : index
      %r20 = arith.muli %k20, %n : index
      %a20 = arith.addi %r20, %i : index
      memref.store %v20, %y[%a20] : memref<?xf32>
      %v21 = math.round %e : f32
      %k21 = arith.constant 21 : index
      %r21 = arith.muli %k21, %n : index
      %a21 = arith.addi %r21, %i : index
      memref.store %v21, %y[%a21] : memref<?xf32>
      %v22 = math.roundeven %e : f32
      %k22 = arith.constant 22 : index
      %r22 = arith.muli %k22, %n : index
      %a22 = arith.addi %r22, %i : index
      memref.store %v22, %y[%a22] : memref<?xf32>
      %v23 = math.rsqrt %e : f32
      %k23 = arith.constant 23 : index
      %r23 = arith.muli %k23, %n : index
      %a23 = arith.addi %r23, %i : index
      memref.store %v23, %y[%a23] : memref<?xf32>
      %v24 = math.sin %e : f32
      %k24 = arith.constant 24 : index
      %r24 = arith.muli %k24, %n : index
      %a24 = arith.addi %r24, %i : index
      memref.store %v24, %y[%a24] : memref<?xf32>
      %v25 = math.sinh %e : f32
      %k25 = arith.constant 25 : index
      %r25 = arith.muli %k25, %n : index
      %a25 = arith.addi %r25, %i : index
      memref.store %v25, %y[%a25] : memref<?xf32>
      %v26 = math.sqrt %e : f32
      %k26 = arith.constant 26 : index
      %r26 = arith.muli %k26, %n : index
      %a26 = arith.addi %r26, %i : index
      memref.store %v26, %y[%a26] : memref<?xf32>
      %v27 = math.tan %e : f32
      %k27 = arith.constant 27 : index
      %r27 = arith.muli %k27, %n : index
      %a27 = arith.addi %r27, %i : index
      memref.store %v27, %y[%a27] : memref<?xf32>
      %v28 = math.tanh %e : f32
      %k28 = arith.constant 28 : index
      %r28 = arith.muli %k28, %n : index
      %a28 = arith.addi %r28, %i : index
      memref.store %v28, %y[%a28] : memref<?xf32>
      %v29 = math.trunc %e : f32
      %k29 = arith.constant 29 : index
      %r29 = arith.muli %k29, %n : index
      %a29 = arith.addi %r29, %i : index
      memref.store %v29, %y[%a29] : memref<?xf32>
      %v30 = math.atan2 %e, %two : f32
      %k30 = arith.constant 30 : index
      %r30 = arith.muli %k30, %n : index
      %a30 = arith.addi %r30, %i : index
      memref.store %v30, %y[%a30] : memref<?xf32>
      %v31 = math.copysign %e, %two : f32
      %k31 = arith.constant 31 : index
      %r31 = arith.muli %k31, %n : index
      %a31 = arith.addi %r31, %i : index
      memref.store %v31, %y[%a31] : memref<?xf32>
      %v32 = math.powf %e, %two : f32
      %k32 = arith.constant 32 : index
      %r32 = arith.muli %k32, %n : index
      %a32 = arith.addi %r32, %i : index
      memref.store %v32, %y[%a32] : memref<?xf32>
      %v33 = math.fma %e, %e, %two : f32
      %k33 = arith.constant 33 : index
      %r33 = arith.muli %k33, %n : index
      %a33 = arith.addi %r33, %i : index
      memref.store %v33, %y[%a33] : memref<?xf32>
      %v34 = math.clampf %e to [%low, %high] : f32
      %k34 = arith.constant 34 : index
      %r34 = arith.muli %k34, %n : index
      %a34 = arith.addi %r34, %i : index
      memref.store %v34, %y[%a34] : memref<?xf32>
      %three = arith.constant 3 : i32
      %v35 = math.fpowi %e, %three : f32, i32
      %k35 = arith.constant 35 : index
      %r35 = arith.muli %k35, %n : index
      %a35 = arith.addi %r35, %i : index
      memref.store %v35, %y[%a35] : memref<?xf32>
    }
    %ok = arith.constant 0 : i32
    return %ok : i32
  ^fail:
    %status = llvm.call @onnxc_rt_status(%ctx) : (!llvm.ptr) -> i32
    return %status : i32
  }
}
