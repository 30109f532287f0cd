"""Checks that each processor of Caches.def is one that onnxc compiles for, and has one row.

usage: cache_names.py ONNXC Caches.def
"""
import re
import subprocess
import sys

onnxc, table = sys.argv[1:]
wrong, seen = 0, set()
for arch, processors in re.findall(r'^CACHES\((\w+), "([^"]*)"', open(table).read(), re.MULTILINE):
    listed = subprocess.run([onnxc, "targets", f"{arch}-linux-gnu"], check=True, capture_output=True, text=True).stdout
    known = {line.strip().replace("_", "-") for line in listed.splitlines()}
    for name in processors.split("|"):
        if name not in known:
            print(f"{arch}: '{name}' is no processor of 'onnxc targets {arch}-linux-gnu'")
            wrong += 1
        if (arch, name) in seen:
            print(f"{arch}: '{name}' has two rows")
            wrong += 1
        seen.add((arch, name))
print(f"{len(seen)} processors, {wrong} wrong")
sys.exit(wrong != 0)
