# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models at another opset, as onnx.version_converter makes them."""
from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING

from . import _onnxc

if TYPE_CHECKING:
    import onnx


def convert_version(model: onnx.ModelProto, opset: int | Mapping[str, int]) -> onnx.ModelProto:
    """An onnx.ModelProto at another opset, newer or older, as a new ModelProto.

    `opset` is the number of the default domain's, or a dict by domain:
    {"ai.onnx": 17, "ai.onnx.ml": 3}. Nodes become what they are at that opset by
    ONNX's changes, read forwards or backwards; nothing else changes. Raises
    onnxc.Error, with the name of the node, for what has no form there.
    """
    import onnx

    if not isinstance(model, onnx.ModelProto):
        raise TypeError(f"convert_version takes an onnx.ModelProto, not a {type(model).__name__}")
    wanted = opset if isinstance(opset, Mapping) else {"ai.onnx": opset}
    result, warning = _onnxc.convert(model.SerializeToString(),
                                     [f"{domain or 'ai.onnx'}={int(version)}" for domain, version in wanted.items()])
    if warning:
        warnings.warn(warning, stacklevel=2)
    converted: onnx.ModelProto = onnx.ModelProto.FromString(result)
    return converted
