//===- AppendRows.cpp - States that rows are appended to ------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AppendRows.h"
#include "onnxc/Support/IndexMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace onnxc;

/// Whether a branch yields the value other than as the state, which is no
/// result of the branch any more: it would make a view of unknown strides of
/// it.
static bool isYielded(Value value, const ResultPlace &place) {
  return llvm::any_of(value.getUses(), [&](OpOperand &use) {
    return isa<scf::YieldOp>(use.getOwner()) &&
           &use != &place.terminator->getOpOperand(place.operand);
  });
}

/// The insertion of the past at the start of an empty tensor that others are
/// inserted into to make the state's next value; null if it is made otherwise.
/// Of a state that is rewritten, it is that of the first rows of the past: the
/// Concat that was there takes all of its other dimensions.
static tensor::InsertSliceOp findPastInsertion(const ResultPlace &place,
                                               const AppendedState &state) {
  Value value = place.get();
  while (auto cast = value.getDefiningOp<tensor::CastOp>()) {
    if (isYielded(value, place))
      return nullptr;
    value = cast.getSource();
  }
  if (isYielded(value, place))
    return nullptr;
  auto insertion = value.getDefiningOp<tensor::InsertSliceOp>();
  while (insertion) {
    Value source = insertion.getSource();
    while (Operation *op = source.getDefiningOp()) {
      auto part = dyn_cast<tensor::ExtractSliceOp>(op);
      if (!isa<tensor::CastOp>(op) &&
          !(state.isRewritten && part && part.hasUnitStride() &&
            part.getType().getRank() == part.getSourceType().getRank() &&
            llvm::all_of(part.getMixedOffsets(), isZeroInteger)))
        break;
      source = op->getOperand(0);
    }
    if (source == state.past)
      return insertion.getDest().getDefiningOp<tensor::EmptyOp>() &&
                     llvm::all_of(insertion.getMixedOffsets(), isZeroInteger)
                 ? insertion
                 : tensor::InsertSliceOp();
    if (!insertion->hasOneUse() && insertion.getResult() != value)
      return nullptr;
    insertion = insertion.getDest().getDefiningOp<tensor::InsertSliceOp>();
  }
  return nullptr;
}

/// Whether `slice` is rows of its source along `axis`, one behind the other.
static bool isRows(tensor::ExtractSliceOp slice, int64_t axis) {
  Value source = slice.getSource();
  auto isWhole = [&](int64_t dim, OpFoldResult size) {
    auto type = cast<RankedTensorType>(source.getType());
    if (!type.isDynamicDim(dim))
      return getConstantIntValue(size) == type.getDimSize(dim);
    auto value = dyn_cast<Value>(size);
    auto ofDim = value ? value.getDefiningOp<tensor::DimOp>() : tensor::DimOp();
    return ofDim && ofDim.getSource() == source &&
           ofDim.getConstantIndex() == dim;
  };
  if (!slice.hasUnitStride() ||
      slice.getType().getRank() != slice.getSourceType().getRank())
    return false;
  SmallVector<OpFoldResult> offsets = slice.getMixedOffsets(),
                            sizes = slice.getMixedSizes();
  for (int64_t dim = 0, e = sizes.size(); dim < e; ++dim)
    if (dim != axis &&
        !(isZeroInteger(offsets[dim]) && isWhole(dim, sizes[dim])))
      return false;
  return true;
}

/// Views of `part`, the rows of `whole` along `axis` from `start` on, that join
/// or split other dimensions are views of the whole first: that is one piece of
/// memory, its part is not.
static void reshapeWhole(OpBuilder &b, Value part, Value whole, int64_t axis,
                         OpFoldResult start) {
  for (Operation *user : llvm::to_vector(part.getUsers())) {
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(user);
        slice && isRows(slice, axis)) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(user);
      IndexMath index{b, user->getLoc()};
      reshapeWhole(b, slice, whole, axis,
                   index.add(start, slice.getMixedOffsets()[axis]));
      continue;
    }
    auto collapse = dyn_cast<tensor::CollapseShapeOp>(user);
    if (!collapse)
      continue;
    SmallVector<ReassociationIndices> groups =
        collapse.getReassociationIndices();
    auto *group = llvm::find_if(groups, [&](const auto &dims) {
      return llvm::is_contained(dims, axis);
    });
    if (group->size() != 1)
      continue;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(user);
    int64_t newAxis = group - groups.begin();
    Value joined =
        tensor::CollapseShapeOp::create(b, user->getLoc(), whole, groups);
    auto type = cast<RankedTensorType>(collapse.getType());
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(b, user->getLoc(), joined);
    sizes[newAxis] = tensor::getMixedSize(b, user->getLoc(), part, axis);
    SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)),
        ones(type.getRank(), b.getIndexAttr(1));
    offsets[newAxis] = start;
    Value view = tensor::ExtractSliceOp::create(b, user->getLoc(), type, joined,
                                                offsets, sizes, ones);
    collapse.replaceAllUsesWith(view);
    collapse.erase();
  }
}

namespace {
/// Where the rows of a state are: `length` of them are there before the run,
/// `added` more are afterwards, and those from `first` on are written. `sizes`
/// are those of its next value.
struct Rows {
  AppendedState state;
  SmallVector<OpFoldResult> sizes, zeros, ones;
  Value length, added, first;
};
} // namespace

