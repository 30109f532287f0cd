//===- Overridable.cpp - Initializers that cannot be overridden -----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Overridable.h"

#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Pipelines/Compile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

#include <set>

using namespace mlir;
using namespace onnxc;

/// The name of an argument that has a default; empty for any other value.
static StringRef getOverridableName(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto function =
      argument
          ? dyn_cast_or_null<func::FuncOp>(argument.getOwner()->getParentOp())
          : func::FuncOp();
  if (!function ||
      !function.getArgAttr(argument.getArgNumber(), model::defaultValue))
    return {};
  auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                    model::name);
  return name ? name.getValue() : StringRef();
}

std::vector<std::string> onnxc::listOverridable(ModuleOp imported) {
  std::vector<std::string> names;
  for (auto function : imported.getOps<func::FuncOp>())
    if (!function.isExternal())
      for (BlockArgument argument : function.getArguments())
        if (StringRef name = getOverridableName(argument); !name.empty())
          names.push_back(name.str());
  return names;
}

/// Values that the op is computed from: operands, and what its regions take
/// from around them.
static void collectOperands(Operation *op, llvm::SetVector<Value> &values) {
  op->walk([&](Operation *inner) {
    values.insert(inner->operand_begin(), inner->operand_end());
  });
}

/// Those from which one of the values is computed; with `integersOnly`, by way
/// of integers and booleans alone. In the order of their names.
static std::vector<std::string>
collectOverridable(llvm::SetVector<Value> values, bool integersOnly) {
  std::set<std::string> names;
  for (size_t i = 0; i < values.size(); ++i) {
    Value value = values[i];
    if (integersOnly && getElementTypeOrSelf(value.getType()).isFloat())
      continue;
    if (StringRef name = getOverridableName(value); !name.empty())
      names.insert(name.str());
    Operation *source = value.getDefiningOp();
    if (!source)
      source = cast<BlockArgument>(value).getOwner()->getParentOp();
    if (!isa<func::FuncOp>(source))
      collectOperands(source, values);
  }
  return {names.begin(), names.end()};
}

std::vector<std::string>
onnxc::findOverridable(ModuleOp imported, ArrayRef<Diagnostic> diagnostics) {
  std::set<std::pair<std::string, std::string>> nodes;
  auto add = [&](const Diagnostic &diagnostic) {
    if (std::optional<NodeName> node = findNode(diagnostic.getLocation()))
      nodes.insert({node->name, node->opType});
  };
  for (const Diagnostic &diagnostic : diagnostics) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      continue;
    add(diagnostic);
    for (const Diagnostic &note :
         const_cast<Diagnostic &>(diagnostic).getNotes())
      add(note);
  }
  llvm::SetVector<Value> values;
  imported->walk([&](Operation *op) {
    std::optional<NodeName> node = findNode(op->getLoc());
    if (node && nodes.count({node->name, node->opType}))
      collectOperands(op, values);
  });
  std::vector<std::string> names =
      collectOverridable(values, /*integersOnly=*/true);
  return names.empty() ? collectOverridable(values, /*integersOnly=*/false)
                       : names;
}
