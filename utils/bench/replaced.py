"""A copy of the peers' environment in which each CPUID is replaced by an instruction that no
processor has, so that bench/processor_level.c can answer it where processor and Linux have no
faults at CPUID.

usage (by a test): python -m bench.replaced FILE: replaces the CPUIDs of FILE, prints where they were

The copy has hard links to all files but the libraries with such instructions. It is made
once, and again when a library of the environment changes. A process that imports from
it without that preload ends with status 97, and a library of it that a process loads
otherwise with SIGILL.
"""

import concurrent.futures
import contextlib
import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys

from bench import native

CPUID, UD0 = b"\x0f\xa2", b"\x0f\xff"
DISASSEMBLERS = ("llvm-objdump-22", "llvm-objdump", "objdump")
# Raised when the copy is made in another way: it is made again.
REVISION = 1
# Python runs it when it starts, before anything of the copy is imported.
GUARD = """import os; \
all(os.environ.get(name) for name in ("ONNXC_BENCH_REPLACED", "ONNXC_BENCH_LEVEL", "LD_PRELOAD")) or \
(os.write(2, b"A copy of an environment in which nothing answers CPUID: utils/bench/replaced.py\\n"), os._exit(97))
"""


@functools.cache
def has_cpuid_faults():
    """Whether processor_level.c can answer for CPUID in libraries as they are."""
    library = native.build("processor_level.c", *native.SHARED)
    return subprocess.run(["true"], env={**os.environ, "LD_PRELOAD": library, "ONNXC_BENCH_LEVEL": "x86-64-v2"},
                          stderr=subprocess.DEVNULL).returncode == 0


def executable_segments(data):
    """[(address, offset, size)] of what a shared object for x86-64 executes; nothing of another file."""
    if data[:6] != b"\x7fELF\2\1" or len(data) < 64 or struct.unpack_from("<H", data, 18)[0] != 62:
        return []
    start, = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    found = []
    for i in range(count):
        kind, flags, offset, address, _, length = struct.unpack_from("<IIQQQQ", data, start + i * size)
        if kind == 1 and flags & 1:
            found.append((address, offset, length))
    return found


def cpuid_offsets(path):
    """Where in a file its CPUID instructions are, by a disassembly of all of its code. The bytes alone may be
    part of another instruction; where they are nowhere, nothing is disassembled."""
    data = pathlib.Path(path).read_bytes()
    segments = executable_segments(data)
    if all(data.find(CPUID, offset, offset + length) < 0 for _, offset, length in segments):
        return []
    disassembler = next(filter(shutil.which, DISASSEMBLERS), None)
    if disassembler is None:
        raise RuntimeError(f"no disassembler: expected one of {', '.join(DISASSEMBLERS)}")
    lister = subprocess.Popen([disassembler, "-d", "--no-show-raw-insn", str(path)], stdout=subprocess.PIPE)
    try:
        text = subprocess.run(["grep", "-E", r"^ *[0-9a-f]+:\s+cpuid\s*$"], stdin=lister.stdout, capture_output=True,
                              text=True).stdout
    finally:
        lister.stdout.close()
        if lister.wait():
            raise RuntimeError(f"{path}: {disassembler} fails with status {lister.returncode}")
    found = []
    for address in (int(line.split(":")[0], 16) for line in text.splitlines()):
        offset = next(address - first + offset for first, offset, size in segments if first <= address < first + size)
        if data[offset:offset + 2] != CPUID:
            raise RuntimeError(f"{path}: no CPUID at {address:#x}, where {disassembler} lists one")
        found.append(offset)
    return found


def replace(path, offsets):
    """Writes the file again, which other names of it do not see, with UD0 in these places."""
    path = pathlib.Path(path)
    data = bytearray(path.read_bytes())
    for offset in offsets:
        data[offset:offset + 2] = UD0
    part = path.with_name(path.name + ".part")
    part.write_bytes(data)
    shutil.copymode(path, part)
    part.replace(path)


def libraries(folder):
    """The shared objects below a folder, each once."""
    return sorted(path for path in folder.rglob("*") if re.search(r"\.so(\.[0-9.]+)?$", path.name)
                  and path.is_file() and not path.is_symlink())


def link(source, target):
    """A second name for a file, or a copy where there can be none."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def key_of(environment):
    """What the copy depends on: the path, size and time of each library."""
    key = hashlib.sha256(f"{REVISION} {environment}".encode())
    for path in libraries(environment):
        status = path.stat()
        key.update(f"{path.relative_to(environment)} {status.st_size} {status.st_mtime_ns}\n".encode())
    return key.hexdigest()[:16]


def copy_of(environment):
    """The copy of an environment. Its file cpuid.json, made last, has the places of the instructions. Older
    copies of the same environment are removed."""
    environment = pathlib.Path(environment).resolve()
    key = key_of(environment)
    home = native.cache_folder("replaced")
    group = hashlib.sha256(str(environment).encode()).hexdigest()[:8]
    copy = home / f"{group}-{key}"
    if (copy / "cpuid.json").exists():
        return copy
    print(f"making {copy}, a copy of {environment} that has no CPUID, once", file=sys.stderr, flush=True)
    for other in home.glob(f"{group}-*"):
        shutil.rmtree(other)
    shutil.copytree(environment, copy, symlinks=True, copy_function=link)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        paths = libraries(copy)
        found = {path: offsets for path, offsets in zip(paths, pool.map(cpuid_offsets, paths)) if offsets}
    for path, offsets in found.items():
        replace(path, offsets)
    for packages in copy.glob("lib/python3*/site-packages"):
        (packages / "cpuid_guard.pth").write_text(GUARD)
    (copy / "cpuid.json").write_text(json.dumps(
        {str(path.relative_to(copy)): offsets for path, offsets in found.items()}, indent=1) + "\n")
    return copy


@functools.cache
def current_copy():
    """The copy of the environment that runs."""
    if sys.prefix == sys.base_prefix:
        raise RuntimeError("CPUID cannot be answered for on this machine, unless peers have an environment of their "
                           "own: utils/peers/install.sh")
    return copy_of(sys.prefix)


@contextlib.contextmanager
def imported_from(copy):
    """Processes that multiprocessing starts meanwhile run in the copy."""
    from multiprocessing import spawn
    executable, path = spawn.get_executable(), list(sys.path)
    moved = [str(copy / pathlib.Path(entry).relative_to(sys.prefix))
             if pathlib.Path(entry).is_relative_to(sys.prefix) else entry for entry in path]
    spawn.set_executable(str(copy / "bin" / "python3"))
    sys.path[:] = moved
    try:
        yield
    finally:
        spawn.set_executable(executable)
        sys.path[:] = path


def check_loaded():
    """Raises if this process, which is to run in a copy, has loaded something of the environment itself, whose
    CPUID says what the machine has."""
    original = os.environ.get("ONNXC_BENCH_REPLACED")
    if not original:
        return
    for line in pathlib.Path("/proc/self/maps").read_text().splitlines():
        path = line.split(None, 5)[5:]
        if path and pathlib.Path(path[0]).is_relative_to(original):
            raise RuntimeError(f"{path[0]} is loaded instead of its copy: its CPUID is the machine's")


def main():
    path = sys.argv[1]
    offsets = cpuid_offsets(path)
    replace(path, offsets)
    print(*map(hex, offsets))


if __name__ == "__main__":
    main()
