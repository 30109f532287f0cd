//===- Recognition.td - Rewrites that find an operator in its parts -------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_OPTIMIZE_RECOGNITION
#define ONNXC_OPTIMIZE_RECOGNITION

include "onnxc/Optimize/RewriteBase.td"

def FuseGelu : Rewrite<180, "fuse_gelu", Fuse, Complete, Compute, Predicate, Rounding, Recognize> {
  let summary = "x (1 + erf(x / sqrt 2)) / 2, or with tanh: Gelu";
  let description = [{
    Formulas are read as products and sums of powers of x, so that all spellings are the same; constants may be off
    by one unit in the last place of the element type. Gelu exists from opset 20 on.
  }];
}

def FuseActivation : Rewrite<181, "fuse_activation", Fuse, Complete, Compute, Predicate, Rounding, Recognize> {
  let summary = "Activations from their parts: Swish, HardSwish, HardSigmoid, Mish, Sigmoid";
  let description = [{
    x sigmoid(a x), x clip(x + 3, 0, 6) / 6, clip(a x + b, 0, 1), x tanh(softplus(x)), 1 / (1 + exp(-x)); under `ninf`
    also log(1 + exp(x)), whose exp overflows where Softplus does not.
  }];
}

def FuseNorm : Rewrite<182, "fuse_norm", Fuse, Complete, Compute, Predicate, Rounding, Recognize> {
  let summary = "x over its deviation: Layer-, RMS-, Instance-, Group- and other normalizations";
  let description = [{
    Step by step: what divides x by its deviation becomes a normalization whose scale is ones; a Mul and an Add behind
    it become scale and bias, a Cast its `stash_type`. float64 is left alone where the operator computes in float32.
    Under `nnan` also LpNormalization, which is 0 where the quotient is 0 / 0.
  }];
}

def FuseSoftmax : Rewrite<183, "fuse_softmax", Fuse, Complete, Compute, Predicate, Rounding, Recognize> {
  let summary = "exp(x - max) over its sum: Softmax; with logarithm: LogSoftmax";
  let description = [{
    Without the maximum only under `ninf`: exp overflows where Softmax does not. So is log(sum(exp(x))),
    ReduceLogSumExp.
  }];
}

def FuseAttention : Rewrite<184, "fuse_attention", Fuse, Complete, Compute, Predicate, Rounding, Recognize> {
  let summary = "softmax(scale Q K^T + mask) V: Attention";
  let description = [{
    The scale may stand on Q, on K, on both or behind; a mask is added, or chooses by Where; repeated heads (GQA), a cap
    by tanh and a softmax in float32 are the operator's too. A constant that hides exactly what is behind the query
    becomes `is_causal`. Where a query may attend to nothing the formula is NaN and the operator 0: without `nnan` a mask
    must be known to leave each query a key. Attention exists from opset 23 on.
  }];
}

def FuseRope : Rewrite<185, "fuse_rope", Fuse, Complete, Compute, Predicate, Rounding, Recognize> {
  let summary = "x cos + concat(-x2, x1) sin: RotaryEmbedding";
  let description = [{
    Tables of cosines and sines must say the same for both halves: constants, or computed from one angle concatenated
    with itself. RotaryEmbedding exists from opset 23 on.
  }];
}

def FuseGlobalPool : Rewrite<186, "fuse_global_pool", Fuse, Complete, Compute, Predicate, Rounding, Recognize> {
  let summary = "A pool with one window of all, or a mean of each channel: GlobalAveragePool, GlobalMaxPool";
}

def FitMasks : Rewrite<187, "fit_masks", Other, Complete, Compute, Predicate, BitExact, Recognize> {
  let summary = "A mask whose length no type says gets that of the scores that it is added to";
  let description = [{
    Between a product of queries and keys and the softmax of it. Scores that the mask made longer would not fit the
    values: it has a column for each key or one for all, or the run fails. So has what is cut from a square to as many
    rows as there are queries. What is compiled then need not be ready to broadcast the scores. A model that other
    programs read is left as it is.
  }];
}

#endif // ONNXC_OPTIMIZE_RECOGNITION
