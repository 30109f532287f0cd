# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running a model, in the form that ONNX Runtime made familiar: compiled ones, and models themselves."""
from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _runtime, runtime
from .errors import Error, reworded, without_folder
from .runtime import NodeArg, is_library

if TYPE_CHECKING:
    from .session_options import SessionOptions

__all__ = ["InferenceSession", "NodeArg"]


def _write_optimized(model: Any, path: str, options: dict[str, Any]) -> None:
    """SessionOptions.optimized_model_filepath."""
    from . import compiler

    if not path.endswith(".onnx"):
        raise Error(f"optimized_model_filepath: '{path}' does not end in .onnx")
    known = ("shapes", "dims", "freeze", "max_nodes", "max_depth", "max_tensor_bytes", "fold_budget")
    compiler.compile(model, path, **{name: value for name, value in options.items() if name in known})


class InferenceSession(runtime.InferenceSession):
    """A model ready to run; from any number of threads at once.

    `path_or_bytes` is a shared object that onnxc wrote, or a model, which is compiled
    first: a path, the bytes, or a ModelProto. The other parameters that have a
    position are ONNX Runtime's: see SessionOptions; of the providers there is
    the processor's. By name: `threads` work on a run, 0 for one per core that the
    process may use; `cache_dir` (default: the environment's ONNXC_CACHE_DIR) is a folder that keeps what is compiled,
    for later sessions and other processes; `options` are onnxc.compile's; of a
    file with several models, `prefix` chooses one.
    A session can be pickled: by its path, or by the bytes that it was made of.
    Raises onnxc.Error for what cannot be compiled or loaded.
    """

    def __init__(self, path_or_bytes: Any, sess_options: SessionOptions | None = None, providers: Sequence[Any] | None = None,
                 provider_options: Sequence[dict[str, Any]] | None = None, *, threads: int | None = None,
                 cache_dir: str | os.PathLike[str] | None = None, **options: Any) -> None:
        cache_dir = cache_dir or os.environ.get("ONNXC_CACHE_DIR")
        super().__init__(path_or_bytes, sess_options, providers, provider_options, threads=threads, cache_dir=cache_dir, **options)

    def _load(self, model: Any, threads: int, options: dict[str, Any]) -> _runtime.Session:
        cache_dir = options.pop("cache_dir")
        options = {**self._options.compile_options(), **options}
        prefix = options.get("prefix", "")
        if is_library(model):
            return super()._load(model, threads, {"prefix": prefix})
        # The compiler is loaded where it has work.
        from . import cache, compiler

        if self._options.optimized_model_filepath:
            _write_optimized(model, self._options.optimized_model_filepath, options)
        # What is compiled here runs here, at the level that is asked for.
        options = {"mcpu": os.environ.get("ONNXC_CPU_LEVEL") or "native", **options}
        with tempfile.TemporaryDirectory(prefix="onnxc-") as folder:
            path = os.path.join(folder, "model.so")
            if cache_dir:
                # Where the compiler works makes no difference to what it makes.
                key = {name: value for name, value in options.items() if name != "in_process"}
                with compiler.model_file(model, folder) as source:
                    path = cache.cached(cache_dir, source, key, lambda source, output: compiler.compile(source, output, **options))
            else:
                compiler.compile(model, path, **options)
            try:
                return _runtime.Session(path, prefix, threads)
            except Error as error:
                if cache_dir:
                    raise reworded(error, f"{error} (a file of cache_dir; delete it to have it made again)") from None
                raise without_folder(error, folder) from None
