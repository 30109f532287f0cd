//===- SampleNodes.cpp - One node of each kind ----------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SampleNodes.h"

#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

#include <set>

using namespace mlir;
using namespace onnxc;

/// Operator, attributes, and of each operand its constant, if it is one, or its
/// type; all of them unique in the context.
using Kind = std::vector<const void *>;

static Kind getKind(Operation &op) {
  Kind kind = {op.getName().getAsOpaquePointer(),
               op.getAttrDictionary().getAsOpaquePointer()};
  for (Value operand : op.getOperands()) {
    auto constant = operand.getDefiningOp<ConstantOp>();
    kind.push_back(constant ? constant->getAttrDictionary().getAsOpaquePointer()
                            : operand.getType().getAsOpaquePointer());
  }
  for (Type type : op.getResultTypes())
    kind.push_back(type.getAsOpaquePointer());
  return kind;
}

/// One of each kind of those of `block`, and all that have subgraphs.
static SmallVector<Operation *> chooseNodes(Block &block) {
  SmallVector<Operation *> chosen;
  std::set<Kind> kinds;
  for (Operation &op : block.without_terminator())
    if (!isa<ConstantOp>(op) &&
        (op.getNumRegions() || kinds.insert(getKind(op)).second))
      chosen.push_back(&op);
  return chosen;
}

OwningOpRef<ModuleOp> onnxc::sampleNodes(ModuleOp module, int64_t least) {
  func::FuncOp entry;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(model::entry))
      entry = function;
  if (!entry || entry.isExternal())
    return nullptr;
  Block &block = entry.front();
  auto numNodes = static_cast<int64_t>(block.getOperations().size());
  if (numNodes < least)
    return nullptr;
  SmallVector<Operation *> chosen = chooseNodes(block);
  if (static_cast<int64_t>(chosen.size()) > numNodes / 4)
    return nullptr;

  OpBuilder b(module.getContext());
  OwningOpRef<ModuleOp> samples(ModuleOp::create(b, module.getLoc()));
  (*samples)->setAttrs(module->getAttrs());
  b.setInsertionPointToStart(samples->getBody());
  auto function = func::FuncOp::create(b, entry.getLoc(), entry.getName(),
                                       b.getFunctionType({}, {}));
  function->setAttr(model::entry, b.getUnitAttr());
  Block *body = b.createBlock(&function.getBody());
  IRMapping mapping;
  SmallVector<Value> results;
  auto bring = [&](Value value) {
    if (mapping.contains(value))
      return;
    if (auto constant = value.getDefiningOp<ConstantOp>())
      b.clone(*constant, mapping);
    else
      mapping.map(value, body->addArgument(value.getType(), value.getLoc()));
  };
  // Before any node: what one computes another takes from an argument.
  llvm::SetVector<Value> used;
  for (Operation *op : chosen)
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (operand.getParentBlock() == &block)
          used.insert(operand);
    });
  for (Value value : used)
    bring(value);
  for (Operation *op : chosen) {
    IRMapping own(mapping);
    llvm::append_range(results, b.clone(*op, own)->getResults());
  }
  func::ReturnOp::create(b, entry.getLoc(), results);
  function.setFunctionType(b.getFunctionType(body->getArgumentTypes(),
                                             ValueRange(results).getTypes()));
  return samples;
}
