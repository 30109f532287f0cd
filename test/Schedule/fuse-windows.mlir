// RUN: onnx-mlir-opt %s --onnxc-set-target="triple=x86_64-linux-gnu cpu=x86-64-v3" --onnxc-fuse-windows --canonicalize | FileCheck %s

#read = affine_map<(n, c, y, x, ky, kx) -> (n, c, y * 2 + ky, x * 2 + kx)>
#window = affine_map<(n, c, y, x, ky, kx) -> (ky, kx)>
#result = affine_map<(n, c, y, x, ky, kx) -> (n, c, y, x)>

// Map by map: what lies around it in a scratch buffer, three rows each, then three columns.
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2 * 2 + 2, d3)>
// CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3 * 2 + 2)>
// CHECK-LABEL: @maximum
// CHECK-NOT: tensor.pad
// CHECK: scf.forall {{.*}} in (%{{.*}}, 20)
// CHECK: %[[MAP:.*]] = tensor.extract_slice %arg0
// CHECK: bufferization.alloc_tensor() : tensor<1x1x57x57xf32>
// CHECK-COUNT-2: linalg.fill
// CHECK: %[[PADDED:.*]] = tensor.insert_slice %[[MAP]]
// CHECK: %[[ROWS:.*]] = linalg.generic {{.*}}#[[ROW]],{{.*}} ins(%[[PADDED]], %[[PADDED]], %[[PADDED]]
// CHECK: linalg.generic {{.*}}#[[COLUMN]],{{.*}} ins(%[[ROWS]], %[[ROWS]], %[[ROWS]]
// CHECK: arith.maximumf {{.*}} fastmath<nsz>
func.func @maximum(%x: tensor<?x20x56x56xf32>, %n: index) -> tensor<?x20x28x28xf32> {
  %low = arith.constant 0xFF800000 : f32
  %padded = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 0, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %low : f32
  } : tensor<?x20x56x56xf32> to tensor<?x20x57x57xf32>
  %w = tensor.empty() : tensor<3x3xf32>
  %empty = tensor.empty(%n) : tensor<?x20x28x28xf32>
  %start = linalg.fill ins(%low : f32) outs(%empty : tensor<?x20x28x28xf32>) -> tensor<?x20x28x28xf32>
  %y = linalg.generic {indexing_maps = [#read, #window, #result],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%padded, %w : tensor<?x20x57x57xf32>, tensor<3x3xf32>) outs(%start : tensor<?x20x28x28xf32>) {
  ^bb0(%in: f32, %tap: f32, %out: f32):
    %m = arith.maximumf %out, %in : f32
    linalg.yield %m : f32
  } -> tensor<?x20x28x28xf32>
  return %y : tensor<?x20x28x28xf32>
}

// Two by two pixels: both steps would take as long as one; with zeros around, each map is still worth a loop.
// CHECK-LABEL: @sums
// CHECK: scf.forall
// CHECK: linalg.generic {{.*}} ins(%[[P:.*]], %[[P]], %[[P]], %[[P]] :
// CHECK: arith.addf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @sums(%x: tensor<1x3x63x63xf32>) -> tensor<1x3x32x32xf32> {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 0, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x3x63x63xf32> to tensor<1x3x64x64xf32>
  %w = tensor.empty() : tensor<2x2xf32>
  %empty = tensor.empty() : tensor<1x3x32x32xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x3x32x32xf32>) -> tensor<1x3x32x32xf32>
  %y = linalg.generic {indexing_maps = [#read, #window, #result],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%padded, %w : tensor<1x3x64x64xf32>, tensor<2x2xf32>) outs(%start : tensor<1x3x32x32xf32>) {
  ^bb0(%in: f32, %tap: f32, %out: f32):
    %m = arith.addf %out, %in : f32
    linalg.yield %m : f32
  } -> tensor<1x3x32x32xf32>
  return %y : tensor<1x3x32x32xf32>
}

