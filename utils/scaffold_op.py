#!/usr/bin/env python3
# ===- scaffold_op.py - Prints the TableGen record of an ONNX operator ----------===#
#
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Prints a record for an operator, from the schema of the installed onnx package,
to be pasted into its family's .td and finished by hand. The kinds of attributes
are what their names and descriptions suggest:

    utils/scaffold_op.py Concat
    utils/scaffold_op.py ai.onnx.ml.Scaler
"""

import argparse
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import onnx_records as R

WIDTH = 100
ATTRIBUTE_RECORDS = {type: record for record, type in R.ATTRIBUTE_TYPES.items()}
OPTIONAL = {
    "INT": "OptInt",
    "INTS": "OptInts",
    "FLOAT": "OptFloat",
    "FLOATS": "OptFloats",
    "STRING": "OptString",
    "STRINGS": "OptStrings",
    "TENSOR": "OptTensor",
}
BASES = {
    "": "ONNX_Op",
    "ai.onnx.ml": "ONNX_MLOp",
    "ai.onnx.preview": "ONNX_PreviewOp",
    "ai.onnx.preview.training": "ONNX_TrainingOp",
}


# Lists that windows have, and what an element of an absent one is.
WINDOWS = {"dilations": 1, "pads": 0, "strides": 1}
TRUTH = re.compile(r"\bboolean\b|\b[Ww]hether\b|\b[Ii]f (?:\w+=|set to |value is )?(?:1|true)\b|\b[01] or [01]\b"
                   r"|\bdefault(?: is)? (?:[Tt]rue|[Ff]alse)\b|^(?:Keep|Couple) ")


def words_of(op, default, description):
    """The words that a description gives for an attribute, its default among
    them, the default first; none if it gives no other. Names of the operator's
    parameters are not meant."""
    words = re.findall(r"[\"'`]([A-Za-z]\w*),?[\"'`]", description)
    found = re.search(r"(?:one of|either|are):?((?: ?\w+(?: \(default\))?,)* ?\w+,? (?:or|and) \w+)", description)
    if found:
        words = re.findall(r"\b(?!or\b|and\b|default\b)[A-Za-z]\w*", found[1])
    names = {f.name for f in op.inputs + op.outputs} | set(op.attributes)
    words = [word for word in dict.fromkeys(words) if word not in names]
    if default is not None and default not in words:
        return []
    words.sort(key=lambda word: word != default)
    return words if len(words) > 1 else []


def kind_text(op, a, description):
    """The kind of an attribute (ONNXBase.td) that its name and its description
    suggest; "" if they suggest none. The author has to check it: the words of a
    description are not the schema's."""
    first = op.inputs[0] if op.inputs and op.inputs[0].kind != "Variadic" else op.outputs[0]
    if a.type == "INT" and a.name == "axis":
        if a.required:
            return f'RequiredAxis<"{first.name}">'
        return f'OptAxis<"{first.name}">' if a.default is None else f'Axis<"{first.name}", {a.default}>'
    if a.type == "INTS" and a.name == "perm":
        return f'PermutationOf<"{first.name}">'
    if a.type == "INTS" and a.name in WINDOWS and not a.required:
        return f"EachOr<{WINDOWS[a.name]}>"
    if a.type == "INT" and a.default in (0, 1) and TRUTH.search(description):
        return f"Flag<{a.default}>"
    least = {"positive": 1, "non-negative": 0, "nonnegative": 0}.get(
        (re.search(r"\b(?:non-?negative|positive)\b", description) or [""])[0])
    if a.type == "INT" and least is not None and (a.required or (a.default is not None and a.default >= least)):
        return f"RequiredIntFrom<{least}>" if a.required else f"IntFrom<{least}, {a.default}>"
    if a.type == "STRING" and (a.required or a.default is not None):
        words = ", ".join(f'"{word}"' for word in words_of(op, a.default, description))
        if words:
            return f"RequiredOneOf<[{words}]>" if a.required else f'OneOf<"{a.default}", [{words}]>'
    return ""


