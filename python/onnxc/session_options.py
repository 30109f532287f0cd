# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The options of a session, with the names that ONNX Runtime gave them.

What has a meaning for compiled models works. The rest is kept, so that programs
run as they are, and a warning says once that it has no effect.
"""
import enum
import warnings

from ._onnxc import Error


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


_warned = set()


def warn_once(what, stacklevel=4):
    """That something has no effect; the first time only."""
    if what not in _warned:
        _warned.add(what)
        warnings.warn(f"onnxc: {what} has no effect on a compiled model", stacklevel=stacklevel)


class _Options:
    """Attributes with defaults: another name is an error, and one that has no effect a
    warning when it is set to anything else."""

    _defaults = {}
    _effective = frozenset()

    def __init__(self):
        self.__dict__.update(self._defaults)
        self.__dict__["_entries"] = {}

    def __setattr__(self, name, value):
        if name not in self._defaults:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        if name not in self._effective and value != self._defaults[name]:
            warn_once(f"{type(self).__name__}.{name}")
        self.__dict__[name] = value

    def _add_entry(self, key, value):
        self._entries[str(key)] = str(value)

    def _get_entry(self, key):
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

    _defaults = {"enable_cpu_mem_arena": True, "enable_mem_pattern": True, "enable_mem_reuse": True, "enable_profiling": False,
                 "execution_mode": ExecutionMode.ORT_SEQUENTIAL, "execution_order": ExecutionOrder.DEFAULT,
                 "graph_optimization_level": GraphOptimizationLevel.ORT_ENABLE_ALL, "inter_op_num_threads": 0, "intra_op_num_threads": 0,
                 "log_severity_level": -1, "log_verbosity_level": 0, "logid": "", "optimized_model_filepath": "",
                 "profile_file_prefix": "onnxruntime_profile_", "use_deterministic_compute": False, "use_per_session_threads": True}
    # Results are deterministic in any case; there is nothing to log.
    _effective = frozenset({"enable_profiling", "graph_optimization_level", "intra_op_num_threads", "optimized_model_filepath",
                            "profile_file_prefix", "use_deterministic_compute", "log_severity_level", "log_verbosity_level", "logid"})

    def __init__(self):
        super().__init__()
        self.__dict__["_dims"] = {}

    def add_free_dimension_override_by_name(self, name, size):
        """The size of the dimension that the model calls `name`, as dims={name: size}."""
        self._dims[name] = int(size)

    def add_free_dimension_override_by_denotation(self, denotation, size):
        warn_once("SessionOptions.add_free_dimension_override_by_denotation")

    def add_session_config_entry(self, key, value):
        warn_once(f"the configuration entry '{key}'")
        self._add_entry(key, value)

    def get_session_config_entry(self, key):
        return self._get_entry(key)

    def add_provider(self, name, options=None):
        if name != "CPUExecutionProvider":
            warn_once(f"the provider '{name}'")

    def has_providers(self):
        return False

    def add_initializer(self, name, value):
        raise Error(f"the initializer '{name}' cannot be replaced when a session is made: the weights are part of the compiled model; "
                    "initializers that are inputs, too, can be given to run()")

    add_external_initializers = add_external_initializers_from_files_in_memory = add_initializer

    def register_custom_ops_library(self, path):
        raise Error(f"{path}: libraries of custom operators are written for ONNX Runtime; onnxc compiles the functions that a model brings")

    def compile_options(self):
        """What they mean for onnxc.compile, by its names."""
        level = int(self.graph_optimization_level)
        options = {} if level > 1 else {"opt_level": level}
        if self._dims:
            options["dims"] = dict(self._dims)
        return options


class RunOptions(_Options):
    """As onnxruntime.RunOptions. A run that has begun goes on to its end; `terminate`
    keeps later ones from beginning."""

    _defaults = {"log_severity_level": -1, "log_verbosity_level": 0, "logid": "", "only_execute_path_to_fetches": False,
                 "terminate": False}
    _effective = frozenset({"terminate", "log_severity_level", "log_verbosity_level", "logid"})

    def add_run_config_entry(self, key, value):
        warn_once(f"the configuration entry '{key}'")
        self._add_entry(key, value)

    def get_run_config_entry(self, key):
        return self._get_entry(key)

    def add_active_adapter(self, adapter):
        raise Error("adapters change the weights of a model, which are part of the compiled one")


class ModelMetadata:
    """What a model says of itself, as far as the compiled one keeps it."""

    def __init__(self, graph_name, producer_name):
        self.graph_name, self.producer_name = graph_name, producer_name
        self.description = self.graph_description = self.domain = ""
        self.version = 0
        self.custom_metadata_map = {}

    def __repr__(self):
        return f"ModelMetadata(graph_name={self.graph_name!r}, producer_name={self.producer_name!r})"
