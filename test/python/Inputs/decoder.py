"""A decoder with a cache (utils/bench/language_models.py), compiled once for each form of its
weights and called for prompts and steps of several lengths, against ONNX Runtime; with masks that
are shorter and longer than the keys, too. Writes a deep one, deep.onnx, as well.

usage: decoder.py FOLDER
"""

import dataclasses
import pathlib
import sys

import numpy as np
import onnxruntime

import onnxc
from bench import language_models as models

# Batch, tokens, tokens before them.
LENGTHS = [(1, 1, 0), (1, 5, 0), (1, 1, 7), (2, 3, 4), (1, 30, 0), (1, 1, 70), (3, 2, 0), (1, 0, 3), (1, 33, 40)]
TOLERANCE = {"float32": 1e-5, "float16": 4e-3, "int8": 1e-5, "int4": 1e-5}


def run(session, feeds):
    """The outputs, None if the run fails."""
    try:
        return session.run(None, feeds)
    except Exception:  # onnxc.Error, and ONNX Runtime's, which have no common class
        return None


def agree(ours, theirs, tolerance):
    if ours is None or theirs is None:
        return ours is theirs
    return all(np.shape(a) == np.shape(b) and
               (b.size == 0 or np.abs(a.astype(np.float64) - b).max() <= tolerance * max(1, np.abs(b).max()))
               for a, b in zip(ours, theirs))


def write_deep(path):
    """A decoder of many layers and few numbers."""
    models.ARCHITECTURES["deep"] = dataclasses.replace(models.ARCHITECTURES["tiny"], hidden=32, layers=40, inner=32)
    models.write("deep", "float32", path)


def count_last(folder):
    """(right, total) of runs of a decoder that gives the last token's logits alone."""
    theirs = onnxruntime.InferenceSession(folder / "float32.onnx")
    onnxc.compile(folder / "float32.onnx", folder / "last.so", last_logits="logits")
    ours = onnxc.InferenceSession(folder / "last.so")
    right = 0
    for batch, tokens, past in LENGTHS:
        feeds = models.feeds("tiny", "float32", tokens, past, np.random.default_rng(tokens), batch)
        wanted = run(theirs, feeds)
        if agree(run(ours, feeds), [wanted[0][:, -1:], *wanted[1:]], 1e-5):
            right += 1
        else:
            print(f"logits of the last of {batch} x {tokens} behind {past}: differ")
    return right, len(LENGTHS)


def main():
    folder = pathlib.Path(sys.argv[1])
    write_deep(folder / "deep.onnx")
    onnxruntime.set_default_logger_severity(4)
    right = total = 0
    for kind in models.KINDS:
        path = folder / f"{kind}.onnx"
        models.write("tiny", kind, path)
        theirs = onnxruntime.InferenceSession(path)
        for level in (0, 2):
            onnxc.compile(path, folder / f"{kind}{level}.so", opt_level=level)
            ours = onnxc.InferenceSession(folder / f"{kind}{level}.so")
            for batch, tokens, past in LENGTHS:
                random = np.random.default_rng([batch, tokens, past])
                feeds = models.feeds("tiny", kind, tokens, past, random, batch)
                length = tokens + past
                for columns in {length, 0, 1, length + 1}:
                    feeds["attention_mask"] = np.ones((batch, columns), np.int64)
                    # Not the first one, which every token sees.
                    feeds["attention_mask"][:, 1:2] = 0
                    total += 1
                    if agree(run(ours, feeds), run(theirs, feeds), TOLERANCE[kind]):
                        right += 1
                    else:
                        print(f"{kind} -O{level} of {batch} x {tokens} behind {past}, mask of {columns}: differ")
    last, runs = count_last(folder)
    print(f"decoder: {right + last} of {total + runs}")


main()
