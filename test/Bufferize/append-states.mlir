// RUN: onnx-mlir-opt %s --pass-pipeline="builtin.module(onnxc-bind-abi,eliminate-empty-tensors,one-shot-bufferize{bufferize-function-boundaries},canonicalize,cse)" -split-input-file | FileCheck %s

// The rows behind those that are there are all that is written, and the joined
// heads are a view of the whole memory.
// CHECK-LABEL: func.func @main_graph(
// CHECK: %[[ROWS:.*]] = llvm.call @onnxc_rt_state_append(
// CHECK: llvm.call @onnxc_rt_state_capacity(
// CHECK-NOT: memref.alloc
// CHECK: memref.copy %{{.*}}, %{{.*}} : memref<1x2x?x4xf32{{.*}}> to memref<1x2x?x4xf32, strided<[?, ?, 4, 1], offset: ?>>
// CHECK-NOT: memref.copy
// CHECK: memref.collapse_shape %{{.*}} {{\[\[}}0, 1], [2], [3]] : memref<1x2x?x4xf32> into memref<2x?x4xf32>
// CHECK-NOT: memref.copy
// CHECK: linalg.batch_matmul
#x = #onnxc.value_info<name = "x", dtype = 1, dims = [1, 2, -1, 4], symbols = ["", "", "n", ""]>
#past = #onnxc.value_info<name = "past", dtype = 1, dims = [1, 2, -1, 4], symbols = ["", "", "p", ""]>
#y = #onnxc.value_info<name = "y", dtype = 1, dims = [2, -1, 4], symbols = ["", "", ""]>
module attributes {onnxc.signature = #onnxc.signature<inputs = [#x], outputs = [#y], states = [#onnxc.state<value = #past, output = "present", axis = 2, update = appended>]>} {
  func.func @main_graph(%x: tensor<1x2x?x4xf32>, %past: tensor<1x2x?x4xf32>) -> (tensor<2x?x4xf32>, tensor<1x2x?x4xf32>) attributes {onnxc.entry} {
    %c2 = arith.constant 2 : index
    %zero = arith.constant 0.0 : f32
    %w = arith.constant dense<1.0> : tensor<2x4x4xf32>
    %n = tensor.dim %x, %c2 : tensor<1x2x?x4xf32>
    %p = tensor.dim %past, %c2 : tensor<1x2x?x4xf32>
    %all = arith.addi %p, %n : index
    %empty = tensor.empty(%all) : tensor<1x2x?x4xf32>
    %before = tensor.insert_slice %past into %empty[0, 0, 0, 0] [1, 2, %p, 4] [1, 1, 1, 1] : tensor<1x2x?x4xf32> into tensor<1x2x?x4xf32>
    %present = tensor.insert_slice %x into %before[0, 0, %p, 0] [1, 2, %n, 4] [1, 1, 1, 1] : tensor<1x2x?x4xf32> into tensor<1x2x?x4xf32>
    %joined = tensor.collapse_shape %present [[0, 1], [2], [3]] : tensor<1x2x?x4xf32> into tensor<2x?x4xf32>
    %out = tensor.empty(%all) : tensor<2x?x4xf32>
    %start = linalg.fill ins(%zero : f32) outs(%out : tensor<2x?x4xf32>) -> tensor<2x?x4xf32>
    %y = linalg.batch_matmul ins(%joined, %w : tensor<2x?x4xf32>, tensor<2x4x4xf32>) outs(%start : tensor<2x?x4xf32>) -> tensor<2x?x4xf32>
    return %y, %present : tensor<2x?x4xf32>, tensor<1x2x?x4xf32>
  }
}

// -----

// A value that is made otherwise is made as always, and its new rows are copied
// behind the others.
// CHECK-LABEL: func.func @main_graph(
// CHECK: llvm.call @onnxc_rt_state_append(
// CHECK: linalg.generic
// CHECK: memref.copy %{{.*}}, %{{.*}} : memref<1x?xf32, strided<[?, 1], offset: ?>> to memref<1x?xf32, strided<[?, 1], offset: ?>>
#x = #onnxc.value_info<name = "x", dtype = 1, dims = [1, -1], symbols = ["", "n"]>
#past = #onnxc.value_info<name = "past", dtype = 1, dims = [1, -1], symbols = ["", "p"]>
module attributes {onnxc.signature = #onnxc.signature<inputs = [#x], outputs = [], states = [#onnxc.state<value = #past, output = "present", axis = 1, update = appended>]>} {
  func.func @main_graph(%x: tensor<1x?xf32>, %past: tensor<1x?xf32>) -> tensor<1x?xf32> attributes {onnxc.entry} {
    %c1 = arith.constant 1 : index
    %n = tensor.dim %x, %c1 : tensor<1x?xf32>
    %p = tensor.dim %past, %c1 : tensor<1x?xf32>
    %all = arith.addi %p, %n : index
    %empty = tensor.empty(%all) : tensor<1x?xf32>
    %present = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%empty : tensor<1x?xf32>) {
    ^bb0(%old: f32):
      %j = linalg.index 1 : index
      %i = linalg.index 0 : index
      %isPast = arith.cmpi slt, %j, %p : index
      %value = scf.if %isPast -> f32 {
        %a = tensor.extract %past[%i, %j] : tensor<1x?xf32>
        scf.yield %a : f32
      } else {
        %k = arith.subi %j, %p : index
        %b = tensor.extract %x[%i, %k] : tensor<1x?xf32>
        scf.yield %b : f32
      }
      linalg.yield %value : f32
    } -> tensor<1x?xf32>
    return %present : tensor<1x?xf32>
  }
}

