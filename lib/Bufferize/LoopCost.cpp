//===- LoopCost.cpp - What a parallel loop is worth -----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopCost.h"

#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Support/SaturatingInt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc;

namespace {

/// Costs are counted in quarters of a cycle.
constexpr int64_t kQuarters = 4;
constexpr int64_t kArithmetic = 2, kLoad = 6, kStore = 16, kDivision = 16,
                  kMath = 60;
/// Iterations of a loop whose number is known only inside.
constexpr int64_t kGuess = 8;

/// Registers of 512 bits, or elements of what has no vector form, in the type.
int64_t registersOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector || vector.isScalable())
    return 1;
  unsigned bits =
      vector.getElementType().isIndex() ? 64 : vector.getElementTypeBitWidth();
  // no overflow: at most the lanes of a vector
  return llvm::divideCeil(vector.getNumElements() * std::max(bits, 8u), 512);
}

int64_t costOf(Operation *op) {
  if (op->hasTrait<OpTrait::ConstantLike>() ||
      isa<ViewLikeOpInterface, memref::AllocOp, memref::AllocaOp>(op))
    return 0;
  if (auto gather = dyn_cast<vector::GatherOp>(op))
    return kLoad * gather.getVectorType().getNumElements();
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    auto type = dyn_cast<MemRefType>(copy.getSource().getType());
    return type && type.hasStaticShape()
               ? 1 + SaturatingInt(type.getNumElements()) * kStore / 8
               : kGuess * kStore;
  }
  Type type = op->getNumResults()    ? op->getResult(0).getType()
              : op->getNumOperands() ? op->getOperand(0).getType()
                                     : Type();
  if (!type)
    return 0;
  if (op->getDialect() && op->getDialect()->getNamespace() == "math")
    return kMath * registersOf(type);
  if (isa<arith::DivFOp, arith::RemFOp, arith::DivSIOp, arith::DivUIOp,
          arith::RemSIOp, arith::RemUIOp>(op))
    return kDivision * registersOf(type);
  // Addresses fold into the accesses.
  if (type.isIndex())
    return 0;
  if (isa<MemoryEffectOpInterface>(op) && !isMemoryEffectFree(op))
    return (op->getNumResults() ? kLoad : kStore) * registersOf(type);
  return kArithmetic * registersOf(type);
}

class Counter {
public:
  Counter(IndexMath build, scf::ForallOp outermost)
      : build(build), outermost(outermost) {}

  OpFoldResult count(Region &region) {
    // Of the branch back.
    int64_t known = 1;
    OpFoldResult sum = build.constant(0);
    for (Block &block : region)
      for (Operation &op : block.without_terminator()) {
        if (op.getNumRegions() == 0) {
          known += costOf(&op);
          continue;
        }
        OpFoldResult inner = build.constant(0);
        for (Region &part : op.getRegions())
          inner = build.add(inner, count(part));
        sum = build.add(sum, build.mul(inner, iterationsOf(&op)));
      }
    return build.add(sum, build.constant(known));
  }

private:
  /// How often the regions of an op run.
  OpFoldResult iterationsOf(Operation *op) {
    if (isa<scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp>(op))
      return build.constant(1);
    auto loop = dyn_cast<LoopLikeOpInterface>(op);
    if (!loop)
      return build.constant(kGuess);
    std::optional<SmallVector<OpFoldResult>> lower = loop.getLoopLowerBounds(),
                                             upper = loop.getLoopUpperBounds(),
                                             step = loop.getLoopSteps();
    if (!lower || !upper || !step)
      return build.constant(kGuess);
    OpFoldResult count = build.constant(1);
    for (auto [from, to, by] : llvm::zip_equal(*lower, *upper, *step))
      count = build.mul(count, isVisible(from) && isVisible(to) && isVisible(by)
                                   ? build.ceilDiv(build.sub(to, from), by)
                                   : build.constant(kGuess));
    return count;
  }

  /// Whether code in front of the loop can use it.
  bool isVisible(OpFoldResult x) {
    auto value = dyn_cast<Value>(x);
    return !value || getConstantIntValue(x) ||
           !outermost.getRegion().isAncestor(value.getParentRegion());
  }

  IndexMath build;
  scf::ForallOp outermost;
};

} // namespace

OpFoldResult onnxc::estimateCycles(IndexMath build, scf::ForallOp loop) {
  if (auto work = loop->getAttrOfType<IntegerAttr>(program::work))
    return build.constant(std::max<int64_t>(work.getInt(), 1));
  OpFoldResult quarters = Counter(build, loop).count(loop.getRegion());
  return build.ceilDiv(build.add(quarters, build.constant(1)),
                       build.constant(kQuarters));
}
