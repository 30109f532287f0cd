import ml_dtypes

from case import *


def bits(size, columns, steps, block, **more):
    """MatMulNBits with `size` bits; more: zeros, order, bias, rows, dtype."""
    blocks = -(-steps // block)
    dtype = more.pop("dtype", np.float32)
    zeros, bias, order = more.pop("zeros", None), more.pop("bias", False), more.pop("order", None)
    rows = more.pop("rows", (3, ))
    if zeros == "packed":
        zeros = u8(columns * -(-blocks * size // 8))
    elif zeros == "real":
        zeros = (rng.random((columns, blocks)) * 2**size).astype(dtype)
    inputs = [f32(*rows, steps).astype(dtype), u8(columns, blocks, block * size // 8), (f32(columns * blocks) / 8).astype(dtype), zeros,
              order, f32(columns).astype(dtype) if bias else None]
    while inputs[-1] is None:
        inputs.pop()
    return Case("MatMulNBits", inputs, {"K": steps, "N": columns, "bits": size, "block_size": block, **more},
                constants=tuple(i for i in range(1, 5) if i < len(inputs) and inputs[i] is not None),
                tolerance=2e-2 if dtype == np.float16 else 1e-4)


def bnb(kind, steps, columns, block):
    count = steps * columns
    return Case("MatMulBnb4", [f32(2, steps), u8((count + 1) // 2), f32(-(-count // block))**2],
                {"K": steps, "N": columns, "block_size": block, "quant_type": kind}, constants=(1, 2), tolerance=1e-4)


def several(op, sizes, names, steps=64, block=32, skip=False, norm=True, **attributes):
    """Products of one normalized input with weights of 4 bits."""
    a, before, scale = f32(2, steps), f32(2, steps), f32(steps)
    total = a + before if skip else a
    rows = total / np.sqrt((total**2).mean(-1, keepdims=True) + 1e-3) * scale if norm else total
    inputs, products = [a, before if skip else None, scale if norm else None], []
    for size in sizes:
        packed, scales, offset = u8(size, steps // block, block // 2), f32(size * steps // block) / 8, f32(size)
        numbers = np.stack([packed & 15, packed >> 4], -1).reshape(size, steps // block, block).astype(np.float32) - 8
        inputs += [packed, scales, offset]
        products.append(rows @ (numbers * scales.reshape(size, -1, 1)).reshape(size, steps).T + offset)
    if op == "MatMulNBitsMlp":
        gate, up = products
        products = [gate / (1 + np.exp(-gate)) * up]
    return Case(op, inputs, {"K": steps, "bits": 4, "block_size": block, "epsilon": 1e-3, **names, **attributes},
                expected=[*products, total] if skip else products, outputs=tuple(range(len(products) + skip)),
                constants=tuple(i for i in range(3, len(inputs)) if i % 3 != 2), tolerance=1e-3)


def gather(data, indices, shape, zeros=None, dtype=np.float32, **attributes):
    return Case("GatherBlockQuantized", [data, indices, f32(*shape).astype(dtype), zeros], attributes, constants=(0, 2, 3) if zeros is not None
                else (0, 2), modes=("static", "open"))


CASES = [
    bits(4, 5, 64, 32, zeros="packed"),
    bits(4, 5, 40, 16, zeros="packed"),
    bits(4, 5, 64, 32),
    bits(4, 8, 64, 16, zeros="real", bias=True),
    bits(4, 8, 96, 32, rows=(2, 1), bias=True, accuracy_level=1),
    bits(4, 8, 64, 32, zeros="packed", dtype=np.float16),
    bits(8, 5, 64, 32, zeros="packed"),
    bits(8, 5, 64, 16),
    bits(2, 5, 64, 16, zeros="packed"),
    bits(2, 5, 64, 32),
    bits(4, 5, 64, 32, order=np.repeat(np.array([1, 0], np.int32), 32)),
    bits(4, 5, 64, 16, order=i32(0, 4, 64)),
    # Blocks of their full length, scattered; the last one is shorter. (ONNX Runtime ignores packed zero points then.)
    bits(4, 5, 40, 16, order=rng.permutation(np.arange(40) // 16).astype(np.int32)),
    bits(2, 9, 37, 16, zeros="packed", bias=True),
    bits(8, 9, 33, 16, zeros="packed"),
    several("MatMulNBitsMlp", [5, 5], {"N": 5, "activation": "silu"}),
    several("MatMulNBitsMlp", [5, 5], {"N": 5, "activation": "silu"}, skip=True),
    several("MatMulNBitsMlp", [5, 5], {"N": 5, "activation": "silu"}, norm=False),
    several("MatMulNBitsQkv", [8, 4, 4], {"Nq": 8, "Nkv": 4}),
    several("MatMulNBitsQkv", [8, 4, 4], {"Nq": 8, "Nkv": 4}, skip=True),
    bnb(0, 64, 6, 32),
    bnb(1, 64, 6, 64),
    bnb(1, 48, 5, 32),
    gather(u8(6, 16), i64(0, 6, 2, 3), (6, 2), u8(6, 1), bits=4, block_size=16),
    gather(u8(6, 16), i64(-6, 6, 3), (6, 1), bits=4, block_size=32),
    gather(u8(6, 32), i32(0, 6, 3), (6, 2), u8(6, 2), bits=8, block_size=16),
    gather(i64(-8, 8, 6, 32).astype(ml_dtypes.int4), i64(0, 6, 3), (6, 2), block_size=16),
    gather(i64(0, 16, 6, 32).astype(ml_dtypes.uint4), i64(0, 6, 3), (6, 2), i64(0, 16, 6, 2).astype(ml_dtypes.uint4), block_size=16),
]
