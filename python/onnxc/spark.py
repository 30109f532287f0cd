# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled models on a Spark cluster: compiled once, sent to each executor once.

    import onnxc.spark
    model = onnxc.spark.ship(spark, "model.onnx")                      # in the driver
    scored = onnxc.spark.predict(frame, model, inputs=["a", "b"], outputs={"score": "variable"})
    score = onnxc.spark.udf(model, output="variable")
    frame.select(score("a", "b"))

The workers need the package onnxc, with numpy and pyarrow. Code for several levels of
processors is in a model by default, so that the machines of a cluster may differ.
A task that fails is Spark's to try again; it loses no rows and repeats none.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from . import shipping, tables
from .errors import Error

if TYPE_CHECKING:
    import pandas
    import pyarrow
    from pyspark.sql import DataFrame

    from .runtime import NodeArg
    from .session import InferenceSession

__all__ = ["Shipped", "arrow_function", "pandas_function", "predict", "ship", "udf"]


class Shipped:
    """A compiled model among the files of a Spark context. Tasks may use it; session() is the
    one of a worker's process, with the weights of its host's file."""

    def __init__(self, digest: str, prefix: str, described: tables.Described) -> None:
        self.digest, self._prefix, self.described = digest, prefix, described

    @property
    def file_name(self) -> str:
        return f"{self.digest}.so"

    def _fetch(self) -> Any:
        from pyspark import SparkFiles

        return SparkFiles.get(self.file_name)

    def session(self, threads: int = 1) -> InferenceSession:
        return shipping.host_session(self.digest, self._fetch, self._prefix, threads)


class _Described:
    """The inputs and outputs of a model, which the driver needs, without its code."""

    def __init__(self, session: InferenceSession) -> None:
        self._inputs, self._outputs = session.get_inputs(), session.get_outputs()

    def get_inputs(self) -> list[NodeArg]:
        return self._inputs

    def get_outputs(self) -> list[NodeArg]:
        return self._outputs


def ship(spark: Any, model: Any, *, cache_dir: str | None = None, **options: Any) -> Shipped:
    """Compiles a model (of any form that onnxc.compile takes, or a library that it wrote), and adds it to the
    files that each executor of the SparkSession (or SparkContext) gets. `options` are onnxc.compile's."""
    if isinstance(model, Shipped):
        return model
    context = getattr(spark, "sparkContext", spark)
    digest, content = shipping.compiled(model, cache_dir, **options)
    prefix = options.get("prefix", "")
    shipped = Shipped(digest, prefix, _Described(shipping.host_session(digest, lambda: content, prefix)))
    if not any(path.endswith(shipped.file_name) for path in context.listFiles):
        context.addFile(shipping.host_file(digest, lambda: content))  # executors read it from there, whenever they start
    return shipped


