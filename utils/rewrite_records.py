# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The records of the rewrites (include/onnxc/Optimize/*.td), as Python objects."""

import dataclasses
import json
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
LLVM = pathlib.Path("/usr/lib/llvm-22")


@dataclasses.dataclass
class Rewrite:
    record: str
    order: int
    name: str
    argument: str
    passClass: str
    efficiency: str
    gain: str
    kind: str
    exactness: str
    group: str
    summary: str
    # The .td file that has the record, and the folder of lib/Optimize that has its source.
    folder: str

    @property
    def is_upstream(self):
        return self.order <= 100


def rewrites():
    """All rewrites, in the order of onnx-optimizer's registry; the others behind."""
    done = subprocess.run(
        [LLVM / "bin" / "llvm-tblgen", "-dump-json", "-I", ROOT / "include", "-I", LLVM / "include",
         ROOT / "include" / "onnxc" / "Optimize" / "Passes.td"], capture_output=True, text=True, check=True)
    records = json.loads(done.stdout)
    # TableGen gives bits from the lowest on.
    number = lambda bits: sum(bit << place for place, bit in enumerate(bits))
    folders = {record: path.stem for path in (ROOT / "include" / "onnxc" / "Optimize").glob("*.td")
               for record in re.findall(r"^def (\w+)", path.read_text(), re.MULTILINE)}
    made = [Rewrite(name, number(records[name]["order"]),
                    *(records[name][field.name] for field in dataclasses.fields(Rewrite)[2:-1]), folders[name])
            for name in records["!instanceof"]["Rewrite"]]
    return sorted(made, key=lambda rewrite: rewrite.order)
