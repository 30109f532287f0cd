"""What utils/benchmark.py and utils/kernel_benchmarks.py take in common."""

import pathlib
import signal
import sys

from bench import native, report

# Without an environment for peers (utils/peers/install.sh), these are taken from the
# Python that runs.
PLAIN_PEERS = ["ort", "ov"]


def words(texts):
    """What is given apart or with commas, in one list."""
    return [word for text in texts for word in str(text).split(",") if word]


def add(parser):
    """The arguments."""
    parser.add_argument("--build", type=pathlib.Path, default=native.ROOT / "build" / "dev")
    parser.add_argument("--peers", nargs="*", metavar="PEER",
                        help=f"of {','.join(report.PEERS)}; default: all that are installed")
    parser.add_argument("--mcpu", nargs="+", default=["default"], metavar="LEVEL",
                        help="compile for these levels of processors (x86-64-v3,x86-64-v4), each beside its own "
                             "peak; the first counts against the peers; 'default' is no --mcpu. Those that this "
                             "machine cannot run are left out")
    parser.add_argument("--peer-level", metavar="LEVEL", choices=("x86-64-v2", "x86-64-v3", "x86-64-v4"),
                        help="peers see a processor of this level (their CPUID is answered for), so that a machine "
                             "with more stands in for one that has no more; with --mcpu of the same level")
    parser.add_argument("--core", type=int, default=0, help="where one-thread contenders run")
    parser.add_argument("--json", type=pathlib.Path, help="where the raw numbers go")
    parser.add_argument("--md", type=pathlib.Path, help="where the report goes")


def complete(parser, options, peaks):
    """Splits lists, and leaves out what is not here. `peaks` has the levels of this machine."""
    # As after an interrupt: what was started, and may stand still, ends too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    complete_environment = native.environment("run") is not None
    options.peers = words(options.peers if options.peers is not None
                          else report.PEERS if complete_environment else PLAIN_PEERS)
    if unknown := set(options.peers) - set(report.PEERS):
        parser.error(f"--peers: {', '.join(sorted(unknown))}: expected some of {', '.join(report.PEERS)}")
    if not complete_environment:
        print("utils/peers/install.sh has not been run: ONNX Runtime and OpenVINO at most", file=sys.stderr)
    known = next(iter(peaks.values()))
    levels = []
    for level in words(options.mcpu):
        if level in ("default", "native", "portable") or level in known:
            levels.append(None if level == "default" else level)
        else:
            print(f"--mcpu={level} is left out: this machine has {', '.join(known)}", file=sys.stderr)
    options.mcpu = levels or parser.error("--mcpu: no level that this machine can run")
    # Processes of contenders, which inherit the path, find the build's package onnxc.
    sys.path.insert(0, str((options.build / "python").resolve()))
    if not (options.build / "bin" / "onnxc").exists() and not getattr(options, "convert", False):
        parser.error(f"{options.build / 'bin' / 'onnxc'} does not exist; --build names a build")
    native.build("call.c", *native.SHARED, includes=native.INTERFACE)
