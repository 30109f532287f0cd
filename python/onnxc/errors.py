# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an onnxc.Error knows besides its text."""
from __future__ import annotations

import os
import re

from ._runtime import Error as Error

# "model.onnx: node 'conv1' (Conv): what is wrong"; of a run without the file.
# An operator of another domain than ONNX's has it in front: com.microsoft.Gelu.
_NODE = re.compile(r"node '(?P<node>[^']*)' \((?P<op>[^)]*)\)")
_VALUE = re.compile(r"(?:input|output|initializer) '([^']*)'")


def _node_of(error: Error) -> str | None:
    found = _NODE.search(str(error))
    return found["node"] if found else None


def _op_of(error: Error) -> str | None:
    found = _NODE.search(str(error))
    return found["op"].rpartition(".")[2] if found else None


def _domain_of(error: Error) -> str | None:
    found = _NODE.search(str(error))
    return found["op"].rpartition(".")[0] if found else None


def _values_of(error: Error) -> list[str]:
    return _VALUE.findall(str(error))


# Of what Python refuses; C++ gives each error its own.
setattr(Error, "code", "invalid-argument")
# The class is made in C++; _runtime.pyi states what is added here.
setattr(Error, "node", property(_node_of, doc="The name of the (first) node that the error is about, or None"))
setattr(Error, "op", property(_op_of, doc="Its operator, or None"))
setattr(Error, "domain", property(_domain_of, doc="The operator's domain, '' for ONNX's own; or None"))
setattr(Error, "values", property(_values_of, doc="The names of inputs, outputs and initializers that the text mentions"))


def reworded(error: Error, text: str) -> Error:
    """The same error in other words."""
    made = Error(text)
    made.code = error.code
    return made


def without_folder(error: Error, folder: str) -> Error:
    """The error without a folder that is ours and means nothing to anyone."""
    return reworded(error, str(error).replace(folder + os.sep, ""))
