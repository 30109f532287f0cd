"""Runs operators of com.microsoft through onnxc and ONNX Runtime and compares."""
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

import onnxc

rng = np.random.default_rng(7)
u8 = lambda *shape: rng.integers(0, 256, shape).astype(np.uint8)
i8 = lambda *shape: rng.integers(-128, 128, shape).astype(np.int8)
f32 = lambda *shape: rng.standard_normal(shape).astype(np.float32)
scale = lambda x: np.float32(x)
none = None

CASES = [
    ("QLinearAdd", [u8(3, 4), scale(.1), np.uint8(9), u8(4), scale(.2), np.uint8(200), scale(.3), np.uint8(7)], {}),
    ("QLinearMul", [i8(3, 1), scale(.1), np.int8(9), i8(2, 1, 4), scale(.02), np.int8(-3), scale(.1), np.int8(7)], {}),
    ("QLinearSigmoid", [u8(3, 4), scale(.05), np.uint8(128), scale(1 / 256), np.uint8(0)], {}),
    ("QLinearLeakyRelu", [i8(3, 4), scale(.05), np.int8(2), scale(.05), np.int8(0)], {"alpha": .2}),
    ("QLinearSoftmax", [u8(3, 4), scale(.05), np.uint8(2), scale(1 / 256), np.uint8(0)], {"axis": -1, "opset": 13}),
    ("QLinearGlobalAveragePool", [u8(2, 3, 5, 4), scale(.1), np.uint8(9), scale(.05), np.uint8(3)], {}),
    ("QLinearGlobalAveragePool", [u8(2, 5, 4, 3), scale(.1), np.uint8(9), scale(.05), np.uint8(3)],
     {"channels_last": 1}),
    ("QLinearAveragePool", [u8(1, 2, 6, 5), scale(.1), np.uint8(9), scale(.05), np.uint8(3)],
     {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 1, 1]}),
    ("QLinearConcat", [scale(.1), np.uint8(3), u8(2, 3), scale(.2), np.uint8(9), u8(2, 2), scale(.1), np.uint8(5)],
     {"axis": 1}),
    ("QLinearWhere", [rng.random((2, 3)) < .5, u8(2, 3), scale(.1), np.uint8(2), u8(3), scale(.2), np.uint8(3),
                      scale(.15), np.uint8(1)], {}),
    ("QGemm", [u8(3, 5), scale(.1), np.uint8(9), i8(4, 5), f32(4) ** 2, i8(4) * 0,
               rng.integers(-500, 500, 4).astype(np.int32), scale(.9), np.uint8(100)], {"transB": 1}),
    ("QGemm", [i8(3, 5), scale(.1), np.int8(9), i8(5, 4), scale(.2), np.int8(0)], {"alpha": .5}),
    ("MatMulIntegerToFloat", [u8(3, 5), i8(5, 4), scale(.1), scale(.2), np.uint8(7), np.int8(0), f32(4)], {}),
    ("MatMulNBits", [f32(3, 64), u8(5, 2, 16), f32(10), u8(5)], {"K": 64, "N": 5, "bits": 4, "block_size": 32}),
    ("MatMulNBits", [f32(3, 40), u8(5, 3, 8), f32(15), u8(10)], {"K": 40, "N": 5, "bits": 4, "block_size": 16}),
    ("MatMulNBits", [f32(3, 64), u8(5, 2, 16), f32(10)], {"K": 64, "N": 5, "bits": 4, "block_size": 32}),
    ("Gelu", [f32(3, 4)], {}),
    ("BiasGelu", [f32(3, 4), f32(4)], {}),
    ("FastGelu", [f32(3, 4), f32(4)], {}),
    ("QuickGelu", [f32(3, 4)], {"alpha": 1.5}),
    ("FusedMatMul", [f32(2, 5, 3), f32(2, 4, 5)], {"transA": 1, "transB": 1, "alpha": .5}),
    ("FusedConv", [f32(1, 2, 5, 5), f32(3, 2, 3, 3), f32(3), f32(1, 3, 5, 5)],
     {"activation": "Relu", "pads": [1, 1, 1, 1]}),
    ("FusedConv", [f32(1, 2, 5, 5), f32(3, 2, 3, 3), f32(3)],
     {"activation": "LeakyRelu", "activation_params": [.3], "kernel_shape": [3, 3]}),
    ("SkipLayerNormalization", [f32(2, 3, 8), f32(2, 3, 8), f32(8), f32(8), f32(8)], {"epsilon": 1e-5}),
    ("SkipSimplifiedLayerNormalization", [f32(2, 3, 8), f32(2, 3, 8), f32(8)], {"epsilon": 1e-5}),
]

failures = 0
for name, inputs, attributes in CASES:
    names = [f"x{i}" for i in range(len(inputs))]
    outputs = ["y", "", "", "sum"] if name.startswith("Skip") else ["y"]
    node = helper.make_node(name, names, outputs, name=name, domain="com.microsoft", **attributes)
    graph = helper.make_graph(
        [node], "g",
        [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(np.asarray(x).dtype), np.shape(x))
         for n, x in zip(names, inputs)],
        [onnx.ValueInfoProto(name=o) for o in outputs if o])
    model = helper.make_model(graph, ir_version=10, opset_imports=[
        helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)])
    feeds = dict(zip(names, map(np.asarray, inputs)))
    expected = onnxruntime.InferenceSession(model.SerializeToString(),
                                            providers=["CPUExecutionProvider"]).run(None, feeds)
    for level in (0, 1):
        got = onnxc.InferenceSession(model.SerializeToString(), opt_level=level).run(None, feeds)
        for e, g in zip(expected, got, strict=True):
            # A quantized result may fall on the other side of a tie.
            atol = 1 if e.dtype.kind in "iu" else 1e-5
            near = np.allclose(g.astype(np.float64), e.astype(np.float64), rtol=1e-5, atol=atol)
            if g.dtype != e.dtype or g.shape != e.shape or not near:
                failures += 1
                print(f"{name} {attributes} -O{level}: expected {e}, got {g}")
print(f"{len(CASES)} cases, {failures} failures")
