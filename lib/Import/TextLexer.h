//===- TextLexer.h - Tokens of ONNX's textual syntax ---------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_IMPORT_TEXTLEXER_H
#define ONNXC_LIB_IMPORT_TEXTLEXER_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace onnxc {

struct Token {
  enum Kind {
    End,
    /// Letters, digits and underscores; also inf, infinity and nan.
    Identifier,
    /// With its sign.
    Integer,
    Float,
    /// `text` is what is between the quotes, with the escapes.
    String,
    /// =>
    Arrow,
    /// One character.
    Punctuation,
    /// `text` is what is wrong.
    Error
  };
  Kind kind = End;
  llvm::StringRef text;
  /// Where the token begins.
  size_t offset = 0;

  bool is(char c) const { return kind == Punctuation && text.front() == c; }
};

/// Whether an identifier, or what follows a minus, is a number all the same.
bool isSpecialFloat(llvm::StringRef word);

/// What a string stands for: a backslash makes the character behind it plain.
std::string unescape(llvm::StringRef text);

class TextLexer {
public:
  explicit TextLexer(llvm::StringRef source) : source(source) {}

  Token lex();
  /// "line 3, column 14".
  std::string describePosition(size_t offset) const;

private:
  void skipSpace();
  Token make(Token::Kind kind, size_t begin) const {
    return {kind, source.slice(begin, position), begin};
  }
  Token lexString();
  Token lexNumber();

  llvm::StringRef source;
  size_t position = 0;
};

} // namespace onnxc

#endif // ONNXC_LIB_IMPORT_TEXTLEXER_H
