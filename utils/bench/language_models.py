"""Decoders of the LLaMA architecture with random weights, as ONNX models and as GGUF files of the
same weights.

The ONNX graph is what exporters write for a decoder with a cache: inputs input_ids [batch, sequence],
attention_mask [batch, total], position_ids [batch, sequence] and past_key_values.N.key and .value
[batch, key heads, past, head size]; outputs logits and present.N.key and .value. Normalizations, rotary
embeddings, the mask and the attention are nodes of ONNX's own domain, as torch's exporter writes them;
weights of 4 and 8 bits are in com.microsoft MatMulNBits, as ONNX Runtime's quantizer writes them.
"""

import dataclasses
import json
import os
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

# Steps of the sum that share a scale; also Q4_0's and Q8_0's of GGUF.
BLOCK = 32
# How large one chunk of random numbers is.
CHUNK = 1 << 22


@dataclasses.dataclass(frozen=True)
class Architecture:
    """Sizes of a decoder."""
    hidden: int
    layers: int
    heads: int
    key_heads: int
    inner: int
    vocabulary: int = 32000
    epsilon: float = 1e-5
    theta: float = 10000.0

    @property
    def head(self):
        return self.hidden // self.heads

    def matrices(self):
        """(name, inputs, outputs) of each product of a step, in the graph's order."""
        keys = self.key_heads * self.head
        for layer in range(self.layers):
            yield f"{layer}.q", self.hidden, self.hidden
            yield f"{layer}.k", self.hidden, keys
            yield f"{layer}.v", self.hidden, keys
            yield f"{layer}.o", self.hidden, self.hidden
            yield f"{layer}.gate", self.hidden, self.inner
            yield f"{layer}.up", self.hidden, self.inner
            yield f"{layer}.down", self.inner, self.hidden
        yield "head", self.hidden, self.vocabulary

    def parameters(self):
        return (sum(rows * columns for _, rows, columns in self.matrices()) + self.vocabulary * self.hidden +
                (2 * self.layers + 1) * self.hidden)

    def step_bytes(self, kind, past, cache_bytes=4):
        """What one token reads at least: each weight of a product once, and the cache."""
        weights = sum(rows * columns for _, rows, columns in self.matrices())
        bits = {"float32": 32, "float16": 16, "int8": 8 + 32 / BLOCK, "int4": 4 + 32 / BLOCK}[kind]
        return weights * bits / 8 + 2 * self.layers * self.key_heads * self.head * past * cache_bytes

    def prompt_flops(self, tokens):
        """Of the products of a prompt of so many tokens, with all logits."""
        weights = sum(rows * columns for _, rows, columns in self.matrices())
        return 2 * weights * tokens + 4 * self.layers * self.hidden * tokens * (tokens + 1) // 2


ARCHITECTURES = {
    "tiny": Architecture(64, 2, 4, 2, 160, vocabulary=256),
    "50M": Architecture(512, 8, 8, 4, 1376),
    "350M": Architecture(1024, 24, 16, 8, 2816),
    "1.1B": Architecture(2048, 22, 32, 4, 5632),
}
KINDS = ("float32", "float16", "int8", "int4")


def matrix(architecture, name, rows, columns):
    """The float32 weights [rows, columns] of that name: the same numbers in each run."""
    seed = np.frombuffer(name.encode().ljust(16, b"\0")[:16], np.uint32)
    random = np.random.default_rng([architecture.hidden, *map(int, seed)])
    values = np.empty(rows * columns, np.float32)
    for start in range(0, values.size, CHUNK):
        part = values[start:start + CHUNK]
        random.standard_normal(out=part, dtype=np.float32)
        part *= rows ** -0.5
    return values.reshape(rows, columns)


def quantize(weights, bits):
    """(integers [columns, blocks, BLOCK], scales [columns, blocks]) of weights [rows, columns]: symmetric
    about 2^(bits - 1)."""
    blocks = np.ascontiguousarray(weights.T).reshape(weights.shape[1], -1, BLOCK)
    top = 2 ** (bits - 1) - 1
    scales = np.maximum(np.abs(blocks).max(-1) / top, 1e-8).astype(np.float32)
    if bits == 4:  # as GGUF has scales
        scales = scales.astype(np.float16).astype(np.float32)
    integers = np.clip(np.rint(blocks / scales[..., None]), -top, top) + 2 ** (bits - 1)
    return integers.astype(np.uint8), scales


