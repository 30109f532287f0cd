# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Smaller models that compute the same: what onnxoptimizer and onnxsim do.

    from onnxc import optimizer as onnxoptimizer      # onnxoptimizer's functions
    model = onnxoptimizer.optimize(model, ["fuse_bn_into_conv", "eliminate_deadend"])

    import onnxc
    model, ok = onnxc.simplify(model, check_n=3)      # onnxsim's

optimize() leaves models in the form that onnxoptimizer leaves them in, by the
passes that have its names; simplify() runs everything that changes no result by
more than rounding, until nothing changes. What is wrong with a model or an
option is an onnxc.Error, which is a RuntimeError.
"""
from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _onnxc
from .compiler import shape_texts
from .errors import Error

if TYPE_CHECKING:
    import numpy as np
    import onnx

    from .compiler import Sizes
    from .runtime import NodeArg

    # The changes of each pass, and the nodes of each operator before and after.
    Done = tuple[list[tuple[str, int]], dict[str, int], dict[str, int]]

__all__ = ["describe_passes", "get_available_passes", "get_fuse_and_elimination_passes", "main", "optimize", "simplify"]


class _NotAModel(TypeError, ValueError):
    """A TypeError; onnxoptimizer's is a ValueError."""


def get_available_passes() -> list[str]:
    """The names of all passes, those of onnxoptimizer first."""
    return [described["name"] for described in _onnxc.optimizer_passes()]


def get_fuse_and_elimination_passes() -> list[str]:
    """The names of the passes that optimize() runs by default."""
    return list(_onnxc.upstream_default_passes())


def describe_passes() -> list[dict[str, str]]:
    """A dict of each pass: its "name", "type" (fuse, nop, ...), "efficiency"
    (complete or partial), "gain", "kind", "exactness" (bit-exact, sign-of-zero,
    rounding, values), "group" of the default pipeline ("" if in none), "summary",
    and whether it is onnxoptimizer's ("upstream")."""
    return [dict(described) for described in _onnxc.optimizer_passes()]


def _names(names: Any, what: str) -> list[str]:
    """A list of names of passes; a string would be taken for its letters."""
    listed = None if isinstance(names, (str, bytes)) or not hasattr(names, "__iter__") else list(names)
    if listed is None or not all(isinstance(name, str) for name in listed):
        raise TypeError(f"{what} is a list of names of passes, not {names!r}")
    return listed


def _options(**given: Any) -> _onnxc.OptimizeOptions:
    if "disabled" in given:
        given["disabled"] = _names(given["disabled"], "disabled")
    options = _onnxc.OptimizeOptions()
    for name, value in given.items():
        if not hasattr(options, name):
            raise TypeError(f"there is no option '{name}'")
        setattr(options, name, value)
    return options


def _run(model: onnx.ModelProto, options: _onnxc.OptimizeOptions) -> tuple[onnx.ModelProto, Done]:
    """The optimized model, and what was done: (changes, before, after)."""
    import onnx

    if not isinstance(model, onnx.ModelProto):
        raise _NotAModel(f"the optimizer takes an onnx.ModelProto, not a {type(model).__name__}")
    try:
        serialized = model.SerializeToString()
    except Exception:  # protobuf's limit of 2 GiB, which has another type in each version
        return _run_in_files(model, options)
    result, changes, before, after, warning = _onnxc.optimize(serialized, options)
    if warning:
        warnings.warn(warning, stacklevel=3)
    return onnx.ModelProto.FromString(result), (changes, before, after)


def _run_in_files(model: onnx.ModelProto, options: _onnxc.OptimizeOptions) -> tuple[onnx.ModelProto, Done]:
    import onnx

    with tempfile.TemporaryDirectory(prefix="onnxc-") as folder:
        source, target = (os.path.join(folder, name) for name in ("in.onnx", "out.onnx"))
        copy = onnx.ModelProto()
        copy.CopyFrom(model)  # saving moves the weights out of what is saved
        onnx.save(copy, source, save_as_external_data=True, location="in.data", convert_attribute=True)
        del copy
        options.save_external = "out.data"  # beside the model
        _, changes, before, after, warning = _onnxc.optimize_file(source, target, options)
        if warning:
            warnings.warn(warning.replace(folder + os.sep, ""), stacklevel=4)
        return onnx.load(target), (changes, before, after)


def optimize(model: onnx.ModelProto, passes: Iterable[str] | None = None, fixed_point: bool = False, *,
             upstream_compatible: bool = True, **options: Any) -> onnx.ModelProto:
    """Runs `passes`, a list of names, on an onnx.ModelProto and returns a new one.

    Each pass runs once, in the order given; with `fixed_point` again and again
    until nothing changes. Without names, those of
    get_fuse_and_elimination_passes() that keep all values. `upstream_compatible=False` lets the passes
    do what onnxoptimizer's would not. Further options: freeze, inline_functions,
    input_shapes (["x:1x3x?x?"]), nsz and keep_interface (None: passes that are
    named do as onnxoptimizer's do: x + 0 is x, an unused input with a default
    disappears; else the sign of a zero and all inputs stay), nnan, ninf, assume_strictly_monotone,
    fold_budget, unroll_budget, max_nodes, max_depth, disabled (a list), as onnx-optimize --help tells.
    """
    if passes is None:
        options = {"nsz": False, "keep_interface": True, **options}
        exact = {d["name"] for d in describe_passes() if d["exactness"] != "values"}
        passes = [name for name in get_fuse_and_elimination_passes() if name in exact]
    names = _names(passes, "passes")
    settings = _options(passes=names, fixed_point=bool(fixed_point), upstream_compatible=upstream_compatible, **options)
    return _run(model, settings)[0]


