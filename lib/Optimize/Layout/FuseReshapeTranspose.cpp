//===- FuseReshapeTranspose.cpp - Reshape, Transpose, Reshape -------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shapes are cut into pieces so that every dim of the four shapes is a run of
// pieces; the Transpose then reorders pieces.
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Reshaping.h"

#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_FUSERESHAPETRANSPOSE
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
/// A factor of dims: a number, times the one dim that is not known, if it is in
/// it.
struct Factor {
  int64_t number = 1;
  bool hasUnknown = false;

  bool isOne() const { return number == 1 && !hasUnknown; }
  bool operator==(const Factor &other) const {
    return number == other.number && hasUnknown == other.hasUnknown;
  }
};

/// A piece: its number, and which dim of the data and of the result it is of.
struct Piece {
  Factor size;
  int64_t from = 0, to = 0, id = 0;
};

/// The op's operands in the chain.
struct Chain {
  Value data;
  RankedTensorType given, first, last;
  SmallVector<int64_t> perm;
};
} // namespace

/// The dims as factors; `total` is the product of all known dims of a shape of
/// the same number of elements whose one unknown dim is the unknown factor.
static std::optional<SmallVector<Factor>>
getFactors(ArrayRef<int64_t> shape, int64_t total, bool hasUnknown) {
  SmallVector<Factor> factors;
  int64_t product = 1, unknown = -1;
  for (auto [i, dim] : llvm::enumerate(shape)) {
    factors.push_back({dim, false});
    if (ShapedType::isDynamic(dim)) {
      if (unknown >= 0)
        return std::nullopt;
      unknown = i;
    } else if (dim == 0 || llvm::MulOverflow(product, dim, product)) {
      return std::nullopt;
    }
  }
  if ((unknown >= 0) != hasUnknown || total % product != 0)
    return std::nullopt;
  if (unknown < 0)
    return product == total ? std::optional(factors) : std::nullopt;
  factors[unknown] = {total / product, true};
  return factors;
}

/// Whether `part` divides `whole`; then `rest` is the quotient.
static bool divides(const Factor &part, const Factor &whole, Factor &rest) {
  if (whole.number % part.number != 0 || (part.hasUnknown && !whole.hasUnknown))
    return false;
  rest = {whole.number / part.number, whole.hasUnknown && !part.hasUnknown};
  return true;
}

/// Cuts both lists where the other is cut. Gives for each list how many pieces
/// each of its factors becomes, and the pieces.
static bool cut(ArrayRef<Factor> a, ArrayRef<Factor> b,
                SmallVectorImpl<Factor> &pieces, SmallVectorImpl<int64_t> &inA,
                SmallVectorImpl<int64_t> &inB) {
  size_t i = 0, j = 0;
  Factor left, right;
  while (true) {
    while (i < a.size() && a[i].isOne())
      ++i;
    while (j < b.size() && b[j].isOne())
      ++j;
    if (i == a.size() || j == b.size())
      return i == a.size() && j == b.size();
    left = a[i];
    right = b[j];
    // Until both end at the same place.
    while (true) {
      Factor rest;
      if (divides(left, right, rest)) {
        pieces.push_back(left);
        inA.push_back(i);
        inB.push_back(j);
        right = rest;
        left = {};
      } else if (divides(right, left, rest)) {
        pieces.push_back(right);
        inA.push_back(i);
        inB.push_back(j);
        left = rest;
        right = {};
      } else {
        return false;
      }
      if (left.isOne() && right.isOne())
        break;
      if (left.isOne()) {
        do
          ++i;
        while (i < a.size() && a[i].isOne());
        if (i == a.size())
          return false;
        left = a[i];
      }
      if (right.isOne()) {
        do
          ++j;
        while (j < b.size() && b[j].isOne());
        if (j == b.size())
          return false;
        right = b[j];
      }
    }
    ++i;
    ++j;
  }
}

