# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the graph of a finding smaller while the finding stays."""

import dataclasses

import numpy as np
import onnx
from onnx import helper

from . import make
from .judge import OnnxRuntime

MOST_TESTS = 250


def dead_code_removed(model):
    """Without nodes, weights and functions that no output needs."""
    graph = model.graph
    needed = {v.name for v in graph.output}
    kept = []
    for node in reversed(graph.node):
        if any(name in needed for name in node.output if name):
            kept.append(node)
            needed.update(_reads(node))
    kept = [onnx.NodeProto.FromString(node.SerializeToString()) for node in reversed(kept)]
    del graph.node[:]
    graph.node.extend(kept)
    for field in (graph.initializer, graph.input):
        left = [t for t in field if t.name in needed]
        del field[:]
        field.extend(left)
    del graph.value_info[:]
    called, todo = set(), list(graph.node)
    functions = {(f.domain, f.name): f for f in model.functions}
    while todo:
        node = todo.pop()
        todo += [inner for a in node.attribute for inner in a.g.node]
        key = (node.domain, node.op_type)
        if key in functions and key not in called:
            called.add(key)
            todo += functions[key].node
    left = [f for f in model.functions if (f.domain, f.name) in called]
    del model.functions[:]
    model.functions.extend(left)
    return model


def _reads(node):
    names = {name for name in node.input if name}
    for a in node.attribute:
        inner = {name for n in a.g.node for name in _reads(n)} | {v.name for v in a.g.output}
        names |= inner
    return names


class Shrinker:
    def __init__(self, case, still_fails, values):
        """`values`: by name, what each value is in each set of inputs."""
        self.case, self.still_fails, self.values, self.tests = case, still_fails, values, 0

    def attempt(self, change):
        """Changes a copy of the model; keeps it if the finding stays."""
        if self.tests >= MOST_TESTS:
            return False
        model = onnx.ModelProto()
        model.CopyFrom(self.case.model)
        if change(model) is False:
            return False
        dead_code_removed(model)
        inputs = {v.name for v in model.graph.input} - {t.name for t in model.graph.initializer}
        sets = []
        for i, feeds in enumerate(self.case.sets):
            known = {**{name: values[i] for name, values in self.values.items() if i < len(values)}, **feeds}
            if not inputs <= set(known):
                return False
            sets.append({name: known[name] for name in inputs})
        smaller = dataclasses.replace(self.case, model=model, sets=sets)
        self.tests += 1
        if not self.still_fails(smaller):
            return False
        self.case = smaller
        return True

    def run(self):
        if len(self.case.sets) > 1:
            for i in (1, 0):
                whole, self.case = self.case, dataclasses.replace(self.case, sets=[self.case.sets[i]])
                kept, self.values = self.values, {name: [v[i]] for name, v in self.values.items() if i < len(v)}
                if self.still_fails(self.case):
                    break
                self.case, self.values = whole, kept
        self.one_output()
        self.earlier_outputs()
        while self.cut_inputs() and self.tests < MOST_TESTS:
            pass
        self.earlier_outputs()
        self.drop_parts()
        return self.case

    def one_output(self):
        for output in list(self.case.model.graph.output):
            def only(model, name=output.name):
                kept = [v for v in model.graph.output if v.name == name]
                del model.graph.output[:]
                model.graph.output.extend(kept)
            if len(self.case.model.graph.output) > 1 and self.attempt(only):
                return

    def earlier_outputs(self):
        """What an inner value shows, its consumers need not."""
        for name in [n for node in self.case.model.graph.node for n in node.output if n]:
            if name not in self.values:
                continue

            def instead(model, name=name):
                del model.graph.output[:]
                value = self.values[name][0]
                model.graph.output.append(helper.make_tensor_value_info(
                    name, helper.np_dtype_to_tensor_dtype(value.dtype), [None] * value.ndim))
            if self.attempt(instead):
                return

    def cut_inputs(self):
        """Inputs instead of nodes, from the last one on."""
        changed = False
        for node in reversed(list(self.case.model.graph.node)):
            names = [n for n in node.output if n]
            if not names or not all(n in self.values for n in names) or any(v.name in names for v in self.case.model.graph.output):
                continue

            def cut(model, names=names):
                kept = [n for n in model.graph.node if not set(n.output) & set(names)]
                if len(kept) == len(model.graph.node):
                    return False
                del model.graph.node[:]
                model.graph.node.extend(kept)
                for name in names:
                    values = self.values[name]
                    dims = [size if all(v.shape[k] == size for v in values) and self.is_fixed() else None
                            for k, size in enumerate(values[0].shape)]
                    model.graph.input.append(helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(values[0].dtype), dims))
                return True
            changed |= self.attempt(cut)
        return changed

    def is_fixed(self):
        return all(d.HasField("dim_value") for v in self.case.model.graph.input for d in v.type.tensor_type.shape.dim)

    def drop_parts(self):
        """Optional operands, attributes and names."""
        for k, node in enumerate(list(self.case.model.graph.node)):
            for i in reversed(range(1, len(node.input))):
                def drop(model, k=k, i=i):
                    if k >= len(model.graph.node) or len(model.graph.node[k].input) <= i:
                        return False
                    del model.graph.node[k].input[i:]
                    return True
                self.attempt(drop)


