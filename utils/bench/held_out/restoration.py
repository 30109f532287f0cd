# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that make an image of an image: without noise, larger, in another style, or with labels."""

import torch
from torch import nn

from .plan import OPEN_IMAGE, Plan, pictures


def double(inputs, outputs):
    return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(),
                         nn.Conv2d(outputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU())


class Unet(nn.Module):
    """The U-Net of segmentation: pools down, transposed convolutions up, and skips that are joined."""

    def __init__(self, width=32, depth=4, classes=2):
        super().__init__()
        widths = [width << i for i in range(depth + 1)]
        self.down = nn.ModuleList(double(3 if i == 0 else widths[i - 1], widths[i]) for i in range(depth + 1))
        self.grow = nn.ModuleList(nn.ConvTranspose2d(widths[i + 1], widths[i], 2, 2) for i in reversed(range(depth)))
        self.up = nn.ModuleList(double(2 * widths[i], widths[i]) for i in reversed(range(depth)))
        self.last = nn.Conv2d(width, classes, 1)

    def forward(self, image):
        kept, x = [], self.down[0](image)
        for block in self.down[1:]:
            kept.append(x)
            x = block(nn.functional.max_pool2d(x, 2))
        for grow, block in zip(self.grow, self.up):
            x = block(torch.cat([kept.pop(), grow(x)], 1))
        return self.last(x)


def unet(size=192):
    return Plan(Unet(), pictures(size), OPEN_IMAGE)


class Dncnn(nn.Module):
    def __init__(self, width=64, depth=17):
        super().__init__()
        middle = [part for _ in range(depth - 2)
                  for part in (nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU())]
        self.body = nn.Sequential(nn.Conv2d(1, width, 3, padding=1), nn.ReLU(), *middle, nn.Conv2d(width, 1, 3, padding=1))

    def forward(self, image):
        return image - self.body(image)


def dncnn(size=128):
    return Plan(Dncnn(), pictures(size, channels=1), OPEN_IMAGE)


def fsrcnn(size=128, width=56, narrow=12):
    """A transposed convolution of 9 by 9 at the end."""
    middle = [part for _ in range(4) for part in (nn.Conv2d(narrow, narrow, 3, padding=1), nn.PReLU(narrow))]
    module = nn.Sequential(nn.Conv2d(1, width, 5, padding=2), nn.PReLU(width), nn.Conv2d(width, narrow, 1), nn.PReLU(narrow), *middle,
                           nn.Conv2d(narrow, width, 1), nn.PReLU(width), nn.ConvTranspose2d(width, 1, 9, 3, 4, 2))
    return Plan(module, pictures(size, channels=1), OPEN_IMAGE)


class LayerNorm2d(nn.Module):
    """Over the channels of each pixel."""

    def __init__(self, width):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(width, 1, 1)), nn.Parameter(torch.zeros(width, 1, 1))

    def forward(self, x):
        mean = x.mean(1, keepdim=True)
        variance = (x - mean).pow(2).mean(1, keepdim=True)
        return (x - mean) / (variance + 1e-6).sqrt() * self.weight + self.bias


class NafBlock(nn.Module):
    """Products of halves of the channels in the place of activations."""

    def __init__(self, width):
        super().__init__()
        self.norm1, self.norm2 = LayerNorm2d(width), LayerNorm2d(width)
        self.first = nn.Sequential(nn.Conv2d(width, 2 * width, 1), nn.Conv2d(2 * width, 2 * width, 3, padding=1, groups=2 * width))
        self.scale = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(width, width, 1))
        self.second, self.third, self.fourth = nn.Conv2d(width, width, 1), nn.Conv2d(width, 2 * width, 1), nn.Conv2d(width, width, 1)

    def forward(self, x):
        a, b = self.first(self.norm1(x)).chunk(2, 1)
        gated = a * b
        x = x + self.second(gated * self.scale(gated))
        a, b = self.third(self.norm2(x)).chunk(2, 1)
        return x + self.fourth(a * b)


