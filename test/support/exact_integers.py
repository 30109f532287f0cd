# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models whose integer products ONNX Runtime computes exactly on every machine.

Without VNNI, ONNX Runtime multiplies uint8 by int8 with an instruction that adds
two products in 16 bits and saturates (vpmaddubsw), which is not what ONNX
specifies. Its products of uint8 by uint8 are exact. `make_exact` therefore adds
128 to every int8 operand of an integer product and to its zero point, which
leaves each product (x - zero point) * (y - zero point) as it was. Inputs and
outputs of the model stay as they are.

The operators are those of FACTORS; `has_others` says whether a model has further
ones with integer products.
"""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

# The operands that are multiplied, as (value, zero point) positions of inputs.
FACTORS = {
    "MatMulInteger": ((0, 2), (1, 3)),
    "ConvInteger": ((0, 2), (1, 3)),
    "QLinearMatMul": ((0, 2), (3, 5)),
    "QLinearConv": ((0, 2), (3, 5)),
    # com.microsoft
    "QGemm": ((0, 2), (3, 5)),
    "MatMulIntegerToFloat": ((0, 4), (1, 5)),
    "DynamicQuantizeMatMul": ((1, 3),),
    "QAttention": ((0, 6), (1, 7)),
    "DynamicQuantizeLSTM": ((1, 9), (2, 11)),
}
# Their results have the type of the first factor: ONNX Runtime has no kernels for
# other combinations, so that with one of int8 the node stays as it is.
TYPED_RESULTS = {"QLinearMatMul", "QLinearConv", "QGemm"}
DOMAINS = ("", "ai.onnx", "com.microsoft")
OTHERS = {"QLinearConvTranspose", "QOrderedMatMul", "NhwcQLinearConv", "MatMulInteger16"}


class _Rewriter:
    """Rewrites one graph and its subgraphs. `outer_types` has the element types of
    the enclosing graphs' values, `outer_constants` their initializers."""

    def __init__(self, graph, types, outer_constants):
        self.graph, self.types = graph, types
        self.constants = {**outer_constants, **{t.name: t for t in graph.initializer}}
        for node in graph.node:
            if node.op_type == "Constant" and node.attribute[0].name == "value":
                self.constants[node.output[0]] = node.attribute[0].t
        self.converted, self.nodes = {}, []

    def run(self):
        for node in self.graph.node:
            for attribute in node.attribute:
                for graph in [attribute.g] if attribute.type == onnx.AttributeProto.GRAPH else attribute.graphs:
                    _Rewriter(graph, self.types, self.constants).run()
            if node.domain in DOMAINS and node.op_type in FACTORS:
                if node.op_type not in TYPED_RESULTS or self.kind_of(node.input[0]) != TensorProto.INT8:
                    for value, zero in FACTORS[node.op_type]:
                        self.convert(node, value, zero)
            self.nodes.append(node)
        del self.graph.node[:]
        self.graph.node.extend(self.nodes)

    def kind_of(self, name):
        constant = self.constants.get(name)
        return constant.data_type if constant is not None else self.types.get(name)

    def convert(self, node, value, zero):
        name = node.input[value]
        kind = self.kind_of(name)
        if not kind and node.domain == "com.microsoft":
            return
        if not kind:
            raise ValueError(f"node '{node.name}' ({node.op_type}): the element type of '{name}' is unknown")
        if kind != TensorProto.INT8:
            return
        given = node.input[zero] if zero < len(node.input) else ""
        while len(node.input) <= zero:
            node.input.append("")
        node.input[value] = self.shifted(name)
        node.input[zero] = self.shifted(given) if given else self.add_constant("exact_zero", np.uint8(128))

    def add_constant(self, name, value):
        if name not in self.converted:
            self.converted[name] = name
            self.graph.initializer.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def shifted(self, name):
        """The value `name` plus 128, as uint8."""
        if name in self.converted:
            return self.converted[name]
        result = f"{name}_exact"
        self.converted[name] = result
        if name in self.constants:
            array = numpy_helper.to_array(self.constants[name]).astype(np.int16) + 128
            self.graph.initializer.append(numpy_helper.from_array(array.astype(np.uint8), result))
            return result
        wide, moved = f"{name}_exact_wide", f"{name}_exact_moved"
        offset = self.add_constant("exact_offset", np.int32(128))
        self.nodes += [helper.make_node("Cast", [name], [wide], to=TensorProto.INT32),
                       helper.make_node("Add", [wide, offset], [moved]),
                       helper.make_node("Cast", [moved], [result], to=TensorProto.UINT8)]
        return result


