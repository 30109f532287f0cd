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
#include "onnxc/Schedule/IntegerDots.h"
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
/// Rows [..., blocks, block] of bytes times scales [..., blocks, 1], of which
/// the product has the first `steps`.
struct QuantizedRows {
  Value bytes, scales;
  int64_t block, steps;
  /// What takes these, if they are not all.
  tensor::ExtractSliceOp beginning;
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

/// Whether the slice has the first elements along its last axis, and all
/// others but outer ones.
static bool takesBeginning(tensor::ExtractSliceOp slice) {
  auto isConstant = [](ArrayRef<OpFoldResult> numbers, int64_t value) {
    return llvm::all_of(numbers, [&](OpFoldResult number) {
      return isConstantIntValue(number, value);
    });
  };
  return slice.getType().getRank() == slice.getSourceType().getRank() &&
         !ShapedType::isDynamic(slice.getType().getShape().back()) &&
         isConstant(slice.getMixedOffsets(), 0) &&
         isConstant(slice.getMixedStrides(), 1);
}

static Value skipReshapes(Value value) {
  while (Operation *reshape = value.getDefiningOp()) {
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp>(
            reshape))
      break;
    value = reshape->getOperand(0);
  }
  return value;
}

static std::optional<QuantizedRows> matchRows(Value rows) {
  rows = skipReshapes(rows);
  tensor::ExtractSliceOp beginning;
  if (auto slice = rows.getDefiningOp<tensor::ExtractSliceOp>();
      slice && takesBeginning(slice)) {
    // Of blocks that become rows, and nothing else.
    auto join = slice.getSource().getDefiningOp<tensor::CollapseShapeOp>();
    if (!join || join.getSrcType().getRank() != slice.getType().getRank() + 1 ||
        join.getReassociationIndices().back().size() != 2)
      return std::nullopt;
    beginning = slice;
    rows = join.getSrc();
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
  int64_t steps =
      beginning ? beginning.getType().getShape().back() : block * blocks;
  return QuantizedRows{bytes, scale->get(), block, steps, beginning};
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

/// The rows of which `beginning` has steps: of bytes or of scales.
static Value takeRows(OpBuilder &b, Location loc, Value blocks,
                      tensor::ExtractSliceOp beginning) {
  if (!beginning)
    return blocks;
  SmallVector<OpFoldResult> sizes = beginning.getMixedSizes();
  sizes.pop_back();
  SmallVector<OpFoldResult> whole = tensor::getMixedSizes(b, loc, blocks);
  llvm::append_range(sizes, ArrayRef(whole).take_back(2));
  if (isEqualConstantIntOrValueArray(sizes, whole))
    return blocks;
  SmallVector<OpFoldResult> zeros(sizes.size(), b.getIndexAttr(0)),
      ones(sizes.size(), b.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(b, loc, blocks, zeros, sizes, ones);
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

/// Whether the operands of `matmul` have blocks of the same steps. One block of
/// the weights may be shorter than those of the rows.
static bool haveSameBlocks(const QuantizedRows &rows,
                           const BlockWeights &weights) {
  return weights.steps == rows.steps &&
         (weights.block == rows.block ||
          (weights.block == weights.steps && weights.steps <= rows.block));
}

bool onnxc::hasBlockDots(ModuleOp module, TargetAttr target) {
  std::string why;
  return module
      ->walk([&](linalg::MatmulOp op) {
        std::optional<QuantizedRows> rows = matchRows(op.getInputs()[0]);
        if (!rows)
          return WalkResult::advance();
        std::optional<BlockWeights> match = matchBlockWeights(op, target, why);
        return match && haveSameBlocks(*rows, *match) ? WalkResult::interrupt()
                                                      : WalkResult::advance();
      })
      .wasInterrupted();
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
  if (!haveSameBlocks(*rows, *match))
    return fail("both operands have blocks of their own");
  match->block = rows->block;
  // Bytes of a row behind its steps are 0.
  int64_t steps = llvm::alignTo(match->steps, match->block);
  if (match->block > kernel::BlockDotOp::kMaxBlock)
    return fail("sums of products of a block are not exact in float32");
  if (match->block % (32 / match->bits) != 0)
    return fail("blocks are not of whole words of 32 bits");
  Location loc = matmul.getLoc();
  b.setInsertionPoint(matmul);
  int64_t lanes = target.getLayoutTarget().getVectorBytes() / 4,
          vectors =
              std::min<int64_t>(4, llvm::divideCeil(match->columns, lanes)),
          width = vectors * lanes, bits = match->bits,
          shift = bits < 8 ? int64_t(1) << (bits - 1) : 0; // to unsigned
  kernel::PackedLayout layout = kernel::BlockDotOp::getWeightsLayout(
      b.getContext(), match->columns, steps, width, bits);
  Value rowBytes = takeRows(b, loc, rows->bytes, rows->beginning),
        ofBlocks = takeRows(b, loc, rows->scales, rows->beginning);
  Value bytes = collapse(b, loc, rowBytes, /*joinBlocks=*/true),
        rowScales = collapse(b, loc, ofBlocks, /*joinBlocks=*/true),
        rowSums = sumBlocks(b, loc, rowBytes);
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
