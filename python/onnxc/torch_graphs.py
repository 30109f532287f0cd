# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The backend of torch.compile: graphs of torch become compiled models.

torch finds the graphs, and decides by its guards which one a call takes. Here each becomes a model
when it is first called: its parameters are constants, sizes that torch leaves open are open. What a
model cannot do stays in torch, as a whole graph, and a warning says why; views of the
arguments and sizes among the results always do.
"""
from __future__ import annotations

import atexit
import logging
import os
import tempfile
import warnings
import weakref
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import torch
from torch._dynamo import list_backends, register_backend

from . import compiler, session
from .errors import Error
from .torch_values import EXTERNAL, as_numpy, as_tensor, bytes_of, reason_of

_log = logging.getLogger("onnxc.torch")
# Of one graph: how often the same weights may change, and how many values of numbers that are not sizes have
# models. Torch, too, gives up after eight.
_MOST_CHANGES = _MOST_NUMBERS = 8


_graphs: weakref.WeakSet[_Graph] = weakref.WeakSet()


@atexit.register
def _close() -> None:
    """torch keeps graphs to the very end, when what sessions are made of is no longer there."""
    for graph in _graphs:
        graph.versions = {}


# The weights of a version by their ids, and the numbers that are not sizes.
_Key: TypeAlias = tuple[tuple[int, ...], tuple[Any, ...]]


class _Unsuitable(Exception):
    """Why a graph stays in torch."""


def onnxc(graph_module: torch.fx.GraphModule, example_inputs: Sequence[Any], *, options: Mapping[str, Any] | None = None,
          mode: str | None = None) -> _Graph:
    """torch.compile(module, backend="onnxc", options={...}): options are those of onnxc.InferenceSession,
    threads and cache_dir among them."""
    return _Graph(graph_module, example_inputs, dict(options or {}))


if "onnxc" not in list_backends():  # else torch found an installed onnxc's entry point, and registers that
    register_backend(onnxc, name="onnxc")


def _value_of(node: Any) -> Any:
    return node.meta.get("example_value", node.meta.get("val")) if isinstance(node, torch.fx.Node) else None


def _is_constant(node: torch.fx.Node, example: Any) -> bool:
    """Whether an argument is a parameter or buffer of a module, which torch passes as an argument."""
    return isinstance(example, torch.nn.Parameter) or bool(node.meta.get("tensor_dict", {}).get("_dynamo_static_input_type"))


def _storage(value: Any) -> Any:
    return value.untyped_storage()._cdata if isinstance(value, torch.Tensor) and value.layout == torch.strided else None


class _Graph:
    """What torch calls instead of a graph."""

    def __init__(self, graph_module: torch.fx.GraphModule, examples: Sequence[Any], options: dict[str, Any]) -> None:
        self.eager, self.options = graph_module, options
        nodes = list(graph_module.graph.find_nodes(op="placeholder"))
        self.constants = [i for i, (node, example) in enumerate(zip(nodes, examples)) if _is_constant(node, example)]
        self.floats = [i for i, node in enumerate(nodes) if getattr(node.meta.get("grapharg"), "pass_arg_as_tensor", False)]
        self.tensors = [i for i, node in enumerate(nodes)
                        if i not in self.constants and i not in self.floats and isinstance(_value_of(node), torch.Tensor)]
        self.shapes = {i: list(_value_of(nodes[i]).shape) for i in self.tensors}
        self.sizes, self.numbers = self._split_numbers(nodes)
        self.inner = [*graph_module.parameters(), *graph_module.buffers()]
        results = graph_module.graph.output_node().args[0]
        results = results if isinstance(results, (tuple, list)) else [results]
        borrowed = {_storage(_value_of(node)) for node in nodes} - {None}
        # Which results are computed: the others are sizes, None, arguments, or views of these.
        self.computed = [place for place, node in enumerate(results)
                         if isinstance(_value_of(node), torch.Tensor) and _storage(_value_of(node)) not in borrowed]
        self.others = [place for place in range(len(results)) if place not in self.computed]
        self.views = _part(graph_module, self.others) if self.others else None
        if self.views is not None:  # Where something writes to an argument, all of the graph stays in torch.
            self.views.graph.eliminate_dead_code()
            self.views.recompile()
        self.versions: dict[_Key, _Version] = {}
        self.warned: set[str] = set()
        _graphs.add(self)

    def _split_numbers(self, nodes: Sequence[torch.fx.Node]) -> tuple[dict[int, tuple[int, int]], list[int]]:
        """Arguments that are numbers: {argument: (tensor, dimension)} of those that are a size of a tensor,
        and the others, each value of which has a version of its own."""
        sizes: dict[int, tuple[int, int]] = {}
        numbers: list[int] = []
        for i, node in enumerate(nodes):
            if i in self.constants or i in self.tensors:
                continue
            value = _value_of(node)
            found = next(((at, axis) for at, shape in self.shapes.items() for axis, size in enumerate(shape)
                          if isinstance(value, torch.SymInt) and isinstance(size, torch.SymInt) and size.node.expr == value.node.expr), None)
            if found:
                sizes[i] = found
            else:
                numbers.append(i)
        return sizes, numbers

    def _weights(self, args: Sequence[Any]) -> list[torch.Tensor]:
        return [args[i] for i in self.constants] + self.inner

    def _number(self, args: Sequence[Any], i: int) -> Any:
        """torch passes numbers of Python that are not integers as tensors."""
        return args[i].item() if i in self.floats else args[i]

    def __call__(self, *args: Any) -> Any:
        if not self.computed or self._records_gradients(args):
            return self.eager(*args)
        # Modules of one class share a graph; each has a version.
        key = tuple(id(weight) for weight in self._weights(args)), tuple(self._number(args, i) for i in self.numbers)
        version = self.versions.get(key)
        if version is None or not version.is_of(self._weights(args)):
            version = self._make(args, key, 0 if version is None else version.changes + 1)
        if version.session is None:
            return self.eager(*args)
        try:
            found = version.run([args[i] for i in self.tensors])
        except Error as error:
            self._warn(f"{error} (in this call)")
            return self.eager(*args)
        results: list[Any] = [None] * (len(self.computed) + len(self.others))
        for place, tensor in zip(self.computed, found):
            results[place] = tensor
        if self.views is not None:
            for place, value in zip(self.others, self.views(*args)):
                results[place] = value
        return tuple(results)

    def _warn(self, why: object) -> None:
        count = sum(node.op.startswith("call") for node in self.eager.graph.nodes)
        if str(why) not in self.warned:
            self.warned.add(str(why))
            warnings.warn(f"onnxc: a graph of {count} operations is run by torch: {why}", stacklevel=4)

    def _records_gradients(self, args: Sequence[Any]) -> bool:
        if not torch.is_grad_enabled() or not any(isinstance(arg, torch.Tensor) and arg.requires_grad for arg in [*args, *self.inner]):
            return False
        self._warn("gradients are recorded; expected a call under torch.no_grad() or torch.inference_mode()")
        return True

    def _make(self, args: Sequence[Any], key: _Key, changes: int) -> _Version:
        self.versions = {known: version for known, version in self.versions.items() if version.is_alive() and known != key}
        version = self.versions[key] = _Version(self._weights(args), changes)
        try:
            if changes > _MOST_CHANGES:
                raise _Unsuitable(f"its weights have changed {changes} times")
            if len({numbers for _, numbers in self.versions}) > _MOST_NUMBERS:
                raise _Unsuitable(f"there are models for {_MOST_NUMBERS} values of its numbers, but not for {key[1]}")
            self._check(args)
            version.session = self._compile(args)
        except _Unsuitable as reason:
            self._warn(reason)
        except Error as error:
            self._warn(f"onnxc cannot compile it: {error}")
        return version

    def _check(self, args: Sequence[Any]) -> None:
        tensors = [arg for arg in args if isinstance(arg, torch.Tensor)] + self.inner
        for tensor in tensors:
            if tensor.device.type != "cpu" or tensor.layout != torch.strided:
                raise _Unsuitable(f"a tensor is on {tensor.device}, with the layout {tensor.layout}; expected cpu, torch.strided")

    def _compile(self, args: Sequence[Any]) -> session.InferenceSession:
        names = [f"input_{place}" for place in range(len(self.tensors))]
        module = _with_constants(self, args, names)
        fresh = [torch.zeros(arg.shape, dtype=arg.dtype) for arg in (args[i] for i in self.tensors)]
        auto = torch.export.Dim.AUTO
        dims = tuple({axis: auto for axis, size in enumerate(self.shapes[i]) if isinstance(size, torch.SymInt)} for i in self.tensors)
        program = _exported(module, tuple(fresh), dims)
        with tempfile.TemporaryDirectory(prefix="onnxc-") as folder:
            path = os.path.join(folder, "model.onnx")
            program.save(path, external_data=bytes_of(module) >= EXTERNAL)
            made = session.InferenceSession(path, **self.options)
        _log.info("compiled a graph of %d operations", sum(node.op.startswith("call") for node in module.graph.nodes))
        return made


def _state(weight: torch.Tensor) -> tuple[int, int]:
    """Changes when the values of a tensor do, or are put elsewhere."""
    return 0 if weight.is_inference() else weight._version, weight.data_ptr()


class _Version:
    """A graph with certain weights. Without a session: it stays in torch."""

    def __init__(self, weights: Sequence[torch.Tensor], changes: int) -> None:
        self.session: session.InferenceSession | None = None
        self.changes = changes
        self.weights = [(weakref.ref(weight), _state(weight)) for weight in weights]

    def is_alive(self) -> bool:
        return all(weight() is not None for weight, _ in self.weights)

    def is_of(self, weights: Sequence[torch.Tensor]) -> bool:
        """Whether the weights are those of the model, and have not changed."""
        return all(known() is weight and state == _state(weight) for (known, state), weight in zip(self.weights, weights))

    def run(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        assert self.session is not None
        args = self.session.get_inputs()
        feed = {arg.name: as_numpy(tensors[int(arg.name.rpartition("_")[2])]) for arg in args}
        return [as_tensor(value, arg.type) for value, arg in zip(self.session.run(None, feed), self.session.get_outputs())]


def _part(graph_module: torch.fx.GraphModule, places: Sequence[int]) -> torch.fx.GraphModule:
    """The graph with these results only. What they do not need stays: it may write to what they need."""
    graph = torch.fx.Graph()
    known: dict[torch.fx.Node, torch.fx.Node] = {}
    graph.graph_copy(graph_module.graph, known)
    results = graph_module.graph.output_node().args[0]
    results = results if isinstance(results, (tuple, list)) else [results]
    graph.output(tuple(torch.fx.map_arg(results[place], known.__getitem__) for place in places))
    return torch.fx.GraphModule(graph_module, graph)


def _with_constants(owner: _Graph, args: Sequence[Any], names: Sequence[str]) -> torch.fx.GraphModule:
    """A module of the computed results whose arguments are the tensors, called `names`; parameters are its
    buffers, sizes are taken from the tensors, other numbers are constants."""
    module = _part(owner.eager, owner.computed)
    graph = module.graph
    nodes = list(graph.find_nodes(op="placeholder"))
    with graph.inserting_after(nodes[-1]):
        for i, node in enumerate(nodes):
            if i in owner.tensors:
                continue
            if i in owner.constants:
                name = f"constant_{i}"
                module.register_buffer(name, args[i].detach())
                new = graph.get_attr(name)
            elif i in owner.sizes:
                at, axis = owner.sizes[i]
                new = graph.call_method("size", (nodes[at], axis))
            else:
                new = owner._number(args, i)
                _replace_items(graph, node, new)
            node.replace_all_uses_with(new) if isinstance(new, torch.fx.Node) else _replace(graph, node, new)
            graph.erase_node(node)
    for place, i in enumerate(owner.tensors):
        nodes[i].target = nodes[i].name = names[place]
    graph.lint()
    module.recompile()
    return module


def _replace_items(graph: torch.fx.Graph, node: torch.fx.Node, number: Any) -> None:
    """Puts a number where it is taken out of its tensor."""
    for user in list(node.users):
        if user.op == "call_method" and user.target == "item":
            _replace(graph, user, number)
            graph.erase_node(user)


def _replace(graph: torch.fx.Graph, node: torch.fx.Node, constant: Any) -> None:
    """Puts a number where a node was used."""
    for user in list(node.users):
        user.args = torch.fx.map_arg(user.args, lambda arg: constant if arg is node else arg)
        user.kwargs = torch.fx.map_arg(user.kwargs, lambda arg: constant if arg is node else arg)


def _arguments(node: torch.fx.Node) -> dict[str, Any]:
    """The arguments of a call of an operator, by their names."""
    return {known.name: node.args[place] if place < len(node.args) else node.kwargs.get(known.name, known.default_value)
            for place, known in enumerate(node.target._schema.arguments)}


def _draws_numbers(node: torch.fx.Node) -> bool:
    """Whether an operation is random, with the arguments that it has: dropout need not be."""
    if not isinstance(node.target, torch._ops.OpOverload) or torch.Tag.nondeterministic_seeded not in node.target.tags:
        return False
    given = _arguments(node)
    return all(given.get(name, True) for name in ("dropout_p", "dropout", "train", "training"))


def _changes_what_it_gets(exported: torch.export.ExportedProgram) -> bool:
    """Whether arguments or buffers are other after a call. The graph has operations that write; which tensors
    these belong to is known without them."""
    calls = [node for node in exported.graph.nodes if isinstance(node.target, torch._ops.OpOverload)]
    for node in calls:
        if node.target is torch.ops.aten.batch_norm.default and _arguments(node)["training"] and _arguments(node)["running_mean"] is not None:
            return True
    if not any(node.target._schema.is_mutable for node in calls):
        return False
    signature = exported.run_decompositions({}).graph_signature
    return bool(signature.buffers_to_mutate or signature.user_inputs_to_mutate)


def _exported(module: torch.fx.GraphModule, tensors: tuple[torch.Tensor, ...], dims: tuple[Any, ...]) -> Any:
    """What torch's exporter makes of the module. Raises _Unsuitable where that would not be the same."""
    try:
        with torch.inference_mode(False), torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exported = torch.export.export(module, tensors, dynamic_shapes=dims or None, strict=False)
            if _changes_what_it_gets(exported):
                raise _Unsuitable("it changes its arguments or a module's buffers")
            for node in exported.graph.nodes:
                if _draws_numbers(node):
                    raise _Unsuitable(f"{node.target} draws random numbers, which torch's generator has to give")
            return torch.onnx.export(exported, dynamo=True, verbose=False)
    except ImportError as error:
        raise _Unsuitable(f"torch's exporter needs the package {error.name}") from None
    except (_Unsuitable, Error):
        raise
    except Exception as error:  # of many kinds
        raise _Unsuitable(f"torch cannot export it: {reason_of(error)}") from None
