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
    bnb(0, 64, 6, 32),
    bnb(1, 64, 6, 64),
    bnb(1, 48, 5, 32),
    gather(u8(6, 16), i64(0, 6, 2, 3), (6, 2), u8(6, 1), bits=4, block_size=16),
    gather(u8(6, 16), i64(-6, 6, 3), (6, 1), bits=4, block_size=32),
    gather(u8(6, 32), i32(0, 6, 3), (6, 2), u8(6, 2), bits=8, block_size=16),
]
