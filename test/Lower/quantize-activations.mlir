// RUN: onnx-mlir-opt %s -split-input-file -onnxc-quantize-activations | FileCheck %s --check-prefixes=CHECK,MODEL
// RUN: onnx-mlir-opt %s -split-input-file -onnxc-quantize-activations=where=always | FileCheck %s --check-prefixes=CHECK,ALWAYS
// RUN: onnx-mlir-opt %s -split-input-file -onnxc-quantize-activations=where=never | FileCheck %s --check-prefixes=CHECK,NEVER
// RUN: not onnx-mlir-opt %s -onnxc-quantize-activations=where=some 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: where=some: expected never, model or always

// What the model marks: blocks of 16, each with its largest magnitude. Nothing of the mark is left.
// CHECK-LABEL: func @marked
// NEVER-NOT: onnx.Round
// MODEL: %[[SHAPE:.+]] = onnx.Constant() {value = dense<[0, 2, 16]> : tensor<3xi64>}
// MODEL: %[[BLOCKS:.+]] = onnx.Reshape(%arg0, %[[SHAPE]])
// MODEL: %[[ABS:.+]] = onnx.Abs(%[[BLOCKS]])
// MODEL: %[[MAX:.+]] = onnx.ReduceMax(%[[ABS]], {{.*}} -> tensor<?x2x1xf32>
// MODEL: %[[LIMIT:.+]] = onnx.Constant() {value = dense<1.270000e+02> : tensor<f32>}
// MODEL: %[[SCALE:.+]] = onnx.Div(%[[MAX]], %[[LIMIT]])
// MODEL: %[[INVERSE:.+]] = onnx.Where({{.*}}
// MODEL: %[[MUL:.+]] = onnx.Mul(%[[BLOCKS]], %[[INVERSE]])
// MODEL: onnx.Round(%[[MUL]])
// MODEL: %[[BYTES:.+]] = onnx.Cast({{.*}} -> tensor<?x2x16xi8>
// MODEL: %[[FLOATS:.+]] = onnx.Cast(%[[BYTES]])
// MODEL: %[[NEAR:.+]] = onnx.Mul(%[[FLOATS]], %[[SCALE]])
// MODEL: %[[ROWS:.+]] = onnx.Reshape(%[[NEAR]], {{.*}} -> tensor<?x32xf32>
// MODEL: onnx.MatMul(%[[ROWS]], %arg1)
// CHECK-NOT: onnx.int8_block
func.func @marked(%x: tensor<?x32xf32>, %w: tensor<32x8xf32>) -> tensor<?x8xf32> {
  %y = onnx.MatMul(%x, %w) {onnx.int8_block = 16 : i64} : (tensor<?x32xf32>, tensor<32x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

// Weights in blocks that nothing marks. The last block is filled up, and what fills it is dropped.
// CHECK-LABEL: func @blocks
// MODEL-NOT: onnx.Round
// NEVER-NOT: onnx.Round
// ALWAYS: onnx.Pad(%arg0, {{.*}} -> tensor<3x4x64xf32>
// ALWAYS: onnx.Reshape({{.*}} -> tensor<3x4x2x32xf32>
// ALWAYS: onnx.Round
// ALWAYS: onnx.Reshape({{.*}} -> tensor<3x4x64xf32>
// ALWAYS: %[[ROWS:.+]] = onnx.Slice({{.*}} -> tensor<3x4x40xf32>
// ALWAYS: onnx.MatMul(%[[ROWS]],
func.func @blocks(%x: tensor<3x4x40xf32>, %w: tensor<8x40xi8>, %s: tensor<8x2xf32>) -> tensor<3x4x8xf32> {
  %d = onnx.DequantizeLinear(%w, %s) {axis = 1, block_size = 32} : (tensor<8x40xi8>, tensor<8x2xf32>) -> tensor<8x40xf32>
  %t = onnx.Transpose(%d) {perm = [1, 0]} : (tensor<8x40xf32>) -> tensor<40x8xf32>
  %y = onnx.MatMul(%x, %t) : (tensor<3x4x40xf32>, tensor<40x8xf32>) -> tensor<3x4x8xf32>
  return %y : tensor<3x4x8xf32>
}

// -----

// 16-bit floats are multiplied as float32, and so are their scales; the result is rounded.
// CHECK-LABEL: func @halves
// ALWAYS: onnx.Cast(%arg0) {{.*}} -> tensor<4x32xf32>
// ALWAYS: %[[SCALES:.+]] = onnx.Constant() {value = dense<5.000000e-01> : tensor<1x8xf32>}
// ALWAYS: %[[W:.+]] = onnx.DequantizeLinear(%arg1, %[[SCALES]])
// ALWAYS: %[[BIAS:.+]] = onnx.Cast(%arg2)
// ALWAYS: %[[Y:.+]] = onnx.Gemm({{.*}}, %[[W]], %[[BIAS]]) {alpha = 2.0{{.*}} -> tensor<4x8xf32>
// ALWAYS: onnx.Cast(%[[Y]]) {{.*}} -> tensor<4x8xf16>
func.func @halves(%x: tensor<4x32xf16>, %w: tensor<32x8xi4>, %b: tensor<8xf16>) -> tensor<4x8xf16> {
  %s = onnx.Constant() {value = dense<0.5> : tensor<1x8xf16>} : () -> tensor<1x8xf16>
  %d = onnx.DequantizeLinear(%w, %s) {axis = 0, block_size = 32} : (tensor<32x8xi4>, tensor<1x8xf16>) -> tensor<32x8xf16>
  %y = onnx.Gemm(%x, %d, %b) {alpha = 2.0 : f32} : (tensor<4x32xf16>, tensor<32x8xf16>, tensor<8xf16>) -> tensor<4x8xf16>
  return %y : tensor<4x8xf16>
}

// -----

// Blocks along the columns, scales by column, rows that are transposed, and blocks that are too
// long for exact sums stay.
// CHECK-LABEL: func @others
// CHECK-NOT: onnx.Round
func.func @others(%x: tensor<32x32xf32>, %x2: tensor<4x1024xf32>, %w: tensor<32x32xi8>, %w2: tensor<1024x8xi8>, %s: tensor<32x1xf32>,
                  %c: tensor<32xf32>, %t: tensor<1x32xf32>, %s2: tensor<1x8xf32>)
    -> (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<4x8xf32>) {
  %d0 = onnx.DequantizeLinear(%w, %s) {axis = 1, block_size = 32} : (tensor<32x32xi8>, tensor<32x1xf32>) -> tensor<32x32xf32>
  %y0 = onnx.MatMul(%x, %d0) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %d1 = onnx.DequantizeLinear(%w, %c) {axis = 1} : (tensor<32x32xi8>, tensor<32xf32>) -> tensor<32x32xf32>
  %y1 = onnx.MatMul(%x, %d1) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %d2 = onnx.DequantizeLinear(%w, %t) {axis = 0, block_size = 32} : (tensor<32x32xi8>, tensor<1x32xf32>) -> tensor<32x32xf32>
  %y2 = onnx.Gemm(%x, %d2) {transA = 1} : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %d3 = onnx.DequantizeLinear(%w2, %s2) {axis = 0, block_size = 1024} : (tensor<1024x8xi8>, tensor<1x8xf32>) -> tensor<1024x8xf32>
  %y3 = onnx.MatMul(%x2, %d3) : (tensor<4x1024xf32>, tensor<1024x8xf32>) -> tensor<4x8xf32>
  return %y0, %y1, %y2, %y3 : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<4x8xf32>
}
