# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values that stay where they are: OrtValue and IOBinding, as ONNX Runtime has them.

Memory is always the processor's. A tensor of a fixed element type is an array of
numpy, without a copy: one that another library lends by DLPack, too.
"""
import numpy as np

from . import values
from ._onnxc import Error, dtype_name


def _require_cpu(device_type, device_id=0):
    if str(device_type).lower() not in ("cpu", "") or device_id != 0:
        raise Error(f"device '{device_type}:{device_id}' is not there, expected 'cpu'")


def as_array(value):
    """An OrtValue, or what another library lends by DLPack, as numpy's array that shares
    its memory; everything else as it is."""
    if isinstance(value, OrtValue):
        return value.value
    if isinstance(value, np.ndarray) or not hasattr(value, "__dlpack__"):
        return value
    if hasattr(value, "__dlpack_device__") and value.__dlpack_device__()[0] != 1:
        raise Error(f"a {type(value).__name__} on another device than the processor")
    if hasattr(value, "detach"):  # torch refuses tensors that record gradients
        value = value.detach()
    try:
        return np.from_dlpack(value)
    except (BufferError, RuntimeError, TypeError) as error:
        # numpy has no bfloat16, and before 2.1 nothing read-only.
        raise Error(f"a {type(value).__name__} that numpy cannot take by DLPack: {error}") from None


class OrtValue:
    """A tensor, sequence, map or optional."""

    def __init__(self, value):
        self.value = as_array(value)

    @staticmethod
    def ortvalue_from_numpy(numpy_obj, /, device_type="cpu", device_id=0, vendor_id=-1):
        _require_cpu(device_type, device_id)
        return OrtValue(numpy_obj)

    @staticmethod
    def ortvalue_from_numpy_with_onnx_type(data, onnx_element_type):
        return OrtValue(np.ascontiguousarray(data).view(values.numpy_dtype(int(onnx_element_type))))

    @staticmethod
    def ortvalue_from_shape_and_type(shape, element_type=np.float32, device_type="cpu", device_id=0, vendor_id=-1):
        _require_cpu(device_type, device_id)
        dtype = values.numpy_dtype(element_type) if isinstance(element_type, int) else np.dtype(element_type)
        return OrtValue(np.empty(shape, dtype))

    @staticmethod
    def from_dlpack(data, /):
        return OrtValue(data)

    def __dlpack__(self, **options):
        return self.numpy().__dlpack__(**options)

    def __dlpack_device__(self):
        return self.numpy().__dlpack_device__()

    def numpy(self):
        if not self.is_tensor():
            raise Error(f"an OrtValue of {self.data_type()} is not a tensor")
        return self.value

    def update_inplace(self, data):
        target = self.numpy()
        data = np.asarray(as_array(data))
        if data.shape != target.shape or data.dtype != target.dtype:
            raise Error(f"expected {target.dtype} {list(target.shape)}, got {data.dtype} {list(data.shape)}")
        target[...] = data

    def is_tensor(self):
        return isinstance(self.value, np.ndarray)

    def is_tensor_sequence(self):
        return isinstance(self.value, list)

    def is_sparse_tensor(self):
        return False

    def has_value(self):
        return self.value is not None

    def shape(self):
        return list(self.numpy().shape)

    def element_type(self):
        """As TensorProto.DataType."""
        return values.data_type_of(self.numpy().dtype, "the value")

    def data_type(self):
        """As ONNX spells it: 'tensor(float)'."""
        if self.is_tensor():
            return f"tensor({dtype_name(self.element_type())})"
        return {list: "seq", dict: "map", type(None): "optional"}.get(type(self.value), type(self.value).__name__)

    def data_ptr(self):
        return self.numpy().ctypes.data

    def tensor_size_in_bytes(self):
        return self.numpy().nbytes

    def device_name(self):
        return "cpu"

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.numpy(), dtype=dtype)


class IOBinding:
    """Inputs, and where results go, for run_with_iobinding. A result that is bound to a
    value is written into its memory, of the very shape and type."""

    def __init__(self, session):
        self._session = session
        self._inputs, self._outputs, self._results = {}, {}, []

    def _check(self, name, args, what):
        if name not in (arg.name for arg in args):
            raise Error(f"the model has no {what} '{name}'; its {what}s are {[arg.name for arg in args]}")

    def bind_ortvalue_input(self, name, ortvalue):
        self._check(name, [*self._session.get_inputs(), *self._session.get_overridable_initializers()], "input")
        self._inputs[name] = ortvalue if isinstance(ortvalue, OrtValue) else OrtValue(ortvalue)

    def bind_cpu_input(self, name, arr_on_cpu):
        self.bind_ortvalue_input(name, OrtValue(arr_on_cpu))

    def bind_input(self, name, device_type, device_id, element_type, shape, buffer_ptr):
        _require_cpu(device_type, device_id)
        self.bind_ortvalue_input(name, OrtValue(_array_at(buffer_ptr, element_type, shape)))

    def bind_ortvalue_output(self, name, ortvalue):
        self._check(name, self._session.get_outputs(), "output")
        self._outputs[name] = ortvalue

    def bind_output(self, name, device_type="cpu", device_id=0, element_type=None, shape=None, buffer_ptr=None):
        _require_cpu(device_type, device_id)
        self._check(name, self._session.get_outputs(), "output")
        self._outputs[name] = OrtValue(_array_at(buffer_ptr, element_type, shape)) if buffer_ptr else None

    def synchronize_inputs(self):
        """Nothing to wait for: memory is the processor's."""

    synchronize_outputs = synchronize_inputs

    def clear_binding_inputs(self):
        self._inputs = {}

    def clear_binding_outputs(self):
        self._outputs, self._results = {}, []

    def get_outputs(self):
        """OrtValues in the order in which outputs were bound, of the last run."""
        return self._results

    get_outputs_as_ortvaluevector = get_outputs

    def copy_outputs_to_cpu(self):
        return [result.value for result in self._results]

    def _run(self, run_options):
        names = list(self._outputs)
        found = self._session.run(names, {name: value.value for name, value in self._inputs.items()}, run_options)
        self._results = []
        for name, value in zip(names, found):
            bound = self._outputs[name]
            if bound is None:
                bound = OrtValue(value)
            else:
                try:
                    bound.update_inplace(value)
                except Error as error:
                    raise Error(f"output '{name}': {error}") from None
            self._results.append(bound)


def _array_at(pointer, element_type, shape):
    """numpy's array on memory of the caller."""
    import ctypes

    dtype = values.numpy_dtype(element_type) if isinstance(element_type, int) else np.dtype(element_type)
    count = int(np.prod(shape, dtype=np.int64))
    memory = (ctypes.c_uint8 * (count * dtype.itemsize)).from_address(pointer)
    return np.frombuffer(memory, dtype=dtype).reshape(shape)