/// The pieces in the data's order, each with its dim of the data and, by way of
/// the Transpose, of the result; and the ids in the result's order.
static bool findPieces(const Chain &chain, SmallVectorImpl<Piece> &pieces,
                       SmallVectorImpl<int64_t> &order) {
  int64_t total = 1;
  bool hasUnknown = false;
  for (int64_t dim : chain.given.getShape()) {
    if (ShapedType::isDynamic(dim)) {
      if (hasUnknown)
        return false;
      hasUnknown = true;
    } else if (dim == 0 || llvm::MulOverflow(total, dim, total)) {
      return false;
    }
  }
  auto given = getFactors(chain.given.getShape(), total, hasUnknown);
  auto first = getFactors(chain.first.getShape(), total, hasUnknown);
  auto last = getFactors(chain.last.getShape(), total, hasUnknown);
  if (!given || !first || !last)
    return false;
  SmallVector<Factor> sizes;
  SmallVector<int64_t> inGiven, inFirst;
  if (!cut(*given, *first, sizes, inGiven, inFirst))
    return false;
  // The pieces in the order behind the Transpose.
  SmallVector<Factor> moved;
  SmallVector<int64_t> movedIds;
  for (int64_t axis : chain.perm)
    for (auto [id, dim] : llvm::enumerate(inFirst))
      if (dim == axis) {
        moved.push_back(sizes[id]);
        movedIds.push_back(id);
      }
  SmallVector<Factor> finer;
  SmallVector<int64_t> inMoved, inLast;
  if (!cut(moved, *last, finer, inMoved, inLast))
    return false;
  // In the data's order the finer ones of a piece follow each other.
  SmallVector<int64_t> newIds(finer.size());
  for (int64_t id = 0, e = sizes.size(); id < e; ++id)
    for (auto [i, place] : llvm::enumerate(inMoved))
      if (movedIds[place] == id) {
        newIds[i] = pieces.size();
        pieces.push_back({finer[i], inGiven[id], inLast[i],
                          static_cast<int64_t>(pieces.size())});
      }
  order.assign(newIds.begin(), newIds.end());
  return true;
}

/// Joins pieces of one dim of the data (`dim` is Piece::from) or of the result
/// (Piece::to) that follow each other on both sides.
static void joinPieces(int64_t Piece::*dim, SmallVectorImpl<Piece> &pieces,
                       SmallVectorImpl<int64_t> &order) {
  SmallVector<Piece> joined;
  SmallVector<int64_t> newIds(pieces.size(), -1);
  SmallVector<int64_t> placeOf(pieces.size());
  for (auto [place, id] : llvm::enumerate(order))
    placeOf[id] = place;
  for (const Piece &piece : pieces) {
    bool joins = !joined.empty() && placeOf[piece.id] > 0 &&
                 order[placeOf[piece.id] - 1] == piece.id - 1 &&
                 joined.back().*dim == piece.*dim;
    if (!joins) {
      newIds[piece.id] = joined.size();
      joined.push_back(piece);
      joined.back().id = joined.size() - 1;
      continue;
    }
    Piece &back = joined.back();
    back.size.number *= piece.size.number;
    back.size.hasUnknown |= piece.size.hasUnknown;
  }
  SmallVector<int64_t> newOrder;
  for (int64_t id : order)
    if (newIds[id] >= 0)
      newOrder.push_back(newIds[id]);
  pieces.assign(joined.begin(), joined.end());
  order.assign(newOrder.begin(), newOrder.end());
}

/// Whether the shape's dims but for those of size 1 are the pieces.
static bool isPieces(RankedTensorType type, ArrayRef<Factor> pieces) {
  SmallVector<int64_t> dims, sizes;
  for (int64_t dim : type.getShape())
    if (dim != 1)
      dims.push_back(dim);
  for (const Factor &piece : pieces) {
    if (piece.hasUnknown && piece.number != 1)
      return false;
    sizes.push_back(piece.hasUnknown ? ShapedType::kDynamic : piece.number);
  }
  return dims == sizes;
}

static SmallVector<Factor> getSizes(ArrayRef<Piece> pieces) {
  return llvm::map_to_vector(pieces,
                             [](const Piece &piece) { return piece.size; });
}

