//===- Instructions.h - Instructions that not all have -------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TARGET_INSTRUCTIONS_H
#define ONNXC_TARGET_INSTRUCTIONS_H

#include "onnxc/Dialect/Program/ProgramDialect.h"

#include "mlir/IR/ValueRange.h"
#include "llvm/TargetParser/Triple.h"

namespace mlir {
class OpBuilder;
} // namespace mlir

namespace onnxc {

/// What an instruction computes, for each lane.
enum class Capability {
  /// i32 sum, 4 unsigned bytes, 4 signed bytes: sum + their products.
  DotBytes,
  /// i32 sum, 4 signed bytes, 4 signed bytes: sum + their products.
  DotSignedBytes,
  /// Not for each lane: i32 sums of two rows and two columns, 8 unsigned bytes
  /// of each row, 8 signed bytes of each column: the sums + the products of the
  /// rows by the columns.
  MultiplyBlocks,
  /// The same of signed bytes by signed ones.
  MultiplySignedBlocks,
  /// Not on vectors: registers of their own hold up to 16 rows of 64 bytes.
  /// Sums of rows by columns, i32, += the products of 64 unsigned bytes of
  /// each row by signed ones of each column, four of which lie side by side.
  /// Operands are the numbers of the registers, with no result; a process has
  /// to ask Linux.
  MultiplyTiles,
  /// The same of signed bytes by signed ones.
  MultiplySignedTiles,
  /// The same of 32 bf16 by bf16, two of which lie side by side, to sums of
  /// f32. Subnormal numbers count as 0.
  MultiplyHalfTiles,
  /// i32 sum, 2 i16, 2 i16: sum + their products.
  DotPairs,
  /// 2 i16, 2 i16: the sum of their products, i32.
  MultiplyPairs,
  /// 2 unsigned bytes, 2 signed bytes: the sum of their products, i16, or the
  /// nearest one that fits.
  MultiplyBytes,
  /// Bytes, signed bytes: the first ones, 0 or their negatives, as the second
  /// ones are positive, 0 or negative.
  MultiplySigns,
  /// Of each 16 bytes of a vector, those that the low four bits of an index
  /// choose, or 0 where its highest bit is set: bytes, index.
  ShuffleBytes,
  /// Bytes of two registers, each chosen by an index of 7 bits: first, index,
  /// second.
  PermuteBytes,
  /// Floats of one register, each chosen by a 32-bit index: floats, index.
  PermuteFloats,
  /// f32 1 / x to 14 bits: x, result where the mask is 0, mask.
  EstimateInverse,
  /// a * b + c, rounded once.
  MultiplyAdd,
  /// MultiplyAdd, DotBytes and DotSignedBytes take one element of 32 bits of a
  /// vector for a factor in all lanes, as well as a vector.
  ByElement,
  /// f32 to bf16, to nearest even.
  RoundBFloat16,
  /// The same, but 0 of subnormal numbers.
  RoundNormalBFloat16,
  /// To an integer of the same type, halves to the even one.
  RoundToEven
};

struct Instruction {
  llvm::StringLiteral name;
  Capability capability;
  int64_t bytes;
  llvm::StringLiteral intrinsic;
  llvm::Triple::ArchType architecture;
  llvm::StringLiteral features;
};

/// All rows of Instructions.def.
llvm::ArrayRef<Instruction> getInstructions();

/// What the target has for the operation on vectors of so many bytes; null if
/// it has nothing.
const Instruction *findInstruction(TargetAttr target, Capability capability,
                                   int64_t bytes);

/// The same, on whole registers of the target.
inline bool supports(TargetAttr target, Capability capability) {
  return findInstruction(target, capability, target.getVectorBytes());
}

/// Bytes that one lane of the target's vectors multiplies and adds at once: 4,
/// with one instruction or as two pairs, or 1.
int64_t getDotGroup(TargetAttr target);

/// Calls the instruction, which has an intrinsic.
mlir::Value callInstruction(mlir::OpBuilder &b, mlir::Location loc,
                            const Instruction &instruction, mlir::Type result,
                            mlir::ValueRange operands);

} // namespace onnxc

#endif // ONNXC_TARGET_INSTRUCTIONS_H
