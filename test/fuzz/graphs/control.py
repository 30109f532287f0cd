# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""If, Loop and Scan, functions, sequences and optionals."""

import dataclasses

import numpy as np
import onnx
from onnx import TensorProto, helper

from . import registry, sizes
from .builder import BOOL, FLOAT, INT64, Value, random_graph
from .registry import motif
from .sizes import Size
from .transformers import is_positive
from .values import UNKNOWN

DEEPEST = 3


def depth(g):
    return 1 + depth(g.outer) if g.outer else 0


def condition(g):
    """A flag that is known when the model runs, or earlier."""
    kind = g.integer(0, 4)
    if kind == 0:
        return g.constant(np.array(g.chance(0.5)))
    if kind == 1:
        return g.source(BOOL, ())
    x = g.picked(least=1)
    if kind == 2:  # of sizes
        n = g.size_of(x, g.integer(0, x.rank - 1), False)
        return g.add(g.choose(("Equal", "Less") if g.opset >= 9 else ("Equal",)), [n, g.constant(np.array(g.integer(1, 5), np.int64))], (), BOOL)
    if not is_positive(*x.shape):
        return g.source(BOOL, ())
    total = g.reduce("ReduceMax", x, list(range(x.rank)), 0)
    return g.add("Greater", [total, g.constant(np.array(0.5, np.float32))], (), BOOL)


def fill(g, most=3):
    """Some motifs inside a subgraph."""
    if depth(g) >= DEEPEST:
        return
    before = len(g.nodes)
    for _ in range(g.integer(0, 2)):
        chosen = registry.choose(g.rng, g.opset)
        chosen.add_to(g)
        if len(g.nodes) - before > 10 * most:
            break


@motif(weight=1.5)
def branches(g):
    x = g.picked()
    c = condition(g)
    count = g.integer(1, 2)

    def write(inner):
        fill(inner)
        results = []
        for _ in range(count):
            y = inner.unary(inner.choose(("Relu", "Neg", "Tanh", "Identity")), x)
            if inner.chance(0.3):
                y = inner.arithmetic("Add", y, inner.number(1, y))
            results.append(y)
        return results[:1] * count if inner.chance(0.1) else results  # one value twice
    graphs = {name: g.subgraph(write, name) for name in ("then_branch", "else_branch")}
    g.several("If", [c], [(FLOAT, x.shape)] * count, **graphs)


@motif(since=11)
def branch_of_ranks(g):
    """torch's squeeze(dim): an If whose branches have different ranks."""
    x = g.picked(least=1, condition=lambda v: v.rank <= 3)
    axis = g.integer(0, x.rank - 1)
    size = x.shape[axis]
    if int(size) != 1 and sizes.second(size) == 1 or int(size) == 1 and sizes.second(size) != 1:
        return
    n = g.size_of(x, axis)
    c = g.add("Equal", [n, g.ints(1)], (1,), BOOL)
    squeezed = [d for i, d in enumerate(x.shape) if i != axis]

    def shorter(inner):
        y = inner.squeeze(x, [axis])
        return [dataclasses.replace(y, shape=(None,) * (x.rank - 1))]

    def same(inner):
        y = inner.unary("Identity", x)
        return [dataclasses.replace(y, shape=(None,) * x.rank)]
    c = g.squeeze(c, [0])
    y = g.add("If", [c], squeezed if int(size) == 1 else x.shape, FLOAT, then_branch=g.subgraph(shorter, "then"), else_branch=g.subgraph(same, "else"))
    if g.chance(0.5):
        g.unary("Neg", y)


def trip_count(g, high=4):
    n = g.integer(0, high)
    if g.chance(0.5):
        return g.constant(np.array(n, np.int64)), n
    value = g.source(INT64, (), lambda shape: np.array(n, np.int64))
    return value, n


def loop(g, states, write):
    """`write` takes the inner graph, the iteration and the states, and returns
    (whether to go on or None, the states, what is kept of each iteration)."""
    inner = type(g)(g.rng, g.opset, g)
    i, c = Value(g.name("i"), INT64, ()), Value(g.name("c"), BOOL, ())
    inside = [Value(g.name("s"), s.dtype, s.shape) for s in states]
    go_on, after, kept = write(inner, i, inside)
    go_on = go_on or inner.add("Identity", [c], ())
    body = g.finish(inner, [i, c, *inside], [go_on, *after, *kept], "body")
    return body


