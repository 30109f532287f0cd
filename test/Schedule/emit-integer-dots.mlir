// RUN: onnx-mlir-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(onnxc-set-target{triple=x86_64-linux-gnu cpu=x86-64-v4 features=+avx512vnni},func.func(onnxc-select-schedule,onnxc-emit-kernels))' \
// RUN:   | FileCheck %s
// RUN: onnx-mlir-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(onnxc-set-target{triple=x86_64-linux-gnu cpu=x86-64-v4},func.func(onnxc-select-schedule,onnxc-emit-kernels))' \
// RUN:   | FileCheck %s --check-prefix=PAIRS
// RUN: onnx-mlir-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(onnxc-set-target{triple=aarch64-linux-gnu cpu=generic features=+dotprod,+i8mm},func.func(onnxc-select-schedule,onnxc-emit-kernels))' \
// RUN:   | FileCheck %s --check-prefix=ARM
// RUN: onnx-mlir-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(onnxc-set-target{triple=riscv64-linux-gnu cpu=generic features=+v},func.func(onnxc-select-schedule,onnxc-emit-kernels))' \
// RUN:   | FileCheck %s --check-prefix=RISCV

// RUN: onnx-mlir-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(onnxc-set-target{triple=x86_64-linux-gnu cpu=x86-64-v4 features=+avx512vnni,+amx-int8},func.func(onnxc-select-schedule,onnxc-emit-kernels))' \
// RUN:   | FileCheck %s --check-prefix=TILES

#id = affine_map<(d0, d1) -> (d0, d1)>

// Groups of four are multiplied by VNNI; 14 rows of two vectors at once, and
// the last 8 columns masked.
// CHECK-LABEL: @vnni
// CHECK: scf.for
// CHECK-COUNT-28: llvm.x86.avx512.vpdpbusd.512
// CHECK-NOT: llvm.x86
// CHECK: vector.store
// CHECK: llvm.x86.avx512.vpdpbusd.512
// CHECK: vector.maskedstore
// Of 14 rows a tile register takes all, of two vectors of columns and of 64
// channels another one each.
// TILES-LABEL: @vnni
// TILES: dense<[1, {{(0, )+}}64, 0, 64, 0, 64, 0, 64, 0, 64, 0, 64, 0, 64, 0, 64, 0, {{(0, )+}}14, 14, 14, 14, 14, 14, 16, 16, {{(0, )+}}0]>
// TILES: llvm.x86.ldtilecfg
// TILES-COUNT-2: llvm.x86.tilezero
// TILES-COUNT-3: llvm.x86.tileloadd64
// TILES: llvm.x86.tdpbusd
// TILES-NOT: vpdpbusd
// TILES: llvm.x86.tilerelease
func.func @vnni(%x: memref<14x64xi8>, %w: memref<2x16x32x4xi8>, %out: memref<14x40xi32>) {
  kernel.integer_dot ins(%x, %w : memref<14x64xi8>, memref<2x16x32x4xi8>) outs(%out : memref<14x40xi32>)
      {strides = array<i64>, dilations = array<i64>, epilogue_maps = []} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return
}

// -----

// Without VNNI pairs are split to 16-bit numbers: no sum of two products
// overflows.
// PAIRS-LABEL: @words
// PAIRS-DAG: arith.shrsi %{{.*}} : vector<32xi16>
// PAIRS-DAG: arith.andi %{{.*}} : vector<32xi16>
// PAIRS-DAG: arith.shrui %{{.*}} : vector<32xi16>
// PAIRS-COUNT-4: llvm.x86.avx512.pmaddw.d.512
// PAIRS-NOT: llvm.x86
// PAIRS: return
func.func @words(%x: memref<2x64xi8>, %w: memref<1x16x16x4xi8>, %out: memref<2x16xi32>) {
  kernel.integer_dot ins(%x, %w : memref<2x64xi8>, memref<1x16x16x4xi8>) outs(%out : memref<2x16xi32>)
      {strides = array<i64>, dilations = array<i64>, epilogue_maps = []} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return
}

