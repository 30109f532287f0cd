# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decoders with caches, with random weights, as exporters write them: optimum, torch's
two exporters, onnxruntime-genai's builder, and ONNX Runtime's transformer optimizer.

What they write is ../decoding.py's: decoder.json says which outputs are which inputs."""

import json
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import onnx
import torch

import decoding

from . import recurrent_decoders
from .torch_models import SEED, SMALL, randomize, with_parameters

# Larger than those of other models: heads that are worth a kernel.
SIZES = {"max_position_embeddings": 2048, "n_positions": 2048, "max_target_positions": 2048, "max_length": 64,
         "hidden_size": 64, "d_model": 64, "n_embd": 64, "intermediate_size": 96, "d_ff": 96, "n_inner": 96, "head_dim": 16, "d_kv": 16,
         "decoder_ffn_dim": 96, "encoder_ffn_dim": 96, "max_source_positions": 16, "num_experts_per_tok": 2, "moe_intermediate_size": 32,
         "shared_expert_intermediate_size": 32, "state_size": 8, "num_mel_bins": 16}
OWN = ("unnamed", "layers", "parts", "stacked", "form", "precision", "attention", "step", "base", "type", "heads", "hidden", "task", "exclude", "cache")


def make_model(entry):
    import inspect

    import transformers
    torch.manual_seed(SEED)
    model_class = getattr(transformers, entry.what)
    known = set(inspect.signature(model_class.config_class.__init__).parameters) - {"self", "kwargs"}
    plain = model_class.config_class()
    values = {name: value for name, value in {**SMALL, **SIZES}.items()
              if name in known and not isinstance(getattr(plain, name, None), (list, tuple))}
    config = model_class.config_class(**{**values, **entry.numbers(*OWN)})
    config._attn_implementation = entry.options.get("attention", "eager")
    config.use_cache = True
    if hasattr(config, "pad_token_id") and config.pad_token_id is None:
        config.pad_token_id = 0
    return randomize(model_class(config))


def write(folder, pairs, tokens=0, vocabulary=101, constants=None, size=0):
    """decoder.json, constants.npz, and two inputs of the model as it is: a prompt, and a token behind others."""
    (folder / "decoder.json").write_text(json.dumps({"pairs": pairs, "tokens": tokens, "vocabulary": vocabulary, "size": size}))
    if constants:
        np.savez(folder / "constants.npz", **constants)
    decoder = decoding.Decoder.load(folder)
    random = np.random.default_rng(SEED)
    for number, (batch, new, past) in enumerate([(1, tokens or 7, 0), (2, 1, 5)]):
        ids = random.integers(3, vocabulary, (batch, new))
        np.savez(folder / f"in_{number}.npz", **decoder.feeds(ids, past), **decoder.start(batch, past, random))


def names_of(path):
    model = onnx.load(path, load_external_data=False)
    initial = {value.name for value in model.graph.initializer}
    return [value.name for value in model.graph.input if value.name not in initial], [value.name for value in model.graph.output]


def named_pairs(path, output="present.", given="past_key_values."):
    """By what stands for one at the beginning of the other, as the exporter's own loops have it."""
    inputs, outputs = names_of(path)
    pairs = {name: given + name[len(output):] for name in outputs if name.startswith(output)}
    return {name: other for name, other in pairs.items() if other in inputs}


# --- torch's exporters

class Cached(torch.nn.Module):
    """A decoder whose cache is tensors: keys and values by layers."""

    def __init__(self, model, names, stacked=False):
        super().__init__()
        self.model, self.names, self.stacked = model, names, stacked

    def forward(self, *tensors):
        from transformers import DynamicCache
        count = len(self.names)
        feeds, past = dict(zip(self.names, tensors[:count])), tensors[count:]
        if self.stacked:
            past = [part for both in past for part in both.unbind(0)]
        cache = DynamicCache.from_legacy_cache(tuple(zip(past[::2], past[1::2])))
        out = self.model(**feeds, past_key_values=cache, use_cache=True, return_dict=True)
        layers = out.past_key_values.to_legacy_cache() if hasattr(out.past_key_values, "to_legacy_cache") else out.past_key_values
        if self.stacked:
            return (out.logits, *[torch.stack(layer) for layer in layers])
        return (out.logits, *[part for layer in layers for part in layer])


