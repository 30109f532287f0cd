//===- SeparateDefaults.cpp - With and without overridden initializers ----===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Upgrade/Passes.h"

#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/BitVector.h"

namespace onnxc {
#define GEN_PASS_DEF_SEPARATEDEFAULTS
#include "onnxc/Upgrade/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

static ElementsAttr getDefault(func::FuncOp entry, unsigned argument) {
  return entry.getArgAttrOfType<ElementsAttr>(argument, model::defaultValue);
}

static llvm::BitVector findDefaulted(func::FuncOp entry) {
  llvm::BitVector defaulted(entry.getNumArguments());
  for (unsigned i = 0; i < entry.getNumArguments(); ++i)
    defaulted[i] = static_cast<bool>(getDefault(entry, i));
  return defaulted;
}

/// The location of the initializer, which the importer keeps in that of the
/// argument.
static Location getInitializerLocation(BlockArgument argument) {
  auto named = dyn_cast<NameLoc>(argument.getLoc());
  return named ? named.getChildLoc() : argument.getLoc();
}

/// Arguments with a default become constants.
static LogicalResult freeze(func::FuncOp entry,
                            const llvm::BitVector &defaulted) {
  auto b = OpBuilder::atBlockBegin(&entry.front());
  for (unsigned i : defaulted.set_bits()) {
    BlockArgument argument = entry.getArgument(i);
    ElementsAttr value = getDefault(entry, i);
    OperationState state(getInitializerLocation(argument),
                         ConstantOp::getOperationName());
    state.addAttribute("value", value);
    state.addTypes(value.getType());
    argument.replaceAllUsesWith(b.create(state)->getResult(0));
  }
  return entry.eraseArguments(defaulted);
}

/// Arguments with a default come last, as the interface has them. One whose
/// rank is not declared has that of the default.
static LogicalResult moveToEnd(func::FuncOp entry,
                               const llvm::BitVector &defaulted) {
  llvm::BitVector moved = defaulted;
  for (unsigned i : defaulted.set_bits()) {
    BlockArgument argument = entry.getArgument(i);
    Type type = argument.getType();
    auto given = cast<RankedTensorType>(getDefault(entry, i).getType());
    if (isa<UnrankedTensorType>(type))
      type = given.clone(
          SmallVector<int64_t>(given.getRank(), ShapedType::kDynamic));
    unsigned end = entry.getNumArguments();
    if (failed(entry.insertArgument(end, type, entry.getArgAttrDict(i),
                                    argument.getLoc())))
      return failure();
    argument.replaceAllUsesWith(entry.getArgument(end));
    moved.push_back(false);
  }
  return entry.eraseArguments(moved);
}

namespace {
struct SeparateDefaults : onnxc::impl::SeparateDefaultsBase<SeparateDefaults> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> entries;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(model::entry) && !function.isExternal() &&
          !function->hasAttr(model::overridden))
        entries.push_back(function);
    for (func::FuncOp entry : entries) {
      llvm::BitVector defaulted = findDefaulted(entry);
      if (defaulted.none())
        continue;
      func::FuncOp overridden = entry.clone();
      overridden.setName((entry.getName() + "_overridden").str());
      overridden->setAttr(model::overridden, UnitAttr::get(&getContext()));
      SymbolTable(getOperation())
          .insert(overridden, std::next(Block::iterator(entry)));
      if (failed(freeze(entry, defaulted)) ||
          failed(moveToEnd(overridden, defaulted)))
        return signalPassFailure();
    }
  }
};
} // namespace
