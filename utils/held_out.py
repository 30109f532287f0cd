#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes models that the compiler was not written for, with random weights, for
utils/benchmark.py: networks of torchvision, timm and transformers and common ones
written anew, in five sets.

    float  32-bit floats, fixed sizes
    open   32-bit floats, open sizes of batches, images, texts and sounds
    int8   8-bit integers, of ONNX Runtime's quantizers
    second 32-bit floats, other networks than those of float
    third  the same, others again

usage: utils/held_out.py --list
       utils/held_out.py [--out FOLDER] [--only REGEX] [--again] [SET...]
then:  utils/benchmark.py --models ~/.cache/onnxc/held-out/float

Each model is FOLDER/SET/NAME.onnx, with inputs in NAME.npz and, of integers, tolerances
in NAME.json: twice what differences of rounding make of its results. Weights are random but sane:
layers are scaled so that values neither vanish nor grow, batch normalizations have the
statistics of what reaches them, and results must be finite in ONNX Runtime and depend on
the inputs. Seeds are fixed. A model that is there is not made again. All sets take
some 9 GB and 40 minutes.

Needs `utils/zoo/install.sh venv` once, which makes the environment with torch; --list
needs none of it.
Exit status: 0 if all were made, 1 if any was not (why is in FOLDER/SET/NAME.log).
"""

import argparse
import os
import pathlib
import re
import sys
import time
import traceback

ROOT = pathlib.Path(__file__).resolve().parent.parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "onnxc"
PYTHON = CACHE / "zoo" / "venv" / "bin" / "python3"
sys.path[:0] = [str(ROOT / "utils"), str(ROOT / "test" / "support")]

from bench.held_out import catalog  # noqa: E402


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", metavar="SET", help="float, open, int8, second, third; default all")
    parser.add_argument("--list", action="store_true", help="print the models and end")
    parser.add_argument("--out", type=pathlib.Path, metavar="FOLDER", default=CACHE / "held-out", help="default %(default)s")
    parser.add_argument("--only", metavar="REGEX", default="", help="only models whose name has this")
    parser.add_argument("--again", action="store_true", help="also those that are there")
    options = parser.parse_args()
    unknown = set(options.sets) - set(catalog.SETS)
    if unknown:
        parser.error(f"no such set: {', '.join(sorted(unknown))}; there are {', '.join(catalog.SETS)}")
    options.sets = options.sets or list(catalog.SETS)
    return options


def choose(options):
    return [entry for entry in catalog.ENTRIES if entry.set in options.sets and re.search(options.only, entry.name)]


def enter_environment():
    """Goes on in the Python that has torch."""
    if pathlib.Path(sys.prefix) == PYTHON.parent.parent:
        return
    if not PYTHON.exists():
        sys.exit("torch is not there; run utils/zoo/install.sh venv")
    os.environ |= {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error", "CUDA_VISIBLE_DEVICES": "",
                   "ORT_DISABLE_TELEMETRY": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    os.execv(PYTHON, [str(PYTHON), *sys.argv])


def make_apart(entry, folder):
    """Whether the model was made, in a process of its own, whose memory is then free."""
    from bench.held_out import export
    log = folder / f"{entry.name}.log"
    process = os.fork()
    if process == 0:
        status = 1
        try:
            with open(log, "w") as file:
                os.dup2(file.fileno(), 1)
                os.dup2(file.fileno(), 2)
                print("results:", export.make(entry, folder), flush=True)
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(status)
    made = os.waitpid(process, 0)[1] == 0
    if made:
        log.unlink(missing_ok=True)
    (folder / f"{entry.name}.making").unlink(missing_ok=True)
    return made


def last_line(log):
    lines = log.read_text(errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


def main():
    options = parse()
    entries = choose(options)
    if options.list:
        for entry in entries:
            print(f"{entry.set:7}{entry.name:32}{entry.about}")
        return 0
    enter_environment()
    failed = []
    for entry in entries:
        folder = options.out / entry.set
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{entry.name}.onnx"
        if path.exists() and not options.again:
            continue
        start = time.time()
        if make_apart(entry, folder):
            print(f"{entry.set:7}{entry.name:32}{path.stat().st_size / 1e6:6.0f} MB {time.time() - start:5.0f} s", flush=True)
        else:
            failed.append(entry.name)
            print(f"{entry.set:7}{entry.name:32}failed: {last_line(folder / f'{entry.name}.log')}", flush=True)
    if failed:
        print(f"not made: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
