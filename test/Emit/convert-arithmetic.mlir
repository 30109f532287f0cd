// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(func.func(onnxc-convert-arithmetic))' | FileCheck %s
// RUN: onnx-mlir-opt %s --pass-pipeline='builtin.module(func.func(onnxc-convert-arithmetic{reassociate-fp-reductions=true}))' | FileCheck %s --check-prefix=ANY

// One pass takes each dialect of arithmetic; what is on buffers stays.
// CHECK-LABEL: func @each_dialect
// CHECK-NOT: {{arith|math|complex|ub|index}}.
// CHECK: llvm.intr.sqrt
// CHECK: memref.store
func.func @each_dialect(%x: f32, %i: index, %buffer: memref<4xf32>) -> (f32, index) {
  %c3 = index.constant 3
  %unused = ub.poison : f32
  %root = math.sqrt %x : f32
  %c = complex.create %root, %unused : complex<f32>
  %re = complex.re %c : complex<f32>
  %sum = arith.addf %re, %x : f32
  %up = arith.ceildivsi %i, %c3 : index
  memref.store %sum, %buffer[%i] : memref<4xf32>
  return %sum, %up : f32, index
}

// Vectors of more dimensions are arrays of rows, also where their elements are given one by one.
// CHECK-LABEL: func @vectors
// CHECK-NOT: vector.
// CHECK: llvm.mlir.poison : !llvm.array<2 x vector<2xf32>>
func.func @vectors(%a: f32, %b: f32) -> vector<2x2xf32> {
  %v = vector.from_elements %a, %b, %b, %a : vector<2x2xf32>
  return %v : vector<2x2xf32>
}

// The order of a sum is free where the option says so.
// CHECK-LABEL: func @sum
// CHECK: llvm.intr.vector.reduce.fadd
// CHECK-NOT: reassoc
// ANY-LABEL: func @sum
// ANY: llvm.intr.vector.reduce.fadd{{.*}}reassoc
func.func @sum(%x: vector<8xf32>) -> f32 {
  %s = vector.reduction <add>, %x : vector<8xf32> into f32
  return %s : f32
}
