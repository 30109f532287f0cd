"""A crash of the compiler is an onnxc.Error, and the process goes on: the process
that compiles is sent the signal of one.

usage: crash.py FOLDER       (an existing folder for what is made)
"""

import os
import signal
import sys
import threading

import onnx.parser

import onnxc


def children():
    """Of all threads of this process."""
    found = []
    for task in os.listdir("/proc/self/task"):
        with open(f"/proc/self/task/{task}/children") as file:
            found += map(int, file.read().split())
    return found


def handlers():
    """The signals that the process handles."""
    with open("/proc/self/status") as file:
        return next(line for line in file if line.startswith("SigCgt"))


def main(folder):
    signal.alarm(60)
    # The C library installs a handler with the first thread.
    first = threading.Thread(target=lambda: None)
    first.start()
    first.join()
    handlers_before = handlers()
    fifo = os.path.join(folder, "fifo.mlir")
    os.mkfifo(fifo)
    errors = []

    def work(**options):
        try:
            onnxc.compile(fifo, os.path.join(folder, "fifo.so"), **options)
        except onnxc.Error as error:
            errors.append(str(error))

    for number in (signal.SIGSEGV, signal.SIGKILL):
        worker = threading.Thread(target=work)
        worker.start()
        # Opening it waits for the compiler, which reads.
        with open(fifo, "wb"):
            compiling, = children()
            os.kill(compiling, number)
            worker.join()
        print(errors[-1])
    # Nothing is forked on request, and what is wrong is said in the same words.
    for in_process in (False, True):
        worker = threading.Thread(target=work, kwargs={"in_process": in_process})
        worker.start()
        with open(fifo, "wb") as file:
            print("in_process:", in_process, "children:", len(children()))
            file.write(b"module {")
        worker.join()
    print("the same error:", errors[-1] == errors[-2], errors[-1].split(": error: ")[-1])
    model = onnx.parser.parse_model(
        '<ir_version: 8, opset_import: ["" : 17]> g (float[4] x) => (float[4] y) { y = Neg(x) }')
    onnxc.compile(model, os.path.join(folder, "model.so"))
    made = [onnxc.compile(model, mcpu="native", in_process=in_process) for in_process in (False, True)]
    print("the same library:", made[0] == made[1])
    print(sorted(os.listdir(folder)))
    print("handlers as before:", handlers() == handlers_before, "children:", children())


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
