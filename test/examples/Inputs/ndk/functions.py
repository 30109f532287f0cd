"""Compares what an archive calls (standard input) with what a C library has.

usage: functions.py FUNCTIONS.txt OWN.txt
"""

import sys


def names(lines):
    return {line.strip() for line in lines if line.strip() and not line.startswith("#") and not line.strip().endswith(":")}


needed = names(sys.stdin) - names(open(sys.argv[2]))
missing = sorted(needed - names(open(sys.argv[1])))
if missing or not needed:
    sys.exit(f"not there: {missing}")
print(f"{len(needed)} functions, all of them there")
