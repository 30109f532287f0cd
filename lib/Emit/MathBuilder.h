//===- MathBuilder.h - Arithmetic of a function's argument ---- -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_EMIT_MATHBUILDER_H
#define ONNXC_LIB_EMIT_MATHBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

#include <optional>

namespace onnxc {

/// Arithmetic on values of the shape of the function's argument.
class MathBuilder {
public:
  MathBuilder(mlir::Location loc, mlir::OpBuilder &builder, mlir::Type like)
      : b(loc, builder), like(like) {}

  mlir::Type typeOf(mlir::Type element) const {
    auto shaped = llvm::dyn_cast<mlir::ShapedType>(like);
    return shaped ? mlir::Type(shaped.clone(element)) : element;
  }
  mlir::Value constant(mlir::Type element, double value) {
    return splat(b.getFloatAttr(element, value));
  }
  /// Of the value's low bits.
  mlir::Value constant(int64_t value, unsigned width) {
    return splat(b.getIntegerAttr(
        b.getIntegerType(width),
        llvm::APInt(width, value, /*isSigned=*/true, /*implicitTrunc=*/true)));
  }
  /// A constant of the type of `x`.
  mlir::Value constantLike(mlir::Value x, double value) {
    return constant(mlir::getElementTypeOrSelf(x), value);
  }
  mlir::Value constantLike(mlir::Value x, int64_t value) {
    return constant(value,
                    mlir::getElementTypeOrSelf(x).getIntOrFloatBitWidth());
  }

  template <typename Op> mlir::Value make(mlir::Value x) {
    return Op::create(b, x);
  }
  template <typename Op> mlir::Value make(mlir::Value x, mlir::Value y) {
    return Op::create(b, x, y);
  }
  template <typename Op> mlir::Value make(mlir::Value x, double y) {
    return Op::create(b, x, constantLike(x, y));
  }
  template <typename Op> mlir::Value makeInt(mlir::Value x, int64_t y) {
    return Op::create(b, x, constantLike(x, y));
  }
  template <typename Op> mlir::Value cast(mlir::Value x, mlir::Type element) {
    return Op::create(b, typeOf(element), x);
  }
  mlir::Value fma(mlir::Value x, mlir::Value y, mlir::Value z) {
    return mlir::math::FmaOp::create(b, x, y, z);
  }
  mlir::Value fma(mlir::Value x, double y, mlir::Value z) {
    return fma(x, constantLike(x, y), z);
  }
  mlir::Value fma(mlir::Value x, double y, double z) {
    mlir::Value factor = constantLike(x, y);
    return fma(x, factor, constantLike(x, z));
  }
  mlir::Value compare(mlir::arith::CmpFPredicate predicate, mlir::Value x,
                      double y) {
    return mlir::arith::CmpFOp::create(b, predicate, x, constantLike(x, y));
  }
  mlir::Value compare(mlir::arith::CmpFPredicate predicate, mlir::Value x,
                      mlir::Value y) {
    return mlir::arith::CmpFOp::create(b, predicate, x, y);
  }
  mlir::Value compareInt(mlir::arith::CmpIPredicate predicate, mlir::Value x,
                         int64_t y) {
    return mlir::arith::CmpIOp::create(b, predicate, x, constantLike(x, y));
  }
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y) {
    return mlir::arith::SelectOp::create(b, condition, x, y);
  }
  mlir::Value select(mlir::Value condition, double x, mlir::Value y) {
    return select(condition, constantLike(y, x), y);
  }
  /// Within bounds; NaN stays NaN. One instruction each where the target has
  /// one of these semantics.
  mlir::Value clamp(mlir::Value x, double low, double high) {
    mlir::Value lowest = constantLike(x, low);
    x = select(compare(mlir::arith::CmpFPredicate::OGT, lowest, x), lowest, x);
    return atMost(x, high);
  }
  /// The lower of the two; NaN stays NaN.
  mlir::Value atMost(mlir::Value x, double high) {
    mlir::Value highest = constantLike(x, high);
    return select(compare(mlir::arith::CmpFPredicate::OLT, highest, x), highest,
                  x);
  }
  /// Coefficients from the constant one up.
  mlir::Value polynomial(mlir::Value x, llvm::ArrayRef<double> coefficients) {
    mlir::Value y = constantLike(x, coefficients.back());
    for (double c : llvm::reverse(coefficients.drop_back()))
      y = fma(y, x, constantLike(x, c));
    return y;
  }
  /// Whether it holds for any element.
  mlir::Value any(mlir::Value condition) {
    if (!llvm::isa<mlir::VectorType>(condition.getType()))
      return condition;
    return mlir::vector::ReductionOp::create(b, mlir::vector::CombiningKind::OR,
                                             condition);
  }

  mlir::ImplicitLocOpBuilder b;

private:
  mlir::Value splat(mlir::TypedAttr value) {
    if (auto shaped = llvm::dyn_cast<mlir::ShapedType>(like))
      value =
          mlir::DenseElementsAttr::get(shaped.clone(value.getType()), value);
    return mlir::arith::ConstantOp::create(b, value);
  }

  mlir::Type like;
};

/// A scalar, or a vector of one dimension.
inline bool isFloat32(mlir::Type type) {
  auto vector = llvm::dyn_cast<mlir::VectorType>(type);
  return mlir::getElementTypeOrSelf(type).isF32() &&
         (!llvm::isa<mlir::ShapedType>(type) ||
          (vector && vector.getRank() == 1 && !vector.isScalable()));
}

/// The number that all elements of a constant are.
inline std::optional<double> getSplat(mlir::Value value) {
  mlir::FloatAttr number;
  mlir::DenseElementsAttr splat;
  if (mlir::matchPattern(value, mlir::m_Constant(&splat)) && splat.isSplat() &&
      llvm::isa<mlir::FloatType>(splat.getElementType()))
    return splat.getSplatValue<mlir::FloatAttr>().getValueAsDouble();
  if (mlir::matchPattern(value, mlir::m_Constant(&number)))
    return number.getValueAsDouble();
  return std::nullopt;
}

/// What buildNormalExp takes.
constexpr double kLeastNormalExponent = -86, kGreatestExponent = 89;

/// 2^shift exp(sign * x) for sign * x between these bounds, or NaN; infinite
/// where floats end. Nothing in it is subnormal.
mlir::Value buildNormalExp(MathBuilder &b, mlir::Value x, int sign = 1,
                           int shift = 0);

} // namespace onnxc

#endif // ONNXC_LIB_EMIT_MATHBUILDER_H
