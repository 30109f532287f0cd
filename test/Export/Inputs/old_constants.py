"""Folds shapes, sizes and integers where the Constant of the model's opset holds
floats alone; ONNX Runtime must take the result, which has no Constant of another
type, the same version and inputs, and computes the same. Before opset 6 ONNX Runtime
has no Cast, either: where there can be no initializer, nothing is folded."""
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from onnxc import optimizer

onnxruntime.set_default_logger_severity(4)
FLOATS = (TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.DOUBLE)


def nodes_of(place):
    """Shape and Size, as a result or an operand."""
    if place == "results":
        return [helper.make_node("Shape", ["x"], ["shape"]), helper.make_node("Size", ["x"], ["size"])], ["shape", "size"]
    return [helper.make_node("Shape", ["x"], ["shape"]), helper.make_node("Reshape", ["x", "shape"], ["same"]),
            helper.make_node("Shape", ["same"], ["again"])], ["same", "again"]


def make(opset, ir_version, place, where):
    nodes, names = nodes_of(place)
    infos = [helper.make_tensor_value_info(n, TensorProto.FLOAT if n == "same" else TensorProto.INT64,
                                           [] if n == "size" else [2, 3] if n == "same" else [2]) for n in names]
    functions, imports = [], [helper.make_opsetid("", opset)]
    if where == "branch":
        other = [helper.make_node("Softmax", ["x"], ["n"])] + [onnx.NodeProto.FromString(n.SerializeToString()) for n in nodes]
        for node in other[1:]:
            node.input[:] = ["n" if i == "x" else "e_" + i for i in node.input]
            node.output[:] = ["e_" + o for o in node.output]
        graphs = [helper.make_graph(nodes, "then", [], infos),
                  helper.make_graph(other, "else", [], [onnx.ValueInfoProto(name="e_" + i.name, type=i.type) for i in infos])]
        outputs = ["o_" + n for n in names]
        nodes = [helper.make_node("If", ["c"], outputs, then_branch=graphs[0], else_branch=graphs[1])]
        infos = [onnx.ValueInfoProto(name="o_" + i.name, type=i.type) for i in infos]
    elif where == "function":
        functions = [helper.make_function("local", "f", ["x"], names, nodes, imports)]
        nodes, imports = [helper.make_node("f", ["x"], names, domain="local")], imports + [helper.make_opsetid("local", 1)]
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])]
    if where == "branch":
        inputs.append(helper.make_tensor_value_info("c", TensorProto.BOOL, []))
    graph = helper.make_graph(nodes, "g", inputs, infos)
    return helper.make_model(graph, opset_imports=imports, functions=functions, ir_version=ir_version)


def walk(nodes):
    for node in nodes:
        yield node
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from walk(attribute.g.node)


def walk_all(model):
    return walk([*model.graph.node, *(node for f in model.functions for node in f.node)])


def run(model):
    feeds = {"x": np.array([[1, -0.0, 3], [4, 5, 6]], np.float32), "c": np.array(True)}
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, {i.name: feeds[i.name] for i in session.get_inputs()})


def find_problem(before, passes, is_folded):
    after, changes, _, _ = optimizer.optimize_with_statistics(before, passes)
    if is_folded and not any(changes.values()):
        return "nothing was folded"
    if not is_folded and (after.graph.initializer or any(node.op_type in ("Constant", "Cast") for node in walk_all(after))):
        return "something was folded"
    onnx.checker.check_model(after, full_check=True)
    for node in walk_all(after):
        if node.op_type == "Constant" and node.attribute[0].t.data_type not in FLOATS:
            return f"'{node.output[0]}' is a Constant of integers"
    if (after.ir_version, after.opset_import, after.graph.input) != (before.ir_version, before.opset_import, before.graph.input):
        return "the version or an input is another"
    if any((a != b).any() or a.dtype != b.dtype for a, b in zip(run(before), run(after), strict=True)):
        return "computes something else"
    return ""


def main():
    count = failures = 0
    for opset in (1, 5, 6, 7, 8):
        for ir_version in (3, 4, 8):
            for where in ("graph", "branch") + ("function", ) * (ir_version >= 8):
                # Before opset 5 the shape of a Reshape is an attribute.
                for place in ("results", "operands")[:1 + (opset >= 5)]:
                    for passes in (None, ["eliminate_shape_op"], ["shape_fold"], ["constant_fold", "eliminate_shape_op"]):
                        if passes == ["shape_fold"] and where == "function":
                            continue
                        count += 1
                        try:
                            is_folded = opset >= 6 or (ir_version >= 4 and where != "function")
                            problem = find_problem(make(opset, ir_version, place, where), passes, is_folded)
                        except Exception as error:  # Of any side; the others are run.
                            problem = f"{type(error).__name__}: {error}"
                        if problem:
                            failures += 1
                            print(f"opset {opset}, IR {ir_version}, {where}, {place}, {passes}: {problem}")
    print(f"{count} models, {failures} failures")


if __name__ == "__main__":
    sys.exit(main())
