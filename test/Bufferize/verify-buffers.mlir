// RUN: onnx-mlir-opt %s -split-input-file -onnxc-verify-buffers -verify-diagnostics

func.func @tensor_left() {
  // expected-error @below {{a tensor is left after bufferization}}
  %e = tensor.empty() : tensor<4xf32>
  return
}

// -----

func.func @unplanned() {
  // expected-error @below {{memory is left that 'onnxc-plan-memory' did not place}}
  %e = memref.alloc() : memref<4xf32>
  return
}

// -----

// expected-error @below {{takes 65536 bytes of stack, at most 32768 are allowed}}
func.func @deep_stack() {
  %a = memref.alloca() : memref<8192xf32>
  %b = memref.alloca() : memref<8192xf32>
  return
}

// -----

func.func @stack_in_loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @below {{takes stack in a loop}}
    %a = memref.alloca() : memref<4xf32>
  }
  return
}

// -----

func.func @open_stack(%n: index) {
  // expected-error @below {{takes an unknown amount of stack}}
  %a = memref.alloca(%n) : memref<?xf32>
  return
}

// -----

// expected-error @below {{the entry has the form (ctx, inputs, outputs) -> i32 after bufferization}}
func.func @no_abi() attributes {onnxc.entry} {
  return
}

// -----

func.func @dropped_dimension(%x: memref<1x?x?x?xf32>, %n: index, %m: index) -> memref<1x?x?xf32, strided<[?, ?, 1]>> {
  // expected-error @below {{LLVM would take another dimension for the one that is dropped}}
  %y = memref.subview %x[0, 0, 0, 0] [1, %n, 1, %m] [1, 1, 1, 1] : memref<1x?x?x?xf32> to memref<1x?x?xf32, strided<[?, ?, 1]>>
  return %y : memref<1x?x?xf32, strided<[?, ?, 1]>>
}