def _operators(model):
    graphs = [model.graph, *model.functions]
    while graphs:
        graph = graphs.pop()
        for node in graph.node:
            yield node
            for attribute in node.attribute:
                if attribute.HasField("g"):
                    graphs.append(attribute.g)
                graphs.extend(attribute.graphs)


def has_integer_products(model):
    """Whether `make_exact` has something to change."""
    return any(node.domain in DOMAINS and node.op_type in FACTORS for node in _operators(model))


def has_others(model):
    """Whether the model has integer products that `make_exact` does not know."""
    return any(node.op_type in OTHERS for node in _operators(model))


def make_exact(model):
    """A copy of `model` (a ModelProto with its weights) with the same results, in
    which every integer product is of uint8 by uint8; the model where it has none.
    Products inside of local functions stay as they are."""
    if not has_integer_products(model):
        return model
    result = onnx.ModelProto()
    result.CopyFrom(model)
    types = {}
    light = _without_weights(model)
    _declare_contributed(light.graph)
    inferred = onnx.shape_inference.infer_shapes(light)

    def collect(graph):
        for value in [*graph.input, *graph.value_info, *graph.output]:
            types[value.name] = value.type.tensor_type.elem_type
        for tensor in graph.initializer:
            types[tensor.name] = tensor.data_type
        for node in graph.node:
            for attribute in node.attribute:
                if attribute.HasField("g"):
                    collect(attribute.g)
    collect(inferred.graph)
    _Rewriter(result.graph, types, {}).run()
    return result


def contributed_types(graph):
    """Element types of results of com.microsoft's operators on integers, which onnx does not infer, by name: those of
    their zero points, which are constants, and of which the result's comes last."""
    kinds = {tensor.name: tensor.data_type for tensor in graph.initializer}
    types = {}
    for node in graph.node:
        # Without a zero point of its own, the result of QGemm is of floats.
        is_integer = node.op_type.startswith("QLinear") or node.op_type == "QGemm" and len(node.input) > 8
        if node.domain != "com.microsoft" or not is_integer:
            continue
        found = [kinds[name] for name in node.input if kinds.get(name) in (TensorProto.INT8, TensorProto.UINT8)]
        if found:
            types[node.output[0]] = found[-1]
    return types


def _declare_contributed(graph):
    declared = {value.name for value in [*graph.value_info, *graph.output]}
    for name, kind in contributed_types(graph).items():
        if name not in declared:
            graph.value_info.append(helper.make_tensor_value_info(name, kind, None))


def _without_weights(model):
    """What element types follow from; large constants would pass protobuf's limit."""
    light = onnx.ModelProto()
    light.CopyFrom(model)
    for tensor in light.graph.initializer:
        if len(tensor.raw_data) > 4096:
            tensor.ClearField("raw_data")
            known = helper.make_tensor_value_info(tensor.name, tensor.data_type, list(tensor.dims))
            if tensor.name not in {value.name for value in light.graph.input}:
                light.graph.input.append(known)
    kept = [tensor for tensor in light.graph.initializer if tensor.raw_data or not tensor.dims
            or any(len(getattr(tensor, f)) for f in ("float_data", "int32_data", "int64_data", "double_data"))]
    del light.graph.initializer[:]
    light.graph.initializer.extend(kept)
    return light
