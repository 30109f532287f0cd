//===- FoldShapes.cpp - Constants for known shape computations ------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FoldShapes.h"

#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Dialect/ONNX/ShapeValues.h"
#include "onnxc/Infer/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace onnxc;

namespace onnxc {
#define GEN_PASS_DEF_FOLDSHAPES
#include "onnxc/Infer/Passes.h.inc"
} // namespace onnxc

bool onnxc::foldShapeComputation(Operation *op) {
  if (!isa<SchemaOpInterface>(op) || op->getNumResults() != 1 ||
      op->hasTrait<OpTrait::ConstantLike>())
    return false;
  DenseElementsAttr elements = getKnownElements(op->getResult(0));
  if (!elements)
    return false;
  OpBuilder builder(op);
  Operation *constant = op->getDialect()->materializeConstant(
      builder, elements, elements.getType(), op->getLoc());
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
