"""Whether each two models give the same results in onnxc.

usage: same_results.py INPUTS.npz MODEL MODEL...
"""

import subprocess
import sys

import numpy as np


def run(path):
    subprocess.run(["onnxc", path, "-o", f"{path}.so", "--mcpu=native"], check=True)
    subprocess.run(["onnxc", "run", f"{path}.so", "--inputs", sys.argv[1], "--save", f"{path}.npz"], check=True, stdout=subprocess.DEVNULL)
    return next(iter(np.load(f"{path}.npz").values()))


for one, other in zip(sys.argv[2::2], sys.argv[3::2]):
    a, b = run(one), run(other)
    apart = np.abs(a - b).max() / np.abs(a).max()
    print(f"{one} and {other} {'agree' if apart < 1e-5 else f'differ by {apart}'}")
