//===- Size.h - Numbers with symbols in them ------------------ -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_SUPPORT_SIZE_H
#define ONNXC_SUPPORT_SIZE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace onnxc {

/// A polynomial over symbols with integer coefficients: how many elements a
/// tensor has whose sizes a model leaves open, or how much work a node is.
/// What is not known at all, or has too many terms, or does not fit into 63
/// bits, is "unknown", and so is all that is computed from it.
class Size {
public:
  /// Unknown.
  Size() = default;
  Size(int64_t number);
  static Size symbol(llvm::StringRef name);

  bool isUnknown() const { return !isKnown; }
  std::optional<int64_t> getNumber() const;
  /// Whether every coefficient is positive or 0, so that the value is, too.
  bool isNonNegative() const;

  /// A number that the value is not below if no symbol is below `symbols` (0 or
  /// more); nullopt if none is found.
  std::optional<int64_t> getLowerBound(int64_t symbols) const;
  /// Whether every coefficient is a multiple of the positive number.
  bool isMultipleOf(int64_t number) const;
  bool hasSymbol(llvm::function_ref<bool(llvm::StringRef)> test) const;

  Size operator+(const Size &other) const;
  Size operator-(const Size &other) const;
  Size operator*(const Size &other) const;
  /// The quotient where it is a polynomial, too; a symbol of its own, rounded
  /// down (up), elsewhere.
  Size floorDiv(const Size &other) const { return divide(other, "floor"); }
  Size ceilDiv(const Size &other) const { return divide(other, "ceil"); }
  /// One of the two where that is known of all numbers from 1 on; else a symbol
  /// of its own.
  static Size min(const Size &a, const Size &b);
  static Size max(const Size &a, const Size &b);
  bool operator==(const Size &other) const {
    return isKnown && other.isKnown && terms == other.terms;
  }
  /// Some order, by which sizes are kept in sets.
  bool operator<(const Size &other) const {
    return std::tie(isKnown, terms) < std::tie(other.isKnown, other.terms);
  }

  /// The value with one number for all symbols; 0 if it is unknown.
  double estimate(double symbols) const;

  /// "768*batch*seq + 12", the highest powers first; "?" if it is unknown.
  std::string print() const;
  /// The same to two or three digits: "85.1 M batch seq + 18.4 k batch seq²".
  std::string printRounded() const;

private:
  /// The symbols of a product, sorted; each as often as its power says.
  using Product = std::vector<std::string>;
  std::vector<std::pair<Product, int64_t>> sorted() const;
  static Size choose(const Size &a, const Size &b, bool wantsMin);
  static Size makeSymbol(const std::string &name);
  Size divide(const Size &other, llvm::StringRef rounding) const;
  void add(const Product &product, int64_t factor);

  bool isKnown = false;
  std::map<Product, int64_t> terms;
};

/// "1.82 G", to three digits.
std::string printRounded(double number);

} // namespace onnxc

#endif // ONNXC_SUPPORT_SIZE_H
