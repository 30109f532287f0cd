# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which tests the runners for other targets run, and which of them may fail."""

import datetime
import pathlib
import random
import re


def add_arguments(parser):
    parser.add_argument("filter", nargs="?", default="", help="a regular expression over names")
    parser.add_argument("--sample", type=int, help="so many tests, others for each seed")
    parser.add_argument("--seed", type=int, default=int(datetime.date.today().strftime("%Y%m%d")), help="today's date by default; is printed")


def choose(names, arguments):
    names = sorted(name for name in names if re.search(arguments.filter, name))
    if arguments.sample:
        print(f"seed {arguments.seed}")
        names = sorted(random.Random(arguments.seed).sample(names, min(arguments.sample, len(names))))
    return names


def read_denied(mode):
    """Patterns of what fails in a mode at some level, on every target."""
    lines = (pathlib.Path(__file__).resolve().parent / "denylist.txt").read_text().splitlines()
    rules = [line.split(maxsplit=2) for line in lines if line.strip() and not line.startswith("#")]
    return [glob for modes, glob, _ in rules if any(each.startswith(mode) for each in modes.split(","))]
