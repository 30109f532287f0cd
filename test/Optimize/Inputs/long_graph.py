"""Writes a function of many ops: long_graph.py KIND OPS FILE."""

# Part of the onnxc project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import sys

MATRIX = "tensor<3x3xf32>"


def unary(result: str, op: str, operand: str) -> str:
    return f"  %{result} = onnx.{op}(%{operand}) : ({MATRIX}) -> {MATRIX}\n"


def write(ops: list[str], results: list[str], kind: str = MATRIX) -> str:
    """The function: its entry's argument is %x."""
    kinds = ", ".join([kind] * len(results))
    values = ", ".join(f"%{result}" for result in results)
    return (f"func.func @main_graph(%x: {MATRIX}) -> ({kinds}) attributes {{onnx.entry}} {{\n"
            + "".join(ops) + f"  return {values} : {kinds}\n}}\n")


def transposes(count: int) -> str:
    ops, last = [], "x"
    for i in range(count // 2):
        ops += [unary(f"t{i}", "Transpose", last), unary(f"v{i}", "Tanh", f"t{i}")]
        last = f"v{i}"
    return write(ops, [last])


def both(count: int) -> str:
    ops, last = [], "x"
    for i in range(count // 2):
        ops += [unary(f"v{i}", "Tanh", last), unary(f"t{i}", "Transpose", f"v{i}")]
        last = f"v{i}"
    return write(ops, [f"{kind}{i}" for i in range(count // 2) for kind in "vt"])


def concats(count: int) -> str:
    ops, last = [], "x"
    for i in range(count):
        before = MATRIX if i == 0 else f"tensor<{3 * (i + 1)}x3xf32>"
        after = f"tensor<{3 * (i + 2)}x3xf32>"
        ops.append(f"  %v{i} = onnx.Concat(%{last}, %x) {{axis = 0}} : ({before}, {MATRIX}) -> {after}\n")
        last = f"v{i}"
    return write(ops, [last], f"tensor<{3 * (count + 1)}x3xf32>")


def results(count: int) -> str:
    return write([unary(f"v{i}", "Neg", "x") for i in range(count)], [f"v{i}" for i in range(count)])


def sizes(count: int) -> str:
    """A shape that is cast there and back, and a Reshape to it."""
    one = "  %one = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>\n"
    ops, last, kind = [one, f"  %s = onnx.Shape(%x) : ({MATRIX}) -> tensor<2xi64>\n"], "s", "i64"
    for i in range(count // 2 * 2):
        before, kind = kind, "i32" if kind == "i64" else "i64"
        ops.append(f"  %c{i} = onnx.Cast(%{last}) {{to = {6 if kind == 'i32' else 7}}} : (tensor<2x{before}>) -> tensor<2x{kind}>\n")
        last = f"c{i}"
    ops += [f"  %l = onnx.Concat(%{last}, %one) {{axis = 0}} : (tensor<2xi64>, tensor<1xi64>) -> tensor<3xi64>\n",
            "  %r = onnx.Reshape(%x, %l) : (tensor<?x?xf32>, tensor<3xi64>) -> tensor<?x?x1xf32>\n"]
    return write(ops, ["r"], "tensor<?x?x1xf32>").replace(MATRIX, "tensor<?x?xf32>")


def main() -> None:
    kind, count, path = sys.argv[1:]
    makers = {make.__name__: make for make in (transposes, both, concats, results, sizes)}
    with open(path, "w", encoding="utf-8") as file:
        file.write(makers[kind](int(count)))


if __name__ == "__main__":
    main()
