//===- SpecializeLengths.cpp - One form per length of a shape operand -----===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Infer/Passes.h"

#include "onnxc/Dialect/ONNX/ControlFlow.h"
#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/Logic.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Dialect/ONNX/Shape.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSwitch.h"

namespace onnxc {
#define GEN_PASS_DEF_SPECIALIZELENGTHS
#include "onnxc/Infer/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

/// Lengths beyond this one are not tried: there is one for each dimension of a
/// tensor, or two (pads).
static constexpr int64_t maxLength = 16;

/// The operands whose values decide on the result's dims, one by one.
static ArrayRef<unsigned> getShapeOperands(Operation *op) {
  static constexpr unsigned first[] = {0}, second[] = {1}, third[] = {2},
                            pads[] = {1, 3}, slice[] = {1, 2, 3, 4},
                            resize[] = {1, 2, 3}, image[] = {1, 2};
  StringRef name = op->getName().stripDialect();
  if (name.starts_with("Reduce"))
    return second;
  return llvm::StringSwitch<ArrayRef<unsigned>>(name)
      .Case("ConstantOfShape", first)
      .Cases({"AffineGrid", "CenterCropPad", "Expand", "GatherND", "Reshape",
              "Split", "Squeeze", "Tile", "Unsqueeze"},
             second)
      .Case("MaxUnpool", third)
      .Case("Pad", pads)
      .Case("Slice", slice)
      .Case("Resize", resize)
      .Case("Col2Im", image)
      .Default({});
}

/// The place of an operand in the operator's signature, which absent ones have
/// too.
static unsigned getFormalOperand(Operation *op, unsigned index) {
  unsigned formal = 0;
  for (int count : getOperandSegments(op)) {
    if (index < static_cast<unsigned>(count))
      break;
    index -= count;
    ++formal;
  }
  return formal;
}

/// The dimension of a shape operand that counts values: of tuples the last one,
/// of lists the only one.
static std::optional<unsigned> getUnknownCount(OpOperand &operand) {
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  if (!type || type.getRank() == 0 ||
      (type.getRank() != 1 && !isa<GatherNDOp>(operand.getOwner())) ||
      !type.isDynamicDim(type.getRank() - 1))
    return std::nullopt;
  return type.getRank() - 1;
}

static Type withCount(Value value, unsigned dim, int64_t count) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = count;
  return type.clone(shape);
}

/// Whether the op's rule holds, and agrees with what is known of the results,
/// if the operand has `count` values.
static bool canCount(OpOperand &operand, unsigned dim, int64_t count) {
  Operation *op = operand.getOwner();
  Value value = operand.get();
  Type type = value.getType();
  value.setType(withCount(value, dim, count));
  SmallVector<Type> inferred;
  bool holds = succeeded(inferResultTypes(op, inferred, nullptr)) &&
               llvm::all_of(llvm::zip_equal(inferred, op->getResultTypes()),
                            [](auto pair) {
                              auto [type, known] = pair;
                              return !type || areCompatibleTypes(type, known);
                            });
  value.setType(type);
  return holds;
}

namespace {
class SpecializeLengths
    : public onnxc::impl::SpecializeLengthsBase<SpecializeLengths> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (!getShapeOperands(op).empty())
        ops.push_back(op);
    });
    while (!ops.empty())
      specialize(ops.pop_back_val(), ops);
  }

  void specialize(Operation *op, SmallVectorImpl<Operation *> &ops);
  void branch(OpOperand &operand, unsigned dim, ArrayRef<int64_t> counts,
              SmallVectorImpl<Operation *> &ops);
};
} // namespace

/// States the operand's count; what computes it checks that when run.
static void setCount(OpOperand &operand, unsigned dim, int64_t count) {
  OpBuilder builder(operand.getOwner());
  operand.set(IdentityOp::create(builder, operand.getOwner()->getLoc(),
                                 withCount(operand.get(), dim, count),
                                 operand.get()));
}

void SpecializeLengths::specialize(Operation *op,
                                   SmallVectorImpl<Operation *> &ops) {
  if (!llvm::all_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
    return;
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned formal = getFormalOperand(op, operand.getOperandNumber());
    if (!llvm::is_contained(getShapeOperands(op), formal))
      continue;
    std::optional<unsigned> dim = getUnknownCount(operand);
    if (!dim)
      continue;
    SmallVector<int64_t> counts;
    for (int64_t count = 0; count <= maxLength; ++count)
      if (canCount(operand, *dim, count))
        counts.push_back(count);
    // All of them: nothing bounds the length.
    if (counts.empty() || counts.size() > maxLength)
      continue;
    if (counts.size() > 1)
      return branch(operand, *dim, counts, ops);
    setCount(operand, *dim, counts.front());
  }
}

/// The op under an If for each count but the last.
void SpecializeLengths::branch(OpOperand &operand, unsigned dim,
                               ArrayRef<int64_t> counts,
                               SmallVectorImpl<Operation *> &ops) {
  Operation *op = operand.getOwner();
  Location loc = op->getLoc();
  OpBuilder builder(op);
  auto makeInts = [&](ArrayRef<int64_t> shape, int64_t value) -> Value {
    auto type = RankedTensorType::get(shape, builder.getI64Type());
    return getContext()
        .getLoadedDialect<ONNXDialect>()
        ->materializeConstant(builder, DenseElementsAttr::get(type, value),
                              type, loc)
        ->getResult(0);
  };
  Value all = ShapeOp::create(
      builder, loc,
      RankedTensorType::get({int64_t(dim) + 1}, builder.getI64Type()),
      operand.get(), IntegerAttr(), builder.getI64IntegerAttr(0));
  Value count = GatherOp::create(
      builder, loc, RankedTensorType::get({}, builder.getI64Type()), all,
      makeInts({}, dim), builder.getI64IntegerAttr(0));
  auto emit = [&](int64_t length) {
    Operation *copy = builder.clone(*op);
    setCount(copy->getOpOperand(operand.getOperandNumber()), dim, length);
    ops.push_back(copy);
    return copy;
  };
  Operation *outer = nullptr;
  for (int64_t length : counts.drop_back()) {
    Value condition = EqualOp::create(
        builder, loc, RankedTensorType::get({}, builder.getI1Type()), count,
        makeInts({}, length));
    auto choice = IfOp::create(builder, loc, op->getResultTypes(), condition);
    if (outer)
      YieldOp::create(builder, loc, choice.getResults());
    else
      outer = choice;
    builder.createBlock(&choice.getThenBranch());
    YieldOp::create(builder, loc, emit(length)->getResults());
    builder.createBlock(&choice.getElseBranch());
  }
  YieldOp::create(builder, loc, emit(counts.back())->getResults());
  op->replaceAllUsesWith(outer->getResults());
  op->erase();
}
