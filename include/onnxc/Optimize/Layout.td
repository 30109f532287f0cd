//===- Layout.td - Rewrites that move transposes and shapes ---------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_OPTIMIZE_LAYOUT
#define ONNXC_OPTIMIZE_LAYOUT

include "onnxc/Optimize/RewriteBase.td"

def ReshapeSimplify
    : Rewrite<140, "reshape_simplify", Fuse, Complete, Memory, Predicate, BitExact, Movement> {
  let summary = "Chains of Reshape, Squeeze, Unsqueeze, Flatten: one, or none";
  let description = [{
    Two in a row are one Reshape where its shape can be said (at most one dim that
    is not known and does not stay in place); of a constant, a constant that
    shares the data; with elementwise ops between them, these run in the first
    shape. Expand, Tile and leading dims of size 1 before an op that broadcasts
    are dropped.
  }];
}
def SliceConcatSimplify
    : Rewrite<141, "slice_concat_simplify", Fuse, Complete, Memory, Predicate, BitExact, Movement> {
  let summary = "Slice, Gather, Split, Concat, Scatter that take apart what was put together";
  let description = [{
    Slices and Gathers that take everything, or one operand of a Concat, or a range;
    Concats of neighbouring parts of one value, or of constants; Splits where a
    Concat joins; Scatters over everything.
  }];
}

def TransposeSink
    : Rewrite<142, "transpose_sink", Fuse, Complete, Compute, Graph, Rounding, Movement> {
  let summary = "Transposes move through ops until they cancel";
  let description = [{
    Elementwise ops, reductions, softmaxes, Concat, Split, Pad, Slice, Gather, Squeeze,
    Unsqueeze, quantization and others compute on transposed tensors where that
    leaves fewer elements to transpose, and no more operations. Every sum is taken in
    the order that it had; kernels for another layout may round otherwise.
  }];
}

def TransposeToReshape
    : Rewrite<143, "transpose_to_reshape", Replace, Complete, Memory, Predicate, BitExact, Share> {
  let summary = "Transpose that only moves dims of size 1: Reshape";
}

def FuseReshapeTranspose
    : Rewrite<144, "fuse_reshape_transpose", Fuse, Complete, Compute, Predicate, BitExact, Movement> {
  let summary = "Reshape, Transpose, Reshape: one Transpose, DepthToSpace, SpaceToDepth";
  let description = [{
    With at most one dim that is not known, the Transpose is written on the pieces
    that dims are cut into; a Reshape that this makes superfluous is left out.
  }];
}

def SlicesToSplit
    : Rewrite<145, "slices_to_split", Fuse, Complete, Memory, Graph, BitExact, Share> {
  let summary = "Slices that are all parts of a tensor: one Split";
}

def HoistSlices
    : Rewrite<146, "hoist_slices", Replace, Complete, Compute, Predicate, Rounding, Share> {
  let summary = "Slice, Gather of what is computed row by row: of what it is computed from";
  let description = [{
    Through elementwise ops, normalizations, softmaxes and products with a matrix
    whose result nothing else uses, where one operand alone varies along the axes.
  }];
}

def FuseTransposeIntoWeights
    : Rewrite<147, "fuse_transpose_into_weights", Fuse, Complete, Compute, Predicate, Rounding, Weights> {
  let summary = "Transpose, Flatten, MatMul or Gemm with constant weights: no Transpose";
}

#endif // ONNXC_OPTIMIZE_LAYOUT
