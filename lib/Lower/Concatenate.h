//===- Concatenate.h - Tensors behind one another ------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_LOWER_CONCATENATE_H
#define ONNXC_LIB_LOWER_CONCATENATE_H

#include "Lowering.h"

namespace onnxc {

/// The parts behind one another along `axis`. `sizes` are those of the result;
/// the parts have been checked to have them, but for `axis`.
mlir::Value concatenate(Lowering &l, mlir::ValueRange parts, int64_t axis,
                        const Sizes &sizes);

} // namespace onnxc

#endif // ONNXC_LIB_LOWER_CONCATENATE_H
