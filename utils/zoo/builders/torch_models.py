# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of torch with random weights, written by its two exporters."""

import importlib
import inspect

import numpy as np
import torch

SEED = 20


class Call(torch.nn.Module):
    """A module called with positional tensors, which `names` give to keywords; its
    result is the tensors of the module's, in order."""

    def __init__(self, module, names=None, **constants):
        super().__init__()
        self.module, self.names, self.constants = module, names, constants

    def forward(self, *tensors):
        if self.names:
            result = self.module(**dict(zip(self.names, tensors)), **self.constants)
        else:
            result = self.module(*tensors, **self.constants)
        return tuple(flatten(result))


def with_parameters(module, names):
    """The module with a parameter for each input: torch.export makes no guards of `*tensors`."""
    names = [f"{name}_" for name in names]
    source = f"def forward(self, {', '.join(names)}):\n    return self.module({', '.join(names)})"
    scope = {}
    exec(source, scope)
    result = type("Parameters", (torch.nn.Module,), {"forward": scope["forward"]})()
    result.module = module
    return result.eval()


def flatten(value):
    """The floating point and integer tensors of a result."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [tensor for part in value for tensor in flatten(part)]
    return []


def randomize(module):
    """Gives values to what constructors set to zero or one: scales, running means.
    With these a model would hide whole branches."""
    torch.manual_seed(SEED)
    with torch.no_grad():
        for parameter in module.parameters():
            if parameter.is_floating_point() and parameter.numel() > 1 and parameter.min() == parameter.max():
                parameter.add_(0.1 * torch.randn_like(parameter))
        for name, buffer in module.named_buffers():
            if name.endswith("running_mean"):
                buffer.add_(0.1 * torch.randn_like(buffer))
            elif name.endswith("running_var"):
                buffer.copy_(0.5 + torch.rand_like(buffer))
    return module.eval()


def export(entry, folder, module, names, make_inputs, open_dims):
    """make_inputs(n) gives the tensors of the first (0) or second (1) size;
    `open_dims` are the numbers of dims that may be open, for each input."""
    opened = entry.sizes == "open"
    first = make_inputs(0)
    # torch.export takes what it sees as 1 for a constant.
    seen = make_inputs(1) if opened and entry.exporter == "dynamo" else first
    path = str(folder / "model.onnx")
    with torch.no_grad():
        if entry.exporter == "ts":
            axes = {name: {dim: f"{name}_{dim}" for dim in dims} for name, dims in zip(names, open_dims) if dims}
            torch.onnx.export(module, tuple(first), path, dynamo=False, opset_version=entry.opset, input_names=names,
                              dynamic_axes=axes if opened else None, do_constant_folding="nofold" not in entry.options)
        else:
            shapes = tuple({dim: torch.export.Dim.AUTO for dim in dims} for dims in open_dims)
            torch.onnx.export(with_parameters(module, names), tuple(seen), path, dynamo=True, opset_version=entry.opset, input_names=names,
                              dynamic_shapes=shapes if opened else None, external_data=False,
                              optimize="nofold" not in entry.options, verbose=False)
    torch.manual_seed(SEED + 1)
    second = make_inputs(1 if opened else 0)
    for number, tensors in enumerate((first, second)):
        np.savez(folder / f"in_{number}.npz", **{name: tensor.numpy() for name, tensor in zip(names, tensors)})


def image_maker(entry, default=64, channels=3, batched=True):
    image = int(entry.options.get("image", default))
    step = int(entry.options.get("step", 32))
    channels = int(entry.options.get("channels", channels))

    def make(number):
        size = [channels, image, image] if number == 0 else [channels, image + step, image + 2 * step]
        if entry.options.get("open") == "batch":
            size = [channels, image, image]
        return [torch.randn(*([1 + number] if batched else []), *size)]
    dims = [0] if entry.options.get("open") == "batch" else [0, 2, 3] if batched else [1, 2]
    return make, [dims]


def build_timm(entry, folder):
    import timm
    torch.manual_seed(SEED)
    model = timm.create_model(entry.what, pretrained=False, exportable=True, **entry.numbers("image", "step", "open", "nofold", "channels"))
    make, dims = image_maker(entry)
    export(entry, folder, Call(randomize(model)), ["x"], make, dims)


def build_torchvision(entry, folder):
    import torchvision
    torch.manual_seed(SEED)
    kind, _, name = entry.what.rpartition(".")
    numbers = entry.numbers("image", "step", "open", "nofold", "channels")
    make, dims = image_maker(entry, batched=kind != "detection")
    if kind == "detection":
        image = int(entry.options.get("image", 64))
        if not name.startswith("ssd"):  # they have a size of their own
            numbers = {"min_size": image, "max_size": 2 * image} | numbers
        model = torchvision.models.get_model(name, weights=None, weights_backbone=None, num_classes=5, **numbers)
        names = ["x"]
        module = Detector(randomize(model))
        # Scores that differ by no more than rounding would be sorted by it.
        with torch.no_grad():
            for part, parameter in model.named_parameters():
                if "classification_head" in part and parameter.dim() > 1:
                    parameter.mul_(10)
    elif kind == "video":
        model, names = torchvision.models.get_model(name, weights=None, num_classes=10, **numbers), ["x"]
        module = Call(randomize(model))
        frames = int(entry.options.get("image", 64))
        make = lambda number: [torch.randn(1 + number, 3, 8, frames, frames)]
        dims = [[0]]
    elif kind == "flow":
        model, names = torchvision.models.get_model(name, weights=None), ["a", "b"]
        module = Call(randomize(model), num_flow_updates=2)
        size = int(entry.options.get("image", 128))
        make = lambda number: [torch.rand(1 + number, 3, size, size) for _ in names]
        dims = [[0], [0]]
    else:
        if kind == "segmentation":
            numbers |= {"weights_backbone": None, "num_classes": 5}
        model, names = torchvision.models.get_model(name, weights=None, **{"num_classes": 10, **numbers}), ["x"]
        module = Call(randomize(model))
    export(entry, folder, module, names, make, dims)


class Detector(torch.nn.Module):
    """torchvision's detectors take a list of images, and give a list of dictionaries."""

    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, image):
        return tuple(flatten(self.module([image])))


