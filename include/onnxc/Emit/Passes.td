//===- Passes.td - From buffers to the llvm dialect ------ -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_EMIT_PASSES_TD
#define ONNXC_EMIT_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerMath : Pass<"onnxc-lower-math", "::mlir::ModuleOp"> {
  let summary = "Bring math ops to what LLVM lowers to instructions and libm";
  let description = [{
    What remains after this pass are math ops that `onnxc-convert-arithmetic` turns
    into intrinsics which the code generator lowers to instructions or to calls
    of libm. All others become calls of libm, or code: LLVM has no intrinsic for
    `erf`, and what upstream does with `expm1` and `log1p` loses all digits near
    zero. Types narrower than f32 are computed in f32.

    With `approximate`, functions of f32 that are often the bulk of a model's
    elementwise work (exp, log, tanh, erf, sin, pow, ...) become polynomials of a
    few units in the last place, which vectorize; libm has no vector functions.
    docs/math.md states their errors. Only sin and cos of huge arguments are libm's.
    Sigmoid, and tanh of softplus, are done as a whole; on targets that estimate inverses
    without a division.
  }];
  let options = [
    Option<"approximate", "approximate", "bool", /*default=*/"false",
           "Polynomials instead of libm for f32">,
  ];
  let dependentDialects = ["::onnxc::ProgramDialect", 
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def LowerVectors : Pass<"onnxc-lower-vectors"> {
  let summary = "Bring vector ops to one dimension, without memory";
  let description = [{
    Unrolls and splits ops on vectors of several dimensions until
    `onnxc-convert-arithmetic` can take them. Nothing goes through the stack:
    vectors are bounded by the schedule, so that full unrolling is bounded too.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def ConvertArithmetic : Pass<"onnxc-convert-arithmetic", "::mlir::func::FuncOp"> {
  let summary = "Bring arithmetic on numbers and vectors to the llvm dialect";
  let description = [{
    Does in one walk what `convert-vector-to-llvm`, `convert-math-to-llvm`,
    `convert-complex-to-llvm`, `convert-index-to-llvm`, `convert-ub-to-llvm` and
    `convert-arith-to-llvm` do in one each: each of them asks of every operation
    whether it may stay.
  }];
  let options = [
    Option<"reassociateFPReductions", "reassociate-fp-reductions", "bool",
           /*default=*/"false", "Sums of a vector's lanes in any order">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def ConvertFunctions : Pass<"onnxc-convert-functions", "::mlir::ModuleOp"> {
  let summary = "Bring functions, branches and buffers to the llvm dialect";
  let description = [{
    Does in one walk what `finalize-memref-to-llvm`, `convert-func-to-llvm` and
    `convert-cf-to-llvm` do in three.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def ExpandBFloat16 : Pass<"onnxc-expand-bfloat16", "::mlir::func::FuncOp"> {
  let summary = "Round to bfloat16 the same way on all targets";
  let description = [{
    For targets that have no instruction to round float32 to bfloat16: LLVM makes a
    call of each element of a vector then. What is written instead is the
    same bits: rounded to nearest, ties to even; NaN stays NaN. Arithmetic on
    bfloat16 becomes that on float32, rounded after each step.

    AVX512-BF16's instruction makes zeros of subnormal numbers. They go through it as normal ones,
    which takes three instructions more: half of what integers take.
  }];
  let dependentDialects = ["::onnxc::ProgramDialect", "::mlir::arith::ArithDialect"];
}

def ExpandFloat16 : Pass<"onnxc-expand-float16", "::mlir::func::FuncOp"> {
  let summary = "Compute with half precision by integers and float32";
  let description = [{
    For WebAssembly, which has no type for it: LLVM would make a call of each
    conversion, and does not end on some vectors. Arithmetic becomes that on
    float32, rounded after each step; conversions become operations on the bits.
  }];
  let dependentDialects = ["::onnxc::ProgramDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

def MoveBFloat16AsIntegers
    : Pass<"onnxc-move-bfloat16-as-integers", "::mlir::LLVM::LLVMFuncOp"> {
  let summary = "Load, select and store bfloat16 as integers";
  let description = [{
    For targets without instructions of bfloat16, and for WebAssembly with float16,
    too: LLVM widens a value of it that
    is only selected or shuffled, and rounds it again by a call. Ops that move
    values get 16-bit integers; those that compute keep bfloat16.
  }];
  let dependentDialects = ["::onnxc::ProgramDialect", "::mlir::LLVM::LLVMDialect"];
}

def MoveBooleansAsBytes
    : Pass<"onnxc-move-booleans-as-bytes", "::mlir::LLVM::LLVMFuncOp"> {
  let summary = "Load and store booleans as bytes";
  let description = [{
    A vector of `i1` has eight elements in a byte, memory has one in each. LLVM's
    vectorizer takes apart what loads or stores booleans; bytes, cut or extended in
    registers, it leaves together.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def PromoteAccumulators
    : Pass<"onnxc-promote-accumulators", "::mlir::func::FuncOp"> {
  let summary = "Keep what a loop adds up in a register";
  let description = [{
    A loop that loads, changes and stores one element of a buffer in each
    iteration carries the element as a value instead. The order of operations
    stays. LLVM would do the same if it knew that buffers do not overlap; here
    that is known: weights are never written, the caller's buffers and those of
    the runtime are apart from each other (the runtime checks the former), and
    views of the workspace have fixed places.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def RecordOffsets : Pass<"onnxc-record-offsets", "::mlir::func::FuncOp"> {
  let summary = "Note which arguments of a function will be offsets of buffers";
  let description = [{
    Functions of the module that take buffers get the numbers of the arguments that the offsets of
    these become, apart for those that are 0 by their types. onnxc-merge-functions
    reads them: a function whose buffer begins at its pointer is the same as one that adds 0.
  }];
}

def MergeFunctions : Pass<"onnxc-merge-functions", "::mlir::ModuleOp"> {
  let summary = "Make one function of those that differ in numbers alone";
  let description = [{
    Functions of the module that are called by their name alone and are the same, but for
    integers that loops and addresses are computed from, become one, which takes these as
    arguments. The time of LLVM's passes then grows with the kernels that differ, not with layers
    that have other numbers of channels.
  }];
  let options = [
    Option<"minInstructions", "min-instructions", "int64_t", /*default=*/"2000",
           "In shorter functions numbers may differ only where it costs nothing: in outer loops, and as the end of a long loop">,
    Option<"shortInstructions", "short-instructions", "int64_t", /*default=*/"100",
           "Shorter functions than these stay as they are">,
    Option<"shortLoop", "short-loop", "int64_t", /*default=*/"32",
           "Loops with no more instructions are written out by LLVM if their end is known">,
    Option<"maxNumbers", "max-numbers", "int64_t", /*default=*/"24",
           "More arguments than these would not stay in registers or near">,
    Option<"maxInnerNumbers", "max-inner-numbers", "int64_t", /*default=*/"12",
           "Short functions may differ in so many numbers of inner loops">,
    Option<"innerInstructions", "inner-instructions", "int64_t", /*default=*/"250",
           "Shorter functions than these, which the arguments would slow down, may not">,
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def BoundStack : Pass<"onnxc-bound-stack", "::mlir::ModuleOp"> {
  let summary = "Make the use of the stack constant, or refuse";
  let description = [{
    An alloca in a loop takes new memory with each iteration. Those of constant
    size move to the start of their function; others, and more than `limit`
    bytes in one function, are errors.
  }];
  let options = [
    Option<"limit", "limit", "int64_t", /*default=*/"65536",
           "Bytes that one function may take">,
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // ONNXC_EMIT_PASSES_TD
