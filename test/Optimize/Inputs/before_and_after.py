"""Whether the functions of FileCheck tests compute the same before and after the
passes of their RUN lines, by ONNX's reference evaluator; a sum is printed, and
what differs. The evaluator has faults of its own (pads of MaxPool): onnxc -O0
has the second word.

usage: before_and_after.py BUILD FILE.mlir...

Each function is the graph of a model; values that nothing uses become its
outputs. What the evaluator cannot run before the passes tells nothing.
"""

import itertools
import pathlib
import re
import signal
import subprocess
import sys
import warnings
import zlib

import numpy as np
import onnx
import onnx.reference

BUILD = pathlib.Path(sys.argv[1])
sys.path[:0] = [str(BUILD / "python"), str(pathlib.Path(__file__).resolve().parents[2] / "optimizer")]

import differential  # noqa: E402
from onnxc import optimizer  # noqa: E402

PASSES = {described["name"].replace("_", "-"): described["exactness"] for described in optimizer.describe_passes()}
INTERFACE = [name.replace("_", "-") for name in differential.INTERFACE]
SIZES = (3, 1, 2, 4, None, None, None)  # of what is open, all alike or (None) each its own
SECONDS = 3  # of processor, for one evaluation
SEPARATOR = "\n// -----\n"
FUNCTION = re.compile(r"^( *)func\.func (private )?@[\w.]+.*?^\1\}$", re.M | re.S)
NUMBERS = np.array([0.5, -1.5, 2.0, -0.25, 1.0, 3.0, -2.0, 0.75])


def with_outputs(function):
    """The function returns what nothing uses, too."""
    match = re.search(r"^  return *(.*?)(?: : (.*))?$", function, re.M)
    if not match:
        return function
    values, types = [match[1]] if match[1] else [], [match[2]] if match[2] else []
    for name, type_text in re.findall(r"^  (%\w+) = .* -> (\S.*)$", function, re.M):
        if len(re.findall(re.escape(name) + r"\b", function)) == 1 and not type_text.startswith("("):
            values.append(name)
            types.append(type_text)
    if not values:
        return function
    head = function[:match.start()]
    if len(values) != bool(match[1]):
        joined = ", ".join(types)
        head, count = re.subn(r"(^ *func\.func [^\n]*?)(?: -> (?:\(.*\)|\S+))?((?: attributes \{[^\n]*\})? \{)$",
                              lambda m: f"{m[1]} -> ({joined}){m[2]}", head, count=1, flags=re.M)
        if not count:
            return function
    return head + f"  return {', '.join(values)} : {', '.join(types)}" + function[match.end():]


def functions(text):
    """(name, module) of each function that stands for itself."""
    for part in re.split(r"^// -----.*$", text, flags=re.M):
        aliases = "\n".join(re.findall(r"^[!#]\w+ = .*$", part, re.M))
        part = re.sub(r"^ *//.*\n", "", part, flags=re.M)
        found = list(FUNCTION.finditer(part))
        wrapper = re.search(r"^module (attributes \{.*\} )?\{$", part, re.M)
        for match in found:
            if match[2] or re.search(r"\bcall @", match[0]) or wrapper and len(found) > 1:
                continue
            function = with_outputs(match[0])
            if "onnx.entry" not in function.split("\n")[0] + function.split(" {\n")[0]:
                if re.search(r"attributes \{", function.split(" {\n")[0]):
                    function = function.replace("attributes {", "attributes {onnx.entry, ", 1)
                else:
                    function = re.sub(r" \{\n", " attributes {onnx.entry} {\n", function, count=1)
            if wrapper:
                function = f"{wrapper[0]}\n{function}\n}}"
            yield re.search(r"@([\w.]+)", match[0])[1], f"{aliases}\n{function}\n"


def run(command, text):
    return subprocess.run(command, input=text.encode(), capture_output=True)


def to_onnx(module):
    done = run([BUILD / "bin" / "onnx-mlir-translate", "--mlir-to-onnx", "-"], module)
    return onnx.load_from_string(done.stdout) if done.returncode == 0 else None


def make_input(value, size, named, rng):
    """`named` has the sizes of symbols."""
    if not value.type.HasField("tensor_type"):
        raise ValueError("no tensor")
    type = value.type.tensor_type

    def size_of(dim):
        if dim.HasField("dim_value"):
            return dim.dim_value
        any_size = size or int(rng.integers(1, 5))
        return named.setdefault(dim.dim_param, any_size) if dim.dim_param else any_size

    shape = [size_of(dim) for dim in type.shape.dim] if type.HasField("shape") else [size or 3, 2]
    dtype = onnx.helper.tensor_dtype_to_np_dtype(type.elem_type)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind == "O" or type.elem_type == onnx.TensorProto.STRING:
        return rng.choice(np.array(["", "a", "bc"], dtype=object), shape)
    if dtype.kind in "iu":
        return rng.integers(0, 3, shape).astype(dtype)
    return (rng.choice(NUMBERS, shape) * rng.choice([1, 1, 1.25], shape)).astype(dtype)


def evaluate(model, feeds):
    names = [value.name for value in model.graph.input]
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return onnx.reference.ReferenceEvaluator(model).run(None, dict(zip(names, feeds)))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def stop(*_):
    raise TimeoutError(f"{SECONDS} s")


