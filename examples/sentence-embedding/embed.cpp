//===- embed.cpp - Which sentences mean the same --------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// embed VOCAB.txt SENTENCE...
//
// For models of the BERT family, such as those of sentence-transformers, whose
// output is [sentence, piece, number]: the mean of a sentence's pieces, with
// length 1. Prints the cosine of the angle between each two sentences.
//
//===----------------------------------------------------------------------===//

#include "tokenizer.h"

#include "encoder.h" // written by: onnxc model.onnx -o encoder.a
#include <onnxc/onnxc.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace {
// Sentences of different lengths as one batch.
struct Batch {
  std::int64_t count = 0, length = 0;
  std::vector<std::int64_t> ids, mask, types;

  Batch(const std::vector<std::vector<std::int64_t>> &sentences,
        std::int64_t padding) {
    for (const std::vector<std::int64_t> &sentence : sentences)
      length = std::max(length, static_cast<std::int64_t>(sentence.size()));
    count = static_cast<std::int64_t>(sentences.size());
    for (const std::vector<std::int64_t> &sentence : sentences)
      for (std::size_t i = 0; i < static_cast<std::size_t>(length); ++i) {
        ids.push_back(i < sentence.size() ? sentence[i] : padding);
        mask.push_back(i < sentence.size());
      }
    types.assign(ids.size(), 0);
  }
};

std::vector<std::vector<float>> embed(onnxc::Session &session,
                                      const Batch &batch) {
  onnxc::Shape shape = {batch.count, batch.length};
  std::vector<onnxc::NamedTensor> inputs = {
      {"input_ids", {batch.ids, shape}},
      {"attention_mask", {batch.mask, shape}}};
  // Not all models of the family have it.
  if (session.model().find_input("token_type_ids"))
    inputs.push_back({"token_type_ids", {batch.types, shape}});
  onnxc::Tensor output = session.run(inputs)[0];
  if (output.shape().rank() != 3)
    throw std::runtime_error("expected an output [sentence, piece, number]");
  onnxc::span<const float> states = output.data<float>();
  std::size_t width = static_cast<std::size_t>(output.shape()[2]);
  std::size_t length = static_cast<std::size_t>(batch.length);

  std::vector<std::vector<float>> means;
  for (std::size_t s = 0; s < static_cast<std::size_t>(batch.count); ++s) {
    std::vector<float> mean(width);
    for (std::size_t piece = s * length; piece < (s + 1) * length; ++piece)
      if (batch.mask[piece])
        for (std::size_t i = 0; i < width; ++i)
          mean[i] += states[piece * width + i];
    float squares = 0;
    for (float number : mean)
      squares += number * number;
    for (float &number : mean)
      number /= std::sqrt(squares);
    means.push_back(mean);
  }
  return means;
}
} // namespace

int main(int argc, char **argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: embed VOCAB.txt SENTENCE...\n");
    return 1;
  }
  try {
    Tokenizer tokenizer(argv[1]);
    std::vector<std::vector<std::int64_t>> sentences;
    for (int i = 2; i < argc; ++i)
      sentences.push_back(tokenizer.encode(argv[i]));
    onnxc::Session session(encoder_query);
    std::vector<std::vector<float>> means =
        embed(session, Batch(sentences, tokenizer.padding));
    for (const std::vector<float> &a : means) {
      for (const std::vector<float> &b : means) {
        float cosine = 0;
        for (std::size_t i = 0; i < a.size(); ++i)
          cosine += a[i] * b[i];
        std::printf(" %7.4f", static_cast<double>(cosine));
      }
      std::printf("  %s\n", argv[2 + (&a - means.data())]);
    }
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "embed: %s\n", error.what());
    return 1;
  }
}
