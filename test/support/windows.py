# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs for Windows with a compiled model in them, and Wine to run them.

usage: windows.py build OUTPUT.exe SOURCE.c LIBRARY... [-- FLAG...]
       windows.py run PROGRAM.exe [ARGUMENT...]

LLVM's clang and lld make them, with the headers and the import libraries of MinGW
(Debian: mingw-w64-x86-64-dev) for the Universal C Runtime; Wine (Debian: wine64) has
that. Models are the code for *-windows-msvc as well as for *-windows-gnu.
"""

import functools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

LLVM = pathlib.Path("/usr/lib/llvm-22/bin")
MINGW = pathlib.Path("/usr/x86_64-w64-mingw32/lib")
HEADERS = pathlib.Path("/usr/share/mingw-w64/include")
ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = []  # that live as long as the process

# What a compiler's support library has, and Visual Studio's: the probe of stack
# frames of more than a page (the size is in rax, which stays), and a mark. Nothing
# jumps to where winpthreads calls _setjmp, unless a thread calls pthread_exit.
SUPPORT = """
.globl ___chkstk_ms, __chkstk, _fltused, _setjmp
_setjmp:
  xorl %eax, %eax
  retq
___chkstk_ms:
__chkstk:
  pushq %rcx
  pushq %rax
  leaq 24(%rsp), %rcx
1: cmpq $4096, %rax
  jb 2f
  subq $4096, %rcx
  orq $0, (%rcx)
  subq $4096, %rax
  jmp 1b
2: subq %rax, %rcx
  orq $0, (%rcx)
  popq %rax
  popq %rcx
  retq
.data
_fltused: .long 0
"""


@functools.cache
def find_wine():
    return shutil.which("wine64") or next((path for path in ("/usr/lib/wine/wine64", "/usr/lib/wine/wine") if os.path.exists(path)), None)


def is_here():
    return bool(find_wine()) and (MINGW / "libucrt.a").exists() and HEADERS.exists()


@functools.cache
def make_object(source, flags):
    folder = tempfile.TemporaryDirectory(prefix="onnxc-windows-")
    FOLDERS.append(folder)
    output = f"{folder.name}/{pathlib.Path(source).stem}.o"
    subprocess.run([LLVM / "clang", "--target=x86_64-w64-windows-gnu", "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-D_UCRT",
                    "-isystem", HEADERS, "-I", ROOT / "include", *flags, "-c", source, "-o", output], check=True)
    return output


@functools.cache
def make_support():
    folder = tempfile.TemporaryDirectory(prefix="onnxc-windows-")
    FOLDERS.append(folder)
    source = pathlib.Path(folder.name, "support.s")
    source.write_text(SUPPORT)
    subprocess.run([LLVM / "clang", "--target=x86_64-w64-windows-gnu", "-c", source, "-o", source.with_suffix(".o")], check=True)
    return source.with_suffix(".o")


def build(program, source, libraries, flags=()):
    """Compiles a program of one file, and links it with models."""
    own = make_object(str(source), tuple(flags))
    system = ["-lpthread", "-lmingw32", "-lmingwex", "-lucrt", "-lkernel32"]
    done = subprocess.run([LLVM / "ld.lld", "-m", "i386pep", "-Bstatic", "-o", program, MINGW / "crt2.o", own, make_support(), *libraries,
                           "-L", MINGW, *system, *system], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)


def run(program, arguments, **fields):
    """Runs a program, in a prefix of Wine that is kept for the next time."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache"), "onnxc")
    cache.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "WINEPREFIX": str(cache / "wine"), "WINEDEBUG": "-all", "WINEDLLOVERRIDES": "mscoree,mshtml="}
    return subprocess.run([find_wine(), program, *arguments], env=environment, **fields)


def main():
    action, program, *rest = sys.argv[1:]
    if action == "run":
        return run(program, rest).returncode
    at = rest.index("--") if "--" in rest else len(rest)
    build(program, rest[0], rest[1:at], rest[at + 1:])
    return 0


if __name__ == "__main__":
    sys.exit(main())
