//===- SymbolicShapes.h - What is known of open sizes --------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The symbolic reading of the shape rules: a dimension that no type tells is a
// polynomial over symbols. A symbol is a name that the model gives to a
// dimension of its inputs, or a dimension that no rule computes from others.
// Passes ask whether two dimensions are the same, one divides the other, or is
// at most the other, without knowing any operator.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_SYMBOLICSHAPES_H
#define ONNXC_DIALECT_ONNX_SYMBOLICSHAPES_H

#include "onnxc/Support/Size.h"

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include <functional>
#include <memory>
#include <optional>

namespace onnxc {

/// A dimension, or an integer of a shape-like tensor. One that is not known is
/// to be compared with others of the same SymbolicShapes alone, while that
/// exists.
class SymbolicDim {
public:
  SymbolicDim(int64_t known) : known(known) {}

  bool isKnown() const { return known.has_value(); }
  std::optional<int64_t> getKnown() const { return known; }
  bool is(int64_t value) const { return known == value; }

private:
  friend class SymbolicShapes;
  explicit SymbolicDim(const Size *size)
      : known(size->getNumber()), size(size) {}

  std::optional<int64_t> known;
  const Size *size = nullptr;
};

/// Reads dimensions when asked, and remembers them: what it was asked about
/// must not change while it exists.
class SymbolicShapes {
public:
  /// How far a dimension is followed through the operators that make it: some
  /// 60, for what asks at many operators; or through all layers of a network,
  /// for what asks at few.
  enum class Reach { Near, Far };

  /// The strict reading, for rewrites: a size may be any number from 0 on, and
  /// what is concluded holds of each run that the model does not fail in.
  explicit SymbolicShapes(Reach reach = Reach::Near);

  /// A symbol for a dimension that no rule computes from others.
  using NameDim = std::function<Size(mlir::Value value, int64_t index)>;
  /// The lenient reading, for people: sizes that are not known are taken to be
  /// neither 0 nor 1, and to be equal where they are broadcast to each other.
  explicit SymbolicShapes(NameDim nameDim);

  ~SymbolicShapes();
  SymbolicShapes(const SymbolicShapes &) = delete;
  SymbolicShapes &operator=(const SymbolicShapes &) = delete;

  /// Dimension `index` of a tensor.
  SymbolicDim getDim(mlir::Value value, int64_t index);
  /// All of them; nullopt if the rank is not known.
  std::optional<llvm::SmallVector<SymbolicDim>> getDims(mlir::Value value);
  /// Element `index` of a tensor of integers of rank 0 or 1.
  SymbolicDim getElement(mlir::Value value, int64_t index);
  /// All of them; nullopt if their number is not known.
  std::optional<llvm::SmallVector<SymbolicDim>> getElements(mlir::Value value);
  Size getSize(const SymbolicDim &dim) const;

  /// Whether the two are equal. As below, false where that is not known.
  bool isSame(const SymbolicDim &a, const SymbolicDim &b) const;
  bool isSameDim(mlir::Value a, int64_t i, mlir::Value b, int64_t j);
  /// Whether both have the same known rank and dimension by dimension the same
  /// shape.
  bool isSameShape(mlir::Value a, mlir::Value b);
  /// Whether `dim` is a multiple of `divisor`, which is positive.
  bool divides(int64_t divisor, const SymbolicDim &dim) const;
  bool isAtMost(const SymbolicDim &a, const SymbolicDim &b) const;
  bool isLess(const SymbolicDim &a, const SymbolicDim &b) const;

private:
  class Builder;
  struct Node;
  class Reader;
  std::unique_ptr<Reader> reader;
};

} // namespace onnxc

#endif // ONNXC_DIALECT_ONNX_SYMBOLICSHAPES_H
