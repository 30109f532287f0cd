# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Motifs: functions that add nodes to a Graph."""

import dataclasses
from collections.abc import Callable


class NoValue(Exception):
    """A motif finds no value that it could start with."""


@dataclasses.dataclass(frozen=True)
class Motif:
    write: Callable
    since: int  # the first opset that has its operators
    weight: float

    @property
    def name(self):
        return self.write.__name__

    def add_to(self, graph):
        try:
            self.write(graph)
        except NoValue:
            pass  # what it has written so far has no consumers


EVERY = []


def motif(since=7, weight=1.0):
    def register(function):
        EVERY.append(Motif(function, since, weight))
        return function
    return register


def leave_out(files):
    """Forgets the motifs of these files, also inside of subgraphs and functions."""
    EVERY[:] = [m for m in EVERY if m.write.__module__.split(".")[-1] not in files]


def choose(rng, opset, names=()):
    known = [m for m in EVERY if m.since <= opset and (not names or m.name in names)]
    weights = [m.weight for m in known]
    return known[int(rng.choice(len(known), p=[w / sum(weights) for w in weights]))] if known else None
