# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that import several operator sets, functions that import others than the model, and initializers that are inputs:
compiled, and raised to the newest opset, against the results by definition. Prints what is wrong."""
import numpy as np
import onnx
import onnx.checker
import onnx.parser

import onnxc

X = np.arange(6, dtype=np.float32).reshape(2, 3) / 4
softmax = lambda x: np.exp(x) / np.exp(x).sum()

MODELS = {
    # Softmax-11 in a model of opset 13, and the other way around.
    "function of an older opset": ('''
        <ir_version: 8, opset_import: ["" : 13, "my" : 1]>
        g (float[2,3] X) => (float[2,3] Y) { A = my.F (X) Y = Softmax <axis=0> (A) }
        <domain: "my", opset_import: ["" : 11]> F (x) => (y) { y = Softmax <axis=0> (x) }''',
        lambda x: np.apply_along_axis(softmax, 0, softmax(x))),
    "function of a newer opset": ('''
        <ir_version: 8, opset_import: ["" : 11, "my" : 1]>
        g (float[2,3] X) => (float[2,3] Y) { A = my.F (X) Y = Softmax <axis=0> (A) }
        <domain: "my", opset_import: ["" : 13]> F (x) => (y) { y = Softmax <axis=0> (x) }''',
        lambda x: softmax(np.apply_along_axis(softmax, 0, x))),
    "functions that call functions": ('''
        <ir_version: 8, opset_import: ["" : 17, "my" : 1]>
        g (float[2,3] X) => (float[2] Y) { Y = my.F (X) }
        <domain: "my", opset_import: ["" : 17, "my" : 1]> F (x) => (y) { z = Relu (x) y = my.G (z) }
        <domain: "my", opset_import: ["" : 12]> G (x) => (y) { y = ReduceSum <axes=[-1], keepdims=0> (x) }''',
        lambda x: x.sum(-1)),
    "subgraphs of an old opset": ('''
        <ir_version: 3, opset_import: ["" : 6]>
        g (float[2,3] X, bool[1] C) => (float[2,3] Y)
        { Y = If (C) <then_branch = t () => (float[2,3] T) { T = Add <broadcast=1, axis=1> (X, b) },
                      else_branch = e () => (float[2,3] E) { E = Neg (X) }> }''',
        lambda x: x + np.float32([1, 2, 3])),
    "two domains": ('''
        <ir_version: 3, opset_import: ["" : 8, "ai.onnx.ml" : 1]>
        g (float[2,3] X) => (float[2,3] Y)
        { S = ai.onnx.ml.Scaler <offset=[1.0], scale=[2.0]> (X) Y = Clip <min=-1.0> (S) }''',
        lambda x: np.maximum(2 * (x - 1), np.float32(-1))),
    "the default domain by its name": ('''
        <ir_version: 8, opset_import: ["ai.onnx" : 9]>
        g (float[2,3] X) => (float[3,2] Y) { Y = ai.onnx.Transpose (X) }''',
        lambda x: x.T),
}


def problems(name, text, function):
    model = onnx.parser.parse_model(text)
    if "b)" in text:
        # What IR version 3 had to declare: an initializer is an input, too.
        model.graph.initializer.append(onnx.numpy_helper.from_array(np.float32([1, 2, 3]), "b"))
        model.graph.input.append(onnx.helper.make_tensor_value_info("b", onnx.TensorProto.FLOAT, [3]))
    feeds = {"X": X, "C": np.array([True])}
    newest = onnxc.convert_version(model, 28)
    # The checker does not know the default domain's other name.
    if not any(node.domain == "ai.onnx" for node in model.graph.node):
        try:
            onnx.checker.check_model(newest)
        except onnx.checker.ValidationError as error:
            yield f"{name}: raised: {error}"
    for what, variant in (("as it is", model), ("raised", newest)):
        session = onnxc.InferenceSession(variant, opt_level=0, threads=1)
        got, = session.run(None, {arg.name: feeds[arg.name] for arg in session.get_inputs()})
        if got.shape != function(X).shape or not np.allclose(got, function(X), rtol=1e-5):
            yield f"{name}: {what}: {got}, expected {function(X)}"


failures = 0
for name, (text, function) in MODELS.items():
    for problem in problems(name, text, function):
        failures += 1
        print(problem)
print(f"{len(MODELS)} models, {failures} failures")
