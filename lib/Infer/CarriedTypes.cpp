//===- CarriedTypes.cpp - Types of what loops carry -----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CarriedTypes.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace onnxc;

Type onnxc::forgetSizes(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.clone(
        SmallVector<int64_t>(tensor.getRank(), ShapedType::kDynamic));
  if (auto sequence = dyn_cast<SeqType>(type))
    return SeqType::get(type.getContext(),
                        forgetSizes(sequence.getElementType()));
  if (auto optional = dyn_cast<OptType>(type))
    return OptType::get(type.getContext(),
                        forgetSizes(optional.getElementType()));
  return type;
}

bool onnxc::isList(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 1 && tensor.getElementType().isInteger();
}

Type onnxc::confirmCarriedType(Type declared, Type initial, Type yielded,
                               bool keepsShape) {
  auto type = dyn_cast<RankedTensorType>(declared);
  // The elements of a sequence come one by one.
  if (!type)
    return forgetSizes(declared);
  auto before = dyn_cast_or_null<RankedTensorType>(initial);
  auto after = dyn_cast_or_null<RankedTensorType>(yielded);
  for (RankedTensorType other : {before, after})
    if (other && other.getRank() != type.getRank())
      return UnrankedTensorType::get(type.getElementType());
  SmallVector<int64_t> shape(type.getShape());
  for (auto [dim, size] : llvm::enumerate(shape)) {
    auto agrees = [&, dim = dim, size = size](RankedTensorType other,
                                              bool ifOpen) {
      if (!other || other.isDynamicDim(dim))
        return ifOpen;
      return other.getDimSize(dim) == size;
    };
    if (!agrees(before, true) || !agrees(after, keepsShape))
      size = ShapedType::kDynamic;
  }
  return type.clone(shape);
}
