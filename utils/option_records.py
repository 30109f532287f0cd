# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The records of the options (include/onnxc/Pipelines/Options.td), as Python objects."""

import dataclasses
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
LLVM = pathlib.Path("/usr/lib/llvm-22")
# The commands, as Options.td calls them, and as a user does.
COMMANDS = {"Compile": "onnxc", "Check": "onnxc check", "Inspect": "onnxc inspect", "Run": "onnxc run", "Bench": "onnxc bench",
            "Profile": "onnxc profile", "Compare": "onnxc compare", "Convert": "onnxc convert", "Doctor": "onnxc doctor",
            "Tune": "onnxc tune", "Quantize": "onnxc quantize", "Optimize": "onnx-optimize"}


@dataclasses.dataclass
class Option:
    name: str
    spelled: str  # with dashes and value: "--dim=<name=size>", and a longer name behind a letter
    hidden: bool
    commands: list
    help: dict  # by command
    python: str  # the parameter's name; "" if there is none
    no_python: dict  # by command: why there is none
    no_c: str


def _spell(record):
    name, value, flags = record["Name"], record["MetaVarName"], [flag["def"] for flag in record["Flags"]]
    dashes = "-" if len(name) == 1 else "--"
    if not value:
        return dashes + name
    if "ValueOptional" in flags:
        return f"{dashes}{name}[=<{value}>]"
    if record["Kind"]["def"] == "KIND_JOINED":
        return f"{dashes}{name}<{value}>"
    return dashes + name + (" " if len(name) == 1 else "=") + f"<{value}>"


def _spell_number(number):
    """As --help does (tools/ToolSupport/Arguments.cpp)."""
    return f"2^{number.bit_length() - 1}" if number >= 1 << 16 and number & (number - 1) == 0 else str(number)


def options():
    """All options, by name."""
    done = subprocess.run(
        [LLVM / "bin" / "llvm-tblgen", "-dump-json", "-I", LLVM / "include",
         ROOT / "include" / "onnxc" / "Pipelines" / "Options.td"], capture_output=True, text=True, check=True)
    records = json.loads(done.stdout)
    longer = {records[name]["Alias"]["def"]: records[name]["Name"] for name in records["!instanceof"]["Option"]
              if records[name]["Alias"] is not None and len(records[name]["Name"]) > 1 and not records[name]["Name"].endswith("=")}
    found = []
    for name in records["!instanceof"]["Option"]:
        record = records[name]
        commands = [command["def"] for command in record["Visibility"]]
        if record["Alias"] is not None or not set(commands) <= set(COMMANDS):
            continue
        help = dict.fromkeys(commands, record["HelpText"])
        for variant in record["HelpTextsForVariants"]:
            variant = records[variant["def"]] if "def" in variant else variant
            help.update({command["def"]: variant["Text"] for command in variant["Visibilities"]})
        if "Number" in record["!superclasses"]:
            help = {command: f"{text} (default: {_spell_number(record['Default'])})" for command, text in help.items()}
        reason = record.get("WhyNotPython")
        spelled = _spell(record)
        if len(record["Name"]) == 1 and name in longer:
            spelled += f", --{longer[name]}" + (f"=<{record['MetaVarName']}>" if record["MetaVarName"] else "")
        found.append(Option(record["Name"], spelled, "HelpHidden" in [flag["def"] for flag in record["Flags"]], commands, help,
                            record.get("PythonName") or "",
                            {command["def"]: reason for command in record.get("NoPythonIn", [])}, record.get("WhyNotC") or ""))
    return sorted(found, key=lambda option: (option.name.lower(), option.name))
