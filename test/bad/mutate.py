#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles models with random faults, and says which did not get an answer.

usage: mutate.py --build build/dev --count 2000 [--seed 0] [--suffix .mlir] [-O 2] [--keep FOLDER] MODEL...

What counts as no answer: a crash, a hang, more than 1 GiB, a file left behind,
and an error that names nothing of the model or speaks of the compiler.
"""

import argparse
import collections
import os
import pathlib
import random
import sys
import tempfile

import onnx

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import attempts
import mutants

# There is no node or tensor to name.
WHOLE = ("imports no operator set", "it has no graph")


def find_fault(outcome, seconds):
    if outcome.kind not in ("ok", "error"):
        return f"{outcome.kind}: {outcome.text[-300:]}"
    if outcome.kind == "error":
        if attempts.INTERNAL.search(outcome.text):
            return f"internal: {outcome.text}"
        if attempts.MLIR.search(outcome.text):
            return f"in MLIR's words: {outcome.text}"
        if not attempts.NAMED.search(outcome.text) and not any(text in outcome.text for text in WHOLE):
            return f"names nothing: {outcome.text}"
        if outcome.left:
            return f"left {outcome.left}: {outcome.text}"
    if outcome.seconds > seconds:
        return f"took {outcome.seconds:.1f} s: {outcome.text}"
    return f"took {outcome.megabytes:.0f} MB: {outcome.text}" if outcome.megabytes > 1024 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    parser.add_argument("--build", required=True)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--suffix", default=".mlir")
    parser.add_argument("-O", dest="level", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--keep", type=pathlib.Path, help="where to leave the mutants that got no answer")
    arguments = parser.parse_args()
    onnxc = attempts.load_onnxc(arguments.build)
    kinds, wrong, loaded = collections.Counter(), 0, {}

    def load(path):
        if path not in loaded:
            loaded[path] = onnx.load(path, load_external_data=False)
        return loaded[path]

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for i in range(arguments.count):
            generator = random.Random(f"{arguments.seed}-{i}")
            source = generator.choice(arguments.models)
            mutator = mutants.Mutator(generator, [load(generator.choice(arguments.models))])
            model, folder_of = load(source), source.parent / "test_data_set_0"
            if generator.random() < 0.3 and folder_of.is_dir():
                model = mutants.with_constant_inputs(model, folder_of)
            mutant = mutator.mutate(model, generator.choice((1, 1, 1, 2, 3)))
            path, output = folder / "mutant.onnx", folder / ("out" + arguments.suffix)
            path.write_bytes(mutant.SerializeToString())
            outcome = attempts.attempt(lambda path=path, output=output: onnxc.compile(
                str(path), output=str(output), opt_level=arguments.level), folder)
            fault = find_fault(outcome, arguments.seconds)
            kinds[outcome.kind] += 1
            if fault:
                wrong += 1
                label = f"{arguments.seed}-{i}-{source.parent.name}"
                print(f"{label}: {fault}", flush=True)
                if arguments.keep:
                    arguments.keep.mkdir(parents=True, exist_ok=True)
                    (arguments.keep / f"{label}.onnx").write_bytes(path.read_bytes())
            for left in os.listdir(folder):
                if left != path.name:
                    os.unlink(folder / left)
    print(f"{arguments.count} mutants, {dict(kinds)}, {wrong} wrong")
    return int(wrong > 0 or not kinds)


if __name__ == "__main__":
    sys.exit(main())
