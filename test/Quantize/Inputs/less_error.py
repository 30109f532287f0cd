"""Whether a model has less of the error than another one has.

usage: less_error.py BEFORE INPUTS.npz BETTER WORSE
"""

import sys

import numpy as np
import onnxruntime


def run(path, arrays):
    return onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]).run(None, arrays)[0].astype("f8")


before, inputs, better, worse = sys.argv[1:]
arrays = dict(np.load(inputs))
want = run(before, arrays)
share = np.linalg.norm(run(better, arrays) - want) / np.linalg.norm(run(worse, arrays) - want)
print(f"{better} has {'less' if share < 0.9 else f'{share:.2f}, not less'} than 0.9 of the error of {worse}")
