# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Older forms of operators: each version's own attributes, of its own types and values."""

import numpy as np

from models import f32, fine, i64, of, single, zeros

IMAGE = "f32[1,4,8,8]"
MATRIX = "f32[2,3]"


def kinds():
    """Attributes that the version does not have, or has of another type."""
    for op, attribute, opset, values in (
            ("Softmax", "axis", 11, (1.0, "1", [1])), ("Softmax", "axis", 23, (1.0, "1", [1], f32(1))),
            ("LogSoftmax", "axis", 1, (1.0, [1.0])), ("Hardmax", "axis", 12, ("0",)), ("Concat", "axis", 1, (1.0,)),
            ("Clip", "min", 6, (1, "1", [1.0])), ("Selu", "alpha", 1, (1,)), ("Elu", "consumed_inputs", 1, (0, [0.0])),
            ("Cast", "to", 1, (1.0, ["FLOAT"])), ("Cast", "to", 6, (1.0,)), ("Squeeze", "axes", 11, (0, [0.0], "0")),
            ("ReduceSum", "axes", 11, (0, [0.5])), ("ReduceMax", "axes", 13, (1,)), ("ReduceMean", "keepdims", 13, (1.0, [1])),
            ("Split", "split", 11, (3, [3.0])), ("Split", "axis", 2, (1.0,)), ("Slice", "starts", 9, (1, [1.0])),
            ("Pad", "pads", 2, (1, [1.0, 1.0, 1.0, 1.0])), ("Pad", "mode", 10, (1, ["edge"])), ("Pad", "value", 2, (1,)),
            ("TopK", "k", 1, (1.0, [1])), ("Dropout", "ratio", 10, (1, "0.5")), ("Dropout", "is_test", 6, (1.0,)),
            ("Reshape", "shape", 1, (6, [6.0]))):
        for value in values:
            settings = {"Slice": dict(starts=[0], ends=[1]), "Pad": dict(pads=[0, 0, 0, 0]), "TopK": dict(k=1)}.get(op, {})
            settings[attribute] = value
            kind = "INT" if isinstance(value, int) else "FLOAT" if isinstance(value, float) else "STRING" if isinstance(value, str) \
                else "TENSOR" if isinstance(value, np.ndarray) else {int: "INTS", float: "FLOATS", str: "STRINGS"}[type(value[0])]
            yield of(op, f"attribute '{attribute}' is of type {kind}, ", MATRIX, opset=opset,
                     case=f"{op} of opset {opset}, {attribute} a {kind}", **settings)
    for op, attribute, opset, value in (
            ("Add", "broadcast", 6, "x"), ("Add", "axis", 6, 1.0), ("Gemm", "broadcast", 6, 1.0), ("Pow", "broadcast", 1, [1]),
            ("Equal", "axis", 1, "0"), ("PRelu", "consumed_inputs", 1, 1)):
        kind = {str: "STRING", float: "FLOAT", list: "INTS", int: "INT"}[type(value)]
        yield of(op, f"attribute '{attribute}' is of type {kind}", "bool[2,2]" if op == "Equal" else "f32[2,2]",
                 "bool[2,2]" if op == "Equal" else "f32[2,2]", *(["f32[2,2]"] if op == "Gemm" else []), opset=opset,
                 **{attribute: value})
    parameters = [zeros(4)] * 4
    yield of("BatchNormalization", "attribute 'spatial' is of type FLOAT, expected INT", IMAGE, *parameters, opset=7, spatial=1.0)
    yield of("BatchNormalization", "attribute 'is_test' is of type STRING", IMAGE, *parameters, opset=6, is_test="1")
    yield of("BatchNormalization", "attribute 'momentum' is of type INT", IMAGE, *parameters, opset=9, momentum=1)
    yield of("GridSample", "attribute 'mode' is of type INT, expected STRING", "f32[1,1,2,2]", "f32[1,2,2,2]", opset=16, mode=1)
    yield of("Upsample", "attribute 'scales' is of type INTS, expected FLOATS", IMAGE, opset=7, scales=[1, 1, 2, 2])
    yield of("Upsample", "attribute 'mode' is of type INT", IMAGE, opset=7, scales=[1., 1., 2., 2.], mode=1)
    yield of("Resize", "attribute 'mode' is of type INT", IMAGE, f32(1, 1, 2, 2), opset=10, mode=1)
    yield of("GlobalLpPool", "attribute 'p' is of type STRING, expected FLOAT", IMAGE, opset=1, p="2")
    yield of("LpPool", "attribute 'p' is of type STRING, expected INT", IMAGE, opset=2, kernel_shape=[2, 2], p="2")
    yield of("GroupNormalization", "attribute 'num_groups' is of type FLOAT", IMAGE, zeros(2), zeros(2), opset=18, num_groups=2.0)
    yield of("DFT", "attribute 'axis' is of type INTS", "f32[1,4,2]", opset=17, axis=[1])
    yield of("LabelEncoder", "attribute 'classes_strings' is of type INTS", "str[2]", domain="ai.onnx.ml",
             imports={"": 9, "ai.onnx.ml": 1}, classes_strings=[1, 2])
    yield of("MaxPool", "attribute 'kernel_shape' is of type FLOATS", IMAGE, opset=8, kernel_shape=[2., 2.])
    # The first exporters took forms of other versions; from opset 7 on they are refused.
    yield fine("Add-6 at opset 6", single("Add", "f32[2,3]", "f32[3]", opset=6, broadcast=1))
    yield of("Add", "attribute 'broadcast' is unknown", "f32[2,3]", "f32[3]", opset=7, broadcast=1)
    yield of("Squeeze", "attribute 'axes' is unknown", "f32[1,3]", opset=13, axes=[0])
    yield of("Clip", "attribute 'min' is unknown", "f32[2,3]", opset=11, min=0.0)
    yield fine("LpPool-1 at opset 2", single("LpPool", IMAGE, opset=2, kernel_shape=[2, 2], p=2.0))
    yield fine("Pad-2 at opset 1", single("Pad", MATRIX, opset=1, pads=[0, 0, 1, 1]))
    yield fine("Tile-6 at opset 5", single("Tile", MATRIX, i64(1, 2), opset=5))
    yield fine("Cast-6 at opset 1", single("Cast", MATRIX, opset=1, to=7))
    yield fine("Cast-1 at opset 6", single("Cast", MATRIX, opset=6, to="INT64"))
    # A list of nothing is a list of anything.
    yield fine("Squeeze-11 without axes", single("Squeeze", "f32[1,2]", opset=11, axes=[]))


