"""Values that were wrong once, or that the compiler refused: found by test/fuzz.

usage: values.py        (prints the names of the cases that are wrong)
"""

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
    "nothing is not zero": (
        23, "(float[0,n,0] x) => (int64[3,m] y) { y = NonZero (x) }", {"x": zeros(np.float32, 0, 3, 0)}, [zeros(np.int64, 3, 0)]),
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
    "logarithm of a subnormal number": (
        13, "(float[n] x) => (float[n] y) { y = Log (x) }", {"x": np.full(9, 1e-40, np.float32)}, [np.full(9, -92.103407, np.float32)]),
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
    for level in (0, 1):
        for name, case in CASES.items():
            wrong = run(*case, level)
            if wrong:
                print(f"-O{level}: {name}: {wrong}")
    print(f"{len(CASES)} cases")


if __name__ == "__main__":
    main()
