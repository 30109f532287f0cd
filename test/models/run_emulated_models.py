#!/usr/bin/env python3
"""Compiles models at -O2 for processors that QEMU emulates, runs them by
share/onnxc/run_model.c with 1 and with 3 threads, and compares with the stored
outputs; both must give the same bits.

usage: run_emulated_models.py --build build/dev [--level aarch64 ...] [NAME...]

By default all levels of test/support/levels.py that are in LEVELS, and the models
of SMALL, which take some minutes; others of ../shared/models by name.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "support"))

import levels  # noqa: E402
import run_models  # noqa: E402

LEVELS = ("aarch64", "aarch64-dot", "aarch64-i8mm", "rv64gc", "rv64gcv", "rv64gcv-256")
SMALL = ("mnist_mlp", "mnist_cnn", "mnist_cntk", "scan_rnn", "loop_if", "lgbm_gemm", "xgb_trees", "byte_bilstm", "lstm_gru_asr",
         "silero_vad", "silero_vad_ifless", "fn_transformer", "ultraface_rfb320", "zoo_shufflenet", "mobilenet_v2_int8_qdq", "magika")
THREADS = (1, 3)
TIMEOUT = 1800  # seconds, for one run


def build_program(level, folder):
    program = folder / f"run_model-{level.triple}"
    if not program.exists():
        run_models.run([f"{level.triple}-gcc", "-std=gnu11", "-O1", "-I", ROOT / "include", "-include", HERE.parent / "support" / "vectors_in_qemu.h",
                        ROOT / "share" / "onnxc" / "run_model.c", "-rdynamic", "-ldl", "-o", program])
    return program


def run_emulated(level, program, library, inputs, case, threads, folder):
    """The outputs by name, and their bytes."""
    files = []
    for i, array in enumerate(inputs.values()):
        files.append(folder / f"in{i}.npy")
        np.save(files[-1], np.asarray(array, order="C"))
    out = folder / f"out{threads}"
    out.mkdir()
    command = [*level.emulator, "-L", f"/usr/{level.triple}", program, library, f"--output={out}", f"--threads={threads}", *files]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=TIMEOUT)
    if done.returncode:
        raise run_models.Failure(f"exit status {done.returncode}: {done.stderr[-400:].strip()}")
    # As run_model.c names files.
    paths = {output["name"]: out / (output["name"].replace("/", "_") + ".npy") for output in case["outputs"]}
    return {name: np.load(path) for name, path in paths.items()}, [path.read_bytes() for path in paths.values()]


def check_case(model, case, level, program, library, scratch):
    """Error, seconds of the run with one thread, and what is wrong."""
    error, seconds, why, before = None, None, "", None
    for threads in THREADS:
        folder = pathlib.Path(tempfile.mkdtemp(dir=scratch))
        start = time.monotonic()
        got, files = run_emulated(level, program, library, model.inputs(case), case, threads, folder)
        seconds = seconds or time.monotonic() - start
        if before is None:
            error, why = model.compare(case, got)
        elif files != before:
            why = why or f"other bits with {threads} threads than with {THREADS[0]}"
        before = files
    return error, seconds, why


def check_model(model, level, onnxc, scratch):
    """Prints a row for each case; how many are wrong."""
    name, level = level, levels.LEVELS[level]
    library, wrong = scratch / f"{model.name}.so", 0
    features = [f"--mattr={level.attributes}"] if level.attributes else []
    try:
        program = build_program(level, scratch)
        run_models.run([onnxc, model.file(), "-O2", "-o", library, f"--mtriple={level.triple}", f"--mcpu={level.cpu}", *features])
    except run_models.Failure as failure:
        print(f"| {model.name} | | {name} | | | FAILED: {failure} |", flush=True)
        return 1
    for case in model.cases:
        try:
            error, seconds, why = check_case(model, case, level, program, library, scratch)
        except (run_models.Failure, subprocess.TimeoutExpired) as failure:
            error, seconds, why = float("inf"), 0, str(failure)
        wrong += bool(why)
        print(f"| {model.name} | {case['id']} | {name} | {error:.1g} | {seconds:.1f} | {'FAILED: ' + why if why else 'same'} |", flush=True)
    library.unlink()
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--level", action="append", choices=LEVELS)
    options = parser.parse_args()
    chosen = [name for name in options.level or LEVELS if levels.LEVELS[name].runs_here()]
    missing = sorted(set(options.level or LEVELS) - set(chosen))
    if missing:
        print(f"QEMU, the C compiler or the C library is missing for {', '.join(missing)}")
    models, _ = run_models.load_models(options.names)
    if not options.names:
        models = [model for model in models if model.name in SMALL]
    onnxc = options.build.resolve() / "bin" / "onnxc"
    print("| model | case | level | error | s under QEMU | with 1 and 3 threads |\n| --- | --- | --- | ---: | ---: | --- |")
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="onnxc-models-") as scratch:
        for model in models:
            for level in chosen:
                wrong += check_model(model, level, onnxc, pathlib.Path(scratch))
    print(f"{wrong} wrong")
    return 1 if wrong or missing or not models else 0


if __name__ == "__main__":
    sys.exit(main())