class Nafnet(nn.Module):
    def __init__(self, width=32, blocks=(1, 1, 2), middle=2):
        super().__init__()
        self.first, self.last = nn.Conv2d(3, width, 3, padding=1), nn.Conv2d(width, 3, 3, padding=1)
        self.encoders, self.decoders, self.downs, self.ups = nn.ModuleList(), nn.ModuleList(), nn.ModuleList(), nn.ModuleList()
        for count in blocks:
            self.encoders.append(nn.Sequential(*[NafBlock(width) for _ in range(count)]))
            self.downs.append(nn.Conv2d(width, 2 * width, 2, 2))
            self.ups.insert(0, nn.Sequential(nn.Conv2d(2 * width, 4 * width, 1, bias=False), nn.PixelShuffle(2)))
            self.decoders.insert(0, NafBlock(width))
            width *= 2
        self.middle = nn.Sequential(*[NafBlock(width) for _ in range(middle)])

    def forward(self, image):
        x, kept = self.first(image), []
        for encoder, down in zip(self.encoders, self.downs):
            kept.append(encoder(x))
            x = down(kept[-1])
        x = self.middle(x)
        for up, decoder in zip(self.ups, self.decoders):
            x = decoder(up(x) + kept.pop())
        return image + self.last(x)


def nafnet(size=128):
    return Plan(Nafnet(), pictures(size), OPEN_IMAGE)


class StyleTransfer(nn.Module):
    """Reflected edges, and norms of each image (InstanceNormalization)."""

    class Layer(nn.Module):
        def __init__(self, inputs, outputs, taps, stride=1, enlarge=1):
            super().__init__()
            self.pad, self.conv = nn.ReflectionPad2d(taps // 2), nn.Conv2d(inputs, outputs, taps, stride)
            self.norm, self.enlarge = nn.InstanceNorm2d(outputs, affine=True), enlarge

        def forward(self, x):
            if self.enlarge > 1:
                x = nn.functional.interpolate(x, scale_factor=float(self.enlarge), mode="nearest")
            return self.norm(self.conv(self.pad(x)))

    class Residual(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.first, self.second = StyleTransfer.Layer(width, width, 3), StyleTransfer.Layer(width, width, 3)

        def forward(self, x):
            return x + self.second(torch.relu(self.first(x)))

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(self.Layer(3, 32, 9), nn.ReLU(), self.Layer(32, 64, 3, 2), nn.ReLU(), self.Layer(64, 128, 3, 2), nn.ReLU(),
                                  *[self.Residual(128) for _ in range(5)], self.Layer(128, 64, 3, 1, 2), nn.ReLU(), self.Layer(64, 32, 3, 1, 2),
                                  nn.ReLU(), nn.ReflectionPad2d(4), nn.Conv2d(32, 3, 9))

    def forward(self, image):
        return self.body(image)


def style_transfer(size=160):
    return Plan(StyleTransfer(), pictures(size), OPEN_IMAGE)


class Generator(nn.Module):
    """The generator of a DCGAN: a vector becomes an image by transposed convolutions of 4 by 4."""

    def __init__(self, latent=100, width=64):
        super().__init__()
        widths = [8 * width, 4 * width, 2 * width, width]
        layers = [nn.ConvTranspose2d(latent, widths[0], 4, 1, 0, bias=False), nn.BatchNorm2d(widths[0]), nn.ReLU()]
        for a, b in zip(widths, widths[1:]):
            layers += [nn.ConvTranspose2d(a, b, 4, 2, 1, bias=False), nn.BatchNorm2d(b), nn.ReLU()]
        self.body = nn.Sequential(*layers, nn.ConvTranspose2d(width, 3, 4, 2, 1), nn.Tanh())

    def forward(self, latent):
        return self.body(latent)


def generator():
    return Plan(Generator(), lambda number: {"latent": torch.randn(1, 100, 1, 1)}, {"latent": {0: "batch"}})


class Recurrent(nn.Module):
    """U2-Net's block: a small U-Net, whose deepest convolutions are dilated."""

    def __init__(self, inputs, width, outputs, depth):
        super().__init__()
        self.first = self.layer(inputs, outputs)
        self.down = nn.ModuleList([self.layer(outputs, width), *[self.layer(width, width) for _ in range(depth - 1)]])
        self.middle = self.layer(width, width, 2)
        self.up = nn.ModuleList([*[self.layer(2 * width, width) for _ in range(depth - 1)], self.layer(2 * width, outputs)])

    @staticmethod
    def layer(inputs, outputs, dilation=1):
        return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=dilation, dilation=dilation), nn.BatchNorm2d(outputs), nn.ReLU())

    def forward(self, x):
        x = first = self.first(x)
        kept = []
        for i, block in enumerate(self.down):
            x = block(nn.functional.max_pool2d(x, 2, ceil_mode=True) if i else x)
            kept.append(x)
        x = self.middle(x)
        for i, block in enumerate(self.up):
            skip = kept.pop()
            if i:
                x = nn.functional.interpolate(x, size=skip.shape[2:], mode="bilinear", align_corners=False)
            x = block(torch.cat([x, skip], 1))
        return x + first


