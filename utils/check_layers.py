#!/usr/bin/env python3
"""Checks who includes whom: each folder of lib/ and include/onnxc/ may include
only what LAYERS allows. Prints one line per violation; exit status 1 if any.

usage: utils/check_layers.py [ROOT]
"""

import pathlib
import re
import sys

ONNX = "Dialect/ONNX"
RT = "Dialect/Runtime"
KERNEL = "Dialect/Kernel"
PROGRAM = "Dialect/Program"
# Folder -> the folders of onnxc whose headers it may include beside its own.
# A folder that is missing here may not exist.
LAYERS = {
    "Support": [],
    ONNX: ["Support"],
    RT: ["runtime.h"],
    KERNEL: ["Support"],
    PROGRAM: [],
    # What processors have; the runtime says which of it it can check.
    "Target": [PROGRAM, "Runtime"],
    # What the exporter writes is what the importer compares with.
    "Proto": [ONNX],
    "Import": [ONNX, "Proto", "Support"],
    "Export": [ONNX, "Proto", "Support"],
    "Contrib": [ONNX, "Support"],
    "Upgrade": [ONNX, "Contrib", "Support"],
    "ConvertOpset": [ONNX, "Support", "Upgrade"],
    # A step over pulses is part of the C interface.
    "Infer": [ONNX, PROGRAM, "Support"],
    "Optimize": [ONNX, "Support"],
    "Quantize": [ONNX, "Support"],
    "Inspect": [ONNX, "Support"],
    # Tables of constants have the layouts that kernels of the runtime read.
    "Lower": [ONNX, PROGRAM, RT, "Support", "runtime.h", "Runtime"],
    "Schedule": [KERNEL, PROGRAM, "Support", "Target", "runtime.h"],
    "Bufferize": [KERNEL, PROGRAM, RT, "Support", "runtime.h", "Runtime"],
    "Emit": [PROGRAM, "Support", "Target", "runtime.h", "profile.h", "Runtime"],
    "Runtime": ["runtime.h", "profile.h"],
    "RuntimeExtra": ["Runtime"],
    "OldGlibc": [],
    "Load": ["runtime.h", "profile.h"],
    "Npz": ["runtime.h"],
    "Pipelines": ["*"],
    "CAPI": ["Pipelines", "Support"],
}
# Folders that may include upstream's headers, and which; others may not.
UPSTREAM = {
    "Runtime": [],
    "RuntimeExtra": [],
    "Load": ["llvm/"],
    "Npz": ["llvm/"],
    "Proto": ["mlir/", "llvm/", "onnx/", "google/"],
    "Import": ["mlir/", "llvm/", "onnx/", "google/"],
    "Export": ["mlir/", "llvm/", "onnx/", "google/"],
    "Emit": ["mlir/", "llvm/", "lld/"],
}
DEFAULT_UPSTREAM = ["mlir/", "llvm/"]
ANY_UPSTREAM = ["mlir/", "llvm/", "lld/", "onnx/", "google/"]
# Tools, and the Python module, see the pipelines and what the person sees.
TOOLS = ["Pipelines", "Inspect", "Support", "Load", "Npz", "Import", "Export", "Emit", "Target",
         "runtime.h", "profile.h"]

# Folders with folders of their own, and which of them the others may include.
INNER = {"Infer": [], "Optimize": ["Rewriting"], "Schedule": ["Form", "Kernels", "Select", "Vectorize"]}

INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]')


def folder_of(path):
    """'Dialect/ONNX' for 'Dialect/ONNX/x.h', 'runtime.h' for 'runtime.h'."""
    parts = path.split("/")
    if parts[0] == "Dialect" and len(parts) > 2:
        return "/".join(parts[:2])
    return parts[0]


def check_file(root, path, folder, allowed, upstream):
    errors = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        target = match.group(1)
        if target.startswith("onnxc/"):
            other = folder_of(target[len("onnxc/"):])
            legal = other == folder or other in allowed or "*" in allowed
        elif folder in INNER and "/" in target and not target.startswith(tuple(ANY_UPSTREAM)):
            legal = target.split("/")[0] in [*INNER[folder], path.parent.name, ".."]
        else:
            legal = (not target.startswith(tuple(ANY_UPSTREAM))
                     or target.startswith(tuple(upstream)))
        if not legal:
            errors.append(f"{path.relative_to(root)}:{number}: {folder} may not "
                          f"include {target}")
    return errors


def check(root):
    errors = []
    for base in ["lib", "include/onnxc"]:
        for path in sorted((root / base).rglob("*")):
            if path.suffix not in (".cpp", ".h", ".c", ".def"):
                continue
            folder = folder_of(path.relative_to(root / base).as_posix())
            if folder in ("runtime.h", "profile.h"):
                folder = "Runtime"
            if folder not in LAYERS:
                errors.append(f"{path.relative_to(root)}: no rule for the folder "
                              f"{folder}; see LAYERS in {__file__}")
                continue
            errors += check_file(root, path, folder, LAYERS[folder],
                                 UPSTREAM.get(folder, DEFAULT_UPSTREAM))
    for base in ["tools", "python"]:
        for path in sorted((root / base).rglob("*")):
            if path.suffix in (".cpp", ".h"):
                errors += check_file(root, path, base, TOOLS, DEFAULT_UPSTREAM)
    return errors


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1
                        else pathlib.Path(__file__).parent.parent).resolve()
    errors = check(root)
    print("\n".join(errors) or "layers: every #include is allowed")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
