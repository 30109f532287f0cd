# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""8-bit forms of models, as ONNX Runtime's quantizers write them, and how far what runs
them may differ."""

import logging
import pathlib
import tempfile

import exact_integers
import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper

from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

from ..judge import relative_error, relative_norm

SAMPLES = 4
TRIES = 8
LEAST = 0.02  # of tolerances: a few results that are one step off
TYPES = {"u8": QuantType.QUInt8, "s8": QuantType.QInt8}


class Reader(CalibrationDataReader):
    def __init__(self, samples):
        self.rest = iter(samples)

    def get_next(self):
        return next(self.rest, None)


def quantize(path, samples, kind, activations, weights, channels):
    """Replaces the model in the file by its 8-bit form."""
    logging.getLogger().setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as folder:
        ready, result = pathlib.Path(folder) / "ready.onnx", pathlib.Path(folder) / "result.onnx"
        quant_pre_process(str(path), str(ready), skip_symbolic_shape=True)
        if kind == "dynamic":
            quantize_dynamic(str(ready), str(result), weight_type=TYPES[weights], per_channel=channels)
        else:
            quantize_static(str(ready), str(result), Reader(samples), per_channel=channels,
                            quant_format=QuantFormat.QDQ if kind == "qdq" else QuantFormat.QOperator,
                            activation_type=TYPES[activations], weight_type=TYPES[weights],
                            extra_options={"ActivationSymmetric": activations == "s8"})
        path.write_bytes(result.read_bytes())


def shake(array, random):
    """The numbers, changed as other orders of sums change them."""
    return (array * (1 + 1e-6 * random.standard_normal(array.shape))).astype(array.dtype)


def shaken(model, random):
    """The model, whose floats in tensors (tables, biases, scales by channel) are a little different."""
    other = onnx.ModelProto()
    other.CopyFrom(model)
    for tensor in other.graph.initializer:
        if tensor.data_type == onnx.TensorProto.FLOAT and np.prod(tensor.dims) > 1:
            tensor.CopyFrom(numpy_helper.from_array(shake(numpy_helper.to_array(tensor), random), tensor.name))
    return other


def run_exactly(model, feeds):
    """What ONNX Runtime gives without its optimizations, with products that do not saturate."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level, options.intra_op_num_threads = 3, 1
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    exact = exact_integers.make_exact(copy)
    return onnxruntime.InferenceSession(exact.SerializeToString(), options, providers=["CPUExecutionProvider"]).run(None, feeds)


def tolerances(path, feeds):
    """How far results may differ: a difference of rounding becomes one of a whole step in
    the next quantization, and that others. Twice the most that such differences in weights
    and inputs made in TRIES: sums in another order are one more, saturated products are not."""
    model, random = onnx.load(path), np.random.default_rng(20)
    expected, errors, norms = run_exactly(model, feeds), [0.0], [0.0]
    for _ in range(TRIES):
        others = {name: shake(array, random) if array.dtype.kind == "f" else array for name, array in feeds.items()}
        results = run_exactly(shaken(model, random), others)
        errors += [relative_error(a, b) for a, b in zip(results, expected)]
        norms += [relative_norm(a, b) for a, b in zip(results, expected)]
    return {"rtol_of_absmax": float(f"{max(LEAST, 2 * max(errors)):.2g}"), "rel_l2": float(f"{max(LEAST, 2 * max(norms)):.2g}")}
