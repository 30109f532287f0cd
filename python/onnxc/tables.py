# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Between tables, of a row per case, and the tensors of a model.

A column is an array of numpy whose first dimension is the rows, a pandas.Series,
or a column of pyarrow: of numbers, strings, or lists of one length. What is
stored as the model takes it is not copied: numbers without nulls, lists of them.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np

from . import values
from .errors import Error
from .runtime import NodeArg

Array: TypeAlias = np.ndarray[Any, Any]
# What Columns describes: the columns of inputs, and the outputs of columns.
Inputs: TypeAlias = str | Sequence[str] | Mapping[str, str | Sequence[str]] | None
Outputs: TypeAlias = str | Sequence[str] | Mapping[str, str] | None

_SPARK_TYPES = {"float": "float", "double": "double", "float16": "float", "int64": "bigint", "int32": "int", "int16": "smallint",
                "int8": "tinyint", "uint8": "smallint", "uint16": "int", "uint32": "bigint", "bool": "boolean", "string": "string"}


class Described(Protocol):
    """What has the inputs and outputs of a model."""

    def get_inputs(self) -> list[NodeArg]: ...

    def get_outputs(self) -> list[NodeArg]: ...


def element_type(arg: NodeArg) -> str:
    """'float' of an input or output, which must be a tensor."""
    if not arg.type.startswith("tensor("):
        raise Error(f"'{arg.name}' is a {arg.type}; columns of a table hold tensors only")
    return arg.type[len("tensor("):-1]


class Columns:
    """Which columns become which inputs, and which outputs become columns.

    inputs: None (each input has a column of its name), a list of the columns that make up the
    only input, or a dict from an input's name to a column or a list of columns. outputs: None
    (each becomes a column of its name), a list of names, or a dict from a column to an output.
    """

    def __init__(self, session: Any, inputs: Inputs = None, outputs: Outputs = None) -> None:
        self.session = session
        self.args = {arg.name: arg for arg in session.get_inputs()}
        if isinstance(inputs, str):
            inputs = [inputs]
        if inputs is not None and not isinstance(inputs, Mapping):
            if len(self.args) != 1:
                raise Error(f"inputs is a list of columns, but the model has the inputs {list(self.args)}; expected a dict by their names")
            inputs = {next(iter(self.args)): list(inputs)}
        self.inputs: dict[str, str | Sequence[str]] = {name: name for name in self.args} if inputs is None else dict(inputs)
        if set(self.inputs) != set(self.args):
            raise Error(f"inputs names {sorted(self.inputs)}; the model's inputs are {sorted(self.args)}")
        known = {arg.name: arg for arg in session.get_outputs()}
        if isinstance(outputs, str):
            outputs = [outputs]
        self.outputs = dict(outputs) if isinstance(outputs, Mapping) else {name: name for name in (outputs or known)}
        for name in self.outputs.values():
            if name not in known:
                raise Error(f"the model has no output '{name}'; its outputs are {list(known)}")
        self.results = {column: known[name] for column, name in self.outputs.items()}
        for arg in [*self.args.values(), *self.results.values()]:
            element_type(arg)

    def predict(self, column_of: Callable[[str], Any], rows: int) -> dict[str, Any]:
        """The columns that come out, as arrays of numpy; column_of(name) is one that goes in."""
        if rows == 0:
            return {column: np.empty(_result_shape(arg), values.numpy_dtype(values.number_of(element_type(arg))))
                    for column, arg in self.results.items()}
        feed = {name: _feed(self.args[name], columns, column_of, rows) for name, columns in self.inputs.items()}
        names = list(dict.fromkeys(self.outputs.values()))
        found = dict(zip(names, self.session.run(names, feed)))
        return {column: _check_rows(found[name], name, rows) for column, name in self.outputs.items()}

    def needed(self) -> list[str]:
        """The columns that go in."""
        return [name for names in self.inputs.values() for name in ([names] if isinstance(names, str) else names)]

    def spark_types(self) -> dict[str, str]:
        """The Spark SQL type of each column that comes out."""
        return {column: _spark_type(arg) for column, arg in self.results.items()}


def _is_scalar(arg: NodeArg) -> bool:
    """Whether each row has one number: a shape of [n] or [n, 1]."""
    return arg.shape is not None and (len(arg.shape) == 1 or len(arg.shape) == 2 and arg.shape[1] == 1)


def _result_shape(arg: NodeArg) -> tuple[int, ...]:
    if arg.shape is None or _is_scalar(arg):
        return (0,)
    return (0, *(size if isinstance(size, int) else 0 for size in arg.shape[1:]))


