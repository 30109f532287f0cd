"""Elements that are chosen, moved and accumulated, in the sizes of networks: as numpy does it, bit for bit,
at -O0 and -O2, with fixed sizes and open ones."""

import itertools

import numpy
import onnx
from onnx import helper, numpy_helper

import onnxc

SPECIAL = numpy.array([numpy.nan, -numpy.nan, numpy.inf, -numpy.inf, 0.0, -0.0, 1e-45, -1e-45])
random = numpy.random.default_rng(7)


def compile_node(op, inputs, constants, results, is_open, level, opset=24, **attributes):
    """A session of one node. `inputs` and `constants`: arrays by name, in the node's order, None for one that is left
    out. `is_open`: whether sizes of inputs are left open, or the names of those inputs."""
    def declare(name, array):
        dtype = helper.np_dtype_to_tensor_dtype(array.dtype)
        leaves_open = name in is_open if isinstance(is_open, set) else is_open
        return helper.make_tensor_value_info(name, dtype, [None] * array.ndim if leaves_open else array.shape)
    names = list(inputs) + [name if array is not None else "" for name, array in constants.items()]
    node = helper.make_node(op, names, list(results), **attributes)
    graph = helper.make_graph(
        [node], op, [declare(name, array) for name, array in inputs.items()],
        [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(numpy.dtype(dtype)), None)
         for name, dtype in results.items()],
        [numpy_helper.from_array(array, name) for name, array in constants.items() if array is not None])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    model = onnx.shape_inference.infer_shapes(model)
    return onnxc.InferenceSession(model, opt_level=level)


def compare(what, ours, expected):
    ours, expected = numpy.asarray(ours), numpy.asarray(expected)
    right = ours.dtype == expected.dtype and ours.shape == expected.shape and (
        ours.tobytes() == expected.tobytes() or numpy.array_equal(ours, expected, equal_nan=ours.dtype.kind == "f"))
    if not right:
        print(f"{what}: is {ours.ravel()[:8]}, expected {expected.ravel()[:8]}")
    return right


def first_of(x, k, axis, largest):
    """Indices: NaN counts as the greatest, and of equal elements the first comes first."""
    rows = numpy.moveaxis(x, axis, -1)
    keys = rows.astype(numpy.float64) if x.dtype.kind == "f" else rows.astype(object)
    order = numpy.empty(rows.shape, numpy.int64)
    for place in numpy.ndindex(rows.shape[:-1]):
        row = [(0, 0) if value != value else (1, -value) for value in keys[place]] if largest else \
              [(1, 0) if value != value else (0, value) for value in keys[place]]
        order[place] = sorted(range(len(row)), key=row.__getitem__)
    return numpy.moveaxis(order[..., :k], -1, axis)


def divide_exactly(a, b, op, fmod):
    """Quotients towards zero, remainders with the sign of the divisor or, with fmod, of the dividend; 0 by zero;
    wrapped around."""
    results = []
    for x, y in zip(map(int, a.ravel()), map(int, b.ravel())):
        quotient = abs(x) // abs(y) * (-1 if (x < 0) != (y < 0) else 1) if y else 0
        rest = (x - quotient * y if fmod else x % y) if y else 0
        results.append(quotient if op == "Div" else rest)
    info = numpy.iinfo(a.dtype)
    return numpy.array([(value - info.min) % 2 ** info.bits + info.min for value in results], a.dtype).reshape(a.shape)


