#!/usr/bin/env python3
"""Compares a model's code in a file for several levels of processors with a
compile for each level alone: time of a run with one thread, and bytes.

usage: utils/compare_levels.py [--models FOLDER] [--rounds N] [--keep FOLDER] [NAME...]

Files are compiled first; then they take turns, a call of each, in one process.
The least of the processor's times counts. Levels that this machine does not have
are left out. `native` is what --mcpu=native makes, beside the highest level.
"""

import argparse
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "utils")]

from bench import models  # noqa: E402


def compile_model(options, path, output, cpu):
    """The seconds of the processor that a compile took, or None if it failed."""
    before = os.times()
    done = subprocess.run([str(options.build / "bin" / "onnxc"), path, "-o", str(output), "--prefix=model",
                           f"--mcpu={cpu}"], capture_output=True, text=True)
    after = os.times()
    if done.returncode:
        print(f"{path}, --mcpu={cpu}: {done.stderr.strip()[-200:]}", file=sys.stderr)
        return None
    return after.children_user + after.children_system - before.children_user - before.children_system


def list_levels(library):
    """The names in onnxc_model.levels of a file, lowest first."""
    text = library.read_bytes()
    found = re.search(rb"(?:[a-z0-9-]+(?:\+[a-z0-9]+)*,)+[a-z0-9-]+(?:\+[a-z0-9]+)*(?=\0)", text)
    return found[0].decode().split(",") if found else []


class Contender:
    """A session of its own, with what a call took at least."""

    def __init__(self, library, feeds, level=None):
        import onnxc
        if level:
            os.environ["ONNXC_CPU_LEVEL"] = level
        else:
            os.environ.pop("ONNXC_CPU_LEVEL", None)
        self.session = onnxc.InferenceSession(str(library), threads=1)
        os.environ.pop("ONNXC_CPU_LEVEL", None)
        self.feeds = feeds
        self.least = math.inf

    def take_turn(self, calls):
        start = time.process_time_ns()
        for _ in range(calls):
            self.session.run(None, self.feeds)
        self.least = min(self.least, (time.process_time_ns() - start) / calls / 1e6)


def start(library, feeds, level=None):
    """None on a machine that does not have the level."""
    import onnxc
    try:
        contender = Contender(library, feeds, level)
        contender.take_turn(1)
        return contender
    except onnxc.Error as error:
        print(f"{library.name} {level or ''}: {error}", file=sys.stderr)
        return None


def compare(options, model, folder):
    """The rows of a model."""
    portable = folder / f"{model.name}-portable.so"
    seconds = {"portable": compile_model(options, model.path, portable, "portable")}
    if seconds["portable"] is None:
        return []
    pairs = []
    levels = list_levels(portable)
    for level in [*levels, "native"]:
        alone = folder / f"{model.name}-{level}.so"
        seconds[level] = compile_model(options, model.path, alone, level)
        if seconds[level] is None:
            continue
        several = start(portable, model.feeds, None if level == "native" else level)
        one = start(alone, model.feeds)
        if several and one:
            pairs.append((level, several, one, alone))
    calls = [max(1, min(100, int(4 / max(one.least, 1e-4)))) for _, _, one, _ in pairs]
    for round_number in range(options.rounds):
        for (_, several, one, _), count in zip(pairs, calls):
            for contender in ([several, one] if round_number % 2 else [one, several]):
                contender.take_turn(count)
    return [{"model": model.name, "level": level, "portable_ms": several.least, "alone_ms": one.least,
             "portable_bytes": portable.stat().st_size, "alone_bytes": alone.stat().st_size,
             "portable_compile_s": seconds["portable"], "alone_compile_s": seconds[level]}
            for level, several, one, alone in pairs]


def main():
    default = pathlib.Path(os.environ.get("ONNXC_SHARED", ROOT.parent / "shared")) / "models"
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these models")
    parser.add_argument("--models", type=pathlib.Path, default=default, metavar="FOLDER")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "dev")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER", help="where compiled files stay")
    parser.add_argument("--json", type=pathlib.Path, help="where the numbers go")
    options = parser.parse_args()
    sys.path.insert(0, str((options.build / "python").resolve()))
    rows = []
    with tempfile.TemporaryDirectory(prefix="onnxc-levels-") as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for model in models.find(options.models, options.names, {}):
            for row in compare(options, model, folder):
                rows.append(row)
                print(f"{row['model']:24} {row['level']:24} {row['portable_ms']:9.3f} ms, alone {row['alone_ms']:9.3f}"
                      f"  {row['portable_ms'] / row['alone_ms']:.3f}", flush=True)
            if options.json:
                options.json.write_text(json.dumps(rows, indent=1))
    for level in dict.fromkeys(row["level"] for row in rows):
        ratios = [row["portable_ms"] / row["alone_ms"] for row in rows if row["level"] == level]
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"{level}: {mean:.3f} times as long, geometric mean of {len(ratios)} models; at most {max(ratios):.3f}")


if __name__ == "__main__":
    main()
