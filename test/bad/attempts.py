# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles that may crash, hang or eat memory: each in a process of its own, with limits."""

import dataclasses
import json
import os
import pathlib
import re
import resource
import select
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import memory_limit

# What is no answer to a bad model: the compiler's own troubles, and MLIR's words for them.
INTERNAL = re.compile(r"internal error|error of onnxc|without a message|crashed|failed to legalize|PLEASE submit|"
                      r"plan-memory|onnxc-verify|'(linalg|tensor|arith|memref|scf|cf|llvm|func|builtin)\.[a-z_.]+' op|"
                      r"does not dominate|failed to (fold|materialize|lower)")
# What MLIR says where ONNX has other words: types, operands, names of ops, tags of shape rules.
MLIR = re.compile(r"tensor<|memref<|!onnx|'onnx\.|(operand|result|attribute|region) #|\b[su]?i(1|8|16|32|64)\b|\bb?f(16|32|64)\b|"
                  r"failed to satisfy constraint|: [a-z]+_c\d+: |dense<|#onnx|see current operation")
# What a message must name: something that the reader finds in the model.
NAMED = re.compile(r"(node|input|output|initializer|value|function|attribute|operator|opset|domain|external file|"
                   r"sparse initializer|overload|metadata|dimension|tensor) ['0-9]")


@dataclasses.dataclass
class Outcome:
    """`kind`: "ok", "error" (with a text), "crash", "hang" or "memory"."""
    kind: str
    text: str
    seconds: float
    megabytes: float
    left: list


def _child(work, answers, limit_bytes, seconds):
    memory_limit.limit_memory(limit_bytes)
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 2, int(seconds) + 2))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        answer = ["ok", work() or ""]
    except MemoryError:
        answer = ["memory", "MemoryError"]
    except Exception as error:  # pylint: disable=broad-except
        answer = ["error", str(error)]
    with os.fdopen(answers, "w", encoding="utf-8", errors="replace") as pipe:
        json.dump(answer, pipe)


def attempt(work, folder, seconds=10.0, limit_bytes=4 << 30):
    """Runs work() in a child; `folder` is then looked at for what is new in it."""
    before = set(os.listdir(folder))
    reader, writer = os.pipe()
    start = time.monotonic()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(reader)
            null = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(null, stream)
            _child(work, writer, limit_bytes, seconds)
            status = 0
        finally:
            os._exit(status)
    os.close(writer)
    text, hung = b"", False
    while True:
        ready, _, _ = select.select([reader], [], [], max(0.0, start + seconds - time.monotonic()))
        if not ready:
            hung = True
            os.kill(child, signal.SIGKILL)
            break
        part = os.read(reader, 1 << 16)
        if not part:
            break
        text += part
    os.close(reader)
    _, status, usage = os.wait4(child, 0)
    passed, peak = time.monotonic() - start, usage.ru_maxrss / 1024
    left = sorted(set(os.listdir(folder)) - before)
    if hung:
        return Outcome("hang", f"no end after {seconds} s", passed, peak, left)
    if os.WIFSIGNALED(status):
        return Outcome("crash", f"signal {os.WTERMSIG(status)}", passed, peak, left)
    if os.WEXITSTATUS(status) or not text:
        return Outcome("crash", f"exit status {os.WEXITSTATUS(status)}", passed, peak, left)
    kind, message = json.loads(text)
    if kind == "error" and "crashed" in message:
        kind = "crash"
    return Outcome(kind, message, passed, peak, left)


def load_onnxc(build):
    """The Python package of a build; loaded once, before any child is made."""
    sys.path.insert(0, str(pathlib.Path(build).resolve() / "python"))
    import onnxc  # pylint: disable=import-outside-toplevel
    return onnxc
