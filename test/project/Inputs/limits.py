# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares docs/limits.md with the compiler: every row of its tables has a case here.

usage: limits.py --onnxc BIN [--page FILE] [--only TEXT] [--keep DIR]
       limits.py --plant FILE [--page FILE]

A row's first cell is the name of its case. In a table whose second column is
"message", that cell is the message in backticks, word by word: of `onnxc check`, or of
what else the case runs. In a table whose second column is "result", the model must be
accepted, and run with the result that the case expects. Messages of nodes stand
nowhere else on the page. --plant writes the page with mistakes, for the test of this
program.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "test" / "bad"))

from models import f32, function, graph, i64, model, node, raw, single, zeros  # noqa: E402

LEVEL = "-O0"
# How messages of the compiler begin. Outside of tables, code with such a text fails.
MESSAGE = re.compile(r"\b(node|operator|initializer|input|output|function|value|dimension) ('|#?\d)|: error|model\.onnx: ")
CASES = {}
MICROSOFT = {"": 20, "com.microsoft": 1}
ML = {"": 20, "ai.onnx.ml": 2}
IMAGE = "f32[1,1,4,4]"


class Case:
    """`feeds`: the model is compiled and run with them. `expect`: the outputs of that
    run. `command`: arguments of onnxc besides the model, instead of `check`."""

    def __init__(self, content, feeds=None, expect=None, command=None):
        self.content, self.feeds, self.expect, self.command = content, feeds, expect, command


def case(name, content, **fields):
    assert name not in CASES, name
    CASES[name] = Case(content, **fields)


def microsoft(op, *operands, **fields):
    return single(op, *operands, domain="com.microsoft", imports=MICROSOFT, **fields)


def classic(op, *operands, **fields):
    return single(op, *operands, domain="ai.onnx.ml", imports=ML, **fields)


RELU = single("Relu", "f32[2]", types=["f32[2]"])


