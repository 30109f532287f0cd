// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v3" --onnxc-select-schedule | FileCheck %s
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --onnxc-select-schedule | FileCheck %s --check-prefix=LONG
// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v2" --onnxc-select-schedule | FileCheck %s --check-prefix=SHORT

// Pairs of 16-bit numbers need registers for the weights, a pixel and two
// products: what sums would take more of them is on the stack.
// CHECK-LABEL: @plain
// CHECK: #kernel.integer_dot_schedule<rows = 5, panels = 1, prepared = 20>
// LONG-LABEL: @plain
// LONG: #kernel.integer_dot_schedule<rows = 13, panels = 2, prepared = 52>
func.func @plain(%x: memref<1x34x34x64xi16>, %w: memref<8x3x3x16x16x4xi8>, %y: memref<1x32x32x128xi32>) {
  kernel.integer_dot ins(%x, %w : memref<1x34x34x64xi16>, memref<8x3x3x16x16x4xi8>) outs(%y : memref<1x32x32x128xi32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, epilogue_maps = []} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return
}

// Four vectors of sums are read from a table at once: as many rows as fill
// them.
// CHECK-LABEL: @table
// CHECK: #kernel.integer_dot_schedule<rows = 4, panels = 1, prepared = 16>
func.func @table(%x: memref<1x34x34x64xi16>, %w: memref<8x3x3x16x16x4xi8>, %y: memref<1x32x32x128xi8>) {
  kernel.integer_dot ins(%x, %w : memref<1x34x34x64xi16>, memref<8x3x3x16x16x4xi8>) outs(%y : memref<1x32x32x128xi8>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, epilogue_maps = []} epilogue {
  ^bb0(%sum: i32):
    %b = arith.trunci %sum : i32 to i8
    %t = kernel.lookup %b in dense<1> : tensor<256xi8> : i8 -> i8
    kernel.yield %t : i8
  }
  return
}

// Short vectors would have their weights read too often.
// SHORT-LABEL: @short_vectors
// SHORT: #kernel.integer_dot_schedule<rows = 6, panels = 1, prepared = 24>
func.func @short_vectors(%x: memref<1x34x34x64xi16>, %w: memref<16x3x3x16x8x4xi8>, %y: memref<1x32x32x128xi32>) {
  kernel.integer_dot ins(%x, %w : memref<1x34x34x64xi16>, memref<16x3x3x16x8x4xi8>) outs(%y : memref<1x32x32x128xi32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, epilogue_maps = []} epilogue {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return
}
