# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cases of ONNX's backend test suite, of today and of its past, and the three modes they run in."""

import dataclasses
import os
import pathlib
import pickle
import re
import sys
import tarfile

import ml_dtypes
import numpy as np
import onnx
from onnx import numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from corrections import correct  # noqa: E402
from open_sizes import forget_sizes  # noqa: E402

KINDS = ("node", "simple", "pytorch-converted", "pytorch-operator", "light")
MODES = ("static", "dynamic", "constant")
# Of ONNX's releases 1.0.1 to 1.22.0, with the results of the operators of their time; README.md says more.
OLD_CASES = pathlib.Path(__file__).resolve().parent / "old-opsets.tar.xz"


@dataclasses.dataclass
class Case:
    """A test. `data_sets` are pairs of lists: inputs and expected outputs."""

    name: str
    kind: str
    model: bytes
    data_sets: list
    rtol: float
    atol: float
    # The operators that it is a test of.
    ops: list


def cache_folder():
    home = os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")
    return pathlib.Path(home) / "onnxc" / "onnx-node" / f"onnx-{onnx.__version__}"


def load_cases(suite="current"):
    """All cases by name: those of the installed onnx, or "old" ones. The suite
    computes them, which takes long: they are kept for next time."""
    if suite == "old":
        return {case.name: case for case in _unpack(OLD_CASES)}
    path = cache_folder() / "cases.pickle"
    try:
        with open(path, "rb") as file:
            return pickle.load(file)
    except FileNotFoundError:
        pass
    cases = {}
    for case in _generate():
        name = case.name if case.name not in cases else f"{case.name}[{case.kind}]"
        cases[name] = dataclasses.replace(case, name=name)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(f".{os.getpid()}")
    with open(temporary, "wb") as file:
        pickle.dump(cases, file)
    temporary.rename(path)
    return cases


def _generate():
    from onnx.backend.test import loader
    for test in loader.load_model_tests(kind="node"):
        data_sets = [([_array(v) for v in inputs], [_array(v) for v in outputs]) for inputs, outputs in test.data_sets]
        yield _case(test.name, "node", test.model, data_sets, test.rtol, test.atol)
    for kind in ("simple", "pytorch-converted", "pytorch-operator"):
        for test in sorted(loader.load_model_tests(kind=kind), key=lambda test: test.name):
            folder = pathlib.Path(test.model_dir)
            model = onnx.load(folder / "model.onnx")
            data_sets = [(_read_all(data, "input", model.graph.input), _read_all(data, "output", model.graph.output))
                         for data in sorted(folder.glob("test_data_set*"))]
            yield _case(test.name, kind, model, data_sets, test.rtol, test.atol)
    folder = pathlib.Path(loader.DATA_DIR) / "light"
    for path in sorted(folder.glob("*.onnx")):
        model = onnx.load(path)
        outputs = [folder / f"{path.stem}_output_{i}.pb" for i in range(len(model.graph.output))]
        data = [_read(file, value.type) for file, value in zip(outputs, model.graph.output) if file.exists()]
        yield _case("test_" + path.stem, "light", model, [(_ramps(model), data)], 1e-3, 1e-7)


def _unpack(archive):
    """In it: CASE@RELEASE/model.onnx, input_0.pb, ..., output_0.pb, ..."""
    folders = {}
    with tarfile.open(archive) as files:
        for member in files:
            name, _, file = member.name.partition("/")
            folders.setdefault(name, {})[file] = files.extractfile(member).read()
    for name, files in folders.items():
        model = onnx.ModelProto.FromString(files["model.onnx"])
        constants = {tensor.name for tensor in model.graph.initializer}
        data = [[_parse(files[f"{what}_{i}.pb"], value.type) for i, value in enumerate(values)]
                for what, values in (("input", [v for v in model.graph.input if v.name not in constants]),
                                     ("output", model.graph.output))]
        yield _case(name, "node", model, [correct(name, model, *data)], 1e-3, 1e-7)


def _case(name, kind, model, data_sets, rtol, atol):
    types = {f"{node.domain}.{node.op_type}" if node.domain not in ("", "ai.onnx") else node.op_type
             for node in model.graph.node}
    if len(types) > 1:
        types.discard("Constant")
    # An operator's body, expanded, tests other operators than it is named for.
    is_own = kind == "node" and not re.search(r"_expanded(_ver\d+)?(@|$)", name)
    return Case(name, kind, model.SerializeToString(), data_sets, rtol, atol, sorted(types) if is_own else [])


def _array(value):
    return numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value


def _read_all(folder, what, values):
    files = [folder / f"{what}_{i}.pb" for i in range(len(list(folder.glob(f"{what}_*.pb"))))]
    return [_read(file, value.type) for file, value in zip(files, values)]