def _spark_type(arg: NodeArg) -> str:
    name = element_type(arg)
    if arg.shape is None or name not in _SPARK_TYPES:
        raise Error(f"output '{arg.name}' is a {arg.type} of shape {arg.shape}; Spark has no type for it")
    depth = 0 if _is_scalar(arg) else len(arg.shape) - 1
    return "array<" * depth + _SPARK_TYPES[name] + ">" * depth


def _check_rows(array: Any, name: str, rows: int) -> Array:
    if not isinstance(array, np.ndarray) or array.ndim == 0 or array.shape[0] != rows:
        raise Error(f"output '{name}' has the shape {list(np.shape(array))}, expected {rows} first, one for each row")
    return array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array


def _feed(arg: NodeArg, columns: str | Sequence[str], column_of: Callable[[str], Any], rows: int) -> Array:
    """The tensor of one input."""
    dtype = values.numpy_dtype(values.number_of(element_type(arg)))
    if isinstance(columns, str):
        array = _as_array(column_of(columns), dtype, columns)
        if array.ndim == 1 and arg.shape is not None and len(arg.shape) == 2:
            array = array.reshape(rows, 1)
    else:
        array = np.empty((rows, len(columns)), dtype)
        for place, column in enumerate(columns):
            array[:, place] = _as_array(column_of(column), dtype, column).reshape(rows)
    if arg.shape and isinstance(arg.shape[0], int) and arg.shape[0] >= 0 and arg.shape[0] != rows:
        raise Error(f"input '{arg.name}' has a fixed size of {arg.shape[0]} rows, and a batch of {rows} came; expected a model whose first "
                    "dimension is open")
    return array


def _as_array(column: Any, dtype: np.dtype[Any], name: str) -> Array:
    try:
        array = from_arrow(column) if hasattr(column, "type") and hasattr(column, "null_count") else np.asarray(column)
        if dtype == object:
            return array if array.dtype == object else array.astype(object)
        if array.dtype == object and array.size and not np.isscalar(array.flat[0]) and array.flat[0] is not None:
            array = np.stack([np.asarray(row) for row in array])
        if array.dtype.kind == "f" and dtype.kind in "biu" and not np.array_equal(array, np.trunc(array)):
            raise Error(f"column '{name}' has nulls or fractions, expected {dtype}")
        return np.ascontiguousarray(array, dtype)
    except (ValueError, TypeError) as error:
        raise Error(f"column '{name}': expected {dtype}: {error}") from None


def from_arrow(column: Any) -> Array:
    """A column of pyarrow as numpy's array: of its own memory where that is possible."""
    import pyarrow

    if isinstance(column, pyarrow.ChunkedArray):
        column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    kind = column.type
    if hasattr(column, "to_numpy_ndarray"):  # tensors of Arrow and of Ray
        tensors: Array = column.to_numpy_ndarray()
        return tensors
    if pyarrow.types.is_fixed_size_list(kind) or pyarrow.types.is_list(kind) or pyarrow.types.is_large_list(kind):
        if column.null_count:
            raise ValueError("a list is null")
        inner = from_arrow(column.flatten())
        length = inner.shape[0] // len(column) if len(column) else 0
        if pyarrow.types.is_fixed_size_list(kind):
            length = kind.list_size
        elif len(column) and not (np.diff(np.asarray(column.offsets)) == length).all():
            raise ValueError("the lists are not of one length")
        return inner.reshape(len(column), length, *inner.shape[1:])
    array: Array = column.to_numpy(zero_copy_only=False)
    return array


def to_arrow(array: Array) -> Any:
    """An array as a column of pyarrow: lists in lists for each dimension after the first, on the memory of
    the array."""
    import pyarrow

    if array.ndim == 1:
        if array.dtype == np.float16:
            array = array.astype(np.float32)  # Spark has no half precision
        return pyarrow.array(array)
    sizes = array.shape
    column = to_arrow(np.ascontiguousarray(array).reshape(-1))
    for axis in range(array.ndim - 1, 0, -1):
        count = int(np.prod(sizes[:axis], dtype=np.int64))
        if count * sizes[axis] > np.iinfo(np.int32).max:
            raise Error(f"a batch of {sizes} is too large for lists of Arrow; expected smaller batches")
        offsets = np.arange(count + 1, dtype=np.int32) * sizes[axis]
        column = pyarrow.ListArray.from_arrays(pyarrow.array(offsets), column)
    return column
