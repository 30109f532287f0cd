//===- Passes.td - From onnx to linalg on tensors -------- -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LOWER_PASSES
#define ONNXC_LOWER_PASSES

include "mlir/Pass/PassBase.td"

def QuantizeActivations : Pass<"onnxc-quantize-activations", "mlir::ModuleOp"> {
  let summary = "Gives products with weights of few bits rows of 8-bit integers";
  let description = [{
    The rows of a product whose weights have a scale for each block of steps become, by blocks
    of as many steps, integers of 8 bits with a scale for each: of a block with the largest magnitude `a`,
    `q = round(x * (127 / a))`, to the even one of two as near, and what is multiplied is
    `q * (a / 127)`, in float32. A product of 16-bit floats is one of float32 then, whose
    result is rounded. `where` says of which products: `never`; `model`: of those that the
    model says it of (`onnx.int8_block`; accuracy_level=4 of MatMulNBits); `always`: also of all
    MatMul and Gemm whose weights are a DequantizeLinear with blocks of at most 512 steps.

    Behind the rewrites, which do not have to know of it: a row is quantized where it has become
    the operand of a product.
  }];
  let options = [
    Option<"where", "where", "std::string", [{"model"}], "never, model or always">
  ];
}

def LowerToLinalg : Pass<"onnxc-lower-to-linalg", "mlir::ModuleOp"> {
  let summary = "Lower the onnx dialect to linalg, tensor, scf, arith and math on tensors";
  let description = [{
    One conversion for the whole module, by families of operators. Unsigned
    integers become signless; sequences, optionals, maps and tensors of unknown
    rank become handles (`i64`, see the dialect `rt`). What ONNX says of the model, its inputs
    and its outputs becomes `#onnxc.signature` on the module.
    What a shape rule can only know at run time becomes a `cf.assert` whose text
    names the node. Operators that cannot be lowered are reported all at once.
  }];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::cf::ControlFlowDialect", "mlir::linalg::LinalgDialect",
    "mlir::math::MathDialect", "mlir::scf::SCFDialect", "onnxc::ProgramDialect",
    "rt::RTDialect", "mlir::tensor::TensorDialect"
  ];
}

def KeepLoopSizes : Pass<"onnxc-keep-loop-sizes", "mlir::func::FuncOp"> {
  let summary = "Takes sizes that no iteration of a loop changes from outside of it";
  let description = [{
    A tensor that a loop carries has a type with an open size, and `tensor.dim` of
    it. Where each iteration hands on the size that it got, which is followed
    through destinations, branches and other loops, that is the size of the initial
    value: what the loop's values are broadcast with needs no branches then, and is
    fused.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::tensor::TensorDialect"];
}

def UseCheckedSizes : Pass<"onnxc-use-checked-sizes", "mlir::ModuleOp"> {
  let summary = "Takes sizes that were checked to be equal for one";
  let description = [{
    Behind a `cf.assert` that two sizes are equal, the one that is there first takes the
    place of the other in the entry functions of a model with states that rows are
    appended to. What is broadcast in a batch that is open has branches for batches of
    other sizes, which would yield the cache, and so copy it: they fold where the Concat
    of the cache has checked the batch.
  }];
}

def MergeChecks : Pass<"onnxc-merge-checks"> {
  let summary = "Check once what several nodes need";
  let description = [{
    Takes away each `cf.assert` of a condition that another one has checked on
    every way to it: the sizes that nodes one behind the other share. The error
    names the first of them, as it did. Runs behind CSE, which finds conditions
    that are the same.
  }];
}

def VerifyLowered : Pass<"onnxc-verify-lowered", "mlir::ModuleOp"> {
  let summary = "Check what onnxc-lower promises: no onnx operation or type is left";
}

#endif // ONNXC_LOWER_PASSES
