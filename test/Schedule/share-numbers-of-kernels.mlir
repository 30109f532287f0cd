// RUN: onnx-mlir-opt %s --onnxc-share-code | FileCheck %s

#lhs = affine_map<(m, n, k) -> (m, k)>
#packed = affine_map<(m, n, k) -> (n floordiv 4, k, n mod 4)>
#result = affine_map<(m, n, k) -> (m, n)>

// Two kernels that differ in a factor are one function, which takes it.
// CHECK-LABEL: func.func @factors(
// CHECK: %[[HALF:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: %[[QUARTER:.*]] = arith.constant 2.500000e-01 : f32
// CHECK: call @[[SCALED:kernel.*]](%{{.*}}, %{{.*}}, %{{.*}}, %[[HALF]])
// CHECK: call @[[SCALED]](%{{.*}}, %{{.*}}, %{{.*}}, %[[QUARTER]])
func.func @factors(%x: memref<8x2xf32>, %w: memref<1x2x4xf32>, %a: memref<8x4xf32>, %b: memref<8x4xf32>) {
  %half = arith.constant 0.5 : f32
  %quarter = arith.constant 0.25 : f32
  kernel.matmul ins(%x, %w : memref<8x2xf32>, memref<1x2x4xf32>) outs(%a : memref<8x4xf32>)
      {indexing_maps = [#lhs, #packed, #result], epilogue_maps = []} epilogue {
    ^bb0(%sum: f32):
      %y = arith.mulf %sum, %half : f32
      kernel.yield %y : f32
  }
  kernel.matmul ins(%x, %w : memref<8x2xf32>, memref<1x2x4xf32>) outs(%b : memref<8x4xf32>)
      {indexing_maps = [#lhs, #packed, #result], epilogue_maps = []} epilogue {
    ^bb0(%sum: f32):
      %y = arith.mulf %sum, %quarter : f32
      kernel.yield %y : f32
  }
  return
}

// A bound that is known not to be NaN, and a divisor whose inverse is exact, are
// part of the code.
// CHECK-LABEL: func.func @bounds(
// CHECK: call @[[FIRST:kernel.*]](%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}) :
// CHECK-NOT: call @[[FIRST]](
// CHECK: call @kernel
func.func @bounds(%x: memref<8x2xf32>, %w: memref<1x2x4xf32>, %a: memref<8x4xf32>, %b: memref<8x4xf32>) {
  %half = arith.constant 0.5 : f32
  %quarter = arith.constant 0.25 : f32
  kernel.matmul ins(%x, %w : memref<8x2xf32>, memref<1x2x4xf32>) outs(%a : memref<8x4xf32>)
      {indexing_maps = [#lhs, #packed, #result], epilogue_maps = []} epilogue {
    ^bb0(%sum: f32):
      %m = arith.maximumf %sum, %half : f32
      %y = arith.divf %m, %half : f32
      kernel.yield %y : f32
  }
  kernel.matmul ins(%x, %w : memref<8x2xf32>, memref<1x2x4xf32>) outs(%b : memref<8x4xf32>)
      {indexing_maps = [#lhs, #packed, #result], epilogue_maps = []} epilogue {
    ^bb0(%sum: f32):
      %m = arith.maximumf %sum, %quarter : f32
      %y = arith.divf %m, %quarter : f32
      kernel.yield %y : f32
  }
  return
}
