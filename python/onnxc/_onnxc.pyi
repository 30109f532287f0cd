# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from collections.abc import Sequence

from ._runtime import Error as Error

__version__: str

class Limits:
    def __init__(self, max_nodes: int | None, max_depth: int | None, max_tensor_bytes: int | None, fold_budget: int | None) -> None: ...

class OptimizeOptions:
    passes: list[str] | None
    disabled: list[str]
    fixed_point: bool
    upstream_compatible: bool
    freeze: bool
    inline_functions: bool
    input_shapes: list[str]
    nsz: bool | None
    keep_interface: bool | None
    nnan: bool
    ninf: bool
    assume_strictly_monotone: bool
    fold_budget: int | None
    unroll_budget: int | None
    max_nodes: int | None
    max_depth: int | None
    save_external: str
    def __init__(self) -> None: ...

class QuantizeOptions:
    bits: int
    weight_only: bool
    zero_points: bool
    embeddings: bool
    block_size: int | None
    format: str
    calibration_method: str
    activations: str
    percentile: float | None
    max_error: float | None
    calibrate: list[str]
    exclude: list[str]
    shapes: list[str]
    sensitivity: bool
    freeze: bool
    max_nodes: int | None
    max_depth: int | None
    threads: int
    save_external: str
    def __init__(self) -> None: ...

def compile(input: str, output: str, opt_level: int, mcpu: str, mattr: str, mtriple: str, prefix: str, standalone_header: bool,
            fast_math: bool, no_winograd: bool, activation_int8: str, tuning: str, sanitize: str, shapes: Sequence[str], dims: Sequence[str],
            freeze: bool, frozen: Sequence[str], last_logits: str, states: Sequence[str],
            pulses: Sequence[str], state_capacity: int | None, limits: Limits, in_process: bool, scratch: str) -> str: ...
def check(input: str, opt_level: int, shapes: Sequence[str], dims: Sequence[str], freeze: bool, frozen: Sequence[str],
          limits: Limits) -> str: ...
def inspect(input: str, form: str, shapes: Sequence[str], dims: Sequence[str], limits: Limits) -> str: ...
def optimize(model: bytes, options: OptimizeOptions) -> tuple[bytes, list[tuple[str, int]], dict[str, int], dict[str, int], str]: ...
def optimize_file(input: str, output: str,
                  options: OptimizeOptions) -> tuple[bytes, list[tuple[str, int]], dict[str, int], dict[str, int], str]: ...
def convert(model: bytes, opsets: Sequence[str]) -> tuple[bytes, str]: ...
def quantize_file(input: str, output: str, options: QuantizeOptions) -> tuple[str, str]: ...
def optimizer_passes() -> list[dict[str, str]]: ...
def upstream_default_passes() -> list[str]: ...
