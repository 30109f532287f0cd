# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The process behind fuzz_graphs.py: a line of its input is a seed, or "FILE
CONFIGURATION..." for a saved case of which some configurations are judged.

usage: graph_worker.py [MOTIFS, NODES, LEFT OUT](JSON) DESCRIPTOR
"""

import json
import os
import pathlib
import sys
import warnings

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support"), str(HERE.parent / "optimizer")]

import memory_limit  # noqa: E402
from graphs import make, registry  # noqa: E402
from graphs.judge import judge  # noqa: E402

MEMORY = 8 << 30


def main():
    (motifs, nodes, left_out), answers = json.loads(sys.argv[1]), os.fdopen(int(sys.argv[2]), "w")
    registry.leave_out(left_out)
    memory_limit.limit_memory(MEMORY)
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    for line in sys.stdin:
        first, *only = line.split()
        print(line.strip(), file=sys.stderr, flush=True)  # its last words, should it end now
        if first.isdecimal():
            case = make.make(int(first), motifs, nodes)
        else:
            case = make.load(pathlib.Path(first))
        answer = judge(case, only) if case else {"findings": [], "notes": [["no model", ""]], "compared": 0}
        answer["motifs"] = case.motifs if case else []
        answer["nodes"] = len(case.model.graph.node) if case else 0
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
