"""Prints the newest version of glibc that ELF files ask for, and what they need.

usage: newest.py READELF FILE...
"""
import re
import subprocess
import sys

versions, libraries = set(), set()
for file in sys.argv[2:]:
    text = subprocess.run([sys.argv[1], "-d", "--dyn-syms", "-W", file], check=True, capture_output=True, text=True).stdout
    libraries.update(re.findall(r"\(?NEEDED\)?.*\[(.*)\]", text))
    versions.update(re.findall(r"UND \S+@GLIBC_([\d.]+)", text))
assert versions, "no symbols with versions"
print("newest", max(versions, key=lambda version: [int(part) for part in version.split(".")]))
for library in sorted(libraries):
    print("needs", library)
