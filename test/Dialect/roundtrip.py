# ===- roundtrip.py - Every op, as text and as bytecode ---------------------------===#
#
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Writes instances of every operator of onnx.defs in the dialect's own form: with
all operands and attributes, with the required ones only, and with all optional
ones but the last absent. onnx-mlir-opt must print the very same text again, also
after a trip through the generic form and through bytecode.

--show prints the module, to look at or to try by hand.
"""

import argparse
import difflib
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "utils"))
import onnx_records as R

# Element types in the order of preference, and their spelling in MLIR.
ELEMENTS = {
    "float": "f32", "int32": "i32", "uint8": "ui8", "int64": "i64", "bool": "i1",
    "string": "!onnx.string", "double": "f64", "int8": "i8", "float16": "f16",
}

# Attributes that may not have just any value: by mode, "" for absent.
VALUES = {
    ("BitShift", "direction"): {"": '"LEFT"'},
    ("Einsum", "equation"): {"full": '"ij,jk->ik"', "": '"ij->ji"'},
    ("Split", "num_outputs"): {"full": "", "": "1"},
    ("CastMap", "cast_to"): {"full": '"TO_FLOAT"', "": ""},
    ("CastMap", "map_form"): {"full": '"DENSE"', "": ""},
    ("CategoryMapper", "cats_int64s"): {"": "[1, 2]"},
    ("CategoryMapper", "cats_strings"): {"": '["a", "b"]'},
    ("DictVectorizer", "int64_vocabulary"): {"": "[1, 2]"},
    ("DictVectorizer", "string_vocabulary"): {"": ""},
    ("FeatureVectorizer", "inputdimensions"): {"full": "[1, 2]", "": ""},
    **{("LabelEncoder", f"{part}_{form}"): {"": ""}
       for part in ("keys", "values", "default") for form in ("tensor", "strings", "int64s")},
    ("LabelEncoder", "keys_floats"): {"": "[0.5, 1.5]"},
    ("LabelEncoder", "values_floats"): {"": "[0.5, 1.5]"},
    ("LinearClassifier", "classlabels_ints"): {"": "[1, 2]"},
    ("LinearClassifier", "classlabels_strings"): {"": ""},
    # More than the pads.
    **{(op, "kernel_shape"): {"": "[3, 4]"} for op in ("AveragePool", "LpPool", "MaxPool")},
    ("Momentum", "mode"): {"": '"nesterov"'},
    ("OneHotEncoder", "cats_int64s"): {"": "[1, 2]"},
    ("OneHotEncoder", "cats_strings"): {"": ""},
    ("SVMClassifier", "classlabels_ints"): {"": "[1, 2]"},
    ("SVMClassifier", "classlabels_strings"): {"": ""},
    ("TreeEnsemble", "n_targets"): {"full": "3", "": ""},
    ("TreeEnsembleClassifier", "classlabels_int64s"): {"": "[1, 2]"},
    ("TreeEnsembleClassifier", "classlabels_strings"): {"": ""},
    ("TreeEnsembleRegressor", "n_targets"): {"full": "3", "": ""},
    ("TfIdfVectorizer", "mode"): {"full": '"TF"', "": '"TF"'},
    ("TreeEnsembleClassifier", "nodes_modes"): {"full": '["LEAF", "LEAF"]', "": ""},
    ("TreeEnsembleRegressor", "nodes_modes"): {"full": '["LEAF", "LEAF"]', "": ""},
    ("ZipMap", "classlabels_int64s"): {"": "[1, 2]"},
    ("ZipMap", "classlabels_strings"): {"": ""},
}
# Where the rule makes another type of it than the first that the formal allows.
OUTPUTS = {
    "CastMap": ["tensor<*xf32>"],
    "CategoryMapper": ["tensor<*x!onnx.string>"],
    "DictVectorizer": ["tensor<*xf64>"],
}
# How many tensors an optimizer takes and gives for each one that it trains.
OPTIMIZERS = {"Adagrad": (3, 2), "Adam": (4, 3), "Momentum": (3, 2)}
PADS = "[0, 1, 2, 3]"


def element_name(types, wrapper):
    names = [t[len(wrapper):].rstrip(")") for t in types if t.startswith(wrapper)]
    for preferred in ELEMENTS:
        if preferred in names:
            return ELEMENTS[preferred]
    return None


def mlir_map(text):
    """map(int64,tensor(float)) in MLIR's spelling."""
    inner = text.removeprefix("seq(")
    key, value = inner.removeprefix("map(").rstrip(")").split(",", 1)
    result = f"!onnx.map<{ELEMENTS[key]}, tensor<{ELEMENTS[value.removeprefix('tensor(').rstrip(')')]}>>"
    return f"!onnx.seq<{result}>" if text.startswith("seq(") else result


