# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile ONNX models with onnxc and run them, in this process.

    import onnxc                                     # or: import onnxc as ort
    onnxc.compile("model.onnx", output="model.so")
    session = onnxc.InferenceSession("model.so")     # or a model itself
    outputs = session.run(None, {"input": array})    # a list, as ONNX Runtime's

    onnxc.check(model)["supported"]; onnxc.inspect(model)["parameters"]

    smaller, ok = onnxc.simplify(model)              # as onnxsim; onnxc.optimizer is onnxoptimizer
    older = onnxc.convert_version(model, 11)         # at another opset, newer or older

onnxc.backend is the interface of ONNX's own tests. What the compiler or a run
has to object is an onnxc.Error, whose text names the node, as do its attributes
node, op and domain.
"""
import importlib

from ._onnxc import __version__
from .errors import Error
from .binding import IOBinding, OrtValue
from .compiler import compile
from .converter import convert_version
from .inspector import check, inspect
from .session import CPU, InferenceSession, NodeArg
from .session_options import ExecutionMode, ExecutionOrder, GraphOptimizationLevel, ModelMetadata, RunOptions, SessionOptions

SessionIOBinding = IOBinding
__all__ = ["Error", "ExecutionMode", "ExecutionOrder", "GraphOptimizationLevel", "IOBinding", "InferenceSession", "ModelMetadata", "NodeArg",
           "OrtValue", "RunOptions", "SessionIOBinding", "SessionOptions", "check", "compile", "convert_version", "get_all_providers",
           "get_available_providers", "get_device", "get_version_string", "inspect", "optimizer", "set_default_logger_severity",
           "set_default_logger_verbosity", "simplify", "__version__"]


def get_available_providers():
    """As ONNX Runtime's: where models run."""
    return [CPU]


get_all_providers = get_available_providers


def get_device():
    return "CPU"


def get_version_string():
    return __version__


def set_default_logger_severity(severity):
    """Nothing is logged."""


set_default_logger_verbosity = set_default_logger_severity


def __getattr__(name):
    """The optimizer is imported on first use: it is a program as well."""
    if name not in ("optimizer", "simplify"):
        raise AttributeError(f"module 'onnxc' has no attribute '{name}'")
    module = importlib.import_module("onnxc.optimizer")
    return module if name == "optimizer" else module.simplify
