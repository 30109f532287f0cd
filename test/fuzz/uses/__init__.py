# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Valid random uses of operators, by family. Each module here adds its own to
source.GENERATORS."""

import importlib
import pkgutil

# Operators without a use here, and why.
EXCEPTIONS = {
    **dict.fromkeys(["Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"],
                    "each implementation draws other numbers"),
    "Constant": "is in every model that has constants",
    "ImageDecoder": "takes files, of which the node tests have some",
}

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
