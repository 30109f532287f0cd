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
#   fuzz     -O0 and -O2 in turn; whole graphs at both
# Node tests that ran with the very same compiler are not run again.
#
# Where these took so long that all of it would take more than an hour, a third of the
# rest is run: of node tests another third every day.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

full=
case "${1:-}" in
  "") ;;
  --full) full=1 ;;
  *) sed -n '2,24s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac

utils/build.sh dev all onnxc-test-depends
build="$PWD/build/dev"
# What hangs is a failure that is named, and not the end of CI: a test of lit gets
# fifteen minutes, any other suite half an hour.
python=(timeout --kill-after=30s 30m utils/python)
[[ -z "$full" ]] || python=(utils/python)
results="$build/test/results"
mkdir -p "$results"
rm -f "$results"/*
status=0
ran=()

# suite NAME COMMAND...: runs a suite that writes its results to NAME.xml. A suite
# that ends without results is a failure with a name: sum_results.py gets the names of all.
suite() {
  local result="$results/$1.xml"
  shift
  ran+=("$result")
  "$@" "$result" || status=1
}

echo
echo "== lit: passes, stages, tools, C programs (test/**)"
suite lit utils/python -c 'import lit.main; lit.main.main()' -sv --timeout 900 "$build/test" \
  --xunit-xml-output

echo
echo "== GoogleTest: test/unit"
suite unit ctest --test-dir "$build" -LE 'lit|models' --output-on-failure --no-tests=error \
  --output-junit

echo
echo "== models: test/models"
suite models "${python[@]}" test/models/run_models.py --build "$build" ${full:+--full} \
  --junit

echo
echo "== the onnx package's tests, in three modes: test/onnx-node"
bodies=(--bodies-once)
[[ -z "$full" ]] || bodies=()
suite onnx-node "${python[@]}" test/onnx-node/run_node_tests.py --build "$build" "${bodies[@]}" \
  --junit

# What follows takes half an hour and more on a machine that needs so long here.
share=100
if [[ -z "$full" ]] && ((SECONDS > 38 * 60)); then
  share=33
  echo
  echo "This took $((SECONDS / 60)) minutes: of what follows, $share % is run (utils/check.sh --full: all)."
fi
# part COUNT: so many of COUNT are run
part() { echo $((($1 * share + 99) / 100)); }

echo
echo "== the onnx package's tests by plain loops: test/onnx-node"
suite onnx-node-O0 "${python[@]}" test/onnx-node/run_node_tests.py --build "$build" --mode static -O 0 \
  --share $share --junit

echo
echo "== ONNX's cases of opsets 1 to 27, with the results of their time: test/onnx-node, --suite old"
suite onnx-old-O0 "${python[@]}" test/onnx-node/run_node_tests.py --build "$build" --suite old --mode static -O 0 \
  --share $share --junit
if [[ -n "$full" ]]; then
  suite onnx-old "${python[@]}" test/onnx-node/run_node_tests.py --build "$build" --suite old --mode static \
    --junit
  "${python[@]}" test/ConvertOpset/run_conversions.py --build "$build" || status=1
fi

echo
echo "== models before and after the optimizer, about three minutes: test/optimizer"
suite optimizer "${python[@]}" test/optimizer/run_differential.py --build "$build" --each --default --upstream --count "$(part 75)" \
  --junit
suite optimizer-nodes "${python[@]}" test/optimizer/run_differential.py --build "$build" nodes --default \
  --junit

echo
echo "== random values, the same for everyone, about three minutes: test/fuzz"
suite fuzz "${python[@]}" test/fuzz/fuzz_values.py --build "$build" --count "$(part 2000)" \
  --junit

echo
echo "== kernels over their parameters, at each level of processors: test/kernels"
suite kernels "${python[@]}" test/kernels/run_kernels.py --build "$build" --cases "$(part 6)" \
  --junit

echo
echo "== random whole graphs, the same for everyone, two to three minutes: test/fuzz"
suite fuzz-graphs "${python[@]}" test/fuzz/fuzz_graphs.py --build "$build" --count "$(part 400)" \
  --junit

echo
echo "== extremes of structure and of integers: test/extremes"
suite extremes "${python[@]}" test/extremes/run_extremes.py --build "$build" --every 100 \
  --junit

echo
echo "== generated code under AddressSanitizer, another sample every day: test/onnx-node"
suite sanitized "${python[@]}" test/onnx-node/run_sanitized.py --build "$build" --count "$(part 250)" \
  --junit

echo
echo "== every allocation failing in turn, another sample every day: test/onnx-node"
suite allocation-failures "${python[@]}" test/onnx-node/run_allocation_failures.py --build "$build" --count "$(part 100)" \
  --junit

echo
echo "== libFuzzer on the reader of numpy's files, the same runs for everyone: test/fuzz/npz"
suite fuzz-npz "${python[@]}" test/fuzz/npz/run_fuzzer.py --build "$build" --junit

echo
echo "== libFuzzer on the importer, the same runs for everyone, about a minute: test/fuzz/import"
suite fuzz-import "${python[@]}" test/fuzz/import/run_fuzzer.py --build "$build" --junit

echo
"${python[@]}" utils/sum_results.py "${ran[@]}" || status=1
exit $status
