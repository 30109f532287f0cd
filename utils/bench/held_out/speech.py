# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""More models of sound: who speaks, what is played, codecs, separation in time."""

import torch
from torch import nn

from .audio import FirstResult
from .plan import Plan


class Res2(nn.Module):
    """Parts of the channels, each filtered together with what the part before gave."""

    def __init__(self, width, dilation, parts=8):
        super().__init__()
        self.parts, narrow = parts, width // parts
        self.convs = nn.ModuleList(nn.Conv1d(narrow, narrow, 3, padding=dilation, dilation=dilation) for _ in range(parts - 1))
        self.norms = nn.ModuleList(nn.BatchNorm1d(narrow) for _ in range(parts - 1))

    def forward(self, x):
        pieces = list(x.chunk(self.parts, 1))
        kept, last = [pieces[0]], None
        for piece, conv, norm in zip(pieces[1:], self.convs, self.norms):
            last = norm(torch.relu(conv(piece if last is None else piece + last)))
            kept.append(last)
        return torch.cat(kept, 1)


class SpeakerBlock(nn.Module):
    def __init__(self, width, dilation):
        super().__init__()
        point = lambda: nn.Sequential(nn.Conv1d(width, width, 1), nn.ReLU(), nn.BatchNorm1d(width))
        self.first, self.middle, self.last = point(), Res2(width, dilation), point()
        self.squeeze = nn.Sequential(nn.Conv1d(width, 128, 1), nn.ReLU(), nn.Conv1d(128, width, 1), nn.Sigmoid())

    def forward(self, x):
        y = self.last(self.middle(self.first(x)))
        return x + y * self.squeeze(y.mean(2, keepdim=True))


class Speaker(nn.Module):
    """ECAPA-TDNN: a vector for the voice of who speaks."""

    def __init__(self, mels=80, width=512, size=192):
        super().__init__()
        self.first = nn.Sequential(nn.Conv1d(mels, width, 5, padding=2), nn.ReLU(), nn.BatchNorm1d(width))
        self.blocks = nn.ModuleList(SpeakerBlock(width, dilation) for dilation in (2, 3, 4))
        self.join = nn.Conv1d(3 * width, 1536, 1)
        self.attend = nn.Sequential(nn.Conv1d(3 * 1536, 128, 1), nn.ReLU(), nn.Tanh(), nn.Conv1d(128, 1536, 1), nn.Softmax(2))
        self.norm, self.out = nn.BatchNorm1d(3072), nn.Linear(3072, size)

    def forward(self, features):
        x, kept = self.first(features), []
        for block in self.blocks:
            x = block(x)
            kept.append(x)
        x = torch.relu(self.join(torch.cat(kept, 1)))
        mean, deviation = x.mean(2, keepdim=True), (x.var(2, keepdim=True) + 1e-5).sqrt()
        weights = self.attend(torch.cat([x, mean.expand_as(x), deviation.expand_as(x)], 1))
        mean = (weights * x).sum(2)
        deviation = ((weights * x * x).sum(2) - mean * mean).clamp(min=1e-5).sqrt()
        return self.out(self.norm(torch.cat([mean, deviation], 1)))


def speaker(length=200):
    return Plan(Speaker(), lambda number: {"features": torch.randn(1, 80, length)}, {"features": {0: "batch", 2: "length"}})


class Wavenet(nn.Module):
    """Gates of tanh and sigmoid over dilated pairs of samples."""

    def __init__(self, width=64, layers=16):
        super().__init__()
        self.first = nn.Conv1d(1, width, 1)
        self.gates = nn.ModuleList(nn.Conv1d(width, 2 * width, 2, dilation=1 << i % 8) for i in range(layers))
        self.after = nn.ModuleList(nn.Conv1d(width, 2 * width, 1) for _ in range(layers))
        self.out = nn.Sequential(nn.ReLU(), nn.Conv1d(width, width, 1), nn.ReLU(), nn.Conv1d(width, 64, 1))

    def forward(self, wave):
        x, total = self.first(wave), 0
        for gate, after in zip(self.gates, self.after):
            a, b = gate(nn.functional.pad(x, (gate.dilation[0], 0))).chunk(2, 1)
            residual, skip = after(a.tanh() * b.sigmoid()).chunk(2, 1)
            x, total = x + residual, total + skip
        return self.out(total)


def wavenet(length=4000):
    return Plan(Wavenet(), lambda number: {"wave": torch.randn(1, 1, length)}, {"wave": {0: "batch", 2: "length"}})


