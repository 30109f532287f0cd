# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles models for several processors. Each must ask for a feature if, and
only if, an instruction of it is in the disassembly; without a feature that it
does not ask for, the code must be the same.

usage: compare_features.py MODELS OBJDUMP
"""

import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
from onnx import TensorProto, helper, numpy_helper
from read_features import read

# Features, and instructions that no other feature has.
SIGNS = {"fma": r"vfn?m(add|sub)\d+[ps][sd]\b.*%[xy]mm\d+$", "f16c": r"vcvt(ps2ph|ph2ps)\b.*%[xy]mm", "avx512vnni": r"vpdp\w+\b.*%zmm",
         "avx512bf16": r"v(cvtneps2bf16|cvtne2ps2bf16|dpbf16ps)\b", "avx512vbmi": r"vperm[it]2b\b|vpermb\b",
         "avx512f": r"%zmm|%k[0-7]", "avxvnni": r"\{vex\}.*vpdp"}
# Leaves: nothing else goes with them.
LEAVES = ["sse4a", "adx", "aes", "pclmul", "gfni", "movbe", "cx16", "avx512ifma", "avx512vbmi2", "avx512bitalg",
          "avx512vpopcntdq", "avx512vp2intersect", "avx512bf16", "vaes", "vpclmulqdq"]


def make_models(folder):
    """A product of floats, one of integers, and one of halves."""
    random = np.random.default_rng(1)
    w = random.standard_normal((64, 64)).astype(np.float32)
    value = helper.make_tensor_value_info

    def save(name, nodes, kind, out, constants):
        graph = helper.make_graph(nodes, "g", [value("x", kind, [32, 64])], [value("y", out, [32, 64])],
                                  [numpy_helper.from_array(array, key) for key, array in constants.items()])
        path = folder / f"{name}.onnx"
        path.write_bytes(helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 21)]).SerializeToString())
        return path

    yield save("floats", [helper.make_node("MatMul", ["x", "w"], ["p"]), helper.make_node("Tanh", ["p"], ["y"])],
               TensorProto.FLOAT, TensorProto.FLOAT, {"w": w})
    yield save("integers", [helper.make_node("MatMulInteger", ["x", "w"], ["y"])], TensorProto.UINT8, TensorProto.INT32,
               {"w": random.integers(-128, 128, (64, 64)).astype(np.int8)})
    yield save("halves", [helper.make_node("MatMul", ["x", "w"], ["y"])], TensorProto.FLOAT16, TensorProto.FLOAT16,
               {"w": w.astype(np.float16)})
    yield save("moved", [helper.make_node("Add", ["x", "x"], ["y"])], TensorProto.INT32, TensorProto.INT32, {})


def main():
    objdump = sys.argv[2]
    agree = total = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def build(model, cpu, features=""):
            path = folder / "m.so"
            subprocess.run(["onnxc", model, "-O2", "--mtriple=x86_64-linux-gnu", f"--mcpu={cpu}", f"--mattr={features}", "-o", path],
                           check=True)
            text = subprocess.run([objdump, "-d", "--no-show-raw-insn", path], check=True, capture_output=True, text=True).stdout
            return read(path), re.sub(r"^.*file format.*$", "", text, flags=re.M)

        for model in make_models(folder):
            for cpu in ("x86-64", "haswell", "znver3", "skylake-avx512", "znver5", "alderlake"):
                asked, text = build(model, cpu)
                lines = "\n".join(line.split("#")[0].rstrip() for line in text.splitlines())
                for feature, sign in SIGNS.items():
                    total += 1
                    right = (feature in asked) == bool(re.search(sign, lines, re.M))
                    agree += right
                    if not right:
                        print(f"{model.name} for {cpu}: {feature} in {asked}?")
            without = ",".join(f"-{leaf}" for leaf in LEAVES if leaf not in asked)
            for cpu in ("znver5",):
                asked, text = build(model, cpu)
                without = ",".join(f"-{leaf}" for leaf in LEAVES if leaf not in asked)
                total += 1
                same = build(model, cpu, without)[1] == text
                agree += same
                if not same:
                    print(f"{model.name} for {cpu}: other code with {without}")
    print(f"features: {agree} of {total} agree")


main()
