//===- SinkTransposes.cpp - Channels stay innermost -----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Select/Schedule.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"
#include "onnxc/Schedule/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace onnxc {
#define GEN_PASS_DEF_SINKTRANSPOSESPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {

/// Of this module's transposes, only those around kernels move.
bool sinks(linalg::TransposeOp op) { return op && op->hasAttr(program::sinks); }

linalg::TransposeOp getSinking(Value value) {
  auto op = value.getDefiningOp<linalg::TransposeOp>();
  return sinks(op) ? op : linalg::TransposeOp();
}

Value transpose(OpBuilder &b, Location loc, Value from,
                ArrayRef<int64_t> perm) {
  auto type = cast<RankedTensorType>(from.getType());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, from), to;
  for (int64_t dim : perm)
    to.push_back(sizes[dim]);
  Value init = tensor::EmptyOp::create(b, loc, to, type.getElementType());
  auto op = linalg::TransposeOp::create(b, loc, from, init, perm);
  op->setAttr(program::sinks, b.getUnitAttr());
  return op->getResult(0);
}

/// Dimension perm[i] of the input is dimension i of the result: what was at
/// place i of `values` moves to place perm[i].
template <typename T>
SmallVector<T> toInput(ArrayRef<T> values, ArrayRef<int64_t> perm) {
  SmallVector<T> moved(values);
  for (auto [i, dim] : llvm::enumerate(perm))
    moved[dim] = values[i];
  return moved;
}

/// Two in a row are one, or none.
class JoinTransposes : public OpRewritePattern<linalg::TransposeOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::TransposeOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(op, "works on buffers");
    linalg::TransposeOp before = getSinking(op.getInput());
    if (!before)
      return rewriter.notifyMatchFailure(op, "not of a transpose that sinks");
    SmallVector<int64_t> perm;
    for (int64_t dim : op.getPermutation())
      perm.push_back(before.getPermutation()[dim]);
    if (llvm::equal(perm, llvm::seq<int64_t>(0, perm.size())))
      rewriter.replaceOp(op, before.getInput());
    else
      rewriter.replaceOp(
          op, transpose(rewriter, op.getLoc(), before.getInput(), perm));
    return success();
  }
};

/// pad(transpose(x)) -> transpose(pad(x))
class SinkBelowPad : public OpRewritePattern<tensor::PadOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::PadOp op,
                                PatternRewriter &rewriter) const override {
    linalg::TransposeOp before = getSinking(op.getSource());
    Value value = op.getConstantPaddingValue();
    if (!before || !value)
      return rewriter.notifyMatchFailure(
          op, "no constant around what is transposed");
    ArrayRef<int64_t> perm = before.getPermutation();
    Value padded = tensor::PadOp::create(
        rewriter, op.getLoc(), Type(), before.getInput(),
        toInput<OpFoldResult>(op.getMixedLowPad(), perm),
        toInput<OpFoldResult>(op.getMixedHighPad(), perm), value);
    Value result = transpose(rewriter, op.getLoc(), padded, perm);
    if (result.getType() != op.getType())
      result =
          tensor::CastOp::create(rewriter, op.getLoc(), op.getType(), result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// generic(transpose(x)) -> transpose(generic(x)): its maps change, and what it
/// computes is laid out as x is.
class SinkBelowGeneric : public OpRewritePattern<linalg::GenericOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override;
};

/// The results of the map in the order of the dimensions of a transpose's
/// input.
AffineMap toInput(AffineMap map, ArrayRef<int64_t> perm) {
  return AffineMap::get(map.getNumDims(), 0,
                        toInput<AffineExpr>(map.getResults(), perm),
                        map.getContext());
}

/// Whether the operand has the dimensions of the result, in the same order:
/// then the result can be laid out as the operand is. `place` is the result's
/// map.
bool leads(AffineMap map, AffineMap place) {
  return map.getNumResults() == place.getNumResults() &&
         place.isProjectedPermutation() &&
         llvm::all_of(llvm::zip(map.getResults(), place.getResults()),
                      [](auto pair) {
                        auto [read, written] = pair;
                        return read.isFunctionOfDim(
                            cast<AffineDimExpr>(written).getPosition());
                      });
}

/// The operands of an op without its transposes: the inputs, and the maps of
/// the inputs.
struct Operands {
  explicit Operands(linalg::GenericOp op) {
    for (OpOperand *operand : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(operand);
      Value value = operand->get();
      if (linalg::TransposeOp before = getSinking(value)) {
        map = toInput(map, before.getPermutation());
        value = before.getInput();
      }
      inputs.push_back(value);
      maps.push_back(map);
    }
  }

  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
};

/// An empty or filled tensor like `init`, of which the op reads nothing but the
/// value that it is filled with, laid out as the transpose's input is.
Value makeInit(OpBuilder &b, Location loc, Value init, ArrayRef<int64_t> perm) {
  SmallVector<OpFoldResult> sizes =
      toInput<OpFoldResult>(tensor::getMixedSizes(b, loc, init), perm);
  Value to = tensor::EmptyOp::create(b, loc, sizes,
                                     getElementTypeOrSelf(init.getType()));
  if (auto fill = init.getDefiningOp<linalg::FillOp>())
    to = linalg::FillOp::create(b, loc, fill.getInputs()[0], to).getResult(0);
  return to;
}

/// The op with its loops in the order of the result's dimensions, `place`,
/// reductions behind.
linalg::GenericOp orderLoops(RewriterBase &rewriter, linalg::GenericOp op,
                             AffineMap place) {
  SmallVector<unsigned> order;
  for (AffineExpr expr : place.getResults())
    order.push_back(cast<AffineDimExpr>(expr).getPosition());
  for (unsigned d = 0; d < op.getNumLoops(); ++d)
    if (!llvm::is_contained(order, d))
      order.push_back(d);
  FailureOr<linalg::GenericOp> ordered =
      linalg::interchangeGenericOp(rewriter, op, order);
  return succeeded(ordered) ? *ordered : op;
}

LogicalResult
SinkBelowGeneric::matchAndRewrite(linalg::GenericOp op,
                                  PatternRewriter &rewriter) const {
  auto refuse = [&](const char *why) {
    return rewriter.notifyMatchFailure(op, why);
  };
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op.hasIndexSemantics())
    return refuse("no op on tensors with one result");
  OpOperand *init = op.getDpsInitOperand(0);
  AffineMap place = op.getMatchingIndexingMap(init);
  bool isTransposed = false;
  linalg::TransposeOp leading;
  for (OpOperand *operand : op.getDpsInputOperands())
    if (linalg::TransposeOp before = getSinking(operand->get())) {
      isTransposed = true;
      if (!leading && leads(op.getMatchingIndexingMap(operand), place))
        leading = before;
    }
  if (!isTransposed)
    return refuse("no input is transposed");

  // The result is laid out alike if it has the same dimensions.
  Location loc = op.getLoc();
  auto [inputs, maps] = Operands(op);
  bool moves = leading && (init->get().getDefiningOp<linalg::FillOp>() ||
                           !op.payloadUsesValueFromOperand(init));
  ArrayRef<int64_t> perm;
  Value to = init->get();
  if (moves) {
    perm = leading.getPermutation();
    to = makeInit(rewriter, loc, to, perm);
    place = toInput(place, perm);
  }
  maps.push_back(place);
  auto moved = linalg::GenericOp::create(rewriter, loc, to.getType(), inputs,
                                         to, maps, op.getIteratorTypesArray());
  rewriter.inlineRegionBefore(op.getRegion(), moved.getRegion(),
                              moved.getRegion().begin());
  if (moves)
    moved = orderLoops(rewriter, moved, place);
  Value result = moved.getResult(0);
  if (moves)
    result = transpose(rewriter, loc, result, perm);
  if (result.getType() != op->getResult(0).getType())
    result = tensor::CastOp::create(rewriter, loc, op->getResult(0).getType(),
                                    result);
  rewriter.replaceOp(op, result);
  return success();
}

