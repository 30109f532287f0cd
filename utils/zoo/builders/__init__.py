# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How an entry of models.txt becomes model.onnx, in_0.npz and in_1.npz, by family.

A builder is a function (entry, folder) that writes these three files."""

import importlib

MODULES = {
    "timm": "torch_models",
    "torchvision": "torch_models",
    "transformers": "torch_models",
    "diffusers": "torch_models",
    "torch": "torch_models",
    "ultralytics": "ultralytics_models",
    "tensorflow": "tensorflow_models",
    "sklearn": "tabular",
    "xgboost": "tabular",
    "lightgbm": "tabular",
    "catboost": "tabular",
    "derived": "derived",
    "decoder": "decoders",
}


def build(entry, folder):
    module = importlib.import_module(f".{MODULES[entry.family]}", __name__)
    getattr(module, f"build_{entry.family}")(entry, folder)
