# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Around transformers and detectors: positions, masks, caches, boxes, and what is
computed of integers."""

import contextlib

import numpy as np
from onnx import TensorProto, numpy_helper

from . import sizes
from .builder import BOOL, FLOAT, INT64
from .registry import motif
from .sizes import Size
from .transformers import is_positive, tokens
from .values import UNKNOWN

INT32 = TensorProto.INT32


@contextlib.contextmanager
def hidden(g):
    """Values whose sizes only a run knows have no other use."""
    before = len(g.values)
    yield
    del g.values[before:]


def flags(g, shape, share=0.7):
    return g.source(INT64, shape, lambda s: np.asarray(g.rng.random(s) < share).astype(np.int64))


def constant(g, value, dtype=np.float32):
    return g.constant(np.array(value, dtype))


@motif(since=12)
def positions_of_mask(g):
    """cumsum(mask) - 1, and the rows of a table there."""
    mask = flags(g, (g.dim(), g.dim()))
    at = g.add("CumSum", [mask, constant(g, g.choose((1, -1)), np.int64)], mask.shape)
    at = g.binary("Sub", at, constant(g, 1, np.int64))
    if g.chance(0.5):
        empty = g.binary("Equal", mask, constant(g, 0, np.int64), BOOL)
        at = g.add("Where", [empty, constant(g, 1, np.int64), at], mask.shape, INT64)
    at = g.add("Clip", [at, constant(g, 0, np.int64), constant(g, 39, np.int64)], mask.shape)
    g.results.append(g.gather(g.weight(40, g.integer(1, 9)), at))


@motif(since=9, weight=2)
def expanded_masks(g):
    """[b, s] -> [b, 1, t, s], inverted, joined with a causal one, and filled in."""
    batch, keys = g.dim(), g.dim()
    if not is_positive(batch, keys):
        batch, keys = g.integer(1, 3), g.integer(1, 9)
    scores = g.source(FLOAT, (batch, g.integer(1, 3), keys, keys))
    mask = flags(g, (batch, keys))
    wide = g.unsqueeze(mask, [1, 2])
    target = g.joined([g.size_of(mask, 0), 1, g.size_of(scores, 2), g.size_of(mask, 1)])
    if g.chance(0.7):
        wide = g.add("Expand", [wide, target], (batch, 1, keys, keys))
    if g.chance(0.4):
        kept = g.cast(wide, BOOL)
    else:
        inverted = g.binary("Sub", constant(g, 1), g.cast(wide, FLOAT))
        kept = g.unary("Not", g.cast(inverted, BOOL)) if g.chance(0.5) else g.add("Less", [inverted, constant(g, 0.5)], inverted.shape, BOOL)
    if g.opset >= 14 and g.chance(0.6):
        ones = g.add("ConstantOfShape", [g.joined([g.size_of(scores, 2), g.size_of(scores, 3)])], (keys, keys), FLOAT,
                     value=numpy_helper.from_array(np.ones(1, np.float32)))
        lower = g.add("Trilu", [ones] + ([constant(g, g.integer(-1, 1), np.int64)] if g.chance(0.5) else []), ones.shape, upper=g.integer(0, 1))
        causal = g.cast(lower, BOOL)
        kept = g.binary(g.choose(("And", "Or")), kept, causal if g.chance(0.5) else g.unsqueeze(causal, [0, 1]))
    least = constant(g, g.choose((np.finfo(np.float32).min, -1e4, -np.inf)))
    if g.chance(0.5):
        y = g.add("Where", [kept, scores, least], scores.shape, FLOAT)
    else:
        bias = g.add("Where", [kept, constant(g, 0), least], kept.shape, FLOAT)
        y = g.arithmetic("Add", scores, bias)
    g.results.append(g.softmax(y) if g.opset >= 13 and g.chance(0.5) else y)


@motif(since=11, weight=1.5)
def written_caches(g):
    """A cache of a fixed length that is written at positions: ScatterND, ScatterElements, TensorScatter."""
    batch, count, longest, depth = g.integer(1, 2), g.integer(1, 3), g.integer(2, 9), g.choose((2, 4, 5))
    new = g.integer(1, longest)
    cache = g.source(FLOAT, (batch, count, longest, depth))
    at = np.asarray(g.rng.permutation(longest)[:new]).astype(np.int64)
    position = g.source(INT64, (new,), lambda shape: at)
    kind = g.integer(0, 2)
    if kind == 0:
        turned = g.transpose(cache, [2, 0, 1, 3])
        written = g.add("ScatterND", [turned, g.unsqueeze(position, [1]), g.source(FLOAT, (new, batch, count, depth))], turned.shape)
        y = g.transpose(written, [1, 2, 0, 3])
    elif kind == 1:
        index = g.reshape(position, (1, 1, new, 1))
        index = g.add("Expand", [index, g.ints(batch, count, new, depth)], (batch, count, new, depth), INT64)
        y = g.add("ScatterElements", [cache, index, g.source(FLOAT, (batch, count, new, depth))], cache.shape, axis=g.choose((2, -2)))
    elif g.opset >= 24:
        first = g.source(INT64, (batch,), lambda shape: g.rng.integers(0, longest - new + 1, shape))
        y = g.add("TensorScatter", [cache, g.source(FLOAT, (batch, count, new, depth)), first], cache.shape)
    else:  # index_put over all dimensions, of indices that are expanded and joined
        rows = g.reshape(g.constant(np.arange(batch, dtype=np.int64)), (batch, 1, 1))
        columns = g.reshape(position, (1, new, 1))
        rows, columns = (g.add("Expand", [v, g.ints(batch, new, 1)], (batch, new, 1), INT64) for v in (rows, columns))
        turned = g.transpose(cache, [0, 2, 1, 3])
        y = g.add("ScatterND", [turned, g.concat([rows, columns], 2), g.source(FLOAT, (batch, new, count, depth))], turned.shape)
    g.results.append(y)


@motif(since=11, weight=1.5)
def taken_along(g):
    """GatherElements by indices from behind; GatherND with batch dimensions; Gather of places that TopK found."""
    x = g.picked(least=2, condition=lambda v: is_positive(*v.shape) and v.rank <= 4)
    if not 2 <= x.rank <= 4 or not is_positive(*x.shape):
        return
    axis = g.integer(0, x.rank - 1)
    size = min(int(x.shape[axis]), sizes.second(x.shape[axis]))
    kind = g.integer(0, 2)
    if kind == 0:
        shape = [1 if isinstance(d, Size) else int(d) for d in x.shape]
        shape[axis] = g.integer(1, 5)
        index = g.rng.integers(-size, size, shape).astype(g.choose((np.int64, np.int32)))
        g.results.append(g.add("GatherElements", [x, g.constant(index)], shape, FLOAT, axis=g.signed(axis, x.rank)))
    elif kind == 1 and g.opset >= 12:
        second = min(int(x.shape[1]), sizes.second(x.shape[1]))
        index = g.source(INT64, (x.shape[0], g.integer(1, 3), 1), lambda shape: g.rng.integers(-second, second, shape))
        g.results.append(g.add("GatherND", [x, index], (x.shape[0], index.shape[1], *x.shape[2:]), FLOAT, batch_dims=1))
    else:
        k = g.integer(1, size)
        flat = g.reduce("ReduceMax", x, [i for i in range(x.rank) if i != axis], 0)
        _, at = g.several("TopK", [flat, g.ints(k)], [(FLOAT, (k,)), (INT64, (k,))], largest=g.integer(0, 1))
        g.results.append(g.gather(x, at, g.signed(axis, x.rank)))


def corners(g, boxes):
    """Of centers and sizes."""
    axis = boxes.rank - 1
    if g.chance(0.5):
        x, y, w, h = g.split(boxes, axis, [1] * 4)
    else:
        x, y, w, h = (g.slice(boxes, [axis], [i], [i + 1]) for i in range(4))
    half = [g.binary("Div", v, g.number(2, v)) if g.chance(0.5) else g.binary("Mul", v, g.number(0.5, v)) for v in (w, h)]
    low = [g.binary("Sub", v, d) for v, d in zip((x, y), half)]
    high = [g.binary("Add", v, d) for v, d in zip((x, y), half)]
    return g.concat([*low, *high], axis)


def box_input(g, shape):
    """Centers and sizes; in both sets of inputs."""
    return g.source(FLOAT, shape, lambda s: np.concatenate([g.rng.uniform(0, 20, (*s[:-1], 2)), g.rng.uniform(1, 9, (*s[:-1], 2))], -1).astype(np.float32))


@motif(since=11, weight=1.5)
def detections(g):
    """Boxes decoded, NonMaxSuppression, and what is chosen of boxes and scores."""
    count, classes = g.choose((1, 5, 12, g.dim())), g.integer(1, 4)
    if not is_positive(count):
        count = 7
    boxes = corners(g, box_input(g, (1, count, 4)))
    scores = g.source(FLOAT, (1, classes, count), lambda s: g.rng.uniform(0, 1, s).astype(np.float32))
    operands = [boxes, scores, constant(g, g.integer(1, 4), np.int64), constant(g, [0.5]), constant(g, [0.3])]
    with hidden(g):
        chosen = g.add("NonMaxSuppression", operands[:g.integer(3, 5)], (UNKNOWN, 3), INT64)
        kind = g.integer(0, 3)
        if kind == 0:
            at = g.squeeze(g.slice(chosen, [1], [2], [3]), [1])
            y = g.gather(g.squeeze(boxes, [0]), at)
        elif kind == 1:
            y = g.add("GatherND", [scores, chosen], (UNKNOWN,), FLOAT)
        elif kind == 2:
            at = g.gather(chosen, g.ints(0, 2), 1)
            y = g.add("GatherND", [boxes, at], (UNKNOWN, 4), FLOAT)
        else:
            y = g.add("ReduceSum", [g.cast(g.gather(chosen, constant(g, 2, np.int64), 1), FLOAT)], (1,), FLOAT)
        g.results.append(y)


@motif(since=11)
def best_places(g):
    """TopK over an image as a row; rows and columns by Div and Mod; features of there."""
    classes, h, w, depth = g.integer(1, 3), g.integer(2, 7), g.integer(2, 7), g.integer(1, 4)
    heat = g.source(FLOAT, (g.dim(), classes, h, w))
    batch = heat.shape[0]
    if not is_positive(batch):
        return
    k = g.integer(1, 5)
    if g.chance(0.5):  # keep the greatest of each neighborhood
        most = g.add("MaxPool", [heat], heat.shape, kernel_shape=[3, 3], pads=[1] * 4)
        heat = g.arithmetic("Mul", heat, g.cast(g.binary("Equal", heat, most, BOOL), FLOAT))
    flat = g.reshape(heat, (batch, classes * h * w))
    k = min(k, classes * h * w)
    _, at = g.several("TopK", [flat, g.ints(k)], [(FLOAT, (batch, k)), (INT64, (batch, k))])
    at = g.binary("Mod", at, constant(g, h * w, np.int64))
    rows, columns = g.cast(g.binary("Div", at, constant(g, w, np.int64)), FLOAT), g.cast(g.binary("Mod", at, constant(g, w, np.int64)), FLOAT)
    features = g.source(FLOAT, (batch, depth, h, w))
    flat = g.reshape(g.transpose(features, [0, 2, 3, 1]), (batch, h * w, depth))
    wide = g.add("Expand", [g.unsqueeze(at, [2]), g.ints(1, 1, depth)], (batch, k, depth), INT64)
    found = g.add("GatherElements", [flat, wide], (batch, k, depth), FLOAT, axis=1)
    g.results += [g.concat([g.unsqueeze(rows, [2]), g.unsqueeze(columns, [2]), found], 2)]


@motif(since=11)
def grids(g):
    """meshgrid: two Ranges, expanded to each other's sizes, as pairs."""
    x = g.picked(rank=4, condition=lambda v: is_positive(*v.shape[2:]))
    if x.rank != 4 or not is_positive(*x.shape[2:]):
        return
    h, w = x.shape[2:]
    zero, one = constant(g, 0, np.int64), constant(g, 1, np.int64)
    rows, columns = (g.add("Range", [zero, g.size_of(x, axis, False), one], (size,), INT64) for axis, size in ((2, h), (3, w)))
    target = g.joined([g.size_of(x, 2), g.size_of(x, 3)])
    rows = g.add("Expand", [g.unsqueeze(rows, [1]), target], (h, w), INT64)
    columns = g.add("Expand", [g.unsqueeze(columns, [0]), target], (h, w), INT64)
    y = g.concat([g.unsqueeze(v, [2]) for v in (columns, rows)], 2)
    y = g.arithmetic("Add", g.cast(y, FLOAT), constant(g, 0.5))
    g.results.append(g.binary("Mul", y, constant(g, g.choose((8, 16, 0.25)))))


