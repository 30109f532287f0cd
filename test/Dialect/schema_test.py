# ===- schema_test.py - The op records against the ONNX schemas -----------------===#
#
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Holds every op record (include/onnxc/Dialect/ONNX/*.td) against the schema of
the installed onnx package: names, order, optionality, variadics, type variables,
allowed types, attributes and their defaults, schema versions; every operator has
one record, and every older version a way to it. Prints a difference per line.

--self-test plants mistakes in records and checks that each is found.
"""

import argparse
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "utils"))
import onnx_records as R



def plain_types(types):
    """A short text for a set of types."""
    return " ".join(sorted(t.removeprefix("tensor(").removesuffix(")") for t in types))


def formal_differences(what, have, want):
    if [f.name for f in have] != [f.name for f in want]:
        names = lambda formals: ", ".join(f.name for f in formals) or "none"
        yield f"{what} are {names(have)}, in the schema {names(want)}"
        return
    for a, b in zip(have, want):
        if a.kind != b.kind:
            yield f"{what[:-1]} {a.name} is {a.kind}, in the schema {b.kind}"
        if a.var != b.var:
            yield f"{what[:-1]} {a.name} has the type variable '{a.var}', in the schema '{b.var}'"
        if a.types - b.types:
            yield f"{what[:-1]} {a.name} allows too much: {plain_types(a.types - b.types)}"
        if b.types - a.types:
            yield f"{what[:-1]} {a.name} must also allow: {plain_types(b.types - a.types)}"


def attribute_differences(have, want):
    for name in sorted(have.keys() - want.keys()):
        yield f"attribute {name} is not in the schema"
    for name in sorted(want.keys() - have.keys()):
        yield f"attribute {name} is missing"
    for name in sorted(have.keys() & want.keys()):
        a, b = have[name], want[name]
        if a.type != b.type:
            yield f"attribute {name} is {a.type}, in the schema {b.type}"
        elif a.required != b.required:
            required = lambda x: "required" if x else "optional"
            yield f"attribute {name} is {required(a.required)}, in the schema {required(b.required)}"
        elif a.default != b.default:
            yield f"attribute {name} has the default {a.default}, in the schema {b.default}"


def differences(record, schema):
    """How the Op of a record differs from that of the newest schema."""
    yield from formal_differences("inputs", record.inputs, schema.inputs)
    yield from formal_differences("outputs", record.outputs, schema.outputs)
    yield from attribute_differences(record.attributes, schema.attributes)
    formals = {f.name for f in record.inputs + record.outputs}
    for a in record.attributes.values():
        if a.of and a.of not in formals:
            yield f"attribute {a.name} is an axis of {a.of}, which is no input or output"
    if record.deprecated != schema.deprecated:
        yield f"deprecated is {record.deprecated}, in the schema {schema.deprecated}"
    if record.record != f"ONNX_{record.name}Op":
        yield f"the record's name {record.record} should be ONNX_{record.name}Op"
    if not record.summary or record.summary.endswith(".") or "\n" in record.summary:
        yield f"the summary should be one line without a full stop: '{record.summary}'"


# ===----------------------------------------------------------------------===#
# Versions
# ===----------------------------------------------------------------------===#

STEP = re.compile(r'(\w+)\(("(?:[^"\\]|\\.)*"(?:, [^()]*)?)\)')


def parse_upgrade(row):
    """(op, version, [(step, [arguments])]) of a line of `upgrades`."""
    match = re.fullmatch(r'\s*\{"(\w+)", (\d+), \{(.*)\}\}\s*', row, re.S)
    if not match:
        raise ValueError(f"cannot read the upgrade {row}")
    steps = [
        (name, [a.strip().strip('"') for a in arguments.split(",")])
        for name, arguments in STEP.findall(match[3])
    ]
    return match[1], int(match[2]), steps


def since_differences(record, versions):
    """`versions`: the operator's schemas by version."""
    since = record.since
    if since != sorted(set(since)):
        yield f"since {since} is not ascending"
    if set(since) - versions.keys():
        yield f"since names versions that do not exist: {sorted(set(since) - versions.keys())}"
        return
    if since[-1:] != [max(versions)]:
        yield f"since ends with {since[-1:]}, the newest schema is {max(versions)}"
    if [v for v in sorted(versions) if v >= since[0]] != since:
        yield f"since {since} has gaps: the schemas are {sorted(versions)}"
    for version in since:
        if versions[version].deprecated:
            continue
        for why in R.misfits(R.schema_op(versions[version]), record):
            yield f"since has {version}, but {why}"


def upgrade_differences(record, all_versions):
    """The rows of `upgrades`: that they speak of what is there, and that the
    attributes of the old form all find a place."""
    for row in record.upgrades:
        op, version, steps = parse_upgrade(row)
        versions = all_versions.get((record.domain, op), {})
        if version not in versions:
            yield f"upgrades from {op}-{version}, which does not exist"
            continue
        if op == record.name and version in record.since:
            yield f"upgrades from version {version}, which since has too"
        if versions[version].deprecated:
            continue
        old = R.schema_op(versions[version])
        attributes = set(old.attributes)
        custom = False
        for step, arguments in steps:
            name = arguments[0]
            if step == "custom":
                custom = True
                continue
            # setDefault may write an attribute that the old form did not know.
            if step != "setDefault" and name not in attributes and not custom:
                yield f"upgrade from {version}: {step} of '{name}', which version {version} has not"
            if step in ("dropAttr", "attrToInput", "renameAttr"):
                attributes.discard(name)
            if step == "renameAttr":
                attributes.add(arguments[1])
            if step == "setDefault":
                attributes.add(name)
            if step == "attrToInput" and name not in [f.name for f in record.inputs]:
                yield f"upgrade from {version}: there is no input '{name}'"
        if not custom and attributes - record.attributes.keys():
            left = sorted(attributes - record.attributes.keys())
            yield f"upgrade from {version} leaves attributes that the op has not: {left}"


def custom_rules():
    """The names of the custom steps that lib/Upgrade has."""
    with open(os.path.join(R.ROOT, "lib", "Upgrade", "CustomRules.def")) as f:
        return set(re.findall(r"^ONNXC_(?:CUSTOM|REVERSIBLE)_RULE\((\w+)\)", f.read(), re.M))


def custom_differences(records):
    """The custom steps that records name are those that lib/Upgrade has."""
    known, used = custom_rules(), set()
    for record in records:
        for row in record.upgrades:
            for step, arguments in parse_upgrade(row)[2]:
                if step != "custom":
                    continue
                used.add(arguments[0])
                if arguments[0] not in known:
                    yield record.key, f"lib/Upgrade has no custom rule '{arguments[0]}'"
    for name in sorted(known - used):
        yield ("lib/Upgrade", name), "no record names this custom rule"


def coverage_differences(records, all_versions):
    """Every version of every operator is represented or upgraded."""
    reached = {(r.domain, r.name, v) for r in records for v in r.since}
    for record in records:
        for row in record.upgrades:
            op, version, _ = parse_upgrade(row)
            reached.add((record.domain, op, version))
    for (domain, name), versions in sorted(all_versions.items()):
        for version in sorted(versions):
            if (domain, name, version) not in reached:
                yield (domain, name), f"version {version} has no way to the newest form"


# ===----------------------------------------------------------------------===#
# All of it
# ===----------------------------------------------------------------------===#


def check(records, all_versions, schemas):
    """{operator: [difference]}"""
    found = {}

    def note(key, texts):
        texts = list(texts)
        if texts:
            found.setdefault(key, []).extend(texts)

    seen = {}
    for record in records:
        seen.setdefault(record.key, []).append(record)
    for key in sorted(schemas.keys() - seen.keys()):
        note(key, ["has no record"])
    for key, same in sorted(seen.items()):
        if key not in schemas:
            note(key, [f"is no operator of onnx {R.onnx.__version__}"])
            continue
        if len(same) > 1:
            note(key, ["has records in " + " and ".join(r.family for r in same)])
        for record in same:
            note(key, differences(record, schemas[key]))
            note(key, since_differences(record, all_versions[key]))
            note(key, upgrade_differences(record, all_versions))
    for key, text in coverage_differences(records, all_versions):
        note(key, [text])
    for key, text in custom_differences(records):
        note(key, [text])
    return found


def show(found):
    for (domain, name), texts in sorted(found.items()):
        print((domain + "." if domain else "") + name)
        for text in texts:
            print("  " + text)


# ===----------------------------------------------------------------------===#
# Self-test
# ===----------------------------------------------------------------------===#

# Mistakes in the text of a record: family, what to replace by what, and what
# must then be said, of which operator.
MISTAKES = [
    ("Movement", "RequiredAxis<\"concat_result\">:$axis),\n    (outs ONNX_T<AllIR4>:$concat_result)",
     "OptInt:$axis),\n    (outs ONNX_T<AllIR4>:$concat_result)",
     "Concat", "attribute axis is optional, in the schema required"),
    ("Movement", "$concat_result", "$result", "Concat", "outputs are result, in the schema concat_result"),
    ("Movement", '"Concat", [4, 11, 13]', '"Concat", [4, 11]', "Concat", "since ends with [11]"),
    ("Movement", '"Concat", [4, 11, 13]', '"Concat", [1, 4, 11, 13]', "Concat",
     "since has 1, but its attribute axis is another"),
    ("Movement", 'let upgrades = [[{ {"Concat", 1, {setDefault("axis", 1)}} }]];', "", "Concat",
     "version 1 has no way to the newest form"),
    ("Movement", 'attrToInput("pads")', 'attrToInput("padding")', "Pad", "attrToInput of 'padding'"),
    ("Contraction", "FloatOr<\"1.0\">:$beta", "FloatOr<\"0.5\">:$beta", "Gemm",
     "attribute beta has the default 0.5, in the schema 1.0"),
    ("Contraction", "ONNX_Opt<ONNX_T<WideNumbers>>:$C", "ONNX_T<WideNumbers>:$C", "Gemm",
     "input C is Single, in the schema Optional"),
    ("Contraction", "ONNX_T<Floats>:$Y", "ONNX_T<Numbers>:$Y", "Det", "output Y allows too much: int16"),
    ("Contraction", "(ins ONNX_T<Floats>:$X)", "(ins ONNX_T<IEEEFloats>:$X)", "Det",
     "input X must also allow: bfloat16"),
    ("Indexing", 'ONNX_T<Int32s64s, "Tind">:$indices, Axis<"data", 0>:$axis',
     'ONNX_T<Int32s64s>:$indices, Axis<"data", 0>:$axis',
     "Gather", "input indices has the type variable 'T', in the schema 'Tind'"),
    ("Shape", 'Axis<"input", 1>', 'Axis<"X", 1>', "Flatten", "attribute axis is an axis of X, which is no input"),
    ("Conv", "IntOr<1>:$group", "StrOr<\"1\">:$group", "Conv", "attribute group is STRING, in the schema INT"),
    ("Conv", "IntOr<1>:$group", "IntOr<1>:$groups", "Conv", "attribute group is missing"),
    ("Indexing", 'custom("topKCount")', 'custom("topKCnt")', "TopK", "no custom rule 'topKCnt'"),
    ("Conv", 'let summary = "Convolution', 'let description = "Convolution', "Conv", "the summary should be one line"),
    ("Image", "let deprecated = 1;", "", "Upsample", "deprecated is False"),
    ("Trigonometry", '"Atan"', '"Arctan"', "Arctan", "is no operator of onnx"),
    ("Trigonometry", '"Atan"', '"Arctan"', "Atan", "has no record"),
    ("ControlFlow", "SizedRegion<1>:$else_branch", "AnyRegion:$else_branch", "If",
     "attribute else_branch is optional, in the schema required"),
]


def self_test(records, all_versions, schemas, tblgen):
    missed = 0
    for family, old, new, op, message in MISTAKES:
        with open(os.path.join(R.FOLDER, family + ".td")) as f:
            text = f.read()
        if old not in text:
            print(f"self-test: {family}.td has no text {old!r}")
            missed += 1
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, family + ".td")
            with open(path, "w") as f:
                f.write(text.replace(old, new, 1))
            mutated = R.family_ops(family, R.dump(path, tblgen))
        found = check([r for r in records if r.family != family] + mutated, all_versions, schemas)
        if not any(message in text for text in found.get(("", op), [])):
            print(f"self-test: {old!r} -> {new!r} in {family}.td is not noticed: {found}")
            missed += 1
    return missed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tblgen", default=R.TBLGEN, help="path of llvm-tblgen")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    all_versions, schemas = R.all_schemas(), R.schema_ops()
    records = R.record_ops(options.tblgen)
    found = check(records, all_versions, schemas)
    show(found)
    print(f"{len(records)} records, {len(schemas)} operators of onnx {R.onnx.__version__}: "
          f"{sum(map(len, found.values())) or 'no'} differences")
    failed = bool(found)
    if options.self_test:
        missed = self_test(records, all_versions, schemas, options.tblgen)
        print(f"{len(MISTAKES)} planted mistakes: {missed or 'none'} missed")
        failed |= bool(missed)
    sys.exit(failed)


if __name__ == "__main__":
    main()
