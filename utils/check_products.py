#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds products of sizes, trip counts and costs of a model that may overflow.

A model may state any 64-bit number. Its products are SaturatingInt
(Support/SaturatingInt.h), or a type that saturates or checks by itself: Size,
Dim, IndexMath; or floating-point. Two forms are looked for in the folders that
compute with such numbers, since they are the ones that grow without bound:

  x *= y        where the file does not declare x with one of these types
  f(x) * y      where a factor is named for a count, a size or a cost (COUNTS),
                and no factor is a literal or declared with one of these types

What has a bound of another kind says so in the line or the one before it:

  // no overflow: both are at most the registers of the target

usage: utils/check_products.py [ROOT]
"""

import pathlib
import re
import sys

# In Schedule a product is of tiles that the pass itself chose, mostly; there
# accumulated products alone are looked for.
ACCUMULATED = ["Infer", "Optimize", "Inspect", "Lower", "Schedule", "Bufferize", "Emit", "Pipelines"]
FACTORS = ["Infer", "Optimize", "Inspect", "Bufferize", "Emit", "Pipelines"]
SAFE_TYPES = ("SaturatingInt", "double", "float", "APFloat", "Size", "Dim", "Dims", "AffineExpr", "Product")
COUNTS = re.compile(r"count|trip|number|elements|bytes|size|length|extent|steps|iterations|dim|batch|budget|repeat|group", re.I)
JUSTIFIED = "no overflow:"

DECLARATION = re.compile(r"\b(?:%s)\s*&?\s+((?:\w+\s*(?:=[^,;()]*(?:\([^()]*\))?)?,\s*)*\w+)\s*(?:[=;,)({:]|$)" % "|".join(SAFE_TYPES))
ACCUMULATION = re.compile(r"([\w.\]\[()>-]+) \*= ")
FACTOR = r"[\w.\]\[>-]+(?:\([^()]*\))?|\([^()]*\)"
PRODUCT = re.compile(rf"((?:\*?{FACTOR})) \* ((?:\*?{FACTOR}))")


def strip(line):
    """A line without strings and comments."""
    return re.sub(r'"(\\.|[^"\\])*"', '""', line).split("//")[0]


def declared_safe(text):
    names = set()
    for match in DECLARATION.finditer(text):
        for part in match.group(1).split(","):
            names.add(re.match(r"\s*(\w+)", part).group(1))
    # Lists of them.
    names |= set(re.findall(r"(?:SmallVector|ArrayRef|vector)<(?:%s)[^>]*> &?(\w+)" % "|".join(SAFE_TYPES), text))
    return names


def is_safe(factor, safe):
    if re.fullmatch(r"\*?\d[\d'.]*\w*", factor) or re.match(r"\(?(?:double|float|SaturatingInt|Size|sizeof)\b", factor):
        return True
    return any(part in safe for part in re.findall(r"\w+", factor))


def check_file(path, folder, headers):
    text = path.read_text()
    stripped = [strip(line) for line in text.splitlines()]
    safe = declared_safe("\n".join(stripped)) | headers
    lines = text.splitlines()
    for number, line in enumerate(stripped, 1):
        if JUSTIFIED in lines[number - 1] or (number > 1 and JUSTIFIED in lines[number - 2]):
            continue
        match = ACCUMULATION.search(line)
        if match and not is_safe(match.group(1), safe) and not is_safe(line[match.end():].strip(" ;"), safe):
            yield number, match.group(0).strip()
        if folder not in FACTORS:
            continue
        for match in PRODUCT.finditer(line):
            factors = match.groups()
            if any(is_safe(factor, safe) for factor in factors) or not any(COUNTS.search(factor) for factor in factors):
                continue
            yield number, match.group(0)


def check(root):
    errors = []
    for folder in ACCUMULATED:
        # Members that a header of the folder declares.
        headers = set()
        for base in ("lib", "include/onnxc"):
            for path in sorted((root / base / folder).rglob("*.h")):
                headers |= declared_safe("\n".join(map(strip, path.read_text().splitlines())))
        for path in sorted((root / "lib" / folder).rglob("*")):
            if path.suffix in (".cpp", ".h"):
                errors += [f"{path.relative_to(root)}:{number}: '{what}' may overflow; use SaturatingInt, or say why not after '// {JUSTIFIED}'"
                           for number, what in check_file(path, folder, headers)]
    return errors


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    errors = check(root)
    print("\n".join(errors) or "products: none of a model's numbers can overflow")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
