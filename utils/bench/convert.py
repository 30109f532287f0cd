#!/usr/bin/env python3
"""Writes models for peers that do not read ONNX, once, in the cache.

A conversion is a process of its own without a network, and apart from all that is
timed. What fails is kept too, as its reason. Peers other than ONNX Runtime and
OpenVINO get a copy of the model with the sizes of the inputs that are measured, from
onnxsim where it can make one.

usage (by run() below): python -m bench.convert STEP MODEL FEEDS OUTPUT
STEP is "static" or one of CONVERTERS; FEEDS a JSON file {input: [[size, ...], dtype]}.
"""

import hashlib
import importlib.util
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

import numpy as np

from bench import native

# Seconds of one conversion: of a processor, and by the clock, when others need the machine.
TIMEOUT, PATIENCE = 900, 3600
# Raised when a step below writes something else than before: kept files are made again.
REVISION = 1
UTILS = pathlib.Path(__file__).resolve().parent.parent
# pnnx's names of element types.
PNNX_TYPES = {"float32": "f32", "float64": "f64", "float16": "f16", "int8": "i8", "uint8": "u8", "int16": "i16",
              "int32": "i32", "int64": "i64"}


class Cannot(Exception):
    """A peer cannot have the model; says why."""


def make_static(source, feeds, output):
    """The model with fixed dimensions of its inputs, simplified if possible."""
    import onnx
    model = onnx.load(source)
    constants = {tensor.name for tensor in model.graph.initializer}
    for value in model.graph.input:
        if value.name in constants or value.name not in feeds:
            continue
        for dim, size in zip(value.type.tensor_type.shape.dim, feeds[value.name][0]):
            dim.ClearField("dim_param")
            dim.dim_value = size
    # Sizes that were said of other values no longer hold.
    del model.graph.value_info[:]
    for value in model.graph.output:
        for dim in value.type.tensor_type.shape.dim:
            dim.Clear()
    try:
        import onnxsim
        simple, right = onnxsim.simplify(onnx.shape_inference.infer_shapes(model))
        model = simple if right else model
    except Exception as error:
        print(f"not simplified: {error}", file=sys.stderr)
    onnx.save(onnx.shape_inference.infer_shapes(model), output)


def make_mnn(source, feeds, output):
    """By the converter's binding. Never by the command of the same name: that one
    installs a package that reports its use."""
    import _tools
    _tools.mnnconvert(["mnnconvert", "-f", "ONNX", "--modelFile", source, "--MNNModel", output, "--bizCode", "b"])


def make_ncnn(source, feeds, output):
    """Two files, NAME and NAME.bin, with float32 weights."""
    shapes = []
    for name in input_names(source):
        sizes, dtype = feeds[name]
        if dtype not in PNNX_TYPES:
            raise Cannot(f"pnnx has no {dtype}")
        shapes.append(f"[{','.join(map(str, sizes))}]{PNNX_TYPES[dtype]}")
    shutil.copy(source, "source.onnx")
    # The package itself imports torch, which the program does not need.
    program = pathlib.Path(importlib.util.find_spec("pnnx").origin).with_name("pnnx")
    subprocess.run([str(program), "source.onnx", "fp16=0", f"inputshape={','.join(shapes)}"], check=True)
    shutil.move("source.ncnn.param", output)
    shutil.move("source.ncnn.bin", output + ".bin")


def input_names(source):
    """The inputs without a default, in the model's order."""
    import onnx
    graph = onnx.load(source, load_external_data=False).graph
    constants = {tensor.name for tensor in graph.initializer}
    return [value.name for value in graph.input if value.name not in constants]


