# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile ONNX models with onnxc and run the result from Python.

    import onnxc
    onnxc.compile("model.onnx", "model.so")
    model = onnxc.Model("model.so")
    outputs = model.run({"input": array})          # a dict by output name
"""
from .compiler import CompileError, compile, find_onnxc
from .model import Model, RunError

__all__ = ["CompileError", "Model", "RunError", "compile", "find_onnxc"]
