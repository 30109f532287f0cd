# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Between tensors of torch and arrays of numpy, on the same memory where that is possible."""
from __future__ import annotations

import re
from typing import Any

import torch

# What numpy lacks goes through integers of the same size: see values.py.
_BY_BITS = {"tensor(bfloat16)": torch.bfloat16, "tensor(float8e4m3fn)": torch.float8_e4m3fn, "tensor(float8e5m2)": torch.float8_e5m2}

# Bytes of weights from which on they are in a file of their own: a ModelProto has 2 GiB at most.
EXTERNAL = 1 << 30


def bytes_of(module: torch.nn.Module) -> int:
    """What the weights of a module take."""
    return sum(part.numel() * part.element_size() for part in [*module.parameters(), *module.buffers()])


def as_numpy(tensor: torch.Tensor) -> Any:
    """The array of a tensor of the processor."""
    tensor = tensor.detach().resolve_conj().resolve_neg()
    if tensor.dtype in _BY_BITS.values():
        import ml_dtypes
        name = str(tensor.dtype).removeprefix("torch.")
        return tensor.contiguous().view(torch.uint8 if tensor.element_size() == 1 else torch.int16).numpy().view(getattr(ml_dtypes, name))
    return tensor.contiguous().numpy()


def as_tensor(array: Any, declared: str) -> torch.Tensor:
    """The tensor of an output of that type."""
    if (dtype := _BY_BITS.get(declared)) is not None:
        return torch.from_numpy(array.view("uint8" if dtype.itemsize == 1 else "int16")).view(dtype)
    return torch.from_numpy(array)


def reason_of(error: BaseException) -> str:
    """One line for what torch raised: of what it was raised from first."""
    while error.__cause__ is not None:
        error = error.__cause__
    text = re.sub("\x1b\\[[0-9;]*m", "", str(error)).strip()
    return f"{type(error).__name__}: {text.splitlines()[0] if text else ''}"
