//===- Reshaping.cpp - Making reshapes and transposes ---------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reshaping.h"

#include "Matching.h"

#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Support/SaturatingInt.h"

#include <cstring>

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// From this opset on a Reshape can take a 0 as a size (allowzero).
static constexpr int64_t allowZeroVersion = 14;

std::optional<ReshapePlan> optimize::planReshape(SymbolicShapes &shapes,
                                                 Value data,
                                                 ArrayRef<SymbolicDim> dims,
                                                 Operation *at,
                                                 const RewriteOptions &options,
                                                 bool mayComputeBesideUnknown) {
  std::optional<int64_t> rank = getRank(data);
  if (!rank || !canHoldShape(at, options))
    return std::nullopt;
  ReshapePlan plan;
  int copied = 0, computed = 0, zeros = 0;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (std::optional<int64_t> known = dim.getKnown()) {
      if (*known < 0)
        return std::nullopt;
      zeros += *known == 0;
      plan.shape.push_back(*known);
      continue;
    }
    int64_t index = i;
    bool stays =
        index < *rank && shapes.isSame(shapes.getDim(data, index), dim);
    (stays ? copied : computed) += 1;
    plan.shape.push_back(stays ? 0 : -1);
  }
  if (computed > 1 || (computed && zeros))
    return std::nullopt;
  if (computed && copied && !mayComputeBesideUnknown)
    return std::nullopt;
  if (!zeros)
    return plan;
  // A zero is copied where the data have it at its place, and where the other
  // dims hold as many elements, so that none need be counted.
  SaturatingInt has = 1, wants = 1;
  for (int64_t i = 0; i < *rank; ++i)
    has *= std::max<int64_t>(getDim(data, i).value_or(1), 1);
  bool allInPlace = true;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    int64_t index = i;
    wants *= std::max<int64_t>(dim.getKnown().value_or(1), 1);
    allInPlace &= !dim.is(0) || (index < *rank && getDim(data, index) == 0);
  }
  allInPlace &= has == wants;
  if (allInPlace)
    return plan;
  if (copied || !isAvailable(allowZeroVersion, at, options))
    return std::nullopt;
  plan.allowZero = true;
  return plan;
}

Value optimize::makeReshape(PatternRewriter &rewriter, Operation *root,
                            Location loc, Value data, const ReshapePlan &plan,
                            RankedTensorType type) {
  ElementsAttr constant = getConstant(data);
  if (constant && type.hasStaticShape() && Elements::get(constant))
    if (ElementsAttr reshaped = reshapeElements(constant, type.getShape()))
      return makeConstant(rewriter, root, reshaped, "reshaped");
  Value shape = makeConstant(
      rewriter, root, makeIntegers(rewriter.getContext(), plan.shape), "shape");
  return ReshapeOp::create(rewriter, loc, type, data, shape,
                           plan.allowZero ? rewriter.getI64IntegerAttr(1)
                                          : IntegerAttr());
}

RankedTensorType optimize::permuteType(RankedTensorType type,
                                       ArrayRef<int64_t> perm) {
  SmallVector<int64_t> shape;
  for (int64_t axis : perm)
    shape.push_back(type.getDimSize(axis));
  return RankedTensorType::get(shape, type.getElementType());
}

bool optimize::saysSize(ReshapeOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getData().getType());
  Operation *data = op.getData().getDefiningOp();
  if (!type || (data && !isa<ExpandOp, SliceOp>(data)) || !op.getAllowzero() ||
      isConstant(op.getShape()) || getRank(op.getReshaped()) != type.getRank())
    return false;
  SymbolicShapes shapes;
  return llvm::any_of(llvm::seq<int64_t>(0, type.getRank()), [&](int64_t i) {
    return type.isDynamicDim(i) &&
           !shapes.isSame(shapes.getElement(op.getShape(), i),
                          shapes.getDim(op.getData(), i));
  });
}

Value optimize::makeTranspose(PatternRewriter &rewriter, Location loc,
                              Value data, ArrayRef<int64_t> perm) {
  auto type = cast<RankedTensorType>(data.getType());
  return TransposeOp::create(rewriter, loc, permuteType(type, perm), data,
                             rewriter.getDenseI64ArrayAttr(perm));
}

ElementsAttr optimize::transposeElements(ElementsAttr constant,
                                         ArrayRef<int64_t> perm) {
  std::optional<Elements> elements = Elements::get(constant);
  if (!elements)
    return {};
  RankedTensorType type = permuteType(elements->getType(), perm);
  if (elements->isSplat())
    if (auto dense = dyn_cast<DenseElementsAttr>(constant))
      return dense.reshape(type);
  unsigned width = elements->getElementBytes();
  int64_t rank = perm.size();
  // Elements from one to the next along each dim of the result.
  SmallVector<int64_t> strides(rank, 1), steps;
  for (int64_t i = rank - 2; i >= 0; --i)
    // no overflow: the constant is in memory
    strides[i] = strides[i + 1] * elements->getType().getDimSize(i + 1);
  for (int64_t axis : perm)
    steps.push_back(strides[axis]);
  // no overflow: the constant is in memory
  std::vector<char> bytes(elements->size() * width);
  SmallVector<int64_t> place(rank, 0);
  int64_t from = 0;
  for (int64_t to = 0; to < elements->size(); ++to) {
    // no overflow: the constant is in memory
    std::memcpy(&bytes[to * width], elements->getBytes(from).data(), width);
    for (int64_t i = rank - 1; i >= 0; --i) {
      from += steps[i];
      if (++place[i] < type.getDimSize(i))
        break;
      // no overflow: the constant is in memory
      from -= steps[i] * place[i];
      place[i] = 0;
    }
  }
  return makeElements(type, bytes);
}
