//===- SettledSizes.cpp - Sizes before a loop runs ------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SettledSizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;
using namespace onnxc;

OpFoldResult SettledSizes::of(OpFoldResult size, unsigned depth) {
  auto value = dyn_cast_if_present<Value>(size);
  if (!value || !region.isAncestor(value.getParentRegion()))
    return size;
  if (depth == 0)
    return {};
  auto known = found.find(value);
  if (known != found.end())
    return known->second;
  OpFoldResult settled = find(value, depth - 1);
  found[value] = settled;
  return settled;
}

OpFoldResult SettledSizes::find(Value size, unsigned depth) {
  Operation *op = size.getDefiningOp();
  if (!op)
    return {};
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    std::optional<int64_t> index = dim.getConstantIndex();
    return index ? ofDim(dim.getSource(), *index, depth) : OpFoldResult();
  }
  if (!isa<arith::ArithDialect>(op->getDialect()) || !isPure(op) ||
      op->getNumResults() != 1)
    return {};
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    OpFoldResult settled = of(operand, depth);
    if (!settled)
      return {};
    Value there = dyn_cast<Value>(settled);
    if (!there && operand.getType().isIndex())
      there = l.asValue(settled);
    if (!there || there.getType() != operand.getType())
      return {};
    mapping.map(operand, there);
  }
  return l.b.clone(*op, mapping)->getResult(0);
}

OpFoldResult SettledSizes::ofDim(Value tensor, int64_t dim, unsigned depth) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return l.attr(type.getDimSize(dim));
  if (!region.isAncestor(tensor.getParentRegion()))
    return l.dim(tensor, dim);
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return argument.getOwner() == &region.front()
               ? settle(argument.getArgNumber(), dim)
               : OpFoldResult();
  if (depth == 0)
    return {};
  Operation *op = tensor.getDefiningOp();
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return of(empty.getMixedSizes()[dim], depth - 1);
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return ofDim(cast.getSource(), dim, depth - 1);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    if (slice.getDroppedDims().any())
      return {};
    return of(slice.getMixedSizes()[dim], depth - 1);
  }
  if (auto destination = dyn_cast<DestinationStyleOpInterface>(op))
    return ofDim(destination.getTiedOpOperand(cast<OpResult>(tensor))->get(),
                 dim, depth - 1);
  return {};
}
