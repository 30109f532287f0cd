//===- WindowLoops.cpp - Convolutions, as any op --------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WindowLoops.h"
#include "Select/Schedule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace onnxc;

static bool isMultiplyAdd(Block &body) {
  Operation *add = body.getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(add) ||
      body.getNumArguments() != 3 || body.getOperations().size() != 3)
    return false;
  Value sum = body.getArgument(2), left = add->getOperand(0),
        right = add->getOperand(1);
  Operation *product = (left == sum ? right : left).getDefiningOp();
  return (left == sum || right == sum) &&
         isa_and_nonnull<arith::MulFOp, arith::MulIOp>(product) &&
         product->getOperand(0) == body.getArgument(0) &&
         product->getOperand(1) == body.getArgument(1);
}

/// Whether a reshape has to do with dimension 1 of the smaller tensor alone.
template <typename Op>
static bool splitsChannels(Op reshape, int64_t splitRank) {
  SmallVector<ReassociationIndices> parts = reshape.getReassociationIndices();
  return int64_t(parts.size()) == splitRank - 1 && parts.size() >= 2 &&
         parts[1] == ReassociationIndices{1, 2};
}

/// The tensor that `split` has the groups of a dimension apart of.
static Value joinGroups(Value split) {
  auto expand = split.getDefiningOp<tensor::ExpandShapeOp>();
  // Sizes that are not known may have been split by way of a flat tensor.
  return expand && splitsChannels(expand, expand.getResultType().getRank())
             ? expand.getSrc()
             : Value();
}

static std::optional<WindowLoops> matchNamed(linalg::LinalgOp op) {
  WindowLoops found;
  auto read = [&](auto named) {
    found.strides =
        llvm::to_vector(named.getStrides().template getValues<int64_t>());
    found.dilations =
        llvm::to_vector(named.getDilations().template getValues<int64_t>());
    return true;
  };
  found.isDepthwise = llvm::TypeSwitch<Operation *, bool>(op)
                          .Case<linalg::DepthwiseConv1DNcwCwOp,
                                linalg::DepthwiseConv2DNchwChwOp,
                                linalg::DepthwiseConv3DNcdhwCdhwOp>(read)
                          .Default(false);
  bool isKnown =
      found.isDepthwise ||
      llvm::TypeSwitch<Operation *, bool>(op)
          .Case<linalg::Conv1DNcwFcwOp, linalg::Conv2DNchwFchwOp>(read)
          .Default(false);
  if (!isKnown)
    return std::nullopt;
  found.image = op.getDpsInputs()[0];
  found.filter = op.getDpsInputs()[1];
  found.init = op.getDpsInits()[0];
  found.result = op;
  return found;
}

static std::optional<WindowLoops> matchGeneric(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      !isMultiplyAdd(*op.getBlock()))
    return std::nullopt;
  int64_t loops = op.getNumLoops(),
          rank = cast<ShapedType>(op->getResult(0).getType()).getRank(),
          spatial = loops - rank - 1, lead = rank - spatial;
  if (spatial < 1 || spatial > 3 || (lead != 2 && lead != 3) ||
      int64_t(op.getNumReductionLoops()) != 1 + spatial)
    return std::nullopt;
  WindowLoops found;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  auto d = [&](int64_t i) { return getAffineDimExpr(i, op.getContext()); };
  SmallVector<AffineExpr> ws, ys;
  if (lead == 3)
    ws.push_back(d(1));
  ws.append({d(lead - 1), d(rank)});
  for (int64_t i = 0; i < spatial; ++i)
    ws.push_back(d(rank + 1 + i));
  for (int64_t i = 0; i < rank; ++i)
    ys.push_back(d(i));
  AffineMap x = maps[0];
  if (llvm::to_vector(maps[1].getResults()) != ws ||
      llvm::to_vector(maps[2].getResults()) != ys ||
      int64_t(x.getNumResults()) != rank || x.getResult(0) != d(0) ||
      (lead == 3 && x.getResult(1) != d(1)) || x.getResult(lead - 1) != d(rank))
    return std::nullopt;
  for (int64_t i = 0; i < spatial; ++i) {
    auto c = linearCoefficients(x.getResult(lead + i), loops);
    if (!c || c->back() != 0)
      return std::nullopt;
    int64_t &stride = (*c)[lead + i], &dilation = (*c)[rank + 1 + i];
    found.strides.push_back(std::exchange(stride, 0));
    found.dilations.push_back(std::exchange(dilation, 0));
    if (found.strides.back() < 1 || found.dilations.back() < 1 ||
        llvm::any_of(*c, [](int64_t other) { return other != 0; }))
      return std::nullopt;
  }
  found.image = op.getDpsInputs()[0];
  found.filter = op.getDpsInputs()[1];
  found.init = op.getDpsInits()[0];
  found.result = op;
  if (lead == 2)
    return found;
  // Channels are split by group before, and joined behind.
  auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  auto join = op->hasOneUse()
                  ? dyn_cast<tensor::CollapseShapeOp>(*op->user_begin())
                  : tensor::CollapseShapeOp();
  auto type = cast<ShapedType>(op.getDpsInputs()[1].getType());
  found.image = joinGroups(op.getDpsInputs()[0]);
  found.init =
      fill ? Value(fill.getResult(0)) : joinGroups(op.getDpsInits()[0]);
  if (!found.image || !found.init || !join || !type.hasStaticShape() ||
      !splitsChannels(join, rank))
    return std::nullopt;
  found.group = type.getDimSize(0);
  found.result = join;
  return found;
}

std::optional<WindowLoops> onnxc::matchWindowLoops(linalg::LinalgOp op) {
  if (auto generic = dyn_cast<linalg::GenericOp>(*op))
    return matchGeneric(generic);
  return matchNamed(op);
}

Value onnxc::getRepeatedByChannel(Value init) {
  auto generic = init.getDefiningOp<linalg::GenericOp>();
  if (!generic || generic.getNumDpsInputs() != 1 ||
      generic.getNumDpsInits() != 1)
    return {};
  SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
  AffineMap byChannel = AffineMap::get(
      maps[1].getNumDims(), 0, getAffineDimExpr(1, generic.getContext()));
  Value yielded = generic.getBlock()->getTerminator()->getOperand(0);
  if (auto extend = yielded.getDefiningOp<arith::ExtFOp>())
    yielded = extend.getIn();
  return maps[0] == byChannel && maps[1].isIdentity() &&
                 yielded == generic.getBlock()->getArgument(0)
             ? generic.getDpsInputs()[0]
             : Value();
}
