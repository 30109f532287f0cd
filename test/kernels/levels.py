# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The processors that kernels are compiled for, and which of them this machine is."""

import dataclasses
import functools
import pathlib
import platform


@functools.cache
def flags():
    """What the processor can do, in Linux' words."""
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    return next((frozenset(line.split(":")[1].split()) for line in lines if line.startswith("flags")), frozenset())


V2 = {"sse4_2", "ssse3", "popcnt", "cx16", "lahf_lm"}
AVX = V2 | {"avx"}
V3 = AVX | {"avx2", "bmi1", "bmi2", "f16c", "fma", "movbe", "abm"}
V4 = V3 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}


@dataclasses.dataclass(frozen=True)
class Level:
    lanes: int  # of floats
    cpu: str
    needs: frozenset
    attributes: str = ""
    triple: str = ""
    suffix: str = ".so"
    bytes_only: bool = False  # differs from another level in products and look-ups of bytes
    plain: bool = False  # kernels as scalar loops, the last resort of the compiler

    def runs_here(self):
        return not self.triple and platform.machine() == "x86_64" and self.needs <= flags()


LEVELS = {
    "v2": Level(4, "x86-64-v2", frozenset(V2)),
    "avx": Level(8, "x86-64-v2", frozenset(AVX), "+avx"),
    "v3": Level(8, "x86-64-v3", frozenset(V3)),
    "v3-vnni": Level(8, "x86-64-v3", frozenset(V3 | {"avx_vnni"}), "+avxvnni", bytes_only=True),
    "v4": Level(16, "x86-64-v4", frozenset(V4)),
    "v4-vnni": Level(16, "x86-64-v4", frozenset(V4 | {"avx512_vnni", "avx512vbmi"}), "+avx512vnni,+avx512vbmi", bytes_only=True),
    "aarch64": Level(4, "generic", frozenset(), triple="aarch64-linux-gnu", suffix=".o"),
    "plain": Level(8, "x86-64-v3", frozenset(V3), plain=True),
}
