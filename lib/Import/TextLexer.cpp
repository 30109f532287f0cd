//===- TextLexer.cpp - Tokens of ONNX's textual syntax --------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TextLexer.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace onnxc;

static bool isWordCharacter(char c) { return isAlnum(c) || c == '_'; }

bool onnxc::isSpecialFloat(StringRef word) {
  return word.equals_insensitive("inf") ||
         word.equals_insensitive("infinity") || word.equals_insensitive("nan");
}

std::string onnxc::unescape(StringRef text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size())
      ++i;
    plain += text[i];
  }
  return plain;
}

std::string TextLexer::describePosition(size_t offset) const {
  StringRef before = source.take_front(offset);
  size_t line = before.rfind('\n');
  size_t column = line == StringRef::npos ? offset : offset - line - 1;
  return ("line " + Twine(before.count('\n') + 1) + ", column " +
          Twine(column + 1))
      .str();
}

void TextLexer::skipSpace() {
  while (position < source.size()) {
    if (isSpace(source[position]))
      ++position;
    else if (source[position] == '#')
      position = std::min(source.find('\n', position), source.size());
    else
      return;
  }
}

Token TextLexer::lexString() {
  size_t begin = position++;
  while (position < source.size() && source[position] != '"')
    position += source[position] == '\\' ? 2 : 1;
  if (position >= source.size()) {
    position = source.size();
    return {Token::Error, "the string is not closed", begin};
  }
  ++position;
  return {Token::String, source.slice(begin + 1, position - 1), begin};
}

/// Digits with a point and an exponent among them, or a name of a number.
Token TextLexer::lexNumber() {
  size_t begin = position;
  if (source[position] == '-')
    ++position;
  StringRef rest = source.drop_front(position);
  StringRef word = rest.take_while(isWordCharacter);
  if (isSpecialFloat(word)) {
    position += word.size();
    return make(Token::Float, begin);
  }
  auto skipDigits = [&] {
    size_t from = position;
    while (position < source.size() && isDigit(source[position]))
      ++position;
    return position > from;
  };
  auto skipAny = [&](StringRef characters) {
    bool found =
        position < source.size() && characters.contains(source[position]);
    position += found;
    return found;
  };
  if (!skipDigits())
    return {Token::Error, "expected a number after '-'", begin};
  bool isFloat = skipAny(".");
  if (isFloat)
    skipDigits();
  if (skipAny("eE")) {
    isFloat = true;
    skipAny("+-");
    if (!skipDigits())
      return {Token::Error, "the exponent has no digits", begin};
  }
  return make(isFloat ? Token::Float : Token::Integer, begin);
}

Token TextLexer::lex() {
  skipSpace();
  size_t begin = position;
  if (begin == source.size())
    return {Token::End, "", begin};
  char c = source[begin];
  if (c == '"')
    return lexString();
  if (isDigit(c) || c == '-')
    return lexNumber();
  if (isWordCharacter(c)) {
    position += source.drop_front(begin).take_while(isWordCharacter).size();
    return make(Token::Identifier, begin);
  }
  if (source.drop_front(begin).starts_with("=>")) {
    position += 2;
    return make(Token::Arrow, begin);
  }
  ++position;
  if (StringRef("<>()[]{},:=.@?").contains(c))
    return make(Token::Punctuation, begin);
  return {Token::Error, "unexpected character", begin};
}