// Nothing around, and two by two; a small map.
// CHECK-LABEL: @stays
// CHECK-NOT: scf.forall
func.func @stays(%x: tensor<1x3x64x64xf32>, %small: tensor<1x3x15x15xf32>) -> (tensor<1x3x32x32xf32>, tensor<1x3x7x7xf32>) {
  %zero = arith.constant 0.0 : f32
  %w = tensor.empty() : tensor<2x2xf32>
  %empty = tensor.empty() : tensor<1x3x32x32xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x3x32x32xf32>) -> tensor<1x3x32x32xf32>
  %y = linalg.generic {indexing_maps = [#read, #window, #result],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<1x3x64x64xf32>, tensor<2x2xf32>) outs(%start : tensor<1x3x32x32xf32>) {
  ^bb0(%in: f32, %tap: f32, %out: f32):
    %m = arith.addf %out, %in : f32
    linalg.yield %m : f32
  } -> tensor<1x3x32x32xf32>
  %w3 = tensor.empty() : tensor<3x3xf32>
  %empty7 = tensor.empty() : tensor<1x3x7x7xf32>
  %start7 = linalg.fill ins(%zero : f32) outs(%empty7 : tensor<1x3x7x7xf32>) -> tensor<1x3x7x7xf32>
  %z = linalg.generic {indexing_maps = [#read, #window, #result],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%small, %w3 : tensor<1x3x15x15xf32>, tensor<3x3xf32>) outs(%start7 : tensor<1x3x7x7xf32>) {
  ^bb0(%in: f32, %tap: f32, %out: f32):
    %m = arith.addf %out, %in : f32
    linalg.yield %m : f32
  } -> tensor<1x3x7x7xf32>
  return %y, %z : tensor<1x3x32x32xf32>, tensor<1x3x7x7xf32>
}

// A row is no map.
// CHECK-LABEL: @row
// CHECK-NOT: scf.forall
// CHECK: return
func.func @row(%x: tensor<1x3x999xf32>) -> tensor<1x3x998xf32> {
  %low = arith.constant 0xFF800000 : f32
  %w = tensor.empty() : tensor<2xf32>
  %empty = tensor.empty() : tensor<1x3x998xf32>
  %start = linalg.fill ins(%low : f32) outs(%empty : tensor<1x3x998xf32>) -> tensor<1x3x998xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, c, x, k) -> (n, c, x + k)>, affine_map<(n, c, x, k) -> (k)>, affine_map<(n, c, x, k) -> (n, c, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<1x3x999xf32>, tensor<2xf32>) outs(%start : tensor<1x3x998xf32>) {
  ^bb0(%in: f32, %tap: f32, %out: f32):
    %m = arith.maximumf %out, %in : f32
    linalg.yield %m : f32
  } -> tensor<1x3x998xf32>
  return %y : tensor<1x3x998xf32>
}

// A map of a megabyte would not stay near.
// CHECK-LABEL: @large
// CHECK-NOT: scf.forall
// CHECK: return
func.func @large(%x: tensor<1x3x511x511xf32>) -> tensor<1x3x256x256xf32> {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 0, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x3x511x511xf32> to tensor<1x3x512x512xf32>
  %w = tensor.empty() : tensor<2x2xf32>
  %empty = tensor.empty() : tensor<1x3x256x256xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x3x256x256xf32>) -> tensor<1x3x256x256xf32>
  %y = linalg.generic {indexing_maps = [#read, #window, #result],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%padded, %w : tensor<1x3x512x512xf32>, tensor<2x2xf32>) outs(%start : tensor<1x3x256x256xf32>) {
  ^bb0(%in: f32, %tap: f32, %out: f32):
    %m = arith.addf %out, %in : f32
    linalg.yield %m : f32
  } -> tensor<1x3x256x256xf32>
  return %y : tensor<1x3x256x256xf32>
}

