"""Models of unknown sizes, compiled once and called with several, 0 and 1 among
them, against ONNX's reference evaluator. Where that has no answer, any will do.

usage: dynamic_sizes.py [LEVEL...] [-k CASE]
"""

import argparse
import sys
import warnings

import numpy as np
import onnx
import onnx.parser
import onnx.reference

import onnxc

SIZES = [(2, 3), (0, 3), (1, 1), (3, 0), (17, 5), (1, 4), (0, 0)]

# Body and what it computes of x: float[n,m], w: float[m,4], v: float[m], s:
# float, i: int64[n] below m, b: bool[n,m], p: float[1,n,m].
CASES = {
    "unary": "y = Exp(x)",
    "chain": "a = Mul(x, v) c = Relu(a) y = Sub(c, s)",
    "compare": "y = Less(x, v)",
    "where": "y = Where(b, x, s)",
    "sum": "y = Sum(x, v, s)",
    "clip": "y = Clip(x, s)",
    "cast": "y = Cast<to=7>(x)",
    "softmax": "y = Softmax<axis=-1>(x)",
    "softmax_first": "y = Softmax<axis=0>(x)",
    "log_softmax": "y = LogSoftmax(x)",
    "matmul": "y = MatMul(x, w)",
    "matmul_vector": "y = MatMul(x, v)",
    "gemm": "y = Gemm<transA=1,transB=1,alpha=0.5>(w, x)",
    "matmul_batch": "y = MatMul(p, w)",
    "einsum": 'y = Einsum<equation="ij,jk->ki">(x, w)',
    "einsum_stretch": 'y = Einsum<equation="ij,ik->jk">(x, w)',
    "einsum_stretch_sum": 'y = Einsum<equation="ij,jk->ik">(x, x)',
    "einsum_ellipsis": 'y = Einsum<equation="...a,...a->...">(w, p)',
    "einsum_implicit": 'a = Transpose(x) y = Einsum<equation="...,...">(x, a)',
    "reduce_sum": "y = ReduceSum(x)",
    "reduce_mean": "a = Constant<value_ints=[1]>() y = ReduceMean<keepdims=0>(x, a)",
    "reduce_max": "a = Constant<value_ints=[0]>() y = ReduceMax(x, a)",
    "reduce_prod": "a = Constant<value_ints=[-1]>() y = ReduceProd(x, a)",
    "reduce_lse": "a = Constant<value_ints=[-1]>() y = ReduceLogSumExp(x, a)",
    "reduce_l2": "a = Constant<value_ints=[0]>() y = ReduceL2(x, a)",
    "arg_max": "y = ArgMax<axis=1>(x)",
    "arg_min": "y = ArgMin<axis=0,keepdims=0>(x)",
    "cumsum": "a = Constant<value_int=1>() y = CumSum(x, a)",
    "transpose": "y = Transpose(x)",
    "reshape": "a = Constant<value_ints=[-1]>() y = Reshape(x, a)",
    "reshape_copy": "a = Constant<value_ints=[0,0,1]>() y = Reshape(x, a)",
    # Right only where there are no elements, or 5 in a row.
    "reshape_copy_empty": "a = Constant<value_ints=[0,5]>() y = Reshape(x, a)",
    "reshape_copy_last": "a = Constant<value_ints=[5,0]>() y = Reshape(x, a)",
    "reshape_shape": "a = Shape<start=1>(x) c = Shape<end=1>(x) d = Concat<axis=0>(a, c) y = Reshape(x, d)",
    "flatten": "y = Flatten<axis=0>(x)",
    "flatten_last": "y = Flatten<axis=2>(p)",
    "squeeze": "a = Constant<value_ints=[0]>() y = Squeeze(p, a)",
    "unsqueeze": "a = Constant<value_ints=[-1,0]>() y = Unsqueeze(x, a)",
    "slice_stretch": "a = Constant<value_ints=[0]>() c = Constant<value_ints=[999]>() d = Constant<value_ints=[1]>() e = Constant<value_ints=[2]>() "
                     "f = Slice(x, a, c, d, e) g = Unsqueeze(v, d) y = Mul(f, g)",
    "concat": "y = Concat<axis=0>(x, x)",
    "concat_last": "a = Add(x, v) y = Concat<axis=-1>(x, a, x)",
    "split": "y, z = Split<num_outputs=2>(x)",
    "slice": "a = Constant<value_ints=[1]>() e = Constant<value_ints=[-1]>() y = Slice(x, a, e, e)",
    "slice_back": "a = Constant<value_ints=[-1]>() e = Constant<value_ints=[-99]>() c = Constant<value_ints=[0]>() "
                  "y = Slice(x, a, e, c, a)",
    "pad": "a = Constant<value_ints=[1,0,0,2]>() y = Pad(x, a, s)",
    "pad_edge": 'a = Constant<value_ints=[1,0,0,2]>() y = Pad<mode="edge">(x, a)',
    "expand": "a = Constant<value_ints=[3,1,1]>() y = Expand(x, a)",
    "expand_shape": "a = Shape(x) y = Expand(v, a)",
    "tile": "a = Constant<value_ints=[2,3]>() y = Tile(x, a)",
    "tile_none": "a = Constant<value_ints=[0,3]>() y = Tile(x, a)",
    "gather": "y = Gather<axis=1>(x, i)",
    "gather_first": "y = Gather(w, i)",
    "gather_elements": "a = Constant<value_ints=[1]>() j = Unsqueeze(i, a) y = GatherElements<axis=1>(x, j)",
    "gather_nd": "a = Constant<value_ints=[1]>() j = Unsqueeze(i, a) y = GatherND(w, j)",
    "scatter_nd": "a = Constant<value_ints=[1]>() j = Unsqueeze(i, a) u = Gather(v, i) y = ScatterND(v, j, u)",
    "scatter_elements": 'u = Gather(v, i) y = ScatterElements<reduction="add">(v, i, u)',
    "one_hot": "d = Shape(v) e = Constant<value_floats=[0.0,1.0]>() y = OneHot(i, d, e)",
    "non_zero": "y = NonZero(b)",
    "compress": "a = Constant<value_ints=[-1]>() c = Reshape(b, a) y = Compress(x, c)",
    "unique": "y, j, k, l = Unique(x)",
    "top_k": "d = Shape<start=1>(x) y, j = TopK(x, d)",
    "trilu": "y = Trilu(x)",
    "eye_like": "y = EyeLike(x)",
    "range": "a = Shape<start=1>(x) c = Squeeze(a) z = Constant<value_int=0>() o = Constant<value_int=1>() y = Range(z, c, o)",
    "constant_of_shape": "a = Shape(x) y = ConstantOfShape(a)",
    "size": "y = Size(x)",
    "layer_norm": "y = LayerNormalization(x, v)",
    "rms_norm": "y = RMSNormalization(x, v)",
    "lp_norm": "y = LpNormalization<axis=0>(x)",
    "batch_norm": "a = Abs(v) y = BatchNormalization(x, v, v, v, a)",
    "conv": "k = ConstantOfShape<value: tensor = float[1] {0.5}>(c) c = Constant<value_ints=[2,1,3]>() "
            "a = Constant<value_ints=[1]>() q = Unsqueeze(x, a) y = Conv<pads=[1,1]>(q, k)",
    "max_pool": "y = MaxPool<kernel_shape=[1],strides=[2]>(p)",
    "average_pool": "a = Constant<value_ints=[1]>() q = Unsqueeze(x, a) y = AveragePool<kernel_shape=[3],pads=[1,1]>(q)",
    "global_pool": "a = Constant<value_ints=[0]>() q = Unsqueeze(p, a) y = GlobalMaxPool(q)",
    "global_average": "y = GlobalAveragePool(p)",
    "resize": "c = Constant<value_floats=[2.0,1.0]>() y = Resize(x, , c)",
    "resize_linear": 'c = Constant<value_floats=[1.0,1.5]>() y = Resize<mode="linear">(x, , c)',
    "dynamic_quantize": "y, t, z = DynamicQuantizeLinear(x)",
    "quantize": "z = Constant<value_float=0.25>() y = QuantizeLinear(x, z)",
    "reverse_sequence": "y = ReverseSequence<batch_axis=0,time_axis=1>(x, j) j = Mul(i, o) o = Constant<value_int=1>()",
    "depth_to_space": "a = Constant<value_ints=[0]>() c = Concat<axis=0>(x, x, x, x) q = Unsqueeze(c, e) e = Constant<value_ints=[0,3]>() "
                      "y = DepthToSpace<blocksize=2>(q)",
    "loop": "t = Constant<value: tensor = bool {1}>() c = Shape<end=1>(x) k = Squeeze(c) y, z = Loop<body = body "
            "(int64 j, bool d, float[q] a) => (bool d2, float[q] a2, float[q] o) "
            "{ d2 = Identity(d) r = Gather(x, j) a2 = Add(a, r) o = Identity(a2) }>(k, t, v)",
    "scan": "y, z = Scan<num_scan_inputs=1, body = body (float[q] a, float[q] r) => (float[q] a2, float[q] o) "
            "{ a2 = Add(a, r) o = Mul(a2, r) }>(v, x)",
    "if": "c = Size(x) z = Constant<value_int=0>() t = Equal(c, z) y = If(t)<then_branch = yes () => (float[a] k) "
          "{ k = Identity(v) }, else_branch = no () => (float[d] l) { o = Constant<value_ints=[0]>() l = ReduceMax<keepdims=0>(x, o) }>",
    "sequence": "q = SplitToSequence(x) y = ConcatFromSequence<axis=0>(q)",
    "det": "y = MatMul(x, g) g = Transpose(x)",
    "nll": "y = NegativeLogLikelihoodLoss<reduction=\"none\">(x, i)",
    "sce": "y = SoftmaxCrossEntropyLoss<reduction=\"none\">(x, i)",
    "attention": "y = Attention<q_num_heads=1,kv_num_heads=1>(p, p, p)",
    "hardmax": "y = Hardmax(x)",
    "mod": "y = Mod<fmod=1>(x, v)",
    "isnan": "y = IsNaN(x)",
    "identity": "y = Identity(x)",
    "dropout": "y, z = Dropout(x)",
    "mvn": "y = MeanVarianceNormalization<axes=[0]>(x)",
}
INPUTS = "float[n,m] x, float[m,4] w, float[m] v, float s, int64[n] i, bool[n,m] b, float[1,n,m] p"


