//===- PropagateBlocks.cpp - Blocked images between kernels ---------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk in program order: where an op reads images that a reorder has made
// plain, and can work on the blocked ones, it is written again for these, with
// the reorder behind it. The next op finds that reorder.
//
// The lanes are one more loop, the innermost. Only ops that treat channels as
// independent of each other qualify: what lanes behind the last channel hold
// goes nowhere but to lanes behind the last channel.
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"
#include "Kernels/PackedConstants.h"
#include "onnxc/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace onnxc {
#define GEN_PASS_DEF_PROPAGATEBLOCKSPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {

int64_t lanesOf(Value blocked) {
  return cast<ShapedType>(blocked.getType()).getShape().back();
}

class Propagator {
public:
  explicit Propagator(IRRewriter &b) : b(b) {}
  void visit(Operation *op);

private:
  bool rewriteGeneric(linalg::GenericOp op);
  bool rewritePad(tensor::PadOp op);
  bool rewriteConcat(tensor::InsertSliceOp last);
  bool rewriteSlice(tensor::ExtractSliceOp op);
  bool rewriteDim(tensor::DimOp op);
  template <typename ReshapeOp> bool rewriteReshape(ReshapeOp op);
  bool rewriteTranspose(linalg::TransposeOp op);

  bool canBlock(Value operand, AffineMap map, unsigned loop, int64_t lanes);
  std::optional<int64_t> findLanes(linalg::GenericOp op, unsigned loop);
  Value blockOperand(Location loc, Value operand, unsigned position,
                     int64_t lanes);
  void replace(Operation *op, Value blocked);

  IRRewriter &b;
};

/// The result becomes a reorder of `blocked`.
void Propagator::replace(Operation *op, Value blocked) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<OpFoldResult> sizes = sizesOf(b, op->getLoc(), blocked);
  sizes.pop_back();
  sizes[1] = b.getIndexAttr(type.getDimSize(1));
  b.replaceOp(op, createPlain(b, op->getLoc(), blocked, type, sizes));
}

/// The dimension of the operand that `loop` walks alone, or nothing.
std::optional<unsigned> positionOf(AffineMap map, unsigned loop) {
  return map.getResultPosition(getAffineDimExpr(loop, map.getContext()));
}

/// Whether the operand has a blocked form that is worth making.
bool Propagator::canBlock(Value operand, AffineMap map, unsigned loop,
                          int64_t lanes) {
  if (!map.isFunctionOfDim(loop))
    return true;
  std::optional<unsigned> position = positionOf(map, loop);
  unsigned uses = llvm::count_if(map.getResults(), [&](AffineExpr expr) {
    return expr.isFunctionOfDim(loop);
  });
  auto type = dyn_cast<RankedTensorType>(operand.getType());
  if (!type || !position || uses != 1 || type.isDynamicDim(*position) ||
      !isa<FloatType>(type.getElementType()))
    return false;
  if (Value source = getBlockedSource(operand))
    return *position == 1 && lanesOf(source) == lanes;
  if (getPackableConstant(operand))
    return true;
  auto isUnit = [](int64_t size) { return size == 1; };
  return *position == 1 ||
         (*position == 0 && llvm::all_of(type.getShape().drop_front(), isUnit));
}

