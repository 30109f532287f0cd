//===- NodeUpgrade.cpp - A node on its way to the newest form -------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/NodeUpgrade.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace onnxc;

//===----------------------------------------------------------------------===//
// What is known of values
//===----------------------------------------------------------------------===//

DenseElementsAttr onnxc::getConstant(Value value) {
  DenseElementsAttr constant;
  if (!value || !matchPattern(value, m_Constant(&constant)))
    return {};
  return constant;
}

std::optional<SmallVector<double>> onnxc::getNumbers(Value value) {
  DenseElementsAttr constant = getConstant(value);
  if (!constant)
    return std::nullopt;
  SmallVector<double> numbers;
  if (isa<FloatType>(constant.getElementType())) {
    for (APFloat number : constant.getValues<APFloat>())
      numbers.push_back(FloatAttr::getValueAsDouble(number));
    return numbers;
  }
  if (!constant.getElementType().isInteger())
    return std::nullopt;
  bool isUnsigned = constant.getElementType().isUnsignedInteger();
  for (const APInt &number : constant.getValues<APInt>())
    numbers.push_back(number.roundToDouble(!isUnsigned));
  return numbers;
}

std::optional<SmallVector<int64_t>> onnxc::getIntegers(Value value) {
  DenseElementsAttr constant = getConstant(value);
  if (constant && constant.getElementType().isSignlessInteger() &&
      !constant.getElementType().isInteger(1))
    return llvm::map_to_vector(
        constant.getValues<APInt>(),
        [](const APInt &number) { return number.getSExtValue(); });
  std::optional<SmallVector<double>> numbers = getNumbers(value);
  if (!numbers)
    return std::nullopt;
  SmallVector<int64_t> integers;
  for (double number : *numbers) {
    // Beyond this a float says nothing about an integer.
    if (!(std::abs(number) < 0x1p53))
      return std::nullopt;
    integers.push_back(static_cast<int64_t>(number));
  }
  return integers;
}

//===----------------------------------------------------------------------===//
// NodeUpgrade
//===----------------------------------------------------------------------===//

NodeUpgrade::NodeUpgrade(NodeOp op,
                         std::optional<RegisteredOperationName> record,
                         OpBuilder &builder)
    : ONNXBuilder(builder, op.getLoc()), op(op), record(record),
      attributes(op.getOnnxAttributes()) {
  for (Value input : op.getInputs())
    inputs.push_back(isa<NoneType>(input.getType()) ? Value() : input);
  for (Value output : op.getOutputs())
    outputs.push_back(isa<NoneType>(output.getType()) ? Type()
                                                      : output.getType());
}

void NodeUpgrade::setInput(unsigned index, Value value) {
  if (index >= inputs.size())
    inputs.resize(index + 1);
  inputs[index] = value;
}

int64_t NodeUpgrade::getInt(StringRef name, int64_t otherwise) const {
  auto value = dyn_cast_or_null<IntegerAttr>(attributes.get(name));
  return value && value.getType().isSignlessInteger(64) ? value.getInt()
                                                        : otherwise;
}

float NodeUpgrade::getFloat(StringRef name, float otherwise) const {
  auto value = dyn_cast_or_null<FloatAttr>(attributes.get(name));
  return value ? static_cast<float>(value.getValueAsDouble()) : otherwise;
}

StringRef NodeUpgrade::getString(StringRef name, StringRef otherwise) const {
  auto value = dyn_cast_or_null<StringAttr>(attributes.get(name));
  return value ? value.getValue() : otherwise;
}

std::optional<ArrayRef<int64_t>> NodeUpgrade::getInts(StringRef name) const {
  auto value = dyn_cast_or_null<DenseI64ArrayAttr>(attributes.get(name));
  if (!value)
    return std::nullopt;
  return value.asArrayRef();
}

void NodeUpgrade::setInt(StringRef name, int64_t value) {
  attributes.set(name, builder.getI64IntegerAttr(value));
}

void NodeUpgrade::setString(StringRef name, StringRef value) {
  attributes.set(name, builder.getStringAttr(value));
}
