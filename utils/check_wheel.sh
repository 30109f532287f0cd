#!/bin/bash
# Installs a wheel into an empty environment, with numpy alone, and uses it there:
# commands, a compile and a run in Python, an error.
#
# usage: utils/check_wheel.sh WHEEL [PYTHON]     (default: python3)

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[ $# -ge 1 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0"; exit 2; }
wheel="$(realpath "$1")"
model="$PWD/test/models/mnist_cnn/model.onnx"
data="$PWD/test/models/mnist_cnn/data.npz"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

"${2:-python3}" -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check "$wheel"
"$work/venv/bin/pip" list --disable-pip-version-check
# Nothing of this tree or of the machine's onnxc.
cd "$work"
env -i PATH="$work/venv/bin:/usr/bin:/bin" HOME="$work" bash -euo pipefail -c '
  onnxc --version
  onnx-mlir-opt --version
  onnx-optimize --list >passes.txt && head -3 passes.txt
  onnxc "$1" -o mnist.so
  onnxc "$1.none" -o none.so && exit 1 || echo "a missing model: status $?"
  python - "$1" "$2" <<"PYTHON"
import sys
import numpy
import onnxc

data = numpy.load(sys.argv[2])
for session in (onnxc.InferenceSession("mnist.so"), onnxc.InferenceSession(sys.argv[1])):
    feeds = {value.name: data["n1/in/" + value.name] for value in session.get_inputs()}
    names = [value.name for value in session.get_outputs()]
    for name, result in zip(names, session.run(names, feeds)):
        numpy.testing.assert_allclose(result, data["n1/out/" + name], rtol=1e-4, atol=1e-5)
        print("as expected:", name, result.shape)
try:
    onnxc.compile(sys.argv[2], output="wrong.so")
except onnxc.Error as error:
    print("onnxc.Error:", str(error).splitlines()[0])
else:
    sys.exit("another file than a model was compiled")
PYTHON' bash "$model" "$data"
echo "the wheel works: $(basename "$wheel")"
