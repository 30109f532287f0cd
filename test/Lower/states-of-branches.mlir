// RUN: onnx-mlir-opt %s -onnxc-lower-to-linalg -split-input-file -verify-diagnostics | FileCheck %s

// Every branch appends.
// CHECK: output = "present", axis = 1, update = appended>
module attributes {onnx.model_name = "g"} {
  func.func @all(%c: tensor<i1>, %x: tensor<1x?xf32> {onnx.name = "x"}, %past: tensor<1x?xf32> {onnx.name = "past", onnx.state = "present", onnx.state_axis = 1 : i64}) -> (tensor<1x?xf32> {onnx.name = "present"}) attributes {onnx.entry} {
    // expected-remark @+1 {{state 'present': new rows are appended in place}}
    %0 = onnx.If(%c) then_branch {
      %a = onnx.Concat(%past, %x) {axis = 1 : i64} : (tensor<1x?xf32>, tensor<1x?xf32>) -> tensor<1x?xf32>
      onnx.yield %a : tensor<1x?xf32>
    } else_branch {
      %same = onnx.Identity(%past) : (tensor<1x?xf32>) -> tensor<1x?xf32>
      onnx.yield %same : tensor<1x?xf32>
    } : (tensor<i1>) -> tensor<1x?xf32>
    return %0 : tensor<1x?xf32>
  }
}

// -----

// What a branch makes otherwise are rows in the place of all that are there.
// CHECK: output = "present", axis = 1, update = rewritten>
module attributes {onnx.model_name = "g"} {
  func.func @begins(%c: tensor<i1>, %x: tensor<1x?xf32> {onnx.name = "x"}, %past: tensor<1x?xf32> {onnx.name = "past", onnx.state = "present", onnx.state_axis = 1 : i64}) -> (tensor<1x?xf32> {onnx.name = "present"}) attributes {onnx.entry} {
    // expected-remark @+1 {{state 'present': new rows are appended in place, unless a run writes rows before them}}
    %0 = onnx.If(%c) then_branch {
      %a = onnx.Concat(%past, %x) {axis = 1 : i64} : (tensor<1x?xf32>, tensor<1x?xf32>) -> tensor<1x?xf32>
      onnx.yield %a : tensor<1x?xf32>
    } else_branch {
      %b = onnx.Neg(%x) : (tensor<1x?xf32>) -> tensor<1x?xf32>
      onnx.yield %b : tensor<1x?xf32>
    } : (tensor<i1>) -> tensor<1x?xf32>
    return %0 : tensor<1x?xf32>
  }
}

// -----

// Behind the If, the rows would have to be put together anyway.
// CHECK: output = "present", axis = 1>
module attributes {onnx.model_name = "g"} {
  func.func @read(%c: tensor<i1>, %x: tensor<1x?xf32> {onnx.name = "x"}, %past: tensor<1x?xf32> {onnx.name = "past", onnx.state = "present", onnx.state_axis = 1 : i64}) -> (tensor<1x?xf32> {onnx.name = "y"}, tensor<1x?xf32> {onnx.name = "present"}) attributes {onnx.entry} {
    // expected-remark @+1 {{state 'present': each run writes all of it: it is read behind the If that makes it}}
    %0 = onnx.If(%c) then_branch {
      %a = onnx.Concat(%past, %x) {axis = 1 : i64} : (tensor<1x?xf32>, tensor<1x?xf32>) -> tensor<1x?xf32>
      onnx.yield %a : tensor<1x?xf32>
    } else_branch {
      onnx.yield %x : tensor<1x?xf32>
    } : (tensor<i1>) -> tensor<1x?xf32>
    %y = onnx.Neg(%0) : (tensor<1x?xf32>) -> tensor<1x?xf32>
    return %y, %0 : tensor<1x?xf32>, tensor<1x?xf32>
  }
}

// -----

// An encoder's part, which a decoder only reads once it is there.
// CHECK: output = "present">
module attributes {onnx.model_name = "g"} {
  func.func @encoder(%c: tensor<i1>, %x: tensor<1x4xf32> {onnx.name = "x"}, %past: tensor<1x4xf32> {onnx.name = "past", onnx.state = "present", onnx.state_axis = -1 : i64}) -> (tensor<1x4xf32> {onnx.name = "present"}) attributes {onnx.entry} {
    // expected-remark @+1 {{state 'present': a run leaves it as it is, or writes all of it: it does not grow}}
    %0 = onnx.If(%c) then_branch {
      onnx.yield %past : tensor<1x4xf32>
    } else_branch {
      %b = onnx.Neg(%x) : (tensor<1x4xf32>) -> tensor<1x4xf32>
      onnx.yield %b : tensor<1x4xf32>
    } : (tensor<i1>) -> tensor<1x4xf32>
    return %0 : tensor<1x4xf32>
  }
}