def sample(model, names, batch=2, new=3, past=4):
    config = model.config
    made = {"input_ids": torch.randint(3, 100, (batch, new)), "attention_mask": torch.ones(batch, past + new, dtype=torch.int64),
            "position_ids": torch.arange(past, past + new).repeat(batch, 1)}
    heads = getattr(config, "num_key_value_heads", None) or config.num_attention_heads
    size = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    # DeepSeek's: a part of a key has positions, another one has none.
    sizes = (config.qk_nope_head_dim + config.qk_rope_head_dim, config.v_head_dim) if hasattr(config, "qk_nope_head_dim") else (size, size)
    layers = [[torch.randn(batch, heads, past, size) for size in sizes] for _ in range(config.num_hidden_layers)]
    return [made[name] for name in names], layers


def feed_names(model):
    import inspect
    known = inspect.signature(model.forward).parameters
    return [name for name in ("input_ids", "attention_mask", "position_ids") if name in known]


def build_plain(entry, folder):
    model = make_model(entry)
    names = feed_names(model)
    feeds, layers = sample(model, names)
    stacked = "stacked" in entry.options
    if stacked:
        past = [torch.stack(layer) for layer in layers]
        inputs, outputs = ([f"{word}_{i}" for i in range(len(layers))] for word in ("past", "present"))
    else:
        past = [part for layer in layers for part in layer]
        form = entry.options.get("form", "past_key_values.{}.{}:present.{}.{}").split(":")
        inputs, outputs = ([text.format(i, what) for i in range(len(layers)) for what in ("key", "value")] for text in form)
    axes = {"input_ids": {0: "batch", 1: "sequence"}, "attention_mask": {0: "batch", 1: "total"}, "position_ids": {0: "batch", 1: "sequence"}}
    axes = {name: axes[name] for name in names} | {"logits": {0: "batch", 1: "sequence"}}
    place = 1 if stacked else 0
    axes |= {name: {place: "batch", place + 2: "past"} for name in inputs} | {name: {place: "batch", place + 2: "past + sequence"} for name in outputs}
    with torch.no_grad():
        torch.onnx.export(Cached(model, names, stacked), (*feeds, *past), str(folder / "model.onnx"), dynamo=False, opset_version=entry.opset,
                          input_names=[*names, *inputs], output_names=["logits", *outputs], dynamic_axes=axes)
    write(folder, dict(zip(outputs, inputs)))


def build_dynamo(entry, folder):
    """The model itself, with a DynamicCache, as torch's documentation shows it."""
    from transformers import DynamicCache
    model = make_model(entry)
    names = feed_names(model)
    feeds, layers = sample(model, names)
    opened = torch.export.Dim.DYNAMIC
    shapes = {name: {0: opened, 1: opened} for name in names}
    shapes["past_key_values"] = [[{0: opened, 2: opened}] * len(layers)] * 2
    # GPT-2 gives back the older form: layers of keys and values.
    kinds = range(len(layers))
    order = ([(i, what) for i in kinds for what in ("key", "value")] if "layers" in entry.options
             else [(i, what) for what in ("key", "value") for i in kinds])
    given = {} if "unnamed" in entry.options else {
        "output_names": ["logits", *[f"present.{i}.{what}" for i, what in order]]}
    with torch.no_grad():
        torch.onnx.export(model, (), str(folder / "model.onnx"), kwargs={**dict(zip(names, feeds)), "past_key_values": DynamicCache.from_legacy_cache(layers)},
                          dynamo=True, opset_version=entry.opset, dynamic_shapes=shapes, external_data=False, verbose=False, **given)
    inputs, outputs = names_of(folder / "model.onnx")
    caches = {f"{i}.{what}": f"past_key_values_{what}_cache_{i}" for i, what in order}
    assert set(caches.values()) == set(inputs) - set(names), inputs
    write(folder, dict(zip(outputs[1:], caches.values(), strict=True)))


