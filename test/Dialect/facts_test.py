# ===- facts_test.py - The facts in the records against ONNX's operators --------===#
#
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Holds the traits of op records (ONNXBase.td, "What holds of an op") against
ONNX's operators: their official node tests, and what ONNX's reference evaluator
makes of other numbers in them. A trait must hold in each test; one that holds in
all tests of an operator must stand in its record, or REASONS says why it does not.
Prints a difference per line; exit status 1 if any.

--self-test drops facts that hold and adds some that do not: each must be found.
"""

import argparse
import os
import re
import sys
import warnings
from collections import defaultdict

import numpy as np
import onnx
from onnx.backend.test.case.node import collect_testcases
from onnx.reference import ReferenceEvaluator

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "utils"))
import onnx_records as R

# Tests of an operator that are looked at, and how many it takes to conclude that it
# has a fact that its record does not state.
MOST, ENOUGH = 10, 2

# Facts that rewrites ask of few operators: those that lack them are not found.
ONE_WAY = {"KeepsNonNegative"}

# Why an operator does not have what its tests suggest.
BROADCASTS = ("Add Sub Mul Div Mod Pow And Or Xor Equal Less Greater LessOrEqual GreaterOrEqual BitwiseAnd BitwiseOr BitwiseXor "
              "BitShift Sum Mean Max Min Where StringConcat")
REASONS = {
    "KeepsShape": {
        BROADCASTS + " Clip PRelu SwiGLU": "it broadcasts, and the operands of its tests have equal shapes",
        "LinearAttention Scan": "the shape is that of another operand, or of what a body computes",
        "NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss": "a loss that is not reduced",
        "OptionalGetElement": "of tensors alone",
    },
    "MovesElements": {
        "And Or Xor Not": "true and false are all that there is",
        "GlobalMaxPool": "it picks by value, or there is none to pick",
        "TensorScatter Trilu": "others are put in",
        "OptionalGetElement": "of tensors alone",
    },
    "Reshapes": {"OptionalGetElement Identity": "the shape stays"},
    "NeverNegative": {
        "GlobalMaxPool Range Scatter TfIdfVectorizer ThresholdedRelu Adagrad TreeEnsemble": "by the numbers in the tests"},
    "Idempotent": {
        "Hardmax": "of a row of NaN the maximum is not defined",
        "TensorScatter": "an index may occur twice",
        "OptionalGetElement ReduceSum": "of what does nothing",
        "Bernoulli Dropout": "it draws",
    },
    "SelfOfOne": {"OptionalGetElement Dropout": "of one input by form"},
}


class Record:
    """The facts of an operator."""

    def __init__(self, record, operands):
        self.facts = set(re.findall(r"OpFact::(\w+)", record["traitFlags"]))
        self.shape_operand = int(record["shapeOperand"])
        # These keep the shape without saying so.
        self.is_unary = "ONNX_Elementwise" in record["!superclasses"] and operands == 1


def records():
    """By domain and name."""
    found = {}
    for family in R.families():
        dumped = R.dump(os.path.join(R.FOLDER, family + ".td"))
        for name in dumped["!instanceof"].get("ONNX_Op", []):
            record = dumped[name]
            operands = [v["def"] for v, _ in record["arguments"]["args"] if "ONNX_Formal" in dumped[v["def"]]["!superclasses"]]
            found[record["domain"], record["onnxName"]] = Record(record, len(operands))
    return found


class Case:
    """A node test, which can be run with other inputs."""

    def __init__(self, case):
        self.model = case.model
        self.node = case.model.graph.node[0]
        self.inputs, outputs = case.data_sets[0]
        names = [i.name for i in self.model.graph.input]
        by_name = dict(zip(names, self.inputs))
        self.operands = [by_name.get(name) for name in self.node.input]
        self.outputs = outputs
        is_first = self.node.output and self.node.output[0] == self.model.graph.output[0].name
        self.result = outputs[0] if is_first and isinstance(outputs[0], np.ndarray) else None

    def run(self, inputs, swapped=False):
        """The first output; None if the evaluator refuses."""
        model = self.model
        if swapped:
            model = onnx.ModelProto()
            model.CopyFrom(self.model)
            node = model.graph.node[0]
            node.input[0], node.input[1] = self.node.input[1], self.node.input[0]
        try:
            feeds = {i.name: value for i, value in zip(model.graph.input, inputs)}
            result = ReferenceEvaluator(model).run(None, feeds)[0]
        except Exception:  # of whatever type: other numbers may not be allowed
            return None
        return result if isinstance(result, np.ndarray) else None


def cases(known):
    """Tests by operator. Those of several nodes are of functions' bodies."""
    found = defaultdict(list)
    for case in collect_testcases(None):
        nodes = case.model.graph.node
        key = ("" if nodes[0].domain == "ai.onnx" else nodes[0].domain, nodes[0].op_type)
        if len(nodes) == 1 and "_expanded" not in case.name and key in known and len(found[key]) < MOST:
            # Three-dimensional windows take the evaluator seconds.
            if not case.name.endswith("pool_3d_default"):
                found[key].append(Case(case))
    return found


def same(a, b):
    if not isinstance(a, np.ndarray) or not isinstance(b, np.ndarray) or a.shape != b.shape or a.dtype != b.dtype:
        return False
    return np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")


