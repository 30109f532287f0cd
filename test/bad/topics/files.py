# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that are no models, and data outside of the model."""

import gzip
import io
import os
import pickle
import struct
import zipfile

import numpy as np
from onnx import TensorProto

from models import bad, f32, field, fine, model, node, save, single, varint, zeros

RELU = single("Relu", "f32[2]")


def archive(name):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archived:
        archived.writestr(name, b"x" * 40)
    return buffer.getvalue()


def special(kind):
    def make(folder):
        path = folder / "model.onnx"
        kind(path)
        return path
    return make


def deep(number_path, depth):
    """Messages within messages: the field numbers in turn."""
    content = b""
    for i in range(depth):
        content = field(number_path[i % len(number_path)], content)
    return content


def external(location, *, dims=(2,), offset=None, length=None, files=None, again=None, dtype=TensorProto.FLOAT, **fields):
    """A model with one external tensor 'w'; `files`: name -> bytes or a function of the path."""
    def make(folder):
        inside = folder / "inside"
        inside.mkdir()
        for name, content in (files or {}).items():
            path = inside / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if callable(content):
                content(path)
            else:
                path.write_bytes(content)
        weights = TensorProto(data_type=dtype, dims=dims, data_location=TensorProto.EXTERNAL, **fields)
        for key, value in [("location", location), ("offset", offset), ("length", length), again or (None, None)]:
            if value is not None:
                weights.external_data.add(key=key, value=str(value))
        return save(model([node("Add", "X w")], {"X": "f32[2]"}, init={"w": weights}))(inside)
    return make


