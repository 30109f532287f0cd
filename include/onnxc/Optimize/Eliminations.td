//===- Eliminations.td - Rewrites that remove what does nothing -----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_OPTIMIZE_ELIMINATIONS
#define ONNXC_OPTIMIZE_ELIMINATIONS

include "onnxc/Optimize/RewriteBase.td"

def EliminateIdentity
    : Rewrite<42, "eliminate_identity", Nop, Complete, Compute, Predicate, BitExact, Clean> {
  let summary = "Identity: its input takes its place";
}

def EliminateNopCast
    : Rewrite<5, "eliminate_nop_cast", Nop, Complete, Compute, Predicate, BitExact, Clean> {
  let summary = "Cast and CastLike to the type that is there";
}

def EliminateNopDropout
    : Rewrite<6, "eliminate_nop_dropout", Nop, Complete, Compute, Predicate, BitExact, Clean> {
  let summary = "Dropout with a ratio of 0";
}

def EliminateNopFlatten
    : Rewrite<7, "eliminate_nop_flatten", Nop, Complete, Compute, Predicate, BitExact, Movement> {
  let summary = "Flatten that leaves a matrix as it is";
}

def ExtractConstantToInitializer
    : Rewrite<8, "extract_constant_to_initializer", Nop, Complete, Memory, Predicate, BitExact, Share> {
  let summary = "Constant nodes become initializers";
}

def EliminateConsecutiveIdempotentOps
    : Rewrite<9, "eliminate_consecutive_idempotent_ops", Fuse, Complete, Compute, Predicate, BitExact, Clean> {
  let summary = "f(f(x)) is f(x), or x: Relu, Floor, Clip, Neg, Not, Reshape";
}

def EliminateIfWithConstCond
    : Rewrite<10, "eliminate_if_with_const_cond", Nop, Complete, Compute, Predicate, BitExact, Clean> {
  let summary = "If whose condition is known: the branch takes its place";
}

def EliminateNopMonotoneArgmax
    : Rewrite<11, "eliminate_nop_monotone_argmax", Nop, Partial, Compute, Predicate, Values, ByName> {
  let promise = "assume-strictly-monotone";
  let summary = "ArgMax of Exp, Log, Sqrt, Softmax is that of their input";
  let description = [{
    Not of floats: what overflows, underflows or rounds to equal numbers is a tie, of
    which the first counts, and NaN comes in. Hence only with `assume-strictly-monotone`,
    or in upstream-compatible mode.
  }];
}

def EliminateNopPad
    : Rewrite<12, "eliminate_nop_pad", Nop, Complete, Compute, Predicate, BitExact, Movement> {
  let summary = "Pad by 0 everywhere";
}

def EliminateNopConcat
    : Rewrite<13, "eliminate_nop_concat", Nop, Complete, Memory, Predicate, BitExact, Movement> {
  let summary = "Concat of one tensor that is not empty";
}

def EliminateNopSplit
    : Rewrite<14, "eliminate_nop_split", Nop, Complete, Memory, Predicate, BitExact, Movement> {
  let summary = "Split into one part";
}

def EliminateNopExpand
    : Rewrite<15, "eliminate_nop_expand", Nop, Complete, Compute, Predicate, BitExact, Movement> {
  let summary = "Expand that does not change the shape";
}

def EliminateShapeGather
    : Rewrite<16, "eliminate_shape_gather", Fuse, Complete, Compute, Predicate, BitExact, Clean> {
  let summary = "Known dimensions, picked from a Shape, are constants";
}

def EliminateSliceAfterShape
    : Rewrite<17, "eliminate_slice_after_shape", Fuse, Complete, Compute, Predicate, BitExact, Clean> {
  let summary = "Known dimensions, cut from a Shape, are constants";
}

def EliminateNopTranspose
    : Rewrite<18, "eliminate_nop_transpose", Nop, Complete, Compute, Predicate, BitExact, Movement> {
  let summary = "Transpose that moves no element";
}

def FuseConcatIntoReshape
    : Rewrite<35, "fuse_concat_into_reshape", Fuse, Complete, Compute, Predicate, BitExact, Clean> {
  let summary = "A shape that is put together, with one part not known, is a constant with -1";
}

def EliminateNopReshape
    : Rewrite<36, "eliminate_nop_reshape", Nop, Complete, Compute, Predicate, BitExact, Movement> {
  let summary = "Reshape to the shape that is there";
}

def EliminateNopWithUnit
    : Rewrite<37, "eliminate_nop_with_unit", Nop, Complete, Compute, Predicate, SignOfZero, Clean> {
  let summary = "x + 0, x - 0, x * 1, x / 1, x ^ 1, and with true, or with false, Concat with nothing";
}

def EliminateDeadend
    : Rewrite<41, "eliminate_deadend", Nop, Complete, Compute, Graph, BitExact, Share> {
  let summary = "Nodes whose results are unused, in all graphs";
}

def EliminateShapeOp
    : Rewrite<43, "eliminate_shape_op", Fuse, Complete, Compute, Predicate, BitExact, Clean> {
  let summary = "Shape and Size of known dimensions are constants";
}

def EliminateUnusedInitializer
    : Rewrite<45, "eliminate_unused_initializer", Nop, Complete, Memory, Graph, BitExact, ByName> {
  let summary = "Unused initializers";
  let description = [{
    With `keep-interface=false`, the unused inputs that have a default as well, as in
    onnx-optimizer.
  }];
}

def EliminateInferenceDropout
    : Rewrite<120, "eliminate_inference_dropout", Nop, Complete, Compute, Predicate, BitExact, Clean> {
  let summary = "Dropout that does not train";
}

#endif // ONNXC_OPTIMIZE_ELIMINATIONS
