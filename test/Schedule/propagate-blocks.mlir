// RUN: onnx-mlir-opt %s --onnxc-propagate-blocks --canonicalize | FileCheck %s

#id = affine_map<(n, c, h, w) -> (n, c, h, w)>
#channel = affine_map<(n, c, h, w) -> (c)>
#gate = affine_map<(n, c, h, w) -> (n, c, 0, 0)>

// One value per channel is blocked as the image is; no reorder but the last.
// CHECK-LABEL: @elementwise
// CHECK-NOT: kernel.reorder
// CHECK: tensor.pad %arg1 low[0] high[8]
// CHECK: linalg.generic
// CHECK-SAME: ins(%arg0, %{{.*}}, %{{.*}} : tensor<1x2x5x5x16xf32>, tensor<2x16xf32>, tensor<2x16xf32>)
// CHECK: kernel.reorder
func.func @elementwise(%x: tensor<1x2x5x5x16xf32>, %run: tensor<24xf32>) -> tensor<1x24x5x5xf32> {
  %scale = arith.constant dense<2.0> : tensor<24xf32>
  %e = tensor.empty() : tensor<1x24x5x5xf32>
  %p = kernel.reorder ins(%x : tensor<1x2x5x5x16xf32>) outs(%e : tensor<1x24x5x5xf32>) -> tensor<1x24x5x5xf32>
  %r = linalg.generic {indexing_maps = [#id, #channel, #channel, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%p, %scale, %run : tensor<1x24x5x5xf32>, tensor<24xf32>, tensor<24xf32>) outs(%e : tensor<1x24x5x5xf32>) {
  ^bb0(%in: f32, %s: f32, %t: f32, %out: f32):
    %m = arith.mulf %in, %s : f32
    %a = arith.addf %m, %t : f32
    linalg.yield %a : f32
  } -> tensor<1x24x5x5xf32>
  return %r : tensor<1x24x5x5xf32>
}

// A window over rows and columns: lanes are a loop of their own, at the end.
// CHECK-LABEL: @pool
// CHECK: tensor.pad %arg0 low[0, 0, 1, 0, 0] high[0, 0, 0, 0, 0]
// CHECK: linalg.generic
// CHECK-SAME: "reduction", "parallel"]
// CHECK-SAME: outs(%{{.*}} : tensor<1x2x5x16xf32>)
func.func @pool(%x: tensor<1x2x5x5x16xf32>) -> tensor<1x32x5xf32> {
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<1x32x5x5xf32>
  %p = kernel.reorder ins(%x : tensor<1x2x5x5x16xf32>) outs(%e : tensor<1x32x5x5xf32>) -> tensor<1x32x5x5xf32>
  %padded = tensor.pad %p low[0, 0, 1, 0] high[0, 0, 0, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %low : f32
  } : tensor<1x32x5x5xf32> to tensor<1x32x6x5xf32>
  %o = tensor.empty() : tensor<1x32x5xf32>
  %f = linalg.fill ins(%low : f32) outs(%o : tensor<1x32x5xf32>) -> tensor<1x32x5xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, c, w, h) -> (n, c, h, w)>, affine_map<(n, c, w, h) -> (n, c, w)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%padded : tensor<1x32x6x5xf32>) outs(%f : tensor<1x32x5xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %out, %in : f32
    linalg.yield %m : f32
  } -> tensor<1x32x5xf32>
  return %r : tensor<1x32x5xf32>
}

// Whole blocks are put behind each other, whole blocks taken out.
// CHECK-LABEL: @concat
// CHECK-NOT: kernel.reorder
// CHECK: tensor.insert_slice %arg0 into %{{.*}}[0, 0, 0, 0, 0] [1, 2, 5, 5, 16]
// CHECK: tensor.insert_slice %arg1 into %{{.*}}[0, 2, 0, 0, 0] [1, 1, 5, 5, 16]
// CHECK: tensor.extract_slice %{{.*}}[0, 1, 0, 0, 0] [1, 2, 5, 5, 16]
// CHECK: kernel.reorder
func.func @concat(%x: tensor<1x2x5x5x16xf32>, %y: tensor<1x1x5x5x16xf32>) -> tensor<1x24x5x5xf32> {
  %e = tensor.empty() : tensor<1x32x5x5xf32>
  %f = tensor.empty() : tensor<1x8x5x5xf32>
  %p = kernel.reorder ins(%x : tensor<1x2x5x5x16xf32>) outs(%e : tensor<1x32x5x5xf32>) -> tensor<1x32x5x5xf32>
  %q = kernel.reorder ins(%y : tensor<1x1x5x5x16xf32>) outs(%f : tensor<1x8x5x5xf32>) -> tensor<1x8x5x5xf32>
  %o = tensor.empty() : tensor<1x40x5x5xf32>
  %a = tensor.insert_slice %p into %o[0, 0, 0, 0] [1, 32, 5, 5] [1, 1, 1, 1] : tensor<1x32x5x5xf32> into tensor<1x40x5x5xf32>
  %b = tensor.insert_slice %q into %a[0, 32, 0, 0] [1, 8, 5, 5] [1, 1, 1, 1] : tensor<1x8x5x5xf32> into tensor<1x40x5x5xf32>
  %s = tensor.extract_slice %b[0, 16, 0, 0] [1, 24, 5, 5] [1, 1, 1, 1] : tensor<1x40x5x5xf32> to tensor<1x24x5x5xf32>
  return %s : tensor<1x24x5x5xf32>
}

