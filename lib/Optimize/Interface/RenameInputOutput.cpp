//===- RenameInputOutput.cpp - Names by position --------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"

#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Optimize/RewritePass.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/Process.h"

namespace onnxc {
#define GEN_PASS_DEF_RENAMEINPUTOUTPUT
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// What the environment says, if it has a place for the number.
static std::string getPattern(StringRef variable, StringRef otherwise) {
  std::optional<std::string> pattern = llvm::sys::Process::GetEnv(variable);
  if (pattern && StringRef(*pattern).contains("%d"))
    return *pattern;
  return otherwise.str();
}

static std::string applyPattern(StringRef pattern, int64_t number) {
  auto [before, after] = pattern.split("%d");
  return (before + llvm::Twine(number) + after).str();
}

/// Positions of the inputs that are not arguments, since an initializer gives
/// their value.
static llvm::DenseSet<int64_t> getConstantInputs(func::FuncOp func) {
  llvm::DenseSet<int64_t> positions;
  auto graph = func->getAttrOfType<DictionaryAttr>(model::graph);
  auto inputs = graph ? graph.getAs<ArrayAttr>("defaulted_inputs") : nullptr;
  if (!inputs)
    return positions;
  for (auto input : inputs.getAsRange<DictionaryAttr>())
    if (auto index = input.getAs<IntegerAttr>("index"))
      positions.insert(index.getInt());
  return positions;
}

static int64_t renameArguments(func::FuncOp func) {
  std::string pattern =
      getPattern("OPTIMIZER_RENAME_INPUT_PATTERN", "input_%d");
  llvm::DenseSet<int64_t> constant = getConstantInputs(func);
  int64_t position = 0, changes = 0;
  for (unsigned i = 0; i < func.getNumArguments(); ++i, ++position) {
    while (constant.contains(position))
      ++position;
    if (func.getArgAttr(i, model::defaultValue))
      continue;
    auto name =
        StringAttr::get(func.getContext(), applyPattern(pattern, position));
    if (func.getArgAttr(i, model::name) == name)
      continue;
    func.setArgAttr(i, model::name, name);
    BlockArgument argument = func.getArgument(i);
    Location loc = argument.getLoc();
    if (auto named = dyn_cast<NameLoc>(loc))
      loc = named.getChildLoc();
    argument.setLoc(NameLoc::get(name, loc));
    ++changes;
  }
  return changes;
}

static int64_t renameResults(func::FuncOp func) {
  std::string pattern =
      getPattern("OPTIMIZER_RENAME_OUTPUT_PATTERN", "output_%d");
  int64_t changes = 0;
  for (unsigned i = 0; i < func.getNumResults(); ++i) {
    auto name = StringAttr::get(func.getContext(), applyPattern(pattern, i));
    if (func.getResultAttr(i, model::name) == name)
      continue;
    func.setResultAttr(i, model::name, name);
    ++changes;
  }
  return changes;
}

namespace {
/// Inner values of these names get others by the exporter.
struct RenameInputOutput
    : onnxc::impl::RenameInputOutputBase<RenameInputOutput> {
  int64_t rewriteModule(ModuleOp module, const RewriteOptions &) override {
    func::FuncOp func = getEntry(module);
    return func ? renameArguments(func) + renameResults(func) : 0;
  }
};
} // namespace
