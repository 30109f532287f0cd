#!/bin/bash
# Makes the Python environments of the peers that utils/benchmark.py compares onnxc
# with, outside the tree: some 3 GB, most of it what converts models for LiteRT.
# Takes no time when they are there. With "language", the one that
# utils/language_benchmark.py needs, too: it builds llama.cpp for this machine,
# which takes ten minutes of one core.
#
# usage: utils/peers/install.sh [language]

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
home="${XDG_CACHE_HOME:-$HOME/.cache}/onnxc/peers"

# make NAME FILE PIP-OPTION...: the environment NAME with what FILE lists. Its copy
# of FILE, made last, says that it is complete, and for which version of FILE.
make() {
  local venv="$home/$1" list="$2"
  shift 2
  cmp -s "$list" "$venv/requirements.txt" && return
  echo "making the Python environment $venv"
  python3 -m venv --clear "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check "$@" -r "$list"
  cp "$list" "$venv/requirements.txt"
}

make run requirements.txt --no-deps
make converter converter.txt || echo "no converter for LiteRT, which takes no part" >&2
if [ "${1:-}" = language ]; then
  # Clang where it is there: GCC 12 leaves out half of llama.cpp's stores to the
  # configuration of the tile registers, so that each longer prompt ends with SIGSEGV.
  if [ -x "$(command -v clang++-22)" ]; then
    export CC=clang-22 CXX=clang++-22
  fi
  CMAKE_ARGS="-DGGML_NATIVE=ON -DLLAVA_BUILD=OFF" make language language.txt --no-cache-dir
fi
