//===- Difference.cpp - How two arrays differ -----------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Difference.h"

#include "Arguments.h"
#include "RunValues.h"

#include "onnxc/Load/LoadedModel.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace llvm;
using namespace onnxc;

Tolerance::Tolerance(const Arguments &arguments)
    : relative(arguments.getFraction(OPT_rtol)),
      absolute(arguments.getFraction(OPT_atol).value_or(1e-5)) {}

double Tolerance::getRelative(int32_t dtype) const {
  if (relative)
    return *relative;
  switch (dtype) {
  case ONNXC_FLOAT16:
    return 1e-2;
  case ONNXC_BFLOAT16:
    return 5e-2;
  case ONNXC_DOUBLE:
  case ONNXC_COMPLEX128:
    return 1e-6;
  default:
    return 1e-3;
  }
}

template <typename T, typename Convert>
static std::vector<double> readAll(const Array &array, Convert convert) {
  std::vector<double> result;
  result.reserve(array.data.size() / sizeof(T));
  for (size_t at = 0; at + sizeof(T) <= array.data.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, array.data.data() + at, sizeof(T));
    result.push_back(convert(value));
  }
  return result;
}

template <typename T> static std::vector<double> readAll(const Array &array) {
  return readAll<T>(array, [](T value) { return static_cast<double>(value); });
}

static std::vector<double> readHalves(const Array &array,
                                      const fltSemantics &semantics) {
  return readAll<uint16_t>(array, [&](uint16_t bits) {
    APFloat value(semantics, APInt(16, bits));
    bool ignored;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                  &ignored);
    return value.convertToDouble();
  });
}

std::vector<double> onnxc::toNumbers(const Array &array) {
  switch (array.dtype) {
  case ONNXC_FLOAT:
  case ONNXC_COMPLEX64:
    return readAll<float>(array);
  case ONNXC_DOUBLE:
  case ONNXC_COMPLEX128:
    return readAll<double>(array);
  case ONNXC_FLOAT16:
    return readHalves(array, APFloat::IEEEhalf());
  case ONNXC_BFLOAT16:
    return readHalves(array, APFloat::BFloat());
  case ONNXC_BOOL:
  case ONNXC_UINT8:
  case ONNXC_UINT4:
  case ONNXC_UINT2:
    return readAll<uint8_t>(array);
  case ONNXC_INT8:
  case ONNXC_INT4:
  case ONNXC_INT2:
    return readAll<int8_t>(array);
  case ONNXC_INT16:
    return readAll<int16_t>(array);
  case ONNXC_UINT16:
    return readAll<uint16_t>(array);
  case ONNXC_INT32:
    return readAll<int32_t>(array);
  case ONNXC_UINT32:
    return readAll<uint32_t>(array);
  case ONNXC_INT64:
    return readAll<int64_t>(array);
  case ONNXC_UINT64:
    return readAll<uint64_t>(array);
  default:
    return {};
  }
}

static bool isFloat(int32_t dtype) {
  return is_contained<int32_t>({ONNXC_FLOAT, ONNXC_DOUBLE, ONNXC_FLOAT16,
                                ONNXC_BFLOAT16, ONNXC_COMPLEX64,
                                ONNXC_COMPLEX128},
                               dtype);
}

/// "[0,2]" of the element at this place in row-major order.
static std::string describePlace(ArrayRef<int64_t> shape, uint64_t at) {
  SmallVector<std::string> indices(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    auto size = static_cast<uint64_t>(std::max<int64_t>(shape[i], 1));
    indices[i] = std::to_string(at % size);
    at /= size;
  }
  return "[" + join(indices, ",") + "]";
}

/// With so many digits.
static std::string spell(double number, int digits) {
  std::string text;
  raw_string_ostream(text) << format("%.*g", digits, number);
  return text;
}

namespace {
/// How many elements differ, and which one is said.
struct Differing {
  uint64_t count = 0, first = 0;
};
} // namespace

static std::string describeCount(const Differing &differing, uint64_t of) {
  return "; " + std::to_string(differing.count) + " of " + std::to_string(of) +
         (of == 1 ? " element differs" : " elements differ");
}

