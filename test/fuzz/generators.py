# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Valid random uses of operators. A generator is a function of a Source that
returns a Use; GENERATORS has one per operator."""

import dataclasses
import itertools

import ml_dtypes
import numpy as np
import onnx.defs

OPSET = 23  # what onnxruntime and onnx.reference both know well

FLOATS = ["float32", "float64", "float16", "bfloat16"]
SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
INTS = SIGNED + UNSIGNED
_DTYPES = {"float": "float32", "double": "float64"}


@dataclasses.dataclass
class Use:
    """Inputs are arrays or None (absent); `shapelike` are indices of inputs that
    decide shapes, which models mostly have as constants; `captured` are those
    that a subgraph reads, by the names x0, x1, ... of the model's inputs."""

    inputs: list
    attributes: dict = dataclasses.field(default_factory=dict)
    outputs: int = 1
    shapelike: tuple = ()
    captured: tuple = ()
    opset: int = OPSET


def numpy_dtype(name):
    return np.dtype(getattr(ml_dtypes, name, None) or name)


class Source:
    """Random shapes, arrays and choices."""

    def __init__(self, op, random):
        self.op, self.random = op, random

    def pick(self, values):
        return values[int(self.random.integers(len(values)))]

    def chance(self, probability):
        return bool(self.random.random() < probability)

    def integer(self, low, high):
        """From low to high, both included."""
        return int(self.random.integers(low, high + 1))

    def size(self, low=1):
        sizes = [1, 2, 3, 4, 5, 7, 8, 17] if low or not self.chance(0.08) else [0]
        return self.pick(sizes)

    def shape(self, rank=None, low=0, most=4):
        rank = self.integer(0, most) if rank is None else rank
        return [self.size(low) for _ in range(rank)]

    def types(self, parameter="T", among=None):
        """Names of numpy dtypes that the operator takes for a type parameter."""
        schema = onnx.defs.get_schema(self.op, OPSET)
        allowed = next(c.allowed_type_strs for c in schema.type_constraints if c.type_param_str == parameter)
        names = [text[len("tensor("):-1] for text in allowed if text.startswith("tensor(")]
        names = [_DTYPES.get(name, name) for name in names]
        return [name for name in among or FLOATS + INTS + ["bool"] if name in names]

    def dtype(self, parameter="T", among=None):
        types = self.types(parameter, among)
        # Most models are float.
        return "float32" if "float32" in types and self.chance(0.4) else self.pick(types)

    def array(self, dtype, shape, low=None, high=None):
        dtype = numpy_dtype(dtype)
        if dtype.kind == "b":
            return self.random.integers(0, 2, shape).astype(bool)
        if dtype.kind in "iu":
            info = np.iinfo(dtype)
            low = max(info.min, -9) if low is None else low
            high = min(info.max, 9) if high is None else high
            return self.random.integers(low, high + 1, shape).astype(dtype)
        if low is None:
            return np.asarray(self.random.standard_normal(shape) * 2).astype(dtype)
        return self.random.uniform(low, high, shape).astype(dtype)

    def indices(self, count, shape, dtype=None):
        """Indices into `count` elements, some from the end."""
        return self.random.integers(-count, count, shape).astype(dtype or self.pick(["int32", "int64"]))

    def axis(self, rank):
        return self.integer(-rank, rank - 1)

    def axes(self, rank, least=0):
        count = self.integer(min(least, rank), rank)
        chosen = self.random.permutation(rank)[:count]
        return [int(axis) - rank * self.chance(0.3) for axis in chosen]

    def broadcast(self, shape):
        """A shape that broadcasts to `shape`."""
        shape = [1 if self.chance(0.25) else size for size in shape]
        return shape[self.integer(0, len(shape)):] if self.chance(0.3) else shape

    def maybe(self, value, probability=0.5):
        return value if self.chance(probability) else None

    def attributes(self, **values):
        """Each with its default left out now and then."""
        return {name: value for name, value in values.items() if value is not None}


GENERATORS = {}


def op(*names):
    def register(function):
        for name in names:
            GENERATORS[name] = function
        return function
    return register


def choose(random, ops):
    """One of `ops`, or of all."""
    names = sorted(ops or GENERATORS)
    return names[int(random.integers(len(names)))]


