"""Writes a program in C that refers to all that ELF files want of glibc, to see what an older one has.

usage: references.py READELF FILE...
"""
import re
import subprocess
import sys

names = set()
for file in sys.argv[2:]:
    text = subprocess.run([sys.argv[1], "--dyn-syms", "-W", file], check=True, capture_output=True, text=True).stdout
    names.update(re.findall(r"UND (\w+)@GLIBC_", text))
assert len(names) > 50, f"only {len(names)} names"
for name in sorted(names):
    print(f"extern char {name}[];")
print("char *const all[] = {" + ", ".join(sorted(names)) + "};")
