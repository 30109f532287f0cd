#!/usr/bin/env python3
"""Measures decoders of language models: the time of a prompt, and of tokens behind it, beside ONNX Runtime,
OpenVINO and llama.cpp, each in a process of its own, in turn.

usage: utils/language_benchmark.py [--json FILE] [--md docs/language-models.md] [options]

The models are LLaMA decoders with random weights (utils/bench/language_models.py), the same for all.
"GB/s" is what a token has to read (each weight of a product once, and the cache in float32) by its time;
"of memory" is that as a share of what this machine reads at most of 1 GiB, measured before and behind each
table. With --add, tables of the same name are replaced.
utils/peers/install.sh language makes the environment with the peers; without it, those that the running
Python has take part.
"""

import argparse
import contextlib
import json
import pathlib
import signal
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "utils")]

from bench import native  # noqa: E402

if __name__ == "__main__":
    native.enter_environment("language")

import numpy as np  # noqa: E402

from bench import language_models as models, limits, machine, options as common  # noqa: E402

NAMES = {"onnxc": "onnxc, cache given back", "onnxc_states": "onnxc", "ort": "ONNX Runtime", "genai": "onnxruntime-genai", "ov": "OpenVINO", "llama": "llama.cpp"}
PACKAGES = ("onnxruntime", "onnxruntime-genai", "openvino", "llama-cpp-python")
# More than caches hold.
READ_MIB = 1024
# Of a prompt that warms up.
WARM_TOKENS = 512
# Of logits, relative to the largest: where weights are rounded otherwise they are not compared.
TOLERANCE = {"float32": 1e-4, "float16": 3e-2, "int8": 1e-4, "int4": 1e-4}


