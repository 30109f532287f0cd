# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs on both sides of what the compiler distinguishes: sizes from which on a
kernel is used, numbers that it takes for zero, bytes that it does not compare at
first, and counts that the official tests have only as 0.

usage: thresholds.py                  (prints the names of the cases that are wrong)
       thresholds.py --save CASE DIR  (the models of a case: 0.onnx, 1.onnx, ...)

Compared with numpy in double precision, at -O0 and -O2. utils/mutate.py found
that no other test notices a mistake there.
"""

import argparse
import pathlib

import numpy as np
import onnx
import onnx.parser
from onnx import helper

import onnxc

CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def model(body, opset=21):
    return onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["" : {opset}]> main {body}')


def with_weights(body, **weights):
    made = model(body)
    made.graph.initializer.extend(onnx.numpy_helper.from_array(value, name) for name, value in weights.items())
    return made


def randoms(*shape, seed=1):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


# A case yields (model, inputs, what is expected, relative tolerance).

@case
def attention_with_small_weights():
    """One key is far behind the others, and its value is large: weights of e^-20
    and e^-60 still count, also where scores stay in blocks (which thresholds.test
    checks of these forms)."""
    for batches, rows, columns, size in (((), 24, 40, 8), ((3,), 33, 50, 16)):
        q, k, v = 0.3 * randoms(*batches, rows, size), 0.3 * randoms(*batches, size, columns, seed=2), randoms(*batches, columns, size, seed=3)
        q[..., 0], k[..., 0, :] = 1, 0
        shape = lambda *sizes: f"float[{','.join(map(str, batches + sizes))}]"
        for behind, large in ((20, 1e12), (60, 1e30)):
            k[..., 0, 5], v[..., 5, :] = -behind, large
            made = model(f"({shape(rows, size)} q, {shape(size, columns)} k, {shape(columns, size)} v) => ({shape(rows, size)} y)"
                         "{ s = MatMul(q, k) p = Softmax<axis=-1>(s) y = MatMul(p, v) }")
            wide = [x.astype(np.float64) for x in (q, k, v)]
            yield made, {"q": q, "k": k, "v": v}, [softmax(wide[0] @ wide[1]) @ wide[2]], 1e-3


@case
def attention_in_blocks_of_open_lengths():
    """The last block of rows is shorter. Behind the rows of a result is what the
    pool of memory keeps for itself: one that is not cut ends the next allocation
    with a crash, and changes nothing here. Behind the rows of p and q are others,
    which may be read. 187 rows of 700 scores are the most that one block has."""
    for columns, lengths in (("700", ((400, 700), (193, 700), (187, 700))), ("t", ((400, 700), (30, 5461), (187, 700)))):
        made = model(f"(float[n,16] p, float[m,16] q, float[16,{columns}] k, float[{columns},16] v) => (float[l,16] y) {{"
                     "c = MatMul(q, k) d = Softmax<axis=-1>(c) second = MatMul(d, v)"
                     " a = MatMul(p, k) b = Softmax<axis=-1>(a) first = MatMul(b, v) y = Concat<axis=0>(first, second) }")
        for rows, size in lengths:
            p, q = (0.3 * randoms(2 * rows, 16, seed=seed)[:rows] for seed in (1, 2))
            k, v = randoms(16, size, seed=3), randoms(size, 16, seed=4)
            wide = [x.astype(np.float64) for x in (p, q)]
            yield made, {"p": p, "q": q, "k": k, "v": v}, [np.concatenate([softmax(x @ k) @ v for x in wide])], 1e-3


@case
def weights_that_differ_in_the_middle():
    """Their first and last 4096 bytes are equal."""
    first = randoms(4000)
    for place in (1500, 2900):
        second = first.copy()
        second[place] += 1
        x = randoms(4000, seed=2)
        yield (with_weights("(float[4000] x) => (float[4000] y, float[4000] z) { y = Mul(x, a) z = Add(x, b) }", a=first, b=second),
               {"x": x}, [x * first, x + second], 1e-6)


@case
def subnormal_weights():
    """They may count as zero only beside weights that are much larger."""
    for greatest in (2.0 ** -110, 2.0 ** -103, 2.0 ** -101):
        w = np.zeros((32, 32), np.float32)
        w[::2] = 2.0 ** -130
        w[1] = greatest
        w[2] = -(2.0 ** -128)
        x = np.abs(randoms(40, 32)) + 1
        x[:, 1] = 0
        x[0, 1] = 1
        expected = x.astype(np.float64) @ w.astype(np.float64)
        # What is left of a sum in which the greatest weight takes part.
        tolerance = 2e-5
        if greatest >= 2.0 ** -101:
            x[:, 1] = 1
            expected = x.astype(np.float64) @ w.astype(np.float64)
        yield with_weights("(float[m,32] x) => (float[m,32] y) { y = MatMul(x, w) }", w=w), {"x": x}, [expected], tolerance


def training(name, attributes, arrays, step):
    inputs = [helper.make_tensor_value_info("r", 1, []), helper.make_tensor_value_info("t", 7, []),
              *(helper.make_tensor_value_info(key, 1, [7]) for key in arrays)]
    outputs = [f"{key}_new" for key in arrays if key != "g"]
    node = helper.make_node(name, ["r", "t", *arrays], outputs, domain="ai.onnx.preview.training", **attributes)
    graph = helper.make_graph([node], "training", inputs, [helper.make_tensor_value_info(key, 1, [7]) for key in outputs])
    made = helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid("ai.onnx.preview.training", 1)])
    return made, {"r": np.float32(0.1), "t": np.int64(step), **arrays}


@case
def training_after_updates():
    """T counts the updates so far; Adam's averages began with zeros."""
    x, g, v, h = randoms(7), randoms(7, seed=2), randoms(7, seed=3), np.abs(randoms(7, seed=4))
    norm = 0.01
    gradient = norm * x.astype(np.float64) + g
    for step in (0, 1, 5):
        alpha, beta, epsilon, post = 0.85, 0.97, 1e-3, 0.02
        rate = 0.1 * np.sqrt(1 - beta ** step) / (1 - alpha ** step) if step else 0.1
        means, squares = alpha * v + (1 - alpha) * gradient, beta * h + (1 - beta) * gradient ** 2
        yield (*training("Adam", {"alpha": alpha, "beta": beta, "epsilon": epsilon, "norm_coefficient": norm,
                                  "norm_coefficient_post": post}, {"x": x, "g": g, "v": v, "h": h}, step),
               [(1 - post) * (x - rate * means / (np.sqrt(squares) + epsilon)), means, squares], 1e-4)
        decay = 0.3
        sums = h + gradient ** 2
        yield (*training("Adagrad", {"decay_factor": decay, "epsilon": epsilon, "norm_coefficient": norm},
                         {"x": x, "g": g, "h": h}, step),
               [x - 0.1 / (1 + step * decay) * gradient / (np.sqrt(sums) + epsilon), sums], 1e-4)
        for mode in ("standard", "nesterov"):
            moved = alpha * v + (beta if step else 1) * gradient
            way = gradient + alpha * moved if mode == "nesterov" else moved
            yield (*training("Momentum", {"alpha": alpha, "beta": beta, "norm_coefficient": norm, "mode": mode},
                             {"x": x, "g": g, "v": v}, step), [x - 0.1 * way, moved], 1e-4)


