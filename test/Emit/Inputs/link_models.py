# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Links models with a program by the linker of a system, as lld has it, and stand-ins for
the system's libraries: Inputs/systems says what those have.

usage: link_models.py --triple T --out FOLDER [--without SYMBOL] MODEL.a|MODEL.lib|MODEL.o...
       link_models.py --triple T --out FOLDER [--without SYMBOL] --nodes REGEX --build DIR

Each model has the prefix that its file is named after. --nodes compiles the tests of the
onnx package whose names the expression matches, and links all of them with one program.
--without takes a symbol away from the stand-ins: a program that needs it must not link.
"""

import argparse
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SYSTEMS = HERE / "systems"
ROOT = HERE.parents[2]
LEVEL = "-O2"


def call(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command[0]}: {done.stdout}{done.stderr}"[:4000])


class System:
    """Of a triple: its stand-ins, its compiler and its linker."""

    def __init__(self, triple, out, without):
        self.triple, self.out, self.without = triple, out, without
        self.is_apple = "apple" in triple
        self.arch = triple.split("-")[0]
        self.version = ("11.0" if self.arch == "arm64" else "10.13") if self.is_apple else ""
        self.suffix = ".lib" if triple.endswith("msvc") else ".a"

    def read(self, name):
        """A list of the system's symbols, without the one that is taken away."""
        lines = (SYSTEMS / name).read_text().splitlines(keepends=True)
        kept = [line for line in lines if not self.without or line.split()[-1:] != [self.without]]
        path = self.out / name
        path.write_text("".join(kept))
        return path

    def compile(self, source, name, *flags):
        path = self.out / name
        # A program of MinGW's compiler wants that one's startup code.
        triple = self.triple.replace("w64-mingw32", "pc-windows-msvc") + self.version
        call("clang", f"--target={triple}", "-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-nostdlibinc", "-fno-stack-protector",
             "-I", ROOT / "include", "-I", self.out, *flags, "-c", source, "-o", path)
        return path

    def link(self, main, models):
        program = self.out / "program"
        if self.is_apple:
            call("ld64.lld", "-arch", self.arch, "-platform_version", "macos", self.version, self.version, "-dead_strip", "-fatal_warnings",
                 "-o", program, main, *models, self.read("libSystem.tbd"))
            return
        machine = {"x86_64": "i386:x86-64", "aarch64": "arm64"}[self.arch]
        libraries = []
        for name in ("kernel32", "ucrt", "vcruntime"):
            libraries.append(self.out / (name + ".lib"))
            call("llvm-dlltool", "-m", machine, "-d", self.read(name + ".def"), "-l", libraries[-1])
        support = self.compile(SYSTEMS / "vcruntime.c", "vcruntime.obj")
        call("lld-link", "/entry:main", "/subsystem:console", "/nodefaultlib", "/wx", f"/out:{program}", main, support, *models, *libraries)


def compile_nodes(system, expression, build):
    """The libraries of the tests, in the order of their names."""
    sys.path[:0] = [str(ROOT / "test" / "onnx-node")]
    import cases
    models = []
    for name, case in sorted(cases.load_cases().items()):
        if case.kind == "node" and re.search(expression, name):
            models.append(system.out / (re.sub(r"\W", "_", name) + system.suffix))
            source = models[-1].with_suffix(".onnx")
            source.write_bytes(case.model)
            call(build / "bin" / "onnxc", source, "-o", models[-1], LEVEL, "--mtriple=" + system.triple)
    return models


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", type=pathlib.Path)
    parser.add_argument("--triple", required=True)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--without", default="")
    parser.add_argument("--main", type=pathlib.Path, help="the program; else one that asks for each model")
    parser.add_argument("--nodes")
    parser.add_argument("--build", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    system = System(arguments.triple, arguments.out, arguments.without)
    models = compile_nodes(system, arguments.nodes, arguments.build.resolve()) if arguments.nodes else arguments.models
    source = arguments.main
    if not source:
        source = arguments.out / "main.c"
        names = [path.stem for path in models]
        source.write_text("#include <onnxc/runtime.h>\n" + "".join(f"const onnxc_model *{name}_query(uint32_t version);\n" for name in names) +
                          "int main(void) {\n  return !(" + " && ".join(f"{name}_query(ONNXC_ABI_VERSION)" for name in names) + ");\n}\n")
    system.link(system.compile(source, "main.o"), models)
    print(f"{len(models)} models linked for {arguments.triple}")


if __name__ == "__main__":
    main()
