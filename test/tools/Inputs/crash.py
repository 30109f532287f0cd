"""Crashes a tool while it reads: a FIFO as its input, then a SIGSEGV. Opening the
FIFO waits for the tool, which is past its start then."""

import os
import signal
import subprocess
import sys

signal.alarm(60)
path = sys.argv[1]
os.mkfifo(path)
tool = subprocess.Popen([*sys.argv[2:], path], stderr=subprocess.PIPE, text=True)
with open(path, "wb"):
    tool.send_signal(signal.SIGSEGV)
    text = tool.communicate()[1]
print(text)