// Sums over channels would meet lanes that mean nothing.
// CHECK-LABEL: @over_channels
// CHECK: kernel.reorder
// CHECK: linalg.generic
// CHECK-SAME: ins(%{{.*}} : tensor<1x24x5xf32>)
func.func @over_channels(%x: tensor<1x2x5x16xf32>, %o: tensor<1x5xf32>) -> tensor<1x5xf32> {
  %e = tensor.empty() : tensor<1x24x5xf32>
  %p = kernel.reorder ins(%x : tensor<1x2x5x16xf32>) outs(%e : tensor<1x24x5xf32>) -> tensor<1x24x5xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, h, c) -> (n, c, h)>, affine_map<(n, h, c) -> (n, h)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p : tensor<1x24x5xf32>) outs(%o : tensor<1x5xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.addf %out, %in : f32
    linalg.yield %m : f32
  } -> tensor<1x5xf32>
  return %r : tensor<1x5xf32>
}

// Channels become the innermost dimension, or were it: lanes stay together. Only spatial
// dimensions are joined and split.
// CHECK-LABEL: @channels_last
// CHECK: %[[T:.*]] = linalg.transpose ins(%arg0 : tensor<1x2x4x8x16xf32>) outs(%{{.*}} : tensor<1x4x8x2x16xf32>) permutation = [0, 2, 3, 1, 4]
// CHECK: %[[Y:.*]] = tensor.collapse_shape %[[T]] {{.*}} into tensor<1x4x8x32xf32>
// CHECK: %[[S:.*]] = tensor.expand_shape %arg1 {{.*}} into tensor<1x32x2x16xf32>
// CHECK: %[[B:.*]] = linalg.transpose ins(%[[S]] : tensor<1x32x2x16xf32>) outs(%{{.*}} : tensor<1x2x32x16xf32>) permutation = [0, 2, 1, 3]
// CHECK: %[[X:.*]] = tensor.expand_shape %[[B]] {{.*}} into tensor<1x2x4x8x16xf32>
// CHECK: return %[[Y]], %[[X]]
func.func @channels_last(%blocked: tensor<1x2x4x8x16xf32>, %rows: tensor<1x32x32xf32>) -> (tensor<1x4x8x32xf32>, tensor<1x2x4x8x16xf32>) {
  %plain = tensor.empty() : tensor<1x32x4x8xf32>
  %x = kernel.reorder ins(%blocked : tensor<1x2x4x8x16xf32>) outs(%plain : tensor<1x32x4x8xf32>) -> tensor<1x32x4x8xf32>
  %last = tensor.empty() : tensor<1x4x8x32xf32>
  %y = linalg.transpose ins(%x : tensor<1x32x4x8xf32>) outs(%last : tensor<1x4x8x32xf32>) permutation = [0, 2, 3, 1]
  %flat = tensor.empty() : tensor<1x32x32xf32>
  %first = linalg.transpose ins(%rows : tensor<1x32x32xf32>) outs(%flat : tensor<1x32x32xf32>) permutation = [0, 2, 1]
  %split = tensor.expand_shape %first [[0], [1], [2, 3]] output_shape [1, 32, 4, 8] : tensor<1x32x32xf32> into tensor<1x32x4x8xf32>
  %to = tensor.empty() : tensor<1x2x4x8x16xf32>
  %again = kernel.reorder ins(%split : tensor<1x32x4x8xf32>) outs(%to : tensor<1x2x4x8x16xf32>) -> tensor<1x2x4x8x16xf32>
  return %y, %again : tensor<1x4x8x32xf32>, tensor<1x2x4x8x16xf32>
}

