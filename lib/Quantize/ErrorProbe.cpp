//===- ErrorProbe.cpp - The error of each layer alone ---------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Quantize/ErrorProbe.h"

#include "onnxc/Dialect/ONNX/Builder.h"
#include "onnxc/Dialect/ONNX/Logic.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Dialect/ONNX/Reduction.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::quantize;

/// Appends outputs of these names to the entry.
static void addOutputs(func::FuncOp entry, ArrayRef<Value> values) {
  Operation *terminator = entry.getBody().front().getTerminator();
  Builder builder(entry.getContext());
  for (auto [i, value] : llvm::enumerate(values)) {
    NamedAttribute name = builder.getNamedAttr(
        model::name, builder.getStringAttr("__quantize_" + std::to_string(i)));
    (void)entry.insertResult(entry.getNumResults(), value.getType(),
                             builder.getDictionaryAttr(name));
    terminator->insertOperands(terminator->getNumOperands(), value);
  }
}

OwningOpRef<ModuleOp> quantize::exposeValues(ModuleOp module,
                                             ArrayRef<Value> values) {
  IRMapping mapping;
  OwningOpRef<ModuleOp> copy(cast<ModuleOp>(module->clone(mapping)));
  addOutputs(getEntry(*copy), llvm::map_to_vector(values, [&](Value value) {
               return mapping.lookup(value);
             }));
  return copy;
}

namespace {
class ProbeBuilder {
public:
  explicit ProbeBuilder(const Plan &plan) : plan(plan) {
    ModuleOp source = plan.module;
    probe.module = cast<ModuleOp>(source->clone(mapping));
    probe.selectInput = "__quantize_select";
  }

  ErrorProbe build() {
    func::FuncOp entry = getEntry(*probe.module);
    probe.firstOutput = entry.getNumResults();
    Builder builder(entry.getContext());
    auto scalar = RankedTensorType::get({}, builder.getI64Type());
    NamedAttribute name = builder.getNamedAttr(
        model::name, builder.getStringAttr(probe.selectInput));
    (void)entry.insertArgument(0, scalar, builder.getDictionaryAttr(name),
                               entry.getLoc());
    selected = entry.getArgument(0);
    std::optional<ActivationCodes> codes;
    if (plan.isStatic) {
      SmallVector<bool> all(plan.layers.size(), true);
      codes.emplace(plan, plan.getLayers(all));
    }
    SmallVector<Value> outputs;
    for (auto [i, layer] : llvm::enumerate(plan.layers)) {
      if (layer.isNested)
        continue;
      probe.layers.push_back(i);
      addLayer(i, codes, outputs);
    }
    addOutputs(entry, outputs);
    return std::move(probe);
  }

private:
  /// Both results of a layer: as it is, and quantized.
  std::pair<Value, Value> quantizeAlone(size_t index,
                                        std::optional<ActivationCodes> &codes);
  void addLayer(size_t index, std::optional<ActivationCodes> &codes,
                SmallVectorImpl<Value> &outputs);

  const Plan &plan;
  IRMapping mapping;
  ErrorProbe probe;
  Value selected;
};
} // namespace

std::pair<Value, Value>
ProbeBuilder::quantizeAlone(size_t index,
                            std::optional<ActivationCodes> &codes) {
  const Layer &layer = plan.layers[index];
  Operation *op = mapping.lookup(layer.op);
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Operation *copy = builder.clone(*op);
  if (!codes) {
    MadeConstants made;
    Value result =
        applyBlocks(copy, layer, plan.codes[index], plan.blocks, made);
    if (result != copy->getResult(0))
      copy->erase();
    return {op->getResult(0), result};
  }
  Value input = layer.op->getOperand(0);
  // What stands before may have been replaced: the copy reads what the layer
  // does.
  builder.setInsertionPoint(copy);
  copy->setOperand(0, applyActivation(copy->getOperand(0), codes->get(input)));
  // The new ops are where their operand is defined, before the copy.
  applyChannels(copy, layer, plan.codes[index], codes->get(input));
  Value plainEnd = getActivated(layer.op->getResult(0));
  Value plain = mapping.lookup(plainEnd), coded = copy->getResult(0);
  if (plainEnd != layer.op->getResult(0)) {
    Operation *activation = plain.getDefiningOp();
    builder.setInsertionPointAfter(activation);
    Operation *copied = builder.clone(*activation);
    copied->setOperand(0, coded);
    coded = copied->getResult(0);
  }
  if (codes->getSelection().contains(plainEnd))
    coded = applyActivation(coded, codes->get(plainEnd));
  return {plain, coded};
}

void ProbeBuilder::addLayer(size_t index, std::optional<ActivationCodes> &codes,
                            SmallVectorImpl<Value> &outputs) {
  auto [plain, coded] = quantizeAlone(index, codes);
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : plain.getUses())
    uses.push_back(&use);
  OpBuilder builder(plain.getContext());
  builder.setInsertionPointAfterValue(
      coded.getDefiningOp()->isBeforeInBlock(plain.getDefiningOp()) ? plain
                                                                    : coded);
  ONNXBuilder b(builder, plain.getLoc());
  auto sumSquares = [&](Value value) {
    return b.make<ReduceSumSquareOp>(b.cast(value, builder.getF32Type()),
                                     b.attribute("keepdims", 0));
  };
  Value error = sumSquares(b.sub(b.cast(coded, builder.getF32Type()),
                                 b.cast(plain, builder.getF32Type())));
  Value size = sumSquares(plain);
  Value isSelected =
      b.make<EqualOp>({selected, b.integer(static_cast<int64_t>(index))});
  Value next = b.where(isSelected, coded, plain);
  for (OpOperand *use : uses)
    use->set(next);
  outputs.append({error, size});
}

ErrorProbe quantize::buildProbe(const Plan &plan) {
  return ProbeBuilder(plan).build();
}
