"""Runs ONNX's node tests on the Cortex-M4 that QEMU emulates: those that --freestanding
compiles, and whose values are numbers. By hand, since all of them take half an hour.

usage: run_nodes.py --build DIR --out DIR [--part I/N] [--level 2]
  needs Debian's gcc-arm-none-eabi and libnewlib-arm-none-eabi, for doubles and libm
"""

import argparse
import os
import subprocess
import sys

import numpy as np
import onnx
from onnx.backend.test import loader

from run_nets import BOARD, TARGETS

TARGET = TARGETS["cortex-m4"]
COMPILE = ["arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mfloat-abi=hard", "-mthumb", "-O1", "-I", BOARD]


def write_main(path, inputs, outputs):
    """Values as their bytes: whatever type they have."""
    text = '#include "board.h"\n#include "net.h"\n'
    text += "static _Alignas(NET_ARENA_ALIGNMENT) unsigned char arena[NET_ARENA_BYTES];\n"
    for i, value in enumerate(inputs):
        text += f"static const _Alignas(16) unsigned char in{i}[] = {{{', '.join(map(str, value.tobytes()))}}};\n"
    for i, value in enumerate(outputs):
        text += f"static _Alignas(16) uint32_t out{i}[{(value.nbytes + 3) // 4}];\n"
    arguments = [f"(const void *)in{i}" for i in range(len(inputs))] + [f"(void *)out{i}" for i in range(len(outputs))]
    text += f"int main(void) {{\n  const char *error = net_run({', '.join(['arena', *arguments])});\n"
    text += "  if (error) {\n    board_write(error);\n    return 1;\n  }\n"
    for i, value in enumerate(outputs):
        text += f'  board_write("output ");\n  for (int i = 0; i < {(value.nbytes + 3) // 4}; ++i)\n'
        text += f'    board_write_hex(out{i}[i]);\n  board_write("\\n");\n'
    with open(path, "w", encoding="utf-8") as file:
        file.write(text + "  return 0;\n}\n")


def is_close(words, expected, test):
    found = np.array([int(word, 16) for word in words], np.uint32).tobytes()[:expected.nbytes]
    found = np.frombuffer(found, expected.dtype).reshape(expected.shape)
    if expected.dtype.kind in "fc":
        return np.allclose(found, expected, rtol=max(test.rtol, 1e-3), atol=max(test.atol, 1e-6), equal_nan=True)
    return np.array_equal(found, expected)


def check(test, arguments):
    """Nothing for a test that is left out, else what is wrong, "" for nothing."""
    out = arguments.out
    model, archive, program = (os.path.join(out, name) for name in ("model.onnx", "net.a", "program"))
    onnx.save(test.model, model)
    compiled = subprocess.run(
        [os.path.join(arguments.build, "bin", "onnxc"), model, "-o", archive, "--freestanding",
         "--mtriple=" + TARGET.triple, "-O" + arguments.level, *TARGET.options], capture_output=True, text=True)
    if compiled.returncode != 0:
        return None if "--freestanding code" in compiled.stderr else compiled.stderr[-300:]
    values = [list(map(np.asarray, part)) for part in test.data_sets[0]]
    if any(value.dtype.kind not in "fiubc" or value.size == 0 for part in values for value in part):
        return None
    main = os.path.join(out, "main.c")
    write_main(main, *values)
    linked = subprocess.run([*COMPILE, "-I", out, "-nostartfiles", *TARGET.link, main, TARGET.start, archive,
                             "-Wl,--gc-sections", "-lm", "-o", program], capture_output=True, text=True)
    if linked.returncode != 0:
        return linked.stderr[-300:]
    run = subprocess.run([*TARGET.runner, program], capture_output=True, text=True, timeout=120)
    lines = [line.split()[1:] for line in (run.stdout + run.stderr).splitlines() if line.startswith("output ")]
    if len(lines) != len(values[1]):
        return (run.stdout + run.stderr)[-300:]
    return "" if all(map(is_close, lines, values[1], [test] * len(lines))) else "another result"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--part", default="0/1")
    parser.add_argument("--level", default="2")
    arguments = parser.parse_args()
    os.makedirs(arguments.out, exist_ok=True)
    part, count = map(int, arguments.part.split("/"))
    passed = failed = skipped = 0
    for test in loader.load_model_tests(kind="node")[part::count]:
        wrong = check(test, arguments)
        passed, failed, skipped = passed + (wrong == ""), failed + bool(wrong), skipped + (wrong is None)
        if wrong:
            print(f"{test.name}: {wrong}")
    print(f"{passed} passed, {failed} failed, {skipped} not for this target")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
