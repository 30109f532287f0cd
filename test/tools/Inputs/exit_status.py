"""Runs a command that must end with a status, and prints what it says.

usage: exit_status.py STATUS COMMAND...
"""

import subprocess
import sys

done = subprocess.run(sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
print(done.stdout)
if done.returncode != int(sys.argv[1]):
    sys.exit(f"{sys.argv[2:]}: exit status {done.returncode}, expected {sys.argv[1]}")
