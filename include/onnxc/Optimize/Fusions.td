//===- Fusions.td - Rewrites that make one op of several - -*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_OPTIMIZE_FUSIONS
#define ONNXC_OPTIMIZE_FUSIONS

include "onnxc/Optimize/RewriteBase.td"

//===----------------------------------------------------------------------===//
// Two of a kind
//===----------------------------------------------------------------------===//

def FuseConsecutiveTransposes
    : Rewrite<26, "fuse_consecutive_transposes", Fuse, Complete, Compute, Predicate, BitExact, Movement> {
  let summary = "Transpose of a Transpose: one permutation, or none";
}

def FuseConsecutiveConcats
    : Rewrite<21, "fuse_consecutive_concats", Fuse, Partial, Compute, Predicate, BitExact, Movement> {
  let summary = "Concat of a Concat along one axis: its operands in its place";
}

def FuseConsecutiveSlices
    : Rewrite<44, "fuse_consecutive_slices", Fuse, Complete, Memory, Predicate, BitExact, Movement> {
  let summary = "Slice of a Slice: one, also along one axis and with negative steps";
}

def FuseConsecutiveSqueezes
    : Rewrite<24, "fuse_consecutive_squeezes", Fuse, Complete, Compute, Predicate, BitExact, Movement> {
  let summary = "Squeeze of a Squeeze: one of all the axes";
}

def FuseConsecutiveUnsqueezes
    : Rewrite<40, "fuse_consecutive_unsqueezes", Fuse, Complete, Compute, Predicate, BitExact, Movement> {
  let summary = "Unsqueeze of an Unsqueeze: one of all the axes";
}

def FuseConsecutiveSqueezeUnsqueeze
    : Rewrite<25, "fuse_consecutive_squeeze_unsqueeze", Nop, Complete, Compute, Predicate, BitExact, Movement> {
  let summary = "Unsqueeze of a Squeeze, Squeeze of an Unsqueeze: what cancels goes";
}

def FuseConsecutiveReduceUnsqueeze
    : Rewrite<23, "fuse_consecutive_reduce_unsqueeze", Fuse, Complete, Compute, Predicate, BitExact, Movement> {
  let summary = "Unsqueeze of what a reduction removed: the reduction keeps it";
}

//===----------------------------------------------------------------------===//
// Into windows and products
//===----------------------------------------------------------------------===//

def FusePadIntoConv
    : Rewrite<28, "fuse_pad_into_conv", Fuse, Complete, Compute, Predicate, Rounding, Weights> {
  let summary = "Pad with zeros before a convolution: its own padding";
  let description = [{
    Also in front of ConvInteger and QLinearConv, where the Pad has to add the zero point. Weights that
    are constant must be finite, since 0 times infinity is NaN.
  }];
}

def FusePadIntoPool
    : Rewrite<29, "fuse_pad_into_pool", Fuse, Complete, Compute, Predicate, BitExact, Weights> {
  let summary = "Pad before a pool: the pool's own padding";
  let description = [{
    AveragePool and LpPool take zeros. MaxPool pads with what nothing is less than: it takes minus
    infinity (of integers the least one), and zeros only where no element is negative and each window
    has an element.
  }];
}

def FuseTransposeIntoGemm
    : Rewrite<30, "fuse_transpose_into_gemm", Fuse, Complete, Compute, Predicate, BitExact, Movement> {
  let summary = "Transpose before Gemm: Gemm reads the operand transposed";
}

def FuseAddBiasIntoConv
    : Rewrite<19, "fuse_add_bias_into_conv", Fuse, Complete, Compute, Predicate, Rounding, Weights> {
  let summary = "Add of a number for each channel to a convolution: its bias";
  let description = [{
    Constants are folded, also into a bias that is there, and of Sub; what is not a constant is only
    brought to one dimension.
  }];
}

def FuseBnIntoConv
    : Rewrite<20, "fuse_bn_into_conv", Fuse, Complete, Compute, Predicate, Rounding, Weights> {
  let summary = "BatchNormalization behind or before a product with constant weights: into these";
  let description = [{
    Of Conv, ConvTranspose, Gemm and MatMul, in double precision. In front of a product only where no
    zeros are padded to what is shifted. With parameters or weights that are not finite, or become
    so, nothing is done.
  }];
}

def FoldScaleIntoWeights
    : Rewrite<160, "fold_scale_into_weights", Fuse, Complete, Compute, Predicate, Rounding, Weights> {
  let summary = "Mul, Div, Add, Sub by constants at a product with constant weights: into these";
  let description = [{
    One number, or one for each channel, of what a Conv, ConvTranspose, Gemm or MatMul makes or reads;
    also with a constant added and with dims moved and merged in between, where one number scales all.
  }];
}

def FuseMatmulAddBiasIntoGemm
    : Rewrite<27, "fuse_matmul_add_bias_into_gemm", Fuse, Complete, Compute, Predicate, Rounding, Weights> {
  let summary = "Add to a MatMul of matrices: Gemm";
}

def FuseAddIntoGemm
    : Rewrite<161, "fuse_add_into_gemm", Fuse, Complete, Compute, Predicate, Rounding, Weights> {
  let summary = "Add to a Gemm without C, or constants to a constant C: its C";
}

def EliminateZeroBias
    : Rewrite<162, "eliminate_zero_bias", Nop, Complete, Memory, Predicate, SignOfZero, Weights> {
  let summary = "A bias of zeros of Conv, ConvTranspose, Gemm: none";
}

def FuseMatmulScales
    : Rewrite<163, "fuse_matmul_scales", Fuse, Complete, Compute, Predicate, Rounding, Weights> {
  let summary = "MatMul of two operands scaled by numbers: one of them is, by both";
}

def FuseAffineIntoBn
    : Rewrite<165, "fuse_affine_into_bn", Fuse, Complete, Compute, Predicate, Rounding, Weights> {
  let summary = "Mul, Div, Add, Sub by constants of channels behind BatchNormalization: its scale and bias";
}

def DecomposeBatchNormalization
    : Rewrite<164, "decompose_batch_normalization", Replace, Complete, NoGain, Predicate, Rounding, ByName> {
  let summary = "BatchNormalization that goes into no weights: Mul and Add of constants";
}

def FuseQkv
    : Rewrite<39, "fuse_qkv", Fuse, Complete, Compute, Graph, Rounding, Weights> {
  let summary = "Products of one value with constant weights: one product, and a Split";
  let description = [{
    Two or more MatMuls or Gemms, with their biases if all have one. Weights that something else reads as
    well stay alone, so that none is kept twice.
  }];
}

def ReplaceEinsumWithMatmul
    : Rewrite<31, "replace_einsum_with_matmul", Replace, Complete, Compute, Predicate, Rounding, Recognize> {
  let summary = "Einsum of one or two operands: MatMul or Mul, and what moves dims to them";
  let description = [{
    Batch dims, several summed dims, dims of one operand alone, the ellipsis; no diagonals. Dims that are
    summed must be known to be equal. In the default pipeline of a model that is written back only where
    one op takes the Einsum's place (but for what moves constants).
  }];
}

def FuseConsecutiveLogSoftmax
    : Rewrite<22, "fuse_consecutive_log_softmax", Fuse, Complete, Compute, Predicate, Values, Recognize> {
  let promise = "ninf";
  let summary = "Log of Softmax: LogSoftmax";
  let description = [{
    Where Softmax underflows the result is finite, and was minus infinity. Hence only with
    `ninf`, or in upstream-compatible mode.
  }];
}

#endif // ONNXC_OPTIMIZE_FUSIONS
