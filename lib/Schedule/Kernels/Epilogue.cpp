//===- Epilogue.cpp - Scalar code behind a sum, on vectors ----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace onnxc;

Value onnxc::emitEpilogue(OpBuilder &b, Location loc,
                          kernel::KernelOpInterface op, Value sums,
                          ArrayRef<Value> extras) {
  Block &block = op.getEpilogue().front();
  int64_t lanes = cast<VectorType>(sums.getType()).getNumElements();
  auto vectorOf = [&](Type element) { return VectorType::get(lanes, element); };
  auto broadcast = [&](Value value) -> Value {
    if (isa<VectorType>(value.getType()))
      return value;
    return vector::BroadcastOp::create(b, loc, vectorOf(value.getType()),
                                       value);
  };
  IRMapping map;
  map.map(block.getArgument(0), sums);
  for (auto [argument, extra] :
       llvm::zip_equal(block.getArguments().drop_front(), extras))
    if (extra)
      map.map(argument, extra);
  for (Operation &inner : block.without_terminator()) {
    if (isa<arith::ConstantOp>(inner)) {
      b.clone(inner, map);
      continue;
    }
    SmallVector<Value> operands;
    bool isVector = false;
    for (Value operand : inner.getOperands()) {
      operands.push_back(map.lookupOrDefault(operand));
      isVector |= isa<VectorType>(operands.back().getType());
    }
    if (isVector)
      for (Value &operand : operands)
        operand = broadcast(operand);
    Type type = inner.getResult(0).getType();
    OperationState state(loc, inner.getName(), operands,
                         isVector ? Type(vectorOf(type)) : type,
                         inner.getAttrs());
    map.map(inner.getResult(0), b.create(state)->getResult(0));
  }
  return broadcast(map.lookupOrDefault(block.getTerminator()->getOperand(0)));
}

bool onnxc::isLongEpilogue(kernel::KernelOpInterface op) {
  // What becomes a polynomial is some twenty instructions.
  constexpr int64_t ofFunction = 20, most = 15;
  int64_t instructions = 0;
  for (Operation &inner : op.getEpilogue().front().without_terminator())
    instructions += isa<math::MathDialect>(inner.getDialect()) &&
                            !isa<math::AbsFOp, math::CeilOp, math::CopySignOp,
                                 math::FloorOp, math::FmaOp, math::RoundEvenOp,
                                 math::SqrtOp, math::TruncOp>(inner)
                        ? ofFunction
                        : 1;
  return instructions > most;
}

void onnxc::storeMasked(OpBuilder &b, Location loc, Value memory, Value at,
                        Value mask, Value value) {
  auto create = mask.getDefiningOp<vector::CreateMaskOp>();
  if (create && create.getNumOperands() == 1 &&
      getConstantIntValue(create.getOperand(0)) == 1) {
    Value lane = vector::ExtractOp::create(b, loc, value, 0);
    memref::StoreOp::create(b, loc, lane, memory, at);
    return;
  }
  vector::MaskedStoreOp::create(b, loc, memory, at, mask, value);
}
