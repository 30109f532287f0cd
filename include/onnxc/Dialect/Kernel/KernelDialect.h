//===- KernelDialect.h - Contractions as they are scheduled --- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_KERNEL_KERNELDIALECT_H
#define ONNXC_DIALECT_KERNEL_KERNELDIALECT_H

#include "onnxc/Dialect/Kernel/PackedLayout.h"
#include "onnxc/Support/SaturatingInt.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <mutex>

#include "onnxc/Dialect/Kernel/KernelDialect.h.inc"

namespace onnxc {
/// float16 and bfloat16.
inline bool isHalf(mlir::Type type) { return type.isF16() || type.isBF16(); }
} // namespace onnxc

namespace onnxc::kernel {
class KernelOpInterface;

/// A number of steps: a product of sizes, of which some are known only when the
/// model runs.
struct StepCount {
  SaturatingInt known = 1;
  llvm::SmallVector<mlir::Value> unknown;

  void times(mlir::OpFoldResult size);
  /// The product as an i64.
  mlir::Value make(mlir::OpBuilder &b, mlir::Location loc) const;
};

namespace detail {
llvm::LogicalResult verifyKernel(mlir::Operation *op);
} // namespace detail
} // namespace onnxc::kernel

#include "onnxc/Dialect/Kernel/KernelAttrInterfaces.h.inc"
#include "onnxc/Dialect/Kernel/KernelInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "onnxc/Dialect/Kernel/KernelAttributes.h.inc"

#define GET_OP_CLASSES
#include "onnxc/Dialect/Kernel/KernelOps.h.inc"

namespace onnxc::kernel {

/// Gives `region` the block of an epilogue that yields the sum as it is.
void buildTrivialEpilogue(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::Region &region, mlir::Type sum);

} // namespace onnxc::kernel

#endif // ONNXC_DIALECT_KERNEL_KERNELDIALECT_H
