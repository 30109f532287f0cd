//===- Layers.cpp - The nodes whose weights are quantized -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Quantize/Layers.h"

#include "onnxc/Dialect/ONNX/Contraction.h"
#include "onnxc/Dialect/ONNX/Conv.h"
#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/EntryNames.h"
#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/NodeName.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/ValueTypes.h"

#include "llvm/Support/GlobPattern.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::quantize;

func::FuncOp quantize::getEntry(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(model::entry))
      return function;
  return nullptr;
}

/// What is known of a layer by its operator; false if it is none.
static bool describe(Operation *op, LayerKinds kinds, Layer &layer) {
  auto rankOf = [&](unsigned operand) {
    return getRank(op->getOperand(operand)).value_or(-1);
  };
  layer.weightOperand = 1;
  if (isa<MatMulOp>(op)) {
    int64_t rank = rankOf(1);
    if (rank < 2)
      return false;
    layer.blockAxis = rank - 2;
    layer.channelAxis = rank == 2 ? 1 : -1;
    return true;
  }
  if (auto gemm = dyn_cast<GemmOp>(op)) {
    if (rankOf(1) != 2)
      return false;
    layer.blockAxis = gemm.getTransB() ? 1 : 0;
    layer.channelAxis = 1 - layer.blockAxis;
    return true;
  }
  if (kinds.convolutions && isa<ConvOp>(op)) {
    layer.channelAxis = 0;
    return rankOf(1) >= 3;
  }
  if (auto conv = dyn_cast<ConvTransposeOp>(op)) {
    // Of groups each index stands for a channel of every group.
    layer.channelAxis = conv.getGroup() == 1 ? 1 : -1;
    return kinds.convolutions && rankOf(1) >= 3;
  }
  auto gather = dyn_cast<GatherOp>(op);
  if (!kinds.embeddings || !gather)
    return false;
  layer.weightOperand = 0;
  layer.blockAxis = 1;
  return rankOf(0) == 2 && gather.getAxis() == 0;
}

std::vector<Layer> quantize::findLayers(ModuleOp module, LayerKinds kinds) {
  std::vector<Layer> layers;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    Layer layer;
    layer.op = op;
    if (!isa_and_present<ONNXDialect>(op->getDialect()) ||
        !describe(op, kinds, layer))
      return;
    layer.weights = getWeights(layer.getWeight());
    if (!layer.weights)
      return;
    SourceAttr source = getSource(op->getLoc());
    layer.name = source ? getNodeName(source).str() : "";
    layer.kind = op->getName().stripDialect().str();
    layer.isNested = !isa<func::FuncOp>(op->getParentOp());
    layers.push_back(std::move(layer));
  });
  return layers;
}

bool quantize::isNamedBy(const Layer &layer, StringRef pattern) {
  llvm::Expected<llvm::GlobPattern> glob = llvm::GlobPattern::create(pattern);
  if (!glob)
    llvm::consumeError(glob.takeError());
  auto matches = [&](StringRef text) {
    return text == pattern || (glob && glob->match(text));
  };
  if (matches(layer.name) || matches(layer.kind))
    return true;
  return llvm::any_of(layer.op->getResults(), [&](Value result) {
    std::string name = getValueName(result);
    return !name.empty() && matches(name);
  });
}

std::string quantize::getValueName(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto entry = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    return entry ? getInputName(entry, argument.getArgNumber()).str() : "";
  }
  Operation *op = value.getDefiningOp();
  if (auto name = op->getAttrOfType<StringAttr>(model::initializer))
    return name.str();
  SourceAttr source = getSource(op->getLoc());
  if (!source || !source.getOutputs())
    return "";
  // Outputs that are absent have no name, and no result.
  unsigned number = 0;
  for (auto output : source.getOutputs().getAsRange<StringAttr>())
    if (!output.empty() && number++ == cast<OpResult>(value).getResultNumber())
      return output.str();
  return "";
}

Location quantize::makeLocation(Operation *root, StringRef node, StringRef op,
                                StringRef output) {
  Builder b(root->getContext());
  auto source = SourceAttr::get(
      root->getContext(), b.getStringAttr(node), b.getStringAttr(op),
      b.getStrArrayAttr({output}), nullptr, nullptr, nullptr);
  return FusedLoc::get({root->getLoc()}, source, root->getContext());
}

Value quantize::makeInitializer(OpBuilder &builder, Operation *root,
                                ElementsAttr value, StringRef name) {
  OperationState state(makeLocation(root, name, "Initializer", name),
                       ConstantOp::getOperationName());
  state.addAttribute("value", value);
  state.addTypes(value.getType());
  return builder.create(state)->getResult(0);
}
