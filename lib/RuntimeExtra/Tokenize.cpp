//===- Tokenize.cpp - Tokens by regular expressions -----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// By RE2.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Runtime/Extra.h"

#include <re2/re2.h>

#include <algorithm>
#include <memory>
#include <vector>

using re2::RE2;
using re2::StringPiece;

namespace {
bool isFirstByte(char byte) { return (byte & 0xc0) != 0x80; }

/// Where the character at `at` ends.
size_t skipCharacter(StringPiece text, size_t at) {
  do
    ++at;
  while (at < text.size() && !isFirstByte(text[at]));
  return at;
}

/// Calls `visit` with the bounds of each match of at least a character. Where
/// there is only an empty one, the search goes on behind the next character,
/// which `skip` is given.
template <typename Visit, typename Skip>
void forEachMatch(const RE2 &expression, StringPiece text, Visit visit,
                  Skip skip) {
  StringPiece match;
  size_t at = 0;
  while (at < text.size() &&
         expression.Match(text, at, text.size(), RE2::UNANCHORED, &match, 1)) {
    size_t begin = match.data() - text.data();
    at = begin + match.size();
    if (!match.empty()) {
      visit(begin, at);
      continue;
    }
    if (at == text.size())
      break;
    at = skipCharacter(text, at);
    skip(begin, at);
  }
}

/// What lies between matches. A character where a separator matches nothing
/// separates, too.
void separate(const RE2 &expression, StringPiece text,
              std::vector<StringPiece> &pieces) {
  size_t start = 0;
  auto cut = [&](size_t begin, size_t end) {
    if (begin > start)
      pieces.push_back(text.substr(start, begin - start));
    start = end;
  };
  forEachMatch(expression, text, cut, cut);
  cut(text.size(), text.size());
}
} // namespace

int onnxc_extra_tokenize(const char *const *patterns, int64_t num_patterns,
                         int is_separated, int64_t least,
                         const char *const *texts, int64_t count,
                         onnxc_extra_take *take, void *user) {
  // Callers are C and cannot catch.
  try {
    RE2::Options options;
    options.set_log_errors(false);
    options.set_longest_match(true);
    std::vector<std::unique_ptr<RE2>> expressions;
    for (int64_t i = 0; i < num_patterns; ++i) {
      expressions.push_back(std::make_unique<RE2>(patterns[i], options));
      if (!expressions.back()->ok())
        return 1;
    }
    for (int64_t i = 0; i < count; ++i) {
      auto takeIfLong = [&](StringPiece token) {
        if (std::count_if(token.begin(), token.end(), isFirstByte) >= least)
          take(user, i, token.data(), token.size());
      };
      StringPiece text(texts[i]);
      if (!is_separated) {
        for (const std::unique_ptr<RE2> &expression : expressions)
          forEachMatch(
              *expression, text,
              [&](size_t begin, size_t end) {
                takeIfLong(text.substr(begin, end - begin));
              },
              [](size_t, size_t) {});
        continue;
      }
      std::vector<StringPiece> pieces{text}, smaller;
      for (const std::unique_ptr<RE2> &expression : expressions) {
        smaller.clear();
        for (StringPiece piece : pieces)
          separate(*expression, piece, smaller);
        pieces.swap(smaller);
      }
      for (StringPiece piece : pieces)
        if (!piece.empty())
          takeIfLong(piece);
    }
    return 0;
  } catch (...) {
    return 1;
  }
}
