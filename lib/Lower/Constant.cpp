//===- Constant.cpp - Constants, without copying weights ------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "Texts.h"

#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/PackedElements.h"
#include "onnxc/runtime.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace onnxc;

ElementsAttr onnxc::getStored(ElementsAttr elements) {
  ShapedType type = elements.getShapedType();
  auto stored = type.clone(getStorageType(type.getElementType()));
  if (stored == type)
    return elements;
  if (auto dense = dyn_cast<DenseElementsAttr>(elements))
    return dense.empty() ? DenseElementsAttr::get(stored, ArrayRef<Attribute>())
                         : DenseElementsAttr::getFromRawBuffer(
                               stored, dense.getRawData());
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements))
    return DenseResourceElementsAttr::get(
        stored, unpackResource(resource).getRawHandle());
  return {};
}

static LogicalResult lowerConstant(ConstantOp op, ConstantOp::Adaptor,
                                   Lowering &l) {
  RankedTensorType type = l.resultType();
  Type element = type.getElementType();
  ElementsAttr value;
  if (l.resultDtype() == ONNXC_STRING) {
    if (!matchPattern(op.getResult(), m_Constant(&value)))
      return l.fail("a constant of this form");
    return lowerTextConstant(l, value);
  }
  if (std::optional<ElementsAttr> given = op.getValue()) {
    value = getStored(*given);
  } else if (std::optional<int64_t> given = op.getValueInt()) {
    value = DenseElementsAttr::get(RankedTensorType::get({}, element), *given);
  } else if (std::optional<ArrayRef<int64_t>> given = op.getValueInts()) {
    value = DenseElementsAttr::get(
        RankedTensorType::get(given->size(), element), *given);
  } else if (std::optional<llvm::APFloat> given = op.getValueFloat()) {
    value = DenseElementsAttr::get(RankedTensorType::get({}, element), *given);
  } else if (std::optional<ArrayRef<float>> given = op.getValueFloats()) {
    value = DenseElementsAttr::get(
        RankedTensorType::get(given->size(), element), *given);
  }
  if (!value)
    return l.fail("a constant of this form");
  return l.replace(l.constant(cast<TypedAttr>(value)));
}

void onnxc::populateConstant(Lowerings &lowerings) {
  lowerings.add<ConstantOp>(lowerConstant);
}