// No kernel reads it, or a block would end within: as it is.
// CHECK-LABEL: @other_transposes
// CHECK-NOT: tensor.expand_shape
// CHECK: kernel.reorder
// CHECK: linalg.transpose {{.*}} permutation = [0, 2, 1]
func.func @other_transposes(%rows: tensor<1x32x32xf32>, %blocked: tensor<1x2x9x16xf32>) -> (tensor<1x32x32xf32>, tensor<1x9x24xf32>) {
  %flat = tensor.empty() : tensor<1x32x32xf32>
  %first = linalg.transpose ins(%rows : tensor<1x32x32xf32>) outs(%flat : tensor<1x32x32xf32>) permutation = [0, 2, 1]
  %plain = tensor.empty() : tensor<1x24x9xf32>
  %x = kernel.reorder ins(%blocked : tensor<1x2x9x16xf32>) outs(%plain : tensor<1x24x9xf32>) -> tensor<1x24x9xf32>
  %last = tensor.empty() : tensor<1x9x24xf32>
  %y = linalg.transpose ins(%x : tensor<1x24x9xf32>) outs(%last : tensor<1x9x24xf32>) permutation = [0, 2, 1]
  return %first, %y : tensor<1x32x32xf32>, tensor<1x9x24xf32>
}

// Images that are read by index alone, as a Resize reads them: the channel is a
// block and a lane of it.
// CHECK-LABEL: @by_index
// CHECK-NOT: kernel.reorder {{.*}} -> tensor<1x32x5x5xf32>
// CHECK: linalg.generic
// CHECK: tensor.extract %arg0[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] : tensor<1x2x5x5x16xf32>
func.func @by_index(%x: tensor<1x2x5x5x16xf32>) -> tensor<1x32x10x10xf32> {
  %two = arith.constant 2 : index
  %e = tensor.empty() : tensor<1x32x5x5xf32>
  %p = kernel.reorder ins(%x : tensor<1x2x5x5x16xf32>) outs(%e : tensor<1x32x5x5xf32>) -> tensor<1x32x5x5xf32>
  %o = tensor.empty() : tensor<1x32x10x10xf32>
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%o : tensor<1x32x10x10xf32>) {
  ^bb0(%out: f32):
    %n = linalg.index 0 : index
    %c = linalg.index 1 : index
    %h = linalg.index 2 : index
    %w = linalg.index 3 : index
    %i = arith.divui %h, %two : index
    %j = arith.divui %w, %two : index
    %v = tensor.extract %p[%n, %c, %i, %j] : tensor<1x32x5x5xf32>
    linalg.yield %v : f32
  } -> tensor<1x32x10x10xf32>
  return %r : tensor<1x32x10x10xf32>
}

