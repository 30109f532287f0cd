"""What a network of 8-bit integers computes first, which shows whether its products are exact.

A rounding that differs moves what is quantized by a step, and errors grow from layer to layer,
in a deep network with random weights until its results say little. The first quantized tensors
behind a product differ by a step at most if products are what ONNX says, and by many if sums
of two of them saturate in 16 bits, as ONNX Runtime's do without VNNI."""

import numpy as np

PRODUCTS = {"Conv", "ConvInteger", "ConvTranspose", "Gemm", "MatMul", "MatMulInteger", "DynamicQuantizeMatMul", "MatMulIntegerToFloat",
            "QGemm", "QLinearConv", "QLinearMatMul", "QAttention"}
QUANTIZED = {"QuantizeLinear", "DynamicQuantizeLinear", "QGemm", "QLinearConv", "QLinearMatMul", "QLinearAdd", "QLinearSigmoid", "QLinearLeakyRelu"}
# So many tensors are compared, and of each so many elements may be more than a step away.
COUNT, MOST = 4, 1e-3


def first_quantized(graph, types):
    """Names of the first quantized results that depend on a product, in the order of the nodes: of those whose types
    are known."""
    behind, found = set(), []
    for node in graph.node:
        if node.op_type not in PRODUCTS and not behind.intersection(node.input):
            continue
        behind.update(name for name in node.output if name)
        if node.op_type in QUANTIZED and node.output[0] in types:
            found.append(node.output[0])
            if len(found) == COUNT:
                break
    return found


def cut(path, target):
    """Writes a model that computes these tensors alone; False if there are none."""
    import exact_integers
    import onnx
    model = onnx.shape_inference.infer_shapes(onnx.load(path))
    graph = model.graph
    types = {value.name: value for value in [*graph.value_info, *graph.output]}
    for name, kind in exact_integers.contributed_types(graph).items():
        types.setdefault(name, onnx.helper.make_tensor_value_info(name, kind, None))
    names = first_quantized(graph, types)
    if not names:
        return False
    outputs = [types[name] for name in names]
    needed, kept = set(names), []
    for node in reversed(graph.node):
        if needed.intersection(node.output):
            kept.insert(0, node)
            needed.update(node.input)
            needed.update(name for attribute in node.attribute for inner in [attribute.g, *attribute.graphs]
                          for of_branch in inner.node for name in of_branch.input)
    for field, new in (("node", kept), ("output", outputs), ("input", [value for value in graph.input if value.name in needed]),
                       ("initializer", [tensor for tensor in graph.initializer if tensor.name in needed]), ("value_info", [])):
        new = [type(item).FromString(item.SerializeToString()) for item in new]
        graph.ClearField(field)
        getattr(graph, field).extend(new)
    onnx.save(model, target)
    return True


def part_off(outputs, expected):
    """The greatest part of a tensor's elements that are more than a step away."""
    if [np.shape(a) for a in outputs] != [np.shape(b) for b in expected]:
        return 1.0
    return max((float(np.mean(np.abs(np.asarray(a, np.int32) - np.asarray(b, np.int32)) > 1)) for a, b in zip(outputs, expected) if np.size(a)),
               default=0.0)
