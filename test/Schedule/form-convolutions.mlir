// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --onnxc-form-convolutions | FileCheck %s
// RUN: onnx-mlir-opt %s --onnxc-form-convolutions | FileCheck %s --check-prefix=AVX2
// RUN: onnx-mlir-opt %s --onnxc-form-convolutions=winograd=false | FileCheck %s --check-prefix=DIRECT

// The zeros around the image become pads, the bias an extra, and the image is read as it
// is: three channels fill no vector.
// CHECK-LABEL: @stem
// CHECK: %[[W:.*]] = arith.constant dense_resource<packed{{.*}}> : tensor<1x7x7x3x48xf32>
// CHECK: %[[B:.*]] = arith.constant dense_resource<packed{{.*}}> : tensor<3x16xf32>
// CHECK: kernel.conv ins(%arg0, %[[W]] : tensor<1x3x32x32xf32>
// CHECK-SAME: extras(%[[B]]
// CHECK-SAME: filters = 40
// CHECK-SAME: pads = array<i64: 3, 3, 2, 3>
// CHECK: arith.addf
// CHECK: kernel.reorder {{.*}} -> tensor<1x40x16x16xf32>
// AVX2-LABEL: @stem
// AVX2: tensor<3x7x7x3x16xf32>
func.func @stem(%x: tensor<1x3x32x32xf32>) -> tensor<1x40x16x16xf32> {
  %zero = arith.constant 0.0 : f32
  %w = arith.constant dense<0.5> : tensor<40x3x7x7xf32>
  %bias = arith.constant dense<1.0> : tensor<40xf32>
  %padded = tensor.pad %x low[0, 0, 3, 3] high[0, 0, 2, 3] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x3x32x32xf32> to tensor<1x3x37x38xf32>
  %empty = tensor.empty() : tensor<1x40x16x16xf32>
  %start = linalg.generic {
      indexing_maps = [affine_map<(a, b, c, d) -> (b)>, affine_map<(a, b, c, d) -> (a, b, c, d)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%bias : tensor<40xf32>) outs(%empty : tensor<1x40x16x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<1x40x16x16xf32>
  %y = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
      ins(%padded, %w : tensor<1x3x37x38xf32>, tensor<40x3x7x7xf32>)
      outs(%start : tensor<1x40x16x16xf32>) -> tensor<1x40x16x16xf32>
  return %y : tensor<1x40x16x16xf32>
}

// An image with many channels is blocked first; the batch may be unknown.
// CHECK-LABEL: @blocked
// CHECK: %[[X:.*]] = kernel.reorder {{.*}} -> tensor<?x2x8x8x16xf32>
// CHECK: kernel.conv ins(%[[X]], %{{.*}} : tensor<?x2x8x8x16xf32>, tensor<2x2x3x3x16x32xf32>)
// CHECK-NOT: extras
func.func @blocked(%x: tensor<?x32x8x8xf32>, %n: index) -> tensor<?x64x6x6xf32> {
  %zero = arith.constant 0.0 : f32
  %w = arith.constant dense<0.5> : tensor<64x32x3x3xf32>
  %empty = tensor.empty(%n) : tensor<?x64x6x6xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x64x6x6xf32>) -> tensor<?x64x6x6xf32>
  %y = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %w : tensor<?x32x8x8xf32>, tensor<64x32x3x3xf32>)
      outs(%start : tensor<?x64x6x6xf32>) -> tensor<?x64x6x6xf32>
  return %y : tensor<?x64x6x6xf32>
}

// Each channel by itself: vectors of channels.
// CHECK-LABEL: @depthwise
// CHECK: kernel.conv ins(%{{.*}}, %{{.*}} : tensor<1x2x9x16xf32>, tensor<2x3x16xf32>)
// CHECK-SAME: group = 20
func.func @depthwise(%x: tensor<1x20x9xf32>, %start: tensor<1x20x7xf32>) -> tensor<1x20x7xf32> {
  %w = arith.constant dense<0.5> : tensor<20x3xf32>
  %y = linalg.depthwise_conv_1d_ncw_cw {dilations = dense<1> : vector<1xi64>, strides = dense<1> : vector<1xi64>}
      ins(%x, %w : tensor<1x20x9xf32>, tensor<20x3xf32>)
      outs(%start : tensor<1x20x7xf32>) -> tensor<1x20x7xf32>
  return %y : tensor<1x20x7xf32>
}

