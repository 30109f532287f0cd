#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stand-ins for this machine's glibc, to link programs that older ones run.

    utils/glibc_stand_ins.py --oldest 2.28 -o FOLDER

A linker takes the newest version of each function that a library has, and an
older system refuses the program. The libraries that this writes to FOLDER
(libc.so, libm.so, ...; use them by -L FOLDER) have no code, only names: those of
this machine's libraries, each at the newest version that glibc OLDEST has. What
came later is missing in them, so that the linker names it: lib/OldGlibc has the
few such functions that are needed.
"""
import argparse
import os
import re
import subprocess
import sys

# Where functions were before glibc 2.34 made them a part of libc.so.6. Newer
# systems keep these libraries as empty ones, and find the functions in libc.
FORMER_LIBRARIES = [
    ("libdl.so.2", r"dl[a-z].*"),
    ("librt.so.1", r"(aio|lio|mq|shm|timer)_.*"),
    ("libutil.so.1", r"openpty|forkpty|login.*|logout|logwtmp"),
    ("libpthread.so.0", r"(__)?(pthread|sem)_.*"),
]
LIBRARIES = ["libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"]
# readelf's: number, value, size, type, binding, visibility, section, name@version.
SYMBOL = re.compile(r"\s*\d+:\s+\S+\s+(\S+)\s+(\w+)\s+(?:GLOBAL|WEAK|UNIQUE)\s+DEFAULT\s+(\w+)\s+([^@\s]+)@@?GLIBC_([\d.]+)")


def numbers(version):
    return [int(part) for part in version.split(".")]


def read_symbols(readelf, library):
    """{name: {version: (kind, size)}} of what `library` defines."""
    text = subprocess.run([readelf, "--dyn-syms", "-W", library], check=True, capture_output=True, text=True).stdout
    symbols = {}
    for line in text.splitlines():
        match = SYMBOL.match(line)
        if match and match.group(3) != "UND":
            size, kind, _, name, version = match.groups()
            symbols.setdefault(name, {})[version] = (kind, int(size, 0))
    return symbols


def stand_ins(symbols, soname, oldest):
    """{soname: [(name, version, kind, size)]}"""
    result = {}
    for name, versions in sorted(symbols.items()):
        known = [version for version in versions if numbers(version) <= numbers(oldest)]
        if not known:
            continue
        version = max(known, key=numbers)
        library = soname
        # What was moved was given the version of the release that moved it.
        if soname == "libc.so.6" and numbers(max(versions, key=numbers)) > numbers(oldest):
            library = next((former for former, names in FORMER_LIBRARIES if re.fullmatch(names, name)), soname)
        result.setdefault(library, []).append((name, version) + versions[version])
    return result


def write_library(clang, folder, soname, symbols):
    kinds = {"FUNC": "function", "IFUNC": "function", "OBJECT": "object", "NOTYPE": "notype", "TLS": "tls_object"}
    base = os.path.join(folder, soname)
    with open(base + ".s", "w", encoding="utf-8") as out:
        for name, _, kind, size in symbols:
            section = '.section .tbss,"awT",@nobits' if kind == "TLS" else ".data" if kind == "OBJECT" else ".text"
            out.write(f'{section}\n.globl "{name}"\n.type "{name}",@{kinds[kind]}\n.size "{name}",{size}\n"{name}":\n.skip 16\n')
    with open(base + ".map", "w", encoding="utf-8") as out:
        for version in sorted({symbol[1] for symbol in symbols}, key=numbers):
            names = "".join(f' "{name}";' for name, of, _, _ in symbols if of == version)
            out.write(f"GLIBC_{version} {{ global:{names} }};\n")
    # Under the name that a linker looks for; libc's is a script, below.
    output = base if soname in ("libc.so.6", "ld-linux-x86-64.so.2") else os.path.join(folder, re.sub(r"\.so\..*", ".so", soname))
    subprocess.run([clang, "-shared", "-nostdlib", "-fuse-ld=lld", "-Wl,-soname," + soname, "-Wl,--version-script=" + base + ".map",
                    "-Wl,-z,noexecstack", base + ".s", "-o", output], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--oldest", required=True, help="the release of glibc, as 2.28")
    parser.add_argument("-o", dest="folder", required=True)
    parser.add_argument("--clang", default="clang-22", help="a clang that has lld")
    parser.add_argument("--readelf", default="readelf")
    arguments = parser.parse_args()
    if not re.fullmatch(r"2\.\d+", arguments.oldest):
        parser.error(f"--oldest={arguments.oldest}: expected a release of glibc, as 2.28")
    os.makedirs(arguments.folder, exist_ok=True)

    def find(name):
        return subprocess.run([arguments.clang, "-print-file-name=" + name], check=True, capture_output=True, text=True).stdout.strip()

    libraries = {}
    for soname in LIBRARIES:
        for library, symbols in stand_ins(read_symbols(arguments.readelf, find(soname)), soname, arguments.oldest).items():
            libraries.setdefault(library, []).extend(symbols)
    # A library that has nothing to give is asked for all the same (-lrt).
    for soname, _ in FORMER_LIBRARIES:
        libraries.setdefault(soname, [])
    for soname, symbols in libraries.items():
        write_library(arguments.clang, arguments.folder, soname, symbols)
    with open(os.path.join(arguments.folder, "libc.so"), "w", encoding="utf-8") as out:
        out.write(f"GROUP ( libc.so.6 {find('libc_nonshared.a')} AS_NEEDED ( ld-linux-x86-64.so.2 libpthread.so libdl.so librt.so libutil.so ) )\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
