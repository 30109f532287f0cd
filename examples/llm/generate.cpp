//===- generate.cpp - Tokens behind tokens --------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// generate [options] TOKEN...
// generate [options] -         tokens from the standard input
//
//   --tokens=64                how many at most
//   --stop=NUMBER              a token that ends the text; may be repeated
//   --temperature=0.8 --top-k=40 --top-p=0.95 --repetition-penalty=1 --seed=0
//
// For decoders that were compiled with --state=auto and --last-logits=logits:
// the cache is in the session. The prompt is one run, and then each token is.
// Prints tokens as soon as they are known, and on the standard error how fast
// they came.
//
//===----------------------------------------------------------------------===//

#include "sampler.h"

#include "decoder.h" // written by: onnxc decoder.onnx --state=auto ...
#include <onnxc/onnxc.hpp>
#include <onnxc/states.hpp>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <string>

namespace {
struct Options {
  Sampler sampler;
  std::size_t most_tokens = 64;
  std::vector<std::int64_t> stops, prompt;
};

// All of the text, as a number of the type.
template <typename T> T number(const std::string &text) {
  T value{};
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() ||
      !(value >= T{0}))
    throw std::runtime_error("'" + text + "': expected a number, at least 0");
  return value;
}

Options parse(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    std::size_t equal = word.find('=');
    std::string name = word.substr(0, equal);
    std::string value = equal == word.npos ? "" : word.substr(equal + 1);
    if (word == "-") {
      for (std::string token; std::cin >> token;)
        options.prompt.push_back(number<std::int64_t>(token));
    } else if (name == "--tokens")
      options.most_tokens = number<std::size_t>(value);
    else if (name == "--stop")
      options.stops.push_back(number<std::int64_t>(value));
    else if (name == "--temperature")
      options.sampler.temperature = number<double>(value);
    else if (name == "--top-k")
      options.sampler.top_k = number<std::size_t>(value);
    else if (name == "--top-p")
      options.sampler.top_p = number<double>(value);
    else if (name == "--repetition-penalty") {
      options.sampler.repetition_penalty = number<double>(value);
      if (options.sampler.repetition_penalty == 0)
        throw std::runtime_error(word + ": expected a number above 0");
    } else if (name == "--seed")
      options.sampler.random.seed(number<std::uint64_t>(value));
    else if (word.rfind("--", 0) == 0)
      throw std::runtime_error("there is no option " + word);
    else
      options.prompt.push_back(number<std::int64_t>(word));
  }
  if (options.prompt.empty())
    throw std::runtime_error("expected tokens, or -");
  return options;
}

class Decoder {
public:
  Decoder() : session(decoder_query), states(session) {
    if (states.size() == 0)
      throw std::runtime_error("the model has no states: expected one compiled "
                               "with --state=auto");
  }

  // The logits behind these tokens, which come behind those of before.
  onnxc::Tensor run(const std::vector<std::int64_t> &tokens) {
    std::int64_t count = static_cast<std::int64_t>(tokens.size());
    std::int64_t total = states.length() + count;
    std::vector<onnxc::NamedTensor> inputs = {
        {"input_ids", {tokens, {1, count}}}};
    // Exporters write models that want to be given these, too.
    std::vector<std::int64_t> mask(static_cast<std::size_t>(total), 1);
    std::vector<std::int64_t> positions(tokens.size());
    std::iota(positions.begin(), positions.end(), total - count);
    if (session.model().find_input("attention_mask"))
      inputs.push_back({"attention_mask", {mask, {1, total}}});
    if (session.model().find_input("position_ids"))
      inputs.push_back({"position_ids", {positions, {1, count}}});
    return session.run(inputs)["logits"];
  }

private:
  onnxc::Session session;
  onnxc::States states;
};

void generate(Options options) {
  using Clock = std::chrono::steady_clock;
  auto since = [](Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  Decoder decoder;
  std::vector<std::int64_t> history, next = options.prompt;
  double of_prompt = 0;
  std::size_t made = 0;
  Clock::time_point begin = Clock::now();
  while (made < options.most_tokens) {
    onnxc::Tensor logits = decoder.run(next);
    // With --last-logits these are the last token's; without, the last row's.
    std::size_t count = static_cast<std::size_t>(logits.shape()[2]);
    onnxc::span<const float> all = logits.data<float>();
    const float *end = all.data() + all.size();
    for (std::int64_t token : next)
      if (token >= static_cast<std::int64_t>(count))
        throw std::runtime_error(std::to_string(token) +
                                 ": the model has tokens below " +
                                 std::to_string(count));
    history.insert(history.end(), next.begin(), next.end());
    std::int64_t token = options.sampler.next(end - count, end, history);
    if (made++ == 0) {
      of_prompt = since(begin);
      begin = Clock::now();
    }
    if (std::find(options.stops.begin(), options.stops.end(), token) !=
        options.stops.end())
      break;
    std::printf("%lld\n", static_cast<long long>(token));
    std::fflush(stdout);
    next = {token};
  }
  std::fprintf(stderr, "%zu tokens of the prompt: %.1f ms\n",
               options.prompt.size(), 1e3 * of_prompt);
  if (made > 1)
    std::fprintf(stderr, "then %.1f tokens per second\n",
                 static_cast<double>(made - 1) / since(begin));
}
} // namespace

int main(int argc, char **argv) {
  try {
    generate(parse(argc, argv));
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "generate: %s\n", error.what());
    return 1;
  }
}
