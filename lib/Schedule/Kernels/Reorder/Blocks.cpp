//===- Blocks.cpp - Tensors in blocked layout -----------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"
#include "Kernels/PackedConstants.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc;

SmallVector<OpFoldResult> onnxc::sizesOf(OpBuilder &b, Location loc,
                                         Value tensor) {
  while (auto op = tensor.getDefiningOp<DestinationStyleOpInterface>())
    tensor = op.getTiedOpOperand(cast<OpResult>(tensor))->get();
  if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>())
    return empty.getMixedSizes();
  return tensor::getMixedSizes(b, loc, tensor);
}

Value onnxc::createBlockedEmpty(OpBuilder &b, Location loc,
                                ArrayRef<OpFoldResult> sizes, int64_t channels,
                                Type element, int64_t lanes) {
  SmallVector<OpFoldResult> blocked(sizes);
  blocked[1] = b.getIndexAttr(llvm::divideCeil(channels, lanes));
  blocked.push_back(b.getIndexAttr(lanes));
  return tensor::EmptyOp::create(b, loc, blocked, element);
}

Value onnxc::getBlockedSource(Value plain) {
  auto reorder = plain.getDefiningOp<kernel::ReorderOp>();
  return reorder && !reorder.isBlocking() ? reorder.getSource() : Value();
}

Value onnxc::createBlocked(OpBuilder &b, Location loc, Value plain,
                           int64_t lanes) {
  Value source = getBlockedSource(plain);
  if (source && cast<ShapedType>(source.getType()).getShape().back() == lanes)
    return source;
  auto type = cast<RankedTensorType>(plain.getType());
  Value empty =
      createBlockedEmpty(b, loc, sizesOf(b, loc, plain), type.getDimSize(1),
                         type.getElementType(), lanes);
  return kernel::ReorderOp::create(b, loc, empty.getType(), plain, empty)
      ->getResult(0);
}

Value onnxc::createPlain(OpBuilder &b, Location loc, Value blocked,
                         RankedTensorType type, ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> all(sizes);
  for (auto [size, known] : llvm::zip_equal(all, type.getShape()))
    if (!ShapedType::isDynamic(known))
      size = b.getIndexAttr(known);
  Value empty = tensor::EmptyOp::create(b, loc, all, type.getElementType());
  Value plain =
      kernel::ReorderOp::create(b, loc, empty.getType(), blocked, empty)
          ->getResult(0);
  if (plain.getType() != type)
    plain = tensor::CastOp::create(b, loc, type, plain);
  return plain;
}

Value onnxc::blockVector(OpBuilder &b, Location loc, Value vector,
                         int64_t lanes) {
  auto type = cast<RankedTensorType>(vector.getType());
  int64_t channels = type.getDimSize(0),
          blocks = llvm::divideCeil(channels, lanes);
  if (ElementsAttr constant = getPackableConstant(vector))
    return rearrangeConstant(
        b, loc, constant, channels, {blocks, lanes},
        AffineMap::get(2, 0,
                       b.getAffineDimExpr(0) * lanes + b.getAffineDimExpr(1)));
  if (channels != blocks * lanes) {
    Value zero =
        arith::ConstantOp::create(b, loc, b.getZeroAttr(type.getElementType()));
    vector = tensor::PadOp::create(
        b, loc, RankedTensorType::get(blocks * lanes, type.getElementType()),
        vector, ArrayRef<OpFoldResult>(b.getIndexAttr(0)),
        ArrayRef<OpFoldResult>(b.getIndexAttr(blocks * lanes - channels)),
        zero);
  }
  return tensor::ExpandShapeOp::create(
      b, loc, RankedTensorType::get({blocks, lanes}, type.getElementType()),
      vector, ArrayRef<ReassociationIndices>{{0, 1}});
}

bool onnxc::isFromKernel(Value image, unsigned depth) {
  Operation *op = image.getDefiningOp();
  if (!op || depth > 8)
    return false;
  if (isa<kernel::ReorderOp>(op))
    return true;
  if (isa<linalg::LinalgOp, tensor::PadOp, tensor::InsertSliceOp>(op))
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      auto type = dyn_cast<RankedTensorType>(operand.getType());
      return type &&
             type.getRank() == cast<ShapedType>(image.getType()).getRank() &&
             isFromKernel(operand, depth + 1);
    });
  return false;
}