// -----

// The first rows of the past stay where they are: what is behind them is all
// that is written, from a row on that the runtime is told.
// CHECK-LABEL: func.func @main_graph(
// CHECK: %[[FIRST:.*]] = memref.load
// CHECK: llvm.call @onnxc_rt_state_append(%{{.*}}, %{{.*}}, %{{.*}}, %[[FIRST]])
// CHECK-NOT: memref.alloc
// CHECK: memref.copy %{{.*}}, %{{.*}} : memref<1x2x?x4xf32{{.*}}> to memref<1x2x?x4xf32, strided<[?, ?, 4, 1], offset: ?>>
// CHECK-NOT: memref.copy
// CHECK: memref.collapse_shape %{{.*}} {{\[\[}}0, 1], [2], [3]] : memref<1x2x?x4xf32> into memref<2x?x4xf32>
// CHECK-NOT: memref.copy
// CHECK: linalg.batch_matmul
#x = #onnxc.value_info<name = "x", dtype = 1, dims = [1, 2, -1, 4], symbols = ["", "", "n", ""]>
#at = #onnxc.value_info<name = "at", dtype = 7, dims = [], symbols = []>
#past = #onnxc.value_info<name = "past", dtype = 1, dims = [1, 2, -1, 4], symbols = ["", "", "p", ""]>
#y = #onnxc.value_info<name = "y", dtype = 1, dims = [2, -1, 4], symbols = ["", "", ""]>
module attributes {onnxc.signature = #onnxc.signature<inputs = [#x, #at], outputs = [#y], states = [#onnxc.state<value = #past, output = "present", axis = 2, update = rewritten>]>} {
  func.func @main_graph(%x: tensor<1x2x?x4xf32>, %at: tensor<i64>, %past: tensor<1x2x?x4xf32>) -> (tensor<2x?x4xf32>, tensor<1x2x?x4xf32>) attributes {onnxc.entry} {
    %c2 = arith.constant 2 : index
    %zero = arith.constant 0.0 : f32
    %w = arith.constant dense<1.0> : tensor<2x4x4xf32>
    %n = tensor.dim %x, %c2 : tensor<1x2x?x4xf32>
    %i = tensor.extract %at[] : tensor<i64>
    %first = arith.index_cast %i : i64 to index
    %all = arith.addi %first, %n : index
    %empty = tensor.empty(%all) : tensor<1x2x?x4xf32>
    %kept = tensor.extract_slice %past[0, 0, 0, 0] [1, 2, %first, 4] [1, 1, 1, 1] : tensor<1x2x?x4xf32> to tensor<1x2x?x4xf32>
    %before = tensor.insert_slice %kept into %empty[0, 0, 0, 0] [1, 2, %first, 4] [1, 1, 1, 1] : tensor<1x2x?x4xf32> into tensor<1x2x?x4xf32>
    %present = tensor.insert_slice %x into %before[0, 0, %first, 0] [1, 2, %n, 4] [1, 1, 1, 1] : tensor<1x2x?x4xf32> into tensor<1x2x?x4xf32>
    %seen = tensor.extract_slice %present[0, 0, 0, 0] [1, 2, %first, 4] [1, 1, 1, 1] : tensor<1x2x?x4xf32> to tensor<1x2x?x4xf32>
    %joined = tensor.collapse_shape %seen [[0, 1], [2], [3]] : tensor<1x2x?x4xf32> into tensor<2x?x4xf32>
    %out = tensor.empty(%first) : tensor<2x?x4xf32>
    %start = linalg.fill ins(%zero : f32) outs(%out : tensor<2x?x4xf32>) -> tensor<2x?x4xf32>
    %y = linalg.batch_matmul ins(%joined, %w : tensor<2x?x4xf32>, tensor<2x4x4xf32>) outs(%start : tensor<2x?x4xf32>) -> tensor<2x?x4xf32>
    return %y, %present : tensor<2x?x4xf32>, tensor<1x2x?x4xf32>
  }
}

// -----

