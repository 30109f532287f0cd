# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiled model on its way to the workers of a cluster: compiled once, named by
the hash of its content, one file per host.

Processes that load the same file share the memory of its weights, which are
pages of that file. So the workers of a host load one file, however many copies
the engine made: it is in ONNXC_ARTIFACT_DIR, by default a folder of the user in
the folder of temporary files, and stays there for the next job.
"""
from __future__ import annotations

import functools
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Callable
from typing import Any

from . import cache, compiler, runtime, session
from .errors import Error

_PIECE = 1 << 24


def compiled(model: Any, cache_dir: str | os.PathLike[str] | None = None, **options: Any) -> tuple[str, bytes]:
    """(the SHA-256, the bytes) of what onnxc.compile makes of `model`; a library that
    onnxc wrote, its path or bytes, is taken as it is."""
    if runtime.is_library(model):
        content = model if isinstance(model, (bytes, bytearray)) else _read(model)
    elif cache_dir := cache_dir or os.environ.get("ONNXC_CACHE_DIR"):
        with tempfile.TemporaryDirectory(prefix="onnxc-") as folder, compiler.model_file(model, folder) as source:
            content = _read(cache.cached(cache_dir, source, options, lambda source, output: compiler.compile(source, output, **options)))
    else:
        content = compiler.compile(model, **options)
    return hashlib.sha256(content).hexdigest(), bytes(content)


def _read(path: str | os.PathLike[str]) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def host_folder() -> str:
    """Where the compiled models of this host and user are. Raises onnxc.Error if another user could
    put code there."""
    folder = os.environ.get("ONNXC_ARTIFACT_DIR") or os.path.join(tempfile.gettempdir(), f"onnxc-{os.getuid()}")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        about = os.lstat(folder)
    except OSError as error:
        raise Error(f"the folder of compiled models '{folder}': {error.strerror}") from None
    if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.getuid() or about.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise Error(f"the folder of compiled models '{folder}': expected a folder that user {os.getuid()} owns and no other can write to; "
                    "ONNXC_ARTIFACT_DIR names another one")
    return folder


def _hash_of(path: str) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()


def _is_whole(path: str, digest: str) -> bool:
    try:
        return _hash_of(path) == digest
    except OSError:
        return False


def _put(content: Any, path: str) -> None:
    """Writes or links what is to become the file."""
    if isinstance(content, (str, os.PathLike)):
        try:
            os.link(content, path)
        except OSError:  # another file system, or another user's file
            shutil.copyfile(content, path)
    else:
        with open(path, "wb") as file:
            file.write(content)


def host_file(digest: str, fetch: Callable[[], Any]) -> str:
    """The path of the file of this host with the content of that SHA-256. If no process has made it, fetch()
    gives the content: bytes, or the path of a copy."""
    folder = host_folder()
    path = os.path.join(folder, f"{digest}.so")
    if _is_whole(path, digest):
        return path
    with tempfile.TemporaryDirectory(prefix=".onnxc-", dir=folder) as own:
        made = os.path.join(own, "model.so")
        _put(fetch(), made)
        if (found := _hash_of(made)) != digest:
            raise Error(f"the compiled model that arrived has the SHA-256 {found}, expected {digest}")
        try:
            os.link(made, path)  # of several processes the first: what it made is loaded already
        except FileExistsError:
            if not _is_whole(path, digest):
                os.replace(made, path)
    return path


@functools.lru_cache(maxsize=16)
def _session(digest: str, path: str, prefix: str, threads: int) -> session.InferenceSession:
    return session.InferenceSession(path, threads=threads, prefix=prefix)


def host_session(digest: str, fetch: Callable[[], Any], prefix: str = "", threads: int = 1) -> session.InferenceSession:
    """The session of this process for a model, by the file of this host."""
    return _session(digest, host_file(digest, fetch), prefix, threads)