def _read(path, declared):
    return _parse(path.read_bytes(), declared)


def _parse(content, declared):
    kind, convert = {
        "sequence_type": (onnx.SequenceProto, numpy_helper.to_list),
        "optional_type": (onnx.OptionalProto, numpy_helper.to_optional),
    }.get(declared.WhichOneof("value"), (onnx.TensorProto, numpy_helper.to_array))
    message = kind()
    message.ParseFromString(content)
    return convert(message)


def _ramps(model):
    """The inputs of the set "light": what its runner calls dummy data."""
    constants = {tensor.name for tensor in model.graph.initializer}
    inputs = []
    for value in model.graph.input:
        if value.name not in constants:
            shape = [dim.dim_value if dim.HasField("dim_value") else 1 for dim in value.type.tensor_type.shape.dim]
            count = int(np.prod(shape))
            inputs.append((np.arange(count).reshape(shape) / count).astype(np.float32))
    return inputs


def in_mode(case, mode):
    """The case as (model, inputs, expected outputs) per run; an empty list if
    the mode is the static one once more."""
    model = onnx.ModelProto()
    model.ParseFromString(case.model)
    if mode == "static":
        return [(model, *data) for data in case.data_sets]
    if mode == "dynamic":
        return [(model, *data) for data in case.data_sets] if forget_sizes(model) else []
    return [run for data in case.data_sets if (run := _with_constants(case.model, data))]


def _with_constants(serialized, data):
    """The run with all inputs that are tensors as initializers; None if it has
    none."""
    model = onnx.ModelProto()
    model.ParseFromString(serialized)
    inputs, outputs = data
    constants = {tensor.name for tensor in model.graph.initializer}
    free = [value for value in model.graph.input if value.name not in constants]
    kept, left = [], []
    for value, array in zip(free, inputs, strict=True):
        if isinstance(array, np.ndarray | np.generic):
            # Earlier releases stored bfloat16 as the integers that it is made of.
            if value.type.tensor_type.elem_type == onnx.TensorProto.BFLOAT16 and array.dtype == np.uint16:
                array = array.view(ml_dtypes.bfloat16)
            model.graph.initializer.append(numpy_helper.from_array(np.asarray(array), value.name))
        else:
            kept.append(value)
            left.append(array)
    if len(kept) == len(free):
        return None
    del model.graph.input[:]
    model.graph.input.extend(kept)
    # Before, an initializer had to be an input, too.
    model.ir_version = max(model.ir_version, 4)
    return model, left, outputs


def compare(got, want, rtol, atol, where="output"):
    """What is wrong with `got`, None if nothing: the rule of ONNX's own runner."""
    if want is None or got is None:
        return None if want is got else f"{where}: {_brief(got)}, expected {_brief(want)}"
    if isinstance(want, (list, tuple)):
        if not isinstance(got, (list, tuple)) or len(got) != len(want):
            return f"{where}: {_brief(got)}, expected {_brief(want)}"
        parts = (compare(g, w, rtol, atol, f"{where}[{i}]") for i, (g, w) in enumerate(zip(got, want)))
        return next((wrong for wrong in parts if wrong), None)
    if isinstance(want, dict):
        if not isinstance(got, dict) or list(got) != list(want):
            return f"{where}: {_brief(got)}, expected {_brief(want)}"
        return compare(list(got.values()), list(want.values()), rtol, atol, where)
    want = np.asarray(want)
    if not isinstance(got, np.ndarray) or got.shape != want.shape or (got.dtype != want.dtype and want.dtype.kind != "U"):
        return f"{where}: {_brief(got)}, expected {_brief(want)}"
    if want.dtype.kind in "OU":
        return None if got.tolist() == want.tolist() else f"{where}: {got.tolist()!r:.150}, expected {want.tolist()!r:.150}"
    if want.dtype.kind == "V" or want.dtype.name == "bfloat16":  # ml_dtypes
        if want.dtype.name == "bfloat16":
            rtol = max(rtol, 2**-6)
        got, want = got.astype(np.float32), want.astype(np.float32)
    good = np.isclose(got, want, rtol=rtol, atol=atol, equal_nan=True)
    if good.all():
        return None
    at = tuple(int(i) for i in np.argwhere(~good)[0])
    return (f"{where}: {np.count_nonzero(~good)} of {good.size} elements differ, the first at {list(at)}: "
            f"{got[at]}, expected {want[at]}")


def _brief(value):
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)}"
    if isinstance(value, (list, tuple)):
        return f"list of {len(value)}"
    return repr(value)[:80]
