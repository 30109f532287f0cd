//===- NodeDowngrade.cpp - An op on its way back to an older form ---------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Upgrade/NodeDowngrade.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"

#include "onnxc/Upgrade/SchemaHistory.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cfloat>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace onnxc;

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

NodeDowngrade::NodeDowngrade(Operation *op, const UpgradeRule &rule,
                             bool isConversion)
    : op(op), rule(rule), builder(op->getContext()),
      oldAttributes(op->getAttrOfType<DictionaryAttr>(model::oldAttributes)) {
  if (SourceAttr found = getSource(op->getLoc());
      found && found.getOp() == rule.op && !isConversion)
    source = found;
  unsigned next = 0;
  for (int size : getOperandSegments(op)) {
    if (size == 0)
      inputs.push_back({});
    for (int i = 0; i < size; ++i)
      inputs.push_back(op->getOperand(next++));
  }
  next = 0;
  for (int size : getResultSegments(op)) {
    if (size == 0)
      outputs.push_back({});
    for (int i = 0; i < size; ++i)
      outputs.push_back(op->getResult(next++).getType());
  }
  ArrayRef<StringAttr> names = op->getRegisteredInfo()->getAttributeNames();
  for (NamedAttribute attribute : op->getAttrDictionary())
    if (llvm::is_contained(names, attribute.getName()) &&
        !attribute.getName().strref().ends_with("SegmentSizes"))
      attributes.push_back(attribute);
}

int64_t NodeDowngrade::getInt(StringRef name, int64_t otherwise) const {
  auto value = dyn_cast_or_null<IntegerAttr>(attributes.get(name));
  return value ? value.getInt() : otherwise;
}

StringRef NodeDowngrade::getString(StringRef name, StringRef otherwise) const {
  auto value = dyn_cast_or_null<StringAttr>(attributes.get(name));
  return value ? value.getValue() : otherwise;
}

LogicalResult NodeDowngrade::refuse(StringRef name) {
  auto schema = cast<SchemaOpInterface>(op);
  const VersionSchema *newest =
      lookupNewestSchema(schema.getOnnxDomain(), schema.getOnnxName());
  if (newest && newest->isDefault(name, attributes.get(name)))
    attributes.erase(name);
  if (attributes.get(name))
    return fail("the attribute '" + name + "' does not exist there");
  return success();
}

Attribute NodeDowngrade::getOld(StringRef name) const {
  return oldAttributes && source ? oldAttributes.get(name) : Attribute();
}