/// Transposes that are inserted side by side into an empty tensor are one of
/// what the same insertions make of their inputs. A few inputs that are not
/// transposed become so.
class SinkBelowInsertions : public OpRewritePattern<tensor::InsertSliceOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::InsertSliceOp last,
                                PatternRewriter &rewriter) const override {
    for (OpOperand &use : last->getUses())
      if (auto next = dyn_cast<tensor::InsertSliceOp>(use.getOwner());
          next && &use == &next.getDestMutable())
        return rewriter.notifyMatchFailure(last, "not the last insertion");
    SmallVector<tensor::InsertSliceOp> insertions;
    linalg::TransposeOp leading;
    size_t numTransposed = 0;
    Value to = last.getResult();
    while (auto op = to.getDefiningOp<tensor::InsertSliceOp>()) {
      if ((op != last && !op->hasOneUse()) || !op.hasUnitStride() ||
          op.getSourceType().getRank() != op.getDestType().getRank())
        return rewriter.notifyMatchFailure(op, "inserts no part as it is");
      if (linalg::TransposeOp before = getSinking(op.getSource())) {
        if (!leading)
          leading = before;
        numTransposed += before.getPermutation() == leading.getPermutation();
      }
      insertions.push_back(op);
      to = op.getDest();
    }
    if (!leading || !to.getDefiningOp<tensor::EmptyOp>())
      return rewriter.notifyMatchFailure(last, "no transposes into an empty");
    if (numTransposed * 2 < insertions.size())
      return rewriter.notifyMatchFailure(last, "most are not transposed alike");

    ArrayRef<int64_t> perm = leading.getPermutation();
    SmallVector<int64_t> inverse = invertPermutationVector(perm);
    Value moved = makeInit(rewriter, last.getLoc(), to, perm);
    for (tensor::InsertSliceOp op : llvm::reverse(insertions)) {
      linalg::TransposeOp before = getSinking(op.getSource());
      Value part;
      if (before && before.getPermutation() == perm) {
        part = before.getInput();
      } else {
        // It stays where it is, or would be moved to and fro.
        part = transpose(rewriter, op.getLoc(), op.getSource(), inverse);
        part.getDefiningOp()->removeAttr(program::sinks);
      }
      moved = tensor::InsertSliceOp::create(
          rewriter, op.getLoc(), part, moved,
          toInput<OpFoldResult>(op.getMixedOffsets(), perm),
          toInput<OpFoldResult>(op.getMixedSizes(), perm),
          op.getMixedStrides());
    }
    Value result = transpose(rewriter, last.getLoc(), moved, perm);
    if (result.getType() != last.getType())
      result = tensor::CastOp::create(rewriter, last.getLoc(), last.getType(),
                                      result);
    rewriter.replaceOp(last, result);
    return success();
  }
};

class SinkTransposes
    : public onnxc::impl::SinkTransposesPassBase<SinkTransposes> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<linalg::LinalgDialect, tensor::TensorDialect>();
  }
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<JoinTransposes, SinkBelowPad, SinkBelowGeneric,
                 SinkBelowInsertions>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
    getOperation().walk(
        [](linalg::TransposeOp op) { op->removeAttr(program::sinks); });
  }
};

} // namespace
