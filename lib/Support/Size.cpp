//===- Size.cpp - Numbers with symbols in them ----------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Support/Size.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>
#include <utility>

using namespace llvm;
using namespace onnxc;

/// More terms are not readable.
static constexpr size_t maxTerms = 24;
/// Nor longer names, of rounded quotients of rounded quotients.
static constexpr size_t maxNameLength = 60;

Size::Size(int64_t number) : isKnown(true) { add({}, number); }

Size Size::symbol(StringRef name) {
  Size size(0);
  size.add({name.str()}, 1);
  return size;
}

void Size::add(const Product &product, int64_t factor) {
  int64_t &sum = terms[product];
  if (AddOverflow(sum, factor, sum))
    isKnown = false;
  if (sum == 0)
    terms.erase(product);
  if (terms.size() > maxTerms)
    isKnown = false;
}

std::optional<int64_t> Size::getNumber() const {
  if (!isKnown || terms.size() > 1)
    return std::nullopt;
  if (terms.empty())
    return 0;
  const auto &[product, factor] = *terms.begin();
  return product.empty() ? std::optional<int64_t>(factor) : std::nullopt;
}

/// A symbol for what is not a polynomial.
Size Size::makeSymbol(const std::string &name) {
  return name.size() > maxNameLength ? Size() : symbol(name);
}

Size Size::choose(const Size &a, const Size &b, bool wantsMin) {
  if (a.isUnknown() || b.isUnknown())
    return Size();
  if (std::optional<int64_t> x = a.getNumber())
    if (std::optional<int64_t> y = b.getNumber())
      return wantsMin ? std::min(*x, *y) : std::max(*x, *y);
  for (auto [greater, least] : {std::pair(&a, &b), std::pair(&b, &a)})
    if (std::optional<int64_t> bound = least->getNumber();
        *greater == *least ||
        (bound && *bound <= 1 && greater->isNonNegative()))
      return wantsMin ? *least : *greater;
  return makeSymbol((wantsMin ? "min(" : "max(") + a.print() + ", " +
                    b.print() + ")");
}

Size Size::min(const Size &a, const Size &b) {
  return choose(a, b, /*wantsMin=*/true);
}

Size Size::max(const Size &a, const Size &b) {
  return choose(a, b, /*wantsMin=*/false);
}

double Size::estimate(double symbols) const {
  double sum = 0;
  if (isKnown)
    for (const auto &[product, factor] : terms)
      sum += static_cast<double>(factor) *
             std::pow(symbols, static_cast<double>(product.size()));
  return sum;
}

bool Size::isNonNegative() const {
  return isKnown &&
         all_of(terms, [](const auto &term) { return term.second >= 0; });
}

std::optional<int64_t> Size::getLowerBound(int64_t symbols) const {
  if (!isKnown)
    return std::nullopt;
  int64_t bound = 0;
  for (const auto &[product, factor] : terms) {
    if (!product.empty() && factor < 0)
      return std::nullopt;
    int64_t least = factor;
    for (size_t i = 0; i < product.size(); ++i)
      if (MulOverflow(least, symbols, least))
        return std::nullopt;
    if (AddOverflow(bound, least, bound))
      return std::nullopt;
  }
  return bound;
}

bool Size::isMultipleOf(int64_t number) const {
  return isKnown && number > 0 && all_of(terms, [&](const auto &term) {
           return term.second % number == 0;
         });
}

bool Size::hasSymbol(function_ref<bool(StringRef)> test) const {
  return any_of(terms,
                [&](const auto &term) { return any_of(term.first, test); });
}

Size Size::operator+(const Size &other) const {
  if (!isKnown || !other.isKnown)
    return Size();
  Size sum = *this;
  for (const auto &[product, factor] : other.terms)
    sum.add(product, factor);
  return sum;
}

Size Size::operator-(const Size &other) const {
  return *this + other * Size(-1);
}

