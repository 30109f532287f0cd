# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small models of torch alone, of kinds that the libraries lack: (model, names of
inputs, maker of inputs, open dims)."""

import torch
import torchvision
from torch import nn

# The fused form that it runs in has no operator of ONNX.
torch.backends.mha.set_fastpath_enabled(False)

SERIES = [[0, 1]]


def series(number, width=8):
    return [torch.randn(1 + number, 7 + 4 * number, width)]


class First(nn.Module):
    """What a recurrent layer gives, without its state's structure."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        return self.layer(x)[0]


def lstm():
    return First(nn.LSTM(8, 12, 2, batch_first=True, bidirectional=True)), ["x"], series, SERIES


def lstm_projected():
    return nn.Sequential(First(nn.LSTM(8, 12, batch_first=True)), nn.Linear(12, 5)), ["x"], series, SERIES


def gru():
    return First(nn.GRU(8, 12, 2, batch_first=True)), ["x"], series, SERIES


def rnn():
    return First(nn.RNN(8, 12, nonlinearity="relu", batch_first=True)), ["x"], series, SERIES


def encoder():
    layer = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True, activation="gelu", norm_first=True)
    return nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), ["x"], lambda number: series(number, 16), SERIES


def transformer():
    make = lambda number: [*series(number, 16), torch.randn(1 + number, 3 + number, 16)]
    return nn.Transformer(16, 4, 1, 1, 32, batch_first=True), ["x", "y"], make, [[0, 1], [0, 1]]


class Circular(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1, padding_mode="circular")
        self.reflect = nn.Conv2d(8, 8, 5, padding=2, padding_mode="reflect")
        self.replicate = nn.Conv2d(8, 4, 3, padding=1, padding_mode="replicate")

    def forward(self, x):
        return self.replicate(torch.relu(self.reflect(torch.relu(self.conv(x)))))


def image(number, channels=3, size=16):
    return [torch.randn(1 + number, channels, size + 4 * number, size)]


IMAGE = [[0, 2, 3]]


def circular():
    return Circular(), ["x"], image, IMAGE


def gan_generator():
    layers, wide = [], [16, 32, 16, 3]
    for i in range(3):
        layers += [nn.ConvTranspose2d(wide[i], wide[i + 1], 4, 2, 1, bias=False), nn.BatchNorm2d(wide[i + 1]), nn.ReLU()]
    return nn.Sequential(*layers[:-2], nn.Tanh()), ["z"], lambda number: [torch.randn(1 + number, 16, 4 + number, 4)], IMAGE


def super_resolution():
    return nn.Sequential(nn.Conv2d(3, 16, 5, padding=2), nn.PReLU(16), nn.Conv2d(16, 27, 3, padding=1), nn.PixelShuffle(3)), ["x"], image, IMAGE


def wave():
    layers = [nn.Conv1d(1, 16, 3, padding=1)]
    for dilation in (1, 2, 4):
        layers += [nn.GLU(1) if dilation > 1 else nn.Tanh(), nn.Conv1d(16 if dilation == 1 else 8, 16, 3, padding=dilation, dilation=dilation)]
    return nn.Sequential(*layers), ["x"], lambda number: [torch.randn(1 + number, 1, 40 + 24 * number)], [[0, 2]]


def volume():
    model = nn.Sequential(nn.Conv3d(2, 8, 3, padding=1), nn.InstanceNorm3d(8, affine=True), nn.LeakyReLU(), nn.MaxPool3d(2),
                          nn.Conv3d(8, 8, 3, padding=1, groups=4), nn.ELU(), nn.Upsample(scale_factor=2, mode="trilinear"),
                          nn.ConvTranspose3d(8, 4, 2, 2))
    return model, ["x"], lambda number: [torch.randn(1 + number, 2, 8, 8 + 2 * number, 8)], [[0, 3]]


class Sampler(nn.Module):
    """A spatial transformer."""

    def __init__(self):
        super().__init__()
        self.locate = nn.Sequential(nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(48, 6))

    def forward(self, x):
        theta = self.locate(x).view(-1, 2, 3)
        return nn.functional.grid_sample(x, nn.functional.affine_grid(theta, x.shape, align_corners=False), align_corners=False)


def spatial_transformer():
    return Sampler(), ["x"], lambda number: [torch.randn(1 + number, 3, 16, 16)], [[0]]