def optimize_with_statistics(model: onnx.ModelProto, passes: Iterable[str] | None = None, fixed_point: bool = False,
                             **options: Any) -> tuple[onnx.ModelProto, dict[str, int], dict[str, int], dict[str, int]]:
    """(the new model, {pass: changes}, {operator: nodes before}, {... after}).
    Without names, the default pipeline, whose groups of passes are counted."""
    settings = _options(passes=None if passes is None else _names(passes, "passes"), fixed_point=bool(fixed_point), **options)
    result, (changes, before, after) = _run(model, settings)
    return result, dict(changes), dict(before), dict(after)


def simplify(model: onnx.ModelProto | str | os.PathLike[str], check_n: int = 0, perform_optimization: bool = True,
             skip_fuse_bn: bool = False, overwrite_input_shapes: Sizes | None = None, test_input_shapes: Sizes | None = None,
             skipped_optimizers: str | Iterable[str] | None = None, skip_constant_folding: bool = False,
             skip_shape_inference: bool = False, input_data: Mapping[str, Any] | None = None, dynamic_input_shape: bool = False,
             custom_lib: None = None, include_subgraph: bool = True, unused_output: str | Iterable[str] | None = None,
             tensor_size_threshold: int | str | None = None, mutable_initializer: bool | None = None, *,
             inline_functions: bool = False, check_rtol: float = 1e-4, check_atol: float = 1e-5,
             **options: Any) -> tuple[onnx.ModelProto, bool]:
    """Runs the default pipeline on a model, which may be a path, and returns
    (the new model, whether it computes the same).

    The parameters are onnxsim's:
      check_n                 compare so many runs on random inputs, at -O0
      perform_optimization    False: fold constants and drop what is dead, no more
      skip_fuse_bn, skipped_optimizers, skip_constant_folding   passes not to run
      overwrite_input_shapes  {name: sizes}, which the new model declares
      test_input_shapes, input_data   sizes and arrays for the comparison
      unused_output           names of outputs to drop
      tensor_size_threshold   a folded constant may take so much: 1000, "1MB"
      mutable_initializer     whether initializers that are inputs as well may still be overridden; by
                              default where the model is of IR version 4 or newer (before, all were inputs)
      inline_functions        put what functions do in the place of their calls
    Types are always inferred and subgraphs always included; skip_shape_inference,
    include_subgraph and dynamic_input_shape are accepted and change nothing.
    """
    import onnx

    if check_n < 0:
        raise Error(f"check_n is {check_n}, expected a number of runs")
    if custom_lib is not None:
        raise Error("custom_lib: onnxc runs no operators of other libraries")
    if isinstance(model, (str, os.PathLike)):
        model = onnx.load(model)
    if not isinstance(model, onnx.ModelProto):
        raise _NotAModel(f"simplify takes an onnx.ModelProto or a path, not a {type(model).__name__}")
    if unused_output:
        model = _without_outputs(model, unused_output)
    skipped = [skipped_optimizers] if isinstance(skipped_optimizers, str) else _names(skipped_optimizers or (), "skipped_optimizers")
    skipped += ["fuse_bn_into_conv"] * bool(skip_fuse_bn) + ["constant_fold"] * bool(skip_constant_folding)
    if not perform_optimization:
        left_out = {name.replace("-", "_") for name in skipped}
        options["passes"] = [name for name in ("constant_fold", "eliminate_deadend", "eliminate_unused_initializer") if name not in left_out]
    options["disabled"] = skipped
    if tensor_size_threshold is not None:
        options["fold_budget"] = _bytes(tensor_size_threshold)
    frozen = model.ir_version < 4 if mutable_initializer is None else not mutable_initializer
    settings = _options(fixed_point=True, freeze=frozen,
                        inline_functions=inline_functions, input_shapes=shape_texts(overwrite_input_shapes), **options)
    result, _ = _run(model, settings)
    same = _agree(model, result, check_n, {**(overwrite_input_shapes or {}), **(test_input_shapes or {})}, input_data,
                  check_rtol, check_atol)
    return result, same


def _without_outputs(model: onnx.ModelProto, names: str | Iterable[str]) -> onnx.ModelProto:
    names = [names] if isinstance(names, str) else list(names)
    unknown = set(names) - {output.name for output in model.graph.output}
    if unknown:
        raise Error(f"the model has no outputs {sorted(unknown)} to drop")
    result = type(model)()
    result.CopyFrom(model)
    kept = [output for output in model.graph.output if output.name not in names]
    del result.graph.output[:]
    result.graph.output.extend(kept)
    return result


