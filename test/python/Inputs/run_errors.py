"""What is wrong with values only shows when a model runs: then the call fails
with the node's name, and the next call is as good as ever.

usage: run_errors.py [LEVEL...] [-k CASE]
"""

import argparse
import sys

import numpy as np
import onnx
import onnx.parser

import onnxc

F = np.float32
# What no node can know: how much memory there is.
NO_MEMORY = "output 'y': float .* is not a valid shape"


def ints(*values):
    return np.array(values, np.int64)


# Name, inputs and outputs, the body (whose bad node is the one named "bad"),
# inputs that fail, what the error says, inputs that are good.
CASES = [
    ("gather", "(float[n,m] x, int64[k] i) => (float[k,m] y)", "y = Gather(x, i)",
     [np.ones((2, 3), F), ints(0, 2)], "index is out of range", [np.ones((2, 3), F), ints(0, -2)]),
    ("gather_one", "(float[n,m] x, int64 i) => (float[m] y)", "y = Gather(x, i)",
     [np.ones((2, 3), F), np.int64(-3)], "index is out of range", [np.ones((2, 3), F), np.int64(1)]),
    ("gather_of_nothing", "(float[n,m] x, int64[k] i) => (float[k,m] y)", "y = Gather(x, i)",
     [np.ones((0, 3), F), ints(0)], "index is out of range", [np.ones((0, 3), F), ints()]),
    ("gather_int32", "(float[n] x, int32[k] i) => (float[k] y)", "y = Gather(x, i)",
     [np.ones(2, F), np.int32([2**31 - 1])], "index is out of range", [np.ones(2, F), np.int32([-1])]),
    ("gather_elements", "(float[n,m] x, int64[k,m] i) => (float[k,m] y)", "y = GatherElements<axis=0>(x, i)",
     [np.ones((2, 1), F), ints([2])], "index is out of range", [np.ones((2, 1), F), ints([1])]),
    ("gather_elements_larger", "(float[n,m] x, int64[k,l] i) => (float[k,l] y)", "y = GatherElements<axis=0>(x, i)",
     [np.ones((2, 1), F), ints([1, 1])], "must not be larger than data", [np.ones((2, 2), F), ints([1, 0])]),
    ("gather_nd", "(float[n,m] x, int64[k,2] i) => (float[k] y)", "y = GatherND(x, i)",
     [np.ones((2, 3), F), ints([0, 3])], "index is out of range", [np.ones((2, 3), F), ints([1, 2])]),
    ("gather_nd_tuple", "(float[n,m] x, int64[k,l] i) => (float[a] y)", "y = GatherND(x, i)",
     [np.ones((2, 3), F), ints([0])], "must be 2", [np.ones((2, 3), F), ints([1, 2])]),
    ("gather_nd_batch", "(float[n,m] x, int64[k,1] i) => (float[k] y)", "y = GatherND<batch_dims=1>(x, i)",
     [np.ones((2, 3), F), ints([0], [0], [0])], "\\): batch_dims:", [np.ones((2, 3), F), ints([1], [2])]),
    ("scatter_elements", "(float[n] x, int64[k] i, float[k] u) => (float[n] y)", "y = ScatterElements(x, i, u)",
     [np.ones(2, F), ints(2), np.ones(1, F)], "index is out of range", [np.ones(2, F), ints(-2), np.ones(1, F)]),
    ("scatter_elements_shapes", "(float[n] x, int64[k] i, float[l] u) => (float[n] y)", "y = ScatterElements(x, i, u)",
     [np.ones(2, F), ints(0, 1), np.ones(1, F)], "\\): updates:", [np.ones(2, F), ints(0), np.ones(1, F)]),
    ("scatter_nd", "(float[n,m] x, int64[k,1] i, float[k,m] u) => (float[n,m] y)", "y = ScatterND(x, i, u)",
     [np.ones((2, 3), F), ints([5]), np.ones((1, 3), F)], "index is out of range",
     [np.ones((2, 3), F), ints([1]), np.ones((1, 3), F)]),
    ("scatter_nd_updates", "(float[n,m] x, int64[k,1] i, float[a,b] u) => (float[n,m] y)", "y = ScatterND(x, i, u)",
     [np.ones((2, 3), F), ints([1]), np.ones((1, 2), F)], "\\): updates:",
     [np.ones((2, 3), F), ints([1]), np.ones((1, 3), F)]),
    ("reshape", "(float[n] x, int64[2] s) => (float[a,b] y)", "y = Reshape(x, s)",
     [np.ones(6, F), ints(4, 2)], "number of elements", [np.ones(6, F), ints(3, 2)]),
    ("reshape_inferred", "(float[n] x, int64[2] s) => (float[a,b] y)", "y = Reshape(x, s)",
     [np.ones(6, F), ints(4, -1)], "number of elements", [np.ones(6, F), ints(3, -1)]),
    ("reshape_twice_inferred", "(float[n] x, int64[2] s) => (float[a,b] y)", "y = Reshape(x, s)",
     [np.ones(6, F), ints(-1, -1)], "\\): size:", [np.ones(6, F), ints(-1, 6)]),
    ("reshape_negative", "(float[n] x, int64[2] s) => (float[a,b] y)", "y = Reshape(x, s)",
     [np.ones(6, F), ints(-2, -3)], "\\): shape:", [np.ones(6, F), ints(2, 3)]),
    ("reshape_constant", "(float[n,m] x) => (float[a,4] y)", "s = Constant<value_ints=[-1,4]>() y = Reshape(x, s)",
     [np.ones((2, 3), F)], "number of elements", [np.ones((2, 6), F)]),
    ("reshape_length", "(float[n] x, int64[k] s) => (float[a,b] y)", "y = Reshape(x, s)",
     [np.ones(6, F), ints(6)], "must be 2", [np.ones(6, F), ints(3, 2)]),
    ("reshape_put_together", "(float[2,12] x, int64[1] s) => (float[a,b] y)",
     "c = Constant<value_ints=[12]>() t = Concat<axis=0>(s, c) y = Reshape(x, t)",
     [np.ones((2, 12), F), ints(3)], "number of elements", [np.ones((2, 12), F), ints(2)]),
    ("reshape_put_together_flat", "(float[n,12] x, int64[1] s) => (float[a] y)",
     "c = Constant<value_ints=[12]>() t = Concat<axis=0>(s, c) z = Reshape(x, t) d = Constant<value_ints=[-1]>() y = Reshape(z, d)",
     [np.ones((2, 12), F), ints(3)], "number of elements", [np.ones((2, 12), F), ints(2)]),
    ("reshape_zero_and_inferred", "(float[n,m] x, int64[2] s) => (float[a,b] y)", "y = Reshape<allowzero=1>(x, s)",
     [np.ones((0, 3), F), ints(0, -1)], "\\): allowzero:", [np.ones((0, 3), F), ints(7, 0)]),
    ("reshape_inferred_and_zero", "(float[n,m] x, int64[1] s) => (float[a,b] y)",
     "c = Constant<value_ints=[-1]>() t = Concat<axis=0>(s, c) y = Reshape<allowzero=1>(x, t)",
     [np.ones((0, 3), F), ints(0)], "\\): allowzero:", [np.ones((0, 3), F), ints(7)]),
    ("expand", "(float[n,m] x, int64[2] s) => (float[a,b] y)", "y = Expand(x, s)",
     [np.ones((2, 3), F), ints(2, 4)], "\\): shape:", [np.ones((2, 1), F), ints(2, 4)]),
    ("expand_negative", "(float[n,m] x, int64[2] s) => (float[a,b] y)", "y = Expand(x, s)",
     [np.ones((1, 3), F), ints(-1, 3)], "\\): shape:", [np.ones((1, 3), F), ints(0, 3)]),
    ("constant_of_shape", "(int64[2] s) => (float[a,b] y)", "y = ConstantOfShape(s)",
     [ints(2, -1)], "must not be negative", [ints(2, 0)]),
    ("constant_of_shape_both", "(int64[2] s) => (float[a,b] y)", "y = ConstantOfShape(s)",
     [ints(-2, -1)], "must not be negative", [ints(0, 3)]),
    ("constant_of_shape_huge", "(int64[3] s) => (float[a,b,c] y)", "y = ConstantOfShape(s)",
     [ints(2**40, 2**40, 2**40)], NO_MEMORY, [ints(1, 2, 3)]),
    ("tile", "(float[n] x, int64[1] r) => (float[m] y)", "y = Tile(x, r)",
     [np.ones(2, F), ints(-1)], "\\): repeats:", [np.ones(2, F), ints(0)]),
    ("pad_too_little", "(float[n] x, int64[2] p) => (float[m] y)", "y = Pad(x, p)",
     [np.ones(2, F), ints(-2, -1)], "\\): pads:", [np.ones(2, F), ints(-2, 3)]),
    ("pad_wraps", "(float[n] x, int64[2] p) => (float[m] y)", "y = Pad(x, p)",
     [np.ones(2, F), ints(2**63 - 1, 2**63 - 1)], "\\): pads: too large", [np.ones(2, F), ints(1, 1)]),
    ("pad_wraps_back", "(float[n] x, int64[2] p) => (float[m] y)", "y = Pad(x, p)",
     [np.ones(2, F), ints(-2**63, 2**56)], "\\): pads: too small", [np.ones(2, F), ints(-1, 1)]),
    ("tile_wraps", "(float[n] x, int64[1] r) => (float[m] y)", "y = Tile(x, r)",
     [np.ones(3, F), ints(6148914691236517206)], "\\): repeats: too large", [np.ones(0, F), ints(2**56)]),
    ("range_wraps", "(int64 a, int64 b, int64 d) => (int64[n] y)", "y = Range(a, b, d)",
     [np.int64(-2**63), np.int64(2**63 - 1), np.int64(1)], "\\): start is too small:", [np.int64(-4), np.int64(2**58), np.int64(2**57)]),
    ("pad_empty_edge", "(float[n] x, int64[2] p) => (float[m] y)", 'y = Pad<mode="edge">(x, p)',
     [np.ones(0, F), ints(1, 1)], "", [np.ones(1, F), ints(1, 1)]),
    ("pad_empty_wrap", "(float[n] x, int64[2] p) => (float[m] y)", 'y = Pad<mode="wrap">(x, p)',
     [np.ones(0, F), ints(1, 1)], "", [np.ones(1, F), ints(1, 1)]),
    ("pad_empty_reflect", "(float[n] x, int64[2] p) => (float[m] y)", 'y = Pad<mode="reflect">(x, p)',
     [np.ones(0, F), ints(1, 1)], "", [np.ones(2, F), ints(1, 1)]),
    ("pad_axes", "(float[n,m] x, int64[2] p, int64[1] a) => (float[k,l] y)", "y = Pad(x, p, , a)",
     [np.ones((1, 2), F), ints(1, 1), ints(2)], "\\): axes:", [np.ones((1, 2), F), ints(1, 1), ints(-1)]),
    ("range", "(int64 a, int64 b, int64 d) => (int64[n] y)", "y = Range(a, b, d)",
     [np.int64(1), np.int64(5), np.int64(0)], "delta must not be 0", [np.int64(1), np.int64(5), np.int64(-1)]),
    ("range_float", "(float a, float b, float d) => (float[n] y)", "y = Range(a, b, d)",
     [F(1), F(5), F(0)], "delta must not be 0", [F(1), F(5), F(2)]),
    ("range_endless", "(float a, float b, float d) => (float[n] y)", "y = Range(a, b, d)",
     [F(1), F(np.inf), F(1)], "", [F(1), F(5), F(2)]),
    ("range_nan", "(float a, float b, float d) => (float[n] y)", "y = Range(a, b, d)",
     [F(1), F(5), F(np.nan)], "", [F(1), F(5), F(2)]),
    ("range_no_scalar", "(int64[k] a, int64 b, int64 d) => (int64[n] y)", "y = Range(a, b, d)",
     [ints(), np.int64(5), np.int64(1)], "must be 1", [ints(2), np.int64(5), np.int64(1)]),
    ("slice_step", "(float[n] x, int64[1] b, int64[1] e, int64[1] a, int64[1] s) => (float[m] y)",
     "y = Slice(x, b, e, a, s)", [np.ones(4, F), ints(0), ints(4), ints(0), ints(0)], "\\): steps:",
     [np.ones(4, F), ints(3), ints(-9), ints(0), ints(-1)]),
    ("slice_axis", "(float[n,m] x, int64[1] b, int64[1] e, int64[1] a) => (float[k,l] y)", "y = Slice(x, b, e, a)",
     [np.ones((4, 2), F), ints(0), ints(4), ints(2)], "\\): axes:", [np.ones((4, 2), F), ints(1), ints(4), ints(-2)]),
    ("slice_axis_twice", "(float[n,m] x, int64[2] b, int64[2] e, int64[2] a) => (float[k,l] y)", "y = Slice(x, b, e, a)",
     [np.ones((4, 2), F), ints(0, 0), ints(1, 1), ints(0, -2)], "\\): axes: an axis is given twice",
     [np.ones((4, 2), F), ints(0, 0), ints(1, 1), ints(0, 1)]),
    ("slice_lengths", "(float[n,m] x, int64[k] b, int64[l] e) => (float[a,c] y)", "y = Slice(x, b, e)",
     [np.ones((4, 2), F), ints(0), ints(1, 1)], "", [np.ones((4, 2), F), ints(0, 0), ints(1, 1)]),
    ("split_sizes", "(float[n] x, int64[2] s) => (float[a] y, float[b] z)", "y, z = Split(x, s)",
     [np.ones(4, F), ints(2, 3)], "\\): split:", [np.ones(4, F), ints(1, 3)]),
    ("split_negative", "(float[n] x, int64[2] s) => (float[a] y, float[b] z)", "y, z = Split(x, s)",
     [np.ones(4, F), ints(5, -1)], "\\): split:", [np.ones(4, F), ints(4, 0)]),
    ("split_count", "(float[n] x, int64[k] s) => (float[a] y, float[b] z)", "y, z = Split(x, s)",
     [np.ones(4, F), ints(1, 1, 2)], "must be 2", [np.ones(4, F), ints(4, 0)]),
    ("concat", "(float[n,m] x, float[k,l] y) => (float[a,b] z)", "z = Concat<axis=0>(x, y)",
     [np.ones((1, 2), F), np.ones((1, 3), F)], "\\): dimension 1 of input 1:", [np.ones((1, 2), F), np.ones((0, 2), F)]),
    ("matmul", "(float[n,m] x, float[k,l] y) => (float[n,l] z)", "z = MatMul(x, y)",
     [np.ones((1, 2), F), np.ones((3, 1), F)], "\\): k:", [np.ones((1, 2), F), np.ones((2, 1), F)]),
    ("matmul_batch", "(float[b,n,m] x, float[c,m,l] y) => (float[d,n,l] z)", "z = MatMul(x, y)",
     [np.ones((2, 1, 2), F), np.ones((3, 2, 1), F)], "\\): batch:", [np.ones((2, 1, 2), F), np.ones((1, 2, 1), F)]),
    ("gemm", "(float[n,m] x, float[k,l] y) => (float[n,l] z)", "z = Gemm(x, y)",
     [np.ones((1, 2), F), np.ones((3, 1), F)], "\\): k:", [np.ones((1, 2), F), np.ones((2, 1), F)]),
    ("gemm_bias", "(float[n,m] x, float[m,l] y, float[a,b] c) => (float[n,l] z)", "z = Gemm(x, y, c)",
     [np.ones((1, 2), F), np.ones((2, 1), F), np.ones((2, 1), F)], "\\): c:",
     [np.ones((1, 2), F), np.ones((2, 1), F), np.ones((1, 1), F)]),
    ("einsum", "(float[n,m] x, float[k,l] y) => (float[n,l] z)", 'z = Einsum<equation="ij,jk->ik">(x, y)',
     [np.ones((1, 2), F), np.ones((3, 1), F)], "\\): dims:", [np.ones((1, 2), F), np.ones((2, 1), F)]),
    ("add", "(float[n] x, float[m] y) => (float[k] z)", "z = Add(x, y)",
     [np.ones(2, F), np.ones(3, F)], "broadcast", [np.ones(1, F), np.ones(0, F)]),
    ("where", "(bool[n] c, float[m] x, float[m] y) => (float[k] z)", "z = Where(c, x, y)",
     [np.ones(2, bool), np.ones(3, F), np.ones(3, F)], "broadcast", [np.ones(3, bool), np.ones(1, F), np.ones(1, F)]),
    ("one_hot", "(int64[n] i, int64 d, float[2] v) => (float[n,k] y)", "y = OneHot(i, d, v)",
     [ints(0), np.int64(-1), np.ones(2, F)], "depth|negative", [ints(0), np.int64(0), np.ones(2, F)]),
    ("one_hot_values", "(int64[n] i, int64 d, float[k] v) => (float[n,l] y)", "y = OneHot(i, d, v)",
     [ints(0), np.int64(1), np.ones(1, F)], "off, on", [ints(0), np.int64(3), np.ones(2, F)]),
    ("top_k", "(float[n] x, int64[1] k) => (float[m] y, int64[m] i)", "y, i = TopK(x, k)",
     [np.ones(3, F), ints(4)], "\\): k:", [np.ones(3, F), ints(3)]),
    ("top_k_negative", "(float[n] x, int64[1] k) => (float[m] y, int64[m] i)", "y, i = TopK(x, k)",
     [np.ones(3, F), ints(-1)], "\\): k:", [np.ones(3, F), ints(0)]),
    ("top_k_none", "(float[n] x, int64[a] k) => (float[m] y, int64[m] i)", "y, i = TopK(x, k)",
     [np.ones(3, F), ints()], "must be 1", [np.ones(3, F), ints(0)]),
    ("resize_sizes", "(float[n] x, int64[1] s) => (float[m] y)", "y = Resize(x, , , s)",
     [np.ones(3, F), ints(-2)], "negative|resize", [np.ones(3, F), ints(5)]),
    ("resize_scales", "(float[n] x, float[1] s) => (float[m] y)", "y = Resize(x, , s)",
     [np.ones(3, F), np.array([-1], F)], "must not be negative or huge", [np.ones(3, F), np.array([2], F)]),
    ("resize_of_nothing", "(float[n] x, int64[1] s) => (float[m] y)", "y = Resize(x, , , s)",
     [np.ones(0, F), ints(2)], "", [np.ones(1, F), ints(2)]),
    ("squeeze", "(float[n,m] x, int64[1] a) => (float[k] y)", "y = Squeeze(x, a)",
     [np.ones((2, 3), F), ints(0)], "\\): axes:", [np.ones((2, 1), F), ints(-1)]),
    ("squeeze_range", "(float[n,m] x, int64[1] a) => (float[k] y)", "y = Squeeze(x, a)",
     [np.ones((1, 1), F), ints(2)], "\\): axes:", [np.ones((1, 1), F), ints(0)]),
    ("squeeze_all", "(float[n,m] x) => (float[k] y)", "y = Squeeze(x)",
     [np.ones((2, 3), F)], "1 dimensions other than 1", [np.ones((1, 3), F)]),
    ("unsqueeze", "(float[n] x, int64[1] a) => (float[k,l] y)", "y = Unsqueeze(x, a)",
     [np.ones(2, F), ints(2)], "\\): axes:", [np.ones(2, F), ints(-2)]),
    ("unsqueeze_twice", "(float[n] x, int64[2] a) => (float[k,l,m] y)", "y = Unsqueeze(x, a)",
     [np.ones(2, F), ints(0, -3)], "\\): axes: an axis is given twice", [np.ones(2, F), ints(0, -1)]),
    ("reduce_axis", "(float[n,m] x, int64[1] a) => (float[k] y)", "y = ReduceSum<keepdims=0>(x, a)",
     [np.ones((2, 3), F), ints(2)], "\\): axes:", [np.ones((2, 3), F), ints(-1)]),
    ("cumsum_axis", "(float[n,m] x, int64 a) => (float[n,m] y)", "y = CumSum(x, a)",
     [np.ones((2, 3), F), np.int64(2)], "axis", [np.ones((2, 3), F), np.int64(-1)]),
    ("conv_channels", "(float[n,c,h] x, float[m,d,k] w) => (float[n,m,l] y)", "y = Conv(x, w)",
     [np.ones((1, 2, 5), F), np.ones((1, 3, 2), F)], "\\): channels:", [np.ones((1, 2, 5), F), np.ones((1, 2, 2), F)]),
    ("conv_group", "(float[n,c,h] x, float[m,d,k] w) => (float[n,m,l] y)", "y = Conv<group=2>(x, w)",
     [np.ones((1, 4, 5), F), np.ones((3, 2, 2), F)], "\\): group:", [np.ones((1, 4, 5), F), np.ones((4, 2, 2), F)]),
    ("conv_integer_group", "(uint8[n,c,h] x, uint8[m,d,k] w) => (int32[n,m,l] y)", "y = ConvInteger<group=2>(x, w)",
     [np.ones((1, 4, 5), np.uint8), np.ones((3, 2, 2), np.uint8)], "\\): group:",
     [np.ones((1, 4, 5), np.uint8), np.ones((4, 2, 2), np.uint8)]),
    ("qlinear_conv_group", "(uint8[n,c,h] x, uint8[m,d,k] w, float s, uint8 z) => (uint8[n,m,l] y)",
     "y = QLinearConv<group=2>(x, s, z, w, s, z, s, z)",
     [np.ones((1, 4, 5), np.uint8), np.ones((3, 2, 2), np.uint8), F(1), np.uint8(0)], "\\): group:",
     [np.ones((1, 4, 5), np.uint8), np.ones((4, 2, 2), np.uint8), F(1), np.uint8(0)]),
    ("deform_conv_group", "(float[n,c,h,w] x, float[m,d,1,1] k, float[n,2,h,w] o) => (float[n,m,h,w] y)",
     "y = DeformConv<group=2>(x, k, o)", [np.ones((1, 4, 3, 3), F), np.ones((3, 2, 1, 1), F), np.ones((1, 2, 3, 3), F)],
     "\\): group:", [np.ones((1, 4, 3, 3), F), np.ones((2, 2, 1, 1), F), np.ones((1, 2, 3, 3), F)]),
    ("conv_transpose_group", "(float[n,c,h] x, float[c,d,k] w) => (float[n,m,l] y)", "y = ConvTranspose<group=2>(x, w)",
     [np.ones((1, 3, 5), F), np.ones((3, 2, 2), F)], "\\): group:",
     [np.ones((1, 4, 5), F), np.ones((4, 2, 2), F)]),
    ("conv_transpose_channels", "(float[n,c,h] x, float[d,e,k] w) => (float[n,m,l] y)", "y = ConvTranspose(x, w)",
     [np.ones((1, 3, 5), F), np.ones((2, 2, 2), F)], "\\): channels:",
     [np.ones((1, 2, 5), F), np.ones((2, 2, 2), F)]),
    ("conv_too_small", "(float[n,c,h] x, float[m,c,k] w) => (float[n,m,l] y)", "y = Conv(x, w)",
     [np.ones((1, 2, 2), F), np.ones((1, 2, 5), F)], "window is larger", [np.ones((1, 2, 5), F), np.ones((1, 2, 5), F)]),
    ("pool_too_small", "(float[n,c,h] x) => (float[n,c,l] y)", "y = MaxPool<kernel_shape=[5]>(x)",
     [np.ones((1, 2, 2), F)], "window is larger", [np.ones((1, 2, 5), F)]),
    ("depth_to_space", "(float[n,c,h,w] x) => (float[a,b,d,e] y)", "y = DepthToSpace<blocksize=2>(x)",
     [np.ones((1, 3, 1, 1), F)], "\\): blocksize:", [np.ones((1, 4, 1, 1), F)]),
    ("space_to_depth", "(float[n,c,h,w] x) => (float[a,b,d,e] y)", "y = SpaceToDepth<blocksize=2>(x)",
     [np.ones((1, 1, 3, 2), F)], "\\): blocksize:", [np.ones((1, 1, 2, 2), F)]),
    ("center_crop_pad", "(float[n,m] x, int64[2] s) => (float[a,b] y)", "y = CenterCropPad(x, s)",
     [np.ones((2, 3), F), ints(1, -1)], "negative", [np.ones((2, 3), F), ints(1, 4)]),
    ("layer_norm", "(float[n,m] x, float[k] s) => (float[n,m] y)", "y = LayerNormalization(x, s)",
     [np.ones((2, 3), F), np.ones(2, F)], "", [np.ones((2, 3), F), np.ones(3, F)]),
    ("batch_norm", "(float[n,m] x, float[k] s) => (float[n,m] y)", "y = BatchNormalization(x, s, s, s, s)",
     [np.ones((2, 3), F), np.ones(2, F)], "", [np.ones((2, 3), F), np.ones(3, F)]),
    ("col2im", "(float[n,c,l] x, int64[2] s, int64[2] b) => (float[a,d,e,f] y)", "y = Col2Im(x, s, b)",
     [np.ones((1, 4, 3), F), ints(3, 3), ints(2, 2)], "", [np.ones((1, 4, 4), F), ints(3, 3), ints(2, 2)]),
    ("max_unpool", "(float[n,c,h] x, int64[n,c,h] i) => (float[n,c,l] y)", "y = MaxUnpool<kernel_shape=[2],strides=[2]>(x, i)",
     [np.ones((1, 1, 2), F), ints([[0, 9]])], "", [np.ones((1, 1, 2), F), ints([[0, 3]])]),
    ("one_loss", "(float[n,c] x, int64[n] t) => (float y)", "y = NegativeLogLikelihoodLoss(x, t)",
     [np.ones((1, 2), F), ints(2)], "", [np.ones((1, 2), F), ints(1)]),
    ("hann_window", "(int64 n) => (float[m] y)", "y = HannWindow(n)",
     [np.int64(-1)], "negative", [np.int64(4)]),
    ("stft_short", "(float[b,n,1] x, int64 s, int64 l) => (float[b,f,m,2] y)", "y = STFT(x, s, , l)",
     [np.ones((1, 2, 1), F), np.int64(1), np.int64(8)], "", [np.ones((1, 16, 1), F), np.int64(8), np.int64(8)]),
    ("scan_lengths", "(float[n] x, float[m] y) => (float[k] z)",
     "z = Scan<num_scan_inputs=2, body = b (float a, float c) => (float d) { d = Add(a, c) }>(x, y)",
     [np.ones(2, F), np.ones(3, F)], "", [np.ones(2, F), np.ones(2, F)]),
    ("sequence_at", "(float[n] x, int64 i) => (float[m] y)", "s = SequenceConstruct(x, x) y = SequenceAt(s, i)",
     [np.ones(2, F), np.int64(2)], "", [np.ones(2, F), np.int64(-1)]),
    ("if_shapes", "(bool c, float[n] x, float[m,k] z) => (float[a] y)",
     "y = If(c)<then_branch = t () => (float[b] p) { p = Identity(x) }, else_branch = e () => (float[d] q) "
     "{ w = Constant<value_ints=[0]>() q = Squeeze(z, w) }>",
     [np.bool_(False), np.ones(2, F), np.ones((2, 2), F)], "\\): axes:",
     [np.bool_(False), np.ones(2, F), np.ones((1, 2), F)]),
    ("grid_sample", "(float[n,c,h,w] x, float[m,a,b,2] g) => (float[n,c,a,b] y)", "y = GridSample(x, g)",
     [np.ones((2, 1, 2, 2), F), np.zeros((1, 1, 1, 2), F)], "", [np.ones((1, 1, 2, 2), F), np.zeros((1, 1, 1, 2), F)]),
    ("roi_align", "(float[n,c,h,w] x, float[r,4] b, int64[r] i) => (float[r,c,1,1] y)", "y = RoiAlign(x, b, i)",
     [np.ones((1, 1, 2, 2), F), np.ones((1, 4), F), ints(1)], "", [np.ones((1, 1, 2, 2), F), np.ones((1, 4), F), ints(0)]),
    ("non_max", "(float[n,k,d] b, float[n,c,k] s, int64[1] m) => (int64[r,3] y)", "y = NonMaxSuppression(b, s, m)",
     [np.ones((1, 2, 3), F), np.ones((1, 1, 2), F), ints(1)], "", [np.ones((1, 2, 4), F), np.ones((1, 1, 2), F), ints(1)]),
    ("attention", "(float[b,h,n,d] q, float[b,h,m,d] k, float[b,h,l,e] v) => (float[b,h,n,e] y)", "y = Attention(q, k, v)",
     [np.ones((1, 1, 2, 4), F), np.ones((1, 1, 3, 4), F), np.ones((1, 1, 2, 4), F)], "",
     [np.ones((1, 1, 2, 4), F), np.ones((1, 1, 3, 4), F), np.ones((1, 1, 3, 4), F)]),
    ("lstm", "(float[t,b,i] x, float[1,g,i] w, float[1,g,h] r) => (float[t,1,b,h] y)", "y = LSTM<hidden_size=2>(x, w, r)",
     [np.ones((1, 1, 2), F), np.ones((1, 4, 2), F), np.ones((1, 4, 2), F)], "",
     [np.ones((1, 1, 2), F), np.ones((1, 8, 2), F), np.ones((1, 8, 2), F)]),
    ("dequantize_axis", "(uint8[n,m] x, float[k] s) => (float[n,m] y)", "y = DequantizeLinear(x, s)",
     [np.ones((2, 3), np.uint8), np.ones(2, F)], "", [np.ones((2, 3), np.uint8), np.ones(3, F)]),
    ("prelu", "(float[n,m] x, float[k] s) => (float[n,m] y)", "y = PRelu(x, s)",
     [np.ones((2, 3), F), np.ones(2, F)], "", [np.ones((2, 3), F), np.ones(3, F)]),
    ("trilu", "(float[n,m] x, int64[k] d) => (float[n,m] y)", "y = Trilu(x, d)",
     [np.ones((2, 3), F), ints()], "", [np.ones((2, 3), F), ints(1)]),
    ("reverse_few", "(float[t,b] x, int64[k] l) => (float[t,b] y)", "y = ReverseSequence(x, l)",
     [np.ones((4, 3), F), ints(1, 2)], "\\): sequence_lens:", [np.ones((4, 2), F), ints(0, 4)]),
    ("reverse_many", "(float[t,b] x, int64[k] l) => (float[t,b] y)", "y = ReverseSequence(x, l)",
     [np.ones((4, 2), F), ints(1, 2, 1)], "\\): sequence_lens:", [np.ones((4, 0), F), ints()]),
    ("reverse_negative", "(float[t,b] x, int64[k] l) => (float[t,b] y)", "y = ReverseSequence(x, l)",
     [np.ones((4, 2), F), ints(1, -2)], "at least 0 and at most", [np.ones((4, 2), F), ints(1, 2)]),
    ("reverse_long", "(float[t,b] x, int64[k] l) => (float[t,b] y)", "y = ReverseSequence(x, l)",
     [np.ones((4, 2), F), ints(1, 5)], "at least 0 and at most", [np.ones((4, 2), F), ints(1, 2)]),
    ("rotary_sequence", "(float[b,h,s,d] x, float[c,r,k] a, float[e,f,l] o) => (float[b,h,s,d] y)",
     "y = RotaryEmbedding(x, a, o)",
     [np.ones((1, 2, 3, 4), F), np.ones((1, 2, 2), F), np.ones((1, 2, 2), F)], "\\): sequence:",
     [np.ones((1, 2, 3, 4), F), np.ones((1, 3, 2), F), np.ones((1, 3, 2), F)]),
    ("rotary_batch", "(float[b,h,s,d] x, float[c,r,k] a, float[e,f,l] o) => (float[b,h,s,d] y)",
     "y = RotaryEmbedding(x, a, o)",
     [np.ones((2, 2, 3, 4), F), np.ones((1, 3, 2), F), np.ones((1, 3, 2), F)], "\\): batch:",
     [np.ones((1, 2, 3, 4), F), np.ones((1, 3, 2), F), np.ones((1, 3, 2), F)]),
    ("rotary_caches", "(float[b,h,s,d] x, float[c,r] a, float[e,f] o, int64[g,t] i) => (float[b,h,s,d] y)",
     "y = RotaryEmbedding(x, a, o, i)",
     [np.ones((1, 2, 3, 4), F), np.ones((9, 2), F), np.ones((2, 2), F), ints([0, 4, 8])], "\\): sin_cache:",
     [np.ones((1, 2, 3, 4), F), np.ones((9, 2), F), np.ones((9, 2), F), ints([0, 4, 8])]),
    ("rotary_positions", "(float[b,h,s,d] x, float[c,r] a, int64[g,t] i) => (float[b,h,s,d] y)",
     "y = RotaryEmbedding(x, a, a, i)",
     [np.ones((1, 2, 3, 4), F), np.ones((9, 2), F), ints([0, 4])], "\\): sequence:",
     [np.ones((1, 2, 3, 4), F), np.ones((9, 2), F), ints([0, 4, 8])]),
    ("rotary_heads", "(float[b,s,d] x, float[c,r,k] a) => (float[b,s,d] y)",
     "y = RotaryEmbedding<num_heads=3>(x, a, a)",
     [np.ones((1, 3, 8), F), np.ones((1, 3, 1), F)], "\\): num_heads:",
     [np.ones((1, 3, 6), F), np.ones((1, 3, 1), F)]),
    ("arg_max_empty", "(float[n,m] x) => (int64[n,1] y)", "y = ArgMax<axis=1>(x)",
     [np.ones((2, 0), F)], "", [np.ones((0, 2), F)]),
    ("tensor_scatter", "(float[b,n,d] c, float[b,m,d] u, int64[b] i) => (float[b,n,d] y)", "y = TensorScatter<axis=1>(c, u, i)",
     [np.ones((1, 3, 1), F), np.ones((1, 2, 1), F), ints(2)], "", [np.ones((1, 3, 1), F), np.ones((1, 2, 1), F), ints(1)]),
]


