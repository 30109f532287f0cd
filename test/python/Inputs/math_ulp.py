# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares vectorized math functions with what they should give, over the whole
range of float32, and prints those whose greatest error, in units in the last
place, is above what docs/math.md states.

usage: math_ulp.py docs/math.md [--every 1021] [--mcpu native] [-v]
"""

import argparse
import pathlib
import re
import sys

import numpy as np
import onnx.parser

import onnxc

SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 1e-45, -1e-45, 1.1754944e-38, 3.4028235e38,
                    -3.4028235e38, 88.72283, 88.72284, -103.9, -104.1, 1e30, 2**30, 2**30 + 128, 33554432.0],
                   np.float32)
# How many times as many numbers are taken where a function is neither constant nor linear.
DENSITY = 16
CHUNK = 1 << 22


def mish(x):
    """x tanh(log(1 + e^x)); below -86 it is given as 0."""
    power = np.exp(np.minimum(x, 40))
    part = power * (power + 2)
    return np.where(x < -86, 0.0 * x, x * (part / (part + 2)))


def erf(x):
    """libm's: onnxc has no other for float64."""
    if not hasattr(erf, "session"):
        erf.session = session("(double[n] x) => (double[n] y) { y = Erf(x) }")
    return erf.session.run(None, {"x": x})[0]


# The function in float64, absolute values where its error is worth a closer look,
# and arguments of great errors that were found by looking closer still.
FUNCTIONS = {
    "Exp": (np.exp, (2.0**-10, 104.0), [-87.0101089477539, -87.02023315429688]),
    "Log": (np.log, (2.0**-4, 2.0**4), []),
    "Sin": (np.sin, (2.0**-8, 2.0**8), [3.647596597671509]),
    "Cos": (np.cos, (2.0**-8, 2.0**8), [1085.169921875]),
    "Tanh": (np.tanh, (2.0**-8, 10.0), [5.126039028167725, -6.9865]),
    "Erf": (erf, (2.0**-8, 4.0), [3.8024988174438477]),
    "Sigmoid": (lambda x: 1 / (1 + np.exp(-x)), (2.0**-8, 90.0), [-16.635705947875977]),
    "Mish": (mish, (2.0**-8, 90.0), [-7.581273078918457]),
    "Elu": (lambda x: np.where(x < 0, np.expm1(np.minimum(x, 0)), x), (2.0**-10, 30.0), []),
    "Softplus": (lambda x: np.logaddexp(0, x), (2.0**-8, 90.0), [-2.0229876041412354]),
    "Atan": (np.arctan, (2.0**-8, 2.0**8), [1.1601408]),
    "Asin": (np.arcsin, (2.0**-8, 1.0), [-0.50054634]),
    "Acos": (np.arccos, (2.0**-8, 1.0), [0.6261439]),
    "Sqrt": (np.sqrt, (1.0, 4.0), []),
}


def samples(every, dense):
    """Every so many numbers, of both signs, with subnormal ones and NaN; more of
    them with absolute values in `dense`; in pieces."""
    yield SPECIAL
    low, high = (int(np.float32(value).view(np.uint32)) for value in dense)
    closer = max(1, every // DENSITY)
    for first, last, step in ((0, 2**32, every), (low, high, closer), (low + 2**31, high + 2**31, closer)):
        for start in range(first, last, CHUNK * step):
            bits = np.arange(start, min(last, start + CHUNK * step), step, dtype=np.uint64)
            yield bits.astype(np.uint32).view(np.float32)


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
    return onnxc.InferenceSession(onnx.parser.parse_model(text), mcpu=arguments.mcpu)


def read_limits(path):
    """The errors that the page states, by function."""
    limits = {}
    for names, limit in re.findall(r"^\| ([^|]+) \| ([0-9.]+) \|", path.read_text(), re.MULTILINE):
        inner = re.search(r"\((\w+)\)", names)
        for name in [inner[1]] if inner else names.split(", "):
            limits[name.strip()] = float(limit)
    return limits


class Worst:
    """The greatest error so far, and where."""

    def __init__(self, name):
        self.name, self.error, self.at, self.count = name, 0.0, [], 0

    def add(self, error, inputs):
        index = int(np.argmax(error))
        self.count += error.size
        if error[index] > self.error:
            self.error, self.at = float(error[index]), [float(x[index]) for x in inputs]

    def is_within(self, limit):
        if self.error > limit or arguments.verbose:
            print(f"{self.name}: {self.error:.3f} ulp at {self.at} of {self.count}, stated: {limit}", flush=True)
        return self.count > 0 and self.error <= limit


def measure_one(name):
    function, dense, known = FUNCTIONS[name]
    compiled, worst = session(f"(float[n] x) => (float[n] y) {{ y = {name}(x) }}"), Worst(name)
    for x in (np.float32(known), *samples(arguments.every, dense)):
        if x.size:
            got = compiled.run(None, {"x": x})[0]
            worst.add(in_ulp(got, function(x.astype(np.float64)), name == "Sigmoid"), [x])
    return worst


def measure_two(name, op, function, make):
    """Of two arguments: random ones, and all pairs of special ones."""
    compiled, worst = session(f"(float[n] x, float[n] y) => (float[n] z) {{ z = {op}(x, y) }}"), Worst(name)
    random = np.random.default_rng(0)
    for _ in range(max(1, 4 * 1021 // arguments.every)):
        x, y = make(random)
        pairs = np.array(np.meshgrid(SPECIAL, SPECIAL)).reshape(2, -1)
        x, y = np.concatenate([np.stack([x, y]), pairs], axis=1)
        got = compiled.run(None, {"x": x, "y": y})[0]
        worst.add(in_ulp(got, function(x.astype(np.float64), y.astype(np.float64))), [x, y])
    return worst


def make_powers(random):
    count = 1 << 19
    x = np.exp(random.uniform(-20, 20, count)).astype(np.float32)
    y = (random.uniform(-80, 80, count) / np.log(x)).astype(np.float32)
    whole = np.array(np.meshgrid(np.float32([-3.5, -2, -1, -0.0]), np.arange(-40, 41).astype(np.float32))).reshape(2, -1)
    return np.concatenate([np.stack([x, y]), whole], axis=1)


def make_quotients(random):
    """Any numbers, and those whose quotient is subnormal."""
    count = 1 << 18
    x, y = random.integers(0, 2**32, (2, count), np.uint32).view(np.float32)
    small = np.ldexp(random.uniform(1, 2, count), -100), np.ldexp(random.uniform(1, 2, count), 40)
    return np.concatenate([np.stack([x, y]), np.float32(small)], axis=1)


def main():
    np.seterr(all="ignore")
    limits = read_limits(arguments.page)
    found = [measure_one(name) for name in FUNCTIONS]
    found.append(measure_two("Pow", "Pow", np.power, make_powers))
    found.append(measure_two("division", "Div", np.divide, make_quotients))
    missing = set(limits) ^ {worst.name for worst in found}
    if missing:
        print(f"measured and stated are not the same functions: {sorted(missing)}")
    right = sum(worst.is_within(limits.get(worst.name, 0.0)) for worst in found)
    print(f"math: {right} of {len(limits)}")
    return 1 if missing or right < len(found) else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--every", type=int, default=1021, help="one number of so many is taken")
    parser.add_argument("--mcpu", default="native")
    parser.add_argument("-v", dest="verbose", action="store_true", help="print what is within the limits, too")
    arguments = parser.parse_args()
    sys.exit(main())
