"""Compares -O2, where convolutions and pools are kernels on blocked images, with
-O0: odd sizes, borders wider than the image, transposed ones with fewer rows
than their stride, groups, dilations, no images at all; sizes known and open."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import onnxc

random = np.random.default_rng(7)


def numbers(*shape):
    return random.standard_normal(shape).astype(np.float32)


def window(operator, channels, size, filters=0, group=1, kernel=(3, 3), **attributes):
    """A node between two activations: (nodes, weights, shape of the image)."""
    weights = {}
    if filters:
        first, second = ((channels, filters // group) if operator == "ConvTranspose" else (filters, channels // group))
        weights = {"w": numbers(first, second, *kernel), "b": numbers(filters)}
        attributes["group"] = group
    node = helper.make_node(operator, ["r", *weights], ["c"], kernel_shape=kernel, **attributes)
    nodes = [helper.make_node("Relu", ["x"], ["r"]), node, helper.make_node("Mul", ["c", "c"], ["y"])]
    return nodes, weights, [2, channels, *size]


CASES = {
    "plain": window("Conv", 17, (9, 13), 33, pads=[1, 1, 1, 1]),
    "strided": window("Conv", 32, (15, 14), 48, strides=[2, 2], pads=[0, 1, 1, 0]),
    "dilated": window("Conv", 16, (12, 7), 16, dilations=[2, 3], pads=[2, 3, 2, 3]),
    "all border": window("Conv", 16, (2, 2), 16, kernel=(5, 5), pads=[4, 4, 4, 4]),
    "grouped": window("Conv", 64, (8, 9), 32, group=2, pads=[1, 1, 1, 1]),
    "depthwise": window("Conv", 40, (11, 10), 40, group=40, kernel=(5, 5), strides=[2, 1], pads=[2, 2, 2, 2]),
    "line": window("Conv", 24, (50,), 20, kernel=(7,), pads=[3, 3]),
    "volume": window("Conv", 16, (5, 6, 7), 17, kernel=(3, 1, 3), pads=[1, 0, 1, 1, 0, 1]),
    "doubled": window("ConvTranspose", 32, (7, 9), 16, kernel=(2, 2), strides=[2, 2]),
    "overlapping": window("ConvTranspose", 19, (6, 5), 33, kernel=(4, 4), strides=[2, 2], pads=[1, 1, 1, 1]),
    "one filter": window("ConvTranspose", 24, (8, 8), 1, kernel=(2, 2), strides=[2, 2]),
    "one filter, nine phases": window("ConvTranspose", 24, (5, 6), 1, kernel=(9, 9), strides=[3, 3], pads=[4, 4, 4, 4], output_padding=[2, 2]),
    "one filter, uneven phases": window("ConvTranspose", 24, (7, 8), 1, kernel=(3, 3), strides=[2, 2], pads=[1, 1, 1, 1]),
    "three filters": window("ConvTranspose", 40, (7, 8), 3, kernel=(4, 4), strides=[2, 2], pads=[1, 1, 1, 1]),
    "one filter, a line": window("ConvTranspose", 32, (30,), 1, kernel=(16,), strides=[8], pads=[4, 4]),
    "fewer rows than the stride": window("ConvTranspose", 16, (1, 1), 16, kernel=(1, 1), strides=[3, 3]),
    "grouped volume": window("ConvTranspose", 32, (3, 4, 5), 32, group=2, kernel=(2, 3, 2), strides=[2, 1, 2]),
    "more": window("ConvTranspose", 16, (5, 5), 16, strides=[2, 3], output_padding=[1, 2], dilations=[2, 1]),
    "small": window("Conv", 16, (2, 3), 16, pads=[1, 1, 1, 1]),
    "small, strided": window("Conv", 16, (5, 5), 16, strides=[2, 2], pads=[1, 1, 1, 1]),
    "one pixel": window("Conv", 24, (1, 1), 16, pads=[1, 1, 1, 1]),
    "greatest": window("MaxPool", 33, (13, 9), kernel=(3, 3), strides=[2, 2], pads=[1, 1, 1, 1]),
    "greatest, rounded up": window("MaxPool", 16, (12, 7), kernel=(3, 2), strides=[2, 2], ceil_mode=1),
    "mean": window("AveragePool", 32, (9, 9), kernel=(3, 3), pads=[1, 1, 1, 1]),
    "mean with borders": window("AveragePool", 16, (8, 10), kernel=(2, 3), strides=[2, 2], pads=[1, 1, 0, 1],
                                count_include_pad=1),
}


def settle(nodes, weights, shape):
    """The same behind which a Reshape tells all sizes, so that those of the result are known and those of the input are not."""
    fixed = onnxc.InferenceSession(make_model(nodes, weights, shape, False), opt_level=0)
    result = fixed.run(None, {"x": np.zeros(shape, np.float32)})[0].shape
    *others, last = nodes
    return ([*others, helper.make_node(last.op_type, last.input, ["open"]), helper.make_node("Reshape", ["open", "sizes"], ["y"])],
            {**weights, "sizes": np.array(result, np.int64)})


def make_model(nodes, weights, shape, is_open, is_last_open=False):
    dims = ["n", shape[1], *(f"s{i}" for i in range(len(shape) - 2))] if is_open else [*shape[:-1], "last"] if is_last_open else shape
    graph = helper.make_graph(
        nodes, "main", [helper.make_tensor_value_info("x", TensorProto.FLOAT, dims)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [None] * len(shape))],
        [numpy_helper.from_array(array, name) for name, array in weights.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def samples(shape, is_open):
    yield numbers(*shape)
    odd = numbers(*shape)
    odd.flat[::37] = np.inf
    odd.flat[5::61] = np.nan
    yield odd
    if is_open:
        yield numbers(0, *shape[1:])
        yield numbers(1, shape[1], *(size + 3 for size in shape[2:]))


def main():
    np.seterr(all="ignore")
    right = 0
    for name, (nodes, weights, shape) in CASES.items():
        for sizes in ("known", "open", "settled"):
            is_open = sizes == "open"
            of_case = settle(nodes, weights, shape) if sizes == "settled" else (nodes, weights)
            model = make_model(*of_case, shape, is_open, sizes == "settled")
            onnx.checker.check_model(model)
            plain, fast = (onnxc.InferenceSession(model, opt_level=level) for level in (0, 2))
            wrong = [x.shape for x in samples(shape, is_open)
                     if not np.allclose(plain.run(None, {"x": x})[0], fast.run(None, {"x": x})[0],
                                        rtol=1e-4, atol=1e-4, equal_nan=True)]
            right += not wrong
            if wrong:
                print(f"{name}: wrong for {wrong}, sizes {sizes}")
    print(f"convolutions: {right} of {3 * len(CASES)}")


main()
