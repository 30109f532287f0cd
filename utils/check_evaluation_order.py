#!/usr/bin/env python3
"""Finds calls that leave to the compiler in which order ops are created.

usage: check_evaluation_order.py [ROOT]

C++ evaluates the arguments of a call in any order (clang from the left, gcc from
the right), so that of `s.add(s.one(x), s.exp(x))` there are two modules. Where two
arguments create ops, all but one of them belong in statements of their own. What is
in braces is evaluated from left to right.

It reads text: an argument creates ops if it calls a method of a builder, passes one
to a function, or calls a function or lambda of the same file that makes values.
"""

import bisect
import pathlib
import re
import sys

BUILDER = r"(?:\w*(?:Builder|Rewriter|Lowering|Composer|FunctionBody|IndexMath|NodeUpgrade)\w*)"
# Builders that are members, declared in a header: where they are used as such.
MEMBERS = {"b": r"\bb, loc\b", "builder": r"\bbuilder, loc\b", "index": r"\bindex\.(?:add|mul|value)\(",
           "l": r"\bl\.b\b", "rewriter": r"\brewriter, ", "s": r"\bs\.getBuilder\b"}
# Those of the bodies and rules in op records.
TABLE = {"b": "ScalarBuilder", "s": "ShapeBuilder"}
VALUES = (r"(?:Value|OpFoldResult|Sizes|Indices|Taps|Dims?|Operation \*|"
          r"(?:llvm::)?SmallVector<Value>)")
# What makes no ops, by the class of the builder.
PURE = re.compile(r"(?:get|find|lookup|contains|to[A-Z])\w*$|\w*Map$|"
                  r"(?:size|count|begin|end|front|back|rank|ranked|type|cast|dyn_cast|isa)$")
PURE_OF = {
    "Lowering": {"attr", "convert", "dropDims", "elementType", "fail", "identityMap", "invalid",
                 "operandDtype", "resultDtype", "resultType", "resultValueType", "shapes"},
    "ShapeBuilder": {"constant", "elementType", "require"},
    "IndexMath": {"constant"},
    "ONNXBuilder": {"attribute"},
    "Composer": {"attribute", "fail", "input", "pick"},
    "NodeUpgrade": {"attribute"},
    "FunctionBody": {"attribute"},
}
KEYWORDS = {"if", "for", "while", "switch", "return", "sizeof", "assert", "catch"}
CALL = re.compile(r"(?<![\w>])(?:(\w+)\s*(?:\.|->)\s*)?((?:\w+::)*\w+)"
                  r"(?:<[^()<>;]*(?:<[^<>()]*>)?[^()<>;]*>)?\s*\(")
LAMBDA = re.compile(r"(?<![\w\])])\[[&=\w,* ]*\]\s*(\()?")
BODY = re.compile(r"\s*(?:mutable)?\s*(?:->\s*[\w:<>, ]+)?\s*\{")


def blank(text):
    """The text without comments and the contents of literals, as long as it was."""
    literals = r'//[^\n]*|"(?:\\.|[^"\\\n])*"|' + r"'(?:\\.|[^'\\\n])'"
    return re.sub(literals, lambda found: re.sub(r'[^"\n]', " ", found[0]), text)


def match_brackets(text):
    stack, pairs = [], {}
    for i, c in enumerate(text):
        if c in "([{":
            stack.append(i)
        elif c in ")]}" and stack:
            pairs[stack.pop()] = i
    return pairs


