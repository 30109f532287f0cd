# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/zoo.md."""

import collections
import importlib.metadata
import math
import pathlib
import platform
import statistics
import sys

import entries

FAULTS = ("wrong", "wrong pairs", "refused", "compile crash", "compile time", "run fails", "run crash")
MEANINGS = {
    "right": "equal to ONNX Runtime without optimizations, with one thread and two, at every size",
    "wrong": "different, and ONNX Runtime with and without optimizations differ by less than half of it",
    "wrong pairs": "`--state=auto` found other pairs of outputs and inputs than the exporter's",
    "refused": "refused by the compiler, run by ONNX Runtime",
    "compile crash": "the compiler crashed",
    "compile time": "the compiler did not end in 150 s of processor time",
    "run fails": "compiled, and the run ended with an error",
    "run crash": "compiled, and the run crashed",
    "ONNX Runtime's own spread": "different by no more than twice as much as ONNX Runtime with and without its optimizations",
    "ONNX Runtime refuses": "compiled, but not verified: ONNX Runtime refuses the model, or its run",
    "export fails": "the exporter failed, so that there is no model",
}
COMPILE_SECONDS, RATIO = 30, 0.8  # what is worth a line of its own
PACKAGES = ["torch", "torchvision", "timm", "transformers", "optimum-onnx", "diffusers", "onnxscript", "scikit-learn", "skl2onnx", "onnxmltools",
            "xgboost", "lightgbm", "catboost", "ultralytics", "onnx", "onnxruntime"]


def versions():
    found = []
    for name in PACKAGES:
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            pass
    # Of the other environment.
    libraries = pathlib.Path(importlib.metadata.distribution("torch").locate_file("")).relative_to(sys.prefix)
    others = importlib.metadata.distributions(path=[str(pathlib.Path(sys.prefix).with_name("venv-tensorflow") / libraries)])
    found += [f"{one.name} {one.version}" for one in others if one.name in ("tensorflow_cpu", "tensorflow-cpu", "tf2onnx", "keras")]
    return ", ".join(found)


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def number(value, form):
    return format(value, form) if value is not None else ""


def clean(text):
    return text.replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")


def row(entry, result):
    errors = result.get("errors") or []
    worst = max(errors + result.get("errors_2_threads", []), default=None)
    ratio = result["runtime_ms"] / result["ms"] if result.get("runtime_ms") and result.get("ms") else None
    sizes = result.get("sizes", entry.sizes)
    return [entry.name, entry.family, entry.exporter, str(entry.opset), sizes, str(result.get("nodes", "")), str(len(errors) or ""),
            number(worst, ".1e"), number(result.get("compile_seconds_O2"), ".1f"),
            number(result.get("runtime_ms"), ".3g"), number(result.get("ms"), ".3g"), number(ratio, ".2f"), result["outcome"]]


def appended_words(result):
    """Whether states are appended to in place, and why not."""
    copied = result.get("copied", {})
    states = result["appended"] + sum(copied.values())
    if not copied:
        return "all" if states else ""
    return f"{result['appended']} of {states}: {'; '.join(clean(reason) for reason in copied)}"


def decoder_lines(pairs):
    """What --state=auto made of decoders."""
    pairs = [(entry, result) for entry, result in pairs if entry.family == "decoder"]
    if not pairs:
        return []
    lines = ["", "## Decoders with --state=auto", "",
             "Compiled with `--state=auto --last-logits=logits` and nothing else. A prompt of 7 tokens, 20 steps of one token, 3 tokens at",
             "once, a fork that goes its own way, states that another session loads, a cut back to 9 tokens where all states grow, and a batch of",
             "two, of which one begins with padding: each run's output and in the end all states against the graph without states in ONNX",
             "Runtime, whose caller gives the caches back. \"In place\": states to which rows are appended without a copy. \"Attention\": how many were",
             "recognized, of these and the softmaxes that are left (a mixture of experts has one of its own in each layer). A token's time is behind",
             "300 others; these models are so small that it is mostly that of the calls.", "",
             "| model | architecture | exporter | opset | states | in place | attention | error | ms a token | ONNX Runtime ms | |",
             "| --- | --- | --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | --- |"]
    for entry, result in sorted(pairs, key=lambda pair: (pair[0].exporter, pair[0].name)):
        made = "appended" in result and result.get("outcome") not in ("refused",)
        attention = f"{result['attentions']} of {result['attentions'] + result['softmaxes']}" if "attentions" in result else ""
        what = entry.what if not entry.base else f"of {entry.base}"
        lines.append("| " + " | ".join([
            entry.name, what, entry.exporter, str(entry.opset), str(len(result["found"])) if made else "", appended_words(result) if made else "",
            attention, number(result.get("state_error"), ".1e"), number(result.get("step_ms"), ".3f"), number(result.get("runtime_step_ms"), ".3f"),
            result["outcome"]]) + " |")
    return lines


def geometric_mean(values):
    return math.exp(statistics.fmean(map(math.log, values))) if values else float("nan")


def command(path, options):
    """What writes the page; without --only it is of all models."""
    chosen = f" --only '{options.only}'" if options.only else ""
    return f"utils/zoo/zoo.py{chosen} --page {path}"


