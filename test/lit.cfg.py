# The configuration of lit for test/. `check-onnxc` runs all of it; by hand:
#   lit build/dev/test               everything
#   lit -v build/dev/test/Lower      one folder
# A test is a .mlir, .test, .td or .c file with RUN lines. Folders named Inputs
# hold what tests read.

import os

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

config.substitutions.append(("%python", config.python))
config.substitutions.append(("%root", config.onnxc_source))
config.substitutions.append(("%build", config.onnxc_build))
config.substitutions.append(("%models", os.path.join(config.onnxc_source, "test", "models")))
# A C compiler and the flags for a program that calls a compiled model.
config.substitutions.append(
    ("%cc", "%s -std=c11 -Wall -Wextra -Werror -I %s/include"
     % (config.cc, config.onnxc_source)))
config.substitutions.append(
    ("%cxx", "%s -std=c++17 -Wall -Wextra -Werror -I %s/include"
     % (config.cxx, config.onnxc_source)))

llvm_config.add_tool_substitutions(
    ["onnx-mlir-opt", "onnx-mlir-translate", "onnx-mlir-reduce", "onnx-mlir-lsp-server", "onnx-optimize", "onnxc",
     "onnxc-emit",
     "FileCheck", "not", "count", "split-file", "mlir-opt", "mlir-tblgen",
     "llvm-tblgen", "llvm-nm", "llvm-readelf", "llvm-objdump", "llvm-ar",
     "clang-format"],
    [config.onnxc_tools_dir, config.llvm_tools_dir])

# Nothing of the machine may change what a test sees.
config.environment["LC_ALL"] = "C.UTF-8"
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
for name in ["HOME", "XDG_CACHE_HOME", "ONNXC_SHARED", "ASAN_OPTIONS"]:
    if name in os.environ:
        config.environment[name] = os.environ[name]

# `REQUIRES: asan` and `UNSUPPORTED: asan`.
if config.sanitize:
    config.available_features.add("asan")
