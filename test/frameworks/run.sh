#!/bin/bash
# Makes the environment of utils/frameworks if it is missing, and runs the tests that
# need it, which utils/check.sh skips where it is missing.
#
# usage: test/frameworks/run.sh [BUILD]        default: build/dev

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
utils/frameworks/install.sh
command -v java >/dev/null || echo "run.sh: there is no Java; the tests of Spark are skipped" >&2
exec utils/python -c 'import lit.main; lit.main.main()' -sv "${1:-build/dev}/test" --filter=frameworks/
