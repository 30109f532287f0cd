//===- SpecializeLengths.cpp - One form per length of a shape operand -----===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lengths.h"

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

namespace onnxc {
#define GEN_PASS_DEF_SPECIALIZELENGTHS
#include "onnxc/Infer/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

/// The dimension of an operand that may count values of a list, or indices of a
/// tuple: the last one, where it is not known.
static std::optional<unsigned> getUnknownCount(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getRank() == 0 || !type.getElementType().isInteger() ||
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

/// `function()` while `value` is of another type.
static bool checkWithType(Value value, Type type,
                          llvm::function_ref<bool()> function) {
  Type before = value.getType();
  value.setType(type);
  bool result = function();
  value.setType(before);
  return result;
}

static bool infersAllRanks(Operation *op) {
  SmallVector<Type> inferred;
  return succeeded(inferResultTypes(op, inferred, nullptr)) &&
         llvm::all_of(inferred, llvm::IsaAndPresentPred<RankedTensorType>);
}

namespace {
/// Finds out whether a rule reads the elements of a value.
class Watcher : public InferShapeBuilder {
public:
  Watcher(Operation *op, Value watched)
      : InferShapeBuilder(
            op->getContext(), op->getOperands(),
            std::max<unsigned>(
                cast<SchemaOpInterface>(op).getResultSpecs().size(),
                op->getNumResults()),
            nullptr),
        watched(watched) {}

  bool hasRead = false;

protected:
  Dim dynamicValue(Value value, int64_t index) override {
    hasRead |= value == watched;
    return InferShapeBuilder::dynamicValue(value, index);
  }

private:
  Value watched;
};
} // namespace

/// Whether the op's rule needs to know the count: it reads a list element by
/// element, or ranks follow from the count, or there must be none.
static bool asksForCount(Operation *op, Value value, unsigned dim) {
  bool isOpen = !infersAllRanks(op), mayHaveAny = false;
  for (int64_t count = 1; count <= maxLength; ++count) {
    auto asks = [&] {
      if (isOpen && infersAllRanks(op))
        return true;
      if (dim > 0)
        return false;
      Watcher watcher(op, value);
      mayHaveAny |= succeeded(cast<SchemaOpInterface>(op).applyShapeRule(
          watcher, op->getOperands()));
      return watcher.hasRead;
    };
    if (checkWithType(value, withCount(value, dim, count), asks))
      return true;
  }
  return dim == 0 && !mayHaveAny;
}

std::optional<OpenLength> onnxc::findOpenLength(OpOperand &operand) {
  std::optional<unsigned> dim = getUnknownCount(operand.get());
  if (!dim || !asksForCount(operand.getOwner(), operand.get(), *dim))
    return std::nullopt;
  return OpenLength{&operand, *dim};
}

bool OpenLength::canBe(int64_t count) const {
  Operation *op = operand->getOwner();
  Value value = operand->get();
  return checkWithType(value, withCount(value, dim, count), [&] {
    SmallVector<Type> inferred;
    return succeeded(inferResultTypes(op, inferred, nullptr)) &&
           llvm::all_of(llvm::zip_equal(inferred, op->getResultTypes()),
                        [](auto pair) {
                          auto [type, known] = pair;
                          return !type || areCompatibleTypes(type, known);
                        });
  });
}

void OpenLength::set(int64_t count) const {
  OpBuilder builder(operand->getOwner());
  operand->set(IdentityOp::create(builder, operand->getOwner()->getLoc(),
                                  withCount(operand->get(), dim, count),
                                  operand->get()));
}

static Value makeInteger(OpBuilder &b, Location loc, int64_t value) {
  auto type = RankedTensorType::get({}, b.getI64Type());
  return b.getContext()
      ->getLoadedDialect<ONNXDialect>()
      ->materializeConstant(b, DenseElementsAttr::get(type, value), type, loc)
      ->getResult(0);
}

Value onnxc::makeSize(OpBuilder &b, Location loc, Value tensor, int64_t dim) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  Value all =
      ShapeOp::create(b, loc, RankedTensorType::get({rank}, b.getI64Type()),
                      tensor, IntegerAttr(), b.getI64IntegerAttr(0));
  return GatherOp::create(b, loc, RankedTensorType::get({}, b.getI64Type()),
                          all, makeInteger(b, loc, dim),
                          b.getI64IntegerAttr(0));
}

Value onnxc::makeEqual(OpBuilder &b, Location loc, Value size, int64_t value) {
  return EqualOp::create(b, loc, RankedTensorType::get({}, b.getI1Type()), size,
                         makeInteger(b, loc, value));
}

SmallVector<Operation *> OpenLength::branch(ArrayRef<int64_t> counts) const {
  Operation *op = operand->getOwner();
  Location loc = op->getLoc();
  OpBuilder builder(op);
  Value count = makeSize(builder, loc, operand->get(), dim);
  SmallVector<Operation *> copies;
  auto emit = [&](int64_t length) {
    Operation *copy = builder.clone(*op);
    OpenLength{&copy->getOpOperand(operand->getOperandNumber()), dim}.set(
        length);
    copies.push_back(copy);
    return copy->getResults();
  };
  Operation *outer = nullptr;
  for (int64_t length : counts.drop_back()) {
    Value condition = makeEqual(builder, loc, count, length);
    auto choice = IfOp::create(builder, loc, op->getResultTypes(), condition);
    if (outer)
      YieldOp::create(builder, loc, choice.getResults());
    else
      outer = choice;
    builder.createBlock(&choice.getThenBranch());
    YieldOp::create(builder, loc, emit(length));
    builder.createBlock(&choice.getElseBranch());
  }
  YieldOp::create(builder, loc, emit(counts.back()));
  op->replaceAllUsesWith(outer->getResults());
  op->erase();
  return copies;
}

namespace {
class SpecializeLengths
    : public onnxc::impl::SpecializeLengthsBase<SpecializeLengths> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<SchemaOpInterface>(op) && op->getNumRegions() == 0)
        ops.push_back(op);
    });
    while (!ops.empty())
      specialize(ops.pop_back_val(), ops);
  }

  void specialize(Operation *op, SmallVectorImpl<Operation *> &ops) {
    if (!llvm::all_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
      return;
    for (OpOperand &operand : op->getOpOperands()) {
      std::optional<OpenLength> length = findOpenLength(operand);
      if (!length)
        continue;
      SmallVector<int64_t> counts;
      for (int64_t count = 0; count <= maxLength; ++count)
        if (length->canBe(count))
          counts.push_back(count);
      // All of them: nothing bounds the length.
      if (counts.empty() || counts.size() > maxLength)
        continue;
      if (counts.size() > 1)
        return ops.append(length->branch(counts));
      length->set(counts.front());
    }
  }
};
} // namespace