class MambaStep(torch.nn.Module):
    """One token: the states of convolutions and of the recurrence go in and out."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids, cache_position, *states):
        from transformers.cache_utils import MambaCache
        layers = self.model.config.num_hidden_layers
        cache = MambaCache(self.model.config, max_batch_size=1, dtype=torch.float32)
        cache.conv_states = [state.clone() for state in states[:layers]]
        cache.ssm_states = [state.clone() for state in states[layers:]]
        out = self.model(input_ids=input_ids, cache_params=cache, cache_position=cache_position, use_cache=True, return_dict=True)
        return (out.logits, *cache.conv_states, *cache.ssm_states)


def build_mamba(entry, folder):
    model = make_model(entry)
    config = model.config
    layers, width = config.num_hidden_layers, config.intermediate_size
    states = [torch.randn(2, width, config.conv_kernel) for _ in range(layers)] + [torch.randn(2, width, config.state_size) for _ in range(layers)]
    kinds = [f"{kind}.{i}" for kind in ("conv", "ssm") for i in range(layers)]
    form = entry.options.get("form", "cache_params.past.{}:cache_params.present.{}").split(":")
    inputs, outputs = ([text.format(kind) for kind in kinds] for text in form)
    axes = {name: {0: "batch"} for name in ["input_ids", "logits", *inputs, *outputs]}
    with torch.no_grad():
        torch.onnx.export(MambaStep(model), (torch.randint(3, 100, (2, 1)), torch.tensor([5]), *states), str(folder / "model.onnx"), dynamo=False,
                          opset_version=entry.opset, input_names=["input_ids", "cache_position", *inputs], output_names=["logits", *outputs], dynamic_axes=axes)
    write(folder, dict(zip(outputs, inputs)), tokens=1)


def build_recurrent(entry, folder):
    import importlib
    module, _, name = entry.options["cache"].rpartition(".")
    cache_class = getattr(importlib.import_module(f"transformers.{module}"), name)
    recurrent_decoders.build(entry, folder, make_model(entry), cache_class, write)


class RwkvStep(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids, *states):
        out = self.model(input_ids=input_ids, state=list(states), use_cache=True, return_dict=True)
        return (out.logits, *out.state)


def build_rwkv(entry, folder):
    model = make_model(entry)
    config = model.config
    states = [torch.zeros(2, config.hidden_size if i <= 1 else config.attention_hidden_size, config.num_hidden_layers) for i in range(5)]
    inputs, outputs = ([f"{word}_{i}" for i in range(5)] for word in ("state", "new_state"))
    axes = {name: {0: "batch"} for name in ["input_ids", "logits", *inputs, *outputs]}
    with torch.no_grad():
        torch.onnx.export(RwkvStep(model), (torch.randint(3, 100, (2, 1)), *states), str(folder / "model.onnx"), dynamo=False,
                          opset_version=entry.opset, input_names=["input_ids", *inputs], output_names=["logits", *outputs], dynamic_axes=axes)
    write(folder, dict(zip(outputs, inputs)), tokens=1)


class CrossCached(torch.nn.Module):
    """A decoder behind an encoder: its own cache goes in and out, that of the encoder's keys and values in."""

    def __init__(self, model, cross_out):
        super().__init__()
        self.model, self.cross_out = model, cross_out

    def forward(self, decoder_input_ids, encoder_hidden_states, *past):
        from transformers import EncoderDecoderCache
        from transformers.modeling_outputs import BaseModelOutput
        layers = [past[i:i + 4] for i in range(0, len(past), 4)]
        out = self.model(decoder_input_ids=decoder_input_ids, encoder_outputs=BaseModelOutput(encoder_hidden_states),
                         past_key_values=EncoderDecoderCache.from_legacy_cache(layers), use_cache=True, return_dict=True)
        parts = out.past_key_values
        parts = parts.to_legacy_cache() if hasattr(parts, "to_legacy_cache") else parts
        return (out.logits, *[part for layer in parts for part in layer[:4 if self.cross_out else 2]])


