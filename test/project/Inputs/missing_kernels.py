"""Prints the kernels of utils/kernel_benchmarks.py that a page has no row for.

usage: missing_kernels.py PAGE
"""

import pathlib
import sys

root = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(root / "utils"))

import kernel_benchmarks  # noqa: E402
from bench import report  # noqa: E402

text = report.kernels_of(pathlib.Path(sys.argv[1]).read_text())
rows = {line.split("|")[1].strip() for line in text.splitlines() if line.startswith("| ")}
for kernel in kernel_benchmarks.kernels():
    if kernel.name not in rows:
        print(kernel.name)
