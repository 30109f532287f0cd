//===- KernelInterfaces.cpp - What kernels say of themselves --------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Kernel/KernelDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc::kernel;

//===----------------------------------------------------------------------===//
// How much they compute
//===----------------------------------------------------------------------===//

void StepCount::times(OpFoldResult size) {
  if (std::optional<int64_t> number = getConstantIntValue(size))
    known *= *number;
  else
    unknown.push_back(cast<Value>(size));
}

Value StepCount::make(OpBuilder &b, Location loc) const {
  Value product = arith::ConstantIntOp::create(b, loc, known, 64);
  for (Value size : unknown) {
    Value number = arith::IndexCastOp::create(b, loc, b.getI64Type(), size);
    product = arith::MulIOp::create(b, loc, product, number);
  }
  return product;
}

StepCount MatmulOp::countSteps(OpBuilder &b) {
  StepCount steps;
  AffineMap lhs = getMap(0), result = getMap(2);
  for (unsigned loop = 0; loop < lhs.getNumDims(); ++loop) {
    AffineExpr d = b.getAffineDimExpr(loop);
    if (std::optional<unsigned> at = lhs.getResultPosition(d))
      steps.times(memref::getMixedSize(b, getLoc(), getLhs(), *at));
    else if (std::optional<unsigned> at = result.getResultPosition(d))
      steps.times(memref::getMixedSize(b, getLoc(), getInit(), *at));
  }
  return steps;
}

/// As if there were no borders. Only the channels that are meant count.
StepCount ConvOp::countSteps(OpBuilder &b) {
  StepCount steps;
  steps.known = getFilters() * (getChannels() / getGroup());
  steps.times(memref::getMixedSize(b, getLoc(), getInit(), 0));
  int64_t firstTap = isDepthwise() || !isImageBlocked() ? 1 : 2;
  for (int64_t i = 0; i < int64_t(getNumSpatial()); ++i) {
    steps.times(memref::getMixedSize(b, getLoc(), getInit(), i + 2));
    steps.times(memref::getMixedSize(b, getLoc(), getFilter(), firstTap + i));
    steps.known = llvm::divideCeil(steps.known, getSpreadOf(i));
  }
  return steps;
}

StepCount IntegerDotOp::countSteps(OpBuilder &b) {
  StepCount steps;
  int64_t rank = cast<ShapedType>(getInit().getType()).getRank();
  for (int64_t i = 0; i < rank; ++i)
    steps.times(memref::getMixedSize(b, getLoc(), getInit(), i));
  int64_t taps = getNumSpatial(), firstTap = getDepthwise() ? 0 : 1;
  for (int64_t i = 0; i < taps; ++i)
    steps.times(memref::getMixedSize(b, getLoc(), getFilter(), firstTap + i));
  if (getDepthwise())
    return steps;
  steps.times(memref::getMixedSize(b, getLoc(), getFilter(), firstTap + taps));
  steps.known *= getGroup();
  return steps;
}

StepCount BlockMatmulOp::countSteps(OpBuilder &b) {
  StepCount steps;
  steps.known = getSteps();
  for (int64_t i = 0; i < 2; ++i)
    steps.times(memref::getMixedSize(b, getLoc(), getInit(), i));
  return steps;
}

StepCount BlockDotOp::countSteps(OpBuilder &b) {
  StepCount steps;
  steps.known = getSteps();
  for (int64_t i = 0; i < 2; ++i)
    steps.times(memref::getMixedSize(b, getLoc(), getInit(), i));
  return steps;
}

//===----------------------------------------------------------------------===//
// In which layout
//===----------------------------------------------------------------------===//

PackedLayout MatmulOp::getRhsLayout(AffineMap map, ArrayRef<int64_t> extents,
                                    int64_t width) {
  MLIRContext *context = map.getContext();
  unsigned loops = map.getNumDims();
  AffineExpr column = getAffineDimExpr(loops - 2, context),
             step = getAffineDimExpr(loops - 1, context);
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : map.getResults())
    if (expr != column && expr != step)
      results.push_back(expr);
  results.append({column.floorDiv(width), step, column % width});
  return {SmallVector<int64_t>(extents),
          AffineMap::get(loops, 0, results, context)};
}

