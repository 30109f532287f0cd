# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The instrumented build of utils/mutate.py: a copy of the tree in which each
mutated expression E has become (onnxcMutant(N) ? (E') : (E)).

Only files with mutations differ from the sources, so ccache has the others. What
onnxcMutant answers stands in a file that ONNXC_MUTANTS names and that processes
map: a first word with the number of the mutant that is on, and from byte 16 on a
byte for each mutant, set when its expression is evaluated. So one process can run
tests of several mutants, and what a test reached is read after it.
"""

import json
import os
import pathlib
import shutil
import struct
import subprocess

import mutation_list

WORK = mutation_list.ROOT / "build" / "mutate"
COPY = WORK / "src"
BUILD = COPY / "build" / "dev"
NUMBERS = WORK / "numbers.json"
MAP_BYTES = 4096
FIRST = 16  # the byte of mutant 0
TARGETS = ["all", "onnxc-test-depends"]

HEADER = """/* Written by utils/mutate.py. */
#ifndef ONNXC_MUTANT_H
#define ONNXC_MUTANT_H
#ifdef __cplusplus
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#else
char *getenv(const char *name);
void *mmap(void *at, unsigned long bytes, int rights, int flags, int file, long from);
int open(const char *path, int flags, ...);
#endif
static volatile unsigned char *onnxcMutants;
static unsigned char onnxcNoMutants[4096];
__attribute__((noinline, unused)) static int onnxcMutant(int number) {
  if (!onnxcMutants) {
    const char *path = getenv("ONNXC_MUTANTS");
    int file = path ? open(path, /*O_RDWR=*/2) : -1;
    void *memory = file < 0 ? onnxcNoMutants : mmap(0, 4096, /*PROT_READ | PROT_WRITE=*/3, /*MAP_SHARED=*/1, file, 0);
    onnxcMutants = (volatile unsigned char *)(memory == (void *)-1 ? onnxcNoMutants : memory);
    if (onnxcMutants == onnxcNoMutants) /* none is on */
      onnxcNoMutants[0] = onnxcNoMutants[1] = 255;
  }
  onnxcMutants[16 + number] = 1;
  return onnxcMutants[0] + 256 * onnxcMutants[1] == number;
}
#endif
"""
# The linker's list of what a compiled model may take of libc.
LIBC_LIST = ("lib/Emit/Link.cpp", '"aligned_alloc", "bcmp",', '"mmap", "aligned_alloc", "bcmp",')


def number(mutations):
    """Numbers that stay when the list changes: a file is compiled again only for
    a change of its own mutations."""
    known = json.loads(NUMBERS.read_text()) if NUMBERS.exists() else {}
    for mutation in mutations:
        mutation.number = known.setdefault(mutation.key, len(known))
    if len(known) > MAP_BYTES - FIRST:
        raise mutation_list.ListError(f"more than {MAP_BYTES - FIRST} mutations: remove {WORK}")
    WORK.mkdir(parents=True, exist_ok=True)
    NUMBERS.write_text(json.dumps(known, indent=0))


def _write(path, content):
    """Whether it was changed; files that stay keep their time."""
    if path.exists() and not path.is_symlink() and path.read_bytes() == content:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return True


def copy_tree(mutations):
    """Brings the copy up to date; returns how many files were written."""
    by_file = {}
    for mutation in mutations:
        by_file.setdefault(mutation.file, []).append(mutation)
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=mutation_list.ROOT,
                            capture_output=True, check=True).stdout.decode().split("\0")
    written, present = 0, set()
    for name in filter(None, listed):
        source = mutation_list.ROOT / name
        if not source.is_file():
            continue
        present.add(name)
        content = source.read_bytes()
        if name in by_file:
            lines = mutation_list.instrument(content.decode().splitlines(), by_file[name])
            # The numbers of lines stay those of the source.
            content = "\n".join(['#include "onnxc/Mutant.h"', "#line 1", *lines, ""]).encode()
        if name == LIBC_LIST[0]:
            old, new = (text.encode() for text in LIBC_LIST[1:])
            if content.count(old) != 1:
                raise mutation_list.ListError(f"{name} has no {LIBC_LIST[1]!r}, to which mmap would be added")
            content = content.replace(old, new)
        target = COPY / name
        written += _write(target, content)
        if os.access(source, os.X_OK):
            target.chmod(0o755)
    written += _write(COPY / "include" / "onnxc" / "Mutant.h", HEADER.encode())
    for path in COPY.rglob("*"):
        relative = path.relative_to(COPY)
        if relative.parts[0] != "build" and path.is_file() and str(relative) not in present and path.name != "Mutant.h":
            path.unlink()
    # Models and test data that stand beside the repository.
    shared, link = mutation_list.ROOT.parent / "shared", WORK / "shared"
    if shared.exists() and not link.is_symlink():
        link.symlink_to(shared.resolve())
    return written


def build(command_prefix, targets=TARGETS):
    # On past an entry that does not compile, to name all of them at once.
    subprocess.run([*command_prefix, "utils/build.sh", "dev", "-k", "0", *targets], cwd=COPY, check=True)


class Switches:
    """The file that decides for one set of processes."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_bytes(bytes(MAP_BYTES))
        self.file = open(self.path, "r+b", buffering=0)
        self.turn_on(None)

    def turn_on(self, mutant):
        """That one and no other; forgets what was reached."""
        self.file.seek(0)
        self.file.write(struct.pack("<I", 0xffff if mutant is None else mutant) + bytes(MAP_BYTES - 4))

    def remove(self):
        self.file.close()
        self.path.unlink()

    def reached(self):
        self.file.seek(FIRST)
        return [number for number, byte in enumerate(self.file.read(MAP_BYTES - FIRST)) if byte]


def clean():
    shutil.rmtree(WORK, ignore_errors=True)
