//===- PackedLayout.cpp - Where packed elements are -----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Kernel/PackedLayout.h"
#include "onnxc/Support/SaturatingInt.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using onnxc::kernel::PackedLayout;

namespace {
/// One result of a layout's map: `coordinate floordiv size`, `coordinate mod
/// size`, or all of it (size 1, a quotient); without a coordinate, 0.
struct Part {
  std::optional<unsigned> coordinate;
  int64_t size = 1;
  bool isRemainder = false;
};
} // namespace

static Part matchPart(AffineExpr expr) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return {dim.getPosition()};
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary) {
    assert(expr == 0 && "expected a coordinate, a part of one, or 0");
    return {};
  }
  return {cast<AffineDimExpr>(binary.getLHS()).getPosition(),
          cast<AffineConstantExpr>(binary.getRHS()).getValue(),
          binary.getKind() == AffineExprKind::Mod};
}

SmallVector<int64_t> PackedLayout::getPlaces() const {
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) -> int64_t {
    Part part = matchPart(expr);
    if (!part.coordinate)
      return 1;
    if (part.isRemainder)
      return part.size;
    int64_t extent = extents[*part.coordinate];
    return ShapedType::isDynamic(extent)
               ? extent
               : int64_t(llvm::divideCeil(extent, part.size));
  });
}

SmallVector<int64_t> PackedLayout::getShape() const {
  SmallVector<int64_t> places = getPlaces(), shape;
  places.truncate(places.size() - inElement);
  SaturatingInt first = 1;
  bool isKnown = true;
  for (int64_t size : ArrayRef(places).take_front(joined)) {
    isKnown &= !ShapedType::isDynamic(size);
    first *= size;
  }
  shape.push_back(isKnown ? int64_t(first) : ShapedType::kDynamic);
  llvm::append_range(shape, ArrayRef(places).drop_front(joined));
  return shape;
}

AffineMap PackedLayout::getInverse() const {
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> coordinates(map.getNumDims(),
                                      getAffineConstantExpr(0, context));
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    Part part = matchPart(expr);
    if (!part.coordinate)
      continue;
    AffineExpr place = getAffineDimExpr(i, context);
    coordinates[*part.coordinate] =
        coordinates[*part.coordinate] +
        (part.isRemainder ? place : place * part.size);
  }
  return AffineMap::get(map.getNumResults(), 0, coordinates, context);
}