// A kernel behind eight ops is seen, one behind nine is not.
// CHECK-LABEL: @behind_eight
// CHECK: tensor.expand_shape %arg0 {{.*}} into tensor<1x32x2x16xf32>
// CHECK-LABEL: @behind_nine
// CHECK: linalg.transpose ins(%arg0 : tensor<1x32x32xf32>)
func.func @behind_eight(%rows: tensor<1x32x32xf32>, %to: tensor<1x2x32x16xf32>) -> tensor<1x2x32x16xf32> {
  %e = tensor.empty() : tensor<1x32x32xf32>
  %0 = linalg.transpose ins(%rows : tensor<1x32x32xf32>) outs(%e : tensor<1x32x32xf32>) permutation = [0, 2, 1]
  %1 = linalg.exp ins(%0 : tensor<1x32x32xf32>) outs(%e : tensor<1x32x32xf32>) -> tensor<1x32x32xf32>
  %2 = linalg.exp ins(%1 : tensor<1x32x32xf32>) outs(%e : tensor<1x32x32xf32>) -> tensor<1x32x32xf32>
  %3 = linalg.exp ins(%2 : tensor<1x32x32xf32>) outs(%e : tensor<1x32x32xf32>) -> tensor<1x32x32xf32>
  %4 = linalg.exp ins(%3 : tensor<1x32x32xf32>) outs(%e : tensor<1x32x32xf32>) -> tensor<1x32x32xf32>
  %5 = linalg.exp ins(%4 : tensor<1x32x32xf32>) outs(%e : tensor<1x32x32xf32>) -> tensor<1x32x32xf32>
  %6 = linalg.exp ins(%5 : tensor<1x32x32xf32>) outs(%e : tensor<1x32x32xf32>) -> tensor<1x32x32xf32>
  %7 = linalg.exp ins(%6 : tensor<1x32x32xf32>) outs(%e : tensor<1x32x32xf32>) -> tensor<1x32x32xf32>
  %8 = linalg.exp ins(%7 : tensor<1x32x32xf32>) outs(%e : tensor<1x32x32xf32>) -> tensor<1x32x32xf32>
  %r = kernel.reorder ins(%8 : tensor<1x32x32xf32>) outs(%to : tensor<1x2x32x16xf32>) -> tensor<1x2x32x16xf32>
  return %r : tensor<1x2x32x16xf32>
}
func.func @behind_nine(%rows: tensor<1x32x32xf32>, %to: tensor<1x2x32x16xf32>) -> tensor<1x2x32x16xf32> {
  %e = tensor.empty() : tensor<1x32x32xf32>
  %0 = linalg.transpose ins(%rows : tensor<1x32x32xf32>) outs(%e : tensor<1x32x32xf32>) permutation = [0, 2, 1]
  %1 = linalg.exp ins(%0 : tensor<1x32x32xf32>) outs(%e : tensor<1x32x32xf32>) -> tensor<1x32x32xf32>
  %2 = linalg.exp ins(%1 : tensor<1x32x32xf32>) outs(%e : tensor<1x32x32xf32>) -> tensor<1x32x32xf32>
  %3 = linalg.exp ins(%2 : tensor<1x32x32xf32>) outs(%e : tensor<1x32x32xf32>) -> tensor<1x32x32xf32>
  %4 = linalg.exp ins(%3 : tensor<1x32x32xf32>) outs(%e : tensor<1x32x32xf32>) -> tensor<1x32x32xf32>
  %5 = linalg.exp ins(%4 : tensor<1x32x32xf32>) outs(%e : tensor<1x32x32xf32>) -> tensor<1x32x32xf32>
  %6 = linalg.exp ins(%5 : tensor<1x32x32xf32>) outs(%e : tensor<1x32x32xf32>) -> tensor<1x32x32xf32>
  %7 = linalg.exp ins(%6 : tensor<1x32x32xf32>) outs(%e : tensor<1x32x32xf32>) -> tensor<1x32x32xf32>
  %8 = linalg.exp ins(%7 : tensor<1x32x32xf32>) outs(%e : tensor<1x32x32xf32>) -> tensor<1x32x32xf32>
  %9 = linalg.exp ins(%8 : tensor<1x32x32xf32>) outs(%e : tensor<1x32x32xf32>) -> tensor<1x32x32xf32>
  %r = kernel.reorder ins(%9 : tensor<1x32x32xf32>) outs(%to : tensor<1x2x32x16xf32>) -> tensor<1x2x32x16xf32>
  return %r : tensor<1x2x32x16xf32>
}

// Read with an image that no kernel made, for no kernel: blocked, both would be copied.
// A kernel behind a pad reads the second sum.
// CHECK-LABEL: @between_plain
// CHECK: %[[P:.*]] = kernel.reorder {{.*}} -> tensor<1x32x5x5xf32>
// CHECK: linalg.generic {{.*}} ins(%[[P]], %arg1 : tensor<1x32x5x5xf32>, tensor<1x32x5x5xf32>)
// CHECK: linalg.generic {{.*}} ins(%arg0, %{{.*}} : tensor<1x2x5x5x16xf32>, tensor<1x2x5x5x16xf32>)
func.func @between_plain(%x: tensor<1x2x5x5x16xf32>, %z: tensor<1x32x5x5xf32>, %to: tensor<1x2x7x7x16xf32>) -> (tensor<1x32x5x5xf32>, tensor<1x2x7x7x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x32x5x5xf32>
  %p = kernel.reorder ins(%x : tensor<1x2x5x5x16xf32>) outs(%e : tensor<1x32x5x5xf32>) -> tensor<1x32x5x5xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%p, %z : tensor<1x32x5x5xf32>, tensor<1x32x5x5xf32>) outs(%e : tensor<1x32x5x5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<1x32x5x5xf32>
  %q = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%p, %z : tensor<1x32x5x5xf32>, tensor<1x32x5x5xf32>) outs(%e : tensor<1x32x5x5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %s = arith.mulf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<1x32x5x5xf32>
  %padded = tensor.pad %q low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x32x5x5xf32> to tensor<1x32x7x7xf32>
  %v = kernel.reorder ins(%padded : tensor<1x32x7x7xf32>) outs(%to : tensor<1x2x7x7x16xf32>) -> tensor<1x2x7x7x16xf32>
  return %r, %v : tensor<1x32x5x5xf32>, tensor<1x2x7x7x16xf32>
}