std::optional<PackedLayout> MatmulOp::getPackedLayout(OpOperand &operand) {
  if (operand.getOperandNumber() != getRhsMutable().getOperandNumber() ||
      getPanelWidth() == 0)
    return std::nullopt;
  SmallVector<int64_t> extents;
  for (unsigned loop = 0; loop < getMap(1).getNumDims(); ++loop)
    extents.push_back(getLoopExtent(loop));
  return PackedLayout{std::move(extents), getMap(1)};
}

PackedLayout ConvOp::getFilterLayout(MLIRContext *context,
                                     ArrayRef<int64_t> extents, int64_t panel,
                                     int64_t block) {
  AffineExpr group, filter, channel;
  bindDims(context, group, filter, channel);
  SmallVector<AffineExpr> results{group, filter.floorDiv(panel)};
  if (block)
    results.push_back(channel.floorDiv(block));
  for (unsigned tap = 3; tap < extents.size(); ++tap)
    results.push_back(getAffineDimExpr(tap, context));
  results.append({block ? channel % block : channel, filter % panel});
  return {SmallVector<int64_t>(extents),
          AffineMap::get(extents.size(), 0, results, context), /*joined=*/2};
}

PackedLayout ConvOp::getDepthwiseLayout(MLIRContext *context,
                                        ArrayRef<int64_t> extents,
                                        int64_t lanes, bool shared) {
  AffineExpr channel = getAffineDimExpr(0, context);
  SmallVector<AffineExpr> results{shared ? getAffineConstantExpr(0, context)
                                         : channel.floorDiv(lanes)};
  for (unsigned tap = 1; tap < extents.size(); ++tap)
    results.push_back(getAffineDimExpr(tap, context));
  results.push_back(channel % lanes);
  return {SmallVector<int64_t>(extents),
          AffineMap::get(extents.size(), 0, results, context)};
}

std::optional<PackedLayout> ConvOp::getPackedLayout(OpOperand &operand) {
  auto type = cast<ShapedType>(getFilter().getType());
  ArrayRef<int64_t> shape = type.getShape(), inner = shape.take_back(2);
  if (operand.getOperandNumber() != getFilterMutable().getOperandNumber() ||
      ShapedType::isDynamic(inner.back()))
    return std::nullopt;
  SmallVector<int64_t> extents;
  if (isDepthwise()) {
    extents.push_back(getChannels());
    llvm::append_range(extents, shape.slice(1, getNumSpatial()));
    return getDepthwiseLayout(getContext(), extents, inner.back(),
                              /*shared=*/shape.front() == 1);
  }
  if (isImageBlocked() && ShapedType::isDynamic(inner.front()))
    return std::nullopt;
  int64_t group = getGroup(), filters = getFilters(), channels = getChannels();
  extents = {group, filters / group, channels / group};
  llvm::append_range(extents,
                     shape.slice(isImageBlocked() ? 2 : 1, getNumSpatial()));
  return getFilterLayout(getContext(), extents, inner.back(),
                         isImageBlocked() ? inner.front() : 0);
}

PackedLayout IntegerDotOp::getFilterLayout(MLIRContext *context,
                                           ArrayRef<int64_t> extents,
                                           int64_t width, int64_t dot) {
  AffineExpr group, column;
  bindDims(context, group, column);
  AffineExpr channel = getAffineDimExpr(extents.size() - 1, context);
  SmallVector<AffineExpr> results{group, column.floorDiv(width)};
  for (unsigned tap = 2; tap + 1 < extents.size(); ++tap)
    results.push_back(getAffineDimExpr(tap, context));
  results.append({channel.floorDiv(dot), column % width, channel % dot});
  return {SmallVector<int64_t>(extents),
          AffineMap::get(extents.size(), 0, results, context), /*joined=*/2};
}

PackedLayout IntegerDotOp::getDepthwiseLayout(MLIRContext *context,
                                              ArrayRef<int64_t> extents) {
  SmallVector<AffineExpr> results;
  for (unsigned tap = 1; tap < extents.size(); ++tap)
    results.push_back(getAffineDimExpr(tap, context));
  results.push_back(getAffineDimExpr(0, context));
  return {SmallVector<int64_t>(extents),
          AffineMap::get(extents.size(), 0, results, context)};
}

