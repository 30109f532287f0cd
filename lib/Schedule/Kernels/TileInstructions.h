//===- TileInstructions.h - Instructions on tile registers ------*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AMX has eight registers of up to 16 rows of 64 bytes, whose sizes a
// configuration states. One instruction multiplies 16 rows by 64 bytes of the
// first factor by as many bytes of 16 columns, four bytes of which lie side by
// side. (Intel 64 and IA-32 Architectures Software Developer's Manual, volume
// 1, chapter 18.)
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_TILEINSTRUCTIONS_H
#define ONNXC_LIB_SCHEDULE_KERNELS_TILEINSTRUCTIONS_H

#include "Kernels/KernelLoops.h"

namespace onnxc::tiles {

constexpr int64_t kRegisters = 8, kRows = 16, kRowBytes = 64;
/// The bytes of a configuration, 64-byte aligned.
constexpr int64_t kConfigBytes = 64;
/// Where the configuration has the number of rows of register `number`.
inline int64_t placeOfNumRows(int64_t number) { return 48 + number; }

/// The sizes of registers, as LDTILECFG reads them.
class Configuration {
public:
  Configuration() : bytes(kConfigBytes, 0) { bytes[0] = 1; /* the palette */ }
  void setSize(int64_t number, int64_t numRows, int64_t rowBytes) {
    bytes[16 + 2 * number] = int8_t(rowBytes);
    bytes[placeOfNumRows(number)] = int8_t(numRows);
  }
  llvm::ArrayRef<int8_t> getBytes() const { return bytes; }

private:
  llvm::SmallVector<int8_t> bytes;
};

/// Calls an intrinsic with registers, by their numbers, and other operands.
void call(mlir::OpBuilder &b, mlir::Location loc, llvm::StringRef intrinsic,
          llvm::ArrayRef<int64_t> registers, mlir::ValueRange operands = {});
/// Takes the configuration from a buffer of bytes.
void configure(IndexMath &index, const FlatBuffer &buffer,
               mlir::OpFoldResult at);
/// Reads or writes a register (`intrinsic`) from element `at` of a buffer on;
/// its rows lie `stride` bytes apart.
void move(IndexMath &index, llvm::StringRef intrinsic, int64_t number,
          const FlatBuffer &buffer, mlir::OpFoldResult at,
          mlir::OpFoldResult stride);
/// Registers cost the system time as long as they are in use.
void release(mlir::OpBuilder &b, mlir::Location loc);

} // namespace onnxc::tiles

#endif // ONNXC_LIB_SCHEDULE_KERNELS_TILEINSTRUCTIONS_H
