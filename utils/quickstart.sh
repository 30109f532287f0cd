#!/bin/bash
# From nothing to a compiled model that reads handwritten digits: installs what
# is missing, builds onnxc, compiles a trained model, builds a C program with it,
# runs it. Quick when nothing changed.
#
# usage: utils/quickstart.sh

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

utils/build.sh dev onnxc
out=build/quickstart
mkdir -p "$out"

show() { echo "+ $*"; "$@"; }
show build/dev/bin/onnxc test/models/mnist_cnn/model.onnx -o "$out/mnist.so"
show clang-22 -std=c11 -O2 -I include -I "$out" utils/quickstart/read_digits.c \
  -L "$out" -l:mnist.so -Wl,-rpath,'$ORIGIN' -lm -o "$out/read_digits"
show "$out/read_digits" utils/quickstart/digits/*.pgm
