//===- DropDropout.h - Dropout that drops nothing ------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_OPTIMIZE_DROPDROPOUT_H
#define ONNXC_LIB_OPTIMIZE_DROPDROPOUT_H

#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Random.h"

namespace onnxc::optimize {

/// Puts its input in the place of a Dropout that is known to drop nothing. A
/// mask that is used becomes a tensor of true.
llvm::LogicalResult dropDropout(mlir::PatternRewriter &rewriter, DropoutOp op,
                                const RewriteOptions &options);

} // namespace onnxc::optimize

#endif // ONNXC_LIB_OPTIMIZE_DROPDROPOUT_H
