// RUN: onnx-mlir-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(onnxc-set-target{triple=x86_64-linux-gnu cpu=x86-64-v4 features=+avx512vnni},func.func(onnxc-form-integer-dots))' \
// RUN:   | FileCheck %s
// RUN: onnx-mlir-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(onnxc-set-target{triple=aarch64-linux-gnu cpu=generic features=+dotprod},func.func(onnxc-form-integer-dots))' \
// RUN:   | FileCheck %s --check-prefix=SDOT
// RUN: onnx-mlir-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(onnxc-set-target{triple=aarch64-linux-gnu cpu=generic features=+dotprod,+i8mm},func.func(onnxc-form-integer-dots))' \
// RUN:   | FileCheck %s --check-prefix=USDOT

#id = affine_map<(d0, d1) -> (d0, d1)>
#one = affine_map<(d0, d1) -> ()>

// The zero point 3 of rows of weights 2: 3 * 2 * 8 is taken off each sum.
// CHECK-LABEL: @matmul
// CHECK: %[[BASE:.*]] = arith.constant dense<-48> : tensor<20xi32>
// CHECK: kernel.integer_dot ins(%arg0, %{{.*}} : tensor<?x8xi8>, tensor<1x2x32x4xi8>)
// CHECK-SAME: extras(%[[BASE]] : tensor<20xi32>)
// CHECK: arith.addi
// CHECK-NOT: linalg.matmul

// Where only signed bytes are multiplied, the zero point is 3 - 128.
// SDOT-LABEL: @matmul
// SDOT: arith.xori
// SDOT: %[[BASE:.*]] = arith.constant dense<2000> : tensor<20xi32>
// SDOT: kernel.integer_dot {{.*}} tensor<3x2x8x4xi8>
// SDOT-SAME: extras(%[[BASE]] : tensor<20xi32>)
// SDOT-SAME: image_signed
// USDOT-LABEL: @matmul
// USDOT-NOT: arith.xori
// USDOT: arith.constant dense<-48> : tensor<20xi32>
// USDOT-NOT: image_signed
func.func @matmul(%x: tensor<?x8xi8>, %rows: index) -> tensor<?x20xi32> {
  %z = arith.constant dense<3> : tensor<i8>
  %w = arith.constant dense<2> : tensor<8x20xi8>
  %c0 = arith.constant 0 : i32
  %xe = tensor.empty(%rows) : tensor<?x8xi32>
  %xc = linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %z : tensor<?x8xi8>, tensor<i8>) outs(%xe : tensor<?x8xi32>) {
  ^bb0(%in: i8, %zero: i8, %out: i32):
    %a = arith.extui %in : i8 to i32
    %b = arith.extui %zero : i8 to i32
    %c = arith.subi %a, %b : i32
    linalg.yield %c : i32
  } -> tensor<?x8xi32>
  %we = tensor.empty() : tensor<8x20xi32>
  %wc = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<8x20xi8>) outs(%we : tensor<8x20xi32>) {
  ^bb0(%in: i8, %out: i32):
    %a = arith.extsi %in : i8 to i32
    linalg.yield %a : i32
  } -> tensor<8x20xi32>
  %e = tensor.empty(%rows) : tensor<?x20xi32>
  %i = linalg.fill ins(%c0 : i32) outs(%e : tensor<?x20xi32>) -> tensor<?x20xi32>
  %r = linalg.matmul ins(%xc, %wc : tensor<?x8xi32>, tensor<8x20xi32>) outs(%i : tensor<?x20xi32>) -> tensor<?x20xi32>
  return %r : tensor<?x20xi32>
}

// -----

#id4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>

// Signed images are flipped to unsigned ones, and what lies outside is then
// 128. Three channels become four.
// CHECK-LABEL: @conv
// CHECK: arith.xori
// CHECK: linalg.transpose {{.*}} permutation = [0, 2, 3, 1]
// CHECK: tensor.pad {{.*}} low[0, 1, 1, 0] high[0, 1, 1, 1]
// CHECK: tensor.yield %c-128_i8
// CHECK: kernel.integer_dot {{.*}} tensor<1x3x3x1x16x4xi8>
// Of 27 weights and unsigned bytes.
// CHECK-SAME: largest_sum = 6885 : i64
// CHECK-SAME: strides = array<i64: 1, 1>
// CHECK: linalg.transpose {{.*}} permutation = [0, 3, 1, 2]

