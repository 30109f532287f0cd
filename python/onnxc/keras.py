# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of Keras 3, compiled.

    import onnxc.keras
    fast = onnxc.keras.compile(model)                       # any number of rows
    fast.predict(x)                                         # as model.predict(x): arrays of numpy
    onnxc.keras.compile(model, output="model.so", sizes={"tokens": ["n", "length"]})

With the TensorFlow backend the conversion is tf2onnx's; with another one it is the model's own
export(format="onnx"). Keras is needed to convert; a Session runs without it.
"""
from __future__ import annotations

import importlib
import itertools
import logging
import os
import re
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, overload

import numpy as np

from . import compiler, session
from .errors import Error

if TYPE_CHECKING:
    import onnx

    # By the name of an input, or of the only one: a number fixes a size, a name names it, None leaves it.
    Sizes: TypeAlias = Mapping[str, Sequence[int | str | None]] | Sequence[int | str | None]

__all__ = ["OPSET", "Session", "compile", "to_onnx"]

OPSET = 17  # tf2onnx writes up to 18
_MOST_BYTES = (1 << 31) - (1 << 20)  # of weights: what a ModelProto and TensorFlow's GraphDef hold
_KERAS_NAME = re.compile(r"(keras_tensor|input_layer)(_\d+)?")  # of an input without a name


class _Input:
    """One input of a model: its name, its sizes (None: open, a text: open and named) and its type."""

    def __init__(self, name: str, shape: Sequence[int | str | None], dtype: str) -> None:
        self.name, self.shape, self.dtype = name, list(shape), dtype

    @property
    def fixed(self) -> list[int | None]:
        """The sizes without names."""
        return [size if isinstance(size, int) else None for size in self.shape]


def _package(name: str, what: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise Error(f"{what} needs the package {(error.name or name).partition('.')[0]}") from None


def _leaves(structure: Any) -> Iterator[Any]:
    """What is in dicts, lists and tuples, in their order."""
    if isinstance(structure, dict):
        structure = structure.values()
    elif not isinstance(structure, (list, tuple)):
        yield structure
        return
    for part in structure:
        yield from _leaves(part)


def _map(function: Callable[[Any, str], Any], structure: Any, path: str = "") -> Any:
    """The structure with function(leaf, path) for each leaf; the path is the keys of dicts that lead there."""
    if isinstance(structure, dict):
        return {key: _map(function, part, f"{path}_{key}" if path else str(key)) for key, part in structure.items()}
    if isinstance(structure, (list, tuple)):
        parts = [_map(function, part, path) for part in structure]
        return tuple(parts) if isinstance(structure, tuple) else parts
    return function(structure, path)


def _unique(names: Sequence[str]) -> list[str]:
    """The names, with numbers after those that are there more than once."""
    found: list[str] = []
    for name in names:
        numbered = (f"{name}_{number}" for number in itertools.count())
        found.append(name if names.count(name) == 1 else next(new for new in numbered if new not in names and new not in found))
    return found


def _input_structure(model: Any, sample: Any) -> Any:
    """The inputs as the model takes them: tensors of Keras, or the arrays of `sample`."""
    if sample is not None:
        return _map(lambda leaf, _: np.asarray(leaf), sample)
    try:
        inputs = list(model.inputs)
        return inputs[0] if type(model).__name__ == "Sequential" else model.input
    except (AttributeError, TypeError, ValueError):
        raise Error(f"the {type(model).__name__} '{model.name}' does not state its inputs; expected sample=, a row or more of what it takes") from None


def _inputs_of(model: Any, sample: Any, batch: str | int | None, sizes: Sizes | None) -> Any:
    """The structure of the inputs, with an _Input for each."""
    structure = _input_structure(model, sample)
    found: list[str] = []

    def named(leaf: Any, path: str) -> None:
        name = path or getattr(leaf, "name", "")
        found.append("x" if not name or _KERAS_NAME.fullmatch(name) else name)

    _map(named, structure)
    names = iter(_unique(found))
    if sizes is not None and not isinstance(sizes, Mapping):
        if len(found) != 1:
            raise Error(f"sizes is a list, but the model has the inputs {_unique(found)}; expected a dict by their names")
        sizes = {found[0]: sizes}
    if unknown := sorted(set(sizes or {}) - set(_unique(found))):
        raise Error(f"sizes names {unknown}; the model's inputs are {_unique(found)}")

    def made(leaf: Any, path: str) -> _Input:
        name = next(names)
        shape = list(leaf.shape) if sample is None else [None, *leaf.shape[1:]]
        given = list((sizes or {}).get(name, [None] * len(shape)))
        if len(given) != len(shape) or any(isinstance(new, int) and old not in (None, new) for old, new in zip(shape, given)):
            raise Error(f"sizes of the input '{name}' are {given}; the model states {shape}")
        # A size that the model states stays; its name would be that of a constant.
        shape = [new if old is None else old for old, new in zip(shape, given)]
        if shape and shape[0] is None:
            shape[0] = batch
        return _Input(name, shape, str(getattr(leaf.dtype, "name", leaf.dtype)))

    return _map(made, structure)


def _output_names(model: Any, found: Any) -> Any:
    """The structure of what a call of the model returned, with a name for each output: the key in a dict, the layer
    of a functional model, "y" of others."""
    flat = list(_leaves(found))
    layers = list(getattr(model, "output_names", None) or ())
    if type(model).__name__ == "Sequential" or len(layers) != len(flat):
        layers = ["y"] * len(flat)
    paths: list[str] = []
    remaining = iter(layers)

    def named(leaf: Any, path: str) -> None:
        layer = next(remaining)
        paths.append(path or layer)

    _map(named, found)
    names = iter(_unique(paths))
    return _map(lambda *_: next(names), found)


def _reason_of(error: BaseException) -> str:
    """One line for what an exporter raised. In Keras's messages the layer comes first and then the reason."""
    lines = [line.strip() for line in re.sub("\x1b\\[[0-9;]*m", "", str(error)).splitlines() if line.strip()]
    return f"{type(error).__name__}: {' '.join(lines[:2 if lines and lines[0].startswith('Exception encountered') else 1])}"


