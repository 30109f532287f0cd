//===- VersionForm.cpp - Nodes as a version of their operator -------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Upgrade/VersionForm.h"
#include "onnxc/Dialect/ONNX/Image.h"
#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/Normalization.h"
#include "onnxc/Dialect/ONNX/Random.h"
#include "onnxc/Dialect/ONNX/Shape.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace onnxc;

Location onnxc::forgetSpelling(Location loc, StringRef name,
                               unsigned numOutputs) {
  auto fused = dyn_cast<FusedLoc>(loc);
  auto source =
      fused ? dyn_cast_or_null<SourceAttr>(fused.getMetadata()) : SourceAttr();
  if (!source)
    return loc;
  MLIRContext *context = loc.getContext();
  ArrayAttr outputs = source.getOutputs();
  if (outputs && outputs.size() > numOutputs)
    outputs =
        ArrayAttr::get(context, outputs.getValue().take_front(numOutputs));
  NamedAttrList metadata(source.getMetadata());
  for (StringRef entry : {"inputs", "explicit", "attributes"})
    metadata.erase(entry);
  auto form = SourceAttr::get(
      context, source.getName(), StringAttr::get(context, name), outputs,
      /*attributes=*/{}, source.getDoc(),
      metadata.empty() ? DictionaryAttr() : metadata.getDictionary(context));
  return FusedLoc::get(context, fused.getLocations(), form);
}

void onnxc::supplyEmptyInputs(const VersionSchema &schema, OpBuilder &builder,
                              Location loc, SmallVectorImpl<Value> &inputs) {
  if (schema.getName() != ResizeOp::getOnnxName() || schema.getVersion() != 11)
    return;
  auto type = RankedTensorType::get({0}, builder.getF32Type());
  auto none = DenseElementsAttr::get(type, ArrayRef<float>());
  for (auto [i, formal] : llvm::enumerate(schema.getInputs())) {
    if (formal.isOptional)
      break;
    if (i >= inputs.size())
      inputs.emplace_back();
    if (inputs[i])
      continue;
    OperationState state(loc, ConstantOp::getOperationName());
    state.addAttribute("value", none);
    state.addTypes(type);
    inputs[i] = builder.create(state)->getResult(0);
  }
}

static bool hasAttribute(const VersionSchema &schema, StringRef name) {
  return llvm::any_of(
      schema.getAttributes(),
      [&](const FormalAttribute &formal) { return formal.name == name; });
}

void onnxc::dropDefaults(const VersionSchema &schema, const UpgradeRule *rule,
                         NamedAttrList &attributes) {
  const VersionSchema *newest =
      lookupNewestSchema(schema.getDomain(), schema.getName());
  auto isMeantByAbsence = [&](NamedAttribute attribute) {
    if (rule)
      for (const UpgradeStep &step : rule->steps)
        if (step.kind == UpgradeStep::Kind::SetDefault &&
            step.name == attribute.getName())
          return isDefault(step, attribute.getValue());
    return newest &&
           newest->isDefault(attribute.getName(), attribute.getValue());
  };
  for (NamedAttribute attribute :
       SmallVector<NamedAttribute>(attributes.getAttrs()))
    if (!hasAttribute(schema, attribute.getName()) &&
        isMeantByAbsence(attribute))
      attributes.erase(attribute.getName());
}

bool onnxc::countAxesFromFront(NodeDowngrade &node) {
  // These always could be counted from the back.
  if (llvm::is_contained(
          {TopKOp::getOnnxName(), LpNormalizationOp::getOnnxName()},
          node.rule.op))
    return true;
  std::optional<int64_t> rank = getRank(node.getInput(0));
  auto axis = dyn_cast_or_null<IntegerAttr>(node.attributes.get("axis"));
  auto axes = dyn_cast_or_null<DenseI64ArrayAttr>(node.attributes.get("axes"));
  if (rank && axes && node.rule.op == UnsqueezeOp::getOnnxName())
    *rank += axes.size();
  if (axis && axis.getInt() < 0) {
    if (!rank)
      return false;
    node.setInt("axis", axis.getInt() + *rank);
  }
  if (axes && llvm::any_of(axes.asArrayRef(),
                           [](int64_t number) { return number < 0; })) {
    if (!rank)
      return false;
    SmallVector<int64_t> numbers(axes.asArrayRef());
    for (int64_t &number : numbers)
      number += number < 0 ? *rank : 0;
    node.attributes.set("axes", node.builder.getDenseI64ArrayAttr(numbers));
  }
  return true;
}

/// Whether all inputs are known to have the same shape.
static bool haveOneShape(const NodeDowngrade &node) {
  std::optional<ArrayRef<int64_t>> first = getShape(node.getInput(0));
  return node.inputs.size() < 2 ||
         (first && llvm::none_of(*first, ShapedType::isDynamic) &&
          llvm::all_of(
              node.inputs,
              [&](Value input) { return getShape(input) == first; }));
}

