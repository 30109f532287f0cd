#!/usr/bin/env python3
#===- compare_shapes.py - Our inferred shapes against onnx.shape_inference -===#
#
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
"""Compares, value by value, what the infer stage tells of a model with what
onnx.shape_inference (data propagation on) tells.

    utils/compare_shapes.py --bin build/dev/bin model.onnx...

A value counts as weaker if onnx knows its rank or a dimension and we do not, as
wrong if both know and differ. Exit status 1 if there is any such value; values
where ours knows more are counted, and listed with -v.
"""

import argparse
import os
import re
import subprocess
import sys

import onnx


def onnx_shapes(path):
    """Value name -> dims (None: unknown) as onnx infers them."""
    model = onnx.load(path, load_external_data=False)
    inferred = onnx.shape_inference.infer_shapes(model, data_prop=True)
    shapes = {}
    for info in list(inferred.graph.value_info) + list(inferred.graph.output):
        tensor = info.type.tensor_type
        if info.type.HasField("tensor_type") and tensor.HasField("shape"):
            shapes[info.name] = [
                d.dim_value if d.HasField("dim_value") else None
                for d in tensor.shape.dim]
    return shapes


def parse_type(text):
    """"tensor<2x?xf32>" -> [2, None]; None if the rank is not known."""
    match = re.fullmatch(r"tensor<((?:[0-9?]+x)*)[^*x][^>]*>", text)
    if not match:
        return None
    return [None if d == "?" else int(d)
            for d in match.group(1).split("x") if d]


def our_shapes(path, tools):
    """Value name -> dims, from the locations of the inferred module."""
    module = subprocess.run(
        [os.path.join(tools, "onnx-mlir-translate"), "--onnx-to-mlir",
         "--mlir-print-debuginfo", path],
        check=True, capture_output=True).stdout
    # Without folding, every value of the model keeps its op.
    text = subprocess.run(
        [os.path.join(tools, "onnx-mlir-opt"),
         "--pass-pipeline=builtin.module(onnxc-upgrade,inline,"
         "onnx-infer-shapes{fold=false})",
         "--mlir-print-debuginfo", "--mlir-elide-elementsattrs-if-larger=4",
         "--mlir-elide-resource-strings-if-larger=4"],
        input=module, check=True, capture_output=True).stdout.decode()
    outputs = {}
    for name, names in re.findall(
            r"^(#loc\d*) = loc\(fused<#onnx\.source<.*?outputs = \[(.*?)\]",
            text, re.M):
        outputs[name] = re.findall(r'"((?:[^"\\]|\\.)*)"', names)
    shapes = {}
    for types, loc in re.findall(
            r"^ *%.* = onnx\..* -> (\(.*\)|[^ ]+) loc\((#loc\d*)\)$", text,
            re.M):
        results = re.findall(r"tensor<[^>]*>|!onnx\.\w+(?:<.*>)?", types)
        names = [n for n in outputs.get(loc, []) if n]
        # An upgraded node may be several ops: the last one has its outputs.
        for name, result in zip(names, results):
            shapes[name] = parse_type(result)
    return shapes


def compare(path, tools, verbose):
    theirs, ours = onnx_shapes(path), our_shapes(path, tools)
    graph = onnx.load(path, load_external_data=False).graph
    weights = {tensor.name for tensor in graph.initializer}
    counts = {"same": 0, "stronger": 0, "weaker": 0, "wrong": 0, "unmatched": 0}
    for name, dims in theirs.items():
        if name not in ours:
            counts["unmatched"] += 1
            continue
        mine = ours[name]
        if mine is None:
            kind = "weaker"
        elif len(mine) != len(dims) or any(
                a is not None and b is not None and a != b
                for a, b in zip(mine, dims)):
            kind = "wrong"
        elif any(a is None and b is not None for a, b in zip(mine, dims)):
            kind = "weaker"
        else:
            kind = "same" if mine == dims else "stronger"
        counts[kind] += 1
        if kind in ("weaker", "wrong") or (verbose and kind == "stronger"):
            print(f"{path}: {name}: {kind}: ours {mine}, onnx {dims}")
    counts["stronger"] += sum(1 for name, dims in ours.items()
                              if name not in theirs and name not in weights
                              and dims is not None)
    print(f"{path}: " + ", ".join(f"{n} {k}" for k, n in counts.items()))
    return counts["weaker"] + counts["wrong"] == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True, help="where the tools are")
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("models", nargs="+")
    args = parser.parse_args()
    results = [compare(m, args.bin, args.verbose) for m in args.models]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
