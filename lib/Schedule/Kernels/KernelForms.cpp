//===- KernelForms.cpp - Which kernels can be emitted ---------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelForms.h"
#include "Halves.h"
#include "onnxc/Schedule/KernelCodegen.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace onnxc;
using onnxc::kernel::KernelOpInterface;

bool onnxc::refuse(std::string &why, const Twine &reason) {
  why = reason.str();
  return false;
}

bool onnxc::isLastDimConsecutive(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  return !type || type.isLastDimUnitStride();
}

bool onnxc::isDense(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  return !type || type.getLayout().isIdentity();
}

bool onnxc::hasVectorsInMemory(Type type, std::string &why) {
  if (type.isIntOrFloat() && type.getIntOrFloatBitWidth() % 8 == 0)
    return true;
  return refuse(why, "elements are not whole bytes");
}

bool onnxc::hasSums(Type lhs, Type rhs, Type sum, std::string &why) {
  auto extends = [&](Type from) {
    return isa<FloatType>(from) == isa<FloatType>(sum) && from.isIntOrFloat() &&
           (from == sum ||
            from.getIntOrFloatBitWidth() < sum.getIntOrFloatBitWidth());
  };
  if (!sum.isIntOrFloat() || !extends(lhs) || !extends(rhs))
    return refuse(why, "the operands do not extend to the type of the sum");
  return hasVectorsInMemory(lhs, why) && hasVectorsInMemory(rhs, why);
}

bool onnxc::canReadExtra(KernelOpInterface op, Type type, AffineMap map,
                         std::string &why) {
  if (!isa<ShapedType>(type))
    return true;
  // Vectors of them would be of bits, where memory has bytes.
  if (!hasVectorsInMemory(getElementTypeOrSelf(type), why))
    return false;
  for (AffineExpr expr : map.getResults()) {
    if (isa<AffineDimExpr>(expr) || expr == 0)
      continue;
    auto c = linearCoefficients(expr, map.getNumDims());
    if (!c || !cast<KernelCodegenInterface>(*op).readsExtraAt(*c))
      return refuse(why, "the epilogue reads elements that are not at the "
                         "place of the result");
  }
  return true;
}

bool onnxc::hasVectorForm(Operation &inner, std::string &why) {
  // Division of indices traps on what dead lanes hold; that of other integers
  // is written out so that it does not.
  bool divides =
      isa<arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(inner) ||
      (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(
           inner) &&
       inner.getResult(0).getType().isIndex());
  if (isa<arith::ConstantOp>(inner) ||
      (inner.hasTrait<OpTrait::Vectorizable>() && inner.getNumResults() == 1 &&
       !divides))
    return true;
  return refuse(why,
                "'" + inner.getName().getStringRef() + "' has no vector form");
}

bool onnxc::isEmittable(KernelOpInterface op, TargetAttr target,
                        std::string &why) {
  for (auto [extra, map] :
       llvm::zip_equal(op.getExtras(), op.getEpilogueAffineMaps()))
    if (!canReadExtra(op, extra.getType(), map, why))
      return false;
  for (Operation &inner : op.getEpilogue().front().without_terminator())
    if (!hasVectorForm(inner, why))
      return false;
  if (!hasVectorsInMemory(getElementTypeOrSelf(op.getInitMutable().get()), why))
    return false;
  return cast<KernelCodegenInterface>(*op).hasVectorCode(target, why);
}

bool onnxc::keepIfEmittable(RewriterBase &b, KernelOpInterface formed,
                            TargetAttr target, std::string &why) {
  if (isEmittable(formed, target, why))
    return true;
  SmallVector<Operation *> unused{formed};
  while (!unused.empty()) {
    Operation *op = unused.pop_back_val();
    llvm::SmallSetVector<Operation *, 4> producers;
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        producers.insert(producer);
    b.eraseOp(op);
    llvm::copy_if(producers, std::back_inserter(unused), isOpTriviallyDead);
  }
  return false;
}
