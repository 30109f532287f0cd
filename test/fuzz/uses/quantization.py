# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantized numbers."""

from .source import SMALL_FLOATS, SMALL_INTS, Use, is_integer, onnx_dtype, op

QUANTIZED = ["int8", "uint8", "int16", "uint16"] + SMALL_INTS + SMALL_FLOATS[:5]


def scale_layout(s, shape):
    """A shape of the scales, with its attributes: one for all, one per index of an
    axis, or one per block."""
    form = s.integer(0, 3)
    if form == 0 or not shape:
        return [], {}
    axis = s.axis(len(shape))
    if form < 3 or "block_size" not in s.schema().attributes:
        return [shape[axis]], {"axis": axis}
    block = s.integer(1, shape[axis])
    scales = list(shape)
    scales[axis] = -(-shape[axis] // block)
    return scales, {"axis": axis, "block_size": block}


@op("QuantizeLinear", "DequantizeLinear")
def quantize(s):
    is_quantize = s.op == "QuantizeLinear"
    shape = s.shape(rank=s.integer(0, 4), low=1)
    parameter = s.schema().outputs[0] if is_quantize else s.schema().inputs[0]
    kind = s.pick(s.types(parameter.type_str, QUANTIZED + ([] if is_quantize else ["int32"])))
    scales, attributes = scale_layout(s, shape)
    real = s.schema().inputs[0 if is_quantize else 1].type_str
    real = s.dtype(real, ["float32", "float16", "bfloat16"]) if "(" not in real else "float32"
    scale = s.array(real, scales, 0.05, 0.5)
    if is_integer(kind):
        point = s.edges(kind, scales) if kind != "int32" else None
    else:
        point = s.array(kind, scales, 0, 0)  # only 0 is allowed
    if "saturate" in s.schema().attributes and kind in SMALL_FLOATS[:4] and s.chance(0.3):
        attributes["saturate"] = s.integer(0, 1)
    if is_quantize:
        point = s.maybe(point, 0.8)
        if point is None and "output_dtype" in s.schema().attributes:
            attributes["output_dtype"] = onnx_dtype(kind)
        return Use([s.array(real, shape), scale, point], attributes)
    return Use([s.edges(kind, shape), scale, s.maybe(point, 0.8)], attributes)


@op("DynamicQuantizeLinear")
def dynamic_quantize(s):
    shift = s.pick([0, 0, 5, -5])
    return Use([s.array("float32", s.shape(rank=s.integer(0, 3), low=1)) + s.array("float32", [], shift, shift)], outputs=3)
