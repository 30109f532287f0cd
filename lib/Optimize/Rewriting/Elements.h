//===- Elements.h - The elements of constants ----------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_OPTIMIZE_ELEMENTS_H
#define ONNXC_LIB_OPTIMIZE_ELEMENTS_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>
#include <vector>

namespace onnxc::optimize {

/// A view of the elements of a constant: of any element type but strings, in
/// any of the forms that constants have. It lives as long as the attribute.
class Elements {
public:
  /// Nullopt for strings, and for a constant whose data are not there.
  static std::optional<Elements> get(mlir::ElementsAttr attribute);

  /// Of elements in memory, as in getRaw; they must be as many as the type
  /// says, or one.
  static Elements of(mlir::RankedTensorType type, llvm::ArrayRef<char> bytes);

  int64_t size() const { return count; }
  mlir::RankedTensorType getType() const { return type; }
  mlir::Type getElementType() const { return type.getElementType(); }
  /// Bytes of an element: of types of less than a byte, one.
  unsigned getElementBytes() const { return width; }

  /// The bytes of an element: equal ones are equal numbers, with their sign of
  /// zero and NaN payload.
  llvm::ArrayRef<char> getBytes(int64_t index) const {
    return data.slice(splat ? 0 : index * width, width);
  }
  /// All bytes; of a splat, one element's.
  llvm::ArrayRef<char> getRaw() const { return data; }
  bool isSplat() const { return splat; }
  /// Whether all elements are the same, bit by bit. True of no elements.
  bool allEqual() const;

  /// An element of a float, integer or bool type; exact but for 64-bit
  /// integers. Complex numbers have none: NaN.
  double getNumber(int64_t index) const;
  std::vector<double> getNumbers() const;
  /// An element of an integer or bool type.
  int64_t getInteger(int64_t index) const;

private:
  mlir::RankedTensorType type;
  int64_t count = 0;
  unsigned width = 0;
  bool splat = false;
  llvm::ArrayRef<char> data;
  /// Of bools, which builtin attributes pack, and of packed resources.
  std::shared_ptr<std::vector<char>> unpacked;
};

/// A constant of the type with these elements, `bytes` as in Elements::getRaw
/// without splat. Large ones become resources.
mlir::ElementsAttr makeElements(mlir::RankedTensorType type,
                                llvm::ArrayRef<char> bytes);

/// The same of one element's bytes, for all of them.
mlir::ElementsAttr makeSplat(mlir::RankedTensorType type,
                             llvm::ArrayRef<char> bytes);

/// The same of numbers, each rounded once to the element type (to nearest, ties
/// to even). Nullopt if an integer type cannot hold one, or the type is neither
/// float nor integer.
std::optional<mlir::ElementsAttr> makeElements(mlir::RankedTensorType type,
                                               llvm::ArrayRef<double> numbers);

/// A constant of int64 elements: of rank 1, or of the given shape.
mlir::ElementsAttr makeIntegers(mlir::MLIRContext *context,
                                llvm::ArrayRef<int64_t> values);
mlir::ElementsAttr makeIntegers(mlir::MLIRContext *context,
                                llvm::ArrayRef<int64_t> shape,
                                llvm::ArrayRef<int64_t> values);

/// The same elements in the same order, in another shape; the data are shared
/// where they are large. Null if the numbers of elements differ.
mlir::ElementsAttr reshapeElements(mlir::ElementsAttr elements,
                                   llvm::ArrayRef<int64_t> shape);

} // namespace onnxc::optimize

#endif // ONNXC_LIB_OPTIMIZE_ELEMENTS_H
