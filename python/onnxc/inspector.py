# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is wrong with a model, and what is in it, without compiling it."""
import json
import os
import tempfile

from . import _onnxc
from .compiler import dim_texts, freeze_options, model_file, shape_texts


def check(model, *, opt_level=2, shapes=None, dims=None, freeze=False, max_nodes=None, max_depth=None, max_tensor_bytes=None,
          fold_budget=None):
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
        return json.loads(text.replace(json.dumps(folder + os.sep)[1:-1], ""))


def inspect(model, *, shapes=None, dims=None, graph=None, max_nodes=None, max_depth=None, max_tensor_bytes=None):
    """What is in a model: a dict, as docs/checking-a-model.md describes it.

    With graph="html", "svg" or "dot" it is a drawing instead, as text. Raises
    onnxc.Error if the model cannot be read.
    """
    if graph not in (None, "dot", "svg", "html"):
        raise _onnxc.Error(f"graph={graph!r}: there are 'dot', 'svg' and 'html'")
    with tempfile.TemporaryDirectory(prefix="onnxc-") as folder, model_file(model, folder) as source:
        text = _onnxc.inspect(source, form=graph or "json", shapes=shape_texts(shapes), dims=dim_texts(dims),
                              limits=_onnxc.Limits(max_nodes, max_depth, max_tensor_bytes, None))
        if graph:
            return text
        return json.loads(text.replace(json.dumps(folder + os.sep)[1:-1], ""))
