// RUN: onnx-mlir-opt %s -split-input-file -verify-diagnostics -onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v3" -onnxc-select-schedule | FileCheck %s

// Where the run may have a single row it has eight vectors of sums, in whole panels: nine would be more, so six.

#lhs = affine_map<(m, n, k) -> (m, k)>
#panels = affine_map<(m, n, k) -> (n floordiv 24, k, n mod 24)>
#out = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func.func @open_rows
// CHECK: onnxc.schedule = #kernel.matmul_schedule<rows = {{[0-9]+}}, columns = 24, {{.*}}single_row = 48>
func.func @open_rows(%x: tensor<?x100xf32>, %w: tensor<4x100x24xf32>, %y: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %0 = kernel.matmul ins(%x, %w : tensor<?x100xf32>, tensor<4x100x24xf32>) outs(%y : tensor<?x96xf32>)
      {indexing_maps = [#lhs, #panels, #out], epilogue_maps = []} epilogue {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  } -> tensor<?x96xf32>
  return %0 : tensor<?x96xf32>
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#panels = affine_map<(m, n, k) -> (n floordiv 24, k, n mod 24)>
#out = affine_map<(m, n, k) -> (m, n)>

// Of eight rows two tiles read a panel: so many steps of it stay in the first level of the cache.
// CHECK-LABEL: func.func @few_rows
// CHECK: onnxc.schedule = #kernel.matmul_schedule<rows = 4, columns = 24, depth = 256, block = 128, prefetch = true>
func.func @few_rows(%x: tensor<8x512xf32>, %w: tensor<32x512x24xf32>, %y: tensor<8x768xf32>) -> tensor<8x768xf32> {
  %0 = kernel.matmul ins(%x, %w : tensor<8x512xf32>, tensor<32x512x24xf32>) outs(%y : tensor<8x768xf32>)
      {indexing_maps = [#lhs, #panels, #out], epilogue_maps = []} epilogue {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  } -> tensor<8x768xf32>
  return %0 : tensor<8x768xf32>
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#panels = affine_map<(m, n, k) -> (n floordiv 24, k, n mod 24)>
#out = affine_map<(m, n, k) -> (m, n)>

// A measured schedule is taken, and the op says so.
module attributes {onnxc.tuning = {"matmul rows=8 columns=96 steps=64 f32 f32 to f32 constant" = #kernel.matmul_schedule<rows = 1, columns = 48>}} {
  // CHECK-LABEL: func.func @tuned
  // CHECK: onnxc.schedule = #kernel.matmul_schedule<rows = 1, columns = 48>, onnxc.tuned
  func.func @tuned(%x: tensor<8x64xf32>, %w: tensor<4x64x24xf32>, %y: tensor<8x96xf32>) -> tensor<8x96xf32> {
    %0 = kernel.matmul ins(%x, %w : tensor<8x64xf32>, tensor<4x64x24xf32>) outs(%y : tensor<8x96xf32>)
        {indexing_maps = [#lhs, #panels, #out], epilogue_maps = []} epilogue {
    ^bb0(%s: f32):
      kernel.yield %s : f32
    } -> tensor<8x96xf32>
    return %0 : tensor<8x96xf32>
  }
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#panels = affine_map<(m, n, k) -> (n floordiv 24, k, n mod 24)>
#out = affine_map<(m, n, k) -> (m, n)>

// Its weights are in panels of 24 columns already.
module attributes {onnxc.tuning = {"matmul rows=8 columns=96 steps=64 f32 f32 to f32 constant" = #kernel.matmul_schedule<rows = 2, columns = 32>}} {
  func.func @other_panels(%x: tensor<8x64xf32>, %w: tensor<4x64x24xf32>, %y: tensor<8x96xf32>) -> tensor<8x96xf32> {
    // expected-error @below {{--tuning=: entry 'matmul rows=8 columns=96 steps=64 f32 f32 to f32 constant': #kernel.matmul_schedule<rows = 2, columns = 32> has a schedule of 32 columns, expected whole panels of 24 or a part of one}}
    %0 = kernel.matmul ins(%x, %w : tensor<8x64xf32>, tensor<4x64x24xf32>) outs(%y : tensor<8x96xf32>)
        {indexing_maps = [#lhs, #panels, #out], epilogue_maps = []} epilogue {
    ^bb0(%s: f32):
      kernel.yield %s : f32
    } -> tensor<8x96xf32>
    return %0 : tensor<8x96xf32>
  }
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#panels = affine_map<(m, n, k) -> (n floordiv 24, k, n mod 24)>
#out = affine_map<(m, n, k) -> (m, n)>

// So do they where there are many rows, or may be.
// CHECK-LABEL: func.func @many_rows
// CHECK: onnxc.schedule = #kernel.matmul_schedule<rows = 4, columns = 24, depth = 256, block = 128, rows_outside = true, prefetch = true, single_row = 96>
func.func @many_rows(%x: tensor<?x768xf32>, %w: tensor<32x768x24xf32>, %y: tensor<?x768xf32>) -> tensor<?x768xf32> {
  %0 = kernel.matmul ins(%x, %w : tensor<?x768xf32>, tensor<32x768x24xf32>) outs(%y : tensor<?x768xf32>)
      {indexing_maps = [#lhs, #panels, #out], epilogue_maps = []} epilogue {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  } -> tensor<?x768xf32>
  return %0 : tensor<?x768xf32>
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#panels = affine_map<(m, n, k) -> (n floordiv 24, k, n mod 24)>
#out = affine_map<(m, n, k) -> (m, n)>

// Rows that the second level of the cache does not hold meet all panels block by block;
// rows that it holds meet one panel after the other.
// CHECK-LABEL: func.func @far_rows
// CHECK: rows = 4, columns = 24, depth = 192, block = 88, rows_outside = true, prefetch = true
func.func @far_rows(%x: tensor<1500x384xf32>, %w: tensor<48x384x24xf32>, %y: tensor<1500x1152xf32>) -> tensor<1500x1152xf32> {
  %0 = kernel.matmul ins(%x, %w : tensor<1500x384xf32>, tensor<48x384x24xf32>) outs(%y : tensor<1500x1152xf32>)
      {indexing_maps = [#lhs, #panels, #out], epilogue_maps = []} epilogue {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  } -> tensor<1500x1152xf32>
  return %0 : tensor<1500x1152xf32>
}
// CHECK-LABEL: func.func @near_rows
// CHECK: rows = 4, columns = 24, depth = 192, block = 128, prefetch = true
func.func @near_rows(%x: tensor<250x384xf32>, %w: tensor<48x384x24xf32>, %y: tensor<250x1152xf32>) -> tensor<250x1152xf32> {
  %0 = kernel.matmul ins(%x, %w : tensor<250x384xf32>, tensor<48x384x24xf32>) outs(%y : tensor<250x1152xf32>)
      {indexing_maps = [#lhs, #panels, #out], epilogue_maps = []} epilogue {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  } -> tensor<250x1152xf32>
  return %0 : tensor<250x1152xf32>
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#panels = affine_map<(m, n, k) -> (n floordiv 16, k, n mod 16)>
#out = affine_map<(m, n, k) -> (m, n)>

// One row waits for memory: four panels of a cache line are read side by side.
// CHECK-LABEL: func.func @streams
// CHECK: onnxc.schedule = #kernel.matmul_schedule<rows = 1, columns = 64, prefetch = true>
func.func @streams(%x: tensor<1x1024xf32>, %w: tensor<63x1024x16xf32>, %y: tensor<1x1000xf32>) -> tensor<1x1000xf32> {
  %0 = kernel.matmul ins(%x, %w : tensor<1x1024xf32>, tensor<63x1024x16xf32>) outs(%y : tensor<1x1000xf32>)
      {indexing_maps = [#lhs, #panels, #out], epilogue_maps = []} epilogue {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  } -> tensor<1x1000xf32>
  return %0 : tensor<1x1000xf32>
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#panels = affine_map<(m, n, k) -> (n floordiv 24, k, n mod 24)>
#out = affine_map<(m, n, k) -> (m, n)>

// The same where the number of rows is open, and weights are fetched ahead: twelve vectors of sums, of four panels.
// CHECK-LABEL: func.func @open_rows_from_memory
// CHECK: columns = 24, {{.*}}prefetch = true, single_row = 96>
func.func @open_rows_from_memory(%x: tensor<?x1024xf32>, %w: tensor<32x1024x24xf32>, %y: tensor<?x768xf32>) -> tensor<?x768xf32> {
  %0 = kernel.matmul ins(%x, %w : tensor<?x1024xf32>, tensor<32x1024x24xf32>) outs(%y : tensor<?x768xf32>)
      {indexing_maps = [#lhs, #panels, #out], epilogue_maps = []} epilogue {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  } -> tensor<?x768xf32>
  return %0 : tensor<?x768xf32>
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#values = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// Values of one head of six are a part of each row: they would take a few sets of the nearest cache. A copy has room there.
// CHECK-LABEL: func.func @spread
// CHECK: onnxc.schedule = #kernel.matmul_schedule<rows = 4, columns = 24, depth = 250, {{.*}}copy = true>
func.func @spread(%x: tensor<84x1500xf32>, %v: tensor<1x1500x6x64xf32>, %y: tensor<84x64xf32>, %head: index) -> tensor<84x64xf32> {
  %w = tensor.extract_slice %v[0, 0, %head, 0] [1, 1500, 1, 64] [1, 1, 1, 1] : tensor<1x1500x6x64xf32> to tensor<1500x64xf32>
  %0 = kernel.matmul ins(%x, %w : tensor<84x1500xf32>, tensor<1500x64xf32>) outs(%y : tensor<84x64xf32>)
      {indexing_maps = [#lhs, #values, #out], epilogue_maps = []} epilogue {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  } -> tensor<84x64xf32>
  return %0 : tensor<84x64xf32>
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#values = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// Those of a head whose rows follow each other have room as they are.
// CHECK-LABEL: func.func @dense
// CHECK: onnxc.schedule = #kernel.matmul_schedule<
// CHECK-NOT: copy
// CHECK-SAME: >
func.func @dense(%x: tensor<84x1500xf32>, %v: tensor<1x6x1500x64xf32>, %y: tensor<84x64xf32>, %head: index) -> tensor<84x64xf32> {
  %w = tensor.extract_slice %v[0, %head, 0, 0] [1, 1, 1500, 64] [1, 1, 1, 1] : tensor<1x6x1500x64xf32> to tensor<1500x64xf32>
  %0 = kernel.matmul ins(%x, %w : tensor<84x1500xf32>, tensor<1500x64xf32>) outs(%y : tensor<84x64xf32>)
      {indexing_maps = [#lhs, #values, #out], epilogue_maps = []} epilogue {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  } -> tensor<84x64xf32>
  return %0 : tensor<84x64xf32>
}
