//===- Median.h - The middle one of measured times ------------ -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_ONNXC_MEDIAN_H
#define ONNXC_TOOLS_ONNXC_MEDIAN_H

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <vector>

namespace onnxc {

/// Of an even number of values the upper one of the two in the middle. There
/// must be one.
inline double medianOf(std::vector<double> values) {
  assert(!values.empty() && "no value has no median");
  auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

} // namespace onnxc

#endif // ONNXC_TOOLS_ONNXC_MEDIAN_H
