# ===- onnx_records.py - The op records and the ONNX schemas, as Python data ----===#
#
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Reads the TableGen op records through `llvm-tblgen --dump-json`, and the ONNX
schemas through `onnx.defs`, into the same plain classes, so that they can be
compared (test/Dialect/schema_test.py) and printed (utils/scaffold_op.py)."""

import json
import os
import re
import subprocess
from dataclasses import dataclass, field

import onnx
import onnx.defs

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
INCLUDE = os.path.join(ROOT, "include")
FOLDER = os.path.join(INCLUDE, "onnxc", "Dialect", "ONNX")

# Deprecated operators whose last usable form has a record of its own. The value
# is the schema version that describes the form (the deprecating one is empty).
DEPRECATED = {
    ("", "Upsample"): 9,
    ("", "Scatter"): 9,
    ("ai.onnx.ml", "TreeEnsembleRegressor"): 3,
    ("ai.onnx.ml", "TreeEnsembleClassifier"): 3,
}

# Operators of ONNX Runtime that have a record, since nothing else computes them:
# the onnx package knows nothing of them.
FOREIGN_DOMAIN = "com.microsoft"


@dataclass
class Formal:
    """A formal input or output."""

    name: str
    kind: str  # Single, Optional, Variadic
    var: str  # the type variable; "" if fixed, or if not one type for all
    types: frozenset  # ONNX spellings: "tensor(float)"


@dataclass
class Attribute:
    name: str
    type: str  # as AttributeProto.AttributeType: INT, FLOATS, GRAPH, ...
    required: bool
    default: object = None
    of: str = ""  # the formal parameter that an axis or an order of axes is of


@dataclass
class Op:
    domain: str
    name: str
    since: list
    inputs: list
    outputs: list
    attributes: dict
    deprecated: bool = False
    record: str = ""  # name of the TableGen record
    family: str = ""
    summary: str = ""
    upgrades: list = field(default_factory=list)

    @property
    def key(self):
        return (self.domain, self.name)

    @property
    def spelled(self):
        return (self.domain + "." if self.domain else "") + self.name


# ===----------------------------------------------------------------------===#
# Schemas
# ===----------------------------------------------------------------------===#


def float32(value):
    """The shortest decimal that reads back as the float32 `value`."""
    import struct

    for digits in range(1, 18):
        text = f"{value:.{digits}g}"
        if struct.pack("f", float(text)) == struct.pack("f", value):
            return float(text)
    return value


def plain(value):
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value


def schema_op(schema, history=()):
    """The Op of an onnx.defs.OpSchema."""
    variables = {c.type_param_str for c in schema.type_constraints}

    def formal(parameter):
        # A heterogeneous parameter binds no variable: each value has its own type.
        bound = parameter.type_str in variables and parameter.is_homogeneous
        return Formal(
            parameter.name,
            parameter.option.name,
            parameter.type_str if bound else "",
            frozenset(parameter.types),
        )

    attributes = {}
    for a in schema.attributes.values():
        default = None
        if a.default_value.name:
            default = plain(onnx.helper.get_attribute_value(a.default_value))
            if a.type.name == "FLOAT":
                default = float32(default)
        attributes[a.name] = Attribute(a.name, a.type.name, a.required, default)
    return Op(
        schema.domain,
        schema.name,
        sorted(history) or [schema.since_version],
        [formal(p) for p in schema.inputs],
        [formal(p) for p in schema.outputs],
        attributes,
        deprecated=(schema.domain, schema.name) in DEPRECATED,
    )


def all_schemas():
    """{(domain, name): {version: OpSchema}}"""
    result = {}
    for s in onnx.defs.get_all_schemas_with_history():
        result.setdefault((s.domain, s.name), {})[s.since_version] = s
    return result


def newest_form(versions, key):
    """The schema that describes the operator's newest usable form."""
    return versions[DEPRECATED.get(key, max(versions))]


def schema_ops():
    """The newest form of every operator: {(domain, name): Op}."""
    return {
        key: schema_op(newest_form(versions, key), versions)
        for key, versions in all_schemas().items()
    }


def formals_fit(old, new):
    """Whether values bound to the formals `old` are as well bound to `new`."""
    kinds = {"Single": ("Single", "Optional", "Variadic"), "Optional": ("Optional", "Variadic"),
             "Variadic": ("Variadic",)}
    return (
        len(old) <= len(new)
        and all(b.kind in kinds[a.kind] and a.types <= b.types for a, b in zip(old, new))
        and all(f.kind != "Single" for f in new[len(old):])
    )


def misfits(old, new):
    """Why a node of schema `old` (an Op) is, by its signature, none of `new`."""
    result = []
    if not formals_fit(old.inputs, new.inputs):
        result.append("its inputs are others")
    # A new output only asks for one more result, which nodes may leave out.
    if not formals_fit(old.outputs, new.outputs):
        result.append("its outputs are others")
    for name, a in old.attributes.items():
        b = new.attributes.get(name)
        if not b:
            result.append(f"it has the attribute {name}")
        elif a.type != b.type or (b.required and not a.required):
            result.append(f"its attribute {name} is another")
        elif a.default != b.default and a.default is not None:
            result.append(f"its attribute {name} has the default {a.default}")
    for name, b in new.attributes.items():
        if name not in old.attributes and b.required:
            result.append(f"it lacks the attribute {name}")
    return result


