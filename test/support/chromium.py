# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Chromium without a window, driven by the DevTools protocol over a pipe: no
package of Python, no port. utils/install_chromium.sh installs one."""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache"))) / "onnxc" / "chromium" / "root"


def find():
    """The program, or None."""
    installed = CACHE / "usr/lib/chromium/chromium-headless-shell"
    if installed.exists():
        return str(installed)
    for name in ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]:
        if shutil.which(name):
            return shutil.which(name)
    return None


class Browser:
    """One page. Messages of the console that are errors, and exceptions that
    nothing catches, are in `errors`."""

    def __init__(self, width=1400, height=900, dark=False):
        self.errors = []
        self.number = 0
        self.folder = tempfile.mkdtemp()
        ours, theirs = os.pipe(), os.pipe()
        libraries = CACHE / "usr/lib/x86_64-linux-gnu"
        environment = dict(os.environ, LD_LIBRARY_PATH=f"{libraries}:{libraries}/pulseaudio", HOME=self.folder)
        # The browser reads from descriptor 3 and writes to 4.
        command = [find(), "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--hide-scrollbars",
                   "--disable-background-networking", "--no-first-run", f"--user-data-dir={self.folder}",
                   f"--window-size={width},{height}", "about:blank"]
        self.process = subprocess.Popen(["bash", "-c", f'exec "$@" 3<&{theirs[0]} 4>&{ours[1]}', "bash", *command],
                                        pass_fds=(theirs[0], ours[1]), env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs[0])
        os.close(ours[1])
        self.input, self.output = os.fdopen(theirs[1], "wb"), os.fdopen(ours[0], "rb")
        self.buffer = b""
        self.session = None
        target = self.send("Target.createTarget", {"url": "about:blank"})["targetId"]
        self.session = self.send("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        for domain in ["Page", "Runtime", "Log"]:
            self.send(domain + ".enable")
        self.send("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        if dark:
            self.send("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _read(self):
        while b"\0" not in self.buffer:
            part = os.read(self.output.fileno(), 1 << 20)
            if not part:
                raise RuntimeError("the browser ended")
            self.buffer += part
        message, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(message)
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "assert"):
            self.errors.append(" ".join(str(a.get("value", a.get("description"))) for a in params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(params["entry"]["text"])
        return message

    def send(self, method, params=None):
        """Calls a method of the protocol; its result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": params or {}}
        if self.session:
            message["sessionId"] = self.session
        self.input.write(json.dumps(message).encode() + b"\0")
        self.input.flush()
        while True:
            answer = self._read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def open(self, path):
        self.send("Page.navigate", {"url": pathlib.Path(path).resolve().as_uri()})
        while self._read().get("method") != "Page.loadEventFired":
            pass
        # What is drawn first is drawn by the next frame.
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def evaluate(self, expression):
        """The value of an expression of JavaScript; of a promise, what it gives."""
        answer = self.send("Runtime.evaluate", {"expression": expression, "awaitPromise": True, "returnByValue": True})
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", "exception"))
        return answer["result"].get("value")

    def cpu_seconds(self):
        """What all processes of the browser have worked so far."""
        parents, times = {}, {}
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(stat.parent.name)] = int(fields[1])
            times[int(stat.parent.name)] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

        def is_ours(process):
            while process not in (0, self.process.pid):
                process = parents.get(process, 0)
            return process != 0
        return sum(time for process, time in times.items() if is_ours(process))

    def screenshot(self, path):
        data = self.send("Page.captureScreenshot", {"format": "png"})["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))
