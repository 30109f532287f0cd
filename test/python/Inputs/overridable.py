# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models with initializers that a run may override, run without and with other
values, against ONNX Runtime without its optimizations.

usage: overridable.py [LEVEL...] [-k CASE]
"""
import argparse

import numpy as np
import onnx
import onnx.parser
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import onnxc

RANDOM = np.random.default_rng(7)


def floats(*shape):
    return RANDOM.uniform(-2, 2, shape).astype(np.float32)


def ints(*values):
    return np.array(values, np.int64)


X = {"x": floats(2, 3, 8, 8)}
M = {"x": floats(5, 16)}
BIG = {"x": floats(64, 64)}


def is_close(a, b, rtol):
    """Sums cancel: what counts is an error as a part of the largest element."""
    largest = max(1.0, float(np.nanmax(np.abs(b), initial=0)))
    return a.shape == b.shape and np.allclose(a, b, rtol, 1e-5 * largest, equal_nan=True)


class Case:
    """`body` in ONNX's textual syntax from x (and what is in `inputs`) and the
    names of `defaults` to `outputs`; each of `overrides` is a run."""

    def __init__(self, body, inputs, defaults, overrides, outputs="y", declared=None, shapes=None, opset=21,
                 value_info=None, dtype=TensorProto.FLOAT, rtol=1e-4):
        self.body, self.inputs, self.defaults, self.overrides = body, inputs, defaults, overrides
        self.outputs, self.declared, self.shapes, self.opset = outputs.split(), declared or {}, shapes or {}, opset
        self.value_info, self.dtype, self.rtol = value_info or {}, dtype, rtol

    def model(self, ir_version=10):
        def info(name, array):
            data_type = TensorProto.STRING if array.dtype == object else helper.np_dtype_to_tensor_dtype(array.dtype)
            return helper.make_tensor_value_info(name, data_type, self.declared.get(name, list(array.shape)))

        graph = onnx.parser.parse_graph("g () => () { " + self.body + " }")
        arrays = {**self.defaults, **self.inputs}  # defaults are before what must be given
        graph.input.extend(info(name, array) for name, array in arrays.items())
        graph.output.extend(helper.make_tensor_value_info(name, self.dtype, self.shapes.get(name)) for name in self.outputs)
        graph.value_info.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
                                for name, shape in self.value_info.items())
        for name, array in self.defaults.items():
            if array.dtype == object:
                graph.initializer.append(helper.make_tensor(name, TensorProto.STRING, array.shape,
                                                            [text.encode() for text in array.flat]))
            else:
                graph.initializer.append(numpy_helper.from_array(array, name))
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=ir_version)


def typed(dtype, opset=21):
    """An Add or, of booleans, Or with a weight of this type."""
    onnx_dtype = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    op = "Or" if dtype == np.bool_ else "Add"
    x, w, v = (np.array(values).astype(dtype) for values in ([1, 0, 3], [0, 1, 2], [4, 0, 6]))
    return Case(f"y = {op}(x, w)", {"x": x}, {"w": w}, [{"w": v}], opset=opset, dtype=onnx_dtype)


W = floats(4, 3, 3, 3)
K = floats(16, 64)
Q = RANDOM.integers(-100, 100, (16, 24)).astype(np.int8)
CASES = {
    **{f"type {np.dtype(dtype).name}": typed(dtype) for dtype in (
        np.float32, np.float64, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, np.bool_)},
    "type float16": Case("a = Cast<to=1>(w) y = Add(x, a)", {"x": floats(3)}, {"w": floats(3).astype(np.float16)},
                         [{"w": floats(3).astype(np.float16)}]),
    "type string": Case("y = Equal(x, w)", {"x": np.array(["a", "b", "c"], object)}, {"w": np.array(["a", "x", "c"], object)},
                        [{"w": np.array(["y", "b", ""], object)}], dtype=TensorProto.BOOL),
    "scalar": Case("y = Mul(x, w)", M, {"w": np.array(3, np.float32)}, [{"w": np.array(-2, np.float32)}]),
    "two": Case("a = Mul(x, w) y = Add(a, v)", M, {"w": floats(16), "v": floats(16)},
                [{"w": floats(16)}, {"v": floats(16)}, {"w": floats(16), "v": floats(16)}]),
    # Weights, packed where they are constants.
    "matmul": Case("y = MatMul(x, w)", M, {"w": K}, [{"w": floats(16, 64)}]),
    "matmul open": Case("y = MatMul(x, w)", M, {"w": K}, [{"w": floats(16, 64)}, {"w": floats(16, 7)}],
                        declared={"w": [16, "n"]}),
    "matmul large": Case("a = MatMul(x, w) b = Relu(a) y = MatMul(b, v)", BIG, {"w": floats(64, 96), "v": floats(96, 64)},
                         [{"w": floats(64, 96)}, {"v": floats(96, 64)}]),
    "gemm": Case("y = Gemm<transB=1>(x, w, b)", M, {"w": floats(20, 16), "b": floats(20)},
                 [{"w": floats(20, 16)}, {"b": floats(20)}]),
    "conv": Case("a = Conv<pads=[1,1,1,1]>(x, w, b) y = Relu(a)", X, {"w": W, "b": floats(4)},
                 [{"w": floats(4, 3, 3, 3)}, {"b": floats(4)}]),
    "conv folded": Case("a = Conv(x, w) y, = BatchNormalization(a, s, b, m, v)".replace("y, =", "y ="), X,
                        {"w": W, "s": floats(4), "b": floats(4), "m": floats(4), "v": np.abs(floats(4)) + 1},
                        [{"s": floats(4)}, {"v": np.abs(floats(4)) + 2, "w": floats(4, 3, 3, 3)}]),
    "lstm": Case("a, b = GRU<hidden_size=4>(s, w, r) y = Mul(b, k)",
                 {"s": floats(3, 2, 5)}, {"w": floats(1, 12, 5), "r": floats(1, 12, 4), "k": np.ones((), np.float32)},
                 [{"w": floats(1, 12, 5)}, {"r": floats(1, 12, 4), "k": np.full((), 2, np.float32)}]),
    # Values that decide shapes; what the model declares follows from the defaults.
    "reshape": Case("y = Reshape(x, s)", {"x": floats(4, 6)}, {"s": ints(3, 8)}, [{"s": ints(8, 3)}, {"s": ints(-1, 2)}],
                    shapes={"y": [3, 8]}),
    "reshape inside": Case("a = Reshape(x, s) b = Exp(a) y = Mul(b, b)", {"x": floats(4, 6)}, {"s": ints(3, 8)},
                           [{"s": ints(8, 3)}], shapes={"y": [3, 8]}, value_info={"a": [3, 8], "b": [3, 8]}),
    "slice": Case("y = Slice(x, s, e)", M, {"s": ints(1, 2), "e": ints(4, 9)}, [{"s": ints(0, 0)}, {"e": ints(2, 100)}],
                  shapes={"y": [3, 7]}),
    "slice axes": Case("y = Slice(x, s, e, a)", M, {"s": ints(1), "e": ints(4), "a": ints(0)}, [{"a": ints(1)}]),
    "pad": Case("y = Pad(x, p, c)", M, {"p": ints(0, 1, 0, 2), "c": np.array(2, np.float32)},
                [{"p": ints(1, 0, 2, 0)}, {"c": np.array(5, np.float32)}]),
    "resize": Case('y = Resize<mode="nearest">(x, , s)', X, {"s": np.array([1, 1, 2, 2], np.float32)},
                   [{"s": np.array([1, 1, 0.5, 3], np.float32)}]),
    "resize sizes": Case('y = Resize<mode="linear">(x, , , s)', X, {"s": ints(2, 3, 4, 4)}, [{"s": ints(2, 3, 16, 5)}]),
    "topk": Case("y, i = TopK(x, k)", M, {"k": ints(3)}, [{"k": ints(5)}, {"k": ints(16)}], shapes={"y": [5, 3]}),
    "tile": Case("y = Tile(x, r)", M, {"r": ints(1, 2)}, [{"r": ints(2, 1)}, {"r": ints(0, 1)}]),
    "expand": Case("y = Expand(x, s)", {"x": floats(1, 4)}, {"s": ints(3, 4)}, [{"s": ints(2, 2, 4)}, {"s": ints(5, 4)}],
                   declared={"s": ["rank"]}),
    "reshape rank": Case("y = Reshape(x, s)", {"x": floats(4, 6)}, {"s": ints(3, 8)}, [{"s": ints(2, 2, 6)}, {"s": ints(24)}],
                         declared={"s": ["rank"]}),
    "squeeze": Case("y = Squeeze(x, a)", {"x": floats(1, 4, 1)}, {"a": ints(0)}, [{"a": ints(2)}]),
    "unsqueeze": Case("y = Unsqueeze(x, a)", {"x": floats(4, 2)}, {"a": ints(0)}, [{"a": ints(2)}, {"a": ints(-2)}]),
    "reduce": Case("y = ReduceSum(x, a)", M, {"a": ints(0)}, [{"a": ints(1)}]),
    "reduce drop": Case("y = ReduceSum<keepdims=0>(x, a)", {"x": floats(2, 3, 4)}, {"a": ints(0, 1)}, [{"a": ints(1, 2)}]),
    "range": Case("y = Range(z, n, o)", {"z": np.array(0, np.float32)},
                  {"n": np.array(5, np.float32), "o": np.array(1, np.float32)},
                  [{"n": np.array(3, np.float32)}, {"o": np.array(0.5, np.float32)}]),
    "fill": Case("a = ConstantOfShape(s) y = Add(a, x)", {"x": np.array(1, np.float32)}, {"s": ints(2, 3)}, [{"s": ints(4, 1)}]),
    "one hot": Case("y = OneHot(x, d, v)", {"x": ints(0, 2, 1)}, {"d": ints(3), "v": np.array([0, 1], np.float32)},
                    [{"d": ints(5)}, {"v": np.array([2, 7], np.float32)}]),
    "split": Case("y, z = Split<axis=1>(x, s)", M, {"s": ints(4, 12)}, [{"s": ints(8, 8)}], outputs="y z",
                  shapes={"y": [5, 4], "z": [5, 12]}),
    "gather": Case("y = Gather(w, i)", {"i": ints(0, 2)}, {"w": floats(4, 3)}, [{"w": floats(4, 3)}]),
    "cumsum": Case("y = CumSum(x, a)", M, {"a": np.array(0, np.int64)}, [{"a": np.array(1, np.int64)}]),
    "dropout": Case("y = Dropout(x, r, t)", M, {"r": np.array(0.5, np.float32), "t": np.array(False)},
                    [{"r": np.array(0.1, np.float32)}]),
    "clip": Case("y = Clip(x, l, h)", M, {"l": np.array(-1, np.float32), "h": np.array(1, np.float32)},
                 [{"l": np.array(0, np.float32)}]),
    # Quantized.
    "quantize": Case("q = QuantizeLinear(x, s, z) y = DequantizeLinear(q, s, z)", M,
                     {"s": np.array(0.02, np.float32), "z": np.array(3, np.int8)},
                     [{"s": np.array(0.05, np.float32)}, {"z": np.array(-9, np.int8)}]),
    "dequantized weight": Case("w = DequantizeLinear<axis=1>(q, s, z) y = MatMul(x, w)", M,
                               {"q": Q, "s": np.abs(floats(24)) + 0.1, "z": np.zeros(24, np.int8)},
                               [{"s": np.abs(floats(24)) + 0.5}, {"q": RANDOM.integers(-9, 9, (16, 24)).astype(np.int8)}]),
    # In bodies, and as the model's own output.
    "if": Case("c = Constant<value_int=0>() d = ReduceSum<keepdims=0>(x) e = Less(d, t) y = If(e) <"
               "then_branch = g1 () => (float[5,16] a) { a = Mul(x, w) },"
               "else_branch = g2 () => (float[5,16] b) { b = Sub(x, w) }>", M, {"w": floats(16), "t": np.array(0, np.float32)},
               [{"w": floats(16)}, {"t": np.array(1e6, np.float32)}, {"t": np.array(-1e6, np.float32), "w": floats(16)}]),
    "if constant": Case("y = If(e) <then_branch = g1 () => (float[m,n] a) { a = Mul(x, w) },"
                        "else_branch = g2 () => (float[m,n] b) { b = Sub(x, w) }>", M, {"w": floats(16), "e": np.array(True)},
                        [{"e": np.array(False)}, {"w": floats(16)}]),
    "loop": Case("c = Constant<value = bool {1}>() y = Loop(n, c, x) <body = body (int64 i, bool k, float[5,16] a) =>"
                 " (bool o, float[5,16] b) { o = Identity(k) b = Add(a, w) }>", M, {"n": np.array(3, np.int64), "w": floats(16)},
                 [{"n": np.array(0, np.int64)}, {"n": np.array(7, np.int64), "w": floats(16)}]),
    "output": Case("a = Identity(x) y = Identity(w)", M, {"w": floats(3)}, [{"w": floats(3)}]),
    "unused": Case("y = Neg(x)", M, {"w": floats(3)}, [{"w": floats(3)}]),
    "empty": Case("y = Concat<axis=0>(x, w)", {"x": floats(2, 3)}, {"w": floats(0, 3)}, [{"w": floats(2, 3)}],
                  declared={"w": ["n", 3]}),
    "empty override": Case("y = Concat<axis=0>(x, w)", {"x": floats(2, 3)}, {"w": floats(2, 3)}, [{"w": floats(0, 3)}],
                           declared={"w": ["n", 3]}),
    "no inputs": Case("y = Add(w, v)", {}, {"w": floats(3), "v": floats(3)}, [{"w": floats(3)}]),
    "symbols": Case("y = Add(x, w)", {"x": floats(4)}, {"w": floats(4)}, [{"w": floats(4)}],
                    declared={"x": ["n"], "w": ["n"]}),
    "open": Case("a = MatMul(x, w) y = Add(a, b)", {"x": floats(3, 8)}, {"w": floats(8, 8), "b": floats(8)},
                 [{"w": floats(8, 8)}], declared={"x": ["batch", 8]}),
}


def runtime(model):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def differs(case, got, want):
    for a, b in zip(got, want, strict=True):
        a, b = np.asarray(a), np.asarray(b)
        if a.dtype != b.dtype or a.shape != b.shape:
            return f"{a.dtype} {a.shape}, expected {b.dtype} {b.shape}"
        if not (np.array_equal(a, b) if a.dtype.kind not in "f" else is_close(a, b, case.rtol)):
            return f"{a.ravel()[:4]}, expected {b.ravel()[:4]}"
    return None


def check(name, case, level):
    """What is wrong, or None."""
    model = case.model()
    oracle = runtime(model)
    session = onnxc.InferenceSession(model, opt_level=level)
    for of in (session, oracle):
        if {arg.name for arg in of.get_inputs()} != set(case.inputs):
            return "get_inputs()"
        if [arg.name for arg in of.get_overridable_initializers()] != list(case.defaults):
            return f"get_overridable_initializers() {[arg.name for arg in of.get_overridable_initializers()]}"
    frozen = onnxc.InferenceSession(model, opt_level=level, freeze=True)
    if frozen.get_overridable_initializers():
        return "freeze"
    # The defaults come back after an override.
    for override in [{}, *case.overrides, {}, dict(case.defaults)]:
        feed = {**case.inputs, **override}
        want = oracle.run(None, feed)
        wrong = differs(case, session.run(None, feed), want)
        if not wrong and not override:
            wrong = differs(case, frozen.run(None, feed), want)
        if wrong:
            return f"with {list(override)}: {wrong}"
    return None


def raises(action, *texts):
    try:
        action()
    except onnxc.Error as error:
        assert all(text in str(error) for text in texts), error
    else:
        raise AssertionError(f"no error that says {texts}")


def check_session():
    """What is refused, and what --freeze and older models make of it."""
    case = CASES["matmul"]
    model = case.model()
    session = onnxc.InferenceSession(model)
    x = case.inputs["x"]
    raises(lambda: session.run(None, {"x": x, "w": floats(16, 63)}), "'w'", "[16, 64]", "[16, 63]")
    raises(lambda: session.run(None, {"x": x, "w": floats(16)}), "'w'")
    raises(lambda: session.run(None, {"x": x, "w": floats(16, 64).astype(np.float64)}), "'w'", "double")
    raises(lambda: session.run(None, {"w": floats(16, 64)}), "missing: ['x']")
    raises(lambda: session.run(None, {"x": x, "v": x}), "unknown: ['v']")
    assert np.allclose(session.run(None, {"x": x, "w": None})[0], x @ case.defaults["w"], 1e-4, 1e-5)

    case = CASES["two"]
    partly = onnxc.InferenceSession(case.model(), freeze=["w"])
    assert [arg.name for arg in partly.get_overridable_initializers()] == ["v"]
    v = floats(16)
    assert np.allclose(partly.run(None, {"x": x, "v": v})[0], x * case.defaults["w"] + v, 1e-5)
    raises(lambda: partly.run(None, {"x": x, "w": v}), "unknown: ['w']")
    raises(lambda: onnxc.InferenceSession(case.model(), freeze=["x"]), "'x'")
    raises(lambda: onnxc.InferenceSession(case.model(), freeze="w"), "freeze='w'")
    assert onnxc.check(case.model())["supported"] and onnxc.check(case.model(), freeze=True)["supported"]

    old = CASES["reshape"].model(ir_version=3)
    old.opset_import[0].version = 8
    session = onnxc.InferenceSession(old)
    assert [arg.name for arg in session.get_inputs()] == ["x"] and not session.get_overridable_initializers()
    assert session.get_outputs()[0].shape == [3, 8]
    # The sizes of a result are those of any override.
    session = onnxc.InferenceSession(CASES["reshape"].model())
    assert session.get_outputs()[0].shape == [None, None], session.get_outputs()
    print("session: ok")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("levels", nargs="*", type=int, default=[0, 1, 2])
    parser.add_argument("-k", default="")
    options = parser.parse_args()
    check_session()
    done = right = 0
    for name, case in CASES.items():
        if options.k not in name:
            continue
        for level in options.levels or [0, 1, 2]:
            done += 1
            try:
                wrong = check(name, case, level)
            except Exception as error:
                wrong = f"{type(error).__name__}: {error}"
            if wrong:
                print(f"{name} at -O{level}: {wrong}")
            else:
                right += 1
    print(f"overridable: {right} of {done}")


if __name__ == "__main__":
    main()