/// The operand with its channels, at `position`, split into blocks and lanes.
Value Propagator::blockOperand(Location loc, Value operand, unsigned position,
                               int64_t lanes) {
  auto type = cast<RankedTensorType>(operand.getType());
  if (ElementsAttr constant = getPackableConstant(operand)) {
    SmallVector<int64_t> shape(type.getShape());
    shape[position] = llvm::divideCeil(shape[position], lanes);
    shape.push_back(lanes);
    SmallVector<AffineExpr> source;
    for (unsigned i = 0; i + 1 < shape.size(); ++i) {
      AffineExpr d = b.getAffineDimExpr(i);
      source.push_back(
          i == position ? d * lanes + b.getAffineDimExpr(shape.size() - 1) : d);
    }
    return rearrangeConstant(
        b, loc, constant, type.getShape(), shape,
        AffineMap::get(shape.size(), 0, source, b.getContext()));
  }
  if (position == 1)
    return createBlocked(b, loc, operand, lanes);
  // [c, 1…] as [c / lanes, 1…, lanes].
  ReassociationIndices all =
      llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  if (type.getRank() > 1)
    operand = tensor::CollapseShapeOp::create(
        b, loc, operand, ArrayRef<ReassociationIndices>(all));
  Value blocked = blockVector(b, loc, operand, lanes);
  if (type.getRank() == 1)
    return blocked;
  SmallVector<int64_t> shape(type.getRank(), 1);
  shape[0] = cast<ShapedType>(blocked.getType()).getDimSize(0);
  shape.push_back(lanes);
  all.push_back(type.getRank());
  ReassociationIndices inner(llvm::drop_begin(all));
  return tensor::ExpandShapeOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), blocked,
      ArrayRef<ReassociationIndices>{{0}, inner});
}

/// Tensors that the body reads by index.
SmallVector<tensor::ExtractOp> readsOf(linalg::GenericOp op) {
  SmallVector<tensor::ExtractOp> reads;
  for (Operation &inner : *op.getBlock())
    if (auto read = dyn_cast<tensor::ExtractOp>(inner))
      reads.push_back(read);
  return reads;
}

bool isIndexOf(Value value, unsigned loop) {
  auto index = value.getDefiningOp<linalg::IndexOp>();
  return index && index.getDim() == loop;
}

/// The lanes of some blocked image that `op` reads in full, with channels along
/// `loop`, if all that it reads and writes can be blocked so.
std::optional<int64_t> Propagator::findLanes(linalg::GenericOp op,
                                             unsigned loop) {
  OpOperand *init = op.getDpsInitOperand(0);
  int64_t lanes = 0;
  SmallVector<tensor::ExtractOp> reads = readsOf(op);
  for (OpOperand *operand : op.getDpsInputOperands())
    if (Value source = getBlockedSource(operand->get()))
      if (positionOf(op.getMatchingIndexingMap(operand), loop) == 1)
        lanes = lanesOf(source);
  for (tensor::ExtractOp read : reads)
    if (Value source = getBlockedSource(read.getTensor()))
      if (isIndexOf(read.getIndices()[1], loop))
        lanes = lanesOf(source);
  if (lanes == 0)
    return std::nullopt;
  bool readsInit = op.payloadUsesValueFromOperand(init);
  auto fill = init->get().getDefiningOp<linalg::FillOp>();
  for (OpOperand &operand : op->getOpOperands()) {
    if (&operand == init && (!readsInit || fill))
      continue;
    if (!canBlock(operand.get(), op.getMatchingIndexingMap(&operand), loop,
                  lanes))
      return std::nullopt;
  }
  for (tensor::ExtractOp read : reads)
    if (getBlockedSource(read.getTensor()) &&
        lanesOf(getBlockedSource(read.getTensor())) != lanes)
      return std::nullopt;
  // The number of the channel is asked for only to read blocked images.
  for (Operation &inner : *op.getBlock()) {
    auto asked = dyn_cast<linalg::IndexOp>(inner);
    if (!asked || asked.getDim() != loop)
      continue;
    for (OpOperand &use : inner.getUses()) {
      auto read = dyn_cast<tensor::ExtractOp>(use.getOwner());
      if (!read || use.getOperandNumber() != 2 ||
          !getBlockedSource(read.getTensor()))
        return std::nullopt;
    }
  }
  return lanes;
}