# ===----------------------------------------------------------------------===#
# Records
# ===----------------------------------------------------------------------===#


TBLGEN = "/usr/lib/llvm-22/bin/llvm-tblgen"


def families():
    with open(os.path.join(FOLDER, "Families.def")) as f:
        return re.findall(r"^ONNXC_FAMILY\((\w+)\)", f.read(), re.M)


def dump(path, tblgen=TBLGEN):
    """All records of a .td file, as llvm-tblgen's JSON. MLIR's own .td files are
    found beside the tool."""
    mlir = os.path.join(os.path.dirname(os.path.dirname(tblgen)), "include")
    command = [tblgen, "--dump-json", "-I", mlir, "-I", INCLUDE, path]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{path}: {done.stderr}")
    return json.loads(done.stdout)


def element_sets(records):
    """Element type names of each named ONNX_ElemSet: {name: frozenset}."""
    return {
        name: frozenset(records[name]["names"])
        for name in records["!instanceof"]["ONNX_ElemSet"]
        if not name.startswith("anonymous")
    }


ATTRIBUTE_TYPES = {
    "I64Attr": "INT",
    "F32Attr": "FLOAT",
    "StrAttr": "STRING",
    "DenseI64ArrayAttr": "INTS",
    "DenseF32ArrayAttr": "FLOATS",
    "StrArrayAttr": "STRINGS",
    "ElementsAttr": "TENSOR",
    "TypeAttr": "TYPE_PROTO",
    "ONNX_SparseElementsAttr": "SPARSE_TENSOR",
}
# Kinds of required attributes: RequiredAxis<"data"> is a record of its own.
ATTRIBUTE_KINDS = {
    "RequiredIntFrom": "INT",
    "RequiredAxis": "INT",
    "RequiredOneOf": "STRING",
    "RequiredIntsFrom": "INTS",
}


def parse_default(type, text):
    """The value that a record's default (C++ text) stands for."""
    if type == "INT":
        return int(text)
    if type == "FLOAT":
        return float(text.rstrip("f"))
    if type == "STRING":
        return json.loads(text)
    items = [t.strip() for t in text.strip("{}").split(",") if t.strip()]
    return [parse_default(type[:-1], t) for t in items]


def record_attribute(name, definition, records):
    """The Attribute of argument `name` whose Attr record is `definition`."""
    record, required, default = records[definition], True, None
    base, classes = definition, record["!superclasses"]
    if "OptionalAttr" in classes or "DefaultValuedOptionalAttr" in classes:
        required, base = False, record["baseAttr"]["def"]
    types = [ATTRIBUTE_KINDS[c] for c in classes if c in ATTRIBUTE_KINDS]
    if not types and base not in ATTRIBUTE_TYPES:
        raise ValueError(f"attribute {name}: {base} is not an ONNX attribute type")
    type = types[0] if types else ATTRIBUTE_TYPES[base]
    if "DefaultValuedOptionalAttr" in classes:
        default = parse_default(type, record["defaultValue"])
    of = re.search(r'\.(?:axisOf|orReversed)\("(\w+)"', record.get("facts", ""))
    return Attribute(name, type, required, default, of[1] if of else "")


def record_op(name, records, family=""):
    r = records[name]
    inputs, outputs, attributes = [], [], {}

    def formal(argument, definition):
        f = records[definition]
        return Formal(argument, f["kind"], f["typeVar"], frozenset(f["onnxTypes"]))

    for value, argument in r["arguments"]["args"]:
        if "ONNX_Formal" in records[value["def"]]["!superclasses"]:
            inputs.append(formal(argument, value["def"]))
        else:
            attributes[argument] = record_attribute(argument, value["def"], records)
    for value, argument in r["results"]["args"]:
        outputs.append(formal(argument, value["def"]))
    regions = [(a, v["def"]) for v, a in r["regions"]["args"]]
    if [a for a, _ in regions] != r["regionNames"]:
        raise ValueError(f"{name}: regionNames differ from the regions {regions}")
    for region, definition in regions:
        attributes[region] = Attribute(region, "GRAPH", definition != "AnyRegion")
    return Op(
        r["domain"],
        r["onnxName"],
        r["schemaSince"],
        inputs,
        outputs,
        attributes,
        deprecated=bool(r["deprecated"]),
        record=name,
        family=family,
        summary=r["summary"],
        upgrades=r["upgrades"],
    )


def family_ops(family, records):
    """Those of ONNX."""
    ops = [record_op(name, records, family) for name in records["!instanceof"].get("ONNX_Op", [])]
    return [op for op in ops if op.domain != FOREIGN_DOMAIN]


def record_ops(tblgen=TBLGEN):
    """Every op record of every family: a list of Op."""
    result = []
    for family in families():
        records = dump(os.path.join(FOLDER, family + ".td"), tblgen)
        result += family_ops(family, records)
    return result
