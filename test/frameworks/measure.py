#!/usr/bin/env python3
"""Times jobs on a cluster of this machine with onnxc and with ONNX Runtime, in the same harness:
rows of a tree model and images of a convolutional network, on Ray Data and on Spark.

The workers are the engine's, each with one thread; both runtimes get the same batches by the
same code. Times are of the whole job, without the start of the cluster and the making of
the input, which stays in the engine's memory; the least of several, in turn.

usage: test/frameworks/measure.py [--build BUILD] [--rows N] [--images N] [--workers N] [--repeat N] [--engine ray|spark]
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
VENV = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "onnxc" / "frameworks"


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "dev")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--images", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--engine", choices=["ray", "spark"], action="append")
    return parser.parse_args()


WIDTH, SIZE = 20, 64


def tree_model():
    import lightgbm
    import numpy as np

    import onnxc.sklearn
    random = np.random.default_rng(7)
    x = random.standard_normal((5000, WIDTH)).astype(np.float32)
    estimator = lightgbm.LGBMRegressor(n_estimators=100, verbose=-1, n_jobs=1).fit(x, x[:, 0] + x[:, 1] * x[:, 2])
    return onnxc.sklearn.to_onnx(estimator)


def image_model():
    import torch
    from torch import nn

    import onnxc.torch

    def block(inside, outside, stride):
        return nn.Sequential(nn.Conv2d(inside, inside, 3, stride, 1, groups=inside, bias=False), nn.BatchNorm2d(inside), nn.ReLU6(),
                             nn.Conv2d(inside, outside, 1, bias=False), nn.BatchNorm2d(outside), nn.ReLU6())
    torch.manual_seed(7)
    sizes = [(32, 64, 1), (64, 128, 2), (128, 128, 1), (128, 256, 2), (256, 256, 1), (256, 512, 2)]
    module = nn.Sequential(nn.Conv2d(3, 32, 3, 2, 1, bias=False), nn.BatchNorm2d(32), nn.ReLU6(), *(block(*size) for size in sizes),
                           nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 100))
    return onnxc.torch.to_onnx(module, (torch.zeros(2, 3, SIZE, SIZE),), dynamic_shapes=({0: "n"},), input_names=["image"], output_names=["scores"],
                               opset=18)


def runtime_session(model):
    """ONNX Runtime's, with one thread."""
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def rows_of(numbers):
    """Columns made of row numbers, so that no file is needed."""
    import numpy as np
    columns = {f"c{i}": np.sin(numbers * (0.37 + i)).astype(np.float32) for i in range(WIDTH)}
    return {"id": numbers, **columns}


def images_of(numbers):
    import numpy as np
    random = np.random.default_rng(int(numbers[0]))
    return {"id": numbers, "image": random.standard_normal((len(numbers), 3, SIZE, SIZE), dtype=np.float32)}


JOBS = {"trees": (tree_model, rows_of, [f"c{i}" for i in range(WIDTH)], 8192), "images": (image_model, images_of, ["image"], 32)}


def in_turns(runs, repeat):
    """The least time of each, and the last sums."""
    times, sums = {name: [] for name in runs}, {}
    for _ in range(repeat):
        for name, run in runs.items():
            start = time.perf_counter()
            sums[name] = run()
            times[name].append(time.perf_counter() - start)
    return {name: min(values) for name, values in times.items()}, sums


def report(engine, job, count, times, sums):
    close = abs(sums["onnxc"] - sums["onnxruntime"]) <= 1e-3 * max(1.0, abs(sums["onnxruntime"]))
    print(f"{engine:6} {job:7} {count:9} rows  onnxc {times['onnxc']:7.2f} s  onnxruntime {times['onnxruntime']:7.2f} s  "
          f"{times['onnxruntime'] / times['onnxc']:5.2f} times as fast, {'equal' if close else 'DIFFERENT'} sums", flush=True)
    return close