def refused():
    case("`Gradient`", single("Gradient", "f32[2]", domain="ai.onnx.preview.training", xs=["A"], y="A",
                              imports={"": 20, "ai.onnx.preview.training": 1}))
    case("`ATen`, `GRUUnit`, `Embedding` of opset 1", single("ATen", "f32[2]", opset=1))
    case("an operator of an unknown domain", single("Widget", "f32[2]", domain="my", imports={"": 20, "my": 1}))
    twice = function("Twice", "x", "y", [node("Add", "x x", "y")], domain="", opset=20)
    case("a function in ONNX's own domain, with a name that no operator has",
         model([node("Twice", "X")], {"X": "f32[2]"}, {"Y": "f32[2]"}, functions=[twice], opset=20))
    case("`com.microsoft` `MaxpoolWithMask`, `NGramRepeatBlock` and others",
         microsoft("MaxpoolWithMask", IMAGE, "i32[1,1,4,4]", kernel_shape=[2, 2]))
    case("domain `com.microsoft.nchwc`", single("Conv", "f32[1,16,4,4]", "f32[16,16,1,1]", domain="com.microsoft.nchwc",
                                                imports={"": 20, "com.microsoft.nchwc": 1}))
    case("`ConvTransposeWithDynamicPads` with computed pads",
         microsoft("ConvTransposeWithDynamicPads", IMAGE, "f32[1,1,3,3]", "i64[4]"))
    case("an input without a rank", single("Relu", "f32"))
    body = graph([node("Unsqueeze", "c z", "d", name="grow"), node("Identity", "k", "l", name="go")],
                 [("i", "i64[]"), ("k", "bool[]"), ("c", "f32")], [("l", "bool[]"), ("d", "f32")], init={"z": i64(0)})
    case("a `Loop` whose carried tensor changes its rank",
         model([node("Loop", "M _ X", "Y", name="loop", body=body)], {"X": "f32[2]", "M": "i64[]"}, {"Y": "f32"}))
    case("an initializer of float6",
         model([node("Cast", "w", to=1)], {}, {"Y": "f32[2]"}, {"w": raw(27, [2], b"\0\0")}, opset=28, ir=14))
    case("`Softmax`, `LogSoftmax`, `Hardmax` of a scalar", single("LogSoftmax", "f32[]", types=["f32[]"]))
    case("`ImageDecoder` of a tensor that is not 1-D", single("ImageDecoder", "u8[2,3]", types=["u8[?,?,3]"]))
    case("a tensor in segments",
         model([node("Add", "X w")], {"X": "f32[2]"}, {"Y": "f32[2]"},
               {"w": raw("f32", [2], f32(1, 2).tobytes(), segment={"begin": 0, "end": 2})}))
    case("an integer outside of its type in `int32_data`",
         model([node("Add", "X w")], {"X": "i8[2]"}, {"Y": "i8[2]"}, {"w": raw("i8", [2], int32_data=[300, -1])}))
    case("`Range` with an end beyond ±2^58",
         single("Range", np.array(2**63 - 3), np.array(2**63 - 1), np.array(1), types=["i64[2]"]))
    case("`GatherND` with tuples of length 0", single("GatherND", "f32[2,3]", zeros([4, 0], np.int64), types=["f32[4,2,3]"]))
    case("`Upsample` to a smaller size", single("Upsample", IMAGE, f32(1, 1, .5, .5), opset=9, types=["f32[1,1,2,2]"]))
    case("`Dropout` below opset 12 with a ratio above 1", single("Dropout", "f32[4]", opset=7, ratio=1.5, types=["f32[4]"]))
    case("`LinearRegressor` with surplus coefficients",
         classic("LinearRegressor", "f32[1,2]", coefficients=[1., 2., 3.], intercepts=[0.], targets=1, types=["f32[1,1]"]))
    case("an attribute that the schema does not have", single("Relu", "f32[2]", alpha=1.0, types=["f32[2]"]))
    case("a name defined around the subgraph and by a node in it",
         model([node("If", "C", then_branch=graph([node("Neg", "X", "w", name="inner")], outputs={"w": "f32[2]"}),
                     else_branch=graph([node("Abs", "X", "v", name="other")], outputs={"v": "f32[2]"}))],
               {"X": "f32[2]", "C": "bool[]"}, {"Y": "f32[2]"}, {"w": f32(3, 4)}))
    case("wrong element types in an operator that becomes others",
         microsoft("Attention", "f64[1,2,4]", "f32[4,12]", "f32[12]", num_heads=2))
    case("`Split` of opset 2 with sizes near 2^63",
         single("Split", "f32[4]", outputs=2, opset=2, split=[2**63 - 1, 5], types=["f32", "f32"]))