class Recommender(nn.Module):
    """Sums of embeddings by table, and their products (DLRM)."""

    def __init__(self):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(50, 8) for _ in range(4))
        self.bottom, self.top = nn.Sequential(nn.Linear(5, 8), nn.ReLU()), nn.Sequential(nn.Linear(18, 1), nn.Sigmoid())
        self.register_buffer("rows", torch.tensor([i for i in range(5) for _ in range(i)]))
        self.register_buffer("columns", torch.tensor([j for i in range(5) for j in range(i)]))

    def forward(self, dense, ids):
        low = self.bottom(dense)
        all = torch.stack([low] + [table(ids[:, i]) for i, table in enumerate(self.tables)], 1)
        products = torch.bmm(all, all.transpose(1, 2))[:, self.rows, self.columns]
        return self.top(torch.cat([low, products], 1))


def recommender():
    make = lambda number: [torch.randn(3 + 4 * number, 5), torch.randint(0, 50, (3 + 4 * number, 4))]
    return Recommender(), ["dense", "ids"], make, [[0], [0]]


class PointNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.points = nn.Sequential(nn.Conv1d(3, 16, 1), nn.BatchNorm1d(16), nn.ReLU(), nn.Conv1d(16, 32, 1), nn.BatchNorm1d(32))
        self.head = nn.Sequential(nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 4), nn.LogSoftmax(1))

    def forward(self, x):
        return self.head(self.points(x).max(2)[0])


def pointnet():
    return PointNet(), ["x"], lambda number: [torch.randn(1 + number, 3, 20 + 9 * number)], [[0, 2]]


class Graph(nn.Module):
    """Two layers of a graph convolution: sums over edges by scatter."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(6, 8), nn.Linear(8, 3)

    def spread(self, x, edges):
        return torch.zeros_like(x).index_add(0, edges[1], x[edges[0]])

    def forward(self, x, edges):
        return self.spread(self.second(torch.relu(self.spread(self.first(x), edges))), edges)


def graph():
    make = lambda number: [torch.randn(9 + 4 * number, 6), torch.randint(0, 9, (2, 20 + 11 * number))]
    return Graph(), ["x", "edges"], make, [[0], [1]]


class Spectrum(nn.Module):
    def forward(self, x):
        spectrum = torch.stft(x, 16, 8, window=torch.hann_window(16), return_complex=False, center=False)
        return torch.log(spectrum.square().sum(-1) + 1e-3)


def spectrum():
    return Spectrum(), ["x"], lambda number: [torch.randn(1 + number, 64)], [[0]]


class Selection(nn.Module):
    """Sorting, the largest, cumulative sums, masks: what heads of models are made of."""

    def forward(self, x):
        values, places = torch.topk(x, 3, -1)
        sums = torch.cumsum(x, 1)
        return values, places, sums, torch.where(x > 0, x, torch.expm1(x)), torch.sort(x, -1, descending=True)[0], x.masked_fill(x < 0, -1).amax(1)


def selection():
    return Selection(), ["x"], series, SERIES


class Counter(nn.Module):
    """A loop whose trip count is data, and a branch: scripted."""

    def forward(self, x, n: int):
        for i in range(n):
            if x.sum() > 0:
                x = x * 0.5 - i
            else:
                x = torch.relu(x + 1)
        return x


class Scripted(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.jit.script(Counter())

    def forward(self, x):
        return self.inner(x, x.size(1))


def scripted_loop():
    return Scripted(), ["x"], series, SERIES


class Indexing(nn.Module):
    """Rows by number, by mask and by place; what is written into them."""

    def forward(self, x, ids):
        rows = x[:, ids]
        table = torch.zeros_like(x).scatter_add(1, ids[None, :, None].expand(x.size(0), -1, x.size(2)), rows)
        put = x.clone()
        put[:, ids] = 0.5
        put[..., ::2] += 1
        picked = torch.gather(x, -1, x.argsort(-1))
        return (x[x > 0.5], torch.nonzero(x > 1), table, put, picked, torch.roll(x, 2, 1), torch.flip(x, [1, 2]), x.repeat_interleave(2, 1),
                torch.tril(x @ x.transpose(1, 2)), x.unfold(1, 3, 2), x[:, -1].argmax(-1), torch.bucketize(x, torch.tensor([-1.0, 0.0, 1.0])))


def indexing():
    make = lambda number: [torch.randn(1 + number, 7 + 4 * number, 8), torch.tensor([0, 5, 2] + [6] * number)]
    return Indexing(), ["x", "ids"], make, [[0, 1], [0]]


class Numbers(nn.Module):
    """Functions, norms and products."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(8, 8))

    def forward(self, x):
        f = nn.functional
        y = f.normalize(x, dim=-1) @ self.weight
        return (f.mish(x), f.celu(x, 0.7), f.hardswish(x), f.softplus(x, 2.0), f.logsigmoid(x), f.glu(x, -1), torch.logsumexp(x, 1), f.gelu(x, approximate="tanh"),
                x.var(1), x.std(-1, unbiased=False), torch.linalg.vector_norm(x, 3, -1), f.cosine_similarity(x, y, -1),
                torch.einsum("...ij,...kj->...ik", x, y), torch.cumsum(y.flip(1), 1), x.clamp(min=-0.3), torch.fmod(x, 0.7), torch.remainder(x, -0.7),
                torch.floor_divide(x, 0.3), torch.atan2(x, y), torch.erf(x), torch.round(3 * x), torch.prod(y, -1), x.amax((1, 2)), torch.lerp(x, y, 0.3),
                f.softmin(x, 1), f.hardtanh(x, -0.5, 0.2), f.tanhshrink(x), (5 * x).to(torch.int32) // 3, x.any(-1))


def numbers():
    return Numbers(), ["x"], series, SERIES


class Windows(nn.Module):
    """Pools, resizing, padding, and convolutions turned around."""

    def __init__(self):
        super().__init__()
        self.up = nn.ConvTranspose2d(6, 9, 3, 2, 1, output_padding=1, groups=3, dilation=2)
        self.lrn = nn.LocalResponseNorm(3)

    def forward(self, x):
        f = nn.functional
        return (f.max_pool2d(x, 3, 2, 1, ceil_mode=True), f.avg_pool2d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False), f.max_pool2d(x, 2, 1, dilation=2),
                f.adaptive_avg_pool2d(x, (1, 1)), f.interpolate(x, scale_factor=1.5, mode="bicubic"), f.interpolate(x, scale_factor=2, mode="nearest"),
                f.interpolate(x, size=(11, 13), mode="bilinear", align_corners=True), f.pad(x, (2, 1, 1, 2), mode="reflect"), f.pad(x, (-1, 2, 0, -2)),
                self.up(x), self.lrn(x), f.pixel_unshuffle(f.pixel_shuffle(x[:, :4], 2), 2), f.lp_pool2d(x.abs(), 2, 3, 2))


