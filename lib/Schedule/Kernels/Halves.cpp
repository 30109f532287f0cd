//===- Halves.cpp - 16-bit floats that kernels compute with ---------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Halves.h"
#include "KernelLoops.h"
#include "Kernels/Reorder/Blocks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace onnxc;

Operation *onnxc::getFloatCast(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInputs() != 1 ||
      op.getNumDpsInits() != 1 || op.getBlock()->getOperations().size() != 2 ||
      !llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); }))
    return nullptr;
  Operation *cast = &op.getBlock()->front();
  return isa<arith::TruncFOp, arith::ExtFOp>(cast) &&
                 cast->getOperand(0) == op.getBlock()->getArgument(0)
             ? cast
             : nullptr;
}

Value onnxc::castFloats(OpBuilder &b, Value tensor, FloatType element) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getElementType() == element)
    return tensor;
  Operation *op = tensor.getDefiningOp();
  if (isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op)) {
    IRMapping map;
    map.map(op->getOperand(0), castFloats(b, op->getOperand(0), element));
    Operation *reshape = b.clone(*op, map);
    reshape->getResult(0).setType(type.clone(element));
    return reshape->getResult(0);
  }
  Location loc = tensor.getLoc();
  Value empty =
      tensor::EmptyOp::create(b, loc, sizesOf(b, loc, tensor), element);
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> parallel(type.getRank(),
                                            utils::IteratorType::parallel);
  bool isWider =
      element.getWidth() > type.getElementType().getIntOrFloatBitWidth();
  return linalg::GenericOp::create(
             b, loc, type.clone(element), tensor, empty,
             ArrayRef<AffineMap>{identity, identity}, parallel,
             [&](OpBuilder &b, Location loc, ValueRange args) {
               Value x = isWider
                             ? arith::ExtFOp::create(b, loc, element, args[0])
                                   .getResult()
                             : arith::TruncFOp::create(b, loc, element, args[0])
                                   .getResult();
               linalg::YieldOp::create(b, loc, x);
             })
      .getResult(0);
}

Value onnxc::widen(OpBuilder &b, Value tensor) {
  return isHalf(getElementTypeOrSelf(tensor))
             ? castFloats(b, tensor, b.getF32Type())
             : tensor;
}

void onnxc::emitWidening(IndexMath &index, Value memory, OpFoldResult from,
                         OpFoldResult count, int64_t lanes, Value scratch,
                         int64_t to) {
  OpBuilder &b = index.b;
  auto half = VectorType::get(
      lanes, cast<MemRefType>(memory.getType()).getElementType());
  carryLoop(
      index, index.constant(0), count, lanes, {},
      [&](OpFoldResult at, ValueRange) -> SmallVector<Value> {
        Value narrow = vector::LoadOp::create(b, index.loc, half, memory,
                                              index.value(index.add(from, at)));
        Value wide = arith::ExtFOp::create(b, index.loc,
                                           half.clone(b.getF32Type()), narrow);
        vector::StoreOp::create(b, index.loc, wide, scratch,
                                index.value(index.add(at, index.constant(to))));
        return {};
      });
}
