"""Prints names that two models share, and builders that are not there or lack an option."""

import ast
import collections
import pathlib
import sys

sys.path.insert(0, sys.argv[1])
from bench.held_out import catalog  # noqa: E402

for name, count in collections.Counter(entry.name for entry in catalog.ENTRIES).items():
    if count > 1:
        print(f"{name}: {count} models")
for entry in catalog.ENTRIES:
    family, function = entry.builder.split(".")
    tree = ast.parse((pathlib.Path(catalog.__file__).parent / f"{family}.py").read_text())
    found = [node.args for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == function]
    if not found:
        print(f"{entry.name}: no {entry.builder}")
    elif not found[0].kwarg and set(entry.options) - {parameter.arg for parameter in found[0].args}:
        print(f"{entry.name}: {entry.builder} does not take {entry.options}")
