"""The Python package: what goes in, what comes out, what is refused.

usage: session.py FOLDER       (an existing folder for what is made)
"""

import os
import sys
import threading

import ml_dtypes
import numpy as np
import onnx
import onnx.parser

import onnxc
import onnxc.backend

TYPES = ["float", "uint8", "int8", "uint16", "int16", "int32", "int64", "string", "bool", "float16", "double",
         "uint32", "uint64", "complex64", "complex128", "bfloat16", "float8e4m3fn", "float8e4m3fnuz", "float8e5m2",
         "float8e5m2fnuz", "uint4", "int4", "float4e2m1", "float8e8m0", "uint2", "int2"]


def parse(text, opset=26):
    return onnx.parser.parse_model(f'<ir_version: 13, opset_import: ["" : {opset}]> main {text}')


def message(call, *arguments, **options):
    try:
        call(*arguments, **options)
    except onnxc.Error as error:
        return str(error)
    raise AssertionError("no error")


def check_types():
    """Bits survive the way in and out, of every element type."""
    for name in TYPES:
        number = onnx.TensorProto.DataType.Value(name.upper())
        model = parse("(float[2,n] x) => (float[2,n] y) { y = Identity(x) }")
        for value in (model.graph.input[0], model.graph.output[0]):
            value.type.tensor_type.elem_type = number
        session = onnxc.InferenceSession(model, opt_level=0)
        assert session.get_inputs()[0].type == f"tensor({name})", session.get_inputs()
        if name == "string":
            array = np.array([["a", "", "ü"], ["b\n", "c", "d"]], dtype=object)
        else:
            dtype = onnx.helper.tensor_dtype_to_np_dtype(number)
            # float8e8m0 has neither.
            low = 2 if "e8m0" in name else 0 if "u" in name or name == "bool" else -1
            array = np.array([[low, 1, 1], [1, 1, low]]).astype(dtype)
        got, = session.run(None, {"x": array})
        assert got.dtype == array.dtype and got.tolist() == array.tolist(), (name, got, array)
        empty, = session.run(None, {"x": array[:, :0]})
        assert empty.shape == (2, 0) and empty.dtype == array.dtype
    print("types:", len(TYPES))


def check_composites():
    """Sequences are lists, what is absent None."""
    for declared, value in [("seq(float[N])", [np.float32([1, 2]), np.float32([])]), ("seq(float[N])", []),
                            ("optional(float[N])", None), ("optional(float[N])", np.float32([3])),
                            ("optional(seq(int64[N]))", [np.int64([1, 2])])]:
        session = onnxc.InferenceSession(parse(f"({declared} x) => ({declared} y) {{ y = Identity(x) }}"), opt_level=0)
        got, = session.run(None, {"x": value})
        assert repr(got) == repr(value), (declared, got, value)
    print(message(session.run, None, {"x": [np.float32([1])]}))
    sequences = onnxc.InferenceSession(parse("(seq(float[N]) x) => (seq(float[N]) y) { y = Identity(x) }"), opt_level=0)
    print(message(sequences.run, None, {"x": [np.float32([1]), np.float64([1])]}))
    print(message(sequences.run, None, {"x": np.zeros((2, 2), np.float32)}))


def check_layouts():
    """However an array lies in memory, and lists too."""
    session = onnxc.InferenceSession(parse("(float[n,m] x) => (float[n,m] y) { y = Neg(x) }"), opt_level=0)
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    read_only = x.copy()
    read_only.flags.writeable = False
    unaligned = np.frombuffer(b"-" + x.tobytes(), np.float32, offset=1).reshape(2, 3)
    for given in (x, x.T, x[::-1, ::2], np.asfortranarray(x), x.astype(">f4"), read_only, unaligned, x[:0], x[:, :0],
                  x.tolist(), [[1, 2]], np.broadcast_to(np.float32(2), (2, 3))):
        got, = session.run(None, {"x": given})
        assert got.dtype == np.float32 and got.flags.writeable
        assert got.tolist() == (-np.asarray(given, np.float32)).tolist(), given
    scalar = onnxc.InferenceSession(parse("(int64 x) => (int64 y) { y = Neg(x) }"), opt_level=0)
    for given in (3, np.int64(3), np.array(3)):
        got, = scalar.run(None, {"x": given})
        assert isinstance(got, np.ndarray) and got.shape == () and got == -3
    print("layouts")


def check_plain():
    """Results are new arrays; what does not have the names of inputs and outputs never runs."""
    for shape in ("2,3", "n,3"):
        session = onnxc.InferenceSession(
            parse(f"(float[{shape}] x, int64 k) => (float[{shape}] y, int64 m) {{ y = Neg(x) m = Neg(k) }}"), opt_level=0)
        run = session._session.run
        x, k = np.arange(6, dtype=np.float32).reshape(2, 3), np.array(7)
        first = run(None, {"x": x, "k": k})
        assert first[0].tolist() == (-x).tolist() and first[1].shape == () and first[1] == -7
        second = run(None, {"k": k, "x": x + 1})
        assert not np.shares_memory(first[0], second[0]) and first[0].tolist() == (-x).tolist()
        for feed in ({"x": x}, {"x": x, "k": k, "z": k}, {"x": x, "z": k}, {}, None, [x, k]):
            assert run(None, feed) is None, feed
        for names in (["z"], ["y", 3], "y", ("y",)):
            assert run(names, {"x": x, "k": k}) is None, names
        m, y = run(["m", "y"], {"x": x, "k": k})
        assert m == -7 and y.tolist() == (-x).tolist()
    print("plain")