def arity():
    """What the version has too much or too little of."""
    for op, opset, unknown, operands, settings in (
            ("Add", 6, "fused", (MATRIX, MATRIX), {}), ("Resize", 13, "antialias", (IMAGE, None, f32(1, 1, 2, 2)), {}), ("AveragePool", 7, "ceil_mode", (IMAGE,), dict(kernel_shape=[2, 2])),
            ("MaxPool", 8, "dilations", (IMAGE,), dict(kernel_shape=[2, 2])), ("LeakyRelu", 1, "beta", (MATRIX,), {}),
            ("BatchNormalization", 9, "training_mode", (IMAGE, *[zeros(4)] * 4), {}), ("Shape", 13, "start", (MATRIX,), {}),
            ("Softmax", 1, "axes", (MATRIX,), {}), ("Cast", 13, "saturate", (MATRIX,), dict(to=1)),
            ("Split", 13, "num_outputs", (MATRIX,), {}), ("ReduceSum", 11, "noop_with_empty_axes", (MATRIX,), {}),
            ("TopK", 10, "largest", (MATRIX, i64(1)), {}), ("ArgMax", 11, "select_last_index", (MATRIX,), {})):
        value = [2, 2] if unknown in ("dilations", "axes") else 1
        yield of(op, f"attribute '{unknown}' is unknown to version", *operands, opset=opset, case=f"{op} of opset {opset} with {unknown}",
                 **{unknown: value}, **settings)
    for op, opset, missing, operands in (
            ("Cast", 1, "to", (MATRIX,)), ("Cast", 6, "to", (MATRIX,)), ("Concat", 4, "axis", (MATRIX, MATRIX)), ("Pad", 1, "paddings", (MATRIX,)),
            ("Pad", 2, "pads", (MATRIX,)), ("Slice", 1, "ends", (MATRIX,)), ("TopK", 1, "k", (MATRIX,)), ("Unsqueeze", 1, "axes", (MATRIX,)),
            ("Unsqueeze", 11, "axes", (MATRIX,)), ("Upsample", 1, "height_scale", (IMAGE,)), ("Upsample", 7, "scales", (IMAGE,)),
            ("MaxPool", 1, "kernel_shape", (IMAGE,)), ("GroupNormalization", 18, "num_groups", (IMAGE, zeros(2), zeros(2)))):
        yield of(op, f"'{missing}'", *operands, opset=opset, case=f"{op} of opset {opset} without {missing}")
    for op, opset, text, operands, settings in (
            ("Add", 6, "input 1 (B) is missing", (MATRIX,), {}), ("Softmax", 1, "input 0 (input) is missing", (), {}),
            ("Add", 6, "has 3 inputs", (MATRIX,) * 3, {}), ("Clip", 6, "has 3 inputs", (MATRIX, f32(), f32()), {}),
            ("Slice", 9, "has 3 inputs", (MATRIX, i64(0), i64(1)), dict(starts=[0], ends=[1])),
            ("Pad", 10, "has 2 inputs", (MATRIX, i64(0, 0, 0, 0)), dict(pads=[0, 0, 0, 0])),
            ("Pad", 13, "has 4 inputs", (MATRIX, i64(0, 0), None, i64(0)), {}),
            ("TopK", 9, "has 2 inputs", (MATRIX, i64(1)), dict(k=1)), ("Dropout", 10, "has 2 inputs", (MATRIX, f32(0.5)), {}),
            ("Squeeze", 11, "has 2 inputs", (MATRIX, i64(0)), {}), ("ReduceMax", 13, "has 2 inputs", (MATRIX, i64(0)), {}),
            ("Split", 11, "has 3 inputs", (MATRIX, i64(2), i64(1)), {}), ("Upsample", 7, "has 2 inputs", (IMAGE, f32(1, 1, 2, 2)), dict(scales=[1., 1., 2., 2.])),
            ("Resize", 10, "has 3 inputs", (IMAGE, None, f32(1, 1, 2, 2)), {}), ("Gemm", 9, "input 2 (C) is missing", ("f32[2,2]",) * 2, {}),
            ("Tile", 5, "input 2 (axis) is missing", (MATRIX, f32(2)), {}), ("BatchNormalization", 7, "input 4 (var) is missing",
                                                                               (IMAGE, *[zeros(4)] * 3), {})):
        yield of(op, text, *operands, opset=opset, case=f"{op} of opset {opset} {text}", **settings)
    for op, opset, kind in (("Max", 8, "int64"), ("Relu", 13, "int32"), ("Add", 6, "int16"), ("Hardmax", 11, "int32"),
                            ("TopK", 10, "int64"), ("Clip", 11, "int32")):
        yield of(op, f"input 0 ({'data_0' if op == 'Max' else 'A' if op == 'Add' else 'input' if op in ('Hardmax', 'Clip') else 'X'}) is of type "
                 f"tensor({kind}), which version {opset} does not take", kind.replace("int", "i") + "[2]",
                 *([kind.replace("int", "i") + "[2]"] if op == "Add" else [i64(1)] if op == "TopK" else []), opset=opset)
    for op, opset, count in (("MaxPool", 1, 2), ("Dropout", 6, 3), ("Relu", 1, 2), ("BatchNormalization", 14, 4), ("Softmax", 11, 2)):
        settings = dict(kernel_shape=[2, 2]) if op == "MaxPool" else {}
        operands = (IMAGE, *[zeros(4)] * 4) if op == "BatchNormalization" else (IMAGE,)
        yield of(op, f"has {count} outputs", *operands, opset=opset, outputs=count, case=f"{op} of opset {opset} with {count} outputs", **settings)


