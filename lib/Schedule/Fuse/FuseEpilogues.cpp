//===- FuseEpilogues.cpp - What is done to sums moves into kernels --------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels/Halves.h"
#include "Kernels/KernelForms.h"
#include "Kernels/Matmul/FormMatmuls.h"
#include "onnxc/Schedule/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace onnxc {
#define GEN_PASS_DEF_FUSEEPILOGUESPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using onnxc::kernel::KernelOpInterface;

namespace {

/// More live vectors than this behind every vector of sums would spill.
constexpr size_t kMaxExtras = 6;

/// generic(kernel(...), others...) -> kernel(..., others...)
class FuseEpilogue : public OpRewritePattern<linalg::GenericOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp consumer,
                                PatternRewriter &rewriter) const override;
};

/// The operand of `consumer` that is the result of a kernel without other uses.
OpOperand *findSums(linalg::GenericOp consumer) {
  for (OpOperand *operand : consumer.getDpsInputOperands())
    if (operand->get().getDefiningOp<KernelOpInterface>() &&
        operand->get().hasOneUse())
      return operand;
  return nullptr;
}

/// Whether `consumer` can be computed on each vector of sums of the kernel that
/// makes `sums`: it is elementwise, leaves each element at its place, and all
/// that it reads and does has a form on vectors. Says why if not.
bool isEpilogue(linalg::GenericOp consumer, OpOperand *sums, std::string &why) {
  auto refuse = [&](const char *reason) {
    why = reason;
    return false;
  };
  if (!consumer.hasPureTensorSemantics() || consumer.getNumDpsInits() != 1 ||
      consumer.getNumReductionLoops() != 0 || consumer.hasIndexSemantics())
    return refuse("no elementwise op on tensors with one result");
  if (!sums)
    return refuse("no input is the result of a kernel that it alone uses");
  OpOperand *init = consumer.getDpsInitOperand(0);
  if (consumer.payloadUsesValueFromOperand(init))
    return refuse("reads its destination");
  AffineMap place = consumer.getMatchingIndexingMap(init);
  if (!place.isIdentity() || consumer.getMatchingIndexingMap(sums) != place)
    return refuse("moves elements to other places");
  auto kernel = sums->get().getDefiningOp<KernelOpInterface>();
  if (cast<ShapedType>(sums->get().getType()).getShape() !=
      cast<ShapedType>(init->get().getType()).getShape())
    return refuse("sizes are not known to be equal");
  if (!hasVectorsInMemory(getElementTypeOrSelf(init->get()), why))
    return false;
  for (OpOperand *operand : consumer.getDpsInputOperands())
    if (operand != sums &&
        !canReadExtra(kernel, operand->get().getType(),
                      consumer.getMatchingIndexingMap(operand), why))
      return false;
  if (kernel.getExtras().size() + consumer.getNumDpsInputs() > kMaxExtras + 1)
    return refuse("too many operands");
  for (Operation &inner : consumer.getBlock()->without_terminator())
    if (!hasVectorForm(inner, why))
      return false;
  return true;
}

/// The kernel with the consumer's other inputs, results and destination; its
/// epilogue is empty.
KernelOpInterface makeFused(RewriterBase &rewriter, KernelOpInterface kernel,
                            linalg::GenericOp consumer, OpOperand *sums) {
  SmallVector<Value> extras;
  SmallVector<AffineMap> maps = kernel.getEpilogueAffineMaps();
  for (OpOperand *operand : consumer.getDpsInputOperands()) {
    if (operand == sums)
      continue;
    extras.push_back(operand->get());
    maps.push_back(consumer.getMatchingIndexingMap(operand));
  }
  // The kernel, which is replaced by the new one, takes them first: it knows
  // how its operands are grouped.
  rewriter.modifyOpInPlace(kernel, [&] {
    kernel.getExtrasMutable().append(extras);
    kernel.getInitMutable().assign(consumer.getDpsInitOperand(0)->get());
  });

  OperationState state(
      rewriter.getFusedLoc({kernel->getLoc(), consumer.getLoc()}),
      kernel->getName());
  state.addOperands(kernel->getOperands());
  state.addTypes(consumer->getResultTypes());
  state.addAttributes(kernel->getAttrs());
  state.propertiesAttr = kernel->getPropertiesAsAttribute();
  state.addRegion();
  auto fused = cast<KernelOpInterface>(rewriter.create(state));
  fused.setEpilogueMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  return fused;
}

/// Lets the epilogue in `block` yield what the consumer computes of what it has
/// yielded until now.
void appendBody(RewriterBase &rewriter, Block *block,
                linalg::GenericOp consumer, OpOperand *sums) {
  Operation *yield = block->getTerminator();
  Block *body = consumer.getBlock();
  IRMapping map;
  for (auto [argument, operand] :
       llvm::zip_equal(body->getArguments(), consumer->getOpOperands())) {
    if (&operand == sums)
      map.map(argument, yield->getOperand(0));
    else if (consumer.isDpsInput(&operand)) // the body does not read its init
      map.map(argument, block->addArgument(getElementTypeOrSelf(operand.get()),
                                           operand.get().getLoc()));
  }
  rewriter.setInsertionPoint(yield);
  for (Operation &inner : body->without_terminator())
    rewriter.clone(inner, map);
  Value result = map.lookupOrDefault(body->getTerminator()->getOperand(0));
  rewriter.modifyOpInPlace(yield, [&] { yield->setOperand(0, result); });
}

