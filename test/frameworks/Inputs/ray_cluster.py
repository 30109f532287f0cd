"""onnxc.ray on a cluster of this machine: right rows, whatever happens to workers.

usage: ray_cluster.py FOLDER
"""

import functools
import json
import os
import pathlib
import sys
import urllib.request

import numpy as np

sys.path.insert(0, os.path.dirname(__file__))
FOLDER = pathlib.Path(sys.argv[1]).resolve()
os.environ["ONNXC_ARTIFACT_DIR"] = str(FOLDER / "artifacts")
os.environ["RAY_USAGE_STATS_ENABLED"] = os.environ["RAY_DEDUP_LOGS"] = "0"
os.environ["PYTHONPATH"] = os.pathsep.join([os.path.dirname(os.path.abspath(__file__)), os.environ.get("PYTHONPATH", "")])

import ray  # noqa: E402

import cluster_models  # noqa: E402
import onnxc  # noqa: E402
import onnxc.ray  # noqa: E402

ROWS = 20000


class Mortal(onnxc.ray.Predictor):
    """One of them is lost in the middle."""

    marker = str(FOLDER / "lost-predictor")

    def __call__(self, batch):
        if ROWS // 2 in batch["id"]:
            cluster_models.die_once(self.marker)
        return super().__call__(batch)


class Worker(onnxc.ray._Worker):
    def run(self, names, feed):
        if feed["x"][0, 0] == 20:
            cluster_models.die_once(str(FOLDER / "lost-worker"))
        return super().run(names, feed)

    def process(self):
        return os.getpid(), os.environ.get("ONNXC_CPU_LEVEL")


def dataset(model):
    rows = ray.data.from_numpy([np.arange(start, start + ROWS // 10) for start in range(0, ROWS, ROWS // 10)]).rename_columns({"data": "id"})
    rows = rows.map_batches(lambda batch: {"id": batch["id"], "a": batch["id"] * 0.5, "b": np.sqrt(batch["id"])})
    wanted = {i: 1.5 * i - np.sqrt(i) for i in range(ROWS)}
    for name, predictor in (("plain", onnxc.ray.Predictor), ("with a lost worker", Mortal)):
        scored = onnxc.ray.map_batches(rows, model, inputs=["a", "b"], outputs={"result": "score", "both": "twice"}, keep=["id"], workers=2,
                                       batch_size=500, predictor=predictor)
        found = scored.take_all()
        assert sorted(row["id"] for row in found) == list(range(ROWS)), len(found)
        assert all(abs(row["result"] - wanted[row["id"]]) < 1e-2 and len(row["both"]) == 4 for row in found)
        print(f"dataset {name}: {len(found)} rows, columns {sorted(found[0])}, lost: {os.path.exists(Mortal.marker)}")
    try:
        onnxc.ray.map_batches(rows, model, inputs=["a", "c"]).take_all()
    except Exception as error:
        print("error:", [line for line in str(error).splitlines() if "has no column" in line][-1].strip())


def pool(model):
    feeds = [{"x": np.full((3, 2), i, np.float32)} for i in range(60)]
    with onnxc.ray.Pool(model, workers=2, worker=Worker) as workers:
        found = [float(score[0, 0]) for score, in workers.map(feeds, ["score"])]
        assert found == [2.0 * i for i in range(60)], found
        print("pool:", len(found), "lost:", (FOLDER / "lost-worker").exists())
    levels = []
    for level in ("x86-64-v2", None):
        environment = {"runtime_env": {"env_vars": {"ONNXC_CPU_LEVEL": level}}} if level else {}
        with onnxc.ray.Pool(model, workers=1, worker=Worker, **environment) as workers:
            levels.append(float(ray.get(workers.submit({"x": np.full((3, 2), 7, np.float32)}, ["score"]))[0][0, 0]))
    print("levels of processors:", levels)


def memory():
    model, weights = cluster_models.large_model()
    shipped = onnxc.ray.ship(model)
    with onnxc.ray.Pool(shipped, workers=3, worker=Worker) as workers:
        x = np.ones((1, len(weights)), np.float32)
        for actor in workers._actors:
            found, = ray.get(actor.run.remote(None, {"x": x}))
            np.testing.assert_allclose(found, x @ weights, rtol=1e-3, atol=1e-2)
        pids = [ray.get(actor.process.remote())[0] for actor in workers._actors]
        sizes = [cluster_models.mapped(pid, f"{shipped.digest}.so") for pid in pids]
        size = (FOLDER / "artifacts" / f"{shipped.digest}.so").stat().st_size
        print(f"memory: {len(pids)} workers share: {cluster_models.is_shared(sizes, size)}")
        print(f"  file {size >> 20} MiB, Rss {[rss >> 20 for rss, _ in sizes]}, Pss {[pss >> 20 for _, pss in sizes]}")


def service(model):
    from ray import serve

    handle = serve.run(onnxc.ray.deployment(model, workers=2, wait=0.05))
    answers = [handle.predict.remote({"x": np.full((1 + i % 3, 2), i, np.float32)}) for i in range(40)]
    for i, answer in enumerate(answers):
        found = answer.result()
        assert found["score"].shape == (1 + i % 3, 1) and (found["score"] == 2 * i).all(), found
    print("served:", len(answers))

    def post(body):
        request = urllib.request.Request("http://127.0.0.1:8000/", json.dumps(body).encode(), {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)
    print("over HTTP:", *post({"x": [[1, 2], [5, 3]]}))
    print("wrong:", *post({"x": [[1, 2, 3]]}))
    print("wrong:", *post({"y": [[1, 2]]}))
    serve.shutdown()


def main():
    ray.init(num_cpus=4, include_dashboard=False, object_store_memory=400 << 20, log_to_driver=False, configure_logging=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    compiles = []
    compile = onnxc.compiler.compile
    onnxc.compiler.compile = functools.wraps(compile)(lambda *args, **options: compiles.append(1) or compile(*args, **options))
    model = onnxc.ray.ship(cluster_models.rows_model())
    dataset(model)
    pool(model)
    service(model)
    print("compiles:", len(compiles), "files:", len(list((FOLDER / "artifacts").glob("*.so"))))
    memory()
    ray.shutdown()


main()