def windows():
    return Windows(), ["x"], lambda number: image(number, 6), IMAGE


class Folds(nn.Module):
    def forward(self, x):
        columns = nn.functional.unfold(x, 3, padding=1, stride=2)
        return columns, nn.functional.fold(columns, (16, 16), 3, padding=1, stride=2)


def folds():
    return Folds(), ["x"], lambda number: [torch.randn(1 + number, 3, 16, 16)], [[0]]


class Packed(nn.Module):
    """Sequences of different lengths, in one batch."""

    def __init__(self):
        super().__init__()
        self.layer = nn.LSTM(8, 6, bidirectional=True, batch_first=True)

    def forward(self, x, lengths):
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True)
        y, (h, c) = self.layer(packed)
        return nn.utils.rnn.pad_packed_sequence(y, batch_first=True)[0], h, c


def packed():
    make = lambda number: [torch.randn(3 + number, 9 + number, 8), torch.tensor([9 + number, 6, 4, 2][:3 + number])]
    return Packed(), ["x", "lengths"], make, [[0, 1], [0]]


class Regions(nn.Module):
    """What detectors are made of."""

    def forward(self, x, boxes, scores):
        kept = torchvision.ops.nms(boxes, scores, 0.4)
        rois = torch.cat([torch.zeros_like(boxes[:, :1]), boxes], 1)
        return kept, torchvision.ops.roi_align(x, rois, (3, 2), 0.5, 2, aligned=True), torchvision.ops.box_iou(boxes, boxes)


def regions():
    def make(number):
        corners = torch.rand(12 + 5 * number, 2) * 16
        return [torch.randn(1, 4, 16, 16), torch.cat([corners, corners + 4 + torch.rand_like(corners) * 8], 1), torch.rand(12 + 5 * number)]
    return Regions(), ["x", "boxes", "scores"], make, [[], [0], [0]]


class Branches(nn.Module):
    """torch.cond, which the dynamo exporter makes an If of."""

    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: torch.cumsum(x, 1), lambda x: x * 2 - 1, [x])


def branches():
    return Branches(), ["x"], lambda number: [torch.randn(2 + number, 5 + number)], [[0, 1]]


class Scores(nn.Module):
    """Attention with a causal mask, by torch's own function, for queries in groups."""

    def forward(self, q, k, v):
        f = nn.functional.scaled_dot_product_attention
        return f(q, k, v, is_causal=True), f(q, k, v, attn_mask=(q @ k.transpose(-1, -2)) > 0), f(q, k, v, scale=0.3)


def scores():
    make = lambda number: [torch.randn(1 + number, 4, 9 + 3 * number, 8) for _ in range(3)]
    return Scores(), ["q", "k", "v"], make, [[0, 2]] * 3