def cases():
    whole = RELU.SerializeToString()
    big = single("Add", "f32[300]", zeros(300)).SerializeToString()
    yield bad("empty file", b"", "the file is empty")
    yield bad("git-lfs pointer", b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"a" * 64 + b"\nsize 12345\n",
              "git-lfs pointer")
    yield bad("HTML page", b"<!DOCTYPE html>\n<html><head><title>404</title></head></html>", "HTML page")
    yield bad("HTML page after a byte order mark", b"\xef\xbb\xbf\n <html lang='en'>", "HTML page")
    yield bad("XML", b"<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>", "XML")
    yield bad("JSON error", b'{"error": "not found"}', "JSON")
    yield bad("JSON list", b'[{"message": "Not Found"}]', "JSON")
    yield bad("zip", archive("a/b.onnx"), "zip archive")
    yield bad("PyTorch checkpoint", archive("archive/data.pkl"), "PyTorch")
    yield bad("NumPy archive", archive("arr_0.npy"), "NumPy")
    yield bad("NumPy array", b"\x93NUMPY\x01\x00v\x00{'descr': '<f4'}", "NumPy")
    yield bad("gzip", gzip.compress(whole), "gzip")
    yield bad("bzip2", b"BZh91AY&SY" + b"\x00" * 30, "bzip2")
    yield bad("xz", b"\xfd7zXZ\x00\x00\x04" + b"\x00" * 30, "xz")
    yield bad("zstd", b"\x28\xb5\x2f\xfd" + b"\x00" * 30, "zstd")
    yield bad("7-zip", b"7z\xbc\xaf\x27\x1c\x00\x04" + b"\x00" * 30, "7-Zip")
    yield bad("tar", b"model.onnx".ljust(257, b"\0") + b"ustar\x0000" + b"\0" * 248, "tar archive")
    yield bad("pickle", pickle.dumps({"a": [1, 2, 3]}, protocol=2), "pickle")
    header = b'{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}'
    yield bad("safetensors", struct.pack("<Q", len(header)) + header + b"\0" * 8, "safetensors")
    yield bad("HDF5", b"\x89HDF\r\n\x1a\n" + b"\0" * 60, "HDF5")
    yield bad("GGUF", b"GGUF\x03\x00\x00\x00" + b"\0" * 40, "GGUF")
    yield bad("TFLite", b"\x1c\x00\x00\x00TFL3" + b"\0" * 40, "TensorFlow Lite")
    yield bad("ONNX Runtime's own format", b"\x24\x00\x00\x00ORTM" + b"\0" * 40, "ORT")
    yield bad("shared object", b"\x7fELF\x02\x01\x01" + b"\0" * 60, "ELF")
    yield bad("PNG", b"\x89PNG\r\n\x1a\n" + b"\0" * 60, "image")
    yield bad("JPEG", b"\xff\xd8\xff\xe0\x00\x10JFIF" + b"\0" * 60, "image")
    yield bad("PDF", b"%PDF-1.7\n" + b"x" * 60, "PDF")
    yield bad("plain text", b"this is not a model\n" * 5, "text")
    yield bad("Python", b"#!/usr/bin/env python3\nimport onnx\n", "text")
    yield bad("zeros", b"\0" * 100, "malformed protobuf")
    yield bad("ones", b"\xff" * 100, "malformed protobuf")
    yield bad("random bytes", np.random.default_rng(1).bytes(5000), "malformed protobuf")
    for cut in (1, 2, 5, len(whole) // 2, len(whole) - 1):
        yield bad(f"cut after {cut}", whole[:cut], "model.onnx: ")
    for cut in (len(big) // 2, len(big) - 10):
        yield bad(f"weights cut after {cut}", big[:cut], "a field of ", "bytes, where")
    yield bad("trailing garbage", whole + b"\x07\x07\x07", "malformed protobuf")
    yield bad("model twice", whole + whole, "the input 'A' is listed twice")
    yield bad("no graph", model([node("Relu", "X")]).SerializeToString()[:0] + b"\x08\x0a", "it has no graph")
    yield bad("only an unknown field", field(99, b"hello"), "no graph")
    yield bad("a field longer than the file", b"\x08\x0a" + b"\x3a" + varint(1 << 40), "a field of")
    yield bad("a field of 2^64-1 bytes", b"\x3a" + b"\xff" * 9 + b"\x01", "malformed protobuf")
    yield bad("an endless number", b"\x08" + b"\xff" * 20, "malformed protobuf")
    yield bad("a group", b"\x3b" + b"\0" * 20, "malformed protobuf")
    yield bad("20000 graphs within attributes", field(7, deep((6, 5, 1), 30000)), "nested")
    yield bad("100000 types within types", field(7, field(11, field(1, b"X") + field(2, deep((1, 4), 100000)))), "nested")
    yield bad("directory", special(lambda p: p.mkdir()), "is a directory")
    yield bad("FIFO", special(os.mkfifo), "is a FIFO")
    yield bad("device", special(lambda p: p.symlink_to("/dev/zero")), "is a device")
    yield bad("missing", special(lambda p: None), "cannot be opened: No such file")
    yield bad("dangling link", special(lambda p: p.symlink_to("nowhere")), "cannot be opened: No such file")
    yield bad("link to itself", special(lambda p: p.symlink_to("model.onnx")), "cannot be opened: Too many levels")
    yield bad("no permission", special(lambda p: (p.write_bytes(b""), p.chmod(0))), "model.onnx: the ")

    data = f32(1, 2).tobytes()
    w = "initializer 'w' "
    yield fine("external", external("w.bin", files={"w.bin": data}))
    yield fine("external in a folder", external("a/b/w.bin", files={"a/b/w.bin": data}))
    yield fine("external with ./", external("./w.bin", files={"w.bin": data}))
    yield fine("external link inside", external("l.bin", files={"w.bin": data, "l.bin": lambda p: p.symlink_to("w.bin")}))
    yield bad("external missing", external("w.bin"), w, "'w.bin' cannot be opened: No such file")
    yield bad("external ..", external("../w.bin", files={"../w.bin": data}), w, "'../w.bin' leads out")
    yield fine("external a/../", external("a/../w.bin", files={"w.bin": data, "a/x": data}))
    yield bad("external with two locations", external("w.bin", files={"w.bin": data}, again=("location", "v.bin")), w, "names its external location twice")
    yield bad("external with two offsets", external("w.bin", files={"w.bin": data}, offset=0, again=("offset", "0")), w, "names its external offset twice")
    yield bad("external a/../../", external("a/../../w.bin", files={"../w.bin": data}), w, "leads out")
    yield bad("external absolute", external("/etc/passwd"), w, "'/etc/passwd' is an absolute path")
    yield bad("external empty", external(""), w, "'' is empty")
    yield bad("external with NUL", external("w.bin\0x", files={"w.bin": data}), w, "NUL")
    yield bad("external with bad UTF-8", external("w\udcff".encode("utf8", "surrogatepass").decode("latin1")), w, "cannot be opened")
    yield bad("external long name", external("w" * 100000), w, "cannot be opened: File name too long")
    yield bad("external link out", external("l.bin", files={"../w.bin": data, "l.bin": lambda p: p.symlink_to("../w.bin")}),
              w, "link out of the model's folder")
    yield bad("external folder link out",
              external("l/w.bin", files={"../o/w.bin": data, "l": lambda p: p.symlink_to("../o")}), w, "link out")
    yield bad("external FIFO", external("w.bin", files={"w.bin": os.mkfifo}), w, "is a FIFO")
    yield bad("external directory", external("w.bin", files={"w.bin/x": data}), w, "is a directory")
    yield bad("external device", external("z", files={"z": lambda p: p.symlink_to("/dev/zero")}), w, "'z' is a device")
    yield bad("external proc", external("z", files={"z": lambda p: p.symlink_to("/proc/self/environ")}), w, "'z' ")
    yield bad("external link to itself", external("z", files={"z": lambda p: p.symlink_to("z")}), w, "Too many levels")
    yield bad("external without location", external(None), w, "has no location")
    yield bad("external too short", external("w.bin", files={"w.bin": data[:7]}), w, "8 bytes", "'w.bin', which has 7")
    yield bad("external empty file", external("w.bin", files={"w.bin": b""}), w, "which has 0")
    yield bad("external with an unknown key", external("w.bin", files={"w.bin": data}, again=("ofset", "0")), w, "has an external key 'ofset'")
    yield fine("external with packed weights", external("w.bin", files={"w.bin": data}, again=("prepacked_0", "key|8|4;")))
    yield bad("external offset behind", external("w.bin", files={"w.bin": data}, offset=4), w, "offset 4")
    yield bad("external offset 2^63", external("w.bin", files={"w.bin": data}, offset=1 << 63), w, "offset 9223372036854775808")
    yield bad("external offset 2^64", external("w.bin", files={"w.bin": data}, offset=1 << 64), w, "'18446744073709551616' is not a number")
    yield bad("external offset -8", external("w.bin", files={"w.bin": data}, offset=-8), w, "'-8' is not a number")
    yield bad("external offset abc", external("w.bin", files={"w.bin": data}, offset="abc"), w, "'abc' is not a number")
    yield bad("external length short", external("w.bin", files={"w.bin": data}, length=4), w, "length is 4, 8 bytes were expected")
    yield bad("external length x", external("w.bin", files={"w.bin": data}, length="8x"), w, "'8x' is not a number")
    yield bad("external 2^40 elements", external("w.bin", files={"w.bin": data}, dims=(1 << 40,)), w, "4398046511104 bytes")
    yield bad("external and raw_data", external("w.bin", files={"w.bin": data}, raw_data=data), w, "has data of its own")
    yield bad("external and float_data", external("w.bin", files={"w.bin": data}, float_data=[1, 2]), w, "has data of its own")
    yield bad("external strings", external("w.bin", files={"w.bin": data}, dtype=TensorProto.STRING), w, "string")
