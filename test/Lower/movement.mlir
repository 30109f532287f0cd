// RUN: onnx-mlir-opt %s -onnxc-lower-to-linalg -canonicalize -split-input-file | FileCheck %s

// CHECK-LABEL: @flatten_batch
// CHECK: tensor.collapse_shape %arg0 {{\[\[}}0], [1, 2]] : tensor<?x4x8xf32> into tensor<?x32xf32>
func.func @flatten_batch(%x: tensor<?x4x8xf32>) -> tensor<?x32xf32> {
  %0 = onnx.Flatten(%x) {axis = 1} : (tensor<?x4x8xf32>) -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}

// -----

// CHECK-LABEL: @concat
// CHECK: tensor.insert_slice %arg0 into %{{.+}}[0, 0] [2, 3] [1, 1]
// CHECK: tensor.insert_slice %arg1 into %{{.+}}[0, 3] [2, 5] [1, 1]
func.func @concat(%x: tensor<2x3xf32>, %y: tensor<2x5xf32>) -> tensor<2x8xf32> {
  %0 = onnx.Concat(%x, %y) {axis = 1} : (tensor<2x3xf32>, tensor<2x5xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// -----

// CHECK-LABEL: @slice_constant
// CHECK: tensor.extract_slice %arg0[1, 0] [2, 4] [1, 2]
func.func @slice_constant(%x: tensor<4x8xf32>) -> tensor<2x4xf32> {
  %starts = onnx.Constant() {value = dense<[1, 0]> : tensor<2xi64>} : () -> tensor<2xi64>
  %ends = onnx.Constant() {value = dense<[-1, 1000]> : tensor<2xi64>} : () -> tensor<2xi64>
  %axes = onnx.Constant() {value = dense<[0, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %steps = onnx.Constant() {value = dense<[1, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
  %0 = onnx.Slice(%x, %starts, %ends, %axes, %steps) : (tensor<4x8xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

// The number of elements is checked where only the run time knows it.
// CHECK-LABEL: @reshape_to_values
// CHECK: cf.assert
// CHECK: tensor.expand_shape
func.func @reshape_to_values(%x: tensor<4x6xf32>, %shape: tensor<2xi64>) -> tensor<?x?xf32> {
  %0 = onnx.Reshape(%x, %shape) : (tensor<4x6xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: @gather_checked
// CHECK: cf.assert %{{.+}}, "{{.*}}an index is out of range, expected -100 to 99"
// CHECK: linalg.generic
// CHECK: tensor.extract %arg0
func.func @gather_checked(%x: tensor<100x8xf32>, %i: tensor<5xi64>) -> tensor<5x8xf32> {
  %0 = onnx.Gather(%x, %i) : (tensor<100x8xf32>, tensor<5xi64>) -> tensor<5x8xf32>
  return %0 : tensor<5x8xf32>
}

// -----

// What starts behind the last element has none, whatever the end is; an
// operation that starts there would be invalid.
// CHECK-LABEL: @slice_behind_the_end
// CHECK: tensor.extract_slice %arg0[0, 0] [5, %{{.*}}] [1, 1]
func.func @slice_behind_the_end(%x: tensor<5x1xf32>, %ends: tensor<1xi64>) -> tensor<5x?xf32> {
  %starts = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %0 = onnx.Slice(%x, %starts, %ends, %starts) : (tensor<5x1xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<5x?xf32>
  return %0 : tensor<5x?xf32>
}

// -----

// CHECK-LABEL: @concat_of_nothing
// CHECK-NOT: tensor.insert_slice
// CHECK: return
func.func @concat_of_nothing(%x: tensor<5x0xf32>, %y: tensor<3x0xf32>) -> tensor<8x0xf32> {
  %0 = onnx.Concat(%x, %y) {axis = 0} : (tensor<5x0xf32>, tensor<3x0xf32>) -> tensor<8x0xf32>
  return %0 : tensor<8x0xf32>
}

// Many parts are put together by groups of 8.
// CHECK-LABEL: func.func @concat_of_many
// CHECK-COUNT-8: tensor.insert_slice %{{.*}} into %{{.*}} : tensor<1xf32> into tensor<8xf32>
// CHECK-COUNT-8: tensor.insert_slice %{{.*}} into %{{.*}} : tensor<1xf32> into tensor<8xf32>
// CHECK-COUNT-4: tensor.insert_slice %{{.*}} into %{{.*}} : tensor<8xf32> into tensor<33xf32>
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[32] [1] [1] : tensor<1xf32> into tensor<33xf32>
func.func @concat_of_many(%x: tensor<1xf32>) -> tensor<33xf32> {
  %0 = onnx.Concat(%x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x) {axis = 0}
    : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<33xf32>
  return %0 : tensor<33xf32>
}

// -----

// One index takes a slice; two are gathered.
// CHECK-LABEL: @one_index
// CHECK: tensor.extract_slice %arg0[%{{.*}}, 0] [1, 5] [1, 1]
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @one_index(%x: tensor<4x5xf32>, %i: tensor<1xi64>) -> tensor<1x5xf32> {
  %0 = onnx.Gather(%x, %i) : (tensor<4x5xf32>, tensor<1xi64>) -> tensor<1x5xf32>
  return %0 : tensor<1x5xf32>
}

// -----

// Bounds count from the end, too; what lies outside is cut off.
// CHECK-LABEL: @part_of_the_shape
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[D2:.*]] = tensor.dim %arg0, %[[C2]]
// CHECK-DAG: %[[D3:.*]] = tensor.dim %arg0, %[[C3]]
// CHECK-DAG: %[[N2:.*]] = arith.index_cast %[[D2]]
// CHECK-DAG: %[[N3:.*]] = arith.index_cast %[[D3]]
// CHECK: tensor.from_elements %[[N2]], %[[N3]] : tensor<2xi64>
// CHECK: tensor.from_elements {{.*}} : tensor<3xi64>
// CHECK: return
func.func @part_of_the_shape(%x: tensor<?x?x?x?xf32>) -> (tensor<2xi64>, tensor<3xi64>) {
  %0 = onnx.Shape(%x) {start = -2, end = 9} : (tensor<?x?x?x?xf32>) -> tensor<2xi64>
  %1 = onnx.Shape(%x) {start = -9, end = -1} : (tensor<?x?x?x?xf32>) -> tensor<3xi64>
  return %0, %1 : tensor<2xi64>, tensor<3xi64>
}

// -----

// Sizes that are picked at constant places are scalars, and in no memory.
// CHECK-LABEL: @sizes_at_constant_places
// CHECK-NOT: linalg.generic
// CHECK-NOT: tensor.extract
// CHECK: tensor.from_elements
// CHECK-NOT: tensor.extract
// CHECK: return
func.func @sizes_at_constant_places(%x: tensor<?x?x?xf32>) -> tensor<2xi64> {
  %i = onnx.Constant() {value = dense<[2, -3]> : tensor<2xi64>} : () -> tensor<2xi64>
  %s = onnx.Shape(%x) : (tensor<?x?x?xf32>) -> tensor<3xi64>
  %0 = onnx.Gather(%s, %i) {axis = 0} : (tensor<3xi64>, tensor<2xi64>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

// -----

// Rows that are flattened and set up again have their own number, not a quotient
// that might be another one: the sum is not prepared for being broadcast.
// CHECK-LABEL: @flattened_and_set_up_again
// CHECK-NOT: scf.if
// CHECK: return
func.func @flattened_and_set_up_again(%x: tensor<1x?x64xf32>) -> tensor<1x?x64xf32> {
  %flat = onnx.Constant() {value = dense<[-1, 64]> : tensor<2xi64>} : () -> tensor<2xi64>
  %whole = onnx.Constant() {value = dense<[1, -1, 64]> : tensor<3xi64>} : () -> tensor<3xi64>
  %a = onnx.Reshape(%x, %flat) : (tensor<1x?x64xf32>, tensor<2xi64>) -> tensor<?x64xf32>
  %b = onnx.Neg(%a) : (tensor<?x64xf32>) -> tensor<?x64xf32>
  %c = onnx.Reshape(%b, %whole) : (tensor<?x64xf32>, tensor<3xi64>) -> tensor<1x?x64xf32>
  %d = onnx.Add(%x, %c) : (tensor<1x?x64xf32>, tensor<1x?x64xf32>) -> tensor<1x?x64xf32>
  return %d : tensor<1x?x64xf32>
}

// -----

// The same where several dimensions become one: their product divided by what
// is known is the open one.
// CHECK-LABEL: @joined_and_set_up_again
// CHECK-NOT: floordivsi
// CHECK-NOT: scf.if
// CHECK: return
func.func @joined_and_set_up_again(%x: tensor<?x15xf32>) -> tensor<?x15xf32> {
  %flat = onnx.Constant() {value = dense<-1> : tensor<1xi64>} : () -> tensor<1xi64>
  %rows = onnx.Constant() {value = dense<[-1, 15]> : tensor<2xi64>} : () -> tensor<2xi64>
  %a = onnx.Reshape(%x, %flat) : (tensor<?x15xf32>, tensor<1xi64>) -> tensor<?xf32>
  %b = onnx.Neg(%a) : (tensor<?xf32>) -> tensor<?xf32>
  %c = onnx.Add(%a, %b) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %d = onnx.Reshape(%c, %rows) : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x15xf32>
  %e = onnx.Add(%x, %d) : (tensor<?x15xf32>, tensor<?x15xf32>) -> tensor<?x15xf32>
  return %e : tensor<?x15xf32>
}

// -----

// Rows of the input lie one behind the other: repetitions have loops of their own, a single element has none.
// CHECK: affine_map<(d0, d1, d2, d3) -> (d0, 0, d3)>
// CHECK-LABEL: @tile
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<5x1x9xf32>) outs(%{{.*}} : tensor<5x4x3x9xf32>)
// CHECK-NOT: tensor.extract %arg0
// CHECK: tensor.collapse_shape {{.*}} : tensor<5x4x3x9xf32> into tensor<5x4x27xf32>
func.func @tile(%x: tensor<5x1x9xf32>) -> tensor<5x4x27xf32> {
  %r = onnx.Constant() {value = dense<[1, 4, 3]> : tensor<3xi64>} : () -> tensor<3xi64>
  %0 = onnx.Tile(%x, %r) : (tensor<5x1x9xf32>, tensor<3xi64>) -> tensor<5x4x27xf32>
  return %0 : tensor<5x4x27xf32>
}

// -----

// A slice moves as a whole.
// CHECK-LABEL: @scatter_slices
// CHECK: scf.for
// CHECK: arith.minui
// CHECK: %[[SLICE:.*]] = tensor.extract_slice %arg2[%{{.*}}, 0] [1, 8] [1, 1] : tensor<3x8xf32> to tensor<8xf32>
// CHECK-NOT: scf.for
// CHECK: tensor.insert_slice %[[SLICE]]
func.func @scatter_slices(%x: tensor<9x8xf32>, %i: tensor<3x1xi64>, %u: tensor<3x8xf32>) -> tensor<9x8xf32> {
  %0 = onnx.ScatterND(%x, %i, %u) : (tensor<9x8xf32>, tensor<3x1xi64>, tensor<3x8xf32>) -> tensor<9x8xf32>
  return %0 : tensor<9x8xf32>
}

// -----

// A number that the run brings joins dimensions: it is their product, and what
// is behind them has its own sizes. No elements are moved.
// CHECK-LABEL: @reshape_joins
// CHECK-NOT: cf.assert
// CHECK: tensor.collapse_shape %arg0 {{\[\[}}0, 1], [2], [3]] : tensor<?x8x?x16xf32> into tensor<?x?x16xf32>
func.func @reshape_joins(%x: tensor<?x8x?x16xf32>) -> tensor<?x?x16xf32> {
  %eight = onnx.Constant() {value = dense<8> : tensor<1xi64>} : () -> tensor<1xi64>
  %rest = onnx.Constant() {value = dense<[-1, 16]> : tensor<2xi64>} : () -> tensor<2xi64>
  %batch = onnx.Shape(%x) {start = 0 : i64, end = 1 : i64} : (tensor<?x8x?x16xf32>) -> tensor<1xi64>
  %rows = onnx.Mul(%batch, %eight) : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %shape = onnx.Concat(%rows, %rest) {axis = 0} : (tensor<1xi64>, tensor<2xi64>) -> tensor<3xi64>
  %0 = onnx.Reshape(%x, %shape) : (tensor<?x8x?x16xf32>, tensor<3xi64>) -> tensor<?x?x16xf32>
  return %0 : tensor<?x?x16xf32>
}

// -----

// Numbers of as many elements as there are: the one thing to check is that none
// is 0 where another dimension would be copied.
// CHECK-LABEL: @reshape_keeps_count
// CHECK: %[[N:.*]] = tensor.dim %arg1, %c2
// CHECK: %[[B:.*]] = tensor.dim %arg1, %c0
// CHECK-NOT: cf.assert
// CHECK: %[[COPIED:.*]] = arith.select %{{.*}}, %c16, %[[N]]
// CHECK: %[[HOLDS:.*]] = arith.cmpi eq, %[[COPIED]], %[[N]]
// CHECK-NEXT: cf.assert %[[HOLDS]], "{{.*}}number of elements before and after
// CHECK-NOT: cf.assert
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2], [3]] output_shape [%[[B]], 8, %[[N]], 16]
func.func @reshape_keeps_count(%x: tensor<?x?x16xf32>, %like: tensor<?x8x?x16xf32>) -> tensor<?x8x?x16xf32> {
  %eight = onnx.Constant() {value = dense<8> : tensor<1xi64>} : () -> tensor<1xi64>
  %sixteen = onnx.Constant() {value = dense<16> : tensor<1xi64>} : () -> tensor<1xi64>
  %rest = onnx.Constant() {value = dense<[-1, 16]> : tensor<2xi64>} : () -> tensor<2xi64>
  %batch = onnx.Shape(%like) {start = 0 : i64, end = 1 : i64} : (tensor<?x8x?x16xf32>) -> tensor<1xi64>
  %n = onnx.Shape(%like) {start = 2 : i64, end = 3 : i64} : (tensor<?x8x?x16xf32>) -> tensor<1xi64>
  %rows = onnx.Mul(%batch, %eight) : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %joined = onnx.Concat(%rows, %rest) {axis = 0} : (tensor<1xi64>, tensor<2xi64>) -> tensor<3xi64>
  %flat = onnx.Reshape(%like, %joined) : (tensor<?x8x?x16xf32>, tensor<3xi64>) -> tensor<?x?x16xf32>
  %negative = onnx.Neg(%flat) : (tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
  %shape = onnx.Concat(%batch, %eight, %n, %sixteen) {axis = 0} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
  %0 = onnx.Reshape(%negative, %shape) : (tensor<?x?x16xf32>, tensor<4xi64>) -> tensor<?x8x?x16xf32>
  return %0 : tensor<?x8x?x16xf32>
}

// -----

// From the past's length to that and the tokens: as many as the tokens.
// CHECK-LABEL: @range_of_sizes
// CHECK: %[[N:.*]] = tensor.dim %arg0, %c0
// CHECK: tensor.empty(%[[N]]) : tensor<?xi64>
func.func @range_of_sizes(%x: tensor<?xf32>, %past: tensor<?xf32>) -> tensor<?xi64> {
  %one = onnx.Constant() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %axes = onnx.Constant() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %n = onnx.Shape(%x) {start = 0 : i64} : (tensor<?xf32>) -> tensor<1xi64>
  %p = onnx.Shape(%past) {start = 0 : i64} : (tensor<?xf32>) -> tensor<1xi64>
  %t = onnx.Add(%p, %n) : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %start = onnx.Squeeze(%p, %axes) : (tensor<1xi64>, tensor<1xi64>) -> tensor<i64>
  %limit = onnx.Squeeze(%t, %axes) : (tensor<1xi64>, tensor<1xi64>) -> tensor<i64>
  %0 = onnx.Range(%start, %limit, %one) : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  return %0 : tensor<?xi64>
}

// -----

// A number behind the dimensions of the data is none that is copied; a size there may be 0.
// CHECK-LABEL: @reshape_behind
// CHECK-DAG: %[[NUMBER:.+]] = tensor.extract %arg1
// CHECK-DAG: %[[INDEX:.+]] = arith.index_cast %[[NUMBER]]
// CHECK: %[[ZERO:.+]] = arith.cmpi eq, %[[INDEX]], %c0
// CHECK: cf.assert {{.*}}"{{.*}}element 1 copies a dimension that the input does not have"
// CHECK-NOT: copies a dimension
func.func @reshape_behind(%x: tensor<?xf32>, %n: tensor<1xi64>, %like: tensor<?xf32>) -> (tensor<1x?xf32>, tensor<1x?xf32>) {
  %one = onnx.Constant() {value_ints = [1]} : () -> tensor<1xi64>
  %numbers = onnx.Concat(%one, %n) {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %0 = onnx.Reshape(%x, %numbers) : (tensor<?xf32>, tensor<2xi64>) -> tensor<1x?xf32>
  %size = onnx.Shape(%like) : (tensor<?xf32>) -> tensor<1xi64>
  %sizes = onnx.Concat(%one, %size) {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %1 = onnx.Reshape(%x, %sizes) : (tensor<?xf32>, tensor<2xi64>) -> tensor<1x?xf32>
  return %0, %1 : tensor<1x?xf32>, tensor<1x?xf32>
}
