//===- Core.cpp - The generic node, region terminator, absent value -------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/Core.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace onnxc;

#define GET_OP_CLASSES
#include "onnxc/Dialect/ONNX/Core.cpp.inc"

void ONNXDialect::registerCoreOps() {
  addOperations<
#define GET_OP_LIST
#include "onnxc/Dialect/ONNX/Core.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Constant
//===----------------------------------------------------------------------===//

/// The value as a typed attribute; null unless exactly one attribute has it.
static Attribute getConstantValue(MLIRContext *context, ElementsAttr value,
                                  onnxc::SparseElementsAttr sparse,
                                  Attribute scalar, Attribute list) {
  if (!!value + !!sparse + !!scalar + !!list != 1)
    return {};
  if (value)
    return value;
  if (sparse)
    return sparse;
  Builder b(context);
  auto scalarType = [](Type type) { return RankedTensorType::get({}, type); };
  auto listType = [](size_t size, Type type) {
    return RankedTensorType::get({static_cast<int64_t>(size)}, type);
  };
  if (auto integer = dyn_cast_or_null<IntegerAttr>(scalar))
    return DenseElementsAttr::get(scalarType(b.getI64Type()),
                                  integer.getValue());
  if (auto real = dyn_cast_or_null<FloatAttr>(scalar))
    return DenseElementsAttr::get(scalarType(b.getF32Type()), real.getValue());
  auto stringType = StringType::get(context);
  if (auto text = dyn_cast_or_null<StringAttr>(scalar))
    return DenseStringElementsAttr::get(scalarType(stringType),
                                        {text.getValue()});
  if (auto integers = dyn_cast_or_null<DenseI64ArrayAttr>(list))
    return DenseElementsAttr::get(listType(integers.size(), b.getI64Type()),
                                  integers.asArrayRef());
  if (auto reals = dyn_cast_or_null<DenseF32ArrayAttr>(list))
    return DenseElementsAttr::get(listType(reals.size(), b.getF32Type()),
                                  reals.asArrayRef());
  SmallVector<StringRef> texts(
      llvm::map_range(cast<ArrayAttr>(list).getAsRange<StringAttr>(),
                      [](StringAttr text) { return text.getValue(); }));
  return DenseStringElementsAttr::get(listType(texts.size(), stringType),
                                      texts);
}

template <typename OpOrAdaptor>
static Attribute getConstantValue(MLIRContext *context, OpOrAdaptor op) {
  Attribute scalars[] = {op.getValueIntAttr(), op.getValueFloatAttr(),
                         op.getValueStringAttr()};
  Attribute lists[] = {op.getValueIntsAttr(), op.getValueFloatsAttr(),
                       op.getValueStringsAttr()};
  auto onlyOne = [](ArrayRef<Attribute> attributes, bool &isUnique) {
    Attribute found;
    for (Attribute attribute : attributes) {
      isUnique &= !(found && attribute);
      found = attribute ? attribute : found;
    }
    return found;
  };
  bool isUnique = true;
  Attribute scalar = onlyOne(scalars, isUnique);
  Attribute list = onlyOne(lists, isUnique);
  if (!isUnique)
    return {};
  return getConstantValue(context, op.getValueAttr(), op.getSparseValueAttr(),
                          scalar, list);
}

LogicalResult ConstantOp::shape(ShapeBuilder &s, Adaptor op) {
  Attribute value = getConstantValue(s.getContext(), op);
  if (!s.require(!!value, "constant_c1: exactly one value attribute must be "
                          "present"))
    return failure();
  if (auto sparse = dyn_cast<onnxc::SparseElementsAttr>(value))
    return s.resultType(0, sparse.getType());
  return s.resultType(0, cast<ElementsAttr>(value).getType());
}

OpFoldResult ConstantOp::fold(FoldAdaptor adaptor) {
  return getConstantValue(getContext(), adaptor);
}

//===----------------------------------------------------------------------===//
// The generic node
//===----------------------------------------------------------------------===//

LogicalResult NodeOp::verify() {
  if (getRegionNames().size() != getGraphs().size())
    return emitOpError() << "has " << getGraphs().size() << " graphs, but "
                         << getRegionNames().size() << " names for them";
  return success();
}
