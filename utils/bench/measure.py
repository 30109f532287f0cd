"""Times the contenders of a model: each in a process of its own, in turn."""

import atexit
import contextlib
import itertools
import json
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

from bench import contenders, convert, early, judge, native, replaced

WARM_UPS = 2
LEAST_ROUNDS = 5
# Fewer calls than this take are measured together: the clock itself takes time.
ROUND_SECONDS = 0.004
# A turn begins with a call that does not count if it is shorter than this: caches
# are another contender's, and threads asleep.
COLD_SECONDS = 0.05
# So many rounds of Python's call stand beside those from C.
PYTHON_ROUNDS = 5
TIMEOUT = 600


@contextlib.contextmanager
def seen_level(level):
    """Processes that are started meanwhile see a processor of this level; None: the machine's."""
    if level is None:
        yield
        return
    added = {"LD_PRELOAD": native.build("processor_level.c", *native.SHARED), "ONNXC_BENCH_LEVEL": level}
    moved = contextlib.nullcontext()
    if not replaced.has_cpuid_faults():
        added["ONNXC_BENCH_REPLACED"] = os.path.realpath(sys.prefix)
        moved = replaced.imported_from(replaced.current_copy())
    before = {name: os.environ.get(name) for name in added}
    os.environ.update(added)
    try:
        with moved:
            yield
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value


class Worker:
    """A contender in its process, which stands still while others are asked: threads
    that wait for work by looking for it take nothing from them. What fails once is not
    asked again."""

    def __init__(self, kind, threads, core, level=None):
        self.error = self.python_error = None
        context = multiprocessing.get_context("spawn")
        self.connection, other = context.Pipe()
        self.process = context.Process(
            target=contenders.serve, args=(other, kind, threads, core), daemon=True)
        with seen_level(level):
            self.process.start()
        other.close()
        # A process that stands still does not end with this one.
        atexit.register(self.process.kill)

    def ask(self, what, argument=None):
        if self.error:
            return None
        try:
            self.signal(signal.SIGCONT)
            self.connection.send((what, argument))
            if not self.connection.poll(TIMEOUT):
                raise TimeoutError(f"no answer in {TIMEOUT} s")
            ok, value = self.connection.recv()
        except (EOFError, OSError, TimeoutError) as error:
            ok, value = False, f"the process died: {contenders.one_line(error)}"
        if ok:
            return value
        if what == "repeat_python":
            self.python_error, self.python = value, False
        else:
            self.error = value
        return None

    def signal(self, number):
        if self.process.is_alive():
            os.kill(self.process.pid, number)

    def rest(self):
        self.signal(signal.SIGSTOP)

    def close(self):
        self.connection.close()
        self.signal(signal.SIGCONT)
        self.process.join(5)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        atexit.unregister(self.process.kill)


class Variant:
    """onnxc with options: `name` as in results, `arguments` of the command, and the `level` of
    processors if one is asked for."""

    def __init__(self, optimize, level=None, shapes=()):
        self.name = f"{'fixed' if shapes else 'onnxc'}-O{optimize}" + (f" {level}" if level else "")
        self.level = level
        self.arguments = [f"-O{optimize}", *([f"--mcpu={level}"] if level else []),
                          *(f"--input-shape={shape}" for shape in shapes)]


