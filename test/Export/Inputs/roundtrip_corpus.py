#!/usr/bin/env python3
"""Imports models and exports them again: every official node test of the installed onnx
package, its other models, the models of test/, and the shared models where they are
present. Prints those that do not come back equal (compared after parsing).

usage: roundtrip_corpus.py DIR onnx-mlir-translate [FOLDER...]

DIR keeps the node tests' models between runs. Each FOLDER is searched for .onnx files.
"""

import concurrent.futures
import difflib
import os
import pathlib
import subprocess
import sys
import warnings

import onnx

warnings.filterwarnings("ignore")


def write_node_tests(folder):
    done = folder / f"onnx-{onnx.__version__}"
    if done.exists():
        return
    from onnx.backend.test import loader
    folder.mkdir(parents=True, exist_ok=True)
    for case in loader.load_model_tests(kind="node"):
        (folder / f"{case.name}.onnx").write_bytes(case.model.SerializeToString())
    done.touch()


def find_weights(path):
    """The files of external data that the model names."""
    model = onnx.load(path, load_external_data=False)
    return [path.parent / entry.value for tensor in model.graph.initializer
            for entry in tensor.external_data if entry.key == "location"]


def compare(tool, source, result):
    """What is wrong, as text; None if nothing is."""
    command = [tool, "--mlir-to-onnx", str(source), "-o", str(result)]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        return run.stderr
    before = onnx.load(source, load_external_data=False)
    after = onnx.load(result, load_external_data=False)
    result.unlink()
    if before == after:
        return None
    lines = [str(model).splitlines() for model in (before, after)]
    if len(lines[0]) + len(lines[1]) > 100000:
        return "differs"
    return "\n".join(list(difflib.unified_diff(*lines, lineterm="", n=2))[:40])


def main(folder, tool, *folders):
    folder = pathlib.Path(folder)
    write_node_tests(folder / "node")
    files = sorted((folder / "node").glob("*.onnx"))
    for more in [pathlib.Path(onnx.__file__).parent, *map(pathlib.Path, folders)]:
        files += sorted(path for path in more.rglob("*.onnx") if all(file.exists() for file in find_weights(path)))

    def check(index):
        # A reference holds where its file is found: below the result's folder, too.
        target = folder / "results" / str(index)
        target.mkdir(parents=True, exist_ok=True)
        for weights in set(find_weights(files[index])):
            link = target / weights.relative_to(files[index].parent)
            link.parent.mkdir(parents=True, exist_ok=True)
            if not link.exists():
                link.symlink_to(weights)
        return compare(tool, files[index], target / "model.onnx")

    failures = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for source, problem in zip(files, pool.map(check, range(len(files)))):
            if problem:
                failures += 1
                print(f"{source}:\n{problem}")
    print(f"{len(files)} models, {failures} failures")


if __name__ == "__main__":
    main(*sys.argv[1:])
