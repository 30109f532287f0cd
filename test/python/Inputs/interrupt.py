"""Ctrl-C while a model is compiled, by Python and by the command: it ends at once, and leaves nothing.

usage: interrupt.py ONNXC FOLDER [NODES]       (an existing folder for what is made)
"""

import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

# "At once". On a machine that does much else, a moment more.
AT_ONCE = 1.0

PROGRAM = """
import os, sys, time
import onnxc
tiny, model, output = sys.argv[1:]
try:
    print("begun", flush=True)
    onnxc.compile(model, output)
    print("finished")
except KeyboardInterrupt:
    seen = time.time()
    try:
        os.waitpid(-1, os.WNOHANG)
        print("a child is left")
    except ChildProcessError:
        pass
    # The process is as good as before.
    onnxc.compile(tiny, tiny + ".so")
    print("interrupted", seen)
"""


def save(path, count):
    """So many products and sums, each with weights of its own."""
    random = np.random.default_rng(0)
    nodes, weights = [], []
    for i in range(count):
        weights.append(numpy_helper.from_array(random.random((32, 32), np.float32) / 32, f"w{i}"))
        nodes.append(helper.make_node(("MatMul", "Add", "Mul")[i % 3], [f"x{i}", f"w{i}"], [f"x{i + 1}"]))
    shape = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [32, 32]) for name in ("x0", f"x{count}")]
    graph = helper.make_graph(nodes, "g", shape[:1], shape[1:], weights)
    onnx.save(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)]), path)
    return path


def files(*folders):
    return sorted(str(path) for folder in folders for path in folder.rglob("*"))


def interrupt(command, folder, is_time):
    """Runs the command, and sends it and all that it started Ctrl-C when is_time(files) says so. What it printed, and
    the seconds that it went on."""
    output, temporary = folder / "output", folder / "temporary"
    for path in (output, temporary):
        path.mkdir(exist_ok=True)
    process = subprocess.Popen([*command, output / "model.so"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               start_new_session=True, env={**os.environ, "TMPDIR": str(temporary)},
                               # Programs that run tests have it ignored.
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    if "-c" in command:
        assert process.stdout.readline() == "begun\n"
    began = time.monotonic()
    while not is_time(time.monotonic() - began, files(output)):
        assert process.poll() is None, "it ended before: " + process.stdout.read()
        time.sleep(0.002)
    sent = time.time()
    os.killpg(process.pid, signal.SIGINT)
    text, _ = process.communicate(timeout=60)
    ended = float(text.split()[1]) if text.startswith("interrupted") else time.time()
    left = files(output, temporary)
    return process.returncode, text.split(" ")[0].strip(), ended - sent, left


def main(onnxc, folder, count=1500):
    folder = pathlib.Path(folder)
    tiny, model = save(folder / "tiny.onnx", 1), save(folder / "model.onnx", int(count))
    # How long a compile takes is the machine's.
    began = time.monotonic()
    subprocess.run([onnxc, model, "-o", folder / "whole.so"], check=True, stderr=subprocess.DEVNULL)
    whole = time.monotonic() - began
    moments = {
        "at the start": lambda seconds, found: True,
        "in a pass": lambda seconds, found: seconds > 0.15 * whole,
        "later": lambda seconds, found: seconds > 0.4 * whole,
        "while code is written": lambda seconds, found: found,
    }
    commands = {"python": [sys.executable, "-c", PROGRAM, tiny, model], "command": [onnxc, model, "-o"]}
    for who, command in commands.items():
        for when, is_time in moments.items():
            status, text, seconds, left = interrupt(command, folder, is_time)
            as_expected = text == "interrupted" and status == 0 if who == "python" else status in (-signal.SIGINT, 128 + signal.SIGINT)
            if "--times" in sys.argv:
                print(f"{who}, {when}: {seconds:.3f} s")
            print(f"{who}, {when}: stopped: {as_expected}, at once: {seconds < AT_ONCE}, left: {left}")
            if not as_expected:
                print(status, text)


if __name__ == "__main__":
    main(*[argument for argument in sys.argv[1:] if argument != "--times"])
