//===- ApplyPlan.cpp - The quantized model --------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Quantize/ApplyPlan.h"

#include "onnxc/Dialect/ONNX/Builder.h"
#include "onnxc/Dialect/ONNX/Contraction.h"
#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/Quantization.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace onnxc;
using namespace onnxc::quantize;

SmallVector<const Layer *> Plan::getLayers(ArrayRef<bool> included) const {
  SmallVector<const Layer *> chosen;
  for (auto [layer, isIncluded] : llvm::zip_equal(layers, included))
    if (isIncluded)
      chosen.push_back(&layer);
  return chosen;
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

ActivationCodes::ActivationCodes(const Plan &plan,
                                 ArrayRef<const Layer *> layers)
    : isUnsigned(plan.isUnsigned), selection(getEntry(plan.module), layers),
      ranges(plan.ranges) {
  selection.unifyRanges(ranges);
}

ActivationCode ActivationCodes::get(Value value) const {
  return {makeCode(ranges.lookup(value),
                   IntegerRange::ofActivations(isUnsigned), !isUnsigned),
          isUnsigned};
}

Value quantize::applyActivation(Value value, ActivationCode code) {
  MLIRContext *context = value.getContext();
  Operation *root = value.getDefiningOp();
  OpBuilder builder(context);
  builder.setInsertionPointAfterValue(value);
  if (!root)
    root = value.getParentBlock()->getParentOp();
  std::string base = getValueName(value);
  if (base.empty())
    base = "value";
  auto scalarOf = [&](Type element) {
    return RankedTensorType::get({}, element);
  };
  Type integer = IntegerType::get(context, 8,
                                  code.isUnsigned ? IntegerType::Unsigned
                                                  : IntegerType::Signless);
  const char zero = static_cast<char>(code.code.zeroPoint);
  Value scale = makeInitializer(
      builder, root,
      makeFloats(scalarOf(builder.getF32Type()), code.code.scale),
      base + "_scale");
  Value zeroPoint = makeInitializer(
      builder, root, makeElements(scalarOf(integer), ArrayRef<char>(zero)),
      base + "_zero_point");
  ONNXBuilder quantizer(builder, makeLocation(root, base + "_QuantizeLinear",
                                              QuantizeLinearOp::getOnnxName(),
                                              base + "_quantized"));
  Value quantized = quantizer.make<QuantizeLinearOp>({value, scale, zeroPoint});
  ONNXBuilder dequantizer(builder,
                          makeLocation(root, base + "_DequantizeLinear",
                                       DequantizeLinearOp::getOnnxName(),
                                       base + "_dequantized"));
  return dequantizer.make<DequantizeLinearOp>({quantized, scale, zeroPoint});
}

//===----------------------------------------------------------------------===//
// Weights and bias
//===----------------------------------------------------------------------===//

/// The operand that is added to each channel of a layer's product as it is, a
/// constant; -1 if there is none.
static int getBiasOperand(Operation *op) {
  if (op->getNumOperands() < 3 || isa<MatMulOp>(op))
    return -1;
  if (auto gemm = dyn_cast<GemmOp>(op))
    if (gemm.getAlpha().convertToFloat() != 1 ||
        gemm.getBeta().convertToFloat() != 1)
      return -1;
  return getWeights(op->getOperand(2)) ? 2 : -1;
}

/// The bias of a layer where it is one number for each channel.
static ElementsAttr getBias(const Layer &layer) {
  int operand = getBiasOperand(layer.op);
  if (operand < 0)
    return {};
  ElementsAttr bias = getWeights(layer.op->getOperand(operand));
  auto type = cast<RankedTensorType>(bias.getType());
  auto weights = cast<RankedTensorType>(layer.weights.getType());
  bool isByChannel =
      type.getRank() == 1 && type.getElementType().isF32() &&
      (layer.channelAxis < 0 ||
       type.getDimSize(0) == weights.getDimSize(layer.channelAxis));
  return isByChannel ? bias : ElementsAttr();
}

static void applyBias(OpBuilder &builder, Operation *op, const Layer &layer,
                      const WeightCode &code, ActivationCode input) {
  ElementsAttr bias = getBias(layer);
  if (!bias)
    return;
  const std::vector<float> values = readFloats(bias),
                           weightScales = readFloats(code.scales);
  auto type = cast<RankedTensorType>(bias.getType());
  std::vector<float> scales;
  for (float scale : weightScales)
    scales.push_back(scale * input.code.scale);
  std::vector<int32_t> integers;
  for (auto [i, value] : llvm::enumerate(values)) {
    double quotient =
        std::nearbyint(double(value) / scales[scales.size() == 1 ? 0 : i]);
    integers.push_back(static_cast<int32_t>(
        std::clamp(quotient, -2147483648.0, 2147483647.0)));
  }
  std::string base = getValueName(layer.op->getOperand(2));
  if (base.empty())
    base = layer.name + "_bias";
  auto scaleType = cast<RankedTensorType>(code.scales.getType());
  SmallVector<Value> operands{
      makeInitializer(builder, op,
                      makeElements(type.clone(builder.getI32Type()),
                                   ArrayRef<int32_t>(integers)),
                      base + "_quantized"),
      makeInitializer(builder, op, makeFloats(scaleType, scales),
                      base + "_scale"),
      makeInitializer(builder, op,
                      makeElements(scaleType.clone(builder.getI32Type()),
                                   ArrayRef<int32_t>(
                                       std::vector<int32_t>(scales.size(), 0))),
                      base + "_zero_point")};
  ONNXBuilder b(builder, makeLocation(op, base + "_DequantizeLinear",
                                      DequantizeLinearOp::getOnnxName(),
                                      base + "_dequantized"));
  op->setOperand(
      2, b.make<DequantizeLinearOp>(operands, {b.attribute("axis", 0)}));
}

void quantize::applyChannels(Operation *op, const Layer &layer,
                             const WeightCode &code, ActivationCode input) {
  OpBuilder builder(op);
  std::string base = getValueName(layer.getWeight());
  if (base.empty())
    base = layer.name + "_weight";
  SmallVector<Value> operands{
      makeInitializer(builder, op, code.integers, base + "_quantized"),
      makeInitializer(builder, op, code.scales, base + "_scale"),
      makeInitializer(builder, op, code.zeroPoints, base + "_zero_point")};
  ONNXBuilder b(builder, makeLocation(op, base + "_DequantizeLinear",
                                      DequantizeLinearOp::getOnnxName(),
                                      base + "_dequantized"));
  SmallVector<NamedAttribute> attributes;
  if (code.axis >= 0)
    attributes.push_back(b.attribute("axis", code.axis));
  op->setOperand(layer.weightOperand,
                 b.make<DequantizeLinearOp>(operands, attributes));
  applyBias(builder, op, layer, code, input);
}

/// For each channel, the least scale with which the bias fits into 32 bits.
static std::vector<float> getLeastScales(const Layer &layer,
                                         ActivationCode input) {
  std::vector<float> scales;
  ElementsAttr bias = getBias(layer);
  if (!bias)
    return scales;
  constexpr float mostSteps = 1 << 30;
  for (float value : readFloats(bias))
    scales.push_back(std::fabs(value) / (input.code.scale * mostSteps));
  if (layer.channelAxis < 0 && !scales.empty())
    scales = {*llvm::max_element(scales)};
  return scales;
}

void quantize::quantizeWeights(Plan &plan) {
  plan.codes.clear();
  SmallVector<bool> all(plan.layers.size(), true);
  ActivationCodes codes(plan, plan.getLayers(all));
  for (const Layer &layer : plan.layers)
    plan.codes.push_back(quantizeChannels(
        layer, getLeastScales(layer, codes.get(layer.op->getOperand(0)))));
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

static void applyStatic(const Plan &plan, ArrayRef<bool> included,
                        IRMapping &mapping) {
  ActivationCodes codes(plan, plan.getLayers(included));
  const TensorSelection &selection = codes.getSelection();
  for (Value value : selection.getTensors()) {
    Value copy = mapping.lookup(value);
    Value dequantized = applyActivation(copy, codes.get(value));
    for (OpOperand &use : value.getUses())
      if (selection.isQuantizedUse(use))
        mapping.lookup(use.getOwner())
            ->setOperand(use.getOperandNumber(), dequantized);
  }
  for (auto [layer, code, isIncluded] :
       llvm::zip_equal(plan.layers, plan.codes, included))
    if (isIncluded)
      applyChannels(mapping.lookup(layer.op), layer, code,
                    codes.get(layer.op->getOperand(0)));
}

/// Erases constants that nothing reads any more, of those that layers read.
static void eraseUnread(ArrayRef<Operation *> constants) {
  for (Operation *constant : constants)
    if (constant->use_empty())
      constant->erase();
}

OwningOpRef<ModuleOp> quantize::applyPlan(const Plan &plan,
                                          ArrayRef<bool> included) {
  IRMapping mapping;
  ModuleOp module = plan.module;
  OwningOpRef<ModuleOp> copy(cast<ModuleOp>(module->clone(mapping)));
  llvm::SetVector<Operation *> constants;
  for (const Layer *layer : plan.getLayers(included))
    for (Value operand : mapping.lookup(layer->op)->getOperands())
      if (auto constant = operand.getDefiningOp<ConstantOp>())
        constants.insert(constant);
  if (plan.isStatic) {
    applyStatic(plan, included, mapping);
  } else {
    // Layers that share weights share their integers.
    DenseMap<std::pair<Value, int64_t>, MadeConstants> made;
    bool isGeneric = false;
    for (auto [layer, code, isIncluded] :
         llvm::zip_equal(plan.layers, plan.codes, included)) {
      if (!isIncluded)
        continue;
      Operation *op = mapping.lookup(layer.op);
      Value weight = mapping.lookup(layer.getWeight());
      Value result =
          applyBlocks(op, layer, code, plan.blocks, made[{weight, code.axis}]);
      if (result == op->getResult(0))
        continue;
      isGeneric |= plan.blocks.format == Format::MatMulNBits;
      op->getResult(0).replaceAllUsesWith(result);
      op->erase();
    }
    if (isGeneric)
      importMicrosoftDomain(*copy);
  }
  eraseUnread(constants.getArrayRef());
  return copy;
}