def check_forms(folder):
    """Paths, bytes and protobufs; models and machine code."""
    model = parse("(float[n] x, float y) => (float[n] sum, float[n] product) { sum = Add(x, y) product = Mul(x, y) }")
    path = os.path.join(folder, "model.onnx")
    onnx.save(model, path)
    library = onnxc.compile(path, os.path.join(folder, "lib.so"), opt_level=0)
    x, y = np.array([1, 2, 3], np.float32), np.float32(2)
    for form in (path, model, model.SerializeToString(), library, onnxc.compile(model)):
        session = onnxc.InferenceSession(form, threads=2)
        assert [(arg.name, arg.type, arg.shape) for arg in session.get_inputs()] == [
            ("x", "tensor(float)", ["n"]), ("y", "tensor(float)", [])]
        assert [value.tolist() for value in session.run(None, {"x": x, "y": y})] == [[3, 4, 5], [2, 4, 6]]
        assert [value.tolist() for value in session.run(["product"], {"x": x[::-1], "y": 2})] == [[6, 4, 2]]
    print("forms:", sorted(os.listdir(folder)))

    def run_often(failures):
        for i in range(200):
            total, _ = session.run(None, {"x": x, "y": np.float32(i)})
            if total.tolist() != [1 + i, 2 + i, 3 + i]:
                failures.append(i)

    failures = []
    threads = [threading.Thread(target=run_often, args=(failures,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print("wrong in threads:", failures)


def check_errors():
    session = onnxc.InferenceSession(parse("(float[n,3] x) => (float[n,3] y) { y = Relu(x) }"), opt_level=0)
    x = np.zeros((2, 3), np.float32)
    print(message(session.run, None, {}))
    print(message(session.run, None, {"x": x, "z": x}))
    print(message(session.run, ["z"], {"x": x}))
    print(message(session.run, None, {"x": x.astype(np.float64)}))
    print(message(session.run, None, {"x": x.T}))
    print(message(session.run, None, {"x": x.astype("M8[s]")}))
    print(message(session.run, None, {"x": None}))
    print(message(session.run, None, {"x": [[1, 2, 3], [4]]}))
    print(message(session.run, None, {"x": [["a", "b", "c"]]}))
    print(message(session.run, None, [x]))
    print(message(session.run, "y", {"x": x}))
    whole = onnxc.InferenceSession(parse("(int64[n] x) => (int64[n] y) { y = Neg(x) }"), opt_level=0)
    print(message(whole.run, None, {"x": [1.5]}))
    print(message(whole.run, None, {"x": [2**70]}))
    texts = onnxc.InferenceSession(parse("(string[n] x) => (string[n] y) { y = Identity(x) }"), opt_level=0)
    print(message(texts.run, None, {"x": ["a\0b"]}))
    print(message(session.run, None, {"x": np.zeros([1] * 17, np.float32)}))
    unknown = parse("(float[2] x) => (float[2] y) { y = Relu(x) }")
    unknown.graph.node[0].op_type, unknown.graph.node[0].name = "Other", "here"
    print(message(onnxc.compile, unknown))
    print(message(onnxc.compile, "/no/such/model.onnx"))
    print(message(onnxc.compile, b"what"))
    print(message(onnxc.compile, unknown, "x.dll"))
    print(message(onnxc.compile, unknown, opt_level=7))
    print(message(onnxc.compile, None))
    for threads in (-1, 1 << 40, "two"):
        print(message(onnxc.InferenceSession, unknown, threads=threads))
    print(message(onnxc.InferenceSession, b"\x7fELF, but no more"))


def check_backend():
    node = onnx.helper.make_node("Add", ["a", "b"], ["c"])
    inputs = [np.array([1, 2], np.int32), np.int32(3)]
    assert onnxc.backend.supports_device("CPU") and not onnxc.backend.supports_device("CUDA")
    assert onnxc.backend.run_node(node, inputs)[0].tolist() == [4, 5]
    model = parse("(int32[n] a, int32 b) => (int32[n] c) { c = Add(a, b) }")
    assert onnxc.backend.is_compatible(model)
    assert onnxc.backend.run_model(model, inputs)[0].tolist() == [4, 5]
    assert onnxc.backend.prepare(model, "CPU").run({"b": inputs[1], "a": inputs[0]})[0].tolist() == [4, 5]
    pair = onnx.helper.make_node("ConcatFromSequence", ["s"], ["c"], axis=0)
    assert onnxc.backend.run_node(pair, [[np.int32([1]), np.int32([2])]])[0].tolist() == [1, 2]
    assert onnxc.backend.run_node(onnx.helper.make_node("Add", ["a", "a"], ["c"]), inputs[:1])[0].tolist() == [2, 4]
    print(message(onnxc.backend.run_node, node, inputs[:1]))
    print(message(onnxc.backend.prepare, model, "CUDA"))
    print("backend")


if __name__ == "__main__":
    check_types()
    check_composites()
    check_layouts()
    check_plain()
    check_forms(sys.argv[1])
    check_errors()
    check_backend()
