"""Maps, sequences and texts into models and out of them: values, types, errors, memory.

usage: conversions.py UTILS       (the folder of time_python_values.py)
"""

import gc
import sys
import threading

import numpy as np
import onnx.parser
import onnxruntime

import onnxc

sys.path.insert(0, sys.argv[1])
import time_python_values as cases  # noqa: E402


def parse(text):
    return onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["" : 21, "ai.onnx.ml" : 3]> main {text}')


def message(call, *arguments):
    try:
        call(*arguments)
    except onnxc.Error as error:
        return str(error)
    raise AssertionError("no error")


def same(a, b):
    """In types, too."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and all(map(same, a.ravel().tolist(), b.ravel().tolist()))
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return same(list(a), list(b)) and same(list(a.values()), list(b.values()))
    return a == b or isinstance(a, float) and abs(a - b) < 1e-5


def compare_with_runtime():
    """As ONNX Runtime's, for no row, one and many."""
    compared = 0
    for name, make in cases.CASES.items():
        proto, feed = make()
        sessions = [onnxc.InferenceSession(proto), onnxruntime.InferenceSession(proto.SerializeToString())]
        for rows in (0, 1, 2, 57):
            if rows or name != "maps in":
                given = feed(rows)
                ours, theirs = [session.run(None, given) for session in sessions]
                assert same(ours, theirs), (name, rows, ours, theirs)
                compared += 1
    print("compared:", compared)


def identity(kind):
    return onnxc.InferenceSession(parse(f"({kind} x) => ({kind} y) {{ y = Identity(x) }}"), opt_level=0)


def check_ways_through():
    texts = identity("string[n]")
    for given in (np.array(["a", "ü", "\U0001f600", "", "x" * 5000, "\udcff"], dtype=object), np.array(["ab", "c"]), ["a", "b"],
                  np.array([b"ab", b"\xff"], dtype=object), np.array(["a", "b", "c", "d"], dtype=object)[::2], np.array([], dtype=object),
                  np.array(["a"] * 3 + ["b"] * 500, dtype=object), np.array([1, None], dtype=object)):
        got, = texts.run(None, {"x": given})
        want = [text.decode(errors="surrogateescape") if isinstance(text, bytes) else str(text) for text in given]
        assert got.dtype == object and got.tolist() == want, (got, given)
    nested = identity("seq(string[n])")
    for given in ([], [np.array(["a"], dtype=object), np.array([], dtype=object)], (np.array(["a", "b"]),)):
        got, = nested.run(None, {"x": given})
        assert [value.tolist() for value in got] == [value.tolist() for value in given]
    numbers = identity("seq(float[n])")
    held = onnxc.OrtValue([np.float32([1])])
    assert [value.tolist() for value in numbers.run(None, {"x": held})[0]] == [[1]]
    table = cases.maps_in()[0]
    maps = onnxc.InferenceSession(table)
    want = [[0, 1.5, 2] + [0] * 47]
    for given in ({"w1": 1.5, "w2": 2.0}, {"w1": np.float32(1.5), "w2": 2}, {"w2": 2, "w1": 1.5, "other": 7.0}):
        assert maps.run(None, {"x": given})[0].tolist() == want
    print("ways through")


def check_errors():
    texts, numbers = identity("string[n]"), identity("seq(float[n])")
    maps = onnxc.InferenceSession(cases.maps_in()[0])
    print(message(texts.run, None, {"x": np.array(["a", "\ud800"], dtype=object)}))
    print(message(texts.run, None, {"x": np.array(["a\0b"], dtype=object)}))
    print(message(identity("seq(string[n])").run, None, {"x": [np.array(["a"]), np.array(["\udc00"])]}))
    print(message(numbers.run, None, {"x": [np.float32([1]), np.int64([1])]}))
    print(message(numbers.run, None, {"x": [np.float32([1]), None]}))
    print(message(numbers.run, None, {"x": {}}))
    print(message(maps.run, None, {"x": [("w1", 1.0)]}))
    print(message(maps.run, None, {"x": {"w1": "many"}}))
    print(message(maps.run, None, {"x": {"w\ud800": 1.0}}))


def check_memory():
    """Nothing is kept of what went through, in threads, either."""
    proto, make = cases.CASES["linear, 10 texts"]()
    session, texts, maps = onnxc.InferenceSession(proto), identity("string[n]"), onnxc.InferenceSession(cases.maps_in()[0])
    feed, words = make(100), np.array([f"ä{i}" for i in range(100)], dtype=object)
    word, value = "a word that is one object", 123456.75
    given = {word: value, "w1": 2.0}

    def work():
        for _ in range(50):
            session.run(None, feed)
            texts.run(None, {"x": words})
            maps.run(None, {"x": given})
            for bad in (["a", "\ud800"], ["a\0"]):
                message(texts.run, None, {"x": np.array(bad, dtype=object)})

    def count():
        gc.collect()
        return sys.getallocatedblocks(), sys.getrefcount(word), sys.getrefcount(value), sys.getrefcount(words[7])

    work()
    before = count()
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    work()
    after = count()
    print("kept:", after[0] - before[0] < 500, [b - a for a, b in zip(before[1:], after[1:])])


if __name__ == "__main__":
    compare_with_runtime()
    check_ways_through()
    check_errors()
    check_memory()