def on_ray(job, count, options):
    import numpy as np
    import ray

    import onnxc.ray
    from onnxc import tables
    make, generate, inputs, batch = JOBS[job]
    model = make()
    output = model.graph.output[0].name
    shipped = onnxc.ray.ship(model)
    reference = ray.put(model.SerializeToString())

    class Runtime(onnxc.ray.Predictor):
        def __init__(self, shipped, inputs, outputs, keep, threads):
            self.columns, self.keep = tables.Columns(runtime_session(ray.get(reference)), inputs, outputs), keep

    names = inputs if len(inputs) > 1 else {model.graph.input[0].name: inputs[0]}
    source = ray.data.range(count, override_num_blocks=max(8, count // (64 * batch))).map_batches(
        lambda block: generate(block["id"]), batch_size=None).materialize()

    def run(predictor):
        scored = onnxc.ray.map_batches(source, shipped, inputs=names, outputs={"result": output}, keep=["id"], workers=options.workers,
                                       batch_size=batch, predictor=predictor).materialize()
        assert scored.count() == count
        return float(sum(np.sum(block["result"]) for block in scored.iter_batches(batch_size=None)) / count)
    return in_turns({"onnxc": lambda: run(onnxc.ray.Predictor), "onnxruntime": lambda: run(Runtime)}, options.repeat)


def on_spark(job, count, options, spark):
    import numpy as np
    import pyarrow
    from pyspark.sql import functions as F

    import onnxc.spark
    from onnxc import tables
    make, generate, inputs, batch = JOBS[job]
    model = make()
    output = model.graph.output[0].name
    shipped, content = onnxc.spark.ship(spark, model), model.SerializeToString()
    names = inputs if len(inputs) > 1 else {model.graph.input[0].name: inputs[0]}
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", str(batch))

    def source(batches):
        for part in batches:
            columns = generate(part.column("id").to_numpy())
            arrays = {name: tables.to_arrow(array.reshape(len(array), -1) if array.ndim > 1 else array) for name, array in columns.items()}
            yield pyarrow.RecordBatch.from_pydict(arrays)
    schema = "id long, " + (", ".join(f"{name} float" for name in inputs) if job == "trees" else "image array<float>")
    frame = spark.range(count, numPartitions=max(4, count // (64 * batch))).mapInArrow(source, schema).cache()
    frame.count()

    def shaped(session):
        """Images are flat in Spark's table."""
        columns = tables.Columns(session, names, {"result": output})
        if job == "images":
            of = columns.predict
            columns.predict = lambda column_of, rows: of(lambda name: tables.from_arrow(column_of(name)).reshape(rows, 3, SIZE, SIZE), rows)
        return columns

    def run(session):
        def function(batches):
            columns = shaped(session())
            for part in batches:
                result = columns.predict(part.column, part.num_rows)["result"]
                yield pyarrow.RecordBatch.from_arrays([part.column("id"), pyarrow.array(result.reshape(part.num_rows, -1).sum(1, dtype=np.float64))],
                                                      names=["id", "result"])
        rows, total = frame.mapInArrow(function, "id long, result double").agg(F.count("id"), F.sum("result")).first()
        assert rows == count
        return total / count
    found = in_turns({"onnxc": lambda: run(lambda: shipped.session(1)), "onnxruntime": lambda: run(lambda: runtime_session(content))}, options.repeat)
    frame.unpersist()
    return found


def measure(options):
    right = True
    counts = {"trees": options.rows, "images": options.images}
    for engine in options.engine or ["ray", "spark"]:
        if engine == "ray":
            import ray
            ray.init(num_cpus=max(2, options.workers), include_dashboard=False, log_to_driver=False, object_store_memory=3 << 30)
            ray.data.DataContext.get_current().enable_progress_bars = False
            run, stop = on_ray, ray.shutdown
        else:
            from pyspark.sql import SparkSession
            spark = SparkSession.builder.master(f"local[{options.workers}]").config("spark.ui.enabled", "false").config(
                "spark.driver.memory", "4g").config("spark.sql.inMemoryColumnarStorage.compressed", "false").getOrCreate()
            spark.sparkContext.setLogLevel("ERROR")

            def run(job, count, options):
                return on_spark(job, count, options, spark)
            stop = spark.stop
        for job, count in counts.items():
            if count:
                right &= report(engine, job, count, *run(job, count, options))
        stop()
    return right


def main():
    options = read_options()
    if pathlib.Path(sys.prefix) != VENV:
        if not (VENV / "bin" / "python3").exists():
            sys.exit("measure.py: there is no environment; utils/frameworks/install.sh makes it")
        with tempfile.TemporaryDirectory(prefix="onnxc-measure-") as folder:
            environment = {**os.environ, "PYTHONPATH": str(options.build / "python"), "ONNXC_ARTIFACT_DIR": f"{folder}/artifacts", "OMP_NUM_THREADS": "1",
                           "ORT_DISABLE_TELEMETRY": "1", "RAY_USAGE_STATS_ENABLED": "0", "PYSPARK_PYTHON": str(VENV / "bin" / "python3"),
                           "SPARK_LOCAL_IP": "127.0.0.1"}
            return subprocess.run([VENV / "bin" / "python3", *sys.argv], env=environment).returncode
    return 0 if measure(options) else 1


sys.exit(main())
