//===- PlainLoops.cpp - Kernels as scalar loops ---------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlainLoops.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace onnxc;

void PlainLoops::overPlaces(ArrayRef<OpFoldResult> extents,
                            function_ref<void(const Indices &)> body,
                            Indices at) {
  if (extents.empty())
    return body(at);
  carryLoop(index, index.constant(0), extents.front(), 1, {},
            [&](OpFoldResult i, ValueRange) -> SmallVector<Value> {
              Indices next(at);
              next.push_back(i);
              overPlaces(extents.drop_front(), body, next);
              return {};
            });
}

Value PlainLoops::addUp(ArrayRef<OpFoldResult> extents, Value start, Step step,
                        Indices at) {
  if (extents.empty())
    return step(at, start);
  return carryLoop(
             index, index.constant(0), extents.front(), 1, start,
             [&](OpFoldResult i, ValueRange carried) -> SmallVector<Value> {
               Indices next(at);
               next.push_back(i);
               return {addUp(extents.drop_front(), carried[0], step, next)};
             })
      .front();
}

Indices PlainLoops::placeOf(OpOperand &operand,
                            ArrayRef<OpFoldResult> coordinates) {
  kernel::PackedLayout layout = *op.getPackedLayout(operand);
  Indices all;
  auto placeIn = [&](auto &self, AffineExpr expr) -> OpFoldResult {
    if (auto whole = dyn_cast<AffineDimExpr>(expr))
      return coordinates[whole.getPosition()];
    auto part = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!part)
      return index.constant(0);
    OpFoldResult place = self(self, part.getLHS());
    int64_t size = cast<AffineConstantExpr>(part.getRHS()).getValue();
    return part.getKind() == AffineExprKind::Mod ? rem(place, size)
                                                 : index.floorDiv(place, size);
  };
  for (AffineExpr expr : layout.map.getResults())
    all.push_back(placeIn(placeIn, expr));
  // The first ones as one index.
  SmallVector<int64_t> places = layout.getPlaces();
  for (; layout.joined > 1; --layout.joined) {
    all[1] = index.add(index.mul(all[0], places[1]), all[1]);
    all.erase(all.begin());
    places.erase(places.begin());
  }
  return all;
}

Value PlainLoops::extend(Value value, bool isUnsigned) {
  if (value.getType() == sum)
    return value;
  if (isa<FloatType>(sum))
    return arith::ExtFOp::create(b, loc, sum, value);
  if (isUnsigned)
    return arith::ExtUIOp::create(b, loc, sum, value);
  return arith::ExtSIOp::create(b, loc, sum, value);
}

Value PlainLoops::multiplyAdd(Value x, Value y, Value carried) {
  if (isa<FloatType>(sum))
    return arith::AddFOp::create(b, loc, carried,
                                 arith::MulFOp::create(b, loc, x, y));
  return arith::AddIOp::create(b, loc, carried,
                               arith::MulIOp::create(b, loc, x, y));
}

void PlainLoops::finish(const Indices &at, Value value) {
  Block &block = op.getEpilogue().front();
  IRMapping map;
  map.map(block.getArgument(0), value);
  for (auto [argument, extra, place] :
       llvm::zip_equal(block.getArguments().drop_front(), op.getExtras(),
                       op.getEpilogueAffineMaps())) {
    if (argument.use_empty())
      continue;
    map.map(argument, isa<MemRefType>(extra.getType())
                          ? load(extra, apply(place, at))
                          : extra);
  }
  for (Operation &inner : block.without_terminator())
    b.clone(inner, map);
  memref::StoreOp::create(
      b, loc, map.lookupOrDefault(block.getTerminator()->getOperand(0)),
      op.getInitMutable().get(), values(at));
}