bool NodeDowngrade::hadAttribute(StringRef name) const {
  return source && source.getAttributes() &&
         llvm::is_contained(
             source.getAttributes().getAsValueRange<StringAttr>(), name);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// The attribute that a constant was made of, or would be made of; null if
/// there is none.
static Attribute makeAttribute(Builder &builder, Value constant) {
  auto type = dyn_cast<RankedTensorType>(constant.getType());
  DenseElementsAttr elements = getConstant(constant);
  if (!type || !elements || type.getRank() > 1)
    return {};
  Type element = type.getElementType();
  bool isScalar = type.getRank() == 0;
  if (element.isSignlessInteger(64)) {
    SmallVector<int64_t> values(elements.getValues<int64_t>());
    return isScalar ? Attribute(builder.getI64IntegerAttr(values.front()))
                    : builder.getDenseI64ArrayAttr(values);
  }
  if (isScalar && isa<FloatType>(element)) {
    APFloat value = *elements.getValues<APFloat>().begin();
    bool losesInfo = false;
    value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    if (losesInfo)
      return {};
    return builder.getFloatAttr(builder.getF32Type(), value);
  }
  if (!isScalar && element.isF32())
    return builder.getDenseF32ArrayAttr(
        SmallVector<float>(elements.getValues<float>()));
  return {};
}

/// Whether the constant is what the number `attribute` becomes in the
/// constant's own type, which may round it.
static bool isRoundedFrom(Value constant, Attribute attribute) {
  auto number = dyn_cast_or_null<FloatAttr>(attribute);
  DenseElementsAttr elements = getConstant(constant);
  if (!number || !elements || elements.getType().getRank() != 0)
    return false;
  auto type = dyn_cast<FloatType>(elements.getElementType());
  if (!type)
    return false;
  APFloat value = number.getValue();
  bool losesInfo = false;
  value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.bitwiseIsEqual(*elements.getValues<APFloat>().begin());
}

LogicalResult NodeDowngrade::inputToAttr(StringRef name) {
  ArrayRef<ValueSpec> specs = cast<SchemaOpInterface>(op).getOperandSpecs();
  for (auto [index, spec] : llvm::enumerate(specs)) {
    if (spec.name != name)
      continue;
    Value input = getInput(index);
    if (!input) {
      // An empty list equals the default.
      if (hadAttribute(name))
        attributes.set(name, builder.getDenseI64ArrayAttr({}));
      return success();
    }
    Attribute attribute = getOld(name);
    if (!isRoundedFrom(input, attribute))
      attribute = makeAttribute(builder, input);
    if (!attribute)
      return fail("its input '" + name +
                  "' is an attribute at the target opset, but is not a "
                  "constant that an attribute can hold");
    attributes.set(name, attribute);
    inputs[index] = {};
    return success();
  }
  return fail("the input '" + name + "' is missing");
}

bool onnxc::isDefault(const UpgradeStep &step, Attribute value) {
  if (const auto *integer = std::get_if<int64_t>(&step.value)) {
    auto given = dyn_cast<IntegerAttr>(value);
    return given && given.getInt() == *integer;
  }
  if (const auto *number = std::get_if<double>(&step.value)) {
    auto given = dyn_cast<FloatAttr>(value);
    return given && given.getValueAsDouble() == static_cast<float>(*number);
  }
  auto given = dyn_cast<StringAttr>(value);
  return given && given.getValue() == std::get<StringRef>(step.value);
}

LogicalResult NodeDowngrade::revertStep(const UpgradeStep &step) {
  switch (step.kind) {
  case UpgradeStep::Kind::DropAttr:
    restore(step.name);
    return success();
  case UpgradeStep::Kind::SetDefault: {
    Attribute value = attributes.get(step.name);
    const auto *number = std::get_if<double>(&step.value);
    if (!value && number && std::abs(*number) >= FLT_MAX) {
      // The default of a bound is the largest number, its absence none.
      attributes.set(step.name, builder.getF32FloatAttr(std::copysign(
                                    std::numeric_limits<float>::infinity(),
                                    static_cast<float>(*number))));
      return success();
    }
    if (!value)
      return fail("'" + step.name +
                  "' has another default at the target opset");
    if (source && !hadAttribute(step.name) && isDefault(step, value))
      attributes.erase(step.name);
    return success();
  }
  case UpgradeStep::Kind::RenameAttr:
    if (Attribute value = attributes.erase(std::get<StringRef>(step.value)))
      attributes.set(step.name, value);
    return success();
  case UpgradeStep::Kind::AttrToInput:
    return inputToAttr(step.name);
  case UpgradeStep::Kind::Custom:
    if (InverseRule inverse = lookupInverseRule(step.name))
      return inverse(*this);
    return fail("what it does is not expressed there");
  }
  return failure();
}

LogicalResult NodeDowngrade::revert() {
  for (const UpgradeStep &step : llvm::reverse(rule.steps))
    if (failed(revertStep(step)))
      return failure();
  while (!inputs.empty() && !inputs.back())
    inputs.pop_back();
  while (!outputs.empty() && !outputs.back())
    outputs.pop_back();
  return success();
}

bool onnxc::hasInverse(const UpgradeRule &rule) {
  return llvm::all_of(rule.steps, [](const UpgradeStep &step) {
    return step.kind != UpgradeStep::Kind::Custom ||
           lookupInverseRule(step.name);
  });
}

SmallVector<StringRef> onnxc::getGraphNames(SchemaOpInterface op) {
  SmallVector<StringRef> names;
  for (auto [name, region] : llvm::zip(op.getRegionNames(), op->getRegions()))
    if (!region.empty())
      names.push_back(name);
  return names;
}

std::optional<int64_t> onnxc::getOpset(Operation *op, StringRef domain) {
  DictionaryAttr imports;
  for (Operation *parent = op; parent && !imports;
       parent = parent->getParentOp()) {
    if (auto function = parent->getAttrOfType<DictionaryAttr>(model::function))
      imports = function.getAs<DictionaryAttr>("opset_imports");
    if (isa<ModuleOp>(parent))
      imports = parent->getAttrOfType<DictionaryAttr>(model::opsetImports);
  }
  auto version =
      imports ? imports.getAs<IntegerAttr>(domain.empty() ? "ai.onnx" : domain)
              : IntegerAttr();
  return version ? std::optional<int64_t>(version.getInt()) : std::nullopt;
}
