# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What generators of uses are made of. A generator is a function of a Source
that returns a Use; GENERATORS has one per operator."""

import dataclasses

import ml_dtypes
import numpy as np
import onnx.defs

OPSET = 23  # what onnxruntime and onnx.reference both know well
BATCH = 8  # neighbouring seeds that have one opset, to be one model

FLOATS = ["float32", "float64", "float16", "bfloat16"]
SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
INTS = SIGNED + UNSIGNED
SMALL_FLOATS = ["float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float4_e2m1fn", "float8_e8m0fnu"]
SMALL_INTS = ["int4", "uint4", "int2", "uint2"]
NUMBERS = FLOATS + INTS
LONG = [16, 33, 64, 100]
EVERY = NUMBERS + ["bool"] + SMALL_FLOATS + SMALL_INTS
_DTYPES = {"float": "float32", "double": "float64", "float8e4m3fn": "float8_e4m3fn", "float8e5m2": "float8_e5m2",
           "float8e4m3fnuz": "float8_e4m3fnuz", "float8e5m2fnuz": "float8_e5m2fnuz", "float4e2m1": "float4_e2m1fn",
           "float8e8m0": "float8_e8m0fnu"}


@dataclasses.dataclass
class Use:
    """Inputs are arrays, lists of arrays (a sequence), or None (absent);
    `shapelike` are indices of inputs that decide shapes, which models mostly
    have as constants; `captured` are those that a subgraph reads, by the names
    x0, x1, ... of the model's inputs. `outputs` may be a list of names, "" for
    those left out. `after` are nodes that make the model's outputs y0, y1, ...
    from results of the operator."""

    inputs: list
    attributes: dict = dataclasses.field(default_factory=dict)
    outputs: int | list = 1
    shapelike: tuple = ()
    captured: tuple = ()
    after: list = dataclasses.field(default_factory=list)


def numpy_dtype(name):
    return np.dtype(getattr(ml_dtypes, name, name) if isinstance(name, str) else name)


def is_integer(dtype):
    return "int" in numpy_dtype(dtype).name


def bounds(dtype):
    """Least and greatest integer."""
    dtype = numpy_dtype(dtype)
    info = np.iinfo(dtype) if dtype.kind in "iu" else ml_dtypes.iinfo(dtype)
    return int(info.min), int(info.max)


def onnx_dtype(name):
    return int(onnx.helper.np_dtype_to_tensor_dtype(numpy_dtype(name)))


def first_version(op, domain):
    return min(schema.since_version for schema in onnx.defs.get_all_schemas_with_history()
               if schema.name == op and schema.domain == domain)


def choose_opset(seed):
    """Mostly the usual one."""
    random = np.random.default_rng(seed)
    return OPSET if random.random() < 0.6 else int(random.integers(11, onnx.defs.onnx_opset_version() + 1))


class Source:
    """Random shapes, arrays and choices."""

    def __init__(self, op, domain, random, opset=OPSET):
        """`opset`: of the model's operators, or a newer one where the operator is newer."""
        self.op, self.domain, self.random = op, domain, random
        self.opset = max(opset, first_version(op, domain)) if domain == "" else onnx.defs.get_schema(op, 99, domain).since_version
        # Whether elements are drawn from the ends of their type too.
        self.has_edges = self.chance(0.3)

    def pick(self, values):
        return values[int(self.random.integers(len(values)))]

    def chance(self, probability):
        return bool(self.random.random() < probability)

    def integer(self, low, high):
        """From low to high, both included."""
        return int(self.random.integers(low, high + 1))

    def real(self, low, high):
        return round(float(self.random.uniform(low, high)), 3)

    def size(self, low=1):
        sizes = [1, 2, 3, 4, 5, 7, 8, 17] if low or not self.chance(0.08) else [0]
        return self.pick(sizes)

    def shape(self, rank=None, low=0, most=4):
        rank = self.integer(0, most) if rank is None else rank
        sizes = [self.size(low) for _ in range(rank)]
        # One at most: what is done in blocks, with a rest or without one.
        if sizes and self.chance(0.1):
            sizes[self.integer(0, rank - 1)] = self.pick(LONG)
        return sizes

    def schema(self):
        return onnx.defs.get_schema(self.op, self.opset, self.domain)

    def fits(self, use):
        """Whether the operator's form at the opset can express it."""
        schema = self.schema()
        formal = list(schema.inputs)
        if len(use.inputs) > len(formal) and formal[-1].option != onnx.defs.OpSchema.FormalParameterOption.Variadic:
            return False
        if not set(use.attributes) <= set(schema.attributes):
            return False
        for i, value in enumerate(use.inputs):
            if isinstance(value, np.ndarray) and value.dtype.kind != "O":
                number = onnx.helper.np_dtype_to_tensor_dtype(value.dtype)
                name = onnx.TensorProto.DataType.Name(number).lower()
                if f"tensor({name})" not in formal[min(i, len(formal) - 1)].types:
                    return False
        return True

    def types(self, parameter="T", among=None):
        """Names of numpy dtypes that the operator takes for a type parameter."""
        constraints = {c.type_param_str: c.allowed_type_strs for c in self.schema().type_constraints}
        allowed = constraints[parameter if parameter in constraints else "T"]  # older forms have fewer
        names = [text[len("tensor("):-1] for text in allowed if text.startswith("tensor(")]
        names = [_DTYPES.get(name, name) for name in names]
        return [name for name in among or EVERY if name in names]

    def dtype(self, parameter="T", among=None):
        types = self.types(parameter, among)
        # Most models are float.
        return "float32" if "float32" in types and self.chance(0.3) else self.pick(types)

    def array(self, dtype, shape, low=None, high=None):
        dtype = numpy_dtype(dtype)
        if dtype.kind == "b":
            return self.random.integers(0, 2, shape).astype(bool)
        if is_integer(dtype):
            least, greatest = bounds(dtype)
            low = max(least, -9) if low is None else low
            high = min(greatest, 9) if high is None else high
            return np.asarray(self.random.integers(low, high + 1, shape)).astype(dtype)
        if low is None:
            return np.asarray(self.random.standard_normal(shape) * 2).astype(dtype)
        return np.asarray(self.random.uniform(low, high, shape)).astype(dtype)

    def edges(self, dtype, shape, *range_):
        """As array(); in some cases with values in it that are the greatest,
        the least, not finite, subnormal or halfway."""
        array = self.array(dtype, shape, *range_)
        if not self.has_edges or array.dtype.kind == "b":
            return array
        if is_integer(array.dtype):
            least, greatest = bounds(array.dtype)
            special = [least, least + 1, greatest, greatest - 1, 0, 1, greatest // 2 + 1]
        else:
            info = ml_dtypes.finfo(array.dtype)
            special = [np.nan, np.inf, -np.inf, -0.0, 0.0, 0.5, 2.5, -1.5, float(info.smallest_subnormal), -float(info.tiny) / 2,
                       float(info.max), float(info.min), 1e5, -3e9, 16777217.0]
        with np.errstate(over="ignore", invalid="ignore"):
            special = np.array(special, object if is_integer(array.dtype) else np.float64).astype(array.dtype)
        chosen = special[self.random.integers(0, len(special), shape)]
        return np.where(self.random.random(shape) < 0.3, chosen, array).astype(array.dtype)

    def indices(self, count, shape, dtype=None):
        """Indices into `count` elements, some from the end."""
        return np.asarray(self.random.integers(-count, count, shape)).astype(dtype or self.pick(["int32", "int64"]))

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
        """Those that are not None: each is left to its default now and then."""
        return {name: value for name, value in values.items() if value is not None}


GENERATORS = {}


def op(*names, domain=""):
    def register(function):
        for name in names:
            GENERATORS[name] = (function, domain)
        return function
    return register


def choose(random, ops):
    """One of `ops`, or of all."""
    names = sorted(ops or GENERATORS)
    return names[int(random.integers(len(names)))]


def ints(values):
    return np.array(values, np.int64).reshape(-1)
