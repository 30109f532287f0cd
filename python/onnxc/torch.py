# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of torch, compiled.

    import torch, onnxc.torch
    fast = onnxc.torch.compile(module, (x,), dynamic_shapes=({0: "batch"},))
    fast(x)                                            # tensors, as the module's
    onnxc.torch.compile(module, (x,), output="model.so")

    fast = torch.compile(module, backend="onnxc")      # for inference, under torch.no_grad()

The conversion is torch's own (torch.onnx, with the package onnxscript).
"""
from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

import torch
from torch.utils import _pytree

from . import compiler, session
from .errors import Error, without_folder
from .torch_graphs import onnxc as backend
from .torch_values import EXTERNAL, as_numpy, as_tensor, bytes_of, reason_of

if TYPE_CHECKING:
    import onnx

__all__ = ["Session", "backend", "compile", "to_onnx"]


@contextlib.contextmanager
def _evaluating(module: torch.nn.Module) -> Iterator[None]:
    """Dropout and batch normalization as they are when a model is used."""
    modes = [(part, part.training) for part in module.modules()]
    module.eval()
    try:
        yield
    finally:
        for part, training in modes:
            part.training = training


def _export(module: torch.nn.Module, args: Any, kwargs: Mapping[str, Any] | None, dynamic_shapes: Any, input_names: Sequence[str] | None,
            output_names: Sequence[str] | None, opset: int | None) -> Any:
    if not isinstance(module, torch.nn.Module):
        raise Error(f"expected a torch.nn.Module, got {type(module).__name__}")
    args = (args,) if isinstance(args, torch.Tensor) else tuple(args)
    try:
        with _evaluating(module), torch.no_grad():
            return torch.onnx.export(module, args, kwargs=kwargs, dynamo=True, dynamic_shapes=dynamic_shapes, input_names=input_names,
                                     output_names=output_names, opset_version=opset, verbose=False)
    except ImportError as error:
        raise Error(f"torch's exporter needs the package {error.name}") from None
    except Exception as error:
        raise Error(f"torch cannot export the {type(module).__name__}: {reason_of(error)}") from error


def to_onnx(module: torch.nn.Module, args: Any, *, kwargs: Mapping[str, Any] | None = None, dynamic_shapes: Any = None,
            input_names: Sequence[str] | None = None, output_names: Sequence[str] | None = None, opset: int | None = None) -> onnx.ModelProto:
    """The module as an onnx.ModelProto. See compile."""
    made: onnx.ModelProto = _export(module, args, kwargs, dynamic_shapes, input_names, output_names, opset).model_proto
    return made


@overload
def compile(module: torch.nn.Module, args: Any, output: None = None, *, kwargs: Mapping[str, Any] | None = None, dynamic_shapes: Any = None,
            input_names: Sequence[str] | None = None, output_names: Sequence[str] | None = None, opset: int | None = None,
            threads: int | None = None, cache_dir: str | os.PathLike[str] | None = None, **options: Any) -> Session: ...
@overload
def compile(module: torch.nn.Module, args: Any, output: compiler.Path, *, kwargs: Mapping[str, Any] | None = None, dynamic_shapes: Any = None,
            input_names: Sequence[str] | None = None, output_names: Sequence[str] | None = None, opset: int | None = None,
            threads: int | None = None, cache_dir: str | os.PathLike[str] | None = None, **options: Any) -> compiler.Path: ...


def compile(module: torch.nn.Module, args: Any, output: Any = None, *, kwargs: Mapping[str, Any] | None = None, dynamic_shapes: Any = None,
            input_names: Sequence[str] | None = None, output_names: Sequence[str] | None = None, opset: int | None = None,
            threads: int | None = None, cache_dir: str | os.PathLike[str] | None = None, **options: Any) -> Any:
    """Compiles a module for inference, by torch's exporter.

    Returns a Session, or with `output` (a path as onnxc.compile takes it) writes there and returns the path.
    `args` and `kwargs` are tensors as the module takes them. A size that they have is fixed, unless dynamic_shapes
    has a name for it: ({0: "batch"}, None) for two arguments, or a dict by their names; sizes of one name are
    the same. Such a size should be 2 or more in `args`, as torch takes 1 for a constant. `opset` is torch's by default.
    The module is exported in evaluation mode, and left in the mode that it has.
    `options`, threads and cache_dir are InferenceSession's.
    Raises onnxc.Error for what cannot be exported or compiled.
    """
    program = _export(module, args, kwargs, dynamic_shapes, input_names, output_names, opset)
    with tempfile.TemporaryDirectory(prefix="onnxc-") as folder:
        path = os.path.join(folder, "model.onnx")
        is_large = bytes_of(module) >= EXTERNAL
        program.save(path, external_data=is_large)
        try:
            if output is not None:
                return compiler.compile(path, output, **options)
            model: str | bytes = path
            if not is_large:
                with open(path, "rb") as file:
                    model = file.read()
            return Session(model, program.exported_program.call_spec.out_spec, threads=threads, cache_dir=cache_dir, **options)
        except Error as error:
            raise without_folder(error, folder) from None


def _restore(model: Any, out_spec: str | None, options: dict[str, Any]) -> Session:
    """What unpickles a session."""
    return Session(model, None if out_spec is None else _pytree.treespec_loads(out_spec), **options)


class Session(session.InferenceSession):
    """An InferenceSession that can be called as the module it was made of: with tensors, and the
    results are tensors, in the same tuples, lists and dicts."""

    def __init__(self, model: Any, out_spec: Any = None, *, threads: int | None = None, cache_dir: str | os.PathLike[str] | None = None,
                 **options: Any) -> None:
        super().__init__(model, threads=threads, cache_dir=cache_dir, **options)
        self._out_spec = out_spec

    def __reduce__(self) -> tuple[Any, ...]:
        model, options = self._made_of
        if isinstance(model, str) and not os.path.exists(model):
            raise Error(f"a module with more than {EXTERNAL >> 30} GiB of weights is not pickled; write it with output=, and load that file")
        spec = None if self._out_spec is None else _pytree.treespec_dumps(self._out_spec)
        return _restore, (model, spec, {"sess_options": self._options, **options})

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        tensors = [leaf for leaf in _pytree.tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)]
        names = [arg.name for arg in self.get_inputs()]
        if len(tensors) != len(names):
            raise Error(f"expected {len(names)} tensors, for {names}; got {len(tensors)}")
        found = self.run(None, {name: as_numpy(tensor) for name, tensor in zip(names, tensors)})
        tensors = [as_tensor(value, arg.type) for value, arg in zip(found, self.get_outputs())]
        if self._out_spec is not None and self._out_spec.num_leaves == len(tensors):
            return _pytree.tree_unflatten(tensors, self._out_spec)
        return tuple(tensors)
