// RUN: onnx-mlir-opt %s -split-input-file -onnxc-bind-abi -verify-diagnostics | FileCheck %s

// The entry gets the C signature. A module without #onnxc.signature gets one by
// the entry's types.
// CHECK: onnxc.signature = #onnxc.signature<
// CHECK-SAME: inputs = [#onnxc.value_info<name = "input0", dtype = 1, dims = [-1, 8], symbols = ["", ""]>]
// CHECK-SAME: outputs = [#onnxc.value_info<name = "output0", dtype = 1, dims = [-1, 8], symbols = ["", ""]>]
// CHECK: func.func @dynamic_result(%[[CTX:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr, %[[OUT:.*]]: !llvm.ptr) -> i32 attributes {onnxc.entry}
// CHECK: %[[X:.*]] = bufferization.to_tensor %{{.*}} restrict : memref<?x8xf32>
// The result's buffer is asked for as soon as its size is known and what can be
// wrong with it has been checked: before the work.
// CHECK: %[[N:.*]] = tensor.dim %[[X]]
// CHECK: cf.assert %{{.*}}, "node 'exp' (Exp): too long"
// CHECK: %[[P:.*]] = llvm.call @onnxc_rt_output(%[[CTX]], %[[OUT]]
// CHECK: cf.assert %{{.*}}, ""
// CHECK: %[[Y:.*]] = linalg.exp
// CHECK: bufferization.materialize_in_destination %[[Y]] in restrict writable
// CHECK: return %{{.*}} : i32
func.func @dynamic_result(%x: tensor<?x8xf32>) -> tensor<?x8xf32> attributes {onnxc.entry} {
  %c0 = arith.constant 0 : index
  %c9 = arith.constant 9 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %ok = arith.cmpi slt, %n, %c9 : index
  cf.assert %ok, "node 'exp' (Exp): too long"
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %y = linalg.exp ins(%x : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

// A result that is another shape of a value: the value goes to the buffer.
// CHECK-LABEL: func.func @reshaped_result
// CHECK: %[[Y:.*]] = linalg.exp
// CHECK: bufferization.materialize_in_destination %[[Y]] in restrict writable %{{.*}} : (tensor<6xf32>, memref<6xf32>)
func.func @reshaped_result(%x: tensor<6xf32>) -> tensor<2x3xf32> attributes {onnxc.entry} {
  %e = tensor.empty() : tensor<6xf32>
  %y = linalg.exp ins(%x : tensor<6xf32>) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %z = tensor.expand_shape %y [[0, 1]] output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
  return %z : tensor<2x3xf32>
}

// -----

// The same of open sizes, which are multiplied.
// CHECK-LABEL: func.func @reshaped_open_result
// CHECK: %[[ROWS:.*]] = arith.muli
// CHECK: llvm.call @onnxc_rt_output
// CHECK: arith.index_cast %[[ROWS]] : index to i64
// CHECK: %[[Y:.*]] = linalg.exp
// CHECK: bufferization.materialize_in_destination %[[Y]] in restrict writable %{{.*}} : (tensor<?x8xf32>, memref<?x8xf32>)
func.func @reshaped_open_result(%x: tensor<?x?x8xf32>) -> tensor<?x?x8xf32> attributes {onnxc.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?x8xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?x8xf32>
  %rows = arith.muli %n, %m : index
  %flat = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x8xf32> into tensor<?x8xf32>
  %e = tensor.empty(%rows) : tensor<?x8xf32>
  %y = linalg.exp ins(%flat : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %z = tensor.expand_shape %y [[0, 1], [2]] output_shape [%n, %m, 8] : tensor<?x8xf32> into tensor<?x?x8xf32>
  return %z : tensor<?x?x8xf32>
}

// -----

// An input, the same input again, and a constant: each has its own buffer.
// CHECK-LABEL: func.func @passed_through
// CHECK-COUNT-3: llvm.call @onnxc_rt_output
// CHECK-COUNT-3: bufferization.materialize_in_destination
func.func @passed_through(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<2xf32>) attributes {onnxc.entry} {
  %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %x, %x, %c : tensor<4xf32>, tensor<4xf32>, tensor<2xf32>
}

// -----

// expected-error @below {{input 'input0' has type 'tensor<*xf32>', expected a handle (i64) or a tensor of numbers with a rank of at most 16}}
func.func @unranked(%x: tensor<*xf32>) attributes {onnxc.entry} {
  return
}

// -----

func.func @first() attributes {onnxc.entry} { return }
// expected-error @below {{a module has one entry function, and one that is marked 'onnxc.overridden', but 'first' and 'second' are marked 'onnxc.entry'}}
func.func @second() attributes {onnxc.entry} { return }

// -----

// expected-error @below {{is marked 'onnxc.overridden', which the second entry function is}}
func.func @alone() attributes {onnxc.entry, onnxc.overridden} { return }

// -----

module attributes {onnxc.signature = #onnxc.signature<inputs = [#onnxc.value_info<name = "x", dtype = 1>], outputs = [#onnxc.value_info<name = "y", dtype = 1>]>} {
  // expected-error @below {{has 2 arguments and 1 results, but onnxc.signature has 1 inputs, 1 outputs and 0 states}}
  func.func @counts(%x: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> attributes {onnxc.entry} {
    return %x : tensor<4xf32>
  }
}
