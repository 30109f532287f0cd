# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The next token from the logits of the last one; sampler.h does the same in C++."""

import numpy as np


class Sampler:
    """temperature       0: the most likely token, always; smaller than 1: likely ones more often
    top_k                among so many most likely ones; 0: among all
    top_p                among the most likely ones that have this probability together
    repetition_penalty   logits of tokens that occurred are divided by it, or multiplied if they are negative"""

    def __init__(self, temperature=0.8, top_k=40, top_p=0.95, repetition_penalty=1.0, seed=None):
        self.temperature, self.top_k, self.top_p = temperature, top_k, top_p
        self.repetition_penalty = repetition_penalty
        self._random = np.random.default_rng(seed)

    def probabilities(self, logits, history):
        logits = np.array(logits, np.float64)
        occurred = np.unique(np.asarray(history, np.int64))
        if occurred.size:
            past = logits[occurred]
            logits[occurred] = np.where(past > 0, past / self.repetition_penalty, past * self.repetition_penalty)
        order = np.argsort(-logits, kind="stable")
        if self.temperature <= 0:
            order = order[:1]
        elif self.top_k > 0:
            order = order[:self.top_k]
        chances = np.exp((logits[order] - logits[order[0]]) / (self.temperature or 1))
        chances /= chances.sum()
        # The first one with which there are enough is in.
        count = 1 + np.count_nonzero(np.cumsum(chances)[:-1] < self.top_p)
        result = np.zeros(logits.size)
        result[order[:count]] = chances[:count] / chances[:count].sum()
        return result

    def next(self, logits, history):
        chances = self.probabilities(logits, history)
        return int(self._random.choice(chances.size, p=chances))
