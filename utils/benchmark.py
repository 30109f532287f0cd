#!/usr/bin/env python3
"""Measures whole models in onnxc, ONNX Runtime and OpenVINO.

usage: utils/benchmark.py [--models FOLDER] [--quick] [--md docs/benchmarks.md] [NAME...]

Each contender of a model lives in a process of its own, and they run in turn,
so that what else the machine does hits all alike. Outputs are compared with
those of ONNX Runtime without optimizations, whose integer products are made
exact (without VNNI, ONNX Runtime's own saturate); what is wrong takes no part. With
one thread the processor's time counts (the median of the rounds; other work on
the machine changes it least), with more the clock (the fastest round).

FOLDER has a models.json and a materialize.py as ../shared/models, or any .onnx
files; the inputs of X.onnx are then those of X.npz, or made up.

A model whose inputs have open sizes is compiled twice: as it is, which is what
counts against the peers, and for the sizes of its inputs, which shows what open
sizes cost.

Needs the packages onnxruntime and openvino, and the target onnxc_python.
"""

import argparse
import json
import multiprocessing
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "utils"), str(ROOT / "test" / "support")]

from bench import contenders, models, report  # noqa: E402

WARM_UPS = 2
LEAST_ROUNDS = 5
# Fewer calls than this take are measured together: the clock itself takes time.
ROUND_SECONDS = 0.004
TIMEOUT = 600


class Worker:
    """A contender in its process. What fails once is not asked again."""

    def __init__(self, kind, threads, core):
        self.error = None
        context = multiprocessing.get_context("spawn")
        self.connection, other = context.Pipe()
        self.process = context.Process(
            target=contenders.serve, args=(other, kind, threads, core), daemon=True)
        self.process.start()
        other.close()

    def ask(self, what, argument=None):
        if self.error:
            return None
        try:
            self.connection.send((what, argument))
            if not self.connection.poll(TIMEOUT):
                raise TimeoutError(f"no answer in {TIMEOUT} s")
            ok, value = self.connection.recv()
        except (EOFError, OSError, TimeoutError) as error:
            ok, value = False, f"the process died: {contenders.one_line(error)}"
        if not ok:
            self.error = value
            return None
        return value

    def close(self):
        self.connection.close()
        self.process.join(5)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def relative_error(ours, theirs):
    """The largest difference as a part of the largest element."""
    import numpy as np
    if ours.shape != theirs.shape:
        return float("inf")
    if not ours.size:
        return 0.0
    if ours.dtype.kind != "f" or theirs.dtype.kind != "f":
        return float(np.mean(ours != theirs))
    ours, theirs = ours.astype(np.float64), theirs.astype(np.float64)
    same = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
    with np.errstate(invalid="ignore"):
        difference = np.where(same, 0, np.abs(ours - theirs))
        error = np.max(difference) / (np.max(np.abs(theirs)) + 1e-12)
    return float(error) if np.isfinite(error) else float("inf")


def relative_norm(ours, theirs):
    """The norm of the difference as a part of the reference's norm."""
    import numpy as np
    if ours.shape != theirs.shape or ours.dtype.kind != "f":
        return 0.0 if ours.shape == theirs.shape else float("inf")
    ours, theirs = ours.astype(np.float64), theirs.astype(np.float64)
    same = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
    with np.errstate(invalid="ignore"):
        error = np.linalg.norm(np.where(same, 0, ours - theirs)) / (np.linalg.norm(theirs) + 1e-12)
    return float(error) if np.isfinite(error) else float("inf")


