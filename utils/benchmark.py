#!/usr/bin/env python3
"""Measures whole models in onnxc and its peers.

usage: utils/benchmark.py [--models FOLDER | --models a,b] [--quick] [--threads 1,2] [--peers ort,ov,...]
                          [--mcpu x86-64-v3,x86-64-v4] [--kernels] [--md docs/benchmarks.md] [NAME...]

Peers are ONNX Runtime, OpenVINO, MNN, ncnn and LiteRT, for trees lleaves and TL2cgen as
well, in the environment that utils/peers/install.sh makes; without it, the first two
if the Python that runs has them. The last five run files that are converted first,
once, in the cache (~/.cache/onnxc/converted; --convert does nothing else). The fastest
that is right is the mark.

Each contender of a model lives in a process of its own without a network, and they
run in turn, so that what else the machine does hits all alike; a process stands still
while it is not its turn. Onnxc is called from C, and Python's call stands beside it;
peers have their inputs and outputs bound beforehand. Outputs are compared with those of
ONNX Runtime without optimizations, whose integer products are made exact (without VNNI,
ONNX Runtime's own saturate, and if that is wrong it is asked for precise ones). Of networks
of 8-bit integers the tensors that are quantized first behind a product are compared, too: no more
than a thousandth of them may be more than a step away. What is
wrong, or cannot be compared, takes no part. With one thread the processor's time counts (the median of the rounds; other work on the
machine changes it least), with more the clock (the fastest round). p10 and p90 are
those of the rounds; "slower" is what lies beyond both spreads.

FOLDER has a models.json and a materialize.py as ../shared/models, or any .onnx
files; the inputs of X.onnx are then those of X.npz, or made up, and its tolerances those
of X.json ("rtol_of_absmax", "rel_l2"), or a thousandth. utils/held_out.py makes such folders.

With --peer-level=x86-64-v3 --mcpu=x86-64-v3 a machine with AVX-512 stands in for one with
AVX2 alone: peers see a processor of that level. Where the machine has no faults at CPUID,
as few virtual ones do, their environment is copied once, in minutes, with another
instruction for each CPUID (bench/replaced.py).

A model whose inputs have open sizes is compiled twice: as it is, which is what
counts against the peers, and for the sizes of its inputs, which shows what open
sizes cost.

Needs the target onnxc_python, and a C compiler. The raw numbers go to --json;
with --md and no --json, to a file for the machine in a folder beside the report.
"""

import argparse
import json
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "utils"), str(ROOT / "test" / "support")]

from bench import native  # noqa: E402

if __name__ == "__main__":
    native.enter_environment()

from bench import convert, limits, machine, models, options as common, plot, report  # noqa: E402


def parse_sizes(texts):
    return {name: int(size) for name, size in (text.split("=") for text in texts)}


def make_parser():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these models")
    parser.add_argument("--models", metavar="FOLDER|NAMES", default="",
                        help="where models are, or which ones of the shared ones")
    common.add(parser)
    parser.add_argument("--levels", type=int, nargs="+", default=[2], help="of onnxc; default 2")
    parser.add_argument("--threads", nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=15, help="at most; default 15")
    parser.add_argument("--budget", type=float, default=4,
                        help="seconds of a model's rounds with one number of threads; default 4")
    parser.add_argument("--quick", action="store_true", help="5 rounds, one thread, models under 0.5 GFLOP")
    parser.add_argument("--dim", action="append", default=[], metavar="NAME=SIZE",
                        help="an open dimension of made-up inputs; default 1")
    parser.add_argument("--onnxc-option", action="append", default=[], metavar="OPTION")
    parser.add_argument("--convert", action="store_true", help="convert the models for the peers, and end")
    parser.add_argument("--from-json", type=pathlib.Path, metavar="FILE",
                        help="measure nothing; take the numbers of an earlier run")
    parser.add_argument("--explain", type=pathlib.Path, metavar="FILE",
                        help="lines 'model: why it is slow', shown beside losses")
    parser.add_argument("--kernels", action="store_true",
                        help="also measure single operators, as utils/kernel_benchmarks.py does; without it "
                             "--md keeps what the report says of them")
    return parser


