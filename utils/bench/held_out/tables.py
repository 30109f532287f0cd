# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of the columns of a table."""

import torch
from torch import nn

from .plan import Plan


class Dlrm(nn.Module):
    """Embeddings of categories, their products by pairs, and dense layers."""

    def __init__(self, tables=16, rows=20000, width=64):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(rows, width) for _ in range(tables))
        self.bottom = nn.Sequential(nn.Linear(13, 256), nn.ReLU(), nn.Linear(256, width), nn.ReLU())
        pairs = torch.tril_indices(tables + 1, tables + 1, -1)
        self.register_buffer("rows", pairs[0])
        self.register_buffer("columns", pairs[1])
        self.top = nn.Sequential(nn.Linear(width + pairs.shape[1], 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 1), nn.Sigmoid())

    def forward(self, dense, categories):
        low = self.bottom(dense)
        parts = torch.stack([low] + [table(categories[:, i]) for i, table in enumerate(self.tables)], 1)
        products = (parts @ parts.transpose(1, 2))[:, self.rows, self.columns]
        return self.top(torch.cat([low, products], 1))


def dlrm(batch=64):
    return Plan(Dlrm(), lambda number: {"dense": torch.randn(batch, 13), "categories": torch.randint(0, 20000, (batch, 16))},
                {"dense": {0: "batch"}, "categories": {0: "batch"}})


def mlp(batch=32, columns=64):
    layers, width = [], columns
    for outputs in (128, 128, 64):
        layers += [nn.Linear(width, outputs), nn.BatchNorm1d(outputs), nn.ReLU()]
        width = outputs
    return Plan(nn.Sequential(*layers, nn.Linear(width, 2), nn.Softmax(1)), lambda number: {"input": torch.randn(batch, columns)},
                {"input": {0: "batch"}})


class Trained:
    """A model that is not torch's: its proto and its inputs."""

    def __init__(self, proto, feeds):
        self.proto, self.feeds = proto, feeds


def forest(rows=100, columns=28, trees=200):
    import lightgbm
    import numpy as np
    from onnxmltools import convert_lightgbm
    from onnxmltools.convert.common.data_types import FloatTensorType
    random = np.random.default_rng(20)
    x = random.standard_normal((4000, columns)).astype(np.float32)
    y = (x[:, 0] + x[:, 1] * x[:, 2] + 0.5 * random.standard_normal(4000) > 0).astype(int)
    model = lightgbm.LGBMClassifier(n_estimators=trees, num_leaves=31, random_state=20, n_jobs=1, deterministic=True, verbose=-1).fit(x, y)
    proto = convert_lightgbm(model, initial_types=[("input", FloatTensorType([rows, columns]))], zipmap=False, target_opset=15)
    return Trained(proto, {"input": x[:rows]})


class DeepFm(nn.Module):
    """Products of all pairs of embeddings, in closed form, beside dense layers (DeepFM)."""

    def __init__(self, tables=26, rows=5000, width=16):
        super().__init__()
        self.register_buffer("begins", torch.arange(tables) * rows)
        self.linear, self.factors = nn.Embedding(tables * rows, 1), nn.Embedding(tables * rows, width)
        self.deep = nn.Sequential(nn.Linear(tables * width, 400), nn.ReLU(), nn.Linear(400, 400), nn.ReLU(), nn.Linear(400, 1))

    def forward(self, categories):
        rows = categories + self.begins
        factors = self.factors(rows)
        pairs = 0.5 * (factors.sum(1) ** 2 - (factors ** 2).sum(1)).sum(1, keepdim=True)
        return torch.sigmoid(self.linear(rows).sum(1) + pairs + self.deep(factors.flatten(1)))


def deep_fm(batch=64):
    return Plan(DeepFm(), lambda number: {"categories": torch.randint(0, 5000, (batch, 26))}, {"categories": {0: "batch"}})


class TableTransformer(nn.Module):
    """A token for each column of a table (FT-Transformer)."""

    def __init__(self, columns=24, width=96, layers=3):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.randn(columns, width)), nn.Parameter(torch.randn(columns, width))
        self.first = nn.Parameter(torch.randn(1, 1, width))
        self.body = nn.TransformerEncoder(nn.TransformerEncoderLayer(width, 8, 2 * width, activation="gelu", batch_first=True, norm_first=True),
                                          layers, enable_nested_tensor=False)
        self.out = nn.Sequential(nn.LayerNorm(width), nn.ReLU(), nn.Linear(width, 2))

    def forward(self, table):
        x = table[:, :, None] * self.weight + self.bias
        x = torch.cat([self.first.expand(x.shape[0], -1, -1), x], 1)
        return self.out(self.body(x)[:, 0])


def table_transformer(batch=32):
    return Plan(TableTransformer(), lambda number: {"table": torch.randn(batch, 24)}, {"table": {0: "batch"}})
