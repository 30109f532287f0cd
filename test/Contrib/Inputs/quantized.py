from case import *

CASES = [
    Case("QLinearAdd", [u8(3, 4), scale(.1), np.uint8(9), u8(4), scale(.2), np.uint8(200), scale(.3), np.uint8(7)]),
    Case("QLinearAdd", [i8(3, 4), scale(.1), np.int8(0), i8(3, 1), scale(.2), np.int8(-4), scale(.3)]),
    Case("QLinearMul", [i8(3, 1), scale(.1), np.int8(9), i8(2, 1, 4), scale(.02), np.int8(-3), scale(.1), np.int8(7)]),
    Case("QLinearSigmoid", [u8(3, 4), scale(.05), np.uint8(128), scale(1 / 256), np.uint8(0)]),
    Case("QLinearLeakyRelu", [i8(3, 4), scale(.05), np.int8(2), scale(.05), np.int8(0)], {"alpha": .2}),
    Case("QLinearSoftmax", [u8(3, 4), scale(.05), np.uint8(2), scale(1 / 256), np.uint8(0)], {"axis": -1, "opset": 13}),
    Case("QLinearSoftmax", [u8(2, 3, 4), scale(.05), np.uint8(2), scale(1 / 256), np.uint8(0)], {"axis": 1, "opset": 12}),
    Case("QLinearSoftmax", [i8(2, 3, 4), scale(.05), np.int8(2), scale(1 / 256), np.int8(-128)], {"axis": 1, "opset": 13}),
    Case("QLinearGlobalAveragePool", [u8(2, 3, 5, 4), scale(.1), np.uint8(9), scale(.05), np.uint8(3)]),
    Case("QLinearGlobalAveragePool", [u8(2, 5, 4, 3), scale(.1), np.uint8(9), scale(.05), np.uint8(3)], {"channels_last": 1}),
    Case("QLinearAveragePool", [u8(1, 2, 6, 5), scale(.1), np.uint8(9), scale(.05), np.uint8(3)],
         {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 1, 1]}),
    Case("QLinearAveragePool", [u8(1, 6, 5, 2), scale(.1), np.uint8(9), scale(.05), np.uint8(3)],
         {"kernel_shape": [3, 2], "strides": [2, 1], "channels_last": 1, "count_include_pad": 1, "pads": [1, 0, 0, 1]}),
    Case("QLinearConcat", [scale(.1), np.uint8(3), u8(2, 3), scale(.2), np.uint8(9), u8(2, 2), scale(.1), np.uint8(5)], {"axis": 1}),
    Case("QLinearWhere", [np.array([[True, False, True], [False, True, True]]), u8(2, 3), scale(.1), np.uint8(2), u8(3), scale(.2),
                          np.uint8(3), scale(.15), np.uint8(1)]),
    Case("QLinearReduceMean", [a := u8(2, 3, 4), scale(.1), np.uint8(9), scale(.1), np.uint8(9)], {"axes": [1], "keepdims": 0},
         expected=[np.rint(a.mean(1)).astype(np.uint8)]),
    Case("QLinearConv", [u8(1, 4, 7, 6), scale(.02), np.uint8(120), i8(5, 4, 3, 3), f32(5)**2 / 50, i8(5) * 0, scale(.2), np.uint8(100),
                         i32(-300, 300, 5)], {"pads": [1, 1, 1, 1], "strides": [2, 1]}, known={3: range(4)}),
    Case("QLinearConv", [u8(1, 7, 6, 4), scale(.02), np.uint8(120), i8(5, 4, 3, 3), f32(5)**2 / 50, i8(5) * 0, scale(.2), np.uint8(100),
                         i32(-300, 300, 5)], {"pads": [1, 1, 1, 1], "strides": [2, 1], "channels_last": 1}, known={3: range(4)}),
    Case("QLinearConv", [i8(1, 7, 6, 4), scale(.02), np.int8(12), i8(8, 1, 3, 3), scale(.01), np.int8(0), scale(.02), np.int8(-10)],
         {"group": 4, "channels_last": 1, "dilations": [2, 1]}, known={3: range(4)}),
    Case("QGemm", [u8(3, 5), scale(.1), np.uint8(9), i8(4, 5), f32(4)**2, i8(4) * 0, i32(-500, 500, 4), scale(.9), np.uint8(100)],
         {"transB": 1}),
    Case("QGemm", [i8(3, 5), scale(.1), np.int8(9), i8(5, 4), scale(.2), np.int8(0)], {"alpha": .5}),
    Case("QGemm", [u8(5, 3), scale(.1), np.uint8(9), u8(5, 4), scale(.2), np.uint8(20), i32(-500, 500, 3, 4), scale(.9), np.uint8(100)],
         {"transA": 1}),
    Case("MatMulIntegerToFloat", [u8(3, 5), i8(5, 4), scale(.1), scale(.2), np.uint8(7), np.int8(0), f32(4)]),
    Case("MatMulIntegerToFloat", [u8(2, 3, 5), i8(5, 4), scale(.1), f32(4)**2, np.uint8(7), i8(4)]),
    Case("MatMulIntegerToFloat", [i8(3, 5), i8(5, 4), scale(.1), scale(.2)]),
    Case("DynamicQuantizeMatMul", [f32(3, 8), i8(8, 4), scale(.01), np.int8(3), f32(4)]),
    Case("DynamicQuantizeMatMul", [f32(2, 3, 8), u8(8, 4), f32(4)**2 / 9, u8(4)]),
    Case("DynamicQuantizeMatMul", [f32(2, 3, 8), i8(8, 4), scale(.02)]),
    Case("MatMulInteger16", [i64(-999, 999, 3, 5).astype(np.int16), i64(-999, 999, 5, 4).astype(np.int16)], is_rounded=False),
    Case("MulInteger", (a := [u8(3, 4), np.uint8(7), u8(4), np.uint8(100)]),
         expected=[(a[0].astype(np.int32) - 7) * (a[2].astype(np.int32) - 100)], is_rounded=False),
    Case("ReduceSumInteger", [b := i8(3, 4)], {"axes": [1], "keepdims": 1}, expected=[b.sum(1, keepdims=True, dtype=np.int32)],
         is_rounded=False),
    Case("QuantizeLinear", [f32(3, 4), scale(.001), np.uint16(30000)]),
    Case("QuantizeLinear", [f32(3, 4), scale(.01)]),
    Case("QuantizeLinear", [f32(3, 4), f32(4)**2 + .01, i8(4)], {"axis": 1}),
    Case("DequantizeLinear", [i64(-9999, 9999, 3, 4).astype(np.int16), scale(.001), np.int16(55)]),
    Case("DequantizeLinear", [u8(3, 4), f32(3)**2, u8(3)], {"axis": 0}),
    Case("DequantizeLinear", [i32(-9999, 9999, 3, 4), scale(.001)]),
]

