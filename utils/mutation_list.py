# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The mutations of utils/mutations/*.txt: read, checked against the sources,
written into a copy of them as switches, and suggested. For utils/mutate.py.

A list has paragraphs of a file and its mutations, one line each:

    lib/Schedule/Fuse/BlockAttention.cpp
      constexpr double least = {{-80.0 ==> -12.0}};
        occurrence: 2
        equivalent: why no input can show a difference

A line is a line of the source, without indentation; in braces are the expression
and what it is changed to. It must be in the file once, or the occurrence says
which one of several is meant.
"""

import dataclasses
import pathlib
import random
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
LISTS = ROOT / "utils" / "mutations"
MARK = re.compile(r"\{\{(?!\{)(.*?) ==> (.*?)\}\}")


@dataclasses.dataclass
class Mutation:
    file: str  # relative to the root
    text: str  # the line of the list
    where: str  # of the list: file and line
    occurrence: int = 0  # 1 is the first; 0 for the only one
    equivalent: str = ""
    line: int = 0  # in the source, from 1
    number: int = 0  # that the switch asks for

    @property
    def key(self):
        return f"{self.file}: {self.text}" + (f" #{self.occurrence}" if self.occurrence else "")

    @property
    def folder(self):
        return "/".join(pathlib.Path(self.file).parts[1:-1])

    @property
    def name(self):
        return f"{self.file}:{self.line}"

    def parts(self):
        """(what is before, expression, mutated expression, what is behind)."""
        match = MARK.search(self.text)
        return self.text[:match.start()], match[1], match[2], self.text[match.end():]

    def original(self):
        before, old, _, behind = self.parts()
        return before + old + behind


LITERALS = {"int": 0, "float": 1, "double": 2}  # a choice of two has the type of more


def literal_type(text):
    """Of a literal of a number; None for every other expression."""
    if re.fullmatch(r"-?\d+", text):
        return "int"
    match = re.fullmatch(r"-?(?:\d+\.\d*(?:e[+-]?\d+)?|\d+e[+-]?\d+)(f?)", text)
    return match and ("float" if match[1] else "double")


class ListError(Exception):
    pass


def read_lists(folder=LISTS):
    mutations, errors = [], []
    for path in sorted(folder.glob("*.txt")):
        file = None
        for number, line in enumerate(path.read_text().splitlines(), 1):
            where, text = f"{path.name}:{number}", line.strip()
            attribute = re.match(r"(occurrence|equivalent): (.+)", text)
            if not text or text.startswith("# "):
                continue
            if not line.startswith(" "):
                file = text
            elif attribute and mutations:
                value = attribute[2]
                setattr(mutations[-1], attribute[1], int(value) if attribute[1] == "occurrence" else value)
            elif file and len(MARK.findall(text)) == 1:
                mutations.append(Mutation(file, text, where))
                _, old, new, _ = mutations[-1].parts()
                ranks = [LITERALS.get(literal_type(text)) for text in (old, new)]
                if None not in ranks and ranks[0] < ranks[1]:
                    errors.append(f"{where}: a {literal_type(old)} becomes a {literal_type(new)}; the switch would give the "
                                  f"expression another type, and so change the program also when it is off")
            else:
                errors.append(f"{where}: neither a file nor a line with one {{{{old ==> new}}}}")
    keys = set()
    for mutation in mutations:
        if mutation.key in keys:
            errors.append(f"{mutation.where}: the same mutation twice")
        keys.add(mutation.key)
    if errors:
        raise ListError("\n".join(errors))
    return mutations


def locate(mutations, root=ROOT):
    """Finds the lines in the sources; an entry that does not apply is an error."""
    sources, errors = {}, []
    for mutation in mutations:
        if mutation.file not in sources:
            path = root / mutation.file
            sources[mutation.file] = path.read_text().splitlines() if path.is_file() else None
        lines = sources[mutation.file]
        if lines is None:
            errors.append(f"{mutation.where}: there is no file {mutation.file}")
            continue
        found = [index for index, line in enumerate(lines, 1) if line.strip() == mutation.original()]
        if mutation.occurrence and mutation.occurrence <= len(found):
            mutation.line = found[mutation.occurrence - 1]
        elif not mutation.occurrence and len(found) == 1:
            mutation.line = found[0]
        else:
            errors.append(f"{mutation.where}: {mutation.file} has this line {len(found)} times"
                          f"{', and the occurrence is not given' if found else ''}: {mutation.original()}")
    if errors:
        raise ListError("\n".join(errors))


def instrument(lines, mutations):
    """The lines of one file with a switch for each of the mutations."""
    lines = list(lines)
    by_line = {}
    for mutation in mutations:
        by_line.setdefault(mutation.line, []).append(mutation)
    for number, here in by_line.items():
        line = lines[number - 1]
        indent, text = line[:len(line) - len(line.lstrip())], line.strip()
        pieces = []
        for mutation in here:
            before, old, new, _ = mutation.parts()
            # Most of what is tested in a condition converts to bool there alone.
            same = f"!!({old})" if new in ("true", "false") and old not in ("true", "false") else f"({old})"
            if mutation.file.endswith(".c"):
                new = {"true": "1", "false": "0"}.get(new, new)
            pieces.append((len(before), len(before) + len(old), f"(onnxcMutant({mutation.number}) ? ({new}) : {same})"))
        pieces.sort()
        for (_, end, _), (start, _, _) in zip(pieces, pieces[1:]):
            if start < end:
                raise ListError(f"{here[0].name}: the mutations of this line overlap")
        for start, end, switch in reversed(pieces):
            text = text[:start] + switch + text[end:]
        # What a switch decides is not known when the compiler is compiled.
        text = re.sub(r"\bstatic constexpr\b", "static const", text)
        text = re.sub(r"\b(?<!if )constexpr\b", "const", text).replace("if constexpr", "if")
        lines[number - 1] = indent + text
    return lines


# Suggestions.

_SKIP = re.compile(r"^\s*(//|#|/?\*|case |assert|static_assert|template|using |struct |class |enum |public|namespace |llvm_unreachable)"
                   r"|emitError|emitOpError|notifyMatchFailure|reportError|getenv|static_assert|assert\(")
_PAIRS = [("std::min(", "std::max("), ("divideCeil(", "divideFloorSigned("), (".front()", ".back()"),
          ("drop_front(", "drop_back("), ("take_front(", "take_back("), ("ceilDiv(", "floorDiv("),
          ("any_of(", "all_of("), ("none_of(", "any_of("), ("addf(", "subf("), ("mulf(", "addf("), ("OLT", "OLE"), ("slt", "sle"), ("sge", "sgt"),
          ("OGT", "OGE"), ("getLhs()", "getRhs()"), ("UpperBound", "LowerBound"), ("->isBeforeInBlock", "!->isBeforeInBlock")]
# Swapped operands of any other function are of two types, or make no difference.
_ORDERED = re.compile(r"\b(?i:(?:floor|ceil)?(?:sub|div|mod|rem|pow|less|greater)[a-z]*)\((\w[\w.]*), (\w[\w.]*)[,)]")


def _segments(text):
    """(start, end) of what stands between brackets, commas and semicolons, and of
    what is returned or assigned; innermost ones are given too."""
    stack, result = [[0]], []
    text = re.sub(r"'(\\.|[^'\\])'", lambda match: "'" * len(match[0]), text)
    opening, closing = "([{", ")]}"
    for index, char in enumerate(text):
        if char in opening:
            stack.append([index + 1])
        elif char in ",;":
            result.append((stack[-1][-1], index))
            stack[-1].append(index + 1)
        elif char in closing:
            if len(stack) < 2:
                stack = [[index + 1]]
                continue
            result.append((stack[-1][-1], index))
            stack.pop()
    trimmed = []
    for start, end in result:
        piece = text[start:end]
        head = re.match(r"\s*(?:return\s+|.*?[^=!<>+*/-]=\s+(?=\S)|.*?\s[+*-]=\s+)?", piece)
        start += head.end()
        end -= len(text[start:end]) - len(text[start:end].rstrip())
        if start < end:
            trimmed.append((start, end))
    return trimmed


def _balanced(text):
    depth = 0
    for char in text:
        depth += (char in "([{") - (char in ")]}")
        if depth < 0:
            return False
    return depth == 0


def _top_level(text, operator):
    depth = 0
    for index, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if depth == 0 and text.startswith(operator, index):
            yield index


def _candidates(text):
    for start, end in _segments(text):
        head = re.match(r"(?:[^?]*?(?<!:))?: ", text[start:end])
        start += head.end() if head else 0
        old = text[start:end]
        if old[0] in ".?" or not _balanced(old) or '"' in old or "'" in old or "[&]" in old or "//" in old:
            continue
        new = []
        for a, b in [(" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > "), (" + ", " - "), (" - ", " + "),
                     (" % ", " / "), (" / ", " * "), (" * ", " + "), (" && ", " || "), (" >> ", " << "), (" & ", " | ")]:
            for index in _top_level(old, a):
                new.append(old[:index] + b + old[index + len(a):])
        for operator in (" && ", " || "):
            for index in _top_level(old, operator):
                new += [old[:index], old[index + len(operator):]]
        for index in _top_level(old, " ? "):
            colon = next((i for i in _top_level(old, " : ") if i > index), None)
            if colon:
                new += [old[index + 3:colon], old[colon + 3:]]
        if re.fullmatch(r"\d+", old):
            new.append(str(int(old) + 1))
        if re.fullmatch(r"-?\d+\.\d+f?|-?\d+\.?\d*e-?\d+f?", old):
            number = f"{float(old.rstrip('f')) * 1.1:g}"
            if not re.search("[.e]", number):
                number += ".0"
            # Of the same type: APFloat(1.0f) and APFloat(1.0) have different formats.
            new.append(number + "f" * old.endswith("f"))
        for match in re.finditer(r"(?<=[ (])(?<![<>] )\d+(?=$|[ )\];,])", old):
            new.append(old[:match.start()] + str(int(match[0]) + 1) + old[match.end():])
        if old in ("true", "false"):
            new.append({"true": "false", "false": "true"}[old])
        for pair in _PAIRS:
            for a, b in (pair, pair[::-1]):
                if a in old:
                    new.append(old.replace(a, b, 1))
        match = _ORDERED.search(old)
        if match:
            new.append(old[:match.start(1)] + f"{match[2]}, {match[1]}" + old[match.end(2):])
        if re.match(r"\s*(\} else )?if \($", text[:start]) and "=" not in old.replace("==", "").replace("!=", "").replace("<=", "").replace(">=", ""):
            new.append("false")
        for item in dict.fromkeys(new):
            if item.strip() and item != old and "==>" not in old:
                yield f"{text[:start]}{{{{{old} ==> {item}}}}}{text[end:]}"


def suggest(file, count, seed=1, root=ROOT):
    """At most one mutation of a line, chosen at random but the same every time."""
    lines = (root / file).read_text().splitlines()
    stripped = [line.strip() for line in lines]
    chosen, rng = [], random.Random(f"{seed} {file}")
    numbers = list(range(len(lines)))
    rng.shuffle(numbers)
    for number in numbers:
        text = stripped[number]
        if _SKIP.search(text) or stripped.count(text) > 1:
            continue
        options = list(dict.fromkeys(_candidates(text)))
        if options:
            chosen.append((number + 1, rng.choice(options)))
        if len(chosen) == count:
            break
    return sorted(chosen)
