#!/bin/bash
# Installs what is missing, builds, and runs every test. The last line is
#   N passed, N failed, N skipped
#
# usage: utils/check.sh [--full]
#   --full  also the models that take minutes, at every level, old opsets at -O2
#           and changed to others, and function bodies in every mode
#
# Nothing needs to be prepared, and what is built already is not built again.
#
# What is covered, so that every level and every mode is, and not their product:
#   lit      passes, stages and tools, at the levels that matter to each
#   models   as they are, at -O0 up to 0.5 GFLOP and at -O2 up to 5
#   nodes    static, dynamic and constant at -O2 (function bodies static: they are
#            of operators that other tests have); static at -O0, the oracle;
#            those of ONNX's earlier releases, static, at -O0
#   fuzz     -O0 and -O2 in turn
# Node tests that ran with the very same compiler are not run again.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

full=
case "${1:-}" in
  "") ;;
  --full) full=1 ;;
  *) sed -n '2,21s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac

utils/build.sh dev all onnxc-test-depends
build="$PWD/build/dev"
python=utils/python
results="$build/test/results"
mkdir -p "$results"
rm -f "$results"/*
status=0

echo
echo "== lit: passes, stages, tools, C programs (test/**)"
"$python" -c 'import lit.main; lit.main.main()' -sv "$build/test" \
  --xunit-xml-output "$results/lit.xml" || status=1

echo
echo "== GoogleTest: test/unit"
ctest --test-dir "$build" -LE 'lit|models' --output-on-failure --no-tests=ignore \
  --output-junit "$results/unit.xml" || status=1

echo
echo "== models: test/models"
"$python" test/models/run_models.py --build "$build" ${full:+--full} \
  --junit "$results/models.xml" || status=1

echo
echo "== the onnx package's tests, in three modes: test/onnx-node"
bodies=(--bodies-once)
[[ -z "$full" ]] || bodies=()
"$python" test/onnx-node/run_node_tests.py --build "$build" "${bodies[@]}" \
  --junit "$results/onnx-node.xml" || status=1
"$python" test/onnx-node/run_node_tests.py --build "$build" --mode static -O 0 \
  --junit "$results/onnx-node-O0.xml" || status=1

echo
echo "== ONNX's cases of opsets 1 to 27, with the results of their time: test/onnx-node, --suite old"
"$python" test/onnx-node/run_node_tests.py --build "$build" --suite old --mode static -O 0 \
  --junit "$results/onnx-old-O0.xml" || status=1
if [[ -n "$full" ]]; then
  "$python" test/onnx-node/run_node_tests.py --build "$build" --suite old --mode static \
    --junit "$results/onnx-old.xml" || status=1
  "$python" test/Upgrade/run_conversions.py --build "$build" || status=1
fi

echo
echo "== models before and after the optimizer, about three minutes: test/optimizer"
"$python" test/optimizer/run_differential.py --build "$build" --each --default --upstream --count 75 \
  --junit "$results/optimizer.xml" || status=1
"$python" test/optimizer/run_differential.py --build "$build" nodes --default \
  --junit "$results/optimizer-nodes.xml" || status=1

echo
echo "== random values, the same for everyone, about three minutes: test/fuzz"
"$python" test/fuzz/fuzz_values.py --build "$build" --count 2000 \
  --junit "$results/fuzz.xml" || status=1

echo
echo "== libFuzzer on the importer, two minutes: test/fuzz/import"
ninja -C "$build" onnxc-import-fuzzer >/dev/null &&
  "$python" test/fuzz/import/run_fuzzer.py --build "$build" --junit "$results/fuzz-import.xml" || status=1

echo
"$python" utils/sum_results.py "$results"/*.xml || status=1
exit $status
