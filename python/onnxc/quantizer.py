# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models with integers of few bits, as `onnxc quantize` writes them."""
from __future__ import annotations

import json
import os
import tempfile
import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from . import _onnxc
from .compiler import model_file, shape_texts

if TYPE_CHECKING:
    import numpy as np
    import onnx

    from .compiler import Model, Sizes

    Inputs = str | os.PathLike[str] | Mapping[str, np.ndarray[Any, Any]]

# What protobuf reads at once.
_MOST_BYTES = 2**31 - 1


def quantize(model: Model, bits: int = 8, **options: Any) -> onnx.ModelProto | None:
    """As quantize_with_report, without the report."""
    return quantize_with_report(model, bits, **options)[0]


def quantize_with_report(model: Model, bits: int = 8, *, output: str | os.PathLike[str] | None = None,
                         calibrate: Inputs | Iterable[Inputs] | None = None, weight_only: bool = False, block_size: int | None = None,
                         zero_points: bool = False, embeddings: bool = False, format: str = "qdq",
                         calibration_method: str = "least-error", percentile: float | None = None, activations: str = "uint8",
                         exclude: str | Iterable[str] = (), max_error: float | None = None, sensitivity: bool = False,
                         shapes: Sizes | None = None, freeze: bool = False, threads: int = 0, max_nodes: int | None = None,
                         max_depth: int | None = None, save_external: str = "") -> tuple[onnx.ModelProto | None, dict[str, Any]]:
    """A model whose weights are integers of 4 or 8 bits, and what that changes.

    `model`: a path, the bytes of a .onnx file, or a ModelProto. With 8 bits and
    `calibrate`, activations are integers, too, unless `weight_only`. `calibrate` is a
    dict of an array for each input, the path of a .npz or .npy file or of a folder of
    such, or a list of these. The other parameters are the options of `onnxc quantize`.

    Returns a ModelProto (None if it is written to the path `output`), and the report
    that `onnxc quantize --report=x.json` writes, as a dict: "layers" (each with "name",
    "operator", "quantized", "bytes_before", "bytes_after", "weight_error",
    "result_error", "output_error"), "outputs", "output_error".
    """
    import onnx

    with tempfile.TemporaryDirectory(prefix="onnxc-") as folder, model_file(model, folder) as source:
        settings = _onnxc.QuantizeOptions()
        settings.bits = bits
        settings.weight_only, settings.zero_points, settings.embeddings = weight_only, zero_points, embeddings
        settings.block_size, settings.format = block_size, format
        settings.calibration_method, settings.percentile, settings.activations = calibration_method, percentile, activations
        settings.calibrate = _files(calibrate, folder)
        settings.exclude = [exclude] if isinstance(exclude, str) else list(exclude)
        settings.max_error, settings.sensitivity = max_error, sensitivity
        settings.shapes, settings.freeze, settings.threads = shape_texts(shapes), freeze, threads
        settings.max_nodes, settings.max_depth = max_nodes, max_depth
        target = os.path.join(folder, "out.onnx") if output is None else os.fspath(output)
        settings.save_external = save_external if output is not None else "out.data" if _is_large(source) else ""
        report, warning = _onnxc.quantize_file(source, target, settings)
        if warning:
            warnings.warn(warning.replace(folder + os.sep, ""), stacklevel=3)
        return onnx.load(target) if output is None else None, json.loads(report)


def _is_large(path: str) -> bool:
    """Whether what is written may be more than protobuf reads: as many bytes as the files beside the model have."""
    folder = os.path.dirname(os.path.abspath(path))
    beside = sum(entry.stat().st_size for entry in os.scandir(folder) if entry.is_file())
    return beside > _MOST_BYTES


def _files(given: Any, folder: str) -> list[str]:
    """The paths of files of the arrays."""
    import numpy as np

    if given is None:
        return []
    if isinstance(given, (str, os.PathLike, Mapping)):
        given = [given]
    paths = []
    for number, each in enumerate(given):
        if isinstance(each, Mapping):
            path = os.path.join(folder, f"calibration-{number}.npz")
            np.savez(path, **each)
            paths.append(path)
        else:
            paths.append(os.fspath(each))
    return paths