class File:
    def __init__(self, text, is_table, headers=()):
        self.text = text if is_table else blank(text)
        self.pairs = match_brackets(self.text)
        self.otherwise = TABLE if is_table else {"l": "Lowering", "index": "IndexMath"}
        self.lambdas = list(self.find_lambdas())
        self.builders = [(found.start(), found[1], found[2]) for found in
                         re.finditer(rf"({BUILDER})\s*[&*]?\s*(\w+)\s*[,;)=({{]", self.text)]
        self.names = {name for _, _, name in self.builders}
        self.names |= {name for name, use in MEMBERS.items() if re.search(use, self.text)}
        if is_table:
            self.names |= set(TABLE)
        names = "|".join(map(re.escape, sorted(self.names)))
        self.passed = re.compile(rf"\s*\*?(?:\w+(?:\.|->))?(?:{names})\s*(?:\.getBuilder\(\))?\s*[,)]")
        self.own = set()
        for source in (self.text, *headers):
            self.own |= set(re.findall(rf"^\s*(?:static |virtual )*(?:mlir::)?{VALUES}\s+(?:\w+::)*(\w+)\s*\(",
                                       source, re.M))
        self.own |= set(re.findall(rf"function_ref<{VALUES}\([^;]*?>\s*(\w+)\s*[,;)=]", self.text))
        self.own -= PURE_OF["Lowering"]
        self.pure = set()
        self.positions = self.find_creations()
        # A lambda creates ops if its body does.
        self.pure = {name for name, start, end in self.find_named_lambdas()
                     if not self.reaches(start, end)}
        self.own |= {name for name, _, _ in self.find_named_lambdas()}
        self.positions = self.find_creations()

    def find_lambdas(self):
        for found in LAMBDA.finditer(self.text):
            end = found.end()
            if found[1]:
                if end - 1 not in self.pairs:
                    continue
                end = self.pairs[end - 1] + 1
            body = BODY.match(self.text, end)
            if body and body.end() - 1 in self.pairs:
                yield found.start(), self.pairs[body.end() - 1]

    def find_named_lambdas(self):
        ends = dict(self.lambdas)
        for found in re.finditer(r"auto\s+(\w+)\s*=\s*(?=\[)", self.text):
            if found.end() in ends:
                yield found[1], found.end(), ends[found.end()]

    def class_of(self, name, position):
        """Of the last declaration of the builder."""
        kinds = [kind for start, kind, declared in self.builders
                 if declared == name and start < position]
        return kinds[-1] if kinds else self.otherwise.get(name, "")

    def find_creations(self):
        found = []
        for call in CALL.finditer(self.text):
            of, name = call[1], call[2].split("::")[-1]
            asks = name.startswith(("is", "has"))
            if name in KEYWORDS or PURE.match(name):
                continue
            if of:
                kind = self.class_of(of, call.start()) if of in self.names else None
                pure = next((names for key, names in PURE_OF.items() if kind and key in kind), set())
                # A question to a ScalarBuilder is an op, as is one that gets a builder.
                creates = kind is not None and name not in pure and (not asks or "Scalar" in kind)
                creates |= kind is None and name in self.own
            else:
                creates = (self.text[call.start() - 1] not in ".>" and name not in self.pure
                           and (name in self.own or self.passed.match(self.text, call.end())))
            if creates:
                found.append(call.start())
        return found

    def reaches(self, start, end):
        first = bisect.bisect_left(self.positions, start)
        return first < len(self.positions) and self.positions[first] < end

    def creates(self, start, end):
        for position in self.positions[bisect.bisect_left(self.positions, start):]:
            if position >= end:
                return False
            # What is in a lambda is not run here.
            if not any(start <= first < position <= last for first, last in self.lambdas):
                return True
        return False

    def find_calls(self):
        for start, end in sorted(self.pairs.items()):
            callee = re.search(r"(\w+)?[\w>\]]\s*$", self.text[max(0, start - 60):start])
            word = re.search(r"(\w+)\s*$", self.text[max(0, start - 60):start])
            if self.text[start] != "(" or not callee or word and word[1] in KEYWORDS:
                continue
            arguments, first, i = [], start + 1, start + 1
            while i < end:
                if self.text[i] == ",":
                    arguments.append((first, i))
                    first = i + 1
                i = self.pairs.get(i, i) + 1
            arguments.append((first, end))
            if sum(self.creates(*argument) for argument in arguments) > 1:
                yield start, end


def read_headers(root, path, text):
    """Of its own project, for the methods that are called without an object."""
    for name in re.findall(r'^#include "([^"]+\.h)"', text, re.M):
        for folder in (path.parent, root / "include"):
            if (folder / name).is_file():
                yield blank((folder / name).read_text())


root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1])
paths = sorted(path for folder in ("include", "lib", "tools") for path in (root / folder).rglob("*")
               if path.suffix in (".cpp", ".h", ".td"))
failures = 0
for path in paths:
    text = path.read_text()
    for start, end in File(text, path.suffix == ".td", list(read_headers(root, path, text))).find_calls():
        failures += 1
        begin = re.search(r"[\w:.<>-]*\s*$", text[:start]).start()
        print(f"{path.relative_to(root)}:{text.count(chr(10), 0, start) + 1}: several arguments create ops: "
              + " ".join(text[begin:end + 1].split())[:120])
print(f"{len(paths)} files, {failures} calls")
sys.exit(failures > 0)