/// Of elements that have to be the same.
static std::string compareExactly(const Array &got, const Array &want,
                                  StringRef source) {
  Differing differing;
  const bool isText = got.dtype == ONNXC_STRING;
  const uint64_t count = got.size();
  for (uint64_t i = 0; i < count; ++i) {
    bool same = isText ? got.strings[i] == want.strings[i]
                       : !std::memcmp(got.data.data() + i * got.itemSize,
                                      want.data.data() + i * got.itemSize,
                                      got.itemSize);
    if (!same && differing.count++ == 0)
      differing.first = i;
  }
  if (!differing.count)
    return "";
  auto spellElement = [&](const Array &array) -> std::string {
    if (isText)
      return "'" + array.strings[differing.first] + "'";
    Array typed = array;
    typed.dtype = got.dtype;
    std::vector<double> numbers = toNumbers(typed);
    if (numbers.empty())
      return "0x" + toHex(StringRef(array.data.data() +
                                        differing.first * array.itemSize,
                                    array.itemSize));
    return spell(numbers[differing.first], 17);
  };
  return "element " + describePlace(got.shape, differing.first) + " is " +
         spellElement(got) + ", " + source.str() + " has " +
         spellElement(want) + describeCount(differing, count);
}

static std::string compareNumbers(const Array &got, const Array &want,
                                  StringRef source, const Tolerance &tolerance,
                                  double &worst) {
  Array typed = want;
  typed.dtype = got.dtype;
  std::vector<double> mine = toNumbers(got), other = toNumbers(typed);
  double greatest = 0, most = 0;
  for (double value : other)
    if (std::isfinite(value))
      greatest = std::max(greatest, std::abs(value));
  const double allowed =
      tolerance.getRelative(got.dtype) * greatest + tolerance.absolute;
  Differing differing;
  for (size_t i = 0; i < mine.size(); ++i) {
    if (mine[i] == other[i] || (std::isnan(mine[i]) && std::isnan(other[i])))
      continue;
    double difference = std::abs(mine[i] - other[i]);
    if (std::isnan(difference))
      difference = INFINITY;
    if (difference > allowed)
      ++differing.count;
    if (difference > most) {
      most = difference;
      differing.first = i;
    }
  }
  worst = std::max(worst, greatest > 0 ? most / greatest : most);
  if (!differing.count)
    return "";
  const uint64_t parts = mine.size() / std::max<uint64_t>(got.size(), 1);
  return "element " + describePlace(got.shape, differing.first / parts) +
         " is " + spell(mine[differing.first], 7) + ", " + source.str() +
         " has " + spell(other[differing.first], 7) + ": a difference of " +
         spell(most, 3) + ", at most " + spell(allowed, 3) + " is allowed" +
         describeCount(differing, mine.size());
}

std::string onnxc::describeDifference(const Array &got, const Array &want,
                                      StringRef source,
                                      const Tolerance &tolerance,
                                      double &worst) {
  if (got.shape != want.shape || !standsFor(want, got.dtype))
    return "is " + describeTensor(got.dtype, got.shape) + ", " + source.str() +
           " has " + describeTensor(want.dtype, want.shape);
  return isFloat(got.dtype)
             ? compareNumbers(got, want, source, tolerance, worst)
             : compareExactly(got, want, source);
}

std::string onnxc::describeDifferences(StringRef what, const NamedArrays &got,
                                       const NamedArrays &want,
                                       StringRef source,
                                       const Tolerance &tolerance,
                                       double &worst) {
  std::string text;
  for (const auto &[name, array] : want) {
    StringRef wanted = name;
    auto mine =
        find_if(got, [&](const auto &entry) { return entry.first == wanted; });
    std::string wrong;
    if (mine == got.end())
      wrong = "is in " + source.str() + ", and the model has no such; it has " +
              join(map_range(got,
                             [](const auto &entry) {
                               return "'" + entry.first + "'";
                             }),
                   ", ");
    else
      wrong = describeDifference(mine->second, array, source, tolerance, worst);
    if (!wrong.empty())
      text += (what + " '" + name + "': " + wrong + "\n").str();
  }
  return text;
}

Expected<NamedArrays> onnxc::readExpected(StringRef path, StringRef only) {
  if (!path.ends_with(".npy"))
    return readNpzFile(path);
  Expected<Array> array = readNpyFile(path);
  if (!array)
    return array.takeError();
  if (only.empty())
    return createStringError(path + ": is the array of one output, and the "
                                    "model has several, expected a .npz file");
  NamedArrays arrays;
  arrays.emplace_back(only.str(), std::move(*array));
  return arrays;
}