def attribute_text(op, a, description=""):
    kind = kind_text(op, a, description)
    if kind:
        return kind
    base = ATTRIBUTE_RECORDS[a.type]
    if a.required:
        return base
    if a.default is None:
        return OPTIONAL.get(a.type) or f"OptionalAttr<{base}>"
    if a.type == "INT":
        return f"IntOr<{a.default}>"
    if a.type == "FLOAT":
        text = repr(a.default)
        return f'FloatOr<"{text}">'
    if a.type == "STRING":
        return f'StrOr<"{a.default}">'
    quote = '\\"' if a.type == "STRINGS" else ""
    items = ", ".join(f"{quote}{v}{quote}" for v in a.default)
    return f'DefaultValuedOptionalAttr<{base}, "{{{items}}}">'


class Printer:
    """Knows the named element sets that records may refer to."""

    def __init__(self, family=None):
        path = os.path.join(R.FOLDER, (family or "ONNXBase") + ".td")
        if not os.path.exists(path):
            path = os.path.join(R.FOLDER, "ONNXBase.td")
        self.sets = R.element_sets(R.dump(path))

    def set_text(self, names):
        if not names:
            return "ONNX_None"
        for name, elements in sorted(self.sets.items()):
            if elements == names:
                return name
        # The largest named sets inside, then single elements.
        parts, rest = [], set(names)
        for name, elements in sorted(self.sets.items(), key=lambda s: (-len(s[1]), s[0])):
            if len(elements) > 1 and elements <= rest:
                parts.append(name)
                rest -= elements
        single = {n.lower(): n for n in ELEMENTS}
        more = ", ".join("ONNX_" + single[n] for n in sorted(rest))
        return f"ONNX_ElemSet<[{', '.join(parts)}]" + (f", [{more}]>" if more else ">")

    def value_text(self, formal):
        sets = {"tensor(": set(), "seq(tensor(": set(), "optional(tensor(": set(),
                "optional(seq(tensor(": set()}
        others = []
        for type in sorted(formal.types):
            for prefix, members in sets.items():
                if type.startswith(prefix):
                    members.add(type[len(prefix):].rstrip(")"))
                    break
            else:
                others.append(type)
        texts = [self.set_text(frozenset(s)) for s in sets.values()]
        tensors, seqs, opts, optseqs = texts
        if texts[1:] == ["ONNX_None"] * 3 and not others:
            text = f"ONNX_T<{tensors}>" if formal.var == "T" else f'ONNX_T<{tensors}, "{formal.var}">'
        elif tensors == opts == optseqs == "ONNX_None" and not others:
            text = f"ONNX_S<{seqs}>" if formal.var == "S" else f'ONNX_S<{seqs}, "{formal.var}">'
        else:
            listed = ", ".join(f'"{o}"' for o in others)
            text = f'ONNX_Value<"{formal.var}", {tensors}, {seqs}, {opts}, {optseqs}, [{listed}]>'
        return {"Single": "%s", "Optional": "ONNX_Opt<%s>", "Variadic": "ONNX_Many<%s>"}[formal.kind] % text


ELEMENTS = ["Float", "UInt8", "Int8", "UInt16", "Int16", "Int32", "Int64", "String", "Bool",
            "Float16", "Double", "UInt32", "UInt64", "Complex64", "Complex128", "BFloat16",
            "Float8E4M3FN", "Float8E4M3FNUZ", "Float8E5M2", "Float8E5M2FNUZ", "UInt4", "Int4",
            "Float4E2M1", "Float8E8M0", "UInt2", "Int2", "Float6E2M3", "Float6E3M2"]


def represented(versions, key):
    """The schema versions whose form is the newest one's, by the signature alone;
    changes of meaning are for the author to see."""
    newest = R.schema_op(R.newest_form(versions, key))
    result = []
    for version in sorted(versions, reverse=True):
        if key in R.DEPRECATED and version > R.DEPRECATED[key]:
            result.append(version)
        elif not R.misfits(R.schema_op(versions[version]), newest):
            result.append(version)
        else:
            break
    return sorted(result)


