# The configuration of lit for test/. `check-onnxc` runs all of it; by hand:
#   lit build/dev/test               everything
#   lit -v build/dev/test/Lower      one folder
# A test is a .mlir, .test, .td or .c file with RUN lines. Folders named Inputs
# hold what tests read.

import os
import shutil
import subprocess
import sys

import lit.formats
import lit.llvm

lit.llvm.initialize(lit_config, config)
llvm_config = lit.llvm.llvm_config

config.name = "onnxc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".td", ".c"]
config.excludes = ["Inputs", "models", "unit", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.onnxc_build, "test")

# LLVM is not instrumented: it takes memory that our code, which is, has poisoned in
# the bump allocators they share, and does not say so. Sizes that exceed the
# memory are NULL, as malloc's. Stacks for signals are LLVM's, which ASan would unmap.
sanitizer_options = "allow_user_poisoning=0:allocator_may_return_null=1:use_sigaltstack=0"
python = config.python
if config.sanitize:
    # The interpreter is not ours; it loads our module, and keeps memory until the end.
    python = "env LD_PRELOAD=%s ASAN_OPTIONS=%s:detect_leaks=0 %s" % (
        config.sanitizer_runtime, sanitizer_options, python)
config.substitutions.append(("%python", python))
config.substitutions.append(("%root", config.onnxc_source))
config.substitutions.append(("%build", config.onnxc_build))
config.substitutions.append(("%models", os.path.join(config.onnxc_source, "test", "models")))
# A C compiler and the flags for a program that calls a compiled model.
config.substitutions.append(
    ("%cc", "%s -std=c11 -Wall -Wextra -Werror -I %s/include"
     % (config.cc, config.onnxc_source)))
config.substitutions.append(("%host_cc", config.cc))
config.substitutions.append(("%host_cxx", config.cxx))
config.substitutions.append(("%mlir_dir", config.mlir_dir))
config.substitutions.append(
    ("%cxx", "%s -std=c++17 -Wall -Wextra -Werror -I %s/include"
     % (config.cxx, config.onnxc_source)))
# What a program that links a library of the build needs first.
config.substitutions.append(
    ("%asan", "-Wl,--no-as-needed,%s,-rpath,%s" % (config.sanitizer_runtime, os.path.dirname(config.sanitizer_runtime))
     if config.sanitize else ""))

llvm_config.add_tool_substitutions(
    ["onnx-mlir-opt", "onnx-mlir-translate", "onnx-mlir-reduce", "onnx-mlir-lsp-server", "onnx-optimize", "onnxc",
     "onnxc-emit",
     "FileCheck", "not", "count", "split-file", "mlir-opt", "mlir-tblgen",
     "llvm-tblgen", "llvm-nm", "llvm-readelf", "llvm-readobj", "llvm-objdump", "llvm-ar",
     "llvm-mc", "clang-format"],
    [config.onnxc_tools_dir, config.llvm_tools_dir])

# Programs that tests run find the tools by name, too.
llvm_config.with_environment("PATH", [config.onnxc_tools_dir, config.llvm_tools_dir], append_path=True)
# Nothing of the machine may change what a test sees.
config.environment["LC_ALL"] = "C.UTF-8"
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
# ONNX Runtime reports its use over the network by default, from a thread that
# can keep a process from ending.
config.environment["ORT_DISABLE_TELEMETRY"] = "1"
for name in ["HOME", "XDG_CACHE_HOME", "ONNXC_SHARED", "ASAN_OPTIONS", "ONNXC_TEST_CPU", "LD_PRELOAD"]:
    if name in os.environ:
        config.environment[name] = os.environ[name]

# Programs that some tests need, and that a machine need not have.
def says(command, text):
    try:
        done = subprocess.run([command, "--version"], capture_output=True, text=True)
        return text in done.stdout
    except OSError:
        return False


# Later versions of as have other rules of which feature implies which.
if says("as", "GNU assembler") and any(says("as", f" 2.{minor}") for minor in (40, 41, 42)):
    config.available_features.add("gnu-as")
