#!/bin/bash
# Installs what is missing, configures, and builds.
#
# usage: utils/build.sh [PRESET [TARGET...]]     (default: dev, everything)

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset="${1:-dev}"
shift || true

utils/install-deps.sh

build="build/$preset"
log="$build/configure.log"
. utils/ccache.sh "$build"
# CMake looks by itself for what changed; only the first time has to be asked for.
if [ ! -f "$build/build.ninja" ]; then
  echo "configuring $build"
  cmake --preset "$preset" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
fi
# ninja's counter is for terminals; elsewhere a line now and then says how far it
# is, and what it built is of no interest.
if [ -t 1 ]; then
  NINJA_STATUS="${NINJA_STATUS:-[%f/%t, %e s] }" ninja -C "$build" "$@"
else
  utils/progress.sh "$build/build.log" "building $build" ninja -C "$build" "$@" ||
    { grep -vE '^\[[0-9]+/[0-9]+\] (Building|Linking|Generating)' "$build/build.log" | tail -200 >&2; exit 1; }
  echo "built $build"
fi