def inner_values(case):
    """Values of all nodes of the main graph, by ONNX Runtime or -O0."""
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    inferred = onnx.shape_inference.infer_shapes(model)
    types = {v.name: v.type for v in [*inferred.graph.value_info, *inferred.graph.output]}
    names = [n for node in model.graph.node for n in node.output if n and n in types and types[n].HasField("tensor_type")]
    del model.graph.output[:]
    for name in names:
        value = model.graph.output.add()
        value.name = name
        value.type.CopyFrom(types[name])
        for dim in value.type.tensor_type.shape.dim:
            dim.Clear()
    values = {name: [] for name in names}

    def by_onnxc(model):
        import onnxc
        session = onnxc.InferenceSession(model, threads=1, opt_level=0)
        return lambda feeds: session.run(None, feeds)
    for make_run in (OnnxRuntime, by_onnxc):
        try:
            run = make_run(model)
            results = [run(feeds) for feeds in case.sets]
        except Exception:  # whatever is wrong with it
            continue
        for i, name in enumerate(names):
            if all(isinstance(result[i], np.ndarray) for result in results):
                values[name] = [np.asarray(result[i]) for result in results]
        break
    return {name: value for name, value in values.items() if value}


def shrink(line, found, make_worker, folder, options):
    """Saves the case of a seed, and a smaller one; returns what to print."""
    if not line.isdecimal():
        return ""
    case = make.make(int(line), options.motif, options.nodes)
    folder = folder / line
    make.save(case, folder)
    kind, where, text = found[0]
    # A run that fails is known by what it says; a wrong number is one anywhere.
    words = " ".join(text.split(": ")[-1].split()[:3]) if kind in ("refused", "optimizer", "invalid") else ""
    worker, scratch = make_worker(), folder / "small"

    def still_fails(smaller):
        make.save(smaller, scratch)
        answer, failure = worker.ask(" ".join([str(scratch), *([where] if where else [])]))
        if failure:
            return kind == "crash"
        return any(f[0] == kind and f[1] == where and words in f[2] for f in answer["findings"])
    try:
        case = dataclasses.replace(case, seed=0)
        if not still_fails(case):
            return f"seed {line}: saved in {folder}; alone it does not fail"
        shrinker = Shrinker(case, still_fails, inner_values(case))
        small = shrinker.run()
        still_fails(small)  # writes it
    finally:
        worker.stop()
    nodes = [node.op_type for node in small.model.graph.node]
    only = f" --only {where}" if where else ""
    return (f"seed {line} ({kind} {where}): {len(nodes)} nodes: {' '.join(nodes[:12])}\n"
            f"    test/fuzz/fuzz_graphs.py --build {options.build} --case {scratch}{only}")
