#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packs a build as a release: an archive, its bill of materials, and checksums.

    utils/build.sh release && utils/release.py --build build/release -o dist

Writes onnxc-VERSION-SYSTEM.tar.zst, the file .spdx.json beside it, and
SHA256SUMS. The same build makes the same bytes, in any folder: names are
sorted, owners are numbers, times are SOURCE_DATE_EPOCH or that of the last commit.
(CPack's archives have the times and the owner of the machine in them.)
"""
import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "utils"))
from notices import read_cache  # noqa: E402


def last_commit_time():
    return subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%ct"], check=True, capture_output=True, text=True).stdout.strip()


def pack(tree, name, output, time):
    """`tree` as the folder `name` of an archive."""

    def plain(member):
        member.uid = member.gid = 0
        member.uname = member.gname = ""
        member.mtime = time
        # Of permissions, what a program is; the rest is the user's umask.
        runs = member.isdir() or member.mode & 0o100
        member.mode = 0o755 if runs else 0o644
        return member

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "archive.tar")
        # add() takes a folder's files in the order of their names.
        with tarfile.open(path, "w", format=tarfile.GNU_FORMAT) as archive:
            archive.add(tree, name, filter=plain)
        # More threads cut the archive into other pieces.
        subprocess.run(["zstd", "--quiet", "--force", "-12", "--single-thread", path, "-o", output], check=True)


def install(build, folder, time):
    subprocess.run(["cmake", "--install", build, "--prefix", folder], check=True, stdout=subprocess.DEVNULL,
                   env=dict(os.environ, SOURCE_DATE_EPOCH=str(time)))


def write_checksums(folder, names):
    with open(os.path.join(folder, "SHA256SUMS"), "w", encoding="utf-8") as out:
        for name in sorted(names):
            with open(os.path.join(folder, name), "rb") as file:
                out.write(f"{hashlib.sha256(file.read()).hexdigest()}  {name}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--build", help="a build by the preset release, which is installed first")
    source.add_argument("--tree", help="what is installed already; needs --name")
    parser.add_argument("--name", help="of the archive and its folder (default: onnxc-VERSION-SYSTEM)")
    parser.add_argument("-o", dest="output", required=True, help="the folder for the release")
    arguments = parser.parse_args()
    if arguments.tree and not arguments.name:
        parser.error("--tree: expected --name as well")
    time = int(os.environ.get("SOURCE_DATE_EPOCH") or last_commit_time())
    os.makedirs(arguments.output, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        name, tree = arguments.name, arguments.tree
        if arguments.build:
            tree = os.path.join(scratch, "onnxc")
            install(arguments.build, tree, time)
            cache = read_cache(arguments.build)
            name = name or f"onnxc-{cache['CMAKE_PROJECT_VERSION']}-{os.uname().machine}-linux"
        files = [name + ".tar.zst"]
        bill = os.path.join(tree, "share/doc/onnxc/onnxc.spdx.json")
        if os.path.exists(bill):
            files.append(name + ".spdx.json")
            shutil.copyfile(bill, os.path.join(arguments.output, files[-1]))
        pack(tree, name, os.path.join(arguments.output, files[0]), time)
        write_checksums(arguments.output, files)
    for file in files + ["SHA256SUMS"]:
        print(os.path.join(arguments.output, file))
    return 0


if __name__ == "__main__":
    sys.exit(main())
