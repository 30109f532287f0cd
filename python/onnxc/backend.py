# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The interface of ONNX's own test suite (onnx.backend.base), by onnxc.

The module itself is a backend: onnxc.backend.prepare(model).run(inputs).
$ONNXC_OPT_LEVEL is the level where the caller does not say opt_level=.
"""
import os

import numpy as np
import onnx
import onnx.backend.base

from .session import InferenceSession


class Prepared(onnx.backend.base.BackendRep):
    """A compiled model."""

    def __init__(self, session):
        self.session = session

    def run(self, inputs, **_):
        """`inputs` in the order of the graph, or by name; a tuple of outputs."""
        if not isinstance(inputs, dict):
            names = [arg.name for arg in self.session.get_inputs()]
            inputs = dict(zip(names, inputs, strict=True))
        return tuple(self.session.run(None, inputs))


class Backend(onnx.backend.base.Backend):
    """onnx.backend.base.Backend on top of onnxc.InferenceSession."""

    @classmethod
    def is_compatible(cls, model, device="CPU", **_):
        return cls.supports_device(device)

    @classmethod
    def supports_device(cls, device):
        return device == "CPU"

    @classmethod
    def prepare(cls, model, device="CPU", **options):
        """`options` are those of onnxc.InferenceSession."""
        options.setdefault("opt_level", int(os.environ.get("ONNXC_OPT_LEVEL", "1")))
        return Prepared(InferenceSession(model, **options))

    @classmethod
    def run_model(cls, model, inputs, device="CPU", **options):
        return cls.prepare(model, device, **options).run(inputs)

    @classmethod
    def run_node(cls, node, inputs, device="CPU", outputs_info=None, *, opset_version=None, **options):
        """One node on `inputs`, which stand for those of the node's inputs that
        have a name; by the newest opset unless `opset_version` says."""
        names = [name for name in node.input if name]
        arguments = [
            onnx.helper.make_tensor_value_info(
                name, onnx.helper.np_dtype_to_tensor_dtype(np.asarray(value).dtype), np.shape(value))
            for name, value in zip(names, inputs, strict=True)]
        results = [onnx.ValueInfoProto(name=name) for name in node.output if name]
        opset = onnx.helper.make_opsetid(node.domain, opset_version or onnx.defs.onnx_opset_version())
        model = onnx.helper.make_model(onnx.helper.make_graph([node], "node", arguments, results), opset_imports=[opset])
        return cls.run_model(model, inputs, device, **options)


is_compatible = Backend.is_compatible
prepare = Backend.prepare
run_model = Backend.run_model
run_node = Backend.run_node
supports_device = Backend.supports_device