def parse(parser):
    options = parser.parse_args()
    if not os.path.isdir(options.models):
        options.names += common.words([options.models])
        shared = pathlib.Path(os.environ.get("ONNXC_SHARED", ROOT.parent / "shared"))
        options.models = shared / "models"
    options.models = pathlib.Path(options.models)
    options.threads = [int(count) for count in common.words(options.threads)]
    if options.quick:
        options.rounds, options.budget, options.threads = 5, 1, options.threads[:1]
    return options


def find_models(options):
    """The models of the command line."""
    for model in models.find(options.models, options.names, parse_sizes(options.dim)):
        if not options.quick or options.names or (model.gflops or 0) <= 0.5:
            yield model


def convert_only(options):
    """Prints which peer can have which model."""
    for model in find_models(options):
        kinds = [peer for peer in options.peers if peer in convert.CONVERTERS]
        found = convert.prepare(kinds, model, options.peer_level)
        for kind, path in found.items():
            print(f"{model.name}: {kind}: {f'cannot: {path}' if isinstance(path, convert.Cannot) else 'converted'}",
                  flush=True)


def run(options, peaks):
    from bench import measure
    results = {"machine": machine.describe(), "command": " ".join(sys.argv[1:]), "peaks": peaks,
               "peer_level": options.peer_level, "rows": []}
    for model in find_models(options):
        row = measure.measure(options, model)
        results["rows"].append(row)
        print(report.line(row), flush=True)
        save(options.json, results)
    if not results["rows"]:
        sys.exit(f"{options.models}: no such models")
    return results


def rounded(value):
    """Numbers with five digits, which is more than clocks are good for."""
    if isinstance(value, float):
        return float(f"{value:.5g}")
    if isinstance(value, dict):
        return {key: rounded(inner) for key, inner in value.items()}
    return [rounded(inner) for inner in value] if isinstance(value, list) else value


def save(path, results):
    """Writes the raw numbers, a line for each row."""
    if not path:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(rounded(results))
    path.write_text(re.sub(r'(\{"model": )', r"\n\1", text) + "\n")


def raw_file(report_file, host, peer_level):
    """Where the raw numbers of this machine are kept beside a report. Names of processors in virtual machines
    say little: the family and the model tell AMD's generations apart."""
    vector = "avx512" if "avx512f" in host["features"] else "avx2" if "avx2" in host["features"] else host["system"]
    words = " ".join([host["cpu"], *host["family"][:2], peer_level or vector])
    name = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")
    return report_file.with_suffix("") / f"{name}.json"


def write_report(options, results):
    reasons = report.read_reasons(options.explain) if options.explain else {}
    picture = options.md.with_suffix(".svg")
    picture.write_text(plot.plot(results))
    raw = os.path.relpath(options.json or options.from_json, options.md.parent)
    text = report.markdown(results, reasons, picture.name, raw)
    if "kernels" not in results and options.md.exists():
        text = report.replace_kernels(text, report.kernels_of(options.md.read_text()))
    options.md.write_text(text)


def main():
    parser = make_parser()
    options = parse(parser)
    if options.from_json:
        results = json.loads(options.from_json.read_text())
    else:
        peaks = limits.measure(options.threads)
        common.complete(parser, options, peaks)
        if options.convert:
            convert_only(options)
            return 0
        if options.md and not options.json:
            options.json = raw_file(options.md, machine.describe(), options.peer_level)
        results = run(options, peaks)
        if options.kernels:
            import kernel_benchmarks
            results["kernels"] = kernel_benchmarks.run(options, peaks)
            save(options.json, results)
    if options.md:
        write_report(options, results)
    print(report.summary(results))
    wrong = [name for row in results["rows"] for name, result in row["contenders"].items()
             if name.startswith("onnxc") and ("error" in result or result.get("correct") is False)]
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