def _erfc(context: Any, node: Any, name: str, args: Any) -> None:
    """TensorFlow's Erfc, of keras.activations.gelu, which tf2onnx lacks: 1 - Erf(x)."""
    import onnx

    kind, shape = context.get_dtype(node.output[0]), context.get_shape(node.output[0])
    one = context.make_const(f"{name}_one", np.ones((), onnx.helper.tensor_dtype_to_np_dtype(kind)))
    context.remove_node(name)
    erf = context.make_node("Erf", [node.input[0]], shapes=[shape], dtypes=[kind])
    context.make_node("Sub", [one.output[0], erf.output[0]], name=name, outputs=node.output, shapes=[shape], dtypes=[kind])


def _from_tensorflow(model: Any, inputs: Any, opset: int) -> tuple[onnx.ModelProto, Any]:
    """The model by tf2onnx, and the structure of the outputs' names."""
    tf, convert = _package("tensorflow", "exporting from Keras's TensorFlow backend"), _package("tf2onnx.convert", "exporting a model of Keras")
    structures = []

    def call(*tensors: Any) -> Any:
        given = iter(tensors)
        found = model(_map(lambda *_: next(given), inputs), training=False)
        names = _output_names(model, found)
        structures.append(names)
        return {name: tf.identity(tensor) for name, tensor in zip(_leaves(names), _leaves(found))}

    specs = [tf.TensorSpec(arg.fixed, arg.dtype, name=arg.name) for arg in _leaves(inputs)]
    logger = logging.getLogger("tf2onnx")
    level = logger.level
    try:
        logger.setLevel(logging.CRITICAL)  # what it cannot convert stays in the graph; _check_operators tells
        function = tf.function(call, autograph=False)
        made, _ = convert.from_function(function, specs, opset=opset, custom_op_handlers={"Erfc": (_erfc, [])})
        _set_constants(made, function.get_concrete_function(*specs), len(specs))
    except Exception as error:  # of many kinds
        raise Error(f"tf2onnx cannot convert the {type(model).__name__} '{model.name}': {_reason_of(error)}") from error
    finally:
        logger.setLevel(level)
    return made, structures[-1]


