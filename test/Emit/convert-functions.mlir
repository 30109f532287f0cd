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
