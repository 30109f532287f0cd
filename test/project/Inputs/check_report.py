"""Computes what a report of utils/benchmark.py has to say from its raw numbers, in
its own way, and prints where the report says something else.

usage: check_report.py RAW.json REPORT.md

Of one thread. The mark is the fastest peer that is right; a model is slower where p10 of
its rounds is above the mark's p90; means are over models with a mark, all and those whose
mark is at least 1 ms.
"""

import json
import pathlib
import sys

import numpy as np

MAIN = "onnxc-O2"
results = json.loads(pathlib.Path(sys.argv[1]).read_text())
page = pathlib.Path(sys.argv[2]).read_text()


def rounds(result):
    """The processor's seconds, if they count."""
    return np.array(result["cpu_s"]) if result.get("correct") is True and "error" not in result else None


def compare(row, name):
    """(factor, slower, the mark's seconds) of a variant, or None."""
    mine = rounds(row["contenders"][f"{name}/1"])
    others = [rounds(result) for key, result in row["contenders"].items()
              if not key.startswith(("onnxc", "fixed"))]
    others = [times for times in others if times is not None]
    if mine is None or not others:
        return None
    mark = min(others, key=np.median)
    return (np.median(mark) / np.median(mine), np.percentile(mine, 10) > np.percentile(mark, 90), np.median(mark))


def share(row, name, what):
    """The part of a limit, as a report has it: of "peak" or of "memory"."""
    mine = rounds(row["contenders"][f"{name}/1"])
    if mine is None:
        return ""
    limits = results["peaks"]["1"][row["contenders"][f"{name}/1"]["level"]]
    if what == "memory":
        return f"{row['bytes'] / np.median(mine) / limits['memory_gbs'] / 1e9:.0%}"
    top = limits["int8_gops"] if row["int8"] and limits["int8_gops"] else limits["float_gflops"]
    return f"{row['gflops'] / np.median(mine) / top:.0%}" if row["gflops"] else ""


def section(title):
    return page.partition(f"\n{title}\n")[2].partition("\n## ")[0]


def cells(text, first):
    """The cells of the row that begins so, by the table's header."""
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
    header = None
    for line, following in zip(lines, lines[1:] + [[""]]):
        if following[0] == "---":
            header = line
        elif line[0] == first:
            return dict(reversed(list(zip(header, line))))
    return {}


def expect(what, found, wanted):
    if found != wanted:
        print(f"{what}: '{found}', expected '{wanted}'")


def check_rows(text, rows, name):
    """The factors and shares of a table, and whether slower ones are bold."""
    for row in rows:
        compared, found = compare(row, name), cells(text, row["model"])
        factor = "" if compared is None else f"**{compared[0]:.2f}**" if compared[1] else f"{compared[0]:.2f}"
        expect(f"{name}, {row['model']}, times as fast", found.get("times as fast"), factor)
        for what in ("peak", "memory"):
            expect(f"{name}, {row['model']}, of {what}", found.get(f"of {what}"), share(row, name, what))


def check_means(name):
    """The table at the top."""
    found = {row["model"]: compare(row, name) for row in results["rows"]}
    found = {model: entry for model, entry in found.items() if entry}
    groups = {"all models": list(found), "of at least 1 ms": [model for model in found if found[model][2] >= 1e-3]}
    for words, models in groups.items():
        line = cells(page.partition("\n## ")[0], f"{name.replace('-O', ' -O')}, 1 thread, {words}")
        factors = np.array([found[model][0] for model in models])
        expect(f"{name}, {words}, mean", line.get("geometric mean"), f"{np.prod(factors) ** (1 / len(factors)):.2f}")
        expect(f"{name}, {words}, models", line.get("models"), str(len(models)))
        expect(f"{name}, {words}, slower", line.get("slower"), str(sum(bool(found[model][1]) for model in models)))
        least = min(models, key=lambda model: found[model][0])
        expect(f"{name}, {words}, least", line.get("least"), f"{found[least][0]:.2f} ({least})")


def check_losses():
    """The list of losses has what is slower or wrong, and no others."""
    text = page.partition("\n## Where ")[2].partition("\nWhere a peer")[0]
    listed = {line.split("**")[1] for line in text.splitlines() if line.startswith("- **")}
    slower = {row["model"] for row in results["rows"] if (entry := compare(row, MAIN)) and entry[1]}
    wrong = {row["model"] for row in results["rows"] if row["contenders"][f"{MAIN}/1"].get("correct") is False}
    expect("losses", sorted(listed), sorted(slower | wrong))


main_table, _, other_table = section("## 1 thread: milliseconds").partition("\nOther levels")
check_rows(main_table, results["rows"], MAIN)
check_rows(other_table, results["rows"], "onnxc-O2 x86-64-v2")
check_rows(section("## Kernels"), results["kernels"]["rows"], MAIN)
for variant in sorted({key.split("/")[0] for row in results["rows"] for key in row["contenders"]}):
    if variant.startswith("onnxc"):
        check_means(variant)
check_losses()