std::optional<PackedLayout> IntegerDotOp::getPackedLayout(OpOperand &operand) {
  if (operand.getOperandNumber() != getFilterMutable().getOperandNumber())
    return std::nullopt;
  ArrayRef<int64_t> shape = cast<ShapedType>(getFilter().getType()).getShape();
  int64_t columns = cast<ShapedType>(getInit().getType()).getShape().back(),
          groups = getGroups();
  SmallVector<int64_t> extents;
  if (getDepthwise()) {
    extents.push_back(columns);
    llvm::append_range(extents, shape.take_front(getNumSpatial()));
    return getDepthwiseLayout(getContext(), extents);
  }
  extents = {groups, columns / groups};
  llvm::append_range(extents, shape.slice(1, getNumSpatial()));
  extents.push_back(
      groups > 1 ? int64_t(getGroupChannels())
                 : cast<ShapedType>(getImage().getType()).getShape().back());
  return getFilterLayout(getContext(), extents, getPanelWidth(), getGroup());
}

PackedLayout BlockMatmulOp::getWeightsLayout(MLIRContext *context,
                                             int64_t columns, int64_t steps,
                                             int64_t width, int64_t bits) {
  AffineExpr column, step;
  bindDims(context, column, step);
  int64_t perWord = 32 / bits;
  return {{columns, steps},
          AffineMap::get(2, 0,
                         {column.floorDiv(width), step.floorDiv(perWord),
                          column % width, step % perWord},
                         context),
          /*joined=*/1,
          /*inElement=*/1};
}

std::optional<PackedLayout> BlockMatmulOp::getPackedLayout(OpOperand &operand) {
  if (operand.getOperandNumber() != getWeightsMutable().getOperandNumber())
    return std::nullopt;
  return getWeightsLayout(getContext(),
                          cast<ShapedType>(getInit().getType()).getDimSize(1),
                          getSteps(), getPanelWidth(), getBits());
}

PackedLayout BlockDotOp::getWeightsLayout(MLIRContext *context, int64_t columns,
                                          int64_t steps, int64_t width,
                                          int64_t bits) {
  AffineExpr column, step;
  bindDims(context, column, step);
  int64_t perWord = 32 / bits;
  SmallVector<AffineExpr> results{column.floorDiv(width),
                                  step.floorDiv(perWord), column % width};
  // A byte of narrower numbers has steps that lie four apart.
  results.push_back(step % 4);
  if (bits < 8)
    results.push_back((step % perWord).floorDiv(4));
  return {{columns, steps},
          AffineMap::get(2, 0, results, context),
          /*joined=*/1,
          /*inElement=*/bits < 8 ? 2u : 1u};
}

std::optional<PackedLayout> BlockDotOp::getPackedLayout(OpOperand &operand) {
  if (operand.getOperandNumber() != getWeightsMutable().getOperandNumber())
    return std::nullopt;
  return getWeightsLayout(getContext(),
                          cast<ShapedType>(getInit().getType()).getDimSize(1),
                          getSteps(), getPanelWidth(), getBits());
}

int64_t ConvOp::getPanelBlocks() {
  return cast<ShapedType>(getFilter().getType()).getShape().back() / getBlock();
}

int64_t ConvOp::getChannelBlocks() {
  if (isDepthwise() || !isImageBlocked())
    return 1;
  auto filter = cast<ShapedType>(getFilter().getType());
  return filter.getDimSize(filter.getRank() - 2) / getBlock();
}

//===----------------------------------------------------------------------===//
// In which form
//===----------------------------------------------------------------------===//

using Say = llvm::function_ref<void(StringRef, const Twine &)>;

void MatmulOp::describe(Say say) {
  if (int64_t panel = getPanelWidth())
    say("pack", "weights in panels of " + Twine(panel) +
                    " columns, made by the compiler");
  else
    say("pack", "none: the right operand is read as it is");
}

void ConvOp::describe(Say say) {
  say("pack", "weights in panels, made by the compiler");
  say("layout", Twine(isImageBlocked() ? "image by blocks of channels"
                                       : "image as it is") +
                    ", result by blocks of " + Twine(getBlock()));
  if (isDepthwise())
    say("form", "depthwise");
}

void IntegerDotOp::describe(Say say) {
  say("pack", "weights in panels of " + Twine(getPanelWidth()) +
                  " columns for dot products of " + Twine(getGroup()) +
                  " bytes");
}

void BlockMatmulOp::describe(Say say) {
  say("pack", "weights of " + Twine(getBits()) + " bits in panels of " +
                  Twine(getPanelWidth()) + " columns, widened in registers");
}

void BlockDotOp::describe(Say say) {
  say("pack", "weights of " + Twine(getBits()) + " bits in panels of " +
                  Twine(getPanelWidth()) +
                  " columns, for dot products with rows of bytes");
}
