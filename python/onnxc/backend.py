# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The interface of ONNX's own test suite (onnx.backend.base), by onnxc.

The module itself is a backend: onnxc.backend.prepare(model).run(inputs).
$ONNXC_OPT_LEVEL is the level where the caller does not say opt_level=.
"""
from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import onnx
import onnx.backend.base

from .errors import Error
from .session import InferenceSession


def _by_name(names: Sequence[str], values: Iterable[Any]) -> dict[str, Any]:
    given = list(values)
    if len(names) != len(given):
        raise Error(f"expected {len(names)} inputs {names}, got {len(given)}")
    return dict(zip(names, given))


def _type_of(value: Any) -> onnx.TypeProto:
    """The type of an input that is not declared."""
    if isinstance(value, (list, tuple)):
        if not value:
            raise Error("the type of an empty sequence is unknown; run_model takes a model that declares it")
        return onnx.helper.make_sequence_type_proto(_type_of(np.asarray(value[0])))
    value = np.asarray(value)
    return onnx.helper.make_tensor_type_proto(onnx.helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)


class Prepared(onnx.backend.base.BackendRep):
    """A compiled model."""

    def __init__(self, session: InferenceSession) -> None:
        self.session = session

    def run(self, inputs: Any, **_: Any) -> tuple[Any, ...]:
        """`inputs` in the order of the graph, or by name; a tuple of outputs."""
        if not isinstance(inputs, dict):
            names = [arg.name for arg in self.session.get_inputs()]
            if len(inputs) > len(names):
                names += [arg.name for arg in self.session.get_overridable_initializers()]
            inputs = _by_name(names, inputs)
        return tuple(self.session.run(None, inputs))


class Backend(onnx.backend.base.Backend):
    """onnx.backend.base.Backend on top of onnxc.InferenceSession."""

    @classmethod
    def is_compatible(cls, model: onnx.ModelProto, device: str = "CPU", **_: Any) -> bool:
        return cls.supports_device(device)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        return device.partition(":")[0] == "CPU"

    @classmethod
    def prepare(cls, model: Any, device: str = "CPU", **options: Any) -> Prepared:
        """`options` are those of onnxc.InferenceSession."""
        if not cls.supports_device(device):
            raise Error(f"device='{device}' is not supported, expected 'CPU'")
        options.setdefault("opt_level", int(os.environ.get("ONNXC_OPT_LEVEL", "2")))
        return Prepared(InferenceSession(model, **options))

    @classmethod
    def run_model(cls, model: Any, inputs: Any, device: str = "CPU", **options: Any) -> tuple[Any, ...]:
        return cls.prepare(model, device, **options).run(inputs)

    @classmethod
    def run_node(  # type: ignore[override]  # their options are all dicts
                 cls, node: onnx.NodeProto, inputs: Any, device: str = "CPU",
                 outputs_info: Sequence[tuple[np.dtype[Any], tuple[int, ...]]] | None = None, *, opset_version: int | None = None,
                 **options: Any) -> tuple[Any, ...]:
        """One node on `inputs`, which stand for those of the node's inputs that
        have a name, each once; by the newest opset unless `opset_version` says."""
        feeds = _by_name(list(dict.fromkeys(name for name in node.input if name)), inputs)
        arguments = [onnx.helper.make_value_info(name, _type_of(value)) for name, value in feeds.items()]
        results = [onnx.ValueInfoProto(name=name) for name in node.output if name]
        opset = onnx.helper.make_opsetid(node.domain, opset_version or onnx.defs.onnx_opset_version())
        model = onnx.helper.make_model(onnx.helper.make_graph([node], "node", arguments, results), opset_imports=[opset])
        return cls.run_model(model, feeds, device, **options)


is_compatible = Backend.is_compatible
prepare = Backend.prepare
run_model = Backend.run_model
run_node = Backend.run_node
supports_device = Backend.supports_device
