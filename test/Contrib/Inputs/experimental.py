# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs operators that ONNX removed through onnxc, and compares with numpy."""
import numpy as np
import onnx
from onnx import helper

import onnxc

rng = np.random.default_rng(7)
X = rng.standard_normal((2, 3, 5, 4)).astype(np.float32)
W = rng.standard_normal((6, 60)).astype(np.float32)
B = rng.standard_normal(6).astype(np.float32)
SHAPE = np.array([2, 3], np.int64)


def normalized(x, axes):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + 1e-9)


CASES = [
    ("Affine", [X], {"alpha": .5, "beta": 2.}, .5 * X + 2),
    ("Affine", [X.astype(np.float64)], {}, X.astype(np.float64)),
    ("Scale", [X], {"scale": 3.}, 3 * X),
    ("ScaledTanh", [X], {"alpha": 2., "beta": .5}, 2 * np.tanh(.5 * X)),
    ("ParametricSoftplus", [X], {"alpha": 2., "beta": .5}, 2 * np.log1p(np.exp(.5 * X))),
    ("ThresholdedRelu", [X], {"alpha": .5}, np.where(X > .5, X, 0)),
    ("ImageScaler", [X], {"scale": 2., "bias": [1., 2., 3.]}, 2 * X + np.array([1, 2, 3], np.float32).reshape(3, 1, 1)),
    ("Crop", [X], {"border": [1, 1, 0, 2]}, X[:, :, 1:3, 1:]),
    ("Crop", [X], {"border": [1, 1, 0, 0], "scale": [2, 2]}, X[:, :, 1:3, 1:3]),
    ("DynamicSlice", [X, np.array([1, -3]), np.array([9, -1]), np.array([1, 3])], {}, X[:, 1:, :, -3:-1]),
    ("DynamicSlice", [X, np.array([1]), np.array([2])], {}, X[1:2]),
    ("ConstantFill", [], {"shape": [2, 3], "value": 4.}, np.full((2, 3), 4, np.float32)),
    ("ConstantFill", [X], {"value": 3., "dtype": 7, "extra_shape": [2]}, np.full((2, 3, 5, 4, 2), 3, np.int64)),
    ("ConstantFill", [SHAPE.astype(np.int32)], {"input_as_shape": 1}, np.zeros((2, 3), np.float32)),
    ("GivenTensorFill", [], {"shape": [2, 2], "values": [1., 2., 3., 4.]}, np.array([[1, 2], [3, 4]], np.float32)),
    ("GivenTensorFill", [SHAPE], {"values": [1.] * 6, "input_as_shape": 1}, np.ones((2, 3), np.float32)),
    ("MeanVarianceNormalization", [X], {}, normalized(X, (0, 2, 3))),
    ("MeanVarianceNormalization", [X], {"across_channels": 1}, normalized(X, (0, 1, 2, 3))),
    ("MeanVarianceNormalization", [X], {"normalize_variance": 0}, X - X.mean((0, 2, 3), keepdims=True)),
    ("FC", [X, W, B], {}, X.reshape(2, 60) @ W.T + B),
    ("FC", [X, X, B], {"axis": 2, "axis_w": 2}, X.reshape(6, 20) @ X.reshape(6, 20).T + B),
    ("LoopIndexTensor", [X, np.array(1)], {"axis": 2}, X[:, :, 1]),
]

failures = 0
for name, inputs, attributes, expected in CASES:
    names = [f"x{i}" for i in range(len(inputs))]
    for is_dynamic in (False, True):
        arguments = [
            helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype),
                                          [f"{n}_{i}" for i in range(x.ndim)] if is_dynamic else x.shape)
            for n, x in zip(names, inputs)]
        result = helper.make_tensor_value_info("y", helper.np_dtype_to_tensor_dtype(expected.dtype),
                                               [None] * expected.ndim)
        graph = helper.make_graph([helper.make_node(name, names, ["y"], **attributes)], "g", arguments, [result])
        model = onnx.helper.make_model(graph, ir_version=3, opset_imports=[helper.make_opsetid("", 8)])
        got = onnxc.InferenceSession(model, opt_level=int(is_dynamic)).run(None, dict(zip(names, inputs)))[0]
        same_form = got.dtype == expected.dtype and got.shape == expected.shape
        if not same_form or not np.allclose(got, expected, rtol=1e-5, atol=1e-5):
            failures += 1
            print(f"{name} {attributes} dynamic={is_dynamic}: expected {expected}, got {got}")
print(f"{len(CASES)} cases, {failures} failures")
