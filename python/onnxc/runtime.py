# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running compiled models, for processes that compile none.

    from onnxc.runtime import InferenceSession
    outputs = InferenceSession("model.so").run(None, {"input": array})

The compiler is not loaded: a session takes the memory of numpy, of the model, and little more.
onnxc.InferenceSession is the same class with models themselves beside what is compiled.
"""
from __future__ import annotations

import operator
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import _runtime
from ._runtime import __version__
from .binding import IOBinding, OrtValue
from .errors import Error, without_folder
from .session_options import (ExecutionMode, ExecutionOrder, GraphOptimizationLevel, ModelMetadata, RunOptions, SessionOptions,
                              warn_once)
from .states import State

__all__ = ["CPU", "Error", "ExecutionMode", "ExecutionOrder", "GraphOptimizationLevel", "IOBinding", "InferenceSession",
           "ModelMetadata", "NodeArg", "OrtValue", "RunOptions", "SessionOptions", "State", "__version__"]

CPU = "CPUExecutionProvider"
# What ONNX Runtime's session takes by name beside the options.
_IGNORED = ("disabled_optimizers", "enable_fallback", "read_config_from_model")


class NodeArg:
    """An input or output: `type` as ONNX spells it, "tensor(float)"; `shape` has
    an int, a symbol's name or None per dim, and is None if the rank is unknown."""

    __slots__ = ("name", "shape", "type")

    def __init__(self, name: str, type: str, shape: list[int | str | None] | None) -> None:
        self.name, self.type, self.shape = name, type, shape

    def __repr__(self) -> str:
        return f"NodeArg(name={self.name!r}, type={self.type!r}, shape={self.shape!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NodeArg) and (self.name, self.type, self.shape) == (other.name, other.type, other.shape)

    def __hash__(self) -> int:
        return hash((self.name, self.type))


def is_library(model: Any) -> bool:
    """Whether a path or bytes are machine code, rather than a model."""
    magic = b"\x7fELF"
    if not isinstance(model, (str, os.PathLike)):
        return isinstance(model, (bytes, bytearray)) and model.startswith(magic)
    try:
        with open(model, "rb") as file:
            return file.read(len(magic)) == magic
    except OSError:
        return False  # who reads it next says why, with the name


def _check_providers(providers: Any, provider_options: Any) -> None:
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


def _check_threads(threads: Any) -> int:
    if not hasattr(threads, "__index__") or not 0 <= operator.index(threads) < 1 << 31:
        raise Error(f"threads={threads!r}, expected a number from 0 (one per core) to 2147483647")
    return operator.index(threads)


def _source(model: Any) -> str | bytes | None:
    """A model as another process can have it: an absolute path, or bytes."""
    if isinstance(model, (str, os.PathLike)):
        return os.path.abspath(os.fspath(model))
    if hasattr(model, "SerializeToString"):
        return bytes(model.SerializeToString())
    return bytes(model) if isinstance(model, (bytes, bytearray, memoryview)) else None


