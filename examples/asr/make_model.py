#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a speech recognizer of Whisper's architecture as two ONNX models, encoder.onnx and decoder.onnx.

usage: make_model.py FOLDER OUTPUT_FOLDER    weights of a folder as Hugging Face has them: config.json and
                                             model.safetensors, or parts with model.safetensors.index.json
       make_model.py --random CONFIG.json OUTPUT_FOLDER [--seed N]
                                             random weights for the sizes of a config.json

encoder.onnx   audio [1, samples] of 16 kHz, as many as a clip has, to the keys and values of the decoder's
               cross-attention: past_key_values.N.encoder.key and .value. The log-mel spectrum is in the graph.
decoder.onnx   input_ids [1, sequence] and what the encoder gave, to logits [1, sequence, vocabulary]. Its own keys
               and values, past_key_values.N.decoder.key and present.N.decoder.key, are states: onnxc --state=auto.
"""

import argparse
import pathlib
import sys

import numpy as np
from onnx import TensorProto

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "huggingface"))
from graph import Graph  # noqa: E402
from weights import Folder, Random, WrongModel, read_json, report  # noqa: E402

RATE, WINDOW, HOP = 16000, 400, 160


class Sizes:
    """What config.json says, checked."""

    def __init__(self, config):
        if config.get("model_type") != "whisper":
            raise WrongModel(f"config.json: expected the model_type whisper, got {config.get('model_type')!r}")
        if config.get("activation_function", "gelu") != "gelu":
            raise WrongModel(f"config.json: expected activation_function 'gelu', got {config['activation_function']!r}")

        def size(name):
            if not isinstance(config.get(name), int) or config[name] < 1:
                raise WrongModel(f"config.json: expected a positive number as {name}, got {config.get(name)!r}")
            return config[name]

        self.width, self.mels, self.vocabulary = size("d_model"), size("num_mel_bins"), size("vocab_size")
        self.positions, self.most_tokens = size("max_source_positions"), size("max_target_positions")
        self.layers = {part: size(f"{part}_layers") for part in ("encoder", "decoder")}
        self.heads = {part: size(f"{part}_attention_heads") for part in ("encoder", "decoder")}
        self.inner = {part: size(f"{part}_ffn_dim") for part in ("encoder", "decoder")}
        for part, heads in self.heads.items():
            if self.width % heads:
                raise WrongModel(f"config.json: d_model {self.width} is not a multiple of {part}_attention_heads {heads}")
        # The second convolution makes one position of two frames.
        self.samples = 2 * self.positions * HOP


def mel_filters(count):
    """[WINDOW / 2 + 1, count]: triangles of the same area, as wide as they are on Slaney's scale of pitch, which is
    linear up to 1000 Hz and logarithmic above."""
    step, linear_end = 200 / 3, 1000.0
    per_octave = np.log(6.4) / 27
    highest = linear_end / step + np.log(RATE / 2 / linear_end) / per_octave
    mels = np.linspace(0, highest, count + 2)
    ends = np.where(mels < linear_end / step, mels * step, linear_end * np.exp((mels - linear_end / step) * per_octave))
    bins = np.linspace(0, RATE / 2, WINDOW // 2 + 1)[:, None]
    up, down = (bins - ends[:-2]) / np.diff(ends)[:-1], (ends[2:] - bins) / np.diff(ends)[1:]
    return np.maximum(0, np.minimum(up, down)) * 2 / (ends[2:] - ends[:-2])


class Layers:
    """What encoder and decoder have in common."""

    def __init__(self, graph, weights, sizes, part):
        self.g, self.weights, self.s, self.part = graph, weights, sizes, part
        self.heads = sizes.heads[part]
        self.head = sizes.width // self.heads

    def norm(self, x, name):
        return self.g.layer_norm(self.weights, x, name, self.s.width)

    def project(self, x, name, heads=True):
        # Keys have no bias: it would be the same for all of them.
        x = self.g.linear(self.weights, x, name, self.s.width, self.s.width, bias=not name.endswith("k_proj"))
        return self.g.split_heads(x, self.heads, self.head) if heads else x

    def attend(self, x, q, k, v, name, mask=""):
        y = self.g.join_heads(self.g.attention(q, k, v, self.head, mask), self.s.width)
        return self.g.node("Add", x, self.project(y, f"{name}.out_proj", heads=False))

    def inner(self, x, layer):
        size = self.s.inner[self.part]
        y = self.g.linear(self.weights, self.norm(x, f"{layer}.final_layer_norm"), f"{layer}.fc1", self.s.width, size, bias=True)
        y = self.g.linear(self.weights, self.g.node("Gelu", y), f"{layer}.fc2", size, self.s.width, bias=True)
        return self.g.node("Add", x, y)


class Encoder(Layers):
    def spectrum(self, audio):
        """[1, mels, frames]: logarithms of loudness, cut off 8 powers of ten below the loudest."""
        g = self.g
        padded = g.node("Pad", audio, g.integers(0, WINDOW // 2, 0, WINDOW // 2), mode="reflect")
        hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / WINDOW)
        waves = g.node("STFT", g.node("Unsqueeze", padded, g.integers(2)), g.constant(HOP, np.int64), g.constant(hann),
                       g.constant(WINDOW, np.int64), onesided=1)
        # The last frame begins where the clip ends.
        waves = g.node("Slice", waves, g.integers(0), g.integers(2 * self.s.positions), g.integers(1))
        power = g.node("ReduceSumSquare", waves, g.integers(3), keepdims=0)
        mels = g.node("MatMul", power, g.constant(mel_filters(self.s.mels)))
        logs = g.node("Mul", g.node("Log", g.node("Max", mels, g.constant(1e-10))), g.constant(1 / np.log(10)))
        least = g.node("Sub", g.node("ReduceMax", logs, keepdims=1), g.constant(8))
        scaled = g.node("Mul", g.node("Add", g.node("Max", logs, least), g.constant(4)), g.constant(0.25))
        return g.node("Transpose", scaled, perm=[0, 2, 1])

    def conv(self, x, name, inputs, stride):
        kernel = self.g.constant(self.weights.take(f"{name}.weight", [self.s.width, inputs, 3]))
        bias = self.g.constant(self.weights.take(f"{name}.bias", [self.s.width]))
        return self.g.node("Gelu", self.g.node("Conv", x, kernel, bias, pads=[1, 1], strides=[stride]))

    def build(self):
        g, s = self.g, self.s
        x = self.spectrum(g.input("audio", [1, s.samples]))
        x = self.conv(x, "model.encoder.conv1", s.mels, 1)
        x = self.conv(x, "model.encoder.conv2", s.width, 2)
        table = self.weights.take("model.encoder.embed_positions.weight", [s.positions, s.width])
        x = g.node("Add", g.node("Transpose", x, perm=[0, 2, 1]), g.constant(table))
        for i in range(s.layers["encoder"]):
            layer = f"model.encoder.layers.{i}"
            y = self.norm(x, f"{layer}.self_attn_layer_norm")
            q, k, v = (self.project(y, f"{layer}.self_attn.{part}_proj") for part in "qkv")
            x = self.inner(self.attend(x, q, k, v, f"{layer}.self_attn"), layer)
        x = self.norm(x, "model.encoder.layer_norm")
        # What each token would compute again, for each of the decoder's layers.
        decoder = Layers(g, self.weights, s, "decoder")
        for i in range(s.layers["decoder"]):
            for part in ("key", "value"):
                name = f"past_key_values.{i}.encoder.{part}"
                g.node("Identity", decoder.project(x, f"model.decoder.layers.{i}.encoder_attn.{part[0]}_proj"), result=name)
                g.output(name, [1, decoder.heads, s.positions, decoder.head])


class Decoder(Layers):
    def past(self, layer, part, rows):
        past = self.g.input(f"past_key_values.{layer}.decoder.{part}", [1, self.heads, "past", self.head])
        self.g.output(f"present.{layer}.decoder.{part}", [1, self.heads, "total", self.head])
        return self.g.node("Concat", past, rows, axis=2, result=f"present.{layer}.decoder.{part}")

    def build(self):
        g, s = self.g, self.s
        ids = g.input("input_ids", [1, "sequence"], TensorProto.INT64)
        g.output("logits", [1, "sequence", s.vocabulary])
        table = self.weights.take("model.decoder.embed_tokens.weight", [s.vocabulary, s.width])
        places = self.weights.take("model.decoder.embed_positions.weight", [s.most_tokens, s.width])
        past = g.node("Shape", "past_key_values.0.decoder.key", start=2, end=3)
        total = g.node("Squeeze", g.node("Add", past, g.node("Shape", ids, start=1, end=2)))
        one = g.constant(1, np.int64)
        rows = g.node("Range", g.node("Squeeze", past), total, one)
        columns = g.node("Range", g.constant(0, np.int64), total, one)
        seen = g.node("LessOrEqual", columns, g.node("Unsqueeze", rows, g.integers(1)))
        x = g.node("Add", g.node("Gather", g.constant(table), ids), g.node("Gather", g.constant(places), rows))
        for i in range(s.layers["decoder"]):
            layer = f"model.decoder.layers.{i}"
            y = self.norm(x, f"{layer}.self_attn_layer_norm")
            q = self.project(y, f"{layer}.self_attn.q_proj")
            k, v = (self.past(i, part, self.project(y, f"{layer}.self_attn.{part[0]}_proj")) for part in ("key", "value"))
            x = self.attend(x, q, k, v, f"{layer}.self_attn", seen)
            q = self.project(self.norm(x, f"{layer}.encoder_attn_layer_norm"), f"{layer}.encoder_attn.q_proj")
            k, v = (g.input(f"past_key_values.{i}.encoder.{part}", [1, self.heads, s.positions, self.head]) for part in ("key", "value"))
            x = self.inner(self.attend(x, q, k, v, f"{layer}.encoder_attn"), layer)
        x = self.norm(x, "model.decoder.layer_norm")
        g.node("MatMul", x, g.constant(table.T), result="logits")


def make(weights, folder):
    sizes, folder = Sizes(weights.config), pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    # Neither of the two files is there without the other one.
    with Graph(folder / "encoder.onnx", "encoder") as encoder, Graph(folder / "decoder.onnx", "decoder") as decoder:
        Encoder(encoder, weights, sizes, "encoder").build()
        Decoder(decoder, weights, sizes, "decoder").build()
        weights.check_used("proj_out.weight")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", help="a folder, or a config.json with --random")
    parser.add_argument("output")
    parser.add_argument("--random", action="store_true", help="random weights")
    parser.add_argument("--seed", type=int, default=0, help="of random weights")
    options = parser.parse_args()
    make(Random(read_json(options.source), options.seed) if options.random else Folder(options.source), options.output)


if __name__ == "__main__":
    report(main, "make_model.py")
