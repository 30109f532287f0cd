# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiled model, called through the C interface of include/onnxc/runtime.h."""
import ctypes as c
import os
import re

import numpy as np

ABI_VERSION = 1
MAX_RANK = 16


class RunError(RuntimeError):
    """The model refused its inputs or met values it cannot compute with."""


def _ml_dtype(name):
    try:
        import ml_dtypes
    except ImportError:
        return None
    return np.dtype(getattr(ml_dtypes, name))


# TensorProto.DataType -> numpy. Types that numpy lacks are ml_dtypes', which
# keeps one element per byte, as the interface does.
_NUMPY = {1: np.dtype("f4"), 2: np.dtype("u1"), 3: np.dtype("i1"), 4: np.dtype("u2"), 5: np.dtype("i2"),
          6: np.dtype("i4"), 7: np.dtype("i8"), 9: np.dtype("?"), 10: np.dtype("f2"), 11: np.dtype("f8"),
          12: np.dtype("u4"), 13: np.dtype("u8"), 14: np.dtype("c8"), 15: np.dtype("c16")}
_ML = {16: "bfloat16", 17: "float8_e4m3fn", 18: "float8_e4m3fnuz", 19: "float8_e5m2", 20: "float8_e5m2fnuz",
       21: "uint4", 22: "int4", 23: "float4_e2m1fn", 24: "float8_e8m0fnu", 25: "uint2", 26: "int2"}
_STRING = 8


def numpy_dtype(data_type):
    """The numpy dtype of a TensorProto.DataType number."""
    if data_type == _STRING:
        return np.dtype(object)
    dtype = _NUMPY.get(data_type) or (_ml_dtype(_ML[data_type]) if data_type in _ML else None)
    if dtype is None:
        raise RunError(f"element type {data_type} has no numpy dtype here (is ml_dtypes installed?)")
    return dtype


class _Tensor(c.Structure):
    _fields_ = [("data", c.c_void_p), ("bytes", c.c_uint64), ("dtype", c.c_int32), ("rank", c.c_int32),
                ("dims", c.c_int64 * MAX_RANK)]


class _ValueInfo(c.Structure):
    _fields_ = [("name", c.c_char_p), ("dtype", c.c_int32), ("rank", c.c_int32),
                ("dims", c.POINTER(c.c_int64)), ("symbols", c.POINTER(c.c_char_p)), ("type", c.c_char_p)]


class _Model(c.Structure):
    pass


_Create = c.CFUNCTYPE(c.c_int, c.POINTER(_Model), c.c_void_p, c.POINTER(c.c_void_p))
_Destroy = c.CFUNCTYPE(None, c.c_void_p)
_Run = c.CFUNCTYPE(c.c_int, c.c_void_p, c.POINTER(_Tensor), c.c_int32, c.POINTER(_Tensor), c.c_int32)
_Error = c.CFUNCTYPE(c.c_char_p, c.c_void_p)
_Model._fields_ = [("abi_version", c.c_uint32), ("num_inputs", c.c_int32), ("num_outputs", c.c_int32),
                   ("opset", c.c_int32), ("name", c.c_char_p), ("producer", c.c_char_p),
                   ("target_triple", c.c_char_p), ("target_cpu", c.c_char_p),
                   ("inputs", c.POINTER(_ValueInfo)), ("outputs", c.POINTER(_ValueInfo)),
                   ("workspace_bytes", c.c_uint64), ("weight_bytes", c.c_uint64),
                   ("create", _Create), ("destroy", _Destroy), ("run", _Run), ("error", _Error),
                   ("cpu_features", c.POINTER(c.c_char_p)), ("entry", c.c_void_p)]


class _Options(c.Structure):
    _fields_ = [("user", c.c_void_p), ("allocate", c.c_void_p), ("release", c.c_void_p),
                ("parallel_for", c.c_void_p), ("message", c.c_char_p), ("message_size", c.c_size_t)]


class ValueInfo:
    """Name, TensorProto.DataType number and dims of an input or output; a dim is
    an int, a symbol's name, or None."""

    def __init__(self, raw):
        self.name = raw.name.decode()
        self.data_type = raw.dtype
        self.shape = None if raw.rank < 0 else [
            raw.dims[i] if raw.dims[i] >= 0 else (raw.symbols[i].decode() if raw.symbols[i] else "") or None
            for i in range(raw.rank)]

    def __repr__(self):
        return f"ValueInfo({self.name!r}, {self.data_type}, {self.shape})"