@motif(since=8)
def overlaps(g):
    """Of each box with each other one."""
    a, b = (box_input(g, (size, 4)) for size in (g.dim(), g.integer(1, 6)))
    sides = []
    for op, start in (("Max", 0), ("Min", 2)):
        first, second = (g.slice(v, [1], [start], [start + 2]) for v in (a, b))
        sides.append(g.binary(op, g.unsqueeze(first, [1]), g.unsqueeze(second, [0])))
    size = g.binary("Sub", sides[1], sides[0])
    size = g.clip(size, 0, 1e9) if g.opset < 11 or g.chance(0.5) else g.add("Clip", [size, constant(g, 0)], size.shape)
    w, h = (g.squeeze(v, [2]) for v in g.split(size, 2, [1, 1]))
    g.results.append(g.arithmetic("Mul", w, h))


@motif(since=11, weight=1.5)
def clips_by_values(g):
    """Bounds that are computed, that one side lacks, or of integers."""
    x = g.picked(least=1)
    kind = g.integer(0, 3)
    low, high = g.number(-0.5, x), g.number(1.25, x)
    low, high = (v if not v.rank else constant(g, number) for v, number in ((low, -0.5), (high, 1.25)))
    if kind == 0:
        y = g.add("Clip", [x, low], x.shape)
    elif kind == 1:
        y = g.add("Clip", [x, "", high], x.shape)
    elif kind == 2 and is_positive(*x.shape):
        y = g.add("Clip", [x, g.binary("Mul", g.reduce("ReduceMin", x, list(range(x.rank)), 0), constant(g, 0.5)), high], x.shape)
    else:
        n = g.source(INT64, (3,)) if g.opset < 12 else g.picked(dtype=INT64)
        y = g.add("Clip", [n, constant(g, -2, np.int64), constant(g, g.integer(-3, 3), np.int64)], n.shape) if g.opset >= 12 else n
    g.results.append(y)