/// Asks the runtime for room for the new rows. Returns the memory of all, seen
/// as a tensor; `buffer` is that itself.
static Value requestRows(AbiBuilder &abi, const Rows &rows,
                         RankedTensorType type, ArrayRef<Value> dynamicSizes,
                         Value ctx, Value &buffer) {
  OpBuilder &b = abi.b;
  const AppendedState &state = rows.state;
  Location loc = abi.loc;
  auto toI64 = [&](Value count) -> Value {
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), count);
  };
  Value data = callRuntime(b, loc, abi.module, RuntimeFn::StateAppend,
                           {ctx, abi.i32(static_cast<int64_t>(state.number)),
                            toI64(rows.added), toI64(rows.first)});
  assertNotNull(b, loc, data);
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<Value> extents(dynamicSizes);
  Value capacity = abi.stateCapacity(ctx, state.number);
  size_t place = llvm::count_if(ArrayRef(shape).take_front(state.axis),
                                ShapedType::isDynamic);
  if (ShapedType::isDynamic(shape[state.axis]))
    extents[place] = capacity;
  else
    extents.insert(extents.begin() + place, capacity);
  shape[state.axis] = ShapedType::kDynamic;
  buffer = memrefFromPointer(
      b, loc, MemRefType::get(shape, type.getElementType()), data, extents);
  return bufferization::ToTensorOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), buffer,
      /*restrict=*/true, /*writable=*/true);
}

/// What is inserted behind the past, which is in `memory` already, goes there;
/// `made`, the result of the last insertion, is a part of it. Returns the
/// whole.
static Value insertInPlace(AbiBuilder &abi, const Rows &rows, Value made,
                           tensor::InsertSliceOp pastInsertion, Value memory) {
  OpBuilder &b = abi.b;
  SmallVector<tensor::InsertSliceOp> insertions = {
      made.getDefiningOp<tensor::InsertSliceOp>()};
  while (insertions.back() != pastInsertion)
    insertions.push_back(
        insertions.back().getDest().getDefiningOp<tensor::InsertSliceOp>());
  Value whole = memory;
  for (tensor::InsertSliceOp old : llvm::reverse(llvm::drop_end(insertions))) {
    b.setInsertionPoint(old);
    whole = tensor::InsertSliceOp::create(
        b, old.getLoc(), old.getSource(), whole, old.getMixedOffsets(),
        old.getMixedSizes(), old.getMixedStrides());
  }
  b.setInsertionPointAfterValue(made);
  Value part = tensor::ExtractSliceOp::create(b, abi.loc, whole, rows.zeros,
                                              rows.sizes, rows.ones);
  if (part.getType() != made.getType())
    part = tensor::CastOp::create(b, abi.loc, made.getType(), part);
  made.replaceAllUsesWith(part);
  // Another Concat may begin with the same insertion of the past.
  for (tensor::InsertSliceOp old : insertions)
    if (old->use_empty())
      old.erase();
  reshapeWhole(b, part, whole, rows.state.axis, b.getIndexAttr(0));
  return whole;
}

OpFoldResult onnxc::findFirstWritten(OpBuilder &b, const AppendedState &state,
                                     const ResultPlace &place) {
  if (!state.isRewritten)
    return {};
  tensor::InsertSliceOp insertion = findPastInsertion(place, state);
  return insertion ? insertion.getMixedSizes()[state.axis] : b.getIndexAttr(0);
}

/// Where the rows of the next value are.
static Rows countRows(AbiBuilder &abi, const AppendedState &state,
                      const ResultPlace &place) {
  OpBuilder &b = abi.b;
  Location loc = abi.loc;
  auto type = cast<RankedTensorType>(place.get().getType());
  Rows rows{state, {}, {}, {}, {}, {}, {}};
  rows.sizes = getMixedValues(type.getShape(), place.sizes, b);
  rows.zeros.assign(type.getRank(), b.getIndexAttr(0));
  rows.ones.assign(type.getRank(), b.getIndexAttr(1));
  rows.length = tensor::DimOp::create(b, loc, state.past, state.axis);
  Value all = getValueOrCreateConstantIndexOp(b, loc, rows.sizes[state.axis]);
  rows.added = arith::SubIOp::create(b, loc, all, rows.length);
  OpFoldResult first = findFirstWritten(b, state, place);
  rows.first =
      first ? getValueOrCreateConstantIndexOp(b, loc, first) : rows.length;
  return rows;
}

Value onnxc::appendRows(AbiBuilder &abi, const ResultPlace &place,
                        const AppendedState &state, Value ctx) {
  OpBuilder &b = abi.b;
  Location loc = abi.loc;
  Value value = place.get(), buffer;
  auto type = cast<RankedTensorType>(place.get().getType());
  Rows rows = countRows(abi, state, place);
  Value memory = requestRows(abi, rows, type, place.sizes, ctx, buffer);

  Value made = value, whole;
  while (auto cast = made.getDefiningOp<tensor::CastOp>())
    made = cast.getSource();
  if (tensor::InsertSliceOp pastInsertion = findPastInsertion(place, state)) {
    whole = insertInPlace(abi, rows, made, pastInsertion, memory);
  } else {
    // Made as always; what is new of it goes behind the past.
    b.setInsertionPoint(place.terminator);
    SmallVector<OpFoldResult> offsets = rows.zeros, counts = rows.sizes;
    offsets[state.axis] = rows.first;
    counts[state.axis] =
        state.isRewritten ? rows.sizes[state.axis] : OpFoldResult(rows.added);
    Value added = tensor::ExtractSliceOp::create(b, loc, value, offsets, counts,
                                                 rows.ones);
    whole = tensor::InsertSliceOp::create(b, loc, added, memory, offsets,
                                          counts, rows.ones);
  }
  b.setInsertionPoint(place.terminator);
  auto copy = bufferization::MaterializeInDestinationOp::create(b, loc, Type(),
                                                                whole, buffer);
  copy.setRestrict(true);
  copy.setWritable(true);
  return memory;
}