@case
def sigmoid_at_its_least_number():
    """Below it the result is subnormal and given as 0; there it is a normal number."""
    least = np.float32(float.fromhex("0x1.5d589ep6"))
    for x in (-least, np.nextafter(-least, np.float32(0))):
        x = np.full(37, x, np.float32)
        yield (model("(float[37] x) => (float[37] y) { y = Sigmoid(x) }"), {"x": x},
               [1 / (1 + np.exp(-x.astype(np.float64)))], 1e-4)


@case
def open_size_of_zero():
    """Buffers of no rows are not refused as those of a negative size are."""
    w = randoms(8, 5)
    for rows in (0, 1, 3):
        x = randoms(rows, 8)
        wide = x.astype(np.float64) @ w
        yield (with_weights("(float[m,8] x) => (float[m,5] y) { a = MatMul(x, w) b = Softmax<axis=-1>(a) c = CumSum(b, i) y = Add(a, c) }",
                            w=w, i=np.array(1)),
               {"x": x}, [wide + np.cumsum(softmax(wide), axis=1)], 1e-4)


@case
def more_inputs_than_one_loop_takes():
    """Those of 33 and 70 inputs are computed in parts: each counts once."""
    for count in (32, 33, 70):
        names = [f"x{i}" for i in range(count)]
        inputs = {name: randoms(5, seed=i) for i, name in enumerate(names)}
        columns = np.stack([x.astype(np.float64) for x in inputs.values()])
        listed, declared = ", ".join(names), ", ".join(f"float[5] {name}" for name in names)
        results = {"Sum": columns.sum(axis=0), "Mean": columns.mean(axis=0), "Max": columns.max(axis=0), "Min": columns.min(axis=0)}
        body = " ".join(f"{op.lower()} = {op}({listed})" for op in results)
        yield (model(f"({declared}) => (float[5] sum, float[5] mean, float[5] max, float[5] min) {{ {body} }}"), inputs,
               list(results.values()), 1e-5)