// A filter that is not known stays where it is.
// CHECK-LABEL: @unknown_filter
// CHECK-NOT: kernel
func.func @unknown_filter(%x: tensor<1x32x8xf32>, %w: tensor<32x32x1xf32>, %y: tensor<1x32x8xf32>) -> tensor<1x32x8xf32> {
  %r = linalg.conv_1d_ncw_fcw ins(%x, %w : tensor<1x32x8xf32>, tensor<32x32x1xf32>)
      outs(%y : tensor<1x32x8xf32>) -> tensor<1x32x8xf32>
  return %r : tensor<1x32x8xf32>
}

// A transposed convolution: no zeros are written between the pixels, also where only the
// arithmetic of sizes says where these end. Its filter is turned around now.
// CHECK-LABEL: @transposed
// CHECK: kernel.reorder ins(%arg0 : tensor<1x32x?x5xf32>)
// CHECK: kernel.conv ins(%{{.*}}, %{{.*}} : tensor<1x2x?x5x16xf32>, tensor<1x2x2x3x16x16xf32>)
// CHECK-SAME: pads = array<i64: 1, 2, 1, 2>
// CHECK-SAME: spread = array<i64: 2, 1>
func.func @transposed(%x: tensor<1x32x?x5xf32>, %h: index, %rows: index) -> tensor<1x16x?x7xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %before = arith.subi %h, %c1 : index
  %steps = arith.muli %before, %c2 : index
  %extent = arith.addi %steps, %c1 : index
  %size = arith.maxsi %extent, %c0 : index
  %all = tensor.empty(%size) : tensor<1x32x?x5xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%all : tensor<1x32x?x5xf32>) -> tensor<1x32x?x5xf32>
  %spread = tensor.insert_slice %x into %zeros[0, 0, 0, 0] [1, 32, %h, 5] [1, 1, 2, 1] : tensor<1x32x?x5xf32> into tensor<1x32x?x5xf32>
  %padded = tensor.pad %spread low[0, 0, 1, 2] high[0, 0, 1, 2] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x32x?x5xf32> to tensor<1x32x?x9xf32>
  %w = arith.constant dense<0.5> : tensor<32x16x2x3xf32>
  %made = tensor.empty() : tensor<16x32x2x3xf32>
  %turned = linalg.generic {
      indexing_maps = [affine_map<(f, c, y, x) -> (c, f, -y + 1, -x + 2)>, affine_map<(f, c, y, x) -> (f, c, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%w : tensor<32x16x2x3xf32>) outs(%made : tensor<16x32x2x3xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<16x32x2x3xf32>
  %empty = tensor.empty(%rows) : tensor<1x16x?x7xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x16x?x7xf32>) -> tensor<1x16x?x7xf32>
  %y = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%padded, %turned : tensor<1x32x?x9xf32>, tensor<16x32x2x3xf32>)
      outs(%start : tensor<1x16x?x7xf32>) -> tensor<1x16x?x7xf32>
  return %y : tensor<1x16x?x7xf32>
}

// A size that is not known to end with a pixel.
// CHECK-LABEL: @more_zeros
// CHECK: tensor.insert_slice
// CHECK: kernel.conv
// CHECK-NOT: spread
func.func @more_zeros(%x: tensor<1x32x?xf32>, %size: index, %h: index, %out: index) -> tensor<1x16x?xf32> {
  %zero = arith.constant 0.0 : f32
  %all = tensor.empty(%size) : tensor<1x32x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%all : tensor<1x32x?xf32>) -> tensor<1x32x?xf32>
  %spread = tensor.insert_slice %x into %zeros[0, 0, 0] [1, 32, %h] [1, 1, 2] : tensor<1x32x?xf32> into tensor<1x32x?xf32>
  %w = arith.constant dense<0.5> : tensor<16x32x2xf32>
  %empty = tensor.empty(%out) : tensor<1x16x?xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x16x?xf32>) -> tensor<1x16x?xf32>
  %y = linalg.conv_1d_ncw_fcw {dilations = dense<1> : vector<1xi64>, strides = dense<1> : vector<1xi64>}
      ins(%spread, %w : tensor<1x32x?xf32>, tensor<16x32x2xf32>)
      outs(%start : tensor<1x16x?xf32>) -> tensor<1x16x?xf32>
  return %y : tensor<1x16x?xf32>
}

