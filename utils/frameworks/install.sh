#!/bin/bash
# Makes the Python environment in which onnxc.torch, onnxc.sklearn, onnxc.keras,
# onnxc.ray and onnxc.spark are tested, outside the tree: some 11 GB, most of it torch's.
# Takes no time when it is there. Spark needs Java 17 or newer, which is Debian's package
# openjdk-17-jre-headless.
#
# usage: utils/frameworks/install.sh

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
venv="${XDG_CACHE_HOME:-$HOME/.cache}/onnxc/frameworks"

# Its copy of the requirements says for which version of that file it was made.
if ! cmp -s requirements.txt "$venv/requirements.txt"; then
  echo "making the Python environment $venv"
  python3 -m venv --clear "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r requirements.txt
  cp requirements.txt "$venv/requirements.txt"
fi
