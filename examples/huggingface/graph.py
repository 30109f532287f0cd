# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An ONNX graph that is built node by node, with its weights in a file beside the model."""

import math
import os
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

# Smaller tensors are in the model itself, where shape inference sees them.
IN_MODEL = 1024
# Where the bytes of a tensor begin, so that they can be mapped.
ALIGNMENT = 4096
OPSET = 23


class Graph:
    """With it as a context, the files get their names when it is left, and are removed if it is left by an
    exception: there is never a part of a model. The weights are written one by one, so that no more than one
    of them is in memory."""

    def __init__(self, path, name):
        self.path, self.name = pathlib.Path(path), name
        self.data_path = self.path.with_name(self.path.name + ".data")
        self.nodes, self.inputs, self.outputs, self.initializers = [], [], [], []

    def __enter__(self):
        self._unfinished = [path.with_name(f"{path.name}.{os.getpid()}") for path in (self.path, self.data_path)]
        self._data = open(self._unfinished[1], "wb")
        return self

    def __exit__(self, kind, *_):
        self._data.close()
        try:
            if kind is None:
                onnx.save(self._model(), self._unfinished[0])
                for unfinished, path in zip(reversed(self._unfinished), (self.data_path, self.path)):
                    os.replace(unfinished, path)
                onnx.checker.check_model(str(self.path))
        finally:
            for path in self._unfinished:
                path.unlink(missing_ok=True)

    def input(self, name, shape, dtype=TensorProto.FLOAT):
        self.inputs.append(helper.make_tensor_value_info(name, dtype, shape))
        return name

    def output(self, name, shape, dtype=TensorProto.FLOAT):
        self.outputs.append(helper.make_tensor_value_info(name, dtype, shape))

    def constant(self, value, dtype=np.float32, name=None):
        array = np.ascontiguousarray(value, dtype).reshape(np.shape(value))
        name = name or f"constant_{len(self.initializers)}"
        if array.nbytes < IN_MODEL:
            self.initializers.append(numpy_helper.from_array(array, name))
            return name
        self._data.write(bytes(-self._data.tell() % ALIGNMENT))
        tensor = TensorProto(name=name, data_type=helper.np_dtype_to_tensor_dtype(array.dtype), dims=array.shape,
                             data_location=TensorProto.EXTERNAL)
        for key, text in (("location", self.data_path.name), ("offset", self._data.tell()), ("length", array.nbytes)):
            tensor.external_data.add(key=key, value=str(text))
        self._data.write(array.data)
        self.initializers.append(tensor)
        return name

    def integers(self, *values):
        return self.constant(values, np.int64)

    def node(self, op, *inputs, result=None, outputs=1, **attributes):
        """The name of the result, or a list of as many as `outputs`. `result` names the first one."""
        name = f"{op}_{len(self.nodes)}"
        results = [result or name] + [f"{name}_{i}" for i in range(1, outputs)]
        self.nodes.append(helper.make_node(op, list(inputs), results, name, **attributes))
        return results[0] if outputs == 1 else results

    # Parts that models of transformers have.

    def linear(self, weights, x, name, inputs, outputs, bias=False):
        """x W' + b, as torch.nn.Linear has its weights: [outputs, inputs]."""
        matrix = weights.take(f"{name}.weight", [outputs, inputs])
        x = self.node("MatMul", x, self.constant(matrix.T, name=f"{name}.weight"))
        if bias:
            x = self.node("Add", x, self.constant(weights.take(f"{name}.bias", [outputs]), name=f"{name}.bias"))
        return x

    def layer_norm(self, weights, x, name, size, epsilon=1e-5):
        return self.node("LayerNormalization", x, self.constant(weights.take(f"{name}.weight", [size])),
                         self.constant(weights.take(f"{name}.bias", [size])), epsilon=epsilon)

    def split_heads(self, x, heads, size):
        """[1, length, heads * size] as [1, heads, length, size]."""
        return self.node("Transpose", self.node("Reshape", x, self.integers(1, -1, heads, size)), perm=[0, 2, 1, 3])

    def join_heads(self, x, width):
        return self.node("Reshape", self.node("Transpose", x, perm=[0, 2, 1, 3]), self.integers(1, -1, width))

    def attention(self, q, k, v, size, mask=""):
        return self.node("Attention", q, k, v, *([mask] if mask else []), scale=1 / math.sqrt(size))

    def _model(self):
        graph = helper.make_graph(self.nodes, self.name, self.inputs, self.outputs, self.initializers)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10,
                                 producer_name="onnxc examples")
