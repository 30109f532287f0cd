# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Estimators of scikit-learn, and of XGBoost, LightGBM and CatBoost, compiled.

    import onnxc.sklearn
    fast = onnxc.sklearn.compile(pipeline)             # or sample=X[:1], of a table
    fast.predict_proba(X)
    onnxc.sklearn.compile(pipeline, output="model.so") # to be loaded anywhere

The conversion is skl2onnx's and onnxmltools', or CatBoost's own: install those.
"""
from __future__ import annotations

import copy
import os
import tempfile
import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, overload

import numpy as np

from . import compiler, session
from .errors import Error

if TYPE_CHECKING:
    import onnx

    from .runtime import NodeArg

    Opset: TypeAlias = int | Mapping[str, int]

# Of what the converters write, the opsets that they have been tested with for longest.
OPSET, ML_OPSET = 17, 3
_ONNXMLTOOLS_OPSET = 15  # the newest that it knows
_BOOSTED = ("xgboost", "lightgbm", "catboost")


def to_onnx(estimator: Any, sample: Any = None, *, batch: str | int | None = "n", opset: Opset | None = None, zipmap: bool = False,
            dtype: Any = None, options: Any = None) -> onnx.ModelProto:
    """The estimator as an onnx.ModelProto. See compile."""
    estimator, module = _prepared(estimator), type(estimator).__module__.partition(".")[0]
    opset, dtype = OPSET if opset is None else opset, _dtype(estimator, dtype)
    try:
        if module in _BOOSTED:
            model: onnx.ModelProto = globals()[f"_convert_{module}"](estimator, sample, opset, dtype)
        else:
            model = _convert_sklearn(estimator, sample, opset, dtype, options)
    except ImportError as error:
        raise Error(f"converting a {type(estimator).__name__} needs the package {error.name}") from None
    if not zipmap:
        _remove_zipmaps(model)
    if dtype == "float64":
        _round_for_xgboost(model)
    _name_batch(model, batch)
    return model


@overload
def compile(estimator: Any, output: None = None, *, sample: Any = None, batch: str | int | None = "n", opset: Opset | None = None,
            zipmap: bool = False, dtype: Any = None, converter_options: Any = None,
            threads: int | None = None, cache_dir: str | os.PathLike[str] | None = None, **options: Any) -> Session: ...
@overload
def compile(estimator: Any, output: compiler.Path, *, sample: Any = None, batch: str | int | None = "n", opset: Opset | None = None,
            zipmap: bool = False, dtype: Any = None, converter_options: Any = None,
            threads: int | None = None, cache_dir: str | os.PathLike[str] | None = None, **options: Any) -> compiler.Path: ...


def compile(estimator: Any, output: Any = None, *, sample: Any = None, batch: str | int | None = "n", opset: Opset | None = None,
            zipmap: bool = False, dtype: Any = None, converter_options: Any = None,
            threads: int | None = None, cache_dir: str | os.PathLike[str] | None = None, **options: Any) -> Any:
    """Compiles a fitted estimator or pipeline.

    Returns a Session, or with `output` (a path as onnxc.compile takes it) writes there and returns the path.
    `sample` is a row or more of what it was trained on; it says which columns there are and
    of which types, and can be left out if all are numbers. A DataFrame makes an input of each
    column, an array one input "X". `batch` names the number of rows, which stays open; a number
    fixes it. Numbers are `dtype`, float32 or float64: by default float64 where trees follow another step of a pipeline, as a value
    that is rounded otherwise can be on the other side of a threshold, and else float32. With zipmap=True
    probabilities are dicts by class, as skl2onnx writes them by default, which costs more than most models; without, a
    matrix. `opset` is the default domain's (a dict by domain: see skl2onnx's target_opset), converter_options are its `options`.
    `options`, threads and cache_dir are InferenceSession's.
    Raises onnxc.Error for what cannot be converted or compiled.
    """
    model = to_onnx(estimator, sample, batch=batch, opset=opset, zipmap=zipmap, dtype=dtype, options=converter_options)
    if output is not None:
        return compiler.compile(model, output, **options)
    return Session(model, threads=threads, cache_dir=cache_dir, **options)


class Session(session.InferenceSession):
    """An InferenceSession that has the methods of estimators, too."""

    def _feed(self, X: Any) -> dict[str, Any]:
        args = self.get_inputs()
        if len(args) == 1 and not hasattr(X, "columns"):
            return {args[0].name: _typed(np.asarray(X), args[0])}
        if len(args) == 1 and _takes_matrix(args[0]):
            return {args[0].name: _typed(X.to_numpy(), args[0])}
        if not hasattr(X, "columns"):
            raise Error(f"the model has an input for each column, {[arg.name for arg in args]}; expected a DataFrame, got {type(X).__name__}")
        missing = [arg.name for arg in args if arg.name not in X.columns]
        if missing:
            raise Error(f"the table has no column {missing}; the model's inputs are {[arg.name for arg in args]}")
        return {arg.name: _typed(X[arg.name].to_numpy().reshape(-1, 1), arg) for arg in args}

    def _output(self, X: Any, *wanted: str) -> Any:
        names = [arg.name for arg in self.get_outputs()]
        for name in wanted:
            if name in names:
                return self.run([name], self._feed(X))[0]
        raise Error(f"the model has none of the outputs {list(wanted)}; its outputs are {names}")

    def predict(self, X: Any) -> Any:
        """Labels of a classifier or a clustering, values of a regressor."""
        found = self._output(X, "output_label", "label", "variable", "predictions", "scores")
        return found[:, 0] if found.ndim == 2 and found.shape[1] == 1 else found

    def predict_proba(self, X: Any) -> Any:
        """Probabilities by class: an array, or with zipmap=True a list of dicts."""
        return self._output(X, "output_probability", "probabilities")

    def transform(self, X: Any) -> Any:
        return self._output(X, "variable", "transformed", "scores")


def _takes_matrix(arg: NodeArg) -> bool:
    """Whether an input is all columns, and not one."""
    return arg.shape is not None and len(arg.shape) == 2 and arg.shape[1] != 1


def _typed(array: Any, arg: NodeArg) -> Any:
    if arg.type == "tensor(string)":
        return array.astype(str).astype(object)
    return np.ascontiguousarray(array, {"tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(int64)": np.int64,
                                        "tensor(bool)": bool}[arg.type])


def _prepared(estimator: Any) -> Any:
    """Without what converters stumble over: XGBoost's names of columns. A copy, if anything changes."""
    if type(estimator).__module__.partition(".")[0] != "xgboost":
        return estimator
    booster = estimator.get_booster() if hasattr(estimator, "get_booster") else estimator
    if booster.feature_names is None:
        return estimator
    estimator = copy.deepcopy(estimator)
    booster = estimator.get_booster() if hasattr(estimator, "get_booster") else estimator
    booster.feature_names = booster.feature_types = None
    return estimator


