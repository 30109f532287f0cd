// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(onnxc-set-target{triple=x86_64-linux-gnu cpu=x86-64-v4 features=+avx512vnni},func.func(onnxc-select-schedule,onnxc-emit-kernels))' \
// RUN:   | FileCheck %s --check-prefixes=CHECK,VNNI
// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(onnxc-set-target{triple=x86_64-linux-gnu cpu=x86-64-v3},func.func(onnxc-select-schedule,onnxc-emit-kernels))' \
// RUN:   | FileCheck %s --check-prefixes=CHECK,AVX2
// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(onnxc-set-target{triple=aarch64-linux-gnu features=+dotprod},func.func(onnxc-select-schedule,onnxc-emit-kernels))' \
// RUN:   | FileCheck %s --check-prefixes=CHECK,ARM
// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(onnxc-set-target{triple=riscv64-linux-gnu features=+v,+zvl256b},func.func(onnxc-select-schedule,onnxc-emit-kernels))' \
// RUN:   | FileCheck %s --check-prefixes=CHECK,PLAIN
// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(onnxc-set-target{triple=x86_64-linux-gnu cpu=x86-64-v4 features=+avx512vnni,+amx-int8},func.func(onnxc-select-schedule,onnxc-emit-kernels))' \
// RUN:   | FileCheck %s --check-prefix=TILES

