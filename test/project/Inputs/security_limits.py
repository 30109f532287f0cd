"""Compares the table of limits in SECURITY.md with the generated page of options.

usage: security_limits.py SECURITY.md options.md
"""

import re
import sys

page, options = (open(path).read() for path in sys.argv[1:3])
defaults = dict(re.findall(r"^\| `(--[\w-]+)=<[^`]*` \| [^|]*\(default: ([^)]*)\)", options, re.MULTILINE))
limits = re.findall(r"^\| `(--[\w-]+)`[^|]*\| ([^|]*?) \|", page, re.MULTILINE)
faults = 0
for name, stated in limits:
    if name not in defaults:
        print(f"{name}: there is no such option")
    elif defaults[name] != stated:
        print(f"{name}: the page says {stated}, the option's default is {defaults[name]}")
    else:
        continue
    faults += 1
print(f"{len(limits)} limits, {faults} faults")
sys.exit(1 if faults or not limits else 0)
