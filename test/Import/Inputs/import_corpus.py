#!/usr/bin/env python3
"""Imports every official node test of the installed onnx package and, where they
are present, the shared models; prints those that fail, unless KNOWN says why, and
those of KNOWN that do not.

usage: import_corpus.py DIR onnx-mlir-translate [MODELS]

DIR keeps the node tests' models between runs. MODELS is a folder of
NAME/model.onnx; weights that it lacks are replaced by files of zeros.
"""

import pathlib
import shutil
import subprocess
import sys
import warnings

import onnx

warnings.filterwarnings("ignore")

# Models that are refused, and why that is not the importer's fault.
KNOWN = set()


def write_node_tests(folder):
    done = folder / f"onnx-{onnx.__version__}"
    if done.exists():
        return
    from onnx.backend.test import loader
    folder.mkdir(parents=True, exist_ok=True)
    for case in loader.load_model_tests(kind="node"):
        (folder / f"{case.name}.onnx").write_bytes(case.model.SerializeToString())
    done.touch()


def copy_model(source, folder):
    """The model, with sparse files where its weights would be."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, folder / "model.onnx")
    sizes = {}
    for tensor in onnx.load(source, load_external_data=False).graph.initializer:
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            entry = {e.key: e.value for e in tensor.external_data}
            end = int(entry.get("offset", 0)) + int(entry.get("length", 0))
            sizes[entry["location"]] = max(sizes.get(entry["location"], 0), end)
    for name, size in sizes.items():
        with open(folder / name, "wb") as file:
            file.truncate(size)


def main(folder, tool, models=None):
    folder = pathlib.Path(folder)
    write_node_tests(folder / "node")
    files = sorted((folder / "node").glob("*.onnx"))
    if models and pathlib.Path(models).is_dir():
        for model in sorted(pathlib.Path(models).glob("*/model.onnx")):
            target = folder / "models" / model.parent.name
            copy_model(model, target)
            files.append(target / "model.onnx")
    run = subprocess.run([tool, "--onnx-to-mlir", "--no-output", *map(str, files)],
                         capture_output=True, text=True)
    if run.returncode not in (0, 1):
        print(run.stderr[-4000:])
        print(f"crashed: exit status {run.returncode}")
        return 1
    errors = {}
    for line in run.stderr.splitlines():
        path, _, message = line.partition(": ")
        if path.endswith(".onnx") and not message.startswith("warning") \
                and not path.startswith(" "):
            name = pathlib.Path(path).stem
            if name == "model":
                name = pathlib.Path(path).parent.name
            errors.setdefault(name, message)
    for name in sorted(errors.keys() - KNOWN):
        print(f"{name}: {errors[name]}")
    for name in sorted(KNOWN - errors.keys()):
        print(f"{name}: is known to fail, but does not")
    print(f"{len(files)} models, as expected: {errors.keys() == KNOWN}")
    return 0 if errors.keys() == KNOWN else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