def refused_commands():
    case("a target that is not Linux, macOS or Windows", RELU, command=["--mtriple=x86_64-unknown-freebsd", "-o", "m.so"])
    case("a processor that is not x86-64, AArch64, RISC-V or wasm32", RELU, command=["--mtriple=powerpc64le-linux-gnu", "-o", "m.so"])
    case("a shared library for macOS or Windows", RELU, command=["--mtriple=arm64-apple-macos", "-o", "m.so"])
    case("a program for another system than Linux", RELU, command=["--mtriple=arm64-apple-macos", "--emit=exe", "-o", "m"])
    case("a program with a sanitizer", RELU, command=["--sanitize=address", "--emit=exe", "-o", "m"])
    case("a program that notes times", RELU, command=["--profile", "--emit=exe", "-o", "m"])
    case("a sanitizer there", RELU, command=["--mtriple=x86_64-pc-windows-msvc", "--sanitize=address", "-o", "m.lib"])
    case("a library of Windows for another system", RELU, command=["--mtriple=x86_64-linux-gnu", "-o", "m.lib"])
    case("an operator that needs a library, there", single("RegexFullMatch", "str[2]", types=["bool[2]"], pattern="a+"),
         command=["--mtriple=x86_64-pc-windows-msvc", "-o", "m.lib"])
    bare = ["--freestanding", "--mtriple=thumbv7em-none-eabihf", "-o", "m.a"]
    case("an open size for a machine without an operating system", single("Relu", "f32[N]", types=["f32[N]"]), command=bare)
    case("an output whose size depends on values, there", single("NonZero", "f32[4]", types=["i64[1,?]"]), command=bare)
    case("an intermediate result whose size depends on values, there",
         model([node("NonZero", "X", "t", name="nonzero"), node("ReduceMax", "t", "Y", name="max", keepdims=0)],
               {"X": "f32[4]"}, {"Y": "i64[]"}), command=bare)
    case("an operator of the runtime, there", single("TopK", "f32[4]", i64(2), outputs=2, types=["f32[2]", "i64[2]"]), command=bare)
    case("texts, there", single("Identity", "str[2]", types=["str[2]"]), command=bare)
    case("`RegexFullMatch`, `StringNormalizer` or `Tokenizer` in WebAssembly",
         single("RegexFullMatch", "str[2]", types=["bool[2]"], pattern="a+"), command=["-o", "m.wasm"])
    case("`ImageDecoder` there", single("ImageDecoder", "u8[N]", types=["u8[?,?,3]"]), command=["-o", "m.wasm"])
    case("4 GiB and more there",
         model([node("Mul", "X W", "t"), node("CumSum", "t z", "u"), node("ReduceMax", "u", "Y", keepdims=0)],
               {"X": "f32[40000,1]", "W": "f32[1,40000]"}, {"Y": "f32[]"}, {"z": i64(0)}), command=["-o", "m.wasm"])
    case("a shared object there", RELU, command=["--mtriple=wasm32-wasi", "-o", "m.so"])
    case("a WebAssembly module of another target", RELU, command=["--mtriple=x86_64-linux-gnu", "-o", "m.wasm"])
    case("times of nodes there", RELU, command=["--profile", "-o", "m.wasm"])
    case("another sanitizer than AddressSanitizer", RELU, command=["--sanitize=thread", "-o", "m.so"])
    case("an output of an unknown kind", RELU, command=["-o", "m.exe"])
    case("a node at an opset that does not have it", single("Gelu", "f32[2]", types=["f32[2]"]),
         command=["--opset=11", "-o", "m.onnx"])
    case("an older form for which sizes must be known",
         model([node("Add", "X Z")], {"X": "f32", "Z": "f32"}, {"Y": "f32"}, opset=7, ir=3),
         command=["--opset=6", "-o", "m.onnx"])
    case("an input of the model where the older form has an attribute",
         model([node("Unsqueeze", "X a")], {"X": "f32[2]", "a": "i64[1]"}, {"Y": "f32[1,2]"}, {"a": i64(0)}, opset=13, ir=3),
         command=["--opset=11", "-o", "m.onnx"])


def refused_runs():
    case("an `Expand` that does not fit", single("Expand", "f32[2,3]", "i64[2]", types=["f32"]),
         feeds={"A": zeros([2, 3]), "B": i64(4, 3)})
    case("a window that is larger than its image", single("Conv", "f32[1,1,H,W]", zeros([1, 1, 3, 3]), types=["f32[1,1,?,?]"]),
         feeds={"A": zeros([1, 1, 2, 2])})
    case("`Range` with an end beyond ±2^58 when it runs", single("Range", "i64[]", "i64[]", "i64[]", types=["i64[?]"]),
         feeds={"A": np.array(-2**63), "B": np.array(2**63 - 1), "C": np.array(2**62)})
    case("`Dropout` in training with a ratio of 1", single("Dropout", "f32[4]", np.array(1, np.float32), np.array(True), types=["f32[4]"]),
         feeds={"A": f32(1, 2, 3, 4)})
    case("an intermediate result for which there is no memory",
         model([node("Expand", "X s", "big", name="expand"), node("ReduceSum", "big", "Y", name="sum")],
               {"X": "f32[]", "s": "i64[2]"}, {"Y": "f32[1,1]"}), feeds={"X": np.array(1, np.float32), "s": i64(2**30, 2**28)})