/// Whether a kernel reads the image blocked, behind ops that keep blocks.
static bool isReadBlocked(Value image, unsigned depth = 0) {
  return depth <= 8 && llvm::any_of(image.getUsers(), [&](Operation *user) {
           if (auto reorder = dyn_cast<kernel::ReorderOp>(user))
             return reorder.isBlocking();
           // Some read by index, inside of their bodies.
           if (isa<tensor::ExtractOp>(user))
             user = user->getParentOp();
           auto generic = dyn_cast<linalg::GenericOp>(user);
           bool keeps = generic ? generic.getNumReductionLoops() == 0
                                : isa<tensor::PadOp, tensor::InsertSliceOp,
                                      tensor::ExtractSliceOp>(user);
           return keeps && user->getNumResults() == 1 &&
                  isReadBlocked(user->getResult(0), depth + 1);
         });
}

/// Whether `op` reads images that no kernel made, too, and no kernel reads what
/// it makes: blocked, both would be copied, and plain just the blocked ones.
static bool isBetweenPlainImages(linalg::GenericOp op, unsigned loop) {
  bool readsPlain = llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *in) {
    AffineMap map = op.getMatchingIndexingMap(in);
    return map.isIdentity() && map.isFunctionOfDim(loop) &&
           !getBlockedSource(in->get()) && !getPackableConstant(in->get());
  });
  return readsPlain && op.getNumReductionLoops() == 0 &&
         !isReadBlocked(op->getResult(0));
}

bool Propagator::rewriteGeneric(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op->getNumResults() != 1)
    return false;
  OpOperand *init = op.getDpsInitOperand(0);
  auto resultType = cast<RankedTensorType>(op->getResult(0).getType());
  AffineMap resultMap = op.getMatchingIndexingMap(init);
  if (resultType.getRank() < 2 || resultType.isDynamicDim(1) ||
      !isa<FloatType>(resultType.getElementType()) ||
      !isa<AffineDimExpr>(resultMap.getResult(1)))
    return false;
  unsigned loop = cast<AffineDimExpr>(resultMap.getResult(1)).getPosition();
  if (op.getIteratorTypesArray()[loop] != utils::IteratorType::parallel)
    return false;

  std::optional<int64_t> found = findLanes(op, loop);
  if (!found || isBetweenPlainImages(op, loop))
    return false;
  int64_t lanes = *found;
  bool readsInit = op.payloadUsesValueFromOperand(init);
  auto fill = init->get().getDefiningOp<linalg::FillOp>();

  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  unsigned loops = op.getNumLoops();
  AffineExpr lane = b.getAffineDimExpr(loops);
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    SmallVector<AffineExpr> exprs(map.getResults());
    Value value = operand.get();
    if (std::optional<unsigned> position = positionOf(map, loop)) {
      exprs.push_back(lane);
      if (&operand != init || (readsInit && !fill)) {
        value = blockOperand(loc, value, *position, lanes);
      } else {
        value = createBlockedEmpty(b, loc, sizesOf(b, loc, value),
                                   resultType.getDimSize(1),
                                   resultType.getElementType(), lanes);
        if (readsInit)
          value = linalg::FillOp::create(b, loc, fill.getInputs(), value)
                      ->getResult(0);
      }
    }
    operands.push_back(value);
    maps.push_back(AffineMap::get(loops + 1, 0, exprs, b.getContext()));
  }
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  kinds.push_back(utils::IteratorType::parallel);
  Value target = operands.pop_back_val();
  auto blocked =
      linalg::GenericOp::create(b, loc, target.getType(), operands, target,
                                maps, kinds, /*bodyBuild=*/nullptr);
  b.cloneRegionBefore(op.getRegion(), blocked.getRegion(),
                      blocked.getRegion().end());
  for (tensor::ExtractOp read : readsOf(blocked)) {
    Value source = getBlockedSource(read.getTensor());
    if (!source || !isIndexOf(read.getIndices()[1], loop))
      continue;
    b.setInsertionPoint(read);
    SmallVector<Value> at(read.getIndices());
    at.push_back(linalg::IndexOp::create(b, loc, loops));
    b.replaceOpWithNewOp<tensor::ExtractOp>(read, source, at);
  }
  b.setInsertionPointAfter(blocked);
  replace(op, blocked->getResult(0));
  return true;
}

