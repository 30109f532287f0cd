# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled models on a Ray cluster: compiled once, put into Ray's store once.

    import onnxc.ray
    model = onnxc.ray.ship("model.onnx")                       # in the driver
    scored = onnxc.ray.map_batches(dataset, model, inputs=["a", "b"], outputs={"score": "variable"}, workers=2)
    results = list(onnxc.ray.Pool(model, workers=2).map(feeds))
    serve.run(onnxc.ray.deployment(model, workers=2))

Code for several levels of processors is in a model by default, so that the machines of
a cluster may differ. A worker that is lost is started anew, and what it worked on is done again.
"""
from __future__ import annotations

import collections
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import ray

from . import shipping, tables, values
from .errors import Error

if TYPE_CHECKING:
    from .session import InferenceSession

__all__ = ["Pool", "Predictor", "Shipped", "deployment", "map_batches", "ship"]


class Shipped:
    """A compiled model in the store. It can be passed to tasks and actors; session() is
    the one of a worker's process, with the weights of its host's file."""

    def __init__(self, digest: str, reference: Any, prefix: str) -> None:
        self.digest, self._reference, self._prefix = digest, reference, prefix

    def _fetch(self) -> Any:
        return ray.get(self._reference)

    def session(self, threads: int = 1) -> InferenceSession:
        return shipping.host_session(self.digest, self._fetch, self._prefix, threads)


class _Carried(Shipped):
    """One that carries its bytes: for what outlives the process that owns the object of the store."""

    def _fetch(self) -> Any:
        return self._reference


def ship(model: Any, *, cache_dir: str | None = None, **options: Any) -> Shipped:
    """Compiles a model (of any form that onnxc.compile takes, or a library that it wrote) and puts it
    into the store. `options` are onnxc.compile's."""
    if isinstance(model, Shipped):
        return model
    digest, content = shipping.compiled(model, cache_dir, **options)
    # Arrays are read from the store where they are, bytes are copied.
    return Shipped(digest, ray.put(np.frombuffer(content, np.uint8)), options.get("prefix", ""))


class Predictor:
    """For Dataset.map_batches(Predictor, fn_constructor_args=(shipped,), batch_format="numpy", ...): the batch,
    with columns of results. See map_batches, which does so."""

    def __init__(self, shipped: Shipped, inputs: tables.Inputs = None, outputs: tables.Outputs = None, keep: Sequence[str] | None = None,
                 threads: int = 1) -> None:
        self.columns = tables.Columns(shipped.session(threads), inputs, outputs)
        self.keep = keep

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        rows = len(next(iter(batch.values()))) if batch else 0
        results = self.columns.predict(lambda name: _column(batch, name), rows)
        kept = batch if self.keep is None else {name: _column(batch, name) for name in self.keep}
        return {**kept, **results}


def _column(batch: Mapping[str, Any], name: str) -> Any:
    if name not in batch:
        raise Error(f"the dataset has no column '{name}'; its columns are {list(batch)}")
    return batch[name]


def map_batches(dataset: ray.data.Dataset, model: Any, *, inputs: tables.Inputs = None, outputs: tables.Outputs = None,
                keep: Sequence[str] | None = None, workers: int | tuple[int, int] = 2, batch_size: int | None = 1024, threads: int = 1,
                predictor: type[Any] = Predictor, compile_options: Mapping[str, Any] | None = None, **options: Any) -> ray.data.Dataset:
    """The dataset with columns of results, computed by `workers` actors (a number, or (least, most)).

    `model` is what ship returns or takes. inputs: None (each input of the model has a column of its name), a list of
    columns that make up the only input, or a dict from inputs to a column or a list of columns. outputs: None (columns with
    the names of all outputs), a list, or a dict from columns to outputs. keep: the columns that stay, None for all.
    Each actor works with `threads`, and takes as many processors. Other options are Dataset.map_batches'.
    """
    least, most = workers if isinstance(workers, tuple) else (workers, workers)
    shipped = ship(model, **(compile_options or {}))
    options.setdefault("num_cpus", threads)
    return dataset.map_batches(predictor, fn_constructor_args=(shipped, inputs, outputs, keep, threads), batch_format="numpy",
                               batch_size=batch_size, compute=ray.data.ActorPoolStrategy(min_size=least, max_size=most), **options)


class _Worker:
    def __init__(self, shipped: Shipped, threads: int) -> None:
        self.session = shipped.session(threads)

    def run(self, names: Sequence[str] | None, feed: dict[str, Any]) -> list[Any]:
        return self.session.run(names, feed)


