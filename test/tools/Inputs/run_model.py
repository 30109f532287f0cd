"""Runs share/onnxc/run_model.c on a model that copies inputs of every element
type, and compares the files that it writes with those it read, bit by bit.

usage: run_model.py ONNXC FOLDER CC...
CC is a C compiler and its flags.
"""

import pathlib
import subprocess
import sys

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper

ROOT = pathlib.Path(__file__).resolve().parents[3]


def make_inputs():
    random = np.random.default_rng(7)
    numbers = random.standard_normal((3, 5)) * 50
    inputs = {name.lower(): numbers.astype(name) for name in
              ["float32", "float64", "float16", "int8", "int16", "int32", "int64", "bool"]}
    inputs |= {name: np.abs(numbers).astype(name) for name in ["uint8", "uint16", "uint32", "uint64"]}
    inputs |= {"bfloat16": numbers.astype(ml_dtypes.bfloat16), "complex64": (numbers + 2j).astype(np.complex64),
               "complex128": numbers + 1j * numbers, "float8": numbers.astype(ml_dtypes.float8_e4m3fn),
               "scalar": np.float32(2.5).reshape(()), "empty": np.zeros((0, 3), np.float32),
               "texts": np.array([["a", "größer"], ["", "𝄞 und ✓"]], object),
               "name/with:signs": np.arange(70, dtype=np.float32)}
    return inputs


def make_model(inputs, path):
    def declare(name, array, suffix):
        code = TensorProto.STRING if array.dtype == object else helper.np_dtype_to_tensor_dtype(array.dtype)
        shape = [f"{name}{axis}" for axis in range(array.ndim)]
        return helper.make_tensor_value_info(name + suffix, code, shape)

    nodes = [helper.make_node("Identity", [name], [name + "_out"]) for name in inputs]
    graph = helper.make_graph(nodes, "copies", [declare(name, array, "") for name, array in inputs.items()],
                              [declare(name, array, "_out") for name, array in inputs.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)]), path)


def run(command, code=0):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    assert done.returncode == code, (command, done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


def main():
    onnxc, folder, compiler = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    inputs = make_inputs()
    make_model(inputs, folder / "copies.onnx")
    run([onnxc, folder / "copies.onnx", "-o", folder / "copies.so"])
    run([onnxc, folder / "copies.onnx", "-o", folder / "copies.a"])
    source = ROOT / "share" / "onnxc" / "run_model.c"
    flags = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-I", ROOT / "include"]
    run([*compiler, *flags, source, "-o", folder / "loads", "-ldl"])
    run([*compiler, *flags, "-DONNXC_MODEL=copies", source, folder / "copies.a", "-lm", "-pthread",
         "-o", folder / "linked"])

    files = {}
    for number, (name, array) in enumerate(inputs.items()):
        files[name] = folder / f"input{number}.npy"
        np.save(files[name], array.astype(str) if array.dtype == object else array)
    for command in [[folder / "loads", folder / "copies.so"], [folder / "linked"]]:
        written = folder / "written"
        written.mkdir(exist_ok=True)
        for path in written.iterdir():
            path.unlink()
        # Some by name, the rest in the model's order.
        names = list(inputs)
        arguments = [f"{name}={files[name]}" for name in reversed(names[:4])] + [files[name] for name in names[4:]]
        run([*command, *arguments, f"--output={written}", "--threads=2", "--repeat=2"])
        assert len(list(written.iterdir())) == len(inputs)
        for name, array in inputs.items():
            got = np.load(written / (name.replace("/", "_").replace(":", "_") + "_out.npy"))
            want = np.load(files[name])
            assert got.dtype == want.dtype and got.shape == want.shape and got.tobytes() == want.tobytes(), name
        print(run([*command, *arguments]).splitlines()[0])

    loads = [folder / "loads", folder / "copies.so"]
    print(run(loads, 2).splitlines()[0])
    print(run([*loads, f"float32={files['float64']}"], 1))
    print(run([*loads, f"float32={__file__}"], 1))
    print(run([*loads, *files.values(), files["bool"]], 2))
    cut = folder / "cut.npy"
    cut.write_bytes(files["float32"].read_bytes()[:-1])
    print(run([*loads, f"float32={cut}"], 1))
    print(run([*loads, *files.values(), "--output=/nowhere"], 1))


if __name__ == "__main__":
    main()
