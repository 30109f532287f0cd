# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a model of the catalog: NAME.onnx, NAME.npz with inputs, and of 8-bit integers NAME.json
with tolerances."""

import importlib
import json
import pathlib
import zlib

import numpy as np
import onnx
import onnxruntime
import torch

from . import integers, weights
from .tables import Trained

SCRIPT_OPSET, DYNAMO_OPSET = 17, 18

# torch's kernels for whole layers of attention, which it takes without gradients, have no form in ONNX.
torch.backends.mha.set_fastpath_enabled(False)


class Insane(Exception):
    """Results that would make comparisons mean little."""


def as_arrays(tensors):
    return {name: tensor.numpy() for name, tensor in tensors.items()}


class Parameters(torch.nn.Module):
    """The base of modules whose forward has a parameter for each input, which torch.export wants."""

    def __init__(self, module):
        super().__init__()
        self.module = module


def with_parameters(module, names):
    names = [f"{name}_" for name in names]
    scope = {}
    exec(f"def forward(self, {', '.join(names)}):\n    return self.module({', '.join(names)})", scope)
    return type("Named", (Parameters,), {"forward": scope["forward"]})(module).eval()


def write(plan, module, entry, path):
    """Exports the settled module."""
    feeds = plan.draw(0)
    names = list(feeds)
    if entry.exporter == "script":
        torch.onnx.export(module, tuple(feeds.values()), str(path), dynamo=False, opset_version=SCRIPT_OPSET, input_names=names,
                          dynamic_axes=plan.open if entry.open else None)
        return
    # torch.export takes a size of 1 for a constant, so that it sees a batch of two.
    seen = weights.batch_of(plan.draw, 2) if entry.open else list(feeds.values())
    shapes = tuple({dim: torch.export.Dim.AUTO for dim in plan.open.get(name, {})} for name in names)
    torch.onnx.export(with_parameters(module, names), tuple(seen), str(path), dynamo=True, opset_version=DYNAMO_OPSET, input_names=names,
                      dynamic_shapes=shapes if entry.open else None, external_data=False, verbose=False)


def run(path, feeds):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"]).run(None, feeds)


def check(path, feeds, others):
    """ONNX Runtime runs it, and results are finite, not all alike, and depend on the inputs."""
    results, different = run(path, feeds), run(path, others)
    floats = [(a, b) for a, b in zip(results, different) if a.dtype.kind == "f"]
    if not all(np.isfinite(a).all() for a, _ in floats):
        raise Insane("results are not finite")
    for a, b in floats:
        if a.size > 1 and (a.std() < 1e-5 or np.abs(a).max() > 1e5):
            raise Insane(f"results have deviation {a.std():.3g} and reach {np.abs(a).max():.3g}")
        if a.shape == b.shape and np.abs(a - b).max() <= 1e-4 * np.abs(a).max():
            raise Insane("results do not depend on the inputs")
    return [result.shape for result in results]


def make(entry, folder):
    """Writes a model and its inputs; gives the shapes of its results."""
    # A seed of its own: what else is made changes nothing.
    torch.manual_seed(zlib.crc32(entry.name.encode()))
    family, function = entry.builder.split(".")
    plan = getattr(importlib.import_module(f".{family}", __package__), function)(**entry.options)
    path = pathlib.Path(folder) / f"{entry.name}.onnx"
    rough = path.with_suffix(".making")
    if isinstance(plan, Trained):
        onnx.save(plan.proto, rough)
        feeds = plan.feeds
        others = {name: array[::-1].copy() for name, array in feeds.items()}
    else:
        module = weights.settle(plan)
        with torch.no_grad():
            write(plan, module, entry, rough)
            feeds, others = as_arrays(plan.draw(0)), as_arrays(plan.draw(1))
            if entry.quantized:
                samples = [as_arrays(plan.draw(number)) for number in range(integers.SAMPLES)]
                integers.quantize(rough, samples, **entry.quantized)
    shapes = check(rough, feeds, others)
    np.savez(path.with_suffix(".npz"), **feeds)
    if entry.quantized:
        path.with_suffix(".json").write_text(json.dumps(integers.tolerances(rough, feeds)) + "\n")
    rough.rename(path)  # only what is whole has the name
    return shapes