// Weights and bias stay halves; the image is widened before, the sums are float32.
// CHECK-LABEL: @halves
// CHECK: arith.extf {{.*}} : f16 to f32
// CHECK: %[[X:.*]] = kernel.reorder {{.*}} -> tensor<1x2x8x8x16xf32>
// CHECK: %[[W:.*]] = arith.constant dense_resource<packed{{.*}}> : tensor<1x2x3x3x16x32xf16>
// CHECK: %[[B:.*]] = arith.constant dense_resource<packed{{.*}}> : tensor<2x16xf16>
// CHECK: kernel.conv ins(%[[X]], %[[W]] : {{.*}}) extras(%[[B]] :
// CHECK-SAME: pads = array<i64: 1, 1, 1, 1>
// CHECK: ^bb0(%[[SUM:.*]]: f32, %[[BIAS:.*]]: f16):
// CHECK: %[[START:.*]] = arith.extf %[[BIAS]] : f16 to f32
// CHECK: arith.addf %[[SUM]], %[[START]] : f32
func.func @halves(%x: tensor<1x32x8x8xf16>) -> tensor<1x32x8x8xf32> {
  %zero = arith.constant 0.0 : f16
  %w = arith.constant dense<0.5> : tensor<32x32x3x3xf16>
  %bias = arith.constant dense<1.0> : tensor<32xf16>
  %padded = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f16
  } : tensor<1x32x8x8xf16> to tensor<1x32x10x10xf16>
  %empty = tensor.empty() : tensor<1x32x8x8xf32>
  %start = linalg.generic {
      indexing_maps = [affine_map<(a, b, c, d) -> (b)>, affine_map<(a, b, c, d) -> (a, b, c, d)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%bias : tensor<32xf16>) outs(%empty : tensor<1x32x8x8xf32>) {
  ^bb0(%in: f16, %out: f32):
    %wide = arith.extf %in : f16 to f32
    linalg.yield %wide : f32
  } -> tensor<1x32x8x8xf32>
  %y = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%padded, %w : tensor<1x32x10x10xf16>, tensor<32x32x3x3xf16>)
      outs(%start : tensor<1x32x8x8xf32>) -> tensor<1x32x8x8xf32>
  return %y : tensor<1x32x8x8xf32>
}

// A panel of the weights of 1040 channels is longer than the second level of the cache: there is
// a convolution of 528 channels, and one of 512 that starts from its sums.
// CHECK-LABEL: @cut
// CHECK: %[[IMAGE:.*]] = kernel.reorder {{.*}} -> tensor<1x65x20x20x16xf32>
// CHECK: %[[SOME:.*]] = tensor.extract_slice %[[IMAGE]][0, 0, 0, 0, 0] [1, 33, 20, 20, 16]
// CHECK: %[[SUMS:.*]] = kernel.conv ins(%[[SOME]], %{{.*}} : tensor<1x33x20x20x16xf32>, tensor<1x33x3x3x16x32xf32>)
// CHECK-SAME: channels = 528
// CHECK: %[[OTHERS:.*]] = tensor.extract_slice %[[IMAGE]][0, 33, 0, 0, 0] [1, 32, 20, 20, 16]
// CHECK: kernel.conv ins(%[[OTHERS]], %{{.*}} : tensor<1x32x20x20x16xf32>, tensor<1x32x3x3x16x32xf32>) extras(%[[SUMS]] :
// CHECK-SAME: channels = 512
// AVX2-LABEL: @cut
// AVX2-COUNT-1: kernel.conv
// AVX2-NOT: kernel.conv
func.func @cut(%x: tensor<1x1040x20x20xf32>) -> tensor<1x32x18x18xf32> {
  %zero = arith.constant 0.0 : f32
  %w = arith.constant dense<0.5> : tensor<32x1040x3x3xf32>
  %empty = tensor.empty() : tensor<1x32x18x18xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x32x18x18xf32>) -> tensor<1x32x18x18xf32>
  %y = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %w : tensor<1x1040x20x20xf32>, tensor<32x1040x3x3xf32>)
      outs(%start : tensor<1x32x18x18xf32>) -> tensor<1x32x18x18xf32>
  return %y : tensor<1x32x18x18xf32>
}

