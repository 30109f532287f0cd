# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a model in whatever form to a file, or to bytes."""
from __future__ import annotations

import contextlib
import os
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, overload

from . import _onnxc
from .errors import Error, without_folder

if TYPE_CHECKING:
    import onnx

    Model = str | os.PathLike[str] | bytes | bytearray | memoryview | onnx.ModelProto
    Sizes = Mapping[str, Sequence[int | str | None]]
    Dims = Mapping[str, int | Sequence[int]]
    Path = TypeVar("Path", str, os.PathLike[str])


@contextlib.contextmanager
def model_file(model: Model, folder: str) -> Iterator[str]:
    """The path of the model: a path is itself; bytes or a ModelProto are put
    into `folder`."""
    if isinstance(model, (str, os.PathLike)):
        yield os.fspath(model)
        return
    if isinstance(model, (bytes, bytearray, memoryview)):
        content = model
    elif hasattr(model, "SerializeToString"):
        content = model.SerializeToString()
    else:
        raise Error(f"the model is a {type(model).__name__}, expected a path, bytes or a ModelProto")
    path = os.path.join(folder, "model.onnx")
    with open(path, "wb") as file:
        file.write(content)
    try:
        yield path
    except Error as error:
        raise without_folder(error, folder) from None
    finally:
        os.unlink(path)


def shape_texts(shapes: Sizes | None) -> list[str]:
    """{"x": [1, 3, "h", None]} as --shape spells it."""
    return [f"{name}:" + "x".join(str(d) if isinstance(d, int) and d >= 0 else "?" for d in sizes)
            for name, sizes in (shapes or {}).items()]


def dim_texts(dims: Dims | None) -> list[str]:
    """{"batch": 1, "seq": (1, 512)} as --dim spells it."""
    return [f"{name}=" + ("..".join(map(str, size)) if isinstance(size, (tuple, list)) else str(size))
            for name, size in (dims or {}).items()]


def state_texts(state: str | Iterable[str]) -> list[str]:
    """ "auto", "present=past,hn=h" or a list of pairs as --state takes them."""
    return [pair for text in ([state] if isinstance(state, str) else state) for pair in str(text).split(",") if pair]


def pulse_texts(pulses: Mapping[str, int] | None) -> list[str]:
    """{"time": 160} as --pulse takes it."""
    return [f"{name}={size}" for name, size in (pulses or {}).items()]


def freeze_options(freeze: bool | Iterable[str]) -> dict[str, Any]:
    """True or a list of names as the C++ side takes it."""
    if isinstance(freeze, str):
        raise Error(f"freeze={freeze!r}: expected True, False or a list of names")
    return {"freeze": freeze is True, "frozen": [] if isinstance(freeze, bool) else [str(name) for name in freeze]}


@overload
def compile(model: Model, output: None = None, *, opt_level: int = 2, mcpu: str = "", mattr: str = "", mtriple: str = "", prefix: str = "",
            standalone_header: bool = False, fast_math: bool = False, no_winograd: bool = False, activation_int8: str = "model",
            tuning: str = "", sanitize: str = "",
            shapes: Sizes | None = None, dims: Dims | None = None, freeze: bool | Iterable[str] = False,
            last_logits: str = "", state: str | Iterable[str] = (), state_capacity: int | None = None,
            pulses: Mapping[str, int] | None = None, max_nodes: int | None = None, max_depth: int | None = None,
            max_tensor_bytes: int | None = None, fold_budget: int | None = None, in_process: bool = False) -> bytes: ...
@overload
def compile(model: Model, output: Path, *, opt_level: int = 2, mcpu: str = "", mattr: str = "", mtriple: str = "", prefix: str = "",
            standalone_header: bool = False, fast_math: bool = False, no_winograd: bool = False, activation_int8: str = "model",
            tuning: str = "", sanitize: str = "",
            shapes: Sizes | None = None, dims: Dims | None = None, freeze: bool | Iterable[str] = False,
            last_logits: str = "", state: str | Iterable[str] = (), state_capacity: int | None = None,
            pulses: Mapping[str, int] | None = None, max_nodes: int | None = None, max_depth: int | None = None,
            max_tensor_bytes: int | None = None, fold_budget: int | None = None, in_process: bool = False) -> Path: ...


