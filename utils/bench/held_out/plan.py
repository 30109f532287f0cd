# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the builders of all families give, and the inputs that they share."""

import torch


class Plan:
    """A module and its inputs: draw(n) gives other ones for each n, by name, in the
    order of the module's parameters. `open` has names of the dims that may be open."""

    def __init__(self, module, draw, open=None):
        self.module, self.draw, self.open = module, draw, open or {}


def picture(height, width=None, channels=3):
    """Numbers that are smooth as photographs are, with some noise."""
    width = width or height
    coarse = torch.randn(1, channels, max(height // 24, 2), max(width // 24, 2))
    smooth = torch.nn.functional.interpolate(coarse, (height, width), mode="bicubic", align_corners=False)
    return smooth + 0.2 * torch.randn(1, channels, height, width)


def pictures(height, width=None, channels=3, name="image"):
    """draw() of a model with one image."""
    return lambda number: {name: picture(height, width, channels)}


OPEN_IMAGE = {"image": {0: "batch", 2: "height", 3: "width"}}
