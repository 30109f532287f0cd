//===- BlockWeights.h - Constant weights with scales by blocks --*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_SCHEDULE_KERNELS_BLOCKMATMUL_BLOCKWEIGHTS_H
#define ONNXC_LIB_SCHEDULE_KERNELS_BLOCKMATMUL_BLOCKWEIGHTS_H

#include "onnxc/Dialect/Kernel/PackedLayout.h"
#include "onnxc/Dialect/Program/ProgramDialect.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>
#include <string>

namespace mlir {
class AsmResourceBlob;
} // namespace mlir

namespace onnxc {

/// How a byte is read as an integer.
struct ByteReading {
  unsigned width = 8;
  bool isUnsigned = false;
  mlir::OpOperand *from = nullptr;

  /// As a signed number of as many bits; what is unsigned is lessened by half
  /// of its range.
  int64_t read(char byte) const {
    uint64_t bits = uint8_t(byte) & ((1u << width) - 1);
    return isUnsigned ? int64_t(bits) - (int64_t(1) << (width - 1))
                      : llvm::SignExtend64(bits, width);
  }
};

/// The matrix (w - zero) * scale, of which `steps` and `columns` are the
/// dimensions.
struct DequantizedMatrix {
  ByteReading weights;
  std::optional<ByteReading> zero;
  mlir::OpOperand *scale;
  mlir::linalg::GenericOp op;
  unsigned stepDim, columnDim;

  int64_t size(unsigned dim) const {
    return mlir::cast<mlir::ShapedType>(op->getResult(0).getType())
        .getDimSize(dim);
  }
};

/// What is read along with the weights: constants, by block and column.
struct BlockConstant {
  llvm::SmallVector<char> bytes;
  int64_t block = 0; // steps for which it is the same; 0: all
  int64_t blockStride = 0, columnStride = 0;

  template <typename T> T at(int64_t step, int64_t column) const {
    T value;
    int64_t index =
        (block ? step / block * blockStride : 0) + column * columnStride;
    memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
    return value;
  }
};

/// The right operand of a product that a kernel can be made of.
struct BlockWeights {
  DequantizedMatrix matrix;
  llvm::SmallVector<char> bytes;
  BlockConstant scale;
  std::optional<BlockConstant> zero;
  int64_t steps = 0, columns = 0;
  /// Steps that share scales, and bits of a weight.
  int64_t block = 0, bits = 0;

  /// Of signed weights.
  int64_t zeroAt(int64_t step, int64_t column) const;
  /// Whether all zero points are the first one.
  bool hasOneZero() const;

  /// The weights in the layout of a kernel; numbers of less than 8 bits are
  /// joined. With
  /// `shift`, each is greater by that.
  mlir::AsmResourceBlob pack(const kernel::PackedLayout &layout,
                             int64_t shift = 0) const;
  /// Scales, and zero points if there are several, in panels of `width`
  /// columns: a panel's lie in the order in which they are read.
  mlir::Value packScales(mlir::OpBuilder &b, mlir::Location loc, int64_t width,
                         int64_t shift = 0) const;
};

/// Nothing, with `why`, if the right operand of `matmul` is not a constant of
/// integers that is dequantized by blocks of steps or by columns.
std::optional<BlockWeights> matchBlockWeights(mlir::linalg::MatmulOp matmul,
                                              TargetAttr target,
                                              std::string &why);

/// The sums and what the product adds them to, if that is not zero.
mlir::Value addInit(mlir::OpBuilder &b, mlir::linalg::MatmulOp matmul,
                    mlir::Value sums);

} // namespace onnxc

#endif // ONNXC_LIB_SCHEDULE_KERNELS_BLOCKMATMUL_BLOCKWEIGHTS_H
