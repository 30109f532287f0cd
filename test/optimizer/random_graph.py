# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random graphs for the optimizer: motifs that its passes look for, near-misses
of them, and whatever stands between.

A graph depends on its seed and the list of motifs alone. Everything in it has a
size that is known while it is made, so that it is valid; what the model declares
of its inputs may be less.
"""

import dataclasses

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSETS = (9, 10, 11, 12, 13, 14, 16, 17, 18, 20, 21)
OLD_OPSETS = (7, 8)  # their Constant holds floats alone, and much is missing
IR_VERSIONS = (3, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13)
FLOATS = (TensorProto.FLOAT, TensorProto.FLOAT, TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16)
LARGEST = 4096  # elements of a value
DOMAIN = "test.local"


@dataclasses.dataclass(frozen=True)
class Value:
    name: str
    dtype: int
    shape: tuple

    @property
    def rank(self):
        return len(self.shape)

    @property
    def size(self):
        return int(np.prod(self.shape, dtype=np.int64))

    def is_float(self):
        return self.dtype in FLOATS

    def numpy_type(self):
        return helper.tensor_dtype_to_np_dtype(self.dtype)


class Names:
    """Names that are unique in a model."""

    def __init__(self):
        self.last = 0

    def __call__(self, stem="v"):
        self.last += 1
        return f"{stem}{self.last}"


class Builder:
    """The nodes of a graph that is being written, and the values that can be
    used in it. `outer` is the graph around it."""

    def __init__(self, rng, opset, outer=None, ir_version=7):
        self.rng, self.opset, self.outer = rng, opset, outer
        self.ir_version = outer.ir_version if outer else ir_version
        self.name = outer.name if outer else Names()
        self.functions = outer.functions if outer else []
        self.nodes, self.initializers = [], []
        self.values = list(outer.values) if outer else []
        self.inputs, self.feeds, self.overridable = [], {}, []

    # Choices.

    def chance(self, probability):
        return self.rng.random() < probability

    def choose(self, options):
        options = list(options)
        return options[int(self.rng.integers(len(options)))]

    def integer(self, low, high):
        """low <= n <= high"""
        return int(self.rng.integers(low, high + 1))

    def permutation(self, n):
        return [int(i) for i in self.rng.permutation(n)]

    def some_axes(self, rank, least=1):
        count = self.integer(min(least, rank), rank)
        return sorted(self.permutation(rank)[:count])

    def signed(self, axis, rank):
        """The axis as it is, or counted from the end."""
        return axis - rank if self.chance(0.3) else axis

    def pick(self, condition=lambda value: True):
        """A value; None if there is none such. The last ones are the likelier."""
        fitting = [value for value in self.values if condition(value)]
        if not fitting:
            return None
        return fitting[-1 - min(int(self.rng.geometric(0.35)) - 1, len(fitting) - 1)]

    def pick_float(self, rank=None, least=0, condition=lambda value: True):
        """A value of floats; made if there is none of that rank."""
        found = self.pick(lambda v: v.is_float() and v.rank >= least and (rank is None or v.rank == rank) and condition(v))
        if found and not self.chance(0.1):
            return found
        if self.outer:
            return found or self.constant(self.random_array(self.random_shape(rank, least), np.float32))
        made = self.input(self.choose(FLOATS), self.random_shape(rank, least))
        return made if condition(made) else self.input(TensorProto.FLOAT, self.random_shape(rank, least))

    def random_shape(self, rank=None, least=0):
        rank = max(least, self.choose((1, 2, 2, 3, 3, 4))) if rank is None else rank
        return tuple(0 if self.chance(0.01) else self.choose((1, 1, 2, 3, 4, 5)) for _ in range(rank))

    # Values.

    def random_array(self, shape, dtype, specials=None):
        """Of which some are zeros of either sign, infinities and NaN."""
        dtype = np.dtype(dtype)
        if dtype.kind == "b":
            return np.asarray(self.rng.random(shape) < 0.5)
        if dtype.kind in "iu":
            return np.asarray(self.rng.integers(0 if dtype.kind == "u" else -5, 6, shape)).astype(dtype)
        values = np.asarray(self.rng.normal(0, 1.5, shape)).astype(dtype)
        specials = self.chance(0.08) if specials is None else specials
        if specials and values.size:
            flat = values.reshape(-1)
            for special in self.choose(((-0.0, 0.0), (np.inf, -np.inf, 0.0), (np.nan, -0.0), (1e30, -1e30))):
                with np.errstate(over="ignore"):
                    flat[int(self.rng.integers(flat.size))] = special
        return values

    def input(self, dtype, shape):
        value = Value(self.name("x"), dtype, tuple(shape))
        self.inputs.append(value)
        self.feeds[value.name] = self.random_array(value.shape, value.numpy_type())
        self.values.append(value)
        return value

    def constant(self, array, may_share=True):
        """An initializer, a Constant node, or an initializer of before."""
        array = np.asarray(array)
        value = Value(self.name("c"), helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
        if may_share and self.chance(0.15):
            for tensor in self.initializers:
                known = numpy_helper.to_array(tensor)
                if known.dtype == array.dtype and known.shape == array.shape and known.tobytes() == array.tobytes():
                    return dataclasses.replace(value, name=tensor.name)
        is_node = self.chance(0.3)
        if self.opset < 9 and array.dtype.kind != "f":
            is_node = False
        elif self.ir_version < 4 and self.outer:
            is_node = True  # initializers are inputs, which branches have none of
        if is_node:
            if array.ndim == 0 and array.dtype == np.int64 and self.opset >= 12:
                self.append("Constant", [], [value.name], value_int=int(array))
            else:
                self.append("Constant", [], [value.name], value=numpy_helper.from_array(array, ""))
        else:
            owner = self
            while self.ir_version < 4 and owner.outer:
                owner = owner.outer
            owner.initializers.append(numpy_helper.from_array(array, value.name))
            may_override = not self.outer and self.chance(0.04)
            if may_override or self.ir_version < 4:
                owner.overridable.append(value)
        return value

    def ints(self, *values):
        return self.constant(np.array(values, np.int64))

    def scalar(self, number, like, shape=()):
        return self.constant(np.full(shape, number, like.numpy_type()))

    def append(self, op, inputs, outputs, domain="", **attributes):
        names = [i.name if isinstance(i, Value) else i for i in inputs]
        attributes = {key: value for key, value in attributes.items() if value is not None}
        name = self.name("n_") if self.chance(0.5) else None
        self.nodes.append(helper.make_node(op, names, list(outputs), name=name, domain=domain, **attributes))

    def add(self, op, inputs, shape, dtype=None, domain="", **attributes):
        """A node of one result, of the first input's type if not told."""
        value = Value(self.name(), dtype or inputs[0].dtype, tuple(shape))
        self.append(op, inputs, [value.name], domain, **attributes)
        self.values.append(value)
        return value

    # Operators whose form depends on the opset.

    def unary(self, op, x, **attributes):
        return self.add(op, [x], x.shape, **attributes)

    def binary(self, op, a, b, dtype=None):
        return self.add(op, [a, b], np.broadcast_shapes(a.shape, b.shape), dtype)

    def reshape(self, x, shape, written=None, **attributes):
        """`written` is how the shape is spelled, with 0 and -1."""
        return self.add("Reshape", [x, self.ints(*(shape if written is None else written))], shape, **attributes)

    def transpose(self, x, perm=None):
        order = perm if perm is not None else list(reversed(range(x.rank)))
        return self.add("Transpose", [x], [x.shape[i] for i in order], perm=perm)

    def with_axes(self, op, x, shape, axes):
        """Squeeze and Unsqueeze."""
        if self.opset < 13:
            return self.add(op, [x], shape, axes=axes)
        return self.add(op, [x, self.ints(*axes)], shape)

    def squeeze(self, x, axes):
        rank = x.rank if self.opset >= 11 else 0
        signed = [self.signed(a, rank) if rank else a for a in axes]
        return self.with_axes("Squeeze", x, [d for i, d in enumerate(x.shape) if i not in axes], signed)

    def unsqueeze(self, x, axes):
        shape, rank = list(x.shape), x.rank + len(axes)
        for axis in sorted(axes):
            shape.insert(axis, 1)
        return self.with_axes("Unsqueeze", x, shape, [self.signed(a, rank) if self.opset >= 11 else a for a in axes])

    def reduce(self, op, x, axes, keepdims):
        shape = [1 if i in axes else d for i, d in enumerate(x.shape) if keepdims or i not in axes]
        keep = keepdims if not keepdims or self.chance(0.5) else None
        if self.opset >= (13 if op == "ReduceSum" else 18):
            return self.add(op, [x, self.ints(*axes)], shape, keepdims=keep)
        return self.add(op, [x], shape, axes=list(axes), keepdims=keep)

    def slice(self, x, axes, starts, ends, steps=None):
        shape = list(x.shape)
        for axis, start, end, step in zip(axes, starts, ends, steps or [1] * len(axes)):
            shape[axis] = len(range(*slice(start, end, step).indices(shape[axis])))
        if self.opset < 10:
            return self.add("Slice", [x], shape, axes=axes, starts=starts, ends=ends)
        signed = [self.signed(a, x.rank) for a in axes]
        operands = [x, self.ints(*starts), self.ints(*ends), self.ints(*signed)]
        return self.add("Slice", operands + ([self.ints(*steps)] if steps else []), shape)

    def pad(self, x, pads, mode="constant", value=None):
        rank = x.rank
        shape = [d + pads[i] + pads[i + rank] for i, d in enumerate(x.shape)]
        mode = mode if mode != "constant" or self.chance(0.5) else None
        if self.opset < 11:
            return self.add("Pad", [x], shape, pads=pads, mode=mode, value=None if value is None else float(value))
        operands = [x, self.ints(*pads)] + ([] if value is None else [self.scalar(value, x)])
        return self.add("Pad", operands, shape, mode=mode)

    def concat(self, values, axis):
        shape = list(values[0].shape)
        shape[axis] = sum(v.shape[axis] for v in values)
        return self.add("Concat", values, shape, axis=self.signed(axis, len(shape)) if self.opset >= 11 else axis)

    def split(self, x, axis, sizes):
        results = [Value(self.name(), x.dtype, (*x.shape[:axis], size, *x.shape[axis + 1:])) for size in sizes]
        names = [r.name for r in results]
        if self.opset >= 13:
            self.append("Split", [x, self.ints(*sizes)], names, axis=axis)
        else:
            self.append("Split", [x], names, axis=axis, split=sizes)
        self.values.extend(results)
        return results

    def clip(self, x, low, high):
        if self.opset < 11:
            return self.add("Clip", [x], x.shape, min=float(low), max=float(high))
        return self.add("Clip", [x, self.scalar(low, x), self.scalar(high, x)], x.shape)

    def subgraph(self, make, name):
        """A graph that can see what this one sees. `make` writes it and returns
        its results."""
        inner = Builder(self.rng, self.opset, self)
        results = make(inner)
        outputs = [helper.make_tensor_value_info(r.name, r.dtype, r.shape) for r in results]
        return helper.make_graph(inner.nodes, self.name(name), [], outputs, inner.initializers)


