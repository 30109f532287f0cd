# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values that stay where they are: OrtValue and IOBinding, as ONNX Runtime has them.

Memory is always the processor's. A tensor of a fixed element type is an array of
numpy, without a copy: one that another library lends by DLPack, too.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import values
from ._runtime import dtype_name
from .errors import Error

if TYPE_CHECKING:
    import numpy.typing as npt

    from .runtime import InferenceSession, NodeArg
    from .session_options import RunOptions

    ElementType = int | npt.DTypeLike


def _require_cpu(device_type: Any, device_id: int = 0) -> None:
    if str(device_type).lower() not in ("cpu", "") or device_id != 0:
        raise Error(f"device '{device_type}:{device_id}' is not there, expected 'cpu'")


def as_array(value: Any) -> Any:
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

    def __init__(self, value: Any) -> None:
        self.value = as_array(value)

    @staticmethod
    def ortvalue_from_numpy(numpy_obj: npt.ArrayLike, /, device_type: Any = "cpu", device_id: int = 0, vendor_id: int = -1) -> OrtValue:
        _require_cpu(device_type, device_id)
        return OrtValue(numpy_obj)

    @staticmethod
    def ortvalue_from_numpy_with_onnx_type(data: np.ndarray[Any, Any], onnx_element_type: int) -> OrtValue:
        return OrtValue(np.ascontiguousarray(data).view(values.numpy_dtype(int(onnx_element_type))))

    @staticmethod
    def ortvalue_from_shape_and_type(shape: Sequence[int], element_type: ElementType = np.float32, device_type: Any = "cpu",
                                     device_id: int = 0, vendor_id: int = -1) -> OrtValue:
        _require_cpu(device_type, device_id)
        return OrtValue(np.empty(shape, _dtype(element_type)))

    @staticmethod
    def from_dlpack(data: Any, /) -> OrtValue:
        return OrtValue(data)

    def __dlpack__(self, **options: Any) -> Any:
        return self.numpy().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.numpy().__dlpack_device__()

    def numpy(self) -> np.ndarray[Any, Any]:
        if not self.is_tensor():
            raise Error(f"an OrtValue of {self.data_type()} is not a tensor")
        array: np.ndarray[Any, Any] = self.value
        return array

    def update_inplace(self, data: Any) -> None:
        target = self.numpy()
        if not target.flags.writeable:
            raise Error("the value is read-only, expected an array that can be written")
        data = np.asarray(as_array(data))
        if data.shape != target.shape or data.dtype != target.dtype:
            raise Error(f"expected {target.dtype} {list(target.shape)}, got {data.dtype} {list(data.shape)}")
        target[...] = data

    def is_tensor(self) -> bool:
        return isinstance(self.value, np.ndarray)

    def is_tensor_sequence(self) -> bool:
        return isinstance(self.value, list)

    def is_sparse_tensor(self) -> bool:
        return False

    def has_value(self) -> bool:
        return self.value is not None

    def shape(self) -> list[int]:
        return list(self.numpy().shape)

    def element_type(self) -> int:
        """As TensorProto.DataType."""
        return values.data_type_of(self.numpy().dtype, "the value")

    def data_type(self) -> str:
        """As ONNX spells it: 'tensor(float)'."""
        if self.is_tensor():
            return f"tensor({dtype_name(self.element_type())})"
        return {list: "seq", dict: "map", type(None): "optional"}.get(type(self.value), type(self.value).__name__)

    def data_ptr(self) -> int:
        return self.numpy().ctypes.data

    def tensor_size_in_bytes(self) -> int:
        return self.numpy().nbytes

    def device_name(self) -> str:
        return "cpu"

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.asarray(self.numpy(), dtype=dtype)