def ints(values):
    return np.array(values, np.int64).reshape(-1)


# Elementwise

@op("Abs", "Neg", "Sign", "Ceil", "Floor", "Round", "Relu", "Exp", "Sigmoid", "Tanh", "Softplus", "Softsign", "Erf",
    "Sin", "Cos", "Tan", "Atan", "Sinh", "Cosh", "Asinh", "HardSwish", "Mish", "Identity", "Not", "BitwiseNot", "IsNaN")
def unary(s):
    parameter = {"IsNaN": "T1", "Identity": "V"}.get(s.op, "T")
    array = s.array(s.dtype(parameter), s.shape())
    if array.dtype.kind == "f" and array.size and s.op in ("Abs", "Neg", "Relu", "IsNaN", "Sign") and s.chance(0.2):
        array.flat[0] = s.pick([np.nan, np.inf, -np.inf, -0.0])
    return Use([array])


@op("Acos", "Asin", "Atanh")
def unit_interval(s):
    return Use([s.array(s.dtype(), s.shape(), -0.95, 0.95)])


@op("Acosh")
def above_one(s):
    return Use([s.array(s.dtype(), s.shape(), 1.05, 9)])


@op("Log", "Sqrt", "Reciprocal")
def positive(s):
    return Use([s.array(s.dtype(), s.shape(), 0.1, 9)])


@op("Elu", "LeakyRelu", "ThresholdedRelu", "Celu", "Selu", "HardSigmoid", "Shrink", "Gelu")
def activation(s):
    names = {"HardSigmoid": ["alpha", "beta"], "Shrink": ["lambd", "bias"], "Selu": ["alpha", "gamma"], "Gelu": []}
    values = {name: round(float(s.random.uniform(0.1, 1.5)), 3) for name in names.get(s.op, ["alpha"]) if s.chance(0.7)}
    if s.op == "Gelu" and s.chance(0.7):
        values["approximate"] = s.pick(["none", "tanh"])
    return Use([s.array(s.dtype(), s.shape())], values)


@op("IsInf")
def is_inf(s):
    array = s.array(s.dtype("T1"), s.shape(rank=s.integer(1, 4), low=1))
    array[..., :1] = s.pick([np.inf, -np.inf, np.nan, 0])
    return Use([array], s.attributes(detect_negative=s.maybe(s.integer(0, 1)), detect_positive=s.maybe(s.integer(0, 1))))


@op("Add", "Sub", "Mul", "Div", "And", "Or", "Xor", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Equal", "Less",
    "LessOrEqual", "Greater", "GreaterOrEqual", "PRelu", "Mod", "BitShift")
def binary(s):
    dtype = s.dtype(among=UNSIGNED) if s.op == "BitShift" else s.dtype()
    shape = s.shape()
    left, right = s.array(dtype, shape), s.array(dtype, s.broadcast(shape))
    attributes = {}
    if s.op == "PRelu":
        return Use([left, right])
    if s.op in ("Div", "Mod"):
        right = np.where(right.astype(np.float64) == 0, np.ones_like(right), right).astype(right.dtype)
    if s.op == "Mod":
        attributes["fmod"] = 1 if right.dtype.kind not in "iu" else s.integer(0, 1)
    if s.op == "BitShift":
        attributes["direction"] = s.pick(["LEFT", "RIGHT"])
        right = right % (8 * right.dtype.itemsize)
    if s.chance(0.5):
        left, right = (left, right) if s.op in ("Div", "Mod", "BitShift") else (right, left)
    return Use([left, right], attributes)


@op("Pow")
def power(s):
    shape = s.shape()
    base = s.array(s.dtype("T"), shape, 1, 4)
    return Use([base, s.array(s.dtype("T1"), s.broadcast(shape), 0, 3)])


@op("Max", "Min", "Sum", "Mean")
def variadic(s):
    dtype, shape = s.dtype(), s.shape()
    return Use([s.array(dtype, s.broadcast(shape)) for _ in range(s.integer(1, 4))])


@op("Where")
def where(s):
    dtype, shape = s.dtype(), s.shape()
    return Use([s.array("bool", s.broadcast(shape)), s.array(dtype, s.broadcast(shape)), s.array(dtype, s.broadcast(shape))])