// Three blocks of filters in each group, or six: no panel reaches into the next group.
// CHECK-LABEL: @groups_of_three
// CHECK: kernel.conv ins(%{{.*}}, %{{.*}} : tensor<1x2x9x16xf32>, tensor<2x1x1x16x48xf32>)
// AVX2-LABEL: @groups_of_three
// AVX2: kernel.conv ins(%{{.*}}, %{{.*}} : tensor<1x4x9x8xf32>, tensor<6x2x1x8x16xf32>)
func.func @groups_of_three(%image: tensor<1x32x9xf32>) -> tensor<1x96x9xf32> {
  %x = tensor.expand_shape %image [[0], [1, 2], [3]] output_shape [1, 2, 16, 9] : tensor<1x32x9xf32> into tensor<1x2x16x9xf32>
  %w = arith.constant dense<0.5> : tensor<2x48x16x1xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x2x48x9xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x2x48x9xf32>) -> tensor<1x2x48x9xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(n, g, f, o, c, k) -> (n, g, c, o + k)>, affine_map<(n, g, f, o, c, k) -> (g, f, c, k)>,
                       affine_map<(n, g, f, o, c, k) -> (n, g, f, o)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<1x2x16x9xf32>, tensor<2x48x16x1xf32>) outs(%start : tensor<1x2x48x9xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<1x2x48x9xf32>
  %joined = tensor.collapse_shape %y [[0], [1, 2], [3]] : tensor<1x2x48x9xf32> into tensor<1x96x9xf32>
  return %joined : tensor<1x96x9xf32>
}

// What is in memory already is left.
// CHECK-LABEL: @in_memory
// CHECK: linalg.generic
// CHECK-NOT: kernel.conv
// CHECK: return
func.func @in_memory(%x: memref<1x16x9x9xf32>, %w: memref<16x16x3x3xf32>, %y: memref<1x16x7x7xf32>) {
  linalg.generic {indexing_maps = [affine_map<(n, o, h, w, c, i, j) -> (n, c, h + i, w + j)>, affine_map<(n, o, h, w, c, i, j) -> (o, c, i, j)>, affine_map<(n, o, h, w, c, i, j) -> (n, o, h, w)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : memref<1x16x9x9xf32>, memref<16x16x3x3xf32>) outs(%y : memref<1x16x7x7xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %c, %p : f32
    linalg.yield %r : f32
  }
  return
}

// How exact Winograd's filtering of these weights is. Of one tap alone the sum that is
// defined has a single rounding: the ratio is large.
// CHECK-LABEL: @neighbours
// AVX2-LABEL: @neighbours
// AVX2: kernel.conv
// AVX2-SAME: winograd_error = [[E:[12]\..*]] : f32
// AVX2: kernel.conv
// AVX2-SAME: winograd_error = 1.2{{[0-9]*}}e+01 : f32
// DIRECT-LABEL: @neighbours
// DIRECT-NOT: winograd_error
func.func @neighbours(%x: tensor<1x8x8x8xf32>) -> (tensor<1x1x6x6xf32>, tensor<1x1x6x6xf32>) {
  %many = arith.constant dense<"0x000090BF0000903F0000803F0000603F0000403F0000203F0000003F0000C03E0000803E0000003E00000000000000BE000080BE0000C0BE000000BF000020BF000040BF000060BF000080BF000090BF0000903F0000803F0000603F0000403F0000203F0000003F0000C03E0000803E0000003E00000000000000BE000080BE0000C0BE000000BF000020BF000040BF000060BF000080BF000090BF0000903F0000803F0000603F0000403F0000203F0000003F0000C03E0000803E0000003E00000000000000BE000080BE0000C0BE000000BF000020BF000040BF000060BF000080BF000090BF0000903F0000803F0000603F0000403F0000203F0000003F0000C03E0000803E0000003E00000000000000BE000080BE0000C0BE000000BF"> : tensor<1x8x3x3xf32>
  %one = arith.constant dense<"0x000000000000000000000000000000000000803F00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"> : tensor<1x8x3x3xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x1x6x6xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x1x6x6xf32>) -> tensor<1x1x6x6xf32>
  %y = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %many : tensor<1x8x8x8xf32>, tensor<1x8x3x3xf32>) outs(%start : tensor<1x1x6x6xf32>) -> tensor<1x1x6x6xf32>
  %z = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %one : tensor<1x8x8x8xf32>, tensor<1x8x3x3xf32>) outs(%start : tensor<1x1x6x6xf32>) -> tensor<1x1x6x6xf32>
  return %y, %z : tensor<1x1x6x6xf32>, tensor<1x1x6x6xf32>
}