static RankedTensorType getPiecesType(ArrayRef<Factor> pieces, Type element) {
  SmallVector<int64_t> shape;
  for (const Factor &piece : pieces)
    shape.push_back(piece.hasUnknown ? ShapedType::kDynamic : piece.number);
  return RankedTensorType::get(shape, element);
}

/// The shape operand of a type with at most one dim that is not known, and none
/// that is 0.
static ReshapePlan getPlan(RankedTensorType type) {
  ReshapePlan plan;
  for (int64_t dim : type.getShape())
    plan.shape.push_back(ShapedType::isDynamic(dim) ? -1 : dim);
  return plan;
}

/// A perm from `from` to `to` that moves the pieces in the order given and dims
/// of size 1 wherever they are missing; nullopt if their numbers differ.
static std::optional<SmallVector<int64_t>>
getPieceTransposition(RankedTensorType from, RankedTensorType to,
                      ArrayRef<int64_t> order) {
  if (from.getRank() != to.getRank())
    return std::nullopt;
  SmallVector<int64_t> places, ones, perm;
  for (auto [i, dim] : llvm::enumerate(from.getShape()))
    (dim == 1 ? ones : places).push_back(i);
  size_t piece = 0, one = 0;
  for (int64_t dim : to.getShape()) {
    if (dim == 1 ? one == ones.size() : piece == order.size())
      return std::nullopt;
    perm.push_back(dim == 1 ? ones[one++] : places[order[piece++]]);
  }
  return perm;
}

/// The reshapes and the Transpose that end at `op`, none of which but `op` has
/// other uses.
static std::optional<Chain> getChain(Operation *op) {
  auto transpose = op->getOperand(0).getDefiningOp<TransposeOp>();
  Operation *inner = transpose ? transpose.getData().getDefiningOp() : nullptr;
  if (!isReshape(inner) || !transpose->hasOneUse() || !inner->hasOneUse() ||
      !hasSureNumbers(inner) || !hasSureNumbers(op))
    return std::nullopt;
  std::optional<SmallVector<int64_t>> perm = getPermutation(transpose);
  Chain chain{inner->getOperand(0),
              dyn_cast<RankedTensorType>(inner->getOperand(0).getType()),
              dyn_cast<RankedTensorType>(inner->getResult(0).getType()),
              dyn_cast<RankedTensorType>(op->getResult(0).getType()),
              {}};
  if (!perm || !chain.given || !chain.first || !chain.last ||
      isConstant(chain.data))
    return std::nullopt;
  chain.perm = *perm;
  return chain;
}

