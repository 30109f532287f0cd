# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the runners of tests judge by, on results that are right and wrong."""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx.parser

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "test" / folder) for folder in ("support", "models", "onnx-node")]

import elsewhere  # noqa: E402
import run_models  # noqa: E402
import run_node_tests  # noqa: E402


def judge_models(value, tolerance):
    want = np.float32([[100, 1, 1, 1, -1, -1, -1, -1]])
    return [str(error) for error in run_models.measure_errors(np.float32(value), want, tolerance) if error.is_too_large()]


def model_errors():
    """`rel_l2` finds what is small beside the largest value alone."""
    tolerance = {"rtol_of_absmax": 0.3, "rel_l2": 0.02}
    right, wrong = [[100, 1, 1, 1, -1, -1, -1, -1]], [[100, 9, 9, 9, -9, -9, -9, -9]]
    integers = run_models.measure_errors(np.arange(3), np.arange(3) % 2, {"rtol_of_absmax": 1, "rel_l2": 1})
    return (not judge_models(right, tolerance) and len(judge_models(wrong, tolerance)) == 1
            and not judge_models(wrong, {"rtol_of_absmax": 0.3}) and judge_models([[np.nan] * 8], tolerance)
            and integers[0].is_too_large())


def step_up_and_down():
    """A wrong step to a newer opset that the step back reverses."""
    def make(op):
        return onnx.parser.parse_model(
            f'<ir_version: 10, opset_import: ["" : 24]> g (float[3] x) => (float[3] y) {{ y = {op}(x) }}')

    x = np.float32([-1, 0, 2])
    lower, elsewhere.lower_for_runtime = elsewhere.lower_for_runtime, lambda model: make("Relu")
    faults = [elsewhere.find_fault(make(op), {"x": x}, lambda got: None if np.array_equal(got[0], np.maximum(x, 0)) else "differs")
              for op in ("Relu", "Neg")]
    elsewhere.lower_for_runtime = lower
    return faults[0] is None and faults[1]


def part_of_the_results():
    """results.csv is compared as far as tests ran."""
    stored = [("Abs", "2/2", "2/2", "1/2", "why"), ("Add", "3/3", "3/3", "3/3", "")]
    find = run_node_tests.find_stale
    return (not find(stored, stored, True) and find(stored, stored[:1], True) == ["Add"]
            and not find(stored, [("Abs", "2/2", "0/0", "0/0", "")], False) and not find(stored, [("Abs", "1/1", "0/0", "0/0", "")], False)
            and find(stored, [("Abs", "1/2", "0/0", "0/0", "")], False) == ["Abs"]
            and find(stored, [("Sub", "1/1", "0/0", "0/0", "")], False) == ["Sub"]
            and find(stored, [("Abs", "3/3", "0/0", "0/0", "")], False) == ["Abs"])


def lines_without_tests():
    with tempfile.NamedTemporaryFile("w") as file:
        file.write("static test_a* why\ndynamic test_b why\nstatic-O0 test_c why\n")
        file.flush()
        deny = run_node_tests.DenyList(pathlib.Path(file.name), 2)
    return deny.idle(["static"], [("static", "test_b")]) == ["test_a*"] and not deny.idle(["static"], [("static", "test_ab")])


def sums():
    """A file of results without a passed test is a failure."""
    with tempfile.TemporaryDirectory() as folder:
        full, empty = pathlib.Path(folder) / "full.xml", pathlib.Path(folder) / "empty.xml"
        full.write_text('<testsuite><testcase name="a"/></testsuite>')
        empty.write_text("<testsuite/>")
        codes = [subprocess.run([sys.executable, ROOT / "utils" / "sum_results.py", *files], stdout=subprocess.DEVNULL,
                                check=False).returncode for files in ([full], [full, empty])]
    return codes == [0, 1]


JUDGES = [model_errors, step_up_and_down, part_of_the_results, lines_without_tests, sums]
right = 0
for judge in JUDGES:
    if judge():
        right += 1
    else:
        print(f"{judge.__name__}: {judge.__doc__}")
print(f"judges: {right} of {len(JUDGES)}")
