# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values as emulated.c reads and writes them: arrays, lists for sequences, Optional, dictionaries."""

import dataclasses

import numpy as np
import onnx

STRING, SEQUENCE, MAP, OPTIONAL = 8, 100, 101, 102  # of onnxc_dtype


@dataclasses.dataclass
class Optional:
    """What an input that is declared as an optional holds; None for nothing."""
    value: object


def declare(value, declared):
    """The value as one of the type, an onnx.TypeProto."""
    if declared.HasField("optional_type"):
        return Optional(None if value is None else declare(value, declared.optional_type.elem_type))
    return value


def numbers(*values):
    return np.array(values, np.int64).tobytes()


def encode(value):
    if isinstance(value, Optional):
        parts = [] if value.value is None else [value.value]
        return numbers(OPTIONAL, 1, len(parts)) + b"".join(map(encode, parts))
    if isinstance(value, (list, tuple)):
        return numbers(SEQUENCE, 1, len(value)) + b"".join(map(encode, value))
    if isinstance(value, dict):
        parts = [np.array(list(value.keys())), np.array(list(value.values()))]
        return numbers(MAP, 1, len(value)) + b"".join(map(encode, parts))
    value = np.asarray(value)
    if value.dtype.kind in "OUS":
        texts = [text if isinstance(text, bytes) else str(text).encode() for text in value.ravel().tolist()]
        return numbers(STRING, value.ndim, *value.shape) + b"".join(numbers(len(text)) + text for text in texts)
    head = [onnx.helper.np_dtype_to_tensor_dtype(value.dtype), value.ndim, *value.shape, value.nbytes]
    return numbers(*head) + np.ascontiguousarray(value).tobytes()


def decode(data):
    """The values one after the other; an optional is what it holds, or None."""
    at, values = 0, []

    def take(count):
        nonlocal at
        at += count
        return data[at - count:at]

    def take_numbers(count):
        return np.frombuffer(take(8 * count), np.int64).tolist()

    def value():
        dtype, rank = take_numbers(2)
        shape = take_numbers(rank)
        if dtype == MAP:
            return dict(zip(value().tolist(), value().tolist(), strict=True))
        if dtype in (SEQUENCE, OPTIONAL):
            parts = [value() for _ in range(shape[0])]
            return parts if dtype == SEQUENCE else parts[0] if parts else None
        if dtype == STRING:
            texts = np.empty(shape, object)
            texts.ravel()[:] = [take(take_numbers(1)[0]).decode() for _ in range(texts.size)]
            return texts
        size = take_numbers(1)[0]
        return np.frombuffer(take(size), onnx.helper.tensor_dtype_to_np_dtype(dtype)).reshape(shape)

    while at < len(data):
        values.append(value())
    return values
