import math

from case import *


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


CASES = [
    Case("Gelu", [f32(3, 4)]),
    Case("BiasGelu", [f32(3, 4), f32(4)]),
    Case("FastGelu", [f32(3, 4), f32(4)]),
    Case("FastGelu", [f32(3, 4)]),
    Case("QuickGelu", [f32(3, 4)], {"alpha": 1.5}),
    Case("QuickGelu", [f32(3, 4)]),
    Case("ScaledSiLU", [f32(3, 4)], {"alpha": .5}),
    Case("BiasAdd", (a := [f32(2, 3, 4), f32(4), f32(2, 3, 4)]), expected=[a[0] + a[1] + a[2]]),
    Case("BiasDropout", (a := [f32(2, 4), f32(4), f32(2, 4)]), outputs=(0, 1), expected=[a[0] + a[1] + a[2], np.ones((2, 4), bool)]),
    Case("BitmaskDropout", [b := f32(2, 4)], expected=[b]),
    Case("BiasSoftmax", (a := [f32(2, 3, 4, 5), f32(2, 1, 1, 5)]), {"axis": 3, "is_inner_broadcast": 1}, expected=[softmax(a[0] + a[1], 3)]),
    Case("BiasSoftmax", (a := [f32(2, 3, 4, 5), f32(1, 3, 4, 5)]), {"axis": 2, "is_inner_broadcast": 0},
         expected=[softmax((a[0] + a[1]).reshape(2, 3, 20), 2).reshape(2, 3, 4, 5)], known={0: range(4)}),
    Case("FusedMatMul", [f32(2, 5, 3), f32(2, 4, 5)], {"transA": 1, "transB": 1, "alpha": .5}),
    Case("FusedMatMul", [f32(3, 2, 5), f32(2, 4, 5)], {"transBatchA": 1, "transB": 1}),
    Case("FusedMatMul", [f32(5, 2, 3), f32(5, 2, 4)], {"transBatchA": 1, "transA": 1, "transBatchB": 1}),
    Case("FusedMatMul", [f32(5, 2, 6, 3), f32(2, 6, 5, 4)], {"transBatchA": 1, "transA": 1}),
    Case("FusedMatMul", [f32(5), f32(5, 4)], {"transA": 1}),
    Case("TransposeMatMul", [f32(2, 5, 3), f32(2, 5, 4)], {"transA": 1, "alpha": 2.}),
    Case("FusedMatMulActivation", (a := [f32(3, 5), f32(5, 4)]), {"activation": "LeakyRelu", "activation_alpha": .25, "alpha": 2.},
         expected=[np.where((y := 2 * (a[0] @ a[1])) > 0, y, y / 4)]),
    Case("FusedMatMulActivation", (a := [f32(3, 5), f32(5, 4)]), {"activation": "Softmax", "activation_axis": -1},
         expected=[softmax(a[0] @ a[1], 1)]),
    Case("FusedGemm", [f32(3, 5), f32(5, 4), f32(4)], {"activation": "Relu", "alpha": .5}),
    Case("FusedGemm", [f32(3, 5), f32(4, 5), f32(3, 4)], {"activation": "LeakyRelu", "activation_alpha": .3, "transB": 1, "beta": 2.}),
    Case("FusedGemm", [f32(3, 5), f32(5, 4)], {"activation": "HardSigmoid", "activation_alpha": .3, "activation_beta": .6}),
    Case("FusedGemm", [f32(3, 5), f32(5, 4)], {"activation": "Elu", "activation_alpha": .7}),
    Case("FusedGemm", [f32(3, 5), f32(5, 4)], {"activation": "Tanh"}),
    Case("GemmFastGelu", (a := [f32(3, 5), f32(5, 4), f32(4)]),
         expected=[(y := a[0] @ a[1] + a[2]) * .5 * (1 + np.tanh(np.float32(np.sqrt(2 / np.pi)) * (y + np.float32(.044715) * y**3)))]),
]

x = f32(2, 3, 8)
bias = f32(8)
left, right = np.split(x + bias, 2, -1)
CASES.append(Case("BiasSplitGelu", [x, bias], expected=[left * .5 * right * (1 + np.vectorize(math.erf)(right / 2**.5)).astype(np.float32)]))

x, skip = f32(2, 3, 8), f32(2, 3, 8)
whole, broken = f32(3, 4), np.array([1, np.nan], np.float32)
CASES += [
    Case("BitmaskBiasDropout", [x, bias, skip], expected=[x + bias + skip]),
    Case("IsAllFinite", [whole, f32(2)], expected=[np.array(True)]),
    Case("IsAllFinite", [whole, broken], expected=[np.array(False)]),
    Case("IsAllFinite", [whole, broken], {"isinf_only": 1}, expected=[np.array(True)]),
    Case("IsAllFinite", [broken * np.float32(np.inf)], {"isnan_only": 1}, expected=[np.array(False)]),
]
