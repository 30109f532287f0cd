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
#include "mlir/IR/Matchers.h"

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

/// The number that each element is multiplied by before it is widened, all that
/// `op` does; null if it only widens. Fails if it does anything else.
static FailureOr<FloatAttr> getWidening(linalg::GenericOp op) {
  if (isa_and_present<arith::ExtFOp>(getFloatCast(op)))
    return FloatAttr();
  if (!op || !op.hasPureTensorSemantics() || op.getNumDpsInputs() != 1 ||
      op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 0 ||
      op.getBlock()->getOperations().size() != 3 ||
      !llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); }))
    return failure();
  auto wide = op.getBlock()
                  ->getTerminator()
                  ->getOperand(0)
                  .getDefiningOp<arith::ExtFOp>();
  auto product =
      wide ? wide.getIn().getDefiningOp<arith::MulFOp>() : arith::MulFOp();
  APFloat factor(0.0f);
  if (!product || product.getLhs() != op.getBlock()->getArgument(0) ||
      !matchPattern(product.getRhs(), m_ConstantFloat(&factor)))
    return failure();
  bool losesInfo = false;
  factor.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return FloatAttr::get(Float32Type::get(op.getContext()), factor);
}

FailureOr<WidenedHalves> onnxc::findHalves(OpBuilder &b, Value tensor) {
  Operation *op = tensor.getDefiningOp();
  if (isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op)) {
    FailureOr<WidenedHalves> from = findHalves(b, op->getOperand(0));
    if (failed(from))
      return failure();
    IRMapping map;
    map.map(op->getOperand(0), from->halves);
    Operation *reshape = b.clone(*op, map);
    reshape->getResult(0).setType(
        cast<RankedTensorType>(tensor.getType())
            .clone(getElementTypeOrSelf(from->halves)));
    return WidenedHalves{reshape->getResult(0), from->factor};
  }
  auto generic = dyn_cast_if_present<linalg::GenericOp>(op);
  if (!generic || !getElementTypeOrSelf(tensor).isF32())
    return failure();
  FailureOr<FloatAttr> factor = getWidening(generic);
  if (failed(factor) ||
      !isHalf(getElementTypeOrSelf(generic.getDpsInputs()[0])))
    return failure();
  return WidenedHalves{generic.getDpsInputs()[0], *factor};
}

Value onnxc::widenElements(OpBuilder &b, Location loc, Value half,
                           FloatAttr factor) {
  Type narrow = half.getType(), wide = b.getF32Type();
  TypedAttr by = factor;
  if (auto vector = dyn_cast<VectorType>(narrow)) {
    wide = vector.clone(b.getF32Type());
    if (factor)
      by = DenseElementsAttr::get(cast<VectorType>(wide), Attribute(factor));
  }
  Value x = arith::ExtFOp::create(b, loc, wide, half);
  if (!factor)
    return x;
  // The product of two halves is exact in float32: it is rounded once.
  Value scale = arith::ConstantOp::create(b, loc, by);
  x = arith::MulFOp::create(b, loc, x, scale);
  x = arith::TruncFOp::create(b, loc, narrow, x);
  return arith::ExtFOp::create(b, loc, wide, x);
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
