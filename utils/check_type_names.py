#!/usr/bin/env python3
"""Finds two types of one name in one namespace, defined in different files.

usage: check_type_names.py [ROOT]

The linker keeps one copy of each inline member function and takes them to be the same:
with `struct Scope` in two headers, constructors and destructors of one work on objects
of the other, without a message ([basic.def.odr] asks for none). Which builds show it
depends on what is inlined. A type that one file alone uses belongs in an anonymous
namespace; one that a header declares needs a name of its own.

It reads text, in clang-format's style: definitions and namespaces start a line.
"""

import collections
import pathlib
import re
import sys

OPENING = re.compile(r"namespace(?: ([\w:]+))? \{(?!.*\})")
CLOSING = re.compile(r"\}\s*// (?:end )?(?:anonymous )?namespace")
DEFINITION = re.compile(r"(?:template <.*> )?(?:struct|class|union|enum(?: class)?) "
                        r"(\w+(?:::\w+)*)(?: final)?(?:\s*:[^:].*|\s*\{.*)?$")


def definitions(text):
    """Yields the qualified names of the types that other files can see."""
    namespaces = []
    for line in text.splitlines():
        if opening := OPENING.match(line):
            namespaces.append(opening[1])
        elif CLOSING.match(line):
            namespaces.pop()
        elif ((type_ := DEFINITION.match(line)) and None not in namespaces
              and ("{" in line or not line.endswith(";"))):
            yield "::".join([*namespaces, type_[1]])


def main(root):
    files = sorted(path for folder in ("include", "lib", "tools")
                   for path in (root / folder).rglob("*")
                   if path.suffix in (".h", ".cpp"))
    homes = collections.defaultdict(list)
    for path in files:
        for name in set(definitions(path.read_text())):
            homes[name].append(path.relative_to(root))
    repeated = {name: paths for name, paths in homes.items() if len(paths) > 1}
    for name, paths in sorted(repeated.items()):
        print(f"{name}: defined in {' and '.join(map(str, paths))}")
    print(f"{len(files)} files, {len(homes)} types, {len(repeated)} of one name")
    return bool(repeated) or not homes


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                               pathlib.Path(__file__).parents[1])))
