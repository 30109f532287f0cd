# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: integers.py BUILD [SEED]

Compiles random quantized models at -O0 and at -O2 for several processors, and
compares the results: equal, but for sums of floats, which may round differently."""
import os
import platform
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import onnxc

build = sys.argv[1]
random = np.random.default_rng(int(sys.argv[2]) if len(sys.argv) > 2 else 6)
TYPES = {np.uint8: TensorProto.UINT8, np.int8: TensorProto.INT8}


def integers(dtype, shape=()):
    limits = np.iinfo(dtype)
    if random.random() < 0.3:
        return random.choice([limits.min, limits.max], size=shape).astype(dtype)
    return random.integers(limits.min, limits.max + 1, size=shape).astype(dtype)


def graph(nodes, inputs, result, **constants):
    return helper.make_graph(nodes, "main", inputs, [helper.make_tensor_value_info("y", result, None)],
                             [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()])


def convolution():
    kind, weights = random.choice(list(TYPES)), random.choice(list(TYPES))
    channels, filters, kernel = (int(random.integers(1, top)) for top in (40, 80, 4))
    group = channels if random.random() < 0.4 else 1
    filters = channels if group > 1 else filters
    pads = [int(pad) for pad in random.integers(0, kernel, 4)]
    high, wide = (int(size) for size in random.integers(kernel, 25, 2))
    node = helper.make_node("QLinearConv", ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz", "b"], ["y"], group=group,
                            pads=pads, strides=[int(random.integers(1, 3))] * 2)
    model = graph([node], [helper.make_tensor_value_info("x", TYPES[kind], ["N", channels, high, wide])], TYPES[kind],
                  xs=np.float32(0.07), xz=integers(kind), ys=np.float32(random.random() * 20 + 0.1), yz=integers(kind),
                  w=integers(weights, (filters, channels // group, kernel, kernel)),
                  wz=integers(weights, (filters,) if random.random() < 0.5 else ()),
                  ws=(random.random(filters) + 0.01).astype(np.float32) / 10,
                  b=random.integers(-9999, 9999, filters).astype(np.int32))
    return model, {"x": integers(kind, (2, channels, high, wide))}, 0


def filtered():
    """Squares of which each has no whole number of vectors of channels, and all together whole lines of the cache: behind
    the last one of a place lies the next place's first, with vectors of 8 or of 16 lanes."""
    channels = int(random.choice([20, 36]))
    node = helper.make_node("ConvInteger", ["x", "w"], ["y"], pads=[1] * 4)
    model = graph([node], [helper.make_tensor_value_info("x", TensorProto.UINT8, [1, channels, 8, 16])], TensorProto.INT32,
                  w=integers(np.int8, (32, channels, 3, 3)))
    return model, {"x": integers(np.uint8, (1, channels, 8, 16))}, 0


def windows():
    weights = random.choice(list(TYPES))
    channels, filters, kernel = (int(random.integers(1, top)) for top in (40, 80, 4))
    nodes = [helper.make_node("ConvInteger", ["x", "w", "xz", "wz"], ["y"], pads=[1, 0],
                              strides=[int(random.integers(1, 3))], dilations=[int(random.integers(1, 3))])]
    inputs = [helper.make_tensor_value_info("x", TensorProto.UINT8, ["N", channels, 20]),
              helper.make_tensor_value_info("xz", TensorProto.UINT8, [])]
    model = graph(nodes, inputs, TensorProto.INT32, w=integers(weights, (filters, channels, kernel)),
                  wz=integers(weights))
    return model, {"x": integers(np.uint8, (2, channels, 20)), "xz": integers(np.uint8)}, 0


def product():
    left, right = random.choice(list(TYPES)), random.choice(list(TYPES))
    rows, inner, columns = (int(size) for size in random.integers(1, 120, 3))
    nodes = [helper.make_node("MatMulInteger", ["x", "w", "xz", "wz"], ["y"])]
    inputs = [helper.make_tensor_value_info("x", TYPES[left], ["A", "B", inner]),
              helper.make_tensor_value_info("xz", TYPES[left], [])]
    model = graph(nodes, inputs, TensorProto.INT32, w=integers(right, (inner, columns)),
                  wz=integers(right, (columns,) if random.random() < 0.5 else ()))
    return model, {"x": integers(left, (2, rows, inner)), "xz": integers(left)}, 0


