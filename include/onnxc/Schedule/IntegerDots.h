//===- IntegerDots.h - What integer instructions are for ------ -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_SCHEDULE_INTEGERDOTS_H
#define ONNXC_SCHEDULE_INTEGERDOTS_H

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace onnxc {

class TargetAttr;

/// Whether onnxc-form-integer-dots makes sums of 8-bit products out of the
/// lowered `module`, for which processors have instructions of their own.
/// Depthwise convolutions, whose products are not summed, do not count.
bool hasIntegerDots(mlir::ModuleOp module, TargetAttr target);

/// The same for onnxc-form-block-dots: rows of bytes that are made as the model
/// runs, by weights in blocks.
bool hasBlockDots(mlir::ModuleOp module, TargetAttr target);

/// Whether onnxc-form-block-matmuls makes products of more than a few rows of
/// floats, or of an open number of them, by narrow weights, and the target has
/// tile registers for these.
bool hasBlockMatmuls(mlir::ModuleOp module, TargetAttr target);

} // namespace onnxc

#endif // ONNXC_SCHEDULE_INTEGERDOTS_H
