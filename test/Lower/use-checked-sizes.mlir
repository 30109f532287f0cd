// RUN: onnx-mlir-opt %s --pass-pipeline="builtin.module(onnxc-use-checked-sizes)" -split-input-file | FileCheck %s

// Behind the check, and not before it.
// CHECK-LABEL: @main_graph
// CHECK: %[[A:.*]] = tensor.dim %arg0
// CHECK: %[[B:.*]] = tensor.dim %arg1
// CHECK: tensor.empty(%[[B]])
// CHECK: cf.assert
// CHECK: tensor.empty(%[[A]])
#past = #onnxc.value_info<name = "past", dtype = 1, dims = [-1], symbols = ["p"]>
module attributes {onnxc.signature = #onnxc.signature<inputs = [], outputs = [], states = [#onnxc.state<value = #past, output = "present", axis = 0, update = appended>]>} {
  func.func @main_graph(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) attributes {onnxc.entry} {
    %c0 = arith.constant 0 : index
    %a = tensor.dim %x, %c0 : tensor<?xf32>
    %b = tensor.dim %y, %c0 : tensor<?xf32>
    %0 = tensor.empty(%b) : tensor<?xf32>
    %equal = arith.cmpi eq, %b, %a : index
    cf.assert %equal, "equal"
    %1 = tensor.empty(%b) : tensor<?xf32>
    return %0, %1 : tensor<?xf32>, tensor<?xf32>
  }
}

// -----

// Nothing is appended to.
// CHECK-LABEL: @no_states
// CHECK: %[[B:.*]] = tensor.dim %arg1
// CHECK: tensor.empty(%[[B]])
func.func @no_states(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> attributes {onnxc.entry} {
  %c0 = arith.constant 0 : index
  %a = tensor.dim %x, %c0 : tensor<?xf32>
  %b = tensor.dim %y, %c0 : tensor<?xf32>
  %equal = arith.cmpi eq, %b, %a : index
  cf.assert %equal, "equal"
  %1 = tensor.empty(%b) : tensor<?xf32>
  return %1 : tensor<?xf32>
}
