//===- FoldShapes.cpp - Constants for known shape computations -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FoldShapes.h"

#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Infer/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace onnxc;

namespace onnxc {
#define GEN_PASS_DEF_FOLDSHAPES
#include "onnxc/Infer/Passes.h.inc"
} // namespace onnxc

/// Every element of `value` as an integer of its element type; nullopt if one
/// is not known or does not fit.
static std::optional<llvm::SmallVector<llvm::APInt>>
getKnownElements(Value value, IntegerType elementType) {
  InferShapeBuilder builder(value.getContext(), {}, 0, nullptr);
  std::optional<llvm::SmallVector<int64_t>> integers = builder.constants(value);
  if (!integers)
    return std::nullopt;
  unsigned width = elementType.getWidth();
  bool isUnsigned = elementType.isUnsigned() || width == 1;
  llvm::SmallVector<llvm::APInt> elements;
  for (int64_t integer : *integers) {
    if (width < 64 && (isUnsigned ? !llvm::isUIntN(width, integer)
                                  : !llvm::isIntN(width, integer)))
      return std::nullopt;
    if (width == 64 && isUnsigned && integer < 0)
      return std::nullopt;
    elements.emplace_back(width, static_cast<uint64_t>(integer), !isUnsigned);
  }
  return elements;
}

bool onnxc::foldShapeComputation(Operation *op) {
  if (!isa<SchemaOpInterface>(op) || op->getNumResults() != 1 ||
      op->hasTrait<OpTrait::ConstantLike>())
    return false;
  Value result = op->getResult(0);
  auto type = dyn_cast<RankedTensorType>(result.getType());
  if (!type || !type.hasStaticShape() || type.getRank() > 1)
    return false;
  auto elementType = dyn_cast<IntegerType>(type.getElementType());
  if (!elementType)
    return false;
  auto elements = getKnownElements(result, elementType);
  if (!elements)
    return false;
  OpBuilder builder(op);
  Operation *constant = op->getDialect()->materializeConstant(
      builder, DenseElementsAttr::get(type, *elements), type, op->getLoc());
  if (!constant)
    return false;
  op->replaceAllUsesWith(constant);
  op->erase();
  return true;
}

namespace {
struct FoldShapes : onnxc::impl::FoldShapesBase<FoldShapes> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) { foldShapeComputation(op); });
  }
};
} // namespace