@motif(weight=1.5)
def loops(g):
    x = g.picked()
    trips, n = trip_count(g)

    def write(inner, i, states):
        fill(inner)
        y = inner.arithmetic("Add", states[0], inner.unary("Tanh", x))
        if inner.chance(0.4):
            y = inner.binary("Mul", y, inner.cast(i, FLOAT))
        kept = [y if inner.chance(0.2) else inner.unary("Neg", y)] if inner.chance(0.6) else []
        go_on = None
        if inner.chance(0.3) and inner.opset >= 9:
            go_on = inner.add("Less", [i, inner.constant(np.array(2, np.int64))], (), BOOL)
        return go_on, [y], kept
    body = loop(g, [x], write)
    kept = len(body.output) - 2
    start = g.constant(np.array(True)) if g.chance(0.7) else ""
    results = g.several("Loop", [trips, start, x], [(FLOAT, x.shape)] + [(FLOAT, (UNKNOWN, *x.shape))] * kept, body=body)
    if kept:
        g.values.pop()
        g.results += results[1:]


@motif(since=9)
def growing_loop(g):
    """A carried value that grows in each iteration."""
    x = g.picked(least=1, condition=lambda v: v.size < 300)
    trips, n = trip_count(g)
    start = g.constant(np.zeros((0, *[d if not isinstance(d, Size) else 1 for d in x.shape[1:]]), np.float32)) if sizes.is_fixed(x.shape[1:]) \
        and g.chance(0.5) else x

    def write(inner, i, states):
        inner.values.append(states[0])
        piece = inner.unary(inner.choose(("Neg", "Relu", "Identity")), x)
        y = inner.concat([states[0], piece] if inner.chance(0.6) else [piece, states[0]], 0)
        return None, [dataclasses.replace(y, shape=(None, *y.shape[1:]))], []
    body = loop(g, [start], write)
    # onnx's inference takes no size that changes; torch's exporter declares the first one.
    body.input[2].type.tensor_type.shape.dim[0].Clear()
    size = start.shape[0] + n * x.shape[0]
    y = g.add("Loop", [trips, g.constant(np.array(True)), start], (size, *x.shape[1:]), FLOAT, body=body)
    if g.chance(0.5) and is_positive(*y.shape):
        g.reduce("ReduceSum", y, [0], g.integer(0, 1))


@motif(since=9, weight=1.5)
def scans(g):
    x = g.picked(least=2, condition=lambda v: is_positive(*v.shape))
    if x.rank < 2 or not is_positive(*x.shape):
        return
    row = x.shape[1:]
    start = g.reduce("ReduceMax", x, [0], 0)
    inner = type(g)(g.rng, g.opset, g)
    state, item = Value(g.name("s"), FLOAT, row), Value(g.name("e"), FLOAT, row)
    inner.values += [state, item]
    fill(inner, 2)
    y = inner.unary("Tanh", inner.arithmetic("Add", state, item))
    kept = inner.arithmetic("Mul", y, item) if inner.chance(0.7) else inner.unary("Identity", y)
    body = g.finish(inner, [state, item], [y, kept], "body")
    g.several("Scan", [start, x], [(FLOAT, row), (FLOAT, x.shape)], body=body, num_scan_inputs=1,
              scan_input_directions=g.choose((None, [1])), scan_output_directions=g.choose((None, [1])))