def wrap_dag(head, items, tail, indent=4):
    """`(ins a, b, c)`, broken where a line would be too long."""
    pad = " " * indent
    lines, line = [], pad + head
    inner = pad + " " * (len(head) + 1)
    for i, item in enumerate(items):
        piece = item + (tail if i + 1 == len(items) else ",")
        sep = " "
        if len(line) + len(sep) + len(piece) > WIDTH and line.strip() != head:
            lines.append(line)
            line = inner + piece
        else:
            line += sep + piece
    if not items:
        line += tail
    lines.append(line)
    return lines


def record_text(op, since, base=None, printer=None, traits="Pure", body=None, summary=None,
                upgrades=(), rule=None, comment=None, extra=(), descriptions=None):
    printer = printer or Printer()
    base = base or BASES[op.domain]
    args = [f"{printer.value_text(f)}:${f.name}" for f in op.inputs]
    args += [f"{attribute_text(op, a, (descriptions or {}).get(a.name, ''))}:${a.name}"
             for a in op.attributes.values() if a.type != "GRAPH"]
    results = [f"{printer.value_text(f)}:${f.name}" for f in op.outputs]
    graphs = [a for a in op.attributes.values() if a.type == "GRAPH"]
    lines = [f"// {comment}"] if comment else []
    lines.append(f'def ONNX_{op.name}Op : {base}<"{op.name}", {since},')
    lines += wrap_dag("(ins", args, "),")
    close = f", [{traits}]>" if traits else ">"
    if body is not None:
        close = ", [{"
    outs = wrap_dag("(outs", results, ")" + close)
    lines += outs
    if body is not None:
        if "\n" in body or len(outs[-1]) + len(body) + 5 > WIDTH:
            lines += ["      " + line for line in body.splitlines()] + ["    }]>"]
        else:
            lines[-1] += f" {body} }}]>"
    rest = []
    if summary:
        rest.append(f'  let summary = "{summary}";')
    if graphs:
        regions = ", ".join(("SizedRegion<1>" if g.required else "AnyRegion") + f":${g.name}" for g in graphs)
        rest.append(f"  let regions = (region {regions});")
        rest.append("  let regionNames = [%s];" % ", ".join(f'"{g.name}"' for g in graphs))
    if op.deprecated:
        rest.append("  let deprecated = 1;")
    if len(upgrades) == 1 and len(upgrades[0]) < WIDTH - 30:
        rest.append(f"  let upgrades = [[{{ {upgrades[0]} }}]];")
    elif upgrades:
        rest.append("  let upgrades = [")
        for u in upgrades:
            row = f"    [{{ {u} }}],"
            while len(row) > WIDTH:
                cut = row.rindex("), ", 0, WIDTH) + 2
                rest.append(row[:cut])
                row = "       " + row[cut:]
            rest.append(row)
        rest[-1] = rest[-1][:-1]
        rest.append("  ];")
    rest += ["  " + e for e in extra]
    if rule:
        rest.append(f"  let shapeRule = {rule};")
    if rest:
        lines[-1] += " {"
        lines += rest + ["}"]
    else:
        lines[-1] += ";"
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("op", nargs="+", help="operator name, with its domain unless ai.onnx")
    schemas = R.all_schemas()
    for name in parser.parse_args().op:
        domain, _, short = name.rpartition(".")
        key = (domain, short)
        if key not in schemas:
            sys.exit(f"scaffold_op.py: onnx {R.onnx.__version__} has no operator '{name}'")
        versions = schemas[key]
        since = represented(versions, key)
        newest = R.newest_form(versions, key)
        descriptions = {name: " ".join(a.description.split()) for name, a in newest.attributes.items()}
        print(record_text(R.schema_op(newest), since, summary="What it computes, in a line",
                          rule="ONNX_AsDeclared", descriptions=descriptions))
        for version in sorted(set(versions) - set(since)):
            print(f"// Version {version} has another form: needs a line in `upgrades`.")


if __name__ == "__main__":
    main()
