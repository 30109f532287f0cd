//===- FloatBounds.cpp - How large numbers in a loop's body can be --------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FloatBounds.h"
#include "Kernels/QuantizedFactor.h"

#include "onnxc/Dialect/Kernel/KernelDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace onnxc;

using Bound = std::optional<double>;

/// What rounding may add, generously.
static constexpr double kSlack = 1.0 + 1e-6;
/// Chains in epilogues are shorter.
static constexpr unsigned kMostSteps = 32;

/// A bound that the type of `value` has, with room for all of its roundings.
static Bound fit(Value value, double bound) {
  if (isa<IntegerType>(value.getType()))
    // Beyond it, integers wrap around.
    return std::min(bound,
                    std::ldexp(1.0, value.getType().getIntOrFloatBitWidth()));
  bound *= kSlack;
  return value.getType().isF32() && bound < 1e38 ? Bound(bound) : std::nullopt;
}

/// The tensor that an argument of a body reads elements of.
static Value findTensor(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  unsigned number = argument.getArgNumber();
  if (auto generic = dyn_cast_or_null<linalg::GenericOp>(parent))
    return number < unsigned(generic.getNumDpsInputs())
               ? generic.getDpsInputs()[number]
               : Value();
  auto kernel = dyn_cast_or_null<kernel::KernelOpInterface>(parent);
  return kernel && number > 0 && number <= kernel.getExtras().size()
             ? kernel.getExtras()[number - 1]
             : Value();
}

static Bound boundOfArgument(BlockArgument argument) {
  if (isa<IntegerType>(argument.getType()))
    return fit(argument, HUGE_VAL);
  Value tensor = findTensor(argument);
  if (!tensor || !argument.getType().isF32())
    return std::nullopt;
  std::optional<SmallVector<char>> bytes = readConstant(tensor);
  if (!bytes)
    return std::nullopt;
  double bound = 0;
  for (size_t at = 0; at + sizeof(float) <= bytes->size();
       at += sizeof(float)) {
    float value;
    std::memcpy(&value, bytes->data() + at, sizeof(float));
    if (!std::isfinite(value))
      return std::nullopt;
    bound = std::max(bound, std::fabs(double(value)));
  }
  return fit(argument, bound);
}

namespace {

/// Each scalar is looked at once, however many read it.
class BoundFinder {
public:
  Bound find(Value scalar, unsigned steps) {
    auto [known, isNew] = bounds.try_emplace(scalar);
    if (isNew) {
      Bound bound = compute(scalar, steps);
      return bounds[scalar] = bound;
    }
    return known->second;
  }

private:
  Bound compute(Value scalar, unsigned steps);

  llvm::SmallDenseMap<Value, Bound> bounds;
};

} // namespace

Bound BoundFinder::compute(Value scalar, unsigned steps) {
  if (auto argument = dyn_cast<BlockArgument>(scalar))
    return boundOfArgument(argument);
  APFloat known(0.0f);
  if (matchPattern(scalar, m_ConstantFloat(&known)))
    return known.isFinite() && scalar.getType().isF32()
               ? fit(scalar, std::fabs(known.convertToDouble()))
               : std::nullopt;
  Operation *op = scalar.getDefiningOp();
  if (!op || steps == 0)
    return std::nullopt;
  auto of = [&](unsigned operand) {
    return find(op->getOperand(operand), steps - 1);
  };
  auto combine = [&](auto function) -> Bound {
    Bound left = of(0), right = left ? of(1) : std::nullopt;
    return right ? fit(scalar, function(*left, *right)) : std::nullopt;
  };
  auto sum = [](double left, double right) { return left + right; };
  return llvm::TypeSwitch<Operation *, Bound>(op)
      .Case<arith::SIToFPOp, arith::NegFOp, math::AbsFOp>(
          [&](Operation *) -> Bound {
            Bound inner = of(0);
            return inner ? fit(scalar, *inner) : std::nullopt;
          })
      // A bound of a negative number is not one of the same bits without sign.
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::UIToFPOp>(
          [&](Operation *extend) {
            Type type = extend->getOperand(0).getType();
            return fit(scalar, std::ldexp(1.0, type.getIntOrFloatBitWidth()));
          })
      .Case<arith::AddFOp, arith::SubFOp, arith::AddIOp, arith::SubIOp>(
          [&](Operation *) { return combine(sum); })
      .Case<arith::MulFOp>([&](Operation *) {
        return combine([](double left, double right) { return left * right; });
      })
      .Case<arith::DivFOp>([&](arith::DivFOp division) -> Bound {
        APFloat divisor(0.0f);
        Bound left = of(0);
        if (!left ||
            !matchPattern(division.getRhs(), m_ConstantFloat(&divisor)) ||
            !divisor.isNormal())
          return std::nullopt;
        return fit(scalar, *left / std::fabs(divisor.convertToDouble()));
      })
      .Case<math::FmaOp>([&](Operation *) -> Bound {
        Bound left = of(0), right = left ? of(1) : std::nullopt,
              other = right ? of(2) : std::nullopt;
        return other ? fit(scalar, *left * *right + *other) : std::nullopt;
      })
      .Case<arith::MinSIOp>([&](arith::MinSIOp least) -> Bound {
        auto greatest = least.getLhs().getDefiningOp<arith::MaxSIOp>();
        APInt low, high;
        if (!greatest ||
            !matchPattern(greatest.getRhs(), m_ConstantInt(&low)) ||
            !matchPattern(least.getRhs(), m_ConstantInt(&high)))
          return fit(scalar, HUGE_VAL);
        return fit(scalar, std::max(std::fabs(low.signedRoundToDouble()),
                                    std::fabs(high.signedRoundToDouble())));
      })
      .Case<arith::SelectOp>([&](arith::SelectOp) -> Bound {
        Bound first = of(1), second = first ? of(2) : std::nullopt;
        return second ? fit(scalar, std::max(*first, *second)) : std::nullopt;
      })
      .Case<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
            arith::MinNumFOp>([&](Operation *) {
        return combine(
            [](double left, double right) { return std::max(left, right); });
      })
      .Case<math::RoundEvenOp>([&](Operation *) -> Bound {
        Bound inner = of(0);
        return inner ? fit(scalar, *inner + 1) : std::nullopt;
      })
      .Default([&](Operation *) {
        return isa<IntegerType>(scalar.getType()) ? fit(scalar, HUGE_VAL)
                                                  : std::nullopt;
      });
}

std::optional<double> onnxc::findBound(Value scalar) {
  return BoundFinder().find(scalar, kMostSteps);
}
