#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs node tests with every buffer at the edge of memory that must not be touched.

usage: run_guarded.py --build build/dev [FILTER] [--mode static|dynamic] [-O LEVEL]

Inputs, outputs and all memory that a context asks for (in dynamic mode that is a
buffer for each intermediate result; of fixed sizes it is one arena) end where a
page without any rights begins, up to their alignment, and the bytes of that hold a
pattern that must stay; with --below, they start where such a page ends. A read or
write outside kills the process of the case, which is reported with the names of
those that did. FILTER is a regular expression over names of cases.
"""

import argparse
import ctypes
import mmap
import os
import pathlib
import re
import signal
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
PAGE = mmap.PAGESIZE
PATTERN = 0xA5
ABI_VERSION, MAX_RANK = 2, 16

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]

ALLOCATE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)


class Options(ctypes.Structure):
    """onnxc_options"""
    _fields_ = [("user", ctypes.c_void_p), ("allocate", ALLOCATE), ("release", RELEASE), ("parallel_for", ctypes.c_void_p),
                ("message", ctypes.c_char_p), ("message_size", ctypes.c_size_t), ("threads", ctypes.c_int32)]


class Tensor(ctypes.Structure):
    """onnxc_tensor"""
    _fields_ = [("data", ctypes.c_void_p), ("bytes", ctypes.c_uint64), ("dtype", ctypes.c_int32), ("rank", ctypes.c_int32),
                ("dims", ctypes.c_int64 * MAX_RANK)]


class ValueInfo(ctypes.Structure):
    """onnxc_value_info"""
    _fields_ = [("name", ctypes.c_char_p), ("dtype", ctypes.c_int32), ("rank", ctypes.c_int32), ("dims", ctypes.c_void_p),
                ("symbols", ctypes.c_void_p), ("type", ctypes.c_char_p)]


class Model(ctypes.Structure):
    """onnxc_model, up to what is called here."""
    _fields_ = [("abi_version", ctypes.c_uint32), ("num_inputs", ctypes.c_int32), ("num_outputs", ctypes.c_int32),
                ("opset", ctypes.c_int32), ("name", ctypes.c_char_p), ("producer", ctypes.c_char_p),
                ("target_triple", ctypes.c_char_p), ("target_cpu", ctypes.c_char_p), ("inputs", ctypes.POINTER(ValueInfo)),
                ("outputs", ctypes.POINTER(ValueInfo)), ("workspace_bytes", ctypes.c_uint64), ("weight_bytes", ctypes.c_uint64),
                ("create", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)),
                ("destroy", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
                ("run", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32, ctypes.c_void_p,
                                         ctypes.c_int32)),
                ("error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p))]


class Guarded:
    """Memory beside pages without rights; nothing is given back before the end."""

    def __init__(self, below):
        self.below = below
        self.slack = []  # (address, bytes) of the pattern

    def take(self, size, alignment):
        alignment = max(alignment, 1)
        pages = -(-max(size, 1) // PAGE) + (alignment - 1) // PAGE
        base = libc.mmap(None, (pages + 2) * PAGE, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
        first, end = base + PAGE, base + (pages + 1) * PAGE
        for guard in (base, end):
            libc.mprotect(guard, PAGE, 0)  # no rights
        ctypes.memset(first, PATTERN, end - first)
        start = first if self.below else (end - size) // alignment * alignment
        self.slack.append((first, start - first))
        self.slack.append((start + size, end - start - size))
        return start

    def touched(self):
        return any(ctypes.string_at(address, size) != bytes([PATTERN]) * size for address, size in self.slack)


def run_guarded(path, prefix, inputs, below):
    """One run of a library; what was wrong, or None."""
    memory = Guarded(below)
    query = getattr(ctypes.CDLL(path), f"{prefix}_query")
    query.restype = ctypes.c_void_p
    query.argtypes = [ctypes.c_uint32]
    address = query(ABI_VERSION)
    model = Model.from_address(address)
    options = Options(threads=1, allocate=ALLOCATE(lambda _, size, alignment: memory.take(size, alignment)),
                      release=RELEASE(lambda *_: None))
    context = ctypes.c_void_p()
    if model.create(address, ctypes.byref(options), ctypes.byref(context)) != 0:
        return "no context"
    given = (Tensor * max(len(inputs), 1))()
    for tensor, info, array in zip(given, model.inputs[:model.num_inputs], inputs, strict=False):
        array = np.array(array, order="C")
        tensor.data = memory.take(array.nbytes, array.itemsize)
        ctypes.memmove(tensor.data, array.ctypes.data, array.nbytes)
        tensor.bytes, tensor.dtype, tensor.rank = array.nbytes, info.dtype, array.ndim
        tensor.dims[:array.ndim] = array.shape
    made = (Tensor * max(model.num_outputs, 1))()
    if model.run(context, given, model.num_inputs, made, model.num_outputs) != 0:
        return model.error(context).decode(errors="replace")
    return "wrote beside a buffer" if memory.touched() else None


def attempt(work):
    """The answer of work() in a child, or the signal that ended it."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        signal.alarm(60)
        os.write(writer, (work() or "").encode()[:4000])
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as answers:
        text = answers.read().decode(errors="replace")
    _, status = os.waitpid(child, 0)
    return f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("filter", nargs="?", default="")
    parser.add_argument("--build", required=True)
    parser.add_argument("--mode", default="dynamic", choices=("static", "dynamic"))
    parser.add_argument("-O", dest="level", type=int, default=2)
    parser.add_argument("--below", action="store_true", help="guard the bytes before a buffer instead of those behind it")
    arguments = parser.parse_args()
    sys.path.insert(0, str(pathlib.Path(arguments.build).resolve() / "python"))
    sys.path.insert(0, str(HERE))
    import cases  # pylint: disable=import-outside-toplevel
    import onnxc  # pylint: disable=import-outside-toplevel

    count = wrong = 0
    for name, case in cases.load_cases().items():
        if not re.search(arguments.filter, name):
            continue
        for model, inputs, _ in cases.in_mode(case, arguments.mode)[:1]:
            # Strings and sequences are pointers to what no guard is around.
            if any(not isinstance(value, np.ndarray | np.generic) or np.asarray(value).dtype == object for value in inputs):
                continue
            with tempfile.TemporaryDirectory() as folder:
                target = os.path.join(folder, "model.so")
                try:
                    onnxc.compile(model, output=target, opt_level=arguments.level)
                except onnxc.Error:
                    continue  # run_node_tests.py knows what is not supported
                trouble = attempt(lambda: run_guarded(target, "model", inputs, arguments.below))
            count += 1
            if trouble:
                wrong += 1
                print(f"{name}: {trouble}", flush=True)
    print(f"{count} cases, {wrong} wrong")
    return wrong > 0 or not count


if __name__ == "__main__":
    sys.exit(main())