class Process:
    """A contender in its process, which stands still while others are asked."""

    def __init__(self, name, path, architecture, kind, threads, length):
        self.name, self.error = name, None
        self.process = subprocess.Popen([sys.executable, "-m", "bench.language_contenders"], cwd=ROOT / "utils", text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.ask({"contender": name, "path": str(path), "architecture": architecture, "kind": kind, "threads": threads,
                  "length": length})

    def ask(self, question):
        """The answer, None once something failed."""
        if self.error:
            return None
        self.process.send_signal(signal.SIGCONT)
        try:
            print(json.dumps(question), file=self.process.stdin, flush=True)
            line = self.process.stdout.readline()
            answer = json.loads(line) if line else {"error": "the process died"}
        except (OSError, ValueError) as error:
            answer = {"error": str(error)}
        self.process.send_signal(signal.SIGSTOP)
        self.error = answer.get("error")
        return None if self.error else answer

    def close(self):
        self.process.kill()
        self.process.wait()


def files(options, architecture, kind, peers):
    """{contender: file}, made where it is not there."""
    folder = native.cache_folder("language")
    onnx, gguf = folder / f"{architecture}-{kind}.onnx", folder / f"{architecture}-{kind}.gguf"
    if not onnx.exists():
        print(f"writing {onnx}", file=sys.stderr)
        models.write(architecture, kind, onnx)
    made = {"ort": onnx, "genai": onnx, "ov": onnx}
    if "llama" in peers:
        if not gguf.exists():
            print(f"writing {gguf}", file=sys.stderr)
            models.write_gguf(architecture, kind, gguf)
        made["llama"] = gguf
    for name, extra in (("onnxc", []), ("onnxc_states", ["--state=auto", "--last-logits=logits", "--dim=batch=1"])):
        made[name] = folder / f"{architecture}-{kind}-{name}.so"
        command = [options.build / "bin" / "onnxc", onnx, "-o", made[name], "--prefix=model", *extra]
        command += [f"--mcpu={options.mcpu[0]}"] if options.mcpu[0] else []
        inputs = (command[0].resolve(), onnx, *(options.build / "lib").glob("libonnxc.so*"))
        if made[name].exists() and made[name].stat().st_mtime > max(path.stat().st_mtime for path in inputs):
            continue
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return {name: made[name] for name in ["onnxc_states", "onnxc", *peers]}


def measure(options, architecture, kind, context, threads, paths):
    """{contender: {"prompt": seconds, "steps": [seconds], "memory": MiB} or {"error": text}} behind `context` tokens."""
    random = np.random.default_rng(context)
    tokens = random.integers(0, models.ARCHITECTURES[architecture].vocabulary, context + options.steps * 2 + 1)
    first = tokens[:max(context, 1)].tolist()
    length = context + 2 * options.steps + 64
    results, logits = {}, None
    with contextlib.ExitStack() as stack:
        processes = []
        for name, path in paths.items():
            process = Process(name, path, architecture, kind, threads, length)
            stack.callback(process.close)
            processes.append(process)
        for process in processes:
            # Twice: what is mapped or packed when it is first used is not the prompt's.
            process.ask({"prompt": first[:WARM_TOKENS]})
            answer = process.ask({"prompt": first, "logits": True})
            entry = results[process.name] = {"steps": []}
            if not answer:
                continue
            entry["prompt"] = answer["seconds"]
            own = np.array(answer["logits"])
            if process.name == "ort":
                logits = own
            entry["logits"] = own
        for i in range(options.steps):
            for process in processes:
                # A first step that does not count: the caches are another contender's.
                process.ask({"step": int(tokens[context + 2 * i])})
                answer = process.ask({"step": int(tokens[context + 2 * i + 1])})
                if answer:
                    results[process.name]["steps"].append(answer["seconds"])
                    results[process.name]["memory"] = answer["memory"]
        for process in processes:
            entry = results[process.name]
            own = entry.pop("logits", None)
            if process.error:
                entry["error"] = process.error
            elif logits is not None and not (process.name == "llama" and kind.startswith("int")):
                entry["difference"] = float(np.abs(own - logits).max() / np.abs(logits).max())
                if entry["difference"] > TOLERANCE[kind]:
                    entry["error"] = f"other logits than ONNX Runtime's: by {entry['difference']:.2g} of the largest"
    return results


def rows(runs, peaks):
    """Lines of the table."""
    for run in runs:
        architecture = models.ARCHITECTURES[run["architecture"]]
        memory = run.get("memory_gbs") or limits.of_level(peaks, run["threads"])[1]["memory_gbs"]
        data = architecture.step_bytes(run["kind"], run["context"])
        yield ""
        yield (f"{run['architecture']}, {run['kind']}, behind {run['context']} tokens, {run['threads']} "
               f"thread{'s' if run['threads'] > 1 else ''}, memory reads {memory:.1f} GB/s:")
        yield ""
        yield "| | prompt, ms | token, ms | p10–p90 | tokens/s | GB/s | of memory | GFLOP/s of the prompt | MiB |"
        yield "|---|---:|---:|---|---:|---:|---:|---:|---:|"
        for name, entry in run["results"].items():
            if "error" in entry or not entry["steps"]:
                yield f"| {NAMES[name]} | {entry.get('error', 'nothing measured')} | | | | | | | |"
                continue
            token = statistics.median(entry["steps"])
            low, high = np.percentile(entry["steps"], [10, 90])
            flops = architecture.prompt_flops(max(1, run["context"]))
            prompt = (f"{1e3 * entry['prompt']:.1f}", f"{1e-9 * flops / entry['prompt']:.0f}") if run["context"] > 1 else ("", "")
            yield (f"| {NAMES[name]} | {prompt[0]} | {1e3 * token:.2f} | {1e3 * low:.2f}–{1e3 * high:.2f} | {1 / token:.1f} | "
                   f"{1e-9 * data / token:.1f} | {1e-9 * data / token / memory:.0%} | {prompt[1]} | {entry['memory']:.0f} |")


def read_results(path, host):
    """A file of raw numbers, which have to be of this processor."""
    if not path or not path.exists():
        sys.exit("--add: --json names no file")
    results = json.loads(path.read_text())
    if results["machine"]["cpu"] != host["cpu"]:
        sys.exit(f"{path}: is of another machine: {results['machine']['cpu']}")
    return results


def page(runs, peaks, host):
    """The report."""
    yield "# Language models"
    yield ""
    yield "Written by `utils/language_benchmark.py`; nothing here is typed by hand."
    yield ""
    yield "Decoders of the LLaMA architecture with random weights, written as torch's exporter writes them; `int8` and `int4` are com.microsoft"
    yield "MatMulNBits with a scale for each 32 weights, llama.cpp's are Q8_0 and Q4_0. A token is a run with one token behind a cache: onnxc's"
    yield "cache is its state (`--state=auto`), in one row it is given back as inputs, as ONNX Runtime's by IO binding; onnxruntime-genai keeps it in its own loop, OpenVINO as its state,"
    yield "llama.cpp, too. Caches are float32. Of a prompt onnxc (`--last-logits=logits`) and llama.cpp compute the logits of the last token alone,"
    yield "the others those of all, as the model says, and so does the row with the cache given back. Medians of steps in turn; a prompt is the time until the first token, without loading."
    yield "Memory is read by a loop in C over 1 GiB, before and behind each table; caches hold a part of the 50M models. What has no table was not measured."
    yield ""
    yield (f"{host['cpu']}, {host['cores']} cores, {', '.join(host['features'])}; {host['date']}, commit {host['commit']}; "
           + ", ".join(f"{name} {host['packages'][name]}" for name in PACKAGES if name in host["packages"]) + ".")
    yield from rows(runs, peaks)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "dev")
    parser.add_argument("--peers", nargs="*", default=["ort", "genai", "ov", "llama"])
    parser.add_argument("--architectures", nargs="+", default=["50M", "350M", "1.1B"], choices=models.ARCHITECTURES)
    parser.add_argument("--kinds", nargs="+", default=list(models.KINDS), choices=models.KINDS)
    parser.add_argument("--contexts", nargs="+", type=int, default=[0, 512, 4096])
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--steps", type=int, default=15, help="tokens that are timed")
    parser.add_argument("--mcpu", nargs=1, default=["native"])
    parser.add_argument("--json", type=pathlib.Path, help="where the raw numbers go")
    parser.add_argument("--add", action="store_true", help="to the runs that the file of raw numbers has from this machine")
    parser.add_argument("--md", type=pathlib.Path, help="where the page goes")
    options = parser.parse_args()
    options.peers = common.words(options.peers)
    native.build("call.c", *native.SHARED, includes=native.INTERFACE)
    before = read_results(options.json, machine.describe()) if options.add else {"peaks": {}, "runs": []}
    peaks, runs = {**limits.measure(options.threads, READ_MIB), **before["peaks"]}, before["runs"]
    for architecture in options.architectures:
        for kind in options.kinds:
            paths = files(options, architecture, kind, options.peers)
            for context in options.contexts:
                for threads in options.threads:
                    start = limits.measure([threads], READ_MIB)
                    results = measure(options, architecture, kind, context, threads, paths)
                    memory = max(limits.of_level(peak, threads)[1]["memory_gbs"]
                                 for peak in (start, limits.measure([threads], READ_MIB)))
                    key = {"architecture": architecture, "kind": kind, "context": context, "threads": threads}
                    runs = [run for run in runs if run | key != run]
                    runs.append(key | {"memory_gbs": memory, "results": results})
                    print("\n".join(list(rows(runs[-1:], peaks))), flush=True)
    host = machine.describe()
    if options.json:
        options.json.write_text(json.dumps({"peaks": peaks, "runs": runs, "machine": host}, indent=1) + "\n")
    if options.md:
        options.md.write_text("\n".join(page(runs, peaks, host)) + "\n")


if __name__ == "__main__":
    main()