// A target that multiplies either kind takes the image as it is.
// USDOT-LABEL: @conv
// USDOT-NOT: arith.xori
// USDOT: tensor.yield %c0_i8
// USDOT: kernel.integer_dot {{.*}} image_signed, largest_sum = 3456 : i64
func.func @conv(%x: tensor<1x3x8x8xi8>) -> tensor<1x2x8x8xi32> {
  %w = arith.constant dense<1> : tensor<2x3x3x3xi8>
  %c0 = arith.constant 0 : i32
  %xe = tensor.empty() : tensor<1x3x8x8xi32>
  %xc = linalg.generic {indexing_maps = [#id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x3x8x8xi8>) outs(%xe : tensor<1x3x8x8xi32>) {
  ^bb0(%in: i8, %out: i32):
    %a = arith.extsi %in : i8 to i32
    linalg.yield %a : i32
  } -> tensor<1x3x8x8xi32>
  %we = tensor.empty() : tensor<2x3x3x3xi32>
  %wc = linalg.generic {indexing_maps = [#id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%w : tensor<2x3x3x3xi8>) outs(%we : tensor<2x3x3x3xi32>) {
  ^bb0(%in: i8, %out: i32):
    %a = arith.extsi %in : i8 to i32
    linalg.yield %a : i32
  } -> tensor<2x3x3x3xi32>
  %p = tensor.pad %xc low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %c0 : i32
  } : tensor<1x3x8x8xi32> to tensor<1x3x10x10xi32>
  %e = tensor.empty() : tensor<1x2x8x8xi32>
  %i = linalg.fill ins(%c0 : i32) outs(%e : tensor<1x2x8x8xi32>) -> tensor<1x2x8x8xi32>
  %r = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%p, %wc : tensor<1x3x10x10xi32>, tensor<2x3x3x3xi32>) outs(%i : tensor<1x2x8x8xi32>) -> tensor<1x2x8x8xi32>
  return %r : tensor<1x2x8x8xi32>
}

// -----

#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#one3 = affine_map<(d0, d1, d2) -> ()>

// Weights 200 with the zero point 10 are 72 with the zero point -118, which is
// subtracted times the sum of the window: of the channels, then of its pixels.
// 190 * 4 * 3 times the image's zero point goes off each sum.
// CHECK-LABEL: @windows
// CHECK: %[[IMAGE:.*]] = tensor.pad {{.*}} low[0, 1, 0] high[0, 1, 0]
// CHECK: %[[COLUMNS:.*]] = arith.constant dense<2280> : tensor<8xi32>
// CHECK: %[[PIXELS:.*]] = linalg.generic {{.*}} "reduction"]} ins(%[[IMAGE]] : tensor<1x22x4xi8>)
// CHECK: %[[FIRST:.*]] = tensor.extract_slice %[[PIXELS]][0, 0] [1, 20] [1, 1]
// CHECK: tensor.extract_slice %[[PIXELS]][0, 1]
// CHECK: tensor.extract_slice %[[PIXELS]][0, 2]
// CHECK: %[[SUMS:.*]] = linalg.generic {{.*}} ins(%[[FIRST]]
// CHECK: kernel.integer_dot ins(%[[IMAGE]],
// CHECK-SAME: extras(%[[COLUMNS]], %arg1, %[[SUMS]] :
// CHECK: ^bb0(%[[SUM:.*]]: i32, %{{.*}}: i32, %{{.*}}: i8, %[[WINDOW:.*]]: i32)
// CHECK: arith.muli %c-118_i32, %[[WINDOW]]