def arrow_function(shipped: Shipped, *, inputs: tables.Inputs = None, outputs: tables.Outputs = None, keep: Sequence[str] | None = None,
                   threads: int = 1) -> Callable[[Iterator[pyarrow.RecordBatch]], Iterator[pyarrow.RecordBatch]]:
    """For DataFrame.mapInArrow: from batches of pyarrow to batches with the kept columns (None: all) and the results."""
    def function(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        import pyarrow

        columns = tables.Columns(shipped.session(threads), inputs, outputs)
        for batch in batches:
            results = columns.predict(lambda name: _column(batch, name), batch.num_rows)
            kept = batch.schema.names if keep is None else keep
            arrays = [_column(batch, name) for name in kept] + [_spark_column(tables.to_arrow(array)) for array in results.values()]
            yield pyarrow.RecordBatch.from_arrays(arrays, names=[*kept, *results])
    return function


def pandas_function(shipped: Shipped, *, inputs: tables.Inputs = None, outputs: tables.Outputs = None, keep: Sequence[str] | None = None,
                    threads: int = 1) -> Callable[[Iterator[pandas.DataFrame]], Iterator[pandas.DataFrame]]:
    """For DataFrame.mapInPandas: the same from and to pandas."""
    def function(frames: Iterator[pandas.DataFrame]) -> Iterator[pandas.DataFrame]:
        columns = tables.Columns(shipped.session(threads), inputs, outputs)
        for frame in frames:
            results = columns.predict(lambda name: _series(frame, name).to_numpy(), len(frame))
            yield (frame if keep is None else frame[list(keep)]).assign(**{name: _cells(array) for name, array in results.items()})
    return function


def predict(frame: DataFrame, model: Any, *, inputs: tables.Inputs = None, outputs: tables.Outputs = None, keep: Sequence[str] | None = None,
            threads: int = 1, **options: Any) -> DataFrame:
    """The DataFrame with columns of results, through Arrow without copies where the types are the model's.

    `model` is what ship returns, or takes with the options. inputs: None (each input of the model has a column of its
    name), a list of columns that make up the only input, or a dict from inputs to a column or a list of
    columns; a column may hold arrays. outputs: None (columns with the names of all outputs), a list, or a
    dict from columns to outputs. keep: the columns that stay, None for all.
    """
    shipped = ship(frame.sparkSession, model, **options)
    kept = list(frame.columns if keep is None else keep)
    columns = tables.Columns(shipped.described, inputs, outputs)
    if double := sorted(set(kept) & set(columns.results)):
        raise Error(f"the columns {double} would be there twice; expected outputs= with other names, or keep=")
    fields = {field.name: field.dataType.simpleString() for field in frame.schema.fields}
    needed = list(dict.fromkeys([*kept, *columns.needed()]))
    for name in needed:
        if name not in fields:
            raise Error(f"the frame has no column '{name}'; its columns are {list(fields)}")
    schema = ", ".join([f"`{name}` {fields[name]}" for name in kept] + [f"`{name}` {kind}" for name, kind in columns.spark_types().items()])
    function = arrow_function(shipped, inputs=inputs, outputs=outputs, keep=kept, threads=threads)
    return frame.select(*(frame[f"`{name}`"] for name in needed)).mapInArrow(function, schema)


def udf(shipped: Shipped, *, output: str | None = None, threads: int = 1) -> Any:
    """A pandas UDF of the model with one result: its arguments are the columns that make up the only input, or
    one for each input, in their order."""
    import pandas
    from pyspark.sql.functions import pandas_udf

    args = [arg.name for arg in shipped.described.get_inputs()]
    output = output or shipped.described.get_outputs()[0].name
    kind = tables.Columns(shipped.described, None, [output]).spark_types()[output]

    def function(batches: Iterator[Any]) -> Iterator[Any]:
        session = shipped.session(threads)
        for batch in batches:
            series = batch if isinstance(batch, tuple) else (batch,)
            names = [str(place) for place in range(len(series))]
            inputs = dict(zip(args, names)) if len(args) > 1 or len(series) == 1 else names
            result = tables.Columns(session, inputs, [output]).predict(lambda name: series[int(name)].to_numpy(), len(series[0]))[output]
            yield pandas.Series(_cells(result))

    function.__annotations__ = _annotations()
    return pandas_udf(function, kind)


def _annotations() -> dict[str, Any]:
    """Of a function from an iterator of columns to an iterator of results, as Spark reads them."""
    from collections.abc import Iterator

    import pandas

    return {"batches": Iterator[tuple[pandas.Series, ...]], "return": Iterator[pandas.Series]}


def _column(batch: pyarrow.RecordBatch, name: str) -> Any:
    place = batch.schema.get_field_index(name)
    if place < 0:
        raise Error(f"the frame has no column '{name}'; its columns are {batch.schema.names}")
    return batch.column(place)


def _series(frame: pandas.DataFrame, name: str) -> Any:
    if name not in frame.columns:
        raise Error(f"the frame has no column '{name}'; its columns are {list(frame.columns)}")
    return frame[name]


def _cells(array: tables.Array) -> Any:
    """What pandas takes for a column: lists, where a row has several numbers."""
    return array if array.ndim == 1 else array.tolist()


def _spark_column(column: Any) -> Any:
    """Spark's integers have signs."""
    import pyarrow

    wider = {pyarrow.uint8(): pyarrow.int16(), pyarrow.uint16(): pyarrow.int32(), pyarrow.uint32(): pyarrow.int64()}

    def target(kind: Any) -> Any:
        return pyarrow.list_(target(kind.value_type)) if pyarrow.types.is_list(kind) else wider.get(kind, kind)
    wanted = target(column.type)
    return column if column.type == wanted else column.cast(wanted)
