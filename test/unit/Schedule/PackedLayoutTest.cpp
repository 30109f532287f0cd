//===- PackedLayoutTest.cpp - Layouts and their inverses ------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What packs a constant goes from places to coordinates, what reads it from
// coordinates to places: both ways lead to the same element.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Kernel/KernelDialect.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "gtest/gtest.h"

#include <set>
#include <vector>

using namespace mlir;
using namespace onnxc;
using kernel::PackedLayout;

namespace {

/// Steps to the next coordinates; false behind the last ones.
bool advance(MutableArrayRef<int64_t> at, ArrayRef<int64_t> extents) {
  for (size_t d = at.size(); d-- > 0;) {
    if (++at[d] < extents[d])
      return true;
    at[d] = 0;
  }
  return false;
}

SmallVector<int64_t> evaluate(AffineMap map, ArrayRef<int64_t> at) {
  MLIRContext *context = map.getContext();
  SmallVector<Attribute> operands, results;
  for (int64_t x : at)
    operands.push_back(IntegerAttr::get(IndexType::get(context), x));
  EXPECT_TRUE(succeeded(map.constantFold(operands, results)));
  return llvm::map_to_vector(results, [](Attribute result) {
    return cast<IntegerAttr>(result).getInt();
  });
}

/// Each element has a place of its own, which lies inside and leads back.
void check(const PackedLayout &layout) {
  SmallVector<int64_t> at(layout.extents.size(), 0),
      places = layout.getPlaces();
  std::set<std::vector<int64_t>> seen;
  do {
    SmallVector<int64_t> place = evaluate(layout.map, at);
    for (auto [index, size] : llvm::zip_equal(place, places))
      EXPECT_TRUE(index >= 0 && index < size);
    EXPECT_TRUE(seen.emplace(place.begin(), place.end()).second);
    EXPECT_EQ(evaluate(layout.getInverse(), place), at);
  } while (advance(at, layout.extents));
}

TEST(PackedLayout, InverseOfConvolutions) {
  MLIRContext context;
  // Groups, filters, channels, taps: the last panel and block are not full.
  PackedLayout blocked =
      kernel::ConvOp::getFilterLayout(&context, {2, 5, 6, 3}, 4, 4);
  EXPECT_EQ(blocked.getShape(), (SmallVector<int64_t>{4, 2, 3, 4, 4}));
  check(blocked);
  PackedLayout plain =
      kernel::ConvOp::getFilterLayout(&context, {1, 5, 3, 2, 2}, 8, 0);
  EXPECT_EQ(plain.getShape(), (SmallVector<int64_t>{1, 2, 2, 3, 8}));
  check(plain);
  check(kernel::ConvOp::getDepthwiseLayout(&context, {10, 3, 3}, 4, false));
}

TEST(PackedLayout, InverseOfIntegerDots) {
  MLIRContext context;
  PackedLayout layout =
      kernel::IntegerDotOp::getFilterLayout(&context, {3, 5, 2, 7}, 4, 4);
  EXPECT_EQ(layout.getShape(), (SmallVector<int64_t>{6, 2, 2, 4, 4}));
  check(layout);
  check(kernel::IntegerDotOp::getFilterLayout(&context, {1, 5, 7}, 4, 1));
  check(kernel::IntegerDotOp::getDepthwiseLayout(&context, {6, 3, 3}));
}

TEST(PackedLayout, InverseOfBlockMatmuls) {
  MLIRContext context;
  PackedLayout layout =
      kernel::BlockMatmulOp::getWeightsLayout(&context, 20, 16, 16, 4);
  // Eight steps are one element of the operand.
  EXPECT_EQ(layout.getShape(), (SmallVector<int64_t>{2, 2, 16}));
  check(layout);
}

TEST(PackedLayout, InverseOfMatmuls) {
  MLIRContext context;
  AffineExpr batch, m, n, k;
  bindDims(&context, batch, m, n, k);
  PackedLayout layout = kernel::MatmulOp::getRhsLayout(
      AffineMap::get(4, 0, {n, batch, k}, &context), {2, 1, 10, 3}, 4);
  EXPECT_EQ(layout.getShape(), (SmallVector<int64_t>{2, 3, 3, 4}));
  check(layout);
}

} // namespace
