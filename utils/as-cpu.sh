#!/bin/bash
# Runs a command in which onnxc takes this machine for one with another processor:
# --mcpu=native, the default, is that one. What is compiled runs here, so the
# machine has to know its instructions as well.
#
# usage: utils/as-cpu.sh CPU COMMAND...       CPU as in --mcpu: haswell, nehalem, ...
#   utils/as-cpu.sh haswell utils/python -c 'import lit.main; lit.main.main()' -sv build/dev/test
#
# For builds with LLVM's shared library only (preset dev).

set -euo pipefail
if [ $# -lt 2 ]; then
  sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
here="$(dirname "${BASH_SOURCE[0]}")"
library="$(mktemp -d)/libhost-cpu.so"
trap 'rm -rf "$(dirname "$library")"' EXIT
clang++-22 -std=c++17 -O1 -fno-rtti -fPIC -shared -DLLVM_DISABLE_ABI_BREAKING_CHECKS_ENFORCING=1 $(llvm-config-22 --cppflags) \
  "$here/../test/support/HostCpu.cpp" -o "$library"
cpu="$1"
shift
ONNXC_TEST_CPU="$cpu" LD_PRELOAD="$library${LD_PRELOAD:+:$LD_PRELOAD}" "$@"