def fits(value, info):
    """Whether it is of the type that the model declares: what is not, was
    computed from wrong sizes, or by an evaluator that has types of its own."""
    type = info.type.tensor_type
    if not info.type.HasField("tensor_type") or not isinstance(value, np.ndarray):
        return True
    shape = [d.dim_value if d.HasField("dim_value") else None for d in type.shape.dim] if type.HasField("shape") else [None] * value.ndim
    same = value.ndim == len(shape) and all(has in (None, size) for has, size in zip(shape, value.shape))
    return same and (value.dtype.kind in "OSU" or value.dtype == onnx.helper.tensor_dtype_to_np_dtype(type.elem_type))


def is_finite(value):
    return not isinstance(value, np.ndarray) or value.dtype.kind != "f" or np.isfinite(value).all()


def run_onnxc(model, feeds):
    return differential.run_onnxc(model, {value.name: feed for value, feed in zip(model.graph.input, feeds)})


def disagreement(run, model, feeds, want, exactness):
    try:
        return differential.difference(run(model, feeds), want, exactness)
    except Exception as error:  # noqa: BLE001 - whatever it is, there are no results
        return f"{type(error).__name__}: {error}"


def changed_by_onnxc(before, after, feeds, exactness):
    """What differs between the models at -O0; None if that does not run the first."""
    try:
        want = run_onnxc(before, feeds)
    except Exception:  # noqa: BLE001 - whatever it is, there are no results
        return None
    return disagreement(run_onnxc, after, feeds, want, exactness)


def compare(before, after, exactness, seed, sizes=SIZES, among_levels=False):
    """How often it was compared, and what differs. `among_levels`: what onnxc -O0
    makes of `before` has the last word, where it is not what the evaluator says."""
    count = 0
    for turn, (size, again) in enumerate(itertools.product(sizes, range(2))):
        rng, named = np.random.default_rng([seed, turn]), {}
        try:
            feeds = [make_input(value, size, named, rng) for value in before.graph.input]
            want = evaluate(before, feeds)
        except TimeoutError:
            break
        except Exception:  # noqa: BLE001 - the reference evaluator's own limits, or sizes that do not fit
            continue
        if not all(map(fits, want, before.graph.output)) or exactness == differential.ROUNDING and not all(map(is_finite, want)):
            continue
        count += 1
        if text := disagreement(evaluate, after, feeds, want, exactness) and disagreement(run_onnxc, after, feeds, want, exactness):
            if among_levels and not (text := changed_by_onnxc(before, after, feeds, exactness)):
                continue
            return count, f"inputs {[list(feed.shape) for feed in feeds]}: {text}"
        if not any(d.dim_param or not d.HasField("dim_value") for v in before.graph.input for d in v.type.tensor_type.shape.dim) and again:
            break
    return count, None


def main():
    signal.signal(signal.SIGPROF, stop)
    compared, differs, silent = 0, [], 0
    for path in map(pathlib.Path, sys.argv[2:]):
        text = path.read_text()
        modules = list(functions(text))
        models = [to_onnx(module) for _, module in modules]
        for line in re.findall(r"^// RUN: onnx-mlir-opt %s (.*?) \| FileCheck", text, re.M):
            named = [exactness for name, exactness in PASSES.items() if re.search(rf"{name}\b", line.replace("_", "-"))]
            # What a promise allows, and passes that are for other numbers, are not compared.
            if re.search("nnan|ninf|assume|keep-interface|upstream", line) or "values" in named or any(name in line for name in INTERFACE):
                continue
            exactness = next((e for e in (differential.ROUNDING, differential.ZERO) if e in named or e == differential.ZERO and "nsz" in line),
                             differential.EXACT)
            if "constant-fold" in line or "canonicalize" in line or "onnxc-optimize" in line or "onnx-optimize" in line:
                exactness = differential.ROUNDING
            flags = [flag.replace("'", "").replace('"', "") for flag in re.findall(r"""(?:[^\s'"]|'[^']*'|"[^"]*")+""", line)]
            flags = [flag for flag in flags if flag not in ("--split-input-file", "--mlir-print-debuginfo", "--mlir-print-local-scope")]
            given = [(name, module, model) for (name, module), model in zip(modules, models) if model]
            if not given:
                continue
            done = run([BUILD / "bin" / "onnx-mlir-opt", "-", "--split-input-file", *flags], SEPARATOR.join(module for _, module, _ in given))
            after = done.stdout.decode().split("// -----")
            if len(after) != len(given):
                differs.append(f"{path.name}: {len(given)} functions, {len(after)} after {line}: {done.stderr.decode()[:300]}")
                continue
            for (name, _, before), module in zip(given, after):
                model = to_onnx(module)
                count, wrong = compare(before, model, exactness, zlib.crc32(name.encode())) if model else (1, "is not exported")
                compared += count
                silent += not count
                if not count:
                    print(f"{path.name} @{name}: the evaluator does not run it", file=sys.stderr)
                if wrong:
                    differs.append(f"{path.name} @{name} {line}: {wrong}")
    print(*differs, sep="\n")
    print(f"{compared} comparisons, {silent} functions without any, {len(differs)} differ")


if __name__ == "__main__":
    main()