UNSIGNED = (TensorProto.UINT8, TensorProto.UINT32, TensorProto.UINT64)
SIGNED = (TensorProto.INT8, TensorProto.INT16, INT32, INT64)


@motif(since=11, weight=1.5)
def bits_and_remainders(g):
    shape = g.random_shape()
    kind = g.integer(0, 2)
    if kind == 0:
        t = g.choose(UNSIGNED)
        x = g.source(t, shape, lambda s: g.rng.integers(0, 200, s))
        by = g.choose((0, 1, 3, 7))
        y = g.add("BitShift", [x, g.scalar(by, x)], shape, direction=g.choose(("LEFT", "RIGHT")))
    elif kind == 1 or g.opset < 18:
        t = g.choose(SIGNED + UNSIGNED[:2] + (FLOAT,))
        x = g.source(t, shape, lambda s: g.rng.integers(0 if t in UNSIGNED else -100, 100, s))
        by = g.scalar(g.choose((1, 3, 7, 64) if t in UNSIGNED else (-7, -3, 1, 3, 64)), x)
        y = g.add("Mod", [x, by], shape, fmod=1 if t == FLOAT or t not in UNSIGNED and g.chance(0.5) else 0)
        if t != FLOAT and g.chance(0.5):
            y = g.binary("Div", x, by)
    else:
        t = g.choose(UNSIGNED + SIGNED)
        x = g.source(t, shape, lambda s: g.rng.integers(0 if t in UNSIGNED else -100, 100, s))
        y = g.binary(g.choose(("BitwiseAnd", "BitwiseOr", "BitwiseXor")), x, g.scalar(g.integer(0, 100), x))
        y = g.unary("BitwiseNot", y) if g.chance(0.5) else y
    g.results.append(g.cast(y, FLOAT) if g.chance(0.3) else y)


