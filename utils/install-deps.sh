#!/bin/bash
# Installs what building and testing onnxc needs on Debian 12 or newer: packages
# of the system, and a Python environment outside the tree. Says nothing and
# takes no time when all is there.
#
# usage: utils/install-deps.sh
#   needs root or sudo only if a Debian package is missing

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=(
  # The compiler's own libraries and tools; all in bookworm's main and security.
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools lld-22 liblld-22-dev
  libpolly-22-dev
  clang-22 clang-format-22 clang-tidy-22 libclang-rt-22-dev
  # Reading models, archives; tests.
  protobuf-compiler libprotobuf-dev libgtest-dev zlib1g-dev libzstd-dev
  libjemalloc-dev
  # Libraries of the models that match patterns, change case or decode images.
  libre2-dev libutf8proc-dev libjpeg62-turbo-dev libopenjp2-7-dev libpng-dev
  libtiff-dev libwebp-dev
  # Another C library for the models of tests.
  musl-tools
  # Boards without an operating system.
  qemu-system-arm
  # Other processors under Linux, and older ones of this kind.
  qemu-user valgrind gcc-aarch64-linux-gnu libc6-dev-arm64-cross
  gcc-riscv64-linux-gnu libc6-dev-riscv64-cross
  # The C library of WebAssembly modules, and what runs them in tests.
  wasi-libc libclang-rt-22-dev-wasm32 nodejs
  # Building.
  cmake ninja-build ccache git patch zstd
  # The Python environment.
  python3 python3-dev python3-venv
)

missing=()
for package in "${packages[@]}"; do
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
    missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  echo "installing: ${missing[*]}"
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "install-deps.sh: these packages are missing, and there is neither root nor sudo to install them:" >&2
      echo "  ${missing[*]}" >&2
      exit 1
    fi
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

# The environment holds exactly utils/requirements.txt; its copy in there says
# for which version of that file it was made.
venv="${XDG_CACHE_HOME:-$HOME/.cache}/onnxc/venv"
if ! cmp -s utils/requirements.txt "$venv/requirements.txt"; then
  echo "making the Python environment $venv"
  python3 -m venv --clear "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r utils/requirements.txt
  cp utils/requirements.txt "$venv/requirements.txt"
fi
