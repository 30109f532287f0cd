# ===- tags_test.py - Every requirement of a shape rule has an invalid test --------===#
#
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Every text that a shape rule reports begins with a tag ("concat_c2: ..."). Each
tag in lib/Dialect/ONNX must stand in an `expected-error` of a test, which
-verify-diagnostics holds to be reported, or in a case of test/bad, whose message
must have it. A rule that ops share makes its tags of
the op's name and a suffix ('op + "_axis"'): a test must have the suffix behind the
name of some op. And a test may expect no tag that no source has.

usage: tags_test.py SOURCES TESTS [--self-test]
"""

import pathlib
import re
import sys

# What looks like a tag and is none: attribute names and their values.
NO_TAGS = {
    "kernel_shape", "not_larger", "not_smaller", "onnx_attributes", "op_type",
    "region_names", "tf_crop_and_resize", "y_zero_point", "then_branch", "else_branch",
}
LITERAL = re.compile(r'"(_?[a-z0-9]+(?:_[a-z0-9]+)+|_[a-z0-9]+|broadcast)(?=[:"])')


def source_tags(texts):
    """Full tags, and the suffixes of shared rules; with the file of each."""
    full, suffixes = {}, {}
    for name, text in texts.items():
        # Attributes and their values, each told by its own name.
        if name.endswith("AttributeValues.cpp"):
            continue
        text = re.sub(r"//.*", "", text)
        text = re.sub(r"#include.*", "", text)
        for tag in LITERAL.findall(text):
            if tag in NO_TAGS:
                continue
            (suffixes if tag.startswith("_") else full).setdefault(tag, name)
    return full, suffixes


def test_tags(texts):
    """Tags that tests expect to be reported."""
    tags = {}
    for name, text in texts.items():
        if name.endswith(".py"):
            for tag in LITERAL.findall(text):
                tags.setdefault(tag, name)
            continue
        if "-verify-diagnostics" not in text:
            continue
        for line in re.findall(r"expected-error.*?\{\{(.*?)\}\}", text):
            found = re.search(r"(?:^|op )([a-z0-9]+(?:_[a-z0-9]+)+|broadcast): ", line)
            if found:
                tags.setdefault(found[1], name)
    return tags


def problems(sources, tests):
    full, suffixes = source_tags(sources)
    tested = test_tags(tests)
    if len(full) < 100 or len(suffixes) < 10:
        yield f"found only {len(full)} tags and {len(suffixes)} suffixes: the pattern does not fit the sources"
    for tag, name in sorted(full.items()):
        if tag not in tested:
            yield f"{name}: {tag} is expected by no test"
    for suffix, name in sorted(suffixes.items()):
        if not any(tag.endswith(suffix) for tag in tested):
            yield f"{name}: <op>{suffix} is expected by no test"
    for tag, name in sorted(tested.items()):
        # A case of test/bad has other texts, too.
        if name.endswith(".py"):
            continue
        if tag not in full and not any(tag.endswith(s) for s in suffixes):
            yield f"{name}: expects {tag}, which no rule reports"


def read(folder, pattern):
    return {str(p): p.read_text() for p in sorted(pathlib.Path(folder).rglob(pattern))}


def main():
    sources, tests = read(sys.argv[1], "*.cpp"), read(sys.argv[2], "*.mlir")
    tests |= read(pathlib.Path(sys.argv[2]) / "bad/topics", "*.py")
    if "--self-test" in sys.argv:
        # A tag, a suffix and an expectation that have no counterpart are found.
        sources["planted.cpp"] = 's.require(x, "planted_tag: text"); s.axis(a, r, op + "_planted");'
        tests["planted.mlir"] = "-verify-diagnostics\n// expected-error @below {{planted_test: text}}"
        found = [p for p in problems(sources, tests) if p.startswith("planted")]
        print(f"{len(found)} planted problems found")
        sys.exit(len(found) != 3)
    found = list(problems(sources, tests))
    for line in found:
        print(line)
    full, suffixes = source_tags(sources)
    print(f"{len(full)} tags, {len(suffixes)} suffixes, {len(found)} problems")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
