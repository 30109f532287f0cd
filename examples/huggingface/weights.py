# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights of a model: from a folder as Hugging Face has them, or random ones."""

import json
import pathlib
import sys
import zlib

import ml_dtypes  # noqa: F401  (numpy's bfloat16, for safetensors)
import numpy as np


class WrongModel(Exception):
    """A folder that cannot be used, with what is wrong in it."""


def read_json(path, required=True):
    try:
        found = json.loads(pathlib.Path(path).read_text())
    except FileNotFoundError:
        if not required:
            return {}
        raise WrongModel(f"{path}: does not exist") from None
    except ValueError as error:
        raise WrongModel(f"{path}: not JSON: {error}") from None
    if not isinstance(found, dict):
        raise WrongModel(f"{path}: expected an object")
    return found


class Folder:
    """config.json, and model.safetensors or model.safetensors.index.json with the files that it names."""

    def __init__(self, path):
        from safetensors import SafetensorError, safe_open
        self.path = pathlib.Path(path)
        self.config = read_json(self.path / "config.json")
        index = self.path / "model.safetensors.index.json"
        names = ["model.safetensors"]
        places = None
        if index.exists():
            places = read_json(index).get("weight_map")
            if not isinstance(places, dict) or not all(isinstance(file, str) for file in places.values()):
                raise WrongModel(f"{index}: expected a 'weight_map' of tensors to files")
            names = sorted(set(places.values()))
        self._files, self.used = {}, set()
        for name in names:
            if pathlib.PurePath(name).name != name:
                raise WrongModel(f"{index}: '{name}' is not the name of a file in the folder")
            try:
                file = safe_open(self.path / name, framework="numpy")
            except (OSError, SafetensorError) as error:
                raise WrongModel(f"{self.path / name}: {error}") from None
            for tensor in file.keys():
                if places is None or places.get(tensor) == name:
                    self._files[tensor] = file

    def __contains__(self, name):
        return name in self._files

    def take(self, name, shape):
        """As float32."""
        if name not in self._files:
            raise WrongModel(f"{self.path}: there is no tensor '{name}', expected one of {shape}")
        stored = self._files[name].get_slice(name)
        if list(stored.get_shape()) != list(shape):
            raise WrongModel(f"{self.path}: tensor '{name}': expected {list(shape)}, got {list(stored.get_shape())}")
        if stored.get_dtype() not in ("F32", "F16", "BF16"):
            raise WrongModel(f"{self.path}: tensor '{name}': expected F32, F16 or BF16, got {stored.get_dtype()}")
        self.used.add(name)
        return self._files[name].get_tensor(name).astype(np.float32)

    def check_used(self, *not_needed):
        """No tensor may be left that the graph has no place for, but those that end in one of `not_needed`."""
        rest = sorted(name for name in self._files if name not in self.used and not name.endswith(not_needed))
        if rest:
            raise WrongModel(f"{self.path}: the graph has no place for {len(rest)} tensors, among them '{rest[0]}'")


class Random:
    """The same numbers for the same name and seed, of sizes that keep activations about 1."""

    def __init__(self, config, seed=0):
        self.config, self.seed = config, seed

    def __contains__(self, name):
        return False

    def take(self, name, shape):
        random = np.random.default_rng([self.seed, zlib.crc32(name.encode())])
        values = random.standard_normal(shape, np.float32)
        if len(shape) == 1:
            return values * np.float32(0.1) + np.float32(name.endswith("weight"))
        return values / np.float32(np.sqrt(np.prod(shape[1:])) if "embed" not in name else 1)

    def check_used(self, *not_needed):
        pass


def report(function, program):
    """Runs it; errors that a user can do something about are one line, and exit status 1."""
    try:
        function()
    except (WrongModel, OSError) as error:
        sys.exit(f"{program}: {error}")