@motif(since=8, weight=2)
def functions(g):
    """Calls of local functions, which take attributes and call each other."""
    root = g
    while root.outer:
        root = root.outer
    if g.only_nodes or not root.may_call:
        return
    x = g.picked()
    name = g.name("Function")
    opsets = [helper.make_opsetid("", g.opset), helper.make_opsetid(random_graph.DOMAIN, 1)]
    body = type(g)(g.rng, g.opset)
    body.name, body.only_nodes, body.functions = g.name, True, g.functions
    body.symbols, body.specials = g.symbols, g.specials
    inside = Value(g.name("a"), FLOAT, x.shape)
    body.values.append(inside)
    attributes, given = [], {}
    y = inside
    for _ in range(g.integer(1, 3)):
        kind = g.integer(0, 4)
        if kind == 0:  # an attribute of the call
            node = helper.make_node("LeakyRelu", [y.name], [g.name()])
            reference = node.attribute.add()
            reference.name, reference.ref_attr_name, reference.type = "alpha", "slope", onnx.AttributeProto.FLOAT
            body.nodes.append(node)
            y = Value(node.output[0], FLOAT, y.shape)
            body.values.append(y)
            attributes, given = ["slope"], {"slope": 0.25}
        elif kind == 1:
            y = body.binary("Mul", y, body.unary("Sigmoid", y))
        elif kind == 2 and g.functions and not [f for f in g.functions if f.attribute][-1:]:
            callee = g.choose([f for f in g.functions])
            if len(callee.input) == 1 and len(callee.output) == 1 and callee.name.startswith("Function"):
                y = body.add(callee.name, [y], y.shape, domain=random_graph.DOMAIN)
        elif kind == 3 and g.chance(0.5):
            body.opset = g.opset
            chosen = registry.choose(g.rng, g.opset, ("gelu", "elementwise", "reductions", "choices", "view", "branches", "layer_norm", "loops"))
            chosen.add_to(body)
            y = body.unary("Tanh", y)
        else:
            y = body.binary("Add", y, body.number(0.5, y))
    y = body.unary("Identity", y)
    g.functions.append(helper.make_function(random_graph.DOMAIN, name, [inside.name], [y.name], body.nodes, opsets, attributes))
    for _ in range(g.integer(1, 2)):
        x = g.add(name, [x], x.shape, domain=random_graph.DOMAIN, **given)


@motif(since=11)
def sequences(g):
    x = g.picked(least=1, condition=lambda v: not isinstance(v.shape[0], Size) and 0 < v.shape[0] < 8)
    if not x.rank or isinstance(x.shape[0], Size) or not 0 < x.shape[0] < 8:
        return
    name = g.name("q")
    if g.chance(0.5):
        g.append("SplitToSequence", [x], [name], axis=0, keepdims=1)
        item, count = (1, *x.shape[1:]), x.shape[0]
    else:
        parts = [x, g.unary("Neg", x), x][:g.integer(1, 3)]
        g.append("SequenceConstruct", parts, [name])
        item, count = x.shape, len(parts)
    if g.chance(0.4):
        longer = g.name("q")
        g.append("SequenceInsert", [name, g.in_shape(item)], [longer])
        name, count = longer, count + 1
    kind = g.integer(0, 2)
    if kind == 0:
        g.add("SequenceAt", [Value(name, FLOAT, ()), g.constant(np.array(g.integer(-count, count - 1), np.int64))], item)
    elif kind == 1:
        g.add("ConcatFromSequence", [Value(name, FLOAT, ())], (item[0] * count, *item[1:]), axis=0)
    else:
        g.add("ConcatFromSequence", [Value(name, FLOAT, ())], (count, *item), axis=0, new_axis=1)


@motif(since=16, weight=0.5)
def optionals(g):
    x = g.picked()
    name = g.name("o")
    g.append("Optional", [x], [name])
    o = Value(name, FLOAT, ())
    if g.chance(0.5):
        c = g.add("OptionalHasElement", [o], (), BOOL)
        g.add("Where", [c, x, g.number(0, x)], x.shape, FLOAT)
    g.add("OptionalGetElement", [o], x.shape)


@motif(weight=2)
def nested(g):
    """An If in the body of a Loop, and one in its branches, which read what stands
    around each of them."""
    if depth(g) >= 2:
        return
    x = g.picked(condition=lambda v: v.size < 500)
    flag = g.source(BOOL, ())
    w = g.constant(g.random_array((), np.float32))
    trips, _ = trip_count(g, 3)

    def write(body, i, states):
        captured = body.arithmetic("Mul", x, w)
        c = body.binary("Equal", i, body.constant(np.array(1, np.int64)), BOOL) if body.chance(0.6) else flag

        def outer_branch(branch):
            y = branch.arithmetic("Add", states[0], captured if branch.chance(0.7) else x)
            if branch.chance(0.6):
                def inner_branch(inner):
                    z = inner.binary(inner.choose(("Add", "Sub", "Mul")), y, inner.choose((x, captured, states[0])))
                    return [inner.binary("Mul", z, w) if inner.chance(0.5) else z]
                graphs = {name: branch.subgraph(inner_branch, name) for name in ("then_branch", "else_branch")}
                y = branch.add("If", [flag], x.shape, FLOAT, **graphs)
            return [branch.unary("Tanh", y)]
        graphs = {name: body.subgraph(outer_branch, name) for name in ("then_branch", "else_branch")}
        y = body.add("If", [c], x.shape, FLOAT, **graphs)
        return None, [y], [body.unary("Neg", captured)] if body.chance(0.4) else []
    body = loop(g, [x], write)
    kept = len(body.output) - 2
    start = "" if g.chance(0.3) else g.constant(np.array(True))
    results = g.several("Loop", [trips, start, x], [(FLOAT, x.shape)] + [(FLOAT, (UNKNOWN, *x.shape))] * kept, body=body)
    g.results += results
    if kept:
        g.values.pop()


