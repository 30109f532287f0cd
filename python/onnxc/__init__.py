# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile ONNX models with onnxc and run them, in this process.

    import onnxc
    onnxc.compile("model.onnx", output="model.so")
    session = onnxc.InferenceSession("model.so")     # or a model itself
    outputs = session.run(None, {"input": array})    # a list, as ONNX Runtime's

    onnxc.check(model)["supported"]; onnxc.inspect(model)["parameters"]

    smaller, ok = onnxc.simplify(model)              # as onnxsim; onnxc.optimizer is onnxoptimizer
    older = onnxc.convert_version(model, 11)         # at another opset, newer or older

onnxc.backend is the interface of ONNX's own tests. What the compiler or a run
has to object is an onnxc.Error, whose text names the node.
"""
import importlib

from ._onnxc import Error, __version__
from .compiler import compile
from .converter import convert_version
from .inspector import check, inspect
from .session import InferenceSession, NodeArg

__all__ = ["Error", "InferenceSession", "NodeArg", "check", "compile", "convert_version", "inspect", "optimizer", "simplify", "__version__"]


def __getattr__(name):
    """The optimizer is imported on first use: it is a program as well."""
    if name not in ("optimizer", "simplify"):
        raise AttributeError(f"module 'onnxc' has no attribute '{name}'")
    module = importlib.import_module("onnxc.optimizer")
    return module if name == "optimizer" else module.simplify