# Products at the ends of the bytes' range, whose sums take more than 16 bits: exact.
highest, weights = np.full((3, 70), 255, np.uint8), np.where(rng.random((70, 20)) < .5, -128, 127).astype(np.int8)
weights[:, 0] = 127
sums = highest.astype(np.int64) @ weights
CASES += [
    Case("MatMulIntegerToFloat", [highest, weights, scale(.5), scale(.25)], expected=[(sums / 8).astype(np.float32)], tolerance=1e-7),
    Case("QGemm", [highest, scale(.5), np.uint8(0), weights, scale(.25), np.int8(0)], expected=[(sums / 8).astype(np.float32)],
         tolerance=1e-7),
    Case("QLinearConv", [np.full((1, 70, 2, 3), 255, np.uint8), scale(1), np.uint8(0), weights.T.reshape(20, 70, 1, 1).copy(), scale(1), np.int8(0),
                         scale(2**16), np.uint8(100)], known={3: range(4)}, is_rounded=False,
         expected=[np.broadcast_to(np.clip(np.rint(sums[0] / 2**16) + 100, 0, 255).astype(np.uint8).reshape(1, 20, 1, 1), (1, 20, 2, 3))]),
]


def lstm(directions, steps, batch, size, hidden, **more):
    per_column = more.pop("per_column", False)
    shape = (directions, 4 * hidden) if per_column else (directions, )
    unit = more.pop("unit", .005)
    scales = lambda: (rng.random(shape) * unit + unit).astype(np.float32)
    weights = [i8(directions, size, 4 * hidden), i8(directions, hidden, 4 * hidden)]
    inputs = [f32(steps, batch, size), *weights, more.pop("bias", None), more.pop("lengths", None), more.pop("h", None), more.pop("c", None),
              more.pop("peepholes", None), scales(), np.zeros(shape, np.int8), scales(), np.zeros(shape, np.int8)]
    return Case("DynamicQuantizeLSTM", inputs, {"hidden_size": hidden, **more}, outputs=(0, 1, 2), constants=(1, 2, 8, 9, 10, 11),
                # ONNX Runtime rounds states where we leave them real, too.
                tolerance=.03 if hidden < 128 else 5e-3)


CASES += [
    lstm(1, 3, 2, 5, 4),
    lstm(2, 3, 2, 5, 4, direction="bidirectional", per_column=True, bias=f32(2, 32), h=f32(2, 2, 4), c=f32(2, 2, 4)),
    lstm(1, 4, 2, 5, 4, direction="reverse", lengths=np.array([4, 2], np.int32), peepholes=f32(1, 12)),
    # States of one sequence are rounded.
    lstm(1, 6, 1, 9, 128, unit=.0005),
    lstm(1, 4, 1, 5, 128, unit=.0005, direction="reverse", bias=f32(1, 1024), h=f32(1, 1, 128)),
    lstm(2, 5, 1, 5, 132, unit=.0005, direction="bidirectional", per_column=True, bias=f32(2, 1056), h=f32(2, 1, 132), c=f32(2, 1, 132)),
    lstm(2, 4, 3, 5, 128, unit=.0005, direction="bidirectional", bias=f32(2, 1024)),
]
