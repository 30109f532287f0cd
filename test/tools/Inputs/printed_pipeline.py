"""What a driver prints as its pipeline is all that it runs: onnx-mlir-opt makes
the same of the imported model.

usage: printed_pipeline.py BIN FOLDER MODEL...     (BIN: the folder of the tools)
"""

import json
import pathlib
import re
import subprocess
import sys

LEVELS = [["-O0"], ["-O1"], ["-O2"], ["-O2", "--fold-budget=0", "--mcpu=x86-64-v2"]]
# As a model; the flags of onnxc and of onnx-optimize.
MODELS = [("onnxc", []), ("onnxc", ["--stop-after=import"]), ("onnxc", ["--stop-after=import", "--opset=15"]),
          ("onnxc", ["--stop-after=infer"]), ("onnxc", ["--stop-after=optimize", "--opset=15"]),
          ("onnx-optimize", []), ("onnx-optimize", ["--no-passes"]), ("onnx-optimize", ["--opset=15"]),
          ("onnx-optimize", ["--freeze", "--functions=inline"]), ("onnx-optimize", ["--upstream-compatible"]),
          ("onnx-optimize", ["--passes=eliminate_identity,eliminate_nop_transpose,fuse_consecutive_transposes"]),
          ("onnx-optimize", ["--passes=fuse_consecutive_transposes,eliminate_deadend,constant_fold", "--fixed-point"]),
          ("onnx-optimize", ["--passes=eliminate_identity", "--upstream-compatible", "--fixed-point", "--nsz=false"]),
          ("onnx-optimize", ["--disable=eliminate_identity,constant_fold", "--fold-budget=16", "--keep-interface=false"]),
          ("onnx-optimize", ["--freeze", "--input-shape", "--functions=inline"])]


def run(tool, *arguments):
    command = [pathlib.Path(sys.argv[1]) / tool, *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout


def apply(module, pipeline, output):
    run("onnx-mlir-opt", module, f"--pass-pipeline={pipeline.strip()}", "--verify-each=0", "--mlir-print-debuginfo", "-o", output)


def read(path):
    """As onnx-mlir-opt prints it, without the attribute by which onnxc knows its own files."""
    return re.sub(r'(, )?onnxc\.stage = "[a-z]+"', "", run("onnx-mlir-opt", path))


def compare_compile(folder, model, flags):
    run("onnxc", model, "--stop-after=import", "-o", folder / "imported.mlir")
    run("onnxc", model, "--stop-after=schedule", "-o", folder / "driver.mlir", *flags)
    apply(folder / "imported.mlir", run("onnxc", model, "--stop-after=schedule", "--print-pipeline", *flags),
          folder / "printed.mlir")
    return read(folder / "driver.mlir") == read(folder / "printed.mlir")


def state_shape(model):
    """The shape of the first input, 2 where the model leaves a size open."""
    first = json.loads(run("onnxc", "inspect", model, "--json"))["inputs"][0]
    return f"--input-shape={first['name']}:" + "x".join(str(size) if isinstance(size, int) else "2" for size in first["shape"])


def compare_model(folder, model, tool, flags):
    flags = [state_shape(model) if flag == "--input-shape" else flag for flag in flags]
    run(tool, model, *(["-o"] if tool == "onnxc" else []), folder / "driver.onnx", *flags)
    run("onnx-mlir-translate", "--onnx-to-mlir", "--mlir-print-debuginfo", model, "-o", folder / "imported.mlir")
    text = run(tool, model, *(["-o", folder / "driver.onnx"] if tool == "onnxc" else []), "--print-pipeline", *flags)
    apply(folder / "imported.mlir", text, folder / "printed.mlir")
    run("onnx-mlir-translate", "--mlir-to-onnx", folder / "printed.mlir", "-o", folder / "printed.onnx")
    return (folder / "driver.onnx").read_bytes() == (folder / "printed.onnx").read_bytes()


def main():
    folder = pathlib.Path(sys.argv[2])
    cases = [(model, "onnxc", flags, compare_compile(folder, model, flags))
             for model in sys.argv[3:] for flags in LEVELS]
    cases += [(model, tool, flags, compare_model(folder, model, tool, flags))
              for model in sys.argv[3:] for tool, flags in MODELS
              # Calls of functions with types inferred on one side only do not verify before they are
              # exported: such a module has no text form.
              if "functions" not in model or "--functions=inline" in flags]
    for model, tool, flags, same in cases:
        if not same:
            print(f"{model}: {tool} {' '.join(flags)} does something else than it prints")
    print(f"printed pipelines: {sum(case[-1] for case in cases)} of {len(cases)}")


main()