def mlir_type(formal):
    """A type that the formal allows, of unknown shape."""
    for wrapper, form in [
        ("tensor(", "tensor<*x{}>"),
        ("seq(tensor(", "!onnx.seq<tensor<*x{}>>"),
        ("optional(tensor(", "!onnx.opt<tensor<*x{}>>"),
    ]:
        name = element_name(formal.types, wrapper)
        if name:
            return form.format(name)
    return mlir_map(min(formal.types))


def number(value):
    """As printed: the shortest decimal, with a point."""
    mantissa, e, exponent = f"{R.float32(value):.9g}".partition("e")
    return mantissa + ("" if "." in mantissa else ".0") + e + exponent


def attribute_value(op, a):
    """The text of a value for the attribute: its default, else a plain one."""
    if a.type == "INT":
        return str(a.default if a.default is not None else 1)
    if a.type == "FLOAT":
        return number(a.default if a.default is not None else 0.5)
    if a.type == "STRING":
        return '"%s"' % (a.default or "text")
    if a.name == "pads":
        return PADS
    if op.name == "Scan":
        return "[0]"
    if a.type == "INTS":
        return "[%s]" % ", ".join(map(str, a.default or [1, 2]))
    if a.type == "FLOATS":
        return "[%s]" % ", ".join(map(number, a.default or [0.5, 1.5]))
    if a.type == "STRINGS":
        return "[%s]" % ", ".join(f'"{s}"' for s in a.default or ["a", "b"])
    if a.type == "TENSOR":
        return "dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>"
    if a.type == "TYPE_PROTO":
        return "tensor<2xf32>"
    raise ValueError(a.type)


SPARSE = ("#onnx.sparse_elements<values = dense<1.000000e+00> : tensor<1xf32>, "
          "indices = dense<2> : tensor<1xi64>, type = tensor<4xf32>>")

# One value attribute at a time, and the type it gives.
CONSTANTS = [
    ('value = dense<[1, 2]> : tensor<2xi64>', "tensor<2xi64>"),
    ('value = dense<["a", "b"]> : tensor<2x!onnx.string>', "tensor<2x!onnx.string>"),
    ('value = dense<3> : tensor<1xui8>', "tensor<1xui8>"),
    ('value_float = 1.5', "tensor<f32>"),
    ('value_floats = [1.5, -2.0]', "tensor<2xf32>"),
    ('value_int = -7', "tensor<i64>"),
    ('value_ints = [1, 2, 3]', "tensor<3xi64>"),
    ('value_string = "text"', "tensor<!onnx.string>"),
    ('value_strings = ["a", "b", "c"]', "tensor<3x!onnx.string>"),
    (f'sparse_value = {SPARSE}', "tensor<4xf32>"),
]


class Module:
    """The text of a module of one function per instance."""

    def __init__(self):
        self.lines = []

    def function(self, name, arguments, body):
        listed = ", ".join(f"%arg{i}: {t}" for i, t in enumerate(arguments))
        self.lines += [f"  func.func @{name}({listed}) {{", *body, "    return", "  }"]

    def text(self):
        return "\n".join(["module {", *self.lines, "}", "", ""])


def written(formals, mode):
    """Per written item: a type, or None for `_`."""
    items = []
    for i, f in enumerate(formals):
        last = i == len(formals) - 1
        if f.kind == "Single" or (f.kind == "Optional" and (mode == "full" or (mode == "holes" and last))):
            items.append(mlir_type(f))
        elif f.kind == "Variadic":
            items += [mlir_type(f)] * (2 if mode == "full" else 1)
        else:
            items.append(None)
    while items and items[-1] is None:
        items.pop()
    return items


def subgraph_arguments(op, types):
    """The types of a subgraph's arguments; the op's operands have `types`."""
    if op.name == "If":
        return []
    if op.name == "Loop":
        return ["tensor<i64>", "tensor<i1>", *types[2:]]
    if op.name == "SequenceMap":
        return ["tensor<*xf32>" for _ in types]
    return types if op.name == "Scan" else types[:1]


def region(name, op, types, outputs):
    """A subgraph that gives back its last arguments or, without any, a captured
    value."""
    arguments = subgraph_arguments(op, types)
    count = len(outputs) + (op.name == "Loop")
    names = [f"%arg{len(types) + i}" for i in range(len(arguments))]
    given = list(zip(names, arguments))[-count:] or [("%arg0", types[0])] * count
    chosen, kinds = zip(*given)
    block = ", ".join(f"{n}: {t}" for n, t in zip(names, arguments))
    return [f" {name} {{", *([f"    ^bb0({block}):"] if arguments else []),
            f"      onnx.yield {', '.join(chosen)} : {', '.join(kinds)}", "    }"]