class Model:
    """A model, its inputs, and what it is made of."""

    def __init__(self, proto, feeds, motifs):
        self.proto, self.feeds, self.motifs = proto, feeds, motifs


def _results(builder):
    """What the model returns: unused values, and some of what is used."""
    used = {name for node in builder.nodes for name in node.input}
    produced = {name for node in builder.nodes for name in node.output}
    open_ends = [v for v in builder.values if v.name in produced and v.name not in used]
    results = [v for v in open_ends if not builder.chance(0.1)]
    results += [v for v in builder.values if v not in open_ends and v.name in produced and builder.chance(0.06)]
    if builder.chance(0.04):
        results.append(builder.choose(builder.inputs))
    return results or open_ends[-1:] or [builder.values[-1]]


def _declared(builder, value):
    """A size may be a symbol; each symbol has one size."""
    dims = [f"d{size}" if size > 1 and value.name in builder.open else size for size in value.shape]
    return helper.make_tensor_value_info(value.name, value.dtype, dims)


def make(seed, motifs):
    """The model of a seed, from functions that add to a Builder."""
    rng, kind = np.random.default_rng(seed), np.random.default_rng((seed, 1))
    opset = OPSETS[int(rng.integers(len(OPSETS)))]
    if kind.random() < 0.25:
        opset = int(kind.choice(OLD_OPSETS))
    ir_version = int(kind.choice(IR_VERSIONS))
    builder = Builder(rng, opset, ir_version=ir_version)
    names = []
    for _ in range(builder.integer(2, 9)):
        motif = builder.choose(motifs)
        before = len(builder.nodes)
        state = _state(builder)
        motif(builder)
        if opset < 9 and not _is_taken(builder):
            _restore(builder, state)
        builder.values = [v for v in builder.values if v.size <= LARGEST]
        if len(builder.nodes) > before:
            names.append(motif.__name__)
        if len(builder.nodes) > 1 and builder.chance(0.1):
            _repeat(builder)
    if not builder.nodes:
        builder.unary("Identity", builder.pick_float())
    builder.open = {v.name for v in builder.inputs if builder.chance(0.3)}
    results = _results(builder)
    inputs = [_declared(builder, v) for v in builder.inputs + builder.overridable]
    _make_special(builder, kind)
    for value in builder.overridable:
        if builder.chance(0.5) and ir_version > 3:  # before, ONNX Runtime takes them for constants
            builder.feeds[value.name] = builder.random_array(value.shape, value.numpy_type()) if value.is_float() else \
                next(numpy_helper.to_array(t) for t in builder.initializers if t.name == value.name)
    # Sizes that come from symbols are not declared: a symbol's size may be anything.
    outputs = [helper.make_tensor_value_info(v.name, v.dtype, [None] * v.rank if builder.open else v.shape) for v in results]
    graph = helper.make_graph(builder.nodes, "graph", inputs, outputs, builder.initializers)
    opsets = [helper.make_opsetid("", builder.opset)]
    if builder.functions:
        opsets.append(helper.make_opsetid(DOMAIN, 1))
    if builder.functions:
        ir_version = max(ir_version, 8)
    model = helper.make_model(graph, opset_imports=opsets, functions=builder.functions, ir_version=ir_version)
    if builder.chance(0.5):
        model = onnx.shape_inference.infer_shapes(model)
    return Model(model, builder.feeds, names)