def make(signature, body):
    text = f'<ir_version: 10, opset_import: ["" : 24]> main {signature} {{ {body} }}'
    model = onnx.parser.parse_model(text)
    model.graph.node[-1].name = "bad"
    return model


def check(name, signature, body, bad, message, good, level):
    """What is wrong with the case; None if nothing."""
    import re
    try:
        session = onnxc.InferenceSession(make(signature, body), opt_level=level)
    except onnxc.Error as error:
        return f"does not compile: {error}"
    names = [argument.name for argument in session.get_inputs()]
    for _ in range(2):
        try:
            session.run(None, dict(zip(names, good)))
        except onnxc.Error as error:
            return f"good inputs fail: {error}"
        try:
            got = session.run(None, dict(zip(names, bad)))
            return f"no error, but {[value.tolist() if value.size < 9 else value.shape for value in got]}"
        except onnxc.Error as error:
            text = str(error)
            if not re.search(message, text) or (message != NO_MEMORY and "node '" not in text):
                return f"another error than {message!r}: {text}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("levels", type=int, nargs="*", default=[0, 1, 2])
    parser.add_argument("-k", default="")
    parser.add_argument("-v", action="store_true")
    options = parser.parse_args()
    failed = count = 0
    for name, signature, body, bad, message, good in CASES:
        if bad is None or options.k not in name:
            continue
        for level in options.levels:
            if options.v:
                print(name, level, flush=True)
            count += 1
            wrong = check(name, signature, body, bad, message, good, level)
            if wrong:
                failed += 1
                print(f"{name} -O{level}: {wrong}", flush=True)
    print(f"run errors: {count - failed} of {count}")
    return 1 if failed or not count else 0


sys.exit(main())
