# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""YOLO by ultralytics, from the descriptions of networks that it brings, with the
head in the form of its exporter."""

import torch

from .torch_models import Call, SEED, export, image_maker, randomize

MODELS = {"detect": "DetectionModel", "segment": "SegmentationModel", "pose": "PoseModel", "classify": "ClassificationModel",
          "obb": "OBBModel", "rtdetr": "RTDETRDetectionModel"}


def build_ultralytics(entry, folder):
    """WHAT is TASK.DESCRIPTION."""
    from ultralytics.nn import tasks
    from ultralytics.utils import LOGGER
    LOGGER.setLevel("ERROR")
    torch.manual_seed(SEED)
    task, _, name = entry.what.partition(".")
    model = getattr(tasks, MODELS[task])(f"{name}.yaml", ch=3, verbose=False, **({} if task == "pose" else {"nc": 5}))
    model = randomize(model)
    if "fused" in entry.options:
        model.fuse()
    for part in model.modules():
        if hasattr(part, "export"):
            part.export, part.format, part.dynamic = True, "onnx", entry.sizes == "open"
    make, dims = image_maker(entry)
    export(entry, folder, Call(model), ["images"], make, dims)
