# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ONNX leaves open, so that two right results may differ: what some operators
make of NaN and infinities, and of numbers that cancel out inside of an operator."""

import numpy as np
import onnx

from . import sensitivity

# Not defined of NaN; of the second ones not of infinities either.
NAN = {"Max", "Min", "Clip", "MaxPool", "ReduceMax", "ReduceMin", "ArgMax", "ArgMin", "TopK", "GlobalMaxPool", "Relu", "LeakyRelu", "Hardmax",
       "PRelu", "Sign", "Unique", "Elu", "Selu", "ThresholdedRelu", "HardSigmoid", "HardSwish", "ScatterElements", "ScatterND",
       "LSTM", "GRU", "RNN", "MaxRoiPool", "RoiAlign", "NonMaxSuppression", "Shrink", "Celu", "Mish", "Softplus", "MaxUnpool"}
INFINITE = {"Cast", "CastLike", "Resize", "Upsample", "QuantizeLinear", "DynamicQuantizeLinear", "GridSample", "AffineGrid", "Conv",
            "ConvTranspose", "Mod", "Attention", "AveragePool", "LpPool", "DFT", "STFT",
            "Det", "Range", "OneHot", "InstanceNormalization",
            "MeanVarianceNormalization", "LpNormalization", "LRN"}
# Their state is a mean of large and small numbers: only the order of roundings
# decides what is left of it.
CANCELLING = {"LSTM", "GRU", "RNN"}
HUGE = 1e15
# Their sums may overflow part of the way: then the order of the terms decides
# between inf, NaN and a number.
SUMS = {"MatMul", "Gemm", "Einsum", "Conv", "ConvTranspose", "ReduceSum", "ReduceMean", "ReduceL2", "ReduceSumSquare", "Attention"}
# ONNX Runtime computes float16 in float32 and drops casts that meet there: what
# exceeds float16 may stay finite in it, where -O0 has the infinity that ONNX defines.
LARGEST_HALF = 65504


def all_nodes(graph):
    for node in graph.node:
        yield node
        for a in node.attribute:
            if a.HasField("g"):
                yield from all_nodes(a.g)


def is_half(value):
    return isinstance(value, np.ndarray) and value.dtype == np.float16


def exceeds_half(value):
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "fiu" or is_half(value):
        return False
    with np.errstate(all="ignore"):
        value = value.astype(np.float64)
    return bool((np.isfinite(value) & (np.abs(value) > LARGEST_HALF)).any())


def depends_on_precision(x, scale):
    """Whether QuantizeLinear of a float16 by one float16 gives another integer where the quotient is
    rounded to float16, as ONNX's default of `precision` has it, than in float32, as in ONNX Runtime."""
    if not is_half(x) or not is_half(scale) or scale.size != 1:
        return False
    with np.errstate(all="ignore"):
        return bool((np.rint(x / scale.ravel()[0]) != np.rint(x.astype(np.float32) / np.float32(scale.ravel()[0]))).any())


def find(model, feeds, make_run):
    """A node whose result is not defined for these inputs; None if there is none,
    or are unknown."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    if copy.functions:
        copy = sensitivity.inlined(copy)
    inferred = onnx.shape_inference.infer_shapes(copy)
    types = {v.name: v.type for v in [*inferred.graph.value_info, *inferred.graph.output]}
    names = [n for node in copy.graph.node for n in node.output if n in types and types[n].HasField("tensor_type")]
    del copy.graph.output[:]
    for name in names:
        value = copy.graph.output.add(name=name)
        value.type.CopyFrom(types[name])
        for dim in value.type.tensor_type.shape.dim:
            dim.Clear()
    try:
        results = make_run(copy)(feeds)
    except Exception:  # what it lacks
        return None
    known = {**feeds, **dict(zip(names, results)), **{t.name: onnx.numpy_helper.to_array(t) for t in copy.graph.initializer}}
    nan, infinite, huge = set(), set(), set()
    for name, value in known.items():
        if isinstance(value, np.ndarray) and value.dtype.kind == "f" and np.abs(value).max(initial=0) > HUGE:
            huge.add(name)
        if isinstance(value, np.ndarray) and value.dtype.kind == "f" and not np.isfinite(value).all():
            (nan if np.isnan(value).any() else infinite).add(name)
    for node in copy.graph.node:
        inner = [n.op_type for a in node.attribute if a.HasField("g") for n in all_nodes(a.g)]
        if (nan or infinite) and any(op in NAN | INFINITE for op in inner):
            return node
        reads = set(node.input)
        if reads & huge and node.op_type in CANCELLING:
            return node
        if node.op_type in ("Cast", "CastLike") and any(exceeds_half(known.get(name)) for name in node.input[:1]) and \
                any(is_half(known.get(name)) for name in node.output):
            return node
        if node.op_type == "QuantizeLinear" and depends_on_precision(*(known.get(name) for name in node.input[:2])):
            return node
        if node.op_type in SUMS and not reads & (nan | infinite) and set(node.output) & (nan | infinite):
            return node
        if reads & nan and node.op_type in NAN | INFINITE or reads & infinite and node.op_type in INFINITE:
            return node
    return None
