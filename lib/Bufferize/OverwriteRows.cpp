//===- OverwriteRows.cpp - States that are written in place ---------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OverwriteRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace onnxc;

static Value skipCasts(Value value) {
  while (auto cast = value.getDefiningOp<tensor::CastOp>())
    value = cast.getSource();
  return value;
}

/// Adds the insertions, also in loops, that make `value` of `past`. Fails if
/// something else has a part in it.
static LogicalResult
collectInsertions(Value value, Value past,
                  SmallVectorImpl<tensor::InsertSliceOp> &insertions) {
  while ((value = skipCasts(value)) != past) {
    if (auto insertion = value.getDefiningOp<tensor::InsertSliceOp>()) {
      insertions.push_back(insertion);
      value = insertion.getDest();
      continue;
    }
    auto loop = value.getDefiningOp<scf::ForOp>();
    if (!loop)
      return failure();
    auto result = cast<OpResult>(value);
    if (failed(collectInsertions(
            loop.getTiedLoopYieldedValue(loop.getTiedLoopRegionIterArg(result))
                ->get(),
            loop.getTiedLoopRegionIterArg(result), insertions)))
      return failure();
    value = loop.getTiedLoopInit(result)->get();
  }
  return success();
}

namespace {
/// A part of a tensor: `rows` of dimension `axis` from `first` on, in `samples`
/// of its first dimension from `sample` on, and all of the others. Where `axis`
/// is 0, there are no samples.
struct Part {
  int64_t axis;
  OpFoldResult sample, samples, first, rows;
};
} // namespace

/// A part that has at least what `insertion` writes.
static Part findWritten(tensor::InsertSliceOp insertion) {
  RankedTensorType type = insertion.getType();
  SmallVector<OpFoldResult> offsets = insertion.getMixedOffsets(),
                            sizes = insertion.getMixedSizes();
  int64_t axis = type.getRank() - 1;
  while (axis > 0 && isZeroInteger(offsets[axis]) &&
         (type.isDynamicDim(axis) ||
          getConstantIntValue(sizes[axis]) == type.getDimSize(axis)))
    --axis;
  return {axis, offsets[0], sizes[0], offsets[axis], sizes[axis]};
}

bool onnxc::isOverwritten(const ResultPlace &place, Value past) {
  SmallVector<tensor::InsertSliceOp> insertions;
  auto isRead = [](OpOperand &use) {
    return !isa<tensor::DimOp, tensor::CastOp>(use.getOwner());
  };
  SmallVector<Value> sources{past};
  int64_t reads = 0;
  while (!sources.empty())
    for (OpOperand &use : sources.pop_back_val().getUses()) {
      reads += isRead(use);
      if (auto cast = dyn_cast<tensor::CastOp>(use.getOwner()))
        sources.push_back(cast);
    }
  return reads == 1 &&
         succeeded(collectInsertions(place.get(), past, insertions)) &&
         llvm::all_of(insertions, [](tensor::InsertSliceOp insertion) {
           return insertion.hasUnitStride();
         });
}

void onnxc::overwriteRows(AbiBuilder &abi, const ResultPlace &place,
                          size_t state, bufferization::ToTensorOp past,
                          Value ctx) {
  OpBuilder &b = abi.b;
  Location loc = abi.loc;
  auto toI64 = [&](OpFoldResult size) -> Value {
    Value index = getValueOrCreateConstantIndexOp(b, loc, size);
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
  };
  SmallVector<tensor::InsertSliceOp> insertions;
  LogicalResult collected = collectInsertions(place.get(), past, insertions);
  assert(succeeded(collected) && "see isOverwritten");
  (void)collected;
  for (tensor::InsertSliceOp insertion : insertions) {
    b.setInsertionPoint(insertion);
    // What is written must not be where it goes before the runtime knows, but
    // eliminate-empty-tensors has a producer write into the slice: so the
    // source is copied. It is small beside the state.
    Value source = insertion.getSource();
    SmallVector<Value> noSizes;
    insertion.getSourceMutable().assign(bufferization::AllocTensorOp::create(
        b, loc, cast<RankedTensorType>(source.getType()), noSizes, source));
    Part part = findWritten(insertion);
    assertOk(b, loc,
             callRuntime(b, loc, abi.module, RuntimeFn::StateOverwrite,
                         {ctx, abi.i32(static_cast<int64_t>(state)),
                          abi.i32(part.axis), toI64(part.sample),
                          toI64(part.samples), toI64(part.first),
                          toI64(part.rows)}));
  }
  b.setInsertionPoint(place.terminator);
  auto copy = bufferization::MaterializeInDestinationOp::create(
      b, loc, Type(), place.get(), past.getBuffer());
  copy.setRestrict(true);
  copy.setWritable(true);
}
