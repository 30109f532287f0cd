"""What is measured, each in a process of its own.

A worker answers one request at a time, so that the caller decides which
contender runs when. It imports its runtime and nothing of the others.
"""

import os
import resource
import time

import numpy as np


def peak_rss_mib():
    """The most memory that this process has had."""
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


class OnnxRuntime:
    """onnxruntime's CPU provider."""

    def __init__(self, threads, optimize=True):
        # It reports its use over the network by default, beside what is timed.
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"
        import onnxruntime
        self.runtime = onnxruntime
        onnxruntime.set_default_logger_severity(4)
        self.options = onnxruntime.SessionOptions()
        self.options.intra_op_num_threads = threads
        self.options.inter_op_num_threads = 1
        self.options.log_severity_level = 4
        levels = onnxruntime.GraphOptimizationLevel
        self.options.graph_optimization_level = (
            levels.ORT_ENABLE_ALL if optimize else levels.ORT_DISABLE_ALL)
        # Idle workers must not burn the core of the next contender.
        self.options.add_session_config_entry("session.force_spinning_stop", "1")

    def load(self, path):
        self.session = self.runtime.InferenceSession(
            path, self.options, providers=["CPUExecutionProvider"])

    def run(self, feeds):
        return self.session.run(None, feeds)


class Reference(OnnxRuntime):
    """ONNX Runtime without optimizations, with integer products computed exactly on
    every machine (test/support/exact_integers.py)."""

    def __init__(self):
        super().__init__(1, optimize=False)
        self.exact = False

    def load(self, path):
        import onnx
        import exact_integers
        model = onnx.load(path)
        if not exact_integers.has_integer_products(model):
            super().load(path)
            return
        self.exact = True
        exact = exact_integers.make_exact(model)
        self.session = self.runtime.InferenceSession(
            exact.SerializeToString(), self.options, providers=["CPUExecutionProvider"])


class OpenVino:
    """OpenVINO's CPU plugin, for latency, in float32 as the model says."""

    def __init__(self, threads):
        import openvino
        self.core = openvino.Core()
        self.options = {
            "INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1,
            "PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32",
            "ENABLE_CPU_PINNING": False}

    def load(self, path):
        self.model = self.core.compile_model(
            self.core.read_model(path), "CPU", self.options)
        self.request = self.model.create_infer_request()
        self.outputs = list(self.model.outputs)
        self.inputs = [value.get_names() for value in self.model.inputs]

    def run(self, feeds):
        arrays = {}
        for i, names in enumerate(self.inputs):
            arrays[i] = feeds[next(name for name in feeds if name in names)]
        self.request.infer(arrays, share_inputs=True)
        return [self.request.get_tensor(output).data.copy()
                for output in self.outputs]


class Onnxc:
    """A shared object that onnxc wrote."""

    def __init__(self, threads):
        import onnxc
        self.onnxc = onnxc
        self.threads = threads

    def load(self, path):
        self.session = self.onnxc.InferenceSession(path, threads=self.threads)

    def run(self, feeds):
        return self.session.run(None, feeds)


def make(kind, threads):
    """The contender of a kind: "reference", "ort", "ov" or "onnxc"."""
    if kind == "reference":
        return Reference()
    return {"ort": OnnxRuntime, "ov": OpenVino, "onnxc": Onnxc}[kind](threads)


def one_line(error):
    text = " ".join(line.strip() for line in str(error).splitlines()
                    if line.strip() and not line.startswith(("Exception from", "Check ")))
    return f"{type(error).__name__}: {text}"[:300]


def serve(connection, kind, threads, core):
    """The worker: requests are (what, argument), answers (ok, value)."""
    if core is not None:
        os.sched_setaffinity(0, {core})
    contender = feeds = None

    def load(path):
        nonlocal contender
        contender = make(kind, threads)
        start = time.perf_counter()
        contender.load(path)
        return time.perf_counter() - start

    def first(arrays):
        """The first run: its outputs, and the seconds that it took."""
        nonlocal feeds
        feeds = arrays
        start = time.perf_counter()
        outputs = contender.run(feeds)
        seconds = time.perf_counter() - start
        return seconds, [np.asarray(value, np.float32)
                         if str(value.dtype) == "bfloat16" else np.asarray(value)
                         for value in outputs]

    def repeat(count):
        """Seconds of one run: by the clock, and of all processors."""
        cpu, wall = time.process_time(), time.perf_counter()
        for _ in range(count):
            contender.run(feeds)
        wall = time.perf_counter() - wall
        return wall / count, (time.process_time() - cpu) / count

    answers = {"load": load, "first": first, "repeat": repeat,
               "rss": lambda _: peak_rss_mib(),
               # Of the reference: whether it was made exact.
               "exact": lambda _: contender.exact}
    while True:
        try:
            what, argument = connection.recv()
        except EOFError:
            return
        try:
            connection.send((True, answers[what](argument)))
        except Exception as error:  # whatever a runtime throws is its result
            connection.send((False, one_line(error)))
