//===- DeclareShapes.cpp - What the model declares of its signature -------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Infer/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace onnxc {
#define GEN_PASS_DEF_DECLARESHAPES
#include "onnxc/Infer/Passes.h.inc"
} // namespace onnxc

using namespace mlir;

/// What the model declares of an input or output of a type that is now known
/// better; `set` changes an attribute, or takes it away.
static void declareType(DictionaryAttr declared, Type type,
                        function_ref<void(StringRef, Attribute)> set) {
  if (!declared || !isa<RankedTensorType>(type))
    return;
  auto before = declared.getAs<TypeAttr>(onnxc::model::type);
  if (before && before.getValue() == type)
    return;
  set(onnxc::model::type, before ? TypeAttr::get(type) : TypeAttr());
  // The message as it was written says the old type.
  set(onnxc::model::proto, Attribute());
}

namespace {
struct DeclareShapes : onnxc::impl::DeclareShapesBase<DeclareShapes> {
  void runOnOperation() override {
    for (auto entry : getOperation().getOps<func::FuncOp>())
      if (entry->hasAttr(onnxc::model::entry))
        declare(entry);
  }

private:
  static void declare(func::FuncOp entry) {
    for (unsigned i = 0; i < entry.getNumArguments(); ++i)
      declareType(entry.getArgAttrDict(i), entry.getArgumentTypes()[i],
                  [&](StringRef name, Attribute value) {
                    if (value)
                      entry.setArgAttr(i, name, value);
                    else
                      entry.removeArgAttr(i, name);
                  });
    for (unsigned i = 0; i < entry.getNumResults(); ++i)
      declareType(entry.getResultAttrDict(i), entry.getResultTypes()[i],
                  [&](StringRef name, Attribute value) {
                    auto attr = StringAttr::get(entry.getContext(), name);
                    if (value)
                      entry.setResultAttr(i, attr, value);
                    else
                      entry.removeResultAttr(i, attr);
                  });
  }
};
} // namespace
