# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Classifiers of torchvision and timm."""

from .plan import OPEN_IMAGE, Plan, pictures


def classifier(model, size=224, batch_only=False, **options):
    library, name = model.split(".")
    if library == "timm":
        import timm
        module = timm.create_model(name, pretrained=False, exportable=True, **options)
    else:
        import torchvision
        module = torchvision.models.get_model(name, weights=None, **options)
    return Plan(module, pictures(size), {"image": {0: "batch"}} if batch_only else OPEN_IMAGE)


def video(frames=8, size=112):
    import torch
    import torchvision
    module = torchvision.models.get_model("r3d_18", weights=None)
    return Plan(module, lambda number: {"video": torch.randn(1, 3, frames, size, size)},
                {"video": {0: "batch"}})
