"""Whether what is a little different from the functions of FileCheck tests still
computes the same before and after the passes of their RUN lines: a number of a
constant or an attribute is another one, operands change places, a size is 1 or
not known, a value has one more use, the numbers are of another type, the opset is an older one. A rewrite
that no longer asks for something it needs is seen there: most functions meet all
of its conditions, and a variation all but one. A sum is printed, and what differs.

usage: variations.py BUILD COUNT FIRST FILE.mlir...

Each function is varied in COUNT ways, from the FIRST on; a way depends on its
number, the function's name and its text. Who is asked is told in before_and_after.py.
"""

import copy
import multiprocessing
import os
import pathlib
import re
import signal
import sys
import warnings
import zlib

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper

import before_and_after as checks
import differential
from onnxc import optimizer
import onnxc

VALID = 4  # ways that are tried for one that is a model
SIZES = (3, 1, None)  # as in before_and_after.py
# Strings that stand for each other.
WORDS = [{"constant", "edge", "reflect", "wrap"}, {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"}, {"forward", "reverse", "bidirectional"},
         {"none", "add", "mul", "max", "min"}, {"nearest", "linear", "cubic"}, {"none", "mean", "sum"}, {"DCR", "CRD"}, {"none", "tanh"},
         {"half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"}, {"floor", "ceil", "round_prefer_floor", "round_prefer_ceil"}]
TYPES = {TensorProto.FLOAT: [TensorProto.DOUBLE, TensorProto.FLOAT16, TensorProto.INT32, TensorProto.INT64, TensorProto.INT8, TensorProto.UINT8],
         TensorProto.INT64: [TensorProto.FLOAT, TensorProto.INT32], TensorProto.DOUBLE: [TensorProto.FLOAT], TensorProto.FLOAT16: [TensorProto.FLOAT],
         TensorProto.UINT8: [TensorProto.INT8], TensorProto.INT8: [TensorProto.UINT8], TensorProto.BOOL: [TensorProto.INT32],
         TensorProto.INT32: [TensorProto.INT64, TensorProto.FLOAT]}


def graphs(graph):
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from graphs(attribute.g)


def pick(rng, values):
    return values[int(rng.integers(len(values)))]


class Variation:
    """One way to change a model; False where there is nothing of the kind."""

    def __init__(self, model, rng):
        self.model, self.rng = model, rng
        self.graphs = list(graphs(model.graph))
        self.nodes = [node for graph in self.graphs for node in graph.node]

    def _tensors(self):
        return [*(tensor for graph in self.graphs for tensor in graph.initializer),
                *(attribute.t for node in self.nodes for attribute in node.attribute if attribute.HasField("t"))]

    def _attributes(self, *kinds):
        return [attribute for node in self.nodes for attribute in node.attribute if attribute.type in kinds]

    def _number(self, old):
        if isinstance(old, (int, np.integer)):
            new = pick(self.rng, [old + 1, old - 1, old + 1, old - 1, -old, 0, 1, 2 * old])
            return max(-2**63, min(new, 2**63 - 1)) if isinstance(old, int) else new
        return pick(self.rng, [0, 1, -1, old * 1.25, old + 1, -old, 2 * old])

    def number(self):
        """Of a constant."""
        tensors = [tensor for tensor in self._tensors() if 0 not in tensor.dims and tensor.data_type != TensorProto.STRING]
        if not tensors:
            return False
        tensor = pick(self.rng, tensors)
        value = numpy_helper.to_array(tensor).copy()
        flat = value.reshape(-1)
        at = int(self.rng.integers(flat.size))
        if value.dtype.kind == "b":
            flat[at] = not flat[at]
        elif flat.size > 1 and self.rng.integers(3) == 0:
            other = int(self.rng.integers(flat.size))
            flat[at], flat[other] = flat[other], flat[at]
        else:
            new = np.array(self._number(flat[at] if value.dtype.kind in "iu" else float(flat[at]))).astype(value.dtype)
            flat[slice(None) if self.rng.integers(3) == 0 else at] = new
        tensor.CopyFrom(numpy_helper.from_array(flat.reshape(value.shape), tensor.name))
        return True

    def rank(self):
        """Of a constant: with one dimension of size 1 more, or less, or the numbers in a list."""
        tensors = self._tensors()
        if not tensors:
            return False
        tensor = pick(self.rng, tensors)
        dims = list(tensor.dims)
        ones = [axis for axis, dim in enumerate(dims) if dim == 1]
        if ones and self.rng.integers(2):
            del dims[pick(self.rng, ones)]
        else:
            dims.insert(int(self.rng.integers(len(dims) + 1)), 1)
        tensor.dims[:] = dims
        return True

    def attribute(self):
        found = self._attributes(onnx.AttributeProto.INT, onnx.AttributeProto.FLOAT, onnx.AttributeProto.INTS, onnx.AttributeProto.STRING)
        if not found:
            return False
        attribute = pick(self.rng, found)
        if attribute.type == onnx.AttributeProto.INT:
            attribute.i = int(1 - attribute.i if attribute.i in (0, 1) and self.rng.integers(2) else self._number(attribute.i))
        elif attribute.type == onnx.AttributeProto.FLOAT:
            attribute.f = float(self._number(attribute.f))
        elif attribute.type == onnx.AttributeProto.STRING:
            old = attribute.s.decode()
            words = [word for group in WORDS if old in group for word in sorted(group - {old})]
            if not words:
                return False
            attribute.s = pick(self.rng, words).encode()
        elif attribute.ints:
            at, other = self.rng.integers(len(attribute.ints), size=2)
            if at != other and self.rng.integers(2):
                attribute.ints[at], attribute.ints[other] = attribute.ints[other], attribute.ints[at]
            else:
                attribute.ints[at] = int(self._number(attribute.ints[at]))
        return True

    def default(self):
        """An attribute or the last operand is left out."""
        node = pick(self.rng, self.nodes) if self.nodes else onnx.NodeProto()
        if node.attribute and self.rng.integers(2) and node.op_type != "Constant":
            del node.attribute[int(self.rng.integers(len(node.attribute)))]
        elif len(node.input) > 1:
            del node.input[-1]
        else:
            return False
        return True

    def operands(self):
        """Two change places, or one becomes another value."""
        nodes = [node for node in self.nodes if node.input]
        if not nodes:
            return False
        node = pick(self.rng, nodes)
        at = int(self.rng.integers(len(node.input)))
        if len(node.input) > 1 and self.rng.integers(2):
            other = int(self.rng.integers(len(node.input)))
            node.input[at], node.input[other] = node.input[other], node.input[at]
        else:
            values = [*(value.name for value in self.model.graph.input), *(tensor.name for tensor in self.model.graph.initializer),
                      *(name for other in self.nodes for name in other.output)]
            node.input[at] = pick(self.rng, values)
        return True

    def one_more_use(self):
        known = {value.name for value in self.model.graph.output}
        names = [name for node in self.model.graph.node if node.op_type != "Constant" for name in node.output if name and name not in known]
        if not names:
            return False
        self.model.graph.output.append(onnx.ValueInfoProto(name=pick(self.rng, names)))
        return True

    def size(self):
        """Of what has it; of one value, or of all."""
        dims = [(value.name, dim) for value in self.model.graph.input if value.type.HasField("tensor_type") for dim in value.type.tensor_type.shape.dim]
        if not dims:
            return False
        name, chosen = pick(self.rng, dims)
        old = copy.deepcopy(chosen)
        new = pick(self.rng, [1, 1, 2, 3, 4, old.dim_value + 1, None])
        everywhere = bool(self.rng.integers(2))
        for value, dim in dims:
            if dim is chosen or everywhere and dim == old:
                dim.Clear()
                if new is not None:
                    dim.dim_value = new
        return True

    def element_type(self):
        """Of everything that has it."""
        inputs = [value.type.tensor_type.elem_type for value in self.model.graph.input]
        old = pick(self.rng, inputs) if inputs else 0
        if old not in TYPES:
            return False
        new = pick(self.rng, TYPES[old])
        for graph in self.graphs:
            for value in [*graph.input, *graph.output]:
                if value.type.tensor_type.elem_type == old:
                    value.type.tensor_type.elem_type = new
        for tensor in self._tensors():
            if tensor.data_type == old:
                value = numpy_helper.to_array(tensor)
                with np.errstate(all="ignore"):
                    tensor.CopyFrom(numpy_helper.from_array(value.astype(onnx.helper.tensor_dtype_to_np_dtype(new)), tensor.name))
        for node in self.nodes:
            for attribute in node.attribute:
                if attribute.name in ("to", "dtype") and attribute.i == old:
                    attribute.i = new
        return True

    def opset(self):
        """An older one, and an attribute with a default less, which is another one there, maybe."""
        try:
            self.model.CopyFrom(onnxc.convert_version(self.model, pick(self.rng, [9, 10, 11, 12, 13, 17, 19])))
        except onnxc.Error:
            return False
        self.__init__(self.model, self.rng)
        self.default()
        return True

    KINDS = [number, number, number, rank, attribute, attribute, default, operands, operands, one_more_use, size, size, element_type,
             opset]


def infer(serialized):
    """A model with the types of the outputs, and no others; None if it is no model."""
    model = onnx.load_from_string(serialized)
    del model.graph.value_info[:]
    for value in model.graph.output:
        element = value.type.tensor_type.elem_type
        value.ClearField("type")
        if element:
            value.type.tensor_type.elem_type = element
    try:
        inferred = onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)
        types = {value.name: value.type for value in inferred.graph.value_info}
        for value in inferred.graph.output:
            if not value.type.WhichOneof("value"):
                value.type.CopyFrom(types[value.name])
        del inferred.graph.value_info[:]
        onnx.checker.check_model(inferred)
        return inferred.SerializeToString()
    except Exception:  # noqa: BLE001 - whatever is wrong with it
        return None


