# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs an archive of ONNX's own backend tests of earlier releases (Apache-2.0), compares with the results in them.

In the archive: CASE@RELEASE/model.onnx, input_N.pb, output_N.pb; one or two cases of each operator and version from
which there are steps to the newest one.
"""
import collections
import sys
import tarfile

import numpy as np
import onnx
from onnx import numpy_helper

import onnxc


def read(path):
    """The files of each case, by name."""
    cases = collections.defaultdict(dict)
    with tarfile.open(path) as archive:
        for member in archive:
            case, name = member.name.split("/")
            cases[case][name] = archive.extractfile(member).read()
    return cases


def read_tensors(files, kind):
    names = [f"{kind}_{i}.pb" for i in range(len(files))]
    return [numpy_helper.to_array(onnx.load_tensor_from_string(files[name])) for name in names if name in files]


def run(files, level):
    """What is wrong, None if nothing."""
    session = onnxc.InferenceSession(files["model.onnx"], opt_level=level, threads=1)
    feeds = dict(zip([arg.name for arg in session.get_inputs()], read_tensors(files, "input"), strict=True))
    for got, expected in zip(session.run(None, feeds), read_tensors(files, "output"), strict=True):
        if got.dtype != expected.dtype or got.shape != expected.shape or not np.allclose(
                got, expected, rtol=1e-3, atol=1e-5, equal_nan=True):
            return f"{got}, expected {expected}"
    return None


failures = 0
cases = read(sys.argv[1])
for number, (name, files) in enumerate(sorted(cases.items())):
    try:
        wrong = run(files, number % 2)
    except onnxc.Error as error:
        wrong = error
    if wrong:
        failures += 1
        print(f"{name}: {wrong}")
print(f"{len(cases)} cases, {failures} failures")
