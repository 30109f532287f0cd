# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent networks."""

import numpy as np

from .source import Use, op

ACTIVATIONS = ["Relu", "Tanh", "Sigmoid", "Affine", "LeakyRelu", "ThresholdedRelu", "ScaledTanh", "HardSigmoid", "Elu", "Softsign", "Softplus"]


@op("LSTM", "GRU", "RNN")
def recurrent(s):
    gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[s.op]
    direction = s.pick(["forward", "reverse", "bidirectional"])
    d, t, b, i, h = 1 + (direction == "bidirectional"), s.integer(1, 5), s.integer(1, 3), s.integer(1, 4), s.integer(1, 4)
    # ONNX Runtime knows the options, but only in float and with time first; the reference is the other way round.
    optional = s.chance(0.5)
    dtype = "float32" if optional else s.pick(["float32", "float64", "float16"])
    inputs = [s.array(dtype, [t, b, i]), s.array(dtype, [d, gates * h, i], -0.5, 0.5), s.array(dtype, [d, gates * h, h], -0.5, 0.5),
              s.maybe(s.array(dtype, [d, 2 * gates * h])),
              s.maybe(s.random.integers(1, t + 1, [b]).astype(np.int32), 0.6 * optional), s.maybe(s.array(dtype, [d, b, h]))]
    if s.op == "LSTM":
        inputs.append(s.maybe(s.array(dtype, [d, b, h])))
        inputs.append(s.maybe(s.array(dtype, [d, 3 * h]), 0.3))
    attributes = s.attributes(hidden_size=h if optional else s.maybe(h), direction=direction, clip=s.maybe(0.8, 0.4 * optional))
    if s.op == "GRU" and s.chance(0.5):
        attributes["linear_before_reset"] = 1
    if s.op == "LSTM" and optional and s.chance(0.3):
        attributes["input_forget"] = 1
    if optional and s.chance(0.6):
        names = [s.pick(ACTIVATIONS) for _ in range({"LSTM": 3, "GRU": 2, "RNN": 1}[s.op] * d)]
        attributes["activations"] = names
        if any(name not in ACTIVATIONS[:3] for name in names):
            attributes["activation_alpha"] = [s.pick([0.5, 0.25, 1.0]) for _ in names]
            attributes["activation_beta"] = [s.pick([0.5, 0.25, 1.0]) for _ in names]
    if not optional and s.chance(0.3):
        attributes["layout"] = 1
        for at in (0, 5, 6):
            if len(inputs) > at and inputs[at] is not None:
                inputs[at] = np.ascontiguousarray(inputs[at].swapaxes(0, 1))
    return Use(inputs, attributes, outputs=3 if s.op == "LSTM" else 2)
