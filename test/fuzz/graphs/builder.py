# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A graph that is being written, as test/optimizer writes them, whose sizes may
be open."""

import contextlib
import dataclasses
import pathlib
import sys

import numpy as np
from onnx import TensorProto, helper

from . import registry, sizes
from .sizes import Size

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "optimizer"))
import random_graph  # noqa: E402
from random_graph import Value  # noqa: E402

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
SMALL = (1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17)
LONG = (24, 31, 32, 33, 40, 64, 65, 100)
LARGEST = 20000  # elements of a value that later nodes use


class Graph(random_graph.Builder):
    """`feeds` and `second` are the two sets of inputs."""

    def __init__(self, rng, opset, outer=None):
        super().__init__(rng, opset, outer)
        self.second, self.declared = {}, {}  # inputs that are declared otherwise
        self.results, self.raw_results = [], []  # returned in any case; raw: names
        self.stated = []  # types of results that onnx's inference does not find
        self.may_call = outer.may_call if outer else True  # local functions
        self.fixed_only = outer.fixed_only if outer else False
        self.only_nodes = outer.only_nodes if outer else False  # no initializers, as in a function
        self.symbols = outer.symbols if outer else self._make_symbols()
        self.specials = outer.specials if outer else self.chance(0.15)

    def _make_symbols(self):
        if self.chance(0.2):
            return []
        names = ("batch", "seq", "height", "width", "n")
        return [Size(self.size(), self.size(), name) for name in names[:self.integer(1, len(names))]]

    @contextlib.contextmanager
    def only_fixed(self):
        """In it, values have known sizes only."""
        before, self.fixed_only = self.fixed_only, True
        try:
            yield
        finally:
            self.fixed_only = before

    # Choices.

    def size(self):
        if self.chance(0.02):
            return 0
        return self.choose(LONG) if self.chance(0.12) else self.choose(SMALL)

    def dim(self, probability=0.5):
        """A size, which may be an open one."""
        if self.symbols and not self.fixed_only and self.chance(probability):
            return self.choose(self.symbols)
        return self.size()

    def random_shape(self, rank=None, least=0):
        rank = max(least, self.choose((0, 1, 2, 2, 3, 3, 4))) if rank is None else rank
        shape = [self.dim() for _ in range(rank)]
        while max(sizes.product(shape), sizes.second(sizes.product(shape))) > LARGEST // 4:
            shape[self.integer(0, rank - 1)] = self.choose(SMALL)
        return tuple(shape)

    def pick(self, condition=lambda value: True):
        if self.fixed_only:
            return super().pick(lambda value: sizes.is_fixed(value.shape) and condition(value))
        return super().pick(condition)

    def picked(self, rank=None, least=0, dtype=FLOAT, condition=lambda value: True):
        """A value of that type, mostly one that there is; a new input of the model,
        or in a subgraph a constant, where there is none."""
        found = self.pick(lambda v: v.dtype == dtype and v.rank >= least and (rank is None or v.rank == rank) and condition(v))
        if found and not self.chance(0.08):
            return found
        for _ in range(20):
            shape = self.random_shape(rank, least)
            if condition(Value("", dtype, shape)):
                return self.source(dtype, shape)
        if found is None:
            raise registry.NoValue
        return found

    def source(self, dtype, shape, draw=None):
        """A new input of the model; in a subgraph or function, a constant."""
        if not self.outer and not self.only_nodes:
            return self.input(dtype, shape, draw)
        shape = tuple(int(size) for size in shape)
        return self.constant(draw(shape) if draw else self.random_array(shape, helper.tensor_dtype_to_np_dtype(dtype)))

    def in_shape(self, shape, dtype=FLOAT):
        """A value of this very shape."""
        found = self.pick(lambda v: v.dtype == dtype and v.shape == tuple(shape) and all(
            sizes.second(a) == sizes.second(b) for a, b in zip(v.shape, shape)))
        return found or self.source(dtype, shape)

    # Values.

    def random_array(self, shape, dtype, specials=None):
        if specials is None:
            specials = self.specials and self.chance(0.3)
        dtype = np.dtype(dtype)
        if specials and dtype.kind in "iu" and np.prod(shape):
            info = np.iinfo(dtype)
            values = super().random_array(shape, dtype)
            values.reshape(-1)[int(self.rng.integers(values.size))] = self.choose((info.min, info.max, info.max - 1))
            return values
        return super().random_array(shape, dtype, specials)

    def input(self, dtype, shape, draw=None):
        shape = tuple(shape)
        value = Value(self.name("x"), dtype, shape)
        draw = draw or (lambda sizes_: self.random_array(sizes_, value.numpy_type()))
        self.inputs.append(value)
        for feeds, size in ((self.feeds, int), (self.second, sizes.second)):
            feeds[value.name] = np.asarray(draw(tuple(map(size, shape)))).astype(value.numpy_type())
        self.values.append(value)
        return value

    def constant(self, array, may_share=True):
        array = np.asarray(array)
        if self.only_nodes:
            value = Value(self.name("c"), helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
            self.append("Constant", [], [value.name], value=helper.make_tensor(
                "", value.dtype, array.shape, array.tobytes(), raw=True))
            return value
        if self.opset < 9 and array.dtype.kind != "f":  # a Constant node holds floats only
            value = Value(self.name("c"), helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
            self.initializers.append(helper.make_tensor(value.name, value.dtype, array.shape, array.tobytes(), raw=True))
            return value
        return super().constant(array, may_share)

    def weight(self, *shape):
        """Constants that keep values about as large as they are."""
        depth = max(1, int(np.prod(shape[1:])) if len(shape) > 2 else shape[0] if shape else 1)
        return self.constant(self.rng.normal(0, 1 / np.sqrt(depth), shape).astype(np.float32))

    def vector(self, size, low=0.5, high=1.5):
        return self.constant(self.rng.uniform(low, high, size).astype(np.float32))

    def number(self, value, like):
        """A scalar operand, as exporters write it: of rank 0 or 1."""
        return self.scalar(value, like, () if self.chance(0.8) else (1,))

    def append(self, op, inputs, outputs, domain="", **attributes):
        super().append(op, inputs, outputs, domain, **attributes)
        if self.chance(0.03):
            self.nodes[-1].name = "node"  # a name may occur more than once

    def several(self, op, inputs, results, domain="", **attributes):
        """A node of several results, given as (dtype, shape); None for one left out."""
        values = [r and Value(self.name(), r[0], tuple(r[1])) for r in results]
        self.append(op, inputs, [v.name if v else "" for v in values], domain, **attributes)
        self.values.extend(v for v in values if v)
        return values

    # Operators.

    def binary(self, op, a, b, dtype=None):
        return self.add(op, [a, b], sizes.broadcast(a.shape, b.shape), dtype)

    def arithmetic(self, op, a, b):
        """The operands in either order, where that is the same."""
        return self.binary(op, b, a) if op in ("Add", "Mul") and self.chance(0.3) else self.binary(op, a, b)

    def cast(self, x, to):
        return self.add("Cast", [x], x.shape, to, to=to)

    def matmul(self, a, b):
        batch = sizes.broadcast(a.shape[:-2], b.shape[:-2])
        return self.add("MatMul", [a, b], (*batch, a.shape[-2], b.shape[-1]))

    def softmax(self, x, op="Softmax"):
        """Over the last axis, in the form of any opset."""
        return self.add(op, [x], x.shape, axis=self.choose((-1, x.rank - 1)) if self.opset >= 11 else x.rank - 1)

    def linear(self, x, columns, bias=True):
        y = self.matmul(x, self.weight(x.shape[-1], columns))
        return self.arithmetic("Add", y, self.weight(columns)) if bias else y

    def gather(self, x, index, axis=0):
        return self.add("Gather", [x, index], (*x.shape[:axis], *index.shape, *x.shape[axis + 1:]), axis=axis)

    # Shapes as values: (a vector or scalar of int64, the sizes in it).

    def shape_of(self, x):
        return self.add("Shape", [x], [x.rank], INT64)

    def size_of(self, x, axis, as_vector=True):
        """The size as exporters take it: Shape and Gather or Slice."""
        kind, whole = self.integer(0, 3), self.shape_of(x)
        if kind == 0:
            return self._rank(self.slice(whole, [0], [axis], [axis + 1]), as_vector)
        if kind == 1:
            return self._rank(self.gather(whole, self.ints(axis)), as_vector)
        return self._rank(self.gather(whole, self.constant(np.array(axis, np.int64))), as_vector)

    def _rank(self, x, as_vector):
        if as_vector == bool(x.rank):
            return x
        return self.unsqueeze(x, [0]) if as_vector else self.squeeze(x, [0])

    def joined(self, parts):
        """Concat of sizes; each is a value, a vector of one, or an int."""
        parts = [self.ints(part) if isinstance(part, int) else part for part in parts]
        return self.concat(parts, 0) if len(parts) > 1 or self.chance(0.5) else parts[0]

    def reshape_to(self, x, target, shape):
        return self.add("Reshape", [x, target], shape)

    def reshape(self, x, shape, written=None, **attributes):
        """A shape with open sizes is spelled with 0, -1, or what Shape gives."""
        if written is not None or sizes.is_fixed(shape):
            return super().reshape(x, [int(size) for size in shape] if written is None else shape, written, **attributes)
        at = [i for i, size in enumerate(shape) if isinstance(size, Size)]
        kept = [i for i in at if i < x.rank and x.shape[i] is shape[i]]
        left = [i for i in at if i not in kept]
        if len(left) <= 1 and self.chance(0.5) and 0 not in shape and sizes.second(sizes.product(shape)):
            return self.add("Reshape", [x, self.ints(*(0 if i in kept else -1 if i in left else size for i, size in enumerate(shape)))], shape)
        parts, inferred = [], False
        for i, size in enumerate(shape):
            source = next((j for j in range(x.rank) if x.shape[j] is size), None)
            if not isinstance(size, Size):
                parts.append(int(size))
            elif source is not None:
                parts.append(self.size_of(x, source))
            elif not inferred and int(x.size) and sizes.second(sizes.product(x.shape)):
                inferred = True
                parts.append(-1)
            else:  # as a product of sizes: of a value that has this size
                parts.append(self.size_of(self.source(FLOAT, (size,)), 0))
        return self.reshape_to(x, self.joined(parts), shape)

    def slice(self, x, axes, starts, ends, steps=None):
        y = super().slice(x, axes, starts, ends, steps)
        shape = list(y.shape)
        for axis, start, end, step in zip(axes, starts, ends, steps or [1] * len(axes)):
            if isinstance(x.shape[axis], Size):
                other = len(range(*slice(start, end, step).indices(sizes.second(x.shape[axis]))))
                shape[axis] = Size(shape[axis], other)
        self.values[-1] = dataclasses.replace(y, shape=tuple(shape))
        return self.values[-1]

    def super_reshape(self, x, shape):
        """By a constant shape."""
        return self.add("Reshape", [x, self.ints(*map(int, shape))], shape)

    def subgraph(self, make, name):
        inner = type(self)(self.rng, self.opset, self)
        results = make(inner)
        return self.finish(inner, [], results, name)

    def finish(self, inner, inputs, results, name):
        """The GraphProto of an inner graph; declares open sizes as unknown."""
        infos = [[helper.make_tensor_value_info(
            v.name, v.dtype, [None if isinstance(d, Size) or d is None else int(d) for d in v.shape]) for v in values]
            for values in (inputs, results)]
        return helper.make_graph(inner.nodes, self.name(name), *infos, inner.initializers)
