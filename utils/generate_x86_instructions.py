#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes lib/Emit/X86Instructions.def: which features of the processor an
instruction needs, for those that the runtime can check (CpuFeatures.def).

Every encoding of x86-64 is disassembled by llvm-mc, and GNU as says which
features it demands: an instruction needs a feature if as refuses it without.

usage: generate_x86_instructions.py [--check] [--llvm-mc PATH] [--as PATH]
  --check   fail if the file differs, and say where
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "lib/Emit/X86Instructions.def"
FEATURES = ROOT / "include/onnxc/Runtime/CpuFeatures.def"
# LLVM's name of a feature -> that of as, where they differ.
GNU_NAMES = {
    "avx512vbmi2": "avx512_vbmi2", "avx512vnni": "avx512_vnni", "avx512bitalg": "avx512_bitalg",
    "avx512vpopcntdq": "avx512_vpopcntdq", "avx512vp2intersect": "avx512_vp2intersect", "amx-bf16": "amx_bf16",
    "avx512fp16": "avx512_fp16", "amx-tile": "amx_tile", "amx-int8": "amx_int8", "avxvnni": "avx_vnni",
    "avx512bf16": "avx512_bf16", "avxifma": "avx_ifma", "avxvnniint8": "avx_vnni_int8",
    "avxneconvert": "avx_ne_convert"}
# Nothing but the sum of both: an instruction that needs the second needs the first.
CHAIN = ["sse3", "ssse3", "sse4.1", "sse4.2", "avx", "avx2", "avx512f"]
IMPLIED = {feature: set(CHAIN[:i]) for i, feature in enumerate(CHAIN)}
IMPLIED["avx512f"] |= {"fma", "f16c"}
for _feature in ("fma", "f16c", "avxvnni", "avxifma", "avxvnniint8", "avxneconvert", "vaes", "vpclmulqdq", "fma4", "xop"):
    IMPLIED[_feature] = IMPLIED["avx"] | {"avx"}
for _feature in ("avxvnni", "avxifma", "avxvnniint8", "avxneconvert", "vaes"):
    IMPLIED[_feature] |= {"avx2"}
IMPLIED["vaes"] |= {"aes"}
IMPLIED["vpclmulqdq"] |= {"pclmul"}
for _feature in ("aes", "pclmul", "gfni"):
    IMPLIED[_feature] = set()
PREFIXES = {"lock", "rep", "repne", "repe", "repz", "repnz", "data16", "notrack", "xacquire", "xrelease", "rex64",
            "{evex}", "{vex}", "{vex3}", "{vex2}", "cs", "ds", "es", "fs", "gs", "ss"}


def checkable_features():
    names = re.findall(r'^X86_FEATURE\("([^"]+)"', FEATURES.read_text(), re.M)
    for name in names:
        if name.startswith("avx512") and name != "avx512f":
            IMPLIED[name] = IMPLIED["avx512f"] | {"avx512f"}
        if name.startswith("amx") and name != "amx-tile":
            IMPLIED[name] = {"amx-tile"}
    IMPLIED["avx512fp16"] |= {"avx512bw"}
    for name in ("avx512vbmi", "avx512vbmi2", "avx512bitalg", "avx512bf16"):
        IMPLIED[name] |= {"avx512bw"}
    return names


def operand_bytes():
    """ModR/M bytes and what follows: registers, and memory."""
    rest = [0] * 9
    for reg in range(8):
        yield reg, [0xC1 | reg << 3] + rest
        yield reg, [0x00 | reg << 3] + rest
        # Tile registers that are cleared: nothing stands where a second register would.
        if reg < 2:
            yield 1, [0xC0 | reg << 3] + rest
        # With an index: gathers.
        if reg == 1:
            yield reg, [0x04 | reg << 3, 0x10] + rest


# Opcodes in which the register field is part of the opcode.
GROUPS = {0x00, 0x01, 0x0D, 0x12, 0x18, 0x71, 0x72, 0x73, 0x78, 0x80, 0x81, 0x83, 0x8F, 0xAE, 0xBA, 0xC0, 0xC1, 0xC6, 0xC7,
          0xD0, 0xD1, 0xD2, 0xD3, 0xF3, 0xF6, 0xF7, 0xFE, 0xFF, 0x1C, 0x1E, 0xD8, 0xD9, 0xDA, 0xDB, 0xDC, 0xDD, 0xDE, 0xDF,
          0x49, 0x4B, 0x5C, 0x5E, 0x01, 0x02}