class Inference:
    """infer() in a process of its own: that of the onnx package ends it where the
    lengths of a Split do not fit."""

    def __init__(self):
        self.process = None

    def ask(self, model):
        if not self.process:
            self.ours, theirs = multiprocessing.Pipe()
            self.process = multiprocessing.Process(target=self._serve, args=[theirs], daemon=True)
            self.process.start()
            theirs.close()
        self.ours.send(model.SerializeToString())
        try:
            answer = self.ours.recv()
        except EOFError:
            self.process = None
            return None
        return answer and onnx.load_from_string(answer)

    @staticmethod
    def _serve(pipe):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # what it says when it ends
        while True:
            pipe.send(infer(pipe.recv()))


def varied(model, rng, inference):
    """A model that is a little different; None if none was found."""
    for _ in range(VALID):
        new = copy.deepcopy(model)
        variation = Variation(new, rng)
        done = [pick(rng, Variation.KINDS)(variation) for _ in range(1 if rng.integers(4) else 2)]
        if any(done) and (inferred := inference.ask(new)):
            return inferred
    return None


def passes_of(text):
    """Those of the RUN lines, as the optimizer calls them, and how exact they are."""
    names = []
    for line in re.findall(r"^// RUN: onnx-mlir-opt %s (.*?) \| FileCheck", text, re.M):
        words = re.findall(r"[\w-]+", line)
        names += [name for word in words if (name := word.strip("-").removeprefix("onnx-").replace("_", "-")) in checks.PASSES]
    names = [name for name in dict.fromkeys(names) if checks.PASSES[name] != "values" and name not in checks.INTERFACE]
    rounds = any(checks.PASSES[name] == differential.ROUNDING for name in names) or "constant-fold" in names
    return [name.replace("-", "_") for name in names], differential.ROUNDING if rounds else differential.EXACT


