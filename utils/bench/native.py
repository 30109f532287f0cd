"""C files of this folder, compiled for the machine and kept in the cache; and the
environments of peers. Needs no package."""

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
COMPILERS = ("clang-22", "clang", "gcc", "cc")
# For call.c.
SHARED, INTERFACE = ("-shared", "-fPIC"), ("include/onnxc/runtime.h",)


def cache_folder(name):
    """The folder of that name in the user's cache."""
    home = os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")
    folder = pathlib.Path(home) / "onnxc" / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def environment(name):
    """The Python of a peers' environment (utils/peers/install.sh), None if it is not complete."""
    folder = cache_folder("peers") / name
    return folder / "bin" / "python3" if (folder / "requirements.txt").exists() else None


def enter_environment(name="run"):
    """Goes on in the peers' environment of that name, if there is one: what is measured is imported there. Not
    for a report from stored numbers, or help."""
    python = environment(name)
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if any(argument in ("-h", "--help") or argument.startswith("--from-json") for argument in sys.argv):
        return
    if python and pathlib.Path(sys.prefix).resolve() != python.parent.parent.resolve():
        os.execv(python, [str(python), *sys.argv])


def build(source, *arguments, includes=()):
    """The path of what a C compiler makes of `source`, a file of this folder, with
    these arguments. It is made again when one of its texts changes."""
    compiler = next(filter(shutil.which, COMPILERS), None)
    if compiler is None:
        raise RuntimeError(f"no C compiler: expected one of {', '.join(COMPILERS)}")
    source = pathlib.Path(__file__).with_name(source)
    key = hashlib.sha256(" ".join((compiler, *arguments)).encode())
    for path in (source, *(ROOT / name for name in includes)):
        key.update(path.read_bytes())
    output = cache_folder("bench") / f"{source.stem}-{key.hexdigest()[:16]}"
    if not output.exists():
        part = output.with_suffix(f".{os.getpid()}")
        subprocess.run([compiler, "-std=gnu11", "-O2", *arguments, f"-I{ROOT / 'include'}",
                        f"-I{ROOT / 'tools' / 'onnxc'}", source, "-o", part, "-lm", "-ldl"], check=True)
        part.replace(output)
    return str(output)
