"""onnxc.spark on a cluster of this machine: right rows, whatever happens to workers.

usage: spark_cluster.py FOLDER
"""

import os
import pathlib
import signal
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
FOLDER = pathlib.Path(sys.argv[1]).resolve()
os.environ["ONNXC_ARTIFACT_DIR"] = str(FOLDER / "artifacts")
os.environ["PYTHONPATH"] = os.pathsep.join([HERE, os.environ.get("PYTHONPATH", "")])
os.environ["PYSPARK_PYTHON"] = sys.executable
os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"

import pyspark  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402
from pyspark.sql import functions as F  # noqa: E402

import cluster_models  # noqa: E402
import onnxc  # noqa: E402
import onnxc.spark  # noqa: E402

os.environ.setdefault("SPARK_HOME", os.path.dirname(pyspark.__file__))
ROWS = 20000


def frame(spark):
    return spark.range(ROWS, numPartitions=8).select("id", (F.col("id") * 0.5).cast("float").alias("a"), F.sqrt("id").cast("float").alias("b"),
                                                      F.array((F.col("id") * 0.5).cast("float"), F.sqrt("id").cast("float")).alias("x"))


def check(rows, name):
    rows = rows.collect()
    assert sorted(row.id for row in rows) == list(range(ROWS)), (name, len(rows))
    assert all(abs(row.result - (1.5 * row.id - np.sqrt(row.id))) < 1e-2 for row in rows), name
    return len(rows)


def kill_executor(marker):
    """Ends the executor that this Python worker belongs to: the JVM, with all its workers."""
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return
    pid = os.getpid()
    while pathlib.Path(f"/proc/{pid}/comm").read_text().strip() != "java":
        pid = int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    os.kill(pid, signal.SIGKILL)


def losing(function, lose, marker):
    def wrapped(batches):
        def watched():
            for batch in batches:
                if ROWS // 2 in batch.column("id").to_pylist():
                    lose(marker)
                yield batch
        return function(watched())
    return wrapped


def main():
    builder = SparkSession.builder.master("local-cluster[2,1,768]").appName("onnxc").config("spark.ui.enabled", "false")
    for name, value in {"spark.executorEnv.PYTHONPATH": os.environ["PYTHONPATH"], "spark.executorEnv.ONNXC_ARTIFACT_DIR": os.environ["ONNXC_ARTIFACT_DIR"],
                        "spark.executor.memory": "600m", "spark.sql.execution.arrow.maxRecordsPerBatch": "500", "spark.local.dir": str(FOLDER / "local"),
                        "spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1", "spark.sql.shuffle.partitions": "4"}.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    model = onnxc.spark.ship(spark, cluster_models.rows_model())
    again = onnxc.spark.ship(spark, cluster_models.rows_model())
    rows = frame(spark)
    scored = onnxc.spark.predict(rows, model, inputs=["a", "b"], outputs={"result": "score", "both": "twice"}, keep=["id"])
    print("predict:", check(scored, "predict"), scored.schema.simpleString())
    lists = onnxc.spark.predict(rows, again, outputs={"result": "score"}, keep=["id"])
    print("a column of lists:", check(lists, "lists"))
    frames = rows.mapInPandas(onnxc.spark.pandas_function(model, inputs=["a", "b"], outputs={"result": "score"}, keep=["id"]), "id long, result float")
    print("mapInPandas:", check(frames, "mapInPandas"))
    score = onnxc.spark.udf(model)
    print("udf:", check(rows.select("id", score("a", "b").alias("result")), "udf"), check(rows.select("id", score("x").alias("result")), "udf of lists"))
    for name, lose in (("worker", cluster_models.die_once), ("executor", kill_executor)):
        function = losing(onnxc.spark.arrow_function(model, inputs=["a", "b"], outputs={"result": "score"}, keep=["id"]), lose, str(FOLDER / name))
        found = check(rows.mapInArrow(function, "id long, result float"), name)
        print(f"a lost {name}: {found} rows, lost: {(FOLDER / name).exists()}")
    empty = onnxc.spark.predict(rows.limit(0), model, inputs=["a", "b"], outputs={"result": "score"})
    print("no rows:", empty.count())
    for wrong in (lambda: onnxc.spark.predict(rows, model, inputs=["a", "c"]), lambda: onnxc.spark.predict(rows, model, inputs=["a", "b"], outputs=["x"]),
                  lambda: onnxc.spark.predict(rows, model, outputs={"id": "score"})):
        try:
            wrong()
        except onnxc.Error as error:
            print("error:", error)
    print("files:", len(list((FOLDER / "artifacts").glob("*.so"))))
    memory(spark)
    spark.stop()


def memory(spark):
    model, weights = cluster_models.large_model()
    shipped = onnxc.spark.ship(spark, model)

    def measure(batches):
        import time

        import pyarrow
        session = shipped.session()
        for batch in batches:
            session.run(None, {"x": np.ones((1, len(weights_size)), np.float32)})
            (FOLDER / f"ready-{os.getpid()}").touch()
            end = time.monotonic() + 60
            while len(list(FOLDER.glob("ready-*"))) < 2 and time.monotonic() < end:
                time.sleep(0.05)
            rss, pss = cluster_models.mapped(os.getpid(), f"{shipped.digest}.so")
            (FOLDER / f"measured-{os.getpid()}").touch()
            while len(list(FOLDER.glob("measured-*"))) < 2 and time.monotonic() < end:
                time.sleep(0.05)
            yield pyarrow.RecordBatch.from_arrays([pyarrow.array([os.getpid()]), pyarrow.array([rss]), pyarrow.array([pss])], names=["pid", "rss", "pss"])

    weights_size = range(len(weights))
    found = spark.range(2, numPartitions=2).mapInArrow(measure, "pid long, rss long, pss long").collect()
    sizes = [(row.rss, row.pss) for row in found]
    size = (FOLDER / "artifacts" / f"{shipped.digest}.so").stat().st_size
    print(f"memory: {len({row.pid for row in found})} workers share: {cluster_models.is_shared(sizes, size)}")
    print(f"  file {size >> 20} MiB, Rss {[rss >> 20 for rss, _ in sizes]}, Pss {[pss >> 20 for _, pss in sizes]}")


main()
