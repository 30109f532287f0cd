"""Where the weights of a loaded model lie.

usage: huge_pages.py write|run FOLDER
"""

import os
import pathlib
import subprocess
import sys

import numpy as np

SIZES = {"large": 3072, "small": 2048}


def write(folder):
    import onnx
    for name, size in SIZES.items():
        weights = np.random.default_rng(0).standard_normal((size, size), np.float32)
        graph = onnx.helper.make_graph(
            [onnx.helper.make_node("MatMul", ["x", "w"], ["y"])], "g",
            [onnx.helper.make_tensor_value_info("x", 1, [1, size])],
            [onnx.helper.make_tensor_value_info("y", 1, [1, size])], [onnx.numpy_helper.from_array(weights, "w")])
        onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 21)]),
                  folder / f"{name}.onnx")


def of_file(name):
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


def load(folder, name):
    import onnxc.runtime
    session = onnxc.runtime.InferenceSession(str(folder / f"{name}.so"), threads=1)
    feeds = {"x": np.random.default_rng(1).standard_normal((1, SIZES[name]), np.float32)}
    return session, session.run(None, feeds)[0]


def allowed():
    try:
        return "[never]" not in pathlib.Path("/sys/kernel/mm/transparent_hugepage/enabled").read_text()
    except OSError:
        return False


def run(folder):
    if os.environ.get("ONNXC_HUGE_PAGES") == "never":
        _, result = load(folder, "large")
        print(f"large, never: {of_file('large.so')[0]} MiB of the file", flush=True)
        np.save(folder / "never.npy", result)
        return
    subprocess.run([sys.executable, __file__, "run", folder], env=os.environ | {"ONNXC_HUGE_PAGES": "never"}, check=True)
    first, result = load(folder, "large")
    mapped, huge = of_file("large.so")
    # What does not fill a huge page at both ends stays.
    print(f"large: in huge pages as the system allows: {(bool(huge) and mapped < 5) or not allowed()}")
    second, again = load(folder, "large")
    print(f"once for all contexts: {of_file('large.so') == (mapped, huge)}")
    small, _ = load(folder, "small")
    print(f"small: {of_file('small.so')[0]} MiB of the file")
    same = all(np.array_equal(result, other) for other in (again, np.load(folder / "never.npy")))
    print(f"the same bits: {same}")


if __name__ == "__main__":
    {"write": write, "run": run}[sys.argv[1]](pathlib.Path(sys.argv[2]))
