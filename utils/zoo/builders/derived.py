# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ONNX Runtime's tools make of another entry's model, which is exported before:
the list has it further up. The entry's WHAT is FORM:BASE."""

import shutil

import numpy as np
import onnx


def build_derived(entry, folder):
    form, base = entry.what.split(":")
    source = folder.parent / base
    if not (source / "in_1.npz").exists():
        raise RuntimeError(f"there is no model of '{base}'")
    globals()[f"make_{form}"](entry, str(source / "model.onnx"), str(folder / "model.onnx"), source)
    for number in (0, 1):
        shutil.copy(source / f"in_{number}.npz", folder)
    if form.startswith("half") and "io" in entry.options:
        for number in (0, 1):
            with np.load(folder / f"in_{number}.npz") as file:
                feeds = {name: file[name].astype(np.float16) if file[name].dtype == np.float32 else file[name] for name in file.files}
            np.savez(folder / f"in_{number}.npz", **feeds)


class Reader:
    """What the quantizer calibrates with."""

    def __init__(self, source):
        with np.load(source / "in_0.npz") as file:
            self.feeds = iter([{name: file[name] for name in file.files}])

    def get_next(self):
        return next(self.feeds, None)


def prepared(path, out):
    from onnxruntime.quantization import shape_inference
    shape_inference.quant_pre_process(path, out + ".prepared", skip_symbolic_shape=True)
    return out + ".prepared"


def make_dynamic(entry, path, out, source):
    from onnxruntime.quantization import QuantType, quantize_dynamic
    quantize_dynamic(path, out, weight_type=QuantType[entry.options.get("weights", "QInt8")], per_channel="channels" in entry.options)


def make_static(entry, path, out, source):
    from onnxruntime.quantization import QuantFormat, QuantType, quantize_static
    extra = {"UseQDQContribOps": True} if "contrib" in entry.options else {}
    quantize_static(prepared(path, out), out, Reader(source), quant_format=QuantFormat[entry.options.get("format", "QDQ")],
                    activation_type=QuantType[entry.options.get("activations", "QUInt8")],
                    weight_type=QuantType[entry.options.get("weights", "QInt8")], per_channel="channels" in entry.options, extra_options=extra)


def make_nbits(entry, path, out, source):
    from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer
    quantizer = MatMulNBitsQuantizer(onnx.load(path), block_size=int(entry.options.get("block", 16)), is_symmetric="symmetric" in entry.options,
                                     bits=int(entry.options.get("bits", 4)))
    quantizer.process()
    onnx.save(quantizer.model.model, out)


def make_half(entry, path, out, source):
    from onnxruntime.transformers.float16 import convert_float_to_float16
    onnx.save(convert_float_to_float16(onnx.load(path), keep_io_types="io" not in entry.options), out)


def make_fused(entry, path, out, source):
    from onnxruntime.transformers.optimizer import optimize_model
    model = optimize_model(path, model_type=entry.options.get("type", "bert"), num_heads=int(entry.options.get("heads", 4)),
                           hidden_size=int(entry.options.get("hidden", 32)), opt_level=int(entry.options.get("level", 0)), use_gpu="gpu" in entry.options)
    if "half" in entry.options:
        model.convert_float_to_float16(keep_io_types=True)
    model.save_model_to_file(out)


def make_optimized(entry, path, out, source):
    """The graph that ONNX Runtime itself writes."""
    import onnxruntime
    options = onnxruntime.SessionOptions()
    levels = onnxruntime.GraphOptimizationLevel
    options.graph_optimization_level = {1: levels.ORT_ENABLE_BASIC, 2: levels.ORT_ENABLE_EXTENDED}[int(entry.options.get("level", 2))]
    options.optimized_model_filepath = out
    onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
