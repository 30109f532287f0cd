# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is wrong with a model, and what is in it, without compiling it."""
from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, overload

from . import _onnxc
from .compiler import dim_texts, freeze_options, model_file, shape_texts
from .errors import Error

if TYPE_CHECKING:
    from .compiler import Dims, Model, Sizes


def check(model: Model, *, opt_level: int = 2, shapes: Sizes | None = None, dims: Dims | None = None,
          freeze: bool | Iterable[str] = False, max_nodes: int | None = None, max_depth: int | None = None,
          max_tensor_bytes: int | None = None, fold_budget: int | None = None) -> dict[str, Any]:
    """What `onnxc check` finds, as a dict: docs/checking-a-model.md describes it.

        report = onnxc.check("model.onnx")
        if not report["supported"]:
            print(report["faults"], report["unsupported"])

    `model` is a path, the bytes of a .onnx file, or a ModelProto. A model that
    is not valid raises nothing: its faults are in the report. `freeze` and the
    limits are compile()'s.
    """
    with tempfile.TemporaryDirectory(prefix="onnxc-") as folder, model_file(model, folder) as source:
        text = _onnxc.check(source, opt_level=opt_level, shapes=shape_texts(shapes), dims=dim_texts(dims),
                            **freeze_options(freeze),
                            limits=_onnxc.Limits(max_nodes, max_depth, max_tensor_bytes, fold_budget))
        report: dict[str, Any] = json.loads(text.replace(json.dumps(folder + os.sep)[1:-1], ""))
        return report


@overload
def inspect(model: Model, *, shapes: Sizes | None = None, dims: Dims | None = None, graph: None = None, max_nodes: int | None = None,
            max_depth: int | None = None, max_tensor_bytes: int | None = None) -> dict[str, Any]: ...
@overload
def inspect(model: Model, *, shapes: Sizes | None = None, dims: Dims | None = None, graph: Literal["dot", "svg", "html"],
            max_nodes: int | None = None, max_depth: int | None = None, max_tensor_bytes: int | None = None) -> str: ...


def inspect(model: Model, *, shapes: Sizes | None = None, dims: Dims | None = None, graph: str | None = None,
            max_nodes: int | None = None, max_depth: int | None = None, max_tensor_bytes: int | None = None) -> dict[str, Any] | str:
    """What is in a model: a dict, as docs/checking-a-model.md describes it.

    With graph="html", "svg" or "dot" it is a drawing instead, as text. Raises
    onnxc.Error if the model cannot be read.
    """
    if graph not in (None, "dot", "svg", "html"):
        raise Error(f"graph={graph!r}: there are 'dot', 'svg' and 'html'")
    with tempfile.TemporaryDirectory(prefix="onnxc-") as folder, model_file(model, folder) as source:
        text = _onnxc.inspect(source, form=graph or "json", shapes=shape_texts(shapes), dims=dim_texts(dims),
                              limits=_onnxc.Limits(max_nodes, max_depth, max_tensor_bytes, None))
        if graph:
            return text
        summary: dict[str, Any] = json.loads(text.replace(json.dumps(folder + os.sep)[1:-1], ""))
        return summary
