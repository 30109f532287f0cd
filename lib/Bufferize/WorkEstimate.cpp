//===- WorkEstimate.cpp - How much an op computes and moves ---------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkEstimate.h"

#include "onnxc/Dialect/Kernel/KernelDialect.h"
#include "onnxc/Support/SaturatingInt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc;
using onnxc::kernel::StepCount;

namespace {

/// A sum of products.
class Sum {
public:
  Sum(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  void add(const StepCount &product) {
    if (product.unknown.empty()) {
      known += product.known;
      return;
    }
    Value value = product.make(b, loc);
    unknown = unknown ? arith::AddIOp::create(b, loc, unknown, value) : value;
  }

  Value make() {
    Value constant = arith::ConstantIntOp::create(b, loc, known, 64);
    return unknown
               ? arith::AddIOp::create(b, loc, unknown, constant).getResult()
               : constant;
  }

private:
  OpBuilder &b;
  Location loc;
  SaturatingInt known = 0;
  Value unknown;
};

int64_t bytesOf(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * bytesOf(complex.getElementType());
  return element.isIntOrFloat()
             ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8)
             : 8;
}

/// Arithmetic on elements in the body of a structured op. What finds elements
/// (index arithmetic) or selects and converts them is not counted.
int64_t countArithmetic(Operation *op) {
  int64_t count = 0;
  op->walk([&](Operation *inner) {
    if (inner->getNumResults() != 1 ||
        isa<CastOpInterface, arith::ConstantOp, arith::CmpIOp, arith::CmpFOp,
            arith::SelectOp>(inner) ||
        !getElementTypeOrSelf(inner->getResult(0)).isIntOrFloat())
      return;
    if (isa<math::FmaOp>(inner))
      count += 2;
    else if (isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
                 inner->getDialect()))
      count += 1;
  });
  return count;
}

OpFoldResult sizeOf(OpBuilder &b, Location loc, Value buffer, int64_t dim) {
  return memref::getMixedSize(b, loc, buffer, dim);
}

/// How often the epilogue of a kernel runs: for each element of the result.
StepCount countResults(OpBuilder &b, kernel::KernelOpInterface op) {
  StepCount results;
  Value init = op.getInitMutable().get();
  for (int64_t i = 0; i < cast<ShapedType>(init.getType()).getRank(); ++i)
    results.times(sizeOf(b, op.getLoc(), init, i));
  return results;
}

} // namespace

WorkEstimate onnxc::estimateWork(OpBuilder &b, Operation *op) {
  Location loc = op->getLoc();
  Sum flops(b, loc), bytes(b, loc);
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type)
      continue;
    // What a fill or a broadcast into a buffer does not read is still written.
    StepCount size;
    size.known = bytesOf(type.getElementType());
    for (int64_t i = 0; i < type.getRank(); ++i)
      size.times(sizeOf(b, loc, operand.get(), i));
    bytes.add(size);
  }
  if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
    StepCount steps;
    steps.known = countArithmetic(op);
    for (Range range : structured.createLoopRanges(b, loc))
      steps.times(range.size);
    flops.add(steps);
  } else if (auto contraction = dyn_cast<kernel::KernelOpInterface>(op)) {
    StepCount steps = contraction.countSteps(b);
    steps.known *= 2;
    flops.add(steps);
    StepCount results = countResults(b, contraction);
    results.known *= countArithmetic(op);
    flops.add(results);
  }
  return {flops.make(), bytes.make()};
}

std::optional<int64_t> onnxc::countStaticSteps(Operation *op) {
  SmallVector<int64_t> extents;
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    extents = structured.getStaticLoopRanges();
  else
    for (Type type : op->getOperandTypes())
      if (auto buffer = dyn_cast<MemRefType>(type);
          buffer && extents.size() <= static_cast<size_t>(buffer.getRank()))
        extents.assign(buffer.getShape().begin(), buffer.getShape().end());
  SaturatingInt steps = 1;
  for (int64_t extent : extents) {
    if (ShapedType::isDynamic(extent))
      return std::nullopt;
    steps *= extent;
  }
  return steps;
}