@op("Clip")
def clip(s):
    dtype = s.dtype()
    low, high = np.sort(s.array(dtype, [2]))
    return Use([s.array(dtype, s.shape()), s.maybe(np.array(low), 0.7), s.maybe(np.array(high), 0.7)])


@op("Cast", "CastLike")
def cast(s):
    start, end = s.dtype("T1"), s.dtype("T2")
    array = s.array(start, s.shape())
    if numpy_dtype(end).kind == "u" and array.dtype.kind != "b":
        array = np.abs(array.astype(np.float64)).astype(array.dtype)  # out of range is undefined
    if s.op == "CastLike":
        return Use([array, s.array(end, [1])])
    return Use([array], {"to": int(onnx.helper.np_dtype_to_tensor_dtype(numpy_dtype(end)))})


# Reductions and what goes along an axis

@op("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceSumSquare",
    "ReduceLogSum", "ReduceLogSumExp")
def reduction(s):
    shape = s.shape(low=0 if s.op == "ReduceSum" else 1)
    low, high = (0.5, 2) if s.op in ("ReduceLogSum", "ReduceProd") else (None, None)
    dtype = s.dtype()
    array = s.array(dtype, shape, *((1, 2) if low and numpy_dtype(dtype).kind in "iu" else (low, high)))
    axes = s.maybe(ints(s.axes(len(shape))), 0.8)
    return Use([array, axes], s.attributes(keepdims=s.maybe(s.integer(0, 1)), noop_with_empty_axes=s.maybe(s.integer(0, 1))),
               shapelike=(1,))


@op("ArgMax", "ArgMin")
def arg_reduction(s):
    shape = s.shape(rank=s.integer(1, 4), low=1)
    return Use([s.array(s.dtype(), shape)], s.attributes(axis=s.maybe(s.axis(len(shape))), keepdims=s.maybe(s.integer(0, 1)),
                                                         select_last_index=s.maybe(s.integer(0, 1))))


@op("Softmax", "LogSoftmax", "Hardmax", "LpNormalization")
def along_axis(s):
    shape = s.shape(rank=s.integer(1, 4), low=1)
    attributes = s.attributes(axis=s.maybe(s.axis(len(shape))))
    if s.op == "LpNormalization":
        attributes["p"] = s.integer(1, 2)
    return Use([s.array(s.dtype(), shape)], attributes)


@op("CumSum")
def cumulative(s):
    shape = s.shape(rank=s.integer(1, 4))
    axis = np.array(s.axis(len(shape)), s.pick([np.int32, np.int64]))
    return Use([s.array(s.dtype(), shape), axis],
               s.attributes(exclusive=s.maybe(s.integer(0, 1)), reverse=s.maybe(s.integer(0, 1))), shapelike=(1,))


@op("TopK")
def top_k(s):
    shape = s.shape(rank=s.integer(1, 3), low=1)
    axis = s.axis(len(shape))
    count = int(np.prod(shape))
    dtype = s.dtype(among=["float32", "float64", "int32", "int64"])
    distinct = s.random.permutation(count).reshape(shape).astype(dtype)
    return Use([distinct, ints(s.integer(1, shape[axis]))], s.attributes(axis=axis, largest=s.maybe(s.integer(0, 1))),
               outputs=2, shapelike=(1,))


# Contractions and windows

@op("MatMul")
def matmul(s):
    dtype = s.dtype()
    m, k, n, batch = s.size(), s.size(), s.size(), s.shape(most=2)
    left, right = s.broadcast(batch) + [m, k], s.broadcast(batch) + [k, n]
    if s.chance(0.15):
        left = [k]
    elif s.chance(0.15):
        right = [k]
    return Use([s.array(dtype, left), s.array(dtype, right)])


@op("Gemm")
def gemm(s):
    dtype = s.dtype()
    m, k, n = s.size(), s.size(), s.size()
    a, b = s.integer(0, 1), s.integer(0, 1)
    return Use([s.array(dtype, [k, m] if a else [m, k]), s.array(dtype, [n, k] if b else [k, n]),
                s.maybe(s.array(dtype, s.broadcast([m, n])), 0.7)],
               s.attributes(transA=a, transB=b, alpha=s.maybe(1.5, 0.3), beta=s.maybe(0.5, 0.3)))


