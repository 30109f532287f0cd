# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values that loops carry and branches yield, of other sizes than the model
declares: exporters declare the sizes of the first iteration, or of the branch
that was taken. Against ONNX Runtime, at each level, with sizes of the inputs known
and unknown.

usage: carried_sizes.py [NAME]
"""

import pathlib
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import parser

import onnxc

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from open_sizes import dims_of, forget_sizes  # noqa: E402

LEVELS = (0, 1, 2)
X = np.arange(12, dtype=np.float32).reshape(3, 4) - 5
EMPTY = "empty = Constant <value = float[0,4] {}> ()"


def counts(*numbers, **others):
    return [{"n": np.array(number), "x": X, **others} for number in numbers]


# Name: the graph behind its inputs `int64 n, float[3,4] x`, and inputs of several runs.
CASES = {
    "grows": ("""=> (float[r, 4] y) {
        yes = Constant <value = bool {1}> ()
        """ + EMPTY + """
        y = Loop (n, yes, empty) <body = b (int64 i, bool c, float[0,4] s) => (bool d, float[a, b] t) {
            d = Identity (c)  first = Slice (x, at, to)  t = Concat <axis = 0> (s, first)
        }>
    }""", counts(0, 1, 5)),
    # The exporter ran shape inference: it declares all that follows from the first iteration.
    "declares_all": ("""=> (float[r, 4] z) <float[1,4] y> {
        yes = Constant <value = bool {1}> ()
        """ + EMPTY + """
        y = Loop (n, yes, empty) <body = b (int64 i, bool c, float[0,4] s) => (bool d, float[1, 4] t) <float[1,4] u, float[1,4] v> {
            d = Identity (c)  first = Slice (x, at, to)  u = Concat <axis = 0> (s, first)  v = Neg (u)  t = Neg (v)
        }>
        z = Neg (y)
    }""", counts(0, 1, 5)),
    "shrinks": ("""=> (float[r, 4] y, float[k, 4] sums) {
        yes = Constant <value = bool {1}> ()
        y, rows = Loop (n, yes, x) <body = b (int64 i, bool c, float[3,4] s) => (bool d, float[3, 4] t, float[4] sum) {
            d = Identity (c)  end = Constant <value_ints = [9]> ()
            t = Slice (s, to, end)  rowaxis = Constant <value_ints = [0]> ()
            sum = ReduceSum <keepdims = 0> (t, rowaxis)
        }>
        sums = Identity (rows)
    }""", counts(1, 3, 4)),
    "swaps": ("""=> (float[p, 4] y, float[q, 4] z) {
        yes = Constant <value = bool {1}> ()  few = Slice (x, at, to)
        y, z = Loop (n, yes, x, few) <body = b (int64 i, bool c, float[3,4] s, float[1,4] t) => (bool d, float[3, 4] u, float[1, 4] v) {
            d = Identity (c)  u = Neg (t)  v = Abs (s)
        }>
    }""", counts(0, 1, 2, 3)),
    "rotates_three": ("""=> (float[p, 4] y, float[q, 4] z, float[r, 4] w) {
        yes = Constant <value = bool {1}> ()  few = Slice (x, at, to)
        """ + EMPTY + """
        y, z, w = Loop (n, yes, x, few, empty) <body = b (int64 i, bool c, float[3,4] s, float[1,4] t, float[0,4] u)
                => (bool d, float[3, 4] s1, float[1, 4] t1, float[0, 4] u1) {
            d = Identity (c)  s1 = Neg (t)  t1 = Abs (u)  u1 = Neg (s)
        }>
    }""", counts(0, 1, 2, 3, 4)),
    "both_dimensions": ("""=> (float[r, k] y) {
        yes = Constant <value = bool {1}> ()
        y = Loop (n, yes, x) <body = b (int64 i, bool c, float[3,4] s) => (bool d, float[3, 4] t) {
            d = Identity (c)  u = Concat <axis = 0> (s, s)  t = Transpose <perm = [1, 0]> (u)
        }>
    }""", counts(0, 1, 2, 3)),
    "in_a_nested_if": ("""=> (float[r, 4] y) {
        yes = Constant <value = bool {1}> ()
        y = Loop (n, yes, x) <body = b (int64 i, bool c, float[3,4] s) => (bool d, float[3, 4] t) {
            d = Identity (c)  two = Constant <value = int64 {2}> ()  late = Greater (i, two)
            t = If (late) <
                then_branch = g () => (float[3, 4] p) { p = Concat <axis = 0> (s, x) },
                else_branch = h () => (float[3, 4] q) { q = Neg (s) }>
        }>
    }""", counts(0, 2, 3, 4, 6)),
    "nested": ("""=> (float[r, 4] y) {
        yes = Constant <value = bool {1}> ()
        """ + EMPTY + """
        y = Loop (n, yes, empty) <body = b (int64 i, bool c, float[0,4] s) => (bool d, float[0, 4] t) {
            d = Identity (c)
            t = Loop (i, yes, s) <body = e (int64 j, bool f, float[0,4] u) => (bool g, float[0, 4] v) {
                g = Identity (f)  first = Slice (x, at, to)  v = Concat <axis = 0> (u, first)
            }>
        }>
    }""", counts(0, 1, 2, 4)),
    "captured": ("""=> (float[r, 4] y, float total) {
        yes = Constant <value = bool {1}> ()  zero = Constant <value = float {0}> ()
        """ + EMPTY + """
        y, total = Loop (n, yes, empty, zero) <body = b (int64 i, bool c, float[0,4] s, float a) => (bool d, float[0, 4] t, float a1) {
            d = Identity (c)  first = Slice (x, at, to)  t = Concat <axis = 0> (s, first)
            a1 = Loop (n, yes, a) <body = e (int64 j, bool f, float h) => (bool g, float k) <float[0, 4] m> {
                g = Identity (f)  m = Neg (s)  p = ReduceSum <keepdims = 0> (m)  k = Add (h, p)
            }>
        }>
    }""", counts(0, 1, 3)),
    "six_deep": ("""=> (float[r, 4] y) {
        yes = Constant <value = bool {1}> ()
        """ + EMPTY + """
        """ + "".join(f"""{'y' if k == 0 else f's{k}'} = Loop (n, yes, {'empty' if k == 0 else f'a{k}'}) <body = b{k} (int64 i{k}, bool c{k}, float[0,4] a{k + 1}) => (bool d{k}, float[0,4] s{k + 1}) {{
            d{k} = Identity (c{k})
            """ for k in range(6)) + """
            first = Slice (x, at, to)  s6 = Concat <axis = 0> (a6, first)
        """ + "}>\n" * 6 + """
    }""", counts(0, 1, 2)),
    # Two dimensions before the first iteration, then one.
    "changes_rank": ("""=> (int64[r] y) {
        yes = Constant <value = bool {1}> ()
        s = Loop (n, yes, x) <body = b (int64 i, bool c, float[3,4] s0) => (bool d, float[3, 4] t) {
            d = Identity (c)  first = Slice (x, at, to)  t = Squeeze (first, at)
        }>
        y = Shape (s)
    }""", counts(0, 1, 3)),
    "while": ("""=> (float[r, 4] y, int64 k) {
        yes = Constant <value = bool {1}> ()  zero = Constant <value = int64 {0}> ()
        """ + EMPTY + """
        y, k = Loop (, yes, empty, zero) <body = b (int64 i, bool c, float[0,4] s, int64 k0) => (bool d, float[0, 4] t, int64 k1) {
            one = Constant <value = int64 {1}> ()  k1 = Add (k0, one)  d = Less (k1, n)
            first = Slice (x, at, to)  t = Concat <axis = 0> (s, first)
        }>
    }""", counts(1, 2, 5)),
    "list_of_numbers": ("""=> (int64[r] y) {
        yes = Constant <value = bool {1}> ()  none = Constant <value = int64[0] {}> ()
        y = Loop (n, yes, none) <body = b (int64 i, bool c, int64[0] s) => (bool d, int64[0] t) {
            d = Identity (c)  flat = Constant <value_ints = [1]> ()  j = Reshape (i, flat)  t = Concat <axis = 0> (s, j)
        }>
    }""", counts(0, 1, 5)),
    "sequence": ("""=> (float[r, 4] y) {
        yes = Constant <value = bool {1}> ()  few = Slice (x, at, to)  q = SequenceConstruct (few)
        many = Loop (n, yes, q) <body = b (int64 i, bool c, seq(float[1,4]) s) => (bool d, seq(float[1,4]) t) {
            d = Identity (c)  last = Constant <value = int64 {-1}> ()  u = SequenceAt (s, last)
            v = Concat <axis = 0> (u, x)  t = SequenceInsert (s, v)
        }>
        y = ConcatFromSequence <axis = 0> (many)
    }""", counts(0, 1, 3)),
    "if_outputs": ("""=> (float[r, 4] z) <float[3,4] y> {
        two = Constant <value = int64 {2}> ()  late = Greater (n, two)
        y = If (late) <
            then_branch = g () => (float[3, 4] p) { p = Concat <axis = 0> (x, x) },
            else_branch = h () => (float[3, 4] q) { q = Neg (x) }>
        z = Abs (y)
    }""", counts(0, 3)),
    "sequence_map": ("""=> (float[r, 4] y) {
        few = Slice (x, at, to)  q = SequenceConstruct (few, x)
        many = SequenceMap (q) <body = b (float[1,4] s) => (float[1,4] t) { t = Concat <axis = 0> (s, x) }>
        y = ConcatFromSequence <axis = 0> (many)
    }""", counts(0)),
    "scan_batch": ("""=> (float[b, 4] y, float[3, k, 4] z) {
        both = Concat <axis = 0> (x, x)
        y, z = Scan <num_scan_inputs = 1, body = b (float[1, 4] s, float[4] r) => (float[1, 4] t, float[1, 4] u) {
            t = Add (s, r)  u = Neg (t)
        }> (both, x)
    }""", counts(0)),
    # Of another size than the body declares, in the first iteration, too.
    "starts_larger": ("""=> (float[r, 4] y) {
        yes = Constant <value = bool {1}> ()  both = Concat <axis = 0> (x, x)
        y = Loop (n, yes, both) <body = b (int64 i, bool c, float[3,4] s) => (bool d, float[3, 4] t) {
            d = Identity (c)  t = Neg (s)
        }>
    }""", counts(0, 2)),
    "list_behind": ("""=> (int64[r] z) <int64[0] y, int64[0] w> {
        yes = Constant <value = bool {1}> ()  none = Constant <value = int64[0] {}> ()
        y = Loop (n, yes, none) <body = b (int64 i, bool c, int64[0] s) => (bool d, int64[0] t) {
            d = Identity (c)  flat = Constant <value_ints = [1]> ()  j = Reshape (i, flat)  t = Concat <axis = 0> (s, j)
        }>
        w = Neg (y)  z = Neg (w)
    }""", counts(0, 1, 3)),
    # In opset 11 Softmax is over all axes from this one on: what it becomes depends on the sizes.
    "old_softmax": ("""=> (float[r, 4] y) {
        yes = Constant <value = bool {1}> ()
        y = Loop (n, yes, x) <body = b (int64 i, bool c, float[3,4] s) => (bool d, float[3, 4] t) <float[3,4] u, float[6,4] v> {
            d = Identity (c)  u = Softmax <axis = 0> (s)  v = Concat <axis = 0> (u, x)  t = Softmax <axis = -1> (v)
        }>
    }""", counts(0, 1, 3)),
    # What the body keeps stays known.
    "keeps": ("""=> (float[3, 4] y) {
        yes = Constant <value = bool {1}> ()
        y = Loop (n, yes, x) <body = b (int64 i, bool c, float[3,4] s) => (bool d, float[3, 4] t) {
            d = Identity (c)  t = Neg (s)
        }>
    }""", counts(0, 1, 2)),
}
OPSETS = {"old_softmax": 11}


def make(text, opset):
    """The model, with two constants that all may use."""
    head = f'<ir_version: 8, opset_import: ["" : {opset}]> g (int64 n, float[3, 4] x) '
    constants = "at = Constant <value = int64[1] {0}> ()  to = Constant <value = int64[1] {1}> ()"
    signature, _, rest = text.partition("{")
    return parser.parse_model(head + signature + "{ " + constants + "\n" + rest)


def strip_sizes(graph):
    """Removes what subgraphs declare of sizes, which ONNX Runtime plans its memory by."""
    del graph.value_info[:]
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                for value in (*attribute.g.input, *attribute.g.output):
                    for dim in dims_of(value.type):
                        dim.Clear()
                strip_sizes(attribute.g)


def run_onnxruntime(model, feeds):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, feeds)


def check(name, model, runs, level):
    """How many runs are right."""
    right = 0
    try:
        session = onnxc.InferenceSession(model, threads=1, opt_level=level)
    except onnxc.Error as error:
        print(f"{name} -O{level}: {error}")
        return 0
    for feeds, want in runs:
        try:
            got = session.run(None, feeds)
        except onnxc.Error as error:
            print(f"{name} -O{level} n={feeds['n']}: {error}")
            continue
        wrong = [f"{g.shape} {g}, expected {w.shape} {w}" for g, w in zip(got, want, strict=True)
                 if g.shape != w.shape or g.dtype != w.dtype or not np.allclose(g, w, 1e-5, 1e-6)]
        right += not wrong
        if wrong:
            print(f"{name} -O{level} n={feeds['n']}: {wrong[0]}")
    return right


def main():
    which = sys.argv[1:] or list(CASES)
    total = right = 0
    for name in which:
        text, feeds = CASES[name]
        model = make(text, OPSETS.get(name, 17))
        stripped = onnx.ModelProto()
        stripped.CopyFrom(model)
        strip_sizes(stripped.graph)
        runs = [(values, run_onnxruntime(stripped, values)) for values in feeds]
        opened = onnx.ModelProto()
        opened.CopyFrom(model)
        forget_sizes(opened)
        for label, form in ((name, model), (f"{name}, open sizes", opened)):
            for level in LEVELS:
                total += len(runs)
                right += check(label, form, runs, level)
    print(f"{total} runs, {total - right} wrong")
    return 1 if right < total or not total else 0


if __name__ == "__main__":
    sys.exit(main())