// -----

// Where sums of two products fit in 16 bits, bytes are multiplied as they are.
// PAIRS-LABEL: @narrow
// PAIRS-NOT: arith.shrsi
// PAIRS: llvm.x86.avx512.pmaddubs.w.512
// PAIRS: llvm.x86.avx512.pmaddw.d.512
// PAIRS: arith.addi
// VNNI has one instruction for all.
// CHECK-LABEL: @narrow
// CHECK-NOT: pmadd
// CHECK: llvm.x86.avx512.vpdpbusd.512
func.func @narrow(%x: memref<1x64xi8>, %w: memref<1x16x16x4xi8>, %out: memref<1x16xi32>) {
  kernel.integer_dot ins(%x, %w : memref<1x64xi8>, memref<1x16x16x4xi8>) outs(%out : memref<1x16xi32>)
      {strides = array<i64>, dilations = array<i64>, epilogue_maps = [], narrow_pairs} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return
}

// -----

// Where some do, each dot product says which way it takes; the tile has two
// panels, of one vector each.
// PAIRS-LABEL: @described
// PAIRS: %[[FIRST:.*]] = memref.load %{{.*}}xi8
// PAIRS: %[[SECOND:.*]] = memref.load %{{.*}}xi8
// PAIRS: arith.ori %[[FIRST]], %[[SECOND]] : i8
// PAIRS: scf.if
// PAIRS-NOT: pmaddubs
// PAIRS: } else {
// PAIRS-COUNT-2: llvm.x86.avx512.pmaddubs.w.512
func.func @described(%x: memref<1x64xi8>, %w: memref<2x16x16x4xi8>, %wide: memref<2x16xi8>, %out: memref<1x32xi32>) {
  kernel.integer_dot ins(%x, %w : memref<1x64xi8>, memref<2x16x16x4xi8>) wide(%wide : memref<2x16xi8>) outs(%out : memref<1x32xi32>)
      {strides = array<i64>, dilations = array<i64>, epilogue_maps = []} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return
}

// -----

// A thread makes 16-bit numbers of a tile's weights once: what rows multiply
// is loaded.
// PAIRS-LABEL: @widened
// PAIRS: %[[WEIGHTS:.*]] = memref.alloc() {{.*}} : memref<2048xi16>
// PAIRS: scf.for
// PAIRS-COUNT-4: vector.store {{.*}}, %[[WEIGHTS]]
// PAIRS: scf.for
// PAIRS-NOT: arith.shrsi
// PAIRS: vector.load %[[WEIGHTS]]{{.*}}, vector<32xi16>
// PAIRS: llvm.x86.avx512.pmaddw.d.512
// PAIRS-NOT: arith.shrsi
// PAIRS: return
func.func @widened(%x: memref<64x64xi16>, %w: memref<1x16x32x4xi8>, %out: memref<64x32xi32>) {
  kernel.integer_dot ins(%x, %w : memref<64x64xi16>, memref<1x16x32x4xi8>) outs(%out : memref<64x32xi32>)
      {strides = array<i64>, dilations = array<i64>, epilogue_maps = []} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return
}

// -----

// Few rows do not pay for it; if their number is not known, it decides.
// PAIRS-LABEL: @widened_rows
// PAIRS-NOT: memref.alloc
// PAIRS: arith.shrsi
// PAIRS: arith.cmpi sge
// PAIRS: scf.if
// PAIRS: memref.alloc
// PAIRS: } else {
// PAIRS-NOT: memref.alloc
// PAIRS: return
func.func @widened_rows(%x: memref<4x64xi16>, %xs: memref<?x64xi16>, %w: memref<1x16x32x4xi8>, %out: memref<4x32xi32>, %outs: memref<?x32xi32>) {
  kernel.integer_dot ins(%x, %w : memref<4x64xi16>, memref<1x16x32x4xi8>) outs(%out : memref<4x32xi32>)
      {strides = array<i64>, dilations = array<i64>, epilogue_maps = []} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  kernel.integer_dot ins(%xs, %w : memref<?x64xi16>, memref<1x16x32x4xi8>) outs(%outs : memref<?x32xi32>)
      {strides = array<i64>, dilations = array<i64>, epilogue_maps = []} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return
}

