# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types of models and of numpy, and arrays of what has another form or type than the model's.

Arrays that fit, lists, dicts and texts are converted in C++: src/Inputs.cpp, src/Outputs.cpp.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from ._runtime import MAX_RANK, Error, dtype_name

STRING = 8

# By the numbers of TensorProto.DataType. What numpy lacks is ml_dtypes', which
# keeps one element per byte, as the interface does.
_NUMPY = {1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64", 9: "bool",
          10: "float16", 11: "float64", 12: "uint32", 13: "uint64", 14: "complex64", 15: "complex128"}
_ML_DTYPES = {16: "bfloat16", 17: "float8_e4m3fn", 18: "float8_e4m3fnuz", 19: "float8_e5m2",
              20: "float8_e5m2fnuz", 21: "uint4", 22: "int4", 23: "float4_e2m1fn", 24: "float8_e8m0fnu",
              25: "uint2", 26: "int2", 27: "float6_e2m3fn", 28: "float6_e3m2fn"}

_BY_NAME = {dtype_name(number): number for number in (*_NUMPY, STRING, *_ML_DTYPES)}


def number_of(name: str) -> int:
    """The TensorProto.DataType of an element type as ONNX spells it."""
    return _BY_NAME[name]


def numpy_dtype(data_type: int) -> np.dtype[Any]:
    """The numpy dtype of a TensorProto.DataType number."""
    if data_type == STRING:
        return np.dtype(object)
    if data_type in _NUMPY:
        return np.dtype(_NUMPY[data_type])
    if data_type not in _ML_DTYPES:
        raise Error(f"element type {data_type} does not exist, expected a number of TensorProto.DataType")
    try:
        import ml_dtypes
    except ImportError:
        raise Error(f"element type {dtype_name(data_type)} needs the package ml_dtypes") from None
    dtype: np.dtype[Any] = np.dtype(getattr(ml_dtypes, _ML_DTYPES[data_type]))
    return dtype


_NUMBERS = {name: number for table in (_NUMPY, _ML_DTYPES) for number, name in table.items()}


def data_type_of(dtype: np.dtype[Any], what: str) -> int:
    """The TensorProto.DataType of a numpy dtype; `what` names the value in errors."""
    if dtype.kind in "OSUT":
        return STRING
    number = _NUMBERS.get(dtype.name)
    if number is None:
        raise Error(f"{what}: ONNX has no element type for numpy's {dtype}")
    return number


def _inner(declared: str) -> str:
    """'tensor(float)' -> 'float'."""
    return declared[declared.index("(") + 1:-1]


def _array(value: Any, declared: str, what: str) -> np.ndarray[Any, Any]:
    """Numbers of Python, in lists or alone, as an array of the declared type; what
    is an array already keeps its own."""
    number = _BY_NAME.get(_inner(declared)) if declared.startswith("tensor(") else None
    if hasattr(value, "dtype"):
        array = np.asarray(value)
        if number is not None and _ML_DTYPES.get(number) == "bfloat16" and array.dtype == np.uint16:
            # numpy has no such type: what the onnx package long made of it.
            return array.view(numpy_dtype(number))
        return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
    try:
        array = np.asarray(value)
        if number is None or hasattr(value, "__array__"):
            return array
        dtype = numpy_dtype(number)
        if array.dtype.kind == "f" and array.size and dtype.kind in "biu":
            raise Error(f"{what}: has fractions, expected {_inner(declared)}")
        return np.asarray(value, dtype=dtype)
    except (ValueError, TypeError, OverflowError) as error:
        raise Error(f"{what}: expected {declared}: {error}") from None


def prepare(value: Any, declared: str, what: str) -> tuple[int, list[int], np.ndarray[Any, Any]]:
    """A tensor as C++ takes it: its element type, its sizes, and its bytes in one piece; of texts,
    objects. `declared` is the type that the model states, `what` names the value in errors."""
    if value is None or isinstance(value, dict):
        raise Error(f"{what}: is {type(value).__name__}, expected {declared}")
    array = _array(value, declared, what)
    number = data_type_of(array.dtype, what)
    shape = list(array.shape)
    if len(shape) > MAX_RANK:
        raise Error(f"{what}: has rank {len(shape)}, at most {MAX_RANK} is possible")
    flat = np.ascontiguousarray(array).reshape(-1)
    return number, shape, flat.astype(object, copy=False) if number == STRING else flat.view(np.uint8)
