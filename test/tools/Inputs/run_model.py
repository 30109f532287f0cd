"""Runs share/onnxc/run_model.c on models that copy inputs of every element type, and
sequences and optional values, and compares the files that it writes with those it
read, bit by bit.

usage: run_model.py ONNXC FOLDER CC...
       run_model.py --elsewhere ONNXC FOLDER
CC is a C compiler and its flags. --elsewhere: by compilers for other targets and
what runs their programs here, as far as they are there; and as programs of onnxc's.
"""

import os
import pathlib
import shutil
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
               **{name: np.abs(numbers % 2).astype(getattr(ml_dtypes, name)) for name in ["int4", "uint4", "int2", "uint2"]},
               "float4": numbers.astype(ml_dtypes.float4_e2m1fn),
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
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 25)]), path)


def make_parts_model(path):
    """Of values that consist of others."""
    floats = helper.make_tensor_type_proto(TensorProto.FLOAT, ["n"])
    texts = helper.make_tensor_type_proto(TensorProto.STRING, ["n"])
    types = {"s": helper.make_sequence_type_proto(floats), "t": helper.make_sequence_type_proto(texts),
             "o": helper.make_optional_type_proto(floats), "no": helper.make_optional_type_proto(floats),
             "q": helper.make_optional_type_proto(helper.make_sequence_type_proto(floats))}
    nodes = [helper.make_node("Identity", [name], [name + "_out"]) for name in types]
    nodes.append(helper.make_node("ZipMap", ["scores"], ["z"], domain="ai.onnx.ml", classlabels_strings=["a", "ü"]))
    maps = helper.make_sequence_type_proto(helper.make_map_type_proto(
        TensorProto.STRING, helper.make_tensor_type_proto(TensorProto.FLOAT, [])))
    graph = helper.make_graph(
        nodes, "parts",
        [helper.make_value_info(name, kind) for name, kind in types.items()]
        + [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["N", 2])],
        [helper.make_value_info(name + "_out", kind) for name, kind in types.items()] + [helper.make_value_info("z", maps)])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 25), helper.make_opsetid("ai.onnx.ml", 5)]), path)


