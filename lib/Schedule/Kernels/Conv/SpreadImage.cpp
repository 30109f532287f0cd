//===- SpreadImage.cpp - Zeros around and between pixels ------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpreadImage.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace onnxc;

bool onnxc::isFloatZero(Value value) {
  return matchPattern(value, m_AnyZeroFloat());
}

std::optional<ZeroPadding> onnxc::matchZeroPadding(Value image) {
  auto pad = image.getDefiningOp<tensor::PadOp>();
  if (!pad)
    return std::nullopt;
  Value value = pad.getConstantPaddingValue();
  ArrayRef<int64_t> low = pad.getStaticLow(), high = pad.getStaticHigh();
  auto isKnown = [](int64_t x) { return x >= 0; };
  if (!value || !isFloatZero(value) || !llvm::all_of(low, isKnown) ||
      !llvm::all_of(high, isKnown) || low[0] || low[1] || high[0] || high[1])
    return std::nullopt;
  ZeroPadding found{pad, llvm::to_vector(low.drop_front(2))};
  llvm::append_range(found.pads, high.drop_front(2));
  return found;
}

namespace {

/// A sum of values, each times a number, and a number.
struct LinearSum {
  llvm::SmallMapVector<Value, int64_t, 4> terms;
  int64_t constant = 0;

  void add(OpFoldResult x, int64_t factor) {
    if (std::optional<int64_t> known = getConstantIntValue(x)) {
      constant += factor * *known;
      return;
    }
    auto value = cast<Value>(x);
    if (auto sum = value.getDefiningOp<arith::AddIOp>()) {
      add(sum.getLhs(), factor);
      add(sum.getRhs(), factor);
      return;
    }
    if (auto difference = value.getDefiningOp<arith::SubIOp>()) {
      add(difference.getLhs(), factor);
      add(difference.getRhs(), -factor);
      return;
    }
    if (auto product = value.getDefiningOp<arith::MulIOp>())
      if (std::optional<int64_t> by = getConstantIntValue(product.getRhs())) {
        add(product.getLhs(), factor * *by);
        return;
      }
    terms[value] += factor;
  }
  bool isZero() const {
    return constant == 0 && llvm::all_of(terms, [](const auto &term) {
             return term.second == 0;
           });
  }
};

/// Whether `size` is what so many pixels take, from the first to the last one,
/// if they are `step` apart.
bool isExtentOf(OpFoldResult size, OpFoldResult count, int64_t step) {
  // Of no pixels: no place.
  if (auto value = dyn_cast<Value>(size))
    if (auto max = value.getDefiningOp<arith::MaxSIOp>())
      if (matchPattern(max.getRhs(), m_Zero()))
        size = max.getLhs();
  LinearSum difference;
  difference.add(size, 1);
  difference.add(count, -step);
  difference.constant += step - 1;
  return difference.isZero();
}

} // namespace

std::optional<SpreadImage> onnxc::matchSpread(Value image) {
  auto insert = image.getDefiningOp<tensor::InsertSliceOp>();
  if (!insert)
    return std::nullopt;
  auto fill = insert.getDest().getDefiningOp<linalg::FillOp>();
  auto empty = fill ? fill.getOutputs()[0].getDefiningOp<tensor::EmptyOp>()
                    : tensor::EmptyOp();
  ArrayRef<int64_t> steps = insert.getStaticStrides();
  auto isWhole = [](int64_t offset) { return offset == 0; };
  if (!empty || !isFloatZero(fill.getInputs()[0]) ||
      insert.getSourceType().getRank() != insert.getType().getRank() ||
      !llvm::all_of(insert.getStaticOffsets(), isWhole) || steps[0] != 1 ||
      steps[1] != 1)
    return std::nullopt;
  for (auto [to, from, step] :
       llvm::zip_equal(empty.getMixedSizes(), insert.getMixedSizes(), steps))
    if (ShapedType::isDynamic(step) || !isExtentOf(to, from, step))
      return std::nullopt;
  return SpreadImage{insert.getSource(), llvm::to_vector(steps.drop_front(2))};
}
