# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The backend interface of ONNX's own test suite (onnx.backend.base), by onnxc.

$ONNXC_FLAGS holds further options of the compiler, for example "-O0".
"""
import os
import shlex
import tempfile

import onnx
import onnx.backend.base

from . import compiler
from .model import Model


class Prepared:
    """A compiled model; keeps its files as long as it lives."""

    def __init__(self, model, options):
        self._folder = tempfile.TemporaryDirectory(prefix="onnxc-")
        source = os.path.join(self._folder.name, "model.onnx")
        with open(source, "wb") as file:
            file.write(model.SerializeToString())
        output = os.path.join(self._folder.name, "model.so")
        compiler.compile(source, output, options)
        self._model = Model(output)

    def run(self, inputs, **_):
        """Inputs in the order of the graph (or by name); a tuple of outputs."""
        if not isinstance(inputs, dict):
            inputs = list(inputs)
        return tuple(self._model.run(inputs).values())


class Backend(onnx.backend.base.Backend):
    """onnx.backend.base.Backend on top of the onnxc command."""

    @classmethod
    def is_compatible(cls, model, device="CPU", **kwargs):
        return cls.supports_device(device)

    @classmethod
    def supports_device(cls, device):
        return device == "CPU"

    @classmethod
    def prepare(cls, model, device="CPU", **kwargs):
        return Prepared(model, shlex.split(os.environ.get("ONNXC_FLAGS", "")))

    @classmethod
    def run_model(cls, model, inputs, device="CPU", **kwargs):
        return cls.prepare(model, device).run(inputs)


is_compatible = Backend.is_compatible
prepare = Backend.prepare
run_model = Backend.run_model
supports_device = Backend.supports_device
