"""Estimators compiled by onnxc.sklearn give what they give themselves.

usage: sklearn_models.py FOLDER
"""

import pathlib
import pickle
import sys
import warnings

warnings.filterwarnings("ignore", category=FutureWarning)
warnings.filterwarnings("ignore", category=UserWarning)
import catboost  # noqa: E402
import lightgbm  # noqa: E402
import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
import xgboost  # noqa: E402
from sklearn.compose import ColumnTransformer  # noqa: E402
from sklearn.cluster import KMeans  # noqa: E402
from sklearn.decomposition import PCA  # noqa: E402
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier  # noqa: E402
from sklearn.impute import SimpleImputer  # noqa: E402
from sklearn.linear_model import LinearRegression, LogisticRegression  # noqa: E402
from sklearn.neural_network import MLPClassifier  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import OneHotEncoder, StandardScaler  # noqa: E402
from sklearn.svm import SVC  # noqa: E402

import onnxc  # noqa: E402
import onnxc.sklearn  # noqa: E402

random = np.random.default_rng(7)
X = random.standard_normal((300, 6)).astype(np.float32)
SCORE = X[:, 0] + X[:, 1] * X[:, 2]
Y = np.digitize(SCORE, np.quantile(SCORE, [0.33, 0.67]))
NAMES = np.array(["low", "middle", "high"])[Y]
QUIET = {"verbose": False, "random_seed": 7, "allow_writing_files": False, "thread_count": 1, "iterations": 20}

CLASSIFIERS = {
    "logistic": LogisticRegression(),
    "logistic of names": LogisticRegression(),
    "scaled": make_pipeline(StandardScaler(), LogisticRegression()),
    "forest": RandomForestClassifier(20, random_state=7),
    "forest of names": RandomForestClassifier(20, random_state=7),
    "network": MLPClassifier((16, 8), max_iter=60, random_state=7),
    "vectors": SVC(probability=True, random_state=7),
    "xgboost": xgboost.XGBClassifier(n_estimators=20, n_jobs=1),
    "lightgbm": lightgbm.LGBMClassifier(n_estimators=20, verbose=-1, n_jobs=1),
    "lightgbm of names": lightgbm.LGBMClassifier(n_estimators=20, verbose=-1, n_jobs=1),
    "catboost": catboost.CatBoostClassifier(**QUIET),
    "xgboost in a pipeline": make_pipeline(StandardScaler(), xgboost.XGBClassifier(n_estimators=20, n_jobs=1)),
    "lightgbm in a pipeline": make_pipeline(StandardScaler(), lightgbm.LGBMClassifier(n_estimators=20, verbose=-1, n_jobs=1)),
}
REGRESSORS = {
    "linear": LinearRegression(),
    "boosted": GradientBoostingRegressor(n_estimators=20, random_state=7),
    "xgboost regressor": xgboost.XGBRegressor(n_estimators=20, n_jobs=1),
    "lightgbm regressor": lightgbm.LGBMRegressor(n_estimators=20, verbose=-1, n_jobs=1),
    "catboost regressor": catboost.CatBoostRegressor(**QUIET),
    "xgboost regressor in a pipeline": make_pipeline(StandardScaler(), xgboost.XGBRegressor(n_estimators=20, n_jobs=1)),
    "lightgbm regressor in a pipeline": make_pipeline(StandardScaler(), lightgbm.LGBMRegressor(n_estimators=20, verbose=-1, n_jobs=1)),
}


def precision(name):
    """A value that was scaled in another precision can be on the other side of a tree's threshold."""
    return X.astype(np.float64) if "in a pipeline" in name else X


def classifier(name, estimator):
    estimator.fit(X, NAMES if name.endswith("names") else Y)
    x = precision(name)
    fast = onnxc.sklearn.compile(estimator)
    for rows in (1, 300):
        np.testing.assert_array_equal(fast.predict(x[:rows]), estimator.predict(x[:rows]).ravel(), name)
        np.testing.assert_allclose(fast.predict_proba(x[:rows]), estimator.predict_proba(x[:rows]), rtol=0, atol=2e-5, err_msg=name)
    assert fast.get_inputs()[0].shape == ["n", 6], fast.get_inputs()
    return fast


def regressor(name, estimator):
    estimator.fit(X, SCORE)
    x = precision(name)
    fast = onnxc.sklearn.compile(estimator)
    for rows in (1, 300):
        np.testing.assert_allclose(fast.predict(x[:rows]), np.ravel(estimator.predict(x[:rows])), rtol=1e-4, atol=2e-5, err_msg=name)