def judge(model, passes, exactness, seed):
    """(whether it was changed, how often compared, what differs)."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            after = optimizer.optimize(model, passes, True, upstream_compatible=False, nsz=False, keep_interface=True)
            before = optimizer.optimize(model, ["nop"], upstream_compatible=False)
    except onnxc.Error:  # what the importer finds wrong with it
        return False, 0, None
    if after == before:
        return False, 0, None
    return True, *checks.compare(model, after, exactness, seed, SIZES, among_levels=True)


def main():
    signal.signal(signal.SIGPROF, checks.stop)
    np.seterr(all="ignore")  # the ends of the types are among the numbers
    count, first = int(sys.argv[2]), int(sys.argv[3])
    tried, changed, compared, differs, inference = 0, 0, 0, [], Inference()
    for path in map(pathlib.Path, sys.argv[4:]):
        text = path.read_text()
        passes, exactness = passes_of(text)
        if not passes:
            continue
        for name, module in checks.functions(text):
            model = checks.to_onnx(module)
            if not model or differential.is_random(model.graph):
                continue
            for way in range(first, first + count):
                seed = zlib.crc32(f"{path.name} {name} {way}".encode())
                new = varied(model, np.random.default_rng(seed), inference)
                if not new:
                    continue
                done, times, wrong = judge(new, passes, exactness, seed)
                tried, changed, compared = tried + 1, changed + done, compared + times
                if wrong:
                    differs.append(f"{path.name} @{name} way {way}: {wrong}\n{onnx.printer.to_text(new)}")
    print(*differs, sep="\n")
    print(f"{tried} variations, {changed} of them rewritten, {compared} comparisons, {len(differs)} differ")


if __name__ == "__main__":
    main()
