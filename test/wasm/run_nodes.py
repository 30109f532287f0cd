#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the tests that come with the onnx package as WebAssembly under Node.js,
many models in one process.

usage: run_nodes.py --build DIR --out DIR [-O 2] [FILTER]
       run_nodes.py --build DIR --out DIR --sample 60 [--seed 20261123]

FILTER is a regular expression over names. --sample takes so many cases, others for
each seed, which is the date unless it is given, and is printed. Those that code for
wasm32 refuses by name are counted, and so is what denylist.txt of test/onnx-node
knows to fail or to pass by chance on every target.
"""

import argparse
import fnmatch
import pathlib
import re
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "onnx-node"))

import cases  # noqa: E402
import choice  # noqa: E402
import node_js  # noqa: E402

BATCH = 24  # models of a process
REFUSED = ("wasm32", "4 GiB")


def prepare(case, arguments):
    """The runs of a case that compiled, or a text that says why it did not."""
    runs = cases.in_mode(case, "static")
    model = runs[0][0]
    path = arguments.out / "model.onnx"
    path.write_bytes(case.model)
    folder = arguments.out / re.sub(r"\W", "_", case.name)
    folder.mkdir(exist_ok=True)
    wrong = node_js.compile_model(arguments.build, path, folder / "model.wasm", "-O" + arguments.level)
    if wrong:
        return wrong
    constants = {tensor.name for tensor in model.graph.initializer}
    names = [value.name for value in model.graph.input if value.name not in constants]
    return folder, [(dict(zip(names, inputs)), outputs) for _, inputs, outputs in runs]


def check(case, runs, answer):
    if isinstance(answer, str):
        return answer
    for (_, want), got in zip(runs, answer, strict=True):
        wrong = cases.compare(list(got.values())[:len(want)], list(want), case.rtol, case.atol)
        if wrong:
            return wrong
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    choice.add_arguments(parser)
    parser.add_argument("--build", required=True)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("-O", dest="level", default="2")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    denied = choice.read_denied("static")
    known_cases = cases.load_cases()
    chosen = [known_cases[name] for name in choice.choose(known_cases, arguments)]
    passed = failed = refused = known = 0
    for at in range(0, len(chosen), BATCH):
        batch = []
        for case in chosen[at:at + BATCH]:
            made = prepare(case, arguments)
            is_denied = any(fnmatch.fnmatchcase(case.name, glob) for glob in denied)
            if not isinstance(made, str):
                batch.append((case, *made, is_denied))
            elif any(text in made for text in REFUSED):
                refused += 1
            elif is_denied:
                known += 1
            else:
                failed += 1
                print(f"{case.name}: {made[-400:].strip()}", flush=True)
        while batch:
            tasks = [(folder / "model.mjs", [inputs for inputs, _ in runs]) for _, folder, runs, _ in batch]
            answers = node_js.run_all(tasks, arguments.out)
            # One that ends the process ends those behind it.
            for (case, folder, runs, is_denied), answer in zip(batch, answers):
                wrong = check(case, runs, answer)
                passed, known, failed = (passed + (not wrong), known + bool(wrong and is_denied),
                                         failed + bool(wrong and not is_denied))
                if wrong and not is_denied:
                    print(f"{case.name}: {wrong}", flush=True)
                shutil.rmtree(folder)
            batch = batch[len(answers):]
    print(f"{passed} passed, {failed} failed, {refused} refused, {known} known to fail everywhere")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
