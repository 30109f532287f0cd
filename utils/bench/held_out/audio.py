# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of sound: speech to letters, features, voices, speakers."""

import torch
from torch import nn

from .plan import Plan


def wav2letter(length=400, mels=40):
    """Convolutions over time alone, with windows of up to 48."""
    def layer(inputs, outputs, taps, stride=1):
        return [nn.Conv1d(inputs, outputs, taps, stride, taps // 2), nn.ReLU()]
    layers = layer(mels, 250, 48, 2)
    for _ in range(7):
        layers += layer(250, 250, 7)
    layers += layer(250, 512, 32) + layer(512, 512, 1) + [nn.Conv1d(512, 29, 1), nn.LogSoftmax(1)]
    return Plan(nn.Sequential(*layers), lambda number: {"input": torch.randn(1, mels, length)}, {"input": {0: "batch", 2: "length"}})


class FirstResult(nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, x):
        return self.module(x, return_dict=False)[0]


def wav2vec2(length=16000):
    import transformers
    config = transformers.Wav2Vec2Config(hidden_size=384, num_hidden_layers=6, num_attention_heads=6, intermediate_size=1536,
                                         attn_implementation="eager")
    module = transformers.Wav2Vec2ForCTC(config)
    return Plan(FirstResult(module), lambda number: {"x": torch.randn(1, length)}, {"x": {0: "batch", 1: "length"}})


def whisper_encoder():
    import transformers
    config = transformers.WhisperConfig(d_model=384, encoder_layers=4, encoder_attention_heads=6, encoder_ffn_dim=1536,
                                        decoder_layers=1, decoder_attention_heads=6, decoder_ffn_dim=384, attn_implementation="eager")
    module = transformers.WhisperModel(config).get_encoder()
    return Plan(FirstResult(module), lambda number: {"x": torch.randn(1, 80, 3000)}, {"x": {0: "batch"}})


class HifiGan(nn.Module):
    """Transposed convolutions, each followed by the mean of residual blocks of three widths."""

    class Block(nn.Module):
        def __init__(self, width, taps):
            super().__init__()
            self.dilated = nn.ModuleList(nn.Conv1d(width, width, taps, padding=d * (taps - 1) // 2, dilation=d) for d in (1, 3, 5))
            self.plain = nn.ModuleList(nn.Conv1d(width, width, taps, padding=(taps - 1) // 2) for _ in range(3))

        def forward(self, x):
            for first, second in zip(self.dilated, self.plain):
                x = x + second(nn.functional.leaky_relu(first(nn.functional.leaky_relu(x, 0.1)), 0.1))
            return x

    def __init__(self, mels=80, width=128):
        super().__init__()
        self.first = nn.Conv1d(mels, width, 7, padding=3)
        self.ups, self.blocks = nn.ModuleList(), nn.ModuleList()
        for factor in (8, 8, 2, 2):
            self.ups.append(nn.ConvTranspose1d(width, width // 2, 2 * factor, factor, factor // 2))
            width //= 2
            self.blocks.append(nn.ModuleList(self.Block(width, taps) for taps in (3, 7, 11)))
        self.last = nn.Conv1d(width, 1, 7, padding=3)

    def forward(self, mel):
        x = self.first(mel)
        for up, blocks in zip(self.ups, self.blocks):
            x = up(nn.functional.leaky_relu(x, 0.1))
            x = sum(block(x) for block in blocks) / 3
        return torch.tanh(self.last(nn.functional.leaky_relu(x)))


def hifi_gan(length=40):
    return Plan(HifiGan(), lambda number: {"mel": torch.randn(1, 80, length)}, {"mel": {0: "batch", 2: "length"}})


class Separator(nn.Module):
    """Conv-TasNet: masks, made by dilated depthwise convolutions, over a learned spectrum."""

    class Block(nn.Module):
        def __init__(self, width, hidden, dilation):
            super().__init__()
            self.body = nn.Sequential(nn.Conv1d(width, hidden, 1), nn.PReLU(), nn.GroupNorm(1, hidden),
                                      nn.Conv1d(hidden, hidden, 3, padding=dilation, dilation=dilation, groups=hidden),
                                      nn.PReLU(), nn.GroupNorm(1, hidden))
            self.residual, self.skip = nn.Conv1d(hidden, width, 1), nn.Conv1d(hidden, width, 1)

        def forward(self, x):
            hidden = self.body(x)
            return x + self.residual(hidden), self.skip(hidden)

    def __init__(self, filters=256, width=128, hidden=256, speakers=2):
        super().__init__()
        self.encoder, self.decoder = nn.Conv1d(1, filters, 16, 8, bias=False), nn.ConvTranspose1d(filters, 1, 16, 8, bias=False)
        self.narrow = nn.Sequential(nn.GroupNorm(1, filters), nn.Conv1d(filters, width, 1))
        self.blocks = nn.ModuleList(self.Block(width, hidden, 2 ** i) for _ in range(2) for i in range(7))
        self.masks = nn.Sequential(nn.PReLU(), nn.Conv1d(width, speakers * filters, 1), nn.Sigmoid())
        self.speakers, self.filters = speakers, filters

    def forward(self, wave):
        coded = self.encoder(wave).relu()
        x, total = self.narrow(coded), 0
        for block in self.blocks:
            x, skip = block(x)
            total = total + skip
        masks = self.masks(total).unflatten(1, (self.speakers, self.filters))
        parts = (masks * coded[:, None]).flatten(0, 1)
        return self.decoder(parts).unflatten(0, (-1, self.speakers))


def conv_tasnet(length=8000):
    return Plan(Separator(), lambda number: {"wave": torch.randn(1, 1, length)}, {"wave": {0: "batch", 2: "length"}})


class CausalBlock(nn.Module):
    def __init__(self, inputs, outputs, dilation):
        super().__init__()
        self.pad = (4 * dilation, 0)
        self.first, self.second = nn.Conv1d(inputs, outputs, 5, dilation=dilation), nn.Conv1d(outputs, outputs, 5, dilation=dilation)
        self.skip = nn.Conv1d(inputs, outputs, 1) if inputs != outputs else nn.Identity()

    def forward(self, x):
        y = torch.relu(self.first(nn.functional.pad(x, self.pad)))
        return torch.relu(self.skip(x) + torch.relu(self.second(nn.functional.pad(y, self.pad))))


def tcn(length=512):
    widths = [16, 64, 64, 96, 96, 128]
    blocks = [CausalBlock(widths[i], widths[i + 1], 2 ** i) for i in range(5)]
    return Plan(nn.Sequential(*blocks, nn.Conv1d(128, 10, 1)), lambda number: {"input": torch.randn(1, 16, length)},
                {"input": {0: "batch", 2: "length"}})


class GruSpeech(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv1d(80, 128, 5, 2, 2), nn.BatchNorm1d(128), nn.ReLU())
        self.gru, self.out = nn.GRU(128, 192, 3, batch_first=True, bidirectional=True), nn.Linear(384, 40)

    def forward(self, features):
        return self.out(self.gru(self.conv(features).transpose(1, 2))[0]).log_softmax(2)


def gru_speech(length=200):
    return Plan(GruSpeech(), lambda number: {"features": torch.randn(1, 80, length)}, {"features": {0: "batch", 2: "length"}})
