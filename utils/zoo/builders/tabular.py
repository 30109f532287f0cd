# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Estimators of scikit-learn, XGBoost, LightGBM and CatBoost, trained on random rows."""

import numpy as np

ROWS, COLUMNS = 120, 6
DATA = ("data", "classes", "zipmap", "columns")


def table(entry):
    """(x, y) to train with."""
    random = np.random.default_rng(20)
    x = random.standard_normal((ROWS, int(entry.options.get("columns", COLUMNS)))).astype(np.float32)
    kind = entry.options.get("data", "")
    if kind == "counts":
        x = random.integers(0, 7, x.shape).astype(np.float32)
    elif kind == "positive":
        x = np.abs(x) + 0.1
    elif kind == "missing":
        x[random.random(x.shape) < 0.2] = np.nan
    elif kind == "strings":
        x = random.choice(["red", "green", "blue", "two words"], x.shape)
        return x, random.integers(0, 2, ROWS)
    elif kind == "text":
        words = ["alpha", "beta", "gamma", "delta", "of", "the", "compiler"]
        x = np.array([[" ".join(random.choice(words, 6))] for _ in range(ROWS)])
        return x, random.integers(0, 2, ROWS)
    clean = np.nan_to_num(x)
    score = clean[:, 0] + clean[:, 1] * clean[:, 2] + 0.3 * random.standard_normal(ROWS)
    classes = int(entry.options.get("classes", 0))
    y = np.digitize(score, np.quantile(score, np.linspace(0, 1, classes + 1)[1:-1])) if classes else score.astype(np.float32)
    if entry.options.get("data") == "targets":
        y = np.stack([y, -2 * y + clean[:, 3]], 1)
    return x, y


def save(entry, folder, model, x, name):
    content = model if isinstance(model, bytes) else model.SerializeToString()
    (folder / "model.onnx").write_bytes(content)
    for number, rows in enumerate((x[:5], x[7:24])):
        np.savez(folder / f"in_{number}.npz", **{name: rows})


def build_sklearn(entry, folder):
    from skl2onnx import convert_sklearn
    from sklearn.base import is_classifier
    from sklearn.utils import all_estimators
    from skl2onnx.common.data_types import FloatTensorType, StringTensorType
    known = dict(all_estimators())
    parameters = entry.numbers(*DATA)
    names = entry.what.split("+")
    classes = [known[name] for name in names]
    if "random_state" in classes[-1]().get_params():
        parameters["random_state"] = 20
    estimators = [made(**(parameters if i == len(classes) - 1 else {})) for i, made in enumerate(classes)]
    estimator = estimators[0]
    if len(estimators) > 1:
        from sklearn.pipeline import make_pipeline
        estimator = make_pipeline(*estimators)
    x, y = table(entry)
    text = entry.options.get("data") == "text"
    estimator.fit(x.ravel() if text else x, y)
    kind = (StringTensorType if x.dtype.kind == "U" else FloatTensorType)([None if entry.sizes == "open" else 5, x.shape[1]])
    options = {id(estimator): {"zipmap": False}} if is_classifier(estimator) and "zipmap" not in entry.options else {}
    if text:  # not every machine has en_US
        options[id(estimator)] = {"locale": "C"}
    model = convert_sklearn(estimator, initial_types=[("X", kind)], target_opset={"": entry.opset, "ai.onnx.ml": 3}, options=options)
    save(entry, folder, model, x, "X")


def boosted(entry, folder, module, convert):
    estimator = getattr(module, entry.what)(**entry.numbers(*DATA))
    x, y = table(entry)
    estimator.fit(x, y)
    from onnxmltools.convert.common.data_types import FloatTensorType
    kinds = {"initial_types": [("X", FloatTensorType([None, x.shape[1]]))], "target_opset": entry.opset}
    save(entry, folder, convert(estimator, **kinds), x, "X")


def build_xgboost(entry, folder):
    import onnxmltools
    import xgboost
    boosted(entry, folder, xgboost, onnxmltools.convert_xgboost)


def build_lightgbm(entry, folder):
    import lightgbm
    import onnxmltools

    def convert(estimator, **kinds):
        return onnxmltools.convert_lightgbm(estimator, zipmap="zipmap" in entry.options, **kinds)
    boosted(entry, folder, lightgbm, convert)


def build_catboost(entry, folder):
    import catboost
    estimator = getattr(catboost, entry.what)(verbose=False, random_seed=20, allow_writing_files=False, thread_count=1, **entry.numbers(*DATA))
    x, y = table(entry)
    estimator.fit(x, y)
    path = folder / "model.onnx"
    estimator.save_model(str(path), format="onnx")
    save(entry, folder, path.read_bytes(), x, "features")
