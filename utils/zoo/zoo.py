#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles models of real exporters, with random weights, and compares them with
ONNX Runtime without its optimizations. models.txt is the list.

What was exported and judged stays in the cache, outside the tree; a run goes on
where the one before it ended. Each model has a process of its own, with a limit
on memory and on time. Needs utils/zoo/install.sh once.

usage: utils/zoo/zoo.py [--only REGEX] [--build build/dev] [--page docs/zoo.md]
Exit status: 0 if nothing is wrong by onnxc's fault, 1 if something is.
"""

import argparse
import collections
import fcntl
import hashlib
import itertools
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "onnxc" / "zoo"
VENV = CACHE / "venv"
BYTES = 8 << 30  # of memory, for a process

# The processes of models are forks of this one, which has imported what is slow.
os.environ |= {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error", "TOKENIZERS_PARALLELISM": "false",
               "CUDA_VISIBLE_DEVICES": "", "ORT_DISABLE_TELEMETRY": "1"}
sys.path.insert(0, str(HERE))
sys.pycache_prefix = str(CACHE / "pycache")  # nothing in the tree

import entries  # noqa: E402
import page  # noqa: E402


def stamp_of(build):
    """Of the compiler, which is a library."""
    made = hashlib.sha256()
    for path in (build / "bin" / "onnxc", build / "lib" / "libonnxc.so"):
        if path.exists():
            made.update(path.read_bytes())
    return made.hexdigest()[:16]


def commit_of_tree():
    return subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, cwd=HERE).stdout.strip()


def run_apart(work, log, cpu_seconds):
    """work() in a process of its own: (its result, None), or (None, why there is none).
    The limit is of processor time; by the clock it is ten times as much, for busy machines."""
    answer = log.with_suffix(".json")
    answer.unlink(missing_ok=True)
    process = os.fork()
    if process == 0:
        status = 1
        try:
            os.setsid()
            with open(log, "w") as file:
                os.dup2(file.fileno(), 1)
                os.dup2(file.fileno(), 2)
            # What the process writes to, rather than all that it maps: torch maps tens of gigabytes.
            resource.setrlimit(resource.RLIMIT_DATA, (BYTES, BYTES))
            resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
            answer.write_text(json.dumps(work()))
            status = 0
        except BaseException as error:
            traceback.print_exc()
            lines = str(error).strip().splitlines() or [""]
            answer.write_text(json.dumps({"raised": f"{type(error).__name__}: {lines[0]}"[:300]}))
        finally:
            os._exit(status)
    end = time.monotonic() + 10 * cpu_seconds
    while True:
        done, status = os.waitpid(process, os.WNOHANG)
        if done:
            break
        if time.monotonic() > end:
            os.killpg(process, signal.SIGKILL)
            os.waitpid(process, 0)
            return None, f"no end after {10 * cpu_seconds} s"
        time.sleep(0.1)
    if os.WIFSIGNALED(status):
        return None, f"ended by signal {signal.Signals(os.WTERMSIG(status)).name}"
    value = json.loads(answer.read_text())
    return (None, value["raised"]) if "raised" in value else (value, None)


def families_of(chosen, known):
    """Their families, and those of what they are derived from."""
    bases = [known[entry.base] for entry in chosen if entry.base in known]
    return {entry.family for entry in [*chosen, *bases]}


def in_turns(chosen):
    """One of each family and exporter after the other: a run that is ended early has seen all kinds."""
    kinds = collections.defaultdict(list)
    for entry in chosen:
        kinds[entry.family, entry.exporter].append(entry)
    turns = itertools.zip_longest(*kinds.values())
    return [entry for turn in turns for entry in turn if entry]


def preload(families):
    """Imports what takes seconds, once."""
    import numpy  # noqa: F401
    import onnx  # noqa: F401
    import onnxruntime  # noqa: F401
    if families & {"timm", "torchvision", "transformers", "diffusers", "torch", "ultralytics", "decoder"}:
        import torch
        torch.set_num_threads(1)
        import onnxscript  # noqa: F401
        import torch.onnx  # noqa: F401
    for family in families & {"timm", "torchvision", "transformers", "diffusers", "sklearn"}:
        __import__(family)


class Zoo:
    def __init__(self, options):
        self.build = options.build.resolve()
        self.options = options
        self.entries = {entry.name: entry for entry in entries.read()}
        self.stamp = "" if options.export_only else stamp_of(self.build)

    def export(self, entry):
        """None, or why there is no file. Of runs at the same time, one makes it."""
        (CACHE / "models").mkdir(parents=True, exist_ok=True)
        with open(CACHE / "models" / f"{entry.name}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            return self.export_alone(entry)

    def export_alone(self, entry):
        import builders
        folder = CACHE / "models" / entry.name
        made = folder / "line.txt"
        if made.exists() and made.read_text() == entry.line and (folder / "model.onnx").exists():
            return None
        failed = folder / "failed.txt"
        if failed.exists() and failed.read_text().startswith(entry.line + "\n") and not self.options.again:
            return failed.read_text().split("\n", 1)[1]
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)

        if entry.base:
            base = self.entries.get(entry.base)
            failure = self.export(base) if base else "it is not in the list"
            if failure:
                return f"{entry.what}: {failure}"

        def work():
            builders.build(entry, folder)
            return {"exported": True}
        _, failure = run_apart(work, folder / "export.log", self.options.timeout)
        if failure is None and not (folder / "in_1.npz").exists():
            failure = "the exporter wrote no file"
        if failure is None:
            made.write_text(entry.line)
            return None
        if "no end after" not in failure:
            failed.write_text(f"{entry.line}\n{failure}")
        return failure

    def judge(self, entry):
        import judge
        import judge_decoder
        folder = CACHE / "models" / entry.name
        judged = judge_decoder.judge_decoder if entry.family == "decoder" else judge.judge
        work = lambda: judged(folder, self.build)  # noqa: E731
        result, failure = run_apart(work, folder / "judge.log", self.options.timeout)
        for library in folder.glob("*.so"):
            library.unlink()
        return result or {"outcome": "run crash" if "signal" in failure else "run fails", "detail": failure}

    def take(self, entry):
        """(the result, whether it is of an earlier run)."""
        kept = CACHE / "results" / f"{entry.name}.json"
        if kept.exists() and not self.options.again:
            result = json.loads(kept.read_text())
            if result["line"] == entry.line and (self.options.keep or result["compiler"] == self.stamp):
                return result, True
        failure = self.export(entry)
        result = {"outcome": "export fails", "detail": failure} if failure else self.judge(entry)
        result |= {"line": entry.line, "compiler": self.stamp, "commit": self.options.commit, "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())}
        kept.parent.mkdir(parents=True, exist_ok=True)
        partial = kept.with_suffix(".partial")
        partial.write_text(json.dumps(result))
        partial.rename(kept)
        return result, False

    def run(self, chosen):
        results, counts = [], collections.Counter()
        preload(families_of(chosen, self.entries))
        part, parts = self.options.part
        for number, entry in enumerate(in_turns(chosen)[part - 1::parts], 1):
            result, old = self.take(entry)
            results.append(result)
            counts[result["outcome"]] += 1
            words = result["outcome"]
            if "errors" in result:
                words += f" {max(result['errors']):.1e}, compiled in {result.get('compile_seconds_O2', 0):.1f} s"
            if result["outcome"] not in ("right",):
                words += f": {result.get('detail') or result.get('runtime') or ''}"
            print(f"[{number}/{-(-len(chosen) // parts)}] {entry.name}: {words}{' (kept)' if old else ''}", flush=True)
        print(", ".join(f"{count} {outcome}" for outcome, count in counts.most_common()))
        return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="REGEX", help="entries whose line in models.txt matches")
    parser.add_argument("--list", action="store_true", help="print the entries, and end")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "dev", help="the build directory of onnxc (default: build/dev)")
    parser.add_argument("--part", type=lambda text: tuple(map(int, text.split("/"))), default=(1, 1), metavar="I/N",
                        help="every Nth entry, from the Ith on: N runs at the same time have all of them")
    parser.add_argument("--export-only", action="store_true", help="write the files, and end")
    parser.add_argument("--again", action="store_true", help="also what was judged, or could not be exported, before")
    parser.add_argument("--keep", action="store_true", help="results of other builds of onnxc count, too; the page says of which commit each is")
    parser.add_argument("--page", type=pathlib.Path, help="write the results to this page (docs/zoo.md)")
    parser.add_argument("--commit", default=commit_of_tree(), help="what the compiler was built from, for the page (default: this tree's HEAD)")
    parser.add_argument("--page-only", action="store_true", help="run nothing: the page is of what was judged before")
    parser.add_argument("--timeout", type=int, default=240, metavar="SECONDS", help="of processor time, for each export and each comparison (default: 240)")
    options = parser.parse_args()
    chosen = [entry for entry in entries.read() if re.search(options.only, entry.line)]
    if not chosen:
        parser.error(f"no entry matches '{options.only}'")
    if options.list:
        print("\n".join(entry.line for entry in chosen))
        print(f"{len(chosen)} entries")
        return 0
    if pathlib.Path(sys.prefix) != VENV:
        if not VENV.exists():
            parser.error("there is no environment; utils/zoo/install.sh makes it")
        os.execv(VENV / "bin" / "python3", [str(VENV / "bin" / "python3"), *sys.argv])
    if options.export_only:
        zoo, failures = Zoo(options), 0
        preload(families_of(chosen, zoo.entries))
        for number, entry in enumerate(chosen, 1):
            failure = zoo.export(entry)
            failures += failure is not None
            print(f"[{number}/{len(chosen)}] {entry.name}: {failure or 'exported'}", flush=True)
        return 1 if failures else 0
    zoo = Zoo(options)
    if options.page_only:
        paths = [CACHE / "results" / f"{entry.name}.json" for entry in chosen]
        results = [json.loads(path.read_text()) for path in paths if path.exists()]
        results = [result for result in results if options.keep or result["compiler"] == zoo.stamp]
    else:
        results = zoo.run(chosen)
    if options.page:
        page.write(options.page, chosen, results, options)
    return 1 if any(result["outcome"] in page.FAULTS for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
