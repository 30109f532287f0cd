// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(onnx-specialize-inputs{dims=N=0,M=2,M=2})' | FileCheck %s
// RUN: not onnx-mlir-opt %s --pass-pipeline='builtin.module(onnx-specialize-inputs{dims=N=-1})' 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not onnx-mlir-opt %s --pass-pipeline='builtin.module(onnx-specialize-inputs{dims=N})' 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not onnx-mlir-opt %s --pass-pipeline='builtin.module(onnx-specialize-inputs{dims==2})' 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not onnx-mlir-opt %s --pass-pipeline='builtin.module(onnx-specialize-inputs{dims=N=2,N=3})' 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not onnx-mlir-opt %s --pass-pipeline='builtin.module(onnx-specialize-inputs{dims=K=2})' 2>&1 | FileCheck %s --check-prefix=NONE

// None is a size, too; what is told twice is told.
// CHECK: @entry(%arg0: tensor<0x2xf32>
// CHECK-SAME: %arg1: tensor<?x0xf32>
// NEGATIVE: dimension 'N=-1': expected a name and a size, as in seq=128
// SIZE: dimension 'N': expected a name and a size, as in seq=128
// NAME: dimension '=2': expected a name and a size, as in seq=128
// TWO: dimension 'N' is given as 2 and as 3
// NONE: K
func.func @entry(%x: tensor<?x?xf32> {onnx.dim_params = ["N", "M"], onnx.name = "x"}, %y: tensor<?x?xf32> {onnx.dim_params = ["", "N"], onnx.name = "y"}) attributes {onnx.entry} {
  return
}