class Pool:
    """Actors that run a model. One that is lost is started anew, and does what it was at again."""

    def __init__(self, model: Any, workers: int = 2, *, threads: int = 1, compile_options: Mapping[str, Any] | None = None,
                 worker: type[Any] = _Worker, **options: Any) -> None:
        shipped = ship(model, **(compile_options or {}))
        made: Any = ray.remote(worker).options(**{"num_cpus": threads, "max_restarts": -1, "max_task_retries": -1, **options})
        self._actors = [made.remote(shipped, threads) for _ in range(workers)]
        self._turn = 0

    def submit(self, feed: dict[str, Any], names: Sequence[str] | None = None) -> Any:
        """A reference to the results of one run, by the next actor in turn."""
        self._turn = (self._turn + 1) % len(self._actors)
        return self._actors[self._turn].run.remote(names, feed)

    def map(self, feeds: Iterable[dict[str, Any]], names: Sequence[str] | None = None) -> Iterator[list[Any]]:
        """The results for each of `feeds`, in their order. Four for each actor are on their way at a time."""
        waiting: collections.deque[Any] = collections.deque()
        for feed in feeds:
            waiting.append(self.submit(feed, names))
            if len(waiting) >= 4 * len(self._actors):
                yield ray.get(waiting.popleft())
        while waiting:
            yield ray.get(waiting.popleft())

    def close(self) -> None:
        for actor in self._actors:
            ray.kill(actor)
        self._actors = []

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


class _Service:
    """What a replica of Ray Serve runs."""

    def __init__(self, shipped: Shipped, threads: int, batch: int, wait: float) -> None:
        from ray import serve

        self.session = shipped.session(threads)
        self.args = self.session.get_inputs()
        # Requests that come together are one run, where the first dimension of all inputs is open.
        if batch > 1 and all(arg.shape and not isinstance(arg.shape[0], int) for arg in self.args):
            async def together(feeds: list[dict[str, Any]]) -> list[Any]:
                return await self._run_together(feeds)
            self.submit: Any = serve.batch(max_batch_size=batch, batch_wait_timeout_s=wait)(together)
        else:
            self.submit = self._run

    async def _run(self, feed: dict[str, Any]) -> dict[str, Any]:
        import asyncio

        names = [arg.name for arg in self.session.get_outputs()]
        return dict(zip(names, await asyncio.to_thread(self.session.run, None, feed)))

    async def _run_together(self, feeds: list[dict[str, Any]]) -> list[Any]:
        try:
            rows = [len(next(iter(feed.values()))) for feed in feeds]
            joined = {name: np.concatenate([np.asarray(feed[name]) for feed in feeds]) for name in feeds[0]}
            found = await self._run(joined)
            if all(len(value) == sum(rows) for value in found.values()):
                ends = np.cumsum([0, *rows])
                return [{name: value[begin:end] for name, value in found.items()} for begin, end in zip(ends, ends[1:])]
        except Exception:  # of one request: the others are not to fail with it
            pass
        return [await self._one(feed) for feed in feeds]

    async def _one(self, feed: dict[str, Any]) -> Any:
        try:
            return await self._run(feed)
        except Exception as error:
            return error

    async def predict(self, feed: dict[str, Any]) -> dict[str, Any]:
        """The outputs by name; `feed` has the inputs as arrays or lists."""
        typed = {arg.name: np.asarray(feed[arg.name], values.numpy_dtype(values.number_of(tables.element_type(arg))))
                 for arg in self.args if arg.name in feed}
        result: dict[str, Any] | Exception = await self.submit({**feed, **typed})
        if isinstance(result, Exception):
            raise result
        return result

    async def __call__(self, request: Any) -> Any:
        """POST {"input": [[...]]} gives {"output": [...]}."""
        from starlette.responses import JSONResponse

        try:
            found = await self.predict(await request.json())
        except (Error, ValueError, TypeError, AttributeError) as error:
            return JSONResponse({"error": str(error)}, status_code=400)
        return JSONResponse({name: value.tolist() for name, value in found.items()})


def deployment(model: Any, *, workers: int = 2, threads: int = 1, batch: int = 32, wait: float = 0.002, name: str = "onnxc",
               compile_options: Mapping[str, Any] | None = None, **options: Any) -> Any:
    """An application for ray.serve.run: `workers` replicas, called over HTTP with JSON, or by a handle:
    handle.predict.remote({"x": array}). Up to `batch` requests that come within `wait` seconds are one run, if
    the first dimension of the model's inputs is open. Other options are serve.deployment's.
    The application holds the model itself: it lives on when the driver has ended.
    """
    from ray import serve

    shipped = ship(model, **(compile_options or {}))
    carried = shipped if isinstance(shipped, _Carried) else _Carried(shipped.digest, bytes(shipped._fetch()), shipped._prefix)
    options = {"num_replicas": workers, "ray_actor_options": {"num_cpus": threads}, **options}
    return serve.deployment(_Service, name=name, **options).bind(carried, threads, batch, wait)