// -----

// Dot products that are described are listed once for many rows: those that
// bytes can do from the beginning, the others from the end on.
// PAIRS-LABEL: @ordered
// PAIRS: %[[ORDER:.*]] = memref.alloc() {{.*}} : memref<32xindex>
// PAIRS: %[[COUNTS:.*]]:2 = scf.for
// PAIRS: arith.cmpi ne
// PAIRS: %[[AT:.*]] = arith.select
// PAIRS: memref.store {{.*}}, %[[ORDER]]
// PAIRS: memref.store {{.*}}, %[[ORDER]]
// PAIRS: scf.for {{.*}} to %[[COUNTS]]#0 step
// PAIRS-COUNT-2: memref.load %[[ORDER]]
// PAIRS-NOT: scf.if
// PAIRS: llvm.x86.avx512.pmaddubs.w.512
// PAIRS: scf.for {{.*}} = %[[COUNTS]]#0 to %c16
// PAIRS-NOT: pmaddubs
// PAIRS: arith.shrsi
func.func @ordered(%x: memref<64x64xi8>, %w: memref<1x16x32x4xi8>, %wide: memref<1x16xi8>, %out: memref<64x32xi32>) {
  kernel.integer_dot ins(%x, %w : memref<64x64xi8>, memref<1x16x32x4xi8>) wide(%wide : memref<1x16xi8>) outs(%out : memref<64x32xi32>)
      {strides = array<i64>, dilations = array<i64>, epilogue_maps = []} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return
}

// -----

// Three dot products, then two, are added up in 16 bits before they are widened; no word is multiplied where all are narrow.
// PAIRS-LABEL: @together
// PAIRS: memref.load {{.*}}xi16, strided
// PAIRS: scf.for {{.*}} step %c3
// PAIRS-NOT: pmaddw
// PAIRS-COUNT-4: arith.addi {{.*}} : vector<32xi16>
// PAIRS: llvm.x86.avx512.pmaddw.d.512
// PAIRS: scf.for {{.*}} step %c2
// PAIRS-NOT: pmaddw
// PAIRS-COUNT-2: arith.addi {{.*}} : vector<32xi16>
// PAIRS-NOT: arith.addi {{.*}} : vector<32xi16>
// PAIRS: llvm.x86.avx512.pmaddw.d.512
// PAIRS-NOT: arith.shrsi
// PAIRS: return
func.func @together(%x: memref<64x64xi8>, %w: memref<1x16x32x4xi8>, %order: memref<1x21xi16>, %out: memref<64x32xi32>) {
  kernel.integer_dot ins(%x, %w : memref<64x64xi8>, memref<1x16x32x4xi8>) order(%order : memref<1x21xi16>) outs(%out : memref<64x32xi32>)
      {strides = array<i64>, dilations = array<i64>, epilogue_maps = [], narrow_pairs} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return
}

// -----

// Before words, dot products whose channels change places, of weights and pixels.
// PAIRS-LABEL: @exchanged
// PAIRS: vector.shuffle {{.*}} [0, 2, 1, 3, 4, 6, 5, 7, {{.*}} : vector<64xi8>
// PAIRS: vector.shuffle {{.*}} [0, 3, 1, 2, 4, 7, 5, 6, {{.*}} : vector<64xi8>
// PAIRS: llvm.x86.avx512.pmaddubs.w.512
// PAIRS: arith.shrsi
func.func @exchanged(%x: memref<64x64xi8>, %w: memref<1x16x32x4xi8>, %wide: memref<1x16xi8>, %order: memref<1x21xi16>, %out: memref<64x32xi32>) {
  kernel.integer_dot ins(%x, %w : memref<64x64xi8>, memref<1x16x32x4xi8>) wide(%wide : memref<1x16xi8>) order(%order : memref<1x21xi16>) outs(%out : memref<64x32xi32>)
      {strides = array<i64>, dilations = array<i64>, epilogue_maps = []} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return
}

