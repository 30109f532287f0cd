// RUN: onnx-mlir-opt %s --onnxc-convert-functions | FileCheck %s

// One pass takes functions, branches and buffers.
// CHECK-LABEL: llvm.func @branches
// CHECK-NOT: {{cf|memref|func}}.
// CHECK: llvm.cond_br
// CHECK: llvm.store
// CHECK: llvm.call @pointer
// CHECK: llvm.return
func.func @branches(%buffer: memref<?xf32>, %fixed: memref<4xf32>, %i: i64, %x: f32, %c: i1) {
  cf.cond_br %c, ^store(%i : i64), ^end
^store(%at: i64):
  %index = builtin.unrealized_conversion_cast %at : i64 to index
  memref.store %x, %buffer[%index] : memref<?xf32>
  call @pointer(%fixed) : (memref<4xf32>) -> ()
  cf.br ^end
^end:
  return
}

// A buffer of known shape is a pointer where the function says so.
// CHECK: llvm.func @pointer(!llvm.ptr)
func.func private @pointer(memref<4xf32>) attributes {llvm.bareptr}

// The dimension is a constant behind a cast of types: its size is in the
// descriptor, and nothing is written to the stack.
// CHECK-LABEL: llvm.func @size
// CHECK-NOT: llvm.alloca
// CHECK: llvm.extractvalue %{{.*}}[3, 1]
// CHECK-NOT: llvm.alloca
// CHECK: llvm.return
func.func @size(%buffer: memref<4x?xf32>) -> i64 {
  %one = llvm.mlir.constant(1 : i64) : i64
  %dim = builtin.unrealized_conversion_cast %one : i64 to index
  %size = memref.dim %buffer, %dim : memref<4x?xf32>
  %result = builtin.unrealized_conversion_cast %size : index to i64
  return %result : i64
}
