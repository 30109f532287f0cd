# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Work done by processes that may crash or hang: only the piece at hand is lost."""

import json
import os
import select
import subprocess
import sys
import tempfile
import threading
import time


class Worker:
    """A Python program that answers lines of its standard input, each with a line
    of JSON on the file descriptor that is its last argument. It is started on
    first use, and again after it died or did not answer in time: `timeout` seconds
    of computing, since others may keep the processors busy, or ten times as long."""

    def __init__(self, script, arguments, package, timeout):
        self.command = [sys.executable, script, *map(str, arguments)]
        self.environment = dict(os.environ, PYTHONPATH=str(package), PYTHONDONTWRITEBYTECODE="1")
        self.timeout = timeout
        self.process = None

    def _start(self):
        self.answers, theirs = os.pipe()
        self.stderr = tempfile.TemporaryFile()
        self.process = subprocess.Popen([*self.command, str(theirs)], env=self.environment, stdin=subprocess.PIPE,
                                        stdout=subprocess.DEVNULL, stderr=self.stderr, pass_fds=[theirs], text=True)
        os.close(theirs)

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process.stdin.close()
            os.close(self.answers)
            self.stderr.close()
            self.process = None

    def _last_words(self):
        self.stderr.seek(0)
        lines = self.stderr.read().decode(errors="replace").strip().splitlines()
        return f": {lines[-1]}" if lines else ""

    def _cpu_seconds(self):
        """Of the process and of its children that ended."""
        with open(f"/proc/{self.process.pid}/stat") as stat:
            times = stat.read().rpartition(")")[2].split()[11:15]
        return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")

    def ask(self, line):
        """(the answer, None), or (None, what happened instead of one)."""
        if not self.process:
            self._start()
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer, end = b"", time.monotonic() + 10 * self.timeout
        cpu_end = self._cpu_seconds() + self.timeout
        while not answer.endswith(b"\n"):
            # At the earliest it can have computed that long, on one processor.
            wait = min(max(cpu_end - self._cpu_seconds(), 1), end - time.monotonic())
            ready, _, _ = select.select([self.answers], [], [], max(0, wait))
            if not ready and time.monotonic() < end and self._cpu_seconds() < cpu_end:
                continue
            if not ready:
                self.stop()
                return None, f"no end after {self.timeout} s"
            part = os.read(self.answers, 1 << 16)
            if not part:
                status, words = self.process.wait(), self._last_words()
                self.stop()
                return None, f"crash: the process ended with {status}{words}"
            answer += part
        return json.loads(answer), None


def ask_all(lines, make_worker, jobs, receive):
    """Asks `jobs` workers; receive(line, answer, failure) is called as answers
    come, one at a time. `lines` may be endless; receive() says False for enough."""
    todo, lock, going = iter(lines), threading.Lock(), [True]

    def serve():
        worker = make_worker()
        while True:
            with lock:
                line = next(todo, None) if going[0] else None
            if line is None:
                worker.stop()
                return
            answer, failure = worker.ask(line)
            with lock:
                if receive(line, answer, failure) is False:
                    going[0] = False

    threads = [threading.Thread(target=serve) for _ in range(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