// Made otherwise, it is copied as a whole.
// CHECK-LABEL: func.func @main_graph(
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK: llvm.call @onnxc_rt_state_append(%{{.*}}, %{{.*}}, %{{.*}}, %[[ZERO]])
// CHECK: linalg.negf
// CHECK: memref.copy %{{.*}}, %{{.*}} : memref<1x?xf32, strided<[?, 1]>> to memref<1x?xf32, strided<[?, 1]>>
#x = #onnxc.value_info<name = "x", dtype = 1, dims = [1, -1], symbols = ["", "n"]>
#past = #onnxc.value_info<name = "past", dtype = 1, dims = [1, -1], symbols = ["", "p"]>
module attributes {onnxc.signature = #onnxc.signature<inputs = [#x], outputs = [], states = [#onnxc.state<value = #past, output = "present", axis = 1, update = rewritten>]>} {
  func.func @main_graph(%x: tensor<1x?xf32>, %past: tensor<1x?xf32>) -> tensor<1x?xf32> attributes {onnxc.entry} {
    %c1 = arith.constant 1 : index
    %n = tensor.dim %x, %c1 : tensor<1x?xf32>
    %empty = tensor.empty(%n) : tensor<1x?xf32>
    %present = linalg.negf ins(%x : tensor<1x?xf32>) outs(%empty : tensor<1x?xf32>) -> tensor<1x?xf32>
    return %present : tensor<1x?xf32>
  }
}

// -----

// Branches are bound each for itself: one appends where the rows are, one
// begins anew, and one leaves the state as it is. The sizes that something asks
// for are results in its place.
// CHECK-LABEL: func.func @main_graph(
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK: %[[LENGTH:.*]] = scf.if %{{.*}} -> (index)
// CHECK: llvm.call @onnxc_rt_state_append(
// CHECK: memref.copy %{{.*}}, %{{.*}} : memref<1x?xf32> to memref<1x?xf32, strided<[?, 1], offset: ?>>
// CHECK-NEXT: scf.yield
// CHECK-NEXT: } else {
// CHECK: scf.if %{{.*}} -> (index, index)
// CHECK: llvm.call @onnxc_rt_state_append(%{{.*}}, %{{.*}}, %{{.*}}, %[[ZERO]])
// CHECK: memref.copy %{{.*}}, %{{.*}} : memref<1x?xf32, strided<[?, 1]>> to memref<1x?xf32, strided<[?, 1]>>
// CHECK-NEXT: scf.yield
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield
// CHECK: arith.index_cast %[[LENGTH]]
// CHECK-NOT: onnxc_rt_state_append
#x = #onnxc.value_info<name = "x", dtype = 1, dims = [1, -1], symbols = ["", "n"]>
#c = #onnxc.value_info<name = "c", dtype = 9, dims = [2], symbols = [""]>
#past = #onnxc.value_info<name = "past", dtype = 1, dims = [1, -1], symbols = ["", "p"]>
#y = #onnxc.value_info<name = "y", dtype = 7, dims = [], symbols = []>
module attributes {onnxc.signature = #onnxc.signature<inputs = [#x, #c], outputs = [#y], states = [#onnxc.state<value = #past, output = "present", axis = 1, update = rewritten>]>} {
  func.func @main_graph(%x: tensor<1x?xf32>, %c: tensor<2xi1>, %past: tensor<1x?xf32>) -> (tensor<i64>, tensor<1x?xf32>) attributes {onnxc.entry} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %first = tensor.extract %c[%c0] : tensor<2xi1>
    %second = tensor.extract %c[%c1] : tensor<2xi1>
    %n = tensor.dim %x, %c1 : tensor<1x?xf32>
    %present = scf.if %first -> tensor<1x?xf32> {
      %p = tensor.dim %past, %c1 : tensor<1x?xf32>
      %all = arith.addi %p, %n : index
      %empty = tensor.empty(%all) : tensor<1x?xf32>
      %before = tensor.insert_slice %past into %empty[0, 0] [1, %p] [1, 1] : tensor<1x?xf32> into tensor<1x?xf32>
      %made = tensor.insert_slice %x into %before[0, %p] [1, %n] [1, 1] : tensor<1x?xf32> into tensor<1x?xf32>
      scf.yield %made : tensor<1x?xf32>
    } else {
      %loose = scf.if %second -> tensor<?x?xf32> {
        %begun = tensor.cast %x : tensor<1x?xf32> to tensor<?x?xf32>
        scf.yield %begun : tensor<?x?xf32>
      } else {
        %kept = tensor.cast %past : tensor<1x?xf32> to tensor<?x?xf32>
        scf.yield %kept : tensor<?x?xf32>
      }
      %other = tensor.cast %loose : tensor<?x?xf32> to tensor<1x?xf32>
      %size = tensor.dim %other, %c1 : tensor<1x?xf32>
      %some = arith.cmpi sgt, %size, %c0 : index
      cf.assert %some, "none"
      scf.yield %other : tensor<1x?xf32>
    }
    %length = tensor.dim %present, %c1 : tensor<1x?xf32>
    %i = arith.index_cast %length : index to i64
    %y = tensor.from_elements %i : tensor<i64>
    return %y, %present : tensor<i64>, tensor<1x?xf32>
  }
}
