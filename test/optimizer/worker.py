# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Judges models for run_differential.py: "MODE KIND NAME" lines on the standard
input, a line of JSON for each on the file descriptor given.

usage: worker.py PASSES(JSON) DESCRIPTOR
"""

import json
import os
import pathlib
import sys
import warnings

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support"), str(HERE.parent / "onnx-node"), str(HERE.parent / "models")]

import differential
import memory_limit
import motifs
import onnx
import random_graph

MEMORY = 12 << 30  # bytes


class Sources:
    """Models by kind and name, with sets of inputs and the engines to run them in."""

    def __init__(self):
        self.cases = self.models = None

    def random(self, name):
        made = random_graph.make(int(name), motifs.EVERY)
        return made.proto, [made.feeds], list(differential.RUNNERS)

    def node(self, name):
        import cases
        if self.cases is None:
            self.cases = cases.load_cases()
        sets = []
        for model, inputs, _ in cases.in_mode(self.cases[name], "static"):
            constants = {tensor.name for tensor in model.graph.initializer}
            names = [value.name for value in model.graph.input if value.name not in constants]
            sets.append(dict(zip(names, inputs)))
        return model, sets[:2], list(differential.RUNNERS)

    def model(self, name):
        import run_models
        if self.models is None:
            self.models = {model.name: model for model in run_models.load_models([])[0]}
        model = self.models[name]
        sets = [model.inputs(case) for case in model.entry["cases"][:1]]
        # Plain loops take long.
        small = model.entry["gflops"] <= run_models.BUDGET[0]
        return onnx.load(model.file()), sets, list(differential.RUNNERS) if small else ["onnxruntime"]


def main():
    passes, answers = json.loads(sys.argv[1]), os.fdopen(int(sys.argv[2]), "w")
    memory_limit.limit_memory(MEMORY)
    warnings.simplefilter("ignore")
    sources = Sources()
    for line in sys.stdin:
        mode, kind, name = line.strip().split(maxsplit=2)
        print(line.strip(), file=sys.stderr, flush=True)  # its last words, should it end now
        model, sets, engines = getattr(sources, kind)(name)
        answers.write(json.dumps(differential.judge(model, sets, mode, passes, engines).as_json()) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
