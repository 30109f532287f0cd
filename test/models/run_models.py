#!/usr/bin/env python3
"""Compiles models with onnxc, runs them through `onnxc run` and through a C
program, compares with the stored outputs, and prints a table.

usage: run_models.py --build build/dev [--full] [--junit FILE] [NAME...]

Three modes: "declared", the model as it is; "static", compiled for each case
with the sizes of its inputs; "dynamic", with all sizes unknown. The last two
where they differ from the first. By default the first mode alone, up to
5 GFLOP at -O2 and 0.5 GFLOP at -O0; --full: every model at both levels in all
modes. See README.md for where the models are from.

Compile times are those of the processor, which other work on the machine
changes less; run times are of the clock, the faster of two.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as xml

import numpy as np
from onnx import helper

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent

# The models of the shared directory: all of them must compile and run.
EXPECTED = {
    "bert_base", "bert_base_int8_dyn", "byte_bilstm", "fn_transformer",
    "gpt2_kv", "lgbm_gemm", "loop_if", "lstm_gru_asr", "magika", "mnist_cnn",
    "mnist_cntk", "mnist_mlp", "mobilenet_v2", "mobilenet_v2_int8_qdq",
    "mobilenet_v3_large", "resnet50", "resnet50_int8_qop", "scan_rnn",
    "silero_vad", "silero_vad_ifless", "ultraface_rfb320", "unet", "vit_b_16",
    "vit_tiny_op23", "xgb_trees", "zoo_bvlc_alexnet", "zoo_densenet121",
    "zoo_inception_v1", "zoo_inception_v2", "zoo_resnet50", "zoo_shufflenet",
    "zoo_squeezenet", "zoo_vgg19", "zoo_zfnet512",
}
MODES = ("declared", "static", "dynamic")
BUDGET = {0: 0.5, 1: 5.0, 2: 5.0, 3: 5.0}  # GFLOP, by level
TIMEOUT = 1800  # seconds, for one command


def shared_models():
    """The directory of larger models, or None."""
    shared = os.environ.get("ONNXC_SHARED", ROOT.parent / "shared")
    models = pathlib.Path(shared) / "models"
    return models if (models / "models.json").exists() else None


class Model:
    """One model of a manifest: where its file is, its inputs and results."""

    def __init__(self, entry, root, shared):
        self.entry = entry
        self.name = entry["name"]
        self.cases = entry["cases"]
        self.folder = root / entry["dir"]
        self.tolerance = entry["tolerance"]
        self.shared = shared
        path = self.folder / "data.npz"
        self.data = np.load(path) if path.exists() else {}

    def file(self):
        """The .onnx file; made on first use where only its recipe is kept."""
        if self.entry["form"] == "full":
            return self.folder / "model.onnx"
        home = os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")
        path = pathlib.Path(home) / "onnxc" / "models" / f"{self.name}.onnx"
        recipe = self.folder / "recipe.json"
        if not path.exists() or path.stat().st_mtime < recipe.stat().st_mtime:
            # By another process: what this one uses, its children start with,
            # and seem to have used.
            run([sys.executable, self.folder.parent / "materialize.py",
                 "--out", path.parent, self.name])
        return path

    def variants(self, mode, scratch):
        """What to compile in a mode, as triples of a file, options and the
        cases it is for; none if the mode is like that of the declared model."""
        # Where no shape is told, all sizes are fixed.
        sizes = [size for spec in self.entry["inputs"] for size in spec.get("shape", [1])]
        if mode == "declared":
            return [(self.file(), [], self.cases)]
        if mode == "dynamic":
            if not any(isinstance(size, int) for size in sizes):
                return []
            path = scratch / f"{self.name}.onnx"
            if not path.exists():
                run([sys.executable, HERE.parent / "support" / "open_sizes.py", self.file(), path])
            return [(path, [], self.cases)]
        if all(isinstance(size, int) for size in sizes):
            return []
        return [(self.file(), [f"--input-shape={name}:{'x'.join(map(str, array.shape))}"
                               for name, array in self.inputs(case).items() if array.ndim],
                 [case]) for case in self.cases]

    def inputs(self, case):
        """Arrays by name, in the order of the model."""
        names = [spec["name"] for spec in self.entry["inputs"]]
        keys = [f"{case['id']}/in/{name}" for name in names]
        if all(key in self.data for key in keys):
            return {name: self.data[key] for name, key in zip(names, keys)}
        return self.shared.case_inputs(self.entry, case)

    def compare(self, case, got):
        """The largest error relative to the largest value, and what is wrong
        with it ("" if nothing)."""
        worst, why = 0.0, ""
        for output in case["outputs"]:
            name = output["name"]
            if name not in got:
                return float("inf"), f"no output {name}"
            key = f"{case['id']}/out/{name}"
            value = got[name]
            if output["stored"] == "full":
                want = self.data[key]
                if value.shape != want.shape:
                    return float("inf"), f"{name}: shape {value.shape}, not {want.shape}"
            else:
                want = self.data[key + "#val"]
                value = value.ravel()[self.data[key + "#idx"]]
            errors = measure_errors(value, want, self.tolerance)
            worst = max(worst, errors[0].value)
            why = "; ".join([why] * bool(why) + [f"{name}: {error}" for error in errors if error.is_too_large()])
        return worst, why


class Error:
    """A kind of difference, how large it is and may be."""

    def __init__(self, kind, value, limit):
        self.kind, self.value, self.limit = kind, value if value == value else float("inf"), limit

    def is_too_large(self):
        return not self.value <= self.limit

    def __str__(self):
        return f"{self.kind} {self.value:.3g}, at most {self.limit:g}"


def measure_errors(value, want, tolerance):
    """The errors that a manifest's `tolerance` limits; the largest one of an element
    first. Integers and whatever is no number are equal, or too many of them differ."""
    if want.dtype.kind != "f":
        differing = float((value != want).mean()) if want.size else 0.0
        return [Error("part of the elements that differ", differing, tolerance.get("int_mismatch", 0.0))]
    value, want = value.astype(np.float64), want.astype(np.float64)
    # NaN and infinities stand where they are expected.
    finite = np.isfinite(want)
    if not (np.isfinite(value) == finite).all() or not np.array_equal(value[~finite], want[~finite], equal_nan=True):
        return [Error("error", float("inf"), tolerance["rtol_of_absmax"])]
    value, want = value[finite], want[finite]
    error = float(np.abs(value - want).max() / (np.abs(want).max() + 1e-12)) if want.size else 0.0
    errors = [Error("error", error, tolerance["rtol_of_absmax"])]
    if "rel_l2" in tolerance:
        norm = float(np.linalg.norm(value - want) / (np.linalg.norm(want) + 1e-12))
        errors.append(Error("error of the vector norm", norm, tolerance["rel_l2"]))
    return errors


def load_models(names):
    own = json.loads((HERE / "models.json").read_text())["models"]
    models = {entry["name"]: Model(entry, HERE, None) for entry in own}
    missing = []
    root = shared_models()
    if root:
        sys.path.insert(0, str(root))
        import materialize  # of the shared directory
        for entry in json.loads((root / "models.json").read_text())["models"]:
            if entry["name"] in models:
                continue
            models[entry["name"]] = Model(entry, root, materialize)
    else:
        missing = sorted(EXPECTED - set(models))
    unknown = sorted(set(names) - set(models))
    if unknown:
        sys.exit(f"there is no model {', '.join(unknown)}")
    if names:
        models = {name: models[name] for name in names}
    order = sorted(models.values(), key=lambda model: model.entry["gflops"])
    return order, missing


class Failure(Exception):
    pass


def run(command):
    """Standard output, seconds of the processor, and the most MiB it used."""
    start = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen([str(word) for word in command], stdout=out,
                                 stderr=err, stdin=subprocess.DEVNULL)
        # wait4, unlike Popen.wait, tells what this child alone used.
        pid = 0
        while not pid:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if not pid:
                if time.monotonic() - start > TIMEOUT:
                    child.kill()
                time.sleep(0.005)
        child.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - start
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
    if child.returncode != 0:
        lines = (texts[1].strip() or texts[0].strip()).splitlines()
        if seconds > TIMEOUT:
            lines.append(f"(no end after {TIMEOUT} s)")
        raise Failure(f"exit status {child.returncode}: " + "\n".join(lines[:20]))
    return texts[0], usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def write_tensor(path, array):
    array = np.asarray(array, order="C")
    dtype = helper.np_dtype_to_tensor_dtype(array.dtype)
    words = [dtype, array.ndim, *array.shape]
    path.write_bytes(" ".join(str(word) for word in words).encode() + b"\n" + array.tobytes())


def read_tensor(path):
    head, _, body = path.read_bytes().partition(b"\n")
    dtype, _, *shape = [int(word) for word in head.split()]
    return np.frombuffer(body, helper.tensor_dtype_to_np_dtype(dtype)).reshape(shape)


def run_by_command(onnxc, library, inputs, folder):
    np.savez(folder / "in.npz", **inputs)
    run([onnxc, "run", library, "--inputs", folder / "in.npz", "--save", folder / "out.npz"])
    with np.load(folder / "out.npz") as result:
        return {name: result[name] for name in result.files}


def run_by_program(program, library, prefix, inputs, case, folder):
    files = []
    for i, array in enumerate(inputs.values()):
        files.append(folder / f"in{i}")
        write_tensor(files[-1], array)
    outputs = [folder / f"out{i}" for i in range(len(case["outputs"]))]
    printed, _, _ = run([program, library, prefix, 2, *files, "--", *outputs])
    names = [output["name"] for output in case["outputs"]]
    return dict(zip(names, map(read_tensor, outputs))), float(printed)


class Report:
    """The table on the terminal, and the same for a machine."""

    def __init__(self):
        self.suite = xml.Element("testsuite", name="models")
        self.failed = 0
        self.passed = 0
        self.skipped = 0
        print(f"{'model':20} {'case':13} {'mode':8} level  compile      peak       run     error")

    def add(self, model, case, mode, level, compile_cost, seconds, error, why):
        cost, mib = compile_cost or (None, None)
        print(f"{model:20} {case:13} {mode:8}  -O{level} "
              f"{f'{cost:7.2f} s' if cost is not None else '        -'} "
              f"{f'{mib:5.0f} MiB' if mib else '        -'} "
              f"{f'{seconds * 1e3:6.1f} ms' if seconds is not None else '        -'} "
              f"{f'{error:9.2g}' if error is not None else '        -'}"
              f"{'  FAILED: ' + why if why else ''}", flush=True)
        test = self._case(model, f"{case} {mode} -O{level}")
        if why:
            self.failed += 1
            xml.SubElement(test, "failure").text = why
        else:
            self.passed += 1

    def skip(self, model, why):
        print(f"{model:20} skipped: {why}")
        self.skipped += 1
        xml.SubElement(self._case(model, "all"), "skipped").text = why

    def _case(self, model, name):
        return xml.SubElement(self.suite, "testcase", classname=f"models.{model}", name=name)


def check_model(model, mode, level, tools, scratch, report):
    try:
        variants = model.variants(mode, scratch)
    except Failure as failure:
        report.add(model.name, "prepare", mode, level, None, None, None, str(failure))
        return
    for file, options, cases in variants:
        check_variant(model, file, options, cases, mode, level, tools, scratch, report)


def check_variant(model, file, options, cases, mode, level, tools, scratch, report):
    library = scratch / f"{model.name}.so"
    cost = None
    try:
        _, seconds, mib = run([tools["onnxc"], file, "-o", library, f"-O{level}", *options])
        cost = (seconds, mib)
    except Failure as failure:
        report.add(model.name, "compile", mode, level, None, None, None, str(failure))
        return
    for case in cases:
        folder = pathlib.Path(tempfile.mkdtemp(dir=scratch))
        inputs = model.inputs(case)
        error = seconds = None
        try:
            error, why = model.compare(
                case, run_by_command(tools["onnxc"], library, inputs, folder))
            got, seconds = run_by_program(tools["program"], library, model.name,
                                          inputs, case, folder)
            more, why_program = model.compare(case, got)
            error = max(error, more)
            why = why or why_program
        except Failure as failure:
            why = str(failure)
        report.add(model.name, case["id"], mode, level, cost, seconds, error, why)
        cost = None
    library.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--build", required=True, help="the build directory")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--levels", default="0,2")
    parser.add_argument("--modes", help=f"of {', '.join(MODES)}")
    parser.add_argument("--junit")
    options = parser.parse_args()

    models, missing = load_models(options.names)
    modes = options.modes.split(",") if options.modes else MODES if options.full else MODES[:1]
    levels = [int(level) for level in options.levels.split(",")]
    with tempfile.TemporaryDirectory(prefix="onnxc-models-") as scratch:
        scratch = pathlib.Path(scratch)
        program = scratch / "run_model"
        run(["clang-22", "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-I",
             ROOT / "include", HERE / "run_model.c", "-o", program, "-ldl"])
        tools = {"onnxc": pathlib.Path(options.build).resolve() / "bin" / "onnxc",
                 "program": program}
        report = Report()
        for name in missing:
            report.skip(name, "there is no shared directory of models")
        for model in models:
            for level in levels:
                if (model.entry["gflops"] > BUDGET[level]
                        and not (options.full or options.names)):
                    report.skip(f"{model.name} -O{level}", "takes long; --full runs it")
                    continue
                for mode in modes:
                    check_model(model, mode, level, tools, scratch, report)
            (scratch / f"{model.name}.onnx").unlink(missing_ok=True)
    print(f"{report.passed} passed, {report.failed} failed, {report.skipped} skipped")
    if options.junit:
        xml.ElementTree(report.suite).write(options.junit)
    # Where nothing ran, nothing is right.
    return 1 if report.failed or not report.passed else 0


if __name__ == "__main__":
    sys.exit(main())