def encodings():
    # Instructions in whose encoding the operands' byte is a part of the opcode.
    for operand in range(0xC0, 0x100):
        yield [0x0F, 0x01, operand]
    for opcode in range(256):
        for reg, operand in operand_bytes():
            if reg != 1 and opcode not in GROUPS:
                continue
            for w in (0, 1):
                rex = [0x48] if w else []
                for prefix in ([], [0x66], [0xF3], [0xF2]):
                    if opcode not in (0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65, 0x66, 0x67, 0xF0, 0xF2, 0xF3, 0x0F, 0xC4, 0xC5, 0x62,
                                      0x8F) and not 0x40 <= opcode < 0x50:
                        yield prefix + rex + [opcode] + operand
                    for escape in ([0x0F], [0x0F, 0x38], [0x0F, 0x3A]):
                        if len(escape) > 1 or opcode not in (0x38, 0x3A):
                            yield prefix + rex + escape + [opcode] + operand
                for pp in range(4):
                    for wide in (0, 1):
                        for field in (1, 2, 3):
                            # Without a second source, and with one.
                            for source in (0xF, 0xD):
                                yield [0xC4, 0xE0 | field, w << 7 | source << 3 | wide << 2 | pp, opcode] + operand
                        if pp == 0:
                            for field in (8, 9, 10):
                                for source in (0xF, 0xD):
                                    yield [0x8F, 0xE0 | field, w << 7 | source << 3 | wide << 2 | pp, opcode] + operand
                    for length in range(3):
                        for field in (1, 2, 3, 5, 6):
                            for source in (0xF, 0xD):
                                # With a mask (gathers need one), and rounding or broadcast.
                                for last in (length << 5 | 8, length << 5 | 8 | 1, length << 5 | 8 | 0x10):
                                    yield [0x62, 0xF0 | field, w << 7 | source << 3 | 4 | pp, last, opcode] + operand


def run_disassembler(llvm_mc):
    """{(class, mnemonic): set of texts}; one text for each is enough, and two are safer."""
    # In brackets: what follows an encoding that does not exist is another line's.
    lines = "\n".join("[" + ",".join(map(str, code)) + "]" for code in encodings())
    done = subprocess.run([llvm_mc, "--disassemble", "-triple=x86_64", "--show-encoding", "-mattr=+64bit"], input=lines,
                          capture_output=True, text=True)
    found = collections.defaultdict(set)
    for line in done.stdout.splitlines():
        text, _, code = line.partition("# encoding: [")
        if not code:
            continue
        words = text.split()
        while words and words[0] in PREFIXES:
            words.pop(0)
        if not words:
            continue
        code = [int(byte, 16) for byte in code.split("]")[0].split(",") if re.fullmatch(r"0x[0-9a-f]+", byte)]
        if code:
            texts = found[classify(code), words[0]]
            if len(texts) < 3:
                texts.add(" ".join(words))
    return found


def classify(code):
    """The encoding, with the length of the vector and whether an operand is in
    memory; as getEncoding in lib/Emit/RequiredFeatures.cpp."""
    at = 0
    while code[at] in (0x66, 0xF2, 0xF3, 0xF0, 0x2E, 0x36, 0x3E, 0x26, 0x64, 0x65, 0x67):
        at += 1
    if at + 2 < len(code) and code[at] == 0xC5:
        return f"vex{256 if code[at + 1] & 4 else 128}" + memory(code, at + 3)
    if at + 3 < len(code) and code[at] == 0xC4:
        return f"vex{256 if code[at + 2] & 4 else 128}" + memory(code, at + 4)
    if at + 5 < len(code) and code[at] == 0x62:
        rounds = code[at + 3] & 0x10 and code[at + 5] >= 0xC0
        return f"evex{512 if rounds else 128 << min(code[at + 3] >> 5 & 3, 2)}" + memory(code, at + 5)
    if at + 2 < len(code) and code[at] == 0x8F and code[at + 1] & 0x1F >= 8:
        return "xop"
    return "legacy"


def memory(code, at):
    return ".reg" if at >= len(code) or code[at] >= 0xC0 else ".mem"


def refused(assembler, lines, without=None):
    """The numbers of the lines that as does not take."""
    head = [".arch generic64"] + [f".arch .{GNU_NAMES.get(name, name)}" for name in checkable_features()]
    head += [".arch .sha", ".arch .xsave", ".arch .rdrnd"] if without else []
    if without:
        head = [f".arch .no{GNU_NAMES.get(without, without)}"]
    done = subprocess.run([assembler, "--64", "-mavxscalar=128", "-o", "/dev/null", "-", "-Z"],
                          input="\n".join(head + lines) + "\n", capture_output=True, text=True)
    return {int(number) - len(head) - 1 for number in re.findall(r":(\d+): Error", done.stderr)}


