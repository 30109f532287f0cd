#!/bin/bash
# Makes the wheel in dist/, for the Python that is named: from 3.12 on one that all
# later ones take, before for that release alone. With clang and ccache, so that
# what the preset release has built is not compiled again.
#
# usage: utils/wheel.sh [PYTHON]     (default: python3)

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python="${1:-python3}"

utils/install-deps.sh
. utils/ccache.sh build/wheel
export CC=/usr/bin/clang-22 CXX=/usr/bin/clang++-22
export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache CMAKE_PREFIX_PATH=/usr/lib/llvm-22
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}"
"$python" -m pip wheel . -w dist --no-deps --disable-pip-version-check
