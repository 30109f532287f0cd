# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes that a model leaves open."""


class Size(int):
    """The int is the size in the first set of inputs, `second` in the other.
    `symbol` is its dim_param; what is computed from sizes has none."""

    def __new__(cls, first, second, symbol=""):
        self = super().__new__(cls, first)
        self.second, self.symbol = int(second), symbol
        return self


def second(size):
    return size.second if isinstance(size, Size) else int(size)


def is_fixed(shape):
    return not any(isinstance(size, Size) for size in shape)


def _operator(name):
    method = getattr(int, name)

    def compute(self, other):
        result = method(int(self), int(other))
        return NotImplemented if result is NotImplemented else Size(result, method(self.second, second(other)))
    return compute


for _name in ("add", "radd", "sub", "rsub", "mul", "rmul", "floordiv", "rfloordiv", "mod"):
    setattr(Size, f"__{_name}__", _operator(f"__{_name}__"))
Size.__neg__ = lambda self: Size(-int(self), -self.second)


def largest(a, b):
    """The greater one, in each set of inputs."""
    if is_fixed((a, b)):
        return max(a, b)
    return Size(max(int(a), int(b)), max(second(a), second(b)))


def smallest(a, b):
    return -largest(-a, -b)


def product(shape):
    result = 1
    for size in shape:
        result = result * size
    return result


def broadcast(*shapes):
    """The shape of an elementwise result; of two sizes that must be equal, the
    one that is known."""
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]

    def preference(size):
        return (isinstance(size, Size), 0) if int(size) != 1 else (2, not isinstance(size, Size))
    return tuple(min(column, key=preference) for column in zip(*padded))
