"""A model that onnxc compiled, called from C with tensors made beforehand."""

import ctypes

import numpy as np

from bench import native

MAX_RANK = 16
# ONNXC_FLOAT and so on, of include/onnxc/runtime.h. 16-bit floats of the "brain"
# kind come as their bits.
DTYPES = {1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64", 9: "bool",
          10: "float16", 11: "float64", 12: "uint32", 13: "uint64", 14: "complex64", 15: "complex128"}
CODES = {np.dtype(name): code for code, name in DTYPES.items()}


class Tensor(ctypes.Structure):
    """onnxc_tensor."""
    _fields_ = [("data", ctypes.c_void_p), ("bytes", ctypes.c_uint64), ("dtype", ctypes.c_int32),
                ("rank", ctypes.c_int32), ("dims", ctypes.c_int64 * MAX_RANK)]


class ValueInfo(ctypes.Structure):
    """onnxc_value_info."""
    _fields_ = [("name", ctypes.c_char_p), ("dtype", ctypes.c_int32), ("rank", ctypes.c_int32),
                ("dims", ctypes.POINTER(ctypes.c_int64)), ("symbols", ctypes.POINTER(ctypes.c_char_p)),
                ("type", ctypes.c_char_p)]


class ModelInfo(ctypes.Structure):
    """The beginning of onnxc_model."""
    _fields_ = [("abi_version", ctypes.c_uint32), ("num_inputs", ctypes.c_int32),
                ("num_outputs", ctypes.c_int32), ("opset", ctypes.c_int32), ("name", ctypes.c_char_p),
                ("producer", ctypes.c_char_p), ("target_triple", ctypes.c_char_p),
                ("target_cpu", ctypes.c_char_p), ("inputs", ctypes.POINTER(ValueInfo)),
                ("outputs", ctypes.POINTER(ValueInfo))]


class Loaded(ctypes.Structure):
    """bench_model of call.c."""
    _fields_ = [("context", ctypes.c_void_p), ("model", ctypes.POINTER(ModelInfo)),
                ("message", ctypes.c_char * 400)]


def aligned(size):
    """`size` bytes that begin at a multiple of 64."""
    memory = np.empty(size + 64, np.uint8)
    start = -memory.ctypes.data % 64
    return memory[start:start + size]


def tensor_over(array):
    """An onnxc_tensor over an array."""
    tensor = Tensor(array.ctypes.data, array.nbytes, CODES[array.dtype], array.ndim)
    tensor.dims[:array.ndim] = array.shape
    return tensor


class CallFromC:
    """A shared object's model: `run` gives its outputs as arrays, `repeat` the
    seconds of runs. Refuses (TypeError) what is not a tensor of numbers."""

    def __init__(self, path, threads):
        self.library = ctypes.CDLL(native.build("call.c", *native.SHARED, includes=native.INTERFACE))
        self.library.bench_repeat.argtypes = [
            ctypes.POINTER(Loaded), ctypes.POINTER(Tensor), ctypes.c_int32, ctypes.POINTER(Tensor),
            ctypes.c_int32, ctypes.c_int64, ctypes.POINTER(ctypes.c_double)]
        self.loaded = Loaded()
        if self.library.bench_open(ctypes.byref(self.loaded), path.encode(), b"model_query", threads):
            raise RuntimeError(self.loaded.message.decode(errors="replace"))
        self.info = self.loaded.model.contents
        self.level = self.info.target_cpu.decode()
        self.outputs = (Tensor * max(1, self.info.num_outputs))()
        for i in range(self.info.num_outputs):
            if self.info.outputs[i].dtype not in DTYPES:
                raise TypeError(f"output {i} is {self.info.outputs[i].type.decode()}")

    def bind(self, feeds):
        """Takes the inputs, whose arrays stay alive with this object."""
        names = [self.info.inputs[i].name.decode() for i in range(self.info.num_inputs)]
        for name in names:
            if np.asarray(feeds[name]).dtype not in CODES:
                raise TypeError(f"input '{name}' is {np.asarray(feeds[name]).dtype}")
        self.arrays = []
        for name in names:
            array = np.ascontiguousarray(feeds[name]).reshape(np.shape(feeds[name]))
            self.arrays.append(aligned(array.nbytes).view(array.dtype).reshape(array.shape))
            self.arrays[-1][...] = array
        self.inputs = (Tensor * max(1, len(names)))(*map(tensor_over, self.arrays))

    def reset(self):
        """States are as they were at first."""
        if self.library.bench_reset(ctypes.byref(self.loaded)):
            raise RuntimeError("the states cannot be reset")

    def repeat(self, count):
        """Seconds of one run: by the clock, and of all processors."""
        seconds = (ctypes.c_double * 2)()
        if self.library.bench_repeat(ctypes.byref(self.loaded), self.inputs, self.info.num_inputs, self.outputs,
                                     self.info.num_outputs, count, seconds):
            raise RuntimeError(self.loaded.message.decode(errors="replace"))
        return seconds[0] / count, seconds[1] / count

    def own_outputs(self):
        """Gives the next runs memory of ours for the results, of the sizes of the last run's,
        whose values it returns."""
        self.buffers, values = [], []
        for i in range(self.info.num_outputs):
            tensor = self.outputs[i]
            shape, dtype = tuple(tensor.dims[:tensor.rank]), np.dtype(DTYPES[tensor.dtype])
            size = dtype.itemsize * int(np.prod(shape))
            values.append(np.frombuffer(ctypes.string_at(tensor.data, size), dtype).reshape(shape))
            self.buffers.append(aligned(max(64, size)))
            tensor.data, tensor.bytes = self.buffers[-1].ctypes.data, size
        return values
