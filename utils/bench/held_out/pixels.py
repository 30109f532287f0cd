# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models whose result has a value for each pixel: segmentation, resolution, diffusion."""

import torch
import torchvision
from torch import nn

from .plan import OPEN_IMAGE, Plan, picture, pictures


class LinkNet(nn.Module):
    """An encoder whose stages are added to those of a decoder of transposed convolutions."""

    def __init__(self, classes=5):
        super().__init__()
        net = torchvision.models.resnet18(weights=None)
        self.stem = nn.Sequential(net.conv1, net.bn1, net.relu, net.maxpool)
        self.down = nn.ModuleList([net.layer1, net.layer2, net.layer3, net.layer4])
        self.up = nn.ModuleList([self.decoder(512, 256), self.decoder(256, 128), self.decoder(128, 64), self.decoder(64, 64, 1)])
        self.last = nn.Sequential(nn.ConvTranspose2d(64, 32, 3, 2, 1, 1), nn.ReLU(), nn.Conv2d(32, 32, 3, padding=1), nn.ReLU(),
                                  nn.ConvTranspose2d(32, classes, 2, 2))

    @staticmethod
    def decoder(inputs, outputs, stride=2):
        width = inputs // 4
        middle = (nn.ConvTranspose2d(width, width, 3, 2, 1, 1, bias=False) if stride == 2
                  else nn.Conv2d(width, width, 3, padding=1, bias=False))
        return nn.Sequential(nn.Conv2d(inputs, width, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(), middle, nn.BatchNorm2d(width),
                             nn.ReLU(), nn.Conv2d(width, outputs, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU())

    def forward(self, image):
        kept = [self.stem(image)]
        for stage in self.down:
            kept.append(stage(kept[-1]))
        x = kept.pop()
        for stage, skip in zip(self.up, (kept[3], kept[2], kept[1], kept[0])):
            x = stage(x) + skip
        return self.last(x)


def linknet(size=256):
    return Plan(LinkNet(), pictures(size), OPEN_IMAGE)


class OnlyOut(nn.Module):
    """A model of torchvision whose result is a dictionary."""

    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, image):
        return self.module(image)["out"]


def deeplab(size=256):
    module = torchvision.models.segmentation.deeplabv3_mobilenet_v3_large(weights=None, weights_backbone=None)
    return Plan(OnlyOut(module), pictures(size), OPEN_IMAGE)


class Edsr(nn.Module):
    class Block(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.body = nn.Sequential(nn.Conv2d(width, width, 3, padding=1), nn.ReLU(), nn.Conv2d(width, width, 3, padding=1))

        def forward(self, x):
            return x + 0.1 * self.body(x)

    def __init__(self, width=64, blocks=16):
        super().__init__()
        self.first = nn.Conv2d(3, width, 3, padding=1)
        self.body = nn.Sequential(*[self.Block(width) for _ in range(blocks)], nn.Conv2d(width, width, 3, padding=1))
        self.last = nn.Sequential(nn.Conv2d(width, 4 * width, 3, padding=1), nn.PixelShuffle(2), nn.Conv2d(width, 3, 3, padding=1))

    def forward(self, image):
        x = self.first(image)
        return self.last(x + self.body(x))


def edsr(size=96):
    return Plan(Edsr(), pictures(size), OPEN_IMAGE)


class Dense(nn.Module):
    """Five convolutions, each of which reads what all before it gave."""

    def __init__(self, width, grow):
        super().__init__()
        self.convs = nn.ModuleList(nn.Conv2d(width + i * grow, grow if i < 4 else width, 3, padding=1) for i in range(5))
        self.act = nn.LeakyReLU(0.2)

    def forward(self, x):
        parts = [x]
        for conv in self.convs[:-1]:
            parts.append(self.act(conv(torch.cat(parts, 1))))
        return x + 0.2 * self.convs[-1](torch.cat(parts, 1))


class Esrgan(nn.Module):
    def __init__(self, width=32, grow=16, blocks=4):
        super().__init__()
        self.first, self.body = nn.Conv2d(3, width, 3, padding=1), nn.ModuleList(
            nn.Sequential(*[Dense(width, grow) for _ in range(3)]) for _ in range(blocks))
        self.after = nn.Conv2d(width, width, 3, padding=1)
        self.ups = nn.ModuleList(nn.Conv2d(width, width, 3, padding=1) for _ in range(2))
        self.last = nn.Sequential(nn.Conv2d(width, width, 3, padding=1), nn.LeakyReLU(0.2), nn.Conv2d(width, 3, 3, padding=1))
        self.act = nn.LeakyReLU(0.2)

    def forward(self, image):
        x = first = self.first(image)
        for block in self.body:
            x = x + 0.2 * block(x)
        x = first + self.after(x)
        for up in self.ups:
            x = self.act(up(nn.functional.interpolate(x, scale_factor=2.0, mode="nearest")))
        return self.last(x)


def esrgan(size=64):
    return Plan(Esrgan(), pictures(size), OPEN_IMAGE)


class Residual(nn.Module):
    def __init__(self, inputs, outputs, time):
        super().__init__()
        self.first = nn.Sequential(nn.GroupNorm(8, inputs), nn.SiLU(), nn.Conv2d(inputs, outputs, 3, padding=1))
        self.time = nn.Sequential(nn.SiLU(), nn.Linear(time, outputs))
        self.second = nn.Sequential(nn.GroupNorm(8, outputs), nn.SiLU(), nn.Conv2d(outputs, outputs, 3, padding=1))
        self.skip = nn.Conv2d(inputs, outputs, 1) if inputs != outputs else nn.Identity()

    def forward(self, x, time):
        return self.skip(x) + self.second(self.first(x) + self.time(time)[:, :, None, None])


class SelfAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm, self.heads = nn.GroupNorm(8, width), heads
        self.qkv, self.out = nn.Conv2d(width, 3 * width, 1), nn.Conv2d(width, width, 1)

    def forward(self, x):
        batch, width, height, columns = x.shape
        q, k, v = self.qkv(self.norm(x)).reshape(batch, 3, self.heads, width // self.heads, height * columns).unbind(1)
        weights = (q.transpose(2, 3) @ k * (width // self.heads) ** -0.5).softmax(-1)
        return x + self.out((v @ weights.transpose(2, 3)).reshape(batch, width, height, columns))


class DiffusionUnet(nn.Module):
    """Predicts noise: an image and a time step."""

    def __init__(self, channels=4, width=64):
        super().__init__()
        self.time = nn.Sequential(nn.Linear(width, 256), nn.SiLU(), nn.Linear(256, 256))
        self.register_buffer("waves", torch.exp(torch.arange(width // 2) * -(9.21 / (width // 2))))
        self.first = nn.Conv2d(channels, width, 3, padding=1)
        self.down1, self.shrink1 = Residual(width, width, 256), nn.Conv2d(width, width, 3, 2, 1)
        self.down2, self.shrink2 = Residual(width, 2 * width, 256), nn.Conv2d(2 * width, 2 * width, 3, 2, 1)
        self.middle1, self.attention, self.middle2 = (Residual(2 * width, 4 * width, 256), SelfAttention(4 * width, 4),
                                                      Residual(4 * width, 4 * width, 256))
        self.grow2, self.up2 = nn.Conv2d(4 * width, 2 * width, 3, padding=1), Residual(4 * width, 2 * width, 256)
        self.grow1, self.up1 = nn.Conv2d(2 * width, width, 3, padding=1), Residual(2 * width, width, 256)
        self.last = nn.Sequential(nn.GroupNorm(8, width), nn.SiLU(), nn.Conv2d(width, channels, 3, padding=1))
        self.enlarge = nn.Upsample(scale_factor=2, mode="nearest")

    def forward(self, image, step):
        angles = step[:, None] * self.waves
        time = self.time(torch.cat([angles.sin(), angles.cos()], 1))
        a = self.down1(self.first(image), time)
        b = self.down2(self.shrink1(a), time)
        x = self.middle2(self.attention(self.middle1(self.shrink2(b), time)), time)
        x = self.up2(torch.cat([self.grow2(self.enlarge(x)), b], 1), time)
        return self.last(self.up1(torch.cat([self.grow1(self.enlarge(x)), a], 1), time))


def diffusion_unet(size=64):
    return Plan(DiffusionUnet(), lambda number: {"image": picture(size, channels=4), "step": torch.tensor([500.0 - 7 * number])},
                {**OPEN_IMAGE, "step": {0: "batch"}})


def fcn(size=192):
    return Plan(OnlyOut(torchvision.models.segmentation.fcn_resnet50(weights=None, weights_backbone=None)), pictures(size), OPEN_IMAGE)


def lraspp(size=320):
    return Plan(OnlyOut(torchvision.models.segmentation.lraspp_mobilenet_v3_large(weights=None, weights_backbone=None)), pictures(size), OPEN_IMAGE)
