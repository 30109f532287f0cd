"""What is measured, each in a process of its own.

A worker answers one request at a time, so that the caller decides which
contender runs when. It imports its runtime and nothing of the others.
"""

import ctypes
import os
import resource
import time

import numpy as np

from bench import compiled, replaced

# Of unshare(2).
NEW_USER, NEW_NETWORK = 0x10000000, 0x40000000


def peak_rss_mib():
    """The most memory that this process has had."""
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def without_network():
    """Moves this process where there is no network: some runtimes report their use.
    Best effort; it needs a kernel that lets us."""
    try:
        library = ctypes.CDLL(None, use_errno=True)
        if library.unshare(NEW_NETWORK):
            library.unshare(NEW_USER | NEW_NETWORK)
    except (OSError, AttributeError):
        pass


class Contender:
    """A runtime with one model: `load` it from a file, `first` runs it with inputs by
    name and returns its outputs, `call` runs it again with the same inputs and
    tensors, and leaves the outputs where they are. `setting` is one of SETTINGS, the
    first of which gives right outputs counts; the fastest stands first."""

    SETTINGS = ({},)
    setting = 0

    def __init__(self, threads):
        self.threads = threads

    def repeat(self, count):
        """Seconds of one run: by the clock, and of all processors."""
        call = self.call
        cpu, wall = time.process_time(), time.perf_counter()
        for _ in range(count):
            call()
        wall = time.perf_counter() - wall
        return wall / count, (time.process_time() - cpu) / count


class OnnxRuntime(Contender):
    """onnxruntime's CPU provider, with its inputs and outputs bound."""

    # Without VNNI its products of u8 by s8 saturate, unless weights are moved to u8.
    SETTINGS = ({}, {"session.x64quantprecision": "1"})

    def __init__(self, threads, optimize=True):
        super().__init__(threads)
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

    def load(self, path):
        for name, value in self.SETTINGS[self.setting].items():
            self.options.add_session_config_entry(name, value)
        self.session = self.runtime.InferenceSession(
            path, self.options, providers=["CPUExecutionProvider"])

    def first(self, feeds):
        outputs = self.session.run(None, feeds)
        try:
            self.bind(feeds, outputs)
        except Exception:  # what cannot be bound: texts, sequences, maps
            self.call = lambda: self.session.run(None, feeds)
        return outputs

    def bind(self, feeds, outputs):
        binding = self.session.io_binding()
        self.values = [self.runtime.OrtValue.ortvalue_from_numpy(value) for value in feeds.values()]
        self.values += [self.runtime.OrtValue.ortvalue_from_numpy(np.ascontiguousarray(value)) for value in outputs]
        names = [value.name for value in self.session.get_outputs()]
        for name, value in zip(feeds, self.values):
            binding.bind_ortvalue_input(name, value)
        for name, value in zip(names, self.values[len(feeds):]):
            binding.bind_ortvalue_output(name, value)
        run, session = self.session.run_with_iobinding, binding
        run(session)
        self.call = lambda: run(session)


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


class OpenVino(Contender):
    """OpenVINO's CPU plugin, for latency, in float32 as the model says. Inputs and
    outputs are set beforehand."""

    def __init__(self, threads):
        super().__init__(threads)
        import openvino
        self.openvino = openvino
        self.core = openvino.Core()
        self.options = {
            "INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1,
            "PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32",
            "ENABLE_CPU_PINNING": False}

    def load(self, path):
        self.model = self.core.compile_model(
            self.core.read_model(path), "CPU", self.options)
        self.request = self.model.create_infer_request()

    def first(self, feeds):
        arrays = {}
        for i, value in enumerate(self.model.inputs):
            arrays[i] = feeds[next(name for name in feeds if name in value.get_names())]
        self.request.infer(arrays)
        outputs = [self.request.get_tensor(output).data.copy() for output in self.model.outputs]
        for i, array in arrays.items():
            self.request.set_input_tensor(i, self.openvino.Tensor(np.ascontiguousarray(array).reshape(np.shape(array))))
        for i, array in enumerate(outputs):
            if array.size and array.dtype.kind in "fiu":
                self.request.set_output_tensor(i, self.openvino.Tensor(array.copy()))
        # What Python's infer() does beside: it copies the inputs, and makes a
        # dictionary of copies of the outputs.
        infer, request = self.openvino._pyopenvino.InferRequest.infer, self.request
        self.call = lambda: infer(request, {}, share_outputs=True, decode_strings=False)
        self.call()
        return outputs


class Onnxc(Contender):
    """A shared object that onnxc wrote, called from C; from Python where what it takes
    or gives is not a tensor of numbers."""

    def load(self, path):
        self.path = path
        try:
            self.compiled = compiled.CallFromC(path, self.threads)
            self.level = self.compiled.level
        except TypeError:
            self.compiled, self.level = None, ""

    def first(self, feeds):
        self.feeds = feeds
        try:
            if self.compiled:
                self.compiled.bind(feeds)
        except TypeError:
            self.compiled = None
        if self.compiled is None:
            self.repeat = self.repeat_python
            return self.python().run(None, feeds)
        self.compiled.repeat(1)
        self.repeat = self.compiled.repeat
        return self.compiled.own_outputs()

    def python(self):
        import onnxc.runtime
        return onnxc.runtime.InferenceSession(self.path, threads=self.threads)

    def repeat_python(self, count):
        """The same of Python's session.run."""
        if not hasattr(self, "call"):
            run, feeds = self.python().run, self.feeds
            self.call = lambda: run(None, feeds)
            self.call()
        return super().repeat(count)


def make(kind, threads):
    """The contender of a kind: "reference", "onnxc", or one of figures.PEERS."""
    if kind == "reference":
        return Reference()
    own = {"ort": OnnxRuntime, "ov": OpenVino, "onnxc": Onnxc}
    if kind in own:
        return own[kind](threads)
    from bench import converted
    return converted.CONTENDERS[kind](threads)


def one_line(error):
    text = " ".join(line.strip() for line in str(error).splitlines()
                    if line.strip() and not line.startswith(("Exception from", "Check ")))
    return f"{type(error).__name__}: {text}"[:300]


def serve(connection, kind, threads, core):
    """The worker: requests are (what, argument), answers (ok, value)."""
    if core is not None:
        os.sched_setaffinity(0, {core})
    without_network()
    # What runtimes print is not for the person who waits; what they throw is sent.
    with open(os.devnull, "wb") as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)
    contender = None

    def load(path, setting):
        nonlocal contender
        contender = make(kind, threads)
        contender.setting = setting
        start = time.perf_counter()
        contender.load(path)
        seconds = time.perf_counter() - start
        replaced.check_loaded()
        return seconds

    def first(arrays):
        """The first run: its outputs, and the seconds that it took."""
        start = time.perf_counter()
        outputs = contender.first(arrays)
        seconds = time.perf_counter() - start
        return seconds, [np.asarray(value, np.float32)
                         if str(value.dtype) == "bfloat16" else np.asarray(value)
                         for value in outputs]

    answers = {"load": lambda argument: load(*argument), "first": first,
               # How many settings there are to load it with.
               "settings": lambda _: len(contender.SETTINGS),
               "repeat": lambda count: contender.repeat(count),
               "repeat_python": lambda count: contender.repeat_python(count),
               "rss": lambda _: peak_rss_mib(),
               # Of onnxc: the level of processors whose code runs.
               "level": lambda _: contender.level,
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
