// RUN: onnx-mlir-opt %s --onnx-shape-fold | FileCheck %s

// CHECK-LABEL: func @known
func.func @known(%x: tensor<?x3x4xf32>) -> tensor<1xi64> {
  // CHECK: %[[K:.*]] = onnx.Constant() {value = dense<12> : tensor<1xi64>}
  // CHECK: return %[[K]]
  %s = onnx.Shape(%x) {start = 1} : (tensor<?x3x4xf32>) -> tensor<2xi64>
  %p = onnx.ReduceProd(%s, _) : (tensor<2xi64>) -> tensor<1xi64>
  return %p : tensor<1xi64>
}

// Dims in their place are 0, the other open one is -1.
// CHECK-LABEL: func @reshape
func.func @reshape(%x: tensor<?x?x6xf32>, %y: tensor<?x6xf32>) {
  // CHECK: %[[A:.*]] = onnx.Constant() {value = dense<[0, 0, 2, 3]>
  // CHECK: onnx.Reshape(%arg0, %[[A]])
  // CHECK: %[[B:.*]] = onnx.Constant() {value = dense<[2, -1, 3]>
  // CHECK: onnx.Reshape(%arg1, %[[B]])
  %tail = onnx.Constant() {value = dense<[2, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
  %r = onnx.Relu(%x) : (tensor<?x?x6xf32>) -> tensor<?x?x6xf32>
  %s = onnx.Shape(%r) {end = 2} : (tensor<?x?x6xf32>) -> tensor<2xi64>
  %t = onnx.Concat(%s, %tail) {axis = 0} : (tensor<2xi64>, tensor<2xi64>) -> tensor<4xi64>
  %a = onnx.Reshape(%x, %t) : (tensor<?x?x6xf32>, tensor<4xi64>) -> tensor<?x?x2x3xf32>
  %two = onnx.Constant() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
  %three = onnx.Constant() {value = dense<[3]> : tensor<1xi64>} : () -> tensor<1xi64>
  %n = onnx.Shape(%y) {end = 1} : (tensor<?x6xf32>) -> tensor<1xi64>
  %u = onnx.Concat(%two, %n, %three) {axis = 0} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>
  %b = onnx.Reshape(%y, %u) : (tensor<?x6xf32>, tensor<3xi64>) -> tensor<2x?x3xf32>
  return
}

// Another dim may be 0, and then -1 says nothing; two dims are open.
// CHECK-LABEL: func @no_reshape
func.func @no_reshape(%x: tensor<?x?x6xf32>, %k: tensor<1xi64>) {
  // CHECK-NOT: dense<[0, -1
  // CHECK: onnx.Concat
  // CHECK: onnx.Concat
  // CHECK: onnx.Concat
  %six = onnx.Constant() {value = dense<[6]> : tensor<1xi64>} : () -> tensor<1xi64>
  %zero = onnx.Constant() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
  %n = onnx.Shape(%x) {end = 1} : (tensor<?x?x6xf32>) -> tensor<1xi64>
  %t = onnx.Concat(%n, %k, %six) {axis = 0} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>
  %a = onnx.Reshape(%x, %t) : (tensor<?x?x6xf32>, tensor<3xi64>) -> tensor<?x?x6xf32>
  %u = onnx.Concat(%k, %k, %six) {axis = 0} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>
  %b = onnx.Reshape(%x, %u) : (tensor<?x?x6xf32>, tensor<3xi64>) -> tensor<?x?x6xf32>
  %v = onnx.Concat(%zero, %k) {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %c = onnx.Reshape(%x, %v) {allowzero = 1} : (tensor<?x?x6xf32>, tensor<2xi64>) -> tensor<0x?xf32>
  return
}

// One symbol is one extent.
// CHECK-LABEL: func @symbols
func.func @symbols(%x: tensor<?x1xf32> {onnx.dim_params = ["N", ""]}, %y: tensor<?xf32> {onnx.dim_params = ["N"]}, %z: tensor<?xf32> {onnx.dim_params = ["M"]}) attributes {onnx.entry} {
  // CHECK: %[[A:.*]] = onnx.Constant() {value = dense<[1, 5]>
  // CHECK: onnx.Expand(%arg0, %[[A]])
  // CHECK: %[[B:.*]] = onnx.Concat
  // CHECK: onnx.Expand(%arg0, %[[B]])
  %five = onnx.Constant() {value = dense<[5]> : tensor<1xi64>} : () -> tensor<1xi64>
  %n = onnx.Shape(%y) : (tensor<?xf32>) -> tensor<1xi64>
  %t = onnx.Concat(%n, %five) {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %a = onnx.Expand(%x, %t) : (tensor<?x1xf32>, tensor<2xi64>) -> tensor<?x5xf32>
  %m = onnx.Shape(%z) : (tensor<?xf32>) -> tensor<1xi64>
  %u = onnx.Concat(%m, %five) {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %b = onnx.Expand(%x, %u) : (tensor<?x1xf32>, tensor<2xi64>) -> tensor<?x5xf32>
  return
}

// CHECK-LABEL: func @slice
func.func @slice(%x: tensor<2x?xf32>, %w: tensor<?x2xf32>) {
  // CHECK: %[[E:.*]] = onnx.Constant() {value = dense<9223372036854775807> : tensor<1xi64>}
  // CHECK: onnx.Slice(%arg0, %{{.*}}, %[[E]], %{{.*}})
  // CHECK: %[[N:.*]] = onnx.Shape(%arg1)
  // CHECK: onnx.Slice(%arg0, %{{.*}}, %[[N]], %{{.*}})
  %one = onnx.Constant() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %n = onnx.Shape(%x) {start = 1} : (tensor<2x?xf32>) -> tensor<1xi64>
  %a = onnx.Slice(%x, %one, %n, %one, _) : (tensor<2x?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x?xf32>
  %m = onnx.Shape(%w) {end = 1} : (tensor<?x2xf32>) -> tensor<1xi64>
  %b = onnx.Slice(%x, %one, %m, %one, _) : (tensor<2x?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x?xf32>
  return
}

// A number that a run brings may be 0, -1, or not fit: only the Reshape can
// say so.
// CHECK-LABEL: func @number_of_a_run
func.func @number_of_a_run(%y: tensor<?x6xf32>, %k: tensor<1xi64>) -> (tensor<?x6xf32>, tensor<?x3xf32>) {
  // CHECK: %[[T:.*]] = onnx.Concat(%arg1
  // CHECK: onnx.Reshape(%arg0, %[[T]])
  // CHECK: %[[U:.*]] = onnx.Concat(%{{.*}}, %{{.*}})
  // CHECK: onnx.Reshape(%arg0, %[[U]])
  %six = onnx.Constant() {value = dense<[6]> : tensor<1xi64>} : () -> tensor<1xi64>
  %three = onnx.Constant() {value = dense<[3]> : tensor<1xi64>} : () -> tensor<1xi64>
  %t = onnx.Concat(%k, %six) {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %a = onnx.Reshape(%y, %t) : (tensor<?x6xf32>, tensor<2xi64>) -> tensor<?x6xf32>
  %n = onnx.Neg(%k) : (tensor<1xi64>) -> tensor<1xi64>
  %u = onnx.Concat(%n, %three) {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %b = onnx.Reshape(%y, %u) : (tensor<?x6xf32>, tensor<2xi64>) -> tensor<?x3xf32>
  return %a, %b : tensor<?x6xf32>, tensor<?x3xf32>
}

// Ends before the end of a dim; the dim of another axis; backwards, where the
// end is behind the first element; unknown axes.
// CHECK-LABEL: func @no_slice
func.func @no_slice(%x: tensor<?x?xf32>, %p: tensor<1xi64>) {
  // CHECK-COUNT-4: onnx.Slice(%arg0, %{{.*}}, %[[#]]
  // CHECK-NOT: 9223372036854775807
  // CHECK: return
  %zero = onnx.Constant() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
  %one = onnx.Constant() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %back = onnx.Constant() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %n = onnx.Shape(%x) {start = 1} : (tensor<?x?xf32>) -> tensor<1xi64>
  %m = onnx.Sub(%n, %one) : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %a = onnx.Slice(%x, %zero, %m, %one, _) : (tensor<?x?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?xf32>
  %b = onnx.Slice(%x, %zero, %n, %zero, _) : (tensor<?x?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?xf32>
  %c = onnx.Slice(%x, %zero, %n, %one, %back) : (tensor<?x?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?xf32>
  %d = onnx.Slice(%x, %zero, %n, %p, _) : (tensor<?x?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?xf32>
  return
}

// The first tensor of a shape is asked for it; not one of another rank.
// CHECK-LABEL: func @moved_up
func.func @moved_up(%x: tensor<?x?xf32>, %axes: tensor<1xi64>) -> (tensor<2xi64>, tensor<3xi64>) {
  // CHECK: %[[U:.*]] = onnx.Unsqueeze
  // CHECK: onnx.Shape(%arg0)
  // CHECK: onnx.Shape(%[[U]])
  %r = onnx.Relu(%x) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %e = onnx.Exp(%r) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %u = onnx.Unsqueeze(%e, %axes) : (tensor<?x?xf32>, tensor<1xi64>) -> tensor<?x?x?xf32>
  %s = onnx.Shape(%e) : (tensor<?x?xf32>) -> tensor<2xi64>
  %t = onnx.Shape(%u) : (tensor<?x?x?xf32>) -> tensor<3xi64>
  return %s, %t : tensor<2xi64>, tensor<3xi64>
}

// As many elements as a shape may have, and one more.
// CHECK-LABEL: func @long_lists
func.func @long_lists() -> (tensor<64xi64>, tensor<65xi64>) {
  // CHECK: %[[A:.*]] = onnx.Constant() {value = dense<7> : tensor<64xi64>}
  // CHECK: %[[B:.*]] = onnx.Expand
  // CHECK: return %[[A]], %[[B]]
  %seven = onnx.Constant() {value = dense<7> : tensor<1xi64>} : () -> tensor<1xi64>
  %n = onnx.Constant() {value = dense<[64]> : tensor<1xi64>} : () -> tensor<1xi64>
  %m = onnx.Constant() {value = dense<[65]> : tensor<1xi64>} : () -> tensor<1xi64>
  %a = onnx.Expand(%seven, %n) : (tensor<1xi64>, tensor<1xi64>) -> tensor<64xi64>
  %b = onnx.Expand(%seven, %m) : (tensor<1xi64>, tensor<1xi64>) -> tensor<65xi64>
  return %a, %b : tensor<64xi64>, tensor<65xi64>
}

// A list of no elements is known, from all ops; what no schema describes
// stays all the same.
// CHECK-LABEL: func @empty_lists
func.func @empty_lists(%x: tensor<?xf32>) -> (tensor<0xi64>, tensor<0xi64>, tensor<0xi64>) {
  // CHECK: %[[A:.*]] = onnx.node "Foo"
  // CHECK: %[[B:.*]] = call @empty
  // CHECK: %[[C:.*]] = onnx.Constant() {value = dense<> : tensor<0xi64>}
  // CHECK: return %[[A]], %[[B]], %[[C]]
  %a = onnx.node "Foo" domain "com.example" version 1(%x) {} : (tensor<?xf32>) -> tensor<0xi64>
  %b = call @empty(%x) : (tensor<?xf32>) -> tensor<0xi64>
  %c = onnx.Shape(%x) {start = 1} : (tensor<?xf32>) -> tensor<0xi64>
  return %a, %b, %c : tensor<0xi64>, tensor<0xi64>, tensor<0xi64>
}
func.func private @empty(tensor<?xf32>) -> tensor<0xi64>

// A dimension is itself, however it is computed.
// CHECK-LABEL: func @reshape_to_same
func.func @reshape_to_same(%x: tensor<?x768xf32>) -> tensor<?x768xf32> {
  // CHECK: %[[S:.*]] = onnx.Constant() {value = dense<[0, 768]> : tensor<2xi64>}
  // CHECK: onnx.Reshape(%arg0, %[[S]])
  %zero = onnx.Constant() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %two = onnx.Constant() {value = dense<2> : tensor<1xi64>} : () -> tensor<1xi64>
  %length = onnx.Constant() {value = dense<768> : tensor<1xi64>} : () -> tensor<1xi64>
  %dims = onnx.Shape(%x) : (tensor<?x768xf32>) -> tensor<2xi64>
  %n = onnx.Gather(%dims, %zero) : (tensor<2xi64>, tensor<1xi64>) -> tensor<1xi64>
  %double = onnx.Mul(%n, %two) : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %again = onnx.Sub(%double, %n) : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %shape = onnx.Concat(%again, %length) {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %0 = onnx.Reshape(%x, %shape) : (tensor<?x768xf32>, tensor<2xi64>) -> tensor<?x768xf32>
  return %0 : tensor<?x768xf32>
}

// An end that is not before the dimension's is as good as it, one that may be
// is not.
// CHECK-LABEL: func @slice_behind_the_end
func.func @slice_behind_the_end(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  // CHECK: %[[LESS:.*]] = onnx.Sub
  // CHECK: %[[MAX:.*]] = onnx.Constant() {value = dense<9223372036854775807> : tensor<1xi64>}
  // CHECK: onnx.Slice(%arg0, %{{.*}}, %[[MAX]])
  // CHECK: onnx.Slice(%arg0, %{{.*}}, %[[LESS]])
  %one = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %n = onnx.Shape(%x) : (tensor<?xf32>) -> tensor<1xi64>
  %more = onnx.Add(%n, %one) : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %less = onnx.Sub(%n, %one) : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %0 = onnx.Slice(%x, %one, %more) : (tensor<?xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  %1 = onnx.Slice(%x, %one, %less) : (tensor<?xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// Whatever keeps the shape of its operand has that shape.
// CHECK-LABEL: func @shape_of_same_shape
// CHECK: onnx.Shape(%arg0)
func.func @shape_of_same_shape(%x: tensor<?x?xf32>) -> tensor<2xi64> {
  %0 = onnx.Softmax(%x) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = onnx.Shape(%0) : (tensor<?x?xf32>) -> tensor<2xi64>
  return %1 : tensor<2xi64>
}

// What size an input has is said by a Reshape to it, which stays; of other values it is how they are computed.
// CHECK-LABEL: func @size_of_input
// CHECK: %[[S:.*]] = onnx.Concat(
// CHECK: onnx.Reshape(%arg0, %[[S]])
// CHECK: onnx.Reshape(%{{.*}}, %{{c|cst|[0-9]+}})
func.func @size_of_input(%m: tensor<1x?xf32>, %a: tensor<?xf32>, %b: tensor<?xf32>) -> (tensor<1x?xf32>, tensor<1x?xf32>) {
  %one = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %i = onnx.Shape(%a) {start = 0} : (tensor<?xf32>) -> tensor<1xi64>
  %j = onnx.Shape(%b) {start = 0} : (tensor<?xf32>) -> tensor<1xi64>
  %n = onnx.Add(%i, %j) : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %s = onnx.Concat(%one, %n) {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %r = onnx.Reshape(%m, %s) {allowzero = 1} : (tensor<1x?xf32>, tensor<2xi64>) -> tensor<1x?xf32>
  %x = onnx.Abs(%m) : (tensor<1x?xf32>) -> tensor<1x?xf32>
  %y = onnx.Reshape(%x, %s) {allowzero = 1} : (tensor<1x?xf32>, tensor<2xi64>) -> tensor<1x?xf32>
  return %r, %y : tensor<1x?xf32>, tensor<1x?xf32>
}
