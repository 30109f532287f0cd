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
/// One result of a layout's map: `(coordinate mod modulus) floordiv size`, the
/// remainder or the quotient alone, or all of it (size 1); without a
/// coordinate, 0.
struct Part {
  std::optional<unsigned> coordinate;
  int64_t size = 1;
  int64_t modulus = 0; // 0: none
};
} // namespace

static Part matchPart(AffineExpr expr) {
  Part part;
  auto take = [&](AffineExprKind kind, int64_t &number) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary || binary.getKind() != kind)
      return;
    number = cast<AffineConstantExpr>(binary.getRHS()).getValue();
    expr = binary.getLHS();
  };
  take(AffineExprKind::FloorDiv, part.size);
  take(AffineExprKind::Mod, part.modulus);
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    part.coordinate = dim.getPosition();
  else
    assert(expr == 0 && "expected a coordinate, a part of one, or 0");
  return part;
}

SmallVector<int64_t> PackedLayout::getPlaces() const {
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) -> int64_t {
    Part part = matchPart(expr);
    if (!part.coordinate)
      return 1;
    if (part.modulus)
      return part.modulus / part.size;
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
        coordinates[*part.coordinate] + place * part.size;
  }
  return AffineMap::get(map.getNumResults(), 0, coordinates, context);
}
