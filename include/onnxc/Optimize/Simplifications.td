//===- Simplifications.td - Rewrites to fewer and cheaper ops -------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_OPTIMIZE_SIMPLIFICATIONS
#define ONNXC_OPTIMIZE_SIMPLIFICATIONS

include "onnxc/Optimize/RewriteBase.td"

def CastlikeToCast
    : Rewrite<121, "castlike_to_cast", Replace, Complete, Compute, Predicate, BitExact, Clean> {
  let summary = "CastLike is a Cast to the type that is known by then";
}

def CastSimplify
    : Rewrite<122, "cast_simplify", Fuse, Complete, Compute, Predicate, BitExact, Clean> {
  let summary = "Cast of a Cast that loses nothing, and Casts before Shape";
}

def Algebraic
    : Rewrite<123, "algebraic", Replace, Complete, Compute, Predicate, SignOfZero, Clean> {
  let summary = "Laws that hold of every number: x + -y, x and x, Equal with true, Where without a choice";
}

def ActivationSimplify
    : Rewrite<124, "activation_simplify", Fuse, Complete, Compute, Predicate, SignOfZero, Clean> {
  let summary = "Clip, Relu, Min and Max in a row, or of what is within the limits";
}

def ReduceSimplify
    : Rewrite<125, "reduce_simplify", Fuse, Complete, Compute, Predicate, Rounding, Share> {
  let summary = "Reductions of one element and of reductions, roots of sums of squares, pools of one element";
}

def PadSimplify
    : Rewrite<126, "pad_simplify", Fuse, Complete, Compute, Predicate, BitExact, Movement> {
  let summary = "Pad of a Pad";
}

def ResizeSimplify
    : Rewrite<127, "resize_simplify", Nop, Complete, Compute, Predicate, BitExact, Movement> {
  let summary = "Resize to the size that is there";
}

def RnnSimplify
    : Rewrite<128, "rnn_simplify", Fuse, Complete, Compute, Predicate, SignOfZero, Clean> {
  let summary = "LSTM, GRU and RNN without states that begin with zeros, and lengths that are full";
}

#endif // ONNXC_OPTIMIZE_SIMPLIFICATIONS