LogicalResult FuseEpilogue::matchAndRewrite(linalg::GenericOp consumer,
                                            PatternRewriter &rewriter) const {
  OpOperand *sums = findSums(consumer);
  std::string why;
  if (!isEpilogue(consumer, sums, why))
    return rewriter.notifyMatchFailure(consumer,
                                       [&](Diagnostic &note) { note << why; });

  // The kernel moves down to its user: what the user reads is defined there.
  rewriter.setInsertionPoint(consumer);
  auto kernel = sums->get().getDefiningOp<KernelOpInterface>();
  KernelOpInterface fused = makeFused(rewriter, kernel, consumer, sums);
  rewriter.inlineRegionBefore(kernel.getEpilogue(), fused.getEpilogue(),
                              fused.getEpilogue().end());
  appendBody(rewriter, &fused.getEpilogue().front(), consumer, sums);
  rewriter.replaceOp(consumer, fused->getResults());
  rewriter.eraseOp(kernel);
  return success();
}

//===----------------------------------------------------------------------===//
// Halves that are widened
//===----------------------------------------------------------------------===//

/// The argument in a body that stands for what `use` reads; null if the user
/// has no body for elements.
BlockArgument getArgumentOf(OpOperand &use) {
  Operation *user = use.getOwner();
  if (auto generic = dyn_cast<linalg::GenericOp>(user))
    return generic.hasPureTensorSemantics() && generic.isDpsInput(&use)
               ? generic.getMatchingBlockArgument(&use)
               : BlockArgument();
  auto kernel = dyn_cast<KernelOpInterface>(user);
  if (!kernel || kernel.getExtras().empty())
    return {};
  unsigned end = kernel.getInitMutable().getOperandNumber(),
           first = end - kernel.getExtras().size();
  unsigned number = use.getOperandNumber();
  if (number < first || number >= end)
    return {};
  return kernel.getEpilogue().front().getArgument(number - first + 1);
}

/// A kernel's result of halves that is widened for another kernel, and read by
/// others too -> the same numbers as float32. The others take them for what
/// they are; memory is written once instead of twice.
class WidenInEpilogue : public OpRewritePattern<linalg::GenericOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    auto extend = dyn_cast_if_present<arith::ExtFOp>(getFloatCast(op));
    if (!extend)
      return rewriter.notifyMatchFailure(op, "does more than to widen");
    Value half = op.getDpsInputs()[0];
    auto kernel = half.getDefiningOp<KernelOpInterface>();
    if (!kernel || half.hasOneUse())
      return rewriter.notifyMatchFailure(op, "widens no result of a kernel");
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    if (type.getShape() != cast<ShapedType>(half.getType()).getShape())
      return rewriter.notifyMatchFailure(op, "sizes are not known to be equal");
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : half.getUses()) {
      if (use.getOwner() == op)
        continue;
      if (!getArgumentOf(use) && !isa<tensor::DimOp>(use.getOwner()))
        return rewriter.notifyMatchFailure(op, "halves are needed elsewhere");
      uses.push_back(&use);
    }

    rewriter.setInsertionPoint(kernel);
    Location loc = kernel.getLoc();
    OpOperand &init = kernel.getInitMutable();
    Value wide = tensor::EmptyOp::create(
        rewriter, loc, tensor::getMixedSizes(rewriter, loc, init.get()),
        type.getElementType());
    Operation *yield = kernel.getEpilogue().front().getTerminator();
    OpBuilder::InsertPoint before = rewriter.saveInsertionPoint();
    rewriter.setInsertionPoint(yield);
    Value last = arith::ExtFOp::create(rewriter, extend.getLoc(),
                                       extend.getType(), yield->getOperand(0));
    rewriter.restoreInsertionPoint(before);
    rewriter.modifyOpInPlace(yield, [&] { yield->setOperand(0, last); });
    rewriter.modifyOpInPlace(kernel, [&] {
      init.set(wide);
      half.setType(wide.getType());
    });
    for (OpOperand *use : uses) {
      BlockArgument argument = getArgumentOf(*use);
      if (!argument)
        continue;
      Type narrow = argument.getType();
      rewriter.modifyOpInPlace(use->getOwner(), [&] {
        argument.setType(type.getElementType());
        rewriter.setInsertionPointToStart(argument.getOwner());
        auto round = arith::TruncFOp::create(rewriter, loc, narrow, argument);
        rewriter.replaceAllUsesExcept(argument, round, round);
      });
    }
    rewriter.replaceOp(op, half);
    return success();
  }
};

