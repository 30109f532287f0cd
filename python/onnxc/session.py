# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running a model, in the form that ONNX Runtime made familiar."""
import dataclasses
import json
import operator
import os
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence

from . import _onnxc, cache, compiler, values
from .binding import IOBinding, OrtValue, as_array
from .session_options import ModelMetadata, SessionOptions, warn_once

CPU = "CPUExecutionProvider"
# What ONNX Runtime's session takes by name beside the options.
_IGNORED = ("disabled_optimizers", "enable_fallback", "read_config_from_model")


@dataclasses.dataclass(frozen=True)
class NodeArg:
    """An input or output: `type` as ONNX spells it, "tensor(float)"; `shape` has
    an int, a symbol's name or None per dim, and is None if the rank is unknown."""

    name: str
    type: str
    shape: list | None


def _is_library(model):
    """Whether a path or bytes are machine code, rather than a model."""
    magic = b"\x7fELF"
    if not isinstance(model, (str, os.PathLike)):
        return isinstance(model, (bytes, bytearray)) and model.startswith(magic)
    try:
        with open(model, "rb") as file:
            return file.read(len(magic)) == magic
    except OSError:
        return False  # the compiler says why, with the name


def _check_providers(providers, provider_options):
    """As in ONNX Runtime, what is wrong with providers is not an error: a warning says so, once, and the
    processor is used."""
    if isinstance(providers, str) or not isinstance(providers or (), Sequence):
        raise ValueError(f"providers is {providers!r}, expected a list of names")
    if provider_options is not None and len(provider_options) != len(providers or ()):
        warn_once("provider_options of another length than providers", stacklevel=5)
    for provider in providers or ():
        name = provider if isinstance(provider, str) else provider[0]
        if name != CPU:
            warn_once(f"the provider '{name}'", stacklevel=5)


def _source(model):
    """A model as another process can have it: an absolute path, or bytes."""
    if isinstance(model, (str, os.PathLike)):
        return os.path.abspath(os.fspath(model))
    return model.SerializeToString() if hasattr(model, "SerializeToString") else bytes(model) if isinstance(
        model, (bytes, bytearray, memoryview)) else None


def _restore(model, sess_options, threads, cache_dir, options):
    """What unpickles a session."""
    return InferenceSession(model, sess_options, threads=threads, cache_dir=cache_dir, **options)


def _write_optimized(model, path, options):
    """SessionOptions.optimized_model_filepath."""
    if not os.fspath(path).endswith(".onnx"):
        raise _onnxc.Error(f"optimized_model_filepath: '{path}' does not end in .onnx")
    known = ("shapes", "dims", "freeze", "max_nodes", "max_depth", "max_tensor_bytes", "fold_budget")
    compiler.compile(model, path, **{name: value for name, value in options.items() if name in known})


