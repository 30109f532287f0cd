# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Older forms of operators where they are awkward, as (nodes, opset, inputs, expected).

`nodes` are in ONNX's text form. Inputs: arrays by name; those whose name begins with a
capital letter are given when the model runs, others are initializers (in models of IR
version 3 also inputs, as they had to be). `expected`: the outputs by definition, or ORT
or REFERENCE, which run the very same model, or a text: an equivalent model that
ONNX's reference evaluator runs.
"""
import itertools

import numpy as np

ORT, REFERENCE = "onnxruntime", "onnx.reference"
rng = np.random.default_rng(28)
f32 = lambda *shape: rng.standard_normal(shape).astype(np.float32)
i64 = lambda *values: np.array(values, np.int64)
FLT_MAX = np.finfo(np.float32).max
CASES = []


def case(nodes, opset, inputs, expected, **more):
    """`more`: modes=("static",) if the rule needs the shape; ml=2: opset of ai.onnx.ml."""
    CASES.append((nodes, opset, inputs, expected, more))


# --- Legacy broadcast: only the second input, along axes from `axis` on.
def along(a, b, axis):
    return b.reshape(b.shape + (1,) * (a.ndim - axis - b.ndim))


X4 = f32(2, 3, 4, 5)
FUNCTIONS = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Pow": np.power}
LOGIC = {"And": np.logical_and, "Or": np.logical_or, "Xor": np.logical_xor}
COMPARE = {"Equal": np.equal, "Greater": np.greater, "Less": np.less}
for op, function in {**FUNCTIONS, **LOGIC, **COMPARE}.items():
    def draw(*shape):
        if op in LOGIC:
            return rng.random(shape) < .5
        if op == "Equal":
            return rng.integers(0, 3, shape).astype(np.int32)
        return rng.random(shape).astype(np.float32) + np.float32(.5)
    for opset in (1, 6):
        a = draw(2, 3, 4, 5)
        placed = (((3, 4), 1), ((2,), 0), ((2, 3), 0), ((4, 5), -2), ((1,), 2), ((2, 3, 4, 5), 0))
        for shape, axis in placed[:1 if opset == 1 else None]:
            b = draw(*shape)
            at = axis + 4 if axis < 0 else axis
            want = function(a, b if b.size == 1 else along(a, b, at))
            case(f"Y = {op} <broadcast=1, axis={axis}> (A, B)", opset, {"A": a, "B": b}, [want])
        for shape in ((5,), (4, 5), (1,), ())[:1 if opset == 1 else None]:
            b = draw(*shape)
            case(f"Y = {op} <broadcast=1> (A, B)", opset, {"A": a, "B": b}, [function(a, b)])
        case(f"Y = {op} (A, B)", opset, {"A": a, "B": a}, [function(a, a)])

for shape in ((3,), (1,)):
    slope = f32(*shape)
    for x in (f32(2, 3), X4, f32(2, 3, 3)):
        want = np.where(x < 0, x * slope.reshape(slope.shape + (1,) * (x.ndim - 2)), x)
        case("Y = PRelu (X, S)", 6, {"X": x, "S": slope}, [want])
        case("Y = PRelu <consumed_inputs=[0, 0]> (X, S)", 5, {"X": x, "S": slope}, [want])
A, B = f32(3, 4), f32(4, 5)
for shape in ((5,), (1, 5), (3, 1), (1,), (3, 5)):
    c = f32(*shape)
    case("Y = Gemm <broadcast=1, alpha=0.5> (A, B, C)", 6, {"A": A, "B": B, "C": c}, [np.float32(.5) * (A @ B) + c])

# --- All dimensions from the axis on were one.
def flat(function, x, axis):
    rows = int(np.prod(x.shape[:axis]))
    return function(x.reshape(rows, -1)).reshape(x.shape)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


SOFT = {"Softmax": softmax, "LogSoftmax": lambda x: np.log(softmax(x)),
        "Hardmax": lambda x: np.eye(x.shape[-1], dtype=x.dtype)[x.argmax(-1)]}
for op, function in SOFT.items():
    for opset, axes in ((1, (0, 1, 2, 3)), (11, (0, 1, 2, 3, -1, -2, -4))):
        for axis in axes:
            case(f"Y = {op} <axis={axis}> (X)", opset, {"X": X4}, [flat(function, X4, axis % 4)])
        case(f"Y = {op} (X)", opset, {"X": X4}, [flat(function, X4, 1)])
    case(f"Y = {op} <axis=0> (X)", 11, {"X": f32(5)[:5]}, ORT)

# --- Clip, Selu, Cast, Erf, reductions of integers.
odd = np.array([-np.inf, -3, -.5, 0, 2, np.inf, np.nan], np.float32)
case("Y = Clip (X)", 5, {"X": odd}, [odd])
case("Y = Clip <min=-1.0> (X)", 5, {"X": odd}, [np.maximum(odd, np.float32(-1))])
case("Y = Clip (X)", 6, {"X": odd}, [np.clip(odd, -FLT_MAX, FLT_MAX)])
case("Y = Clip <max=1.0> (X)", 6, {"X": odd}, [np.clip(odd, -FLT_MAX, np.float32(1))])
for dtype in (np.float16, np.float64):
    x = (f32(3, 4) * 3).astype(dtype)
    case("Y = Clip <min=-1.5, max=2.25> (X)", 6, {"X": x}, [np.clip(x, dtype(-1.5), dtype(2.25))])
    case("Y = Clip <min=-1.5, max=2.25> (X)", 10, {"X": x}, [np.clip(x, dtype(-1.5), dtype(2.25))])


def selu(x, alpha, gamma):
    return np.where(x > 0, gamma * x, gamma * (alpha * np.exp(x) - alpha)).astype(x.dtype)


x = np.linspace(-3, 3, 7, dtype=np.float32)
case("Y = Selu <consumed_inputs=[0]> (X)", 1, {"X": x}, [selu(x, 1.6732, 1.0507)])
case("Y = Selu <gamma=2.0> (X)", 1, {"X": x}, [selu(x, 1.6732, 2.)])
case("Y = Selu (X)", 6, {"X": x}, [selu(x, 1.67326319217681884765625, 1.05070102214813232421875)])
for name, dtype in (("FLOAT", np.float32), ("double", np.float64), ("INT32", np.int32), ("BOOL", np.bool_)):
    for opset in (1, 6):
        case(f'Y = Cast <to="{name}"> (X)', opset, {"X": np.array([0, 1.5, -2.5], np.float32)},
             [np.array([0, 1.5, -2.5], np.float32).astype(dtype)])
n = np.array([[-2, 0, 1], [3, 7, 2]], np.int32)
case("Y = Erf (X)", 9, {"X": n}, [np.sign(n) * (np.abs(n) > 5)], modes=("static",))
case("Y = Erf (X)", 9, {"X": x}, [np.vectorize(__import__("math").erf)(x).astype(np.float32)])
n = np.array([[5, 9, 1], [30, 70, 2]], np.int64)
for opset in (11, 13):
    for op, function in (("ReduceLogSum", lambda v, a: np.log(v.sum(a, keepdims=True))),
                         ("ReduceLogSumExp", lambda v, a: np.log(np.exp(v.astype(np.float64)).sum(a, keepdims=True)))):
        case(f"Y = {op} <axes=[1]> (X)", opset, {"X": n}, [np.trunc(function(n, 1)).astype(np.int64)])
    case("Y = ReduceLogSum <axes=[-1], keepdims=0> (X)", opset, {"X": np.exp(f32(2, 3))}, ORT)
for op, function in (("ReduceLogSum", lambda v: np.log(v.sum(0, keepdims=True))),
                     ("ReduceLogSumExp", lambda v: np.log(np.exp(v.astype(np.float64)).sum(0, keepdims=True)))):
    case(f"Y = {op} (X, a)", 18, {"X": n, "a": i64(0)}, [np.trunc(function(n)).astype(np.int64)])
REDUCE = ("ReduceL1", "ReduceL2", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSumSquare", "ReduceSum")
for op in REDUCE:
    for opset in (11, 13)[:1 if op == "ReduceSum" else 2]:
        for attributes in ("<axes=[-1, 1]>", "<keepdims=0>", "<axes=[0], keepdims=0>"):
            case(f"Y = {op} {attributes} (X)", opset, {"X": X4}, ORT)

# --- Shapes.
case("Y = Concat (A, B)", 1, {"A": f32(2, 3, 2), "B": f32(2, 1, 2)}, "Y = Concat <axis=1> (A, B)")
case("Y = Concat <axis=0> (A, B)", 1, {"A": f32(2, 3), "B": f32(1, 3)}, "Y = Concat <axis=0> (A, B)")
case("Y = Reshape <shape=[0, -1, 2], consumed_inputs=[0]> (X)", 1, {"X": f32(2, 3, 4)},
     "S = Constant <value_ints=[0, -1, 2]> () Y = Reshape (X, S)")
x = f32(6, 4)
case("Y, Z = Split (X)", 1, {"X": x}, [x[:3], x[3:]])
case("Y, Z = Split <split=[2, 4]> (X)", 1, {"X": x}, [x[:2], x[2:]])
case("Y, Z = Split <axis=1> (X, l)", 1, {"X": x, "l": np.array([1, 3], np.float32)}, [x[:, :1], x[:, 1:]])
case("Y, Z = Split <axis=1, split=[1, 3]> (X)", 2, {"X": x}, [x[:, :1], x[:, 1:]])
case("Y, Z = Split <axis=-1, split=[1, 3]> (X)", 11, {"X": x}, [x[:, :1], x[:, 1:]])
case("Y, Z = Split <axis=1> (X)", 13, {"X": x}, [x[:, :2], x[:, 2:]])
case("Y = Tile (X, t, a)", 1, {"X": x, "t": np.float32(3), "a": np.float32(1)}, [np.tile(x, (1, 3))])
case("Y = Tile (X, T, A)", 1, {"X": x, "T": np.float32(2), "A": np.float32(0)}, [np.tile(x, (2, 1))])
case("Y = Slice <starts=[1, -3], ends=[100, -1]> (X)", 9, {"X": x}, [x[1:, -3:-1]])
case("Y = Slice <starts=[-9], ends=[3], axes=[1]> (X)", 1, {"X": x}, [x[:, :3]])
for opset in (1, 11):
    axes = "[0, 3]" if opset == 1 else "[0, -1]"
    case(f"Y = Unsqueeze <axes={axes}> (X)", opset, {"X": x}, [x[None, :, :, None]])
    case("Y = Squeeze <axes=[1]> (X)", opset, {"X": x[:, None]}, [x])
case("Y = Squeeze (X)", 11, {"X": x[None, :, None]}, [x], modes=("static",))
case("Y = Squeeze <axes=[-2]> (X)", 11, {"X": x[:, None]}, [x])
p = f32(1, 1, 3, 4)
for dtype in (np.float32, np.float16, np.float64):
    case("Y = Pad <pads=[0, 1, 2, 0], value=1.5> (X)", 2, {"X": x.astype(dtype)},
         [np.pad(x.astype(dtype), ((0, 2), (1, 0)), constant_values=1.5)])
case("Y = Pad <paddings=[0, 1, 2, 0], value=1.5> (X)", 1, {"X": x}, [np.pad(x, ((0, 2), (1, 0)), constant_values=1.5)])
case('Y = Pad <paddings=[0, 0, 1, 2, 0, 0, 2, 1], mode="reflect"> (X)', 1, {"X": p},
     [np.pad(p, ((0, 0), (0, 0), (1, 2), (2, 1)), "reflect")])
case('Y = Pad <pads=[0, 0, -1, 2, 0, 0, 2, 1], mode="constant"> (X)', 2, {"X": p},
     [np.pad(p[:, :, 1:], ((0, 0), (0, 0), (0, 2), (2, 1)))])
case('Y = Pad <pads=[0, 0, 1, 2, 0, 0, 2, 1], mode="edge"> (X)', 10, {"X": p}, ORT)

# --- Indices.
x = f32(3, 5)
order = np.argsort(-x, 1)[:, :2]
for opset in (1, 9):
    case("Y, I = TopK <k=2> (X)", opset, {"X": x}, [np.take_along_axis(x, order, 1), order])
case("Y, I = TopK <axis=0> (X, K)", 10, {"X": x, "K": i64(2)}, ORT)
for name in "dD":  # what counts from the back since 11 did so before, in all runtimes
    case(f"Y = OneHot (I, {name}, V)", 9, {"I": i64(0, -1, 3, 2), name: np.array(3), "V": np.array([2, 5], np.float32)}, ORT)
    case(f"Y = OneHot <axis=0> (I, {name}, V)", 10, {"I": i64(-3, 1), name: np.array(3), "V": np.array([2, 5], np.float32)}, ORT)
case("Y = Scatter <axis=1> (X, I, U)", 9, {"X": x, "I": i64(1, 4).reshape(1, 2), "U": f32(1, 2)},
     "Y = ScatterElements <axis=1> (X, I, U)")
case("Y = DFT <axis=2, inverse=1> (X)", 17, {"X": f32(2, 3, 4, 2)}, REFERENCE)
case("Y = DFT <onesided=1> (X, N)", 17, {"X": f32(2, 6, 1), "N": np.int64(4)}, REFERENCE, modes=("static",))

# --- Normalizations, with each output there was.
C = 3
scale, bias, mean, var = f32(C), f32(C), f32(C), f32(C) ** 2
PARAMETERS = {"s": scale, "b": bias, "m": mean, "v": var}


def normalized(x, s, b, m, v, epsilon):
    shape = (1, C) + (1,) * (x.ndim - 2)
    s, b, m, v = (p.reshape(shape) for p in (s, b, m, v))
    return (s * (x - m) / np.sqrt(v + np.float32(epsilon)) + b).astype(x.dtype)


inference = normalized(X4, scale, bias, mean, var, 1e-5)
case("Y = BatchNormalization <is_test=1, consumed_inputs=[0, 0, 0, 1, 1]> (X, s, b, m, v)", 5, {"X": X4, **PARAMETERS}, [inference])
case("Y = BatchNormalization <is_test=1> (X, s, b, m, v)", 6, {"X": X4, **PARAMETERS}, [inference])
case("Y = BatchNormalization (X, s, b, m, v)", 6, {"X": X4, **PARAMETERS}, [inference])
case("Y = BatchNormalization <epsilon=0.25> (X, s, b, m, v)", 7, {"X": X4, **PARAMETERS},
     [normalized(X4, scale, bias, mean, var, .25)])
each = {name: f32(3, 4, 5) ** 2 for name in "sbmv"}
want = each["s"] * (X4 - each["m"]) / np.sqrt(each["v"] + np.float32(1e-5)) + each["b"]
case("Y = BatchNormalization <spatial=0> (X, s, b, m, v)", 7, {"X": X4, **each}, [want])
case("Y = BatchNormalization <spatial=0, is_test=1> (X, s, b, m, v)", 6, {"X": X4, **each}, [want])
here, spread = X4.mean((0, 2, 3)), X4.var((0, 2, 3))
trained = [normalized(X4, scale, bias, here, spread, 1e-5), .75 * mean + .25 * here, .75 * var + .25 * spread, here, spread]
for opset in (6, 7, 9):
    test = ", is_test=0" if opset == 6 else ""
    case(f"Y, M, V, SM, SV = BatchNormalization <momentum=0.75{test}> (X, s, b, m, v)", opset, {"X": X4, **PARAMETERS}, trained)
    case(f"Y, M, V = BatchNormalization <momentum=0.75{test}> (X, s, b, m, v)", opset, {"X": X4, **PARAMETERS}, trained[:3])
case("Y = InstanceNormalization <consumed_inputs=[0, 0, 0]> (X, s, b)", 5, {"X": X4, "s": scale, "b": bias},
     "Y = InstanceNormalization (X, s, b)")
x6 = f32(2, 6, 4)
gs, gb = f32(2), f32(2)
grouped = x6.reshape(2, 2, -1)
grouped = ((grouped - grouped.mean(-1, keepdims=True)) / np.sqrt(grouped.var(-1, keepdims=True) + np.float32(1e-5))).reshape(x6.shape)
want = grouped * np.repeat(gs, 3).reshape(6, 1) + np.repeat(gb, 3).reshape(6, 1)
case("Y = GroupNormalization <num_groups=2> (X, s, b)", 18, {"X": x6, "s": gs, "b": gb}, [want.astype(np.float32)])
case("Y = GroupNormalization <num_groups=2> (X, S, B)", 20, {"X": x6, "S": gs, "B": gb}, [want.astype(np.float32)])
case("Y = GroupNormalization <num_groups=2> (X, S, B)", 18,
     {"X": x6.astype(np.float64), "S": gs.astype(np.float64), "B": gb.astype(np.float64)}, [want.astype(np.float64)])

# --- Dropout: nothing is dropped, whatever the form.
case("Y = Dropout <is_test=1, consumed_inputs=[0]> (X)", 1, {"X": X4}, [X4])
case("Y = Dropout (X)", 6, {"X": X4}, [X4])
case("Y, M = Dropout <ratio=0.25> (X)", 7, {"X": X4}, [X4, np.ones_like(X4)])
case("Y, M = Dropout <ratio=0.25> (X)", 7, {"X": X4.astype(np.float64)}, [X4.astype(np.float64), np.ones_like(X4, np.float64)])
case("Y, M = Dropout <ratio=0.25> (X)", 10, {"X": X4}, [X4, np.ones_like(X4, bool)])

# --- Images.
x = f32(1, 2, 4, 6)
for scales in ((1, 1, 2, 3), (1, 1, 1.5, 2.25), (1, 1, .5, .75), (1, 1, 2, .5)):
    text = ", ".join(str(float(s)) for s in scales)
    array = np.array(scales, np.float32)
    for mode in ("nearest", "linear"):
        if min(scales) >= 1:
            case(f'Y = Upsample <mode="{mode}", scales=[{text}]> (X)', 7, {"X": x}, ORT)
            case(f'Y = Upsample <mode="{mode}"> (X, s)', 9, {"X": x, "s": array}, ORT)
        case(f'Y = Resize <mode="{mode}"> (X, s)', 10, {"X": x, "s": array}, ORT)
        case(f'Y = Resize <mode="{mode}"> (X, S)', 10, {"X": x, "S": array}, ORT)
case('Y = Upsample <height_scale=2.0, width_scale=1.5, mode="bilinear"> (X)', 1, {"X": x},
     's = Constant <value_floats=[1.0, 1.0, 2.0, 1.5]> () Y = Resize <mode="linear", coordinate_transformation_mode="asymmetric"> (X, , s)')
case("Y = Upsample <height_scale=2.0, width_scale=3.0> (X)", 1, {"X": x}, [x.repeat(2, 2).repeat(3, 3)])
none, roi = np.zeros(0, np.float32), np.array([0, 0, .22, .13, 1, 1, .78, .91], np.float32)
MODES = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_crop_and_resize")
for transform, mode in itertools.product(MODES, ("nearest", "linear", "cubic")):
    if mode == "cubic" and transform == "tf_crop_and_resize":
        continue
    head = f'Resize <coordinate_transformation_mode="{transform}", mode="{mode}">'
    case(f"Y = {head} (X, r, s)", 11, {"X": x, "r": roi, "s": np.array([1, 1, 1.75, 1.5], np.float32)}, ORT)
    case(f"Y = {head} (X, r, e, z)", 11, {"X": x, "r": roi, "e": none, "z": i64(1, 2, 3, 9)}, ORT)
for way in (*(f'nearest_mode="{rounding}"' for rounding in ("floor", "ceil", "round_prefer_floor", "round_prefer_ceil")),
            'mode="linear"', 'mode="cubic"'):
    case(f'Y = Resize <coordinate_transformation_mode="tf_half_pixel_for_nn", {way}> (X, e, s)', 11,
         {"X": x, "e": none, "s": np.array([1, 1, 1.75, .5], np.float32)}, ORT)
grid = rng.uniform(-1.1, 1.1, (1, 3, 4, 2)).astype(np.float32)
for mode in ("bilinear", "bicubic", "nearest"):
    for padding in ("zeros", "border", "reflection"):
        case(f'Y = GridSample <mode="{mode}", padding_mode="{padding}"> (X, G)', 16, {"X": x, "G": grid}, ORT)
case("Y = RoiAlign <output_height=2, output_width=2, sampling_ratio=2, spatial_scale=0.5> (X, R, b)", 10,
     {"X": x, "R": np.array([[0, 0, 8, 6], [1, 1, 11, 7]], np.float32), "b": i64(0, 0)}, ORT)

# --- Pools and convolutions.
full = np.abs(x)
case("Y = GlobalLpPool <p=3.0> (X)", 1, {"X": x}, [(full ** 3).sum((2, 3), keepdims=True) ** (1 / 3)])
case("Y = GlobalLpPool (X)", 1, {"X": x}, [np.sqrt((full ** 2).sum((2, 3), keepdims=True))])
case("Y = LpPool <p=2.0, kernel_shape=[2, 2], strides=[2, 2]> (X)", 1, {"X": x},
     [np.sqrt((full ** 2).reshape(1, 2, 2, 2, 3, 2).sum((3, 5)))])
case("Y = LpPool (X)", 1, {"X": x}, [np.sqrt((full ** 2).sum((2, 3), keepdims=True))], modes=("static",))
two = f32(1, 1, 2, 2)
for op, opset in (("AveragePool", 19), ("MaxPool", 12)):
    case(f"Y = {op} <kernel_shape=[1, 1], strides=[2, 2], ceil_mode=1> (X)", opset, {"X": two}, [two[:, :, :1, :1]])
    case(f"Y = {op} <kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1, pads=[1, 1, 1, 1]> (X)", opset, {"X": x}, ORT)
w = f32(2, 3, 3, 3)
case("Y = ConvTranspose <output_shape=[1, 3, 8, 12], strides=[2, 2], auto_pad=\"SAME_UPPER\"> (X, w)", 1, {"X": x, "w": w},
     "Y = ConvTranspose <auto_pad=\"SAME_UPPER\", strides=[2, 2]> (X, w)")
case("Y = ConvTranspose <strides=[2, 1], pads=[1, 0, 1, 0]> (X, w)", 1, {"X": x, "w": w}, ORT)

# --- Recurrences.
H = 2
for op, gates, opsets in (("RNN", 1, (1, 6)), ("LSTM", 4, (1, 6)), ("GRU", 3, (1, 3, 6))):
    sequence = f32(4, 3, 5)
    weights = {"w": f32(1, gates * H, 5), "r": f32(1, gates * H, H), "b": f32(1, 2 * gates * H)}
    outputs = "Y, L, C" if op == "LSTM" else "Y, L"
    for opset in opsets:
        case(f"{outputs} = {op} <hidden_size={H}, output_sequence=1> (X, w, r, b)", opset, {"X": sequence, **weights},
             f"{outputs} = {op} <hidden_size={H}> (X, w, r, b)")
        case(f'_y, L = {op} <hidden_size={H}, direction="reverse"> (X, w, r)', opset,
             {"X": sequence, "w": weights["w"], "r": weights["r"]}, f'_y, L = {op} <hidden_size={H}, direction="reverse"> (X, w, r)',
             outputs=("L",))
for op, gates in (("RNN", 1), ("LSTM", 4), ("GRU", 3)):
    case(f"Y, L = {op} <hidden_size={H}, layout=0> (X, w, r)", 14,
         {"X": f32(4, 3, 5), "w": f32(1, gates * H, 5), "r": f32(1, gates * H, H)}, ORT)

# --- ai.onnx.ml.
words = np.array(["b", "zebra", "a"], object)
case('Y = ai.onnx.ml.LabelEncoder <classes_strings=["a", "b"], default_int64=7> (X)', 9, {"X": words}, [i64(1, 7, 0)], ml=1)
case('Y = ai.onnx.ml.LabelEncoder <classes_strings=["a", "b"], default_string="?"> (X)', 9, {"X": i64(1, 7, 0)},
     [np.array(["b", "?", "a"], object)], ml=1)
TREE = ("nodes_treeids=[0, 0, 0], nodes_nodeids=[0, 1, 2], nodes_featureids=[1, 0, 0], nodes_values=[0.25, 0.0, 0.0], "
        'nodes_modes=["BRANCH_LEQ", "LEAF", "LEAF"], nodes_truenodeids=[1, 0, 0], nodes_falsenodeids=[2, 0, 0]')
points = np.array([[0, .25], [1, .5], [2, -1]], np.float32)
for ml in (1, 3):
    case(f"Y = ai.onnx.ml.TreeEnsembleRegressor <n_targets=1, {TREE}, target_treeids=[0, 0], target_nodeids=[1, 2], "
         "target_ids=[0, 0], target_weights=[1.5, -2.0], base_values=[0.5]> (X)", 11, {"X": points}, ORT, ml=ml)
    case(f"Y, P = ai.onnx.ml.TreeEnsembleClassifier <classlabels_int64s=[4, 9], {TREE}, class_treeids=[0, 0], class_nodeids=[1, 2], "
         'class_ids=[0, 1], class_weights=[1.5, 2.0], post_transform="SOFTMAX"> (X)', 11, {"X": points}, ORT, ml=ml)
