//===- sampler.h - The next token from logits -------------------*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As sampling.py.
//
//===----------------------------------------------------------------------===//

#ifndef EXAMPLE_SAMPLER_H
#define EXAMPLE_SAMPLER_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

struct Sampler {
  // 0: the most likely token, always; smaller than 1: likely ones more often.
  double temperature = 0.8;
  // Among so many most likely ones; 0: among all.
  std::size_t top_k = 40;
  // Among the most likely ones that have this probability together.
  double top_p = 0.95;
  // Logits of tokens that occurred are divided by it, or multiplied if they are
  // negative.
  double repetition_penalty = 1;
  std::mt19937_64 random;

  std::vector<double>
  probabilities(const float *begin, const float *end,
                const std::vector<std::int64_t> &history) const {
    std::vector<double> logits(begin, end);
    std::vector<std::int64_t> occurred(history);
    std::sort(occurred.begin(), occurred.end());
    occurred.erase(std::unique(occurred.begin(), occurred.end()),
                   occurred.end());
    for (std::int64_t token : occurred) {
      double &logit = logits.at(static_cast<std::size_t>(token));
      logit =
          logit > 0 ? logit / repetition_penalty : logit * repetition_penalty;
    }

    // The most likely ones first; of equal ones, that with the smaller number.
    std::vector<std::size_t> order(logits.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::size_t count = order.size();
    if (temperature <= 0)
      count = 1;
    else if (top_k > 0)
      count = std::min(count, top_k);
    std::partial_sort(
        order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count),
        order.end(), [&](std::size_t a, std::size_t b) {
          return logits[a] > logits[b] || (logits[a] == logits[b] && a < b);
        });
    order.resize(count);

    double highest = logits[order.front()], all = 0, enough = 0;
    std::vector<double> result(logits.size());
    for (std::size_t token : order)
      all += result[token] = std::exp((logits[token] - highest) /
                                      (temperature > 0 ? temperature : 1));
    // The first one with which there are enough is in.
    auto last = order.begin();
    while (last != order.end() &&
           (last == order.begin() || enough < top_p * all))
      enough += result[*last++];
    for (std::size_t token : order)
      result[token] /= enough;
    for (; last != order.end(); ++last)
      result[*last] = 0;
    return result;
  }

  std::int64_t next(const float *begin, const float *end,
                    const std::vector<std::int64_t> &history) {
    std::vector<double> chances = probabilities(begin, end, history);
    // The same numbers from every C++ library, unlike its distributions.
    double at = static_cast<double>(random() >> 11) * 0x1p-53;
    std::int64_t last = 0;
    for (std::size_t token = 0; token < chances.size(); ++token) {
      if (chances[token] > 0)
        last = static_cast<std::int64_t>(token);
      at -= chances[token];
      if (at < 0)
        break;
    }
    return last;
  }
};

#endif // EXAMPLE_SAMPLER_H