def _set_constants(made: onnx.ModelProto, function: Any, count: int) -> None:
    """Tensors of a layer that are not variables, as Normalization's mean, which tf2onnx makes inputs after the first `count`,
    become initializers."""
    import onnx

    constants = {tensor.name: value for tensor, value in zip(function.inputs[count:], function.captured_inputs)
                 if value.dtype.name != "resource"}  # a table: what looks up in it is not converted
    for value in [value for value in made.graph.input if value.name in constants]:
        made.graph.initializer.append(onnx.numpy_helper.from_array(constants[value.name].numpy(), value.name))
        made.graph.input.remove(value)


def _from_export(model: Any, inputs: Any, opset: int) -> tuple[onnx.ModelProto, Any]:
    """The same by the model's own export, for the backends other than TensorFlow."""
    import onnx

    keras = _package("keras", "a model of Keras")
    for arg in _leaves(inputs):
        if None in arg.fixed[1:]:  # else it takes the sizes of an example for constants, and the numbers would be wrong
            raise Error(f"the input '{arg.name}' has the sizes {arg.shape}; Keras's {keras.backend.backend()} backend exports models whose sizes are "
                        "fixed, but for the first; expected sizes= with numbers, or the TensorFlow backend")
    signature = _map(lambda arg, _: keras.InputSpec(shape=tuple(arg.fixed), dtype=arg.dtype, name=arg.name), inputs)
    names: Any = None
    with tempfile.TemporaryDirectory(prefix="onnxc-") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of torch's tracer
        path = os.path.join(folder, "model.onnx")
        try:
            # Which outputs there are; Keras exports only what was called.
            names = _output_names(model, model(_map(lambda arg, _: np.zeros([size or 1 for size in arg.fixed], arg.dtype), inputs), training=False))
            model.export(path, format="onnx", verbose=False, input_signature=[signature], opset_version=opset)
        except ImportError as error:
            raise Error(f"exporting from Keras's {keras.backend.backend()} backend needs the package {error.name}") from None
        except Exception as error:
            raise Error(f"Keras's {keras.backend.backend()} backend cannot export the {type(model).__name__} '{model.name}': {_reason_of(error)}") from error
        made = onnx.load(path)
    renamed = dict(zip([value.name for value in made.graph.output], _leaves(names)))
    renamed.update(zip([value.name for value in made.graph.input], (arg.name for arg in _leaves(inputs))))
    _rename(made.graph, renamed)
    return made, names


def _rename(graph: onnx.GraphProto, names: Mapping[str, str]) -> None:
    """Gives inputs and outputs their names; what has one of these is renamed."""
    taken = set(names.values()) - set(names)
    names = {**{name: f"{name}_inside" for name in taken}, **names}
    for node in graph.node:
        node.input[:] = [names.get(name, name) for name in node.input]
        node.output[:] = [names.get(name, name) for name in node.output]
        for attribute in node.attribute:
            for inner in [attribute.g, *attribute.graphs]:
                _rename(inner, names)
    for value in [*graph.input, *graph.output, *graph.value_info, *graph.initializer]:
        value.name = names.get(value.name, value.name)


