"""Compiles a few files of a configured build, only to see that they compile; others every day.

usage: compile_sample.py CONFIGURED BUILT [--count 2] [--seed 20261122]

Generated headers are those of BUILT, another build of the same sources.
"""

import argparse
import datetime
import json
import pathlib
import random
import shlex
import subprocess

parser = argparse.ArgumentParser()
parser.add_argument("configured", type=pathlib.Path)
parser.add_argument("built", type=pathlib.Path)
parser.add_argument("--count", type=int, default=2)
parser.add_argument("--seed", type=int, default=int(datetime.date.today().strftime("%Y%m%d")))
options = parser.parse_args()

# Neither what is generated, nor other projects' files.
root = pathlib.Path(__file__).resolve().parents[3]
commands = [entry for entry in json.loads((options.configured / "compile_commands.json").read_text())
            if pathlib.Path(entry["file"]).is_relative_to(root)
            and not pathlib.Path(entry["file"]).is_relative_to(options.configured)]
failures = 0
print(f"seed {options.seed}")
for entry in random.Random(options.seed).sample(commands, options.count):
    words = shlex.split(entry["command"].replace(str(options.configured), str(options.built)))
    output = words.index("-o")
    command = [*words[:output], *words[output + 2:], "-fsyntax-only", "-Werror"]
    done = subprocess.run(command, cwd=options.configured, capture_output=True, text=True)
    if done.returncode:
        failures += 1
        print(f"{entry['file']}:\n{done.stderr[:2000]}")
print(f"{options.count} files, {failures} failures")
