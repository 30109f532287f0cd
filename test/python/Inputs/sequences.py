# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs on sequences and optionals, against ONNX Runtime or ONNX's reference.

usage: sequences.py [GROUP|all] [CASES] [FIRST_SEED]
"""
import sys

import numpy as np
from differential import BOOL, FLOAT, INT64, STRING, main, runtime, tensor
from onnx import TypeProto, helper
from onnx.reference import ReferenceEvaluator


def sequence(name, data_type):
    return helper.make_tensor_sequence_value_info(name, data_type, None)


def some_vector(dice, data_type, length=None):
    length = dice.one(0, 1, 2, 3) if length is None else length
    return dice.pick(data_type, ["a", "", "é", "bc"] if data_type == STRING else range(-3, 4), (length,))


class Program:
    """Nodes one after another, on sequences of vectors, vectors and positions."""

    def __init__(self, dice):
        self.dice, self.nodes, self.count = dice, [], 0
        self.type = dice.one(FLOAT, INT64, STRING)
        self.sequences, self.vectors, self.positions, self.results = ["s"], ["x", "y"], ["i"], []

    def add(self, op, inputs, pool, **attributes):
        name = f"v{self.count}"
        self.count += 1
        self.nodes.append(helper.make_node(op, inputs, [name], **attributes))
        pool.append(name)
        self.results.append((name, pool))
        return name

    def some(self, pool):
        return self.dice.one(*pool)

    def maybe_position(self):
        return [self.some(self.positions)] if self.dice.chance(0.5) else []

    def construct(self):
        self.add("SequenceConstruct", [self.some(self.vectors) for _ in range(self.dice.one(1, 2, 3))], self.sequences)

    def empty(self):
        self.add("SequenceEmpty", [], self.sequences, dtype=self.type)

    def insert(self):
        self.add("SequenceInsert", [self.some(self.sequences), self.some(self.vectors), *self.maybe_position()],
                 self.sequences)

    def erase(self):
        self.add("SequenceErase", [self.some(self.sequences), *self.maybe_position()], self.sequences)

    def at(self):
        self.add("SequenceAt", [self.some(self.sequences), self.some(self.positions)], self.vectors)

    def length(self):
        self.add("SequenceLength", [self.some(self.sequences)], self.positions)

    def concatenate(self):
        self.add("ConcatFromSequence", [self.some(self.sequences)], self.vectors, axis=0)

    def split(self):
        self.add("SplitToSequence", [self.some(self.vectors)], self.sequences, axis=0)

    def copy(self):
        pool = self.dice.one(self.sequences, self.vectors)
        self.add("Identity", [self.some(pool)], pool)

    def wrap(self):
        wrapped = self.add("Optional", [self.some(self.sequences)], [])
        self.results.pop()
        self.add("OptionalGetElement", [wrapped], self.sequences)

    def choose(self):
        def graph(name):
            value = self.some(self.sequences)
            return helper.make_graph([helper.make_node("Identity", [value], [f"{name}{self.count}"])], name, [],
                                     [sequence(f"{name}{self.count}", self.type)])

        self.add("If", ["c"], self.sequences, then_branch=graph("then"), else_branch=graph("else"))

    def repeat(self):
        """Carries a sequence, and appends a vector that is captured."""
        n = self.count
        body = helper.make_graph(
            [helper.make_node("SequenceInsert", [f"in{n}", self.some(self.vectors)], [f"out{n}"]),
             helper.make_node("Identity", [f"on{n}"], [f"go{n}"])], "body",
            [tensor(f"k{n}", INT64, []), tensor(f"on{n}", BOOL, []), sequence(f"in{n}", self.type)],
            [tensor(f"go{n}", BOOL, []), sequence(f"out{n}", self.type)])
        self.add("Loop", ["trips", "", self.some(self.sequences)], self.sequences, body=body)

    def map(self):
        """Each element with a captured vector behind it."""
        n = self.count
        body = helper.make_graph([helper.make_node("Concat", [f"e{n}", self.some(self.vectors)], [f"r{n}"], axis=0)], "each",
                                 [tensor(f"e{n}", self.type, None)], [tensor(f"r{n}", self.type, None)])
        self.add("SequenceMap", [self.some(self.sequences)], self.sequences, body=body)

    def finish(self):
        """The model, and inputs for it."""
        dice, data_type = self.dice, self.type
        outputs = [tensor(name, data_type, [None]) if pool is self.vectors else tensor(name, INT64, [])
                   if pool is self.positions else sequence(name, data_type) for name, pool in self.results[-4:]]
        inputs = [sequence("s", data_type), tensor("x", data_type, ["n"]), tensor("y", data_type, dice.one([2], ["m"])),
                  tensor("i", INT64, []), tensor("c", BOOL, []), tensor("trips", INT64, [])]
        proto = helper.make_model(helper.make_graph(self.nodes, "g", inputs, outputs), ir_version=10,
                                  opset_imports=[helper.make_opsetid("", 21)])
        return proto, [{"s": [some_vector(dice, data_type) for _ in range(dice.one(0, 1, 3))], "x": some_vector(dice, data_type),
                        "y": some_vector(dice, data_type, 2), "i": np.array(dice.one(-1, 0, 1)),
                        "c": np.array(dice.chance(0.5)), "trips": np.array(dice.one(0, 1, 3))} for _ in range(4)]


def programs(*names):
    def make(dice):
        program = Program(dice)
        for _ in range(dice.random.randint(2, 7)):
            getattr(program, dice.one(*names))()
        return program.finish()

    return make


def split_lengths(dice):
    """SplitToSequence and ConcatFromSequence of matrices."""
    x = dice.array(FLOAT, (dice.one(1, 4, 5), dice.one(2, 3)))
    axis = dice.one(0, 1, -1)
    size = x.shape[axis]
    split, attributes = dice.one((None, {"keepdims": 1}), (np.array(2), {}), (np.array([1, size - 1]), {}))
    feeds = {"x": x} if split is None else {"x": x, "split": split}
    inputs = [tensor("x", FLOAT, dice.declared(x.shape))]
    inputs += [] if split is None else [tensor("split", INT64, split.shape)]
    nodes = [helper.make_node("SplitToSequence", list(feeds), ["s"], axis=axis, **attributes),
             helper.make_node("ConcatFromSequence", ["s"], ["y"], axis=axis)]
    graph = helper.make_graph(nodes, "g", inputs, [sequence("s", FLOAT), tensor("y", FLOAT, [None, None])])
    return helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 21)]), [feeds]


def stack(dice):
    """ConcatFromSequence with a new axis."""
    data_type, axis = dice.one(FLOAT, INT64, STRING), dice.one(0, 1, -1)
    graph = helper.make_graph([helper.make_node("ConcatFromSequence", ["s"], ["y"], axis=axis, new_axis=1)], "g",
                              [sequence("s", data_type)], [tensor("y", data_type, [None, None])])
    proto = helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 21)])
    return proto, [{"s": [some_vector(dice, data_type, 3) for _ in range(count)]} for count in (1, 2, 5)]


def optional_input(dice):
    """What an optional holds, or another value, by a branch."""
    data_type = dice.one(FLOAT, INT64, STRING)
    inner = helper.make_tensor_type_proto(data_type, ["n"])
    inner = helper.make_sequence_type_proto(inner) if dice.chance(0.5) else inner
    optional = TypeProto()
    optional.optional_type.elem_type.CopyFrom(inner)

    def graph(op, value):
        return helper.make_graph([helper.make_node(op, [value], [f"{op}_"])], op, [], [helper.make_value_info(f"{op}_", inner)])

    nodes = [helper.make_node("OptionalHasElement", ["o"], ["has"]),
             helper.make_node("If", ["has"], ["y"], then_branch=graph("OptionalGetElement", "o"),
                              else_branch=graph("Identity", "z"))]
    graph = helper.make_graph(nodes, "g", [helper.make_value_info("o", optional), helper.make_value_info("z", inner)],
                              [tensor("has", BOOL, []), helper.make_value_info("y", inner)])
    proto = helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 21)])
    values = [[some_vector(dice, data_type), some_vector(dice, data_type)] if inner.HasField("sequence_type") else
              some_vector(dice, data_type) for _ in range(2)]
    return proto, [{"o": values[0], "z": values[1]}, {"o": None, "z": values[1]}]


BASIC = ["construct", "empty", "insert", "erase", "at", "length", "concatenate", "split", "copy"]
GROUPS = {
    "basic": programs(*BASIC),
    "optional": programs(*BASIC, "wrap"),
    "branches": programs(*BASIC, "choose", "choose"),
    "loops": programs(*BASIC, "repeat", "repeat"),
    "maps": programs(*BASIC, "map", "map"),
    "all_of_them": programs(*BASIC, "wrap", "choose", "repeat", "map"),
    "split_lengths": split_lengths,
    "stack": stack,
    "optional_input": optional_input,
}

sys.exit(main(GROUPS, sys.argv[1:], lambda name: [runtime, ReferenceEvaluator]))