bool Propagator::rewritePad(tensor::PadOp op) {
  Value source = getBlockedSource(op.getSource()),
        value = op.getConstantPaddingValue();
  SmallVector<OpFoldResult> low = op.getMixedLowPad(),
                            high = op.getMixedHighPad();
  if (!source || !value || low.size() < 3 || !isConstantIntValue(low[1], 0) ||
      !isConstantIntValue(high[1], 0))
    return false;
  b.setInsertionPoint(op);
  auto type = cast<RankedTensorType>(op.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[1] = cast<ShapedType>(source.getType()).getDimSize(1);
  shape.push_back(lanesOf(source));
  low.push_back(b.getIndexAttr(0));
  high.push_back(b.getIndexAttr(0));
  Value padded = tensor::PadOp::create(
      b, op.getLoc(), RankedTensorType::get(shape, type.getElementType()),
      source, low, high, value);
  replace(op, padded);
  return true;
}

/// Images one behind the other in memory that was not written to yet.
bool Propagator::rewriteConcat(tensor::InsertSliceOp last) {
  auto continues = [](Operation *user) {
    auto insert = dyn_cast<tensor::InsertSliceOp>(user);
    return insert && insert.getDest() == user->getOperand(1);
  };
  if (llvm::any_of(last->getUsers(), [&](Operation *user) {
        return continues(user) &&
               cast<tensor::InsertSliceOp>(user).getDest() == last.getResult();
      }))
    return false; // not the last one
  SmallVector<tensor::InsertSliceOp> parts;
  Value dest = last;
  while (auto insert = dest.getDefiningOp<tensor::InsertSliceOp>()) {
    if (insert != last && !insert->hasOneUse())
      return false;
    parts.push_back(insert);
    dest = insert.getDest();
  }
  auto type = cast<RankedTensorType>(last.getType());
  if (!dest.getDefiningOp<tensor::EmptyOp>() || type.getRank() < 3 ||
      type.isDynamicDim(1))
    return false;
  int64_t lanes = 0;
  for (tensor::InsertSliceOp part : parts)
    if (Value source = getBlockedSource(part.getSource()))
      lanes = lanesOf(source);
  if (lanes == 0)
    return false;
  for (tensor::InsertSliceOp part : parts) {
    auto source = cast<RankedTensorType>(part.getSource().getType());
    int64_t offset = part.getStaticOffsets()[1],
            size = part.getStaticSizes()[1];
    if (source.getRank() != type.getRank() || !part.hasUnitStride() ||
        ShapedType::isDynamic(offset) || ShapedType::isDynamic(size) ||
        offset % lanes != 0 ||
        (size % lanes != 0 && offset + size != type.getDimSize(1)))
      return false;
  }

  b.setInsertionPoint(last);
  Location loc = last.getLoc();
  Value blocked =
      createBlockedEmpty(b, loc, sizesOf(b, loc, dest), type.getDimSize(1),
                         type.getElementType(), lanes);
  for (tensor::InsertSliceOp part : llvm::reverse(parts)) {
    SmallVector<OpFoldResult> offsets = part.getMixedOffsets(),
                              sizes = part.getMixedSizes(),
                              strides = part.getMixedStrides();
    offsets[1] = b.getIndexAttr(part.getStaticOffsets()[1] / lanes);
    sizes[1] =
        b.getIndexAttr(llvm::divideCeil(part.getStaticSizes()[1], lanes));
    offsets.push_back(b.getIndexAttr(0));
    sizes.push_back(b.getIndexAttr(lanes));
    strides.push_back(b.getIndexAttr(1));
    blocked = tensor::InsertSliceOp::create(
        b, part.getLoc(), createBlocked(b, loc, part.getSource(), lanes),
        blocked, offsets, sizes, strides);
  }
  replace(last, blocked);
  return true;
}

bool Propagator::rewriteSlice(tensor::ExtractSliceOp op) {
  Value source = getBlockedSource(op.getSource());
  auto type = cast<RankedTensorType>(op.getType());
  if (!source || type.getRank() < 3 ||
      type.getRank() != op.getSourceType().getRank())
    return false;
  int64_t lanes = lanesOf(source), offset = op.getStaticOffsets()[1],
          size = op.getStaticSizes()[1], stride = op.getStaticStrides()[1];
  if (ShapedType::isDynamic(offset) || ShapedType::isDynamic(size) ||
      offset % lanes != 0 || stride != 1)
    return false;
  b.setInsertionPoint(op);
  SmallVector<OpFoldResult> offsets = op.getMixedOffsets(),
                            sizes = op.getMixedSizes(),
                            strides = op.getMixedStrides();
  offsets[1] = b.getIndexAttr(offset / lanes);
  sizes[1] = b.getIndexAttr(llvm::divideCeil(size, lanes));
  offsets.push_back(b.getIndexAttr(0));
  sizes.push_back(b.getIndexAttr(lanes));
  strides.push_back(b.getIndexAttr(1));
  Value slice = tensor::ExtractSliceOp::create(b, op.getLoc(), source, offsets,
                                               sizes, strides);
  replace(op, slice);
  return true;
}

/// Sizes do not depend on the layout.
bool Propagator::rewriteDim(tensor::DimOp op) {
  auto reorder = op.getSource().getDefiningOp<kernel::ReorderOp>();
  std::optional<int64_t> d = op.getConstantIndex();
  if (!reorder || !d)
    return false;
  b.setInsertionPoint(op);
  OpFoldResult size = sizesOf(b, op.getLoc(), reorder.getInit())[*d];
  b.replaceOp(op, getValueOrCreateConstantIndexOp(b, op.getLoc(), size));
  return true;
}

/// [n, c] to [n, c, 1…] or back; or only spatial dimensions are joined or
/// split.
template <typename ReshapeOp> bool Propagator::rewriteReshape(ReshapeOp op) {
  Value source = getBlockedSource(op.getSrc());
  if (!source)
    return false;
  auto from = cast<RankedTensorType>(op.getSrcType()),
       to = cast<RankedTensorType>(op.getResultType());
  RankedTensorType small = from.getRank() < to.getRank() ? from : to,
                   large = from.getRank() < to.getRank() ? to : from;
  SmallVector<ReassociationIndices> groups = op.getReassociationIndices();
  auto isUnit = [](int64_t size) { return size == 1; };
  if (small.getRank() < 2 || groups[0].size() != 1 ||
      (groups[1].size() != 1 &&
       (small.getRank() != 2 ||
        !llvm::all_of(large.getShape().drop_front(2), isUnit))))
    return false;
  b.setInsertionPoint(op);
  groups.push_back({large.getRank()});
  auto blockedType = cast<RankedTensorType>(source.getType());
  SmallVector<int64_t> shape(to.getShape());
  shape[1] = blockedType.getDimSize(1);
  shape.push_back(lanesOf(source));
  auto type = RankedTensorType::get(shape, to.getElementType());
  Value reshaped;
  if constexpr (std::is_same_v<ReshapeOp, tensor::ExpandShapeOp>) {
    if (tensor::CollapseShapeOp::inferCollapsedType(type, groups) !=
        source.getType())
      return false; // one of them knows more
    SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
    sizes[1] = b.getIndexAttr(shape[1]);
    sizes.push_back(b.getIndexAttr(shape.back()));
    reshaped = tensor::ExpandShapeOp::create(b, op.getLoc(), type, source,
                                             groups, sizes);
  } else {
    reshaped = tensor::CollapseShapeOp::create(b, op.getLoc(), source, groups);
  }
  replace(op, reshaped);
  return true;
}

/// The lanes of the kernel that reads the image, behind ops that keep blocks;
/// 0 if there is none.
int64_t lanesOfReader(Value image, unsigned depth = 0) {
  if (depth > 8)
    return 0;
  for (Operation *user : image.getUsers()) {
    if (auto reorder = dyn_cast<kernel::ReorderOp>(user)) {
      if (reorder.isBlocking())
        return lanesOf(reorder.getInit());
      continue;
    }
    // Some read by index, inside of their bodies.
    if (isa<tensor::ExtractOp>(user))
      user = user->getParentOp();
    if (user->getNumResults() == 1 &&
        isa<linalg::LinalgOp, tensor::PadOp, tensor::InsertSliceOp,
            tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user))
      if (int64_t lanes = lanesOfReader(user->getResult(0), depth + 1))
        return lanes;
  }
  return 0;
}