// -----

// With few tiles of columns, threads share the rows of windows as well, and
// each has its own scratch.
// PAIRS-LABEL: @parts
// PAIRS: scf.forall {{.*}} in (16) {
// PAIRS: memref.alloc
// PAIRS: scf.for
func.func @parts(%x: memref<1x66x66x16xi16>, %w: memref<1x3x3x4x32x4xi8>, %out: memref<1x64x64x32xi32>) {
  kernel.integer_dot ins(%x, %w : memref<1x66x66x16xi16>, memref<1x3x3x4x32x4xi8>) outs(%out : memref<1x64x64x32xi32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, epilogue_maps = []} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return
}

// -----

// Where several taps read each pixel, those of all three rows of the window are
// put into a lane, or of two and the last by itself; three taps, eight pixels of
// the tile.
// CHECK-LABEL: @depthwise
// CHECK-COUNT-2: arith.shli %{{.*}} : vector<16xi32>
// CHECK-COUNT-24: llvm.x86.avx512.vpdpbusd.512
// CHECK-NOT: llvm.x86
// PAIRS-LABEL: @depthwise
// PAIRS: arith.extsi %{{.*}} : vector<16xi8> to vector<16xi16>
// PAIRS: arith.shli %{{.*}} : vector<16xi32>
// PAIRS-COUNT-48: llvm.x86.avx512.pmaddw.d.512
// PAIRS-NOT: llvm.x86
// PAIRS-NOT: arith.muli
// PAIRS: return
func.func @depthwise(%x: memref<1x6x10x16xi8>, %w: memref<3x3x16xi8>, %out: memref<1x4x8x16xi32>) {
  kernel.integer_dot ins(%x, %w : memref<1x6x10x16xi8>, memref<3x3x16xi8>) outs(%out : memref<1x4x8x16xi32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, epilogue_maps = [], depthwise} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return
}

// -----

// One byte at a time where windows overlap little, and it costs as much to put
// more together; without VNNI, it is a pair with 0.
// CHECK-LABEL: @strided_depthwise
// CHECK-NOT: arith.shli
// CHECK: llvm.x86.avx512.vpdpbusd.512
// PAIRS-LABEL: @strided_depthwise
// PAIRS-NOT: arith.shli
// PAIRS: arith.extui %{{.*}} : vector<16xi8> to vector<16xi32>
// PAIRS: llvm.x86.avx512.pmaddw.d.512
func.func @strided_depthwise(%x: memref<1x8x8x16xi8>, %w: memref<2x2x16xi8>, %out: memref<1x4x4x16xi32>) {
  kernel.integer_dot ins(%x, %w : memref<1x8x8x16xi8>, memref<2x2x16xi8>) outs(%out : memref<1x4x4x16xi32>)
      {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, epilogue_maps = [], depthwise} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return
}

// -----

// Bytes of several vectors are stored as one: here of two, and of the third.
// ARM-LABEL: @joined
// ARM: vector.shuffle %{{.*}}, %{{.*}} [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi32>, vector<4xi32>
// ARM: arith.trunci %{{.*}} : vector<8xi32> to vector<8xi8>
// ARM: vector.store %{{.*}} : memref<{{.*}}xi8{{.*}}>, vector<8xi8>
func.func @joined(%x: memref<1x64xi8>, %w: memref<2x16x4x4xi8>, %out: memref<1x8xi8>) {
  kernel.integer_dot ins(%x, %w : memref<1x64xi8>, memref<2x16x4x4xi8>) outs(%out : memref<1x8xi8>)
      {strides = array<i64>, dilations = array<i64>, epilogue_maps = [], image_signed} epilogue {
  ^bb0(%sum: i32):
    %b = arith.trunci %sum : i32 to i8
    kernel.yield %b : i8
  }
  return
}