def blocks():
    """Weights of few bits; all sums are exact."""
    kind, low = [(TensorProto.INT4, -8), (TensorProto.UINT4, 0)][random.integers(2)]
    steps, columns, block = 8 * int(random.integers(1, 12)), int(random.integers(1, 150)), 8 * int(random.integers(1, 4))
    shape = (-(-steps // block), columns)
    nodes = [helper.make_node("DequantizeLinear", ["w", "s", "z"], ["d"], axis=0, block_size=block),
             helper.make_node("MatMul", ["x", "d"], ["m"]), helper.make_node("Add", ["m", "b"], ["y"])]
    model = graph(nodes, [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["A", "B", steps])], TensorProto.FLOAT,
                  s=random.integers(1, 9, shape).astype(np.float32), b=np.arange(columns, dtype=np.float32))
    numbers = random.integers(low, low + 16, (steps, columns)), random.integers(low, low + 16, shape)
    zeros = numbers[1] if random.random() < 0.5 else np.full(shape, low + 8)
    model.initializer.extend([helper.make_tensor("w", kind, (steps, columns), numbers[0].ravel().tolist()),
                              helper.make_tensor("z", kind, shape, zeros.ravel().tolist())])
    return model, {"x": random.integers(-9, 10, (1, int(random.integers(1, 20)), steps)).astype(np.float32)}, 0


def dequantized():
    channels, filters = (int(random.integers(1, top)) for top in (40, 70))
    scales = (random.random(filters) + 0.1).astype(np.float32) / 100
    nodes = [helper.make_node("QuantizeLinear", ["x", "xs", "xz"], ["q"]),
             helper.make_node("DequantizeLinear", ["q", "xs", "xz"], ["d"]),
             helper.make_node("DequantizeLinear", ["w", "ws"], ["v"], axis=0),
             helper.make_node("DequantizeLinear", ["b", "bs"], ["c"], axis=0),
             helper.make_node("Conv", ["d", "v", "c"], ["s"], pads=[1] * 4),
             helper.make_node("Relu", ["s"], ["r"]),
             helper.make_node("QuantizeLinear", ["r", "ys", "xz"], ["y"])]
    model = graph(nodes, [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", channels, 9, 11])],
                  TensorProto.UINT8, w=integers(np.int8, (filters, channels, 3, 3)), ws=scales,
                  b=random.integers(-999, 999, filters).astype(np.int32), bs=scales * np.float32(0.02),
                  xs=np.float32(0.02), xz=integers(np.uint8), ys=np.float32(0.05))
    return model, {"x": random.standard_normal((1, channels, 9, 11)).astype(np.float32)}, 1


def dense_block():
    """Concatenations of channels between convolutions, and padded tensors of equal shapes."""
    kind = random.choice(list(TYPES))
    channels, growth = (int(random.integers(1, 40)) for _ in range(2))
    constants = {"s": np.float32(0.07), "z": integers(kind), "ws": np.float32(0.003), "wz": np.int8(0)}
    nodes, parts = [], ["x"]
    for layer, inputs in enumerate([channels, growth, growth]):
        constants[f"w{layer}"] = integers(np.int8, (growth, inputs, 3, 3))
        nodes.append(helper.make_node("QLinearConv", [parts[-1], "s", "z", f"w{layer}", "ws", "wz", "s", "z"],
                                      [f"p{layer}"], pads=[1] * 4))
        parts.append(f"p{layer}")
    kept = parts[int(random.integers(0, 2)):]
    constants["w"] = integers(np.int8, (5, (channels if kept[0] == "x" else 0) + 3 * growth, 3, 3))
    nodes += [helper.make_node("Concat", kept, ["c"], axis=1),
              helper.make_node("QLinearConv", ["c", "s", "z", "w", "ws", "wz", "s", "z"], ["y"], pads=[1] * 4)]
    high, wide = (int(size) for size in random.integers(1, 12, 2))
    model = graph(nodes, [helper.make_tensor_value_info("x", TYPES[kind], ["N", channels, "H", wide])], TYPES[kind],
                  **constants)
    return model, {"x": integers(kind, (2, channels, high, wide))}, 0


def quotient():
    scale = np.float32(random.random() * 3 + 1e-3)
    halves = ((random.integers(-300, 300, 2000) + 0.5) * scale).astype(np.float32)
    odd = np.array([np.inf, -np.inf, np.nan, 3e38, -3e38, 0, 1e-45, 1e-38], np.float32)
    x = np.concatenate([halves, np.nextafter(halves, np.float32(0)), odd])
    model = graph([helper.make_node("QuantizeLinear", ["x", "s", "z"], ["y"])],
                  [helper.make_tensor_value_info("x", TensorProto.FLOAT, [len(x)])], TensorProto.UINT8,
                  s=scale, z=np.uint8(100))
    return model, {"x": x}, 0


levels = [["-O0"], ["-O2"]]
if platform.machine() == "x86_64":
    levels += [["-O2", "--mcpu=haswell"], ["-O2", "--mcpu=x86-64"]]
failures = 0
with tempfile.TemporaryDirectory() as folder:
    for number, make in enumerate([convolution, windows, product, blocks, dequantized, dense_block, quotient, filtered] * 3):
        main, feeds, tolerance = make()
        source = os.path.join(folder, "m.onnx")
        onnx.save(helper.make_model(main, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), source)
        results = []
        for place, options in enumerate(levels):
            library = os.path.join(folder, f"m{number}_{place}.so")
            subprocess.run([os.path.join(build, "bin", "onnxc"), source, "-o", library, *options], check=True)
            results.append(onnxc.InferenceSession(library).run(None, feeds)[0].astype("i8"))
        for options, got in zip(levels, results, strict=True):
            if got.shape != results[0].shape or np.abs(got - results[0]).max(initial=0) > tolerance:
                print(f"{make.__name__} {number} {options}: differs from -O0")
                failures += 1
print(f"{failures} failures")
sys.exit(failures != 0)