def compile(model: Model, output: Path | None = None, *, opt_level: int = 2, mcpu: str = "", mattr: str = "", mtriple: str = "",
            prefix: str = "", standalone_header: bool = False, fast_math: bool = False, no_winograd: bool = False,
            activation_int8: str = "model", tuning: str = "", sanitize: str = "", shapes: Sizes | None = None, dims: Dims | None = None,
            freeze: bool | Iterable[str] = False, last_logits: str = "", state: str | Iterable[str] = (),
            state_capacity: int | None = None, pulses: Mapping[str, int] | None = None, max_nodes: int | None = None, max_depth: int | None = None,
            max_tensor_bytes: int | None = None, fold_budget: int | None = None, in_process: bool = False) -> Path | bytes:
    """Compiles `model`: a path, the bytes of a .onnx file, or a ModelProto.

    `output` is a path whose suffix says what is written (.so, .a, .lib, .o, .obj, .s, .ll,
    .mlir, .h; none: a program that reads and writes .npy files); it is returned. Without
    it, the bytes of a shared object are.
    The options are the onnxc command's: opt_level 0 is plain loops, 1 fused and
    vectorized, 2 packed, blocked and on many threads, 3 with more work by LLVM;
    mcpu, mattr and mtriple choose the machine, by default those of most machines
    ("portable": code for several levels of processors); prefix is the first part of the
    exported names; standalone_header=True has onnxc/runtime.h in the C header beside the
    output; fast_math computes as if arithmetic were exact;
    no_winograd sums up 3x3 convolutions as they are defined;
    activation_int8 says of which products with weights of few bits the rows become 8-bit integers:
    "model" (where it says so), "never" or "always";
    tuning is a file that `onnxc tune` wrote, of schedules that it measured;
    sanitize="address" checks every access of the generated code, in a process that
    has AddressSanitizer's runtime. What the model
    leaves open, shapes={"x": [1, 3, None]} and dims={"batch": 1} state; a pair,
    dims={"seq": (1, 512)}, adds faster code for likely sizes.
    Initializers that are inputs, too (from IR version 4 on), can be overridden when
    the model runs; with freeze=True they are constants, with a list of names those are.
    last_logits="logits" computes this output for the last position of a sequence alone.
    With state="present.*=past.*" (or a list of such pairs, or "auto", which knows the names that exporters write) these outputs
    are kept and are these inputs of the next run: see InferenceSession.state. They become at most state_capacity long,
    if that is given.
    With pulses={"time": 160} (or {"audio:1": 160} for an axis without a name) a model over a sequence is a step over parts of it.
    A model with more nodes than max_nodes, deeper subgraphs or calls than
    max_depth, or a tensor of more than max_tensor_bytes is refused; constants
    that are computed here take at most fold_budget bytes.
    The compiler works in a process of its own: Ctrl-C, and any other signal whose
    handler raises, ends it at once, and it leaves no file. With in_process=True it works
    in this one, which takes some 20 ms less and cannot fork: for many small models.
    Signals then wait for its end, one model is compiled at a time, and what takes too much
    memory ends the program.
    Raises onnxc.Error with the diagnostics.
    """
    with tempfile.TemporaryDirectory(prefix="onnxc-") as folder, model_file(model, folder) as source:
        path: str = os.path.join(folder, "model.so") if output is None else os.fspath(output)
        warning = _onnxc.compile(source, path, opt_level=opt_level, mcpu=mcpu, mattr=mattr,
                                 mtriple=mtriple, prefix=prefix, standalone_header=standalone_header,
                                 fast_math=fast_math, no_winograd=no_winograd, activation_int8=activation_int8, tuning=os.fspath(tuning), sanitize=sanitize,
                                 shapes=shape_texts(shapes), dims=dim_texts(dims), **freeze_options(freeze),
                                 last_logits=last_logits, states=state_texts(state),
                                 pulses=pulse_texts(pulses), state_capacity=state_capacity,
                                 limits=_onnxc.Limits(max_nodes, max_depth, max_tensor_bytes, fold_budget), in_process=in_process,
                                 scratch=folder)
        if warning:
            warnings.warn(warning.replace(folder + os.sep, ""), stacklevel=2)
        if output is not None:
            return output
        with open(path, "rb") as file:
            return file.read()
