//===- SymbolicDims.cpp - Integers that are dims of tensors ---------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymbolicDims.h"

#include "Matching.h"

#include "onnxc/Dialect/ONNX/Conversion.h"
#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/Normalization.h"
#include "onnxc/Dialect/ONNX/OpFacts.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Dialect/ONNX/Shape.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// Longer chains are not followed: whoever asks asks at each of their ops.
static constexpr unsigned maxSteps = 64;

Value optimize::getShapeSource(Value tensor) {
  for (unsigned i = 0; i < maxSteps; ++i) {
    Operation *op = tensor.getDefiningOp();
    if (!op || op->getNumOperands() == 0 ||
        cast<OpResult>(tensor).getResultNumber() != 0 ||
        !isa<RankedTensorType>(op->getOperand(0).getType()))
      return tensor;
    bool keepsShape =
        (isa<ScalarOpInterface>(op) && op->getNumOperands() == 1) ||
        hasFact(op, OpFact::KeepsShape);
    if (!keepsShape)
      return tensor;
    tensor = op->getOperand(0);
  }
  return tensor;
}

SymbolicDim optimize::getSymbolicDim(Value tensor, int64_t axis) {
  SymbolicDim dim;
  dim.tensor = tensor;
  dim.axis = axis;
  for (unsigned i = 0; i < maxSteps; ++i) {
    if (std::optional<int64_t> known = getDim(dim.tensor, dim.axis)) {
      dim.known = known;
      return dim;
    }
    dim.tensor = getShapeSource(dim.tensor);
    auto transpose = dim.tensor.getDefiningOp<TransposeOp>();
    if (!transpose || !isa<RankedTensorType>(transpose.getData().getType()))
      break;
    int64_t rank = *getRank(transpose.getData());
    if (auto perm = transpose.getPerm()) {
      if (dim.axis >= static_cast<int64_t>(perm->size()))
        break;
      dim.axis = (*perm)[dim.axis];
    } else {
      dim.axis = rank - 1 - dim.axis;
    }
    dim.tensor = transpose.getData();
  }
  dim.known = getDim(dim.tensor, dim.axis);
  auto argument = dyn_cast<BlockArgument>(dim.tensor);
  auto func = argument
                  ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())
                  : func::FuncOp();
  if (!func || !func->hasAttr(model::entry))
    return dim;
  auto names = func.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                model::dimParams);
  if (names && dim.axis < static_cast<int64_t>(names.size()))
    if (auto name = dyn_cast<StringAttr>(names[dim.axis]);
        name && !name.empty())
      dim.symbol = name;
  return dim;
}

namespace {
/// Reads elements one by one.
class Reader {
public:
  SymbolicDim read(Value value, int64_t index) {
    if (std::optional<int64_t> known = readConstant(value, index)) {
      SymbolicDim dim;
      dim.known = known;
      return dim;
    }
    Operation *op = value.getDefiningOp();
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!op || !type || type.getRank() > 1 || ++steps > maxSteps)
      return {};
    if (auto shape = dyn_cast<ShapeOp>(op))
      return readShape(shape, index);
    if (auto gather = dyn_cast<GatherOp>(op))
      return readGather(gather, index);
    if (auto concat = dyn_cast<ConcatOp>(op))
      return readConcat(concat, index);
    if (auto slice = dyn_cast<SliceOp>(op))
      return readSlice(slice, index);
    // These move no element of a tensor of rank 0 or 1.
    if (hasFact(op, OpFact::Reshapes) || isa<IdentityOp>(op) ||
        (isa<CastOp>(op) && getElementType(value) &&
         getElementType(value).isInteger(64) &&
         getElementType(op->getOperand(0)) == getElementType(value)))
      return read(op->getOperand(0), index);
    return {};
  }

private:
  static std::optional<int64_t> readConstant(Value value, int64_t index) {
    std::optional<SmallVector<int64_t>> list = getIntegers(value, 64);
    if (!list || index >= static_cast<int64_t>(list->size()))
      return std::nullopt;
    return (*list)[index];
  }

  static std::optional<int64_t> getLength(Value value) {
    RankedTensorType type = getStaticType(value);
    return type && type.getRank() <= 1 ? std::optional(type.getNumElements())
                                       : std::nullopt;
  }

  static SymbolicDim readShape(ShapeOp op, int64_t index) {
    std::optional<int64_t> rank = getRank(op.getData());
    if (!rank)
      return {};
    int64_t start = op.getStart();
    if (start < 0)
      start += *rank;
    start = std::clamp<int64_t>(start, 0, *rank);
    if (start + index >= *rank)
      return {};
    return getSymbolicDim(op.getData(), start + index);
  }

  SymbolicDim readGather(GatherOp op, int64_t index) {
    std::optional<int64_t> length = getLength(op.getData());
    std::optional<int64_t> which = readConstant(op.getIndices(), index);
    if (!length || !which || getRank(op.getData()) != 1)
      return {};
    int64_t at = *which < 0 ? *which + *length : *which;
    return at >= 0 && at < *length ? read(op.getData(), at) : SymbolicDim();
  }

  SymbolicDim readConcat(ConcatOp op, int64_t index) {
    for (Value part : op.getInputs()) {
      std::optional<int64_t> length = getLength(part);
      if (!length)
        return {};
      if (index < *length)
        return read(part, index);
      index -= *length;
    }
    return {};
  }

  SymbolicDim readSlice(SliceOp op, int64_t index) {
    std::optional<int64_t> length = getLength(op.getData());
    std::optional<int64_t> start = getInteger(op.getStarts());
    bool isForward = !op.getSteps() || getInteger(op.getSteps()) == 1;
    if (!length || !start || !isForward)
      return {};
    if (*start < 0)
      *start += *length;
    int64_t at = std::clamp<int64_t>(*start, 0, *length) + index;
    return at < *length ? read(op.getData(), at) : SymbolicDim();
  }

  unsigned steps = 0;
};
} // namespace

std::optional<SmallVector<SymbolicDim>>
optimize::getSymbolicElements(Value value) {
  RankedTensorType type = value ? getStaticType(value) : RankedTensorType();
  if (!type || type.getRank() != 1 || type.getNumElements() > 32 ||
      !type.getElementType().isInteger(64))
    return std::nullopt;
  SmallVector<SymbolicDim> elements;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    elements.push_back(Reader().read(value, i));
  return elements;
}
