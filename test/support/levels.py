# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The processors that kernels are compiled for, and which of them this machine is."""

import dataclasses
import functools
import pathlib
import platform
import shutil
import subprocess
import tempfile
import typing

import value_bytes

import windows


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
    bytes_only: bool = False  # differs from another level in products and look-ups of bytes
    plain: bool = False  # kernels as scalar loops, the last resort of the compiler
    emulator: tuple = ()  # of QEMU, with its arguments
    suffix: typing.ClassVar = ".so"  # of the library
    on_demand: bool = False  # only where it is asked for by name
    beside: str = ""  # others in the same file, for the last of which constants are packed

    def runs_here(self):
        if self.emulator:
            return all(map(shutil.which, [self.emulator[0], self.triple + "-gcc"])) and pathlib.Path("/usr", self.triple, "lib/libc.so.6").exists()
        return platform.machine() == "x86_64" and self.needs <= flags()

    def emulate(self, path, inputs):
        """The outputs of the library on an emulated processor or system, by arrays as value_bytes.py
        takes and gives them; None if the emulator fails."""
        files = [path + ".inputs", path + ".outputs"]
        pathlib.Path(files[0]).write_bytes(b"".join(map(value_bytes.encode, inputs)))
        done = self.run_driver(path, files)
        # QEMU 7.2, Debian 12's, has a bug in some of RISC-V's vector conversions.
        if "decode_save_opc: Assertion" in done.stderr:
            return None
        if done.returncode:
            raise RuntimeError(f"exit code {done.returncode}: {done.stderr}")
        return value_bytes.decode(pathlib.Path(files[1]).read_bytes())


    def run_driver(self, path, files):
        command = [*self.emulator, "-L", "/usr/" + self.triple, driver(self.triple), path, *files]
        return subprocess.run(command, capture_output=True, text=True)


class Windows(Level):
    """Under Wine: a program has the model in it."""

    suffix = ".lib"

    def runs_here(self):
        return windows.is_here()

    def run_driver(self, path, files):
        here = pathlib.Path(__file__).resolve().parent
        windows.build(path + ".exe", here / "emulated.c", [path])
        return windows.run(path + ".exe", [path, *files], capture_output=True, text=True)


@functools.cache
def driver(triple):
    """A program for another processor that runs a library once."""
    here = pathlib.Path(__file__).resolve().parent
    folder = tempfile.TemporaryDirectory(prefix="onnxc-emulated-")
    DRIVERS.append(folder)
    path = f"{folder.name}/emulated"
    subprocess.run([triple + "-gcc", "-std=gnu11", "-O1", "-I", here.parents[1] / "include", here / "emulated.c", "-rdynamic", "-ldl", "-o", path], check=True)
    return path


DRIVERS = []  # folders that live as long as the process
ARM = {"triple": "aarch64-linux-gnu", "emulator": ("qemu-aarch64", "-cpu", "max")}
RISCV = {"triple": "riscv64-linux-gnu", "emulator": ("qemu-riscv64", "-cpu", "rv64,v=true,vext_spec=v1.0,vlen=128")}
RISCV_256 = {**RISCV, "emulator": ("qemu-riscv64", "-cpu", "rv64,v=true,vext_spec=v1.0,vlen=256")}


LEVELS = {
    "v2": Level(4, "x86-64-v2", frozenset(V2)),
    "avx": Level(8, "x86-64-v2", frozenset(AVX), "+avx"),
    "v3": Level(8, "x86-64-v3", frozenset(V3)),
    "v3-vnni": Level(8, "x86-64-v3", frozenset(V3 | {"avx_vnni"}), "+avxvnni", bytes_only=True),
    "v4": Level(16, "x86-64-v4", frozenset(V4)),
    "v4-vnni": Level(16, "x86-64-v4", frozenset(V4 | {"avx512_vnni", "avx512vbmi"}), "+avx512vnni,+avx512vbmi", bytes_only=True),
    "v4-amx": Level(16, "x86-64-v4", frozenset(V4 | {"avx512_vnni", "avx512vbmi", "amx_int8"}), "+avx512vnni,+avx512vbmi,+amx-int8", bytes_only=True),
    "v4-bf16": Level(16, "x86-64-v4", frozenset(V4 | {"amx_bf16"}), "+amx-bf16", bytes_only=True),
    "aarch64": Level(4, "generic", frozenset(), **ARM),
    "aarch64-dot": Level(4, "generic", frozenset(), "+dotprod", bytes_only=True, **ARM),
    "aarch64-i8mm": Level(4, "generic", frozenset(), "+dotprod,+i8mm", bytes_only=True, on_demand=True, **ARM),
    "rv64gc": Level(4, "generic", frozenset(), on_demand=True, **RISCV),
    "rv64gcv": Level(4, "generic", frozenset(), "+v", **RISCV),
    "rv64gcv-256": Level(8, "generic", frozenset(), "+v,+zvl256b", on_demand=True, **RISCV_256),
    "windows": Windows(16, "portable", frozenset(), triple="x86_64-pc-windows-msvc", emulator=("wine64",), on_demand=True),
    "mingw": Windows(16, "portable", frozenset(), triple="x86_64-w64-mingw32", emulator=("wine64",), on_demand=True),
    # Of files with code for several processors: their panels are those of the last one.
    "v2-of-all": Level(16, "x86-64-v2", frozenset(V2), beside="x86-64-v3,x86-64-v4", on_demand=True),
    "v3-of-all": Level(16, "x86-64-v3", frozenset(V3), beside="x86-64-v4"),
    "v4-of-all": Level(16, "x86-64-v4", frozenset(V4), beside="x86-64-v4+avx512vnni", on_demand=True),
    "plain": Level(8, "x86-64-v3", frozenset(V3), plain=True),
}
