#!/bin/bash
# Installs what is missing, configures, and builds.
#
# usage: utils/build.sh [PRESET [TARGET...]]     (default: dev, everything)

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset="${1:-dev}"
shift || true

utils/install-deps.sh

# Precompiled headers and ccache get along only with these. Worktrees of one
# machine share their results.
export CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime

build="build/$preset"
log="$build/configure.log"
# ccache takes this text for the precompiled header, which has the path of its
# checkout in it: what it is made of is the same in all of them.
pch="$build/CMakeFiles/onnxc_pch.dir"
mkdir -p "$pch"
export CCACHE_PCH_EXTSUM=1
(clang-22 --version; sed -n '/target_precompile_headers/,/)/p' cmake/AddOnnxc.cmake) >"$pch/cmake_pch.hxx.pch.sum"
# CMake looks by itself for what changed; only the first time has to be asked for.
if [ ! -f "$build/build.ninja" ]; then
  echo "configuring $build"
  cmake --preset "$preset" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
fi
# ninja's counter is for terminals; elsewhere what it built is of no interest.
if [ -t 1 ]; then
  ninja -C "$build" "$@"
else
  ninja -C "$build" "$@" >"$build/build.log" 2>&1 || { grep -vE '^\[[0-9]+/[0-9]+\] (Building|Linking|Generating)' "$build/build.log" | tail -200 >&2; exit 1; }
  echo "built $build"
fi
