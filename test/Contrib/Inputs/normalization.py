from case import *


def group_norm(x, gamma, beta, groups, silu):
    """Of channels in the last axis."""
    n, h, w, c = x.shape
    rows = x.astype(np.float64).reshape(n, h * w, groups, c // groups)
    y = (rows - rows.mean((1, 3), keepdims=True)) / np.sqrt(rows.var((1, 3), keepdims=True) + 1e-5)
    y = y.reshape(x.shape) * gamma + beta
    return (y / (1 + np.exp(-y)) if silu else y).astype(np.float32)


def first(x):
    return np.moveaxis(x, -1, 1).copy()


def words(**more):
    mask, segments, positions = more.pop("mask", False), more.pop("segments", True), more.pop("positions", None)
    inputs = [i32(0, 9, 2, 4), i32(0, 2, 2, 4) if segments else None, f32(9, 8), f32(6, 8), f32(2, 8) if segments else None, f32(8), f32(8),
              np.array([[1, 1, 1, 0], [1, 1, 0, 0]], np.int32) if mask else None, positions]
    while inputs[-1] is None:
        inputs.pop()
    return Case("EmbedLayerNormalization", inputs, {"epsilon": 1e-5, **more}, is_rounded=False, outputs=(0, 1, 2))


def quantized_words(segments):
    tables = [u8(9, 8), u8(6, 8), u8(2, 8), u8(8), u8(8)]
    scales = [scale(.02), scale(.03), scale(.04), scale(.01), scale(.02)]
    zeros = [np.uint8(z) for z in (120, 130, 100, 7, 128)]
    if not segments:
        tables[2] = scales[2] = zeros[2] = None
    return Case("QEmbedLayerNormalization",
                [i32(0, 9, 2, 4), i32(0, 2, 2, 4) if segments else None, *tables, np.array([[1, 1, 1, 0], [1, 1, 0, 0]], np.int32), *scales, *zeros],
                {"epsilon": 1e-5}, outputs=(0, 1), is_rounded=False)


x, gamma, beta, skip, bias = f32(2, 3, 4, 8), f32(8), f32(8), f32(2, 8), f32(8)
total = x + skip[:, None, None] + bias
rms = f32(2, 3, 8)
CASES = [
    Case("SkipLayerNormalization", [f32(2, 3, 8), f32(2, 3, 8), f32(8), f32(8), f32(8)], {"epsilon": 1e-5}, outputs=(0, 3)),
    Case("SkipLayerNormalization", [f32(2, 3, 8), f32(3, 8), f32(8)], {}, outputs=(0, )),
    Case("SkipLayerNormalization", [f32(2, 3, 8), f32(1, 3, 8), f32(8), None, f32(8)], {"epsilon": 1e-3}, outputs=(0, 3)),
    Case("SkipLayerNormalization", [f16(2, 3, 8), f16(2, 3, 8), f16(8), f16(8)], {"epsilon": 1e-3}, tolerance=5e-3),
    Case("SkipSimplifiedLayerNormalization", [f32(2, 3, 8), f32(2, 3, 8), f32(8)], {"epsilon": 1e-5}, outputs=(0, 3)),
    Case("SkipSimplifiedLayerNormalization", [f32(2, 3, 8), f32(2, 3, 8), f32(8), f32(8)], outputs=(0, 3)),
    Case("SimplifiedLayerNormalization", [f32(2, 3, 8), f32(8)], {"epsilon": 1e-5, "axis": -1}, domain=""),
    Case("SimplifiedLayerNormalization", [f32(2, 3, 8), f32(3, 8)], {"axis": 1}, domain="", opset=11),
    Case("SimplifiedLayerNormalization", [f16(2, 3, 8), f16(8)], {"stash_type": 1}, domain="", tolerance=5e-3),
    Case("SimplifiedLayerNormalization", [rms, gamma], outputs=(0, 1),
         expected=[rms / (root := np.sqrt((rms**2).mean(-1, keepdims=True) + np.float32(1e-5))) * gamma, 1 / root]),
    Case("LayerNormalization", [f32(2, 3, 8), f32(8), f32(8)], {"epsilon": 1e-3}, outputs=(0, 1, 2), domain="", opset=12),
    Case("LayerNormalization", [f32(2, 3, 8), f32(8)], domain="", opset=9),
    words(mask=True),
    words(segments=False),
    words(mask=True, positions=i32(0, 6, 2, 4)),
    words(positions=i32(0, 6, 1, 4)),
    quantized_words(True),
    quantized_words(False),
    Case("GroupNorm", [x, gamma, beta], {"groups": 4, "activation": 1}, expected=[group_norm(x, gamma, beta, 4, True)], tolerance=1e-4),
    Case("GroupNorm", [first(x), gamma, beta], {"groups": 2, "activation": 0, "channels_last": 0},
         expected=[first(group_norm(x, gamma, beta, 2, False))], tolerance=1e-4),
    Case("SkipGroupNorm", [x, gamma, beta, skip, bias], {"groups": 4, "activation": 1}, outputs=(0, 1),
         expected=[group_norm(total, gamma, beta, 4, True), total], tolerance=1e-4),
]