@op("MatMulInteger")
def matmul_integer(s):
    m, k, n = s.size(), s.size(), s.size()
    a, b = s.dtype("T1"), s.dtype("T2")
    return Use([s.array(a, [m, k]), s.array(b, [k, n]), s.maybe(s.array(a, [])), s.maybe(s.array(b, []))])


EQUATIONS = ["ij,jk->ik", "bij,bjk->bik", "ij->ji", "ij->i", "ii->i", "i,j->ij", "ij,ij->", "...ij,...jk->...ik",
             "bhid,bhjd->bhij", "ij,kj->ik", "ijk->jk", "i,i"]


@op("Einsum")
def einsum(s):
    equation = s.pick(EQUATIONS)
    sizes, dtype = {}, s.dtype(among=["float32", "float64"])
    batch = s.shape(rank=s.integer(0, 2), low=1)
    arrays = []
    for term in equation.split("->")[0].split(","):
        letters = term.replace("...", "")
        shape = [sizes.setdefault(letter, s.size()) for letter in letters]
        arrays.append(s.array(dtype, (batch if "..." in term else []) + shape))
    return Use(arrays, {"equation": equation})


def window(s, rank):
    """Attributes of a window; sizes of the input that it fits into."""
    kernel = [s.integer(1, 3) for _ in range(rank)]
    dilations = [s.integer(1, 2) for _ in range(rank)]
    attributes = s.attributes(dilations=s.maybe(dilations), strides=s.maybe([s.integer(1, 3) for _ in range(rank)]))
    span = [(k - 1) * d + 1 for k, d in zip(kernel, attributes.get("dilations", [1] * rank))]
    sizes = [e + s.integer(0, 6) for e in span]
    form = s.integer(0, 3)
    if form == 1 and kernel != [1] * rank:
        attributes["auto_pad"] = s.pick(["SAME_UPPER", "SAME_LOWER", "VALID"])
        if attributes["auto_pad"] != "VALID":
            attributes.pop("dilations", None)
    elif form >= 2:
        attributes["pads"] = [s.integer(0, (k - 1) // 2 + (k > 1)) for k in kernel * 2]
    return kernel, attributes, sizes


@op("Conv")
def conv(s):
    rank = s.integer(1, 3)
    kernel, attributes, sizes = window(s, rank)
    group = s.pick([1, 1, 2, 3])
    inputs, outputs = group * s.integer(1, 3), group * s.integer(1, 3)
    dtype = s.dtype()
    if group > 1:
        attributes["group"] = group
    return Use([s.array(dtype, [s.integer(1, 2), inputs] + sizes), s.array(dtype, [outputs, inputs // group] + kernel),
                s.maybe(s.array(dtype, [outputs]))], attributes)


@op("ConvTranspose")
def conv_transpose(s):
    rank = s.integer(1, 2)
    kernel, attributes, sizes = window(s, rank)
    attributes.pop("auto_pad", None)
    attributes.pop("pads", None)
    if s.chance(0.4):
        attributes["pads"] = [s.integer(0, (k - 1) // 2) for k in kernel * 2]
    if s.chance(0.3) and "strides" in attributes:
        attributes["output_padding"] = [s.integer(0, stride - 1) for stride in attributes["strides"]]
    group = s.pick([1, 1, 2])
    inputs, outputs = group * s.integer(1, 3), s.integer(1, 3)
    dtype = s.dtype()
    if group > 1:
        attributes["group"] = group
    return Use([s.array(dtype, [s.integer(1, 2), inputs] + sizes), s.array(dtype, [inputs, outputs] + kernel),
                s.maybe(s.array(dtype, [outputs * group]))], attributes)


@op("MaxPool", "AveragePool", "LpPool")
def pool(s):
    rank = s.integer(1, 3)
    kernel, attributes, sizes = window(s, rank)
    attributes["kernel_shape"] = kernel
    if s.chance(0.3) and "auto_pad" not in attributes:
        attributes["ceil_mode"] = 1
    if s.op == "AveragePool" and s.chance(0.4):
        attributes["count_include_pad"] = 1
    if s.op == "LpPool":
        attributes["p"] = s.integer(1, 3)
    return Use([s.array(s.dtype(), [s.integer(1, 2), s.integer(1, 3)] + sizes)], attributes)


@op("GlobalAveragePool", "GlobalMaxPool")
def global_pool(s):
    return Use([s.array(s.dtype(), s.shape(rank=s.integer(3, 5), low=1))])


@op("BatchNormalization")
def batch_normalization(s):
    shape = s.shape(rank=s.integer(2, 5), low=1)
    dtype = s.dtype(among=["float32", "float64"])
    channels = [shape[1]]
    return Use([s.array(dtype, shape), s.array(dtype, channels), s.array(dtype, channels), s.array(dtype, channels),
                s.array(dtype, channels, 0.1, 3)], s.attributes(epsilon=s.maybe(0.01)))


@op("InstanceNormalization")
def instance_normalization(s):
    shape = s.shape(rank=s.integer(3, 5), low=1)
    dtype = s.dtype(among=["float32"])
    return Use([s.array(dtype, shape), s.array(dtype, [shape[1]]), s.array(dtype, [shape[1]])], {"epsilon": 0.1})


@op("GroupNormalization")
def group_normalization(s):
    groups, per_group = s.integer(1, 3), s.integer(1, 3)
    channels = groups * per_group
    shape = [s.integer(1, 2), channels] + s.shape(rank=s.integer(1, 2), low=1)
    return Use([s.array("float32", shape), s.array("float32", [channels]), s.array("float32", [channels])],
               {"num_groups": groups, "epsilon": 0.1})


@op("LayerNormalization", "RMSNormalization")
def layer_normalization(s):
    shape = s.shape(rank=s.integer(1, 4), low=1)
    axis = s.axis(len(shape))
    dtype = s.dtype(among=["float32", "float64"])
    inputs = [s.array(dtype, shape), s.array(dtype, shape[axis:])]
    if s.op == "LayerNormalization" and s.chance(0.5):
        inputs.append(s.array(dtype, shape[axis:]))
    return Use(inputs, {"axis": axis, "epsilon": 0.1})


@op("LRN")
def lrn(s):
    return Use([s.array("float32", s.shape(rank=4, low=1))], s.attributes(size=s.pick([1, 3, 5]), alpha=s.maybe(0.01)))


# Movement

@op("Transpose")
def transpose(s):
    shape = s.shape()
    return Use([s.array(s.dtype(), shape)], s.attributes(perm=s.maybe([int(i) for i in s.random.permutation(len(shape))], 0.8 if shape else 0)))


@op("Reshape")
def reshape(s):
    shape = s.shape(low=1)
    factors = [f for size in shape for f in ([size] if size in (1, 2, 3, 5, 7, 17) else [2, size // 2])]
    s.random.shuffle(factors)
    target = []
    for factor in factors:
        if target and s.chance(0.5):
            target[-1] *= int(factor)
        else:
            target.append(int(factor))
    if target and s.chance(0.4):
        target[s.integer(0, len(target) - 1)] = -1
    return Use([s.array(s.dtype(), shape), ints(target)], shapelike=(1,))


@op("Flatten")
def flatten(s):
    shape = s.shape()
    return Use([s.array(s.dtype(), shape)], s.attributes(axis=s.maybe(s.integer(-len(shape), len(shape)), 0.8 if shape else 0)))


@op("Squeeze", "Unsqueeze")
def squeeze(s):
    shape = s.shape()
    added = s.integer(1, 2)
    full = len(shape) + added
    axes = sorted(int(i) for i in s.random.permutation(full)[:added])
    named = ints([axis - full * s.chance(0.3) for axis in axes])
    if s.op == "Unsqueeze":
        return Use([s.array(s.dtype(), shape), named], shapelike=(1,))
    rest = iter(shape)
    squeezed = [1 if axis in axes else next(rest) for axis in range(full)]
    return Use([s.array(s.dtype(), squeezed), named], shapelike=(1,))


@op("Expand")
def expand(s):
    shape = s.shape(low=1)
    start = s.broadcast(shape)
    target = [1 if own == size and s.chance(0.3) else size for own, size in zip([1] * (len(shape) - len(start)) + start, shape)]
    return Use([s.array(s.dtype(), start), ints(target)], shapelike=(1,))


@op("Tile")
def tile(s):
    shape = s.shape(rank=s.integer(1, 4))
    return Use([s.array(s.dtype(), shape), ints([s.integer(0 if s.chance(0.1) else 1, 3) for _ in shape])], shapelike=(1,))


@op("Concat")
def concat(s):
    shape, dtype = s.shape(rank=s.integer(1, 4)), s.dtype()
    axis = s.axis(len(shape))
    arrays = []
    for _ in range(s.integer(1, 4)):
        part = list(shape)
        part[axis] = s.size(0)
        arrays.append(s.array(dtype, part))
    return Use(arrays, {"axis": axis})


@op("Split")
def split(s):
    shape = s.shape(rank=s.integer(1, 4), low=1)
    axis, count = s.axis(len(shape)), s.integer(1, 3)
    if s.chance(0.4):
        shape[axis] = max(shape[axis], count)
        return Use([s.array(s.dtype(), shape)], {"axis": axis, "num_outputs": count}, outputs=count)
    sizes = [s.size(0) for _ in range(count)]
    shape[axis] = sum(sizes)
    return Use([s.array(s.dtype(), shape), ints(sizes)], {"axis": axis}, outputs=count, shapelike=(1,))


@op("Slice")
def slice_(s):
    shape = s.shape(rank=s.integer(1, 4))
    axes = s.axes(len(shape), 1)
    bounds = [(s.integer(-size - 2, size + 2), s.integer(-size - 2, size + 2), s.pick([1, 1, 2, 3, -1, -2]))
              for size in (shape[axis] for axis in axes)]
    starts, ends, steps = (np.array(column, s.pick([np.int64])) for column in zip(*bounds))
    if s.chance(0.2):
        ends[0] = s.pick([2**31 - 1, 2**63 - 1, -2**31])
    if s.chance(0.3):
        return Use([s.array(s.dtype(), shape), starts, ends, ints(axes)], shapelike=(1, 2, 3))
    return Use([s.array(s.dtype(), shape), starts, ends, ints(axes), steps], shapelike=(1, 2, 3, 4))


@op("Pad")
def pad(s):
    shape = s.shape(rank=s.integer(1, 4), low=1)
    mode = s.pick(["constant", "constant", "reflect", "edge", "wrap"])
    axes = s.axes(len(shape), 1) if s.chance(0.4) else None
    sizes = [shape[axis] for axis in axes] if axes else shape
    most = {"reflect": [size - 1 for size in sizes], "wrap": sizes}.get(mode, [3] * len(sizes))
    amounts = [s.integer(0, min(3, limit)) for limit in most * 2]
    if mode == "constant" and s.chance(0.3):
        amounts[0] = -1 if sizes[0] > 2 else 0
    dtype = s.dtype()
    value = s.array(dtype, []) if mode == "constant" and s.chance(0.6) else None
    return Use([s.array(dtype, shape), ints(amounts), value, None if axes is None else ints(axes)], {"mode": mode}, shapelike=(1, 3))


@op("DepthToSpace", "SpaceToDepth")
def depth_space(s):
    block = s.integer(1, 3)
    n, c, h, w = s.integer(1, 2), s.integer(1, 2), s.size(), s.size()
    if s.op == "DepthToSpace":
        return Use([s.array(s.dtype(), [n, c * block * block, h, w])], s.attributes(blocksize=block, mode=s.maybe(s.pick(["DCR", "CRD"]))))
    return Use([s.array(s.dtype(), [n, c, h * block, w * block])], {"blocksize": block})


@op("Trilu")
def trilu(s):
    return Use([s.array(s.dtype(), s.shape(rank=s.integer(2, 4))), s.maybe(np.array(s.integer(-4, 4)))],
               s.attributes(upper=s.maybe(s.integer(0, 1))))


@op("ReverseSequence")
def reverse_sequence(s):
    shape = s.shape(rank=s.integer(2, 4), low=1)
    time = s.integer(0, 1)
    lengths = s.random.integers(1, shape[time] + 1, [shape[1 - time]]).astype(np.int64)
    return Use([s.array(s.dtype(), shape), lengths], {"time_axis": time, "batch_axis": 1 - time})


# Indexing

@op("Gather")
def gather(s):
    shape = s.shape(rank=s.integer(1, 4), low=1)
    axis = s.axis(len(shape))
    return Use([s.array(s.dtype(), shape), s.indices(shape[axis], s.shape(most=2))], {"axis": axis})


@op("GatherElements")
def gather_elements(s):
    shape = s.shape(rank=s.integer(1, 3), low=1)
    axis = s.axis(len(shape))
    picked = [s.integer(1, size) for size in shape]
    picked[axis] = s.size(0)
    return Use([s.array(s.dtype(), shape), s.indices(shape[axis], picked)], {"axis": axis})


def index_tuples(s, shape, batch, depth, lead):
    """Distinct index tuples into `depth` dims of `shape` behind `batch`."""
    every = list(itertools.product(*(range(size) for size in shape[batch:batch + depth])))
    count = s.integer(1, len(every))
    rows = []
    for _ in range(int(np.prod(lead))):
        order = s.random.permutation(len(every))[:count]
        rows.append([every[int(i)] for i in order])
    return np.array(rows, np.int64).reshape(*lead, count, depth)


@op("GatherND")
def gather_nd(s):
    shape = s.shape(rank=s.integer(1, 4), low=1)
    batch = s.integer(0, min(2, len(shape) - 1))
    depth = s.integer(1, len(shape) - batch)
    return Use([s.array(s.dtype(), shape), index_tuples(s, shape, batch, depth, shape[:batch])], {"batch_dims": batch})


@op("ScatterND")
def scatter_nd(s):
    shape, dtype = s.shape(rank=s.integer(1, 3), low=1), s.dtype(among=["float32", "int64", "int32", "float64"])
    depth = s.integer(1, len(shape))
    indices = index_tuples(s, shape, 0, depth, [])
    return Use([s.array(dtype, shape), indices, s.array(dtype, list(indices.shape[:-1]) + shape[depth:])],
               s.attributes(reduction=s.maybe(s.pick(["none", "add", "mul", "max", "min"]))))


@op("ScatterElements")
def scatter_elements(s):
    shape, dtype = s.shape(rank=s.integer(1, 3), low=1), s.dtype(among=["float32", "int64", "int32", "float64"])
    axis = s.axis(len(shape))
    reduction = s.maybe(s.pick(["none", "add", "mul", "max", "min"]))
    counts = [s.integer(1, size) for size in shape]
    order = np.argsort(s.random.random([*counts[:axis % len(shape)], shape[axis], *counts[axis % len(shape) + 1:]]), axis)
    indices = np.take(order, range(counts[axis]), axis).astype(np.int64)  # distinct along the axis
    return Use([s.array(dtype, shape), indices, s.array(dtype, counts)], s.attributes(axis=axis, reduction=reduction))


@op("OneHot")
def one_hot(s):
    shape, depth, dtype = s.shape(most=2), s.integer(1, 5), s.dtype("T3", ["float32", "int64", "int32"])
    return Use([s.indices(depth, shape, "int64"), np.array(depth), s.array(dtype, [2])],
               s.attributes(axis=s.maybe(s.integer(-len(shape) - 1, len(shape)))), shapelike=(1,))


@op("NonZero")
def non_zero(s):
    return Use([s.array(s.dtype(among=["float32", "int64", "bool", "int32"]), s.shape(rank=s.integer(1, 3)), 0, 1)])


@op("Compress")
def compress(s):
    shape = s.shape(rank=s.integer(1, 3), low=1)
    axis = s.maybe(s.axis(len(shape)))
    most = int(np.prod(shape)) if axis is None else shape[axis]
    return Use([s.array(s.dtype(among=["float32", "int64", "bool"]), shape), s.array("bool", [s.integer(1, most)])], s.attributes(axis=axis))


@op("Unique")
def unique(s):
    shape = s.shape(rank=s.integer(1, 3), low=1)
    array = s.array(s.dtype(among=["float32", "int64", "int8", "float64"]), shape, 0, 3)
    return Use([np.round(array)], s.attributes(axis=s.maybe(s.axis(len(shape))), sorted=s.maybe(1)), outputs=4)


@op("EyeLike")
def eye_like(s):
    return Use([s.array(s.dtype("T1", ["float32", "int64", "int32"]), s.shape(rank=2))], s.attributes(k=s.maybe(s.integer(-2, 2))))


@op("Shape", "Size")
def shape_of(s):
    shape = s.shape()
    bounds = s.attributes(start=s.maybe(s.integer(-4, 4)), end=s.maybe(s.integer(-4, 4))) if s.op == "Shape" else {}
    return Use([s.array(s.dtype(), shape)], bounds)


@op("Range")
def range_(s):
    dtype = s.dtype(among=["float32", "int64", "int32", "float64"])
    start, delta = s.integer(-5, 5), s.pick([-2, -1, 1, 2, 3])
    values = [start, start + delta * s.integer(-1, 6), delta]
    return Use([np.array(value, dtype) for value in values], shapelike=(0, 1, 2))


# Quantization, resizing, recurrence

@op("QuantizeLinear", "DequantizeLinear")
def quantize(s):
    shape = s.shape(rank=s.integer(1, 4), low=1)
    kind = s.pick(["int8", "uint8", "int16", "uint16"])
    axis = s.maybe(s.axis(len(shape)))
    parameters = [] if axis is None else [shape[axis]]
    scale = s.array("float32", parameters, 0.05, 0.5)
    point = s.array(kind, parameters)
    first = s.array("float32", shape) if s.op == "QuantizeLinear" else s.array(kind, shape)
    return Use([first, scale, point], s.attributes(axis=axis))


@op("DynamicQuantizeLinear")
def dynamic_quantize(s):
    return Use([s.array("float32", s.shape(rank=s.integer(1, 3), low=1))], outputs=3)


@op("Resize")
def resize(s):
    rank = s.integer(1, 2)
    shape = [1, s.integer(1, 2)] + [s.integer(2, 7) for _ in range(rank)]
    mode = s.pick(["nearest", "linear", "cubic"] if rank == 2 else ["nearest", "linear"])
    attributes = {"mode": mode, "coordinate_transformation_mode": s.pick(["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"])}
    if mode == "nearest":
        attributes["nearest_mode"] = s.pick(["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])
    if mode == "cubic" and s.chance(0.3):
        attributes["exclude_outside"] = 1
    array = s.array("float32", shape)
    if s.chance(0.5):
        sizes = shape[:2] + [s.integer(1, 9) for _ in range(rank)]
        return Use([array, None, None, ints(sizes)], attributes, shapelike=(3,))
    scales = np.array([1, 1] + [s.pick([0.5, 1.0, 1.5, 2.0, 3.0]) for _ in range(rank)], np.float32)
    return Use([array, None, scales], attributes, shapelike=(2,))


@op("GridSample")
def grid_sample(s):
    n, c, h, w = s.integer(1, 2), s.integer(1, 2), s.integer(2, 5), s.integer(2, 5)
    grid = s.array("float32", [n, s.integer(1, 4), s.integer(1, 4), 2], -1.2, 1.2)
    return Use([s.array("float32", [n, c, h, w]), grid],
               s.attributes(mode=s.pick(["linear", "nearest", "cubic"]), padding_mode=s.pick(["zeros", "border", "reflection"]),
                            align_corners=s.integer(0, 1)))


@op("LSTM", "GRU", "RNN")
def recurrent(s):
    gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[s.op]
    direction = s.pick(["forward", "reverse", "bidirectional"])
    d, t, b, i, h = 1 + (direction == "bidirectional"), s.integer(1, 4), s.integer(1, 3), s.integer(1, 4), s.integer(1, 4)
    inputs = [s.array("float32", [t, b, i]), s.array("float32", [d, gates * h, i], -0.5, 0.5), s.array("float32", [d, gates * h, h], -0.5, 0.5),
              s.maybe(s.array("float32", [d, 2 * gates * h])),
              s.maybe(s.random.integers(1, t + 1, [b]).astype(np.int32), 0.3), s.maybe(s.array("float32", [d, b, h]))]
    if s.op == "LSTM":
        inputs.append(s.maybe(s.array("float32", [d, b, h])))
        inputs.append(s.maybe(s.array("float32", [d, 3 * h]), 0.3))
    attributes = s.attributes(hidden_size=h, direction=direction, clip=s.maybe(0.8, 0.2))
    if s.op == "GRU" and s.chance(0.5):
        attributes["linear_before_reset"] = 1
    return Use(inputs, attributes, outputs=3 if s.op == "LSTM" else 2)
