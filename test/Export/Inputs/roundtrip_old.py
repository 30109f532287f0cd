#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports each model of ONNX's earlier releases and exports it again: as it is, and
through the newest forms, as far as there is a way back from them. Prints those that do
not come back equal.

usage: roundtrip_old.py FOLDER (test/onnx-node)
"""

import sys

import onnx

from onnxc import _onnxc


def differences(case):
    before = onnx.ModelProto.FromString(case.model)
    through = _onnxc.OptimizeOptions()
    through.passes = []
    for way, run in (("as it is", lambda: _onnxc.convert(case.model, [])[0]),
                     ("through the newest forms", lambda: _onnxc.optimize(case.model, through)[0])):
        try:
            after = onnx.ModelProto.FromString(run())
        except _onnxc.Error as error:
            yield f"{case.name} {way}: {error}"
            continue
        if before != after:
            yield f"{case.name} {way} became\n{after}"


def main(folder):
    sys.path.insert(0, folder)
    import cases
    known = cases.load_cases("old")
    failures = 0
    for case in known.values():
        for text in differences(case):
            failures += 1
            print(text)
    print(f"{len(known)} models, {failures} failures")


if __name__ == "__main__":
    main(*sys.argv[1:])
