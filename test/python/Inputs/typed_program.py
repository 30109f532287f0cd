"""A program as mypy --strict sees it: each name of the package that users take, with what it is."""

import pathlib
from typing import Any

import numpy as np
import onnx

import onnxc
import onnxc.keras
import onnxc.runtime
from onnxc import InferenceSession, RunOptions, SessionOptions


def run(path: pathlib.Path, feeds: dict[str, np.ndarray[Any, Any]]) -> list[Any]:
    options = SessionOptions()
    options.intra_op_num_threads = 2
    options.graph_optimization_level = onnxc.GraphOptimizationLevel.ORT_ENABLE_BASIC
    session = InferenceSession(path, options, ["CPUExecutionProvider"], cache_dir=path.parent, dims={"n": 3, "m": (1, 8)})
    names: list[str] = [arg.name for arg in session.get_inputs()]
    shape: list[int | str | None] | None = session.get_outputs()[0].shape
    binding = session.io_binding()
    binding.bind_output("y")
    session.run_with_iobinding(binding, RunOptions())
    values: list[onnxc.OrtValue] = binding.get_outputs()
    kind: str = values[0].data_type()
    print(names, shape, kind, session.get_modelmeta().graph_name, onnxc.__version__)
    return session.run(None, feeds)


def work(library: str) -> list[Any]:
    session: onnxc.runtime.InferenceSession = onnxc.runtime.InferenceSession(library, threads=1)
    return session.run(["y"], {"x": np.zeros(3, np.float32)})


def make(model: onnx.ModelProto) -> bytes:
    path: str = onnxc.compile(model, "model.so", shapes={"x": [1, None]})
    report: dict[str, Any] = onnxc.check(model)
    drawing: str = onnxc.inspect(path, graph="svg")
    smaller, ok = onnxc.simplify(model, check_n=1)
    older: onnx.ModelProto = onnxc.convert_version(smaller, 11)
    passes: list[str] = onnxc.optimizer.get_available_passes()
    try:
        code: bytes = onnxc.compile(older)
    except onnxc.Error as error:
        node: str | None = error.node
        print(node, error.values, report, drawing, ok, passes)
        raise
    return code


def frameworks(model: Any) -> list[Any]:
    session: onnxc.keras.Session = onnxc.keras.compile(model, sizes={"tokens": ["n", 12]}, threads=1)
    path: str = onnxc.keras.compile(model, "model.so")
    return [session.predict([[1, 2]]), path]
