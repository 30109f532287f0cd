# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled models of earlier sessions, by the content of model and options.

A folder may be shared by any number of processes: a file gets its name when it is
complete, and is never changed.
"""
from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import _onnxc
from .errors import Error

if TYPE_CHECKING:
    from hashlib import _Hash

# TensorProto.external_data: a StringStringEntryProto with the key "location". What
# looks so by chance, and names a file, only makes the key longer.
_LOCATION = re.compile(rb"\x0a\x08location\x12([\x01-\x7f])")
_PIECE = 1 << 24


def _hash_file(digest: _Hash, path: str) -> None:
    with open(path, "rb") as file:
        while piece := file.read(_PIECE):
            digest.update(piece)


def _external_files(path: str) -> list[str]:
    """The files beside a model that it may take weights from."""
    folder = os.path.dirname(os.path.abspath(path))
    names = set()
    with open(path, "rb") as file:
        rest = b""
        while piece := file.read(_PIECE):
            piece = rest + piece
            for match in _LOCATION.finditer(piece):
                name = piece[match.end():match.end() + match[1][0]]
                names.add(os.path.join(folder, os.fsdecode(name)) if b"\0" not in name else "")
            rest = piece[-256:]
    return sorted(name for name in names if name and os.path.isfile(name))


def key_of(path: str, options: dict[str, Any]) -> str:
    """What tells compiled models apart: the model, its weights, the options, the
    compiler, and for mcpu="native" the processor."""
    digest = hashlib.sha256()
    digest.update(json.dumps([_onnxc.__version__, _onnxc.__file__, os.stat(_onnxc.__file__).st_mtime_ns, options],
                             sort_keys=True, default=str).encode())
    if options.get("mcpu") == "native":
        with open("/proc/cpuinfo", "rb") as file:
            lines = file.read().splitlines()
        digest.update(b"\n".join(sorted({line for line in lines if line.startswith((b"flags", b"model name", b"Features", b"isa"))})))
    _hash_file(digest, path)
    if options.get("tuning") and os.path.isfile(options["tuning"]):
        _hash_file(digest, os.fspath(options["tuning"]))
    for name in _external_files(path):
        digest.update(os.path.basename(name).encode(errors="surrogateescape"))
        _hash_file(digest, name)
    return digest.hexdigest()


def _is_whole(library: str) -> bool:
    """Whether a file of the cache is as long as its name says: a disk that was full, or a
    copy that was broken off, leaves a part of it."""
    try:
        return os.stat(library).st_size == int(os.path.basename(library).removesuffix(".so").rpartition("-")[2], 16)
    except (OSError, ValueError):
        return False


def cached(folder: str | os.PathLike[str], path: str, options: dict[str, Any], compile: Callable[[str, str], object]) -> str:
    """The path of the library in `folder` that compile(path, output) makes. What is there under
    the name and not whole is made again. Raises onnxc.Error if the folder cannot be used."""
    folder = os.fspath(folder)
    if not os.path.isfile(path):
        # The compiler says what is wrong with it.
        compile(path, os.path.join(folder, "model.so"))
    key = key_of(path, options)
    try:
        os.makedirs(folder, exist_ok=True)
        for name in os.listdir(folder):
            if name.startswith(key) and _is_whole(os.path.join(folder, name)):
                return os.path.join(folder, name)
        with tempfile.TemporaryDirectory(prefix=".onnxc-", dir=folder) as own:
            output = os.path.join(own, "model.so")
            compile(path, output)
            library = os.path.join(folder, f"{key}-{os.stat(output).st_size:x}.so")
            os.replace(output, library)
            return library
    except OSError as error:
        raise Error(f"cache_dir '{folder}': {error.strerror or error}") from None