def values():
    """Values that the version does not define."""
    for text, opset, axis in (("axis", 1, 3), ("axis", 1, -3), ("axis", 11, 3), ("axis", 11, -3)):
        for op in ("Softmax", "LogSoftmax", "Hardmax"):
            yield of(op, text, MATRIX, opset=opset, axis=axis)
    for op in ("Add", "Mul", "Pow", "Sub", "Div", "Greater"):
        for opset in (1, 6):
            yield of(op, "axis", "f32[2,3,4]", "f32[3,4]", opset=opset, broadcast=1, axis=2)
            yield of(op, "axis", "f32[2,3,4]", "f32[3]", opset=opset, broadcast=1, axis=-4)
            yield of(op, "", "f32[2,3,4]", "f32[4]", opset=opset, broadcast=1, axis=1)
            yield of(op, "", "f32[2,3,4]", "f32[5]", opset=opset, broadcast=1)
            yield of(op, "broadcast", "f32[2,3]", "f32[3]", opset=opset, case=f"{op} of opset {opset} whose shapes differ")
    yield of("And", "axis", "bool[2,3]", "bool[3]", opset=1, broadcast=1, axis=2)
    yield of("PRelu", "", "f32[2,3,4]", "f32[4]", opset=6)
    yield of("Gemm", "", "f32[2,3]", "f32[3,4]", "f32[5]", opset=6, broadcast=1)
    for opset, text, attributes in (
            (1, "'mode'", dict(height_scale=2., width_scale=2., mode="cubic")), (1, "scale", dict(height_scale=0., width_scale=2.)),
            (1, "scale", dict(height_scale=2., width_scale=-2.)), (1, "scale", dict(height_scale=float("nan"), width_scale=1.)),
            (7, "'mode'", dict(scales=[1., 1., 2., 2.], mode="area")), (7, "scales", dict(scales=[1., 1., 2.])),
            (7, "scales", dict(scales=[1., 1., 0., 2.])), (7, "scales", dict(scales=[1., 1., -1., 2.])), (7, "scales", dict(scales=[])),
            (7, "scales", dict(scales=[1., 1., float("inf"), 2.]))):
        yield of("Upsample", text, IMAGE, opset=opset, **attributes)
    yield of("Upsample", "mode", IMAGE, f32(1, 1, 2, 2), opset=9, mode="wrong")
    yield of("Upsample", "scales", IMAGE, f32(1, 1, 2), opset=9)
    yield of("Upsample", "scales", IMAGE, f32(1, 1, 2, 0), opset=9)
    yield of("Resize", "mode", IMAGE, f32(1, 1, 2, 2), opset=10, mode="wrong")
    yield of("Resize", "scales", IMAGE, f32(1, 1, 2, -2), opset=10)
    yield of("Resize", "scales", IMAGE, f32(1, 1), opset=10)
    yield of("Resize", "coordinate_transformation_mode", IMAGE, f32(), f32(1, 1, 2, 2), opset=11, coordinate_transformation_mode="wrong",
             case="Resize-11 with a wrong mode")
    yield of("Resize", "", IMAGE, zeros(0), zeros(0), opset=11, case="Resize-11 with neither scales nor sizes")
    yield of("GridSample", "mode", "f32[1,1,2,2]", "f32[1,2,2,2]", opset=16, mode="wrong")
    yield of("GridSample", "mode", "f32[1,1,2,2]", "f32[1,2,2,2]", opset=16, mode="linear")
    yield of("GridSample", "mode", "f32[1,1,2,2]", "f32[1,2,2,2]", opset=20, mode="bilinear")
    yield of("GridSample", "padding_mode", "f32[1,1,2,2]", "f32[1,2,2,2]", opset=16, padding_mode="wrong")
    for opset, name in ((1, "paddings"), (2, "pads")):
        yield of("Pad", "mode", MATRIX, opset=opset, mode="wrap", **{name: [0, 0, 1, 1]})
        yield of("Pad", "mode", MATRIX, opset=opset, mode="Constant", **{name: [0, 0, 1, 1]})
        yield of("Pad", "pads", MATRIX, opset=opset, **{name: [1, 1]})
        yield of("Pad", "pads", MATRIX, opset=opset, **{name: [0, 0, -4, -4]})
        yield of("Pad", "pads", MATRIX, opset=opset, **{name: [1 << 62, 0, 1 << 62, 0]})
    yield of("Pad", "mode", MATRIX, i64(0, 0, 1, 1), opset=17, mode="wrap")
    for to in ("FLOAT17", "", "UNDEFINED"):
        yield of("Cast", "'to'", MATRIX, opset=1, to=to)
    for to in (0, 99, -1):
        yield of("Cast", "to", MATRIX, opset=6, to=to)
    for k in (-1, 4):
        yield of("TopK", "k", MATRIX, opset=1, k=k, outputs=2)
    yield of("TopK", "axis", MATRIX, opset=1, k=1, axis=2, outputs=2)
    for shape in ([5], [-1, -1], [0, 0, 0], [-2, 3], [4, -1]):
        yield of("Reshape", "shape", MATRIX, opset=1, shape=shape)
    for settings in (dict(starts=[0], ends=[1, 2]), dict(starts=[0], ends=[1], axes=[2]), dict(starts=[0, 0], ends=[1, 1], axes=[0]),
                     dict(starts=[0, 0, 0], ends=[1, 1, 1]), dict(starts=[0, 0], ends=[1, 1], axes=[0, 0])):
        yield of("Slice", "", MATRIX, opset=1, **settings)
    for opset in (1, 11):
        yield of("Squeeze", "axes", "f32[1,2]", opset=opset, axes=[2])
        yield of("Squeeze", "", "f32[1,2]", opset=opset, axes=[1])
        yield of("Squeeze", "axes", "f32[1,2]", opset=opset, axes=[0, 0])
        yield of("Unsqueeze", "axes", "f32[2]", opset=opset, axes=[3])
        yield of("Unsqueeze", "axes", "f32[2]", opset=opset, axes=[0, 0])
        yield of("ReduceSum", "axes", MATRIX, opset=opset, axes=[2])
        yield of("ReduceMax", "axes", MATRIX, opset=opset, axes=[0, 0])
        yield of("Concat", "axis", MATRIX, MATRIX, opset=opset, axis=2)
        yield of("Split", "axis", MATRIX, opset=opset, axis=2, outputs=2)
        yield of("Split", "", MATRIX, opset=opset, axis=0, split=[1, 2], outputs=2)
        yield of("Split", "", MATRIX, opset=opset, axis=1, split=[1, 1, 1], outputs=2)
        yield of("Split", "split", MATRIX, opset=opset, axis=1, split=[-1, 4], outputs=2)
        yield of("Split", "", MATRIX, opset=opset, axis=1, outputs=2, case=f"Split of 3 into 2 at opset {opset}")
    yield of("Concat", "", "f32[2]", "f32[2]", opset=1, case="Concat-1 along axis 1 of rank 1")
    yield of("Concat", "", MATRIX, "f32[3,3]", opset=1, case="Concat-1 of other rows")
    for operands in ((MATRIX, f32(2), f32(2)), (MATRIX, f32(-1), f32(0)), (MATRIX, np.float32(2), np.float32(-3)), (MATRIX, f32(1, 2), f32(0))):
        yield of("Tile", "", *operands, opset=1, case=f"Tile-1 by {operands[1].tolist()} along {operands[2].tolist()}")
    for op, gates in (("RNN", 1), ("GRU", 3), ("LSTM", 4)):
        weights = "f32[4,1,3]", zeros((1, gates * 2, 3)), zeros((1, gates * 2, 2))
        for opset in (1, 7):
            yield of(op, "direction", *weights, opset=opset, hidden_size=2, direction="up", outputs=2)
            yield of(op, "hidden_size", *weights, opset=opset, hidden_size=3, outputs=2)
            yield of(op, "activation", *weights, opset=opset, hidden_size=2, activations=["Wrong"] * 3, outputs=2)
        yield of(op, "output_sequence", *weights, opset=1, hidden_size=2, output_sequence="1", outputs=2)
        yield of(op, "layout", *weights, opset=7, hidden_size=2, layout=1, outputs=2)
    for opset, ratio in ((1, 1.5), (6, -0.5), (7, 1.5), (10, float("nan"))):
        yield of("Dropout", "ratio", MATRIX, opset=opset, ratio=ratio)
    for opset in (1, 6, 7, 9):
        more = dict(consumed_inputs=[0, 0, 0, 1, 1]) if opset == 1 else {}
        yield of("BatchNormalization", "", IMAGE, *[zeros(5)] * 4, opset=opset, case=f"BatchNormalization of opset {opset} with 5 scales", **more)
        yield of("BatchNormalization", "", "f32[4]", *[zeros(4)] * 4, opset=opset, case=f"BatchNormalization of opset {opset} of rank 1", **more)
    yield of("BatchNormalization", "", IMAGE, *[zeros(4)] * 4, opset=7, spatial=0, case="BatchNormalization without spatial, per channel")
    for groups in (0, -2, 3):
        yield of("GroupNormalization", "num_groups", IMAGE, zeros(2), zeros(2), opset=18, num_groups=groups)
    yield of("GroupNormalization", "", IMAGE, zeros(4), zeros(4), opset=18, num_groups=2, case="GroupNormalization-18 with a scale per channel")
    yield of("LpPool", "p", IMAGE, opset=1, kernel_shape=[2, 2], p=2.5)
    yield of("GlobalLpPool", "p", IMAGE, opset=1, p=0.0)
    yield of("GlobalLpPool", "p", IMAGE, opset=1, p=float("nan"))
    yield of("DFT", "axis", "f32[1,4,2]", opset=17, axis=3)
    yield of("DFT", "", "f32[1,4,3]", opset=17, axis=1)
    yield of("Selu", "attribute", MATRIX, opset=1, alpha="1")
    yield of("Scatter", "axis", MATRIX, "i64[1,1]", "f32[1,1]", opset=9, axis=2)
    yield of("OneHot", "axis", "i64[2]", np.int64(3), f32(0, 1), opset=9, axis=3)
    yield of("OneHot", "", "i64[2]", np.int64(-3), f32(0, 1), opset=9)
    yield of("Upsample", "", "f32[2,3]", opset=1, height_scale=2., width_scale=2., case="Upsample-1 of rank 2")
    ml = dict(domain="ai.onnx.ml")
    yield of("LabelEncoder", "classes_strings", "str[2]", imports={"": 9, "ai.onnx.ml": 1}, **ml)
    yield of("LabelEncoder", "keys", "str[2]", imports={"": 9, "ai.onnx.ml": 2}, keys_tensor=f32(1, 2), values_int64s=[1, 2], **ml)
    yield of("TreeEnsembleRegressor", "base_values_as_tensor", MATRIX, imports={"": 9, "ai.onnx.ml": 1}, base_values_as_tensor=f32(1), **ml)
    yield of("TreeEnsemble", "from opset 5 on", MATRIX, imports={"": 9, "ai.onnx.ml": 3}, **ml)


def cases():
    yield from kinds()
    yield from arity()
    yield from values()
