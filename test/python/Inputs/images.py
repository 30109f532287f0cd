# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ImageDecoder on files made here, byte by byte, and on what is no image."""
import struct
import zlib

import numpy as np
from onnx import TensorProto, helper

import onnxc

rng = np.random.default_rng(3)
RGBA = rng.integers(0, 256, (5, 7, 4)).astype(np.uint8)
RGB = np.ascontiguousarray(RGBA[..., :3])
HEIGHT, WIDTH, _ = RGB.shape


def png(pixels, color, depth=8):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + row.astype(">u2" if depth == 16 else "u1").tobytes() for row in pixels)
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, depth, color, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def tiff(pixels, extra):
    """Uncompressed; `extra` is what the fourth sample is."""
    samples = pixels.shape[2]
    tags = [(256, 4, 1, WIDTH), (257, 4, 1, HEIGHT), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 2), (273, 4, 1, 0),
            (277, 3, 1, samples), (278, 4, 1, HEIGHT), (279, 4, 1, pixels.size)] + [(338, 3, 1, extra)] * (samples == 4)
    start = 8 + 2 + 12 * len(tags) + 4
    entries = b"".join(struct.pack("<HHII", tag, kind, count, start if tag == 273 else value)
                       for tag, kind, count, value in tags)
    return struct.pack("<2sHIH", b"II", 42, 8, len(tags)) + entries + b"\0\0\0\0" + pixels.tobytes()


def bmp(pixels):
    rows = [row[:, ::-1].tobytes().ljust((3 * WIDTH + 3) // 4 * 4, b"\0") for row in pixels[::-1]]
    data = b"".join(rows)
    return struct.pack("<2sIHHIIiiHHIIiiII", b"BM", 54 + len(data), 0, 0, 54, 40, WIDTH, HEIGHT, 1, 24, 0, len(data), 0, 0,
                       0, 0) + data


def bmp_of(bits, rows, width, palette=b"", compression=0, masks=b"", from_top=False, old=False):
    """Of rows from the top, each packed; `old` has a header of 12 bytes."""
    stride = (width * bits + 31) // 32 * 4
    data = b"".join(row.ljust(stride, b"\0") for row in (rows if from_top else rows[::-1]))
    if old:
        header = struct.pack("<IHHHH", 12, width, len(rows), 1, bits)
    else:
        header = struct.pack("<IiiHHIIiiII", 40, width, -len(rows) if from_top else len(rows), 1, bits, compression, len(data), 0, 0, 0, 0)
    start = 14 + len(header) + len(masks) + len(palette)
    return struct.pack("<2sIHHI", b"BM", start + len(data), 0, 0, start) + header + masks + palette + data


def jpeg(blocks, adobe=None):
    """Baseline, of flat blocks: [rows, columns, components]; `adobe` is the
    transform that APP14 names. Only the first coefficient of a block is not 0."""
    def segment(marker, data):
        return struct.pack(">BBH", 0xff, marker, 2 + len(data)) + data

    rows, columns, components = blocks.shape
    frame = struct.pack(">BHHB", 8, 8 * rows, 8 * columns, components) + b"".join(bytes([c + 1, 0x11, 0]) for c in range(components))
    # Twelve codes of four bits for the lengths of differences; one bit says that no other coefficient follows.
    tables = b"\0" + bytes([0, 0, 0, 12] + 12 * [0]) + bytes(range(12)) + b"\x10" + bytes([1] + 15 * [0]) + b"\0"
    scan = bytes([components]) + b"".join(bytes([c + 1, 0]) for c in range(components)) + b"\0\x3f\0"
    bits, before = "", [0] * components
    for block in blocks.reshape(-1, components).tolist():
        for c, level in enumerate(block):
            difference, before[c] = 8 * (level - 128) - before[c], 8 * (level - 128)
            length = abs(difference).bit_length()
            bits += f"{length:04b}"
            if length:
                bits += f"{difference if difference > 0 else difference + (1 << length) - 1:0{length}b}"
            bits += "0"
    bits += "1" * (-len(bits) % 8)
    data = bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8)).replace(b"\xff", b"\xff\0")
    marker = b"" if adobe is None else segment(0xee, b"Adobe" + struct.pack(">HHHB", 100, 0, 0, adobe))
    return (b"\xff\xd8" + marker + segment(0xdb, b"\0" + b"\1" * 64) + segment(0xc0, frame) + segment(0xc4, tables) +
            segment(0xda, scan) + data + b"\xff\xd9")


def pnm(pixels):
    return b"P6 # comment\n%d %d\n255\n" % (WIDTH, HEIGHT) + pixels.tobytes()


def session(pixel_format):
    node = helper.make_node("ImageDecoder", ["x"], ["y"], pixel_format=pixel_format)
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", TensorProto.UINT8, ["n"])],
                              [helper.make_tensor_value_info("y", TensorProto.UINT8, [None] * 3)])
    return onnxc.InferenceSession(helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 20)]))


SESSIONS = {name: session(name) for name in ("RGB", "BGR", "Grayscale")}
failures = 0


def check(what, file, pixels, tolerance=0, behind=b""):
    """`pixels` None: no image. Gray is 0.299 R + 0.587 G + 0.114 B."""
    global failures
    for pixel_format, decoder in SESSIONS.items():
        got = decoder.run(None, {"x": np.frombuffer(file + behind, np.uint8)[:len(file)]})[0]
        if pixels is None:
            good = got.shape == (0, 0, 1 if pixel_format == "Grayscale" else 3)
        elif pixel_format == "Grayscale":
            gray = pixels @ np.array([.299, .587, .114])
            good = got.shape == (*pixels.shape[:2], 1) and np.abs(got[..., 0] - gray).max() <= tolerance + 1
        else:
            expected = pixels if pixel_format == "RGB" else pixels[..., ::-1]
            good = got.shape == expected.shape and np.abs(got.astype(int) - expected).max() <= tolerance
        if not good:
            failures += 1
            print(f"{what} as {pixel_format}: {got}")


