//===- Matching.h - What patterns ask about values ------------ -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constants, axes, shapes: none of these functions fails on a type or a form
// that it does not know; it then knows nothing.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_OPTIMIZE_MATCHING_H
#define ONNXC_LIB_OPTIMIZE_MATCHING_H

#include "Elements.h"

#include "onnxc/Dialect/ONNX/ValueTypes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

namespace onnxc::optimize {

/// The elements of the dense constant that `value` is, in any attribute
/// that can hold them and any enclosing graph; null if it is not one. Type
/// and shape are the data's own.
mlir::ElementsAttr getConstant(mlir::Value value);
bool isConstant(mlir::Value value);

/// Whether a constant is an initializer of its graph, not a node.
bool isInitializer(mlir::Operation *constant);

/// The elements of a constant of integers or bools, of at most `limit`
/// elements.
std::optional<llvm::SmallVector<int64_t>> getIntegers(mlir::Value value,
                                                      int64_t limit = 1 << 16);
/// The one element of a constant of integers (of any shape).
std::optional<int64_t> getInteger(mlir::Value value);
/// The one element of a constant of floats or integers (of any shape).
std::optional<double> getNumber(mlir::Value value);

/// Whether `value` is a constant all of whose elements are the number (an empty
/// one is). -0 differs from +0 unless `anyZero`.
bool isAll(mlir::Value value, double number, bool anyZero = false);

using onnxc::getDim;
using onnxc::getElementType;
using onnxc::getRank;
using onnxc::getShape;
/// The tensor type with all dims known; null if they are not.
mlir::RankedTensorType getStaticType(mlir::Value value);

/// An axis counted from the front; nullopt if it is out of range.
std::optional<int64_t> normalizeAxis(int64_t axis, int64_t rank);
/// Axes counted from the front, in their order; nullopt if one is out of range
/// or twice there.
std::optional<llvm::SmallVector<int64_t>>
normalizeAxes(llvm::ArrayRef<int64_t> axes, int64_t rank);

/// The same where the rank may be unknown: then no axis may be negative.
std::optional<llvm::SmallVector<int64_t>>
resolveAxes(llvm::ArrayRef<int64_t> axes, std::optional<int64_t> rank);
/// Whether `perm` is a permutation of 0, 1, ...
bool isPermutation(llvm::ArrayRef<int64_t> perm);
/// Whether it is the one that moves nothing.
bool isIdentityPermutation(llvm::ArrayRef<int64_t> perm);

/// The dims that an onnx.Shape which computes `value` says, negative where they
/// are not known; nullopt if there is none, or it is of no known rank.
std::optional<llvm::SmallVector<int64_t>> getShapeElements(mlir::Value value);

/// The axes that a Reduce op, ArgMax or ArgMin takes the dims of its operand
/// away at, counted from the front, sorted; empty where it reduces nothing.
/// Nullopt if they are not known.
std::optional<llvm::SmallVector<int64_t>>
getReducedAxes(mlir::Operation *reduction);

/// Whether a tensor of this shape, broadcast with a value of `type`, gives one
/// of the type's shape: each dim is 1 or equals the known dim across from it. A
/// scalar always does, even where the type has no rank.
bool broadcastsInto(llvm::ArrayRef<int64_t> shape, mlir::Type type);

/// Whether two values are known to have the same shape: equal static types, one
/// value, or results that follow from the same shape.
bool haveSameShape(mlir::Value a, mlir::Value b);

/// Whether `shape` is computed as all dims of `value`, or of what is known to
/// have the same shape.
bool isShapeOf(mlir::Value shape, mlir::Value value);

/// Whether two constants have equal type and bits.
bool areSameConstant(mlir::Value a, mlir::Value b);

/// The graph of the model; null if there is none.
mlir::func::FuncOp getEntry(mlir::ModuleOp module);

/// The name that a value has in the model; empty if it has none.
std::string getValueName(mlir::Value value);

/// Whether the op gives the same results for the same operands, and may hence
/// be merged, moved and computed beforehand (R9): no random numbers, no
/// training mode, nothing unknown in it or in its graphs.
bool isDeterministic(mlir::Operation *op);

/// Whether the integers that the op takes behind its data are computed from
/// shapes and constants alone. Of those that a run brings, only the op itself
/// can say that they do not fit, and must stay for that.
bool hasSureNumbers(mlir::Operation *op);

/// Whether the op's only result differs from its operand 0 in nothing but the
/// shape: Reshape, Squeeze, Unsqueeze, Flatten.
bool isReshape(mlir::Operation *op);

/// perm of a Transpose, of which the attribute may be absent; nullopt if that
/// and the rank are not known.
std::optional<llvm::SmallVector<int64_t>> getPermutation(mlir::Operation *op);

} // namespace onnxc::optimize

#endif // ONNXC_LIB_OPTIMIZE_MATCHING_H