EQUATIONS = ("bsd,btd->bst", "bsd,btd", "b s d , d n -> b n s", "bsd->bds", "bsd->d", "...sd,dn->...ns", "bsd,bsd->s", "bsd,d,bs->b", "bsd,bte->bdt")


@motif(since=12)
def more_einsums(g):
    """Products over several dimensions, without a result's order, with spaces, of three operands."""
    x = tokens(g)
    if x.size > 1500:
        return
    equation = g.choose(EQUATIONS)
    left, _, right = equation.replace(" ", "").partition("->")
    known = dict(zip("bsd", x.shape))
    for letter, size in zip("tne", (g.integer(1, 5), g.integer(1, 5), g.integer(1, 3))):
        known[letter] = size
    operands = [x]
    for term in left.split(",")[1:]:
        operands.append(g.in_shape([known[letter] for letter in term.replace("...", "")]))
    if not right:
        letters = left.replace(",", "")
        right = "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    shape = [known[letter] for letter in right.replace("...", "b")]
    g.results.append(g.add("Einsum", operands, shape, equation=equation))


@motif(since=10)
def no_numbers(g):
    """nan_to_num, and what tests for them."""
    x = g.picked(least=1)
    whole = g.binary("Div", x, g.unary(g.choose(("Floor", "Relu")), x)) if g.chance(0.4) else x
    bad = g.add("IsNaN", [whole], x.shape, BOOL)
    y = g.add("Where", [bad, g.number(0, x), whole], x.shape, FLOAT)
    for sign in (1, 0):
        infinite = g.add("IsInf", [y], x.shape, BOOL, detect_positive=sign, detect_negative=1 - sign)
        y = g.add("Where", [infinite, g.number(1e4 if sign else -1e4, x), y], x.shape, FLOAT)
    g.results.append(y)


