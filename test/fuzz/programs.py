#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs of control flow: If, Loop, Scan and SequenceMap inside each
other and inside functions, with values that they capture and values that change
their size from iteration to iteration. Half of them declare the sizes of the first
iteration, as exporters do.

Every value is of one of the KINDS, so that any can stand where its kind is
expected, whatever its size is when the program runs.

usage: programs.py --build build/dev [--seed 1] [--count 100] [-O 0]

Each program runs in a process of its own, here and in ONNX Runtime; findings
are left in the working directory with --save. Exit status 1 if there are any.
"""

import argparse
import collections
import os
import pathlib
import signal
import sys

import numpy as np
import onnx
import oracles
from onnx import TensorProto, helper
from random_model import run_onnxruntime
from uses import source as sources

OPSET = 17
DOMAIN = "test.local"
LONGEST = 24  # elements of a vector
DEEPEST = 3

# Element type and rank (None for a sequence). A "vector" has any length, a
# "row" has WIDTH elements, a "table" has any number of rows.
WIDTH = 3
KINDS = {
    "vector": (TensorProto.FLOAT, [None]), "row": (TensorProto.FLOAT, [WIDTH]), "table": (TensorProto.FLOAT, [None, WIDTH]),
    "count": (TensorProto.INT64, []), "flag": (TensorProto.BOOL, []), "list": (TensorProto.FLOAT, None),
}


def info(name, kind):
    element, shape = KINDS[kind]
    if shape is None:
        return helper.make_tensor_sequence_value_info(name, element, None)
    return helper.make_tensor_value_info(name, element, shape)


class Program:
    """Nodes of a graph that is being written, and what it can see."""

    def __init__(self, source, names, outer=None):
        self.source, self.names, self.outer = source, names, outer
        self.depth = outer.depth + 1 if outer else 0
        self.nodes, self.seen = [], {kind: list(outer.seen[kind]) if outer else [] for kind in KINDS}
        self.functions = outer.functions if outer else []
        self.given = set()

    def fresh(self):
        self.names.append(None)
        return f"v{len(self.names)}"

    def see(self, kind, name):
        self.seen[kind].append(name)
        return name

    def node(self, op, inputs, count=1, **attributes):
        outputs = [self.fresh() for _ in range(count)]
        self.nodes.append(helper.make_node(op, inputs, outputs, name=outputs[0], **attributes))
        return outputs[0] if count == 1 else outputs

    def constant(self, array):
        array = np.asarray(array)
        return self.node("Constant", [], value=helper.make_tensor(
            "value", helper.np_dtype_to_tensor_dtype(array.dtype), array.shape, array.ravel().tolist()))

    def any(self, kind):
        """A value that there is, mostly one of the latest."""
        known = self.seen[kind]
        if not known:
            return self.make(kind)
        return known[max(0, len(known) - 1 - self.source.integer(0, 5))]

    def make(self, kind):
        return self.see(kind, getattr(self, "make_" + kind)())

    # Straight code

    def make_vector(self):
        pick = self.source.pick(["new", "join", "cut", "add", "wave", "item"]) if self.seen["vector"] else "new"
        if pick == "new":
            return self.constant(np.round(self.source.random.standard_normal(self.source.integer(0, 4)), 3).astype(np.float32))
        if pick == "join":
            both = self.node("Concat", [self.any("vector"), self.any(self.source.pick(["vector", "row"]))], axis=0)
            return self.cut(both, self.constant([LONGEST]))
        if pick == "cut":
            return self.cut(self.any("vector"), self.node("Reshape", [self.any("count"), self.constant([1])]))
        if pick == "add":
            total = self.node("ReduceSum", [self.any("vector")], keepdims=1)
            return self.node("Sin", [self.node("Add", [self.any("vector"), total])])
        if pick == "item":
            # The list is not empty behind that.
            one = self.node("SequenceInsert", [self.any("list"), self.any("vector"), self.constant(np.int64(0))])
            return self.node("SequenceAt", [one, self.constant(np.int64(self.source.pick([0, -1])))])
        return self.node(self.source.pick(["Neg", "Cos", "Identity"]), [self.any("vector")])

    def cut(self, vector, end):
        return self.node("Slice", [vector, self.constant([0]), end])

    def make_row(self):
        if len(self.seen["row"]) < 2 or self.source.chance(0.2):
            return self.constant(np.round(self.source.random.standard_normal(WIDTH), 3).astype(np.float32))
        return self.node("Tanh", [self.node(self.source.pick(["Add", "Mul", "Sub"]), [self.any("row"), self.any("row")])])

    def make_table(self):
        if not self.seen["table"] or self.source.chance(0.4):
            return self.node("Reshape", [self.any("row"), self.constant([1, WIDTH])])
        both = self.node("Concat", [self.any("table"), self.any("table")], axis=0)
        return self.node("Slice", [both, self.constant([0]), self.constant([6])])

    def make_count(self):
        pick = self.source.pick(["new", "add", "size", "length"])
        if pick == "new":
            return self.constant(np.int64(self.source.integer(0, 3)))
        if pick == "length":
            return self.small(self.node("SequenceLength", [self.any("list")]))
        if pick == "size":
            return self.small(self.node("Size", [self.any("vector")]))
        return self.small(self.node("Add", [self.any("count"), self.constant(np.int64(1))]))

    def small(self, count):
        return self.node("Mod", [count, self.constant(np.int64(5))])

    def make_flag(self):
        if self.source.chance(0.2) and self.seen["flag"]:
            return self.node("Not", [self.any("flag")])
        return self.node("Less", [self.any("count"), self.any("count")])

    def make_list(self):
        if not self.seen["list"]:
            return self.node("SequenceEmpty", [], dtype=TensorProto.FLOAT)
        return self.node("SequenceInsert", [self.any("list"), self.any("vector")])

    # Control flow

    def statement(self):
        if self.depth < DEEPEST and self.source.chance(0.35):
            getattr(self, self.source.pick(["branch", "loop", "loop", "scan", "map", "call"]))()
        else:
            self.make(self.source.pick(list(KINDS)))

    def fill(self, most=4):
        for _ in range(self.source.integer(1, most)):
            self.statement()

    def kinds(self, among, most):
        return [self.source.pick(among) for _ in range(self.source.integer(1, most))]

    def result(self, kind):
        """A value as the output of a subgraph: mostly one of its own. None twice:
        ONNX Runtime forgets one of them."""
        name = self.any(kind)
        own = {output for node in self.nodes for output in node.output}
        if name not in own or name in self.given or self.source.chance(0.5):
            name = self.node("Identity", [name])
        self.given.add(name)
        return name

    def graph(self, inputs, outputs):
        return helper.make_graph(self.nodes, self.fresh(), [info(*pair) for pair in inputs], [info(*pair) for pair in outputs])

    def inside(self, inputs=()):
        inner = Program(self.source, self.names, self)
        for name, kind in inputs:
            inner.see(kind, name)
        inner.fill()
        return inner

    def add(self, op, operands, kinds, **attributes):
        outputs = self.node(op, operands, len(kinds), **attributes)
        for name, kind in zip([outputs] if len(kinds) == 1 else outputs, kinds):
            self.see(kind, name)

    def branch(self):
        kinds = self.kinds(list(KINDS), 3)
        branches = {}
        for which in ("then_branch", "else_branch"):
            inner = self.inside()
            branches[which] = inner.graph([], [(inner.result(kind), kind) for kind in kinds])
        self.add("If", [self.any("flag")], kinds, **branches)

    def loop(self):
        carried, kept = self.kinds(list(KINDS), 3), self.kinds(["row", "count", "flag"], 2) if self.source.chance(0.6) else []
        kept = [kind for kind in kept if kind == "row"]  # What a kind stands for a stack of.
        starts = [self.any(kind) for kind in carried]
        limit = self.any("count") if self.source.chance(0.7) else ""
        inputs = [(self.fresh(), "count"), (self.fresh(), "flag"), *((self.fresh(), kind) for kind in carried)]
        inner = self.inside(inputs)
        iteration, condition = inputs[0][0], inputs[1][0]
        below = inner.node("Less", [iteration, inner.constant(np.int64(self.source.integer(0, 4)))])
        if limit and self.source.chance(0.5):
            goes = inner.node("Identity", [condition])
        else:
            goes = below if not limit or self.source.chance(0.7) else inner.node("And", [below, inner.any("flag")])
        nexts = [inner.grown(name, kind) for name, kind in inputs[2:]]
        outputs = [(goes, "flag"), *zip(nexts, carried), *((inner.result(kind), kind) for kind in kept)]
        start = self.any("flag") if self.source.chance(0.6) else "" if limit or self.source.chance(0.5) else self.any("flag")
        self.add("Loop", [limit, start, *starts], [*carried, *("table" for _ in kept)], body=inner.graph(inputs, outputs))

    def grown(self, name, kind):
        """What follows a carried value: often one with more or fewer elements."""
        if kind not in ("vector", "table") or self.source.chance(0.4):
            return self.result(kind)
        if self.source.chance(0.3):
            return self.node("Slice", [name, self.constant([1]), self.constant([LONGEST])])
        both = self.node("Concat", [name, self.any(kind)], axis=0)
        return self.cut(both, self.constant([LONGEST if kind == "vector" else 6]))

    def scan(self):
        states = self.kinds(["row"], 2)
        kept = self.kinds(["row"], 2)
        table = self.any("table")
        inputs = [*((self.fresh(), kind) for kind in states), (self.fresh(), "row")]
        inner = self.inside(inputs)
        outputs = [(inner.result(kind), kind) for kind in [*states, *kept]]
        attributes = {"scan_input_directions": [1]} if self.source.chance(0.3) else {}
        if self.source.chance(0.3):
            attributes["scan_output_directions"] = [self.source.integer(0, 1) for _ in kept]
        self.add("Scan", [*(self.any(kind) for kind in states), table], [*states, *("table" for _ in kept)],
                 body=inner.graph(inputs, outputs), num_scan_inputs=1, **attributes)

    def map(self):
        inputs = [(self.fresh(), "vector"), (self.fresh(), "vector")]
        inner = self.inside(inputs)
        outputs = [(inner.result("vector"), "vector")]
        self.add("SequenceMap", [self.any("list"), self.any("vector")], ["list"], body=inner.graph(inputs, outputs))

    def call(self):
        takes, gives = self.kinds(list(KINDS), 3), self.kinds(list(KINDS), 2)
        body = Program(self.source, self.names)
        body.depth, body.functions = self.depth + 1, self.functions
        inputs = [body.see(kind, body.fresh()) for kind in takes]
        body.fill()
        outputs = [body.result(kind) for kind in gives]
        name = body.fresh()
        self.functions.append(helper.make_function(
            DOMAIN, name, inputs, outputs, body.nodes,
            [helper.make_opsetid("", OPSET), helper.make_opsetid(DOMAIN, 1)]))
        self.add(name, [self.any(kind) for kind in takes], gives, domain=DOMAIN)


def make(source):
    """A model and its inputs."""
    program = Program(source, [])
    feeds, inputs = {}, []
    values = {"vector": np.arange(source.integer(0, 5), dtype=np.float32) / 4, "row": np.ones(WIDTH, np.float32) / 2,
              "table": source.random.standard_normal((source.integer(0, 4), WIDTH)).astype(np.float32),
              "count": np.array(source.integer(0, 3)), "flag": np.array(source.chance(0.7))}
    for kind, value in values.items():
        name = program.see(kind, f"{kind}_in")
        feeds[name] = value
        inputs.append(info(name, kind))
        if source.chance(0.3):
            for dim, size in zip(inputs[-1].type.tensor_type.shape.dim, value.shape):
                dim.dim_value = size
    for _ in range(source.integer(3, 8)):
        program.statement()
    outputs = []
    for kind in KINDS:
        name = program.any(kind)
        if kind == "list":
            kind = "vector"
            name = program.node("SequenceInsert", [name, program.any("vector")])
            name = program.node("ConcatFromSequence", [name], axis=0)
        # An input may be an output only through a node.
        outputs.append(info(program.node("Identity", [name]), kind))
    graph = helper.make_graph(program.nodes, "program", inputs, outputs)
    model = helper.make_model(graph, functions=program.functions, ir_version=8,
                              opset_imports=[helper.make_opsetid("", OPSET), helper.make_opsetid(DOMAIN, 1)])
    return model, feeds


def declare_first(model, feeds, source):
    """The model as an exporter declares it that traced it with `feeds`: what Loops of
    the graph carry has the sizes with which they begin, whatever comes later."""
    traced = onnx.ModelProto()
    traced.CopyFrom(model)
    loops = [node for node in model.graph.node if node.op_type == "Loop"]
    starts = {name for node in loops for name in node.input[2:]}
    known = {value.name for value in (*traced.graph.input, *traced.graph.output)}
    traced.graph.output.extend(onnx.ValueInfoProto(name=name) for name in sorted(starts - known))
    values = dict(zip([value.name for value in traced.graph.output], run_onnxruntime(traced, feeds), strict=True)) | feeds
    declared = onnx.ModelProto()
    declared.CopyFrom(model)
    for node in declared.graph.node:
        if node.op_type != "Loop":
            continue
        body = next(attribute.g for attribute in node.attribute if attribute.name == "body")
        for start, given, made in zip(node.input[2:], body.input[2:], body.output[1:], strict=False):
            for value in (given, made):
                if value.type.HasField("tensor_type") and (value is given or source.chance(0.5)):
                    for dim, size in zip(value.type.tensor_type.shape.dim, np.shape(values[start]), strict=True):
                        dim.dim_value = size
    return declared


def describe(model):
    """How many of each operator it has, at any depth."""
    counts = collections.Counter()

    def visit(nodes):
        for node in nodes:
            counts[node.op_type] += 1
            for attribute in node.attribute:
                visit(attribute.g.node)

    for nodes in [model.graph.node, *(function.node for function in model.functions)]:
        visit(nodes)
    flow = ("If", "Loop", "Scan", "SequenceMap")
    return f"{sum(counts.values())} nodes, {len(model.functions)} functions, " + ", ".join(
        f"{counts[op]} {op}" for op in flow)


def judge(model, feeds, level, source):
    """("agrees", "no oracle" or "wrong", what is wrong)."""
    import onnxc
    try:
        # ONNX Runtime plans its memory by what is declared.
        want = [np.asarray(value) for value in run_onnxruntime(model, feeds)]
    except Exception as error:  # ONNX Runtime may lack anything
        return "no oracle", str(error)
    if source.chance(0.5):
        model = declare_first(model, feeds, source)
    try:
        got = onnxc.InferenceSession(model, threads=1, opt_level=level).run(None, feeds)
    except onnxc.Error as error:
        return "wrong", str(error)
    wrong = oracles.compare("Loop", got, want)
    return ("wrong", wrong) if wrong else ("agrees", "")


def judge_apart(model, feeds, level, source):
    """The same by another process, which may crash."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        os.write(write, "\n".join(judge(model, feeds, level, source))[:4000].encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        text = answer.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return text.split("\n", 1) if status == 0 else ("wrong", f"the process ended with {status}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="the build directory")
    parser.add_argument("--seed", type=int, default=1, help="of the first program")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("-O", dest="level", type=int, default=0)
    parser.add_argument("--save", action="store_true", help="write SEED.onnx and SEED.npz of what is wrong")
    options = parser.parse_args()
    sys.path.insert(0, str(pathlib.Path(options.build).resolve() / "python"))
    counts = collections.Counter()
    for seed in range(options.seed, options.seed + options.count):
        source = sources.Source("Loop", "", np.random.default_rng(seed))
        model, feeds = make(source)
        kind, text = judge_apart(model, feeds, options.level, source)
        counts[kind] += 1
        if kind != "wrong":
            continue
        print(f"seed {seed} ({describe(model)}): {text}", flush=True)
        if options.save:
            onnx.save(model, f"{seed}.onnx")
            np.savez(f"{seed}.npz", **feeds)
    print("; ".join(f"{kind}: {count}" for kind, count in sorted(counts.items())))
    # Where nothing was compared, nothing is right.
    return 1 if counts["wrong"] or not counts["agrees"] else 0


if __name__ == "__main__":
    sys.exit(main())