// Sums of windows and the zero point have the sign of the image.
// SDOT-LABEL: @windows
// SDOT: linalg.generic {{.*}} ins(%arg1 : tensor<i8>)
// SDOT: arith.xori
// SDOT: linalg.generic {{.*}} "reduction"]}
// SDOT: arith.extsi
// SDOT: kernel.integer_dot
// SDOT: arith.extsi %{{.*}} : i8 to i32
func.func @windows(%x: tensor<1x4x20xi8>, %z: tensor<i8>) -> tensor<1x8x20xi32> {
  %w = arith.constant dense<-56> : tensor<8x4x3xi8>
  %wz = arith.constant dense<10> : tensor<i8>
  %c0 = arith.constant 0 : i32
  %xe = tensor.empty() : tensor<1x4x20xi32>
  %xc = linalg.generic {indexing_maps = [#id3, #one3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %z : tensor<1x4x20xi8>, tensor<i8>) outs(%xe : tensor<1x4x20xi32>) {
  ^bb0(%in: i8, %zero: i8, %out: i32):
    %a = arith.extui %in : i8 to i32
    %b = arith.extui %zero : i8 to i32
    %c = arith.subi %a, %b : i32
    linalg.yield %c : i32
  } -> tensor<1x4x20xi32>
  %we = tensor.empty() : tensor<8x4x3xi32>
  %wc = linalg.generic {indexing_maps = [#id3, #one3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%w, %wz : tensor<8x4x3xi8>, tensor<i8>) outs(%we : tensor<8x4x3xi32>) {
  ^bb0(%in: i8, %zero: i8, %out: i32):
    %a = arith.extui %in : i8 to i32
    %b = arith.extui %zero : i8 to i32
    %c = arith.subi %a, %b : i32
    linalg.yield %c : i32
  } -> tensor<8x4x3xi32>
  %p = tensor.pad %xc low[0, 0, 1] high[0, 0, 1] {
  ^bb0(%a: index, %b: index, %c: index):
    tensor.yield %c0 : i32
  } : tensor<1x4x20xi32> to tensor<1x4x22xi32>
  %e = tensor.empty() : tensor<1x8x20xi32>
  %i = linalg.fill ins(%c0 : i32) outs(%e : tensor<1x8x20xi32>) -> tensor<1x8x20xi32>
  %r = linalg.conv_1d_ncw_fcw {dilations = dense<1> : vector<1xi64>, strides = dense<1> : vector<1xi64>}
      ins(%p, %wc : tensor<1x4x22xi32>, tensor<8x4x3xi32>) outs(%i : tensor<1x8x20xi32>) -> tensor<1x8x20xi32>
  return %r : tensor<1x8x20xi32>
}

// -----

// Depthwise, weights with zero points that do not fit a byte get 16 bits.
// CHECK-LABEL: @depthwise
// CHECK: arith.constant dense_resource<packed> : tensor<1x2xi16>
// CHECK: kernel.integer_dot {{.*}} tensor<1x2xi16>
// CHECK-SAME: depthwise
#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#one3 = affine_map<(d0, d1, d2) -> ()>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#one2 = affine_map<(d0, d1) -> ()>
func.func @depthwise(%x: tensor<1x2x20xi8>) -> tensor<1x2x20xi32> {
  %w = arith.constant dense<[[-1], [0]]> : tensor<2x1xi8>
  %wz = arith.constant dense<10> : tensor<i8>
  %c0 = arith.constant 0 : i32
  %xe = tensor.empty() : tensor<1x2x20xi32>
  %xc = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x2x20xi8>) outs(%xe : tensor<1x2x20xi32>) {
  ^bb0(%in: i8, %out: i32):
    %a = arith.extui %in : i8 to i32
    linalg.yield %a : i32
  } -> tensor<1x2x20xi32>
  %we = tensor.empty() : tensor<2x1xi32>
  %wc = linalg.generic {indexing_maps = [#id2, #one2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%w, %wz : tensor<2x1xi8>, tensor<i8>) outs(%we : tensor<2x1xi32>) {
  ^bb0(%in: i8, %zero: i8, %out: i32):
    %a = arith.extui %in : i8 to i32
    %b = arith.extui %zero : i8 to i32
    %c = arith.subi %a, %b : i32
    linalg.yield %c : i32
  } -> tensor<2x1xi32>
  %e = tensor.empty() : tensor<1x2x20xi32>
  %i = linalg.fill ins(%c0 : i32) outs(%e : tensor<1x2x20xi32>) -> tensor<1x2x20xi32>
  %r = linalg.depthwise_conv_1d_ncw_cw {dilations = dense<1> : vector<1xi64>, strides = dense<1> : vector<1xi64>}
      ins(%xc, %wc : tensor<1x2x20xi32>, tensor<2x1xi32>) outs(%i : tensor<1x2x20xi32>) -> tensor<1x2x20xi32>
  return %r : tensor<1x2x20xi32>
}

// -----

// Weights without elements are not packed.
// CHECK-LABEL: @no_columns
// CHECK-NOT: kernel.integer_dot
// CHECK: linalg.matmul
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @no_columns(%x: tensor<?x8xi8>, %rows: index) -> tensor<?x0xi32> {
  %w = arith.constant dense<2> : tensor<8x0xi8>
  %c0 = arith.constant 0 : i32
  %xe = tensor.empty(%rows) : tensor<?x8xi32>
  %xc = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x8xi8>) outs(%xe : tensor<?x8xi32>) {
  ^bb0(%in: i8, %out: i32):
    %a = arith.extui %in : i8 to i32
    linalg.yield %a : i32
  } -> tensor<?x8xi32>
  %we = tensor.empty() : tensor<8x0xi32>
  %wc = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<8x0xi8>) outs(%we : tensor<8x0xi32>) {
  ^bb0(%in: i8, %out: i32):
    %a = arith.extsi %in : i8 to i32
    linalg.yield %a : i32
  } -> tensor<8x0xi32>
  %e = tensor.empty(%rows) : tensor<?x0xi32>
  %i = linalg.fill ins(%c0 : i32) outs(%e : tensor<?x0xi32>) -> tensor<?x0xi32>
  %r = linalg.matmul ins(%xc, %wc : tensor<?x8xi32>, tensor<8x0xi32>) outs(%i : tensor<?x0xi32>) -> tensor<?x0xi32>
  return %r : tensor<?x0xi32>
}