def check_quotients():
    """Of all integers: small ones, the greatest and least, around what floats hold; rows that end within a vector."""
    for dtype in (numpy.int64, numpy.int32, numpy.int16, numpy.int8,
                  numpy.uint64, numpy.uint32, numpy.uint16, numpy.uint8):
        info = numpy.iinfo(dtype)

        def numbers(count, kind):
            most = info.bits - 1
            values = [random.choice((-1, 1)) * (int(random.integers(0, 2 ** min(most, 62))) >> int(random.integers(
                0 if kind else max(most - 8, 0), most))) for _ in range(count)]
            if kind == 2:
                edges = [info.min, info.max, 0, 1, -1, *(sign * 2 ** bits + by for bits in (23, 24, 31, 51, 52, 53)
                                                         for by in (-1, 0, 1) for sign in (1, -1))]
                values = [edges[random.integers(len(edges))] if random.random() < 0.6 else value for value in values]
            return numpy.array([min(max(value, info.min), info.max) if kind < 2 or info.min <= value <= info.max
                                else 0 for value in values], dtype)
        for op, attributes in (("Div", {}), ("Mod", {}), ("Mod", {"fmod": 1})):
            what = f"{op} {attributes} {dtype.__name__}"
            sessions = [compile_node(op, {"x": numpy.zeros(1013, dtype), "y": numpy.zeros(1013, dtype)}, {},
                                     {"z": dtype}, is_open, level, **attributes)
                        for is_open, level in ((False, 2), (True, 2), (False, 0))]
            for kind in range(3):
                x, y = numbers(1013, kind), numbers(1013, kind)
                # Quotients that are whole, or one less.
                products = x.astype(object) // 7 * y.astype(object) - random.integers(0, 2, 1013)
                fits = [info.min <= value <= info.max for value in products]
                with_products = numpy.array([p if fit else v for p, fit, v in zip(products, fits, x)], dtype)
                for dividend in (x, with_products):
                    expected = divide_exactly(dividend, y, op, "fmod" in attributes)
                    for session in sessions:
                        yield compare(what, session.run(None, {"x": dividend, "y": y})[0], expected)
            for divisor in {1, 2, 3, 7, 10, 100, info.max, info.max - 1, info.min or 5, -1 if info.min else 9}:
                x, y = numbers(517, 2), numpy.array(divisor, dtype)
                session = compile_node(op, {"x": x}, {"y": y}, {"z": dtype}, False, 2, **attributes)
                yield compare(f"{what} by {divisor}", session.run(None, {"x": x})[0],
                              divide_exactly(x, numpy.broadcast_to(y, x.shape), op, "fmod" in attributes))


def check_powers():
    """Of integers, which wrap around, by numbers of the model and of a run."""
    for dtype in (numpy.int64, numpy.int32):
        info = numpy.iinfo(dtype)
        x = numpy.concatenate([numpy.arange(-6, 7), random.integers(info.min, info.max, 50)]).astype(dtype)

        def power(exponent):
            values = [int(v) ** exponent if exponent >= 0 else (v == 1) or (v == -1) * (-1) ** exponent
                      for v in map(int, x)]
            return numpy.array([(int(v) - info.min) % 2 ** info.bits + info.min for v in values], dtype)
        given = compile_node("Pow", {"x": x, "y": numpy.array(1, numpy.int64)}, {}, {"z": dtype}, False, 2)
        for exponent in (0, 1, 2, 3, 4, 5, 7, 31, 63, 64, 65, 100, -1, -2, -3):
            y = numpy.array(exponent, numpy.int64)
            for session, feeds in ((given, {"x": x, "y": y}),
                                   (compile_node("Pow", {"x": x}, {"y": y}, {"z": dtype}, False, 2), {"x": x})):
                yield compare(f"Pow {dtype.__name__} {exponent}", session.run(None, feeds)[0], power(exponent))