namespace {
/// One Transpose, with a Reshape before or behind it if there must be one.
template <typename Op> struct FewerReshapes : Rewriting<Op> {
  using Rewriting<Op>::Rewriting;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    std::optional<Chain> chain = getChain(op);
    if (!chain)
      return rewriter.notifyMatchFailure(op, "no Reshape, Transpose, Reshape");
    if (!canHoldShape(op, this->options))
      return rewriter.notifyMatchFailure(op, "there are no such constants");
    SmallVector<Piece> pieces;
    SmallVector<int64_t> order;
    if (!findPieces(*chain, pieces, order))
      return rewriter.notifyMatchFailure(op, "shapes that cannot be compared");
    bool isSorted = llvm::is_sorted(order);
    SmallVector<Piece> ofLast(pieces);
    SmallVector<int64_t> orderOfLast(order);
    joinPieces(&Piece::from, pieces, order);
    bool isGiven = isPieces(chain->given, getSizes(pieces));
    if (!isGiven) {
      pieces = ofLast;
      order = orderOfLast;
      joinPieces(&Piece::to, pieces, order);
    }
    SmallVector<Factor> sizes = getSizes(pieces), moved;
    for (int64_t id : order)
      moved.push_back(sizes[id]);
    bool isLast = isPieces(chain->last, moved);
    auto replace = [&](Value by) { return replaceRoot(rewriter, op, by); };
    auto reshape = [&](Value data, RankedTensorType type) {
      return makeReshape(rewriter, op, op->getLoc(), data, getPlan(type), type);
    };
    Location loc = fuseLocations(op->getOperand(0).getDefiningOp(), op);
    Type element = chain->given.getElementType();
    if (isSorted)
      return replace(reshape(chain->data, chain->last));
    if (isGiven && isLast)
      if (auto perm = getPieceTransposition(chain->given, chain->last, order))
        return replace(makeTranspose(rewriter, loc, chain->data, *perm));
    if (isLast && !isGiven) {
      // Dims of size 1 of the result are made by the Reshape.
      SmallVector<Factor> given(sizes);
      SmallVector<int64_t> perm;
      int64_t ones = 0, piece = 0;
      for (int64_t dim : chain->last.getShape())
        perm.push_back(dim == 1 ? static_cast<int64_t>(sizes.size()) + ones++
                                : order[piece++]);
      given.append(ones, Factor());
      Value data = reshape(chain->data, getPiecesType(given, element));
      return replace(makeTranspose(rewriter, loc, data, perm));
    }
    if (!isGiven)
      return rewriter.notifyMatchFailure(op, "both reshapes are needed");
    SmallVector<int64_t> perm, places, ones;
    for (auto [i, dim] : llvm::enumerate(chain->given.getShape()))
      (dim == 1 ? ones : places).push_back(i);
    for (int64_t id : order)
      perm.push_back(places[id]);
    llvm::append_range(perm, ones);
    Value data = makeTranspose(rewriter, makeHelperLocation(op, "transposed"),
                               chain->data, perm);
    return replace(reshape(data, chain->last));
  }
};

//===----------------------------------------------------------------------===//
// Space and depth
//===----------------------------------------------------------------------===//

/// Blocks of space and channels, in either direction.
template <typename Op> struct ToSpaceOrDepth : Rewriting<Op> {
  ToSpaceOrDepth(MLIRContext *context, const RewriteOptions &options)
      : Rewriting<Op>(context, options, 2) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    std::optional<Chain> chain = getChain(op);
    if (!chain || chain->given.getRank() != 4 || chain->first.getRank() != 6 ||
        chain->last.getRank() != 4)
      return rewriter.notifyMatchFailure(op, "not from 4 dims by 6 to 4");
    if (llvm::is_contained(chain->first.getShape(), 0))
      return rewriter.notifyMatchFailure(op, "no elements");
    Type element = chain->given.getElementType();
    bool isPlain =
        element.isF32() || element.isF64() || element.isF16() ||
        (isa<IntegerType>(element) && element.getIntOrFloatBitWidth() >= 8);
    if (!isPlain)
      return rewriter.notifyMatchFailure(op, "not of all versions' types");
    Value inner = op->getOperand(0).getDefiningOp()->getOperand(0);
    Value last = op->getResult(0);
    ArrayRef<int64_t> perm = chain->perm;
    if (perm == ArrayRef<int64_t>{0, 3, 4, 1, 5, 2})
      return toSpace(op, rewriter, *chain, inner, last, {0, 3, 4, 5}, 1, 2,
                     "DCR");
    if (perm == ArrayRef<int64_t>{0, 1, 4, 2, 5, 3})
      return toSpace(op, rewriter, *chain, inner, last, {0, 1, 4, 5}, 2, 3,
                     "CRD");
    if (perm == ArrayRef<int64_t>{0, 3, 5, 1, 2, 4})
      return toDepth(op, rewriter, *chain, inner, last);
    return rewriter.notifyMatchFailure(op, "another order");
  }