def build_cross(entry, folder):
    """Whisper, T5 and BART, by torch's exporters. `parts=all`: the encoder's part of the cache comes out, too, as it went in."""
    model = make_model(entry)
    config = model.config
    batch, past, source = 2, 4, 16
    heads = getattr(config, "decoder_attention_heads", None) or config.num_heads
    size = getattr(config, "d_kv", None) or config.d_model // heads
    layers = getattr(config, "decoder_layers", None) or config.num_layers
    hidden = torch.randn(1, source, config.d_model).repeat(batch, 1, 1)
    whats = [f"{part}.{what}" for part in ("decoder", "encoder") for what in ("key", "value")]
    inputs = [f"past_key_values.{i}.{what}" for i in range(layers) for what in whats]
    tensors = [torch.randn(1, heads, past if "decoder" in name else source, size).repeat(batch, 1, 1, 1) for name in inputs]
    cross_out = entry.options.get("parts") == "all"
    outputs = [f"present.{i}.{what}" for i in range(layers) for what in whats[:4 if cross_out else 2]]
    axes = {"decoder_input_ids": {0: "batch", 1: "sequence"}, "encoder_hidden_states": {0: "batch", 1: "source"}, "logits": {0: "batch", 1: "sequence"}}
    axes |= {name: {0: "batch", 2: "source" if "encoder" in name else "past"} for name in inputs}
    axes |= {name: {0: "batch", 2: "source" if "encoder" in name else "total"} for name in outputs}
    module, given = CrossCached(model.eval(), cross_out), (torch.randint(3, 100, (batch, 3)), hidden, *tensors)
    names = {"input_names": ["decoder_input_ids", "encoder_hidden_states", *inputs], "output_names": ["logits", *outputs]}
    with torch.no_grad():
        if entry.exporter == "dynamo":
            # The encoder's length stays as it is: what has no cache for it would be a branch.
            opened = torch.export.Dim.DYNAMIC
            shapes = [{axis: opened for axis, word in axes[name].items() if word != "source"} for name in names["input_names"]]
            torch.onnx.export(with_parameters(module, [name.replace(".", "_") for name in names["input_names"]]), given, str(folder / "model.onnx"), dynamo=True, opset_version=entry.opset,
                              dynamic_shapes=shapes, external_data=False, verbose=False, **names)
        else:
            torch.onnx.export(module, given, str(folder / "model.onnx"), dynamo=False, opset_version=entry.opset, dynamic_axes=axes, **names)
    constants = {"encoder_hidden_states": hidden[:1].numpy()}
    constants |= {name: tensor[:1].numpy() for name, tensor in zip(inputs, tensors) if "encoder" in name}
    pairs = {name: name.replace("present", "past_key_values") for name in outputs if "encoder" not in name}
    write(folder, pairs, constants=constants)


# --- optimum

def build_optimum(entry, folder):
    """`parts` chooses the file of a decoder behind an encoder: decoder_model_merged or decoder_with_past_model."""
    from optimum.exporters.onnx import onnx_export_from_model
    model = make_model(entry)
    task = entry.options.get("task", "text-generation-with-past")
    out = folder / "optimum"
    onnx_export_from_model(model, str(out), opset=entry.opset, task=task, do_validation=False, no_post_process=False)
    part = entry.options.get("parts", "model")
    shutil.move(out / f"{part}.onnx", folder / "model.onnx")
    for data in out.glob("*.onnx_data"):
        shutil.move(data, folder)
    pairs = named_pairs(folder / "model.onnx")
    constants = encoder_constants(folder / "model.onnx", model.config)
    shutil.rmtree(out)
    write(folder, pairs, constants=constants)


