# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""8-bit forms of models, as ONNX Runtime's quantizers write them."""

import logging
import pathlib
import tempfile

from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

SAMPLES = 4
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
