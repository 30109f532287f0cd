// What the shape rules of movement ops refuse.
// RUN: onnx-mlir-opt %s --split-input-file --verify-diagnostics

func.func @centercroppad_axes(%a: tensor<2x3xf32>) {
  %b = onnx.Constant() {value_ints = [2]} : () -> tensor<1xi64>
  // expected-error @below {{centercroppad_axes: axis 2 is out of range for rank 2}}
  %0 = onnx.CenterCropPad(%a, %b) {axes = [2]} : (tensor<2x3xf32>, tensor<1xi64>) -> !onnx.unknown
  return
}

// -----

func.func @centercroppad_shape(%a: tensor<2x3xf32>) {
  %b = onnx.Constant() {value_ints = [2]} : () -> tensor<1xi64>
  // expected-error @below {{centercroppad_shape: must have one element per axis}}
  %0 = onnx.CenterCropPad(%a, %b) : (tensor<2x3xf32>, tensor<1xi64>) -> !onnx.unknown
  return
}

// -----

func.func @concat_c1() {
  // expected-error @below {{concat_c1: needs at least one input}}
  %0 = onnx.Concat() {axis = 0} : () -> !onnx.unknown
  return
}

// -----

func.func @pad_axes(%a: tensor<2x3xf32>) {
  %b = onnx.Constant() {value_ints = [1, 1]} : () -> tensor<2xi64>
  %d = onnx.Constant() {value_ints = [2]} : () -> tensor<1xi64>
  // expected-error @below {{pad_axes: axis 2 is out of range for rank 2}}
  %0 = onnx.Pad(%a, %b, _, %d) : (tensor<2x3xf32>, tensor<2xi64>, tensor<1xi64>) -> !onnx.unknown
  return
}

// -----

func.func @pad_mode(%a: tensor<2x3xf32>) {
  %b = onnx.Constant() {value_ints = [1, 1, 1, 1]} : () -> tensor<4xi64>
  // expected-error @below {{pad_mode: must be constant, reflect, edge or wrap, is 'mirror'}}
  %0 = onnx.Pad(%a, %b) {mode = "mirror"} : (tensor<2x3xf32>, tensor<4xi64>) -> !onnx.unknown
  return
}

// -----

func.func @slice_axes(%a: tensor<2x3xf32>) {
  %b = onnx.Constant() {value_ints = [0]} : () -> tensor<1xi64>
  %c = onnx.Constant() {value_ints = [1]} : () -> tensor<1xi64>
  %d = onnx.Constant() {value_ints = [2]} : () -> tensor<1xi64>
  // expected-error @below {{slice_axes: axis 2 is out of range for rank 2}}
  %0 = onnx.Slice(%a, %b, %c, %d) : (tensor<2x3xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> !onnx.unknown
  return
}

// -----

func.func @slice_c2(%a: tensor<3xf32>) {
  %b = onnx.Constant() {value_ints = [0, 0]} : () -> tensor<2xi64>
  %c = onnx.Constant() {value_ints = [1, 1]} : () -> tensor<2xi64>
  // expected-error @below {{slice_c2: slices 2 axes of a tensor of rank 1}}
  %0 = onnx.Slice(%a, %b, %c) : (tensor<3xf32>, tensor<2xi64>, tensor<2xi64>) -> !onnx.unknown
  return
}

// -----

func.func @spacetodepth_blocksize(%a: tensor<2x4x8x8xf32>) {
  // expected-error @below {{spacetodepth_blocksize: 3 must divide the height: dimensions 6 and 8 must be equal}}
  %0 = onnx.SpaceToDepth(%a) {blocksize = 3} : (tensor<2x4x8x8xf32>) -> !onnx.unknown
  return
}

// -----

func.func @depthtospace_input(%a: tensor<2x3xf32>) {
  // expected-error @below {{depthtospace_input: must have rank 4, has 2}}
  %0 = onnx.DepthToSpace(%a) {blocksize = 2} : (tensor<2x3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @depthtospace_mode(%a: tensor<2x4x8x8xf32>) {
  // expected-error @below {{depthtospace_mode: must be DCR or CRD, is 'RDC'}}
  %0 = onnx.DepthToSpace(%a) {blocksize = 2, mode = "RDC"} : (tensor<2x4x8x8xf32>) -> !onnx.unknown
  return
}

// -----

func.func @split_axis(%a: tensor<2x3xf32>) {
  // expected-error @below {{split_axis: axis 2 is out of range for rank 2}}
  %0 = onnx.Split(%a) {axis = 2, num_outputs = 1} : (tensor<2x3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @split_c1(%a: tensor<2x3xf32>) {
  %b = onnx.Constant() {value_ints = [2]} : () -> tensor<1xi64>
  // expected-error @below {{split_c1: has both split and num_outputs}}
  %0 = onnx.Split(%a, %b) {num_outputs = 1} : (tensor<2x3xf32>, tensor<1xi64>) -> !onnx.unknown
  return
}

// -----

func.func @split_num_outputs(%a: tensor<2x3xf32>) {
  // expected-error @below {{split_num_outputs: must be positive}}
  %0 = onnx.Split(%a) {num_outputs = 0} : (tensor<2x3xf32>) -> !onnx.unknown
  return
}

// -----

func.func @reversesequence_sequence_lens_rank(%a: tensor<4x3xf32>, %b: tensor<3x1xi64>) {
  // expected-error @below {{reversesequence_sequence_lens: must have rank 1, has 2}}
  %0 = onnx.ReverseSequence(%a, %b) : (tensor<4x3xf32>, tensor<3x1xi64>) -> !onnx.unknown
  return
}

// -----

func.func @reversesequence_sequence_lens(%a: tensor<4x3xf32>, %b: tensor<2xi64>) {
  // expected-error @below {{reversesequence_sequence_lens: lengths and sequences: dimensions 2 and 3 must be equal}}
  %0 = onnx.ReverseSequence(%a, %b) : (tensor<4x3xf32>, tensor<2xi64>) -> !onnx.unknown
  return
}

// -----

func.func @reversesequence_axes(%a: tensor<4xf32>, %b: tensor<4xi64>) {
  // expected-error @below {{reversesequence_axes: batch_axis and time_axis must be two axes of the input, which has rank 1}}
  %0 = onnx.ReverseSequence(%a, %b) : (tensor<4xf32>, tensor<4xi64>) -> !onnx.unknown
  return
}

// -----

func.func @trilu_input(%a: tensor<4xf32>) {
  // expected-error @below {{trilu_input: must have at least rank 2, has 1}}
  %0 = onnx.Trilu(%a) : (tensor<4xf32>) -> !onnx.unknown
  return
}

// -----

// Only what is wrong with an axis is said, and not that its place is taken.
func.func @axes_out_of_range(%a: tensor<2x3xf32>, %b: tensor<2xi64>) {
  // expected-error @below {{centercroppad_axes: axis 2 is out of range for rank 2}}
  %0 = onnx.CenterCropPad(%a, %b) {axes = [2, 2]} : (tensor<2x3xf32>, tensor<2xi64>) -> !onnx.unknown
  return
}

// -----

func.func @axes_twice(%a: tensor<2x3xf32>, %b: tensor<2xi64>) {
  // expected-error @below {{centercroppad_axes: axis -1 is given twice}}
  %0 = onnx.CenterCropPad(%a, %b) {axes = [1, -1]} : (tensor<2x3xf32>, tensor<2xi64>) -> !onnx.unknown
  return
}