def result_names(op, outputs):
    """`%0 = `, or the names of the outputs where an op has several."""
    count = sum(1 for t in outputs if t)
    if not count:
        return ""
    if len(op.outputs) == 1:
        return "%0 = " if count == 1 else f"%0:{count} = "
    return ", ".join(f"%{f.name}" for f, t in zip(op.outputs, outputs) if t) + " = "


def instance(module, op, mode):
    inputs, outputs = written(op.inputs, mode), written(op.outputs, mode)
    if op.name == "Loop":
        # A rule may ask for the loop's own count of results.
        inputs = [mlir_type(f) for f in op.inputs]
        outputs = inputs[2:]
    if op.name in OPTIMIZERS:
        taken, given = OPTIMIZERS[op.name]
        inputs = [*inputs[:2], *[inputs[2]] * taken]
        outputs = [inputs[2]] * given
    if op.name == "Gradient":
        # Two xs, and where they are written two zs.
        inputs, outputs = [inputs[0]] * (4 if mode == "full" else 2), [inputs[0]] * 2
    outputs = OUTPUTS.get(op.name, outputs)
    types = [t for t in inputs if t]
    if op.name == "If":
        outputs = [types[0]] * len(outputs)
    counter = iter(range(len(types)))
    operands = ", ".join(f"%arg{next(counter)}" if t else "_" for t in inputs)
    attributes, regions = [], [""]
    for a in sorted(op.attributes.values(), key=lambda a: a.name):
        if a.type == "GRAPH":
            continue
        value = attribute_value(op, a) if a.required or mode == "full" else ""
        if (op.name, a.name) in VALUES:
            choices = VALUES[op.name, a.name]
            value = choices.get(mode, choices[""])
        if value:
            attributes.append(f"{a.name} = {value}")
    graphs = [a for a in op.attributes.values() if a.type == "GRAPH"]
    order = ["then_branch", "else_branch", "body", "score_mod", "prob_mod"]
    for a in sorted(graphs, key=lambda a: order.index(a.name)):
        if a.required or mode == "full":
            lines = region(a.name, op, types, outputs)
            regions[-1] += lines[0]
            regions += lines[1:]
    left = result_names(op, outputs)
    to = ", ".join(t or "_" for t in outputs)
    if len(outputs) != 1 or not outputs[0]:
        to = f"({to})"
    mnemonic = op.spelled.removeprefix("ai.onnx.")
    dictionary = f" {{{', '.join(attributes)}}}" if attributes else ""
    tail = f"{dictionary} : ({', '.join(types)}) -> {to}"
    lines = f"    {left}onnx.{mnemonic}({operands})".split("\n")
    lines[-1] += regions[0]
    lines += regions[1:]
    lines[-1] += tail
    module.function(f"{op.name}_{mode}", types, lines)


def generate():
    module = Module()
    for key, op in sorted(R.schema_ops().items()):
        if op.name == "Constant":
            for i, (attribute, type) in enumerate(CONSTANTS):
                line = f"    %0 = onnx.Constant() {{{attribute}}} : () -> {type}"
                module.function(f"Constant_{i}", [], [line])
            continue
        modes = ["full", "required"]
        if sum(f.kind == "Optional" for f in op.inputs) > 1 or sum(f.kind == "Optional" for f in op.outputs) > 1:
            modes.append("holes")
        for mode in modes:
            instance(module, op, mode)
    return module.text()


def run(command, data):
    done = subprocess.run(command, input=data, capture_output=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}:\n{done.stderr.decode()[:4000]}")
    return done.stdout


def compare(what, want, have):
    if want == have:
        return True
    print(f"{what}:")
    lines = difflib.unified_diff(want.splitlines(), have.splitlines(), "written", "printed", lineterm="", n=1)
    print("\n".join(list(lines)[:60]))
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--opt", help="path of onnx-mlir-opt")
    parser.add_argument("--show", action="store_true", help="print the module and stop")
    options = parser.parse_args()
    text = generate()
    if options.show:
        print(text, end="")
        return
    opt = [options.opt, "-"]
    printed = run(opt, text.encode()).decode()
    good = compare("the same text", text, printed)
    generic = run([*opt, "--mlir-print-op-generic"], text.encode())
    good &= compare("through the generic form", printed, run(opt, generic).decode())
    bytecode = run([*opt, "--emit-bytecode"], text.encode())
    if not bytecode.startswith(b"ML\xefR"):
        sys.exit("--emit-bytecode wrote no bytecode")
    good &= compare("through bytecode", printed, run(opt, bytecode).decode())
    print(f"{text.count('func.func')} instances: {'same' if good else 'different'}")
    sys.exit(not good)


if __name__ == "__main__":
    main()
