//===- PackedConstants.h - Constants in the order of kernels -- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_PACKEDCONSTANTS_H
#define ONNXC_LIB_SCHEDULE_KERNELS_PACKEDCONSTANTS_H

#include "onnxc/Dialect/Kernel/PackedLayout.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Support/LLVM.h"

namespace mlir {
class AsmResourceBlob;
} // namespace mlir

namespace onnxc {

/// The constant that `value` is, also behind reshapes that only regroup its
/// dimensions; its type is then still that of the constant itself. Null if it
/// is none or if its elements cannot be read.
mlir::ElementsAttr getPackableConstant(mlir::Value value);

/// The elements of a constant of float32; empty if it has another type, or if
/// they are all the same and stored once.
llvm::ArrayRef<float> getFloats(mlir::ElementsAttr constant);

/// A constant of `from`, seen as a tensor of `sourceShape`, in the order of
/// `layout`. `toSource` is linear: where the element of coordinates is in the
/// source. The result has the element type of `from`.
mlir::Value packConstant(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::ElementsAttr from,
                         llvm::ArrayRef<int64_t> sourceShape,
                         const kernel::PackedLayout &layout,
                         mlir::AffineMap toSource);

/// The same of elements of `width` bytes that do not come from an attribute:
/// of `from`, in the order of `sourceShape`.
mlir::AsmResourceBlob packElements(llvm::ArrayRef<char> from, int64_t width,
                                   llvm::ArrayRef<int64_t> sourceShape,
                                   const kernel::PackedLayout &layout,
                                   mlir::AffineMap toSource);

/// A constant of `shape` whose element at i is that of `from`, seen as a tensor
/// of `sourceShape`, at `toSource(i)`; zero where that lies outside. The map is
/// linear. The result has the element type of `from`.
mlir::Value rearrangeConstant(mlir::OpBuilder &b, mlir::Location loc,
                              mlir::ElementsAttr from,
                              llvm::ArrayRef<int64_t> sourceShape,
                              llvm::ArrayRef<int64_t> shape,
                              mlir::AffineMap toSource);

/// A constant made of what packElements returned, or of other bytes.
mlir::Value makePacked(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::RankedTensorType type, mlir::AsmResourceBlob blob);

/// The float32 constant with 0 in the place of its subnormal numbers; null if
/// it has none, if its elements cannot be read, or if none of them is so much
/// greater that the small ones would be lost in a sum.
mlir::ElementsAttr withoutSubnormals(mlir::ElementsAttr from);

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_KERNELS_PACKEDCONSTANTS_H
