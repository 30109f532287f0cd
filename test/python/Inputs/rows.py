"""Compares -O2, where ops that share rows are one loop, with -O0: rows of many
lengths, none at all, NaN and infinities among them."""

import numpy as np
import onnx.parser

import onnxc

MATRIX, CUBE = "(float[n,m] x) => (float[n,m] y", "(float[n,m,k] x) => (float[n,m,k] y"
LAST = "a = Constant<value_ints=[-1]>()"
BODIES = {
    "softmax": MATRIX + ") { y = Softmax<axis=-1>(x) }",
    "log_softmax": MATRIX + ") { y = LogSoftmax<axis=-1>(x) }",
    "maximum": MATRIX + f", float[n] z) {{ {LAST} z = ReduceMax<keepdims=0>(x, a) k = ReduceMax(x, a) y = Sub(x, k) }}",
    "deviation": MATRIX + f") {{ {LAST} m0 = ReduceMean(x, a) d = Sub(x, m0) v = ReduceSumSquare(d, a) "
                 "o = Constant<value_float=1.0>() w = Add(v, o) y = Div(d, w) }",
    "twice": MATRIX + ") { p = Softmax<axis=-1>(x) q = Softmax<axis=-1>(p) r = Mul(p, q) y = Softmax<axis=0>(r) }",
    "largest": MATRIX + ", int64[n,1] i) { i = ArgMax<axis=1>(x) y = Softmax<axis=-1>(x) }",
    "columns": CUBE + ") { y = Softmax<axis=1>(x) }",
    "planes": CUBE + ", float[1,m,1] z) { a = Constant<value_ints=[0, 2]>() z = ReduceMax(x, a) y = Sub(x, z) }",
    "sums": CUBE + ", float[n,k] s, float[n,k] t) { a = Constant<value_ints=[1]>() s = ReduceSum<keepdims=0>(x, a) "
            "e = Exp(x) t = ReduceSum<keepdims=0>(e, a) y = Softmax<axis=1>(x) }",
}
SIZES = [(1, 1), (3, 7), (5, 16), (4, 33), (2, 64), (7, 129), (0, 5), (3, 200)]


def samples(rank):
    random = np.random.default_rng(1)
    for n, m in SIZES:
        for kind in range(3):
            x = 4 * random.standard_normal((n, m) if rank == 2 else (n, m, 19)).astype(np.float32)
            if x.size and kind == 1:
                x[0, m // 2] = np.nan
            elif x.size and kind == 2:
                x[-1] = -np.inf
                x[0, m - 1] = np.inf
            yield x


def main():
    np.seterr(all="ignore")
    right = 0
    for name, body in BODIES.items():
        model = onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["" : 21]> main {body}')
        plain, fused = (onnxc.InferenceSession(model, opt_level=level) for level in (0, 2))
        wrong = [x.shape for x in samples(3 if body.startswith(CUBE) else 2)
                 if not all(np.allclose(a, b, rtol=2e-5, atol=1e-6, equal_nan=True)
                            for a, b in zip(plain.run(None, {"x": x}), fused.run(None, {"x": x})))]
        right += not wrong
        if wrong:
            print(f"{name}: wrong for {wrong}")
    print(f"rows: {right} of {len(BODIES)}")


main()
