// RUN: onnx-mlir-opt %s --pass-pipeline="builtin.module(onnxc-bind-abi,eliminate-empty-tensors,one-shot-bufferize{bufferize-function-boundaries},canonicalize,cse)" -split-input-file | FileCheck %s

// Rows of each sample are kept before they are written where they lie; nothing
// else is copied, and what reads the next value reads the same memory.
// CHECK-LABEL: func.func @main_graph(
// CHECK-NOT: memref.alloc
// CHECK: scf.for
// CHECK: llvm.call @onnxc_rt_state_overwrite(
// CHECK: memref.copy %{{.*}} : memref<1x2x4xf32{{.*}}> to memref<1x2x4xf32{{.*}}>
// CHECK-NOT: memref.copy
// CHECK-NOT: llvm.call @onnxc_rt_output
#x = #onnxc.value_info<name = "x", dtype = 1, dims = [3, 2, 4], symbols = ["", "", ""]>
#at = #onnxc.value_info<name = "at", dtype = 7, dims = [3], symbols = [""]>
#past = #onnxc.value_info<name = "past", dtype = 1, dims = [3, 8, 4], symbols = ["", "", ""]>
module attributes {onnxc.signature = #onnxc.signature<inputs = [#x, #at], outputs = [], states = [#onnxc.state<value = #past, output = "present", update = overwritten>]>} {
  func.func @main_graph(%x: tensor<3x2x4xf32>, %at: tensor<3xi64>, %past: tensor<3x8x4xf32>) -> tensor<3x8x4xf32> attributes {onnxc.entry} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %present = scf.for %i = %c0 to %c3 step %c1 iter_args(%cache = %past) -> tensor<3x8x4xf32> {
      %row = tensor.extract %at[%i] : tensor<3xi64>
      %first = arith.index_cast %row : i64 to index
      %new = tensor.extract_slice %x[%i, 0, 0] [1, 2, 4] [1, 1, 1] : tensor<3x2x4xf32> to tensor<1x2x4xf32>
      %next = tensor.insert_slice %new into %cache[%i, %first, 0] [1, 2, 4] [1, 1, 1] : tensor<1x2x4xf32> into tensor<3x8x4xf32>
      scf.yield %next : tensor<3x8x4xf32>
    }
    return %present : tensor<3x8x4xf32>
  }
}

// -----

// A value that is made otherwise has memory of its own.
// CHECK-LABEL: func.func @main_graph(
// CHECK-NOT: onnxc_rt_state_overwrite
// CHECK: llvm.call @onnxc_rt_output(
// CHECK: linalg.generic
#past = #onnxc.value_info<name = "past", dtype = 1, dims = [3, 8], symbols = ["", ""]>
module attributes {onnxc.signature = #onnxc.signature<inputs = [], outputs = [], states = [#onnxc.state<value = #past, output = "present", update = overwritten>]>} {
  func.func @main_graph(%past: tensor<3x8xf32>) -> tensor<3x8xf32> attributes {onnxc.entry} {
    %empty = tensor.empty() : tensor<3x8xf32>
    %present = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, 7 - j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%past : tensor<3x8xf32>) outs(%empty : tensor<3x8xf32>) {
    ^bb0(%value: f32, %old: f32):
      linalg.yield %value : f32
    } -> tensor<3x8xf32>
    return %present : tensor<3x8xf32>
  }
}

// -----

// So has one whose value before is read as well: a failure would not take back
// what other operations write there.
// CHECK-LABEL: func.func @main_graph(
// CHECK-NOT: onnxc_rt_state_overwrite
// CHECK: llvm.call @onnxc_rt_output(
#x = #onnxc.value_info<name = "x", dtype = 1, dims = [1, 2], symbols = ["", ""]>
#past = #onnxc.value_info<name = "past", dtype = 1, dims = [1, 8], symbols = ["", ""]>
#y = #onnxc.value_info<name = "y", dtype = 1, dims = [1, 8], symbols = ["", ""]>
module attributes {onnxc.signature = #onnxc.signature<inputs = [#x], outputs = [#y], states = [#onnxc.state<value = #past, output = "present", update = overwritten>]>} {
  func.func @main_graph(%x: tensor<1x2xf32>, %past: tensor<1x8xf32>) -> (tensor<1x8xf32>, tensor<1x8xf32>) attributes {onnxc.entry} {
    %y = tensor.insert_slice %x into %past[0, 4] [1, 2] [1, 1] : tensor<1x2xf32> into tensor<1x8xf32>
    %present = tensor.insert_slice %x into %past[0, 2] [1, 2] [1, 1] : tensor<1x2xf32> into tensor<1x8xf32>
    return %y, %present : tensor<1x8xf32>, tensor<1x8xf32>
  }
}

// -----

// What is computed for the slice is computed elsewhere, before it is checked and
// kept: eliminate-empty-tensors would have it written into the state.
// CHECK-LABEL: func.func @main_graph(
// CHECK: %[[NEW:.*]] = memref.alloc
// CHECK: linalg.generic {{.*}} outs(%[[NEW]]
// CHECK: cf.assert %{{.*}}, "room"
// CHECK: llvm.call @onnxc_rt_state_overwrite(
// CHECK: memref.copy
#x = #onnxc.value_info<name = "x", dtype = 1, dims = [1, 2], symbols = ["", ""]>
#at = #onnxc.value_info<name = "at", dtype = 7, dims = [1], symbols = [""]>
#past = #onnxc.value_info<name = "past", dtype = 1, dims = [1, 8], symbols = ["", ""]>
module attributes {onnxc.signature = #onnxc.signature<inputs = [#x, #at], outputs = [], states = [#onnxc.state<value = #past, output = "present", update = overwritten>]>} {
  func.func @main_graph(%x: tensor<1x2xf32>, %at: tensor<1xi64>, %past: tensor<1x8xf32>) -> tensor<1x8xf32> attributes {onnxc.entry} {
    %c0 = arith.constant 0 : index
    %c7 = arith.constant 7 : index
    %empty = tensor.empty() : tensor<1x2xf32>
    %new = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x2xf32>) outs(%empty : tensor<1x2xf32>) {
    ^bb0(%value: f32, %old: f32):
      %negative = arith.negf %value : f32
      linalg.yield %negative : f32
    } -> tensor<1x2xf32>
    %row = tensor.extract %at[%c0] : tensor<1xi64>
    %first = arith.index_cast %row : i64 to index
    %ok = arith.cmpi ult, %first, %c7 : index
    cf.assert %ok, "room"
    %next = tensor.insert_slice %new into %past[0, %first] [1, 2] [1, 1] : tensor<1x2xf32> into tensor<1x8xf32>
    return %next : tensor<1x8xf32>
  }
}