/// Whether a reshape of a kernel's sums can go behind the elementwise op that
/// alone reads them. What else there is keeps its loops: ops of one row, of
/// which some walk two loops over the rows and some one, would not be fused. So
/// does what asks for its indices, which no epilogue knows.
bool isBetweenKernelAndUser(OpOperand *operand) {
  auto expand = operand->get().getDefiningOp<tensor::ExpandShapeOp>();
  auto user = dyn_cast<linalg::LinalgOp>(operand->getOwner());
  return expand && user && user.getNumReductionLoops() == 0 &&
         !user.hasIndexSemantics() && expand.getSrc().hasOneUse() &&
         expand.getSrc().getDefiningOp<KernelOpInterface>() &&
         llvm::all_equal(expand->getUsers());
}

/// Whether more than dimensions of size 1 are joined: dropping these is what
/// makes such a reshape.
bool joinsSeveral(tensor::CollapseShapeOp join) {
  ArrayRef<int64_t> sizes = join.getSrcType().getShape();
  return llvm::any_of(join.getReassociationIndices(), [&](const auto &group) {
    return llvm::count_if(group, [&](int64_t i) { return sizes[i] != 1; }) > 1;
  });
}

/// Whether dimensions of a kernel's sums are joined before the elementwise op
/// that alone reads them, and can be joined behind it: groups of channels, of
/// pixels that may be split as well, and the columns of a dilated row.
bool isJoinBetweenKernelAndUser(OpOperand *operand) {
  auto join = operand->get().getDefiningOp<tensor::CollapseShapeOp>();
  auto user = dyn_cast<linalg::GenericOp>(operand->getOwner());
  if (!join || !user || user.getNumReductionLoops() != 0 ||
      user.hasIndexSemantics() || !llvm::hasSingleElement(join->getUses()) ||
      !joinsSeveral(join))
    return false;
  Value sums = join.getSrc();
  // What only undoes the splitting of pixels is folded.
  if (auto split = sums.getDefiningOp<tensor::ExpandShapeOp>();
      split && sums.hasOneUse() && split.getSrcType() != join.getType())
    sums = split.getSrc();
  return sums.hasOneUse() && isa_and_nonnull<kernel::MatmulOp, kernel::ConvOp>(
                                 sums.getDefiningOp());
}

/// The sizes that a tensor is reshaped to are known without it.
class FoldSizeOfReshape : public OpRewritePattern<tensor::DimOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::DimOp op,
                                PatternRewriter &rewriter) const override {
    auto expand = op.getSource().getDefiningOp<tensor::ExpandShapeOp>();
    std::optional<int64_t> at = op.getConstantIndex();
    if (!expand || !at)
      return rewriter.notifyMatchFailure(op, "no size of an expanded tensor");
    rewriter.replaceOp(
        op, getValueOrCreateConstantIndexOp(rewriter, op.getLoc(),
                                            expand.getMixedOutputShape()[*at]));
    return success();
  }
};

/// Of an elementwise op that gives the result of a product more dimensions, all
/// of size 1: its loops, so that those go.
SmallVector<unsigned> getLoopsToDrop(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || generic.getNumReductionLoops() != 0 ||
      generic.getNumDpsInits() != 1)
    return {};
  auto sizesOf = [](Value value) {
    SmallVector<int64_t> sizes(cast<ShapedType>(value.getType()).getShape());
    llvm::erase(sizes, 1);
    return sizes;
  };
  auto isProduct = [&](Value value) {
    if (auto expand = value.getDefiningOp<tensor::ExpandShapeOp>())
      value = expand.getSrc();
    return value.getDefiningOp<kernel::MatmulOp>() &&
           cast<ShapedType>(value.getType()).getRank() <
               generic.getNumLoops() &&
           sizesOf(value) == sizesOf(generic.getDpsInits()[0]);
  };
  if (!llvm::any_of(generic.getDpsInputs(), isProduct))
    return {};
  return llvm::to_vector(llvm::seq(generic.getNumLoops()));
}

class FuseEpilogues : public onnxc::impl::FuseEpiloguesPassBase<FuseEpilogues> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<affine::AffineDialect, arith::ArithDialect,
                    tensor::TensorDialect>();
  }
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FuseEpilogue, WidenInEpilogue, FoldSizeOfReshape>(
        &getContext());
    // A transposition may stand behind what is an epilogue now.
    populateFoldTransposedResult(patterns);
    memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
    linalg::populateFoldReshapeOpsByCollapsingPatterns(patterns,
                                                       isBetweenKernelAndUser);
    linalg::populateFoldReshapeOpsByExpansionPatterns(
        patterns, isJoinBetweenKernelAndUser);
    linalg::ControlDropUnitDims units;
    units.controlFn = getLoopsToDrop;
    linalg::populateFoldUnitExtentDimsPatterns(patterns, units);
    tensor::populateReassociativeReshapeFoldingPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
