"""Small networks of the kinds that microcontrollers run, with weights of a fixed
seed: a model and inputs for each name in NETS."""

import os
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Builder:
    """Nodes in their order, and weights of a seed."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.nodes, self.weights = [], []

    def weight(self, name, shape, fan_in):
        value = self.random.normal(0, (2 / fan_in) ** 0.5, shape).astype(np.float32)
        self.weights.append(numpy_helper.from_array(value, name))
        return name

    def node(self, kind, inputs, name, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name

    def conv(self, x, name, channels, kernel, strides, pads, groups=1, relu=True):
        of, to = channels
        fan_in = of // groups * kernel[0] * kernel[1]
        w = self.weight(name + "_w", (to, of // groups, *kernel), fan_in)
        b = self.weight(name + "_b", (to,), 100)
        y = self.node("Conv", [x, w, b], name, strides=strides, pads=pads, group=groups)
        return self.node("Relu", [y], name + "_relu") if relu else y

    def dense(self, x, name, of, to):
        w = self.weight(name + "_w", (of, to), of)
        b = self.weight(name + "_b", (to,), 100)
        return self.node("Gemm", [x, w, b], name)

    def model(self, x_shape, y, y_shape):
        graph = helper.make_graph(
            self.nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, x_shape)],
            [helper.make_tensor_value_info(y, TensorProto.FLOAT, y_shape)], self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.checker.check_model(model)
        return model

    def input(self, shape):
        return {"x": self.random.normal(0, 1, shape).astype(np.float32)}


def keyword_spotting():
    """DS-CNN, small, as in MLPerf Tiny: 12 words from 49 frames of 10 coefficients."""
    b = Builder(1)
    x = b.conv("x", "conv", (1, 64), (10, 4), (2, 2), (4, 1, 5, 1))
    for i in range(4):
        x = b.conv(x, f"depthwise{i}", (64, 64), (3, 3), (1, 1), (1, 1, 1, 1), groups=64)
        x = b.conv(x, f"pointwise{i}", (64, 64), (1, 1), (1, 1), (0, 0, 0, 0))
    x = b.node("GlobalAveragePool", [x], "pool")
    x = b.node("Flatten", [x], "flatten")
    x = b.node("Softmax", [b.dense(x, "dense", 64, 12)], "y")
    return b.model((1, 1, 49, 10), x, (1, 12)), b.input((1, 1, 49, 10))


def mobilenet():
    """MobileNetV1 of width 0.25 for images of 96 x 96 and 2 classes, as in MLPerf
    Tiny, quantized to 8 bits."""
    b = Builder(2)
    x = b.conv("x", "conv", (3, 8), (3, 3), (2, 2), (1, 1, 1, 1))
    of = 8
    for i, (to, stride) in enumerate(
            [(16, 1), (32, 2), (32, 1), (64, 2), (64, 1), (128, 2)] + [(128, 1)] * 5 + [(256, 2), (256, 1)]):
        x = b.conv(x, f"depthwise{i}", (of, of), (3, 3), (stride, stride), (1, 1, 1, 1), groups=of)
        x = b.conv(x, f"pointwise{i}", (of, to), (1, 1), (1, 1), (0, 0, 0, 0))
        of = to
    x = b.node("GlobalAveragePool", [x], "pool")
    x = b.node("Flatten", [x], "flatten")
    x = b.dense(x, "dense", of, 2)
    shape = (1, 3, 96, 96)
    return quantize(b.model(shape, x, (1, 2)), [b.input(shape) for _ in range(4)]), b.input(shape)


def quantize(model, samples):
    """By ONNX Runtime's tool: QuantizeLinear and DequantizeLinear around int8."""
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

    class Samples(CalibrationDataReader):
        def __init__(self):
            self.rest = iter(samples)

        def get_next(self):
            return next(self.rest, None)

    with tempfile.TemporaryDirectory() as folder:
        source, result = os.path.join(folder, "float.onnx"), os.path.join(folder, "int8.onnx")
        onnx.save(model, source)
        quantize_static(source, result, Samples(), quant_format=QuantFormat.QDQ, per_channel=True,
                        activation_type=QuantType.QInt8, weight_type=QuantType.QInt8)
        return onnx.load(result)


def lstm():
    """A sequence of 20 vectors to one of 4 classes."""
    b = Builder(3)
    hidden = 32
    w = b.weight("w", (1, 4 * hidden, 8), 2 * 8)
    r = b.weight("r", (1, 4 * hidden, hidden), 2 * hidden)
    bias = b.weight("bias", (1, 8 * hidden), 100)
    b.nodes.append(helper.make_node("LSTM", ["x", w, r, bias], ["", "last"], name="lstm", hidden_size=hidden))
    b.weights.append(numpy_helper.from_array(np.array([1, hidden], np.int64), "shape"))
    x = b.node("Reshape", ["last", "shape"], "reshape")
    x = b.node("Softmax", [b.dense(x, "dense", hidden, 4)], "y")
    return b.model((20, 1, 8), x, (1, 4)), b.input((20, 1, 8))


def mnist():
    folder = os.path.join(ROOT, "test", "models", "mnist_cnn")
    data = np.load(os.path.join(folder, "data.npz"))
    return onnx.load(os.path.join(folder, "model.onnx")), {"input.1": data["n1/in/input.1"]}


NETS = {"mnist": mnist, "keywords": keyword_spotting, "mobilenet": mobilenet, "lstm": lstm}
