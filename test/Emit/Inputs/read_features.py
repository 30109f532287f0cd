# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints what the models in files ask the processor for: the strings behind
onnxc_model's cpu_features, found without running anything. Of an object, an
archive or assembly a library is made first, by clang."""

import struct
import subprocess
import sys
import tempfile


def sections(data):
    start, = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, start + i * size) for i in range(count)]
    table = headers[names][4]
    return [(data[table + h[0]:data.index(b"\0", table + h[0])].decode(), *h[1:]) for h in headers]


def read(path):
    """The list is <prefix>_cpu_features, of pointers that the loader relocates."""
    with open(path, "rb") as file:
        data = file.read()
    headers = sections(data)

    def at(address):
        for _, kind, flags, start, offset, size, *_ in headers:
            if flags & 2 and kind != 8 and start <= address < start + size:
                return offset + address - start
        raise ValueError(hex(address))

    symbols = {}
    for name, kind, _, _, offset, size, link, _, _, entry in headers:
        if name in (".symtab", ".dynsym"):
            strings = headers[link][4]
            for i in range(size // entry):
                label, _, _, _, value, _ = struct.unpack_from("<IBBHQQ", data, offset + i * entry)
                symbols[data[strings + label:data.index(b"\0", strings + label)].decode()] = value
    relocated = {}
    for name, kind, _, _, offset, size, *_ in headers:
        if kind == 4:
            for i in range(size // 24):
                where, _, addend = struct.unpack_from("<QQq", data, offset + i * 24)
                relocated[where] = addend
    place = next(value for name, value in symbols.items() if name.endswith("_cpu_features"))
    features = []
    while place in relocated:
        text = at(relocated[place])
        features.append(data[text:data.index(b"\0", text)].decode())
        place += 8
    return features


def read_any(path):
    if path.endswith(".so"):
        return read(path)
    with tempfile.NamedTemporaryFile(suffix=".so") as library:
        subprocess.run(["cc", "-shared", "-Wl,--whole-archive", path, "-Wl,--no-whole-archive", "-o", library.name], check=True)
        return read(library.name)


if __name__ == "__main__":
    for path in sys.argv[1:]:
        print(" ".join(["features:", *read_any(path), "end"]))
