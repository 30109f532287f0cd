#!/usr/bin/env python3
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a decoder of the LLaMA family as an ONNX model: token ids in, logits out.

usage: make_model.py FOLDER decoder.onnx     weights of a folder as Hugging Face has them: config.json and
                                             model.safetensors, or parts with model.safetensors.index.json
       make_model.py --random CONFIG.json decoder.onnx [--seed N]
                                             random weights for the sizes of a config.json

config.json has a model_type of llama, mistral, qwen2 or qwen3. The model has an input input_ids [1, sequence],
the past of each layer's keys and values, and, as outputs, logits [1, sequence, vocabulary] and the same keys and
values with those of the new tokens behind them: states, for `onnxc --state=auto`. The position of a token follows
from the length of the past.
"""

import argparse
import pathlib
import sys

import numpy as np
from onnx import TensorProto

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "huggingface"))
from graph import Graph  # noqa: E402
from weights import Folder, Random, WrongModel, read_json, report  # noqa: E402

FAMILIES = ("llama", "mistral", "qwen2", "qwen3")


class Sizes:
    """What config.json says, checked."""

    def __init__(self, config):
        self._config = config
        self.family = config.get("model_type")
        if self.family not in FAMILIES:
            raise WrongModel(f"config.json: expected a model_type of {', '.join(FAMILIES)}, got {self.family!r}")
        if config.get("hidden_act", "silu") != "silu":
            raise WrongModel(f"config.json: expected hidden_act 'silu', got {config['hidden_act']!r}")
        if config.get("quantization_config"):
            raise WrongModel("config.json: the weights are quantized; expected those of float32, float16 or bfloat16")
        self.hidden, self.layers = self._size("hidden_size"), self._size("num_hidden_layers")
        self.inner, self.vocabulary = self._size("intermediate_size"), self._size("vocab_size")
        self.heads = self._size("num_attention_heads")
        self.key_heads = self._size("num_key_value_heads", self.heads)
        self.head = self._size("head_dim", self.hidden // self.heads)
        if self.heads % self.key_heads:
            raise WrongModel(f"config.json: num_attention_heads {self.heads} is not a multiple of num_key_value_heads {self.key_heads}")
        self.epsilon = float(config.get("rms_norm_eps", 1e-6))
        self.tied = bool(config.get("tie_word_embeddings", False))
        # Qwen 2 has biases without saying so.
        self.bias = bool(config.get("attention_bias", self.family == "qwen2"))
        self.output_bias = self.bias and self.family == "llama"
        self.inner_bias = bool(config.get("mlp_bias", False))
        self.head_norms = self.family == "qwen3"
        self.window = self._window()

    def _size(self, name, default=None):
        value = self._config.get(name)
        value = default if value is None else value
        if not isinstance(value, int) or value < 1:
            raise WrongModel(f"config.json: expected a positive number as {name}, got {value!r}")
        return value

    def _window(self):
        """How many tokens each one sees, None for all."""
        window = self._config.get("sliding_window")
        if self.family == "mistral" or self._config.get("use_sliding_window"):
            if window and len(set(self._config.get("layer_types") or [0])) > 1:
                raise WrongModel("config.json: expected layer_types that are all the same")
            if window and self._config.get("max_window_layers") not in (None, 0):
                raise WrongModel("config.json: a sliding_window in some of the layers alone is not supported")
            return window
        return None

    def frequencies(self):
        """By which a pair of numbers is rotated from a token to the next."""
        scaling = self._config.get("rope_scaling") or self._config.get("rope_parameters") or {}
        theta = float(self._config.get("rope_theta") or scaling.get("rope_theta") or 10000)
        kind = scaling.get("rope_type", scaling.get("type", "default"))
        turns = theta ** (-np.arange(0, self.head, 2) / self.head)
        if kind == "linear":
            turns = turns / scaling["factor"]
        elif kind == "llama3":
            # Slow ones are slowed down, fast ones stay, and between them there is a ramp.
            length, low, high = (scaling[name] for name in ("original_max_position_embeddings", "low_freq_factor", "high_freq_factor"))
            ramp = np.clip((length * turns / (2 * np.pi) - low) / (high - low), 0, 1)
            turns = turns * (ramp + (1 - ramp) / scaling["factor"])
        elif kind != "default":
            raise WrongModel(f"config.json: expected a rope_type of default, linear or llama3, got {kind!r}")
        return turns.astype(np.float32)


class Decoder:
    def __init__(self, graph, weights, sizes):
        self.g, self.weights, self.s = graph, weights, sizes

    def norm(self, x, name, size):
        scale = self.g.constant(self.weights.take(f"{name}.weight", [size]), name=f"{name}.weight")
        return self.g.node("RMSNormalization", x, scale, axis=-1, epsilon=self.s.epsilon)

    def positions(self):
        """cos and sin [1, sequence, head / 2], and the mask [sequence, total] of what each token sees."""
        g = self.g
        past = g.node("Shape", "past_key_values.0.key", start=2, end=3)
        count = g.node("Shape", "input_ids", start=1, end=2)
        total = g.node("Squeeze", g.node("Add", past, count))
        zero, one = g.constant(0, np.int64), g.constant(1, np.int64)
        rows = g.node("Range", g.node("Squeeze", past), total, one)
        rows = g.node("Unsqueeze", rows, g.integers(1))
        columns = g.node("Range", zero, total, one)
        seen = g.node("LessOrEqual", columns, rows)
        if self.s.window:
            least = g.node("Sub", rows, g.constant(self.s.window, np.int64))
            seen = g.node("And", seen, g.node("Greater", columns, least))
        angles = g.node("Mul", g.node("Cast", rows, to=TensorProto.FLOAT), g.constant(self.s.frequencies()))
        angles = g.node("Unsqueeze", angles, g.integers(0))
        return g.node("Cos", angles), g.node("Sin", angles), seen

    def layer(self, i, x, cos, sin, seen):
        g, s, name = self.g, self.s, f"model.layers.{i}"

        def heads(part, count):
            parts = g.linear(self.weights, y, f"{name}.self_attn.{part}_proj", s.hidden, count * s.head, s.bias)
            parts = g.split_heads(parts, count, s.head)
            if s.head_norms and part != "v":
                parts = self.norm(parts, f"{name}.self_attn.{part}_norm", s.head)
            return parts if part == "v" else g.node("RotaryEmbedding", parts, cos, sin)

        def cache(part, rows):
            past = g.input(f"past_key_values.{i}.{part}", [1, s.key_heads, "past", s.head])
            g.output(f"present.{i}.{part}", [1, s.key_heads, "total", s.head])
            return g.node("Concat", past, rows, axis=2, result=f"present.{i}.{part}")

        y = self.norm(x, f"{name}.input_layernorm", s.hidden)
        q, k, v = heads("q", s.heads), cache("key", heads("k", s.key_heads)), cache("value", heads("v", s.key_heads))
        y = g.join_heads(g.attention(q, k, v, s.head, seen), s.heads * s.head)
        x = g.node("Add", x, g.linear(self.weights, y, f"{name}.self_attn.o_proj", s.heads * s.head, s.hidden, s.output_bias))

        y = self.norm(x, f"{name}.post_attention_layernorm", s.hidden)
        gate, up = (g.linear(self.weights, y, f"{name}.mlp.{part}_proj", s.hidden, s.inner, s.inner_bias) for part in ("gate", "up"))
        y = g.node("Mul", g.node("Mul", gate, g.node("Sigmoid", gate)), up)
        return g.node("Add", x, g.linear(self.weights, y, f"{name}.mlp.down_proj", s.inner, s.hidden, s.inner_bias))

    def build(self):
        g, s = self.g, self.s
        ids = g.input("input_ids", [1, "sequence"], TensorProto.INT64)
        g.output("logits", [1, "sequence", s.vocabulary])
        table = self.weights.take("model.embed_tokens.weight", [s.vocabulary, s.hidden])
        x = g.node("Gather", g.constant(table, name="model.embed_tokens.weight"), ids)
        positions = self.positions()
        for i in range(s.layers):
            x = self.layer(i, x, *positions)
        x = self.norm(x, "model.norm", s.hidden)
        if not s.tied:
            table = self.weights.take("lm_head.weight", [s.vocabulary, s.hidden])
        g.node("MatMul", x, g.constant(table.T, name="lm_head.weight"), result="logits")
        self.weights.check_used("rotary_emb.inv_freq", *(["lm_head.weight"] if s.tied else []))


def make(weights, path):
    sizes = Sizes(weights.config)
    with Graph(path, "decoder") as graph:
        Decoder(graph, weights, sizes).build()


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
