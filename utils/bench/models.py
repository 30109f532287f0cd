"""Models to measure, and what to run them with."""

import importlib.util
import json
import subprocess
import sys

import numpy as np

from bench import native

# A model with one of these counts its arithmetic as dot products of bytes.
INTEGER_OPS = {"QLinearConv", "QLinearMatMul", "MatMulInteger", "ConvInteger", "QGemm", "QAttention",
               "MatMulIntegerToFloat", "DynamicQuantizeMatMul", "DynamicQuantizeLinear", "QuantizeLinear"}


class Model:
    """One model: `path` is its .onnx file, `feeds` its inputs, `tolerance` how
    far outputs may be from the reference, as a part of the largest, and `rel_l2`
    the same for the norm of the difference as a part of the reference's norm. `gflops` are
    1e9 operations of a run. measure.py adds `expected`, the outputs that are right, and
    `exact`, whether integer products had to be made exact for them."""

    def __init__(self, name, path, feeds, tolerance=1e-3, gflops=None, case="", rel_l2=None, bytes=None):
        self.name, self.path, self.feeds = name, path, feeds
        self.tolerance, self.gflops, self.case = tolerance, gflops, case
        self.rel_l2, self.given_bytes = rel_l2, bytes

    def is_int8(self):
        """Whether its products are of 8-bit integers."""
        import onnx
        return any(node.op_type in INTEGER_OPS
                   for node in onnx.load(self.path, load_external_data=False).graph.node)

    def bytes(self):
        """What a run reads and writes at least: weights, inputs and results, each once."""
        if self.given_bytes is not None:
            return self.given_bytes
        arrays = [*self.feeds.values(), *(self.expected or [])]
        return self.weight_bytes() + sum(np.asarray(array).nbytes for array in arrays)

    def open_shapes(self):
        """The sizes of the inputs for which the model leaves one open, as
        --input-shape takes them."""
        import onnx
        shapes = []
        for value in onnx.load(self.path, load_external_data=False).graph.input:
            dims = value.type.tensor_type.shape.dim
            if value.name in self.feeds and not all(dim.HasField("dim_value") for dim in dims):
                sizes = np.shape(self.feeds[value.name])
                shapes.append(f"{value.name}:{'x'.join(map(str, sizes))}")
        return shapes

    def weight_bytes(self):
        """What the model keeps in tensors, each once."""
        import onnx
        from onnx import numpy_helper
        model = onnx.load(self.path)
        seen, total = set(), 0

        def add(tensor):
            nonlocal total
            data = numpy_helper.to_array(tensor)
            key = (data.dtype.str, data.shape, hash(data.tobytes()))
            if key not in seen:
                seen.add(key)
                total += data.nbytes

        def walk(graph):
            for tensor in graph.initializer:
                add(tensor)
            for node in graph.node:
                for attribute in node.attribute:
                    if attribute.HasField("t"):
                        add(attribute.t)
                    if attribute.HasField("g"):
                        walk(attribute.g)
                    for inner in attribute.graphs:
                        walk(inner)
        walk(model.graph)
        return total


def load_recipes(root):
    """The module materialize.py of a folder of models."""
    spec = importlib.util.spec_from_file_location("materialize", root / "materialize.py")
    recipes = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(recipes)
    return recipes


def manifest_entries(root, names):
    """The entries of a folder with models.json and materialize.py, each with its .onnx file;
    those that are only recipes are made once, in the cache."""
    for entry in json.loads((root / "models.json").read_text())["models"]:
        if names and entry["name"] not in names:
            continue
        path = root / entry["dir"] / "model.onnx"
        if entry["form"] != "full":
            path = native.cache_folder("models") / f"{entry['name']}.onnx"
            if not path.exists():
                subprocess.run([sys.executable, root / "materialize.py", "--out",
                                path.parent, entry["name"]], check=True,
                               stdout=subprocess.DEVNULL)
        yield entry, path


def from_manifest(root, names):
    """The models of a folder with models.json and materialize.py."""
    recipes = load_recipes(root)
    for entry, path in manifest_entries(root, names):
        case = next((c for c in entry["cases"] if c.get("bench")), entry["cases"][0])
        yield Model(entry["name"], str(path), recipes.case_inputs(entry, case),
                    entry["tolerance"].get("rtol_of_absmax", 1e-3),
                    entry["gflops"], case["id"], entry["tolerance"].get("rel_l2"))


def make_feed(value, sizes):
    """Numbers for an input of a model: normal for floats, ones for integers.
    `sizes` has what open dimensions are; others are 1."""
    import onnx
    from onnx import helper
    tensor = value.type.tensor_type
    dtype = helper.tensor_dtype_to_np_dtype(tensor.elem_type)
    shape = [d.dim_value if d.HasField("dim_value") else sizes.get(d.dim_param, 1)
             for d in tensor.shape.dim]
    if tensor.elem_type == onnx.TensorProto.STRING:
        raise ValueError(f"input '{value.name}' holds strings; put arrays beside the model")
    if np.issubdtype(dtype, np.floating):
        return np.random.default_rng(1).standard_normal(shape).astype(dtype)
    return np.ones(shape, dtype)


def from_folder(folder, names, sizes):
    """Every .onnx file of a folder. Inputs come from NAME.npz beside NAME.onnx,
    or are made up; tolerances from NAME.json, if it is there."""
    import onnx
    for path in sorted(folder.glob("*.onnx")):
        if names and path.stem not in names:
            continue
        arrays = path.with_suffix(".npz")
        if arrays.exists():
            feeds = dict(np.load(arrays))
        else:
            graph = onnx.load(path, load_external_data=False).graph
            constants = {tensor.name for tensor in graph.initializer}
            feeds = {value.name: make_feed(value, sizes) for value in graph.input
                     if value.name not in constants}
        beside = path.with_suffix(".json")
        given = json.loads(beside.read_text()) if beside.exists() else {}
        yield Model(path.stem, str(path), feeds, given.get("rtol_of_absmax", 1e-3), rel_l2=given.get("rel_l2"))


def find(root, names, sizes):
    if (root / "models.json").exists():
        return from_manifest(root, names)
    return from_folder(root, names, sizes)
