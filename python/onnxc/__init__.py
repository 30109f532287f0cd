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
    few = onnxc.quantize(model, bits=4)              # weights of 4 or 8 bits, or activations, too

onnxc.backend is the interface of ONNX's own tests; onnxc.runtime runs compiled
models without the compiler. What the compiler or a run
has to object is an onnxc.Error, whose text names the node, as do its attributes
node, op and domain.
"""
from __future__ import annotations

import importlib
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import backend, optimizer, runtime
    from .binding import IOBinding, OrtValue
    from .binding import IOBinding as SessionIOBinding
    from .compiler import compile
    from .converter import convert_version
    from .errors import Error
    from .inspector import check, inspect
    from .optimizer import simplify
    from .quantizer import quantize, quantize_with_report
    from .runtime import __version__
    from .session import InferenceSession, NodeArg
    from .session_options import (ExecutionMode, ExecutionOrder, GraphOptimizationLevel, ModelMetadata, RunOptions,
                                  SessionOptions)

__all__ = ["Error", "ExecutionMode", "ExecutionOrder", "GraphOptimizationLevel", "IOBinding", "InferenceSession", "ModelMetadata", "NodeArg",
           "OrtValue", "RunOptions", "SessionIOBinding", "SessionOptions", "check", "compile", "convert_version",
           "get_all_providers", "get_available_providers", "get_device", "get_version_string", "inspect", "optimizer", "quantize",
           "quantize_with_report", "runtime", "set_default_logger_severity", "set_default_logger_verbosity", "simplify", "__version__"]

# Where names come from, and by which name if by another. Each is imported when it is first used: who runs
# models by onnxc.runtime never loads the compiler, and the optimizer is a program as well.
_PLACES = {
    "binding": ["IOBinding", "OrtValue", "SessionIOBinding"], "compiler": ["compile"], "converter": ["convert_version"],
    "errors": ["Error"], "inspector": ["check", "inspect"], "optimizer": ["simplify"], "quantizer": ["quantize", "quantize_with_report"], "runtime": ["__version__"],
    "session": ["InferenceSession", "NodeArg"],
    "session_options": ["ExecutionMode", "ExecutionOrder", "GraphOptimizationLevel", "ModelMetadata", "RunOptions", "SessionOptions"],
}
_MODULES = {name: module for module, names in _PLACES.items() for name in names}
_RENAMED = {"SessionIOBinding": "IOBinding"}
_SUBMODULES = ("_onnxc", "backend", "binding", "cache", "compiler", "converter", "errors", "inspector", "optimizer", "quantizer", "runtime",
               "session", "session_options", "values")


def get_available_providers() -> list[str]:
    """As ONNX Runtime's: where models run."""
    return ["CPUExecutionProvider"]


get_all_providers = get_available_providers


def get_device() -> str:
    return "CPU"


def get_version_string() -> str:
    from ._runtime import __version__ as version

    return version


def set_default_logger_severity(severity: int) -> None:
    """Nothing is logged."""


set_default_logger_verbosity = set_default_logger_severity


def _import_compiler() -> Any:
    """TensorFlow makes the symbols of its LLVM, MLIR and Protobuf visible to all that is loaded after it; the compiler is
    to take those of its own."""
    flags = sys.getdlopenflags()
    if "tensorflow" in sys.modules:
        sys.setdlopenflags(flags | os.RTLD_DEEPBIND)
    try:
        return importlib.import_module("onnxc._onnxc")
    finally:
        sys.setdlopenflags(flags)


def __getattr__(name: str) -> Any:
    """What is first used is imported, and found without this later."""
    if name == "_onnxc":
        return _import_compiler()
    if name in _SUBMODULES:
        return importlib.import_module(f"onnxc.{name}")
    if name not in _MODULES:
        raise AttributeError(f"module 'onnxc' has no attribute '{name}'")
    value = getattr(importlib.import_module(f"onnxc.{_MODULES[name]}"), _RENAMED.get(name, name))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
