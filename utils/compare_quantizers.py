#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The errors of models that `onnxc quantize` and ONNX Runtime's quantizers make of the
same model, with the same calibration data: relative, on other data, run by ONNX Runtime.

usage: utils/compare_quantizers.py FOLDER MODEL.onnx...

FOLDER keeps the models. Inputs are random: of rank 4, images whose spectrum falls as that
of photographs; integers, tokens. Needs onnxruntime, and of its quantizers' what they need:
sympy and onnx_ir. onnxc is that of the PATH.
"""

import logging
import os
import pathlib
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer
from onnxruntime.quantization.shape_inference import quant_pre_process

TOKENS, LENGTH = 30000, 64


def image(random, shape):
    height, width = shape[-2:]
    noise = np.fft.fft2(random.standard_normal(shape))
    frequency = np.hypot(np.fft.fftfreq(height)[:, None], np.fft.fftfreq(width)[None])
    smooth = np.real(np.fft.ifft2(noise / np.maximum(frequency, 1 / max(height, width))))
    return (smooth / smooth.std()).astype("f4")


def make_inputs(model, random):
    initializers = {i.name for i in model.graph.initializer}
    arrays = {}
    for value in model.graph.input:
        if value.name in initializers:
            continue
        dims = [d.dim_value or d.dim_param for d in value.type.tensor_type.shape.dim]
        shape = [d if isinstance(d, int) else 1 for d in dims]
        if value.type.tensor_type.elem_type == onnx.TensorProto.FLOAT:
            if "past" in value.name:
                shape = [0 if i == 2 and not isinstance(d, int) else s for i, (d, s) in enumerate(zip(dims, shape))]
            arrays[value.name] = image(random, shape) if len(shape) == 4 and min(shape[2:]) > 1 else random.standard_normal(shape).astype("f4")
            continue
        if len(shape) == 2:
            shape[1] = LENGTH
        arrays[value.name] = (np.ones(shape, "i8") if "mask" in value.name else np.arange(LENGTH)[None] if "position" in value.name
                              else np.zeros(shape, "i8") if "type" in value.name else random.integers(0, TOKENS, shape))
    return arrays


class Reader(CalibrationDataReader):
    def __init__(self, data):
        self.rest = iter(data)

    def get_next(self):
        return next(self.rest, None)


class Comparison:
    def __init__(self, folder, path):
        self.folder, self.path, self.name = folder, path, path.stem
        self.model = onnx.load(path)
        random = np.random.default_rng(1)
        self.data = [make_inputs(self.model, random) for _ in range(16)]
        self.test = [make_inputs(self.model, random) for _ in range(8)]
        self.calibration = folder / f"{self.name}-calibration"
        self.calibration.mkdir(parents=True, exist_ok=True)
        for i, arrays in enumerate(self.data):
            np.savez(self.calibration / f"{i:02}.npz", **arrays)
        self.want = self.run(path)

    def run(self, path):
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        return [[output.astype("f8") for output in session.run(None, arrays)] for arrays in self.test]

    def error(self, path):
        """The greatest of the outputs'."""
        pairs = [list(zip(got, want)) for got, want in zip(self.run(path), self.want)]
        return max(np.sqrt(sum(((a - b) ** 2).sum() for a, b in output) / sum((b ** 2).sum() for _, b in output)) for output in zip(*pairs))

    def report(self, label, path):
        print(f"{self.name:24} {label:28} {self.error(path):8.2%} {os.path.getsize(path) / 2**20:8.1f} MiB", flush=True)

    def onnxc(self, label, *options):
        path = self.folder / f"{self.name}-{label.replace(' ', '-')}.onnx"
        done = subprocess.run(["onnxc", "quantize", self.path, "-o", path, "--freeze", f"--report={path}.txt", *options],
                              stderr=subprocess.PIPE, text=True)
        if done.returncode:
            print(f"{self.name:24} {label:28} {done.stderr.strip()}")
        else:
            self.report(label, path)

    def compare_static(self):
        self.onnxc("onnxc int8", "--int8", f"--calibrate={self.calibration}")
        # ONNX Runtime's quantizer writes what opset 13 has, whatever the model's is.
        opset, ready, path = (self.folder / f"{self.name}-{what}.onnx" for what in ("13", "ready", "ort-int8"))
        version = next(o.version for o in self.model.opset_import if o.domain in ("", "ai.onnx"))
        subprocess.run(["onnxc", "convert", self.path, "-o", opset, f"--opset={max(version, 13)}"], check=True)
        quant_pre_process(str(opset), str(ready), skip_symbolic_shape=True)
        quantize_static(str(ready), str(path), Reader(self.data), quant_format=QuantFormat.QDQ, per_channel=True,
                        activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8, calibrate_method=CalibrationMethod.MinMax)
        self.report("ONNX Runtime int8", path)

    def compare_blocks(self):
        # ONNX Runtime's leaves Gemms as they are.
        matmuls = ["--exclude=Gemm"] if any(node.op_type == "Gemm" for node in self.model.graph.node) else []
        for label, options in {"onnxc int4": (), "onnxc int4 zero points": ("--zero-points",),
                               "onnxc int4 calibrated": (f"--calibrate={self.calibration}",)}.items():
            self.onnxc(label, "--int4", "--format=matmul-nbits", *matmuls, *options)
        for is_symmetric in (True, False):
            path = self.folder / f"{self.name}-ort-int4.onnx"
            quantizer = MatMulNBitsQuantizer(onnx.load(self.path), block_size=32, is_symmetric=is_symmetric, bits=4)
            quantizer.process()
            quantizer.model.save_model_to_file(str(path), False)
            self.report("ONNX Runtime int4" + ("" if is_symmetric else " zero points"), path)


def main():
    logging.disable(logging.WARNING)
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    for path in sys.argv[2:]:
        comparison = Comparison(pathlib.Path(sys.argv[1]), pathlib.Path(path))
        operators = {node.op_type for node in comparison.model.graph.node}
        comparison.compare_static()
        if "MatMul" in operators:
            comparison.compare_blocks()


main()