class Salience(nn.Module):
    def __init__(self):
        super().__init__()
        self.stages = nn.ModuleList([Recurrent(3, 16, 64, 5), Recurrent(64, 16, 64, 4), Recurrent(64, 16, 64, 3), Recurrent(64, 16, 64, 3)])
        self.back = nn.ModuleList([Recurrent(128, 16, 64, 3), Recurrent(128, 16, 64, 4), Recurrent(128, 16, 64, 5)])
        self.last = nn.Conv2d(64, 1, 3, padding=1)

    def forward(self, image):
        kept, x = [], image
        for i, stage in enumerate(self.stages):
            x = stage(nn.functional.max_pool2d(x, 2, ceil_mode=True) if i else x)
            kept.append(x)
        kept.pop()
        for stage in self.back:
            skip = kept.pop()
            x = stage(torch.cat([nn.functional.interpolate(x, size=skip.shape[2:], mode="bilinear", align_corners=False), skip], 1))
        return torch.sigmoid(self.last(x))


def salience(size=192):
    return Plan(Salience(), pictures(size), OPEN_IMAGE)


class SuperPoint(nn.Module):
    """Points and descriptors: a softmax over 65 cells, and vectors of length one."""

    def __init__(self):
        super().__init__()
        layers, width = [], 1
        for i, outputs in enumerate((64, 64, 128, 128)):
            layers += [nn.Conv2d(width, outputs, 3, padding=1), nn.ReLU(), nn.Conv2d(outputs, outputs, 3, padding=1), nn.ReLU()]
            layers += [nn.MaxPool2d(2)] if i < 3 else []
            width = outputs
        self.body = nn.Sequential(*layers)
        self.points = nn.Sequential(nn.Conv2d(128, 256, 3, padding=1), nn.ReLU(), nn.Conv2d(256, 65, 1))
        self.vectors = nn.Sequential(nn.Conv2d(128, 256, 3, padding=1), nn.ReLU(), nn.Conv2d(256, 256, 1))

    def forward(self, image):
        x = self.body(image)
        cells = self.points(x).softmax(1)[:, :-1]
        vectors = self.vectors(x)
        return nn.functional.pixel_shuffle(cells, 8), vectors / vectors.norm(dim=1, keepdim=True)


def superpoint(height=120, width=160):
    return Plan(SuperPoint(), pictures(height, width, 1), OPEN_IMAGE)


def volume_double(inputs, outputs):
    return nn.Sequential(nn.Conv3d(inputs, outputs, 3, padding=1), nn.InstanceNorm3d(outputs, affine=True), nn.LeakyReLU(0.01),
                         nn.Conv3d(outputs, outputs, 3, padding=1), nn.InstanceNorm3d(outputs, affine=True), nn.LeakyReLU(0.01))