def taken():
    def call(op, domain):
        negative = function(op, "x", "y", [node("Neg", "x", "y")], domain=domain, opset=20)
        return model([node(op, "X", domain=domain)], {"X": "f32[2]"}, {"Y": "f32[2]"}, functions=[negative], imports=MICROSOFT)

    case("a function with the name of an operator of ONNX", call("Relu", ""), feeds={"X": f32(-1, 2)}, expect={"Y": f32(0, 2)})
    case("a function with the name of an operator of `com.microsoft`", call("Gelu", "com.microsoft"),
         feeds={"X": f32(-1, 2)}, expect={"Y": f32(1, -2)})
    pair = function("Pair", "x", "a b", [node("Neg", "x", "a"), node("Abs", "x", "b", name="m")], domain="f")
    case("a call for fewer outputs than the function has",
         model([node("Pair", "X", domain="f")], {"X": "f32[2]"}, {"Y": "f32[2]"}, functions=[pair], imports={"": 23, "f": 1}),
         feeds={"X": f32(-1, 2)}, expect={"Y": f32(1, -2)})
    case("a subgraph's initializer with the name of an outer value",
         model([node("If", "C", then_branch=graph([node("Add", "w X", "o", name="inner")], outputs={"o": "f32[2]"}, init={"w": f32(1, 2)}),
                     else_branch=graph([node("Abs", "X", "v", name="other")], outputs={"v": "f32[2]"})),
                node("Identity", "w", "Z", name="outer")],
               {"X": "f32[2]", "C": "bool[]"}, {"Y": "f32[2]", "Z": "f32[2]"}, {"w": f32(3, 4)}),
         feeds={"X": f32(-1, 2), "C": np.array(True)}, expect={"Y": f32(0, 4), "Z": f32(3, 4)})
    case("`Dropout` from opset 12 on with a ratio above 1, not in training",
         single("Dropout", "f32[2]", np.array(2, np.float32), types=["f32[2]"]), feeds={"A": f32(1, 2)}, expect={"Y": f32(1, 2)})
    case("`Resize` with `tf_half_pixel_for_nn`",
         single("Resize", "f32[1,1,1,2]", f32(), f32(1, 1, 1, 2), mode="linear", types=["f32[1,1,1,4]"], opset=11,
                coordinate_transformation_mode="tf_half_pixel_for_nn"),
         feeds={"A": f32(0, 1).reshape(1, 1, 1, 2)}, expect={"Y": f32(.25, .75, 1, 1).reshape(1, 1, 1, 4)})
    case("`Resize` with `align_corners`, by scales whose product with a size is not whole",
         single("Resize", "f32[1,1,1,4]", None, f32(1, 1, 1, .6), mode="linear", types=["f32[1,1,1,2]"], coordinate_transformation_mode="align_corners"),
         feeds={"A": f32(1, 2, 3, 4).reshape(1, 1, 1, 4)}, expect={"Y": f32(1, 3.142857).reshape(1, 1, 1, 2)})
    case("`GridSample` of `mode` cubic with `padding_mode` border, of a point outside",
         single("GridSample", "f32[1,1,1,3]", "f32[1,1,1,2]", mode="cubic", padding_mode="border", align_corners=1, types=["f32[1,1,1,1]"]),
         feeds={"A": f32(0, 0, 8).reshape(1, 1, 1, 3), "B": f32(1.5, 0).reshape(1, 1, 1, 2)}, expect={"Y": f32(8.75).reshape(1, 1, 1, 1)})
    case("`ScatterND` with tuples of length 0",
         single("ScatterND", "f32[2]", zeros([1, 0], np.int64), "f32[1,2]", types=["f32[2]"]),
         feeds={"A": f32(1, 2), "C": f32(3, 4).reshape(1, 2)}, expect={"Y": f32(3, 4)})
    case("`STFT` of a real signal of rank 2", single("STFT", "f32[1,4]", np.array(2), None, np.array(2), opset=17, types=["f32[1,2,2,2]"]),
         feeds={"A": f32(1, 2, 3, 4).reshape(1, 4)}, expect={"Y": f32(3, 0, -1, 0, 7, 0, -1, 0).reshape(1, 2, 2, 2)})
    case("an integer `Div` or `Mod` by zero when it runs", single("Div", "i32[2]", "i32[2]", types=["i32[2]"]),
         feeds={"A": np.array([1, 2], np.int32), "B": np.array([0, 1], np.int32)}, expect={"Y": np.array([0, 2], np.int32)})
    case("a `TreeEnsembleRegressor` with base values, of a target that a row comes to no weight of",
         classic("TreeEnsembleRegressor", "f32[1,1]", base_values=[0.5, 0.25], n_targets=2, nodes_falsenodeids=[0], nodes_featureids=[0],
                 nodes_modes=["LEAF"], nodes_nodeids=[0], nodes_treeids=[0], nodes_truenodeids=[0], nodes_values=[0.], target_ids=[1],
                 target_nodeids=[0], target_treeids=[0], target_weights=[2.], types=["f32[1,2]"]),
         feeds={"A": f32(0).reshape(1, 1)}, expect={"Y": f32(.5, 2.25).reshape(1, 2)}),
    case("a `LabelEncoder` whose key is NaN",
         classic("LabelEncoder", "f32[3]", keys_floats=[float("nan"), 1.], values_int64s=[7, 8], default_int64=-1, types=["i64[3]"]),
         feeds={"A": f32(np.nan, 1, 2)}, expect={"Y": i64(7, 8, -1)})
    case("`StringNormalizer` of letters with accents",
         single("StringNormalizer", "str[1]", case_change_action="LOWER", locale="de_DE", types=["str[1]"]),
         feeds={"A": np.array(["Ärger"])}, expect={"Y": np.array(["ärger"])})
    case("`StringSplit` of an empty text at a delimiter",
         single("StringSplit", "str[2]", outputs=2, opset=20, delimiter=",", types=["str[2,?]", "i64[2]"]),
         feeds={"A": np.array(["", "a,b"])}, expect={"Y": np.array([["", ""], ["a", "b"]]), "Y1": i64(1, 2)})
    case("a `Clip` from opset 11 on without a bound, of an infinity", single("Clip", "f32[2]", opset=13, types=["f32[2]"]),
         feeds={"A": f32(np.inf, 1)}, expect={"Y": f32(np.inf, 1)})
    case("a `MaxPool` over NaN", single("MaxPool", "f32[1,1,2]", kernel_shape=[2], types=["f32[1,1,1]"]),
         feeds={"A": f32(np.nan, 1).reshape(1, 1, 2)}, expect={"Y": f32(np.nan).reshape(1, 1, 1)})
    dead = graph([node("Reshape", "X s", "o", name="dead")], outputs={"o": "f32[7]"}, init={"s": i64(7)})
    case("an impossible node in a branch that no run comes to",
         model([node("If", "C", then_branch=dead, else_branch=graph([node("Abs", "X", "v", name="other")], outputs={"v": "f32[2]"}))],
               {"X": "f32[2]"}, {"Y": "f32"}, {"C": np.array(False)}),
         feeds={"X": f32(-1, 2)}, expect={"Y": f32(1, 2)})