GRAY = np.repeat(RGB[..., :1], 3, 2)
check("png", png(RGB, 2), RGB)
check("png with alpha", png(RGBA, 6), RGB)
check("png gray", png(RGB[..., 0], 0), GRAY)
check("png of 16 bits", png(RGB.astype(np.uint16) * 257, 2, 16), RGB)
check("tiff", tiff(RGB, 0), RGB)
check("tiff with alpha", tiff(RGBA, 2), RGB)
check("tiff with associated alpha", tiff(RGBA, 1), RGB)
check("bmp", bmp(RGB), RGB)
check("pnm", pnm(RGB), RGB)

# Bits of all numbers, with a palette; both orders of rows; the old header.
PALETTE = rng.integers(0, 256, (256, 3)).astype(np.uint8)
for bits in (1, 4, 8):
    indices = rng.integers(0, 1 << bits, (HEIGHT, WIDTH)).astype(np.uint8)
    packed = [np.packbits(np.unpackbits(row[:, None], axis=1)[:, 8 - bits:].reshape(-1)).tobytes() for row in indices]
    entries = np.pad(PALETTE[:1 << bits, ::-1], ((0, 0), (0, 1))).tobytes()
    check(f"bmp of {bits} bits", bmp_of(bits, packed, WIDTH, entries), PALETTE[indices])
    check(f"bmp of {bits} bits from the top", bmp_of(bits, packed, WIDTH, entries, from_top=True), PALETTE[indices])
    check(f"old bmp of {bits} bits", bmp_of(bits, packed, WIDTH, PALETTE[:1 << bits, ::-1].tobytes(), old=True), PALETTE[indices])
# 5, 6 and 5 bits, 5 each, 8 each in another order.
FIVE = RGB >> 3
SIX = RGB[..., 1] >> 2
WIDENED = np.round(FIVE * (255 / 31))
words = [(FIVE[..., 0].astype("<u2") << 10 | FIVE[..., 1].astype("<u2") << 5 | FIVE[..., 2])[y].astype("<u2").tobytes() for y in range(HEIGHT)]
check("bmp of 16 bits", bmp_of(16, words, WIDTH), WIDENED)
words = [(FIVE[..., 0].astype("<u2") << 11 | SIX.astype("<u2") << 5 | FIVE[..., 2])[y].astype("<u2").tobytes() for y in range(HEIGHT)]
check("bmp of 5, 6, 5 bits", bmp_of(16, words, WIDTH, compression=3, masks=struct.pack("<III", 0xf800, 0x7e0, 0x1f)),
      np.stack([WIDENED[..., 0], np.round(SIX * (255 / 63)), WIDENED[..., 2]], 2))
check("bmp of 32 bits", bmp_of(32, [row[:, [2, 1, 0, 3]].tobytes() for row in RGBA], WIDTH), RGB)
check("bmp of 32 bits in another order", bmp_of(32, [row.tobytes() for row in RGBA], WIDTH, compression=3,
                                                masks=struct.pack("<III", 0xff, 0xff00, 0xff0000)), RGB)
for what, compression, bits in (("run lengths", 1, 8), ("masks of 24 bits", 3, 24), ("two bits", 0, 2)):
    check(f"bmp of {what}", bmp_of(bits, [bytes(64)], 7, bytes(1024), compression=compression), None)
check("bmp without rows", bmp_of(24, [], 7), None)
check("bmp cut short", bmp(RGB)[:-1], None)
check("bmp of a header", bmp(RGB)[:30], None)
# Colors that the file does not have are black, whatever is behind it.
check("bmp without palette", bmp_of(8, [b"\1"], 1), np.zeros((1, 1, 3)), behind=b"\xff" * 64)

LEVELS = rng.integers(0, 256, (2, 3, 4))


def flat(levels):
    return np.repeat(np.repeat(levels, 8, 0), 8, 1)


def from_ycc(levels):
    y, cb, cr = np.moveaxis(levels[..., :3].astype(float), 2, 0) - [[[0]], [[128]], [[128]]]
    return np.clip(np.stack([y + 1.402 * cr, y - .344136 * cb - .714136 * cr, y + 1.772 * cb], 2), 0, 255)


check("jpeg of grays", jpeg(LEVELS[..., :1]), flat(np.repeat(LEVELS[..., :1], 3, 2)), 1)
check("jpeg", jpeg(LEVELS[..., :3]), flat(from_ycc(LEVELS)), 1)
check("jpeg of RGB", jpeg(LEVELS[..., :3], adobe=0), flat(LEVELS[..., :3]), 1)
check("jpeg of CMYK", jpeg(LEVELS, adobe=0), flat(LEVELS[..., :3] * LEVELS[..., 3:] // 255), 1)
check("jpeg of YCCK", jpeg(LEVELS, adobe=2), flat((255 - from_ycc(LEVELS)) * LEVELS[..., 3:] / 255), 2)
check("nothing", b"", None)
check("text", b"this is no image at all", None)
for name, file in (("png", png(RGB, 2)), ("tiff", tiff(RGB, 0)), ("pnm", pnm(RGB))):
    check(f"{name} cut short", file[:len(file) - 40], None)
print(f"{failures} failures")
