//===- ModelShapes.cpp - Shapes whose open sizes have names ---------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Inspect/ModelShapes.h"

#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Dialect/ONNX/NodeName.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/SymbolicShapes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace onnxc;

ModelShapes::ModelShapes(ModuleOp module) {
  SymbolicShapes symbolic(
      [this](Value value, int64_t index) { return nameDim(value, index); });
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal() && function->hasAttr(model::entry))
      visit(symbolic, function.front());
}

std::optional<ArrayRef<Size>> ModelShapes::getShape(Value value) const {
  auto found = shapes.find(value);
  if (found == shapes.end())
    return std::nullopt;
  return ArrayRef<Size>(found->second);
}

Size ModelShapes::getNumElements(Value value) const {
  std::optional<ArrayRef<Size>> shape = getShape(value);
  if (!shape)
    return Size();
  Size product(1);
  for (const Size &size : *shape)
    product = product * size;
  return product;
}

Size ModelShapes::makeOpen(StringRef what, Operation *op) {
  SourceAttr source = op ? getSource(op->getLoc()) : nullptr;
  std::string where = what.str();
  if (source)
    where += (" of '" + getNodeName(source) + "'").str();
  open.push_back({"?" + std::to_string(open.size() + 1), std::move(where)});
  return Size::symbol(open.back().symbol);
}

Size ModelShapes::nameDim(Value value, int64_t index) {
  std::string what = "dimension " + std::to_string(index);
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return makeOpen(what, value.getDefiningOp());
  if (auto name = dyn_cast<NameLoc>(value.getLoc()))
    what += " of input '" + name.getName().str() + "'";
  Operation *parent = argument.getOwner()->getParentOp();
  return makeOpen(what, isa<func::FuncOp>(parent) ? nullptr : parent);
}

/// Each value before those that are computed from it, so that open sizes come
/// up in the order of the model.
void ModelShapes::visit(SymbolicShapes &symbolic, Block &block) {
  visit(symbolic, ValueRange(block.getArguments()));
  for (Operation &op : block) {
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        visit(symbolic, inner);
    visit(symbolic, ValueRange(op.getResults()));
  }
}

void ModelShapes::visit(SymbolicShapes &symbolic, ValueRange values) {
  for (Value value : values) {
    std::optional<SmallVector<SymbolicDim>> dims = symbolic.getDims(value);
    if (!dims)
      continue;
    SmallVector<Size> &sizes = shapes[value];
    for (const SymbolicDim &dim : *dims)
      sizes.push_back(symbolic.getSize(dim));
  }
}
