//===- StructuredTile.h - Places and pieces of a structured op  -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_VECTORIZE_STRUCTUREDTILE_H
#define ONNXC_LIB_SCHEDULE_VECTORIZE_STRUCTUREDTILE_H

#include "mlir/IR/OpDefinition.h"

namespace onnxc {

/// What part of the iteration space a piece of the loops covers.
struct Tile {
  llvm::SmallVector<int64_t> count; // steps per loop; vectors in the lane loop
  mlir::Value mask;                 // of the last vector; null if it is full
  mlir::OpFoldResult live;          // lanes that the mask leaves
};

/// Where a tile stands: where the loops begin, their positions from there on,
/// and each operand's address.
struct Place {
  llvm::SmallVector<mlir::OpFoldResult> origin, position;
  llvm::SmallVector<mlir::OpFoldResult> base;
};

/// The part of a tile that one vector covers.
struct TilePoint {
  llvm::SmallVector<int64_t> offset; // in each loop, from the tile's start
  int64_t vector = 0;                // number of the vector in the lane loop
  bool masked = false;
};

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_VECTORIZE_STRUCTUREDTILE_H