def make_litert(source, feeds, output):
    """By onnx2tf, in an environment of its own; float32."""
    python = native.environment("converter")
    if python is None:
        raise Cannot("utils/peers/install.sh has made no converter")
    shutil.copy(source, "source.onnx")
    # It compares what it writes with the model on pictures, which it downloads if it finds none.
    np.save("calibration_image_sample_data_20x128x128x3_float32.npy",
            np.random.default_rng(1).random((20, 128, 128, 3), np.float32))
    process = subprocess.Popen([str(python), str(python.with_name("onnx2tf")), "-i", "source.onnx", "-o", "out",
                                "--copy_onnx_input_output_names_to_tflite"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, errors="replace", env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2", "PYTHONUNBUFFERED": "1"})
    is_complete = False
    for line in process.stdout:
        print(line, end="")
        # A file of float16, which takes as long once more, comes behind.
        if "Float32 tflite output complete" in line:
            is_complete = True
            process.kill()
    if process.wait() and not is_complete:
        raise subprocess.CalledProcessError(process.returncode, "onnx2tf")
    shutil.move("out/source_float32.tflite", output)


def make_trees(source, feeds, output):
    """LightGBM's text."""
    import onnx
    from bench import trees
    try:
        pathlib.Path(output).write_text(trees.lightgbm_text(onnx.load(source)))
    except (ValueError, IndexError, KeyError) as error:
        raise Cannot(f"not one sum of trees: {error}") from None


def make_tl2cgen(source, feeds, output):
    """A library, by the machine's C compiler, for the level of processors that peers see."""
    import tl2cgen
    import treelite
    make_trees(source, feeds, "model.txt")
    tl2cgen.export_lib(treelite.frontend.load_lightgbm_model("model.txt"), toolchain="gcc",
                       libpath=os.path.abspath("model.so"),
                       options=[f"-march={os.environ['ONNXC_BENCH_MARCH']}", "-mtune=native"])
    shutil.move("model.so", output)


STEPS = {"static": make_static, "mnn": make_mnn, "ncnn": make_ncnn, "litert": make_litert, "lleaves": make_trees,
         "tl2cgen": make_tl2cgen}
CONVERTERS = [name for name in STEPS if name != "static"]
# Those that take the model as it is.
OPEN = {"lleaves", "tl2cgen"}


def run(step, source, feeds, output, folder, level=None):
    """One conversion in its process, in `folder`. Cannot says why it failed. `level`: of processors, for what
    is compiled; None: the machine's."""
    sizes = os.path.join(folder, "feeds.json")
    pathlib.Path(sizes).write_text(json.dumps(
        {name: [list(np.shape(value)), str(np.asarray(value).dtype)] for name, value in feeds.items()}))
    work = tempfile.mkdtemp(dir=folder)
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.convert", step, source, sizes, output], cwd=work, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        env={**os.environ, "PYTHONPATH": str(UTILS), "PIP_NO_INDEX": "1",
             "ONNXC_BENCH_MARCH": level or "native"})
    try:
        text, _ = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        raise Cannot(f"no {step} file after {PATIENCE} s") from None
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
        shutil.rmtree(work, ignore_errors=True)
    if process.returncode or not os.path.exists(output):
        said = [line.strip() for line in text.splitlines() if line.strip()]
        cannot = [line[len("cannot: "):] for line in said if line.startswith("cannot: ")]
        raise Cannot((cannot or said or [f"exit status {process.returncode}"])[-1][-200:])


def version(kind):
    """What a converted file depends on beside the model."""
    texts = [(UTILS / "peers" / name).read_text() for name in ("requirements.txt", "converter.txt")]
    return "\n".join([*texts, kind, str(REVISION)])


def place(kind, model, level=None):
    """Where the converted file of a model is, or will be."""
    key = hashlib.blake2b(version(kind).encode(), digest_size=12)
    with open(model.path, "rb") as file:
        key.update(hashlib.file_digest(file, "blake2b").digest())
    for name, value in sorted(model.feeds.items()):
        key.update(f"{name} {np.shape(value)} {np.asarray(value).dtype}".encode())
    if kind == "tl2cgen" and level:
        key.update(level.encode())
    return native.cache_folder("converted") / f"{model.name.replace(' ', '_').replace('/', '_')}-{key.hexdigest()}.{kind}"


def prepare(kinds, model, level=None):
    """{kind: path, or the Cannot} for the kinds that need a conversion; makes what is missing. `level`: see run."""
    found = {}
    with tempfile.TemporaryDirectory(prefix="onnxc-convert-") as folder:
        static = os.path.join(folder, "static.onnx")
        for kind in kinds:
            path = place(kind, model, level)
            failed = path.with_name(path.name + ".failed")
            if not path.exists() and not failed.exists():
                try:
                    if kind not in OPEN and not os.path.exists(static):
                        run("static", model.path, model.feeds, static, folder)
                    run(kind, model.path if kind in OPEN else static, model.feeds, str(path), folder, level)
                except Cannot as error:
                    path.unlink(missing_ok=True)
                    failed.write_text(str(error))
            found[kind] = Cannot(failed.read_text()) if failed.exists() else str(path)
    return found


def main():
    step, source, feeds, output = sys.argv[1:]
    from bench import contenders
    contenders.without_network()
    resource.setrlimit(resource.RLIMIT_CPU, (TIMEOUT, TIMEOUT))
    try:
        STEPS[step](source, json.loads(pathlib.Path(feeds).read_text()), output)
    except Cannot as error:
        print(f"cannot: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