# Sizes of configurations of transformers, under all the names they have.
SMALL = {
    "hidden_size": 32, "d_model": 32, "dim": 32, "n_embd": 32, "embed_dim": 32, "emb_dim": 32, "embedding_size": 32,
    "num_hidden_layers": 2, "num_layers": 2, "n_layers": 2, "n_layer": 2, "encoder_layers": 2, "decoder_layers": 2,
    "num_decoder_layers": 2, "num_encoder_layers": 2, "depth": 2,
    "num_attention_heads": 4, "num_heads": 4, "n_heads": 4, "n_head": 4, "encoder_attention_heads": 4,
    "decoder_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8, "d_kv": 8,
    "intermediate_size": 64, "ffn_dim": 64, "d_ff": 64, "d_inner": 64, "hidden_dim": 64, "encoder_ffn_dim": 64,
    "decoder_ffn_dim": 64, "n_inner": 64, "ffn_hidden_size": 64, "decoder_hidden_size": 32,
    "vocab_size": 101, "max_position_embeddings": 128, "n_positions": 128, "max_source_positions": 128,
    "max_target_positions": 64, "word_embed_proj_dim": 32, "projection_dim": 32, "type_vocab_size": 2,
    "image_size": 64, "patch_size": 16, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0, "decoder_start_token_id": 1,
    "num_experts": 4, "num_local_experts": 4, "num_labels": 3, "encoder_seq_length": 16,
    "q_lora_rank": 16, "kv_lora_rank": 8, "qk_rope_head_dim": 8, "qk_nope_head_dim": 8, "v_head_dim": 8,
}


