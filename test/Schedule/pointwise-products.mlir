// RUN: onnx-mlir-opt %s --onnxc-pointwise-products --canonicalize | FileCheck %s
// RUN: onnx-mlir-opt %s --onnxc-pointwise-products=alone --canonicalize | FileCheck %s --check-prefix=ALONE

// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d4)>
// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>
// CHECK-DAG: #[[BIAS:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d2)>

#x = affine_map<(n, g, f, h, w, c, i, j) -> (n, g, c, h + i, w + j)>
#w = affine_map<(n, g, f, h, w, c, i, j) -> (g, f, c, i, j)>
#y = affine_map<(n, g, f, h, w, c, i, j) -> (n, g, f, h, w)>

// A product of all pixels for each group; the bias is repeated for joined pixels.
// CHECK-LABEL: @groups
// CHECK: linalg.generic {indexing_maps = [#[[BIAS]], {{.*}}} ins(%{{.*}} : tensor<4x6xf32>) outs(%{{.*}} : tensor<1x4x6x35xf32>)
// CHECK: linalg.generic {indexing_maps = [#[[X]], #[[W]], {{.*}}} ins(%{{.*}}, %{{.*}} : tensor<1x4x3x35xf32>, tensor<4x6x3xf32>)
// CHECK: tensor.expand_shape {{.*}} : tensor<1x4x6x35xf32> into tensor<1x4x6x5x7xf32>
func.func @groups(%x: tensor<1x12x5x7xf32>, %filter: tensor<24x3x1x1xf32>, %bias: tensor<24xf32>) -> tensor<1x24x5x7xf32> {
  %e = tensor.empty() : tensor<1x24x5x7xf32>
  %start = linalg.generic {
      indexing_maps = [affine_map<(n, c, h, w) -> (c)>, affine_map<(n, c, h, w) -> (n, c, h, w)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%bias : tensor<24xf32>) outs(%e : tensor<1x24x5x7xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<1x24x5x7xf32>
  %xs = tensor.expand_shape %x [[0], [1, 2], [3], [4]] output_shape [1, 4, 3, 5, 7] : tensor<1x12x5x7xf32> into tensor<1x4x3x5x7xf32>
  %ws = tensor.expand_shape %filter [[0, 1], [2], [3], [4]] output_shape [4, 6, 3, 1, 1] : tensor<24x3x1x1xf32> into tensor<4x6x3x1x1xf32>
  %ss = tensor.expand_shape %start [[0], [1, 2], [3], [4]] output_shape [1, 4, 6, 5, 7] : tensor<1x24x5x7xf32> into tensor<1x4x6x5x7xf32>
  %r = linalg.generic {indexing_maps = [#x, #w, #y],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%xs, %ws : tensor<1x4x3x5x7xf32>, tensor<4x6x3x1x1xf32>) outs(%ss : tensor<1x4x6x5x7xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<1x4x6x5x7xf32>
  %y = tensor.collapse_shape %r [[0], [1, 2], [3], [4]] : tensor<1x4x6x5x7xf32> into tensor<1x24x5x7xf32>
  return %y : tensor<1x24x5x7xf32>
}

// A filter that is not constant, sizes that are not known, and other sums to start from.
// CHECK-LABEL: @open
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<?x12x?xf32>, tensor<24x12xf32>) outs(%{{.*}} : tensor<?x24x?xf32>)
func.func @open(%x: tensor<?x12x?x?xf32>, %filter: tensor<24x12x1x1xf32>, %start: tensor<?x24x?x?xf32>) -> tensor<?x24x?x?xf32> {
  %y = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %filter : tensor<?x12x?x?xf32>, tensor<24x12x1x1xf32>)
      outs(%start : tensor<?x24x?x?xf32>) -> tensor<?x24x?x?xf32>
  return %y : tensor<?x24x?x?xf32>
}

// Strides leave pixels out; windows have more than one pixel.
// CHECK-LABEL: @stays
// CHECK: linalg.conv_2d_nchw_fchw
// CHECK: linalg.conv_2d_nchw_fchw
// CHECK: linalg.conv_2d_nchw_fchw
func.func @stays(%x: tensor<1x12x9x9xf32>, %one: tensor<24x12x1x1xf32>, %row: tensor<24x12x1x3xf32>, %e: tensor<1x24x5x5xf32>, %f: tensor<1x24x9x7xf32>, %g: tensor<1x24x5x9xf32>)
    -> (tensor<1x24x5x5xf32>, tensor<1x24x9x7xf32>, tensor<1x24x5x9xf32>) {
  %y = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
      ins(%x, %one : tensor<1x12x9x9xf32>, tensor<24x12x1x1xf32>) outs(%e : tensor<1x24x5x5xf32>) -> tensor<1x24x5x5xf32>
  %z = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %row : tensor<1x12x9x9xf32>, tensor<24x12x1x3xf32>) outs(%f : tensor<1x24x9x7xf32>) -> tensor<1x24x9x7xf32>
  %v = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<[2, 1]> : vector<2xi64>}
      ins(%x, %one : tensor<1x12x9x9xf32>, tensor<24x12x1x1xf32>) outs(%g : tensor<1x24x5x9xf32>) -> tensor<1x24x5x9xf32>
  return %y, %z, %v : tensor<1x24x5x5xf32>, tensor<1x24x9x7xf32>, tensor<1x24x5x9xf32>
}

// Alone: the first one of two that know nothing of each other. The second one's image is
// made by a convolution, behind what is done to each element.
// ALONE-LABEL: @groups
// ALONE-NOT: linalg.generic {{.*}}tensor<1x4x3x35xf32>
// ALONE-LABEL: @alone
// ALONE: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<1x12x81xf32>, tensor<24x12xf32>)
// ALONE: linalg.conv_2d_nchw_fchw
// ALONE: linalg.conv_2d_nchw_fchw
func.func @alone(%x: tensor<1x12x9x9xf32>, %z: tensor<1x12x11x11xf32>) -> (tensor<1x24x9x9xf32>, tensor<1x24x9x9xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant dense<0.5> : tensor<24x12x1x1xf32>
  %nine = arith.constant dense<0.5> : tensor<12x12x3x3xf32>
  %e = tensor.empty() : tensor<1x24x9x9xf32>
  %f = tensor.empty() : tensor<1x12x9x9xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<1x24x9x9xf32>) -> tensor<1x24x9x9xf32>
  %other = linalg.fill ins(%zero : f32) outs(%f : tensor<1x12x9x9xf32>) -> tensor<1x12x9x9xf32>
  %a = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %one : tensor<1x12x9x9xf32>, tensor<24x12x1x1xf32>) outs(%start : tensor<1x24x9x9xf32>) -> tensor<1x24x9x9xf32>
  %b = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%z, %nine : tensor<1x12x11x11xf32>, tensor<12x12x3x3xf32>) outs(%other : tensor<1x12x9x9xf32>) -> tensor<1x12x9x9xf32>
  %c = linalg.exp ins(%b : tensor<1x12x9x9xf32>) outs(%f : tensor<1x12x9x9xf32>) -> tensor<1x12x9x9xf32>
  %d = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%c, %one : tensor<1x12x9x9xf32>, tensor<24x12x1x1xf32>) outs(%start : tensor<1x24x9x9xf32>) -> tensor<1x24x9x9xf32>
  return %a, %d : tensor<1x24x9x9xf32>, tensor<1x24x9x9xf32>
}
