//===- tokenizer.h - The numbers of a text's pieces -------------*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// WordPiece, as BERT models without case use it: a text is split at spaces and
// punctuation, and each word into the longest pieces of the vocabulary. Letters
// beyond ASCII stay as they are (BERT's own tokenizer also removes accents).
//
//===----------------------------------------------------------------------===//

#ifndef EXAMPLE_TOKENIZER_H
#define EXAMPLE_TOKENIZER_H

#include <cctype>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

class Tokenizer {
public:
  // vocab.txt of a model: a piece for each line, whose number is the line's.
  explicit Tokenizer(const std::string &path) {
    std::ifstream file(path);
    if (!file)
      throw std::runtime_error(path + ": cannot be read");
    for (std::string piece; std::getline(file, piece);) {
      if (!piece.empty() && piece.back() == '\r')
        piece.pop_back();
      std::int64_t number = static_cast<std::int64_t>(pieces.size());
      pieces.emplace(piece, number);
    }
    unknown = number_of("[UNK]", path);
    begin = number_of("[CLS]", path);
    end = number_of("[SEP]", path);
    padding = number_of("[PAD]", path);
  }

  // [CLS], the pieces, at most most_pieces of them, and [SEP].
  std::vector<std::int64_t> encode(const std::string &text,
                                   std::size_t most_pieces = 510) const {
    std::vector<std::int64_t> numbers = {begin};
    std::string word;
    auto end_word = [&] {
      if (!word.empty())
        append_pieces(word, numbers);
      word.clear();
    };
    for (char character : text) {
      unsigned char byte = static_cast<unsigned char>(character);
      if (byte < 128 && (std::isspace(byte) || std::ispunct(byte))) {
        end_word();
        if (std::ispunct(byte))
          append_pieces(std::string(1, character), numbers);
      } else
        word += byte < 128 ? static_cast<char>(std::tolower(byte)) : character;
    }
    end_word();
    if (numbers.size() > most_pieces + 1)
      numbers.resize(most_pieces + 1);
    numbers.push_back(end);
    return numbers;
  }

  std::int64_t padding = 0;

private:
  std::int64_t number_of(const std::string &piece,
                         const std::string &path) const {
    auto found = pieces.find(piece);
    if (found == pieces.end())
      throw std::runtime_error(path + ": has no " + piece);
    return found->second;
  }

  // The longest pieces from the left; a word with a part that has none is
  // unknown.
  void append_pieces(const std::string &word,
                     std::vector<std::int64_t> &numbers) const {
    std::vector<std::int64_t> found_pieces;
    for (std::size_t from = 0; from < word.size();) {
      std::size_t length = word.size() - from;
      auto found = pieces.end();
      for (; length > 0 && found == pieces.end(); --length)
        found = pieces.find((from ? "##" : "") + word.substr(from, length));
      if (found == pieces.end()) {
        numbers.push_back(unknown);
        return;
      }
      found_pieces.push_back(found->second);
      from += length + 1;
    }
    numbers.insert(numbers.end(), found_pieces.begin(), found_pieces.end());
  }

  std::unordered_map<std::string, std::int64_t> pieces;
  std::int64_t unknown = 0, begin = 0, end = 0;
};

#endif // EXAMPLE_TOKENIZER_H
