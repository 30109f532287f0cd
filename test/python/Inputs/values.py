"""Values that were wrong once, or that the compiler refused: found by test/fuzz.

usage: values.py        (prints the names of the cases that are wrong)
"""

import sys

import ml_dtypes
import numpy as np
import onnx.parser

import onnxc


def f32(*values):
    return np.array(values, np.float32)


def i64(*values):
    return np.array(values, np.int64)


def zeros(dtype, *shape):
    return np.zeros(shape, dtype)


# Name: (opset, graph, inputs, results)
CASES = {
    # One value stood for three absent inputs, and was erased three times.
    "absent inputs before opset 13": (
        12, "(float[1] x, int64[1] n) => (float[m] y) { y = Resize <coordinate_transformation_mode=\"align_corners\"> (x, \"\", \"\", n) }",
        {"x": f32(3), "n": i64(2)}, [f32(3, 3)]),
    # The product of a sum, which is a scalar in the shape of a matrix: its rows were asked for.
    "a product of one number": (
        21, "(float[3] x) => (float[17] y) <float[1,17] w = {1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8}>"
            "{ s = ReduceSum (x) y = MatMul (s, w) }",
        {"x": f32(1, 0, 1)}, [f32(2, 4, 6, 8, 10, 12, 14, 16, 18, 2, 4, 6, 8, 10, 12, 14, 16)]),
    # Zeros have any scale, but others read it.
    "scale of nothing but zeros": (
        19, "(float[n] x) => (uint8[n] y, float s, uint8 z) { y, s, z = DynamicQuantizeLinear (x) }",
        {"x": f32(0, 0)}, [np.zeros(2, np.uint8), np.float32(1), np.uint8(0)]),
    "scale of nothing": (
        19, "(float[n] x) => (uint8[n] y, float s, uint8 z) { y, s, z = DynamicQuantizeLinear (x) }",
        {"x": f32()}, [np.zeros(0, np.uint8), np.float32(1), np.uint8(0)]),
    # Of some sizes only the past was static, of others only the input.
    "past of static size, input of unknown length": (
        27, "(float[1,1,n] x, float[1,1,2] w, float[1,1,1] past) => (float[1,1,m] y, float[1,1,k] next)"
            "{ y, next = CausalConvWithState (x, w, \"\", past) }",
        {"x": f32(1, 2, 3).reshape(1, 1, 3), "w": f32(10, 1).reshape(1, 1, 2), "past": f32(5).reshape(1, 1, 1)},
        [f32(51, 12, 23).reshape(1, 1, 3), f32(3).reshape(1, 1, 1)]),
    # Loops over sizes of which one is zero, and another unknown, were joined.
    "no elements, and an unknown size": (
        23, "(bfloat16[3,0,n] x) => (bfloat16[a,b,c] y) { y = ThresholdedRelu (x) }", {"x": zeros(ml_dtypes.bfloat16, 3, 0, 2)},
        [zeros(ml_dtypes.bfloat16, 3, 0, 2)]),
    # The dimension of one element of a slice with a step was dropped: LLVM crashed.
    "one element at a step": (
        15, "(uint8[2,4,2] x) => (uint8[2,1] y) <int64[3] from = {0, -1, 2}, int64[3] to = {9, 9, 9}, int64[3] axes = {0, 2, -2},"
            " int64[3] steps = {1, 1, 3}, int64[1] last = {2}> { s = Slice (x, from, to, axes, steps) y = Squeeze (s, last) }",
        {"x": np.arange(16, dtype=np.uint8).reshape(2, 4, 2)}, [np.array([[5], [13]], np.uint8)]),
    # Of two dimensions of size 1, beside one with a step, the first was dropped: LLVM crashed.
    "one of two dimensions of one element, beside a step": (
        20, "(float[6,16,1] x, int64[1] s) => (float[a,b] y, float[c,d] z) <int64[3] from = {0, 1, 4}, int64[3] to = {1, 16, 5},"
            " int64[3] axes = {-1, -2, 0}, int64[3] steps = {4, 4, 1}, int64[1] first = {0}, int64[1] end = {5}, int64[1] four = {4}, int64[1] one = {1},"
            " int64[1] sixteen = {16}> { p = Slice (x, from, to, axes, steps) y = Squeeze (p, first)"
            " r = Slice (x, four, end, first) q = Slice (r, first, sixteen, one, s) z = Squeeze (q, first) }",
        {"x": np.arange(96, dtype=np.float32).reshape(6, 16, 1), "s": i64(5)},
        [f32(65, 69, 73, 77).reshape(4, 1), f32(64, 69, 74, 79).reshape(4, 1)]),
    # The result has four elements, as Reshape says, of which the first part has all: how
    # many the second has is not known, and it starts at the end.
    "a part of unknown size behind all elements": (
        14, "(int64[4] x, int64[1] n) => (int64[a,b] y) <int64[1] n = {0}, int64[2] s = {2, 2}>"
            "{ none = ConstantOfShape <value = int64[1] {0}> (n) all = Concat <axis = -1> (x, none) y = Reshape (all, s) }",
        {"x": i64(0, 1, 1, 1)}, [i64(0, 1, 1, 1).reshape(2, 2)]),
    # What stands around no elements; an insertion of them would begin at the end.
    "pads around nothing": (
        15, "(float[0,n] x, float c) => (float[a,b] y, float[0,d] z) <int64[4] p = {2, 1, 1, 0}, int64[4] q = {0, 2, 0, 0}>"
            "{ y = Pad (x, p, c) z = Pad (x, q, c) }",
        {"x": zeros(np.float32, 0, 3), "c": np.float32(7)}, [np.full((3, 4), 7, np.float32), zeros(np.float32, 0, 5)]),
    # Every element is the least there is, and the first of them is where it stands.
    "the greatest of the least numbers": (
        13, "(float[2,3] x, int8[2,3] i, float[2,3] w) => (int64[2] y, int64[2] z, int64[2] v, int64[2] u)"
            "{ y = ArgMax <axis = 1, keepdims = 0> (x) z = ArgMax <axis = 1, keepdims = 0> (i) v = ArgMin <axis = 1, keepdims = 0> (w)"
            "  u = ArgMax <axis = 1, keepdims = 0, select_last_index = 1> (x) }",
        {"x": np.full((2, 3), -np.inf, np.float32), "i": np.full((2, 3), -128, np.int8), "w": np.full((2, 3), np.inf, np.float32)},
        [i64(0, 0), i64(0, 0), i64(0, 0), i64(2, 2)]),
    # The second image, and the second channel of it: official cases have one of them.
    "places of the greatest elements of several images": (
        12, "(float[2,2,2,2] x) => (float[2,2,1,1] y, int64[2,2,1,1] i) { y, i = MaxPool <kernel_shape = [2, 2]> (x) }",
        {"x": np.arange(16, dtype=np.float32).reshape(2, 2, 2, 2)},
        [f32(3, 7, 11, 15).reshape(2, 2, 1, 1), i64(3, 7, 11, 15).reshape(2, 2, 1, 1)]),
    "a deformable convolution of several images": (
        22, "(float[2,1,1,2] x, float[1,1,1,1] w, float[2,2,1,2] o) => (float[2,1,1,2] y) { y = DeformConv (x, w, o) }",
        {"x": f32(1, 2, 3, 4).reshape(2, 1, 1, 2), "w": f32(10).reshape(1, 1, 1, 1), "o": zeros(np.float32, 2, 2, 1, 2)},
        [f32(10, 20, 30, 40).reshape(2, 1, 1, 2)]),
    # The sizes of the result are declared, those of the image are not.
    "an average of open sizes with a declared result": (
        22, "(float[1,1,a,b] x) => (float[1,1,2,2] y) { y = AveragePool <kernel_shape = [2, 2], strides = [2, 2], pads = [1, 1, 0, 0]> (x) }",
        {"x": np.arange(1, 10, dtype=np.float32).reshape(1, 1, 3, 3)}, [f32(1, 2.5, 5.5, 7).reshape(1, 1, 2, 2)]),
    "nothing is not zero": (
        23, "(float[0,n,0] x) => (int64[3,m] y) { y = NonZero (x) }", {"x": zeros(np.float32, 0, 3, 0)}, [zeros(np.int64, 3, 0)]),
    # One scale for all maps was refused where its length is open.
    "a scale of open length": (
        17, "(uint8[1,1,1,1] x, float[n] s, uint8[n] z) => (uint8[1,2,1,1] y)"
            "<float one = {1}, uint8 zero = {0}, uint8[2,1,1,1] w = {2, 3}> { y = QLinearConv (x, one, zero, w, s, z, one, zero) }",
        {"x": np.full((1, 1, 1, 1), 3, np.uint8), "s": f32(1), "z": np.ones(1, np.uint8)}, [np.array([3, 6], np.uint8).reshape(1, 2, 1, 1)]),
    # Packed weights without elements were no constant that LLVM's translation takes.
    "integer weights without columns": (
        17, "(uint8[1,3] x) => (int32[1,0] y) <int8[3,0] w = {}> { y = MatMulInteger (x, w) }", {"x": zeros(np.uint8, 1, 3)},
        [zeros(np.int32, 1, 0)]),
    "integer weights without rows": (
        17, "(uint8[2,0] x) => (int32[2,3] y) <int8[0,3] w = {}> { y = MatMulInteger (x, w) }", {"x": zeros(np.uint8, 2, 0)},
        [zeros(np.int32, 2, 3)]),
    # The Scan says that a size is 4, and the layout of the copied result of the
    # Reduce was no longer the identity.
    "a size that only a body knows": (
        9, "(int64[a,b,c,d] x) => (int64[e,f,g,h] low, float[i,j,k] y)"
           "{ n = Neg (x) z = Cast <to = 1> (n) low = ReduceMin <axes = [3]> (n) r = ReduceMax <axes = [0], keepdims = 0> (z)"
           "  y, u = Scan <num_scan_inputs = 1, body = b (float[i,4,j] s, float[i,4,j] t) => (float[i,4,j] v, float[i,4,j] w)"
           "    { v = Add (s, t) w = Identity (v) }> (r, z) }",
        {"x": np.arange(4).reshape(1, 1, 4, 1)}, [-np.arange(4).reshape(1, 1, 4, 1), f32(0, -2, -4, -6).reshape(1, 4, 1)]),
    # The fraction was cut off before the product.
    "integers scaled by a fraction": (
        23, "(int64[1,1] a, int64[1,1] b, int64[1] c) => (int64[1,1] y) { y = Gemm <alpha=0.5, beta=1.5> (a, b, c) }",
        {"a": i64([3]), "b": i64([5]), "c": i64(3)}, [i64([12])]),
    # Divided by the number of steps, which is zero.
    "a lone element between aligned corners": (
        23, "(float[1,2,3] t, int64[4] n) => (float[a,b,c,d] y) { y = AffineGrid <align_corners=1> (t, n) }",
        {"t": f32([[1, 0, 5], [0, 1, 7]]), "n": i64(1, 1, 1, 2)}, [f32(4, 6, 6, 6).reshape(1, 1, 2, 2)]),
    # Only the start was known, and lies behind the last element.
    "slice of nothing": (
        23, "(float[3] x, int64[1] end) => (float[m] y) <int64[1] start = {5}> { y = Slice (x, start, end) }",
        {"x": f32(1, 2, 3), "end": i64(9)}, [zeros(np.float32, 0)]),
    # The region shrank the result, too.
    "a region and scales": (
        19, "(float[4] x, float[2] region, float[1] s) => (float[m] y)"
            "{ y = Resize <mode=\"linear\", coordinate_transformation_mode=\"tf_crop_and_resize\"> (x, region, s) }",
        {"x": f32(0, 1, 2, 3), "region": f32(0, 0.5), "s": f32(1)}, [f32(0, 0.5, 1, 1.5)]),
    # Places were computed in the grid's type, where the image has more digits.
    "a double image and a float grid": (
        20, "(double[1,1,1,2] x, float[1,1,1,2] g) => (double[a,b,c,d] y) { y = GridSample <align_corners=1> (x, g) }",
        {"x": np.array([0, 3e9]).reshape(1, 1, 1, 2), "g": f32(2 ** -23, 0).reshape(1, 1, 1, 2)},
        [np.array(1.5e9 * (1 + 2.0 ** -23)).reshape(1, 1, 1, 1)]),
    # A point outside was moved to the border, where the polynomial is the border's element.
    "a cubic polynomial beyond the border": (
        20, "(float[1,1,1,3] x, float[1,1,1,2] g) => (float[a,b,c,d] y) { y = GridSample <mode=\"cubic\", padding_mode=\"border\", align_corners=1> (x, g) }",
        {"x": f32(0, 0, 8).reshape(1, 1, 1, 3), "g": f32(1.5, 0).reshape(1, 1, 1, 2)}, [f32(8.75).reshape(1, 1, 1, 1)]),
    "logarithm of a subnormal number": (
        13, "(float[n] x) => (float[n] y) { y = Log (x) }", {"x": np.full(9, 1e-40, np.float32)}, [np.full(9, -92.103407, np.float32)]),
    # A row of a folded transpose is the input's own memory, and was written over.
    "rows of a transposed input": (
        13, "(float[n,9] x) => (float[9] norm, float[9,n] y)"
            "{ t = Transpose <perm = [1, 0]> (x) norm = ReduceL1 <axes = [1], keepdims = 0> (t) d = Add (t, t) y = Relu (d) }",
        {"x": np.arange(-9, 9, dtype=np.float32).reshape(2, 9)},
        [f32(9, 9, 9, 9, 9, 9, 9, 9, 9), np.maximum(2 * np.arange(-9, 9, dtype=np.float32).reshape(2, 9).T, 0)]),
    # Two products side by side are columns of one, which the run splits.
    "columns that are split when it runs": (
        17, "(float[2,16] x, int64[3] n) => (float[a,b,c] y, float[d,e,f] z) <float[16,16] v = {" + ",".join(["1"] * 256) + "},"
            "float[16,16] w = {" + ",".join(["2"] * 256) + "}> { p = MatMul (x, v) q = MatMul (x, w) y = Reshape (p, n) z = Reshape (q, n) }",
        {"x": np.ones((2, 16), np.float32), "n": i64(2, 8, 2)},
        [np.full((2, 8, 2), 16, np.float32), np.full((2, 8, 2), 32, np.float32)]),
    # Elements of nothing were read in a loop from memory that stood in it.
    "a slice of nothing, with steps that the run gives": (
        18, "(float[2,n] x, int64[1] step) => (float[a,b] y) <int64[1] two = {2}, int64[1] zero = {0}, int64[1] one = {1}>"
            "{ e = Slice (x, two, two, zero) y = Slice (e, zero, one, zero, step) }",
        {"x": zeros(np.float32, 2, 3), "step": i64(1)}, [zeros(np.float32, 0, 3)]),
    # Of the elements behind the copied dimension there are none.
    "a copied dimension of size 0": (
        18, "(float[0,5,7] x, int64[2] n) => (float[a] y, float[b,c] z) <int64[1] copy = {0}> { y = Reshape (x, copy) z = Reshape (x, n) }",
        {"x": zeros(np.float32, 0, 5, 7), "n": i64(0, 3)}, [zeros(np.float32, 0), zeros(np.float32, 0, 3)]),
    # A slice was taken of the image that is not there.
    "a convolution of no images": (
        18, "(float[0,2,h,w] x) => (float[a,b,c,d] y) <float[2,1,3,3] f = {" + ",".join(["1"] * 18) + "}>"
            "{ y = Conv <group = 2, kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (x, f) }",
        {"x": zeros(np.float32, 0, 2, 5, 4)}, [zeros(np.float32, 0, 2, 5, 4)]),
    # The kernel was to write its columns at a distance of two elements.
    "columns of integer products beside others": (
        16, "(int8[n,8] x, float[n,16,1] z) => (float[a,b,c] y) <uint8[8,16] w = {" + ",".join(["3"] * 128) + "}, float s = {0.5},"
            "float t = {0.25}, int64[1] last = {-1}> { d = DequantizeLinear (x, s) v = DequantizeLinear (w, t) p = MatMul (d, v)"
            "  r = Relu (p) u = Unsqueeze (r, last) y = Concat <axis = 2> (u, z) }",
        {"x": np.ones((2, 8), np.int8), "z": np.ones((2, 16, 1), np.float32)}, [np.tile(f32(3, 1), (2, 16, 1))]),
    # What was left of a quotient by a tiny scale underflowed, and 3.5 became 3.
    "a tie of tiny scales": (
        19, "(uint8[n] x) => (uint8[n] y) <float s = {1.17549435e-38}, float t = {2.3509887e-38}> { d = DequantizeLinear (x, s) y = QuantizeLinear (d, t) }",
        {"x": np.array([7, 9, 250], np.uint8)}, [np.array([4, 4, 125], np.uint8)]),
    # LLVM took the first of two dimensions of size 1 for the one that a view drops.
    "a new dimension in a result of open sizes": (
        18, "(float[1,n,m] x, float[a,b,c,d] z) => (float[e,f,g,h] y) <int64[1] at = {-2}> { u = Unsqueeze (x, at) y = Concat <axis = 2> (u, z) }",
        {"x": f32(1, 2, 3, 4, 5, 6).reshape(1, 2, 3), "z": f32(7, 8, 9, 10, 11, 12).reshape(1, 2, 1, 3)},
        [f32(1, 2, 3, 7, 8, 9, 4, 5, 6, 10, 11, 12).reshape(1, 2, 2, 3)]),
    # The compiler tried each of 2^40 taps, to count those inside of the image.
    "a window that is mostly padding": (
        22, "(float[1,1,7] x) => (float[1,1,a] y) { y = AveragePool <kernel_shape = [4], dilations = [3], strides = [2], pads = [3, 3]> (x) }",
        {"x": f32(1, 2, 3, 4, 5, 6, 7).reshape(1, 1, 7)}, [f32(4, 4.5).reshape(1, 1, 2)]),
    # All samples were taken, which are as many as the region is large.
    "regions far larger than their image": (
        22, "(float[1,1,2,2] x, float[n,4] r, int64[n] i) => (float[a,b,c,d] y, float[e,f,g,h] z)"
            "{ y = RoiAlign <output_height = 1, output_width = 1> (x, r, i) z = RoiAlign <output_height = 1, output_width = 1, mode = \"max\"> (x, r, i) }",
        {"x": np.full((1, 1, 2, 2), -3, np.float32), "r": f32([-1e9, -1e9, 1e9, 1e9], [-3.5, -3.5, 4.5, 4.5], [0.5, 0.5, 1.5, 1.5]), "i": i64(0, 0, 0)},
        [f32(0, -3 * 9 / 64, -3).reshape(3, 1, 1, 1), f32(0, 0, -0.75).reshape(3, 1, 1, 1)]),
    # Of the keys of a past none is hidden, though there are more than a head has
    # channels; sums of float16 are divided by, not their inverses.
    "a query behind a past": (
        24, "(float16[1,1,1,1] q, float16[1,1,1,1] k, float16[1,1,1,1] v, float16[1,1,3,1] pk, float16[1,1,3,1] pv) =>"
            " (float16[1,1,1,1] y, float16[1,1,4,1] nk, float16[1,1,4,1] nv) { y, nk, nv = Attention <is_causal = 1> (q, k, v, \"\", pk, pv) }",
        {"q": zeros(np.float16, 1, 1, 1, 1), "k": zeros(np.float16, 1, 1, 1, 1), "v": np.full((1, 1, 1, 1), 9, np.float16),
         "pk": zeros(np.float16, 1, 1, 3, 1), "pv": np.array([1, 2, 4], np.float16).reshape(1, 1, 3, 1)},
        [np.full((1, 1, 1, 1), 4, np.float16), zeros(np.float16, 1, 1, 4, 1), np.array([1, 2, 4, 9], np.float16).reshape(1, 1, 4, 1)]),
    # The condition stays as it is, so that the number of steps is known before.
    "a loop that does not begin": (
        21, "(int64 n, bool go, float[1] x) => (float[1] y)"
            "{ y = Loop <body = b (int64 i, bool goes, float[1] s) => (bool on, float[1] t) { on = Identity (goes) t = Add (s, s) }> (n, go, x) }",
        {"n": np.int64(3), "go": np.False_, "x": f32(5)}, [f32(5)]),
    # Of the update gate both the input and the state count; the reset gate is that of the product.
    "a GRU that is linear before its reset": (
        14, "(float[1,1,1] x, float[1,3,1] w, float[1,3,1] r, float[1,1,1] h) => (float[1,1,1,1] y)"
            "{ y = GRU <hidden_size = 1, linear_before_reset = 1> (x, w, r, \"\", \"\", h) }",
        {"x": f32(1).reshape(1, 1, 1), "w": f32(2, 3, 0).reshape(1, 3, 1), "r": f32(-2, -3, 2).reshape(1, 3, 1), "h": f32(1).reshape(1, 1, 1)},
        [f32(np.tanh(1) / 2 + 0.5).reshape(1, 1, 1, 1)]),
    # As many gaps between two elements were tried as the attribute allows.
    "gaps that are longer than the text": (
        22, "(int64[n] x) => (float[4] y) { y = TfIdfVectorizer <mode = \"TF\", min_gram_length = 1, max_gram_length = 2,"
            "  max_skip_count = 9223372036854775807, ngram_counts = [0, 2], ngram_indexes = [0, 1, 2, 3], pool_int64s = [1, 2, 1, 4, 3, 1]> (x) }",
        {"x": i64(1, 2, 3, 4, 4)}, [f32(1, 1, 2, 0)]),
}


def run(opset, text, inputs, results, level):
    model = onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["" : {opset}]> main {text}')
    try:
        got = onnxc.InferenceSession(model, opt_level=level).run(None, inputs)
    except onnxc.Error as error:
        return str(error)
    same = all(g.dtype == w.dtype and g.shape == w.shape and np.allclose(g.astype(float), w.astype(float), 1e-12 if g.dtype == float else 1e-6)
               for g, w in zip(got, results, strict=True))
    return "" if same else str(got)


def main():
    failed = 0
    for level in (0, 1, 2):
        for name, case in CASES.items():
            wrong = run(*case, level)
            if wrong:
                failed += 1
                print(f"-O{level}: {name}: {wrong}")
    print(f"{len(CASES)} cases")
    return 1 if failed or not CASES else 0


if __name__ == "__main__":
    sys.exit(main())