class Graph:
    """A graph in the making."""

    def __init__(self, architecture, kind):
        self.a, self.kind = architecture, kind
        self.type = TensorProto.FLOAT16 if kind == "float16" else TensorProto.FLOAT
        self.numpy = np.float16 if kind == "float16" else np.float32
        self.nodes, self.initializers, self.count = [], [], 0

    def constant(self, value, name=None):
        self.count += 1
        name = name or f"c{self.count}"
        self.initializers.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(self, op, *inputs, domain="", result=None, outputs=1, **attributes):
        self.count += 1
        names = [result or f"v{self.count}"] if outputs == 1 else [f"v{self.count}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, list(inputs), names, f"{op}_{self.count}", domain=domain, **attributes))
        return names[0] if outputs == 1 else names

    def product(self, x, name, rows, columns):
        weights = matrix(self.a, name, rows, columns)
        if self.kind in ("float32", "float16"):
            return self.node("MatMul", x, self.constant(weights.astype(self.numpy), f"{name}.weight"))
        bits = 4 if self.kind == "int4" else 8
        integers, scales = quantize(weights, bits)
        if bits == 4:
            integers = integers[..., 0::2] | integers[..., 1::2] << 4
        return self.node("MatMulNBits", x, self.constant(integers, f"{name}.weight"),
                         self.constant(scales, f"{name}.scales"), domain="com.microsoft",
                         K=rows, N=columns, bits=bits, block_size=BLOCK)

    def normalize(self, x, name):
        """As transformers' LlamaRMSNorm: in float32."""
        if self.kind == "float16":
            x = self.node("Cast", x, to=TensorProto.FLOAT)
        square = self.node("Pow", x, self.constant(np.float32(2)))
        mean = self.node("ReduceMean", square, self.constant(np.array([-1])), keepdims=1)
        root = self.node("Sqrt", self.node("Add", mean, self.constant(np.float32(self.a.epsilon))))
        x = self.node("Mul", x, self.node("Reciprocal", root))
        if self.kind == "float16":
            x = self.node("Cast", x, to=TensorProto.FLOAT16)
        return self.node("Mul", self.constant(np.ones(self.a.hidden, self.numpy), f"{name}.norm"), x)

    def rotary(self):
        """cos and sin [batch, 1, sequence, head]."""
        half = 1 / self.a.theta ** (np.arange(0, self.a.head, 2, dtype=np.float32) / self.a.head)
        positions = self.node("Cast", self.node("Unsqueeze", "position_ids", self.constant(np.array([2]))),
                              to=TensorProto.FLOAT)
        angles = self.node("MatMul", positions, self.constant(half.reshape(1, 1, -1)))
        both = self.node("Concat", angles, angles, axis=-1)
        parts = []
        for op in ("Cos", "Sin"):
            part = self.node(op, both)
            if self.kind == "float16":
                part = self.node("Cast", part, to=TensorProto.FLOAT16)
            parts.append(self.node("Unsqueeze", part, self.constant(np.array([1]))))
        return parts

    def rotate(self, x, cos, sin):
        middle, end = self.constant(np.array([self.a.head // 2])), self.constant(np.array([2 ** 62]))
        zero, axis = self.constant(np.array([0])), self.constant(np.array([3]))
        turned = self.node("Concat", self.node("Neg", self.node("Slice", x, middle, end, axis)),
                           self.node("Slice", x, zero, middle, axis), axis=-1)
        return self.node("Add", self.node("Mul", x, cos), self.node("Mul", turned, sin))

    def mask(self):
        """[batch, 1, sequence, total]: 0 where a token sees another, else the least number."""
        total = self.node("Gather", self.node("Shape", "attention_mask"), self.constant(np.array(1)))
        columns = self.node("Range", self.constant(np.array(0)), total, self.constant(np.array(1)))
        rows = self.node("Unsqueeze", "position_ids", self.constant(np.array([1, 3])))
        seen = self.node("And", self.node("LessOrEqual", columns, rows),
                         self.node("Cast", self.node("Unsqueeze", "attention_mask", self.constant(np.array([1, 2]))),
                                   to=TensorProto.BOOL))
        return self.node("Where", seen, self.constant(self.numpy(0)),
                         self.constant(np.finfo(self.numpy).min))

    def heads_first(self, x, heads):
        return self.node("Transpose", self.node("Reshape", x, self.constant(np.array([0, 0, heads, self.a.head]))),
                         perm=[0, 2, 1, 3])

    def repeat(self, x):
        """Each head of keys or values for its group of queries."""
        group = self.a.heads // self.a.key_heads
        if group == 1:
            return x
        five = self.node("Unsqueeze", x, self.constant(np.array([2])))
        wide = self.node("Expand", five, self.constant(np.array([1, 1, group, 1, 1])))
        shape = self.node("Shape", x)
        zero, two = self.constant(np.array([0])), self.constant(np.array([2]))
        target = self.node("Concat", self.node("Slice", shape, zero, self.constant(np.array([1]))),
                           self.constant(np.array([self.a.heads])),
                           self.node("Slice", shape, two, self.constant(np.array([4]))), axis=0)
        return self.node("Reshape", wide, target)

    def layer(self, i, x, cos, sin, mask):
        a = self.a
        keys = a.key_heads * a.head
        y = self.normalize(x, f"{i}.first")
        q = self.rotate(self.heads_first(self.product(y, f"{i}.q", a.hidden, a.hidden), a.heads), cos, sin)
        k = self.rotate(self.heads_first(self.product(y, f"{i}.k", a.hidden, keys), a.key_heads), cos, sin)
        v = self.heads_first(self.product(y, f"{i}.v", a.hidden, keys), a.key_heads)
        k = self.node("Concat", f"past_key_values.{i}.key", k, axis=2, result=f"present.{i}.key")
        v = self.node("Concat", f"past_key_values.{i}.value", v, axis=2, result=f"present.{i}.value")
        scores = self.node("MatMul", q, self.node("Transpose", self.repeat(k), perm=[0, 1, 3, 2]))
        scores = self.node("Mul", scores, self.constant(self.numpy(a.head ** -0.5)))
        weights = self.node("Softmax", self.node("Add", scores, mask), axis=-1)
        y = self.node("Transpose", self.node("MatMul", weights, self.repeat(v)), perm=[0, 2, 1, 3])
        y = self.node("Reshape", y, self.constant(np.array([0, 0, a.hidden])))
        x = self.node("Add", x, self.product(y, f"{i}.o", a.hidden, a.hidden))
        y = self.normalize(x, f"{i}.second")
        gate = self.product(y, f"{i}.gate", a.hidden, a.inner)
        gate = self.node("Mul", gate, self.node("Sigmoid", gate))
        y = self.node("Mul", gate, self.product(y, f"{i}.up", a.hidden, a.inner))
        return self.node("Add", x, self.product(y, f"{i}.down", a.inner, a.hidden))

    def build(self):
        a = self.a
        table = matrix(a, "embedding", a.vocabulary, a.hidden).astype(self.numpy)
        x = self.node("Gather", self.constant(table, "embedding.weight"), "input_ids")
        cos, sin = self.rotary()
        mask = self.mask()
        for i in range(a.layers):
            x = self.layer(i, x, cos, sin, mask)
        x = self.product(self.normalize(x, "last"), "head", a.hidden, a.vocabulary)
        self.node("Identity", x, result="logits")

    def model(self):
        self.build()
        a, value = self.a, helper.make_tensor_value_info
        names = [f"{i}.{part}" for i in range(a.layers) for part in ("key", "value")]
        inputs = [value("input_ids", TensorProto.INT64, ["batch", "sequence"]),
                  value("attention_mask", TensorProto.INT64, ["batch", "total"]),
                  value("position_ids", TensorProto.INT64, ["batch", "sequence"])]
        inputs += [value(f"past_key_values.{name}", self.type, ["batch", a.key_heads, "past", a.head])
                   for name in names]
        outputs = [value("logits", self.type, ["batch", "sequence", a.vocabulary])]
        outputs += [value(f"present.{name}", self.type, ["batch", a.key_heads, "total", a.head]) for name in names]
        graph = helper.make_graph(self.nodes, "decoder", inputs, outputs, self.initializers)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18),
                                                       helper.make_opsetid("com.microsoft", 1)],
                                 ir_version=9, producer_name="utils/bench/language_models.py")


def write(architecture, kind, path):
    """Writes the model, with its weights in a file beside it."""
    model = Graph(ARCHITECTURES[architecture], kind).model()
    onnx.save(model, path, save_as_external_data=True, location=f"{path.name}.data", size_threshold=1024)


def write_genai_config(architecture, path, threads):
    """Writes what onnxruntime-genai reads beside a model, of the ONNX file `path`; returns its folder."""
    a = ARCHITECTURES[architecture]
    path = pathlib.Path(path)
    folder = path.parent / f"{path.stem}-genai-{threads}"
    folder.mkdir(exist_ok=True)
    # It takes no path that leads out of its folder.
    for file in (path, path.with_name(f"{path.name}.data")):
        (folder / file.name).unlink(missing_ok=True)
        os.link(file, folder / file.name)
    decoder = {
        "session_options": {"intra_op_num_threads": threads, "inter_op_num_threads": 1, "log_severity_level": 4,
                            "provider_options": []},
        "filename": path.name,
        "head_size": a.head, "hidden_size": a.hidden, "num_attention_heads": a.heads, "num_hidden_layers": a.layers,
        "num_key_value_heads": a.key_heads,
        "inputs": {"input_ids": "input_ids", "attention_mask": "attention_mask", "position_ids": "position_ids",
                   "past_key_names": "past_key_values.%d.key", "past_value_names": "past_key_values.%d.value"},
        "outputs": {"logits": "logits", "present_key_names": "present.%d.key", "present_value_names": "present.%d.value"}}
    config = {
        "model": {"type": "llama", "vocab_size": a.vocabulary, "context_length": 1 << 17,
                  "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0, "decoder": decoder},
        # The model takes keys and values of its past and gives longer ones: they cannot share a buffer.
        "search": {"past_present_share_buffer": False}}
    (folder / "genai_config.json").write_text(json.dumps(config, indent=1))
    return folder


def token_feeds(tokens, past):
    """Inputs of a run of tokens [batch, sequence] behind `past` others, without the cache."""
    batch, sequence = tokens.shape
    return {"input_ids": tokens.astype(np.int64),
            "attention_mask": np.ones((batch, past + sequence), np.int64),
            "position_ids": np.tile(np.arange(past, past + sequence), (batch, 1))}


def cache(architecture, kind, past, random, batch=1):
    """A cache of so many tokens."""
    a = ARCHITECTURES[architecture]
    return {f"past_key_values.{i}.{part}":
            random.standard_normal((batch, a.key_heads, past, a.head), np.float32)
            .astype(np.float16 if kind == "float16" else np.float32)
            for i in range(a.layers) for part in ("key", "value")}


def empty_cache(architecture, kind):
    return cache(architecture, kind, 0, np.random.default_rng(0))


def feeds(architecture, kind, sequence, past, random, batch=1):
    """All inputs of a run of so many tokens behind `past` others."""
    tokens = random.integers(0, ARCHITECTURES[architecture].vocabulary, (batch, sequence))
    return token_feeds(tokens, past) | cache(architecture, kind, past, random, batch)


def for_rotation(weights, heads):
    """Columns of a query's or key's weights in the order of GGUF, where the two numbers that are rotated
    together are neighbours."""
    rows, columns = weights.shape
    return weights.reshape(rows, heads, 2, columns // heads // 2).swapaxes(2, 3).reshape(rows, columns)


def write_gguf(architecture, kind, path):
    """The same decoder for llama.cpp. Its Q8_0 and Q4_0 round the weights otherwise than `quantize`."""
    import gguf
    a = ARCHITECTURES[architecture]
    types = gguf.GGMLQuantizationType
    of_products = {"float32": types.F32, "float16": types.F16, "int8": types.Q8_0, "int4": types.Q4_0}[kind]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_block_count(a.layers)
    writer.add_context_length(1 << 17)
    writer.add_embedding_length(a.hidden)
    writer.add_feed_forward_length(a.inner)
    writer.add_head_count(a.heads)
    writer.add_head_count_kv(a.key_heads)
    writer.add_layer_norm_rms_eps(a.epsilon)
    writer.add_rope_freq_base(a.theta)
    writer.add_rope_dimension_count(a.head)
    writer.add_vocab_size(a.vocabulary)
    writer.add_tokenizer_model("no_vocab")

    def add(name, values, kind):
        if kind in (types.F32, types.F16):
            writer.add_tensor(name, values.astype(np.float16 if kind == types.F16 else np.float32))
        else:
            writer.add_tensor(name, gguf.quants.quantize(values, kind), raw_dtype=kind)

    add("token_embd.weight", matrix(a, "embedding", a.vocabulary, a.hidden),
        types.F16 if kind == "float16" else types.F32)
    add("output_norm.weight", np.ones(a.hidden), types.F32)
    for i in range(a.layers):
        add(f"blk.{i}.attn_norm.weight", np.ones(a.hidden), types.F32)
        add(f"blk.{i}.ffn_norm.weight", np.ones(a.hidden), types.F32)
    names = {"q": "attn_q", "k": "attn_k", "v": "attn_v", "o": "attn_output", "gate": "ffn_gate", "up": "ffn_up",
             "down": "ffn_down"}
    for name, rows, columns in a.matrices():
        weights = matrix(a, name, rows, columns)
        layer, _, part = name.partition(".")
        if part in ("q", "k"):
            weights = for_rotation(weights, a.heads if part == "q" else a.key_heads)
        target = f"blk.{layer}.{names[part]}.weight" if part else "output.weight"
        add(target, np.ascontiguousarray(weights.T), of_products)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
