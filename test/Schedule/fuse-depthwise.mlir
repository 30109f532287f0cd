// A convolution and the depthwise one that reads it share one loop over bands of rows and
// pieces of channels.
// RUN: onnx-mlir-opt %s -onnxc-set-target="triple=x86_64-linux-gnu cpu=sapphirerapids" -onnxc-fuse-depthwise -split-input-file | FileCheck %s
// RUN: onnx-mlir-opt %s -onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v3" -onnxc-fuse-depthwise -split-input-file | FileCheck %s --check-prefix=SMALL

// Maps of which a piece stays near: a panel of the filter for each.
// CHECK-LABEL: func @whole
// CHECK: scf.forall (%{{.*}}, %{{.*}}, %[[P:.*]]) in (1, 1, 4) shared_outs
// CHECK: %[[C:.*]] = arith.muli %[[P]], %c2
// CHECK: tensor.extract_slice %arg1[%[[P]], 0, 0, 0, 0, 0] [1, 1, 1, 1, 16, 32]
// CHECK: %[[T:.*]] = kernel.conv ins({{.*}} : tensor<1x1x56x56x16xf32>, tensor<1x1x1x1x16x32xf32>) outs({{.*}} : tensor<1x2x56x56x16xf32>) {{.*}}filters = 32
// CHECK: tensor.extract_slice %arg2[%[[C]], 0, 0, 0] [2, 3, 3, 16]
// CHECK: kernel.conv ins(%[[T]], {{.*}}channels = 32 : i64, {{.*}}filters = 32 : i64, group = 32 : i64, pads = array<i64: 1, 1, 1, 1>
// CHECK: parallel_insert_slice {{.*}}[0, %[[C]], 0, 0, 0] [1, 2, 56, 56, 16]
// CHECK-NOT: kernel.conv
// SMALL-LABEL: func @whole
// SMALL: scf.forall {{.*}} in (1, 4, 4) shared_outs
func.func @whole(%x: tensor<1x1x56x56x16xf32>, %v: tensor<4x1x1x1x16x32xf32>, %w: tensor<8x3x3x16xf32>, %y: tensor<1x8x56x56x16xf32>) -> tensor<1x8x56x56x16xf32> {
  %e = tensor.empty() : tensor<1x8x56x56x16xf32>
  %t = kernel.conv ins(%x, %v : tensor<1x1x56x56x16xf32>, tensor<4x1x1x1x16x32xf32>) outs(%e : tensor<1x8x56x56x16xf32>)
      {channels = 16 : i64, filters = 128 : i64, group = 1 : i64, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x8x56x56x16xf32>
  %r = kernel.conv ins(%t, %w : tensor<1x8x56x56x16xf32>, tensor<8x3x3x16xf32>) outs(%y : tensor<1x8x56x56x16xf32>)
      {channels = 128 : i64, filters = 128 : i64, group = 128 : i64, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      pads = array<i64: 1, 1, 1, 1>, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x8x56x56x16xf32>
  return %r : tensor<1x8x56x56x16xf32>
}

// -----

#column = affine_map<(n, c, h, w, l) -> (c * 16 + l)>
#place = affine_map<(n, c, h, w, l) -> (n, c, h, w, l)>

// Bands of 14 rows of the result: the first one has a row of padding, the others have none. What epilogues
// read is cut likewise.
// CHECK-LABEL: func @bands
// CHECK: scf.forall (%{{.*}}, %[[B:.*]], %[[P:.*]]) in (1, 4, 2) shared_outs
// CHECK: %[[O:.*]] = arith.muli %[[B]], %c14
// CHECK: alloc_tensor() : tensor<1x2x29x112x16xf32>
// CHECK: scf.if
// CHECK: tensor.extract_slice %arg0[0, 0, 0, 0, 0] [1, 1, 28, 112, 16]
// CHECK: tensor.extract_slice %arg4[%{{.*}}] [32]
// CHECK: kernel.conv {{.*}} outs({{.*}} : tensor<1x2x28x112x16xf32>)
// CHECK: tensor.extract_slice %arg5[0, %{{.*}}, 0, 0, 0] [1, 2, 14, 56, 16]
// CHECK: kernel.conv {{.*}}pads = array<i64: 1, 1, 0, 1>
// CHECK: } else {
// CHECK: scf.if
// CHECK: tensor.extract_slice %arg0[0, 0, 83, 0, 0] [1, 1, 29, 112, 16]
// CHECK: tensor.extract_slice %arg5[0, %{{.*}}, 42, 0, 0] [1, 2, 14, 56, 16]
// CHECK: kernel.conv {{.*}}pads = array<i64: 0, 1, 0, 1>
// CHECK: } else {
// CHECK: %[[Q:.*]] = arith.muli %[[B]], %c14
// CHECK: %[[T:.*]] = arith.muli %[[Q]], %c2
// CHECK: %[[F:.*]] = arith.addi %[[T]], %c-1
// CHECK: tensor.extract_slice %arg0[0, 0, %[[F]], 0, 0] [1, 1, 29, 112, 16]
// CHECK: tensor.extract_slice %arg5[0, %{{.*}}, %[[Q]], 0, 0] [1, 2, 14, 56, 16]
// CHECK: kernel.conv {{.*}}pads = array<i64: 0, 1, 0, 1>
// CHECK: parallel_insert_slice {{.*}}[0, %{{.*}}, %[[O]], 0, 0] [1, 2, 14, 56, 16]
func.func @bands(%x: tensor<1x1x112x112x16xf32>, %v: tensor<2x1x1x1x16x32xf32>, %w: tensor<4x3x3x16xf32>, %y: tensor<1x4x56x56x16xf32>, %b: tensor<64xf32>, %z: tensor<1x4x56x56x16xf32>) -> tensor<1x4x56x56x16xf32> {
  %e = tensor.empty() : tensor<1x4x112x112x16xf32>
  %t = kernel.conv ins(%x, %v : tensor<1x1x112x112x16xf32>, tensor<2x1x1x1x16x32xf32>) extras(%b : tensor<64xf32>) outs(%e : tensor<1x4x112x112x16xf32>)
      {channels = 16 : i64, filters = 64 : i64, group = 1 : i64, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, epilogue_maps = [#column]} epilogue {
  ^bb0(%sum: f32, %add: f32):
    %a = arith.addf %sum, %add : f32
    kernel.yield %a : f32
  } -> tensor<1x4x112x112x16xf32>
  %r = kernel.conv ins(%t, %w : tensor<1x4x112x112x16xf32>, tensor<4x3x3x16xf32>) extras(%z : tensor<1x4x56x56x16xf32>) outs(%y : tensor<1x4x56x56x16xf32>)
      {channels = 64 : i64, filters = 64 : i64, group = 64 : i64, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>,
      pads = array<i64: 1, 1, 1, 1>, epilogue_maps = [#place]} epilogue {
  ^bb0(%sum: f32, %add: f32):
    %a = arith.addf %sum, %add : f32
    kernel.yield %a : f32
  } -> tensor<1x4x56x56x16xf32>
  return %r : tensor<1x4x56x56x16xf32>
}

// -----

// Nine blocks of channels and panels of two: the last block has a loop of its own.
// CHECK-LABEL: func @rest
// CHECK: %[[R:.*]] = scf.forall {{.*}} in (1, 1, 4) shared_outs
// CHECK: scf.forall {{.*}} in (1, 1, 1) shared_outs(%{{.*}} = %[[R]])
// CHECK: tensor.extract_slice %arg1[4, 0, 0, 0, 0, 0] [1, 1, 1, 1, 16, 16]
// CHECK: tensor.extract_slice %arg2[8, 0, 0, 0] [1, 3, 3, 16]
// CHECK: parallel_insert_slice {{.*}}[0, 8, 0, 0, 0] [1, 1, 56, 56, 16]
func.func @rest(%x: tensor<1x1x56x56x16xf32>, %v: tensor<5x1x1x1x16x32xf32>, %w: tensor<9x3x3x16xf32>, %y: tensor<1x9x56x56x16xf32>) -> tensor<1x9x56x56x16xf32> {
  %e = tensor.empty() : tensor<1x9x56x56x16xf32>
  %t = kernel.conv ins(%x, %v : tensor<1x1x56x56x16xf32>, tensor<5x1x1x1x16x32xf32>) outs(%e : tensor<1x9x56x56x16xf32>)
      {channels = 16 : i64, filters = 144 : i64, group = 1 : i64, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x9x56x56x16xf32>
  %r = kernel.conv ins(%t, %w : tensor<1x9x56x56x16xf32>, tensor<9x3x3x16xf32>) outs(%y : tensor<1x9x56x56x16xf32>)
      {channels = 144 : i64, filters = 144 : i64, group = 144 : i64, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      pads = array<i64: 1, 1, 1, 1>, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x9x56x56x16xf32>
  return %r : tensor<1x9x56x56x16xf32>
}

// -----

// Any number of images, and a pool, whose window is that of all channels.
// CHECK-LABEL: func @open_batch
// CHECK: %[[N:.*]] = tensor.dim %arg3
// CHECK: scf.forall (%[[I:.*]], %{{.*}}, %[[P:.*]]) in (%[[N]], 1, 4) shared_outs
// CHECK: tensor.extract_slice %arg0[%[[I]], 0, 0, 0, 0] [1, 1, 56, 56, 16]
// CHECK: tensor.extract_slice %arg2[0, 0, 0, 0] [1, 3, 3, 16]
// CHECK: kernel.conv {{.*}}group = 32 : i64, maximum
// CHECK: parallel_insert_slice {{.*}}[%[[I]], %{{.*}}, 0, 0, 0]
func.func @open_batch(%x: tensor<?x1x56x56x16xf32>, %v: tensor<4x1x1x1x16x32xf32>, %w: tensor<1x3x3x16xf32>, %y: tensor<?x8x28x28x16xf32>) -> tensor<?x8x28x28x16xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x1x56x56x16xf32>
  %e = tensor.empty(%n) : tensor<?x8x56x56x16xf32>
  %t = kernel.conv ins(%x, %v : tensor<?x1x56x56x16xf32>, tensor<4x1x1x1x16x32xf32>) outs(%e : tensor<?x8x56x56x16xf32>)
      {channels = 16 : i64, filters = 128 : i64, group = 1 : i64, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<?x8x56x56x16xf32>
  %r = kernel.conv ins(%t, %w : tensor<?x8x56x56x16xf32>, tensor<1x3x3x16xf32>) outs(%y : tensor<?x8x28x28x16xf32>)
      {channels = 128 : i64, filters = 128 : i64, group = 128 : i64, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>,
      pads = array<i64: 1, 1, 1, 1>, epilogue_maps = [], maximum} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<?x8x28x28x16xf32>
  return %r : tensor<?x8x28x28x16xf32>
}

// -----

// What stays in the cache as a whole.
// CHECK-LABEL: func @near
// CHECK-NOT: scf.forall
func.func @near(%x: tensor<1x1x28x28x16xf32>, %v: tensor<4x1x1x1x16x32xf32>, %w: tensor<8x3x3x16xf32>, %y: tensor<1x8x28x28x16xf32>) -> tensor<1x8x28x28x16xf32> {
  %e = tensor.empty() : tensor<1x8x28x28x16xf32>
  %t = kernel.conv ins(%x, %v : tensor<1x1x28x28x16xf32>, tensor<4x1x1x1x16x32xf32>) outs(%e : tensor<1x8x28x28x16xf32>)
      {channels = 16 : i64, filters = 128 : i64, group = 1 : i64, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x8x28x28x16xf32>
  %r = kernel.conv ins(%t, %w : tensor<1x8x28x28x16xf32>, tensor<8x3x3x16xf32>) outs(%y : tensor<1x8x28x28x16xf32>)
      {channels = 128 : i64, filters = 128 : i64, group = 128 : i64, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      pads = array<i64: 1, 1, 1, 1>, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x8x28x28x16xf32>
  return %r : tensor<1x8x28x28x16xf32>
}

// -----

// CHECK-LABEL: func @used_twice
// CHECK-NOT: scf.forall
func.func @used_twice(%x: tensor<1x1x56x56x16xf32>, %v: tensor<4x1x1x1x16x32xf32>, %w: tensor<8x3x3x16xf32>, %y: tensor<1x8x56x56x16xf32>) -> (tensor<1x8x56x56x16xf32>, tensor<1x8x56x56x16xf32>) {
  %e = tensor.empty() : tensor<1x8x56x56x16xf32>
  %t = kernel.conv ins(%x, %v : tensor<1x1x56x56x16xf32>, tensor<4x1x1x1x16x32xf32>) outs(%e : tensor<1x8x56x56x16xf32>)
      {channels = 16 : i64, filters = 128 : i64, group = 1 : i64, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x8x56x56x16xf32>
  %r = kernel.conv ins(%t, %w : tensor<1x8x56x56x16xf32>, tensor<8x3x3x16xf32>) outs(%y : tensor<1x8x56x56x16xf32>)
      {channels = 128 : i64, filters = 128 : i64, group = 128 : i64, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      pads = array<i64: 1, 1, 1, 1>, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x8x56x56x16xf32>
  return %t, %r : tensor<1x8x56x56x16xf32>, tensor<1x8x56x56x16xf32>
}

// -----

// The last block has channels that are not there.
// CHECK-LABEL: func @half_a_block
// CHECK-NOT: scf.forall
func.func @half_a_block(%x: tensor<1x1x56x56x16xf32>, %v: tensor<4x1x1x1x16x32xf32>, %w: tensor<8x3x3x16xf32>, %y: tensor<1x8x56x56x16xf32>) -> tensor<1x8x56x56x16xf32> {
  %e = tensor.empty() : tensor<1x8x56x56x16xf32>
  %t = kernel.conv ins(%x, %v : tensor<1x1x56x56x16xf32>, tensor<4x1x1x1x16x32xf32>) outs(%e : tensor<1x8x56x56x16xf32>)
      {channels = 16 : i64, filters = 120 : i64, group = 1 : i64, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x8x56x56x16xf32>
  %r = kernel.conv ins(%t, %w : tensor<1x8x56x56x16xf32>, tensor<8x3x3x16xf32>) outs(%y : tensor<1x8x56x56x16xf32>)
      {channels = 120 : i64, filters = 120 : i64, group = 120 : i64, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      pads = array<i64: 1, 1, 1, 1>, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x8x56x56x16xf32>
  return %r : tensor<1x8x56x56x16xf32>
}

// -----

// A window of seven rows: too many of them would be made twice, of so many channels.
// CHECK-LABEL: func @repeated
// CHECK-NOT: scf.forall
func.func @repeated(%x: tensor<1x16x56x56x16xf32>, %v: tensor<4x16x1x1x16x32xf32>, %w: tensor<8x7x7x16xf32>, %y: tensor<1x8x56x56x16xf32>) -> tensor<1x8x56x56x16xf32> {
  %e = tensor.empty() : tensor<1x8x56x56x16xf32>
  %t = kernel.conv ins(%x, %v : tensor<1x16x56x56x16xf32>, tensor<4x16x1x1x16x32xf32>) outs(%e : tensor<1x8x56x56x16xf32>)
      {channels = 256 : i64, filters = 128 : i64, group = 1 : i64, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x8x56x56x16xf32>
  %r = kernel.conv ins(%t, %w : tensor<1x8x56x56x16xf32>, tensor<8x7x7x16xf32>) outs(%y : tensor<1x8x56x56x16xf32>)
      {channels = 128 : i64, filters = 128 : i64, group = 128 : i64, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      pads = array<i64: 3, 3, 3, 3>, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x8x56x56x16xf32>
  return %r : tensor<1x8x56x56x16xf32>
}

// -----

// Winograd's transform would be made of the image for each piece.
// CHECK-LABEL: func @filtered
// CHECK-NOT: scf.forall
func.func @filtered(%x: tensor<1x1x56x56x16xf32>, %v: tensor<4x1x3x3x16x32xf32>, %w: tensor<8x3x3x16xf32>, %y: tensor<1x8x56x56x16xf32>) -> tensor<1x8x56x56x16xf32> {
  %e = tensor.empty() : tensor<1x8x56x56x16xf32>
  %t = kernel.conv ins(%x, %v : tensor<1x1x56x56x16xf32>, tensor<4x1x3x3x16x32xf32>) outs(%e : tensor<1x8x56x56x16xf32>)
      {channels = 16 : i64, filters = 128 : i64, group = 1 : i64, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      pads = array<i64: 1, 1, 1, 1>, epilogue_maps = [], winograd_error = 2.0 : f32} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x8x56x56x16xf32>
  %r = kernel.conv ins(%t, %w : tensor<1x8x56x56x16xf32>, tensor<8x3x3x16xf32>) outs(%y : tensor<1x8x56x56x16xf32>)
      {channels = 128 : i64, filters = 128 : i64, group = 128 : i64, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      pads = array<i64: 1, 1, 1, 1>, epilogue_maps = []} epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } -> tensor<1x8x56x56x16xf32>
  return %r : tensor<1x8x56x56x16xf32>
}
