//===- KernelForms.h - Which kernels can be emitted ----------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The forms of kernel ops that the emitters have vector code for. The passes
// that form kernels or add to their epilogues ask here before they replace an
// op, and onnxc-emit-kernels asks again, on buffers, where layouts count too.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_KERNELFORMS_H
#define ONNXC_LIB_SCHEDULE_KERNELS_KERNELFORMS_H

#include "Select/Schedule.h"
#include "onnxc/Dialect/Kernel/KernelDialect.h"

#include "mlir/IR/PatternMatch.h"

namespace onnxc {

/// Whether there is vector code for `op`, a kernel on tensors or on buffers.
/// `why` gets the reason if not.
bool isEmittable(kernel::KernelOpInterface op, TargetAttr target,
                 std::string &why);

/// Whether there is vector code for `formed`, a kernel that has no use yet. If
/// not, `why` gets the reason, and the kernel is erased with what was made for
/// it alone.
bool keepIfEmittable(mlir::RewriterBase &b, kernel::KernelOpInterface formed,
                     TargetAttr target, std::string &why);

/// The ops of a kind, in order, before any of them is replaced.
template <typename Op> llvm::SmallVector<Op> collectOps(mlir::Operation *root) {
  llvm::SmallVector<Op> ops;
  root->walk([&](Op op) { ops.push_back(op); });
  return ops;
}

/// Whether sums of `sum` can be made of products of elements of the two types.
bool hasSums(mlir::Type lhs, mlir::Type rhs, mlir::Type sum, std::string &why);

/// Whether an epilogue of `op` can read an operand of `type` where `map` leads
/// from the result.
bool canReadExtra(kernel::KernelOpInterface op, mlir::Type type,
                  mlir::AffineMap map, std::string &why);

/// Whether an epilogue can contain `inner`: it works on vectors, dead lanes
/// included, as it does on scalars.
bool hasVectorForm(mlir::Operation &inner, std::string &why);

/// Whether vectors of elements of `type` lie in memory as its elements do.
bool hasVectorsInMemory(mlir::Type type, std::string &why);

/// Notes the reason; false.
bool refuse(std::string &why, const llvm::Twine &reason);

/// Whether the last dimension lies in consecutive memory, or all elements do.
/// Tensors have no layout yet.
bool isLastDimConsecutive(mlir::Value value);
bool isDense(mlir::Value value);

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_KERNELS_KERNELFORMS_H
