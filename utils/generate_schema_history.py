#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes lib/Upgrade/SchemaHistory.def: what each version of each operator takes,
a line each, from the schemas of the installed onnx package.

usage: utils/generate_schema_history.py [--check]
  --check  write nothing; exit status 1 if the file is out of date
"""

import pathlib
import sys

import onnx
import onnx_records as records

FILE = pathlib.Path(records.ROOT) / "lib" / "Upgrade" / "SchemaHistory.def"
HEAD = """\
// What each version of each operator takes; of onnx {version}.
// Written by utils/generate_schema_history.py.
//
// ONNXC_SCHEMA(domain, operator, version, inputs, outputs, attributes)
//
// Inputs and outputs: NAME:TYPES, `?` after the name if it may be absent, `*` if it
// takes any number; NAME:VARIABLE:TYPES where others must be of the same type.
// TYPES: the element types (bit n: TensorProto.DataType n, in
// hexadecimal) of tensors, then of sequences, optionals and optional sequences;
// `+` for others besides. Attributes: NAME, `!` if it must be there, `:` and its
// AttributeProto.AttributeType, `=` and its default if it has one. An operator without inputs and outputs has been replaced
// by another one at this version.
#ifndef ONNXC_SCHEMA
#error "define ONNXC_SCHEMA before including SchemaHistory.def"
#endif
"""
WRAPPERS = {"tensor": 0, "seq(tensor": 1, "optional(tensor": 2, "optional(seq(tensor": 3}
MARKS = {"Single": "", "Optional": "?", "Variadic": "*"}


def spell_types(types):
    masks, others = [0, 0, 0, 0], ""
    for text in types:
        wrapper, _, element = text.rpartition("(")
        kind = WRAPPERS.get(wrapper)
        data_type = element.rstrip(")").upper()
        if kind is None or data_type not in onnx.TensorProto.DataType.keys():
            others = "+"
        else:
            masks[kind] |= 1 << onnx.TensorProto.DataType.Value(data_type)
    while len(masks) > 1 and not masks[-1]:
        masks.pop()
    return "/".join(f"{mask:x}" for mask in masks) + others


def spell_formals(formals, shared):
    def spell(formal):
        variable = formal.var + ":" if formal.var in shared else ""
        return f"{formal.name}{MARKS[formal.kind]}:{variable}{spell_types(formal.types)}"
    return " ".join(map(spell, formals))


def shared_variables(op):
    """The type variables that say that values are of one type."""
    uses = [formal.var for formal in op.inputs + op.outputs for _ in range(2 if formal.kind == "Variadic" else 1)]
    return {variable for variable in uses if variable and uses.count(variable) > 1}


def spell_attribute(attribute):
    default = attribute.default
    if attribute.required or default is None or isinstance(default, list) or " " in str(default):
        return f"{attribute.name}{'!' * attribute.required}:{attribute.type}"
    return f"{attribute.name}:{attribute.type}={default}"


def render():
    lines = [HEAD.format(version=onnx.__version__)]
    for (domain, name), versions in sorted(records.all_schemas().items()):
        for version, schema in sorted(versions.items()):
            op = records.schema_op(schema)
            # GroupNormalization-18 is deprecated for its mistake, and all there is at its opsets.
            replaced = schema.deprecated and name != "GroupNormalization"
            shared = shared_variables(op)
            fields = ["", "", ""] if replaced else [spell_formals(op.inputs, shared), spell_formals(op.outputs, shared),
                      " ".join(spell_attribute(op.attributes[key]) for key in sorted(op.attributes))]
            text = ", ".join(f'"{field}"' for field in fields)
            lines.append(f'ONNXC_SCHEMA("{domain}", "{name}", {version}, {text})\n')
    lines.append("#undef ONNXC_SCHEMA\n")
    return "".join(lines)


def main():
    text = render()
    if "--check" not in sys.argv[1:]:
        FILE.write_text(text)
        return 0
    if FILE.exists() and FILE.read_text() == text:
        return 0
    print(f"{FILE}: is out of date; run utils/generate_schema_history.py")
    return 1


if __name__ == "__main__":
    sys.exit(main())