class VolumeUnet(nn.Module):
    """The U-Net of volumes in medicine (nnU-Net): strided convolutions down, transposed ones up."""

    def __init__(self, width=16, classes=3):
        super().__init__()
        widths = [width, 2 * width, 4 * width]
        self.down = nn.ModuleList([volume_double(1, width), volume_double(2 * width, 2 * width), volume_double(4 * width, 4 * width)])
        self.shrink = nn.ModuleList(nn.Conv3d(w, 2 * w, 3, 2, 1) for w in widths[:-1])
        self.grow = nn.ModuleList(nn.ConvTranspose3d(2 * w, w, 2, 2) for w in reversed(widths[:-1]))
        self.up = nn.ModuleList(volume_double(2 * w, w) for w in reversed(widths[:-1]))
        self.last = nn.Conv3d(width, classes, 1)

    def forward(self, volume):
        x, kept = self.down[0](volume), []
        for shrink, block in zip(self.shrink, self.down[1:]):
            kept.append(x)
            x = block(shrink(x))
        for grow, block in zip(self.grow, self.up):
            x = block(torch.cat([kept.pop(), grow(x)], 1))
        return self.last(x)


def volume_unet(depth=24, size=48):
    return Plan(VolumeUnet(), lambda number: {"volume": torch.randn(1, 1, depth, size, size)}, {"volume": {0: "batch"}})


class Attended(nn.Module):
    """A residual block whose channels are weighted by what they are on average."""

    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(width, width, 3, padding=1), nn.ReLU(), nn.Conv2d(width, width, 3, padding=1))
        self.weigh = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(width, width // 8, 1), nn.ReLU(), nn.Conv2d(width // 8, width, 1), nn.Sigmoid())

    def forward(self, x):
        y = self.body(x)
        return x + y * self.weigh(y)


class Rcan(nn.Module):
    def __init__(self, width=48, blocks=6):
        super().__init__()
        self.first = nn.Conv2d(3, width, 3, padding=1)
        self.body = nn.Sequential(*(Attended(width) for _ in range(blocks)), nn.Conv2d(width, width, 3, padding=1))
        self.last = nn.Sequential(nn.Conv2d(width, 4 * width, 3, padding=1), nn.PixelShuffle(2), nn.Conv2d(width, 3, 3, padding=1))

    def forward(self, image):
        x = self.first(image)
        return self.last(x + self.body(x))


def rcan(size=96):
    return Plan(Rcan(), pictures(size), OPEN_IMAGE)


class NormBlock(nn.Module):
    """Group norm, SiLU and a convolution, twice, beside what came in."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.body = nn.Sequential(nn.GroupNorm(8, inputs), nn.SiLU(), nn.Conv2d(inputs, outputs, 3, padding=1),
                                  nn.GroupNorm(8, outputs), nn.SiLU(), nn.Conv2d(outputs, outputs, 3, padding=1))
        self.short = nn.Conv2d(inputs, outputs, 1) if inputs != outputs else nn.Identity()

    def forward(self, x):
        return self.short(x) + self.body(x)


class Autoencoder(nn.Module):
    def __init__(self, width=32, latent=4):
        super().__init__()
        w = [width, 2 * width, 4 * width]
        self.encode = nn.Sequential(nn.Conv2d(3, w[0], 3, padding=1), NormBlock(w[0], w[0]), nn.Conv2d(w[0], w[0], 3, 2, 1), NormBlock(w[0], w[1]),
                                    nn.Conv2d(w[1], w[1], 3, 2, 1), NormBlock(w[1], w[2]), nn.Conv2d(w[2], latent, 3, padding=1))
        self.decode = nn.Sequential(nn.Conv2d(latent, w[2], 3, padding=1), NormBlock(w[2], w[2]), nn.Upsample(scale_factor=2),
                                    nn.Conv2d(w[2], w[2], 3, padding=1), NormBlock(w[2], w[1]), nn.Upsample(scale_factor=2),
                                    nn.Conv2d(w[1], w[1], 3, padding=1), NormBlock(w[1], w[0]), nn.GroupNorm(8, w[0]), nn.SiLU(),
                                    nn.Conv2d(w[0], 3, 3, padding=1))

    def forward(self, image):
        return self.decode(self.encode(image))


def autoencoder(size=128):
    return Plan(Autoencoder(), pictures(size), OPEN_IMAGE)