@motif(weight=1.5)
def recurrent_options(g):
    """Lengths of sequences, states, peepholes, other activations, clipped, with the batch first."""
    steps, batch, size, hidden = g.integer(1, 6), g.integer(1, 4), g.integer(1, 5), g.choose((1, 3, 4, 8))
    op, gates, states, each = g.choose((("LSTM", 4, 2, 3), ("GRU", 3, 1, 2), ("RNN", 1, 1, 1)))
    direction = g.choose(("forward", "reverse", "bidirectional"))
    directions = 1 + (direction == "bidirectional")
    layout = 1 if g.opset >= 14 and g.chance(0.05) else 0  # ONNX Runtime has none
    x = g.source(FLOAT, (batch, steps, size) if layout else (steps, batch, size))
    lengths = g.source(INT32, (batch,), lambda shape: np.maximum(g.rng.integers(0, steps + 1, shape), 1).astype(np.int32)) if g.chance(0.6) else ""
    state = (batch, directions, hidden) if layout else (directions, batch, hidden)
    operands = [x, g.weight(directions, gates * hidden, size), g.weight(directions, gates * hidden, hidden),
                g.weight(directions, 2 * gates * hidden) if g.chance(0.6) else "", lengths]
    operands += [g.source(FLOAT, state) for _ in range(states)] if g.chance(0.6) else [""] * states
    if op == "LSTM" and g.chance(0.4):
        operands.append(g.weight(directions, 3 * hidden))
    while not operands[-1]:
        operands.pop()
    attributes = {"direction": direction, "hidden_size": hidden, "layout": layout or None}
    if g.chance(0.4):
        attributes["activations"] = [g.choose(("Sigmoid", "Tanh", "Relu")) for _ in range(each)] * directions
    if g.chance(0.2):
        attributes["clip"] = 0.8
    if op == "GRU":
        attributes["linear_before_reset"] = g.integer(0, 1)
    every = (batch, steps, directions, hidden) if layout else (steps, directions, batch, hidden)
    g.results += g.several(op, operands, [(FLOAT, every)] + [(FLOAT, state)] * states, **attributes)
