"""A crash of the compiler is an onnxc.Error, and the process goes on: the thread
that compiles is sent the signal of one.

usage: crash.py FOLDER       (an existing folder for what is made)
"""

import ctypes
import os
import signal
import sys
import threading

import onnx.parser

import onnxc

SYS_TGKILL = {"x86_64": 234, "aarch64": 131}[os.uname().machine]


def threads():
    return {int(name) for name in os.listdir("/proc/self/task")}


def handlers():
    """The signals that the process handles."""
    with open("/proc/self/status") as file:
        return next(line for line in file if line.startswith("SigCgt"))


def main(folder):
    signal.alarm(60)
    handlers_before = handlers()
    fifo = os.path.join(folder, "fifo.mlir")
    os.mkfifo(fifo)
    errors = []

    def work():
        try:
            onnxc.compile(fifo, os.path.join(folder, "fifo.so"))
        except onnxc.Error as error:
            errors.append(str(error))

    worker = threading.Thread(target=work)
    before = threads()
    worker.start()
    # Opening it waits for the compiler, which reads on a thread of its own.
    with open(fifo, "wb"):
        compiling = max(threads() - before - {worker.native_id})
        ctypes.CDLL(None).syscall(SYS_TGKILL, os.getpid(), compiling, int(signal.SIGSEGV))
        worker.join()
    print(errors[0])
    model = onnx.parser.parse_model(
        '<ir_version: 8, opset_import: ["" : 17]> g (float[4] x) => (float[4] y) { y = Neg(x) }')
    onnxc.compile(model, os.path.join(folder, "model.so"))
    print(sorted(os.listdir(folder)))
    print("handlers as before:", handlers() == handlers_before)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
