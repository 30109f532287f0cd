//===- SplitModel.cpp - What depends on constants alone -------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitModel.h"

#include "Rewriting/Matching.h"

#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

bool optimize::isAttribute(Operation *op) {
  SourceAttr source = getSource(op->getLoc());
  return isa<ConstantOp>(op) && source &&
         source.getOp().getValue() != ConstantOp::getOnnxName() &&
         !isInitializer(op);
}

/// Calls `fn` on what an op of the top graph uses of it, in its graphs, too.
static void forEachUse(Operation *op, llvm::function_ref<void(Value)> fn) {
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (operand.getParentBlock() == op->getBlock())
        fn(operand);
  });
}

SplitGraph::SplitGraph(func::FuncOp func) {
  // An input that has a default may be left as it is.
  auto isPredicted = [&](Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return !func.getArgAttr(argument.getArgNumber(), model::defaultValue);
    return predict.contains(value.getDefiningOp());
  };
  for (Operation &op : func.getBody().front()) {
    bool isEachRun =
        op.hasTrait<OpTrait::IsTerminator>() ||
        (!isConstant(op.getNumResults() ? op.getResult(0) : Value()) &&
         !isDeterministic(&op));
    forEachUse(&op, [&](Value value) { isEachRun |= isPredicted(value); });
    if (!isEachRun)
      continue;
    forEachUse(&op, [&](Value value) {
      Operation *by = value.getDefiningOp();
      if (!isPredicted(value) && !(by && isAttribute(by)))
        interface.insert(value);
    });
    predict.insert(&op);
  }
}

DictionaryAttr optimize::describeInterfaceValue(func::FuncOp func,
                                                Value value) {
  Operation *terminator = func.getBody().front().getTerminator();
  for (OpOperand &use : value.getUses())
    if (use.getOwner() == terminator)
      if (DictionaryAttr result =
              func.getResultAttrDict(use.getOperandNumber()))
        return result;
  Builder b(func.getContext());
  std::string name = getValueName(value);
  if (name.empty())
    return b.getDictionaryAttr({});
  return b.getDictionaryAttr(
      b.getNamedAttr(model::name, b.getStringAttr(name)));
}