def run(command, code=0):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    assert done.returncode == code, (command, done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


FLAGS = ["-std=c99", "-O1", "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-I", ROOT / "include"]
SOURCE = ROOT / "share" / "onnxc" / "run_model.c"


def save_inputs(inputs, folder):
    files = {}
    for number, (name, array) in enumerate(inputs.items()):
        files[name] = folder / f"input{number}.npy"
        np.save(files[name], array.astype(str) if array.dtype == object else array)
    return files


def make_folder(path):
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir()
    return path


def check_copies(command, files, written):
    """Runs the model of make_model; the arguments that it took."""
    make_folder(written)
    # Some by name, the rest in the model's order.
    names = list(files)
    arguments = [f"{name}={files[name]}" for name in reversed(names[:4])] + [files[name] for name in names[4:]]
    run([*command, *arguments, f"--output={written}", "--threads=2", "--repeat=2"])
    assert len(list(written.iterdir())) == len(files)
    for name, file in files.items():
        got, want = np.load(written / (name.replace("/", "_").replace(":", "_") + "_out.npy")), np.load(file)
        # numpy reads back the types of ml_dtypes as bytes without a meaning.
        assert got.dtype == want.dtype or (want.dtype.kind == "V" and got.itemsize == want.itemsize), (name, got.dtype)
        assert got.shape == want.shape and got.tobytes() == want.tobytes(), name
    return arguments


def check_parts(command, written):
    """Runs the model of make_parts_model."""
    make_folder(written)
    parts = {"a": np.arange(3, dtype=np.float32), "b": np.zeros(0, np.float32), "c": np.array(["x", "größer"]),
             "scores": np.array([[1, 2], [3, 4]], np.float32)}
    for name, array in parts.items():
        np.save(written / f"{name}.npy", array)
    files = {name: written / f"{name}.npy" for name in parts}
    arguments = [f"s={files['a']}", f"s={files['b']}", f"t={files['c']}", f"o={files['a']}", "no=",
                 f"q={files['b']}", f"q={files['a']}", f"scores={files['scores']}"]
    run([*command, *arguments, f"--output={written}"])
    expected = {"s_out_0": "a", "s_out_1": "b", "t_out_0": "c", "o_out": "a", "q_out_0": "b", "q_out_1": "a"}
    for name, of in expected.items():
        assert np.array_equal(np.load(written / f"{name}.npy"), parts[of]), name
    for row in range(2):
        assert np.load(written / f"z_{row}_keys.npy").tolist() == ["a", "ü"]
        assert np.array_equal(np.load(written / f"z_{row}_values.npy"), parts["scores"][row])
    assert len(list(written.iterdir())) == len(parts) + len(expected) + 4
    return arguments


# Options of onnxc, a compiler with what it needs behind the files, and what runs its programs.
ELSEWHERE = {
    "musl": (["--mtriple=x86_64-linux-musl"], ["musl-gcc", "-static"], []),
    "glibc, static": ([], ["gcc", "-static"], []),
    "aarch64": (["--mtriple=aarch64-linux-gnu"], ["aarch64-linux-gnu-gcc", "-static"], ["qemu-aarch64"]),
    "riscv64": (["--mtriple=riscv64-linux-gnu"], ["riscv64-linux-gnu-gcc", "-static"], ["qemu-riscv64"]),
    "wasm32": (["--mtriple=wasm32-wasi"], ["clang-22", "--target=wasm32-wasi", "-Wno-deprecated"],
               ["node", "--no-warnings", ROOT / "test" / "wasm" / "run_wasi.mjs"]),
}


def main_elsewhere(onnxc, folder):
    inputs = make_inputs()
    make_model(inputs, folder / "copies.onnx")
    make_parts_model(folder / "parts.onnx")
    files = save_inputs(inputs, folder)
    for name, (options, compiler, runner) in ELSEWHERE.items():
        tools = [compiler[0], *runner[:1]]
        if not all(map(shutil.which, tools)) or (name == "wasm32" and not pathlib.Path("/usr/lib/wasm32-wasi/libc.a").exists()):
            print(f"{name}: not here")
            continue
        threads = [] if name == "wasm32" else ["-pthread"]
        for model, suffix in [("copies", "a"), ("copies", "o"), ("parts", "a")]:
            library, program = folder / f"{model}.{suffix}", folder / f"{model}-program"
            run([onnxc, folder / f"{model}.onnx", "-o", library, *options])
            run([*compiler, *FLAGS, f"-DONNXC_MODEL={model}", SOURCE, library, "-lm", *threads, "-o", program])
            if model == "copies":
                check_copies([*runner, program], files, folder / "written")
            else:
                check_parts([*runner, program], folder / "written")
        print(f"{name}: {os.path.getsize(program)} bytes")


# Options of onnxc for programs of its own, what runs them, and a file that is there where it can.
PROGRAMS = {
    "musl": (["--mtriple=x86_64-linux-musl"], ["/lib/ld-musl-x86_64.so.1"], "/lib/ld-musl-x86_64.so.1"),
    "aarch64": (["--mtriple=aarch64-linux-gnu"], ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"], "/usr/aarch64-linux-gnu/lib/libc.so.6"),
    "riscv64": (["--mtriple=riscv64-linux-gnu"], ["qemu-riscv64", "-L", "/usr/riscv64-linux-gnu"], "/usr/riscv64-linux-gnu/lib/libc.so.6"),
}


def main_programs(onnxc, folder):
    inputs = make_inputs()
    make_model(inputs, folder / "copies.onnx")
    make_parts_model(folder / "parts.onnx")
    files = save_inputs(inputs, folder)
    for name, (options, runner, needed) in PROGRAMS.items():
        if not shutil.which(runner[0]) or not pathlib.Path(needed).exists():
            print(f"{name}: not here")
            continue
        for model in ["copies", "parts"]:
            program = folder / f"{model}-{name}"
            run([onnxc, folder / f"{model}.onnx", "-o", program, *options])
            if model == "copies":
                check_copies([*runner, program], files, folder / "written")
            else:
                check_parts([*runner, program], folder / "written")
        print(f"{name}: program of {os.path.getsize(program)} bytes")


def main():
    if sys.argv[1] == "--elsewhere":
        main_elsewhere(sys.argv[2], pathlib.Path(sys.argv[3]))
        main_programs(sys.argv[2], pathlib.Path(sys.argv[3]))
        return
    onnxc, folder, compiler = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    inputs = make_inputs()
    make_model(inputs, folder / "copies.onnx")
    make_parts_model(folder / "parts.onnx")
    for name in ["copies.so", "copies.a", "parts.so"]:
        run([onnxc, (folder / name).with_suffix(".onnx"), "-o", folder / name])
    for name in ["copies", "parts"]:
        run([onnxc, folder / f"{name}.onnx", "-o", folder / name])
    run([*compiler, *FLAGS, SOURCE, "-o", folder / "loads", "-ldl"])
    run([*compiler, *FLAGS, "-DONNXC_MODEL=copies", SOURCE, folder / "copies.a", "-lm", "-pthread", "-o", folder / "linked"])
    files = save_inputs(inputs, folder)
    for command in [[folder / "loads", folder / "copies.so"], [folder / "linked"], [folder / "copies"]]:
        arguments = check_copies(command, files, folder / "written")
        print(run([*command, *arguments]).splitlines()[0])
    for parts in [[folder / "parts"], [folder / "loads", folder / "parts.so"]]:
        arguments = check_parts(parts, folder / "written")
        print(run([*parts, *arguments]))
    print(run([*parts, "o=", *arguments, arguments[3]], 2))

    loads = [folder / "loads", folder / "copies.so"]
    print(run(loads, 2).splitlines()[0])
    print(run([*loads, f"float32={files['float64']}"], 1))
    print(run([*loads, f"float32={__file__}"], 1))
    print(run([*loads, *files.values(), files["bool"]], 2))
    cut = folder / "cut.npy"
    cut.write_bytes(files["float32"].read_bytes()[:-1])
    print(run([*loads, f"float32={cut}"], 1))
    print(run([*loads, *files.values(), "--output=/nowhere"], 1))
    (folder / "not.so").write_text("no library")
    wrong = [([folder / "loads", "missing.so"], 1), ([folder / "loads", folder / "not.so"], 1), ([folder / "loads", folder / "copies.a"], 1),
             ([folder / "loads", folder / "copies.onnx"], 1), ([*loads, "--prefix=other"], 1), ([*loads, f"flaot32={files['float32']}"], 2),
             ([*loads, f"float32={files['float32']}", f"float32={files['float32']}"], 2), ([*loads, "float32="], 2)]
    np.savez(folder / "all.npz", files["float32"])
    wrong += [([*loads, f"float32={folder / 'all.npz'}"], 1), ([*loads, "--frob"], 2), ([*loads, "--threads=x"], 2)]
    for command, status in wrong:
        print(run(command, status).splitlines()[0])
    print(run([folder / "loads", "--help"]).splitlines()[0])
    print(run([*loads, "--help"]))
    # A name without a slash is a file, here.
    done = subprocess.run([folder / "loads", "copies.so"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 2 and "is missing; the model takes" in done.stderr, done
    for texts in (["one", "zw\0lf"], [b"a\0b", b"c"]):
        np.save(folder / "nul.npy", np.array(texts))
        print(run([*loads, f"texts={folder / 'nul.npy'}"], 1))


if __name__ == "__main__":
    main()