// Thirteen of each: three, three of those, and two of those, along rows and then along columns. A small map, but large windows.
// CHECK-LABEL: @steps
// CHECK: scf.forall
// CHECK-COUNT-3: bufferization.alloc_tensor() : tensor<1x1x{{30|24|20}}x32xf32>
// CHECK: bufferization.alloc_tensor() : tensor<1x1x20x30xf32>
// CHECK: bufferization.alloc_tensor() : tensor<1x1x20x24xf32>
// CHECK-NOT: bufferization.alloc_tensor
func.func @steps(%x: tensor<1x3x20x20xf32>) -> tensor<1x3x20x20xf32> {
  %low = arith.constant 0xFF800000 : f32
  %padded = tensor.pad %x low[0, 0, 6, 6] high[0, 0, 6, 6] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %low : f32
  } : tensor<1x3x20x20xf32> to tensor<1x3x32x32xf32>
  %w = tensor.empty() : tensor<13x13xf32>
  %empty = tensor.empty() : tensor<1x3x20x20xf32>
  %start = linalg.fill ins(%low : f32) outs(%empty : tensor<1x3x20x20xf32>) -> tensor<1x3x20x20xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, c, y, x, ky, kx) -> (n, c, y + ky, x + kx)>, #window, #result],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%padded, %w : tensor<1x3x32x32xf32>, tensor<13x13xf32>) outs(%start : tensor<1x3x20x20xf32>) {
  ^bb0(%in: f32, %tap: f32, %out: f32):
    %m = arith.maximumf %out, %in : f32
    linalg.yield %m : f32
  } -> tensor<1x3x20x20xf32>
  return %y : tensor<1x3x20x20xf32>
}

// Open sizes: small maps stay as they are; of others parts of 32 by 256 pixels, whose scratch memory is as large for all.
// CHECK-LABEL: @open
// CHECK: %[[PIXELS:.*]] = arith.muli
// CHECK: %[[LARGE:.*]] = arith.cmpi sge, %[[PIXELS]], %c784
// CHECK: scf.if %[[LARGE]]
// CHECK: scf.forall {{.*}} in (20, %{{.*}}, %{{.*}})
// CHECK: bufferization.alloc_tensor() : tensor<1x1x65x528xf32>
// CHECK: bufferization.alloc_tensor() : tensor<1x1x32x528xf32>
// CHECK: else
// CHECK: tensor.pad
func.func @open(%x: tensor<1x20x?x?xf32>, %h: index, %w: index) -> tensor<1x20x?x?xf32> {
  %low = arith.constant 0xFF800000 : f32
  %padded = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 0, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %low : f32
  } : tensor<1x20x?x?xf32> to tensor<1x20x?x?xf32>
  %t = tensor.empty() : tensor<3x3xf32>
  %empty = tensor.empty(%h, %w) : tensor<1x20x?x?xf32>
  %start = linalg.fill ins(%low : f32) outs(%empty : tensor<1x20x?x?xf32>) -> tensor<1x20x?x?xf32>
  %y = linalg.generic {indexing_maps = [#read, #window, #result],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%padded, %t : tensor<1x20x?x?xf32>, tensor<3x3xf32>) outs(%start : tensor<1x20x?x?xf32>) {
  ^bb0(%in: f32, %tap: f32, %out: f32):
    %m = arith.maximumf %out, %in : f32
    linalg.yield %m : f32
  } -> tensor<1x20x?x?xf32>
  return %y : tensor<1x20x?x?xf32>
}

#far = affine_map<(n, c, y, x, ky, kx) -> (n, c, y + ky * 4000, x + kx * 4000)>

// A part would read more than scratch memory is there for: taps are 4000 apart.
// CHECK-LABEL: @far_taps
// CHECK-NOT: scf.forall
// CHECK: return
func.func @far_taps(%x: tensor<1x20x?x?xf32>, %h: index, %w: index) -> tensor<1x20x?x?xf32> {
  %low = arith.constant 0xFF800000 : f32
  %t = tensor.empty() : tensor<3x3xf32>
  %empty = tensor.empty(%h, %w) : tensor<1x20x?x?xf32>
  %start = linalg.fill ins(%low : f32) outs(%empty : tensor<1x20x?x?xf32>) -> tensor<1x20x?x?xf32>
  %y = linalg.generic {indexing_maps = [#far, #window, #result],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %t : tensor<1x20x?x?xf32>, tensor<3x3xf32>) outs(%start : tensor<1x20x?x?xf32>) {
  ^bb0(%in: f32, %tap: f32, %out: f32):
    %m = arith.maximumf %out, %in : f32
    linalg.yield %m : f32
  } -> tensor<1x20x?x?xf32>
  return %y : tensor<1x20x?x?xf32>
}
