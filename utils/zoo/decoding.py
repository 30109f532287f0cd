# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a decoder is fed, by the names that its exporter gave the inputs.

A decoder's folder has, beside model.onnx, decoder.json: "pairs", the outputs that
are the next values of inputs, as its exporter knows them; "tokens", the most
that a run takes (0: any number); "vocabulary"; "size", of a head, where the model leaves it open. constants.npz has inputs that stay
the same in all runs, for a batch of one; what is not there follows from the tokens."""

import dataclasses
import json

import numpy as np
import onnx

TOKENS = ("input_ids", "decoder_input_ids", "inputs")
MASKS = ("attention_mask", "decoder_attention_mask")
POSITIONS = ("position_ids", "cache_position")
BRANCHES = ("use_cache_branch",)
BATCH, LENGTH = "batch", "length"  # the open dimensions of a state


@dataclasses.dataclass
class Decoder:
    model: onnx.ModelProto
    pairs: dict  # inputs by outputs
    most: int
    vocabulary: int
    constants: dict
    size: int = 0  # of a head, where the model leaves it open

    @staticmethod
    def load(folder):
        text = json.loads((folder / "decoder.json").read_text())
        constants = {}
        if (folder / "constants.npz").exists():
            with np.load(folder / "constants.npz") as file:
                constants = {name: file[name] for name in file.files}
        return Decoder(onnx.load(folder / "model.onnx"), text["pairs"], text["tokens"], text["vocabulary"], constants, text["size"])

    def types(self):
        initial = {value.name for value in self.model.graph.initializer}
        return {value.name: value.type.tensor_type for value in self.model.graph.input if value.name not in initial}

    def source(self):
        """How long the encoder's part is."""
        return next((value.shape[1] for name, value in self.constants.items() if name.startswith("encoder_")), 0)

    def start(self, batch, length=0, random=None):
        """The states before the first run: without rows, or with `length` random ones."""
        made = {}
        for name in self.pairs.values():
            declared = self.types()[name]
            dims = []
            for place, dim in enumerate(declared.shape.dim):
                opened = not dim.HasField("dim_value")
                # Stacked keys and values have the batch second.
                first = place == (1 if len(declared.shape.dim) == 5 else 0)
                rows = self.source() if ".encoder." in name else length
                last = self.size and place == len(declared.shape.dim) - 1
                dims.append((batch if first else self.size if last else rows) if opened else dim.dim_value)
            dtype = onnx.helper.tensor_dtype_to_np_dtype(declared.elem_type)
            made[name] = np.zeros(dims, dtype) if random is None else random.standard_normal(dims).astype(dtype)
        return made

    def feeds(self, tokens, past, padding=0):
        """All inputs but the states, for tokens of shape (batch, new) behind `past` others. The last row begins
        with `padding` tokens that do not count."""
        batch, new = tokens.shape
        total = past + new
        mask = np.ones((batch, total), np.int64)
        mask[-1, :padding] = 0
        positions = np.maximum(np.cumsum(mask, axis=1) - 1, 0)[:, past:]
        made = {}
        for name, declared in self.types().items():
            if name in self.pairs.values():
                continue
            dtype = onnx.helper.tensor_dtype_to_np_dtype(declared.elem_type)
            rank = len(declared.shape.dim)
            if name in self.constants:
                value = self.constants[name].astype(dtype)
                opened = value.ndim and not declared.shape.dim[0].HasField("dim_value")
                made[name] = np.repeat(value, batch, axis=0) if opened and batch > 1 else value
            elif name in TOKENS:
                made[name] = tokens.astype(dtype)
            elif name in MASKS:
                made[name] = mask.astype(dtype)
            elif name in POSITIONS:
                made[name] = (np.arange(past, total) if rank == 1 else positions).astype(dtype)
            elif name in BRANCHES:
                made[name] = np.full([1] * rank, past > 0)
            else:
                raise ValueError(f"nothing says what input '{name}' is")
        return made