def compile_model(options, path, variant, folder):
    """(file, costs) of a compile by the onnxc command, or (None, an error)."""
    output = os.path.join(folder, f"{variant.name.replace(' ', '-')}.so")
    start = time.perf_counter()
    process = subprocess.Popen(
        [str(options.build / "bin" / "onnxc"), path, "-o", output, "--prefix=model", "--time-stages",
         *variant.arguments, *options.onnxc_option],
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


def count_gflops(options, model):
    """1e9 operations of a run: twice the multiply-adds that `onnxc inspect` counts; None if it cannot."""
    try:
        text = subprocess.run(
            [str(options.build / "bin" / "onnxc"), "inspect", model.path, "--json",
             *(f"--shape={shape}" for shape in model.open_shapes())],
            capture_output=True, text=True, check=True, timeout=TIMEOUT).stdout
        macs = json.loads(text)["cost"]["macs"]
        return 2e-9 * macs if macs else None
    except (ValueError, KeyError, TypeError, subprocess.SubprocessError):
        return None


def take_turn(worker, what="repeat"):
    """What one round of a worker takes: seconds of a call, by the clock and of all processors."""
    if worker.one * worker.calls < COLD_SECONDS:
        worker.ask(what, 1)
    taken = worker.ask(what, worker.calls)
    worker.rest()
    return taken


def time_in_turn(workers, budget, rounds):
    """Fills in what the rounds of the living workers took, in the order of the rounds:
    `times` of all, and of onnxc's `python_times` by Python's call. At most `rounds`, and
    fewer if they would take more than `budget` seconds, but LEAST_ROUNDS."""
    for worker in workers:
        worker.times, worker.python_times = [], []
    alive = [worker for worker in workers if not worker.error]
    for worker in alive:
        for _ in range(WARM_UPS):
            worker.ask("repeat", 1)
        first = worker.ask("repeat", 1)
        worker.rss = worker.ask("rss")
        worker.rest()
        worker.one = first[0] if first else 0
        worker.calls = max(1, min(2000, int(ROUND_SECONDS / max(worker.one, 1e-6))))
    one_round = sum(worker.one * worker.calls for worker in alive) or 1e-6
    count = max(LEAST_ROUNDS, min(rounds, int(budget / one_round)))
    for i in range(count):
        turn = i % max(1, len(alive))
        for worker in alive[turn:] + alive[:turn]:
            if taken := take_turn(worker):
                worker.times.append(taken)
            if worker.python and i < PYTHON_ROUNDS and (taken := take_turn(worker, "repeat_python")):
                worker.python_times.append(taken)


def judge_early(options, model, name, path, setting, result):
    """Of 8-bit integers: whether the tensors that are quantized first are those of exact products.
    `path` has the model of these (bench/early.py); None: there is none to judge by."""
    result.pop("early_off", None)
    if path is None or model.early_expected is None or not result.get("correct"):
        return
    ours = name not in options.peers
    worker = Worker("onnxc" if ours else name, 1, None, None if ours else options.peer_level)
    worker.ask("load", (path, setting))
    answer = worker.ask("first", {name: model.feeds[name] for name in model.early_inputs})
    worker.close()
    if answer:
        result["early_off"] = early.part_off(answer[1], model.early_expected)
        result["correct"] = result["early_off"] <= early.MOST
    else:
        result["early_error"] = worker.error


def start(options, model, name, files, threads, result):
    """A worker that has loaded the model and run it once, whose outputs are judged: with the
    first of its settings with which they are right. What it says goes into `result`. `files` are
    the model and that of its first tensors, or None."""
    path, early_path = files
    ours = name not in options.peers
    for setting in itertools.count():
        worker = Worker("onnxc" if ours else name, threads, options.core if threads == 1 else None,
                        None if ours else options.peer_level)
        worker.result, worker.python = result, ours and name.startswith("onnxc")
        load = worker.ask("load", (path, setting))
        answer = worker.ask("first", model.feeds)
        if answer:
            seconds, outputs = answer
            result.update(load_s=load, first_s=seconds, setting=setting)
            result.update(judge.verdict(model, outputs, model.expected, converted=name in convert.CONVERTERS))
            judge_early(options, model, name, early_path, setting, result)
            result["inexact"] = (model.exact or "early_off" in result) and not ours and result["correct"] is False
        if worker.error or result["correct"] is not False or setting + 1 == worker.ask("settings"):
            break
        worker.close()
    if ours:
        result["level"] = worker.ask("level")
    worker.rest()
    return worker


def finish(worker):
    """Writes down what a worker's rounds took, and ends it."""
    if worker.error:
        worker.result["error"] = worker.error
    elif worker.times:
        for key, times in (("", worker.times), ("python_", worker.python_times)):
            if times:
                worker.result[f"{key}wall_s"] = sorted(wall for wall, _ in times)
                worker.result[f"{key}cpu_s"] = sorted(cpu for _, cpu in times)
        worker.result.update(calls=worker.calls, rss_mib=worker.rss)
        if worker.python_error:
            worker.result["python_error"] = worker.python_error
    worker.close()


def compile_all(options, model, early_path, folder):
    """{name: (file or None, costs)} of onnxc's variants, and {name: file or None} of the same for the
    first tensors of 8-bit integers."""
    variants = [Variant(optimize, level) for level in options.mcpu for optimize in options.levels]
    if shapes := model.open_shapes():
        variants.append(Variant(options.levels[-1], options.mcpu[0], shapes))
    compiled = {variant.name: compile_model(options, model.path, variant, folder) for variant in variants}
    for name, (library, costs) in compiled.items():
        if library and name.startswith("onnxc"):
            costs["allocations"] = count_allocations(options, library, model.feeds, folder)
    own_early = {}
    if early_path:
        early_folder = os.path.join(folder, "early")
        os.mkdir(early_folder)
        # Its inputs are some of the model's, so that it has open sizes where that has.
        plain = [variant for variant in variants if not variant.name.startswith("fixed")]
        own_early = {variant.name: compile_model(options, early_path, variant, early_folder)[0] for variant in plain}
    return compiled, own_early


def run_reference(path, feeds):
    """(outputs that are right or None, whether integer products had to be made exact, the error)."""
    reference = Worker("reference", 1, None)
    reference.ask("load", (path, 0))
    answer = reference.ask("first", feeds)
    exact = bool(reference.ask("exact"))
    reference.close()
    return answer[1] if answer else None, exact, reference.error


def prepare_reference(model, folder):
    """The outputs that are right, as `model.expected`; None, with the reason, where the
    reference fails: then no time counts. Of 8-bit integers also the first tensors', of a model in
    `folder`, whose path is given beside the error; None if there is none."""
    model.expected, model.exact, error = run_reference(model.path, model.feeds)
    model.early_expected = None
    path = os.path.join(folder, "early.onnx")
    if error or not model.is_int8() or not early.cut(model.path, path):
        return error, None
    import onnx
    model.early_inputs = [value.name for value in onnx.load(path).graph.input if value.name in model.feeds]
    model.early_expected = run_reference(path, {name: model.feeds[name] for name in model.early_inputs})[0]
    return error, path


def measure(options, model):
    """The row of a model: costs, errors and times of each contender."""
    with tempfile.TemporaryDirectory(prefix="onnxc-bench-") as folder:
        return measure_in(options, model, folder)


def measure_in(options, model, folder):
    error, early_path = prepare_reference(model, folder)
    row = {"model": model.name, "case": model.case, "gflops": model.gflops or count_gflops(options, model), "int8": model.is_int8(),
           "weight_bytes": model.weight_bytes(), "bytes": model.bytes(), "contenders": {}}
    if error:
        row["reference_error"] = error
    files = convert.prepare([peer for peer in options.peers if peer in convert.CONVERTERS], model, options.peer_level)
    compiled, own_early = compile_all(options, model, early_path, folder)
    for threads in options.threads:
        workers = []
        for name in [*compiled, *options.peers]:
            result = row["contenders"].setdefault(f"{name}/{threads}", {})
            path, costs = compiled.get(name, (files.get(name, model.path), {}))
            early_file = own_early.get(name) if name in compiled else None if name in files else early_path
            result.update(costs)
            if isinstance(path, convert.Cannot):
                result["error"] = f"no conversion: {path}"
            elif path is not None:
                workers.append(start(options, model, name, (path, early_file), threads, result))
        time_in_turn(workers, options.budget, options.rounds)
        for worker in workers:
            finish(worker)
    return row
