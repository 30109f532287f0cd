"""Ranks that follow from branches, loops, sequences, functions, or from what a
run brings, against ONNX's reference evaluator.

usage: unknown_ranks.py
"""

import sys

import numpy as np
import onnx
import onnx.parser
import onnx.reference

import onnxc

F = np.float32
MATRIX = np.arange(6, dtype=F).reshape(2, 3)
BOTH = [[np.bool_(False), MATRIX], [np.bool_(True), MATRIX]]
LISTS = [[MATRIX, np.array(shape, np.int64)] for shape in ([6], [1, 6], [1, 2, 3])]
FLAT = "o = Constant<value_ints=[-1]>() p = Reshape(x, o)"

# Signature, body, inputs per run. An output or a carried value `?` has no shape.
CASES = {
    "if_reduce": ("(bool c, float[n,m] x) => (float y)",
                  f"r = If(c)<then_branch = t () => (float[k] p) {{ {FLAT} }}, else_branch = e () => (float[a,b] q) "
                  "{ q = Identity(x) }> s = Abs(r) y = ReduceSum<keepdims=0>(s)", BOTH),
    "if_add": ("(bool c, float[n,m] x) => (float[u,v] y)",
               "r = If(c)<then_branch = t () => (float[k] p) { i = Constant<value_int=0>() p = Gather(x, i) }, "
               "else_branch = e () => (float[a,b] q) { q = Identity(x) }> y = Add(r, x)", BOTH),
    "if_shape": ("(bool c, float[n,m] x) => (float[u] y, int64[v] z)",
                 f"r = If(c)<then_branch = t () => (float[k] p) {{ {FLAT} }}, else_branch = e () => (float[a,b] q) "
                 "{ q = Transpose(x) }> f = Exp(r) l = Constant<value_ints=[-1]>() g = Reshape(f, l) "
                 "y = Concat<axis=0>(g, g) z = Shape(r)", BOTH),
    "if_result": ("(bool c, float[n,m] x) => (float ?)",
                  f"y = If(c)<then_branch = t () => (float[k] p) {{ {FLAT} }}, else_branch = e () => (float[a,b] q) "
                  "{ q = Identity(x) }>", BOTH),
    "loop": ("(int64 t, float[n] x) => (float[p,q] y)",
             "e = Constant<value_int=1>() c = Cast<to=9>(e) r = Loop<body = b (int64 i, bool d, float ?v) => "
             "(bool d2, float ?w) { d2 = Identity(d) w = Concat<axis=0>(v, v) }>(t, c, x) "
             "z = Constant<value_ints=[0]>() y = Unsqueeze(r, z)", [[np.int64(i), MATRIX[0]] for i in (0, 1, 3)]),
    "sequence": ("(float[n] x, float[n] z, int64 i) => (float[n] y)",
                 "s = SequenceConstruct(x, z) a = SequenceAt(s, i) y = Add(a, x)",
                 [[MATRIX[0], MATRIX[1], np.int64(1)]]),
    "squeeze": ("(float[n,k,m] x) => (float y)", "q = Squeeze(x) e = Exp(q) y = ReduceMax<keepdims=0>(e)",
                [[np.ones(shape, F)] for shape in ((2, 1, 3), (1, 1, 3), (2, 2, 2), (1, 1, 1))]),
    "squeeze_result": ("(float[n,k,m] x) => (float ?)", "y = Squeeze(x)",
                       [[np.ones(shape, F)] for shape in ((2, 1, 3), (1, 1, 3), (2, 0, 2), (1, 1, 1))]),
    "reshape": ("(float[n,m] x, int64[k] s) => (float y)", "q = Reshape(x, s) y = ReduceMax<keepdims=0>(q)", LISTS),
    "reshape_result": ("(float[n,m] x, int64[k] s) => (float ?)", "y = Reshape(x, s)", LISTS),
    "expand": ("(float[n] x, int64[k] s) => (float[a] y)",
               "q = Expand(x, s) e = Neg(q) l = Constant<value_ints=[-1]>() y = Reshape(e, l)",
               [[MATRIX[0], np.array(shape, np.int64)] for shape in ([], [1], [2, 1], [2, 2, 3])]),
    "constant_of_shape": ("(int64[k] s) => (float[n] y)",
                          "q = ConstantOfShape(s) e = Exp(q) l = Constant<value_ints=[-1]>() y = Reshape(e, l)",
                          [[np.array(shape, np.int64)] for shape in ([], [6], [1, 6], [1, 0, 3])]),
    "gather_nd": ("(float[n,m] x, int64[k,l] i) => (float y)", "q = GatherND(x, i) y = ReduceSum<keepdims=0>(q)",
                  [[MATRIX, np.array(indices, np.int64)] for indices in ([[0], [1]], [[1, 2]])]),
}


def make(signature, body):
    signature = signature.replace("?", "y")
    text = f'<ir_version: 10, opset_import: ["" : 24]> main {signature} {{ {body.replace("?", "")} }}'
    return onnx.parser.parse_model(text)


def forget(values):
    for value in values:
        value.type.tensor_type.ClearField("shape")


def main():
    failed = count = 0
    for name, (signature, body, runs) in CASES.items():
        for level in (0, 1, 2):
            model = make(signature, body)
            if "?" in signature:
                forget(model.graph.output)
            for node in model.graph.node if "?" in body else []:
                for attribute in node.attribute:
                    forget([*attribute.g.input[2:], *attribute.g.output[1:]])
            count += 1
            wrong = None
            try:
                session = onnxc.InferenceSession(model, opt_level=level)
                for run in runs:
                    feeds = dict(zip([value.name for value in model.graph.input], run))
                    want = onnx.reference.ReferenceEvaluator(model).run(None, feeds)
                    for a, b in zip(session.run(None, feeds), want):
                        if a.shape != np.shape(b) or not np.allclose(a, b):
                            wrong = f"{a.shape}, expected {np.shape(b)}"
            except onnxc.Error as error:
                wrong = str(error)
            if wrong:
                failed += 1
                print(f"{name} -O{level}: {wrong}")
    print(f"unknown ranks: {count - failed} of {count}")
    return 1 if failed or not count else 0


sys.exit(main())
