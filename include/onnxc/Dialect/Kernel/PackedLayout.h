//===- PackedLayout.h - Where packed elements are ------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order of the elements of a packed operand. What forms a kernel asks for
// the layout of its kind and packs a constant by it, the op's verifier compares
// shapes with it, and scalar loops find elements by it.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_KERNEL_PACKEDLAYOUT_H
#define ONNXC_DIALECT_KERNEL_PACKEDLAYOUT_H

#include "mlir/IR/AffineMap.h"

namespace onnxc::kernel {

/// Where elements are that have coordinates, such as column and step.
struct PackedLayout {
  /// How many there are of each coordinate; some may be unknown.
  llvm::SmallVector<int64_t> extents;
  /// From the coordinates to a place. Each result is one of them, `d`, or a
  /// part of one, `d floordiv c`, `d mod c` or `(d mod c) floordiv e` (e
  /// divides c), or 0. Places that no coordinates lead to hold zeros.
  mlir::AffineMap map;
  /// So many of the first results are one dimension of the operand: the panels
  /// of each group follow those of the one before.
  unsigned joined = 1;
  /// So many of the last results are places within one element of the operand.
  unsigned inElement = 0;

  /// The extents of the map's results.
  llvm::SmallVector<int64_t> getPlaces() const;
  /// The shape of the operand.
  llvm::SmallVector<int64_t> getShape() const;
  /// From a place to the coordinates: linear. A coordinate that the map does
  /// not use is 0.
  mlir::AffineMap getInverse() const;
};

} // namespace onnxc::kernel

#endif // ONNXC_DIALECT_KERNEL_PACKEDLAYOUT_H
