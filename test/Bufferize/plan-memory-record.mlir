// RUN: onnx-mlir-opt %s '--pass-pipeline=builtin.module(onnxc-mark-regions,onnxc-plan-memory{record=true})' --mlir-print-debuginfo | FileCheck %s

// What the sizes are multiples of; of each static temporary the offset, the bytes, and the first and the last
// position in the program; of each region its number and where it begins and ends.
// The number of a kernel goes from the op to its region.
// CHECK: onnxc.memory_plan = {
// CHECK-SAME: alignment = 64 : i64, buffers = array<i64: 0, 4096, [[BEGIN:[0-9]+]], [[END:[0-9]+]], 4096, 4096, [[BEGIN]], {{[0-9]+}}>
// CHECK-SAME: locations = [#{{[a-z0-9]+}}, #{{[a-z0-9]+}}]
// CHECK-SAME: open = 1 : i64
// CHECK-SAME: regions = array<i64: 0, {{[0-9]+}}, {{[0-9]+}}, 1, {{[0-9]+}}, {{[0-9]+}}>}
// CHECK-SAME: onnxc.regions = [{kernel = 7 : i64, kind = "kernel", locations = [#{{[a-z0-9]+}}]}, {kind = "kernel",
// CHECK-NOT: onnxc.kernel
func.func @main_graph(%ctx: !llvm.ptr, %inputs: !llvm.ptr, %outputs: !llvm.ptr) -> i32 attributes {onnxc.entry} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %size = arith.constant 3 : index
  %a = memref.alloc() : memref<32x32xf32> loc("a")
  %b = memref.alloc() : memref<32x32xf32> loc("b")
  linalg.transpose ins(%a : memref<32x32xf32>) outs(%b : memref<32x32xf32>) permutation = [1, 0] {onnxc.kernel = 7 : i64}
  %open = memref.alloc(%size) : memref<?x32xf32>
  %c = arith.constant 0.0 : f32
  linalg.fill ins(%c : f32) outs(%open : memref<?x32xf32>)
  return %zero : i32
}

// Without the option there is no plan to look at.
// RUN: onnx-mlir-opt %s --onnxc-plan-memory | FileCheck %s --check-prefix=PLAIN
// PLAIN-NOT: onnxc.memory_plan
