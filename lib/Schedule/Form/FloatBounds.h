//===- FloatBounds.h - How large numbers in a loop's body can be *- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_FORM_FLOATBOUNDS_H
#define ONNXC_LIB_SCHEDULE_FORM_FLOATBOUNDS_H

#include "mlir/IR/Value.h"

#include <optional>

namespace onnxc {

/// A bound of the magnitude of a scalar in the body of a linalg.generic or the
/// epilogue of a kernel, whatever the operands hold that are not constants.
/// Where there is one, neither the scalar nor anything that it was made of is
/// NaN or infinite. Integers start all chains; a float that is read from memory
/// has no bound unless all of its tensor is known.
std::optional<double> findBound(mlir::Value scalar);

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_FORM_FLOATBOUNDS_H