// -----

// Weights of 16 bits are multiplied by what VNNI has for them.
// CHECK-LABEL: @wide_depthwise
// CHECK: arith.extsi %{{.*}} : vector<16xi16> to vector<16xi32>
// CHECK: llvm.x86.avx512.vpdpwssd.512
func.func @wide_depthwise(%x: memref<1x6x16xi8>, %w: memref<3x16xi16>, %out: memref<1x4x16xi32>) {
  kernel.integer_dot ins(%x, %w : memref<1x6x16xi8>, memref<3x16xi16>) outs(%out : memref<1x4x16xi32>)
      {strides = array<i64: 1>, dilations = array<i64: 1>, epilogue_maps = [], depthwise} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return
}

// -----

// Rows of two dimensions are walked as one where all operands lie so: six at
// once, and not three twice.
// CHECK-LABEL: @rows_of_two_dimensions
// CHECK-COUNT-6: llvm.x86.avx512.vpdpbusd.512
// CHECK-NOT: llvm.x86
// CHECK: return
func.func @rows_of_two_dimensions(%x: memref<2x3x64xi8>, %w: memref<1x16x16x4xi8>, %b: memref<2x3x16xi32>, %out: memref<2x3x16xi32>) {
  kernel.integer_dot ins(%x, %w : memref<2x3x64xi8>, memref<1x16x16x4xi8>) extras(%b : memref<2x3x16xi32>) outs(%out : memref<2x3x16xi32>)
      {strides = array<i64>, dilations = array<i64>, epilogue_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>]} epilogue {
  ^bb0(%sum: i32, %bias: i32):
    %s = arith.addi %sum, %bias : i32
    kernel.yield %s : i32
  }
  return
}

// -----

// An extra of each row, or with gaps between the rows, keeps them apart.
// CHECK-LABEL: @rows_apart
// CHECK: scf.for
// CHECK-COUNT-3: llvm.x86.avx512.vpdpbusd.512
// CHECK-NOT: llvm.x86
// CHECK: return
func.func @rows_apart(%x: memref<2x3x64xi8>, %w: memref<1x16x16x4xi8>, %b: memref<2xi32>, %out: memref<2x3x16xi32>) {
  kernel.integer_dot ins(%x, %w : memref<2x3x64xi8>, memref<1x16x16x4xi8>) extras(%b : memref<2xi32>) outs(%out : memref<2x3x16xi32>)
      {strides = array<i64>, dilations = array<i64>, epilogue_maps = [affine_map<(d0, d1, d2) -> (d0)>]} epilogue {
  ^bb0(%sum: i32, %bias: i32):
    %s = arith.addi %sum, %bias : i32
    kernel.yield %s : i32
  }
  return
}

// -----

// AArch64 has an instruction for each sign of the image.
// ARM-LABEL: @signed
// ARM: llvm.aarch64.neon.smmla
// ARM: llvm.aarch64.neon.usmmla
func.func @signed(%x: memref<2x8xi8>, %w: memref<1x2x4x4xi8>, %a: memref<2x4xi32>, %b: memref<2x4xi32>) {
  kernel.integer_dot ins(%x, %w : memref<2x8xi8>, memref<1x2x4x4xi8>) outs(%a : memref<2x4xi32>)
      {strides = array<i64>, dilations = array<i64>, epilogue_maps = [], image_signed} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  kernel.integer_dot ins(%x, %w : memref<2x8xi8>, memref<1x2x4x4xi8>) outs(%b : memref<2x4xi32>)
      {strides = array<i64>, dilations = array<i64>, epilogue_maps = []} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return
}

// -----