def _dtype(estimator: Any, dtype: Any) -> str:
    """The name of the type of numbers."""
    if dtype is None:
        steps = [step for _, step in getattr(estimator, "steps", ())]
        has_trees = len(steps) > 1 and (type(steps[-1]).__module__.partition(".")[0] in _BOOSTED or hasattr(steps[-1], "tree_") or any(
            hasattr(part, "tree_") for part in np.ravel(getattr(steps[-1], "estimators_", []))))
        return "float64" if has_trees else "float32"
    if str(dtype := np.dtype(dtype)) not in ("float32", "float64"):
        raise Error(f"dtype is {dtype}, expected float32 or float64")
    return str(dtype)


def _width(estimator: Any, sample: Any) -> int:
    """The number of columns of one input."""
    if sample is not None:
        shape: tuple[int, ...] = np.shape(sample)
        if len(shape) != 2:
            raise Error(f"sample has the shape {list(shape)}, expected rows and columns")
        return shape[1]
    for name in ("n_features_in_", "n_features_"):
        if isinstance(width := getattr(estimator, name, None), (int, np.integer)):
            return int(width)
    for name in ("num_features", "num_feature"):  # boosters of XGBoost, LightGBM
        if callable(count := getattr(estimator, name, None)):
            return int(count())
    raise Error(f"a {type(estimator).__name__} does not know how many columns it was trained on; expected sample=, a row or more of them")


def _tensor_type(kind: np.dtype[Any], dtype: str | None) -> str:
    """skl2onnx's name for the type of a column of numpy's type."""
    if kind.kind == "b":
        return "BooleanTensorType"
    if kind.kind in "iu" and dtype is None:
        return "Int64TensorType"
    if kind.kind in "iuf":
        return {"float32": "FloatTensorType", "float64": "DoubleTensorType"}[dtype or "float32"]
    return "StringTensorType"


