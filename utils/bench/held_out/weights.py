# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random weights with which values neither vanish nor grow.

Constructors set scales to one and shifts to zero, and what a chain of layers without
trained statistics gives has any size. One pass in the order of execution changes that:
each convolution or dense layer is scaled so that its results have deviation one
("layer-sequential unit variance"), and each batch normalization keeps the statistics
of what reaches it."""

import torch
from torch import nn
from torch.nn.modules.batchnorm import _BatchNorm

PRODUCTS = (nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.ConvTranspose1d, nn.ConvTranspose2d, nn.Linear)
DRAWS = 4


def fill_constants(module):
    """Gives values to parameters that constructors make equal: a bias of zeros would be
    folded away, and a scale of almost zero (layer scale) would hide its branch."""
    for parameter in module.parameters():
        if parameter.is_floating_point() and parameter.numel() > 1 and parameter.min() == parameter.max():
            parameter.add_(0.1 * torch.randn_like(parameter))


def scale_once(module, inputs, result):
    """A hook: the first results that the layer gives get deviation one."""
    if module.scaled or not isinstance(result, torch.Tensor) or result.numel() < 2:
        return None
    module.scaled = True
    deviation = result.std()
    if not torch.isfinite(deviation) or deviation < 1e-6:
        return None
    module.weight.div_(deviation)
    if module.bias is not None:
        module.bias.div_(deviation)
    return result / deviation


def batch_of(draw, count):
    """`count` draws as one batch, if inputs have a batch of one; else one draw."""
    draws = [draw(number) for number in range(count)]
    if all(tensor.dim() and tensor.shape[0] == 1 for tensor in draws[0].values()):
        return [torch.cat([one[name] for one in draws]) for name in draws[0]]
    return list(draws[0].values())


def settle(plan):
    """Makes the weights of a plan's module sane; it is ready to run afterwards."""
    module, hooks = plan.module.eval(), []
    with torch.no_grad():
        fill_constants(module)
        for part in module.modules():
            if isinstance(part, _BatchNorm) and part.track_running_stats:
                part.reset_running_stats()
                part.momentum = None  # the mean of all batches, here of one
                part.train()
            elif isinstance(part, PRODUCTS) and not hasattr(part, "parametrizations"):
                part.scaled = False
                hooks.append(part.register_forward_hook(scale_once))
        module(*batch_of(plan.draw, DRAWS))
    for hook in hooks:
        hook.remove()
    return module.eval()
