# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pip's way into the build of a wheel: scikit-build-core's, which knows only that
a wheel is for Linux. This gives it the manylinux tag of the oldest glibc that its
programs run with, which is read in them.
"""
import os
import re
import subprocess
import sys
import zipfile

from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerNeedSection
from scikit_build_core import build as scikit
from scikit_build_core.build import *  # noqa: F401,F403: the other functions are as they are

# What PEP 600 lets a wheel expect of a system, as far as it is of glibc.
OF_GLIBC = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "ld-linux-x86-64.so.2"}


def needs(wheel):
    """The newest glibc, as (2, 28), and the other libraries that programs need."""
    newest, others, own = (2, 17), set(), set()
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            with archive.open(name) as file:
                if file.read(4) != b"\x7fELF":
                    continue
                file.seek(0)
                elf = ELFFile(file)
                own.add(os.path.basename(name))
                dynamic = elf.get_section_by_name(".dynamic")
                others.update(tag.needed for tag in dynamic.iter_tags("DT_NEEDED"))
                for section in elf.iter_sections():
                    if not isinstance(section, GNUVerNeedSection):
                        continue
                    for _, versions in section.iter_versions():
                        for version in versions:
                            match = re.fullmatch(r"GLIBC_(\d+)\.(\d+)(\.\d+)?", version.name)
                            if match:
                                newest = max(newest, (int(match.group(1)), int(match.group(2))))
    return newest, others - own - OF_GLIBC


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name = scikit.build_wheel(wheel_directory, config_settings, metadata_directory)
    path = os.path.join(wheel_directory, name)
    newest, others = needs(path)
    if others:
        print(f"{name} is for this machine's Linux alone: it needs {', '.join(sorted(others))}", file=sys.stderr)
        return name
    tag = f"manylinux_{newest[0]}_{newest[1]}_{os.uname().machine}"
    done = subprocess.run([sys.executable, "-m", "wheel", "tags", "--remove", "--platform-tag", tag, path], check=True, capture_output=True, text=True)
    return os.path.basename(done.stdout.strip().splitlines()[-1])
