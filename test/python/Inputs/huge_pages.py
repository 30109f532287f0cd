"""Where the weights of a loaded model lie.

usage: huge_pages.py write|run FOLDER
"""

import os
import pathlib
import subprocess
import sys

import numpy as np

SIZE = 3072


def write(folder):
    import onnx
    weights = np.random.default_rng(0).standard_normal((SIZE, SIZE), np.float32)
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("MatMul", ["x", "w"], ["y"])], "g",
        [onnx.helper.make_tensor_value_info("x", 1, [1, SIZE])],
        [onnx.helper.make_tensor_value_info("y", 1, [1, SIZE])], [onnx.numpy_helper.from_array(weights, "w")])
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 21)]), folder / "model.onnx")


def of_file(name="model.so"):
    """MiB of the file that are mapped, and ranges of addresses with huge pages."""
    total, huge, own, where = 0, [], False, None
    for line in open("/proc/self/smaps"):
        words = line.split()
        if "-" in words[0] and not words[0].endswith(":"):
            own, where = line.rstrip().endswith(name), words[0]
        elif words[0] == "Rss:" and own:
            total += int(words[1])
        elif words[0] == "AnonHugePages:" and int(words[1]):
            huge.append(where)
    return round(total / 1024), huge


def load(folder):
    import onnxc.runtime
    session = onnxc.runtime.InferenceSession(str(folder / "model.so"), threads=1)
    feeds = {"x": np.random.default_rng(1).standard_normal((1, SIZE), np.float32)}
    return session, session.run(None, feeds)[0]


def allowed():
    try:
        return "[never]" not in pathlib.Path("/sys/kernel/mm/transparent_hugepage/enabled").read_text()
    except OSError:
        return False


def run(folder):
    if "ONNXC_HUGE_PAGES" not in os.environ:
        session, result = load(folder)
        print(f"of the file: {of_file()[0] >= 36}", flush=True)
        np.save(folder / "plain.npy", result)
        subprocess.run([sys.executable, __file__, "run", folder], env=os.environ | {"ONNXC_HUGE_PAGES": "always"}, check=True)
        return
    first, result = load(folder)
    mapped, huge = of_file()
    # What does not fill a huge page at both ends stays.
    print(f"in huge pages as the system allows: {(bool(huge) and mapped < 5) or not allowed()}")
    second, again = load(folder)
    print(f"once for all contexts: {of_file() == (mapped, huge)}")
    same = all(np.array_equal(result, other) for other in (again, np.load(folder / "plain.npy")))
    print(f"the same bits: {same}")


if __name__ == "__main__":
    {"write": write, "run": run}[sys.argv[1]](pathlib.Path(sys.argv[2]))
