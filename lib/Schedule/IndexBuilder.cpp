//===- IndexBuilder.cpp - Addresses of kernels ----------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc;

Value IndexBuilder::value(OpFoldResult x) {
  return getValueOrCreateConstantIndexOp(b, loc, x);
}

OpFoldResult IndexBuilder::add(OpFoldResult x, OpFoldResult y) {
  std::optional<int64_t> cx = getConstantIntValue(x),
                         cy = getConstantIntValue(y);
  if (cx && cy)
    return constant(*cx + *cy);
  if (cx && *cx == 0)
    return y;
  if (cy && *cy == 0)
    return x;
  return arith::AddIOp::create(b, loc, value(x), value(y)).getResult();
}

OpFoldResult IndexBuilder::sub(OpFoldResult x, OpFoldResult y) {
  std::optional<int64_t> cx = getConstantIntValue(x),
                         cy = getConstantIntValue(y);
  if (cx && cy)
    return constant(*cx - *cy);
  if (cy && *cy == 0)
    return x;
  return arith::SubIOp::create(b, loc, value(x), value(y)).getResult();
}

OpFoldResult IndexBuilder::mul(OpFoldResult x, OpFoldResult y) {
  std::optional<int64_t> cx = getConstantIntValue(x),
                         cy = getConstantIntValue(y);
  if (cx && cy)
    return constant(*cx * *cy);
  if ((cx && *cx == 0) || (cy && *cy == 1))
    return x;
  if ((cy && *cy == 0) || (cx && *cx == 1))
    return y;
  return arith::MulIOp::create(b, loc, value(x), value(y)).getResult();
}

OpFoldResult IndexBuilder::min(OpFoldResult x, OpFoldResult y) {
  std::optional<int64_t> cx = getConstantIntValue(x),
                         cy = getConstantIntValue(y);
  if (cx && cy)
    return constant(std::min(*cx, *cy));
  return arith::MinSIOp::create(b, loc, value(x), value(y)).getResult();
}

OpFoldResult IndexBuilder::max(OpFoldResult x, OpFoldResult y) {
  std::optional<int64_t> cx = getConstantIntValue(x),
                         cy = getConstantIntValue(y);
  if (cx && cy)
    return constant(std::max(*cx, *cy));
  return arith::MaxSIOp::create(b, loc, value(x), value(y)).getResult();
}

OpFoldResult IndexBuilder::ceilDiv(OpFoldResult x, int64_t y) {
  if (y == 1)
    return x;
  if (std::optional<int64_t> cx = getConstantIntValue(x))
    return constant(llvm::divideCeilSigned(*cx, y));
  return floorDiv(add(x, constant(y - 1)), y);
}

OpFoldResult IndexBuilder::floorDiv(OpFoldResult x, int64_t y) {
  if (y == 1)
    return x;
  if (std::optional<int64_t> cx = getConstantIntValue(x))
    return constant(llvm::divideFloorSigned(*cx, y));
  return arith::FloorDivSIOp::create(b, loc, value(x), value(constant(y)))
      .getResult();
}

FlatBuffer onnxc::flatten(IndexBuilder &index, Value buffer) {
  OpBuilder &b = index.b;
  FlatBuffer flat;
  auto meta = memref::ExtractStridedMetadataOp::create(b, index.loc, buffer);
  flat.strides = meta.getConstifiedMixedStrides();
  flat.sizes = meta.getConstifiedMixedSizes();
  flat.element = cast<MemRefType>(buffer.getType()).getElementType();
  // The size of the view does not matter to any access.
  flat.memory = memref::ReinterpretCastOp::create(
      b, index.loc, meta.getBaseBuffer(), meta.getConstifiedMixedOffset(),
      ArrayRef<OpFoldResult>(b.getIndexAttr(1 << 30)),
      ArrayRef<OpFoldResult>(b.getIndexAttr(1)));
  return flat;
}

SmallVector<Value> onnxc::carryLoop(IndexBuilder &index, OpFoldResult from,
                                    OpFoldResult to, int64_t step,
                                    ValueRange carried, CarriedBody body) {
  std::optional<int64_t> first = getConstantIntValue(from),
                         last = getConstantIntValue(to);
  if (first && last && *first >= *last)
    return carried;
  if (first && last && *last - *first <= step)
    return body(from, carried);
  auto loop =
      scf::ForOp::create(index.b, index.loc, index.value(from), index.value(to),
                         index.value(index.constant(step)), carried,
                         [&](OpBuilder &, Location, Value iv, ValueRange args) {
                           SmallVector<Value> yielded = body(iv, args);
                           scf::YieldOp::create(index.b, index.loc, yielded);
                         });
  return loop.getResults();
}

void onnxc::parallelLoop(IndexBuilder &index, ArrayRef<OpFoldResult> extents,
                         int64_t work,
                         function_ref<void(ArrayRef<OpFoldResult>)> body) {
  OpBuilder &b = index.b;
  SmallVector<OpFoldResult> kept;
  for (OpFoldResult extent : extents)
    if (!isIndex(extent, 1))
      kept.push_back(extent);
  SmallVector<OpFoldResult> position(extents.size(), index.constant(0));
  if (kept.empty())
    return body(position);
  auto loop = scf::ForallOp::create(b, index.loc, kept, ValueRange(),
                                    /*mapping=*/std::nullopt);
  if (work > 0)
    loop->setAttr("onnxc.work", b.getI64IntegerAttr(work));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  unsigned next = 0;
  for (auto [extent, at] : llvm::zip_equal(extents, position))
    if (!isIndex(extent, 1))
      at = loop.getInductionVars()[next++];
  body(position);
}
