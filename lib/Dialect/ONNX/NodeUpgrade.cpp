//===- NodeUpgrade.cpp - A node on its way to the newest form -------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/NodeUpgrade.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"

#include "onnxc/Dialect/ONNX/ControlFlow.h"
#include "onnxc/Dialect/ONNX/Conversion.h"
#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Dialect/ONNX/Shape.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace onnxc;

//===----------------------------------------------------------------------===//
// What is known of values
//===----------------------------------------------------------------------===//

Type onnxc::getElementType(Value value) {
  auto tensor = value ? dyn_cast<TensorType>(value.getType()) : TensorType();
  return tensor ? tensor.getElementType() : Type();
}

std::optional<ArrayRef<int64_t>> onnxc::getShape(Value value) {
  auto tensor =
      value ? dyn_cast<RankedTensorType>(value.getType()) : RankedTensorType();
  if (!tensor)
    return std::nullopt;
  return tensor.getShape();
}

std::optional<int64_t> onnxc::getRank(Value value) {
  std::optional<ArrayRef<int64_t>> shape = getShape(value);
  if (!shape)
    return std::nullopt;
  return shape->size();
}

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

bool onnxc::isSeenAcrossCalls(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    return isa<func::CallOp>(user) ||
           (isa<func::ReturnOp>(user) &&
            !user->getParentOp()->hasAttr(model::entry));
  });
}

void onnxc::refineResults(Operation *op) {
  SmallVector<Type> inferred;
  if (!isa<SchemaOpInterface>(op) ||
      failed(inferResultTypes(op, inferred, nullptr)))
    return;
  for (auto [type, result] : llvm::zip(inferred, op->getResults())) {
    if (!type || isSeenAcrossCalls(result))
      continue;
    // An element type that contradicts is an error, which inference reports.
    Type joined = joinTypes(type, result.getType());
    if (joined ||
        areCompatibleTypes(dropShapes(type), dropShapes(result.getType())))
      result.setType(joined ? joined : type);
  }
}

//===----------------------------------------------------------------------===//
// NodeUpgrade
//===----------------------------------------------------------------------===//

NodeUpgrade::NodeUpgrade(NodeOp op,
                         std::optional<RegisteredOperationName> record,
                         OpBuilder &builder)
    : op(op), record(record), builder(builder),
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

SmallVector<Value> NodeUpgrade::createOp(TypeID op, NodeParts parts) {
  std::optional<RegisteredOperationName> record =
      RegisteredOperationName::lookup(op, builder.getContext());
  // Rules name ops of this dialect, and give them what they take unless the old
  // node lacks it.
  FailureOr<SmallVector<Value>> results =
      buildNode(builder, getLoc(), *record, std::move(parts));
  if (failed(results))
    return {};
  Operation *made = results->front().getDefiningOp();
  if (failed(verifyBuiltNode(made, [](OpResult, Type) {})))
    return {};
  refineResults(made);
  return *results;
}

SmallVector<Value> NodeUpgrade::createOp(TypeID op, ArrayRef<Value> operands,
                                         ArrayRef<NamedAttribute> attributes,
                                         unsigned count) {
  NodeParts parts;
  parts.inputs.assign(operands.begin(), operands.end());
  parts.attributes = NamedAttrList(attributes);
  parts.outputs.assign(count, UnknownType::get(builder.getContext()));
  return createOp(op, std::move(parts));
}

SmallVector<Value> NodeUpgrade::createLoop(Value count, ValueRange initial,
                                           std::unique_ptr<Region> body,
                                           unsigned numResults) {
  NodeParts parts;
  parts.inputs = {count, Value()};
  llvm::append_range(parts.inputs, initial);
  parts.graphs.emplace_back("body", std::move(body));
  parts.outputs.assign(numResults, UnknownType::get(builder.getContext()));
  return createOp(TypeID::get<LoopOp>(), std::move(parts));
}

Value NodeUpgrade::createConstant(ElementsAttr value) {
  return create<ConstantOp>({}, builder.getNamedAttr("value", value));
}

Value NodeUpgrade::createInts(ArrayRef<int64_t> values) {
  return createConstant(DenseElementsAttr::get(
      RankedTensorType::get({static_cast<int64_t>(values.size())},
                            builder.getI64Type()),
      values));
}

Value NodeUpgrade::createInt(int64_t value) {
  return createConstant(DenseElementsAttr::get(
      RankedTensorType::get({}, builder.getI64Type()), value));
}

Value NodeUpgrade::createFloats(ArrayRef<float> values) {
  return createConstant(DenseElementsAttr::get(
      RankedTensorType::get({static_cast<int64_t>(values.size())},
                            builder.getF32Type()),
      values));
}

Value NodeUpgrade::createScalarLike(Value like, double value) {
  Type element = getElementType(like);
  if (auto floats = dyn_cast_or_null<FloatType>(element)) {
    APFloat number(value);
    bool losesInfo;
    // Attributes were single precision whatever the tensor is.
    number.convert(floats.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    return createConstant(
        DenseElementsAttr::get(RankedTensorType::get({}, floats), number));
  }
  if (element && element.isInteger())
    return createConstant(DenseElementsAttr::get(
        RankedTensorType::get({}, element),
        APInt(element.getIntOrFloatBitWidth(), static_cast<int64_t>(value),
              /*isSigned=*/true, /*implicitTrunc=*/true)));
  Value number = createConstant(
      DenseElementsAttr::get(RankedTensorType::get({}, builder.getF32Type()),
                             static_cast<float>(value)));
  return create<CastLikeOp>({number, like});
}

Value NodeUpgrade::createShape(Value value) { return create<ShapeOp>(value); }

Value NodeUpgrade::createCast(Value value, Type elementType) {
  return create<CastOp>(value, attribute("to", getDataType(elementType)));
}