class Demucs(nn.Module):
    """Strided convolutions with gated units, an LSTM, and transposed convolutions."""

    def __init__(self, width=32, depth=4):
        super().__init__()
        self.encoders, self.decoders, inputs = nn.ModuleList(), nn.ModuleList(), 1
        for i in range(depth):
            self.encoders.append(nn.Sequential(nn.Conv1d(inputs, width, 8, 4, 2), nn.ReLU(), nn.Conv1d(width, 2 * width, 1), nn.GLU(1)))
            self.decoders.insert(0, nn.Sequential(nn.Conv1d(width, 2 * width, 1), nn.GLU(1), nn.ConvTranspose1d(width, inputs, 8, 4, 2),
                                                  *([nn.ReLU()] if i else [])))
            inputs, width = width, 2 * width
        self.lstm = nn.LSTM(inputs, inputs, 1, bidirectional=True, batch_first=True)
        self.narrow = nn.Linear(2 * inputs, inputs)

    def forward(self, wave):
        kept, x = [], wave
        for encoder in self.encoders:
            x = encoder(x)
            kept.append(x)
        x = self.narrow(self.lstm(x.transpose(1, 2))[0]).transpose(1, 2)
        for decoder in self.decoders:
            x = decoder(x + kept.pop())
        return x


def demucs(length=16384):
    return Plan(Demucs(), lambda number: {"wave": torch.randn(1, 1, length)}, {"wave": {0: "batch"}})