/// Channels become the innermost dimension, or come from there: as blocks of
/// lanes that stay as they are.
bool Propagator::rewriteTranspose(linalg::TransposeOp op) {
  if (!op.hasPureTensorSemantics())
    return false;
  ArrayRef<int64_t> perm = op.getPermutation();
  int64_t rank = perm.size();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (rank < 3 || perm[0] != 0)
    return false;
  bool isLast = perm.back() == 1, wasLast = perm[1] == rank - 1;
  for (int64_t i = 2; i < rank; ++i) {
    isLast &= perm[i - 1] == i;
    wasLast &= perm[i] == i - 1;
  }
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0; i + 1 < rank; ++i)
    groups.push_back({i});
  groups.push_back({rank - 1, rank});
  SmallVector<int64_t> moved(perm);
  moved.push_back(rank);
  auto move = [&](Value from) -> Value {
    SmallVector<OpFoldResult> sizes = sizesOf(b, loc, from), to;
    for (int64_t d : moved)
      to.push_back(sizes[d]);
    Value empty = tensor::EmptyOp::create(b, loc, to, type.getElementType());
    return linalg::TransposeOp::create(b, loc, from, empty, moved)
        ->getResult(0);
  };
  if (Value source = isLast ? getBlockedSource(op.getInput()) : Value()) {
    if (type.isDynamicDim(rank - 1) ||
        type.getDimSize(rank - 1) % lanesOf(source) != 0)
      return false;
    Value joined =
        tensor::CollapseShapeOp::create(b, loc, move(source), groups);
    if (joined.getType() != type)
      joined = tensor::CastOp::create(b, loc, type, joined);
    b.replaceOp(op, joined);
    return true;
  }
  int64_t lanes =
      wasLast && !type.isDynamicDim(1) ? lanesOfReader(op->getResult(0)) : 0;
  if (lanes == 0 || type.getDimSize(1) % lanes != 0 ||
      !isa<FloatType>(type.getElementType()))
    return false;
  SmallVector<OpFoldResult> sizes = sizesOf(b, loc, op.getInput());
  sizes.back() = b.getIndexAttr(type.getDimSize(1) / lanes);
  sizes.push_back(b.getIndexAttr(lanes));
  SmallVector<int64_t> shape(
      cast<ShapedType>(op.getInput().getType()).getShape());
  shape.back() /= lanes;
  shape.push_back(lanes);
  replace(op, move(tensor::ExpandShapeOp::create(
                  b, loc, RankedTensorType::get(shape, type.getElementType()),
                  op.getInput(), groups, sizes)));
  return true;
}

void Propagator::visit(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](linalg::GenericOp generic) { rewriteGeneric(generic); })
      .Case([&](linalg::TransposeOp transpose) { rewriteTranspose(transpose); })
      .Case([&](tensor::PadOp pad) { rewritePad(pad); })
      .Case([&](tensor::InsertSliceOp insert) { rewriteConcat(insert); })
      .Case([&](tensor::ExtractSliceOp slice) { rewriteSlice(slice); })
      .Case([&](tensor::DimOp dim) { rewriteDim(dim); })
      .Case<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
          [&](auto reshape) { rewriteReshape(reshape); });
}

class PropagateBlocks
    : public onnxc::impl::PropagateBlocksPassBase<PropagateBlocks> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, kernel::KernelDialect,
                    linalg::LinalgDialect, tensor::TensorDialect>();
  }
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) { ops.push_back(op); });
    Propagator propagator(rewriter);
    for (Operation *op : ops)
      propagator.visit(op);
  }
};

} // namespace