namespace {
/// A text that an attribute can have from a version on. Exporters write some
/// before it, from version `written` on, and ONNX Runtime takes those.
struct AddedValue {
  StringRef op, attribute, value;
  int version;
  int written = version;

  bool isIn(StringRef node, const NamedAttrList &attributes) const {
    auto text = dyn_cast_or_null<StringAttr>(attributes.get(attribute));
    return node == op && text && text.getValue() == value;
  }
};
} // namespace

static ArrayRef<AddedValue> getAddedValues() {
  static const AddedValue values[] = {
      {GridSampleOp::getOnnxName(), "mode", "cubic", 20},
      {GridSampleOp::getOnnxName(), "mode", "linear", 20},
      // Written by torch.onnx.export(dynamo=True), whose opset is 18.
      {PadOp::getOnnxName(), "mode", "wrap", 19, 18},
      {ResizeOp::getOnnxName(), "coordinate_transformation_mode",
       "half_pixel_symmetric", 19},
      {ResizeOp::getOnnxName(), "mode", "cubic", 11},
      {ScatterElementsOp::getOnnxName(), "reduction", "max", 18},
      {ScatterElementsOp::getOnnxName(), "reduction", "min", 18},
      {ScatterNDOp::getOnnxName(), "reduction", "max", 18},
      {ScatterNDOp::getOnnxName(), "reduction", "min", 18},
  };
  return values;
}

std::string onnxc::findUndefinedValue(StringRef op, int version,
                                      const NamedAttrList &attributes) {
  for (const AddedValue &added : getAddedValues()) {
    if (version < added.version && added.isIn(op, attributes))
      return ("attribute '" + added.attribute + "' is '" + added.value +
              "', which exists from version " + Twine(added.version) + " on")
          .str();
  }
  auto ratio = op == DropoutOp::getOnnxName()
                   ? dyn_cast_or_null<FloatAttr>(attributes.get("ratio"))
                   : FloatAttr();
  if (ratio &&
      !(ratio.getValueAsDouble() >= 0 && ratio.getValueAsDouble() <= 1))
    return "attribute 'ratio' is not a number from 0 to 1";
  return "";
}

bool onnxc::isWrittenEarly(StringRef op, int version,
                           const NamedAttrList &attributes) {
  return llvm::any_of(getAddedValues(), [&](const AddedValue &added) {
    return version >= added.written && version < added.version &&
           added.isIn(op, attributes);
  });
}

static SmallVector<Type> getInputTypes(const NodeDowngrade &node) {
  ArrayRef<Value> inputs = node.inputs;
  while (!inputs.empty() && !inputs.back())
    inputs = inputs.drop_back();
  return llvm::map_to_vector(
      inputs, [](Value value) { return value ? value.getType() : Type(); });
}

std::string onnxc::findFault(const NodeDowngrade &node,
                             const VersionSchema &schema) {
  std::string fault = schema.findFault(
      getInputTypes(node), node.attributes.getAttrs(),
      getGraphNames(cast<SchemaOpInterface>(node.op)), node.outputs);
  return fault.empty()
             ? findUndefinedValue(schema.getName(), schema.getVersion(),
                                  node.attributes)
             : fault;
}

std::string onnxc::findMisfit(const NodeDowngrade &node,
                              const VersionSchema &schema) {
  return schema.findMisfit(getInputTypes(node), node.attributes.getAttrs(),
                           getGraphNames(cast<SchemaOpInterface>(node.op)),
                           node.outputs);
}

std::string onnxc::findLimit(const NodeDowngrade &node, int version) {
  StringRef op = node.rule.op;
  auto oldVersion = node.op->getAttrOfType<IntegerAttr>(model::oldVersion);
  bool hadOneShape = oldVersion && oldVersion.getInt() < 8;
  if (llvm::is_contained({MaxOp::getOnnxName(), MeanOp::getOnnxName(),
                          MinOp::getOnnxName(), SumOp::getOnnxName()},
                         op) &&
      version < 8 && !hadOneShape && !haveOneShape(node))
    return "its inputs must be of one known shape there";
  if (op == ModOp::getOnnxName() && version < 28 &&
      node.getInt("fmod", 0) == 0 &&
      isa_and_nonnull<FloatType>(getElementType(node.getInput(0))))
    return "of floating-point numbers, only the remainder with fmod = 1 is "
           "taken there";
  if (op == GridSampleOp::getOnnxName() && version < 20 &&
      getRank(node.getInput(0)) != 4)
    return "its input must be of rank 4 there";
  return findUndefinedValue(op, version, node.attributes);
}
