#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The memory of a process with one session, of onnxc.runtime, onnxc and ONNX Runtime, after some runs.

usage: measure_sessions.py [--build build/dev] MODEL.onnx...

Inputs are zeros; what a model leaves open is 1. "private" is what each process has for itself, "RSS" includes pages of
files, such as the weights of a .so, that all processes of the machine share.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = """
import json, sys, time
kind, path, threads = sys.argv[1], sys.argv[2], 1
import numpy as np
def memory():
    lines = open("/proc/self/smaps_rollup").read().splitlines()[1:]
    sizes = {line.split(":")[0]: int(line.split()[1]) / 1024 for line in lines}
    return {"rss": sizes["Rss"], "private": sizes["Private_Clean"] + sizes["Private_Dirty"]}
plain = memory()
begun = time.perf_counter()
if kind == "runtime":
    from onnxc.runtime import InferenceSession
    session = InferenceSession(path, threads=1)
elif kind == "onnxc":
    import onnxc
    session = onnxc.InferenceSession(path, threads=1)
else:
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options)
ready = time.perf_counter() - begun
types = {"tensor(float)": np.float32, "tensor(int64)": np.int64, "tensor(double)": np.float64, "tensor(int32)": np.int32}
feed = {a.name: np.zeros([d if isinstance(d, int) and d > 0 else 1 for d in a.shape], types[a.type]) for a in session.get_inputs()}
for _ in range(3):
    session.run(None, feed)
print(json.dumps({"plain": plain, "session": memory(), "ready": ready, "modules": len(sys.modules)}))
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent / "build" / "dev")
    options = parser.parse_args()
    print(f"{'model':14} {'session':14} {'RSS, MiB':>9} {'private':>9} {'ready, s':>9}")
    for model in options.models:
        with tempfile.TemporaryDirectory() as folder:
            library = pathlib.Path(folder) / "model.so"
            subprocess.run([options.build / "bin" / "onnxc", model, "-o", library, "--mcpu=native"], check=True)
            for kind, path in (("runtime", library), ("onnxc", library), ("onnxruntime", model)):
                done = subprocess.run([sys.executable, "-c", PROGRAM, kind, path], check=True, stdout=subprocess.PIPE, text=True,
                                      env={"PYTHONPATH": str(options.build / "python"), "ORT_DISABLE_TELEMETRY": "1", "OPENBLAS_NUM_THREADS": "1"})
                found = json.loads(done.stdout)
                name = {"runtime": "onnxc.runtime"}.get(kind, kind)
                print(f"{model.parent.name:14} {name:14} {found['session']['rss']:9.1f} {found['session']['private']:9.1f} {found['ready']:9.3f}",
                      flush=True)
    print(f"{'':14} {'numpy alone':14} {found['plain']['rss']:9.1f} {found['plain']['private']:9.1f}")


if __name__ == "__main__":
    main()
