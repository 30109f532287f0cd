"""A compiled model on its way to workers, and columns of tables, without an engine.

usage: shipping.py FOLDER
"""

import multiprocessing
import os
import pathlib
import sys

import numpy as np
import onnx.parser

import onnxc
from onnxc import shipping, tables

FOLDER = pathlib.Path(sys.argv[1])
os.environ["ONNXC_ARTIFACT_DIR"] = str(FOLDER / "artifacts")
MODEL = onnx.parser.parse_model('<ir_version: 8, opset_import: ["": 17]> g (float[n, 2] x, int64[n] k) => (float[n, 1] sum, float[n, 2, 1] deep) '
                                "<int64[1] one = {1}, int64[1] two = {2}> { f = Cast <to = 1> (k) g = Unsqueeze(f, one) y = Add(x, g) "
                                "sum = ReduceSum(y, one) deep = Unsqueeze(y, two) }")


def error(call):
    try:
        call()
        print("no error")
    except onnxc.Error as raised:
        print("error:", str(raised).replace(str(FOLDER), "FOLDER"))


def load(digest, content):
    """What a worker does; which file it has."""
    shipping.host_session(digest, lambda: content)
    return os.stat(FOLDER / "artifacts" / f"{digest}.so").st_ino


def files():
    digest, content = shipping.compiled(MODEL)
    again = shipping.compiled(MODEL, cache_dir=str(FOLDER / "cache"))
    (FOLDER / "model.so").write_bytes(content)
    print("the same each time:", again[0] == digest == shipping.compiled(FOLDER / "model.so")[0] == shipping.compiled(content)[0])
    with multiprocessing.Pool(4) as pool:
        print("files of four workers:", len(set(pool.starmap(load, [(digest, content)] * 8))))
    path = FOLDER / "artifacts" / f"{digest}.so"
    asked = []
    shipping.host_file(digest, lambda: asked.append(1))
    path.write_bytes(content[:-1] + b"\1")
    shipping.host_file(digest, lambda: asked.append(2) or content)
    print("another content is made again:", asked, path.read_bytes() == content)
    path.unlink()
    shipping.host_file(digest, lambda: FOLDER / "model.so")
    print("linked:", os.stat(path).st_ino == os.stat(FOLDER / "model.so").st_ino)
    error(lambda: shipping.host_file("0" * 64, lambda: content))
    os.chmod(FOLDER / "artifacts", 0o777)
    error(lambda: shipping.host_file(digest, lambda: content))
    os.chmod(FOLDER / "artifacts", 0o700)
    print("left behind:", [name for name in os.listdir(FOLDER / "artifacts") if not name.endswith(".so")])
    return shipping.host_session(digest, lambda: content)


def columns(session):
    table = {"a": np.arange(3.0), "b": np.ones(3, np.float32), "k": np.arange(3), "x": np.ones((3, 2), np.float32), "half": np.array([0.5, 1, 2]),
             "lists": np.array([[1, 2], [3, 4], [5, 6], 0][:3] + [None], object)[:3], "ragged": np.array([[1], [2, 3], None], object)}
    predict = tables.Columns(session, {"x": ["a", "b"], "k": "k"}, {"total": "sum", "deep": "deep"}).predict
    found = predict(table.__getitem__, 3)
    print("columns:", found["total"].tolist(), found["deep"].shape)
    print("lists:", tables.Columns(session, {"x": "lists", "k": "k"}, ["sum"]).predict(table.__getitem__, 3)["sum"].tolist())
    print("no rows:", {name: array.shape for name, array in predict(table.__getitem__, 0).items()})
    print("types:", tables.Columns(session).spark_types())
    seen = []
    session.run, run = lambda names, feed: seen.append(feed["x"]) or run(names, feed), session.run
    tables.Columns(session).predict(table.__getitem__, 3)
    print("copied:", not np.shares_memory(seen[0], table["x"]))
    del session.run
    error(lambda: tables.Columns(session, ["a", "b"]))
    error(lambda: tables.Columns(session, {"x": "x"}))
    error(lambda: tables.Columns(session, None, ["y"]))
    error(lambda: tables.Columns(session, {"x": "x", "k": "half"}).predict(table.__getitem__, 3))
    error(lambda: tables.Columns(session, {"x": "ragged", "k": "k"}).predict(table.__getitem__, 3))


columns(files())
