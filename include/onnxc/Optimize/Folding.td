//===- Folding.td - Constants, equal and dead things, control flow -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_OPTIMIZE_FOLDING
#define ONNXC_OPTIMIZE_FOLDING

include "onnxc/Optimize/RewriteBase.td"

def ConstantFold
    : Rewrite<101, "constant_fold", Other, Complete, Compute, Graph, BitExact, Clean> {
  let summary = "Ops whose operands are constants: what the compiler computes for them at -O0";
  let description = [{
    Every deterministic operator, in all graphs: also those that give strings, that
    have graphs, and those whose results have shapes that depend on data. Sequences
    and optionals between them do not matter. Not: results that take more bytes than
    the operands do and than `fold-budget`, what fails or takes long, integers
    divided by zero, numbers cast to an integer type that does not hold them, and
    DequantizeLinear.
  }];
}

#endif // ONNXC_OPTIMIZE_FOLDING
