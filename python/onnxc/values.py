# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Between Python's values and those of the C interface: see src/Module.cpp."""
import numpy as np

from ._onnxc import MAX_RANK, Error, dtype_name

STRING = 8
SEQUENCE, MAP, OPTIONAL = 100, 101, 102

# By the numbers of TensorProto.DataType. What numpy lacks is ml_dtypes', which
# keeps one element per byte, as the interface does.
_NUMPY = {1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64", 9: "bool",
          10: "float16", 11: "float64", 12: "uint32", 13: "uint64", 14: "complex64", 15: "complex128"}
_ML_DTYPES = {16: "bfloat16", 17: "float8_e4m3fn", 18: "float8_e4m3fnuz", 19: "float8_e5m2",
              20: "float8_e5m2fnuz", 21: "uint4", 22: "int4", 23: "float4_e2m1fn", 24: "float8_e8m0fnu",
              25: "uint2", 26: "int2", 27: "float6_e2m3fn", 28: "float6_e3m2fn"}
# Only the low bits of these are defined.
_BITS = {21: 4, 22: 4, 23: 4, 25: 2, 26: 2, 27: 6, 28: 6}
_SIGNED = {22, 26}

_BY_NAME = {dtype_name(number): number for number in (*_NUMPY, STRING, *_ML_DTYPES)}


def number_of(name):
    """The TensorProto.DataType of an element type as ONNX spells it."""
    return _BY_NAME[name]


def numpy_dtype(data_type):
    """The numpy dtype of a TensorProto.DataType number."""
    if data_type == STRING:
        return np.dtype(object)
    if data_type in _NUMPY:
        return np.dtype(_NUMPY[data_type])
    try:
        import ml_dtypes
    except ImportError:
        raise Error(f"element type {dtype_name(data_type)} needs the package ml_dtypes") from None
    return np.dtype(getattr(ml_dtypes, _ML_DTYPES[data_type]))


_NUMBERS = {name: number for table in (_NUMPY, _ML_DTYPES) for number, name in table.items()}


def data_type_of(dtype, what):
    """The TensorProto.DataType of a numpy dtype; `what` names the value in errors."""
    if dtype.kind in "OSU":
        return STRING
    number = _NUMBERS.get(dtype.name)
    if number is None:
        raise Error(f"{what}: ONNX has no element type for numpy's {dtype}")
    return number


def _inner(declared):
    """'seq(tensor(float))' -> 'tensor(float)'."""
    return declared[declared.index("(") + 1:-1]


def _array(value, declared, what):
    """Numbers of Python, in lists or alone, as an array of the declared type; what
    is an array already keeps its own."""
    number = _BY_NAME.get(_inner(declared)) if declared.startswith("tensor(") else None
    if hasattr(value, "dtype"):
        if _ML_DTYPES.get(number) == "bfloat16" and value.dtype == np.uint16:
            # numpy has no such type: what the onnx package long made of it.
            return np.asarray(value).view(numpy_dtype(number))
        return value if value.dtype.isnative else value.astype(value.dtype.newbyteorder("="))
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


def _text(text, what):
    """A string's bytes; they end at the first NUL for all readers."""
    encoded = text if isinstance(text, bytes) else str(text).encode(errors="surrogateescape")
    if b"\0" in encoded:
        raise Error(f"{what}: {text!r} has a NUL, which strings of a model cannot have")
    return encoded


def _tensor(value, declared, what):
    value = _array(value, declared, what)
    number = data_type_of(value.dtype, what)
    shape = list(np.shape(value))
    if len(shape) > MAX_RANK:
        raise Error(f"{what}: has rank {len(shape)}, at most {MAX_RANK} is possible")
    flat = np.ascontiguousarray(value).reshape(-1)
    if number == STRING:
        return number, shape, [_text(text, what) for text in flat]
    return number, shape, flat.view(np.uint8)


def _part(value, declared, what):
    """An element of a sequence. Unlike an input's own, its type is known here only."""
    native = to_native(value, declared, what)
    if declared.startswith("tensor(") and native[0] != _BY_NAME.get(_inner(declared)):
        raise Error(f"{what}: expected {_inner(declared)}, got {dtype_name(native[0])}")
    return native


def to_native(value, declared, what):
    """A value as Module.cpp takes it. `declared` is the type that the model
    states, `what` names the value in errors."""
    if declared.startswith("optional("):
        parts = [] if value is None else [_part(value, _inner(declared), what)]
        return OPTIONAL, [len(parts)], parts
    if declared.startswith("seq("):
        if not isinstance(value, (list, tuple)):
            raise Error(f"{what}: is {type(value).__name__}, expected a list, for {declared}")
        parts = [_part(part, _inner(declared), f"{what}[{i}]") for i, part in enumerate(value)]
        return SEQUENCE, [len(parts)], parts
    if declared.startswith("map("):
        if not isinstance(value, dict):
            raise Error(f"{what}: is {type(value).__name__}, expected a dict, for {declared}")
        key, _, element = _inner(declared).partition(",")
        return MAP, [len(value)], [_tensor(list(value.keys()), f"tensor({key})", what),
                                   _tensor(list(value.values()), element.strip(), what)]
    if value is None or isinstance(value, dict):
        raise Error(f"{what}: is {type(value).__name__}, expected {declared}")
    return _tensor(value, declared, what)


def from_native(native):
    """A value of Module.cpp: an array (strings: of objects), a list, None or what
    is there, a dict."""
    number, shape, elements = native
    if number == SEQUENCE:
        return [from_native(element) for element in elements]
    if number == OPTIONAL:
        return from_native(elements[0]) if elements else None
    if number == MAP:
        keys, values = map(from_native, elements)
        return dict(zip(keys.tolist(), values.tolist()))
    if number == STRING:
        result = np.empty(len(elements), dtype=object)
        result[:] = [text.decode(errors="surrogateescape") for text in elements]
        return result.reshape(shape)
    if number in _BITS:
        unused = 8 - _BITS[number]
        elements = np.left_shift(elements, unused).view(np.int8 if number in _SIGNED else np.uint8) >> unused
    return elements.view(numpy_dtype(number)).reshape(shape)