def encoder_constants(path, config):
    inputs, outputs = names_of(path)
    random, made = np.random.default_rng(SEED), {}
    source = getattr(config, "max_source_positions", 9)
    if "encoder_hidden_states" in inputs:
        made["encoder_hidden_states"] = random.standard_normal((1, source, config.d_model)).astype(np.float32)
    if "encoder_attention_mask" in inputs:
        made["encoder_attention_mask"] = np.ones((1, source), np.int64)
    heads = getattr(config, "decoder_attention_heads", None) or getattr(config, "num_heads", 1)
    size = getattr(config, "d_kv", None) or getattr(config, "d_model", 0) // heads
    for name in inputs:
        if ".encoder." in name and name.replace("past_key_values", "present") not in outputs:
            made[name] = random.standard_normal((1, heads, source, size)).astype(np.float32)
    return made


# --- onnxruntime-genai

def build_genai(entry, folder):
    from tokenizers import Tokenizer, models
    from transformers import PreTrainedTokenizerFast
    model = make_model(entry)
    source, out = folder / "source", folder / "genai"
    model.save_pretrained(source)
    words = {f"w{i}": i for i in range(101)}
    PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.WordLevel(words, "w0")), eos_token="w2", bos_token="w1", pad_token="w0").save_pretrained(source)
    # Of an environment of its own: it needs another version of transformers, and its modules have names that are also the zoo's.
    python = pathlib.Path(sys.prefix).with_name("venv-genai") / "bin" / "python3"
    subprocess.run([python, "-m", "onnxruntime_genai.models.builder", "-i", source, "-o", out, "-p", entry.options.get("precision", "fp32"),
                    "-e", "cpu", "-c", folder / "cache"], check=True, cwd=folder)
    onnx.save(onnx.load(out / "model.onnx"), folder / "model.onnx")
    for made in (source, out, folder / "cache"):
        shutil.rmtree(made, ignore_errors=True)
    write(folder, named_pairs(folder / "model.onnx"), size=16)


# --- ONNX Runtime's optimizer, of another entry's model

def build_optimized(entry, folder):
    from onnxruntime.transformers.optimizer import optimize_model
    source = folder.parent / entry.base
    if not (source / "in_1.npz").exists():
        raise RuntimeError(f"there is no model of '{source.name}'")
    model = optimize_model(str(source / "model.onnx"), model_type=entry.options.get("type", "gpt2"), num_heads=int(entry.options.get("heads", 4)),
                           hidden_size=int(entry.options.get("hidden", 64)), opt_level=int(entry.options.get("level", 0)), use_gpu="gpu" in entry.options)
    if "half" in entry.options:
        model.convert_float_to_float16(keep_io_types=False)
    model.save_model_to_file(str(folder / "model.onnx"))
    known = decoding.Decoder.load(source)
    write(folder, known.pairs, known.most, known.vocabulary, known.constants, known.size)


OF_ARCHITECTURE = {"MambaForCausalLM": build_mamba, "RwkvForCausalLM": build_rwkv, "T5ForConditionalGeneration": build_cross,
                   "WhisperForConditionalGeneration": build_cross, "BartForConditionalGeneration": build_cross}
OF_ARCHITECTURE |= dict.fromkeys(("Mamba2ForCausalLM", "JambaForCausalLM", "BambaForCausalLM", "FalconMambaForCausalLM"), build_recurrent)
OF_EXPORTER = {"ts": build_plain, "dynamo": build_dynamo, "optimum": build_optimum, "genai": build_genai, "optimized": build_optimized}


def build_decoder(entry, folder):
    build = OF_EXPORTER[entry.exporter]
    (OF_ARCHITECTURE.get(entry.what, build) if entry.exporter in ("ts", "dynamo") else build)(entry, folder)
