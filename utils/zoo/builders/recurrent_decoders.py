# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decoders whose states are those of convolutions and recurrences, alone or beside a
cache of keys and values: one token of each, by torch's TorchScript exporter. In their
code a step that has states is another branch than a prompt."""

import torch


def list_kinds(config):
    """What each layer is: 'attention', or 'mamba'."""
    count = config.num_hidden_layers
    return list(getattr(config, "layers_block_type", None) or ["mamba"] * count)


class RecurrentStep(torch.nn.Module):
    """`names` are "conv.0", "ssm.0", "key.1", "value.1": what a layer has, and its number."""

    def __init__(self, model, cache_class, names):
        super().__init__()
        self.model, self.cache_class, self.names = model, cache_class, names
        self.is_hybrid = any(name.startswith("key.") for name in names)

    def forward(self, input_ids, *tensors):
        lists = {"conv": "conv_states", "ssm": "ssm_states", "key": "key_cache", "value": "value_cache"}
        if self.is_hybrid:
            attention_mask, *tensors = tensors
            cache = self.cache_class(self.model.config, input_ids.shape[0], dtype=torch.float32)
            cache.has_previous_state = True
        else:
            cache_position, *tensors = tensors
            cache = self.cache_class(self.model.config, input_ids.shape[0], dtype=torch.float32)
        held = {kind: list(getattr(cache, name)) for kind, name in lists.items() if hasattr(cache, name)}
        for name, tensor in zip(self.names, tensors):
            kind, layer = name.split(".")
            held[kind][int(layer)] = tensor.clone()
        for kind, values in held.items():
            # Mamba 2 has them all in one tensor.
            stacks = isinstance(getattr(cache, lists[kind]), torch.Tensor)
            setattr(cache, lists[kind], torch.stack(values) if stacks else values)
        if self.is_hybrid:
            # Where the token stands; more than zero, which chooses the branch of a step.
            position = torch.tensor([5])
            out = self.model(input_ids=input_ids, attention_mask=attention_mask, past_key_values=cache, cache_position=position,
                             position_ids=attention_mask.sum(1, keepdim=True) - 1, use_cache=True, return_dict=True)
        else:
            out = self.model(input_ids=input_ids, cache_params=cache, cache_position=cache_position, use_cache=True, return_dict=True)
        return (out.logits, *[getattr(cache, lists[kind])[int(layer)] for kind, layer in (name.split(".") for name in self.names)])


def build(entry, folder, model, cache_class, write):
    config, batch, past = model.config, 2, 4
    names = [f"{kind}.{i}" for i, layer in enumerate(list_kinds(config)) for kind in (("key", "value") if layer == "attention" else ("conv", "ssm"))]
    empty = cache_class(config, batch, dtype=torch.float32)
    heads = getattr(config, "num_key_value_heads", 1)
    size = config.hidden_size // getattr(config, "num_attention_heads", 1)
    states = []
    for name in names:
        kind, layer = name.split(".")
        shape = (batch, heads, past, size) if kind in ("key", "value") else getattr(empty, f"{kind}_states")[int(layer)].shape
        states.append(torch.randn(*shape))
    step = RecurrentStep(model, cache_class, names)
    inputs, outputs = ([f"{word}.{name}" for name in names] for word in ("past", "present"))
    given = {"attention_mask": torch.ones(batch, past + 1, dtype=torch.int64)} if step.is_hybrid else {"cache_position": torch.tensor([5])}
    axes = {name: {0: "batch"} for name in ["input_ids", "logits", *inputs, *outputs]}
    axes |= {name: {0: "batch", 2: axis} for words, axis in ((inputs, "past"), (outputs, "total")) for name in words if "key." in name or "value." in name}
    if step.is_hybrid:
        axes["attention_mask"] = {0: "batch", 1: "total"}
    with torch.no_grad():
        torch.onnx.export(step, (torch.randint(3, 100, (batch, 1)), *given.values(), *states), str(folder / "model.onnx"), dynamo=False,
                          opset_version=entry.opset, input_names=["input_ids", *given, *inputs], output_names=["logits", *outputs], dynamic_axes=axes)
    write(folder, dict(zip(outputs, inputs)), tokens=1)
