// What has no place in any memory is refused in words of the model.
// RUN: onnx-mlir-opt %s -onnxc-plan-memory -verify-diagnostics

func.func private @use(memref<4611686018427387904xf32>)

func.func @too_large(%ctx: !llvm.ptr, %in: !llvm.ptr, %out: !llvm.ptr) -> i32 attributes {onnxc.entry} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  // expected-error @below {{an intermediate result is larger than any memory}}
  %a = memref.alloc() : memref<4611686018427387904xf32>
  call @use(%a) : (memref<4611686018427387904xf32>) -> ()
  return %zero : i32
}
