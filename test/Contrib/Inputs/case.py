"""What a case of the operators of com.microsoft is."""
import dataclasses
import typing

import numpy as np

rng = np.random.default_rng(7)


@dataclasses.dataclass
class Case:
    op: str
    inputs: list  # None: absent.
    attributes: dict = dataclasses.field(default_factory=dict)
    outputs: tuple = (0, )
    constants: tuple = ()  # Inputs that are never anything else.
    known: dict = dataclasses.field(default_factory=dict)  # Axes of inputs whose size is known in every mode.
    expected: typing.Any = None  # What ONNX Runtime cannot say.
    tolerance: float = 2e-5
    is_rounded: bool = True
    select: typing.Any = None  # What of a result is specified.
    modes: tuple = ("static", "open", "constant")
    domain: str = "com.microsoft"
    opset: int = 21
    floats: tuple = ()  # Outputs that are declared as float.


def u8(*shape):
    return rng.integers(0, 256, shape).astype(np.uint8)


def i8(*shape):
    return rng.integers(-128, 128, shape).astype(np.int8)


def f32(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def f16(*shape):
    return rng.standard_normal(shape).astype(np.float16)


def i32(low, high, *shape):
    return rng.integers(low, high, shape).astype(np.int32)


def i64(low, high, *shape):
    return rng.integers(low, high, shape).astype(np.int64)


def scale(x):
    return np.float32(x)