def _initial_types(estimator: Any, sample: Any, dtype: str, types: Any) -> list[tuple[str, Any]]:
    """What skl2onnx calls initial_types: a name and a type for each input."""
    if hasattr(sample, "columns"):  # a table
        found = []
        for name in sample.columns:
            column = sample[name].to_numpy()
            made = _tensor_type(column.dtype, None if column.dtype.kind in "iu" else dtype)
            found.append((str(name), getattr(types, made)([None, 1])))
        return found
    if sample is None and _takes_columns(estimator):
        raise Error(f"the {type(estimator).__name__} was trained on a table; expected sample=, a row or more of it, for the types of its columns")
    made = _tensor_type(np.dtype(dtype) if sample is None else np.asarray(sample).dtype, dtype)
    return [("X", getattr(types, made)([None, 1 if np.ndim(sample) == 1 and sample is not None else _width(estimator, sample)]))]


def _takes_columns(estimator: Any) -> bool:
    """Whether it chooses columns by name."""
    parts = [estimator, *(step for _, step in getattr(estimator, "steps", ()))]
    return any(type(part).__name__ == "ColumnTransformer" for part in parts) and hasattr(parts[0], "feature_names_in_")


def _converters() -> None:
    """Makes XGBoost's and LightGBM's estimators known to skl2onnx, for pipelines."""
    import importlib

    from skl2onnx import update_registered_converter
    from skl2onnx.common.data_types import FloatTensorType
    from skl2onnx.common.shape_calculator import calculate_linear_classifier_output_shapes, calculate_linear_regressor_output_shapes

    def regressor_shapes(operator: Any) -> None:
        calculate_linear_regressor_output_shapes(operator)
        operator.outputs[0].type = FloatTensorType(operator.outputs[0].type.shape)  # whatever goes in

    for package, module, alias, names in (("xgboost", "XGBoost", "XGBoost", ("XGBClassifier", "XGBRegressor")),
                                          ("lightgbm", "LightGbm", "LightGbm", ("LGBMClassifier", "LGBMRegressor"))):
        try:
            known = importlib.import_module(package)
            convert = getattr(importlib.import_module(f"onnxmltools.convert.{package}.operator_converters.{module}"), f"convert_{package}")
        except ImportError:
            continue  # a pipeline that has one brings the package; without a converter, skl2onnx names it
        classifier, regressor = (getattr(known, name) for name in names)
        update_registered_converter(classifier, alias + names[0], calculate_linear_classifier_output_shapes, convert,
                                    options={"nocl": [True, False], "zipmap": [True, False, "columns"]})
        update_registered_converter(regressor, alias + names[1], regressor_shapes, convert, options={"split": None} if package == "lightgbm" else None)


def _target(opset: Opset) -> dict[str, int]:
    return {**opset} if isinstance(opset, Mapping) else {"": opset, "ai.onnx.ml": ML_OPSET}


def _convert_sklearn(estimator: Any, sample: Any, opset: Opset, dtype: str, options: Any) -> onnx.ModelProto:
    import skl2onnx
    from skl2onnx.common import data_types

    _converters()
    kinds = _initial_types(estimator, sample, dtype, data_types)
    try:
        model: onnx.ModelProto = skl2onnx.convert_sklearn(estimator, initial_types=kinds, target_opset=_target(opset), options=options)
        return model
    except Error:
        raise
    except Exception as error:  # of many kinds
        first = (str(error).strip().splitlines() or [""])[0]
        raise Error(f"skl2onnx cannot convert the {type(estimator).__name__}: {type(error).__name__}: {first}") from error


def _convert_boosted(convert: Callable[..., onnx.ModelProto], estimator: Any, sample: Any, opset: Opset, dtype: str, **options: Any) -> onnx.ModelProto:
    from onnxmltools.convert.common.data_types import FloatTensorType

    if dtype != "float32":
        raise Error(f"dtype is {dtype}; a {type(estimator).__name__} alone is converted for float32 only")
    number = min(opset.get("", OPSET) if isinstance(opset, Mapping) else opset, _ONNXMLTOOLS_OPSET)
    kinds = [("X", FloatTensorType([None, _width(estimator, sample)]))]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            return convert(estimator, initial_types=kinds, target_opset=number, **options)
    except ImportError:
        raise
    except Exception as error:
        first = (str(error).strip().splitlines() or [""])[0]
        raise Error(f"onnxmltools cannot convert the {type(estimator).__name__}: {type(error).__name__}: {first}") from error


