#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs node tests with every allocation of a context failing in turn.

usage: run_allocation_failures.py --build build/dev [FILTER] [--count 120] [--seed 20261122]

A model is compiled and run once; then for each allocation that creating the context
and the run asked for, the same again with that one refused. The failing call must
return ONNXC_OUT_OF_MEMORY, or go on without the memory and be right (threads that
cannot be had, say); the next run of the same context must give the same outputs bit
by bit; and once the context is gone, all that was taken has been given back. Strings
and sequences are among the inputs. The sample of cases is another one every day: its
seed is the date unless --seed says so, and is printed. FILTER is a regular expression
over names of cases.
"""

import argparse
import ctypes
import datetime
import os
import pathlib
import random
import re
import sys
import tempfile
import xml.etree.ElementTree as xml

import numpy as np

from run_guarded import ABI_VERSION, ALLOCATE, RELEASE, Model, Options, Tensor, attempt

HERE = pathlib.Path(__file__).resolve().parent
OK, OUT_OF_MEMORY = 0, 4
STRING, SEQUENCE, OPTIONAL = 8, 100, 102
SIZES = {1: 4, 2: 1, 3: 1, 4: 2, 5: 2, 6: 4, 7: 8, 9: 1, 10: 2, 11: 8, 12: 4, 13: 8, 14: 8, 15: 16, 16: 2}
# Random numbers differ from run to run.
RANDOM = re.compile("bernoulli|random|multinomial|dropout", re.IGNORECASE)

libc = ctypes.CDLL(None)
libc.aligned_alloc.restype = ctypes.c_void_p
libc.aligned_alloc.argtypes = [ctypes.c_size_t, ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]


class Heap:
    """An allocator that counts, and refuses the allocation of one number."""

    def __init__(self, refused=None):
        self.refused, self.count, self.live = refused, 0, {}
        self.options = Options(threads=2, allocate=ALLOCATE(self.allocate), release=RELEASE(self.release))

    def allocate(self, _, size, alignment):
        self.count += 1
        if self.count - 1 == self.refused:
            return None
        address = libc.aligned_alloc(alignment, size)
        self.live[address] = size
        return address

    def release(self, _, address, size):
        if self.live.pop(address, None) != size:
            self.live["a block was given back with another size, or twice"] = 0
        libc.free(address)


def fill(tensor, value, kind, kept):
    """Makes `tensor` the input `value`; `kept` holds what it points to."""
    if isinstance(value, list):
        parts = (Tensor * max(len(value), 1))()
        for part, item in zip(parts, value, strict=False):
            fill(part, item, None, kept)
        kept.append(parts)
        tensor.data, tensor.bytes = ctypes.addressof(parts), ctypes.sizeof(Tensor) * len(value)
        tensor.dtype, tensor.rank, tensor.dims[0] = kind or SEQUENCE, 1, len(value)
        return
    array = np.array(value, order="C")
    if array.dtype == object or array.dtype.kind in "US":
        texts = (ctypes.c_char_p * max(array.size, 1))(*[str(text).encode() for text in array.flat])
        kept.append(texts)
        tensor.data, tensor.bytes, tensor.dtype = ctypes.addressof(texts), 8 * array.size, STRING
    else:
        import onnx  # pylint: disable=import-outside-toplevel
        kept.append(array)
        tensor.data, tensor.bytes = array.ctypes.data, array.nbytes
        tensor.dtype = kind or onnx.helper.np_dtype_to_tensor_dtype(array.dtype)
    tensor.rank = array.ndim
    tensor.dims[:array.ndim] = array.shape


def read(tensor):
    """What an output holds, to be compared."""
    dims = tuple(tensor.dims[:max(tensor.rank, 0)])
    if tensor.dtype >= SEQUENCE:
        parts = ctypes.cast(tensor.data, ctypes.POINTER(Tensor)) if tensor.data else []
        return tensor.dtype, [read(parts[i]) for i in range(dims[0] if dims else 0)]
    count = int(np.prod(dims))
    if tensor.dtype == STRING:
        texts = ctypes.cast(tensor.data, ctypes.POINTER(ctypes.c_char_p))
        return dims, [texts[i] for i in range(count)]
    size = SIZES.get(tensor.dtype, 1) * count
    return dims, ctypes.string_at(tensor.data, size) if size else b""


class Library:
    """A compiled model and its inputs."""

    def __init__(self, path, inputs):
        query = ctypes.CDLL(path).model_query
        query.restype, query.argtypes = ctypes.c_void_p, [ctypes.c_uint32]
        self.address = query(ABI_VERSION)
        self.model = Model.from_address(self.address)
        self.given, self.kept = (Tensor * max(len(inputs), 1))(), []
        for tensor, info, value in zip(self.given, self.model.inputs[:self.model.num_inputs], inputs, strict=False):
            # An optional is a sequence of at most one.
            if info.dtype == OPTIONAL:
                value = [] if value is None else [value]
            fill(tensor, value, info.dtype, self.kept)

    def run(self, context):
        made = (Tensor * max(self.model.num_outputs, 1))()
        status = self.model.run(context, self.given, self.model.num_inputs, made, self.model.num_outputs)
        return status, [read(tensor) for tensor in made[:self.model.num_outputs]] if status == OK else None

    def call(self, heap, expected):
        """Creates, runs three times, destroys: what was wrong, or None, and the outputs."""
        context = ctypes.c_void_p()
        status = self.model.create(self.address, ctypes.byref(heap.options), ctypes.byref(context))
        if status != OK:
            if status != OUT_OF_MEMORY or heap.refused is None:
                return f"create returns {status}", None
            return ("create fails and leaves a context" if context.value else
                    f"create fails and keeps {heap.live}" if heap.live else None), None
        for _ in range(3):
            # The results of a run have memory of their own in the next one, too.
            before = heap.count
            status, outputs = self.run(context)
            refuses = heap.refused is not None and before <= heap.refused < heap.count
            message = self.model.error(context).decode(errors="replace")
            if status != OK and not (refuses and status == OUT_OF_MEMORY):
                return f"{'run' if refuses else 'the run after a failure'} returns {status}: {message}", None
            if status != OK and not message:
                return "run is out of memory and does not say so", None
            if status == OK:
                expected = expected or outputs
                if outputs != expected:
                    return "the outputs differ", None
        self.model.destroy(context)
        return (f"{len(heap.live)} blocks are never given back" if heap.live else None), expected

    def check(self):
        heap = Heap()
        trouble, expected = self.call(heap, None)
        if trouble:
            return f"with all memory: {trouble}"
        for refused in range(heap.count):
            trouble, _ = self.call(Heap(refused), expected)
            if trouble:
                return f"allocation {refused + 1} of {heap.count} refused: {trouble}"
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("filter", nargs="?", default="")
    parser.add_argument("--build", required=True, help="the build directory")
    parser.add_argument("--count", type=int, default=120, help="how many cases; 0 for all")
    parser.add_argument("--seed", type=int, default=int(datetime.date.today().strftime("%Y%m%d")))
    parser.add_argument("--junit")
    options = parser.parse_args()
    sys.path[:0] = [str(pathlib.Path(options.build).resolve() / "python"), str(HERE)]
    import cases  # pylint: disable=import-outside-toplevel
    import onnxc  # pylint: disable=import-outside-toplevel

    pairs = [(mode, name, case) for name, case in sorted(cases.load_cases().items())
             if re.search(options.filter, name) and case.kind != "light" and not RANDOM.search(name)
             for mode in ("static", "dynamic") if cases.in_mode(case, mode)]
    random.Random(options.seed).shuffle(pairs)
    pairs = pairs[:options.count or None]
    suite, passed, failed, skipped = xml.Element("testsuite", name="allocation-failures"), 0, 0, 0
    for mode, name, case in pairs:
        model, inputs, _ = cases.in_mode(case, mode)[0]
        test = xml.SubElement(suite, "testcase", classname=f"allocation-failures.{mode}", name=name)
        with tempfile.TemporaryDirectory() as folder:
            target = os.path.join(folder, "model.so")
            try:
                onnxc.compile(model, output=target)
            except onnxc.Error as error:  # run_node_tests.py knows what is not supported
                skipped += 1
                xml.SubElement(test, "skipped").text = str(error)[:200]
                continue
            trouble = attempt(lambda: Library(target, inputs).check())
        if trouble:
            failed += 1
            xml.SubElement(test, "failure").text = trouble
            print(f"FAILED {mode} {name}: {trouble}", flush=True)
        else:
            passed += 1
    if not passed + failed:
        sys.exit(f"no test has a name that matches {options.filter!r}")
    print(f"allocation failures, seed {options.seed}: {passed} passed, {failed} failed, {skipped} not compiled")
    if options.junit:
        xml.ElementTree(suite).write(options.junit)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
