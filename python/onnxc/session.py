# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running a model, in the form that ONNX Runtime made familiar."""
import dataclasses
import operator
import os
import tempfile
from collections.abc import Mapping

from . import _onnxc, compiler, values


@dataclasses.dataclass(frozen=True)
class NodeArg:
    """An input or output: `type` as ONNX spells it, "tensor(float)"; `shape` has
    an int, a symbol's name or None per dim, and is None if the rank is unknown."""

    name: str
    type: str
    shape: list | None


def _is_library(model):
    """Whether a path or bytes are machine code, rather than a model."""
    magic = b"\x7fELF"
    if not isinstance(model, (str, os.PathLike)):
        return isinstance(model, (bytes, bytearray)) and model.startswith(magic)
    try:
        with open(model, "rb") as file:
            return file.read(len(magic)) == magic
    except OSError:
        return False  # the compiler says why, with the name


class InferenceSession:
    """A model ready to run; from any number of threads at once.

    `model` is a shared object that onnxc wrote, or a model, which is compiled
    first: a path, the bytes, or a ModelProto.
    `threads` work on a run, 0 for one per core that the process may use. `options` are onnxc.compile's;
    of a file with several models, `prefix` chooses one.
    Raises onnxc.Error for what cannot be compiled or loaded.
    """

    def __init__(self, model, threads=0, **options):
        if not hasattr(threads, "__index__") or not 0 <= operator.index(threads) < 1 << 31:
            raise _onnxc.Error(f"threads={threads!r}, expected a number from 0 (one per core) to 2147483647")
        threads = operator.index(threads)
        prefix = options.get("prefix", "")
        if _is_library(model) and isinstance(model, (str, os.PathLike)):
            self._session = _onnxc.Session(os.fspath(model), prefix, threads)
        else:
            self._session = self._load_temporary(model, prefix, threads, options)
        self._arrays = _onnxc.Arrays(self._session)
        self._inputs = [NodeArg(*described) for described in self._session.inputs]
        self._overridable = [NodeArg(*described) for described in self._session.overridable]
        self._outputs = [NodeArg(*described) for described in self._session.outputs]

    @staticmethod
    def _load_temporary(model, prefix, threads, options):
        """A session of what has to become a file first. Once it is loaded, the
        name of the temporary file is no longer needed."""
        with tempfile.TemporaryDirectory(prefix="onnxc-") as folder:
            path = os.path.join(folder, "model.so")
            if _is_library(model):
                with open(path, "wb") as file:
                    file.write(model)
            else:
                # What is compiled here runs here.
                compiler.compile(model, path, **{"mcpu": "native", **options})
            try:
                return _onnxc.Session(path, prefix, threads)
            except _onnxc.Error as error:
                raise compiler.without_folder(error, folder) from None

    def get_inputs(self):
        """A NodeArg for each input that a run must have, in the model's order;
        initializers are not inputs."""
        return self._inputs

    def get_overridable_initializers(self):
        """A NodeArg for each input that is an initializer, too, in the model's
        order: where `run` is not given it, it has the initializer's value."""
        return self._overridable

    def get_outputs(self):
        """A NodeArg for each output, in the model's order."""
        return self._outputs

    @property
    def workspace_bytes(self):
        """What each concurrent run takes for intermediate values of fixed size."""
        return self._session.workspace_bytes

    @property
    def weight_bytes(self):
        """What the constants take, once for all runs."""
        return self._session.weight_bytes

    def run(self, output_names, input_feed):
        """The outputs of these names (None: all) as a list; `input_feed` has the
        inputs by name, and may have overridable initializers. Tensors are numpy arrays, of strings: arrays of objects;
        sequences are lists, absent optionals None, maps dicts.
        Raises onnxc.Error, with the node's name where one found fault."""
        if output_names is None:
            plain = self._arrays.run(self._session, input_feed)
            if plain is not None:
                return plain
        known = {arg.name for arg in self._inputs + self._overridable}
        if not isinstance(input_feed, Mapping):
            raise _onnxc.Error(f"expected a dict with the inputs {sorted(known)}, got {type(input_feed).__name__}")
        missing = [arg.name for arg in self._inputs
                   if arg.name not in input_feed and not arg.type.startswith("optional(")]
        unknown = [name for name in input_feed if name not in known]
        if missing or unknown:
            raise _onnxc.Error(f"the model's inputs are {sorted(known)}; missing: {missing}, unknown: {unknown}")
        wanted = [arg.name for arg in self._outputs]
        if isinstance(output_names, str):
            raise _onnxc.Error(f"expected a list of outputs, got '{output_names}'")
        for name in output_names or ():
            if name not in wanted:
                raise _onnxc.Error(f"the model has no output '{name}'; its outputs are {wanted}")
        def native(arg):
            return values.to_native(input_feed.get(arg.name), arg.type, f"input '{arg.name}'")

        natives = self._session.run([native(arg) for arg in self._inputs] + [
            native(arg) if input_feed.get(arg.name) is not None else None for arg in self._overridable])
        if output_names is None:
            return [values.from_native(native) for native in natives]
        return [values.from_native(natives[wanted.index(name)]) for name in output_names]