@case
def weights_of_one_number():
    """Few and many of them."""
    for count in (1000, 40000):
        x = randoms(2, count)
        yield (with_weights(f"(float[2,{count}] x, int64[1] i) => (float[2,{count}] y, float[2,1] z) {{ y = Add(x, w) z = Gather<axis=1>(v, i) }}",
                            w=np.full(count, 7, np.float32), v=np.full((2, count), 3, np.float32)),
               {"x": x, "i": np.array([count - 1])}, [x.astype(np.float64) + 7, np.full((2, 1), 3.0)], 1e-6)


@case
def rounded_quotients():
    """Up to where floats are integers far apart: what is rounded to few bits may be
    estimated by a reciprocal, these keep all of their bits."""
    x = np.float32(np.exp2(60 * np.random.default_rng(1).random(4000)) * randoms(4000))
    divisors = {"a": 3.0, "b": 7.0, "c": 0.1}
    made = with_weights("(float[4000] x) => (float[4000] u, float[4000] v, float[4000] w) { p = Div(x, a) u = Round(p) q = Div(x, b) v = Round(q) r = Div(x, c) w = Round(r) }",
                        **{name: np.float32(value) for name, value in divisors.items()})
    yield made, {"x": x}, [np.round(x / np.float32(value)) for value in divisors.values()], 0


@case
def dimensions_of_zero():
    """A size that the model fixes as 0 is no open size."""
    made = model("(float[0,3] x, float[n,3] y) => (float[m,3] z) { z = Concat<axis=0>(x, y) }")
    sizes = [tuple(arg.shape) for arg in onnxc.InferenceSession(made).get_inputs()]
    if sizes != [(0, 3), ("n", 3)]:
        raise AssertionError(f"the inputs are of {sizes}")
    y = randoms(2, 3)
    yield made, {"x": randoms(0, 3), "y": y}, [y.astype(np.float64)], 1e-6


@case
def trees_of_two_classes():
    """All weights are for the first class, and not all of them positive. As in
    ONNX Runtime they count for the second one, and the first has the negated
    score."""
    x = np.array([[-1], [1], [5]], np.float32)
    score = np.array([-0.75, 0.25, 2.0])
    for transform, make in (("NONE", lambda s: np.stack([-s, s], axis=1)),
                            ("LOGISTIC", lambda s: np.stack([1 / (1 + np.exp(s)), 1 / (1 + np.exp(-s))], axis=1))):
        node = helper.make_node(
            "TreeEnsembleClassifier", ["x"], ["label", "scores"], domain="ai.onnx.ml", classlabels_int64s=[0, 1],
            nodes_treeids=[0] * 5, nodes_nodeids=range(5), nodes_featureids=[0] * 5,
            nodes_modes=["BRANCH_LEQ", "LEAF", "BRANCH_LEQ", "LEAF", "LEAF"], nodes_values=[0.0, 0, 3.0, 0, 0],
            nodes_truenodeids=[1, 0, 3, 0, 0], nodes_falsenodeids=[2, 0, 4, 0, 0], class_treeids=[0] * 3,
            class_nodeids=[1, 3, 4], class_ids=[0] * 3, class_weights=score.tolist(), post_transform=transform)
        graph = helper.make_graph([node], "trees", [helper.make_tensor_value_info("x", 1, [3, 1])],
                                  [helper.make_tensor_value_info("label", 7, [3]), helper.make_tensor_value_info("scores", 1, [3, 2])])
        opsets = [helper.make_opsetid("", 21), helper.make_opsetid("ai.onnx.ml", 3)]
        yield helper.make_model(graph, opset_imports=opsets, ir_version=10), {"x": x}, [np.array([0, 1, 1]), make(score)], 1e-5


@case
def classes_that_are_sure():
    """What is drawn is the one class that can be."""
    for sure in range(4):
        logits = np.full((2, 4), -1e4, np.float32)
        logits[:, sure] = 1
        yield (model("(float[2,4] x) => (int32[2,50] y) { y = Multinomial<sample_size=50>(x) }"), {"x": logits},
               [np.full((2, 50), float(sure))], 0)