// A window of a row is filtered in parts of as many taps as make the fewest products.
// CHECK-LABEL: @row_of_seven_taps
// AVX2-LABEL: @row_of_seven_taps
// AVX2: kernel.conv
// AVX2-SAME: winograd_error
// AVX2-SAME: winograd_taps = array<i64: 4>
// DIRECT-LABEL: @row_of_seven_taps
// DIRECT-NOT: winograd
func.func @row_of_seven_taps(%x: tensor<1x8x40xf32>) -> tensor<1x1x34xf32> {
  %w = arith.constant dense<"0x000090BF000080BE0000203F000060BF000000000000603F000020BF0000803E0000903F0000C0BE0000003F000080BF000000BE0000403F000040BF0000003E0000803F000000BF0000C03E000090BF000080BE0000203F000060BF000000000000603F000020BF0000803E0000903F0000C0BE0000003F000080BF000000BE0000403F000040BF0000003E0000803F000000BF0000C03E000090BF000080BE0000203F000060BF000000000000603F000020BF0000803E0000903F0000C0BE0000003F000080BF000000BE0000403F000040BF0000003E0000803F000000BF"> : tensor<1x8x7xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x1x34xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x1x34xf32>) -> tensor<1x1x34xf32>
  %y = linalg.conv_1d_ncw_fcw {dilations = dense<1> : vector<1xi64>, strides = dense<1> : vector<1xi64>}
      ins(%x, %w : tensor<1x8x40xf32>, tensor<1x8x7xf32>) outs(%start : tensor<1x1x34xf32>) -> tensor<1x1x34xf32>
  return %y : tensor<1x1x34xf32>
}