def _make_special(builder, kind):
    """Zeros of either sign into half of the models' inputs, into some infinities
    and NaN."""
    choice = kind.random()
    specials = (-0.0, 0.0) if choice < 0.4 else (-0.0, 0.0, np.inf, -np.inf, np.nan) if choice < 0.55 else ()
    for value in builder.inputs:
        flat = builder.feeds[value.name].reshape(-1)
        if value.is_float() and flat.size:
            for special in specials:
                flat[kind.integers(flat.size)] = special


def _state(builder):
    """How far the builder is."""
    return {name: list(part) if isinstance(part, list) else dict(part) for name, part in vars(builder).items() if isinstance(part, (list, dict))}


def _restore(builder, state):
    for name, part in state.items():
        setattr(builder, name, part)


def _is_taken(builder):
    """Whether ONNX Runtime takes what there is: of old opsets, a motif may use
    what they lack."""
    import onnxruntime
    graph = helper.make_graph(builder.nodes, "graph", [helper.make_tensor_value_info(v.name, v.dtype, v.shape) for v in builder.inputs],
                              [onnx.ValueInfoProto(name=name) for name in builder.nodes[-1].output if name] if builder.nodes else [],
                              builder.initializers)
    opsets = [helper.make_opsetid("", builder.opset)] + [helper.make_opsetid(DOMAIN, 1)] * bool(builder.functions)
    model = helper.make_model(graph, opset_imports=opsets, functions=builder.functions, ir_version=8)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    except Exception:  # whatever it lacks
        return False
    return True


def _repeat(builder):
    """Computes once more what is computed already."""
    node = builder.choose(builder.nodes)
    by_name = {v.name: v for v in builder.values}
    if len(node.output) != 1 or node.output[0] not in by_name or any(a.HasField("g") for a in node.attribute):
        return
    copy = onnx.NodeProto()
    copy.CopyFrom(node)
    value = dataclasses.replace(by_name[node.output[0]], name=builder.name())
    copy.output[0] = value.name
    copy.ClearField("name")
    builder.nodes.append(copy)
    builder.values.append(value)
