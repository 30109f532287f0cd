//===- OpFacts.h - What the records say of ops ---------------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Facts that stand in the records (ONNXBase.td) and not in the op classes: who
// asks for one needs no list of operators.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_DIALECT_ONNX_OPFACTS_H
#define ONNXC_DIALECT_ONNX_OPFACTS_H

#include "mlir/IR/Operation.h"

#include <optional>
#include <vector>

namespace onnxc {

/// The file that a record stands in.
enum class Family {
#define ONNXC_FAMILY(Name) Name,
#include "onnxc/Dialect/ONNX/Families.def"
};

/// The traits ONNX_<name> of a record, explained there.
enum class OpFact : uint32_t {
  Commutative = 1 << 0,
  Idempotent = 1 << 1,
  SameOfSame = 1 << 2,
  MovesElements = 1 << 3,
  Reshapes = 1 << 4,
  KeepsShape = 1 << 5,
  Reduces = 1 << 6,
  Linear = 1 << 7,
  Total = 1 << 8,
  TotalOfAnySize = 1 << 9,
  TakesHandles = 1 << 10,
  SlidesWindow = 1 << 11,
  SelfOfOne = 1 << 12,
  NeverNegative = 1 << 13,
  KeepsNonNegative = 1 << 14,
  RepeatsBody = 1 << 15,
};

/// How the arithmetic of an operator is counted.
enum class OpCost {
  None,
  /// One operation for each element of the result; of the first operand; five.
  Result,
  Input,
  FivePerElement,
  /// One for each element of the window of each element of the result.
  Window,
  MatMul,
  Gemm,
  Einsum,
  Conv,
  ConvTranspose,
  Recurrent,
  Attention,
  Unknown,
};

/// What the kind of an attribute says of it.
struct AttributeFacts {
  explicit AttributeFacts(llvm::StringRef name) : name(name) {}

  llvm::StringRef name;

  // What its absence means: a value, or a list of as many as there are.
  std::optional<int64_t> integer;
  std::optional<float> real;
  std::optional<llvm::StringRef> text;
  std::optional<int64_t> each;

  // What it may be: one of some words, or a number; each element of a list.
  std::vector<llvm::StringRef> words;
  std::optional<int64_t> least;
  std::optional<int64_t> greatest;

  /// The formal parameter that it is an axis of, or an order of the dimensions,
  /// and how many dimensions there are more.
  llvm::StringRef axisOfValue;
  int64_t addedDims = 0;
  llvm::StringRef permutationOfValue;

  AttributeFacts &orInteger(int64_t value) {
    integer = value;
    return *this;
  }
  AttributeFacts &orFloat(float value) {
    real = value;
    return *this;
  }
  AttributeFacts &orText(llvm::StringRef value) {
    text = value;
    return *this;
  }
  AttributeFacts &orEach(int64_t value) {
    each = value;
    return *this;
  }
  AttributeFacts &orReversed(llvm::StringRef of) {
    permutationOfValue = of;
    return *this;
  }
  AttributeFacts &oneOf(std::vector<llvm::StringRef> some) {
    words = std::move(some);
    return *this;
  }
  AttributeFacts &atLeast(int64_t value) {
    least = value;
    return *this;
  }
  AttributeFacts &within(int64_t first, int64_t last) {
    least = first;
    greatest = last;
    return *this;
  }
  AttributeFacts &axisOf(llvm::StringRef of, int64_t added) {
    axisOfValue = of;
    addedDims = added;
    return *this;
  }

  /// Whether absence would mean the same.
  bool isDefault(mlir::Attribute value) const;
};

struct OpFacts {
  Family family;
  OpCost cost;
  uint32_t flags;
  /// The operand whose shape result 0 has; -1 if there is none.
  int shapeOperand;
  std::vector<AttributeFacts> attributes;

  bool has(OpFact fact) const { return flags & uint32_t(fact); }
  /// Null if the kind of the attribute says nothing.
  const AttributeFacts *find(llvm::StringRef attribute) const;
};

/// Null if the op is of another dialect, or not an operator of ONNX.
const OpFacts *getFacts(mlir::Operation *op);
/// Of an operator by its name in ONNX: of the record's, the newest form.
const OpFacts *getFacts(llvm::StringRef domain, llvm::StringRef onnxName);

/// False for a null pointer too.
bool hasFact(mlir::Operation *op, OpFact fact);
/// Whether its record stands in that file.
bool isOfFamily(mlir::Operation *op, Family family);

/// The operand whose shape result 0 has, by the record (KeepsShape) or as the
/// only one of an elementwise op; null if there is none.
mlir::Value getOperandOfSameShape(mlir::Operation *op);

/// The operands or results of the formal parameter of that name; the first of
/// a variadic one; null if it is absent.
mlir::Value getFormal(mlir::Operation *op, llvm::StringRef name);

/// Checks the values of attributes against their kinds.
llvm::LogicalResult verifyAttributeValues(mlir::Operation *op);
/// Makes axes and orders of dimensions present and counts them from the front,
/// where the rank that they refer to is known.
void normalizeAxes(mlir::Operation *op);

} // namespace onnxc

#endif // ONNXC_DIALECT_ONNX_OPFACTS_H
