// RUN: onnx-mlir-opt %s --onnx-decompose-functions --split-input-file | FileCheck %s

// Constants are of the type of the data.
// CHECK-LABEL: func @elu
// CHECK-SAME: (%[[X:.*]]: tensor<?xf16>)
func.func @elu(%x: tensor<?xf16>) -> tensor<?xf16> {
  // CHECK-DAG: %[[ZERO:.*]] = onnx.Constant() {value = dense<0.0{{.*}}> : tensor<f16>}
  // CHECK-DAG: %[[LESS:.*]] = onnx.Less(%[[X]], %{{.*}})
  // CHECK: %[[Y:.*]] = onnx.Where(%[[LESS]], %{{.*}}, %[[X]])
  // CHECK: return %[[Y]]
  %y = onnx.Elu(%x) {alpha = 2.0} : (tensor<?xf16>) -> tensor<?xf16>
  return %y : tensor<?xf16>
}

// A function in the body is decomposed at once.
// CHECK-LABEL: func @mish
func.func @mish(%x: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK-NOT: onnx.Softplus
  // CHECK: onnx.Tanh
  // CHECK-NEXT: onnx.Mul
  %y = onnx.Mish(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// CHECK-LABEL: func @clip_one_bound
// CHECK-SAME: (%[[X:.*]]: tensor<2xi32>, %[[MAX:.*]]: tensor<i32>)
func.func @clip_one_bound(%x: tensor<2xi32>, %max: tensor<i32>) -> tensor<2xi32> {
  // CHECK-NEXT: %[[LESS:.*]] = onnx.Less(%[[MAX]], %[[X]])
  // CHECK-NEXT: %[[Y:.*]] = onnx.Where(%[[LESS]], %[[MAX]], %[[X]])
  // CHECK-NEXT: return %[[Y]]
  %y = onnx.Clip(%x, _, %max) : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  return %y : tensor<2xi32>
}

// CHECK-LABEL: func @softmax
func.func @softmax(%x: tensor<2x?xf32>) -> tensor<2x?xf32> {
  // CHECK: onnx.ReduceMax
  // CHECK: %[[EXP:.*]] = onnx.Exp
  // CHECK: %[[SUM:.*]] = onnx.ReduceSum(%[[EXP]]
  // CHECK: onnx.Div(%[[EXP]], %[[SUM]])
  %y = onnx.Softmax(%x) {axis = 1} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  return %y : tensor<2x?xf32>
}

// CHECK-LABEL: func @layer_norm_outputs
func.func @layer_norm_outputs(%x: tensor<2x3xf16>, %s: tensor<3xf16>) -> (tensor<2x3xf16>, tensor<2x1xf32>) {
  // CHECK: onnx.Cast(%{{.*}}) {to = 1}
  // CHECK: %[[MEAN:.*]] = onnx.ReduceMean
  // CHECK: onnx.Cast(%{{.*}}) {to = 10}
  // CHECK: %[[Y:.*]] = onnx.Mul
  // CHECK: return %[[Y]], %[[MEAN]]
  %y, %m = onnx.LayerNormalization(%x, %s, _) : (tensor<2x3xf16>, tensor<3xf16>) -> (tensor<2x3xf16>, tensor<2x1xf32>)
  return %y, %m : tensor<2x3xf16>, tensor<2x1xf32>
}

// Dims that are not known are read from the shape, and may be 0.
// CHECK-LABEL: func @depth_to_space
func.func @depth_to_space(%x: tensor<1x8x?x2xf32>) -> tensor<1x2x?x4xf32> {
  // CHECK: onnx.Shape
  // CHECK: onnx.Reshape(%{{.*}}) {allowzero = 1}
  // CHECK: onnx.Transpose(%{{.*}}) {perm = [0, 3, 4, 1, 5, 2]}
  // CHECK: onnx.Reshape(%{{.*}}) {allowzero = 1}
  %y = onnx.DepthToSpace(%x) {blocksize = 2} : (tensor<1x8x?x2xf32>) -> tensor<1x2x?x4xf32>
  return %y : tensor<1x2x?x4xf32>
}

// Heads of keys are repeated for those of queries; rows that are hidden give 0.
// CHECK-LABEL: func @attention
func.func @attention(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x?x8xf32>, %v: tensor<1x2x?x8xf32>) -> tensor<1x4x3x8xf32> {
  // CHECK: onnx.Expand
  // CHECK: onnx.Reshape
  // CHECK: onnx.MatMul
  // CHECK: onnx.Range
  // CHECK: onnx.Less
  // CHECK: onnx.Exp
  // CHECK: onnx.Where
  // CHECK: onnx.MatMul
  %y = onnx.Attention(%q, %k, %v, _, _, _, _) {is_causal = 1} : (tensor<1x4x3x8xf32>, tensor<1x2x?x8xf32>, tensor<1x2x?x8xf32>) -> tensor<1x4x3x8xf32>
  return %y : tensor<1x4x3x8xf32>
}

// A mask may be shorter than the keys.
// CHECK-LABEL: func @mask_of_unknown_length
func.func @mask_of_unknown_length(%q: tensor<1x2x3x8xf32>, %k: tensor<1x2x?x8xf32>, %m: tensor<3x?xi1>) -> tensor<1x2x3x8xf32> {
  // CHECK-NEXT: onnx.Attention
  %y = onnx.Attention(%q, %k, %k, %m, _, _, _) : (tensor<1x2x3x8xf32>, tensor<1x2x?x8xf32>, tensor<1x2x?x8xf32>, tensor<3x?xi1>) -> tensor<1x2x3x8xf32>
  return %y : tensor<1x2x3x8xf32>
}

// Keys of rank 3 are positions by columns; without softcap there is none.
// CHECK-LABEL: func @mask_of_columns
func.func @mask_of_columns(%q: tensor<1x3x16xf32>, %k: tensor<1x5x16xf32>, %m: tensor<3x5xi1>) -> tensor<1x3x16xf32> {
  // CHECK-NOT: onnx.Tanh
  // CHECK-NOT: onnx.Attention
  // CHECK: return
  %y = onnx.Attention(%q, %k, %k, %m, _, _, _) {kv_num_heads = 2, q_num_heads = 2} : (tensor<1x3x16xf32>, tensor<1x5x16xf32>, tensor<1x5x16xf32>, tensor<3x5xi1>) -> tensor<1x3x16xf32>
  return %y : tensor<1x3x16xf32>
}

// Shorter than the keys, and as long as they have columns.
// CHECK-LABEL: func @shorter_mask
func.func @shorter_mask(%q: tensor<1x3x4xf32>, %k: tensor<1x5x4xf32>, %m: tensor<3x4xi1>) -> tensor<1x3x4xf32> {
  // CHECK-NEXT: onnx.Attention
  %y = onnx.Attention(%q, %k, %k, %m, _, _, _) {kv_num_heads = 2, q_num_heads = 2} : (tensor<1x3x4xf32>, tensor<1x5x4xf32>, tensor<1x5x4xf32>, tensor<3x4xi1>) -> tensor<1x3x4xf32>
  return %y : tensor<1x3x4xf32>
}

// CHECK-LABEL: func @softcap
func.func @softcap(%q: tensor<1x2x3x8xf32>, %k: tensor<1x2x5x8xf32>) -> tensor<1x2x3x8xf32> {
  // CHECK: onnx.Div
  // CHECK: onnx.Tanh
  %y = onnx.Attention(%q, %k, %k, _, _, _, _) {softcap = 2.0} : (tensor<1x2x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x2x3x8xf32>
  return %y : tensor<1x2x3x8xf32>
}

// CHECK-LABEL: func @rotary
func.func @rotary(%x: tensor<1x3x16xf32>, %c: tensor<1x3x4xf32>) -> tensor<1x3x16xf32> {
  // CHECK: onnx.Reshape
  // CHECK: onnx.Concat
  // CHECK: onnx.Reshape
  // CHECK-NOT: onnx.RotaryEmbedding
  %y = onnx.RotaryEmbedding(%x, %c, %c, _) {num_heads = 2} : (tensor<1x3x16xf32>, tensor<1x3x4xf32>, tensor<1x3x4xf32>) -> tensor<1x3x16xf32>
  return %y : tensor<1x3x16xf32>
}

// Whether an element that is not reduced becomes positive is not clear.
// CHECK-LABEL: func @reduces_nothing
func.func @reduces_nothing(%x: tensor<2xf32>, %axes: tensor<?xi64>) -> tensor<*xf32> {
  // CHECK-NEXT: onnx.ReduceL1
  %y = onnx.ReduceL1(%x, %axes) {noop_with_empty_axes = 1} : (tensor<2xf32>, tensor<?xi64>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// CHECK-LABEL: func @unknown_types
func.func @unknown_types(%x: !onnx.unknown, %t: tensor<*xf32>) -> (!onnx.unknown, tensor<*xf32>) {
  // CHECK-NEXT: onnx.Elu
  // CHECK-NEXT: onnx.SpaceToDepth
  %y = onnx.Elu(%x) : (!onnx.unknown) -> !onnx.unknown
  %z = onnx.SpaceToDepth(%t) {blocksize = 2} : (tensor<*xf32>) -> tensor<*xf32>
  return %y, %z : !onnx.unknown, tensor<*xf32>
}

// -----

// Where is of opset 9.
module attributes {onnx.opset_imports = {"ai.onnx" = 8}} {
  // CHECK-LABEL: func @old
  func.func @old(%x: tensor<2xf32>) -> tensor<2xf32> {
    // CHECK-NEXT: onnx.LeakyRelu
    %y = onnx.LeakyRelu(%x) : (tensor<2xf32>) -> tensor<2xf32>
    return %y : tensor<2xf32>
  }
}

// Which axes are the last ones is not known.
// CHECK-LABEL: func @layer_norm_of_any_rank
func.func @layer_norm_of_any_rank(%x: tensor<*xf32>, %s: tensor<3xf32>) -> tensor<*xf32> {
  // CHECK: onnx.LayerNormalization(%arg0
  %y = onnx.LayerNormalization(%x, %s, _) {axis = 1} : (tensor<*xf32>, tensor<3xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}
