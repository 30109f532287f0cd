# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The options of a session, with the names that ONNX Runtime gave them.

What has a meaning for compiled models works. The rest is kept, so that programs
run as they are, and a warning says once that it has no effect.
"""
from __future__ import annotations

import enum
import operator
import os
import warnings
from collections.abc import Sequence
from typing import Any, ClassVar, NoReturn

from .errors import Error

_INT32 = range(-1 << 31, 1 << 31)


class GraphOptimizationLevel(enum.IntEnum):
    """Of a model that is compiled: DISABLE_ALL is opt_level 0, BASIC 1, the others 2."""

    ORT_DISABLE_ALL = 0
    ORT_ENABLE_BASIC = 1
    ORT_ENABLE_EXTENDED = 2
    ORT_ENABLE_LAYOUT = 3
    ORT_ENABLE_ALL = 99


class ExecutionMode(enum.IntEnum):
    ORT_SEQUENTIAL = 0
    ORT_PARALLEL = 1


class ExecutionOrder(enum.IntEnum):
    DEFAULT = 0
    PRIORITY_BASED = 1
    MEMORY_EFFICIENT = 2


_warned: set[str] = set()


def warn_once(what: str, stacklevel: int = 4) -> None:
    """That something has no effect; the first time only."""
    if what not in _warned:
        _warned.add(what)
        warnings.warn(f"onnxc: {what} has no effect on a compiled model", stacklevel=stacklevel)


def _typed(value: Any, default: Any, allowed: range) -> Any:
    """A value of the default's type. A TypeError or ValueError if it is something else."""
    if isinstance(default, enum.Enum):
        return type(default)(value)
    if isinstance(default, str):
        text = os.fspath(value)
        if not isinstance(text, str):
            raise TypeError
        return text
    if isinstance(default, bool):
        if value not in (False, True):
            raise ValueError
        return bool(value)
    number = operator.index(value)
    if number not in allowed:
        raise ValueError
    return number


def _describe(default: Any, allowed: range) -> str:
    if isinstance(default, enum.Enum):
        return f"one of {type(default).__name__}: {', '.join(member.name for member in type(default))}"
    if isinstance(default, bool):
        return "True or False"
    return "a text" if isinstance(default, str) else f"a number from {allowed.start} to {allowed.stop - 1}"


class _Options:
    """Attributes with defaults: another name is an error, as is a value of another type, and
    one that has no effect a warning when it is set to anything else."""

    _defaults: ClassVar[dict[str, Any]] = {}
    _effective: ClassVar[frozenset[str]] = frozenset()
    _ranges: ClassVar[dict[str, range]] = {}
    _entries: dict[str, str]

    def __init__(self) -> None:
        self.__dict__.update(self._defaults)
        self.__dict__["_entries"] = {}

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._defaults:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        default, allowed = self._defaults[name], self._ranges.get(name, _INT32)
        try:
            typed = _typed(value, default, allowed)
        except (TypeError, ValueError):
            raise Error(f"{type(self).__name__}.{name} is {value!r}, expected {_describe(default, allowed)}") from None
        if name not in self._effective and typed != default:
            warn_once(f"{type(self).__name__}.{name}")
        self.__dict__[name] = typed

    def _add_entry(self, key: str, value: str) -> None:
        self._entries[str(key)] = str(value)

    def _get_entry(self, key: str) -> str:
        if key not in self._entries:
            raise Error(f"there is no configuration entry '{key}'")
        return self._entries[key]