def _nodes(graph: onnx.GraphProto) -> Iterator[onnx.NodeProto]:
    """The nodes of a graph and of those inside."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            for inner in [attribute.g, *attribute.graphs]:
                yield from _nodes(inner)


def _inner(layer: Any) -> list[Any]:
    """The layers that a layer or model is made of."""
    found: list[Any] = getattr(layer, "layers", None) or getattr(layer, "_layers", [])
    return found


def _layers(model: Any) -> Iterator[Any]:
    for layer in _inner(model):
        yield layer
        yield from _layers(layer)


def _layer_of(model: Any, path: str) -> str:
    """The innermost layer that the name of an operation leads to, "functional/block/lookup_1/Find"."""
    layers, found = _inner(model), f"the {type(model).__name__} '{model.name}'"
    for part in path.split("/"):
        for layer in layers:
            if part == layer.name or re.fullmatch(re.escape(layer.name) + r"_\d+", part) and all(part != other.name for other in layers):
                found = f"the layer '{layer.name}' ({type(layer).__name__})"
                layers = _inner(layer)
                break
    return found


def _check_operators(model: Any, made: onnx.ModelProto) -> None:
    """Raises onnxc.Error for operations of TensorFlow that were left as they are."""
    import onnx

    left: dict[str, list[str]] = {}
    for node in _nodes(made.graph):
        if not onnx.defs.has(node.op_type, "" if node.domain == "ai.onnx" else node.domain):
            operations = left.setdefault(_layer_of(model, node.name), [])
            if node.op_type not in operations:
                operations.append(node.op_type)
    if left:
        raise Error("tf2onnx cannot convert " + "; ".join(f"{layer}: {', '.join(operations)}" for layer, operations in left.items()))


def _set_sizes(made: onnx.ModelProto, inputs: Any, names: Any) -> None:
    """States the inputs' sizes, and of the outputs the first one; those of open sizes that converters made up have no meaning.
    The inputs and outputs are put in the model's order."""
    ordered = {arg.name: arg for arg in _leaves(inputs)}
    for values, wanted in ((made.graph.input, list(ordered)), (made.graph.output, list(_leaves(names)))):
        known = {value.name: value for value in values}
        if sorted(known) != sorted(wanted):
            raise Error(f"the exported model has the inputs or outputs {list(known)}, expected {wanted}")
        values.sort(key=lambda value: wanted.index(value.name))
    batches = {arg.shape[0] for arg in ordered.values() if arg.shape}
    batch = batches.pop() if len(batches) == 1 else None
    for value in [*made.graph.input, *made.graph.output]:
        arg = ordered.get(value.name)
        for axis, dim in enumerate(value.type.tensor_type.shape.dim):
            size = arg.shape[axis] if arg else batch if axis == 0 and not dim.dim_value else dim.dim_value or None
            dim.Clear()
            if isinstance(size, str):
                dim.dim_param = size
            elif size is not None:
                dim.dim_value = size


def _convert(model: Any, sample: Any, batch: str | int | None, sizes: Sizes | None, opset: int | None) -> tuple[onnx.ModelProto, Any, Any]:
    """The model, and the structures of the names of inputs and outputs."""
    keras = _package("keras", "a model of Keras")
    if not isinstance(model, keras.Model):
        raise Error(f"expected a keras.Model, got {type(model).__name__}")
    inputs = _inputs_of(model, sample, batch, sizes)
    weights = sum(int(np.prod(weight.shape)) * np.dtype(_numpy_name(weight.dtype)).itemsize for weight in model.weights)
    if weights > _MOST_BYTES:
        raise Error(f"the {type(model).__name__} '{model.name}' has {weights} bytes of weights; an exported model holds {_MOST_BYTES}")
    for layer in _layers(model):
        if getattr(layer, "compute_dtype", None) == "bfloat16":
            raise Error(f"the layer '{layer.name}' ({type(layer).__name__}) computes in bfloat16, which exporters of Keras do not; expected float32, "
                        "float64, float16 or mixed_float16")
    convert = _from_tensorflow if keras.backend.backend() == "tensorflow" else _from_export
    made, names = convert(model, inputs, OPSET if opset is None else opset)
    _check_operators(model, made)
    _set_sizes(made, inputs, names)
    return made, _map(lambda arg, _: arg.name, inputs), names


def _numpy_name(dtype: Any) -> str:
    """Of a type that may be one that numpy lacks, one of the same size."""
    name = str(dtype).rpartition(".")[2]
    return "int16" if name == "bfloat16" else "int8" if name.startswith("float8") else name


def to_onnx(model: Any, *, sample: Any = None, batch: str | int | None = "n", sizes: Sizes | None = None,
            opset: int | None = None) -> onnx.ModelProto:
    """The model as an onnx.ModelProto. See compile."""
    return _convert(model, sample, batch, sizes, opset)[0]


@overload
def compile(model: Any, output: None = None, *, sample: Any = None, batch: str | int | None = "n", sizes: Sizes | None = None,
            opset: int | None = None, threads: int | None = None, cache_dir: str | os.PathLike[str] | None = None, **options: Any) -> Session: ...
@overload
def compile(model: Any, output: compiler.Path, *, sample: Any = None, batch: str | int | None = "n", sizes: Sizes | None = None,
            opset: int | None = None, threads: int | None = None, cache_dir: str | os.PathLike[str] | None = None, **options: Any) -> compiler.Path: ...