class Model:
    """A model compiled to a shared object. One thread at a time may run it."""

    def __init__(self, path, prefix=None):
        path = os.path.abspath(os.fspath(path))
        # As onnxc derives it from the output's name.
        prefix = prefix or re.sub(r"[^A-Za-z0-9_]", "_", os.path.splitext(os.path.basename(path))[0])
        if prefix[:1].isdigit():
            prefix = "_" + prefix
        self._context = None
        self._library = c.CDLL(path)
        query = getattr(self._library, prefix + "_query")
        query.argtypes, query.restype = [c.c_uint32], c.POINTER(_Model)
        self._model = query(ABI_VERSION)
        if not self._model:
            raise RunError(f"{path} speaks another version of the interface")
        raw = self._model.contents
        self.inputs = [ValueInfo(raw.inputs[i]) for i in range(raw.num_inputs)]
        self.outputs = [ValueInfo(raw.outputs[i]) for i in range(raw.num_outputs)]
        self.workspace_bytes, self.weight_bytes = raw.workspace_bytes, raw.weight_bytes
        message = c.create_string_buffer(512)
        options = _Options(message=c.cast(message, c.c_char_p), message_size=len(message))
        context = c.c_void_p()
        if raw.create(self._model, c.byref(options), c.byref(context)) != 0:
            raise RunError(message.value.decode() or "the context could not be created")
        self._context = context

    def __del__(self):
        if getattr(self, "_context", None):
            self._model.contents.destroy(self._context)

    def _input(self, info, value):
        array = np.ascontiguousarray(value)
        # ascontiguousarray makes a scalar one-dimensional.
        array = array.reshape(np.shape(value))
        if array.dtype != numpy_dtype(info.data_type) and info.data_type != _STRING:
            raise RunError(f"input '{info.name}' is {array.dtype}, expected {numpy_dtype(info.data_type)}")
        if array.ndim > MAX_RANK:
            raise RunError(f"input '{info.name}' has rank {array.ndim}, at most {MAX_RANK} is possible")
        if info.data_type == _STRING:
            texts = [t if isinstance(t, bytes) else str(t).encode() for t in array.ravel()]
            array = (c.c_char_p * max(len(texts), 1))(*texts)
            address, size = c.addressof(array), 8 * len(texts)
        else:
            address, size = array.ctypes.data, array.nbytes
        tensor = _Tensor(address, size, info.data_type, np.ndim(value))
        tensor.dims[:np.ndim(value)] = np.shape(value)
        return tensor, array

    def run(self, inputs):
        """`inputs` by name (or in order, as a list); a dict of output arrays."""
        if not isinstance(inputs, dict):
            inputs = dict(zip((i.name for i in self.inputs), inputs, strict=True))
        unknown = set(inputs) - {i.name for i in self.inputs}
        missing = [i.name for i in self.inputs if i.name not in inputs]
        if unknown or missing:
            raise RunError(f"inputs missing: {missing}, unknown: {sorted(unknown)}")
        # The arrays stay referenced until the run is over.
        tensors, _arrays = zip(*(self._input(i, inputs[i.name]) for i in self.inputs)) if self.inputs else ((), ())
        ins = (_Tensor * max(len(tensors), 1))(*tensors)
        outs = (_Tensor * max(len(self.outputs), 1))()
        raw = self._model.contents
        if raw.run(self._context, ins, len(tensors), outs, len(self.outputs)) != 0:
            raise RunError(raw.error(self._context).decode(errors="replace"))
        return {info.name: self._output(out) for info, out in zip(self.outputs, outs)}

    @staticmethod
    def _output(tensor):
        shape = tuple(tensor.dims[:tensor.rank])
        count = int(np.prod(shape, dtype=np.int64))
        if tensor.dtype == _STRING:
            texts = c.cast(tensor.data, c.POINTER(c.c_char_p))
            return np.array([texts[i].decode() for i in range(count)], dtype=object).reshape(shape)
        dtype = numpy_dtype(tensor.dtype)
        raw = c.string_at(tensor.data, count * dtype.itemsize) if count else b""
        return np.frombuffer(raw, dtype=dtype).reshape(shape).copy()
