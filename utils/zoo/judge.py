# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One exported model: compiled, run, and compared with ONNX Runtime without its
optimizations."""

import os
import pathlib
import resource
import subprocess
import sys
import time

import numpy as np
import onnx

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "utils"), str(ROOT / "test" / "support")]

import compare_model  # noqa: E402
import exact_integers  # noqa: E402

# What an output may differ by, relative to its largest value.
FLOAT_TOLERANCE, HALF_TOLERANCE, QUANTIZED_TOLERANCE = 5e-4, 1e-2, 2e-2
QUANTIZED = {*exact_integers.FACTORS, "QuantizeLinear", "DynamicQuantizeLinear", "MatMulNBits"}
COMPILE_SECONDS, COMPILE_BYTES = 150, 8 << 30


class Loading(Exception):
    """ONNX Runtime refuses the model itself."""


def all_nodes(graph):
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            for inner in [attribute.g, *attribute.graphs]:
                yield from all_nodes(inner)


def tolerance_of(model):
    graphs = [model.graph, *model.functions]
    if any(node.op_type in QUANTIZED for graph in graphs for node in all_nodes(graph)):
        return QUANTIZED_TOLERANCE
    halves = (onnx.TensorProto.FLOAT16, onnx.TensorProto.BFLOAT16)
    return HALF_TOLERANCE if any(weight.data_type in halves for weight in model.graph.initializer) else FLOAT_TOLERANCE


def plain(value):
    """Lists of maps, which ZipMap makes, as lists of keys and of values."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return [np.array([list(row) for row in value]), np.array([list(row.values()) for row in value])]
    return value


def difference(values, wanted):
    """The largest, relative to the output's largest value; integers must be equal."""
    worst = 0.0
    for value, want in zip(values, wanted, strict=True):
        value, want = plain(value), plain(want)
        error = compare_model.difference(value, want)
        exact = isinstance(want, np.ndarray) and want.dtype.kind in "iu"
        worst = max(worst, float("inf") if exact and error else error)
    return worst


def thread_milliseconds(run, seconds=0.3, most=50):
    """The median of this thread's processor time."""
    times, end = [], time.thread_time() + seconds
    while len(times) < 3 or (time.thread_time() < end and len(times) < most):
        begin = time.thread_time()
        run()
        times.append(time.thread_time() - begin)
    return 1000 * sorted(times)[len(times) // 2]


def runtime_session(model, optimized):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = (onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL if optimized
                                        else onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL)
    content = model if isinstance(model, str) else model.SerializeToString()
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def first_line(error):
    return str(error).strip().splitlines()[0][:300] if str(error).strip() else type(error).__name__


def load_inputs(folder):
    feeds = []
    for number in (0, 1):
        with np.load(folder / f"in_{number}.npz", allow_pickle=False) as file:
            feeds.append({name: file[name].astype(object) if file[name].dtype.kind == "U" else file[name] for name in file.files})
    return feeds


def compile_model(binary, folder, level, result):
    """The library, or None with the reason in the result."""
    library = folder / f"model_O{level}.so"
    library.unlink(missing_ok=True)

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (COMPILE_BYTES, COMPILE_BYTES))
        resource.setrlimit(resource.RLIMIT_CPU, (COMPILE_SECONDS, COMPILE_SECONDS))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(binary), str(folder / "model.onnx"), f"-O{level}", "-o", str(library)], preexec_fn=limit,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    result[f"compile_seconds_O{level}"] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode == 0:
        return library
    lines = done.stderr.strip().splitlines()
    result["detail"] = lines[0].replace(f"{folder}/", "")[:400] if lines else f"no message, status {done.returncode}"
    # An error ends with status 1 and a message; limits of time end by a signal of their own.
    result["outcome"] = {1: "refused", -24: "compile time", -9: "compile time"}.get(done.returncode, "compile crash") if lines else "compile crash"
    return None


def judge(folder, build, level=2):
    """The result, as a dictionary."""
    sys.path.insert(0, str(build / "python"))
    import onnxc
    folder = pathlib.Path(folder)
    model = onnx.load(folder / "model.onnx")
    feeds = load_inputs(folder)
    result = {"nodes": sum(1 for _ in all_nodes(model.graph)), "bytes": os.path.getsize(folder / "model.onnx"),
              "ops": sorted({node.op_type for node in all_nodes(model.graph)}), "tolerance": tolerance_of(model)}
    opened = any(not dim.HasField("dim_value") for value in model.graph.input for dim in value.type.tensor_type.shape.dim)
    result["sizes"] = "open" if opened else "fixed"

    library = compile_model(build / "bin" / "onnxc", folder, level, result)
    # ONNX Runtime's words on the model, also where onnxc refuses it.
    wanted = []
    try:
        exact = exact_integers.make_exact(model)
        for numbers in feeds:
            wanted.append(runtime_session(exact, False).run(None, numbers))
    except Exception as error:
        if not wanted:
            result["runtime"] = first_line(error)
            result["outcome"] = "ONNX Runtime refuses" if library else f"both refuse ({result['outcome']})"
            return result
        # The exporter has fixed what it calls open.
        result["second"] = f"ONNX Runtime: {first_line(error)}"
    if not library:
        return result

    session = onnxc.InferenceSession(str(library), threads=1)
    errors = []
    for numbers, want in zip(feeds, wanted):
        try:
            errors.append(difference(session.run(None, numbers), want))
        except onnxc.Error as error:
            return result | {"outcome": "run fails", "detail": first_line(error)}
    result |= {"errors": errors, "inputs": len(wanted)}
    pooled = onnxc.InferenceSession(str(library), threads=2)
    result["errors_2_threads"] = [difference(pooled.run(None, numbers), want) for numbers, want in zip(feeds, wanted)]
    try:
        optimized = runtime_session(str(folder / "model.onnx"), True)
        result["spread"] = max(difference(optimized.run(None, numbers), want) for numbers, want in zip(feeds, wanted))
        result["runtime_ms"] = thread_milliseconds(lambda: optimized.run(None, feeds[0]))
    except Exception as error:
        result["optimized"] = first_line(error)
    result["ms"] = thread_milliseconds(lambda: session.run(None, feeds[0]))

    worst = max(errors + result["errors_2_threads"])
    if worst <= result["tolerance"]:
        result["outcome"] = "right"
    elif worst <= 2 * result.get("spread", 0):
        result["outcome"] = "ONNX Runtime's own spread"
    else:
        result |= {"outcome": "wrong", "detail": f"error {worst:.3g}, ONNX Runtime's own spread {result.get('spread', float('nan')):.3g}"}
    return result