def _convert_xgboost(estimator: Any, sample: Any, opset: Opset, dtype: str) -> onnx.ModelProto:
    import onnxmltools

    return _convert_boosted(onnxmltools.convert_xgboost, estimator, sample, opset, dtype)


def _convert_lightgbm(estimator: Any, sample: Any, opset: Opset, dtype: str) -> onnx.ModelProto:
    import onnxmltools

    return _convert_boosted(onnxmltools.convert_lightgbm, estimator, sample, opset, dtype, zipmap=True)


def _convert_catboost(estimator: Any, sample: Any, opset: Opset, dtype: str) -> onnx.ModelProto:
    """CatBoost writes ONNX itself, at an opset of its own."""
    import catboost
    import onnx

    with tempfile.TemporaryDirectory(prefix="onnxc-") as folder:
        path = os.path.join(folder, "model.onnx")
        try:
            estimator.save_model(path, format="onnx")
        except catboost.CatBoostError as error:
            raise Error(f"CatBoost cannot write the {type(estimator).__name__} as ONNX: {str(error).strip().splitlines()[-1]}") from None
        return onnx.load(path)


def _rename(graph: onnx.GraphProto, old: str, new: str) -> None:
    for node in graph.node:
        node.input[:] = [new if name == old else name for name in node.input]
        node.output[:] = [new if name == old else name for name in node.output]


def _remove_zipmaps(model: onnx.ModelProto) -> None:
    """Outputs that are maps by class become the matrix they were made of; label and probabilities
    are called that, as all converters do that write no maps."""
    import onnx

    graph = model.graph
    if all(used.domain not in ("", "ai.onnx") for used in model.opset_import):
        model.opset_import.append(onnx.helper.make_opsetid("", _ONNXMLTOOLS_OPSET))
    maps = {node.output[0]: node for node in graph.node if node.op_type == "ZipMap"}
    for output in graph.output:
        if node := maps.get(output.name):
            inner, classes = node.input[0], max((len(made.strings) or len(made.ints) for made in node.attribute), default=0)
            # Converters differ in whether probabilities of double precision stay so; where they are single, this costs nothing.
            node.CopyFrom(onnx.helper.make_node("Cast", [inner], [output.name], to=onnx.TensorProto.FLOAT))
            output.type.CopyFrom(onnx.helper.make_tensor_type_proto(onnx.TensorProto.FLOAT, [None, classes or None]))
    for output in graph.output:
        new = {"output_label": "label", "output_probability": "probabilities"}.get(output.name)
        if new:
            _rename(graph, new, f"{new}_inside")
            _rename(graph, output.name, new)
            output.name = new


def _round_for_xgboost(model: onnx.ModelProto) -> None:
    """XGBoost compares what it has rounded to single precision; its trees are those with BRANCH_LT."""
    import onnx

    nodes: list[onnx.NodeProto] = []
    for node in model.graph.node:
        modes = next((made.strings for made in node.attribute if made.name == "nodes_modes"), ())
        if b"BRANCH_LT" in modes:
            rounded = f"{node.input[0]}_rounded_{len(nodes)}"
            nodes.append(onnx.helper.make_node("Cast", [node.input[0]], [rounded], to=onnx.TensorProto.FLOAT))
            node.input[0] = rounded
        nodes.append(node)
    nodes = [copy.deepcopy(node) for node in nodes]
    del model.graph.node[:]
    model.graph.node.extend(nodes)


def _name_batch(model: onnx.ModelProto, batch: str | int | None) -> None:
    """The first dimension of inputs and outputs, where the converter left it open or counted no rows."""
    for value in [*model.graph.input, *model.graph.output]:
        shape = value.type.tensor_type.shape
        if value.type.HasField("tensor_type") and shape.dim and not shape.dim[0].dim_value:
            shape.dim[0].Clear()
            if isinstance(batch, str):
                shape.dim[0].dim_param = batch
            elif batch is not None:
                shape.dim[0].dim_value = batch