def with_reference(op, inputs, output, name, kind, reference, **attributes):
    """A node one of whose attributes is an attribute of the function's call."""
    node = helper.make_node(op, inputs, [output], **attributes)
    node.attribute.add(name=name, ref_attr_name=reference, type=kind)
    return node


@motif(since=13, weight=2)
def function_attributes(g):
    """Calls that differ in attributes: of each kind, given, or the default; also from
    a function to the next one, and in its branches."""
    root = g
    while root.outer:
        root = root.outer
    if g.only_nodes or not root.may_call:
        return
    x = g.picked(least=2, condition=lambda v: v.rank <= 4)
    if not 2 <= x.rank <= 4:
        return
    kinds = onnx.AttributeProto
    opsets = [helper.make_opsetid("", g.opset), helper.make_opsetid(random_graph.DOMAIN, 1)]
    nodes = [
        with_reference("Transpose", ["a"], "t", "perm", kinds.INTS, "order"),
        with_reference("LeakyRelu", ["t"], "l", "alpha", kinds.FLOAT, "slope"),
        with_reference("Softmax", ["l"], "s", "axis", kinds.INT, "along"),
        with_reference("Constant", [], "k", "value_float", kinds.FLOAT, "slope"),
        with_reference("Cast", ["k"], "kc", "to", kinds.INT, "type"),
        helper.make_node("CastLike", ["kc", "s"], ["kl"]) if g.opset >= 15 else helper.make_node("Cast", ["kc"], ["kl"], to=FLOAT),
        helper.make_node("Mul", ["s", "kl"], ["m"])]
    if g.chance(0.5):
        branches = {name: helper.make_graph([with_reference("LeakyRelu", ["l"], f"{name}_r", "alpha", kinds.FLOAT, "slope"),
                                             helper.make_node(op, ["m", f"{name}_r"], [f"{name}_o"])], name, [],
                                            [onnx.ValueInfoProto(name=f"{name}_o")])
                    for name, op in (("then_branch", "Add"), ("else_branch", "Sub"))}
        nodes += [helper.make_node("ReduceMax", ["m"], ["top"], keepdims=0), helper.make_node("Constant", [], ["bound"], value_float=0.2),
                  helper.make_node("Greater", ["top", "bound"], ["c"]), helper.make_node("If", ["c"], ["b"], **branches)]
    else:
        nodes.append(helper.make_node("Identity", ["m"], ["b"]))
    name = g.name("Attributes")
    may_default = root.ir_version_of_model >= 9
    given = {"order": g.permutation(x.rank), "slope": g.choose((0.25, -0.5, 2.0)), "along": g.integer(-1, x.rank - 1),
             "type": g.choose((TensorProto.DOUBLE, FLOAT))}
    defaults = {key: value for key, value in given.items() if may_default and key != "order" and g.chance(0.4)}
    function = helper.make_function(random_graph.DOMAIN, name, ["a"], ["b"], nodes, opsets, [key for key in given if key not in defaults],
                                    [helper.make_attribute(key, value) for key, value in defaults.items()])
    g.functions.append(function)
    callee, passed = name, dict(given)
    if g.chance(0.4):
        outer = g.name("Passes")
        call = helper.make_node(name, ["a"], ["b"], domain=random_graph.DOMAIN, along=given["along"], type=given["type"])
        call.attribute.add(name="order", ref_attr_name="turned", type=kinds.INTS)
        call.attribute.add(name="slope", ref_attr_name="slope", type=kinds.FLOAT)
        g.functions.append(helper.make_function(random_graph.DOMAIN, outer, ["a"], ["b"], [call], opsets, ["turned", "slope"]))
        callee, defaults, passed = outer, {}, {"turned": given["order"], "slope": given["slope"]}
    for _ in range(g.integer(1, 2)):
        order = g.permutation(x.rank)
        call = {**{key: value for key, value in passed.items() if key not in defaults or g.chance(0.3)},
                "order" if "order" in passed else "turned": order}
        x = g.add(callee, [x], [x.shape[i] for i in order], domain=random_graph.DOMAIN, **call)
        g.results.append(x)
