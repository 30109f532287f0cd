# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lines of models.txt."""

import dataclasses
import json
import pathlib

LIST = pathlib.Path(__file__).resolve().parent / "models.txt"


@dataclasses.dataclass(frozen=True)
class Entry:
    line: str
    name: str
    family: str
    exporter: str
    opset: int
    sizes: str
    what: str
    options: dict

    @property
    def base(self):
        """The entry whose model this one's is made of: WHAT is FORM:BASE."""
        return self.what.partition(":")[2]

    def numbers(self, *others):
        """The options that are none of `others`, as Python values."""
        return {name: parse(text) for name, text in self.options.items() if name not in others}


def parse(text):
    if text.startswith("["):
        return json.loads(text)
    if "," in text:
        return [parse(part) for part in text.split(",") if part]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return {"True": True, "False": False, "None": None}.get(text, text)


def read(path=LIST):
    entries = {}
    for number, text in enumerate(path.read_text().splitlines(), 1):
        line = " ".join(text.split("#")[0].split())
        if not line:
            continue
        words = line.split(" ")
        if len(words) < 6 or not words[3].isdigit() or words[4] not in ("open", "fixed"):
            raise ValueError(f"{path.name}:{number}: expected NAME FAMILY EXPORTER OPSET open|fixed WHAT [KEY=VALUE ...], found '{line}'")
        if words[0] in entries:
            raise ValueError(f"{path.name}:{number}: there is another '{words[0]}'")
        options = dict(word.partition("=")[::2] for word in words[6:])
        entries[words[0]] = Entry(line, *words[:3], int(words[3]), words[4], words[5], options)
    return list(entries.values())
