"""Configures and builds the projects in a folder of examples.

usage: projects.py --source=DIR --prefix=DIR --folder=DIR --cc=NAME --cxx=NAME --models=DIR
"""

import argparse
import pathlib
import subprocess
import sys

# They have tests of their own.
OTHERS = ["android", "custom-operator"]


def main():
    parser = argparse.ArgumentParser()
    for name in ["source", "prefix", "folder", "cc", "cxx", "models"]:
        parser.add_argument(f"--{name}", required=True)
    options = parser.parse_args()
    digits = f"{options.models}/mnist_cnn/model.onnx"
    models = {
        "embedded-vad": [f"-DMODEL={options.folder}/stream.onnx"],
        "image-classification": [f"-DMODEL={digits}"],
        "llm": [f"-DMODEL={options.folder}/decoder.onnx"],
        "own-allocator": [f"-DMODEL={digits}"],
        "own-threads": [f"-DMODEL={digits}"],
        "sentence-embedding": [f"-DMODEL={options.folder}/encoder.onnx"],
        "streaming-audio": [f"-DMODEL={options.folder}/vad.onnx"],
        "trees-csv": [f"-DMODEL={options.folder}/trees.onnx"],
        "two-models": [f"-DFIRST={digits}", f"-DSECOND={options.models}/mnist_mlp/model.onnx"],
    }
    found = [path.parent.name for path in sorted(pathlib.Path(options.source).glob("*/CMakeLists.txt"))]
    for name in found:
        if name in OTHERS:
            continue
        build = f"{options.folder}/{name}"
        for command in [["cmake", "-G", "Ninja", "-S", f"{options.source}/{name}", "-B", build,
                         f"-DCMAKE_PREFIX_PATH={options.prefix}", f"-DCMAKE_C_COMPILER={options.cc}",
                         f"-DCMAKE_CXX_COMPILER={options.cxx}", *models[name]], ["cmake", "--build", build]]:
            done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if done.returncode:
                sys.exit(f"{name}:\n{done.stdout}")
        print(f"{name}: built")
    print("all that have a CMakeLists.txt but", ", ".join(OTHERS))


if __name__ == "__main__":
    main()
