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


def pnm(pixels):
    return b"P6 # comment\n%d %d\n255\n" % (WIDTH, HEIGHT) + pixels.tobytes()


def session(pixel_format):
    node = helper.make_node("ImageDecoder", ["x"], ["y"], pixel_format=pixel_format)
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", TensorProto.UINT8, ["n"])],
                              [helper.make_tensor_value_info("y", TensorProto.UINT8, [None] * 3)])
    return onnxc.InferenceSession(helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 20)]))


SESSIONS = {name: session(name) for name in ("RGB", "BGR", "Grayscale")}
failures = 0


def check(what, file, pixels, tolerance=0):
    """`pixels` None: no image. Gray is 0.299 R + 0.587 G + 0.114 B."""
    global failures
    for pixel_format, decoder in SESSIONS.items():
        got = decoder.run(None, {"x": np.frombuffer(file, np.uint8)})[0]
        if pixels is None:
            good = got.shape == (0, 0, 1 if pixel_format == "Grayscale" else 3)
        elif pixel_format == "Grayscale":
            gray = pixels @ np.array([.299, .587, .114])
            good = got.shape == (HEIGHT, WIDTH, 1) and np.abs(got[..., 0] - gray).max() <= tolerance + 1
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
check("nothing", b"", None)
check("text", b"this is no image at all", None)
for name, file in (("png", png(RGB, 2)), ("tiff", tiff(RGB, 0)), ("pnm", pnm(RGB))):
    check(f"{name} cut short", file[:len(file) - 40], None)
print(f"{failures} failures")