// A dot product takes a byte and three zeros; a product by weights of 16 bits
// takes the number.
// ARM-LABEL: @signed_depthwise
// ARM: arith.extui %{{.*}} : vector<4xi8> to vector<4xi32>
// ARM: llvm.aarch64.neon.sdot
// ARM: arith.extsi %{{.*}} : vector<4xi8> to vector<4xi32>
// ARM: arith.muli
func.func @signed_depthwise(%x: memref<1x6x4xi8>, %w: memref<3x4xi8>, %wide: memref<3x4xi16>, %a: memref<1x4x4xi32>, %b: memref<1x4x4xi32>) {
  kernel.integer_dot ins(%x, %w : memref<1x6x4xi8>, memref<3x4xi8>) outs(%a : memref<1x4x4xi32>)
      {strides = array<i64: 1>, dilations = array<i64: 1>, epilogue_maps = [], depthwise, image_signed} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  kernel.integer_dot ins(%x, %wide : memref<1x6x4xi8>, memref<3x4xi16>) outs(%b : memref<1x4x4xi32>)
      {strides = array<i64: 1>, dilations = array<i64: 1>, epilogue_maps = [], depthwise, image_signed} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return
}

// -----

// Six words of four channels: three times eight channels of two rows by two
// pairs of columns, whatever the vectors hold.
// ARM-LABEL: @six_words
// ARM: vector.load {{.*}}[%c0]
// ARM-COUNT-2: llvm.aarch64.neon.smmla
// ARM: vector.load {{.*}}[%c8]
// ARM-COUNT-2: llvm.aarch64.neon.smmla
// ARM-NOT: scf.for
// ARM: vector.load {{.*}}[%c16{{[_0-9]*}}]
// ARM: vector.load {{.*}}[%c40]
// ARM-COUNT-2: llvm.aarch64.neon.smmla
// ARM-NOT: smmla
// ARM: return
func.func @six_words(%x: memref<2x24xi8>, %w: memref<1x6x4x4xi8>, %a: memref<2x4xi32>) {
  kernel.integer_dot ins(%x, %w : memref<2x24xi8>, memref<1x6x4x4xi8>) outs(%a : memref<2x4xi32>)
      {strides = array<i64>, dilations = array<i64>, epilogue_maps = [], image_signed} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return
}

// -----

// Without any instruction that adds up products of bytes, panels have one
// number at a time, and four columns are multiplied at once.
// RISCV-LABEL: @one_at_a_time
// RISCV: arith.extsi %{{.*}} : vector<4xi8> to vector<4xi32>
// RISCV: arith.extui %{{.*}} : i8 to i32
// RISCV: arith.muli %{{.*}} : vector<4xi32>
// RISCV: arith.addi %{{.*}} : vector<4xi32>
// RISCV-NOT: vector<8xi16>
// RISCV: return
func.func @one_at_a_time(%x: memref<2x8xi8>, %w: memref<1x8x4x1xi8>, %out: memref<2x4xi32>) {
  kernel.integer_dot ins(%x, %w : memref<2x8xi8>, memref<1x8x4x1xi8>) outs(%out : memref<2x4xi32>)
      {strides = array<i64>, dilations = array<i64>, epilogue_maps = []} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return
}

// -----

// Of an open number of rows, tiles of 32, one of 16, and one whose
// configuration is told how many there are; the last few are for vectors. Of 25
// dot products nine are in registers of their own.
// TILES-LABEL: @open_rows
// TILES: dense<[1, {{.*}} 64, 0, 64, 0, 36, 0, 64, 0, {{.*}} 16, 16, 16, 16, 16, 16, 16, 9,
// TILES: ldtilecfg
// TILES: ldtilecfg
// TILES: %[[ROWS:.*]] = arith.index_cast %{{.*}} : index to i8
// TILES-COUNT-6: memref.store %[[ROWS]]
// TILES: ldtilecfg
// TILES: vpdpbusd
func.func @open_rows(%x: memref<?x100xi8>, %w: memref<1x25x32x4xi8>, %out: memref<?x32xi32>) {
  kernel.integer_dot ins(%x, %w : memref<?x100xi8>, memref<1x25x32x4xi8>) outs(%out : memref<?x32xi32>)
      {strides = array<i64>, dilations = array<i64>, epilogue_maps = []} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return
}
