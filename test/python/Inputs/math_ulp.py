"""Compares vectorized math functions with what they should give, over the whole
range of float32, and prints the greatest error in units in the last place."""

import sys

import numpy as np
import onnx.parser

import onnxc

# Every 1021st number, of both signs, with subnormal ones and NaN.
SAMPLES = np.arange(0, 2**32, 1021, dtype=np.uint64).astype(np.uint32).view(np.float32)
SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 1e-45, -1e-45, 1.1754944e-38, 3.4028235e38,
                    -3.4028235e38, 88.72283, 88.72284, -103.9, -104.1, 1e30, 2**30, 2**30 + 128, 33554432.0],
                   np.float32)


def mish(x):
    """x tanh(log(1 + e^x)); below -86 it is given as 0."""
    power = np.exp(np.minimum(x, 40))
    part = power * (power + 2)
    return np.where(x < -86, 0.0 * x, x * (part / (part + 2)))


def erf(x):
    import math
    return np.array([math.erf(value) for value in x])


# The function in float64, the ulp that docs/math.md states, and how many of the
# samples are skipped for each that is taken.
FUNCTIONS = {
    "Exp": (np.exp, 1.5, 1),
    "Log": (np.log, 1.1, 1),
    "Sin": (np.sin, 1.5, 1),
    "Cos": (np.cos, 1.5, 1),
    "Tanh": (np.tanh, 5.0, 1),
    "Erf": (erf, 5.0, 16),
    "Sigmoid": (lambda x: 1 / (1 + np.exp(-x)), 3.0, 1),
    "Mish": (mish, 4.0, 1),
    "Sqrt": (np.sqrt, 0.5, 1),
}


def in_ulp(got, want, flushes=False):
    """The distance in units in the last place of the float32 next to `want`.
    With `flushes`, 0 is as good as a subnormal number."""
    exact = want.astype(np.float32)
    same = (got == exact) | (np.isnan(got) & np.isnan(exact))
    finite = np.isfinite(got) & np.isfinite(want)
    exponent = np.maximum(np.frexp(want[finite])[1], -125)
    error = np.where(same, 0, np.inf)
    error[finite] = np.abs(got[finite].astype(np.float64) - want[finite]) / np.ldexp(1.0, exponent - 24)
    if flushes:
        error[(got == 0) & (np.abs(want) < 2.0**-126)] = 0
    # On the edge of the range, infinity is as good as the greatest number.
    edge = np.isinf(got) ^ np.isinf(exact)
    greatest = float(np.finfo(np.float32).max)
    error[edge & (np.abs(want) >= greatest * (1 - 2.0**-23))] = 1
    return error


def session(body):
    text = f'<ir_version: 10, opset_import: ["" : 21]> main {body}'
    return onnxc.InferenceSession(onnx.parser.parse_model(text))


def report(name, error, limit, inputs):
    worst = int(np.argmax(error))
    if error[worst] > limit:
        print(f"{name}: {error[worst]:.2f} ulp at {[float(x[worst]) for x in inputs]}, stated: {limit}")
    elif "-v" in sys.argv:
        print(f"{name}: {error[worst]:.2f} ulp at {[float(x[worst]) for x in inputs]}")
    return error[worst] <= limit


def main():
    np.seterr(all="ignore")
    right = 0
    for name, (function, limit, stride) in FUNCTIONS.items():
        x = np.concatenate([SPECIAL, SAMPLES[::stride]])
        got = session(f"(float[n] x) => (float[n] y) {{ y = {name}(x) }}").run(None, {"x": x})[0]
        right += report(name, in_ulp(got, function(x.astype(np.float64)), name == "Sigmoid"), limit, [x])
    random = np.random.default_rng(0)
    count = 2**20
    x = np.exp(random.uniform(-20, 20, count)).astype(np.float32)
    y = (random.uniform(-80, 80, count) / np.log(x)).astype(np.float32)
    pairs = np.array(np.meshgrid(SPECIAL, SPECIAL)).reshape(2, -1)
    whole = np.array(np.meshgrid(np.float32([-3.5, -2, -1, -0.0]), np.arange(-40, 41).astype(np.float32))).reshape(2, -1)
    x, y = np.concatenate([np.stack([x, y]), pairs, whole], axis=1)
    got = session("(float[n] x, float[n] y) => (float[n] z) { z = Pow(x, y) }").run(None, {"x": x, "y": y})[0]
    right += report("Pow", in_ulp(got, np.power(x.astype(np.float64), y.astype(np.float64))), 1.0, [x, y])
    print(f"math: {right} of {len(FUNCTIONS) + 1}")


main()