def make(body):
    """The model; nodes are put in order, and outputs are y, z, … if computed."""
    text = f'<ir_version: 10, opset_import: ["" : 24]> main ({INPUTS}) => (float[r] y) {{ {body} }}'
    model = onnx.parser.parse_model(text)
    graph = model.graph
    known = {value.name for value in graph.input} | {""}
    nodes, order = list(graph.node), []
    while nodes:
        node = next(n for n in nodes if set(n.input) <= known)
        nodes.remove(node)
        known.update(node.output)
        order.append(node)
    del graph.node[:], graph.output[:]
    graph.node.extend(order)
    last = next(n for n in order if "y" in n.output)
    graph.output.extend(onnx.ValueInfoProto(name=name) for name in last.output)
    return model


def feeds(n, m):
    random = np.random.default_rng(n * 100 + m)
    draw = lambda *shape: random.uniform(-2, 2, shape).astype(np.float32)  # noqa: E731
    return {"x": draw(n, m), "w": draw(m, 4), "v": draw(m), "s": np.float32(0.5),
            "i": random.integers(0, max(m, 1), n).astype(np.int64), "b": draw(n, m) > 0, "p": draw(1, n, m)}


def differ(got, want):
    got, want = np.asarray(got), np.asarray(want)
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"{got.dtype}{list(got.shape)}, expected {want.dtype}{list(want.shape)}"
    if not np.allclose(got, want, rtol=1e-3, atol=1e-5, equal_nan=True):
        return f"{got.tolist()}, expected {want.tolist()}"
    return None


