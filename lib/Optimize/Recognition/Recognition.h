//===- Recognition.h - Finding an operator in its parts ------- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the rewrites that find an operator in its decomposed form have in
// common. Exporters spell one formula in many ways: operands swapped, a
// division for a product, constants here or there. So formulas are read as
// products and lines rather than as trees of ops.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_OPTIMIZE_RECOGNITION_H
#define ONNXC_LIB_OPTIMIZE_RECOGNITION_H

#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Shape.h"

#include "llvm/ADT/SetVector.h"

namespace onnxc::optimize {

/// Whether the value has one use, but for those by ops that are dead, and by
/// Shape if `ignoresShapes`.
bool hasSoleUse(mlir::Value value, bool ignoresShapes = false);

/// The ops that have been found to belong to one formula. Only ops of the
/// root's block are: what is computed outside of a loop stays there.
class Parts {
public:
  /// With `ignoresShapes` an op may be left behind for its shape alone: what is
  /// compiled computes that without the op.
  explicit Parts(mlir::Operation *root, bool ignoresShapes = false)
      : root(root), ignoresShapes(ignoresShapes) {
    ops.insert(root);
  }

  /// The op of this class that makes `value`; it becomes a part.
  template <typename Op> Op find(mlir::Value value) {
    auto op = value ? value.getDefiningOp<Op>() : Op();
    return op && add(op) ? op : Op();
  }
  /// The same if `value` has no other use.
  template <typename Op> Op findSole(mlir::Value value) {
    return value && isSole(value) ? find<Op>(value) : Op();
  }

  bool isSole(mlir::Value value) const {
    return hasSoleUse(value, ignoresShapes);
  }

  bool add(mlir::Operation *op) {
    if (op->getBlock() != root->getBlock())
      return false;
    ops.insert(op);
    return true;
  }

  /// Whether all values but the root's are used by parts alone, so that all
  /// parts go when the root goes, or are asked for their shape. (Uses by ops
  /// that are dead do not count.)
  bool areSelfContained() const;

  /// The first of them in the block.
  mlir::Operation *getFirst() const;

  /// To take back what an attempt has found.
  size_t getMark() const { return ops.size(); }
  void returnTo(size_t mark) {
    while (ops.size() > mark)
      ops.pop_back();
  }

private:
  mlir::Operation *root;
  bool ignoresShapes;
  llvm::SmallSetVector<mlir::Operation *, 16> ops;
};

/// The number whose constant `value` is, if an elementwise operation of it with
/// `other` has the other's shape.
std::optional<double> getScalar(mlir::Value value, mlir::Value other);

/// Whether two values are equal because they are computed alike.
bool areSameValue(mlir::Value a, mlir::Value b);

/// Whether a number is what `expected` becomes in a type, by way of `count`
/// constants that are each within one unit in the last place.
bool isNear(double number, double expected, mlir::Type elementType,
            unsigned count = 1);
/// Whether an attribute of type float can say the number as well as a constant
/// of `elementType` can.
bool fitsFloatAttribute(double number, mlir::Type elementType);

/// coefficient * factors / divisors.
struct Product {
  double coefficient = 1;
  /// Constants that went into it.
  unsigned numConstants = 0;
  llvm::SmallVector<mlir::Value> factors, divisors;

  bool isOf(mlir::Value x) const {
    return divisors.empty() && factors.size() == 1 &&
           areSameValue(factors[0], x);
  }
};

/// Reads `value` through Mul, Div, Reciprocal and Neg whose results have no
/// other use (the root's may). What it does not look into is a factor.
Product readProduct(Parts &parts, mlir::Value value);

/// a x + b, of constants.
struct Line {
  double a = 1, b = 0;
  unsigned numConstants = 0;
  mlir::Value x;
};
Line readLine(Parts &parts, mlir::Value value);

/// min(max(x, low), high), of constants; in any order where low <= high.
struct Clamp {
  double low, high;
  mlir::Value x;
};
std::optional<Clamp> readClamp(Parts &parts, mlir::Value value);

/// The two operands in both orders, until `match` says true.
bool inAnyOrder(mlir::Operation *binary,
                llvm::function_ref<bool(mlir::Value, mlir::Value)> match);

/// The operands of Mul(x, x) or Pow(x, 2): x.
mlir::Value readSquare(Parts &parts, mlir::Value value);
/// The operand of Sqrt(x) or Pow(x, 0.5).
mlir::Value readRoot(Parts &parts, mlir::Value value);

/// A reduction whose result broadcasts against its input.
struct Reduction {
  mlir::Value input;
  llvm::SmallVector<int64_t> axes;
};
/// `value` as reduction by Op that keeps the reduced axes (or gets them back by
/// Unsqueeze).
template <typename Op>
std::optional<Reduction> readReduction(Parts &parts, mlir::Value value);
/// The same of a mean: by ReduceMean, or ReduceSum and a quotient.
std::optional<Reduction> readMean(Parts &parts, mlir::Value value);

/// The axes of an Unsqueeze, counted in its result and sorted.
std::optional<llvm::SmallVector<int64_t>>
getUnsqueezedAxes(UnsqueezeOp unsqueeze);

/// The type of an op that takes the root's place and has the type of `like`:
/// what both types tell; null if they contradict each other, or one of them is
/// no tensor of floats.
mlir::Type getResultType(mlir::Operation *root, mlir::Value like);

/// Whether an operator takes elements of a type at the opset of `root`, given
/// the version of it from which on it takes bfloat16.
bool takesElements(mlir::Type elementType, int64_t bfloat16Since,
                   mlir::Operation *root, const RewriteOptions &options);

/// A constant whose elements are all the number.
mlir::Value makeSplat(mlir::PatternRewriter &rewriter, mlir::Operation *root,
                      llvm::ArrayRef<int64_t> shape, mlir::Type elementType,
                      double number, llvm::StringRef suffix);

/// A mask with a column for each of `keys` keys, a tensor of one number: one
/// column is repeated. Others are an error, also none for one key, of which
/// Expand by itself makes none.
mlir::Value expandColumns(mlir::PatternRewriter &rewriter,
                          mlir::Operation *root, mlir::Value mask,
                          mlir::Value keys);

template <typename Op>
std::optional<Reduction> readReduction(Parts &parts, mlir::Value value) {
  std::optional<llvm::SmallVector<int64_t>> restored;
  if (auto unsqueeze = parts.find<UnsqueezeOp>(value)) {
    restored = getUnsqueezedAxes(unsqueeze);
    if (!restored)
      return std::nullopt;
    value = unsqueeze.getData();
  }
  auto op = parts.find<Op>(value);
  if (!op || bool(op.getKeepdims()) == restored.has_value())
    return std::nullopt;
  auto axes = getReducedAxes(op);
  if (!axes || axes->empty() || (restored && *restored != *axes))
    return std::nullopt;
  return Reduction{op.getData(), *axes};
}

} // namespace onnxc::optimize

#endif // ONNXC_LIB_OPTIMIZE_RECOGNITION_H
