# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Detectors: their backbones and heads; what comes after (non-maximum suppression) is not in them."""

import torch
import torchvision
from torch import nn

from .plan import OPEN_IMAGE, Plan, pictures


def conv(inputs, outputs, kernel=1, stride=1, groups=1, act=nn.SiLU):
    return nn.Sequential(nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
                         nn.BatchNorm2d(outputs), act())


class Bottleneck(nn.Module):
    def __init__(self, width, shortcut):
        super().__init__()
        self.body, self.shortcut = nn.Sequential(conv(width, width, 3), conv(width, width, 3)), shortcut

    def forward(self, x):
        return x + self.body(x) if self.shortcut else self.body(x)


class C2f(nn.Module):
    """Halves of the channels, of which one goes through blocks whose results are all kept."""

    def __init__(self, inputs, outputs, count, shortcut):
        super().__init__()
        half = outputs // 2
        self.first, self.last = conv(inputs, outputs), conv((2 + count) * half, outputs)
        self.blocks = nn.ModuleList(Bottleneck(half, shortcut) for _ in range(count))

    def forward(self, x):
        parts = list(self.first(x).chunk(2, 1))
        for block in self.blocks:
            parts.append(block(parts[-1]))
        return self.last(torch.cat(parts, 1))


class Pyramid(nn.Module):
    """Maxima of growing windows, joined (SPPF)."""

    def __init__(self, width):
        super().__init__()
        self.first, self.last = conv(width, width // 2), conv(width * 2, width)
        self.pool = nn.MaxPool2d(5, 1, 2)

    def forward(self, x):
        parts = [self.first(x)]
        for _ in range(3):
            parts.append(self.pool(parts[-1]))
        return self.last(torch.cat(parts, 1))


class Yolo(nn.Module):
    def __init__(self, width=16, classes=80):
        super().__init__()
        w = [width, 2 * width, 4 * width, 8 * width, 16 * width]
        self.stem = nn.Sequential(conv(3, w[0], 3, 2), conv(w[0], w[1], 3, 2), C2f(w[1], w[1], 1, True))
        self.down3 = nn.Sequential(conv(w[1], w[2], 3, 2), C2f(w[2], w[2], 2, True))
        self.down4 = nn.Sequential(conv(w[2], w[3], 3, 2), C2f(w[3], w[3], 2, True))
        self.down5 = nn.Sequential(conv(w[3], w[4], 3, 2), C2f(w[4], w[4], 1, True), Pyramid(w[4]))
        self.up4, self.up3 = C2f(w[4] + w[3], w[3], 1, False), C2f(w[3] + w[2], w[2], 1, False)
        self.again3, self.again4 = conv(w[2], w[2], 3, 2), conv(w[3], w[3], 3, 2)
        self.out4, self.out5 = C2f(w[2] + w[3], w[3], 1, False), C2f(w[3] + w[4], w[4], 1, False)
        self.boxes = nn.ModuleList(nn.Sequential(conv(c, 64, 3), conv(64, 64, 3), nn.Conv2d(64, 64, 1)) for c in w[2:])
        self.classes = nn.ModuleList(nn.Sequential(conv(c, 80, 3), conv(80, 80, 3), nn.Conv2d(80, classes, 1)) for c in w[2:])
        self.enlarge = nn.Upsample(scale_factor=2, mode="nearest")
        self.register_buffer("bins", torch.arange(16.0))

    def forward(self, image):
        p3 = self.down3(self.stem(image))
        p4 = self.down4(p3)
        p5 = self.down5(p4)
        n4 = self.up4(torch.cat([self.enlarge(p5), p4], 1))
        n3 = self.up3(torch.cat([self.enlarge(n4), p3], 1))
        n4 = self.out4(torch.cat([self.again3(n3), n4], 1))
        n5 = self.out5(torch.cat([self.again4(n4), p5], 1))
        boxes = torch.cat([head(x).flatten(2) for head, x in zip(self.boxes, (n3, n4, n5))], 2)
        scores = torch.cat([head(x).flatten(2) for head, x in zip(self.classes, (n3, n4, n5))], 2)
        # Distances are the means of distributions over 16 bins.
        sides = boxes.unflatten(1, (4, 16)).softmax(2)
        return (sides * self.bins.view(1, 1, 16, 1)).sum(2), scores.sigmoid()


def yolo(size=416):
    return Plan(Yolo(), pictures(size), OPEN_IMAGE)


class SsdLite(nn.Module):
    """Heads of depthwise convolutions over two maps of MobileNet v3 and two beyond."""

    def __init__(self, classes=21, anchors=6):
        super().__init__()
        features = torchvision.models.mobilenet_v3_large(weights=None).features
        self.near, self.far = features[:13], features[13:]
        self.extra = nn.ModuleList([self.shrink(960, 256), self.shrink(256, 128)])
        widths = (112, 960, 256, 128)
        self.scores = nn.ModuleList(self.head(width, anchors * classes) for width in widths)
        self.boxes = nn.ModuleList(self.head(width, anchors * 4) for width in widths)
        self.classes = classes

    @staticmethod
    def head(width, outputs):
        return nn.Sequential(conv(width, width, 3, groups=width, act=nn.ReLU6), nn.Conv2d(width, outputs, 1))

    @staticmethod
    def shrink(inputs, outputs):
        return nn.Sequential(conv(inputs, outputs, 1, act=nn.ReLU6), conv(outputs, outputs, 3, 2, outputs, act=nn.ReLU6))

    def forward(self, image):
        maps = [self.near(image)]
        maps.append(self.far(maps[0]))
        for step in self.extra:
            maps.append(step(maps[-1]))

        def rows(heads, width):
            return torch.cat([head(x).permute(0, 2, 3, 1).reshape(x.shape[0], -1, width) for head, x in zip(heads, maps)], 1)
        return rows(self.scores, self.classes).softmax(2), rows(self.boxes, 4)


def ssd_lite(size=320):
    return Plan(SsdLite(), pictures(size), OPEN_IMAGE)


class Darknet(nn.Module):
    """Blocks of 1x1 and 3x3 convolutions with LeakyReLU, and one head."""

    def __init__(self):
        super().__init__()
        act = lambda: nn.LeakyReLU(0.1)
        layers, width = [conv(3, 16, 3, act=act)], 16
        for count in (1, 1, 2, 2, 1):
            layers.append(conv(width, 2 * width, 3, 2, act=act))
            width *= 2
            layers += [self.Residual(width, act) for _ in range(count)]
        self.body, self.head = nn.Sequential(*layers), nn.Conv2d(width, 3 * 85, 1)

    class Residual(nn.Module):
        def __init__(self, width, act):
            super().__init__()
            self.body = nn.Sequential(conv(width, width // 2, 1, act=act), conv(width // 2, width, 3, act=act))

        def forward(self, x):
            return x + self.body(x)

    def forward(self, image):
        return self.head(self.body(image))


def darknet(size=256):
    return Plan(Darknet(), pictures(size), OPEN_IMAGE)


class UltraFace(nn.Module):
    """A small SSD for faces: depthwise pairs at four strides, scores and boxes of each."""

    def __init__(self):
        super().__init__()
        def pair(inputs, outputs, stride=1):
            return nn.Sequential(conv(inputs, inputs, 3, stride, inputs, act=nn.ReLU), conv(inputs, outputs, act=nn.ReLU))
        self.steps = nn.ModuleList([
            nn.Sequential(conv(3, 16, 3, 2, act=nn.ReLU), pair(16, 32), pair(32, 32, 2), pair(32, 32), pair(32, 64, 2), pair(64, 64), pair(64, 64)),
            nn.Sequential(pair(64, 128, 2), pair(128, 128), pair(128, 128)),
            nn.Sequential(pair(128, 256, 2), pair(256, 256)),
            nn.Sequential(conv(256, 64, act=nn.ReLU), pair(64, 256, 2))])
        widths, anchors = (64, 128, 256, 256), (3, 2, 2, 3)
        self.scores = nn.ModuleList(self.head(w, 2 * a) for w, a in zip(widths, anchors))
        self.boxes = nn.ModuleList(self.head(w, 4 * a) for w, a in zip(widths, anchors))

    @staticmethod
    def head(width, outputs):
        return nn.Sequential(nn.Conv2d(width, width, 3, 1, 1, groups=width), nn.ReLU(), nn.Conv2d(width, outputs, 1))

    def forward(self, image):
        scores, boxes, x = [], [], image
        for step, score, box in zip(self.steps, self.scores, self.boxes):
            x = step(x)
            scores.append(score(x).permute(0, 2, 3, 1).reshape(x.shape[0], -1, 2))
            boxes.append(box(x).permute(0, 2, 3, 1).reshape(x.shape[0], -1, 4))
        return torch.cat(scores, 1).softmax(2), torch.cat(boxes, 1)


def ultraface():
    return Plan(UltraFace(), pictures(240, 320), OPEN_IMAGE)


class Detr(nn.Module):
    """Pixels of the last map are the words of a transformer, and its queries the objects."""

    def __init__(self, classes=91, width=256, queries=100, side=10):
        super().__init__()
        net = torchvision.models.resnet18(weights=None)
        self.body = nn.Sequential(net.conv1, net.bn1, net.relu, net.maxpool, net.layer1, net.layer2, net.layer3, net.layer4)
        self.narrow, self.transformer = nn.Conv2d(512, width, 1), nn.Transformer(width, 8, 3, 3, 1024, batch_first=True)
        self.queries, self.place = nn.Parameter(torch.randn(queries, width)), nn.Parameter(0.2 * torch.randn(side * side, width))
        self.classes, self.boxes = nn.Linear(width, classes + 1), nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 4))

    def forward(self, image):
        x = self.narrow(self.body(image)).flatten(2).transpose(1, 2) + self.place
        x = self.transformer(x, self.queries[None].expand(x.shape[0], -1, -1))
        return self.classes(x), torch.sigmoid(self.boxes(x))


def detr(size=320):
    return Plan(Detr(side=size // 32), pictures(size), {"image": {0: "batch"}})