def load_bytes(library: bytes | bytearray, prefix: str, threads: int) -> _runtime.Session:
    """Of machine code in memory. Once it is loaded, the name of its file is no longer needed."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="onnxc-") as folder:
        path = os.path.join(folder, "model.so")
        with open(path, "wb") as file:
            file.write(library)
        try:
            return _runtime.Session(path, prefix, threads)
        except Error as error:
            raise without_folder(error, folder) from None


def _restore(kind: type[InferenceSession], model: Any, sess_options: SessionOptions, options: dict[str, Any]) -> InferenceSession:
    """What unpickles a session."""
    return kind(model, sess_options, **options)


class _Trace:
    """When runs began and ended."""

    def __init__(self, prefix: str, started: int) -> None:
        self.prefix, self.started = prefix, started
        self.events: list[dict[str, Any]] = []
        self.add("session_initialization", started)

    def add(self, name: str, began: int) -> None:
        now = time.monotonic_ns()
        self.events.append({"cat": "Session", "pid": os.getpid(), "tid": threading.get_native_id(), "ph": "X", "name": name,
                            "ts": (began - self.started) // 1000, "dur": (now - began) // 1000, "args": {}})

    def write(self) -> str:
        import json

        path = f"{self.prefix}_{time.strftime('%Y-%m-%d_%H-%M-%S')}.json"
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self.events, file)
        return path


class InferenceSession:
    """A compiled model ready to run; from any number of threads at once.

    `path_or_bytes` is a shared object that onnxc wrote, as a path or bytes. The other parameters that have
    a position are ONNX Runtime's: see SessionOptions; of the providers there is the processor's. By name:
    `threads` work on a run, 0 for one per core that the process may use; of a file with several models,
    `prefix` chooses one.
    A session can be pickled: by its path, or by the bytes that it was made of; its states are not.
    Raises onnxc.Error for what cannot be loaded.
    """

    def __init__(self, path_or_bytes: Any, sess_options: SessionOptions | None = None, providers: Sequence[Any] | None = None,
                 provider_options: Sequence[dict[str, Any]] | None = None, *, threads: int | None = None, **options: Any) -> None:
        started = time.monotonic_ns()
        if sess_options is not None and not isinstance(sess_options, SessionOptions):
            raise Error(f"sess_options is a {type(sess_options).__name__}, expected a SessionOptions")
        _check_providers(providers, provider_options)
        for name in [name for name in options if name in _IGNORED]:
            warn_once(f"InferenceSession's {name}", stacklevel=3)
            del options[name]
        self._options = sess_options or SessionOptions()
        number = _check_threads(self._options.intra_op_num_threads if threads is None else threads)
        self._made_of = _source(path_or_bytes), {"threads": number, **options}
        self._session = self._load(path_or_bytes, number, options)
        self._inputs = [NodeArg(*described) for described in self._session.inputs]
        self._overridable = [NodeArg(*described) for described in self._session.overridable]
        self._outputs = [NodeArg(*described) for described in self._session.outputs]
        self._state: State | None = None
        self._trace = _Trace(self._options.profile_file_prefix, started) if self._options.enable_profiling else None

    def _load(self, model: Any, threads: int, options: dict[str, Any]) -> _runtime.Session:
        prefix = options.pop("prefix", "")
        for name in options:
            raise TypeError(f"{type(self).__name__}() of onnxc.runtime got an unexpected keyword argument '{name}'")
        if isinstance(model, (bytes, bytearray)):
            return load_bytes(model, prefix, threads)
        if not isinstance(model, (str, os.PathLike)):
            raise Error(f"the model is a {type(model).__name__}, expected the path or the bytes of what 'onnxc MODEL.onnx -o MODEL.so' "
                        "writes; onnxc.InferenceSession takes other models")
        return _runtime.Session(os.fspath(model), prefix, threads)

    def __reduce__(self) -> tuple[Callable[..., InferenceSession], tuple[Any, ...]]:
        model, options = self._made_of
        return _restore, (type(self), model, self._options, options)

    def get_inputs(self) -> list[NodeArg]:
        """A NodeArg for each input that a run must have, in the model's order;
        initializers are not inputs."""
        return self._inputs

    def get_overridable_initializers(self) -> list[NodeArg]:
        """A NodeArg for each input that is an initializer, too, in the model's
        order: where `run` is not given it, it has the initializer's value."""
        return self._overridable

    def get_outputs(self) -> list[NodeArg]:
        """A NodeArg for each output, in the model's order."""
        return self._outputs

    @property
    def state(self) -> State:
        """What a model that was compiled with `state` keeps from run to run. Its session has one context: runs of
        several threads wait for each other."""
        if self._state is None:
            self._state = State(self)
        return self._state

    @property
    def workspace_bytes(self) -> int:
        """What each concurrent run takes for intermediate values of fixed size."""
        return self._session.workspace_bytes

    @property
    def weight_bytes(self) -> int:
        """What the constants take, once for all runs."""
        return self._session.weight_bytes

    def get_modelmeta(self) -> ModelMetadata:
        """Of what a model says of itself, the compiled one keeps the names of the graph and of
        the tool that wrote it."""
        return ModelMetadata(self._session.graph_name, self._session.producer)

    def get_session_options(self) -> SessionOptions:
        return self._options

    def get_providers(self) -> list[str]:
        return [CPU]

    def get_provider_options(self) -> dict[str, dict[str, str]]:
        return {CPU: {}}

    def set_providers(self, providers: Sequence[Any] | None = None, provider_options: Sequence[dict[str, Any]] | None = None) -> None:
        _check_providers(providers, provider_options)

    def disable_fallback(self) -> None:
        """There is one provider."""

    enable_fallback = disable_fallback

    def io_binding(self) -> IOBinding:
        return IOBinding(self)

    def get_profiling_start_time_ns(self) -> int:
        """On the clock of time.monotonic_ns; 0 without enable_profiling."""
        return self._trace.started if self._trace else 0

    def end_profiling(self) -> str:
        """Writes what enable_profiling noted, as Chrome's about:tracing reads it; its path."""
        if not self._trace:
            return ""
        path = self._trace.write()
        self._trace = None
        return path

    def run_with_iobinding(self, iobinding: IOBinding, run_options: RunOptions | None = None) -> None:
        iobinding._run(run_options)

    def run_with_ort_values(self, output_names: Sequence[str] | None, input_dict_ort_values: Mapping[str, Any],
                            run_options: RunOptions | None = None) -> list[OrtValue]:
        """As run, from and to OrtValues."""
        return [OrtValue(value) for value in self.run(output_names, input_dict_ort_values, run_options)]

    def run_async(self, output_names: Sequence[str] | None, input_feed: Mapping[str, Any],
                  callback: Callable[[list[Any], Any, str], None], user_data: Any, run_options: RunOptions | None = None) -> None:
        """Runs in a thread of its own, and calls callback(outputs, user_data, error) there: error is the text of
        what went wrong, and "" with outputs."""
        if not callable(callback):
            raise Error(f"expected a function to call, got {type(callback).__name__}")

        def work() -> None:
            try:
                outputs, error = self.run(output_names, input_feed, run_options), ""
            except Exception as failure:  # It is the callback's to handle.
                outputs, error = [], str(failure)
            callback(outputs, user_data, error)

        threading.Thread(target=work, name="onnxc-run", daemon=True).start()

    def run(self, output_names: Sequence[str] | None, input_feed: Mapping[str, Any],
            run_options: RunOptions | None = None) -> list[Any]:
        """The outputs of these names (None: all) as a list; `input_feed` has the
        inputs by name, and may have overridable initializers. Tensors are numpy arrays, of strings: arrays of objects;
        sequences are lists, absent optionals None, maps dicts. OrtValues and what other libraries lend by DLPack
        are read where they are.
        Raises onnxc.Error, with the node's name where one found fault."""
        if run_options is not None and run_options.terminate:
            raise Error("the run was not begun, as RunOptions.terminate is set")
        if self._trace is None:
            return self._run(output_names, input_feed)
        began = time.monotonic_ns()
        try:
            return self._run(output_names, input_feed)
        finally:
            self._trace.add("model_run", began)

    def _run(self, output_names: Any, input_feed: Any) -> list[Any]:
        outputs = self._session.run(output_names, input_feed)
        if outputs is None:
            outputs = self._session.run(self._check_names(output_names), self._check_feed(input_feed))
        assert outputs is not None
        return outputs

    def _check_names(self, names: Any) -> list[str] | None:
        """The names of outputs as a list, or what is wrong with them."""
        if isinstance(names, str) or not (names is None or hasattr(names, "__iter__")):
            raise Error(f"expected a list of outputs, got {names!r}")
        known = [arg.name for arg in self._outputs]
        for name in names or ():
            if name not in known:
                raise Error(f"the model has no output '{name}'; its outputs are {known}")
        return None if names is None else list(names)

    def _check_feed(self, feed: Any) -> dict[str, Any]:
        """The inputs as a dict, or what is wrong with them."""
        known = {arg.name for arg in self._inputs + self._overridable}
        if not isinstance(feed, Mapping):
            raise Error(f"expected a dict with the inputs {sorted(known)}, got {type(feed).__name__}")
        missing = [arg.name for arg in self._inputs if arg.name not in feed and not arg.type.startswith("optional(")]
        unknown = [name for name in feed if name not in known]
        if missing or unknown:
            raise Error(f"the model's inputs are {sorted(known)}; missing: {missing}, unknown: {unknown}")
        return dict(feed)