@case
def slices_of_open_sizes():
    """Bounds that count from the end, and steps backwards, where the size is
    known in the run only."""
    for start, end, step in ((-2, 10, 1), (-9, -1, 2), (10, -10, -1), (-2, -9, -2), (1, 1 << 40, 3)):
        made = with_weights("(float[n] x) => (float[m] y) { y = Slice(x, start, end, axes, step) }", start=np.array([start]),
                            end=np.array([end]), axes=np.array([0]), step=np.array([step]))
        for size in (1, 2, 7):
            x = randoms(size)
            want = x[start:end:step] if step > 0 else x[::-1][::-step] if start >= 0 else x[max(start + size, 0):max(end + size, -1) if end + size >= 0 else None:step]
            yield made, {"x": x}, [want.astype(np.float64)], 0


@case
def padding_wider_than_windows():
    """Whole parts of a pool read nothing of the image, in front of it and behind."""
    for kind, value, pads, stride, sizes in (("AveragePool", 0, (40, 0, 40, 0), 1, "1,3,h,w"), ("MaxPool", -1e9, (70, 90, 50, 130), 2, "1,3,h,w"),
                                             ("AveragePool", 0, (0, 0, 4, 0), 1, "1,3,h,w"), ("AveragePool", 0, (40, 0, 0, 0), 35, "1,3,40,41")):
        made = with_weights(f"(float[{sizes}] x) => (float[1,3,i,j] y) {{ p = Pad(x, pads, value) y = {kind}<kernel_shape=[3,3], strides=[{stride},{stride}]>(p) }}",
                            pads=np.array([0, 0, *pads[:2], 0, 0, *pads[2:]]), value=np.array(value, np.float32))
        x = randoms(1, 3, 40, 41)
        padded = np.pad(x.astype(np.float64), ((0, 0), (0, 0), pads[::2], pads[1::2]), constant_values=value)
        windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))[:, :, ::stride, ::stride]
        yield made, {"x": x}, [windows.max((4, 5)) if kind == "MaxPool" else windows.mean((4, 5))], 1e-4


@case
def loops_that_do_not_begin():
    """The count alone would let them run."""
    for enters in (False, True):
        yield (model("(bool c, float[2] x) => (float[2] y) { m = Constant<value = int64 {3}>() "
                     "y = Loop(m, c, x) <body = b (int64 i, bool d, float[2] s) => (bool e, float[2] t) { e = Identity(d) t = Add(s, s) }> }"),
               {"c": np.array(enters), "x": np.array([1, 2], np.float32)}, [np.array([8, 16] if enters else [1, 2])], 0)


def differs(got, want, tolerance):
    want = np.asarray(want, np.float64)
    if got.shape != want.shape:
        return f"shape {got.shape}, not {want.shape}"
    with np.errstate(all="ignore"):
        off = ~np.isclose(got.astype(np.float64), want, rtol=tolerance, atol=0) & ~(np.abs(got - want) <= tolerance * 1e-3 * np.abs(want).max(initial=0))
    at = tuple(np.argwhere(off)[0]) if off.any() else None
    return f"at {at}: {got[at]}, not {want[at]}" if off.any() else None


def judge(name):
    """What is wrong with each form of a case, or None."""
    compiled, sessions = None, {}
    for number, (made, inputs, expected, tolerance) in enumerate(CASES[name]()):
        found = None
        if made is not compiled:  # else only the inputs are others
            compiled, sessions = made, {level: onnxc.InferenceSession(made, opt_level=level, threads=1) for level in (0, 2)}
        for level, session in sessions.items():
            outputs = session.run(None, inputs)
            for output, want in zip(outputs, expected, strict=True):
                wrong = differs(np.asarray(output), want, tolerance)
                if wrong and not found:
                    found = f"{name} {number} -O{level}: {wrong}"
        yield found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--save", nargs=2)
    saved = parser.parse_args().save
    if saved:
        for number, (made, *_) in enumerate(CASES[saved[0]]()):
            onnx.save(made, pathlib.Path(saved[1]) / f"{number}.onnx")
        return
    count = 0
    for name in CASES:
        for wrong in judge(name):
            count += 1
            if wrong:
                print(wrong)
    print(f"{count} cases")


if __name__ == "__main__":
    main()