class Rows:
    """The rows of a page's tables: kind of the table, name, second cell, by line."""

    def __init__(self, text):
        self.rows, self.stray = [], []
        kind, fenced = None, False
        for number, line in enumerate(text.splitlines(), 1):
            fenced ^= line.startswith("```")
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] if line.startswith("|") else None
            if cells is None:
                kind = None
            elif kind is None:
                kind = cells[1] if len(cells) > 1 and cells[1] in ("message", "result") else "other"
                continue
            elif not line.strip("|- :"):
                continue
            if kind in ("message", "result"):
                self.rows.append((number, kind, cells[0].replace("\\|", "|"), cells[1].replace("\\|", "|")))
                cells = cells[2:]
            code = " ".join(cells) if cells else line
            spans = [line] if fenced or line.startswith("    ") else re.findall(r"`([^`]+)`", code)
            self.stray += [(number, span) for span in spans if MESSAGE.search(span)]


def messages(lines):
    """What a line of output may be as a message: itself without the name of the
    file or the program, or the last column of a table."""
    for line in lines:
        yield re.sub(r"^(model\.onnx|model\.so|onnxc): ", "", line.strip())
        yield re.split(r"\s{2,}", line.strip())[-1]


def perform(onnxc, of, folder):
    """(status, lines, outputs)."""
    def run(*words):
        done = subprocess.run([onnxc, *words], capture_output=True, text=True, timeout=120, check=False, cwd=folder)
        return done.returncode, (done.stdout + done.stderr).splitlines()

    (folder / "model.onnx").write_bytes(of.content.SerializeToString())
    if of.command:
        return *run("model.onnx", *of.command), None
    status, lines = run("check", "model.onnx")
    if status or of.feeds is None:
        return status, lines, None
    status, lines = run("model.onnx", LEVEL, "-o", "model.so")
    if status:
        return status, lines, None
    np.savez(folder / "feeds.npz", **of.feeds)
    status, lines = run("run", "model.so", "--inputs", "feeds.npz", "--save", "results.npz")
    return status, lines, dict(np.load(folder / "results.npz")) if not status else None