for program in ["qemu-x86_64", "valgrind", "musl-gcc"]:
    if shutil.which(program) and os.uname().machine == "x86_64":
        config.available_features.add(program)
if shutil.which("gcc") and shutil.which("g++"):
    config.available_features.add("gcc")
if shutil.which("node"):
    config.available_features.add("node")
# Machines without an operating system need no libraries.
for program in ["qemu-system-arm", "qemu-aarch64", "qemu-riscv32", "qemu-riscv64"]:
    if shutil.which(program):
        config.available_features.add(program)
for arch in ["aarch64", "riscv64"]:
    if shutil.which(f"qemu-{arch}") and shutil.which(f"{arch}-linux-gnu-gcc") and os.path.exists(f"/usr/{arch}-linux-gnu/lib/libc.so.6"):
        config.available_features.add(f"{arch}-cross")

if os.geteuid() == 0 and shutil.which("chroot"):
    config.available_features.add("chroot")

# Programs for Windows: test/support/windows.py.
wine = shutil.which("wine64") or os.path.exists("/usr/lib/wine/wine64")
if wine and os.path.exists("/usr/x86_64-w64-mingw32/lib/libucrt.a"):
    config.available_features.add("wine")

# torch, Ray, Spark and others: utils/frameworks/install.sh.
frameworks = os.path.join(os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")), "onnxc", "frameworks")
config.substitutions.append(("%frameworks", os.path.join(frameworks, "bin", "python3")))
if os.path.exists(os.path.join(frameworks, "requirements.txt")) and not config.sanitize:
    config.available_features.add("frameworks")
if shutil.which("java"):
    config.available_features.add("java")

# Tests of how old something is want the commits: not in an archive or a shallow clone.
history = subprocess.run([sys.executable, os.path.join(config.onnxc_source, "utils", "check_benchmark_age.py")],
                         capture_output=True)
if history.returncode != 3:
    config.available_features.add("git-history")

# Plugins share LLVM and MLIR with the program that loads them.
if config.link_dylib and not config.sanitize:
    config.available_features.add("plugins")

# Headers of dialects and passes are for programs that share LLVM and MLIR, too.
if config.link_dylib:
    config.available_features.add("dylib")
# Where all is in libonnxc, as in releases.
if config.static_llvm:
    config.available_features.add("static-llvm")
    config.substitutions.append(("%glibc", config.glibc or "2.99"))
if os.uname().machine == "x86_64":
    config.available_features.add("x86_64-linux")

if config.sanitize:
    config.environment.setdefault("ASAN_OPTIONS", sanitizer_options)
    config.environment.setdefault("UBSAN_OPTIONS", "print_stacktrace=1")

# `REQUIRES: asan` and `UNSUPPORTED: asan`.
if config.sanitize:
    config.available_features.add("asan")

# What the examples need besides.
for program in ["cargo", "go"]:
    if shutil.which(program):
        config.available_features.add(program)
if os.path.exists("/usr/include/png.h"):
    config.available_features.add("libpng")
if subprocess.run([config.python, "-c", "import jinja2, safetensors, tokenizers"], capture_output=True).returncode == 0:
    config.available_features.add("tokenizers")
if shutil.which("chroot") and subprocess.run(["chroot", "/", "/bin/true"], capture_output=True).returncode == 0:
    config.available_features.add("chroot")
# The models that are kept outside of the project (test/models/README.md).
shared = os.environ.get("ONNXC_SHARED", os.path.join(os.path.dirname(config.onnxc_source), "shared"))
config.substitutions.append(("%shared", shared))
if os.path.exists(os.path.join(shared, "models", "silero_vad", "model.onnx")):
    config.available_features.add("shared-models")

# A browser without a window: utils/install_chromium.sh.
sys.path.insert(0, os.path.join(config.test_source_root, "support"))
import chromium  # noqa: E402
if chromium.find():
    config.available_features.add("chromium")

# What builds the site of the pages (utils/site.sh makes it).
site_python = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "onnxc", "site", "bin", "python3")
config.substitutions.append(("%site_python", site_python))
if os.path.exists(site_python):
    config.available_features.add("site")
