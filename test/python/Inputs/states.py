# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models with states against the same models without, step by step."""
import contextlib
import os
import subprocess
import sys
import tempfile
import threading

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import onnxc

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64
random = np.random.default_rng(7)
tests = 0


def test(function):
    global tests
    function()
    tests += 1
    return function


class Graph:
    """A model under construction."""

    def __init__(self):
        self.nodes, self.inputs, self.outputs, self.constants, self.count = [], [], [], [], 0

    def const(self, value, dtype=np.float32):
        self.count += 1
        name = f"c{self.count}"
        self.constants.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def weight(self, *shape):
        return self.const(random.standard_normal(shape) / np.sqrt(shape[0]))

    def op(self, kind, *inputs, out=None, outputs=1, **attributes):
        self.count += 1
        names = [out] if out else [f"v{self.count}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, name=f"n{self.count}", **attributes))
        return names[0] if outputs == 1 else names

    def input(self, name, dims, dtype=FLOAT):
        self.inputs.append(helper.make_tensor_value_info(name, dtype, dims))
        return name

    def output(self, name, dims, dtype=FLOAT):
        self.outputs.append(helper.make_tensor_value_info(name, dtype, dims))

    def model(self, opset=18):
        graph = helper.make_graph(self.nodes, "g", self.inputs, self.outputs, self.constants)
        opsets = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
        made = helper.make_model(graph, opset_imports=opsets, ir_version=8)
        onnx.checker.check_model(made)
        return made


def llama(layers=2, heads=4, groups=2, size=8, batch="batch"):
    """Grouped queries, rotary positions, RMS norms; caches as optimum names them."""
    g = Graph()
    width = heads * size
    g.input("input_ids", [batch, "sequence"], INT64)
    g.input("position_ids", [batch, "sequence"], INT64)
    x = g.op("Gather", g.weight(50, width), "input_ids", axis=0)
    angles = np.outer(np.arange(64), 1 / 100 ** (np.arange(size // 2) / (size // 2)))
    tables = [np.concatenate([f(angles)] * 2, axis=1) for f in (np.cos, np.sin)]
    cos, sin = (g.op("Unsqueeze", g.op("Gather", g.const(t), "position_ids", axis=0), g.const([1], np.int64)) for t in tables)

    def rotate(v):
        a, b = g.op("Split", v, outputs=2, axis=-1, num_outputs=2)
        turned = g.op("Concat", g.op("Neg", b), a, axis=-1)
        return g.op("Add", g.op("Mul", v, cos), g.op("Mul", turned, sin))

    def heads_of(v, count):
        return g.op("Transpose", g.op("Reshape", v, g.const([0, 0, count, size], np.int64)), perm=[0, 2, 1, 3])

    def repeat(v):
        shape = g.op("Shape", v)
        b, n = (g.op("Slice", shape, g.const([i], np.int64), g.const([i + 1], np.int64)) for i in (0, 2))
        wide = g.op("Concat", b, g.const([groups, heads // groups], np.int64), n, g.const([size], np.int64), axis=0)
        flat = g.op("Concat", b, g.const([heads], np.int64), n, g.const([size], np.int64), axis=0)
        return g.op("Reshape", g.op("Expand", g.op("Unsqueeze", v, g.const([2], np.int64)), wide), flat)

    def norm(v):
        mean = g.op("ReduceMean", g.op("Mul", v, v), g.const([-1], np.int64))
        return g.op("Mul", g.op("Div", v, g.op("Sqrt", g.op("Add", mean, g.const(1e-5)))), g.weight(width))

    for layer in range(layers):
        past = [g.input(f"past_key_values.{layer}.{what}", [batch, groups, "past_sequence_length", size]) for what in ("key", "value")]
        h = norm(x)
        q = rotate(heads_of(g.op("MatMul", h, g.weight(width, width)), heads))
        k = rotate(heads_of(g.op("MatMul", h, g.weight(width, groups * size)), groups))
        v = heads_of(g.op("MatMul", h, g.weight(width, groups * size)), groups)
        k, v = (g.op("Concat", p, new, out=f"present.{layer}.{what}", axis=2) for p, new, what in zip(past, (k, v), ("key", "value")))
        for what in ("key", "value"):
            g.output(f"present.{layer}.{what}", [batch, groups, "total_sequence_length", size])
        scores = g.op("MatMul", q, g.op("Transpose", repeat(k), perm=[0, 1, 3, 2]))
        scores = g.op("Mul", scores, g.const(size ** -0.5))
        # Causal: key j is seen from position i if j <= i.
        total = g.op("Squeeze", g.op("Slice", g.op("Shape", k), g.const([2], np.int64), g.const([3], np.int64)), g.const([0], np.int64))
        keys = g.op("Range", g.const(0, np.int64), total, g.const(1, np.int64))
        seen = g.op("LessOrEqual", keys, g.op("Unsqueeze", "position_ids", g.const([1, 3], np.int64)))
        scores = g.op("Where", seen, scores, g.const(-1e9))
        mixed = g.op("MatMul", g.op("Softmax", scores, axis=-1), repeat(v))
        joined = g.op("Reshape", g.op("Transpose", mixed, perm=[0, 2, 1, 3]), g.const([0, 0, width], np.int64))
        x = g.op("Add", x, g.op("MatMul", joined, g.weight(width, width)))
    g.op("MatMul", norm(x), g.weight(width, 50), out="logits")
    g.output("logits", [batch, "sequence", 50])
    return g.model()


def tokens(lengths, batch=1):
    """What a language model is fed: a prompt, and tokens."""
    feeds, position = [], 0
    for n in lengths:
        positions = np.arange(position, position + n, dtype=np.int64)
        feeds.append({"input_ids": random.integers(0, 50, (batch, n)), "position_ids": np.broadcast_to(positions, (batch, n)).copy()})
        position += n
    return feeds


def start_of(model, pairs, sizes):
    """Zeros for the inputs that are states."""
    made = {}
    for value in model.graph.input:
        if value.name in pairs.values():
            dims = [d.dim_value if d.HasField("dim_value") else sizes.get(d.dim_param, 0) for d in value.type.tensor_type.shape.dim]
            made[value.name] = np.zeros(dims, helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type))
    return made


def loop(session, pairs, feeds, state):
    """Outputs of each step of a model without states."""
    names = [value.name for value in session.get_outputs()]
    for feed in feeds:
        outputs = dict(zip(names, session.run(None, {**feed, **state})))
        state = {name: outputs.pop(output) for output, name in pairs.items()}
        yield outputs, state


def compare(model, pairs, feeds, sizes=None, state=None, against_ort=True, **options):
    """Steps of the model with states, which are `pairs` of outputs and inputs."""
    data = model.SerializeToString()
    state = state or ",".join(f"{output}={name}" for output, name in pairs.items())
    session = onnxc.InferenceSession(data, state=state, **options)
    assert sorted(session.state.names) == sorted(pairs.values()), session.state.names
    assert session.state.outputs == {name: output for output, name in pairs.items()}
    assert not set(pairs.values()) & {value.name for value in session.get_inputs()}
    names = [value.name for value in session.get_outputs()]
    zeros = start_of(model, pairs, sizes or {})
    plain_options = {name: value for name, value in options.items() if name != "state_capacity"}
    plain = loop(onnxc.InferenceSession(data, **plain_options), pairs, feeds, zeros)
    ort = loop(onnxruntime.InferenceSession(data), pairs, feeds, zeros)
    for feed in feeds:
        outputs = dict(zip(names, session.run(None, feed)))
        want, next_state = next(plain)
        for name, value in want.items():
            assert np.array_equal(outputs[name], value, equal_nan=True), (name, np.abs(outputs[name] - value).max())
        for name, value in next_state.items():
            assert np.array_equal(session.state[name], value), name
        if against_ort:
            want, next_state = next(ort)
            for name, value in [*want.items(), *next_state.items()]:
                got = outputs[name] if name in outputs else session.state[name]
                np.testing.assert_allclose(got, value, rtol=2e-4, atol=2e-5, err_msg=name)
    return session


LLAMA_PAIRS = {f"present.{layer}.{what}": f"past_key_values.{layer}.{what}" for layer in range(2) for what in ("key", "value")}


@test
def language_model():
    model = llama()
    for options in ({"opt_level": 0}, {"opt_level": 2}, {"mcpu": "portable"}, {"threads": 1}, {"dims": {"batch": 1}},
                    {"dims": {"batch": 1, "sequence": (1, 8)}}, {"state_capacity": 32, "dims": {"batch": 1}}):
        compare(model, LLAMA_PAIRS, tokens([5, 1, 1, 3, 1, 1, 1]), {"batch": 1}, **options)
    session = compare(model, LLAMA_PAIRS, tokens([4, 1, 2], batch=3), {"batch": 3}, state="auto")
    assert session.state.length == 7 and set(session.state.axes.values()) == {2}
    compare(model, LLAMA_PAIRS, tokens([4, 1]), {"batch": 1}, state="present.*.key=past_key_values.*.key,present.*.value=past_key_values.*.value")


@test
def what_is_done_with_states():
    data = llama().SerializeToString()
    session = onnxc.InferenceSession(data, state="auto", threads=1)
    feeds = tokens([5, 1, 1, 1])
    runs = [session.run(["logits"], feed)[0] for feed in feeds]
    saved = session.state.save()
    before = {name: session.state[name] for name in session.state}
    # Truncated, the last tokens come again.
    session.state.truncate(6)
    assert session.state.length == 6
    assert all(np.array_equal(session.run(["logits"], feed)[0], want) for feed, want in zip(feeds[2:], runs[2:]))
    # A fork goes its own way.
    session.state.truncate(7)
    fork = session.state.fork()
    assert np.array_equal(fork.run(["logits"], feeds[3])[0], runs[3]) and fork.state.length == 8 and session.state.length == 7
    other = {**feeds[3], "input_ids": feeds[3]["input_ids"] ^ 1}
    assert not np.array_equal(session.run(["logits"], other)[0], runs[3])
    assert np.array_equal(fork.state["past_key_values.0.key"], before["past_key_values.0.key"])
    # What is saved can be loaded, here and elsewhere.
    session.state.reset()
    assert session.state.length == 0
    session.state.load(saved)
    assert all(np.array_equal(session.state[name], value) for name, value in before.items())
    for wrong in (b"", saved[:-8], saved + bytes(8), b"x" + saved[1:], saved[:60] + bytes([saved[60] ^ 1]) + saved[61:]):
        try:
            session.state.load(wrong)
        except onnxc.Error as error:
            assert "not saved states of this model" in str(error), error
        else:
            raise AssertionError("wrong bytes were loaded")
    assert session.state.length == 8
    # One by one.
    session.state.reset()
    for name, value in before.items():
        session.state[name] = value[:, :, :6]
    assert np.array_equal(session.run(["logits"], feeds[2])[0], runs[2])
    for name, call in {"no state 'x'": lambda: session.state["x"],
                       "expected float [batch, 2, past_sequence_length, 8]": lambda: session.state.__setitem__(
                           "past_key_values.0.key", np.zeros((1, 3, 4, 8), np.float32)),
                       "expected a length from 0 to 7": lambda: session.state.truncate(8),
                       "as in input 'input_ids', got 1": lambda: session.run(None, tokens([1], batch=2)[0])}.items():
        try:
            call()
        except onnxc.Error as error:
            assert name in str(error), error
        else:
            raise AssertionError(name)
    assert session.state.length == 7
    # Threads take turns.
    session.state.reset()
    workers = [threading.Thread(target=lambda: [session.run(None, tokens([1])[0]) for _ in range(5)]) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert session.state.length == 4 * 5


@test
def other_process():
    data = llama().SerializeToString()
    feeds = tokens([5, 1, 1])
    with tempfile.TemporaryDirectory() as folder:
        library, states, result = (os.path.join(folder, name) for name in ("m.so", "states", "result.npy"))
        onnxc.compile(data, library, state="auto", mcpu="portable")
        session = onnxc.InferenceSession(library)
        for feed in feeds[:2]:
            session.run(None, feed)
        with open(states, "wb") as file:
            file.write(session.state.save())
        np.savez(os.path.join(folder, "feed.npz"), **feeds[2])
        program = (f"import numpy as np\nfrom onnxc.runtime import InferenceSession\nsession = InferenceSession({library!r})\n"
                   f"session.state.load(open({states!r}, 'rb').read())\n"
                   f"np.save({result!r}, session.run(['logits'], dict(np.load({folder!r} + '/feed.npz')))[0])\n")
        subprocess.run([sys.executable, "-c", program], check=True)
        assert np.array_equal(np.load(result), session.run(["logits"], feeds[2])[0])


@test
def recurrence():
    """An LSTM whose h and c are states, as Silero's VAD names them."""
    g = Graph()
    g.input("input", ["batch", "time", 5])
    g.input("h", [1, "batch", 6])
    g.input("c", [1, "batch", 6])
    x = g.op("Transpose", "input", perm=[1, 0, 2])
    g.nodes.append(helper.make_node("LSTM", [x, g.weight(1, 24, 5), g.weight(1, 24, 6), g.weight(1, 48), "", "h", "c"], ["y", "hn", "cn"],
                                    hidden_size=6))
    g.op("Sigmoid", "y", out="output")
    g.output("output", ["time", 1, "batch", 6])
    g.output("hn", [1, "batch", 6])
    g.output("cn", [1, "batch", 6])
    feeds = [{"input": random.standard_normal((2, n, 5)).astype(np.float32)} for n in (1, 1, 4, 2)]
    for options in ({}, {"opt_level": 0}):
        session = compare(g.model(), {"hn": "h", "cn": "c"}, feeds, {"batch": 2}, state="auto", **options)
    assert session.state.length == 0 and session.state["h"].shape == (1, 2, 6)
    try:
        session.state.truncate(0)
    except onnxc.Error as error:
        assert "does not grow" in str(error)
    else:
        raise AssertionError("a state that does not grow was cut off")


@test
def causal_convolutions():
    """What a causal convolution has to see again: the end of what it was given."""
    g = Graph()
    g.input("frames", [1, 3, "time"])
    x = "frames"
    pairs = {}
    for i, width in enumerate((4, 2)):
        cache = g.input(f"cache_{i}", [1, 3, width])
        whole = g.op("Concat", cache, x, axis=2)
        g.op("Slice", whole, g.const([-width], np.int64), g.const([2**62], np.int64), g.const([2], np.int64), out=f"new_cache_{i}")
        g.output(f"new_cache_{i}", [1, 3, width])
        pairs[f"new_cache_{i}"] = f"cache_{i}"
        x = g.op("Relu", g.op("Conv", whole, g.weight(3, 3, width + 1)))
    g.op("Identity", x, out="y")
    g.output("y", [1, 3, "time"])
    feeds = [{"frames": random.standard_normal((1, 3, n)).astype(np.float32)} for n in (7, 1, 1, 12, 3)]
    compare(g.model(), pairs, feeds, state="auto")
    # Pulse by pulse it gives what it gives of all at once.
    session = onnxc.InferenceSession(g.model().SerializeToString(), state="auto")
    parts = np.concatenate([session.run(None, feed)[0] for feed in feeds], axis=2)
    session.state.reset()
    whole = session.run(None, {"frames": np.concatenate([feed["frames"] for feed in feeds], axis=2)})[0]
    np.testing.assert_allclose(parts, whole, rtol=1e-5, atol=1e-6)


@test
def merged_decoder():
    """As optimum merges decoders: an If chooses between a graph that begins and one that goes on; the encoder's part does not grow."""
    g = Graph()
    g.input("hidden", [1, "sequence", 8])
    g.input("encoder", [1, "encoder_length", 8])
    past = g.input("past_key_values.0.decoder.key", [1, "past_length", 8])
    cross = g.input("past_key_values.0.encoder.key", [1, "encoder_out", 8])
    g.input("use_cache", [], TensorProto.BOOL)
    weight = g.weight(8, 8)
    branches = []
    for name in ("goes_on", "begins"):
        nodes = [helper.make_node("MatMul", ["hidden", weight], [f"{name}_new"]),
                 helper.make_node("Concat", [past, f"{name}_new"], [f"{name}_key"], axis=1) if name == "goes_on"
                 else helper.make_node("Identity", [f"{name}_new"], [f"{name}_key"]),
                 helper.make_node("Identity", [cross], [f"{name}_cross"]) if name == "goes_on"
                 else helper.make_node("MatMul", ["encoder", weight], [f"{name}_cross"])]
        outs = [helper.make_tensor_value_info(f"{name}_{what}", FLOAT, [1, None, 8]) for what in ("key", "cross")]
        branches.append(helper.make_graph(nodes, name, [], outs))
    g.nodes.append(helper.make_node("If", ["use_cache"], ["present.0.decoder.key", "present.0.encoder.key"],
                                    then_branch=branches[0], else_branch=branches[1]))
    g.op("ReduceSum", "present.0.decoder.key", g.const([1], np.int64), out="a", keepdims=0)
    g.op("ReduceSum", "present.0.encoder.key", g.const([1], np.int64), out="b", keepdims=0)
    g.op("Add", "a", "b", out="y")
    g.output("y", [1, 8])
    g.output("present.0.decoder.key", [1, "total_length", 8])
    g.output("present.0.encoder.key", [1, "encoder_total", 8])
    pairs = {f"present.0.{what}.key": f"past_key_values.0.{what}.key" for what in ("decoder", "encoder")}
    encoder = random.standard_normal((1, 5, 8)).astype(np.float32)
    feeds = [{"hidden": random.standard_normal((1, n, 8)).astype(np.float32), "encoder": encoder, "use_cache": np.array(i > 0)}
             for i, n in enumerate((3, 1, 1, 2))]
    session = compare(g.model(), pairs, feeds, state="auto")
    # The decoder's part goes back alone.
    session.state.truncate(3, "past_key_values.0.decoder.key")
    assert session.state["past_key_values.0.encoder.key"].shape == (1, 5, 8)
    assert session.state["past_key_values.0.decoder.key"].shape == (1, 3, 8)


def branching_decoder():
    """Branches that append, that begin anew and that leave a cache as it is, each of which reads its own; an encoder's part that one makes."""
    return onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 18]>
        g (float[b, n, 8] hidden, float[b, m, 8] encoder, float[b, p, 8] "past.key", float[b, m, 8] "past.cross", int64 what, int64[k] pick)
        => (float[b, k, s] y, float[b, t, 8] "present.key", float[b, m, 8] "present.cross") <int64 zero = {0}, int64 one = {1}> {
            begins = Equal (what, zero)
            scores, "present.key", "present.cross" = If (begins) <
                then_branch = first () => (float[b, n, s] scores_0, float[b, t, 8] key_0, float[b, m, 8] cross_0) {
                    key_0 = Neg (hidden)
                    cross_0 = Exp (encoder)
                    turned_0 = Transpose <perm = [0, 2, 1]> (key_0)
                    scores_0 = MatMul (hidden, turned_0)
                },
                else_branch = others () => (float[b, n, s] scores_1, float[b, t, 8] key_1, float[b, m, 8] cross_1) {
                    goes_on = Equal (what, one)
                    scores_1, key_1 = If (goes_on) <
                        then_branch = second () => (float[b, n, s] scores_2, float[b, t, 8] key_2) {
                            new = Neg (hidden)
                            key_2 = Concat <axis = 1> ("past.key", new)
                            turned_2 = Transpose <perm = [0, 2, 1]> (key_2)
                            scores_2 = MatMul (hidden, turned_2)
                        },
                        else_branch = third () => (float[b, n, s] scores_3, float[b, t, 8] key_3) {
                            key_3 = Identity ("past.key")
                            turned_3 = Transpose <perm = [0, 2, 1]> ("past.cross")
                            scores_3 = MatMul (hidden, turned_3)
                        }>
                    cross_1 = Identity ("past.cross")
                }>
            y = Gather <axis = 1> (scores, pick)
        }""")


@test
def branches_append():
    """Each branch is bound for itself: appended to, begun anew with fewer rows or more, left as it is; also where nothing was before."""
    pairs = {f"present.{what}": f"past.{what}" for what in ("key", "cross")}
    model = branching_decoder()

    def feeds(steps, batch=1):
        return [{"hidden": random.standard_normal((batch, n, 8)).astype(np.float32), "encoder": random.standard_normal((batch, 5, 8)).astype(np.float32),
                 "what": np.array(what), "pick": np.arange(n)} for what, n in steps]
    steps = [(2, 2), (0, 3), (1, 1), (1, 2), (2, 1), (1, 1), (0, 2), (1, 5), (0, 9), (2, 1), (1, 1)]
    for options in ({"opt_level": 0}, {}, {"dims": {"b": 1}}, {"dims": {"b": 1, "n": (1, 4)}}, {"state_capacity": 16}):
        session = compare(model, pairs, feeds(steps), {"b": 1, "m": 5}, **options)
        assert session.state.axes == {"past.key": 1, "past.cross": None}
        before = {name: session.state[name] for name in session.state.names}
        # The last operator fails when the branch has been taken: nothing is another one then.
        for what in (0, 1, 2):
            feed = feeds([(what, 3)])[0] | {"pick": np.array([7])}
            try:
                session.run(None, feed)
            except onnxc.Error as error:
                assert "out of range" in str(error), error
            else:
                raise AssertionError("no error")
            assert all(np.array_equal(session.state[name], value) for name, value in before.items()), what
        session.run(None, feeds([(1, 2)])[0])
        assert np.array_equal(session.state["past.key"][:, :-2], before["past.key"])
        # Memory that another batch had says nothing of this one's.
        session.state.reset()
        if options.get("dims", {}).get("b") != 1:
            for feed in feeds([(2, 1), (1, 4), (1, 3)], batch=4):
                session.run(None, feed)
            assert session.state["past.key"].shape == (4, 7, 8)


@test
def two_continuations():
    """Another Concat begins with the same rows of the past."""
    g = Graph()
    past, x = g.input("past", [1, "p", 8]), g.input("x", [1, "n", 8])
    g.op("Concat", past, g.op("Neg", x), axis=1, out="present")
    g.op("ReduceMax", g.op("Concat", past, x, axis=1), out="y")
    g.output("present", [1, "t", 8])
    g.output("y", [1, 1, 1])
    feeds = [{"x": random.standard_normal((1, n, 8)).astype(np.float32)} for n in (3, 1, 4)]
    for options in ({}, {"opt_level": 0}):
        compare(g.model(), {"present": "past"}, feeds, **options)


@test
def operators_with_a_cache():
    """Attention and TensorScatter of opset 24, by their operands alone."""
    g = Graph()
    q, k, v = (g.input(name, [1, 2, "n", 8]) for name in "qkv")
    pasts = [g.input(name, [1, 2, "p", 8]) for name in ("a", "b")]
    g.nodes.append(helper.make_node("Attention", [q, k, v, "", *pasts], ["y", "c", "d"], is_causal=1))
    for name in "cd":
        g.output(name, [1, 2, "t", 8])
    g.output("y", [1, 2, "n", 8])
    feeds = [{name: random.standard_normal((1, 2, n, 8)).astype(np.float32) for name in "qkv"} for n in (4, 1, 1, 3)]
    for options in ({}, {"opt_level": 0}):
        compare(g.model(24), {"c": "a", "d": "b"}, feeds, state="auto", against_ort=False, **options)
    g = Graph()
    g.op("TensorScatter", g.input("k", [1, 2, 16, 8]), g.input("x", [1, 2, "n", 8]), g.input("i", [1], INT64), out="z")
    g.op("ReduceSum", "z", g.const([2], np.int64), out="y", keepdims=0)
    g.output("z", [1, 2, 16, 8])
    g.output("y", [1, 2, 8])
    feeds = [{"x": random.standard_normal((1, 2, n, 8)).astype(np.float32), "i": np.array([i])} for i, n in ((0, 4), (4, 1), (5, 1), (6, 8))]
    compare(g.model(24), {"z": "k"}, feeds, state="auto", against_ort=False)


def scattered(mode="linear", batch=2, room=8, heads=2, size=8, flat=False):
    """Caches of fixed size; the last operator fails where `pick` is wrong."""
    g = Graph()
    dims = (lambda rows: [batch, rows, heads * size]) if flat else (lambda rows: [batch, heads, rows, size])
    q, k, v = (g.input(name, dims("n")) for name in "qkv")
    at, lengths = g.input("at", [batch], INT64), g.input("lengths", [batch], INT64)
    caches = []
    # One update is an input, the other one is computed.
    for name, new in zip("ab", (k, g.op("Relu", v))):
        caches.append(g.op("TensorScatter", g.input(f"past_{name}", dims(room)), new, at, out=f"present_{name}", axis=1 if flat else 2, mode=mode))
        g.output(f"present_{name}", dims(room))
    attributes = {"q_num_heads": heads, "kv_num_heads": heads} if flat else {}
    g.nodes.append(helper.make_node("Attention", [q, *caches, "", "", "", lengths], ["z"], is_causal=1, **attributes))
    # The index is known when the caches are written.
    zero = g.op("Cast", g.op("Mul", g.op("ReduceMax", "z", keepdims=0), g.const(np.float32(1e-30))), to=INT64)
    g.op("Gather", "z", g.op("Add", g.input("pick", ["p"], INT64), zero), out="y", axis=-1)
    g.output("y", dims("n")[:-1] + ["p"])
    return g.model(24), dims


@test
def caches_that_are_written_in_place():
    """TensorScatter: to the bit as without states, and as before after a run that fails behind it."""
    pairs = {"present_a": "past_a", "present_b": "past_b"}
    for mode, batch, flat in (("linear", 2, False), ("linear", 1, True), ("circular", 3, False), ("circular", 1, False)):
        model, dims = scattered(mode, batch, flat=flat)
        feeds, start = [], np.arange(batch)
        for n in (3, 1, 1) if mode == "linear" else (3, 4, 1, 5):
            feeds.append({**{name: random.standard_normal(dims(n)).astype(np.float32) for name in "qkv"}, "at": start % 8 if mode == "circular" else start,
                          "lengths": np.minimum(start + n, 8), "pick": np.arange(8)})
            start = start + n
        for options in ({}, {"opt_level": 0}, {"mcpu": "portable"}):
            session = compare(model, pairs, feeds, state="auto", **options)
            before = {name: session.state[name] for name in session.state}
            with contextlib.suppress(onnxc.Error):
                session.run(None, {**feeds[-1], "k": feeds[-1]["k"] + 1, "v": feeds[-1]["v"] + 1, "pick": np.array([99])})
                raise AssertionError("a wrong index was accepted")
            for at in (8, -3, 10**9) if mode == "linear" else ():
                with contextlib.suppress(onnxc.Error):
                    session.run(None, {**feeds[-1], "v": feeds[-1]["v"] + 1, "at": np.full(batch, at)})
                    raise AssertionError("a wrong place was accepted")
            assert all(np.array_equal(session.state[name], value) for name, value in before.items())
            fork = session.state.fork()
            next_feed = {**feeds[0], "at": start % 4}
            wanted = session.run(None, next_feed)[0]
            assert np.array_equal(fork.run(None, next_feed)[0], wanted)
            session.state.reset()
            assert not any(session.state[name].any() for name in before)
    # What was there is read as well, in part by an operator that writes.
    g = Graph()
    past, x, at = g.input("k", [1, 16, 8]), g.input("x", [1, 4, 8]), g.input("i", [1], INT64)
    g.op("TensorScatter", past, x, at, out="z", axis=1)
    g.op("TensorScatter", past, x, out="y", axis=1)
    for name in "zy":
        g.output(name, [1, 16, 8])
    feeds = [{"x": random.standard_normal((1, 4, 8)).astype(np.float32), "i": np.array([i])} for i in (0, 7, 12, 3)]
    for options in ({}, {"opt_level": 0}):
        compare(g.model(24), {"z": "k"}, feeds, **options)


def group_query(layers=2, heads=4, groups=2, size=16, **attributes):
    """As onnxruntime-genai's builder writes decoders; the last operator fails where `pick` is wrong."""
    g = Graph()
    width = heads * size
    lengths, total = g.input("seqlens_k", ["batch"], TensorProto.INT32), g.input("total", [], TensorProto.INT32)
    x = g.op("Gather", g.weight(50, width), g.input("input_ids", ["batch", "sequence"], INT64), axis=0)
    angles = np.outer(np.arange(64), 1 / 100 ** (np.arange(size // 2) / (size // 2)))
    tables = [g.const(f(angles)) for f in (np.cos, np.sin)]
    for layer in range(layers):
        q, k, v = (g.op("MatMul", x, g.weight(width, count * size)) for count in (heads, groups, groups))
        past = [g.input(f"past_key_values.{layer}.{what}", ["batch", groups, "past_sequence_length", size]) for what in ("key", "value")]
        present = [f"present.{layer}.{what}" for what in ("key", "value")]
        for name in present:
            g.output(name, ["batch", groups, "total_sequence_length", size])
        y = g.op("Identity", f"attention_{layer}")
        g.nodes.insert(-1, helper.make_node("GroupQueryAttention", [q, k, v, *past, lengths, total, *tables], [f"attention_{layer}", *present],
                                            domain="com.microsoft", num_heads=heads, kv_num_heads=groups, do_rotary=1, **attributes))
        x = g.op("Add", x, g.op("MatMul", y, g.weight(width, width)))
    g.op("Gather", x, g.input("pick", ["n"], INT64), out="logits", axis=2)
    g.output("logits", ["batch", "sequence", "n"])
    return g.model()


def group_feeds(steps, lengths):
    """Prompts of these lengths, the shorter ones with padding behind, and tokens; also `steps` of more than one for a single sample."""
    lengths, feeds = np.array(lengths), []
    total = 0
    for n in [lengths.max(), *steps]:
        total += n
        feeds.append({"input_ids": random.integers(0, 50, (len(lengths), n)), "seqlens_k": (lengths - 1).astype(np.int32),
                      "total": np.array(total, np.int32), "pick": np.arange(64)})
        lengths = lengths + 1
    return feeds


@test
def group_queries():
    """Caches of GroupQueryAttention: where each sample's tokens go is among the inputs of a run."""
    for attributes in ({"softcap": 2.0, "scale": 0.3}, {"smooth_softmax": 1}, {"local_window_size": 4}, {}):
        model = group_query(**attributes)
        for options in [{}] if attributes else ({}, {"opt_level": 0}, {"state_capacity": 32, "dims": {"batch": 1}}):
            feeds = [{**feed, "seqlens_k": feed["total"].reshape(1) - 1} for feed in group_feeds([1, 1, 3, 1, 1], [5])]
            compare(model, LLAMA_PAIRS, feeds, {"batch": 1}, state="auto", **options)
        # Shorter samples get tokens where there is padding.
        for options in [{}] if attributes else ({"opt_level": 0}, {"state_capacity": 32}):
            compare(model, LLAMA_PAIRS, group_feeds([1] * 5, [5, 3, 4]), {"batch": 3}, state="auto", against_ort=False, **options)
    data = model.SerializeToString()
    # A run that fails leaves rows as they were, those that it has written too.
    for lengths in ([5, 3], [5, 5]):
        for options in ({}, {"state_capacity": 32}):
            session = onnxc.InferenceSession(data, state="auto", **options)
            feeds = group_feeds([1] * 6, lengths)
            for feed in feeds[:3]:
                session.run(None, feed)
            before = {name: session.state[name] for name in session.state}
            for i in (3, 4):
                for _ in range(2):
                    try:
                        session.run(None, {**feeds[i], "pick": np.array([99])})
                    except onnxc.Error:
                        assert all(np.array_equal(session.state[name], value) for name, value in before.items())
                    else:
                        raise AssertionError("no error")
            other = session.state.fork()
            for feed in feeds[3:]:
                assert np.array_equal(session.run(None, feed)[0], other.run(None, feed)[0])
            assert session.state.length == 11
    # All from the beginning, over what is there.
    for feed in feeds[:3]:
        session.run(None, feed)
    fresh = onnxc.InferenceSession(data, state="auto")
    for feed in feeds[:3]:
        want = fresh.run(None, feed)[0]
    assert np.array_equal(session.run(None, feeds[3])[0], fresh.run(None, feeds[3])[0])


@test
def forms_of_caches():
    """Rows first, in the middle and last; of two pieces; halves; a past that is read beside; heads that are joined; a counter."""
    half = TensorProto.FLOAT16

    def cache(dims, axis, form="one", dtype=FLOAT):
        g = Graph()
        width = [4 if d == "p" else d for d in dims]
        new = g.input("x", [d if i != axis else "n" for i, d in enumerate(width)], dtype)
        g.input("past", dims, dtype)
        pieces = {"one": [new], "two": [new, g.op("Neg", new)], "beside": [new]}[form]
        g.op("Concat", "past", *pieces, out="present", axis=axis)
        g.output("present", ["t" if d == "p" else d for d in dims], dtype)
        value = "present"
        if form == "beside":
            value = g.op("Concat", value, g.op("Exp", "past"), axis=axis)
        if len(dims) == 4 and axis == 2 and dims[0] != "b":
            joined = g.op("Reshape", value, g.const([dims[0] * dims[1], -1, dims[3]], np.int64))
            g.op("MatMul", joined, g.op("Cast", g.weight(dims[3], 3), to=dtype), out="z")
            g.output("z", [dims[0] * dims[1], "u", 3], dtype)
        g.op("ReduceMean", value, g.const([axis], np.int64), out="y", keepdims=0)
        g.output("y", [d for i, d in enumerate(dims) if i != axis], dtype)
        return g.model()

    for dims, axis, form, dtype in (
            (["p", 2, 3], 0, "one", FLOAT), ([1, "p", 6], 1, "two", FLOAT), ([2, "p", 6], 1, "beside", FLOAT), ([2, 3, 5, "p"], 3, "one", FLOAT),
            ([1, 4, "p", 8], 2, "one", FLOAT), (["b", 4, "p", 8], 2, "two", FLOAT), ([2, 4, "p", 8], 2, "beside", half), (["p"], 0, "one", FLOAT)):
        kind = np.float16 if dtype == half else np.float32
        feeds = []
        for n in (3, 1, 1, 6, 1):
            shape = [n if i == axis else 2 if d == "b" else d for i, d in enumerate(dims)]
            feeds.append({"x": random.standard_normal(shape).astype(kind)})
        for options in ({}, {"opt_level": 0}, {"opt_level": 1}, {"state_capacity": 32}):
            compare(cache(dims, axis, form, dtype), {"present": "past"}, feeds, {"b": 2}, against_ort=dtype == FLOAT, **options)
    g = Graph()
    g.op("Add", g.input("count", [], INT64), g.op("Size", g.input("x", ["n"])), out="new_count")
    g.output("new_count", [], INT64)
    g.op("Identity", "count", out="before")
    g.output("before", [], INT64)
    compare(g.model(), {"new_count": "count"}, [{"x": np.zeros(n, np.float32)} for n in (3, 0, 5)], state="new_count=count")


@test
def overridden_weights():
    """Runs that override an initializer go on from the same states."""
    g = Graph()
    g.input("x", [1, "n", 4])
    g.input("past", [1, "p", 4])
    g.input("w", [4, 4])
    g.op("MatMul", "x", "w", out="new")
    g.op("Concat", "past", "new", out="present", axis=1)
    g.op("ReduceSum", "present", g.const([1], np.int64), out="y", keepdims=0)
    g.output("present", [1, "t", 4])
    g.output("y", [1, 4])
    identity = np.eye(4, dtype=np.float32)
    g.constants.append(numpy_helper.from_array(identity, "w"))
    session = onnxc.InferenceSession(g.model().SerializeToString(), state="present=past")
    assert [value.name for value in session.get_inputs()] == ["x"]
    assert [value.name for value in session.get_overridable_initializers()] == ["w"]
    ones = np.ones((1, 2, 4), np.float32)
    for feed, want in (({}, 2), ({"w": 3 * identity}, 8), ({}, 10), ({"w": -identity}, 8)):
        assert np.array_equal(session.run(["y"], {"x": ones, **feed})[0], np.full((1, 4), want, np.float32))
    assert session.state.length == 8


@test
def refusals():
    def pair(past, present, x=("n",), kind="Concat"):
        g = Graph()
        g.input("x", ["batch", *x, 4])
        g.input("past", past)
        new = g.op("Cast", "x", to=TensorProto.DOUBLE) if kind == "Cast" else "x"
        if kind == "Concat":
            g.op("Concat", "past", "x", out="present", axis=1)
        elif kind == "Add":
            g.op("Add", "past", g.const(1), out="present")
        else:
            g.op("Identity", new, out="present")
        g.op("Identity", "x", out="y")
        g.output("y", ["batch", *x, 4])
        g.output("present", present, TensorProto.DOUBLE if kind == "Cast" else FLOAT)
        return g.model()

    good = pair(["batch", "p", 4], ["batch", "t", 4])
    onnxc.compile(good, state="present=past")
    for model, state, reason in (
            (good, "presents=past", "state 'presents=past': the model has no output 'presents'; its outputs are y, present"),
            (good, "present=pasts", "the model has no input 'pasts'; its inputs are x, past"),
            (good, "present", "expected the name of an output, = and that of an input"),
            (good, "present.*=past", "expected as many * on both sides"),
            (good, "present=past,y=past", "state 'y=past': input 'past' is in another pair already"),
            (good, "present=past,present=x", "output 'present' is in another pair already"),
            (pair(["batch", "p", 4], ["batch", "p", 4], kind="Add"), "present=past",
             "state 'present=past': nothing says how large dimension 1 ('p') of the input is at the start"),
            (pair(["b", "p", 4], ["batch", "t", 4]), "present=past", "dimension 0 ('b')"),
            (pair(["batch", "p", 4], ["batch", "t", 4], kind="Cast"), "present=past",
             "state 'present=past': the input is tensor(float), the output tensor(double)"),
            (pair(["batch", 3, 4, 1], ["batch", "n", 4], kind="Identity"), "present=past", "the input has rank 4, the output rank 3"),
            (pair(["batch", 3, 5], ["batch", "n", 4], kind="Identity"), "present=past", "dimension 2 of the input is 5, that of the output is 4"),
            (good, "auto,y=x", "state 'present=past': nothing says how large dimension 0 ('batch')")):
        try:
            onnxc.compile(model, state=state)
        except onnxc.Error as error:
            assert reason and reason in str(error), (reason, str(error))
        else:
            assert not reason, reason
    g = Graph()
    g.input("a", ["n", 4])
    g.op("Relu", "a", out="b")
    g.output("b", ["n", 4])
    try:
        onnxc.compile(g.model(), state="auto")
    except onnxc.Error as error:
        assert "state 'auto': no output has a name by which" in str(error), error


@test
def what_a_branch_leaves_as_it_is():
    """A decoder that optimum merges from two: the first run makes the encoder's part, later ones give something empty for it."""
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 18]>
        g (float[1, n] x, bool use_cache, float[1, m] "past_key_values.0.encoder.key") => (float y, float[b, k] "present.0.encoder.key") {
            y, "present.0.encoder.key" = If (use_cache) <
                then_branch = then () => (float a, float[0, 1] p) {
                    a = ReduceSum <keepdims = 0> ("past_key_values.0.encoder.key")
                    p = Constant <value = float[0, 1] {}> ()
                },
                else_branch = otherwise () => (float c, float[1, n] q) { c = ReduceMax <keepdims = 0> (x) q = Abs (x) }>
        }""")
    for level in (0, 2):
        session = onnxc.InferenceSession(model.SerializeToString(), state="auto", opt_level=level)
        for use_cache, want in ((False, 3), (True, 6), (True, 6)):
            y, = session.run(None, {"x": np.array([[-1, 2, 3]], np.float32), "use_cache": np.array(use_cache)})
            assert y == want and session.state["past_key_values.0.encoder.key"].tolist() == [[1, 2, 3]], (y, session.state)


@test
def sums_of_sizes():
    """torch.export names the length of a mask by those of the cache and of the tokens; a run is told where it is another."""
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 18]>
        g (float[1, s70] x, float[1, "s31 + s70"] mask, float[1, s31] "past.k") => (float y, float[1, "s31 + s70"] "present.k") {
            "present.k" = Concat <axis = 1> ("past.k", x)
            seen = Mul ("present.k", mask)
            y = ReduceSum <keepdims = 0> (seen)
        }""")
    session = onnxc.InferenceSession(model.SerializeToString(), state="auto")
    for length in (2, 4, 6):
        y, = session.run(None, {"x": np.ones((1, 2), np.float32), "mask": np.ones((1, length), np.float32)})
        assert y == length
    for length in (1, 7, 9):
        try:
            session.run(None, {"x": np.ones((1, 2), np.float32), "mask": np.ones((1, length), np.float32)})
        except onnxc.Error as error:
            assert "input mask of sizes [, s31 + s70]" in str(error), error
        else:
            raise AssertionError("no error")
    assert session.state.length == 6


@test
def sizes_that_operators_require():
    """onnxruntime-genai's builder leaves the size of a head open, which only the Concat says."""
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 18]>
        g (float[n, 2] x, float[p, d] "past.k") => (float y, float[t, d] "present.k") {
            "present.k" = Concat <axis = 0> ("past.k", x)
            y = ReduceSum <keepdims = 0> ("present.k")
        }""")
    session = onnxc.InferenceSession(model.SerializeToString(), state="auto")
    for want in (4, 8, 12):
        y, = session.run(None, {"x": np.ones((2, 2), np.float32)})
        assert y == want and session.state["past.k"].shape == (want // 2, 2)


print(tests, "tests passed")