def tables():
    """Columns of numbers and strings, with what is missing; XGBoost with names of columns."""
    table = pd.DataFrame({"age": random.uniform(18, 90, 200), "income": random.uniform(0, 1e5, 200), "city": random.choice(["Rome", "Oslo", "Lima"], 200),
                          "children": random.integers(0, 5, 200)})
    table.loc[::7, "age"] = np.nan
    wanted = (table["income"] > 4e4) & (table["city"] != "Oslo")
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    estimator = make_pipeline(ColumnTransformer([("n", numbers, ["age", "income"]), ("k", StandardScaler(), ["children"]),
                                                 ("c", OneHotEncoder(handle_unknown="ignore"), ["city"])]), LogisticRegression())
    estimator.fit(table, wanted)
    fast = onnxc.sklearn.compile(estimator, sample=table[:1])
    np.testing.assert_allclose(fast.predict_proba(table), estimator.predict_proba(table), rtol=0, atol=2e-5)
    np.testing.assert_array_equal(fast.predict(table), estimator.predict(table))
    print("a table:", [(arg.name, arg.type, arg.shape) for arg in fast.get_inputs()])
    for wrong in (lambda: onnxc.sklearn.compile(estimator), lambda: fast.predict(table.drop(columns="city")), lambda: fast.predict(X)):
        try:
            wrong()
        except onnxc.Error as error:
            print("error:", error)
    named = table[["age", "income"]]
    boosted = xgboost.XGBClassifier(n_estimators=10, n_jobs=1).fit(named, wanted)
    before = list(boosted.get_booster().feature_names)
    np.testing.assert_allclose(onnxc.sklearn.compile(boosted).predict_proba(named), boosted.predict_proba(named), rtol=0, atol=2e-5)
    assert boosted.get_booster().feature_names == before


def forms(folder):
    """Libraries, zipmap, a fixed batch, double precision, pickles, transformers."""
    estimator = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, Y)
    path = onnxc.sklearn.compile(estimator, output=folder / "model.so")
    session = onnxc.InferenceSession(path)
    np.testing.assert_allclose(session.run(["probabilities"], {"X": X})[0], estimator.predict_proba(X), rtol=0, atol=2e-5)
    print("a library:", [arg.name for arg in session.get_outputs()], [arg.shape for arg in session.get_outputs()])
    maps = onnxc.sklearn.compile(estimator, zipmap=True).predict_proba(X[:2])
    print("with zipmap:", type(maps).__name__, sorted(maps[0]))
    print("a batch:", onnxc.sklearn.compile(estimator, batch=4).get_inputs()[0].shape, onnxc.sklearn.compile(estimator, batch="rows").get_inputs()[0].shape)
    double = onnxc.sklearn.compile(estimator, dtype="float64")
    np.testing.assert_allclose(double.predict_proba(X.astype(np.float64)), estimator.predict_proba(X.astype(np.float64)), rtol=0, atol=1e-6)
    print("double precision:", double.get_inputs()[0].type)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(double)).predict(X), estimator.predict(X))
    reduced = PCA(3).fit(X)
    np.testing.assert_allclose(onnxc.sklearn.compile(reduced).transform(X), reduced.transform(X), rtol=0, atol=1e-4)
    groups = KMeans(4, random_state=7, n_init=1).fit(X)
    np.testing.assert_array_equal(onnxc.sklearn.compile(groups).predict(X), groups.predict(X))
    booster = boosters = xgboost.train({"objective": "reg:squarederror"}, xgboost.DMatrix(X, SCORE), 10)
    np.testing.assert_allclose(onnxc.sklearn.compile(booster).predict(X), boosters.predict(xgboost.DMatrix(X)), rtol=1e-4, atol=2e-5)
    booster = lightgbm.train({"objective": "regression", "verbose": -1}, lightgbm.Dataset(X, SCORE), 10)
    np.testing.assert_allclose(onnxc.sklearn.compile(booster).predict(X), booster.predict(X), rtol=1e-4, atol=2e-5)


def errors():
    class Own(LinearRegression):
        """One that no converter knows."""

    for wrong in (lambda: onnxc.sklearn.compile(Own().fit(X, SCORE)), lambda: onnxc.sklearn.compile(LinearRegression()),
                  lambda: onnxc.sklearn.compile(LinearRegression().fit(X, SCORE), dtype="float16")):
        try:
            wrong()
            print("no error")
        except onnxc.Error as error:
            print("error:", error)


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, estimator in CLASSIFIERS.items():
        classifier(name, estimator)
    print("classifiers:", len(CLASSIFIERS))
    for name, estimator in REGRESSORS.items():
        regressor(name, estimator)
    print("regressors:", len(REGRESSORS))
    tables()
    forms(folder)
    errors()


main()
