"""Builds and runs wrapper.cpp by each compiler that is there, in each mode, and
tries programs that must not compile.

usage: wrapper.py --gcc=NAME --clang=NAME --include=DIR --folder=DIR wrapper.cpp
"""

import argparse
import shutil
import subprocess
import sys

WARNINGS = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-Wshadow", "-Wconversion"]
MODELS = ["wrapper.a", "threads.a", "sequences.a", "maps.a"]

# What follows the include, and may not compile; the first one shows that the rest fails for its own reason.
PROGRAM = """#include <onnxc/onnxc.hpp>
%s
"""
ALLOWED = "float f[2]; onnxc::Buffer b(f); onnxc::Tensor t(f, {2}); float s; auto u = onnxc::Tensor::scalar(s); onnxc::Session move(onnxc::Session s) { return s; }"
REFUSED = {
    "buffer of constants": ("const float f[2] = {}; onnxc::Buffer b(f);", []),
    "elements without a type": ("char f[2]; onnxc::Tensor t(f, {2});", []),
    "scalar that ends before the run": ("auto t = onnxc::Tensor::scalar(1.0f);", []),
    "copy of a session": ("onnxc::Session copy(const onnxc::Session &s) { return s; }", []),
    "exceptions where there are none": ("auto f(onnxc::Session &s) { return s.run({}); }", ["-fno-exceptions"]),
}


def compiles(compiler, text, include, flags):
    command = [compiler, "-std=c++17", "-fsyntax-only", "-I", include, *flags, "-x", "c++", "-"]
    return subprocess.run(command, input=PROGRAM % text, text=True, capture_output=True).returncode == 0


def main():
    parser = argparse.ArgumentParser()
    for name in ["--gcc", "--clang", "--include", "--folder"]:
        parser.add_argument(name, required=True)
    parser.add_argument("source")
    options = parser.parse_args()
    compilers = [options.clang] + [options.gcc] * bool(shutil.which(options.gcc))
    passed = programs = 0
    for compiler in compilers:
        modes = [[standard, *mode] for mode in [[], ["-fno-exceptions"]] for standard in ["-std=c++17", "-std=c++20"]]
        # gcc's sanitizers are packages of their own.
        modes += [["-std=c++17", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]] * (compiler == options.clang)
        for flags in modes:
            program = f"{options.folder}/run{programs}"
            programs += 1
            command = [compiler, *flags, *WARNINGS, "-I", options.include, "-I", options.folder, options.source,
                       *(f"{options.folder}/{model}" for model in MODELS), "-lm", "-pthread", "-o", program]
            done = subprocess.run(command).returncode == 0 and subprocess.run([program]).returncode == 0
            passed += done
            print(f"{compiler} {' '.join(flags)}: {'passed' if done else 'failed'}")
    print(f"programs: {programs}, passed: {passed}")
    for what, (text, flags) in REFUSED.items():
        for compiler in compilers:
            if not compiles(compiler, ALLOWED, options.include, flags):
                sys.exit(f"{compiler}: what is allowed does not compile")
            if compiles(compiler, text, options.include, flags):
                sys.exit(f"{compiler}: compiled: {what}")
        print(f"refused: {what}")


if __name__ == "__main__":
    main()
