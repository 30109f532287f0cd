//===- ONNXDialect.cpp - The onnx dialect, its types and attributes -------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/Canonicalization.h"
#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/NodeName.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/Operation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace onnxc;

#include "onnxc/Dialect/ONNX/ONNXDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "onnxc/Dialect/ONNX/ONNXTypes.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "onnxc/Dialect/ONNX/ONNXAttrs.cpp.inc"

void ONNXDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "onnxc/Dialect/ONNX/ONNXTypes.cpp.inc"
      >();
}

void ONNXDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "onnxc/Dialect/ONNX/ONNXAttrs.cpp.inc"
      >();
}

namespace {
/// Model functions are inlined by upstream's inliner. An ONNX operator means
/// the same wherever it stands, and subgraphs capture: everything may move.
struct ONNXInlinerInterface : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

void ONNXDialect::initialize() {
  addInterfaces<ONNXInlinerInterface>();
  registerTypes();
  registerAttributes();
#define ONNXC_FAMILY(Name) register##Name##Ops();
#include "onnxc/Dialect/ONNX/Families.def"
}

void ONNXDialect::getCanonicalizationPatterns(
    RewritePatternSet &patterns) const {
  // Only asking is not const upstream.
  auto *self = const_cast<ONNXDialect *>(this);
  if (const auto *provider =
          self->getRegisteredInterface<CanonicalizationInterface>())
    provider->populatePatterns(patterns);
}

SourceAttr onnxc::getSource(Location loc) {
  SourceAttr source;
  loc->walk([&](Location inner) {
    if (auto fused = dyn_cast<FusedLoc>(inner))
      source = dyn_cast_or_null<SourceAttr>(fused.getMetadata());
    return source ? WalkResult::interrupt() : WalkResult::advance();
  });
  return source;
}

StringRef onnxc::getNodeName(SourceAttr source) {
  StringRef name = source.getName().getValue();
  if (ArrayAttr outputs = source.getOutputs(); name.empty() && outputs)
    for (auto output : outputs.getAsRange<StringAttr>())
      if (name.empty())
        name = output.getValue();
  return name;
}

std::string onnxc::describeNode(Operation *op) {
  if (SourceAttr source = getSource(op->getLoc()))
    return ("node '" + getNodeName(source) + "' (" + source.getOp().getValue() +
            ")")
        .str();
  auto schema = dyn_cast<SchemaOpInterface>(op);
  return ("node of operator '" +
          (schema ? schema.getOnnxName() : op->getName().stripDialect()) + "'")
      .str();
}

Operation *ONNXDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location loc) {
  if (!isa<ElementsAttr>(value))
    return nullptr;
  OperationState state(loc, ConstantOp::getOperationName());
  state.addAttribute("value", value);
  state.addTypes(type);
  return builder.create(state);
}