def _bytes(size: int | str) -> int:
    """1000, "1000", "1KB", "1.5GB" """
    match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?)B?\s*", str(size), re.IGNORECASE)
    count = int(float(match[1]) * 1024 ** " KMGT".index(match[2].upper() or " ")) if match and len(match[1]) < 30 else 1 << 63
    if count >> 63:
        raise Error(f"tensor_size_threshold: '{size}' is not a size; write 1000, '100KB' or '1.5GB'")
    return count


def _agree(before: onnx.ModelProto, after: onnx.ModelProto, runs: int, shapes: Sizes, data: Mapping[str, Any] | None, rtol: float,
           atol: float) -> bool:
    """Whether both compute the same, in so many runs."""
    import numpy as np

    from .session import InferenceSession
    if not runs and not data:
        return True
    sessions = [InferenceSession(model, opt_level=0) for model in (before, after)]
    random = np.random.default_rng(0)
    for _ in range(max(runs, 1)):
        feeds = {arg.name: _random_array(arg, shapes.get(arg.name), random)
                 for arg in sessions[1].get_inputs() if arg.name not in (data or {})}
        feeds.update(data or {})
        known = {arg.name for arg in sessions[0].get_inputs()}
        # What has become constant can no longer be fed.
        want = sessions[0].run(None, {name: value for name, value in feeds.items() if name in known})
        names = [output.name for output in sessions[0].get_outputs()]
        got = dict(zip([output.name for output in sessions[1].get_outputs()], sessions[1].run(None, feeds)))
        if not all(_equal(got[name], value, rtol, atol) for name, value in zip(names, want)):
            return False
    return True


def _random_array(arg: NodeArg, shape: Sequence[int | str | None] | None, random: np.random.Generator) -> np.ndarray[Any, Any]:
    import numpy as np

    from .values import number_of, numpy_dtype
    match = re.fullmatch(r"tensor\((\w+)\)", arg.type)
    if not match or match[1] == "string" or arg.shape is None and shape is None:
        raise Error(f"input '{arg.name}' ({arg.type}) needs a value in input_data")
    sizes = [d if isinstance(d, int) and d >= 0 else 1 for d in (arg.shape or () if shape is None else shape)]
    dtype = numpy_dtype(number_of(match[1]))
    if dtype.kind in "biu":
        return random.integers(0, 2, sizes).astype(dtype)
    return np.asarray(random.random(sizes)).astype(dtype)


def _equal(got: Any, want: Any, rtol: float, atol: float) -> bool:
    import numpy as np

    if isinstance(want, (list, tuple)):
        return len(got) == len(want) and all(_equal(g, w, rtol, atol) for g, w in zip(got, want))
    if not isinstance(want, np.ndarray):
        return bool(got == want)
    if got.shape != want.shape or got.dtype != want.dtype:
        return False
    if want.dtype.kind not in "fcV" and want.dtype.name != "bfloat16":
        return bool(np.array_equal(got, want))
    return bool(np.allclose(got.astype(np.float64), want.astype(np.float64), rtol=rtol, atol=atol, equal_nan=True))


def main(arguments: Sequence[str] | None = None) -> int:
    """onnxoptimizer's command line: IN OUT -p pass ... --fixed_point"""
    import onnx
    import onnx.checker

    parser = argparse.ArgumentParser(prog="python -m onnxc.optimizer", description="Optimizes an ONNX model by onnxoptimizer's passes.")
    parser.add_argument("input", nargs="?", help="the model to read")
    parser.add_argument("output", nargs="?", help="the model to write")
    parser.add_argument("-p", "--passes", nargs="*", help="names of passes; default: --print_fuse_elimination_passes")
    parser.add_argument("--fixed_point", "--fixed-point", action="store_true", help="repeat them until nothing changes")
    parser.add_argument("--skip_infer_shapes", action="store_true", help="accepted; no types are added to the model")
    parser.add_argument("--print_all_passes", action="store_true", help="print the names of all passes")
    parser.add_argument("--print_fuse_elimination_passes", action="store_true", help="print the names of the default ones")
    given = parser.parse_args(arguments)
    if given.print_all_passes or given.print_fuse_elimination_passes:
        print(*(get_available_passes() if given.print_all_passes else get_fuse_and_elimination_passes()))
        return 0
    if given.input is None or given.output is None:
        parser.error("say which model to read and which to write")
    if not os.path.exists(given.input):
        parser.error(f"{given.input}: there is no such file")
    onnx.checker.check_model(given.input)
    model = optimize(onnx.load(given.input), given.passes, given.fixed_point)
    try:
        onnx.save(model, given.output)
    except Exception:  # larger than protobuf can write
        onnx.save(model, given.output, save_as_external_data=True, location=os.path.basename(given.output) + ".data")
    onnx.checker.check_model(given.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
