//===- FormBlockDots.cpp - Products of two quantized operands -------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FormBlockDots.h"
#include "Kernels/BlockMatmul/BlockWeights.h"
#include "Kernels/KernelForms.h"
#include "Kernels/PackedConstants.h"
#include "onnxc/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"

namespace onnxc {
#define GEN_PASS_DEF_FORMBLOCKDOTSPASS
#include "onnxc/Schedule/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

namespace {
/// Rows [..., blocks, block] of bytes times scales [..., blocks, 1].
struct QuantizedRows {
  Value bytes, scales;
  int64_t block;
};
} // namespace

/// The only operation on the elements of `op`, whose result has the loops'
/// order; null if there is more to it.
template <typename Op> static Op matchBody(linalg::GenericOp op) {
  if (!op || !op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() != 0 ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return nullptr;
  return op.getBlock()->getTerminator()->getOperand(0).getDefiningOp<Op>();
}

static OpOperand *inputOf(linalg::GenericOp op, Value element) {
  auto argument = dyn_cast<BlockArgument>(element);
  if (!argument || argument.getOwner() != op.getBlock() ||
      argument.getArgNumber() >= unsigned(op.getNumDpsInputs()))
    return nullptr;
  return op.getDpsInputOperand(argument.getArgNumber());
}

/// The bytes that float(bytes) is made of, element by element.
static Value matchBytes(Value floats) {
  auto op = floats.getDefiningOp<linalg::GenericOp>();
  auto converted = matchBody<arith::SIToFPOp>(op);
  if (!converted)
    return {};
  Value element = converted.getIn();
  if (auto extended = element.getDefiningOp<arith::ExtSIOp>())
    element = extended.getIn();
  OpOperand *from = inputOf(op, element);
  if (!from || !element.getType().isInteger(8) ||
      !op.getMatchingIndexingMap(from).isIdentity())
    return {};
  return from->get();
}

static std::optional<QuantizedRows> matchRows(Value rows) {
  while (Operation *reshape = rows.getDefiningOp()) {
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp>(
            reshape))
      break;
    rows = reshape->getOperand(0);
  }
  auto op = rows.getDefiningOp<linalg::GenericOp>();
  auto scaled = matchBody<arith::MulFOp>(op);
  if (!scaled || op.getNumLoops() < 3)
    return std::nullopt;
  OpOperand *floats = inputOf(op, scaled.getLhs()),
            *scale = inputOf(op, scaled.getRhs());
  if (!floats || !scale || !op.getMatchingIndexingMap(floats).isIdentity())
    return std::nullopt;
  // One for each block, as a dimension of 1.
  unsigned loops = op.getNumLoops();
  AffineMap perBlock =
      AffineMap::getMultiDimIdentityMap(loops, op.getContext());
  perBlock = AffineMap::get(
      loops, 0,
      llvm::to_vector(llvm::concat<const AffineExpr>(
          perBlock.getResults().drop_back(),
          ArrayRef<AffineExpr>{getAffineConstantExpr(0, op.getContext())})),
      op.getContext());
  auto type = cast<RankedTensorType>(rows.getType());
  auto scaleType = cast<RankedTensorType>(scale->get().getType());
  int64_t block = type.getShape().back(),
          blocks = type.getShape().drop_back().back();
  if (op.getMatchingIndexingMap(scale) != perBlock ||
      ShapedType::isDynamic(block) || ShapedType::isDynamic(blocks) ||
      scaleType.getShape().back() != 1 ||
      scaleType.getShape().drop_back().back() != blocks)
    return std::nullopt;
  Value bytes = matchBytes(floats->get());
  if (!bytes)
    return std::nullopt;
  return QuantizedRows{bytes, scale->get(), block};
}

/// All dimensions but the last two as one, and those as one, or as they are.
static Value collapse(OpBuilder &b, Location loc, Value rows, bool joinBlocks) {
  int64_t rank = cast<RankedTensorType>(rows.getType()).getRank();
  SmallVector<ReassociationIndices> groups{
      llvm::to_vector(llvm::seq<int64_t>(0, rank - 2))};
  if (joinBlocks)
    groups.push_back({rank - 2, rank - 1});
  else
    groups.append({{rank - 2}, {rank - 1}});
  if (int64_t(groups.size()) == rank)
    return rows;
  return tensor::CollapseShapeOp::create(b, loc, rows, groups);
}

/// Of each block, in 32 bits.
static Value sumBlocks(OpBuilder &b, Location loc, Value bytes) {
  Type i32 = b.getI32Type();
  Value inBlocks = collapse(b, loc, bytes, /*joinBlocks=*/false);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, inBlocks);
  sizes.pop_back();
  Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  Value empty = tensor::EmptyOp::create(b, loc, sizes, i32);
  Value init = linalg::FillOp::create(b, loc, zero, empty).getResult(0);
  AffineExpr row, block, step;
  bindDims(b.getContext(), row, block, step);
  SmallVector<utils::IteratorType> loops{utils::IteratorType::parallel,
                                         utils::IteratorType::parallel,
                                         utils::IteratorType::reduction};
  return linalg::GenericOp::create(
             b, loc, init.getType(), inBlocks, init,
             ArrayRef<AffineMap>{
                 AffineMap::getMultiDimIdentityMap(3, b.getContext()),
                 AffineMap::get(3, 0, {row, block}, b.getContext())},
             loops,
             [&](OpBuilder &inner, Location at, ValueRange arguments) {
               Value wide =
                   arith::ExtSIOp::create(inner, at, i32, arguments[0]);
               Value sum = arith::AddIOp::create(inner, at, arguments[1], wide);
               linalg::YieldOp::create(inner, at, sum);
             })
      .getResult(0);
}