def small_config(model_class, numbers):
    config_class = model_class.config_class
    known = set(inspect.signature(config_class.__init__).parameters) - {"self", "kwargs"}
    values = {name: value for name, value in SMALL.items() if name in known}
    plain = config_class()
    # A list stays what it is: its length is that of others.
    values = {name: value for name, value in values.items() if not isinstance(getattr(plain, name, None), (list, tuple))}
    values |= numbers
    config = config_class(**values)
    for part in ("text_config", "vision_config"):
        inner = getattr(config, part, None)
        if inner is not None and not isinstance(inner, dict):
            names = set(inspect.signature(type(inner).__init__).parameters)
            setattr(config, part, type(inner)(**{name: value for name, value in SMALL.items() if name in names}))
    return config


def text_inputs(length, vocabulary=100):
    def make(number):
        batch, tokens = 1 + number, length + 5 * number
        mask = torch.ones(batch, tokens, dtype=torch.int64)
        mask[-1, tokens - 3 * number:] = 0
        return [torch.randint(3, vocabulary, (batch, tokens)), mask]
    return make


def build_transformers(entry, folder):
    """options: inputs=text|ids|seq2seq|image|audio|features|clip, and what the configuration takes."""
    import transformers
    torch.manual_seed(SEED)
    model_class = getattr(transformers, entry.what)
    config = small_config(model_class, entry.numbers("image", "step", "open", "nofold", "inputs", "length", "channels", "mels"))
    config.return_dict = False
    config.use_cache = False
    config._attn_implementation = "eager"
    model = randomize(model_class(config))
    length = int(entry.options.get("length", 12))
    kind = entry.options.get("inputs", "text")
    constants = {}
    text = text_inputs(length)
    if kind == "text":
        names, make, dims = ["input_ids", "attention_mask"], text, [[0, 1], [0, 1]]
    elif kind == "ids":
        names, make, dims = ["input_ids"], lambda number: text(number)[:1], [[0, 1]]
    elif kind == "seq2seq":
        names, dims = ["input_ids", "attention_mask", "decoder_input_ids"], [[0, 1]] * 3
        make = lambda number: [*text(number), torch.randint(3, 100, (1 + number, 4 + number))]
    elif kind == "image":
        names, (make, dims) = ["pixel_values"], image_maker(entry)
    elif kind == "audio":
        names, dims = ["input_values"], [[0, 1]]
        make = lambda number: [torch.randn(1 + number, int(entry.options.get("length", 1600)) + 480 * number)]
    elif kind == "features":
        names, dims = ["input_features"], [[0, 1]]
        make = lambda number: [torch.randn(1 + number, length + 8 * number, int(entry.options.get("mels", 80)))]
    elif kind == "speech":
        names, dims = ["input_features", "decoder_input_ids"], [[0], [0, 1]]
        make = lambda number: [torch.randn(1 + number, int(entry.options.get("mels", 80)), 64),
                               torch.randint(3, 100, (1 + number, 4 + number))]
    elif kind == "clip":
        names, dims = ["input_ids", "pixel_values", "attention_mask"], [[0, 1], [0], [0, 1]]
        make = lambda number: [(pair := text(number))[0], torch.randn(1 + number, 3, 64, 64), pair[1]]
    elif kind == "series":
        names, dims = ["past_values"], [[0]]
        make = lambda number: [torch.randn(1 + number, length, int(entry.options.get("channels", 1)))]
    else:
        raise ValueError(f"inputs={kind}")
    constants["return_dict"] = False
    export(entry, folder, Call(model, names, **constants), names, make, dims)


def build_diffusers(entry, folder):
    import diffusers
    torch.manual_seed(SEED)
    recipes = importlib.import_module(".diffusers_recipes", __package__)
    model, names, make, dims, constants = getattr(recipes, entry.what)(diffusers)
    if hasattr(model, "set_attn_processor") and "plain" in entry.options:
        from diffusers.models.attention_processor import AttnProcessor
        model.set_attn_processor(AttnProcessor())
    export(entry, folder, Call(randomize(model), names, **constants), names, make, dims)


def build_torch(entry, folder):
    torch.manual_seed(SEED)
    recipes = importlib.import_module(".torch_recipes", __package__)
    model, names, make, dims = getattr(recipes, entry.what)()
    export(entry, folder, Call(randomize(model)), names, make, dims)