// Eight steps of a word are two dot products. The sums start from the zero point, 8 times the row's sum. Where two bytes make a
// sum of 16 bits, those of a block, 8 * 2 * 15 * 127 at most, are added before they become 32 bits.
// CHECK-LABEL: @halves
// CHECK: %[[SUM:.*]] = memref.load {{.*}} : memref<{{.*}}xi32
// CHECK: arith.muli %[[SUM]], %c-8_i32
// VNNI-COUNT-32: llvm.x86.avx512.vpdpbusd.512
// VNNI-NOT: vpdpbusd
// AVX2: llvm.x86.avx2.pmadd.ub.sw
// AVX2-NOT: pmadd.wd
// AVX2: arith.addi {{.*}} : vector<16xi16>
// AVX2: llvm.x86.avx2.pmadd.wd
// ARM: llvm.aarch64.neon.sdot
// PLAIN-NOT: call_intrinsic
// PLAIN: arith.muli {{.*}} : vector<8xi32>
// CHECK: %[[FLOAT:.*]] = arith.sitofp
// CHECK: %[[SCALED:.*]] = arith.mulf %[[FLOAT]]
// CHECK: vector.fma %[[SCALED]]
func.func @halves(%x: memref<1x64xi8>, %s: memref<1x2xf32>, %t: memref<1x2xi32>, %w: memref<2x8x64xi32>, %ws: memref<2x2x1x64xf32>, %out: memref<1x128xf32>) {
  kernel.block_dot rows(%x, %s, %t : memref<1x64xi8>, memref<1x2xf32>, memref<1x2xi32>)
      weights(%w, %ws : memref<2x8x64xi32>, memref<2x2x1x64xf32>) outs(%out : memref<1x128xf32>)
      {bits = 4 : i64, block = 32 : i64, offset = 8 : i64, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// Bytes with zero points. What multiplies unsigned ones gets weights that are 128 greater, and sums start from that; what makes sums of
// 16 bits gets their magnitudes, and rows with their signs. Signed ones are taken as they are.
// CHECK-LABEL: @bytes
// VNNI: arith.muli {{.*}}, %c-128_i32
// VNNI: arith.xori
// VNNI: llvm.x86.avx512.vpdpbusd.512
// AVX2-NOT: arith.muli {{.*}} : i32
// AVX2: %[[SIGN:.*]] = arith.shrsi
// AVX2: %[[MAGNITUDE:.*]] = arith.subi {{.*}}, %[[SIGN]]
// AVX2: %[[ROW:.*]] = llvm.call_intrinsic "llvm.x86.avx2.psign.b"
// AVX2: llvm.call_intrinsic "llvm.x86.avx2.pmadd.ub.sw"(%[[MAGNITUDE]], %[[ROW]])
// AVX2: llvm.x86.avx2.pmadd.wd
// ARM-NOT: arith.xori
// ARM: llvm.aarch64.neon.sdot
// PLAIN: arith.shrsi
// CHECK: %[[NEGATED:.*]] = arith.negf
// CHECK: %[[ALL:.*]] = vector.broadcast %[[NEGATED]]
// CHECK: %[[FLOAT:.*]] = arith.sitofp
// CHECK: %[[CENTERED:.*]] = vector.fma %{{.*}}, %[[ALL]], %[[FLOAT]]
// CHECK: arith.mulf %[[CENTERED]]
func.func @bytes(%x: memref<3x64xi8>, %s: memref<3x2xf32>, %t: memref<3x2xi32>, %w: memref<1x16x64xi32>, %ws: memref<1x2x2x64xf32>, %out: memref<3x64xf32>) {
  kernel.block_dot rows(%x, %s, %t : memref<3x64xi8>, memref<3x2xf32>, memref<3x2xi32>)
      weights(%w, %ws : memref<1x16x64xi32>, memref<1x2x2x64xf32>) outs(%out : memref<3x64xf32>)
      {bits = 8 : i64, block = 32 : i64, offset = 0 : i64, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// In tile registers: zero points are taken from signed weights, of a panel at once, and nothing is left to subtract from sums. Two blocks
// are multiplied before the first is scaled; the two rows that are left are multiplied in vectors, without registers in use. The 128
// columns are two panels.
// TILES-LABEL: @tiles
// TILES: scf.forall (%{{.*}}) in (2)
// TILES: llvm.x86.ldtilecfg
// TILES: arith.subi {{.*}} : vector<64xi8>
// TILES: scf.for %{{.*}} = %c0{{.*}} to %c32
// TILES-NOT: arith.subi
// TILES-COUNT-2: llvm.x86.tdpbssd
// TILES-COUNT-2: llvm.x86.tilestored64
// TILES-COUNT-32: vector.fma
// TILES: llvm.x86.tilerelease
// TILES-NOT: llvm.x86.t
// TILES: llvm.x86.avx512.vpdpbusd.512
// TILES: return
func.func @tiles(%x: memref<34x64xi8>, %s: memref<34x2xf32>, %t: memref<34x2xi32>, %w: memref<2x8x64xi32>, %ws: memref<2x2x2x64xf32>, %out: memref<34x128xf32>) {
  kernel.block_dot rows(%x, %s, %t : memref<34x64xi8>, memref<34x2xf32>, memref<34x2xi32>)
      weights(%w, %ws : memref<2x8x64xi32>, memref<2x2x2x64xf32>) outs(%out : memref<34x128xf32>)
      {bits = 4 : i64, block = 32 : i64, offset = 0 : i64, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// Many rows: words of two vectors of columns are split once, before a loop over tiles of rows that reads what they were split into; so are
// magnitudes. Sums of 16 bits are carried by a loop over the words of a block, as are those of 32 bits of weights of 8 bits: written out,
// they would be added up row by row. Of 40 rows, tiles have 8 where there are 32 registers, 6 (here: 5 and 5 times 7), or 5.
// CHECK-LABEL: @many_halves
// VNNI: memref.alloc() {{.*}} : memref<2048xi8>
// VNNI: scf.for
// VNNI: arith.shrui {{.*}} : vector<16xi32>
// VNNI: vector.store {{.*}} : memref<2048xi8>, vector<64xi8>
// VNNI: scf.for {{.*}} to %c40
// VNNI-NOT: arith.shrui
// VNNI-NOT: arith.andi
// VNNI-COUNT-128: llvm.x86.avx512.vpdpbusd.512
// VNNI-NOT: arith.andi
// VNNI: scf.yield
// AVX2: arith.shrui {{.*}} : vector<8xi32>
// AVX2: vector.store {{.*}} : memref<1024xi8>, vector<32xi8>
// AVX2: scf.for {{.*}} to %c36
// AVX2-NOT: arith.andi
// AVX2: scf.for {{.*}} to %c4_{{.*}} -> (vector<16xi16>, 
// AVX2-COUNT-24: llvm.x86.avx2.pmadd.ub.sw
// AVX2: scf.yield {{.*}} : vector<16xi16>
// AVX2-COUNT-12: llvm.x86.avx2.pmadd.wd
// ARM: memref.alloc() {{.*}}xi8>
// PLAIN-NOT: memref.alloc
// CHECK: return
func.func @many_halves(%x: memref<40x64xi8>, %s: memref<40x2xf32>, %t: memref<40x2xi32>, %w: memref<1x8x64xi32>, %ws: memref<1x2x1x64xf32>, %out: memref<40x64xf32>) {
  kernel.block_dot rows(%x, %s, %t : memref<40x64xi8>, memref<40x2xf32>, memref<40x2xi32>)
      weights(%w, %ws : memref<1x8x64xi32>, memref<1x2x1x64xf32>) outs(%out : memref<40x64xf32>)
      {bits = 4 : i64, block = 32 : i64, offset = 8 : i64, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// CHECK-LABEL: @many_bytes
// VNNI: arith.xori
// VNNI: vector.store {{.*}} : memref<2048xi8>, vector<64xi8>
// VNNI-NOT: arith.xori
// VNNI: llvm.x86.avx512.vpdpbusd.512
// AVX2: arith.shrsi
// AVX2: vector.store {{.*}} : memref<2048xi8>, vector<32xi8>
// AVX2: scf.for {{.*}} to %c40
// AVX2: scf.for {{.*}} to %c8_{{.*}} -> (vector<8xi32>, 
// AVX2-NOT: arith.shrsi
// AVX2-COUNT-10: llvm.x86.avx2.psign.b
// AVX2: scf.yield {{.*}} : vector<8xi32>
// CHECK: return
func.func @many_bytes(%x: memref<40x64xi8>, %s: memref<40x2xf32>, %t: memref<40x2xi32>, %w: memref<1x16x64xi32>, %ws: memref<1x2x1x64xf32>, %out: memref<40x64xf32>) {
  kernel.block_dot rows(%x, %s, %t : memref<40x64xi8>, memref<40x2xf32>, memref<40x2xi32>)
      weights(%w, %ws : memref<1x16x64xi32>, memref<1x2x1x64xf32>) outs(%out : memref<40x64xf32>)
      {bits = 8 : i64, block = 32 : i64, offset = 0 : i64, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