class IOBinding:
    """Inputs, and where results go, for run_with_iobinding. A result that is bound to a
    value is written into its memory, of the very shape and type."""

    def __init__(self, session: InferenceSession) -> None:
        self._session = session
        self._inputs: dict[str, OrtValue] = {}
        self._outputs: dict[str, OrtValue | None] = {}
        self._results: list[OrtValue] = []

    def _check(self, name: str, args: list[NodeArg], what: str) -> None:
        if name not in (arg.name for arg in args):
            raise Error(f"the model has no {what} '{name}'; its {what}s are {[arg.name for arg in args]}")

    def bind_ortvalue_input(self, name: str, ortvalue: Any) -> None:
        self._check(name, [*self._session.get_inputs(), *self._session.get_overridable_initializers()], "input")
        self._inputs[name] = ortvalue if isinstance(ortvalue, OrtValue) else OrtValue(ortvalue)

    def bind_cpu_input(self, name: str, arr_on_cpu: Any) -> None:
        self.bind_ortvalue_input(name, OrtValue(arr_on_cpu))

    def bind_input(self, name: str, device_type: Any, device_id: int, element_type: ElementType, shape: Sequence[int],
                   buffer_ptr: int) -> None:
        _require_cpu(device_type, device_id)
        self.bind_ortvalue_input(name, OrtValue(_array_at(buffer_ptr, element_type, shape, f"input '{name}'")))

    def bind_ortvalue_output(self, name: str, ortvalue: OrtValue) -> None:
        self._check(name, self._session.get_outputs(), "output")
        if not isinstance(ortvalue, OrtValue):
            raise Error(f"output '{name}': is {type(ortvalue).__name__}, expected an OrtValue")
        if ortvalue.is_tensor() and not ortvalue.numpy().flags.writeable:
            raise Error(f"output '{name}': the value is read-only, expected an array that can be written")
        self._outputs[name] = ortvalue

    def bind_output(self, name: str, device_type: Any = "cpu", device_id: int = 0, element_type: ElementType | None = None,
                    shape: Sequence[int] | None = None, buffer_ptr: int | None = None) -> None:
        """Without `buffer_ptr`, the result is a new array."""
        _require_cpu(device_type, device_id)
        self._check(name, self._session.get_outputs(), "output")
        self._outputs[name] = None if buffer_ptr is None else OrtValue(_array_at(buffer_ptr, element_type, shape, f"output '{name}'"))

    def synchronize_inputs(self) -> None:
        """Nothing to wait for: memory is the processor's."""

    synchronize_outputs = synchronize_inputs

    def clear_binding_inputs(self) -> None:
        self._inputs = {}

    def clear_binding_outputs(self) -> None:
        self._outputs, self._results = {}, []

    def get_outputs(self) -> list[OrtValue]:
        """OrtValues in the order in which outputs were bound, of the last run."""
        return self._results

    get_outputs_as_ortvaluevector = get_outputs

    def copy_outputs_to_cpu(self) -> list[Any]:
        return [result.value for result in self._results]

    def _run(self, run_options: RunOptions | None) -> None:
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


def _dtype(element_type: ElementType) -> np.dtype[Any]:
    """numpy's, of a TensorProto.DataType or of what numpy itself takes."""
    return values.numpy_dtype(element_type) if isinstance(element_type, int) else np.dtype(element_type)


def _array_at(pointer: int, element_type: ElementType | None, shape: Sequence[int] | None, what: str) -> np.ndarray[Any, Any]:
    """numpy's array on memory of the caller."""
    import ctypes

    if element_type is None or shape is None:
        raise Error(f"{what}: has a buffer_ptr, expected its element_type and shape, too")
    dtype = _dtype(element_type)
    count = int(np.prod(shape, dtype=np.int64))
    if not count:
        return np.empty(shape, dtype)
    if not pointer:
        raise Error(f"{what}: buffer_ptr is a null pointer, expected the address of {count * dtype.itemsize} bytes")
    memory = memoryview((ctypes.c_uint8 * (count * dtype.itemsize)).from_address(pointer))
    array: np.ndarray[Any, Any] = np.frombuffer(memory, dtype=dtype).reshape(shape)
    return array