def write(path, chosen, results, options):
    by_line = {entry.line: entry for entry in chosen}
    pairs = [(by_line[result["line"]], result) for result in results if result["line"] in by_line]
    counts = collections.Counter(result["outcome"] for _, result in pairs)
    families = collections.defaultdict(collections.Counter)
    for entry, result in pairs:
        families[f"{entry.family}, {entry.exporter}"][result["outcome"]] += 1
    commits = collections.Counter(result["commit"] for _, result in pairs)
    built = ", ".join(f"{commit} ({count} models)" for commit, count in commits.most_common())
    dates = sorted(result["date"] for _, result in pairs)
    lines = ["# Models of real exporters", "",
             "Written by `utils/zoo/zoo.py`; nothing here is typed by hand. To run it again, on any machine:", "",
             "    utils/zoo/install.sh                            # once: torch and the exporters, 10 GB outside the tree",
             f"    {command(path, options)}  # a run goes on where the last one ended", "",
             f"The list is `utils/zoo/models.txt`: {len(entries.read())} entries, of which this page has {len(pairs)}, "
             f"{len({(entry.family, entry.what) for entry, _ in pairs if entry.family != 'derived'})} different architectures and "
             f"{sum(entry.family == 'derived' for entry, _ in pairs)} quantized, float16 or fused forms of them.",
             f"onnxc at commit {built}, `-O2`, {processor()}. {dates[0] if dates else ''} to {dates[-1] if dates else ''}.",
             f"{versions()}.", "",
             "Weights are random, with fixed seeds. Each model is compared with ONNX Runtime without optimizations for two inputs, of two",
             "sizes where sizes are open; the error is relative to the largest value of an output, integers must be equal, and integer products",
             "of ONNX Runtime are made exact. Allowed: 5e-4, with float16 weights 1e-2, with quantized numbers 2e-2. Times are the median of the",
             "thread's processor time, one thread, the first input, against ONNX Runtime *with* its optimizations; the machine may have been",
             "busy with other work, so that they are rough. Compile time is processor time.", "",
             "| outcome | models | |", "| --- | ---: | --- |"]
    lines += [f"| {outcome} | {count} | {MEANINGS.get(outcome, 'neither onnxc nor ONNX Runtime takes it')} |" for outcome, count in counts.most_common()]
    lines += ["", "| family, exporter | models | right | by onnxc's fault | other |", "| --- | ---: | ---: | ---: | ---: |"]
    for family, outcomes in sorted(families.items()):
        faults = sum(outcomes[outcome] for outcome in FAULTS)
        lines.append(f"| {family} | {outcomes.total()} | {outcomes['right']} | {faults} | {outcomes.total() - outcomes['right'] - faults} |")
    opsets = collections.Counter(entry.opset for entry, _ in pairs)
    lines += ["", "Models by opset: " + ", ".join(f"{opset}: {count}" for opset, count in sorted(opsets.items())) + "."]
    compiled = [result for _, result in pairs if "compile_seconds_O2" in result]
    ratios = [(result["runtime_ms"] / result["ms"], result["runtime_ms"]) for _, result in pairs if result["outcome"] == "right" and result.get("runtime_ms")]
    if compiled and ratios:
        lines += ["", f"Compile time: median {statistics.median(result['compile_seconds_O2'] for result in compiled):.1f} s, most "
                      f"{max(result['compile_seconds_O2'] for result in compiled):.1f} s.",
                  f"Times as fast as ONNX Runtime, geometric mean: {geometric_mean([ratio for ratio, _ in ratios]):.2f} over {len(ratios)} models"
                  + (f", {geometric_mean(slow):.2f} over the {len(slow)} where ONNX Runtime needs 1 ms or more." if (slow := [ratio for ratio, ms in ratios if ms >= 1]) else ".")]
    faulty = [(entry, result) for entry, result in pairs if result["outcome"] != "right"]
    if faulty:
        lines += ["", "## Not right", "", "| model | outcome | reason |", "| --- | --- | --- |"]
        lines += [f"| {entry.name} | {result['outcome']} | {clean(result.get('detail') or result.get('runtime') or '')} |" for entry, result in faulty]
    lines += decoder_lines(pairs)
    late = [(entry, result) for entry, result in pairs if result.get("compile_seconds_O2", 0) > COMPILE_SECONDS]
    lines += ["", f"## Compiled in more than {COMPILE_SECONDS} s", ""]
    lines += [f"- {entry.name}: {result['compile_seconds_O2']:.0f} s for {result['nodes']} nodes" for entry, result in late] or ["None."]
    slow = [(entry, result) for entry, result in pairs if result.get("ms") and result.get("runtime_ms", math.inf) / result["ms"] < RATIO]
    lines += ["", f"## Less than {RATIO} times as fast as ONNX Runtime", "", "Maps (`zipmap`), which Python makes one number at a time, are the reason where a model has them.", ""]
    lines += [f"- {entry.name}: {result['runtime_ms'] / result['ms']:.2f}, {result['ms']:.3g} ms against {result['runtime_ms']:.3g} ms"
              + (", with maps" if "ZipMap" in result["ops"] else "") for entry, result in slow] or ["None."]
    halves = [(entry, result) for entry, result in pairs if result.get("second")]
    if halves:
        lines += ["", "## Compared at one size only", "",
                  "ONNX Runtime refuses the second size: the exporter has fixed what it declares as open.", ""]
        lines += [f"- {entry.name}: {clean(result['second'])[:160]}" for entry, result in halves]
    lines += ["", "## All", "", "| model | family | exporter | opset | sizes | nodes | inputs | error | compile s | ONNX Runtime ms | onnxc ms | times as fast | |",
              "| --- | --- | --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |"]
    lines += [f"| {' | '.join(row(entry, result))} |" for entry, result in pairs]
    path.write_text("\n".join(lines) + "\n")
