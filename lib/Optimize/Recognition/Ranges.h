//===- Ranges.h - Between which numbers values lie ------------ -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_OPTIMIZE_RANGES_H
#define ONNXC_LIB_OPTIMIZE_RANGES_H

#include "mlir/IR/Value.h"
#include <optional>

namespace onnxc::optimize {

/// Finite bounds of all elements, none of which is NaN.
struct ElementBounds {
  double low, high;
};

/// What is known of the numbers of a tensor whatever the model is run on; it
/// follows constants, comparisons, and what is computed from them, as masks
/// are.
std::optional<ElementBounds> getRange(mlir::Value value);

} // namespace onnxc::optimize

#endif // ONNXC_LIB_OPTIMIZE_RANGES_H
