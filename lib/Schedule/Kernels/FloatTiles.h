//===- FloatTiles.h - Floats by narrow numbers in tile registers *- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A float has 24 bits, a bf16 eight of them and the same exponents: each float
// is a sum of three bf16. An integer of eight bits is one. Three products of
// bf16 in tile registers are that of a float by such an integer: each is exact
// in the float that it is added to. They take a fifth of the time of one
// multiply-add of floats. (Henry, Tang, Heinecke, "Leveraging the bfloat16
// artificial intelligence datatype for higher-precision computations", 2019.)
//
// A register has 16 rows of 32 numbers. Numbers k and k + 16 of a row lie side
// by side, in the factor's rows and in its columns alike, so that a vector of
// either is split without moving a number to another lane.
//
// What is not finite becomes NaN, as the difference of two infinities is in
// its parts: sums that are NaN have to be computed again.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_FLOATTILES_H
#define ONNXC_LIB_SCHEDULE_KERNELS_FLOATTILES_H

#include "Kernels/KernelLoops.h"
#include "Kernels/TileInstructions.h"

namespace onnxc {

/// Writes instructions on registers of floats.
class FloatTiles {
public:
  /// Steps of the sum, rows and columns of a register.
  static constexpr int64_t kSteps = 32, kRows = tiles::kRows, kColumns = 16;
  /// Parts of a float.
  static constexpr int64_t kParts = 3;
  /// Pairs of numbers in a register: elements of a buffer of parts.
  static constexpr int64_t kPairs = kSteps / 2 * kRows;
  /// Registers of sums, and of columns.
  static constexpr int64_t kSums = 4, kAcross = 2;

  explicit FloatTiles(IndexMath &index) : index(index) {}

  /// A scratch buffer that starts at a line of the cache.
  FlatBuffer allocate(int64_t elements, mlir::Type element);
  /// The element of buffers of parts.
  mlir::Type getPairType() { return index.b.getI32Type(); }

  /// Before and behind what works on registers.
  void configure();
  void release() { tiles::release(index.b, index.loc); }

  /// Writes `parts` parts of two vectors of floats, those of y beside those of
  /// x, each part kPairs behind the one before. Of few bits the first one is
  /// all there is.
  void split(mlir::Value x, mlir::Value y, int64_t parts, const FlatBuffer &to,
             mlir::OpFoldResult at);

  void clearSums(int64_t number);
  /// To kRows rows of kColumns floats, side by side.
  void storeSums(int64_t number, const FlatBuffer &to, mlir::OpFoldResult at);
  /// Adds the products of kSteps steps of rows, of which there are kParts
  /// parts, by those of up to kAcross registers of columns, which have one, to
  /// as many sums from number `first` on.
  void multiply(int64_t first, const FlatBuffer &lhs, mlir::OpFoldResult rows,
                const FlatBuffer &rhs,
                llvm::ArrayRef<mlir::OpFoldResult> columns);

private:
  IndexMath &index;
};

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_KERNELS_FLOATTILES_H
