//===- ValueTypes.cpp - What the type of a value tells --------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/ONNX/ValueTypes.h"

using namespace mlir;
using namespace onnxc;

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

std::optional<int64_t> onnxc::getDim(Value value, int64_t axis) {
  std::optional<ArrayRef<int64_t>> shape = getShape(value);
  if (!shape)
    return std::nullopt;
  int64_t rank = shape->size(), index = axis < 0 ? axis + rank : axis;
  if (index < 0 || index >= rank || ShapedType::isDynamic((*shape)[index]))
    return std::nullopt;
  return (*shape)[index];
}
