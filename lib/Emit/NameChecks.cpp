//===- NameChecks.cpp - Whose memory there is none for --------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace onnxc {

/// As lib/Bufferize/RuntimeCalls.h has it, with C's end of a text.
static constexpr StringLiteral marker = StringLiteral::withInnerNUL("<node>\0");

void nameChecks(ModuleOp module, const EmitOptions &options) {
  for (auto global : module.getOps<LLVM::GlobalOp>()) {
    auto text = dyn_cast_or_null<StringAttr>(global.getValueOrNull());
    if (!text || text.getValue() != marker)
      continue;
    std::optional<NodeName> node =
        options.findNode ? options.findNode(global.getLoc()) : std::nullopt;
    std::string name =
        node ? "node '" + node->name + "' (" + node->opType + ")" : "";
    name += '\0';
    Type byte = IntegerType::get(module.getContext(), 8);
    global.setGlobalType(LLVM::LLVMArrayType::get(byte, name.size()));
    global.setValueAttr(StringAttr::get(module.getContext(), name));
  }
}

} // namespace onnxc