// Zeros around a row of unknown length stay where taps are very many: tiles at its ends would look for each whether it lies outside.
// CHECK-LABEL: @open_row
// CHECK: %[[PADDED:.*]] = tensor.pad %arg0 low[0, 0, 8] high[0, 0, 8]
// CHECK: %[[X:.*]] = kernel.reorder ins(%[[PADDED]]
// CHECK: kernel.conv ins(%[[X]],
// CHECK-SAME: pads = array<i64: 0, 0>
// CHECK: kernel.conv
// CHECK-SAME: pads = array<i64: 3, 3>
func.func @open_row(%x: tensor<1x32x?xf32>, %few_taps: tensor<1x32x?xf32>, %n: index) -> (tensor<1x32x?xf32>, tensor<1x32x?xf32>) {
  %zero = arith.constant 0.0 : f32
  %w = arith.constant dense<0.5> : tensor<32x32x17xf32>
  %v = arith.constant dense<0.5> : tensor<32x32x7xf32>
  %empty = tensor.empty(%n) : tensor<1x32x?xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x32x?xf32>) -> tensor<1x32x?xf32>
  %padded = tensor.pad %x low[0, 0, 8] high[0, 0, 8] {
  ^bb0(%a: index, %b: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<1x32x?xf32> to tensor<1x32x?xf32>
  %y = linalg.conv_1d_ncw_fcw {dilations = dense<1> : vector<1xi64>, strides = dense<1> : vector<1xi64>}
      ins(%padded, %w : tensor<1x32x?xf32>, tensor<32x32x17xf32>) outs(%start : tensor<1x32x?xf32>) -> tensor<1x32x?xf32>
  %few = tensor.pad %few_taps low[0, 0, 3] high[0, 0, 3] {
  ^bb0(%a: index, %b: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<1x32x?xf32> to tensor<1x32x?xf32>
  %z = linalg.conv_1d_ncw_fcw {dilations = dense<1> : vector<1xi64>, strides = dense<1> : vector<1xi64>}
      ins(%few, %v : tensor<1x32x?xf32>, tensor<32x32x7xf32>) outs(%start : tensor<1x32x?xf32>) -> tensor<1x32x?xf32>
  return %y, %z : tensor<1x32x?xf32>, tensor<1x32x?xf32>
}

// Of a pointwise convolution with strides, the pixels that are taken are copied first if
// many filters read them: tiles go over the ends of rows then.
// CHECK-LABEL: @pointwise_strides
// CHECK: %[[PIXELS:.*]] = kernel.conv {{.*}} tensor<1x1x1x16xf32>
// CHECK-SAME: maximum
// CHECK-SAME: strides = array<i64: 2, 2>
// CHECK: kernel.conv ins(%[[PIXELS]],
// CHECK-SAME: strides = array<i64: 1, 1>
// CHECK-LABEL: @few_filters
// CHECK-NOT: maximum
// CHECK: strides = array<i64: 2, 2>
func.func @pointwise_strides(%x: tensor<1x64x9x9xf32>, %start: tensor<1x128x5x5xf32>) -> tensor<1x128x5x5xf32> {
  %w = arith.constant dense<0.5> : tensor<128x64x1x1xf32>
  %y = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
      ins(%x, %w : tensor<1x64x9x9xf32>, tensor<128x64x1x1xf32>)
      outs(%start : tensor<1x128x5x5xf32>) -> tensor<1x128x5x5xf32>
  return %y : tensor<1x128x5x5xf32>
}
func.func @few_filters(%x: tensor<1x64x9x9xf32>, %start: tensor<1x96x5x5xf32>) -> tensor<1x96x5x5xf32> {
  %w = arith.constant dense<0.5> : tensor<96x64x1x1xf32>
  %y = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
      ins(%x, %w : tensor<1x64x9x9xf32>, tensor<96x64x1x1xf32>)
      outs(%start : tensor<1x96x5x5xf32>) -> tensor<1x96x5x5xf32>
  return %y : tensor<1x96x5x5xf32>
}

// Of many taps along a row, the zeros at its ends are written before: no tile is special.
// CHECK-LABEL: @many_taps
// CHECK: tensor.pad
// CHECK: kernel.conv
// CHECK-SAME: pads = array<i64: 0, 0>
// CHECK-LABEL: @few_taps
// CHECK: kernel.conv
// CHECK-SAME: pads = array<i64: 3, 3>
func.func @many_taps(%x: tensor<1x32x40xf32>, %start: tensor<1x32x40xf32>) -> tensor<1x32x40xf32> {
  %zero = arith.constant 0.0 : f32
  %w = arith.constant dense<0.5> : tensor<32x32x11xf32>
  %padded = tensor.pad %x low[0, 0, 5] high[0, 0, 5] {
  ^bb0(%a: index, %b: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<1x32x40xf32> to tensor<1x32x50xf32>
  %y = linalg.conv_1d_ncw_fcw {dilations = dense<1> : vector<1xi64>, strides = dense<1> : vector<1xi64>}
      ins(%padded, %w : tensor<1x32x50xf32>, tensor<32x32x11xf32>) outs(%start : tensor<1x32x40xf32>) -> tensor<1x32x40xf32>
  return %y : tensor<1x32x40xf32>
}
func.func @few_taps(%x: tensor<1x32x40xf32>, %start: tensor<1x32x40xf32>) -> tensor<1x32x40xf32> {
  %zero = arith.constant 0.0 : f32
  %w = arith.constant dense<0.5> : tensor<32x32x7xf32>
  %padded = tensor.pad %x low[0, 0, 3] high[0, 0, 3] {
  ^bb0(%a: index, %b: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<1x32x40xf32> to tensor<1x32x46xf32>
  %y = linalg.conv_1d_ncw_fcw {dilations = dense<1> : vector<1xi64>, strides = dense<1> : vector<1xi64>}
      ins(%padded, %w : tensor<1x32x46xf32>, tensor<32x32x7xf32>) outs(%start : tensor<1x32x40xf32>) -> tensor<1x32x40xf32>
  return %y : tensor<1x32x40xf32>
}