// -----

// Weights without elements are not packed.
// CHECK-LABEL: @no_steps
// CHECK-NOT: kernel.integer_dot
// CHECK: linalg.matmul
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @no_steps(%x: tensor<?x0xi8>, %rows: index) -> tensor<?x20xi32> {
  %w = arith.constant dense<2> : tensor<0x20xi8>
  %c0 = arith.constant 0 : i32
  %xe = tensor.empty(%rows) : tensor<?x0xi32>
  %xc = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x0xi8>) outs(%xe : tensor<?x0xi32>) {
  ^bb0(%in: i8, %out: i32):
    %a = arith.extui %in : i8 to i32
    linalg.yield %a : i32
  } -> tensor<?x0xi32>
  %we = tensor.empty() : tensor<0x20xi32>
  %wc = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<0x20xi8>) outs(%we : tensor<0x20xi32>) {
  ^bb0(%in: i8, %out: i32):
    %a = arith.extsi %in : i8 to i32
    linalg.yield %a : i32
  } -> tensor<0x20xi32>
  %e = tensor.empty(%rows) : tensor<?x20xi32>
  %i = linalg.fill ins(%c0 : i32) outs(%e : tensor<?x20xi32>) -> tensor<?x20xi32>
  %r = linalg.matmul ins(%xc, %wc : tensor<?x0xi32>, tensor<0x20xi32>) outs(%i : tensor<?x20xi32>) -> tensor<?x20xi32>
  return %r : tensor<?x20xi32>
}

// -----

#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#image = affine_map<(n, g, f, h, c, k) -> (n, g, c, h + k)>
#filter = affine_map<(n, g, f, h, c, k) -> (g, f, c, k)>
#result = affine_map<(n, g, f, h, c, k) -> (n, g, f, h)>