class _Trace:
    """When runs began and ended."""

    def __init__(self, prefix, started):
        self.prefix, self.started, self.events = prefix, started, []
        self.add("session_initialization", started)

    def add(self, name, began):
        now = time.monotonic_ns()
        self.events.append({"cat": "Session", "pid": os.getpid(), "tid": threading.get_native_id(), "ph": "X", "name": name,
                            "ts": (began - self.started) // 1000, "dur": (now - began) // 1000, "args": {}})

    def write(self):
        path = f"{self.prefix}_{time.strftime('%Y-%m-%d_%H-%M-%S')}.json"
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self.events, file)
        return path


class InferenceSession:
    """A model ready to run; from any number of threads at once.

    `path_or_bytes` is a shared object that onnxc wrote, or a model, which is compiled
    first: a path, the bytes, or a ModelProto. The other parameters that have a
    position are ONNX Runtime's: see SessionOptions; of the providers there is
    the processor's. By name: `threads` work on a run, 0 for one per core that the
    process may use; `cache_dir` (default: the environment's ONNXC_CACHE_DIR) is a folder that keeps what is compiled,
    for later sessions and other processes; `options` are onnxc.compile's; of a
    file with several models, `prefix` chooses one.
    A session can be pickled: by its path, or by the bytes that it was made of.
    Raises onnxc.Error for what cannot be compiled or loaded.
    """

    def __init__(self, path_or_bytes, sess_options=None, providers=None, provider_options=None, *, threads=None,
                 cache_dir=None, **options):
        started = time.monotonic_ns()
        if sess_options is not None and not isinstance(sess_options, SessionOptions):
            raise _onnxc.Error(f"sess_options is a {type(sess_options).__name__}, expected a SessionOptions")
        _check_providers(providers, provider_options)
        for name in [name for name in options if name in _IGNORED]:
            warn_once(f"InferenceSession's {name}", stacklevel=3)
            del options[name]
        self._options = sess_options or SessionOptions()
        if threads is None:
            threads = self._options.intra_op_num_threads
        if not hasattr(threads, "__index__") or not 0 <= operator.index(threads) < 1 << 31:
            raise _onnxc.Error(f"threads={threads!r}, expected a number from 0 (one per core) to 2147483647")
        threads = operator.index(threads)
        cache_dir = cache_dir or os.environ.get("ONNXC_CACHE_DIR")
        self._made_of = _source(path_or_bytes), threads, cache_dir, dict(options)
        options = {**self._options.compile_options(), **options}
        prefix = options.get("prefix", "")
        if self._options.optimized_model_filepath and not _is_library(path_or_bytes):
            _write_optimized(path_or_bytes, self._options.optimized_model_filepath, options)
        if _is_library(path_or_bytes) and isinstance(path_or_bytes, (str, os.PathLike)):
            self._session = _onnxc.Session(os.fspath(path_or_bytes), prefix, threads)
        else:
            self._session = self._load_temporary(path_or_bytes, prefix, threads, options, cache_dir)
        self._arrays = _onnxc.Arrays(self._session)
        self._inputs = [NodeArg(*described) for described in self._session.inputs]
        self._overridable = [NodeArg(*described) for described in self._session.overridable]
        self._outputs = [NodeArg(*described) for described in self._session.outputs]
        self._trace = _Trace(self._options.profile_file_prefix, started) if self._options.enable_profiling else None

    @staticmethod
    def _load_temporary(model, prefix, threads, options, cache_dir):
        """A session of what has to become a file first. Once it is loaded, the
        name of a temporary file is no longer needed."""
        with tempfile.TemporaryDirectory(prefix="onnxc-") as folder:
            path = os.path.join(folder, "model.so")
            if _is_library(model):
                with open(path, "wb") as file:
                    file.write(model)
            else:
                # What is compiled here runs here.
                options = {"mcpu": "native", **options}
                if cache_dir:
                    with compiler.model_file(model, folder) as source:
                        path = cache.cached(cache_dir, source, options, lambda source, output: compiler.compile(source, output, **options))
                else:
                    compiler.compile(model, path, **options)
            try:
                return _onnxc.Session(path, prefix, threads)
            except _onnxc.Error as error:
                if cache_dir and not _is_library(model):
                    raise _onnxc.Error(f"{error} (a file of cache_dir; delete it to have it made again)") from None
                raise compiler.without_folder(error, folder) from None

    def __reduce__(self):
        model, threads, cache_dir, options = self._made_of
        return _restore, (model, self._options, threads, cache_dir, options)

    def get_inputs(self):
        """A NodeArg for each input that a run must have, in the model's order;
        initializers are not inputs."""
        return self._inputs

    def get_overridable_initializers(self):
        """A NodeArg for each input that is an initializer, too, in the model's
        order: where `run` is not given it, it has the initializer's value."""
        return self._overridable

    def get_outputs(self):
        """A NodeArg for each output, in the model's order."""
        return self._outputs

    @property
    def workspace_bytes(self):
        """What each concurrent run takes for intermediate values of fixed size."""
        return self._session.workspace_bytes

    @property
    def weight_bytes(self):
        """What the constants take, once for all runs."""
        return self._session.weight_bytes

    def get_modelmeta(self):
        """Of what a model says of itself, the compiled one keeps the names of the graph and of
        the tool that wrote it."""
        return ModelMetadata(self._session.graph_name, self._session.producer)

    def get_session_options(self):
        return self._options

    def get_providers(self):
        return [CPU]

    def get_provider_options(self):
        return {CPU: {}}

    def set_providers(self, providers=None, provider_options=None):
        _check_providers(providers, provider_options)

    def disable_fallback(self):
        """There is one provider."""

    enable_fallback = disable_fallback

    def io_binding(self):
        return IOBinding(self)

    def get_profiling_start_time_ns(self):
        """On the clock of time.monotonic_ns; 0 without enable_profiling."""
        return self._trace.started if self._trace else 0

    def end_profiling(self):
        """Writes what enable_profiling noted, as Chrome's about:tracing reads it; its path."""
        if not self._trace:
            return ""
        path = self._trace.write()
        self._trace = None
        return path

    def run_with_iobinding(self, iobinding, run_options=None):
        iobinding._run(run_options)

    def run_with_ort_values(self, output_names, input_dict_ort_values, run_options=None):
        """As run, from and to OrtValues."""
        return [OrtValue(value) for value in self.run(output_names, input_dict_ort_values, run_options)]

    def run_async(self, output_names, input_feed, callback, user_data, run_options=None):
        """Runs in a thread of its own, and calls callback(outputs, user_data, error) there: error is the text of
        what went wrong, and "" with outputs."""
        if not callable(callback):
            raise _onnxc.Error(f"expected a function to call, got {type(callback).__name__}")

        def work():
            try:
                outputs, error = self.run(output_names, input_feed, run_options), ""
            except Exception as failure:  # It is the callback's to handle.
                outputs, error = [], str(failure)
            callback(outputs, user_data, error)

        threading.Thread(target=work, name="onnxc-run", daemon=True).start()

    def run(self, output_names, input_feed, run_options=None):
        """The outputs of these names (None: all) as a list; `input_feed` has the
        inputs by name, and may have overridable initializers. Tensors are numpy arrays, of strings: arrays of objects;
        sequences are lists, absent optionals None, maps dicts. OrtValues and what other libraries lend by DLPack
        are read where they are.
        Raises onnxc.Error, with the node's name where one found fault."""
        if run_options is not None and run_options.terminate:
            raise _onnxc.Error("the run was not begun, as RunOptions.terminate is set")
        if self._trace is None:
            return self._run(output_names, input_feed)
        began = time.monotonic_ns()
        try:
            return self._run(output_names, input_feed)
        finally:
            self._trace.add("model_run", began)

    def _run(self, output_names, input_feed):
        if output_names is None:
            plain = self._arrays.run(self._session, input_feed)
            if plain is not None:
                return plain
        known = {arg.name for arg in self._inputs + self._overridable}
        if not isinstance(input_feed, Mapping):
            raise _onnxc.Error(f"expected a dict with the inputs {sorted(known)}, got {type(input_feed).__name__}")
        missing = [arg.name for arg in self._inputs
                   if arg.name not in input_feed and not arg.type.startswith("optional(")]
        unknown = [name for name in input_feed if name not in known]
        if missing or unknown:
            raise _onnxc.Error(f"the model's inputs are {sorted(known)}; missing: {missing}, unknown: {unknown}")
        wanted = [arg.name for arg in self._outputs]
        if isinstance(output_names, str):
            raise _onnxc.Error(f"expected a list of outputs, got '{output_names}'")
        for name in output_names or ():
            if name not in wanted:
                raise _onnxc.Error(f"the model has no output '{name}'; its outputs are {wanted}")

        def native(arg):
            return values.to_native(as_array(input_feed.get(arg.name)), arg.type, f"input '{arg.name}'")

        natives = self._session.run([native(arg) for arg in self._inputs] + [
            native(arg) if input_feed.get(arg.name) is not None else None for arg in self._overridable])
        if output_names is None:
            return [values.from_native(native) for native in natives]
        return [values.from_native(natives[wanted.index(name)]) for name in output_names]