def judge(onnxc, kind, text, of, folder):
    """What is wrong with a row, or None."""
    status, lines, outputs = perform(onnxc, of, folder)
    said = "\n    ".join(lines)
    if kind == "message":
        if not re.fullmatch(r"`[^`]+`", text):
            return "the second cell is not one message in backticks"
        if not status:
            return "is accepted"
        if text.strip("`") not in set(messages(lines)):
            return f"the message is another one:\n    {said}"
        return None
    if status:
        return f"is refused:\n    {said}"
    for name, expected in (of.expect or {}).items():
        if outputs[name].shape != expected.shape or not np.array_equal(
                outputs[name], expected, equal_nan=expected.dtype.kind == "f"):
            return f"'{name}' is {outputs[name].tolist()}, expected {expected.tolist()}"
    return None


def plant(text):
    """The page with a mistake of each kind."""
    def once(before, after):
        nonlocal text
        assert text.count(before) == 1, before
        text = text.replace(before, after)

    segments = next(line for line in text.splitlines() if line.startswith("| a tensor in segments |"))
    once(segments + "\n", "")
    once("`node 'n' (Range): start is too large`", "`node 'n' (Range): start is too big`")
    when = next(line for line in text.splitlines() if line.startswith("| `Range` with an end beyond ±2^58 when it runs |"))
    once(when + "\n", "")
    return text + "\n".join(["", "| model | result | why |", "|---|---|---|", when, "| `Range` of nothing | empty | |", "",
                             "A Relu fails with `node 'n' (Relu): is wrong`.", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--onnxc")
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "docs" / "limits.md")
    parser.add_argument("--only", default="", help="rows whose first cell has this text")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the models")
    parser.add_argument("--plant", type=pathlib.Path, help="write the page with mistakes")
    options = parser.parse_args()
    if options.plant:
        options.plant.write_text(plant(options.page.read_text()))
        return 0
    if not options.onnxc:
        parser.error("--onnxc is missing")
    for define in (refused, refused_commands, refused_runs, taken):
        define()
    page = Rows(options.page.read_text())
    faults = [f"line {number}: '{span}' is a message outside of a table" for number, span in page.stray]
    onnxc = str(pathlib.Path(options.onnxc).resolve())
    names = [name for _, _, name, _ in page.rows]
    faults += [f"'{name}' has no row" for name in CASES if name not in names]
    faults += [f"'{name}' has {names.count(name)} rows" for name in sorted(set(names)) if names.count(name) > 1]
    judged = 0
    for number, kind, name, text in page.rows:
        if options.only not in name:
            continue
        if name not in CASES:
            faults.append(f"line {number}: '{name}' has no case in {pathlib.Path(__file__).name}")
            continue
        with tempfile.TemporaryDirectory() as folder:
            if options.keep:
                folder = options.keep / f"line{number}"
                folder.mkdir(parents=True, exist_ok=True)
            fault = judge(onnxc, kind, text, CASES[name], pathlib.Path(folder))
        judged += 1
        if fault:
            faults.append(f"line {number}: '{name}': {fault}")
    for fault in faults:
        print(fault)
    if not judged:
        print("no row was compared")
    print(f"{judged} rows compared, {len(faults)} faults")
    return 1 if faults or not judged else 0


if __name__ == "__main__":
    sys.exit(main())