def measure(options):
    """{(class, mnemonic): frozenset of features}, and what as does not know."""
    found = run_disassembler(options.llvm_mc)
    lines, keys = [], []
    for (kind, mnemonic), texts in sorted(found.items()):
        for text in sorted(texts):
            # as would take another encoding where a feature is missing.
            lines.append({"e": "{evex} ", "v": "{vex} "}.get(kind[0], "") + text)
            keys.append((kind, mnemonic))
    # With all features of as; the default without an .arch. It does not take the
    # prefix of every instruction that has but one encoding.
    for i in refused_with_all(options.assembler, lines):
        lines[i] = lines[i].removeprefix("{vex} ")
    unknown = refused_with_all(options.assembler, lines)
    kept = [i for i in range(len(lines)) if i not in unknown]
    needs = collections.defaultdict(set)
    known = set()
    for i in kept:
        needs[keys[i]] |= set()
        known.add(keys[i])
    for feature in checkable_features():
        for number in refused(options.assembler, [lines[i] for i in kept], feature):
            needs[keys[kept[number]]].add(feature)
    for features in needs.values():
        for feature in list(features):
            features -= IMPLIED.get(feature, set())
    return {key: frozenset(features) for key, features in needs.items()}, sorted(set(found) - known)


def refused_with_all(assembler, lines):
    done = subprocess.run([assembler, "--64", "-o", "/dev/null", "-", "-Z"], input="\n".join(lines) + "\n", capture_output=True,
                          text=True)
    return {int(number) - 1 for number in re.findall(r":(\d+): Error", done.stderr)}


def write(needs):
    """Rows of equal classes and features; what registers and memory have in common
    stands once."""
    merged = {}
    for (kind, mnemonic), features in needs.items():
        base, _, form = kind.partition(".")
        other = needs.get((f"{base}.{'mem' if form == 'reg' else 'reg'}", mnemonic))
        merged[base if form and other in (None, features) else kind, mnemonic] = features
    rows = collections.defaultdict(list)
    for (kind, mnemonic), features in merged.items():
        rows[kind, " ".join(sorted(features))].append(mnemonic)
    text = HEADER
    for (kind, features), mnemonics in sorted(rows.items()):
        body = textwrap.wrap(" ".join(sorted(mnemonics)), 76)
        lines = "\n".join(f'    "{line}{" " if i + 1 < len(body) else ""}"' for i, line in enumerate(body))
        text += f'X86_INSTRUCTIONS("{kind}", "{features}",\n{lines})\n'
    return text + "\n#undef X86_INSTRUCTIONS\n"


def read(path):
    """The table as measure() gives it, with both forms of what has one row."""
    needs = {}
    rows = re.findall(r'^X86_INSTRUCTIONS\("([^"]+)", "([^"]*)",\n((?:    "[^"]*"\n?)+)\)', path.read_text(), re.M)
    for kind, features, mnemonics in rows:
        for mnemonic in "".join(re.findall(r'"([^"]*)"', mnemonics)).split():
            forms = [kind] if "." in kind or kind in ("legacy", "xop") else [kind + ".reg", kind + ".mem"]
            for form in forms:
                needs[form, mnemonic] = frozenset(features.split())
    return needs


HEADER = """\
//===- X86Instructions.def - Which instruction needs what -------*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Written by utils/generate_x86_instructions.py; do not edit.
//
// X86_INSTRUCTIONS(encoding, features, mnemonics): of the features in
// Runtime/CpuFeatures.def, those that these instructions need in that encoding.
// A feature that others imply is left out.
//
//===----------------------------------------------------------------------===//

"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--llvm-mc", default="llvm-mc-22")
    parser.add_argument("--as", dest="assembler", default="as")
    parser.add_argument("--table", type=pathlib.Path, default=TABLE)
    parser.add_argument("--measured", type=pathlib.Path, help="keep there what as says, or take it from there")
    options = parser.parse_args()
    if options.measured and options.measured.exists():
        needs, unknown = {tuple(key): frozenset(features) for key, features in json.loads(options.measured.read_text())}, []
    else:
        needs, unknown = measure(options)
    if options.measured:
        options.measured.write_text(json.dumps([(key, sorted(features)) for key, features in needs.items()]))
    text = write(needs)
    print(f"{len(needs)} instructions; {len(unknown)} that as does not know")
    if not options.check:
        options.table.write_text(text)
        print("\n".join(" ".join(key) for key in unknown))
        return 0
    table = read(options.table)
    wrong = [(key, table[key], features) for key, features in sorted(needs.items()) if key in table and table[key] != features]
    missing = [key for key in needs if key not in table]
    for (kind, mnemonic), have, want in wrong[:20]:
        print(f"{kind} {mnemonic}: the table has '{' '.join(sorted(have))}', as says '{' '.join(sorted(want))}'")
    if missing:
        print(f"{len(missing)} instructions are not in the table: " + " ".join(sorted({mnemonic for _, mnemonic in missing})[:20]))
    print(f"{len(wrong)} of {len(needs)} instructions differ")
    return 1 if wrong or missing else 0


if __name__ == "__main__":
    sys.exit(main())
