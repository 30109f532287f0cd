//===- InferShapes.h - Inference for other passes ------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_INFER_INFERSHAPES_H
#define ONNXC_LIB_INFER_INFERSHAPES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace onnxc {

/// Infers the types of results by rules alone: where a rule is violated, the
/// result keeps its type, and no error is reported.
void inferLeniently(mlir::func::FuncOp function);

} // namespace onnxc

#endif // ONNXC_LIB_INFER_INFERSHAPES_H