def check_rotary():
    """RotaryEmbedding: partners side by side or apart, of all channels or some, with positions and without, as heads
    and as rows; float16 is computed in float32."""
    heads, length, size = 3, 5, 24
    for dtype in (numpy.float32, numpy.float16):
        for part, interleaved, has_ids, is_flat in itertools.product((0, 10), (0, 1), (False, True), (False, True)):
            turned = part or size
            x = random.standard_normal((2, heads, length, size)).astype(dtype)
            ids = random.integers(0, 9, (2, length))
            cache = random.standard_normal((2, *((9,) if has_ids else (2, length)), turned // 2)).astype(dtype)
            cosines, sines = (array[ids] if has_ids else array for array in cache.astype(numpy.float32)[:, ...])
            expected = x.astype(numpy.float32)
            first, second = (slice(i, turned, 2) if interleaved else slice(i * turned // 2, (i + 1) * turned // 2)
                             for i in (0, 1))
            a, b = expected[..., first].copy(), expected[..., second].copy()
            cosines, sines = cosines[:, None], sines[:, None]
            expected[..., first] = cosines * a - sines * b
            expected[..., second] = cosines * b + sines * a
            expected = expected.astype(dtype)
            if is_flat:
                x, expected = (array.transpose(0, 2, 1, 3).reshape(2, length, -1) for array in (x, expected))
            feeds = {"x": numpy.ascontiguousarray(x), "c": cache[0], "s": cache[1], **({"p": ids} if has_ids else {})}
            attributes = {"rotary_embedding_dim": part, "interleaved": interleaved}
            if is_flat:
                attributes["num_heads"] = heads
            for is_open, level in ((False, 2), ({"x", "p"}, 2), (False, 0)):
                session = compile_node("RotaryEmbedding", feeds, {}, {"y": dtype}, is_open, level, **attributes)
                y, = session.run(None, feeds)
                # A product and a sum may be one instruction.
                if level and numpy.allclose(y, expected, rtol=1e-6, atol=1e-6):
                    y = expected
                yield compare(f"RotaryEmbedding {dtype.__name__} {attributes} ids {has_ids} flat {is_flat} open {is_open}",
                              y, expected)


def nearest_places(count, times, transformation, mode):
    """Where each of count * times elements is read, as ONNX has it."""
    x = numpy.arange(int(count * times), dtype=numpy.float64)
    if times == 1:
        return x.astype(numpy.int64)
    at = {"asymmetric": x / times, "tf_half_pixel_for_nn": (x + 0.5) / times,
          "align_corners": x * (count - 1) / (count * times - 1)}.get(transformation, (x + 0.5) / times - 0.5)
    at = {"floor": numpy.floor(at), "ceil": numpy.ceil(at), "round_prefer_floor": numpy.ceil(at - 0.5),
          "round_prefer_ceil": numpy.floor(at + 0.5)}[mode]
    return numpy.clip(at, 0, count - 1).astype(numpy.int64)


def check_nearest():
    """Resize by whole factors, which repeats elements where what is nearest says so, and by others."""
    for transformation in ("asymmetric", "half_pixel", "pytorch_half_pixel", "half_pixel_symmetric", "align_corners",
                           "tf_half_pixel_for_nn"):
        for mode in ("floor", "ceil", "round_prefer_floor", "round_prefer_ceil"):
            for times in ((2, 2), (1, 3), (4, 1), (5, 2), (2.5, 2)):
                dtype = random.choice([numpy.float32, numpy.uint8, numpy.int64, numpy.float16])
                x = (random.standard_normal((2, 3, 8, 10)) * 100).astype(dtype)
                constants = {"roi": None, "scales": numpy.array([1, 1, *times], numpy.float32)}
                rows, columns = (nearest_places(*pair, transformation, mode) for pair in zip(x.shape[2:], times))
                for is_open in (False, True):
                    session = compile_node("Resize", {"x": x}, constants, {"y": x.dtype}, is_open, 2, opset=19,
                                           coordinate_transformation_mode=transformation, mode="nearest",
                                           nearest_mode=mode)
                    yield compare(f"Resize {dtype.__name__} {times} {transformation} {mode} open {is_open}",
                                  session.run(None, {"x": x})[0], x[:, :, rows][..., columns])


def check_top_k():
    """Short and long rows, columns, many ties, numbers that are none."""
    for dtype in (numpy.float32, numpy.float16, numpy.float64, numpy.int64, numpy.int32, numpy.uint8):
        for axis in (0, 1):
            x = random.standard_normal((4, 4)).astype(dtype)
            session = {largest: compile_node("TopK", {"x": x, "k": numpy.zeros(1, numpy.int64)}, {},
                                             {"v": x.dtype, "i": numpy.int64}, True, 2, axis=axis, largest=largest)
                       for largest in (0, 1)}
            for length in (1, 7, 40, 333, 2000):
                for kind in range(4):
                    shape = (3, length) if axis else (length, 6)
                    x = (random.standard_normal(shape) * (2, 300, 2, 2)[kind]).astype(dtype)
                    if kind == 2:
                        x.sort(axis=axis)
                    if kind == 3 and x.dtype.kind == "f":
                        x[random.random(shape) < 0.3] = random.choice(SPECIAL.astype(dtype))
                        x[:2] = random.choice(SPECIAL.astype(dtype), x[:2].shape)
                    for k in {0, 1, 2, 24, 25, 100, length // 2, length}:
                        if k > length:
                            continue
                        for largest in (0, 1):
                            values, indices = session[largest].run(
                                None, {"x": x, "k": numpy.array([k], numpy.int64)})
                            best = first_of(x, k, axis, largest)
                            what = f"TopK {dtype.__name__} {shape} axis {axis} k {k} largest {largest} kind {kind}"
                            yield compare(what, indices, best) and compare(
                                what, values, numpy.take_along_axis(x, best, axis))


def check_few_of_columns():
    """A few of each column of known length; numbers that are none, infinite ones and ties."""
    for shape, axis in (((40, 21), 0), ((3, 9, 17), 1), ((2, 8, 3, 16), 1), ((8, 100), 0), ((300, 5, 33), 0)):
        for k in (1, 2, 5, 8):
            for largest, level in ((0, 2), (1, 2), (1, 0)):
                x = numpy.round(random.standard_normal(shape), 1).astype(numpy.float32)
                session = compile_node("TopK", {"x": x}, {"k": numpy.array([k], numpy.int64)},
                                       {"v": x.dtype, "i": numpy.int64}, False, level, axis=axis, largest=largest)
                for part in (0, 0.3, 1):
                    x[random.random(shape) < part] = random.choice(SPECIAL.astype(numpy.float32))
                    special = random.random(shape) < part
                    x[special] = random.choice(SPECIAL.astype(numpy.float32), numpy.count_nonzero(special))
                    best = first_of(x, k, axis, largest)
                    values, indices = session.run(None, {"x": x})
                    yield compare(f"TopK {shape} axis {axis} k {k} largest {largest}", indices, best) and compare(
                        "its values", values, numpy.take_along_axis(x, best, axis))


def check_extremes():
    """A NaN is the extreme one; of equal ones the first counts, or the last."""
    for dtype in (numpy.float32, numpy.float16, numpy.int64, numpy.uint8):
        for op, extreme in (("ArgMax", numpy.max), ("ArgMin", numpy.min)):
            for last in (0, 1):
                x = numpy.zeros((2, 2), dtype)
                compiled = [compile_node(op, {"x": x}, {}, {"y": numpy.int64}, True, level, axis=1, keepdims=0,
                                         select_last_index=last) for level in (0, 2)]
                for length in (1, 5, 33, 700):
                    x = (random.standard_normal((6, length)) * 3).astype(dtype)
                    if x.dtype.kind == "f":
                        x[0] = random.choice(SPECIAL[2:].astype(dtype), length)
                        x[1] = random.choice(SPECIAL[:3].astype(dtype), length)
                        x[2], x[3, length // 2:] = -numpy.inf, numpy.nan
                        x[4] = numpy.inf
                    best = extreme(x, axis=1, keepdims=True)
                    here = (x == best) | (x != x)
                    expected = length - 1 - here[:, ::-1].argmax(1) if last else here.argmax(1)
                    fixed = compile_node(op, {"x": x}, {}, {"y": numpy.int64}, False, 2, axis=1, keepdims=0,
                                         select_last_index=last)
                    for session in (*compiled, fixed):
                        yield compare(f"{op} {dtype.__name__} {length} last {last}", session.run(None, {"x": x})[0],
                                      expected)


def check_bfloat16():
    """Rounding, of subnormal numbers, too, which an instruction of some processors makes 0."""
    bfloat16 = helper.tensor_dtype_to_np_dtype(onnx.TensorProto.BFLOAT16)
    bits = random.integers(0, 2**32, 4099, numpy.uint32)
    # Subnormal and nearly; what lies in the middle; both zeros, infinities, what is no number.
    bits[:3000] &= 0x81ffffff
    bits[1000:2000] = bits[1000:2000] & 0xffff0000 | 0x8000
    bits[2000:2008] = 0, 1 << 31, 0x7f800000, 0xff800000, 0x7fc00001, 0x007fffff, 0x807f8000, 0x00008001
    x, narrow = bits.view(numpy.float32), bits[:3000].view(numpy.float32).astype(bfloat16)
    small = numpy.array([[0x0001, 0x0003, 0x0002], [0x8001, 0x8003, 0x8002], [0x0010, 0x0010, 0x0001]], numpy.uint16).view(bfloat16)
    wide = small.astype(numpy.float32)
    one, axis, two = numpy.ones((), bfloat16), numpy.array(1), wide[::-1].copy()
    cases = (("Cast", {"x": x}, {}, x, {"to": onnx.TensorProto.BFLOAT16}),
             ("Mul", {"x": narrow, "one": one}, {}, narrow, {}), ("Abs", {"x": narrow}, {}, abs(narrow.astype(numpy.float32)), {}),
             ("CumSum", {"x": small}, {"axis": axis}, wide.cumsum(1), {}),
             ("Add", {"x": small, "two": two.astype(bfloat16)}, {}, wide + two, {}),
             ("Mod", {"x": small, "two": two.astype(bfloat16)}, {}, numpy.fmod(wide, two), {"fmod": 1}),
             ("Max", {"x": small, "two": two.astype(bfloat16)}, {}, numpy.maximum(wide, two), {}),
             ("ReduceMax", {"x": small}, {"axis": axis.reshape(1)}, wide.max(1, keepdims=True), {}),
             ("ReduceSum", {"x": small}, {"axis": axis.reshape(1)}, wide.sum(1, keepdims=True), {}),
             ("ArgMax", {"x": small}, {}, numpy.array([1, 0, 0]), {"axis": 1, "keepdims": 0}),
             ("ArgMin", {"x": small}, {}, numpy.array([0, 1, 2]), {"axis": 1, "keepdims": 0}))
    for op, inputs, constants, expected, attributes in cases:
        dtype = numpy.int64 if expected.dtype.kind == "i" else bfloat16
        for level in (0, 2):
            session = compile_node(op, inputs, constants, {"y": dtype}, False, level, **attributes)
            ours, = session.run(None, inputs)
            yield compare(f"{op} of bfloat16 at -O{level}", ours.astype(numpy.float64), expected.astype(dtype).astype(numpy.float64))


def check_nothing():
    """Loops around none, of any length."""
    long = 2**50
    for shape in ((long, 0), (3, long, 0, 2)):
        x = numpy.zeros(shape, numpy.float32)
        for op, inputs in (("Relu", {"x": x}), ("Add", {"x": x, "w": x[:1]}), ("Transpose", {"x": x})):
            for level in (0, 2):
                expected = x.T if op == "Transpose" else x
                y, = compile_node(op, inputs, {}, {"y": x.dtype}, True, level).run(None, inputs)
                yield compare(f"{op} {shape}", y.shape, expected.shape)
    # At -O0 the rows' extremes and sums are tensors of their own.
    x = numpy.zeros((long, 0), numpy.float32)
    for op, expected in (("Softmax", x.shape), ("ReduceSum", (1, 1))):
        y, = compile_node(op, {"x": x}, {}, {"y": x.dtype}, True, 2).run(None, {"x": x})
        yield compare(f"{op} of nothing", y.shape, expected)
    for level in (0, 2):
        inputs = {"x": numpy.zeros(0, numpy.float32), "repeats": numpy.array([long])}
        y, = compile_node("Tile", inputs, {}, {"y": numpy.float32}, True, level).run(None, inputs)
        yield compare("Tile of nothing", y.shape, (0,))


def choose_boxes(boxes, scores, limit, iou, least):
    """One class after the other, the greatest score first."""
    def overlap(a, b):
        low, high = numpy.maximum(a[:2], b[:2]), numpy.minimum(a[2:], b[2:])
        size = high - low
        if not (size > 0).all():
            return numpy.float32(0)
        common = size[0] * size[1]
        area = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1])
        return common / (area - common)
    for item, classes in enumerate(scores):
        for number, row in enumerate(classes):
            kept = []
            for index in numpy.argsort(-row, kind="stable"):
                if len(kept) == limit or not row[index] > least:
                    break
                if not any(overlap(boxes[item, index], boxes[item, other]) > iou for other in kept):
                    kept.append(index)
                    yield item, number, index


def check_boxes():
    """More boxes than a group, none that is good enough, equal scores; many of which the best suffice, or overlap;
    scores that are no numbers."""
    for count, limit, least, spread in ((1, 5, 0.1, 50), (40, 3, 0.0, 50), (300, 1000, 0.3, 50), (300, 41, 0.0, 50),
                                        (20, 5, 2.0, 50), (1500, 40, 0.0, 500), (1501, 40, 0.2, 30), (900, 300, 0.0, 90)):
        low = random.uniform(0, spread, (2, count, 2)).astype(numpy.float32)
        boxes = numpy.concatenate([low, low + random.uniform(1, 20, low.shape).astype(numpy.float32)], -1)
        scores = numpy.round(random.random((2, 3, count)), 2).astype(numpy.float32)
        scores[random.random(scores.shape) < (0.1 if count > 900 else 0)] = numpy.nan
        numbers = {"limit": numpy.array([limit], numpy.int64), "iou": numpy.array([0.3], numpy.float32),
                   "least": numpy.array([least], numpy.float32)}
        session = compile_node("NonMaxSuppression", {"boxes": boxes, "scores": scores}, numbers, {"y": numpy.int64},
                               False, 2)
        expected = numpy.array(list(choose_boxes(boxes, scores, limit, numbers["iou"][0], numbers["least"][0])),
                               numpy.int64).reshape(-1, 3)
        yield compare(f"NonMaxSuppression {count} {limit} {least}",
                      session.run(None, {"boxes": boxes, "scores": scores})[0], expected)


def check_sums():
    """One after the other, in this order: no other bits."""
    for dtype in (numpy.float32, numpy.int64):
        for shape in ((1, 9), (4, 33), (7, 5, 19), (6, 1), (0, 3), (3, 0)):
            x = (random.standard_normal(shape) * 50).astype(dtype)
            for axis in range(-1, len(shape)):
                for exclusive, reverse, is_open, level in ((0, 0, 0, 2), (1, 0, 1, 2), (0, 1, 1, 2), (1, 1, 0, 2),
                                                           (1, 1, 0, 0)):
                    session = compile_node("CumSum", {"x": x}, {"axis": numpy.array(axis, numpy.int64)},
                                           {"y": x.dtype}, is_open, level, exclusive=exclusive, reverse=reverse)
                    rows = numpy.moveaxis(x, axis, 0)[::-1 if reverse else 1]
                    total, sums = numpy.zeros(rows.shape[1:], dtype), numpy.empty_like(rows)
                    for i, row in enumerate(rows):
                        sums[i] = total if exclusive else total + row
                        total = total + row
                    expected = numpy.moveaxis(sums[::-1 if reverse else 1], 0, axis)
                    yield compare(f"CumSum {shape} axis {axis} {exclusive} {reverse}",
                                  session.run(None, {"x": x})[0], expected)


def check_scatter():
    """Slices of several ranks, places that repeat, each reduction."""
    combine = {"none": lambda old, new: new, "add": numpy.add, "mul": numpy.multiply, "max": numpy.maximum,
               "min": numpy.minimum}
    for shape, places, length in (((9, 37), (5,), 1), ((4, 6, 3, 8), (2, 7), 2), ((5,), (4,), 1), ((3, 4, 5), (), 1),
                                  ((3, 4, 5), (2,), 0), ((3, 0, 5), (2,), 1)):
        x = random.integers(-9, 9, shape).astype(numpy.float32)
        at = numpy.stack([random.integers(-size, size, places) for size in shape[:length]] or
                         [numpy.empty((*places, 0))], -1).astype(numpy.int64).reshape(*places, length)
        updates = random.integers(-9, 9, (*places, *shape[length:])).astype(numpy.float32)
        for reduction, function in combine.items():
            expected = x.copy()
            for place in numpy.ndindex(places):
                to = tuple(at[place])
                expected[to] = function(expected[to], updates[place])
            inputs = {"x": x, "at": at, "updates": updates}
            for is_open, level in ((0, 2), (1, 2), (0, 0), ({"x"}, 2), ({"at", "updates"}, 2)):
                session = compile_node("ScatterND", inputs, {}, {"y": x.dtype}, is_open, level, reduction=reduction)
                yield compare(f"ScatterND {shape} {places} {reduction}", session.run(None, inputs)[0], expected)


def check_tile():
    for shape, repeats in (((2, 9, 5), (1, 2, 3)), ((3, 1, 4), (2, 5, 1)), ((4, 2), (1, 9)), ((1, 3), (7, 3)),
                           ((6,), (4,)), ((), ()), ((2, 0), (2, 2)), ((2, 3), (0, 1)), ((1, 1), (3, 8))):
        x = random.standard_normal(shape).astype(numpy.float32)
        repeats = numpy.array(repeats, numpy.int64)
        for is_open, level in ((0, 2), (1, 2), (0, 0)):
            session = compile_node("Tile", {"x": x}, {"repeats": repeats}, {"y": x.dtype}, is_open, level)
            yield compare(f"Tile {shape} {repeats}", session.run(None, {"x": x})[0], numpy.tile(x, repeats))
        session = compile_node("Tile", {"x": x, "repeats": repeats}, {}, {"y": x.dtype}, False, 2)
        yield compare(f"Tile {shape} by {repeats}", session.run(None, {"x": x, "repeats": repeats})[0],
                      numpy.tile(x, repeats))


def check_gather():
    for shape, axis, length in (((5, 40), 1, 40), ((6, 7), 0, 3), ((2, 3, 4), 1, 9), ((2, 0), 0, 2)):
        x = random.standard_normal(shape).astype(numpy.float32)
        taken = list(shape)
        taken[axis] = length
        at = random.integers(-shape[axis], shape[axis], taken)
        for is_open, level in ((0, 2), (1, 2), (0, 0)):
            inputs = {"x": x, "at": at}
            session = compile_node("GatherElements", inputs, {}, {"y": x.dtype}, is_open, level, axis=axis)
            yield compare(f"GatherElements {shape} axis {axis}", session.run(None, inputs)[0],
                          numpy.take_along_axis(x, at, axis))


def check_windows():
    """The greatest of large windows, of maps that a kernel makes, too."""
    for size, taps, pads, dilation in ((20, 13, 6, 1), (19, (9, 5), (4, 2), 1), (20, 5, 2, 1), (24, (8, 11), (3, 5), 1),
                                       (33, 9, 8, 2), (12, (1, 12), 0, 1), (13, 12, 0, 1)):
        taps, pads = (numpy.broadcast_to(value, 2) for value in (taps, pads))
        x = random.standard_normal((2, 17, size, size + 1)).astype(numpy.float32)
        x[0, 0, 3, 4], x[1, 2] = numpy.nan, -numpy.inf
        padded = numpy.pad(x, ((0, 0), (0, 0), (pads[0],) * 2, (pads[1],) * 2), constant_values=-numpy.inf)
        reach = (taps - 1) * dilation + 1
        windows = numpy.lib.stride_tricks.sliding_window_view(padded, reach, axis=(2, 3))
        expected = windows[..., ::dilation, ::dilation].max((-1, -2))
        pool = helper.make_node("MaxPool", ["m"], ["y"], kernel_shape=taps.tolist(), pads=[*pads.tolist()] * 2,
                                dilations=[dilation] * 2)
        identity = numpy.eye(17, dtype=numpy.float32).reshape(17, 17, 1, 1)
        plain = helper.make_node("Identity", ["x"], ["m"])
        conv = helper.make_node("Conv", ["x", "w"], ["m"])
        for maker in (plain, conv):
            graph = helper.make_graph(
                [maker, pool], "g", [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, x.shape)],
                [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)],
                [numpy_helper.from_array(identity, "w")])
            model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10)
            # Zero times what is no number is none, for all channels.
            own = numpy.where(numpy.isfinite(x), x, 0) if maker is conv else x
            if maker is conv:
                padded[:, :, pads[0]:pads[0] + size, pads[1]:pads[1] + size + 1] = own
                expected = windows[..., ::dilation, ::dilation].max((-1, -2))
            y, = onnxc.InferenceSession(model, opt_level=2).run(None, {"x": own})
            yield compare(f"MaxPool {taps} behind {maker.op_type}", y, expected)


def main():
    results = [right for check in (check_top_k, check_few_of_columns, check_extremes, check_bfloat16, check_nothing, check_boxes, check_sums,
                                   check_scatter, check_tile, check_nearest, check_quotients, check_powers, check_rotary,
                                   check_gather, check_windows) for right in check()]
    print(f"elements: {sum(results)} of {len(results)}")


main()
