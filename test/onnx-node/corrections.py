# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Data of ONNX's own cases that is wrong, with what it must be and why. A
correction checks that the data is wrong as it says: that it has to go when ONNX
ships the case mended is an error, and not forgotten.
"""

import fnmatch

import ml_dtypes
import numpy as np


def without_nan_as_six(model, inputs, outputs):
    """ONNX 1.18 made its expectations with a function of its own that gave 6, the
    greatest number, for NaN: element [1, 3], whose input is NaN, is 6.0 in the file.
    Since ONNX 1.19 they are numpy's conversion to ml_dtypes.float4_e2m1fn, also in
    the case of the same name of today, which gives -0.0; both cannot be right. All
    other 14 elements are the same."""
    (given,), (stored,) = inputs, outputs
    exact = given.astype(ml_dtypes.float4_e2m1fn)
    differs = exact.astype(np.float32) != stored.astype(np.float32)
    assert np.array_equal(differs, np.isnan(given)) and (stored[differs].astype(np.float32) == 6).all()
    return inputs, [exact]


def with_declared_like(model, inputs, outputs):
    """The model declares the input `like` as float[3, 4]; the stored array is
    [0.478515625], of shape [1], which every runtime that checks its inputs refuses.
    Only its element type counts: it is given in the declared shape."""
    declared = [dim.dim_value for dim in model.graph.input[1].type.tensor_type.shape.dim]
    assert declared == [3, 4] and inputs[1].shape == (1,)
    return [inputs[0], np.broadcast_to(inputs[1], declared).copy()], outputs


# By name with its release.
CORRECTIONS = {
    "test_cast_FLOAT_to_FLOAT4E2M1@v1.18.0": without_nan_as_six,
    "test_cast_FLOAT16_to_FLOAT4E2M1@v1.18.0": without_nan_as_six,
    "test_castlike_BFLOAT16_to_FLOAT_expanded@v1.1[24].0": with_declared_like,
}


def correct(name, model, inputs, outputs):
    """The data of a case, which is right."""
    for pattern, correction in CORRECTIONS.items():
        if fnmatch.fnmatchcase(name, pattern):
            return correction(model, inputs, outputs)
    return inputs, outputs
