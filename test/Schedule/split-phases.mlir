// RUN: onnx-mlir-opt %s --onnxc-split-phases | FileCheck %s

// Three taps of nine meet pixels that are three apart: nine phases, with a filter each, over the image as it is.
// The first result is that of the second phase of both axes.
// CHECK-LABEL: @one_filter
// CHECK-DAG: %[[PAD:.*]] = tensor.pad %arg0 low[0, 0, 1, 1] high[0, 0, 1, 1]
// CHECK-DAG: tensor.collapse_shape {{.*}} : tensor<1x3x3x16x3x3xf32> into tensor<9x16x3x3xf32>
// CHECK: linalg.conv_2d_nchw_fchw {{.*}} ins(%[[PAD]], %{{.*}} : tensor<1x16x12x12xf32>, tensor<9x16x3x3xf32>){{.*}} -> tensor<1x9x10x10xf32>
// CHECK: linalg.transpose {{.*}} permutation = [0, 1, 4, 2, 5, 3]
// CHECK: tensor.extract_slice {{.*}}[0, 0, 1, 1] [1, 1, 28, 28] [1, 1, 1, 1]
func.func @one_filter(%x: tensor<1x16x10x10xf32>) -> tensor<1x1x28x28xf32> {
  %zero = arith.constant 0.0 : f32
  %w = arith.constant dense<0.5> : tensor<1x16x9x9xf32>
  %e = tensor.empty() : tensor<1x16x28x28xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<1x16x28x28xf32>) -> tensor<1x16x28x28xf32>
  %spread = tensor.insert_slice %x into %zeros[0, 0, 0, 0] [1, 16, 10, 10] [1, 1, 3, 3] : tensor<1x16x10x10xf32> into tensor<1x16x28x28xf32>
  %padded = tensor.pad %spread low[0, 0, 4, 4] high[0, 0, 4, 4] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x16x28x28xf32> to tensor<1x16x36x36xf32>
  %o = tensor.empty() : tensor<1x1x28x28xf32>
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<1x1x28x28xf32>) -> tensor<1x1x28x28xf32>
  %y = linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%padded, %w : tensor<1x16x36x36xf32>, tensor<1x16x9x9xf32>) outs(%init : tensor<1x1x28x28xf32>) -> tensor<1x1x28x28xf32>
  return %y : tensor<1x1x28x28xf32>
}

// Eight filters fill the vectors as they are.
// CHECK-LABEL: @full
// CHECK-NOT: linalg.transpose
// CHECK: linalg.conv_1d_ncw_fcw {{.*}} tensor<8x16x4xf32>
func.func @full(%x: tensor<1x16x10xf32>) -> tensor<1x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %w = arith.constant dense<0.5> : tensor<8x16x4xf32>
  %e = tensor.empty() : tensor<1x16x19xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<1x16x19xf32>) -> tensor<1x16x19xf32>
  %spread = tensor.insert_slice %x into %zeros[0, 0, 0] [1, 16, 10] [1, 1, 2] : tensor<1x16x10xf32> into tensor<1x16x19xf32>
  %o = tensor.empty() : tensor<1x8x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<1x8x16xf32>) -> tensor<1x8x16xf32>
  %y = linalg.conv_1d_ncw_fcw {strides = dense<1> : tensor<1xi64>, dilations = dense<1> : tensor<1xi64>}
      ins(%spread, %w : tensor<1x16x19xf32>, tensor<8x16x4xf32>) outs(%init : tensor<1x8x16xf32>) -> tensor<1x8x16xf32>
  return %y : tensor<1x8x16xf32>
}

// A phase of one tap and one of two: filled up, the first would read a pixel that its window does not have.
// CHECK-LABEL: @uneven
// CHECK-NOT: linalg.transpose
// CHECK: linalg.conv_1d_ncw_fcw {{.*}} tensor<1x64x3xf32>
func.func @uneven(%x: tensor<1x64x10xf32>) -> tensor<1x1x17xf32> {
  %zero = arith.constant 0.0 : f32
  %w = arith.constant dense<0.5> : tensor<1x64x3xf32>
  %e = tensor.empty() : tensor<1x64x19xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<1x64x19xf32>) -> tensor<1x64x19xf32>
  %spread = tensor.insert_slice %x into %zeros[0, 0, 0] [1, 64, 10] [1, 1, 2] : tensor<1x64x10xf32> into tensor<1x64x19xf32>
  %o = tensor.empty() : tensor<1x1x17xf32>
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<1x1x17xf32>) -> tensor<1x1x17xf32>
  %y = linalg.conv_1d_ncw_fcw {strides = dense<1> : tensor<1xi64>, dilations = dense<1> : tensor<1xi64>}
      ins(%spread, %w : tensor<1x64x19xf32>, tensor<1x64x3xf32>) outs(%init : tensor<1x1x17xf32>) -> tensor<1x1x17xf32>
  return %y : tensor<1x1x17xf32>
}