class Codec(nn.Module):
    """A decoder as EnCodec's: residual convolutions with ELU between transposed ones."""

    class Block(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.body = nn.Sequential(nn.ELU(), nn.Conv1d(width, width // 2, 3, padding=1), nn.ELU(), nn.Conv1d(width // 2, width, 1))

        def forward(self, x):
            return x + self.body(x)

    def __init__(self, width=256, size=128):
        super().__init__()
        layers = [nn.Conv1d(size, width, 7, padding=3)]
        for factor in (8, 5, 4, 2):
            layers += [nn.ELU(), nn.ConvTranspose1d(width, width // 2, 2 * factor, factor, (factor + 1) // 2, factor % 2), self.Block(width // 2)]
            width //= 2
        self.body = nn.Sequential(*layers, nn.ELU(), nn.Conv1d(width, 1, 7, padding=3))

    def forward(self, codes):
        return self.body(codes)


def codec(length=50):
    return Plan(Codec(), lambda number: {"codes": torch.randn(1, 128, length)}, {"codes": {0: "batch", 2: "length"}})


def conformer(length=16000):
    import transformers
    config = transformers.Wav2Vec2ConformerConfig(vocab_size=32, hidden_size=256, num_hidden_layers=6, num_attention_heads=4, intermediate_size=1024,
                                                  position_embeddings_type="rotary", attn_implementation="eager")
    return Plan(FirstResult(transformers.Wav2Vec2ConformerForCTC(config)), lambda number: {"x": torch.randn(1, length)},
                {"x": {0: "batch", 1: "length"}})


def spectrogram_transformer():
    import transformers
    config = transformers.ASTConfig(hidden_size=384, num_hidden_layers=6, num_attention_heads=6, intermediate_size=1536, max_length=512,
                                    attn_implementation="eager", num_labels=50)
    return Plan(FirstResult(transformers.ASTForAudioClassification(config)), lambda number: {"x": torch.randn(1, 512, 128)},
                {"x": {0: "batch"}})


class KeywordSpotter(nn.Module):
    """Depthwise pairs over a small spectrogram, as DS-CNN's."""

    def __init__(self, width=64, words=12):
        super().__init__()
        def pair():
            return [nn.Conv2d(width, width, 3, padding=1, groups=width, bias=False), nn.BatchNorm2d(width), nn.ReLU(),
                    nn.Conv2d(width, width, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU()]
        self.body = nn.Sequential(nn.Conv2d(1, width, (10, 4), (2, 2), (5, 1), bias=False), nn.BatchNorm2d(width), nn.ReLU(),
                                  *pair(), *pair(), *pair(), *pair(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, words))

    def forward(self, features):
        return self.body(features)


def keyword_spotter():
    return Plan(KeywordSpotter(), lambda number: {"features": torch.randn(1, 1, 49, 10)}, {"features": {0: "batch"}})


def separable(inputs, outputs, taps):
    """A depthwise convolution over time and one of single steps (QuartzNet)."""
    return nn.Sequential(nn.Conv1d(inputs, inputs, taps, padding=taps // 2, groups=inputs, bias=False),
                         nn.Conv1d(inputs, outputs, 1, bias=False), nn.BatchNorm1d(outputs))


class QuartzBlock(nn.Module):
    def __init__(self, inputs, outputs, taps, count=5):
        super().__init__()
        self.steps = nn.ModuleList(separable(inputs if i == 0 else outputs, outputs, taps) for i in range(count))
        self.short = nn.Sequential(nn.Conv1d(inputs, outputs, 1, bias=False), nn.BatchNorm1d(outputs))

    def forward(self, x):
        short = self.short(x)
        for step in self.steps[:-1]:
            x = torch.relu(step(x))
        return torch.relu(self.steps[-1](x) + short)


def quartznet(mels=64, steps=300, letters=29):
    first = nn.Sequential(nn.Conv1d(mels, mels, 33, 2, 16, groups=mels, bias=False), nn.Conv1d(mels, 256, 1, bias=False), nn.BatchNorm1d(256), nn.ReLU())
    blocks = [QuartzBlock(256, 256, 33), QuartzBlock(256, 256, 39), QuartzBlock(256, 512, 51), QuartzBlock(512, 512, 63), QuartzBlock(512, 512, 75)]
    module = nn.Sequential(first, *blocks, separable(512, 512, 87), nn.ReLU(), nn.Conv1d(512, 1024, 1), nn.ReLU(), nn.Conv1d(1024, letters, 1),
                           nn.LogSoftmax(1))
    return Plan(module, lambda number: {"features": torch.randn(1, mels, steps)}, {"features": {0: "batch", 2: "steps"}})


class DeepSpeech(nn.Module):
    def __init__(self, width=256, layers=3, letters=29):
        super().__init__()
        self.convs = nn.Sequential(nn.Conv2d(1, 32, (41, 11), (2, 2), (20, 5), bias=False), nn.BatchNorm2d(32), nn.Hardtanh(0, 20),
                                   nn.Conv2d(32, 32, (21, 11), (2, 1), (10, 5), bias=False), nn.BatchNorm2d(32), nn.Hardtanh(0, 20))
        self.body = nn.GRU(32 * 41, width, layers, bidirectional=True)
        self.out = nn.Linear(2 * width, letters)

    def forward(self, spectrum):
        x = self.convs(spectrum).flatten(1, 2).permute(2, 0, 1)
        return self.out(self.body(x)[0]).log_softmax(2)


def deep_speech(steps=160):
    return Plan(DeepSpeech(), lambda number: {"spectrum": torch.randn(1, 1, 161, steps)}, {"spectrum": {0: "batch", 3: "steps"}})


class Denoiser(nn.Module):
    """Dense layers and GRUs whose result weighs the bands of a spectrum (as RNNoise and DTLN do)."""

    def __init__(self, bands=257, width=256):
        super().__init__()
        self.first, self.body = nn.Linear(bands, width), nn.GRU(width, width, 2, batch_first=True)
        self.out = nn.Linear(width, bands)

    def forward(self, spectrum):
        x = torch.tanh(self.first(torch.log(spectrum.abs() + 1e-3)))
        return spectrum * torch.sigmoid(self.out(self.body(x)[0]))


def denoiser(steps=100):
    return Plan(Denoiser(), lambda number: {"spectrum": torch.randn(1, steps, 257)}, {"spectrum": {0: "batch", 1: "steps"}})


class SpeechBlock(nn.Module):
    """Attention and two convolutions over time, each with its norm behind (FastSpeech)."""

    def __init__(self, width, heads=2, inner=1024):
        super().__init__()
        self.attend, self.norms = nn.MultiheadAttention(width, heads, batch_first=True), nn.ModuleList(nn.LayerNorm(width) for _ in range(2))
        self.wide, self.narrow = nn.Conv1d(width, inner, 9, padding=4), nn.Conv1d(inner, width, 1)

    def forward(self, x):
        x = self.norms[0](x + self.attend(x, x, x, need_weights=False)[0])
        return self.norms[1](x + self.narrow(torch.relu(self.wide(x.transpose(1, 2)))).transpose(1, 2))


class FastSpeech(nn.Module):
    """Each letter lasts for as many frames as are given; the last network makes mel bands of them."""

    def __init__(self, letters=80, width=256, mels=80):
        super().__init__()
        self.embed = nn.Embedding(letters, width)
        self.encode, self.decode = (nn.Sequential(*(SpeechBlock(width) for _ in range(4))) for _ in range(2))
        self.out = nn.Linear(width, mels)

    def forward(self, letters, places):
        return self.out(self.decode(self.encode(self.embed(letters))[:, places]))


def fast_speech(length=48, frames=240):
    return Plan(FastSpeech(), lambda number: {"letters": torch.randint(0, 80, (1, length)),
                                              "places": torch.randint(0, length, (frames,)).sort()[0]},
                {"letters": {0: "batch", 1: "length"}, "places": {0: "frames"}})
