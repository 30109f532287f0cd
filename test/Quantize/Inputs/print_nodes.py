"""The nodes of a model, and which constants that are called as scales are equal.

usage: print_nodes.py MODEL
"""

import sys

import numpy as np
import onnx

model = onnx.load(sys.argv[1])
for node in model.graph.node:
    print(f"{node.op_type}({', '.join(node.input)}) -> {', '.join(node.output)}")
scales = {i.name: onnx.numpy_helper.to_array(i) for i in model.graph.initializer if i.name.endswith("_scale")}
for name, scale in scales.items():
    for other, its in scales.items():
        if name != other and scale.shape == its.shape == () and np.array_equal(scale, its):
            print(f"{name} == {other}")