private:
  /// Whether dims of two values are the same, one by one.
  static bool areSame(Value a, ArrayRef<int64_t> dimsOfA, Value b,
                      ArrayRef<int64_t> dimsOfB) {
    SymbolicShapes shapes;
    return llvm::all_of(llvm::zip(dimsOfA, dimsOfB), [&](auto dims) {
      return shapes.isSameDim(a, std::get<0>(dims), b, std::get<1>(dims));
    });
  }

  /// The result's dim is the block times another dim, if that is known.
  static bool isMultiple(Value whole, int64_t dim, Value part, int64_t partDim,
                         int64_t by) {
    std::optional<int64_t> all = getDim(whole, dim),
                           one = getDim(part, partDim);
    return !all || !one || *all == *one * by;
  }

  /// `kept`: where the six have the batch, channels, rows and columns; `at` and
  /// `at2`: where the block.
  LogicalResult toSpace(Op op, PatternRewriter &rewriter, const Chain &chain,
                        Value inner, Value last, ArrayRef<int64_t> kept,
                        int64_t at, int64_t at2, StringRef mode) const {
    std::optional<int64_t> block = getDim(inner, at);
    std::optional<int64_t> channels = getDim(inner, kept[1]);
    if (!block || *block < 2 || getDim(inner, at2) != block || !channels ||
        *channels == 0 ||
        getDim(chain.data, 1) != *block * *block * *channels ||
        getDim(last, 1) != channels)
      return rewriter.notifyMatchFailure(op, "no square block of channels");
    if (!areSame(chain.data, {0, 2, 3}, inner, {kept[0], kept[2], kept[3]}) ||
        !areSame(inner, {kept[0]}, last, {0}) ||
        !areMultiples(inner, kept, last, *block))
      return rewriter.notifyMatchFailure(op, "other dims change");
    bool isColumns = mode == "CRD";
    if (isColumns && !isAvailable(11, op, this->options))
      return rewriter.notifyMatchFailure(op, "the opset has no such mode");
    return replaceRoot(
        rewriter, op,
        DepthToSpaceOp::create(
            rewriter, fuseLocations(op->getOperand(0).getDefiningOp(), op),
            last.getType(), chain.data, rewriter.getI64IntegerAttr(*block),
            isColumns ? rewriter.getStringAttr(mode) : StringAttr())
            .getResult());
  }

  /// At most one of rows and columns is unknown behind the last Reshape, whose
  /// -1 then is what the block makes of it; both, where its shape says so.
  static bool areMultiples(Value inner, ArrayRef<int64_t> kept, Value last,
                           int64_t block) {
    if (!isMultiple(last, 2, inner, kept[2], block) ||
        !isMultiple(last, 3, inner, kept[3], block))
      return false;
    int unknown = 0;
    for (int64_t dim : {2, 3})
      unknown += !getDim(last, dim) || !getDim(inner, kept[dim]);
    return unknown <= 1;
  }

  LogicalResult toDepth(Op op, PatternRewriter &rewriter, const Chain &chain,
                        Value inner, Value last) const {
    std::optional<int64_t> block = getDim(inner, 3);
    std::optional<int64_t> channels = getDim(inner, 1);
    if (!block || *block < 2 || getDim(inner, 5) != block || !channels ||
        *channels == 0 || getDim(chain.data, 1) != channels ||
        getDim(last, 1) != *block * *block * *channels)
      return rewriter.notifyMatchFailure(op, "no square block of space");
    SmallVector<int64_t> kept = {0, 1, 2, 4};
    if (!areSame(chain.data, {0}, inner, {0}) ||
        !areSame(inner, {0, 2, 4}, last, {0, 2, 3}) ||
        !areMultiples(inner, kept, chain.data, *block))
      return rewriter.notifyMatchFailure(op, "other dims change");
    return replaceRoot(rewriter, op,
                       SpaceToDepthOp::create(
                           rewriter,
                           fuseLocations(op->getOperand(0).getDefiningOp(), op),
                           last.getType(), chain.data,
                           rewriter.getI64IntegerAttr(*block), StringAttr())
                           .getResult());
  }
};

struct FuseReshapeTranspose
    : onnxc::impl::FuseReshapeTransposeBase<FuseReshapeTranspose> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns.add<FewerReshapes<ReshapeOp>, FewerReshapes<SqueezeOp>,
                 FewerReshapes<UnsqueezeOp>, FewerReshapes<FlattenOp>,
                 ToSpaceOrDepth<ReshapeOp>>(patterns.getContext(), options);
  }
};
} // namespace
