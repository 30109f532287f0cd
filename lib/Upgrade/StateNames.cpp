//===- StateNames.cpp - Which output is the next value of which input -----===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StateNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace onnxc;
using llvm::StringRef;

std::optional<llvm::SmallVector<StringRef>> onnxc::matchStars(StringRef pattern,
                                                              StringRef text) {
  size_t star = pattern.find('*');
  if (star == StringRef::npos) {
    if (pattern != text)
      return std::nullopt;
    return llvm::SmallVector<StringRef>();
  }
  if (!text.starts_with(pattern.take_front(star)))
    return std::nullopt;
  StringRef behind = pattern.drop_front(star + 1), rest = text.drop_front(star);
  for (size_t length = 1; length <= rest.size(); ++length)
    if (auto texts = matchStars(behind, rest.drop_front(length))) {
      texts->insert(texts->begin(), rest.take_front(length));
      return texts;
    }
  return std::nullopt;
}

std::string onnxc::fillStars(StringRef pattern,
                             llvm::ArrayRef<StringRef> texts) {
  std::string name;
  for (char c : pattern) {
    if (c != '*') {
      name += c;
      continue;
    }
    name += texts.front();
    texts = texts.drop_front();
  }
  return name;
}

namespace {
struct Rule {
  llvm::StringLiteral output, input;
  /// The input's name must tell that it is a state: the form alone is as much
  /// one of names of other values.
  bool isWeak = false;
};
} // namespace

/// In the order in which they are tried.
static constexpr Rule rules[] = {
    // optimum and onnxruntime-genai: key and value, .decoder. and .encoder.
    // parts, states of convolutions and recurrences of hybrid models.
    {"present.*", "past_key_values.*"},
    {"present.*", "past.*"},
    {"present_key_values.*", "past_key_values.*"},
    {"present_key_values_*", "past_key_values_*"},
    {"present_key_values", "past_key_values"},
    // GPT-2 and Whisper of onnxruntime's exporters.
    {"present_*", "past_*"},
    {"present_*", "past_key_values_*"},
    {"present*", "past*"},
    {"present", "past"},
    // torch: what the module returns, and what it takes.
    {"past_key_values_out.*", "past_key_values.*"},
    {"out_past_key_values.*", "past_key_values.*"},
    {"*.present", "*.past"},
    {"*.present.*", "*.past.*"},
    // Streaming: icefall and sherpa, WeNet, Silero, NeMo.
    {"new_*", "old_*"},
    {"new_*", "prev_*"},
    {"next_*", "prev_*"},
    {"next_*", "past_*"},
    {"next_h0", "h0"},
    {"next_c0", "c0"},
    {"new_h0", "h0"},
    {"new_c0", "c0"},
    {"new_*", "*", true},
    {"next_*", "*", true},
    {"updated_*", "*", true},
    {"r_*", "*", true},
    {"*_next", "*_prev"},
    {"*_next", "*", true},
    {"*_new", "*", true},
    {"stateN", "state"},
    {"hn", "h0"},
    {"cn", "c0"},
    {"hn", "h"},
    {"cn", "c"},
    {"h_n", "h_0"},
    {"c_n", "c_0"},
    {"h_out", "h_in"},
    {"c_out", "c_in"},
    {"h_out", "h"},
    {"c_out", "c"},
    {"*N", "*", true},
    {"*_n", "*_0", true},
    {"*_out", "*_in", true},
    {"*.out", "*.in", true},
    {"*_out", "*", true},
    {"out_*", "in_*", true},
    {"out_*", "*", true},
    {"*_output", "*_input", true},
    {"output_*", "input_*", true},
    {"output_*", "*", true},
};

bool onnxc::isStateName(StringRef name) {
  static constexpr llvm::StringLiteral words[] = {
      "state", "cache", "past", "hidden", "memory", "buffer", "processed",
      "buf",   "ctx",   "lstm", "gru",    "rnn",    "mem",    "kv"};
  std::string lower = name.lower();
  // Of short words, whole ones: "member" is none.
  return llvm::any_of(words, [&](StringRef word) {
    for (size_t at = lower.find(word); at != std::string::npos;
         at = lower.find(word, at + 1)) {
      size_t end = at + word.size();
      if (word.size() > 4 || ((at == 0 || !llvm::isAlpha(lower[at - 1])) &&
                              (end == lower.size() || lower[end] == 's' ||
                               !llvm::isAlpha(lower[end]))))
        return true;
    }
    return false;
  });
}

std::string onnxc::findStateInput(StringRef output,
                                  llvm::function_ref<bool(StringRef)> isInput) {
  for (const Rule &rule : rules)
    if (auto texts = matchStars(rule.output, output)) {
      std::string input = fillStars(rule.input, *texts);
      if (input != output && (!rule.isWeak || isStateName(input)) &&
          isInput(input))
        return input;
    }
  return "";
}
