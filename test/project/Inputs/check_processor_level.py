"""A process sees a lower level of processors by each of the two ways of utils/bench/processor_level.c;
prints what is wrong.

usage: check_processor_level.py COMPILER FOLDER   (XDG_CACHE_HOME is to be in FOLDER)
"""

import ctypes
import multiprocessing
import os
import pathlib
import shutil
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "utils"))

from bench import native, replaced  # noqa: E402

SOURCE = pathlib.Path(__file__).with_name("sees_level.c")
AVX2, AVX512, AVX_VNNI, LZCNT = 1, 2, 4, 8
ABOVE = {"x86-64-v2": AVX2 | AVX512 | AVX_VNNI | LZCNT, "x86-64-v3": AVX512 | AVX_VNNI, "x86-64-v4": AVX_VNNI}
PRELOAD = {"LD_PRELOAD": native.build("processor_level.c", *native.SHARED)}


def expect(what, found, wanted):
    if found != wanted:
        print(f"{what}: {found!r}, expected {wanted!r}")


def run(*command, **variables):
    """(status, last line) of a command."""
    done = subprocess.run([str(word) for word in command], env={**os.environ, **variables}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout.strip().rpartition("\n")[2]


def compile_source(compiler, output, *arguments):
    subprocess.run([*compiler.split(), "-O1", *arguments, str(SOURCE), "-o", str(output)], check=True)
    return output


def check_levels(what, program, seen, **variables):
    """The program with each level, which leaves what lies not above it."""
    for level, above in ABOVE.items():
        expect(f"{what}, {level}", run(program, ONNXC_BENCH_LEVEL=level, **PRELOAD, **variables),
               (0, f"{seen & ~above:x}"))


def check_faults(program, seen):
    """By faults at CPUID, where there are some; else it does not run."""
    if replaced.has_cpuid_faults():
        check_levels("by faults", program, seen)
    else:
        expect("no faults", run(program, ONNXC_BENCH_LEVEL="x86-64-v3", **PRELOAD),
               (97, "CPUID cannot be answered for on this machine"))


def check_replaced(program, seen):
    """By another instruction at the places of CPUID, and nowhere else."""
    other = program.with_name("replaced")
    shutil.copy(program, other)
    places = run(sys.executable, "-m", "bench.replaced", other, PYTHONPATH=str(ROOT / "utils"))
    expect("places", (places[0], len(places[1].split())), (0, 4))
    check_levels("replaced", other, seen, ONNXC_BENCH_REPLACED="/nowhere")
    expect("without the preload", run(other)[0], -signal.SIGILL)
    expect("an end of its own", run(other, "end", ONNXC_BENCH_LEVEL="x86-64-v3", ONNXC_BENCH_REPLACED="/nowhere",
                                    **PRELOAD)[0], -signal.SIGILL)


def ask(connection, path):
    """What a library in a process of its own sees, and whether it is the copy's."""
    found = ctypes.CDLL(path.format(sys.prefix)).features()
    try:
        replaced.check_loaded()
        connection.send((found, sys.prefix))
    except RuntimeError as error:
        connection.send((found, str(error)))


def ask_process(path):
    context = multiprocessing.get_context("spawn")
    connection, other = context.Pipe()
    process = context.Process(target=ask, args=(other, str(path)))
    process.start()
    other.close()
    try:
        return connection.recv()
    except EOFError:
        return None
    finally:
        process.join()


def check_copy(library, folder, seen):
    """A copy of an environment with the library."""
    environment = folder / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    packages = next(environment.glob("lib/python3*/site-packages"))
    shutil.copy(library, packages)
    (packages / "module.py").write_text("answer = 42\n")
    copy = replaced.copy_of(environment)
    inside = copy / packages.relative_to(environment)
    expect("made once", replaced.copy_of(environment), copy)
    expect("a link", (inside / "module.py").samefile(packages / "module.py"), True)
    expect("the original stays", (packages / library.name).read_bytes(), library.read_bytes())
    expect("without a preload", run(copy / "bin" / "python3", "-c", "print(1)")[0], 97)

    variables = {**PRELOAD, "ONNXC_BENCH_LEVEL": "x86-64-v3", "ONNXC_BENCH_REPLACED": str(environment.resolve())}
    os.environ.update(variables)
    sys.prefix = str(environment)
    with replaced.imported_from(copy):
        place = "{}/" + str((inside / library.name).relative_to(copy))
        expect("in the copy", ask_process(place), (seen & ~ABOVE["x86-64-v3"], str(copy)))
        expect("not in the copy", ask_process(packages / library.name),
               (seen, f"{(packages / library.name).resolve()} is loaded instead of its copy: its CPUID is the machine's"))
    for name in variables:
        del os.environ[name]

    os.utime(packages / library.name, (1, 1))
    again = replaced.copy_of(environment)
    expect("made again", (again != copy, copy.exists(), (again / "cpuid.json").exists()), (True, False, True))


def main():
    compiler, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    program = compile_source(compiler, folder / "sees_level")
    status, line = run(program)
    expect("the machine", status, 0)
    seen = int(line, 16)
    check_faults(program, seen)
    check_replaced(program, seen)
    check_copy(compile_source(compiler, folder / "libsees.so", "-shared", "-fPIC"), folder, seen)


if __name__ == "__main__":
    main()