def compile(model: Any, output: Any = None, *, sample: Any = None, batch: str | int | None = "n", sizes: Sizes | None = None,
            opset: int | None = None, threads: int | None = None, cache_dir: str | os.PathLike[str] | None = None, **options: Any) -> Any:
    """Compiles a model of Keras for inference.

    Returns a Session, or with `output` (a path as onnxc.compile takes it) writes there and returns the path.
    `batch` names the number of rows, the first size of each input, which stays open; a number fixes it. `sizes` does so for any size that the
    model leaves open: {"tokens": ["n", "length"]}, or a list for the only input; a number, a name, or None for neither.
    Sizes of one name are the same. Inputs have the names that the model gives them (keras.Input(name=), keys of
    dicts), "x" without; outputs those of the layers or keys, "y" of Sequential. Types are the model's: a model of float64
    stays one. A model of a class of its own needs `sample`: a row or more of what it takes, whose first size
    is open and whose others are fixed. `opset` is the default domain's, 17 by default.
    `options`, threads and cache_dir are InferenceSession's.
    Raises onnxc.Error for what cannot be exported, with the layer, or compiled.
    """
    made, inputs, outputs = _convert(model, sample, batch, sizes, opset)
    if output is not None:
        return compiler.compile(made, output, **options)
    return Session(made, inputs, outputs, threads=threads, cache_dir=cache_dir, **options)


def _restore(model: Any, inputs: Any, outputs: Any, options: dict[str, Any]) -> Session:
    """What unpickles a session."""
    return Session(model, inputs, outputs, **options)


class Session(session.InferenceSession):
    """An InferenceSession that can be called as the model it was made of: with an array, a list or a dict, and
    the results are arrays of numpy, in the same lists and dicts as the model's.

    `inputs` and `outputs` are these structures, with names of inputs and outputs; without, dicts by name.
    """

    def __init__(self, model: Any, inputs: Any = None, outputs: Any = None, *, threads: int | None = None,
                 cache_dir: str | os.PathLike[str] | None = None, **options: Any) -> None:
        super().__init__(model, threads=threads, cache_dir=cache_dir, **options)
        self._inputs_structure = {arg.name: arg.name for arg in self.get_inputs()} if inputs is None else inputs
        self._outputs_structure = {arg.name: arg.name for arg in self.get_outputs()} if outputs is None else outputs

    def __reduce__(self) -> tuple[Any, ...]:
        model, options = self._made_of
        return _restore, (model, self._inputs_structure, self._outputs_structure, {"sess_options": self._options, **options})

    def _feed(self, x: Any) -> dict[str, Any]:
        """The arrays by the names of inputs."""
        args = {arg.name: arg for arg in self.get_inputs()}
        if isinstance(x, Mapping):
            if set(x) != set(self._inputs_structure if isinstance(self._inputs_structure, dict) else args):
                raise Error(f"expected a dict with {list(args)}, got {list(x)}")
            by_name = x if set(x) == set(args) else dict(zip(_leaves(self._inputs_structure), _leaves({key: x[key] for key in self._inputs_structure})))
        elif len(args) == 1:
            by_name = dict.fromkeys(args, x[0] if isinstance(x, (list, tuple)) and isinstance(self._inputs_structure, (list, tuple)) else x)
        else:
            given = list(_leaves(x)) if isinstance(x, (list, tuple)) else [x]
            if len(given) != len(args):
                raise Error(f"expected {len(args)} arrays, for {list(args)}; got {len(given)}")
            by_name = dict(zip(_leaves(self._inputs_structure), given))
        return {name: _typed(array, args[name].type) for name, array in by_name.items()}

    def __call__(self, x: Any) -> Any:
        found = dict(zip([arg.name for arg in self.get_outputs()], self.run(None, self._feed(x))))
        return _map(lambda name, _: found[name], self._outputs_structure)

    def predict(self, x: Any) -> Any:
        """What model.predict(x) gives, in one run. x: an array [rows, ...] for a model with one input, else a list in
        the model's order, or a dict by the names of inputs."""
        return self(x)


def _typed(array: Any, kind: str) -> Any:
    """As Keras does, numbers of another type become the model's."""
    from . import values

    if kind.startswith("tensor(") and kind != "tensor(string)":
        return np.ascontiguousarray(array, values.numpy_dtype(values.number_of(kind[len("tensor("):-1])))
    return np.asarray(array, object)