// Four groups of four filters fill the lanes; two channels of each are two groups of eight.
// CHECK-LABEL: @groups
// CHECK: kernel.integer_dot {{.*}} tensor<2x3x2x16x4xi8>
func.func @groups(%x: tensor<1x16x10xi8>) -> tensor<1x32x8xi32> {
  %w = arith.constant dense<1> : tensor<32x2x3xi8>
  %c0 = arith.constant 0 : i32
  %xe = tensor.empty() : tensor<1x16x10xi32>
  %xc = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x16x10xi8>) outs(%xe : tensor<1x16x10xi32>) {
  ^bb0(%in: i8, %out: i32):
    %a = arith.extui %in : i8 to i32
    linalg.yield %a : i32
  } -> tensor<1x16x10xi32>
  %we = tensor.empty() : tensor<32x2x3xi32>
  %wc = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%w : tensor<32x2x3xi8>) outs(%we : tensor<32x2x3xi32>) {
  ^bb0(%in: i8, %out: i32):
    %a = arith.extsi %in : i8 to i32
    linalg.yield %a : i32
  } -> tensor<32x2x3xi32>
  %xg = tensor.expand_shape %xc [[0], [1, 2], [3]] output_shape [1, 8, 2, 10] : tensor<1x16x10xi32> into tensor<1x8x2x10xi32>
  %wg = tensor.expand_shape %wc [[0, 1], [2], [3]] output_shape [8, 4, 2, 3] : tensor<32x2x3xi32> into tensor<8x4x2x3xi32>
  %e = tensor.empty() : tensor<1x8x4x8xi32>
  %i = linalg.fill ins(%c0 : i32) outs(%e : tensor<1x8x4x8xi32>) -> tensor<1x8x4x8xi32>
  %r = linalg.generic {indexing_maps = [#image, #filter, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%xg, %wg : tensor<1x8x2x10xi32>, tensor<8x4x2x3xi32>) outs(%i : tensor<1x8x4x8xi32>) {
  ^bb0(%p: i32, %q: i32, %out: i32):
    %m = arith.muli %p, %q : i32
    %s = arith.addi %out, %m : i32
    linalg.yield %s : i32
  } -> tensor<1x8x4x8xi32>
  %y = tensor.collapse_shape %r [[0], [1, 2], [3]] : tensor<1x8x4x8xi32> into tensor<1x32x8xi32>
  return %y : tensor<1x32x8xi32>
}