FailureOr<kernel::BlockDotOp> onnxc::formBlockDot(RewriterBase &b,
                                                  linalg::MatmulOp matmul,
                                                  TargetAttr target,
                                                  std::string &why) {
  auto fail = [&](const Twine &reason) {
    refuse(why, reason);
    return failure();
  };
  std::optional<QuantizedRows> rows = matchRows(matmul.getInputs()[0]);
  if (!rows)
    return fail("the left operand is not bytes in scaled blocks");
  std::optional<BlockWeights> match = matchBlockWeights(matmul, target, why);
  if (!match)
    return failure();
  if (match->block != rows->block || match->steps % match->block != 0)
    return fail("both operands have blocks of their own");
  if (match->block > kernel::BlockDotOp::kMaxBlock)
    return fail("sums of products of a block are not exact in float32");
  Location loc = matmul.getLoc();
  b.setInsertionPoint(matmul);
  int64_t lanes = target.getLayoutTarget().getVectorBytes() / 4,
          vectors =
              std::min<int64_t>(4, llvm::divideCeil(match->columns, lanes)),
          width = vectors * lanes, bits = match->bits,
          shift = bits == 4 ? 8 : 0; // to unsigned
  kernel::PackedLayout layout = kernel::BlockDotOp::getWeightsLayout(
      b.getContext(), match->columns, match->steps, width, bits);
  Value bytes = collapse(b, loc, rows->bytes, /*joinBlocks=*/true),
        rowScales = collapse(b, loc, rows->scales, /*joinBlocks=*/true),
        rowSums = sumBlocks(b, loc, rows->bytes);
  Value init = matmul.getDpsInits()[0];
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, init);
  sizes[1] = b.getIndexAttr(match->columns);
  Value empty = tensor::EmptyOp::create(b, loc, sizes, b.getF32Type());
  Value weights = makePacked(
      b, loc, RankedTensorType::get(layout.getShape(), b.getI32Type()),
      match->pack(layout, shift));
  Value scales = match->packScales(b, loc, width, shift);
  auto formed = kernel::BlockDotOp::create(
      b, loc, empty.getType(), bytes, rowScales, rowSums, weights, scales,
      ValueRange(), empty, bits, match->block,
      match->hasOneZero() ? match->zeroAt(0, 0) + shift : 0,
      b.getAffineMapArrayAttr({}));
  kernel::buildTrivialEpilogue(b, loc, formed.getEpilogue(), b.getF32Type());
  if (!keepIfEmittable(b, formed, target, why))
    return failure();
  b.replaceOp(matmul, addInit(b, matmul, formed->getResult(0)));
  return formed;
}

namespace {

class FormBlockDots : public onnxc::impl::FormBlockDotsPassBase<FormBlockDots> {
public:
  using FormBlockDotsPassBase::FormBlockDotsPassBase;

private:
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    TargetAttr target = TargetAttr::of(getOperation());
    std::string why;
    for (auto op : collectOps<linalg::MatmulOp>(getOperation()))
      (void)formBlockDot(rewriter, op, target, why);
  }
};

} // namespace
