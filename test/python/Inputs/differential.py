# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random models against ONNX Runtime or other oracles.

A script has functions that make a model and inputs for it from a Dice. A case
is repeatable by its seed, which also chooses the level of optimization.
"""
import random

import numpy as np
import onnxruntime
from onnx import TensorProto, helper

import onnxc

FLOAT, DOUBLE, STRING, BOOL = TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.STRING, TensorProto.BOOL
INT16, INT32, INT64 = TensorProto.INT16, TensorProto.INT32, TensorProto.INT64
NUMPY = {FLOAT: np.float32, DOUBLE: np.float64, INT16: np.int16, INT32: np.int32, INT64: np.int64, BOOL: np.bool_,
         STRING: object}
NAN = float("nan")
LEVELS = (0, 2, 1)  # by seed in turn


class Dice:
    """All that is random in a case."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.numpy = np.random.default_rng(seed)

    def one(self, *choices):
        return self.random.choice(choices)

    def chance(self, probability):
        return self.random.random() < probability

    def floats(self, count, low=-2, high=2):
        return [float(np.float32(x)) for x in self.numpy.uniform(low, high, count)]

    def sample(self, values, count):
        return self.random.sample(list(values), count)

    def array(self, data_type, shape):
        x = self.numpy.uniform(-3, 3, shape)
        return (np.round(x) if self.chance(0.3) else x).astype(NUMPY[data_type])

    def pick(self, data_type, values, shape):
        """An array of some of `values`."""
        picked = np.empty(int(np.prod(shape)), NUMPY[data_type])
        picked[:] = [self.random.choice(values) for _ in range(picked.size)]
        return picked.reshape(shape)

    def declared(self, shape, name="d"):
        """The shape, or symbols in its place."""
        return list(shape) if self.chance(0.5) else [f"{name}{i}" for i in range(len(shape))]


def tensor(name, data_type, shape):
    return helper.make_tensor_value_info(name, data_type, shape)


# --------------------------------------------------------------------------------------------------------------------
# Comparison
# --------------------------------------------------------------------------------------------------------------------

def is_same(a, b):
    if a is None or b is None:
        return a is b
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(is_same, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and np.allclose([a[k] for k in a], [b[k] for k in a], 2e-4, 2e-5, equal_nan=True)
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape:
        return False
    if a.dtype.kind == "f":
        return a.dtype == b.dtype and np.allclose(a, b, 2e-4, 2e-5, equal_nan=True)
    return a.dtype.kind in "OSU" and b.dtype.kind in "OSU" and a.tolist() == b.tolist() or \
        a.dtype == b.dtype and a.tolist() == b.tolist()


def runtime(proto):
    return onnxruntime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])


def outcome(run, *arguments):
    """What it returns, and what was raised instead."""
    try:
        return run(*arguments), None
    except Exception as error:  # each has classes of its own, and any may refuse
        return None, error


def check(name, make, seed, oracles):
    """How many runs agreed and differed; those that every oracle refuses count as neither."""
    proto, all_feeds = make(Dice(seed))
    expected = next(filter(None, (outcome(oracle, proto)[0] for oracle in oracles)), None)
    if not expected:
        return 0, 0
    session, error = outcome(lambda: onnxc.InferenceSession(proto, threads=1, opt_level=LEVELS[seed % len(LEVELS)]))
    agreed = differed = 0
    for feeds in all_feeds:
        wanted, refusal = outcome(expected.run, None, feeds)
        if refusal:
            continue
        got = None
        if session:
            got, error = outcome(session.run, None, feeds)
        if error or not is_same(list(wanted), list(got)):
            differed += 1
            print(f"{name} seed {seed}: {error or f'{got}, expected {wanted}'}")
        else:
            agreed += 1
    return agreed, differed


def main(operators, arguments, get_oracles=lambda name: [runtime]):
    """`operators` by name; the arguments of a script: [OPERATOR|all] [CASES] [FIRST_SEED]."""
    which, cases, first = (*arguments, *["all", "20", "0"][len(arguments):])
    onnxruntime.set_default_logger_severity(4)
    failed = False
    for name in operators if which == "all" else [which]:
        seeds = range(int(first), int(first) + int(cases))
        agreed, differed = map(sum, zip(*(check(name, operators[name], seed, get_oracles(name)) for seed in seeds)))
        print(f"{name}: differed: {differed}", "compared" if agreed else "nothing to compare", flush=True)
        failed |= differed > 0 or not agreed
    return failed
