//===- NameFunctions.cpp - Symbols that say what they compute -------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What perf and gdb show of a model are the names of its local functions.
//
//===----------------------------------------------------------------------===//

#include "Codegen.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace onnxc {

/// Longer names fill the screen of who reads a profile.
static constexpr size_t maxNameLength = 80;

/// Letters and digits of `text`, with single underscores for what is between.
static std::string makeIdentifier(StringRef text) {
  std::string name;
  for (char c : text) {
    if (llvm::isAlnum(c))
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  }
  return StringRef(name).rtrim('_').take_back(maxNameLength).ltrim('_').str();
}

/// What outlining appended to the name of a kernel: the function that runs some
/// iterations of its parallel loop, and the one that a thread calls.
static StringRef roleOf(StringRef name) {
  StringRef bare = name.rtrim("0123456789");
  if (bare.size() < name.size())
    bare.consume_back("_");
  for (StringRef role : {"_part", "_task"})
    if (name.ends_with(role) || bare.ends_with(role))
      return role;
  return "";
}

void nameFunctions(ModuleOp module, llvm::Module &code,
                   const EmitOptions &options) {
  if (!options.findNode)
    return;
  for (auto op : module.getOps<LLVM::LLVMFuncOp>()) {
    if (op.isExternal() || op->hasAttr(program::entry))
      continue;
    llvm::Function *function = code.getFunction(op.getSymName());
    std::optional<NodeName> node = options.findNode(op.getLoc());
    if (!function || !node)
      continue;
    std::string name = makeIdentifier(node->name);
    if (!StringRef(name).ends_with(node->opType))
      name += (name.empty() ? "" : "_") + makeIdentifier(node->opType);
    // One function does the work of several nodes that are alike.
    if (unsigned calls = function->getNumUses(); calls > 1)
      name += "_x" + std::to_string(calls);
    function->setName(options.prefix + "_" + name + roleOf(op.getSymName()));
  }
}

} // namespace onnxc