def check(body, level):
    model = make(body)
    used = {name for node in model.graph.node for name in node.input}
    used |= {name for node in model.graph.node for a in node.attribute for inner in a.g.node for name in inner.input}
    try:
        session = onnxc.InferenceSession(model, opt_level=level)
    except onnxc.Error as error:
        return [f"does not compile: {error}"]
    oracle = onnx.reference.ReferenceEvaluator(model)
    wrong = []
    for n, m in SIZES:
        values = feeds(n, m)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                want = oracle.run(None, values)
            except Exception:
                want = None
        try:
            got = session.run(None, values)
        except onnxc.Error as error:
            if want is not None and all(value is not None for value in want):
                wrong.append(f"{n}, {m}: {error}, expected {[np.shape(value) for value in want]}")
            continue
        for a, b in zip(got, want or []):
            if b is not None and (text := differ(a, b)):
                wrong.append(f"{n}, {m}: {text[:200]}")
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("levels", type=int, nargs="*", default=[0, 1, 2])
    parser.add_argument("-k", default="")
    parser.add_argument("-v", action="store_true")
    options = parser.parse_args()
    failed = count = 0
    for name, body in CASES.items():
        for level in options.levels:
            if options.k not in name:
                continue
            count += 1
            if options.v:
                print(name, level, flush=True)
            wrong = check(body, level)
            failed += bool(wrong)
            for text in wrong:
                print(f"{name} -O{level}: {text}", flush=True)
    print(f"dynamic sizes: {count - failed} of {count}")
    return 1 if failed or not count else 0


sys.exit(main())