Size Size::operator*(const Size &other) const {
  if (!isKnown || !other.isKnown)
    return Size();
  Size result(0);
  for (const auto &[a, x] : terms)
    for (const auto &[b, y] : other.terms) {
      Product both;
      std::merge(a.begin(), a.end(), b.begin(), b.end(),
                 std::back_inserter(both));
      int64_t factor;
      if (MulOverflow(x, y, factor))
        return Size();
      result.add(both, factor);
    }
  return result;
}

Size Size::divide(const Size &other, StringRef rounding) const {
  if (!isKnown || !other.isKnown || other.terms.size() != 1)
    return Size();
  const auto &[divisor, number] = *other.terms.begin();
  if (number <= 0)
    return Size();
  Size quotient(0);
  bool isExact = true;
  for (const auto &[product, factor] : terms) {
    isExact &=
        factor % number == 0 && std::includes(product.begin(), product.end(),
                                              divisor.begin(), divisor.end());
    if (!isExact)
      break;
    Product rest;
    std::set_difference(product.begin(), product.end(), divisor.begin(),
                        divisor.end(), std::back_inserter(rest));
    quotient.add(rest, factor / number);
  }
  if (isExact)
    return quotient;
  if (std::optional<int64_t> whole = getNumber(); whole && divisor.empty())
    return rounding == "floor" ? divideFloorSigned(*whole, number)
                               : divideCeilSigned(*whole, number);
  return makeSymbol(
      (rounding + "((" + print() + ")/" + other.print() + ")").str());
}

/// By falling powers, then by name.
std::vector<std::pair<Size::Product, int64_t>> Size::sorted() const {
  std::vector<std::pair<Product, int64_t>> result(terms.begin(), terms.end());
  sort(result, [](const auto &a, const auto &b) {
    return a.first.size() != b.first.size() ? a.first.size() > b.first.size()
                                            : a.first < b.first;
  });
  return result;
}

std::string Size::print() const {
  if (!isKnown)
    return "?";
  std::string text;
  for (const auto &[product, factor] : sorted()) {
    if (!text.empty())
      text += factor < 0 ? " - " : " + ";
    else if (factor < 0)
      text += "-";
    // -INT64_MIN is not a number.
    uint64_t magnitude = factor < 0 ? -static_cast<uint64_t>(factor)
                                    : static_cast<uint64_t>(factor);
    bool hasNumber = magnitude != 1 || product.empty();
    if (hasNumber)
      text += std::to_string(magnitude);
    for (const std::string &symbol : product)
      text += (hasNumber || &symbol != &product.front() ? "*" : "") + symbol;
  }
  return text.empty() ? "0" : text;
}

std::string onnxc::printRounded(double number) {
  constexpr StringLiteral units[] = {"", " k", " M", " G", " T", " P"};
  size_t unit = 0;
  while (std::abs(number) >= 999.5 && unit + 1 < std::size(units)) {
    number /= 1000;
    ++unit;
  }
  int digits = unit == 0 || std::abs(number) >= 99.95 ? 0
               : std::abs(number) >= 9.995            ? 1
                                                      : 2;
  return (digits == 0   ? formatv("{0:f0}", number).str()
          : digits == 1 ? formatv("{0:f1}", number).str()
                        : formatv("{0:f2}", number).str()) +
         units[unit].str();
}

std::string Size::printRounded() const {
  if (!isKnown)
    return "?";
  std::string text;
  for (const auto &[product, factor] : sorted()) {
    if (!text.empty())
      text += factor < 0 ? " - " : " + ";
    else if (factor < 0)
      text += "-";
    bool hasNumber = std::abs(factor) != 1 || product.empty();
    if (hasNumber)
      text += onnxc::printRounded(std::abs(static_cast<double>(factor)));
    bool isFirst = !hasNumber;
    for (size_t i = 0; i < product.size();) {
      size_t power = 1;
      while (i + power < product.size() && product[i + power] == product[i])
        ++power;
      text += (std::exchange(isFirst, false) ? "" : " ") + product[i] +
              (power == 1   ? ""
               : power == 2 ? "²"
               : power == 3 ? "³"
                            : "^" + std::to_string(power));
      i += power;
    }
  }
  return text.empty() ? "0" : text;
}