class SessionOptions(_Options):
    """As onnxruntime.SessionOptions.

    intra_op_num_threads is how many threads work on a run (0: one per core that
    the process may use); graph_optimization_level, free dimension overrides and
    optimized_model_filepath are of the compile; enable_profiling writes the
    times of runs (those of nodes: `onnxc profile`).
    """

    enable_cpu_mem_arena: bool
    enable_mem_pattern: bool
    enable_mem_reuse: bool
    enable_profiling: bool
    execution_mode: ExecutionMode
    execution_order: ExecutionOrder
    graph_optimization_level: GraphOptimizationLevel
    inter_op_num_threads: int
    intra_op_num_threads: int
    log_severity_level: int
    log_verbosity_level: int
    logid: str
    optimized_model_filepath: str
    profile_file_prefix: str
    use_deterministic_compute: bool
    use_per_session_threads: bool
    _dims: dict[str, int]

    _defaults = {"enable_cpu_mem_arena": True, "enable_mem_pattern": True, "enable_mem_reuse": True, "enable_profiling": False,
                 "execution_mode": ExecutionMode.ORT_SEQUENTIAL, "execution_order": ExecutionOrder.DEFAULT,
                 "graph_optimization_level": GraphOptimizationLevel.ORT_ENABLE_ALL, "inter_op_num_threads": 0, "intra_op_num_threads": 0,
                 "log_severity_level": -1, "log_verbosity_level": 0, "logid": "", "optimized_model_filepath": "",
                 "profile_file_prefix": "onnxruntime_profile_", "use_deterministic_compute": False, "use_per_session_threads": True}
    # Results are deterministic in any case; there is nothing to log.
    _effective = frozenset({"enable_profiling", "graph_optimization_level", "intra_op_num_threads", "optimized_model_filepath",
                            "profile_file_prefix", "use_deterministic_compute", "log_severity_level", "log_verbosity_level", "logid"})
    _ranges = {"inter_op_num_threads": range(1 << 31), "intra_op_num_threads": range(1 << 31)}

    def __init__(self) -> None:
        super().__init__()
        self.__dict__["_dims"] = {}

    def add_free_dimension_override_by_name(self, name: str, size: int) -> None:
        """The size of the dimension that the model calls `name`, as dims={name: size}."""
        try:
            self._dims[name] = operator.index(size)
        except TypeError:
            raise Error(f"the size of dimension '{name}' is {size!r}, expected a number") from None

    def add_free_dimension_override_by_denotation(self, denotation: str, size: int) -> None:
        warn_once("SessionOptions.add_free_dimension_override_by_denotation")

    def add_session_config_entry(self, key: str, value: str) -> None:
        warn_once(f"the configuration entry '{key}'")
        self._add_entry(key, value)

    def get_session_config_entry(self, key: str) -> str:
        return self._get_entry(key)

    def add_provider(self, name: str, options: dict[str, str] | None = None) -> None:
        if name != "CPUExecutionProvider":
            warn_once(f"the provider '{name}'")

    def has_providers(self) -> bool:
        return False

    def add_initializer(self, name: str | Sequence[str], value: Any) -> NoReturn:
        raise Error(f"the initializer '{name}' cannot be replaced when a session is made: the weights are part of the compiled model; "
                    "initializers that are inputs, too, can be given to run()")

    add_external_initializers = add_external_initializers_from_files_in_memory = add_initializer

    def register_custom_ops_library(self, path: str) -> NoReturn:
        raise Error(f"{path}: libraries of custom operators are written for ONNX Runtime; onnxc compiles the functions that a model brings")

    def compile_options(self) -> dict[str, Any]:
        """What they mean for onnxc.compile, by its names."""
        level = int(self.graph_optimization_level)
        options: dict[str, Any] = {} if level > 1 else {"opt_level": level}
        if self._dims:
            options["dims"] = dict(self._dims)
        return options


class RunOptions(_Options):
    """As onnxruntime.RunOptions. A run that has begun goes on to its end; `terminate`
    keeps later ones from beginning."""

    log_severity_level: int
    log_verbosity_level: int
    logid: str
    only_execute_path_to_fetches: bool
    terminate: bool

    _defaults = {"log_severity_level": -1, "log_verbosity_level": 0, "logid": "", "only_execute_path_to_fetches": False,
                 "terminate": False}
    _effective = frozenset({"terminate", "log_severity_level", "log_verbosity_level", "logid"})

    def add_run_config_entry(self, key: str, value: str) -> None:
        warn_once(f"the configuration entry '{key}'")
        self._add_entry(key, value)

    def get_run_config_entry(self, key: str) -> str:
        return self._get_entry(key)

    def add_active_adapter(self, adapter: Any) -> NoReturn:
        raise Error("adapters change the weights of a model, which are part of the compiled one")


class ModelMetadata:
    """What a model says of itself, as far as the compiled one keeps it."""

    def __init__(self, graph_name: str, producer_name: str) -> None:
        self.graph_name, self.producer_name = graph_name, producer_name
        self.description = self.graph_description = self.domain = ""
        self.version = 0
        self.custom_metadata_map: dict[str, str] = {}

    def __repr__(self) -> str:
        return f"ModelMetadata(graph_name={self.graph_name!r}, producer_name={self.producer_name!r})"
