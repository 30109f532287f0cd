// RUN: onnx-mlir-opt %s -split-input-file -verify-diagnostics | onnx-mlir-opt -split-input-file | FileCheck %s

// What has its default value is not printed.
// CHECK: module @one attributes {onnxc.signature = #onnxc.signature<name = "m", opset = 18, inputs = [#onnxc.value_info<name = "x", dtype = 1, dims = [-1, 4], symbols = ["N", ""]>, #onnxc.value_info<name = "k", dtype = 7, dims = [], default_value = dense<3> : tensor<i64>>], outputs = [#onnxc.value_info<name = "list", dtype = 101, type = "seq(tensor(float))">]>}
module @one attributes {onnxc.signature = #onnxc.signature<name = "m", opset = 18,
  inputs = [#onnxc.value_info<name = "x", dtype = 1, dims = [-1, 4], symbols = ["N", ""]>,
            #onnxc.value_info<name = "k", dtype = 7, dims = [], default_value = dense<3> : tensor<i64>>],
  outputs = [#onnxc.value_info<name = "list", dtype = 101, type = "seq(tensor(float))">]>} {}

// -----

// expected-error @below {{'x' has 1 symbols, expected one for each of its 2 dims}}
module attributes {a = #onnxc.value_info<name = "x", dtype = 1, dims = [2, 4], symbols = ["N"]>} {}

// -----

// expected-error @below {{'x' has default_offset without a default_value}}
module attributes {a = #onnxc.value_info<name = "x", dtype = 1, default_offset = 64>} {}

// -----

// expected-error @below {{inputs and outputs must be #onnxc.value_info}}
module attributes {a = #onnxc.signature<inputs = ["x"], outputs = []>} {}

// -----

// expected-error @+1 {{an input without a default value is behind one that has one}}
module attributes {a = #onnxc.signature<inputs = [#onnxc.value_info<name = "k", dtype = 7, default_value = dense<3> : tensor<i64>>, #onnxc.value_info<name = "x", dtype = 1>], outputs = []>} {}

// -----

// expected-error @+1 {{an output has a default value}}
module attributes {a = #onnxc.signature<inputs = [], outputs = [#onnxc.value_info<name = "k", dtype = 7, default_value = dense<3> : tensor<i64>>]>} {}

// -----

// CHECK: #onnxc.state<value = <name = "s", dtype = 1, dims = [2, 4]>, output = "t">
// CHECK-SAME: #onnxc.state<value = <name = "s", dtype = 1, dims = [2, 4]>, output = "t", axis = 1>
// CHECK-SAME: #onnxc.state<value = <name = "s", dtype = 1, dims = [2, 4]>, output = "t", axis = 1, update = appended>
// CHECK-SAME: #onnxc.state<value = <name = "s", dtype = 1, dims = [2, 4]>, output = "t", axis = 1, update = rewritten>
// CHECK-SAME: #onnxc.state<value = <name = "s", dtype = 1, dims = [2, 4]>, output = "t", update = overwritten>
#s = #onnxc.value_info<name = "s", dtype = 1, dims = [2, 4]>
module @states attributes {onnxc.signature = #onnxc.signature<inputs = [], outputs = [], states = [
  #onnxc.state<value = #s, output = "t", update = made>,
  #onnxc.state<value = #s, output = "t", axis = 1>,
  #onnxc.state<value = #s, output = "t", axis = 1, update = appended>,
  #onnxc.state<value = #s, output = "t", axis = 1, update = rewritten>,
  #onnxc.state<value = #s, output = "t", update = overwritten>]>} {}

// -----

#s = #onnxc.value_info<name = "s", dtype = 1, dims = [2, 4]>
// expected-error @below {{state 's' is appended, and does not grow}}
module attributes {a = #onnxc.state<value = #s, output = "t", update = appended>} {}

// -----

#s = #onnxc.value_info<name = "s", dtype = 1, dims = [2, 4]>
// expected-error @below {{state 's' is rewritten, and does not grow}}
module attributes {a = #onnxc.state<value = #s, output = "t", update = rewritten>} {}

// -----

#s = #onnxc.value_info<name = "s", dtype = 1, dims = [2, 4]>
// expected-error @below {{state 's' is overwritten, and grows}}
module attributes {a = #onnxc.state<value = #s, output = "t", axis = 1, update = overwritten>} {}
