# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""More transformers: encoders of text and of images, first runs of decoders, steps of translators, series."""

import torch
from torch import nn

from .plan import Plan, pictures
from .text import TEXT, VOCABULARY, Encoder, Prefill, draw_text

SMALL = {"vocab_size": VOCABULARY, "hidden_size": 384, "num_hidden_layers": 6, "num_attention_heads": 6, "intermediate_size": 1536,
         "attn_implementation": "eager"}


def encoder(kind, length=128, **options):
    """An encoder of text: kind is the begin of the names of its configuration and its model."""
    import transformers
    config = getattr(transformers, f"{kind}Config")(**{**SMALL, **options})
    return Plan(Encoder(getattr(transformers, f"{kind}Model")(config)), draw_text(length), TEXT)


def prefill(kind, length=128, **options):
    import transformers
    config = getattr(transformers, f"{kind}Config")(**{**SMALL, **options})
    return Plan(Prefill(getattr(transformers, f"{kind}ForCausalLM")(config)),
                lambda number: {"input_ids": torch.randint(3, VOCABULARY, (1, length))}, {"input_ids": {0: "batch", 1: "length"}})


def bart_encoder(length=128):
    import transformers
    config = transformers.BartConfig(vocab_size=VOCABULARY, d_model=512, encoder_layers=4, decoder_layers=1, encoder_attention_heads=8,
                                     encoder_ffn_dim=2048, attn_implementation="eager")
    return Plan(Encoder(transformers.BartModel(config).get_encoder()), draw_text(length), TEXT)


class OfImage(nn.Module):
    """The first result of a model of transformers that takes an image."""

    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, image):
        return self.module(image, return_dict=False)[0]


def clip_vision(size=224):
    import transformers
    config = transformers.CLIPVisionConfig(hidden_size=384, intermediate_size=1536, num_hidden_layers=6, num_attention_heads=6, patch_size=32,
                                           image_size=size, attn_implementation="eager")
    return Plan(OfImage(transformers.CLIPVisionModel(config)), pictures(size), {"image": {0: "batch"}})


def segformer(size=256):
    import transformers
    config = transformers.SegformerConfig(num_labels=20)
    return Plan(OfImage(transformers.SegformerForSemanticSegmentation(config)), pictures(size), {"image": {0: "batch"}})


def yolos(size=256):
    import transformers
    config = transformers.YolosConfig(hidden_size=192, num_hidden_layers=12, num_attention_heads=3, intermediate_size=768, image_size=[size, size],
                                      num_detection_tokens=100, attn_implementation="eager", use_mid_position_embeddings=False)
    return Plan(OfImage(transformers.YolosForObjectDetection(config)), pictures(size), {"image": {0: "batch"}})


class Translator(nn.Module):
    """An encoder and a decoder of torch's own layers."""

    def __init__(self, width=256, heads=4, layers=3):
        super().__init__()
        self.embed = nn.Embedding(VOCABULARY, width)
        self.body = nn.Transformer(width, heads, layers, layers, 4 * width, batch_first=True)
        self.out = nn.Linear(width, VOCABULARY)

    def forward(self, source, target):
        return self.out(self.body(self.embed(source), self.embed(target))[:, -1])


def translator(length=64, done=16):
    return Plan(Translator(), lambda number: {"source": torch.randint(0, VOCABULARY, (1, length)), "target": torch.randint(0, VOCABULARY, (1, done))},
                {"source": {0: "batch", 1: "length"}, "target": {0: "batch", 1: "done"}})


class Series(nn.Module):
    """PatchTST: each channel's windows of a time series are the tokens of a transformer."""

    def __init__(self, length=336, window=16, stride=8, width=128, ahead=96):
        super().__init__()
        self.window, self.stride, tokens = window, stride, (length - window) // stride + 1
        self.embed, self.place = nn.Linear(window, width), nn.Parameter(0.1 * torch.randn(tokens, width))
        self.body = nn.TransformerEncoder(nn.TransformerEncoderLayer(width, 8, 2 * width, activation="gelu", batch_first=True), 3,
                                          enable_nested_tensor=False)
        self.out = nn.Linear(tokens * width, ahead)

    def forward(self, series):
        mean, deviation = series.mean(1, keepdim=True), (series.var(1, keepdim=True) + 1e-5).sqrt()
        x = ((series - mean) / deviation).transpose(1, 2)
        x = torch.stack([x[..., i * self.stride:i * self.stride + self.window] for i in range(self.place.shape[0])], 2)
        batch, channels = x.shape[:2]
        x = self.body((self.embed(x) + self.place).flatten(0, 1))
        return self.out(x.flatten(1)).unflatten(0, (batch, channels)).transpose(1, 2) * deviation + mean


def series(channels=7):
    return Plan(Series(), lambda number: {"series": torch.randn(1, 336, channels).cumsum(1)}, {"series": {0: "batch"}})


class Points(nn.Module):
    """PointNet: dense layers for each point, and maxima over them."""

    def __init__(self, classes=40):
        super().__init__()
        def layer(inputs, outputs):
            return [nn.Conv1d(inputs, outputs, 1), nn.BatchNorm1d(outputs), nn.ReLU()]
        self.turn = nn.Sequential(*layer(3, 64), *layer(64, 128), *layer(128, 1024))
        self.angles = nn.Sequential(nn.Linear(1024, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 9))
        self.body = nn.Sequential(*layer(3, 64), *layer(64, 128), *layer(128, 1024))
        self.out = nn.Sequential(nn.Linear(1024, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, classes), nn.LogSoftmax(1))

    def forward(self, points):
        turned = self.angles(self.turn(points).max(2)[0]).view(-1, 3, 3) + torch.eye(3)
        x = (points.transpose(1, 2) @ turned).transpose(1, 2)
        return self.out(self.body(x).max(2)[0])


def points(count=1024):
    return Plan(Points(), lambda number: {"points": torch.randn(1, 3, count)}, {"points": {0: "batch"}})


def dino(size=224):
    import transformers
    config = transformers.Dinov2Config(hidden_size=384, num_hidden_layers=6, num_attention_heads=6, image_size=size, patch_size=14,
                                       attn_implementation="eager")
    return Plan(OfImage(transformers.Dinov2Model(config)), pictures(size), {"image": {0: "batch"}})