def compile_model(options, path, level, folder, shapes=()):
    """(file, costs) of a compile by the onnxc command, or (None, an error).
    `shapes` are what --input-shape takes."""
    output = os.path.join(folder, f"{'fixed' if shapes else 'model'}{level}.so")
    start = time.perf_counter()
    process = subprocess.Popen(
        [str(options.build / "bin" / "onnxc"), path, "-o", output, "--prefix=model",
         f"-O{level}", "--time-stages", *options.onnxc_option,
         *(f"--input-shape={shape}" for shape in shapes)],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    errors = process.communicate()[1]
    seconds = time.perf_counter() - start
    if process.returncode:
        return None, {"error": errors.strip()[-300:] or f"exit status {process.returncode}"}
    # Not wait4's figure: it starts from the memory of this process.
    peaks = re.findall(r" s +(\d+) MiB$", errors, re.MULTILINE)
    return output, {"compile_s": seconds, "compile_rss_mib": max(map(int, peaks)),
                    "artifact_bytes": os.path.getsize(output)}


def count_allocations(options, library, feeds, folder):
    """How often runs ask for memory once they run, by `onnxc bench`; None if its
    files cannot hold the inputs."""
    import numpy as np
    arrays = os.path.join(folder, "feeds.npz")
    try:
        np.savez(arrays, **feeds)
        text = subprocess.run(
            [str(options.build / "bin" / "onnxc"), "bench", library, "--inputs", arrays,
             "--threads=1", "--reps=3", "--json"],
            capture_output=True, text=True, check=True, timeout=TIMEOUT).stdout
        return json.loads(text)["steady_allocations"]
    except (ValueError, TypeError, subprocess.SubprocessError):
        return None


def time_in_turn(workers, budget, rounds):
    """Fills in what the rounds of the living workers took."""
    alive = [w for w in workers if not w.error]
    for worker in alive:
        worker.times = []
        for _ in range(WARM_UPS):
            worker.ask("repeat", 1)
        first = worker.ask("repeat", 1)
        worker.calls = max(1, min(200, int(ROUND_SECONDS / max(first[0], 1e-6)))) if first else 1
        worker.one = first[0] * worker.calls if first else 0
    one_round = sum(worker.one for worker in alive) or 1e-6
    count = max(LEAST_ROUNDS, min(rounds, int(budget / one_round)))
    for i in range(count):
        turn = i % max(1, len(alive))
        for worker in alive[turn:] + alive[:turn]:
            taken = worker.ask("repeat", worker.calls)
            if taken:
                worker.times.append(taken)


def measure(options, model, folder):
    """The row of a model: costs, errors and times of each contender."""
    row = {"model": model.name, "case": model.case, "gflops": model.gflops,
           "weight_bytes": model.weight_bytes(), "contenders": {}}
    reference = Worker("reference", 1, None)
    reference.ask("load", model.path)
    answer = reference.ask("first", model.feeds)
    exact = reference.ask("exact")
    reference.close()
    expected = answer[1] if answer else None
    if expected is None:
        row["reference_error"] = reference.error
    compiled = {f"onnxc-O{level}": compile_model(options, model.path, level, folder)
                for level in options.levels}
    for library, costs in compiled.values():
        if library:
            costs["allocations"] = count_allocations(options, library, model.feeds, folder)
    if shapes := model.open_shapes():
        level = options.levels[-1]
        compiled[f"fixed-O{level}"] = compile_model(options, model.path, level, folder, shapes)
    for threads in options.threads:
        workers = []
        for name in [*compiled, *options.peers]:
            result = row["contenders"].setdefault(f"{name}/{threads}", {})
            kind, path = name, model.path
            if name in compiled:
                kind, (path, costs) = "onnxc", compiled[name]
                result.update(costs)
                if path is None:
                    continue
            worker = Worker(kind, threads, options.core if threads == 1 else None)
            worker.result = result
            workers.append(worker)
            load = worker.ask("load", path)
            answer = worker.ask("first", model.feeds)
            if answer:
                first, outputs = answer
                result.update(load_s=load, first_s=first)
                if expected is not None:
                    result["error_size"] = max(
                        [relative_error(a, b) for a, b in zip(outputs, expected)] or [0.0])
                    result["correct"] = (len(outputs) == len(expected)
                                         and result["error_size"] <= model.tolerance)
                    if model.rel_l2 is not None:
                        norm = max([relative_norm(a, b) for a, b in zip(outputs, expected)] or [0.0])
                        result["correct"] = result["correct"] and norm <= model.rel_l2
                    result["inexact"] = bool(exact) and name in options.peers and not result["correct"]
        time_in_turn(workers, options.budget, options.rounds)
        for worker in workers:
            if worker.error:
                worker.result["error"] = worker.error
            elif worker.times:
                worker.result["wall_s"] = sorted(wall for wall, _ in worker.times)
                worker.result["cpu_s"] = sorted(cpu for _, cpu in worker.times)
                worker.result["calls"] = worker.calls
                worker.result["rss_mib"] = worker.ask("rss")
            worker.close()
    return row


def machine():
    """What lscpu and the system say about where this runs."""
    def read(command):
        try:
            return subprocess.run(command, capture_output=True, text=True, check=True).stdout
        except (OSError, subprocess.CalledProcessError):
            return ""
    fields = dict(line.split(":", 1) for line in read(["lscpu"]).splitlines() if ":" in line)
    flags = fields.get("Flags", "").split()
    known = ["avx2", "fma", "avx_vnni", "avx512f", "avx512_vnni", "avx512_bf16", "amx_tile", "asimd"]
    packages = {}
    for name in ("onnxruntime", "openvino", "onnx", "numpy"):
        try:
            from importlib.metadata import version
            packages[name] = version(name)
        except ImportError:
            pass
    return {"cpu": fields.get("Model name", os.uname().machine).strip(),
            "family": [fields.get(key, "?").strip() for key in ("CPU family", "Model", "Stepping")],
            "cores": os.cpu_count(),
            "features": [flag for flag in known if flag in flags],
            "caches": {key.split()[0]: value.strip() for key, value in fields.items()
                       if key.endswith("cache")},
            "memory_gib": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30,
            "system": f"{os.uname().sysname} {os.uname().release}",
            "hypervisor": fields.get("Hypervisor vendor", "").strip(),
            "packages": packages,
            "commit": read(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"]).strip(),
            "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())}


def parse_sizes(texts):
    return {name: int(size) for name, size in (text.split("=") for text in texts)}


def parse():
    default = pathlib.Path(os.environ.get("ONNXC_SHARED", ROOT.parent / "shared")) / "models"
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these models")
    parser.add_argument("--models", type=pathlib.Path, default=default, metavar="FOLDER")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "dev")
    parser.add_argument("--levels", type=int, nargs="+", default=[2], help="of onnxc; default 2")
    parser.add_argument("--peers", nargs="*", default=["ort", "ov"], choices=["ort", "ov"])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=15, help="at most; default 15")
    parser.add_argument("--budget", type=float, default=2.5,
                        help="seconds of a model's rounds with one number of threads; default 2.5")
    parser.add_argument("--quick", action="store_true", help="5 rounds, one thread, models under 0.5 GFLOP")
    parser.add_argument("--dim", action="append", default=[], metavar="NAME=SIZE",
                        help="an open dimension of made-up inputs; default 1")
    parser.add_argument("--onnxc-option", action="append", default=[], metavar="OPTION")
    parser.add_argument("--core", type=int, default=0, help="where one-thread contenders run")
    parser.add_argument("--json", type=pathlib.Path, help="where the raw numbers go")
    parser.add_argument("--from-json", type=pathlib.Path, metavar="FILE",
                        help="measure nothing; take the numbers of an earlier run")
    parser.add_argument("--md", type=pathlib.Path, help="where the report goes; its plot beside it (.svg)")
    parser.add_argument("--explain", type=pathlib.Path, metavar="FILE",
                        help="lines 'model: why it is slow', shown beside losses")
    parser.add_argument("--kernels", action="store_true",
                        help="also measure single operators, as utils/kernel_benchmarks.py does; without it "
                             "--md keeps what the report says of them")
    options = parser.parse_args()
    if options.quick:
        options.rounds, options.budget, options.threads = 5, 1, options.threads[:1]
    return options


def prepare_workers(options):
    """Lets the processes of contenders, which inherit the path, find the build's
    package onnxc."""
    sys.path.insert(0, str((options.build / "python").resolve()))


def run(options):
    prepare_workers(options)
    results = {"machine": machine(), "command": " ".join(sys.argv[1:]), "rows": []}
    found = list(models.find(options.models, options.names, parse_sizes(options.dim)))
    for model in found:
        if options.quick and not options.names and (model.gflops or 0) > 0.5:
            continue
        with tempfile.TemporaryDirectory(prefix="onnxc-bench-") as folder:
            row = measure(options, model, folder)
        results["rows"].append(row)
        print(report.line(row), flush=True)
        if options.json:
            options.json.write_text(json.dumps(results, indent=1))
    if not results["rows"]:
        sys.exit(f"{options.models}: no such models")
    return results


def main():
    options = parse()
    if options.from_json:
        results = json.loads(options.from_json.read_text())
    else:
        results = run(options)
        if options.kernels:
            import kernel_benchmarks
            results["kernels"] = kernel_benchmarks.run(options)
            if options.json:
                options.json.write_text(json.dumps(results, indent=1))
    reasons = report.read_reasons(options.explain) if options.explain else {}
    if options.md:
        plot = options.md.with_suffix(".svg")
        plot.write_text(report.plot(results))
        text = report.markdown(results, reasons, plot.name)
        if "kernels" not in results and options.md.exists():
            text = report.replace_kernels(text, report.kernels_of(options.md.read_text()))
        options.md.write_text(text)
    print(report.summary(results))
    wrong = [name for row in results["rows"] for name, result in row["contenders"].items()
             if name.startswith("onnxc") and ("error" in result or result.get("correct") is False)]
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
