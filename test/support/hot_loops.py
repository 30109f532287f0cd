# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The innermost loops of assembly that LLVM wrote, and what they consist of."""

import dataclasses
import re

# What kind an instruction is of, by its name: the first pattern that matches decides.
KINDS = {
    "aarch64": [
        ("multiply_adds", r"(fmla|fmls|fmadd|fmlal2?|[su]dot|usdot|sudot|[su]mmla|usmmla|mla|[su]mlal2?)$"),
        ("loads", r"ld"),
        ("stores", r"st"),
        ("broadcasts", r"dup$"),
        ("moves", r"(mov|fmov|movi|ext|zip[12]|uzp[12]|tbl)$"),
    ],
    "riscv64": [
        ("multiply_adds", r"(vf?n?w?(macc|madd)(u|su|us)?\.v[vf x]+|vf?wmacc(u|su|us)?\.v[vfx]|f(madd|nmsub)\.[shd])$"),
        ("vector_lengths", r"vset"),
        ("loads", r"(vl\w+\.v$|fl[whd]$|l[bhwd]u?$)"),
        ("stores", r"(vs\d?\w*\.v$|fs[whd]$|s[bhwd]$)"),
        ("broadcasts", r"(vmv\.v\.[xi]|vfmv\.v\.f|vrgather\.v[ivx])$"),
        ("moves", r"(vmv\d?r?\.|vmv\.|mv$|fmv)"),
    ],
}
# Addresses on the stack; RISC-V stores whole registers there alone, as it knows no other length of them.
STACK = {
    "aarch64": r"\[sp\b",
    "riscv64": r"\(sp\)|^\s*(vs|vl)[1248]re?\d*\.v\b",
}
BRANCHES = {
    "aarch64": r"\s(?:b|b\.\w+|cbz|cbnz|tbz|tbnz)\s(?:.*,)?\s*(\.L\w+)\s*$",
    "riscv64": r"\s(?:j|b\w+)\s(?:.*,)?\s*(\.L\w+)\s*$",
}
COMMENTS = {"aarch64": r"//.*", "riscv64": r"#.*"}


@dataclasses.dataclass
class Loop:
    function: str
    lines: list
    instructions: int = 0
    multiply_adds: int = 0
    loads: int = 0
    stores: int = 0
    broadcasts: int = 0
    moves: int = 0
    vector_lengths: int = 0
    on_stack: int = 0  # of the loads and stores
    products: int = 0  # for each 32-bit lane

    def count(self, architecture):
        for line in self.lines:
            name = re.match(r"\s+([a-z][\w.]*)", line)
            if not name:
                continue
            self.instructions += 1
            self.on_stack += bool(re.search(STACK[architecture], line))
            for kind, pattern in KINDS[architecture]:
                if re.match(pattern, name[1]):
                    setattr(self, kind, getattr(self, kind) + 1)
                    self.products += (kind == "multiply_adds") * (4 if "dot" in name[1] else 8 if "mmla" in name[1] else 1)
                    break
        return self

    def others(self):
        """Instructions for each multiply-add that are none."""
        return (self.instructions - self.multiply_adds) / self.multiply_adds


def split_functions(text, architecture):
    """Pairs of a name and its lines, without comments and directives."""
    functions = []
    for line in text.splitlines():
        line = re.sub(COMMENTS[architecture], "", line).rstrip()
        if label := re.match(r'"?([^.\s"][^"]*)"?:$', line):
            functions.append((label[1], []))
        elif functions and line and (not line.lstrip().startswith(".") or line.startswith(".L")):
            functions[-1][1].append(line)
    return functions


def find_loops(text, architecture, function=""):
    """The innermost loops of all functions whose names match: a branch to a label above it,
    and no other such branch between the two."""
    loops = []
    for name, lines in split_functions(text, architecture):
        if not re.search(function, name):
            continue
        labels = {line[:-1]: i for i, line in enumerate(lines) if line.endswith(":")}
        spans = set()
        for i, line in enumerate(lines):
            target = re.search(BRANCHES[architecture], line)
            if target and labels.get(target[1], i) < i:
                spans.add((labels[target[1]], i))
        innermost = [one for one in spans if not any(one != other and one[0] <= other[0] and other[1] <= one[1] for other in spans)]
        loops += [Loop(name, lines[first:last + 1]).count(architecture) for first, last in sorted(innermost)]
    return loops


def find_hot_loop(text, architecture, function=""):
    """The innermost loop with the most multiply-adds, or None."""
    loops = [loop for loop in find_loops(text, architecture, function) if loop.multiply_adds]
    return max(loops, key=lambda loop: loop.multiply_adds, default=None)