def elements(array):
    if array.dtype.kind == "O":
        return set(array.ravel().tolist())
    data = array.tobytes()
    return {data[i:i + array.itemsize] for i in range(0, len(data), array.itemsize)}


def is_negative(array):
    return bool((array < 0).any())


def observe_form(case):
    """What holds of shapes and of where elements come from."""
    first, result = case.operands[0] if case.operands else None, case.result
    if not isinstance(first, np.ndarray) or result is None:
        return
    for i, operand in enumerate(case.operands[:2]):
        if isinstance(operand, np.ndarray):
            yield f"KeepsShape<{i}>", operand.shape == result.shape
    if first.dtype == result.dtype and first.dtype.kind in "fiubO":
        alike = all(isinstance(o, np.ndarray) and o.dtype == first.dtype for o in case.outputs)
        yield "MovesElements", alike and elements(result) <= elements(first)
        yield "Reshapes", same(first.ravel(), result.ravel())
    if len(case.node.input) == 1:
        yield "SelfOfOne", same(first, result)


def observe_signs(case, random):
    if case.result is None or case.result.dtype.kind != "f":
        return
    is_float = [isinstance(i, np.ndarray) and i.dtype.kind == "f" for i in case.inputs]
    other = [(random.standard_normal(i.shape) * 2).astype(i.dtype) if f else i for i, f in zip(case.inputs, is_float)]
    computed = [r for r in [case.run(other)] if r is not None] if any(is_float) else []
    yield "NeverNegative", not any(map(is_negative, computed + [case.result]))
    positive = [case.run([np.abs(i) if f else i for i, f in zip(inputs, is_float)]) for inputs in (case.inputs, other)]
    positive = [r for r in positive if r is not None]
    if any(is_float) and positive:
        yield "KeepsNonNegative", not any(map(is_negative, positive))


def observe_laws(case):
    """f(x, y) = f(y, x), f(x, x) = x, f(f(x)) = f(x)."""
    inputs, result = case.inputs, case.result
    if result is None or not all(isinstance(i, np.ndarray) for i in inputs) or not inputs:
        return
    if len(inputs) == 2 and len(case.node.input) == 2 and inputs[0].dtype == inputs[1].dtype:
        computed = case.run(inputs)
        if computed is not None:
            yield "Commutative", same(computed, case.run(inputs, swapped=True))
            if inputs[0].shape == inputs[1].shape == result.shape:
                yield "SameOfSame", same(case.run([inputs[0], inputs[0]]), inputs[0])
    if inputs[0].dtype == result.dtype and inputs[0].shape == result.shape and inputs[0] is case.operands[0]:
        again = case.run([result] + inputs[1:])
        if again is not None:
            yield "Idempotent", same(again, case.run(inputs))


def observe(found):
    """By operator and fact, whether it held in each test."""
    random = np.random.default_rng(0)
    held = {}
    for key, mine in sorted(found.items()):
        held[key] = defaultdict(list)
        for case in mine:
            for observed in (observe_form(case), observe_signs(case, random), observe_laws(case)):
                for fact, holds in observed:
                    held[key][fact].append(bool(holds))
    return held


def is_excused(fact, name):
    return any(name in names.split() for names in REASONS.get(fact, {}))


def differences(known, held):
    for key, observed in held.items():
        record = known[key]
        for observed_fact, each in sorted(observed.items()):
            fact = observed_fact.split("<")[0]
            states = fact in record.facts
            if fact == "KeepsShape":
                states = states and observed_fact == f"KeepsShape<{record.shape_operand}>"
            if states and not all(each):
                yield f"{key[1]}: its record says {observed_fact}, which does not hold in {each.count(False)} of {len(each)} tests"
            may_lack = fact in ONE_WAY or is_excused(fact, key[1]) or (fact == "KeepsShape" and record.is_unary)
            if not states and all(each) and len(each) >= ENOUGH and not may_lack:
                yield f"{key[1]}: its record does not say {observed_fact}, which holds in all {len(each)} tests"


# Operators, and a fact that holds or not.
PLANTED = [("Transpose", "MovesElements"), ("ScatterND", "KeepsShape"), ("Sub", "Commutative"), ("Softmax", "NeverNegative"),
           ("Neg", "Idempotent"), ("Sum", "KeepsNonNegative"), ("Log", "KeepsNonNegative"), ("Hardmax", "SelfOfOne"),
           ("Flatten", "Reshapes"), ("And", "SameOfSame"), ("Tanh", "NeverNegative")]


def self_test(known, held):
    for name, fact in PLANTED:
        record = known["", name]
        record.facts ^= {fact}
        found = [line for line in differences(known, held) if line.startswith(name + ":") and fact in line]
        if not found and not (fact in ONE_WAY and fact not in record.facts):
            yield f"self-test: {name} {'with' if fact in record.facts else 'without'} {fact} is not found"
        record.facts ^= {fact}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    known = records()
    held = observe(cases(known))
    wrong = list(differences(known, held))
    if arguments.self_test:
        wrong += self_test(known, held)
    print("\n".join(wrong), end="\n" if wrong else "")
    print(f"{len(held)} operators, {sum(len(facts) for facts in held.values())} facts observed")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
