//===- KernelLoops.cpp - Loops and addresses of kernels -------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLoops.h"
#include "Kernels/CacheShares.h"
#include "Select/Schedule.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Support/SaturatingInt.h"
#include "onnxc/Target/Caches.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace onnxc;

FlatBuffer onnxc::flatten(IndexMath &index, Value buffer) {
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

bool onnxc::isFar(const FlatBuffer &buffer, TargetAttr target) {
  SaturatingInt bytes = buffer.element.getIntOrFloatBitWidth() / 8;
  for (OpFoldResult size : buffer.sizes) {
    std::optional<int64_t> known = getConstantIntValue(size);
    if (!known)
      return true;
    bytes *= *known;
  }
  return bytes.get() > nearBytes(target);
}

LoopOperand onnxc::makeLoopOperand(IndexMath &index, Value value,
                                   AffineMap map) {
  LoopOperand operand;
  unsigned loops = map.getNumDims();
  operand.step.assign(loops, index.constant(0));
  if (!isa<MemRefType>(value.getType())) {
    operand.scalar = value;
    operand.element = value.getType();
    return operand;
  }
  static_cast<FlatBuffer &>(operand) = flatten(index, value);
  for (auto [expr, stride] :
       llvm::zip_equal(map.getResults(), operand.strides)) {
    auto c = linearCoefficients(expr, loops);
    if (!c)
      continue;
    for (unsigned d = 0; d < loops; ++d)
      if ((*c)[d] != 0)
        operand.step[d] =
            index.add(operand.step[d], index.mul(stride, (*c)[d]));
  }
  return operand;
}

void onnxc::prefetchStream(IndexMath &index, TargetAttr target, Value memory,
                           function_ref<OpFoldResult(int64_t)> ahead,
                           int64_t unit) {
  constexpr int64_t kSoleBytes = 1024, kFarBytes = 3072, kNearBytes = 768;
  // The level of the cache as llvm.prefetch counts: 3 is the first.
  auto fetch = [&](int64_t bytes, unsigned locality) {
    memref::PrefetchOp::create(index.b, index.loc, memory,
                               index.value(ahead(bytes)), /*isWrite=*/false,
                               locality, /*isDataCache=*/true);
  };
  if (fetchesInOneStage(target.getCpu()))
    return fetch(llvm::alignTo(kSoleBytes, unit), 3);
  int64_t far = llvm::alignTo(kFarBytes, unit),
          near = llvm::alignTo(kNearBytes, unit);
  if (far != near)
    fetch(far, 2);
  fetch(near, 3);
}

Value onnxc::makeMask(IndexMath &index, int64_t lanes, int64_t live) {
  return vector::CreateMaskOp::create(
      index.b, index.loc, VectorType::get(lanes, index.b.getI1Type()),
      index.value(index.constant(live)));
}

Value onnxc::loadLanes(IndexMath &index, const FlatBuffer &from,
                       OpFoldResult at, int64_t lanes, int64_t live) {
  OpBuilder &b = index.b;
  VectorType type = VectorType::get(lanes, from.element);
  if (live == lanes)
    return vector::LoadOp::create(b, index.loc, type, from.memory,
                                  index.value(at));
  Value none = arith::ConstantOp::create(b, index.loc, b.getZeroAttr(type));
  Value place = index.value(at);
  return vector::MaskedLoadOp::create(b, index.loc, type, from.memory, place,
                                      makeMask(index, lanes, live), none);
}

Value onnxc::readLanes(IndexMath &index, const LoopOperand &from,
                       OpFoldResult at, OpFoldResult step, int64_t lanes,
                       int64_t live) {
  if (from.scalar)
    return from.scalar;
  auto element = [&](OpFoldResult address) -> Value {
    return memref::LoadOp::create(index.b, index.loc, from.memory,
                                  index.value(address));
  };
  if (isIndex(step, 0))
    return element(at);
  if (isIndex(step, 1))
    return loadLanes(index, from, at, lanes, live);
  SmallVector<Value> elements;
  for (int64_t i = 0; i < lanes; ++i)
    elements.push_back(
        element(index.add(at, index.mul(step, std::min(i, live - 1)))));
  return vector::FromElementsOp::create(
      index.b, index.loc, VectorType::get(lanes, from.element), elements);
}

SmallVector<Value> onnxc::carryLoop(IndexMath &index, OpFoldResult from,
                                    OpFoldResult to, int64_t step,
                                    ValueRange carried, CarriedBody body) {
  std::optional<int64_t> first = getConstantIntValue(from),
                         last = getConstantIntValue(to);
  if (first && last && *first >= *last)
    return carried;
  if (first && last && *last - *first <= step)
    return body(from, carried);
  Value start = index.value(from), end = index.value(to);
  auto loop = scf::ForOp::create(
      index.b, index.loc, start, end, index.value(index.constant(step)),
      carried, [&](OpBuilder &, Location, Value iv, ValueRange args) {
        SmallVector<Value> yielded = body(iv, args);
        scf::YieldOp::create(index.b, index.loc, yielded);
      });
  return loop.getResults();
}

static void emitSwitch(IndexMath &index, OpFoldResult number,
                       ArrayRef<int64_t> values,
                       function_ref<void(std::optional<int64_t>)> body) {
  if (values.empty())
    return body(std::nullopt);
  OpBuilder &b = index.b;
  auto choice = scf::IndexSwitchOp::create(
      b, index.loc, TypeRange(), index.value(number), values, values.size());
  auto fill = [&](Region &region, std::optional<int64_t> value) {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&region);
    body(value);
    scf::YieldOp::create(b, index.loc);
  };
  for (auto [region, value] : llvm::zip_equal(choice.getCaseRegions(), values))
    fill(region, value);
  fill(choice.getDefaultRegion(), std::nullopt);
}

void onnxc::switchOver(IndexMath &index, OpFoldResult number, int64_t cases,
                       function_ref<void(std::optional<int64_t>)> body) {
  emitSwitch(index, number, llvm::to_vector(llvm::seq<int64_t>(0, cases)),
             body);
}

void onnxc::switchOver(IndexMath &index, OpFoldResult number,
                       ArrayRef<int64_t> values,
                       function_ref<void(int64_t)> body) {
  emitSwitch(index, number, values.drop_back(),
             [&](std::optional<int64_t> value) {
               body(value.value_or(values.back()));
             });
}

void onnxc::emitEither(IndexMath &index, arith::CmpIPredicate how,
                       OpFoldResult x, OpFoldResult y,
                       function_ref<void()> ifTrue,
                       function_ref<void()> ifFalse) {
  OpBuilder &b = index.b;
  Value left = index.value(x);
  Value isTrue = arith::CmpIOp::create(b, index.loc, how, left, index.value(y));
  auto choice =
      scf::IfOp::create(b, index.loc, isTrue, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  ifTrue();
  b.setInsertionPointToStart(choice.elseBlock());
  ifFalse();
}

void onnxc::parallelLoop(IndexMath &index, ArrayRef<OpFoldResult> extents,
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
    loop->setAttr(program::work, b.getI64IntegerAttr(work));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  unsigned next = 0;
  for (auto [extent, at] : llvm::zip_equal(extents, position))
    if (!isIndex(extent, 1))
      at = loop.getInductionVars()[next++];
  body(position);
}