// Five filters of each of three groups do not; they become one group, one of whose 16 lanes is empty.
// CHECK-LABEL: @three_groups
// CHECK: kernel.integer_dot {{.*}} tensor<1x3x2x16x4xi8>
func.func @three_groups(%x: tensor<1x6x10xi8>) -> tensor<1x15x8xi32> {
  %w = arith.constant dense<1> : tensor<15x2x3xi8>
  %c0 = arith.constant 0 : i32
  %xe = tensor.empty() : tensor<1x6x10xi32>
  %xc = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x6x10xi8>) outs(%xe : tensor<1x6x10xi32>) {
  ^bb0(%in: i8, %out: i32):
    %a = arith.extui %in : i8 to i32
    linalg.yield %a : i32
  } -> tensor<1x6x10xi32>
  %we = tensor.empty() : tensor<15x2x3xi32>
  %wc = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%w : tensor<15x2x3xi8>) outs(%we : tensor<15x2x3xi32>) {
  ^bb0(%in: i8, %out: i32):
    %a = arith.extsi %in : i8 to i32
    linalg.yield %a : i32
  } -> tensor<15x2x3xi32>
  %xg = tensor.expand_shape %xc [[0], [1, 2], [3]] output_shape [1, 3, 2, 10] : tensor<1x6x10xi32> into tensor<1x3x2x10xi32>
  %wg = tensor.expand_shape %wc [[0, 1], [2], [3]] output_shape [3, 5, 2, 3] : tensor<15x2x3xi32> into tensor<3x5x2x3xi32>
  %e = tensor.empty() : tensor<1x3x5x8xi32>
  %i = linalg.fill ins(%c0 : i32) outs(%e : tensor<1x3x5x8xi32>) -> tensor<1x3x5x8xi32>
  %r = linalg.generic {indexing_maps = [#image, #filter, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%xg, %wg : tensor<1x3x2x10xi32>, tensor<3x5x2x3xi32>) outs(%i : tensor<1x3x5x8xi32>) {
  ^bb0(%p: i32, %q: i32, %out: i32):
    %m = arith.muli %p, %q : i32
    %s = arith.addi %out, %m : i32
    linalg.yield %s : i32
  } -> tensor<1x3x5x8xi32>
  %y = tensor.collapse_shape %r [[0], [1, 2], [3]] : tensor<1x3x5x8xi32> into tensor<1x15x8xi32>
  return %y : tensor<1x15x8xi32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#one = affine_map<(d0, d1) -> ()>
#column = affine_map<(d0, d1) -> (d1)>

// The scale of the image that a run brings is a factor of its own, beside those
// of the columns; one that is known is multiplied into them.
// CHECK-LABEL: @scales
// CHECK: kernel.integer_dot ins(%arg0, {{.*}} extras({{.*}}, %arg1, %{{.*}} : tensor<20xi32>, tensor<f32>, tensor<20xf32>)
// CHECK: ^bb0(%[[SUM:.*]]: i32, %[[BASE:.*]]: i32, %[[X:.*]]: f32, %[[W:.*]]: f32):
// CHECK: %[[BOTH:.*]] = arith.mulf %[[X]], %[[W]]
// CHECK: arith.mulf %{{.*}}, %[[BOTH]]
// CHECK: %[[F:.*]] = arith.constant dense<1.500000e+00> : tensor<20xf32>
// CHECK: kernel.integer_dot ins(%arg0, {{.*}} extras({{.*}}, %[[F]] : tensor<20xi32>, tensor<20xf32>)
// CHECK: ^bb0(%{{.*}}: i32, %{{.*}}: i32, %[[ONE:.*]]: f32):
// CHECK: arith.mulf %{{.*}}, %[[ONE]]
func.func @scales(%x: tensor<4x8xi8>, %s: tensor<f32>) -> (tensor<4x20xf32>, tensor<4x20xf32>) {
  %z = arith.constant dense<3> : tensor<i8>
  %k = arith.constant dense<3.0> : tensor<f32>
  %w = arith.constant dense<2> : tensor<8x20xi8>
  %ws = arith.constant dense<0.5> : tensor<20xf32>
  %c0 = arith.constant 0.0 : f32
  %xe = tensor.empty() : tensor<4x8xf32>
  %xd = linalg.generic {indexing_maps = [#id, #one, #one, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s, %z : tensor<4x8xi8>, tensor<f32>, tensor<i8>) outs(%xe : tensor<4x8xf32>) {
  ^bb0(%in: i8, %scale: f32, %zero: i8, %out: f32):
    %a = arith.extui %in : i8 to i32
    %b = arith.extui %zero : i8 to i32
    %c = arith.subi %a, %b : i32
    %d = arith.sitofp %c : i32 to f32
    %m = arith.mulf %d, %scale : f32
    linalg.yield %m : f32
  } -> tensor<4x8xf32>
  %xk = linalg.generic {indexing_maps = [#id, #one, #one, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %k, %z : tensor<4x8xi8>, tensor<f32>, tensor<i8>) outs(%xe : tensor<4x8xf32>) {
  ^bb0(%in: i8, %scale: f32, %zero: i8, %out: f32):
    %a = arith.extui %in : i8 to i32
    %b = arith.extui %zero : i8 to i32
    %c = arith.subi %a, %b : i32
    %d = arith.sitofp %c : i32 to f32
    %m = arith.mulf %d, %scale : f32
    linalg.yield %m : f32
  } -> tensor<4x8xf32>
  %we = tensor.empty() : tensor<8x20xf32>
  %wd = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %ws : tensor<8x20xi8>, tensor<20xf32>) outs(%we : tensor<8x20xf32>) {
  ^bb0(%in: i8, %scale: f32, %out: f32):
    %a = arith.extsi %in : i8 to i32
    %d = arith.sitofp %a : i32 to f32
    %m = arith.mulf %d, %scale : f32
    linalg.yield %m : f32
  } -> tensor<8x20xf32>
  %e = tensor.empty() : tensor<4x20xf32>
  %i = linalg.fill ins(%c0 : f32) outs(%e : tensor<4x20xf32>) -> tensor<4x20xf32>
  %r = linalg.matmul ins(%xd, %wd : tensor<4x8xf32>, tensor<8x20xf32>) outs(%i : tensor<4x20xf32>) -> tensor<4x20xf32>
  %t = linalg.matmul ins(%xk, %wd : tensor<4x8xf32>, tensor<8x20xf32>) outs(%i : tensor<4x20xf32>) -> tensor<4x20xf32>
  return %r, %t : tensor<4x20xf32>, tensor<4x20xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#one = affine_map<(d0, d1) -> ()>

// Unsigned weights 128 less the zero point 1 are 127, which is a signed byte:
// nothing is left to subtract. 128 without a zero point is one too many: it is
// 0 with the zero point -128, times the sums of the rows.
// CHECK-LABEL: @largest_byte
// CHECK-NOT: "reduction"
// CHECK: kernel.integer_dot ins(%arg0, {{.*}} extras(%{{[^,]*}} : tensor<20xi32>)
// CHECK: %[[SUMS:.*]] = linalg.generic {{.*}} "reduction"]} ins(%arg0
// CHECK: kernel.integer_dot ins(%arg0, {{.*}} extras({{.*}}, %[[SUMS]] : tensor<20xi32>, tensor<4xi32>)
// CHECK: arith.muli %c-128_i32,
func.func @largest_byte(%x: tensor<4x8xi8>) -> (tensor<4x20xi32>, tensor<4x20xi32>) {
  %w = arith.constant dense<-128> : tensor<8x20xi8>
  %z = arith.constant dense<1> : tensor<i8>
  %c0 = arith.constant 0 : i32
  %xe = tensor.empty() : tensor<4x8xi32>
  %xc = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xi8>) outs(%xe : tensor<4x8xi32>) {
  ^bb0(%in: i8, %out: i32):
    %a = arith.extui %in : i8 to i32
    linalg.yield %a : i32
  } -> tensor<4x8xi32>
  %we = tensor.empty() : tensor<8x20xi32>
  %w127 = linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %z : tensor<8x20xi8>, tensor<i8>) outs(%we : tensor<8x20xi32>) {
  ^bb0(%in: i8, %zero: i8, %out: i32):
    %a = arith.extui %in : i8 to i32
    %b = arith.extui %zero : i8 to i32
    %c = arith.subi %a, %b : i32
    linalg.yield %c : i32
  } -> tensor<8x20xi32>
  %w128 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<8x20xi8>) outs(%we : tensor<8x20xi32>) {
  ^bb0(%in: i8, %out: i32):
    %a = arith.extui %in : i8 to i32
    linalg.yield %a : i32
  } -> tensor<8x20xi32>
  %e = tensor.empty() : tensor<4x20xi32>
  %i = linalg.fill ins(%c0 : i32) outs(%e : tensor<4x20xi32>) -> tensor<4x20xi32>
  %r = linalg.matmul ins(%xc, %w127 : tensor<4x8xi32>, tensor<8x20xi32>) outs(%i : tensor<4x20xi32>) -> tensor<4x20xi32>
  %s = linalg.matmul ins(%xc, %w128 : tensor<4x8xi32>, tensor<8x20xi32>) outs(%i : tensor<4x20xi32>) -> tensor<4x20xi32>
  return %r, %s : tensor<4x20xi32>, tensor<4x20xi32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#cube = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#one = affine_map<(d0, d1, d2) -> ()>

// A sequence of one, [rows, 1, channels], whose second dimension was joined with the channels.
// CHECK-LABEL: @rows_of_one
// CHECK: kernel.integer_dot ins(%arg0, %{{.*}} : tensor<40x1x8xi8>
// CHECK-NOT: linalg.matmul
func.func @rows_of_one(%x: tensor<40x1x8xi8>) -> tensor<40x1x20xi32> {
  %z = arith.constant dense<3> : tensor<i8>
  %w = arith.constant dense<2> : tensor<8x20xi8>
  %c0 = arith.constant 0 : i32
  %xe = tensor.empty() : tensor<40x1x8xi32>
  %xc = linalg.generic {indexing_maps = [#cube, #one, #cube], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %z : tensor<40x1x8xi8>, tensor<i8>) outs(%xe : tensor<40x1x8xi32>) {
  ^bb0(%in: i8, %zero: i8, %out: i32):
    %a = arith.extui %in : i8 to i32
    %b = arith.extui %zero : i8 to i32
    %c = arith.subi %a, %b : i32
    linalg.yield %c : i32
  } -> tensor<40x1x8xi32>
  %we = tensor.empty() : tensor<8x20xi32>
  %wc = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<8x20xi8>) outs(%we : tensor<8x20xi32>) {
  ^bb0(%in: i8, %out: i32):
    %a = arith.extsi %in : i8 to i32
    linalg.yield %a : i32
  } -> tensor<8x20xi32>
  %e = tensor.empty() : tensor<40x20xi32>
  %i = linalg.fill ins(%c0 : i32) outs(%e : tensor<40x20xi32>) -> tensor<40x20xi32>
  %rows = tensor.collapse_shape %xc [[0], [1, 2]] : tensor<40x1x8xi32> into tensor<40x8xi32>
  %r = linalg.matmul ins(%rows, %wc : tensor<40x8xi32>, tensor<8x20xi32>) outs(%i : tensor<40x20xi32>) -> tensor<40x20xi32>
  %y = tensor.expand_shape %r [[0], [1, 2]] output_shape [40, 1, 20] : tensor<40x20xi32> into tensor<40x1x20xi32>
  return %y : tensor<40x1x20xi32>
}
