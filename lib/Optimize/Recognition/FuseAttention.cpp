//===- FuseAttention.cpp - Attention in its parts -------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// softmax(scale Q K^T + mask) V. The operator says 0 for a query that may
// attend to nothing, where the formula says NaN: a mask must be known to leave
// each query a key.
//
//===----------------------------------------------------------------------===//

#include "Ranges.h"
#include "Recognition.h"
#include "Rewriting/Matching.h"

#include "onnxc/Dialect/ONNX/Activation.h"
#include "onnxc/Dialect/ONNX/Attention.h"
#include "onnxc/Dialect/ONNX/Contraction.h"
#include "onnxc/Dialect/ONNX/Conversion.h"
#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/Logic.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/Normalization.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Dialect/ONNX/SymbolicShapes.h"
#include "onnxc/Optimize/RewritePass.h"
#include "onnxc/Support/SaturatingInt.h"

#include <cmath>

namespace onnxc {
#define GEN_PASS_DEF_FUSEATTENTION
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

namespace {
/// Which keys a query attends to: a tensor that is added to the scores, or that
/// says true where it does.
struct Mask {
  Value value;
  /// A mask of bools says true where nothing is attended to.
  bool isInverted = false;
  bool isCausal = false;
  /// How often its one row is to be repeated: ONNX Runtime wants a row for each
  /// query.
  int64_t numRows = 0;
  /// Whether it has a column for each key, or one for all, is known when run.
  bool hasOpenColumns = false;
};
} // namespace

/// What a constant mask says of each row: nullopt if it is not constant.
static std::optional<SmallVector<bool>> readAttended(Value mask,
                                                     bool isInverted) {
  /// 4096 queries and keys.
  constexpr int64_t limit = 1 << 24;
  std::optional<Elements> elements = Elements::get(getConstant(mask));
  if (!elements || elements->size() > limit)
    return std::nullopt;
  bool isBool = elements->getElementType().isInteger(1);
  SmallVector<bool> attended;
  for (int64_t i = 0; i < elements->size(); ++i)
    attended.push_back(isBool ? (elements->getInteger(i) != 0) != isInverted
                              : elements->getNumber(i) !=
                                    -std::numeric_limits<double>::infinity());
  return attended;
}

/// Whether the mask leaves each query a key.
static bool leavesKeys(const Mask &mask) {
  bool isBool = getElementType(mask.value).isInteger(1);
  if (!isBool && getRange(mask.value))
    return true;
  auto attended = readAttended(mask.value, mask.isInverted);
  std::optional<ArrayRef<int64_t>> shape = getShape(mask.value);
  if (!attended || !shape || shape->empty())
    return false;
  for (ArrayRef<bool> rest = *attended; !rest.empty();
       rest = rest.drop_front(shape->back()))
    if (!llvm::is_contained(rest.take_front(shape->back()), true))
      return false;
  return true;
}

/// Whether the mask is a constant that hides exactly the keys behind the query,
/// and adds nothing.
static bool isCausal(const Mask &mask) {
  std::optional<ArrayRef<int64_t>> shape = getShape(mask.value);
  if (!shape || shape->size() < 2)
    return false;
  int64_t queries = (*shape)[shape->size() - 2], keys = shape->back();
  if (queries != keys || queries < 2 ||
      ShapedType::getNumElements(*shape) != queries * keys)
    return false;
  auto attended = readAttended(mask.value, mask.isInverted);
  std::optional<Elements> elements = Elements::get(getConstant(mask.value));
  if (!attended || !elements)
    return false;
  bool isBool = elements->getElementType().isInteger(1);
  for (int64_t i = 0; i < elements->size(); ++i) {
    bool mayAttend = i % keys <= i / keys;
    if ((*attended)[i] != mayAttend ||
        (mayAttend && !isBool && elements->getNumber(i) != 0))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The formula
//===----------------------------------------------------------------------===//

namespace {
struct Attended {
  Value q, k, v;
  /// How K is to be transposed first; empty if not.
  SmallVector<int64_t> permOfK;
  std::optional<Mask> mask;
  double scale = 1, softcap = 0;
  bool inFloat32 = false;
};

class AttentionReader {
public:
  AttentionReader(MatMulOp root, const RewriteOptions &options)
      : root(root), options(options), parts(root, !options.keepOpset) {}

  /// The reason why it is not an attention, or null.
  const char *read();

  Attended found;
  Parts &getParts() { return parts; }

private:
  Value readSoftmax(Value value);
  bool readScores(Value value);
  bool readMasked(Value value);
  Value peelScale(Value value);
  bool readKey(Value value);
  bool readMergedKey(Value value);
  Value peelRepeat(Value value);
  bool keepsDim(ReshapeOp merge, Value heads, int64_t dim);
  bool fits();
  bool fitsMask();

  MatMulOp root;
  const RewriteOptions &options;
  Parts parts;
  /// Asked once the formula is found. Batches are as large as those of the past
  /// keys, which are inputs of the model.
  SymbolicShapes shapes{SymbolicShapes::Reach::Far};
  int64_t rank = 0;
  Type element;
};
} // namespace

/// The scores of softmax(scores), which may be computed in float32; after which
/// NaNs may be replaced by 0.
Value AttentionReader::readSoftmax(Value value) {
  if (auto where = options.noNaNs ? parts.findSole<WhereOp>(value) : WhereOp())
    if (auto isNaN = parts.find<IsNaNOp>(where.getCondition());
        isNaN && isNaN.getX() == where.getY() &&
        getScalar(where.getX(), where.getY()) == 0.0)
      value = where.getY();
  auto narrowed = parts.findSole<CastOp>(value);
  if (narrowed)
    value = narrowed.getInput();
  auto softmax = parts.find<SoftmaxOp>(value);
  if (!softmax || normalizeAxis(int64_t(softmax.getAxis()), rank) != rank - 1)
    return {};
  value = softmax.getInput();
  Type computed = getElementType(value);
  if (computed == element)
    return narrowed ? Value() : value;
  // Other precisions than the operator's own are said by an attribute.
  auto widened = parts.findSole<CastOp>(value);
  if (!narrowed || !widened || !computed || !computed.isF32() ||
      getElementType(widened.getInput()) != element)
    return {};
  found.inFloat32 = true;
  return widened.getInput();
}

/// A constant factor is moved into `scale`.
Value AttentionReader::peelScale(Value value) {
  size_t mark = parts.getMark();
  if (!parts.isSole(value))
    return value;
  Product product = readProduct(parts, value);
  if (product.factors.size() == 1 && product.divisors.empty()) {
    found.scale *= product.coefficient;
    return product.factors[0];
  }
  parts.returnTo(mark);
  return value;
}

/// scale * Q K^T, perhaps capped by cap * tanh(x / cap).
bool AttentionReader::readScores(Value value) {
  found.scale = 1;
  found.softcap = 0;
  value = peelScale(value);
  if (auto tanh = parts.findSole<TanhOp>(value)) {
    found.softcap = found.scale;
    value = peelScale(tanh.getInput());
  }
  auto matmul = parts.findSole<MatMulOp>(value);
  if (!matmul || getRank(matmul.getY()) != rank)
    return false;
  found.q = peelScale(matmul.getA());
  return getRank(found.q) == rank && readKey(peelScale(matmul.getB()));
}

/// K of K^T.
bool AttentionReader::readKey(Value value) {
  size_t mark = parts.getMark();
  if (readMergedKey(value))
    return true;
  parts.returnTo(mark);
  auto transpose = value.getDefiningOp<TransposeOp>();
  auto perm = getPermutation(transpose);
  if (!perm || int64_t(perm->size()) != rank)
    return false;
  // Parts are what goes: another user keeps the transposed keys.
  if (parts.isSole(value))
    parts.add(transpose);
  std::swap((*perm)[rank - 1], (*perm)[rank - 2]);
  found.k = transpose.getData();
  if (!llvm::equal(*perm, llvm::seq<int64_t>(0, rank))) {
    found.permOfK = *perm;
    return parts.isSole(value);
  }
  found.k = peelScale(found.k);
  return true;
}

/// The same with batch and heads merged for the time of the Transpose.
///
/// A number of keys that Shape gives to Reshape may be 0, which is said to copy
/// a dim of the data. The first one then makes other dims, and the second one,
/// which wants a fourth, fails.
bool AttentionReader::readMergedKey(Value value) {
  auto split = parts.findSole<ReshapeOp>(value);
  auto transpose =
      split ? parts.findSole<TransposeOp>(split.getData()) : TransposeOp();
  auto merge =
      transpose ? parts.findSole<ReshapeOp>(transpose.getData()) : ReshapeOp();
  if (!merge || getPermutation(transpose) != SmallVector<int64_t>{0, 2, 1})
    return false;
  Value k = merge.getData();
  if (getRank(k) != rank || getRank(value) != rank || rank != 4 ||
      getRank(merge.getReshaped()) != 3)
    return false;
  bool hasKnownSize =
      getDim(k, 1).value_or(0) > 0 && getDim(k, 3).value_or(0) > 0;
  auto isDim = [&](ReshapeOp reshape, int64_t i, int64_t dim) {
    return shapes.isSameDim(k, dim, reshape.getReshaped(), i) ||
           (hasKnownSize &&
            shapes.isSame(shapes.getElement(reshape.getShape(), i),
                          shapes.getDim(k, dim)));
  };
  // What is left of the elements, where all other dims are theirs and not 0.
  bool isRest = hasKnownSize && getDim(k, 0).value_or(0) > 0 &&
                shapes.getElement(split.getShape(), 3).is(-1);
  if (!isDim(merge, 1, 2) || !isDim(merge, 2, 3) || !isDim(split, 0, 0) ||
      !isDim(split, 1, 1) || !isDim(split, 2, 3) ||
      !(isRest || isDim(split, 3, 2)))
    return false;
  found.k = peelScale(k);
  return true;
}

/// scores + mask, or Where(mask, scores, -inf).
bool AttentionReader::readMasked(Value value) {
  size_t mark = parts.getMark();
  if (readScores(value))
    return true;
  parts.returnTo(mark);
  if (auto add = parts.findSole<AddOp>(value))
    return inAnyOrder(add, [&](Value scores, Value mask) {
      size_t mark = parts.getMark();
      if (readScores(scores)) {
        found.mask = Mask{mask};
        return true;
      }
      parts.returnTo(mark);
      return false;
    });
  auto where = parts.findSole<WhereOp>(value);
  if (!where)
    return false;
  bool isInverted = getConstant(where.getX()) != nullptr;
  Value scores = isInverted ? where.getY() : where.getX();
  std::optional<double> hidden =
      getScalar(isInverted ? where.getX() : where.getY(), scores);
  if (!hidden || !readScores(scores))
    return false;
  found.mask = Mask{where.getCondition(), isInverted};
  // So low that nothing is left of it; unless a row has nothing else.
  bool isLow = *hidden <= -1e30 && (element.isF32() || element.isBF16());
  return std::isinf(*hidden) ? *hidden < 0 : isLow && leavesKeys(*found.mask);
}

/// Heads that are repeated for the queries of a group: the operator does so.
Value AttentionReader::peelRepeat(Value value) {
  auto merge = parts.findSole<ReshapeOp>(value);
  auto expand = merge ? parts.findSole<ExpandOp>(merge.getData()) : ExpandOp();
  auto unsqueeze =
      expand ? parts.findSole<UnsqueezeOp>(expand.getInput()) : UnsqueezeOp();
  if (!unsqueeze || getUnsqueezedAxes(unsqueeze) != SmallVector<int64_t>{2})
    return {};
  Value heads = unsqueeze.getData(), repeated = expand.getOutput();
  std::optional<int64_t> count = getDim(heads, 1), times = getDim(repeated, 2);
  if (getRank(heads) != 4 || getRank(repeated) != 5 || getRank(value) != 4 ||
      !count || !times || getDim(repeated, 1) != count ||
      getDim(value, 1) != SaturatingInt(*count) * *times)
    return {};
  for (int64_t dim : {0, 2, 3})
    if (!keepsDim(merge, heads, dim) ||
        !shapes.isSameDim(heads, dim, repeated, dim < 1 ? dim : dim + 1))
      return {};
  return heads;
}

/// Whether a dim of heads that are repeated and put together is theirs.
///
/// A size that Shape gives to Reshape may be 0, which is said to copy a dim of
/// the data: no keys would become as many as there are heads in a group. That
/// shape has as many elements as the data, none, in a batch of 0 alone, whose
/// result has no elements and the same shape either way.
bool AttentionReader::keepsDim(ReshapeOp merge, Value heads, int64_t dim) {
  if (shapes.isSameDim(heads, dim, merge.getReshaped(), dim))
    return true;
  bool hasKnownSize =
      getDim(heads, 1).value_or(0) > 0 && getDim(heads, 3).value_or(0) > 0;
  return dim == 2 && hasKnownSize &&
         shapes.isSame(shapes.getElement(merge.getShape(), dim),
                       shapes.getDim(heads, dim));
}

bool AttentionReader::fitsMask() {
  Mask &mask = *found.mask;
  Type type = getElementType(mask.value);
  std::optional<int64_t> maskRank = getRank(mask.value);
  if (!type || (type != element && !type.isInteger(1)) || !maskRank ||
      *maskRank < 2 || *maskRank > rank)
    return false;
  // Exactly all keys: a mask may say less, but then means something else.
  auto sourceOfK = [&](int64_t dim) {
    return shapes.getDim(found.k,
                         found.permOfK.empty() ? dim : found.permOfK[dim]);
  };
  for (int64_t i = 0; i + 1 < *maskRank; ++i) {
    int64_t dim = i + rank - *maskRank;
    SymbolicDim has = shapes.getDim(mask.value, i);
    if (!has.is(1) && !shapes.isSame(has, shapes.getDim(found.q, dim)))
      return false;
  }
  SymbolicDim columns = shapes.getDim(mask.value, *maskRank - 1),
              keys = sourceOfK(rank - 2);
  if (!shapes.isSame(columns, keys)) {
    // An exporter's mask has its length from the lengths of tokens. Scores that
    // it would make longer do not fit the values, which are as many as the
    // keys: it is as long as the keys, or the run fails.
    if (options.keepOpset || columns.isKnown() ||
        !shapes.isSame(keys, shapes.getDim(found.v, rank - 2)))
      return false;
    mask.hasOpenColumns = true;
  }
  if (isCausal(mask)) {
    mask.isCausal = true;
    return true;
  }
  if (options.keepOpset && getDim(mask.value, -2) == 1 &&
      getDim(found.q, -2) != 1) {
    std::optional<int64_t> queries = getDim(found.q, -2);
    if (!queries)
      return false;
    mask.numRows = *queries;
  }
  return options.noNaNs || leavesKeys(mask);
}

bool AttentionReader::fits() {
  if (getElementType(found.q) != element ||
      getElementType(found.k) != element ||
      getElementType(found.v) != element || !(found.scale > 0) ||
      !fitsFloatAttribute(found.scale, element) || !(found.softcap >= 0) ||
      !fitsFloatAttribute(found.softcap, element))
    return false;
  auto ofK = [&](int64_t dim) {
    return shapes.getDim(found.k,
                         found.permOfK.empty() ? dim : found.permOfK[dim]);
  };
  for (int64_t dim = 0; dim + 2 < rank; ++dim) {
    SymbolicDim ofQ = shapes.getDim(found.q, dim);
    // One head of keys and values for all queries is repeated by the operator,
    // too.
    if (rank == 4 && dim == 1 && ofQ.isKnown() && ofK(dim).is(1) &&
        shapes.getDim(found.v, dim).is(1))
      continue;
    if (!shapes.isSame(ofQ, ofK(dim)) ||
        !shapes.isSame(ofQ, shapes.getDim(found.v, dim)))
      return false;
  }
  if (rank == 4 && found.permOfK.empty()) {
    size_t mark = parts.getMark();
    Value k = peelRepeat(found.k), v = k ? peelRepeat(found.v) : Value();
    if (v && getDim(k, 1) == getDim(v, 1)) {
      found.k = k;
      found.v = v;
    } else {
      parts.returnTo(mark);
    }
  }
  return !found.mask || fitsMask();
}

const char *AttentionReader::read() {
  std::optional<int64_t> known = getRank(root.getY());
  element = getElementType(root.getY());
  found.v = root.getB();
  // Of float64 the scale is not exact enough.
  if (!known || (*known != 3 && *known != 4) || !element ||
      !isa<FloatType>(element) || getRank(found.v) != known ||
      getRank(root.getA()) != known || !parts.isSole(root.getA()))
    return "not a product of batches of matrices";
  rank = *known;
  Value logits = readSoftmax(root.getA());
  if (!logits || !parts.isSole(logits) || getRank(logits) != rank)
    return "no softmax along the keys";
  if (!readMasked(logits))
    return "no scores of queries and keys";
  if (!fits())
    return "sizes, types or the mask do not fit";
  return parts.areSelfContained() ? nullptr : "a part has other uses";
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {
struct RecognizeAttention : Rewriting<MatMulOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(MatMulOp op,
                                PatternRewriter &rewriter) const override {
    if (!isAvailable<AttentionOp>(op, options))
      return rewriter.notifyMatchFailure(op, "no Attention in this opset");
    AttentionReader reader(op, options);
    if (const char *reason = reader.read())
      return rewriter.notifyMatchFailure(op, reason);
    Attended &found = reader.found;
    Location loc = fuseLocations(reader.getParts().getFirst(), op);
    Value k = found.k;
    if (!found.permOfK.empty())
      k = TransposeOp::create(rewriter, makeHelperLocation(op, "key"), k,
                              rewriter.getDenseI64ArrayAttr(found.permOfK));
    Value mask = makeMask(op, found, k, rewriter);
    auto optional = [&](bool isThere, int64_t value) {
      return isThere ? rewriter.getI64IntegerAttr(value) : IntegerAttr();
    };
    // Of three dims, the operator takes the last for heads next to each other.
    bool isFlat = getRank(found.q) == 3;
    auto attention = AttentionOp::create(
        rewriter, loc, op.getType(), Type(), Type(), Type(), found.q, k,
        found.v, mask, Value(), Value(), Value(),
        optional(found.mask && found.mask->isCausal, 1), optional(isFlat, 1),
        IntegerAttr(), optional(isFlat, 1), IntegerAttr(), IntegerAttr(),
        rewriter.getF32FloatAttr(found.scale),
        found.softcap > 0 ? rewriter.getF32FloatAttr(found.softcap)
                          : FloatAttr(),
        optional(found.inFloat32, 1));
    return replaceRoot(rewriter, op, attention.getY());
  }

private:
  /// The number of keys.
  static Value makeKeys(MatMulOp op, Value k, PatternRewriter &rewriter) {
    int64_t axis = *getRank(k) - 2;
    return ShapeOp::create(rewriter, makeHelperLocation(op, "keys"),
                           RankedTensorType::get({1}, rewriter.getI64Type()), k,
                           rewriter.getI64IntegerAttr(axis + 1),
                           rewriter.getI64IntegerAttr(axis));
  }

  static Value makeMask(MatMulOp op, const Attended &found, Value k,
                        PatternRewriter &rewriter) {
    if (!found.mask || found.mask->isCausal)
      return {};
    Value mask = found.mask->value;
    if (found.mask->isInverted)
      mask = NotOp::create(rewriter, makeHelperLocation(op, "mask"), mask);
    // Of one head, whose dim the scores do not have.
    if (getRank(found.q) == 3 && getRank(mask) == 3 && getDim(mask, 0) != 1) {
      Value axis = makeConstant(rewriter, op,
                                makeIntegers(op.getContext(), {1}), "axis");
      mask = UnsqueezeOp::create(rewriter, makeHelperLocation(op, "heads"),
                                 mask, axis);
    }
    if (found.mask->numRows != 0) {
      SmallVector<int64_t> rows(*getRank(mask), 1);
      rows[rows.size() - 2] = found.mask->numRows;
      Value shape = makeConstant(rewriter, op,
                                 makeIntegers(op.getContext(), rows), "rows");
      mask = ExpandOp::create(rewriter, makeHelperLocation(op, "repeated"),
                              mask, shape);
    }
    if (found.mask->hasOpenColumns)
      mask = expandColumns(rewriter, op, mask, makeKeys(op, k, rewriter));
    return mask;
  }
};

/// Heads that Reshape and Transpose take apart before and put together behind:
/// the operator does both.
struct TakeHeadsApart : Rewriting<ReshapeOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    Parts parts(op);
    auto transpose = parts.findSole<TransposeOp>(op.getData());
    auto attention = transpose
                         ? parts.findSole<AttentionOp>(transpose.getData())
                         : AttentionOp();
    if (!attention || attention->getNumResults() != 1 ||
        attention.getPastKey() || attention.getPastValue() ||
        !swapsHeads(transpose))
      return rewriter.notifyMatchFailure(op, "no attention of heads");
    Value q = join(parts, attention.getQ()), k = join(parts, attention.getK()),
          v = join(parts, attention.getV());
    std::optional<int64_t> heads = getDim(attention.getQ(), 1),
                           kvHeads = getDim(attention.getK(), 1),
                           size = getDim(attention.getV(), 3);
    Value y = op.getReshaped();
    if (!q || !k || !v || !heads || !kvHeads || !size || *heads < 1 ||
        *kvHeads < 1 || getRank(y) != 3 ||
        getDim(y, 2) != SaturatingInt(*heads) * *size || !keepsDim(op, q, 0) ||
        !keepsDim(op, q, 1) || !parts.areSelfContained())
      return rewriter.notifyMatchFailure(
          op, "heads are not taken apart and put together");
    auto flat = AttentionOp::create(
        rewriter, fuseLocations(attention, op), y.getType(), Type(), Type(),
        Type(), q, k, v, attention.getAttnMask(), Value(), Value(),
        attention.getNonpadKvSeqlen(), attention.getIsCausalAttr(),
        rewriter.getI64IntegerAttr(*kvHeads), attention.getLeftWindowSizeAttr(),
        rewriter.getI64IntegerAttr(*heads),
        attention.getQkMatmulOutputModeAttr(),
        attention.getRightWindowSizeAttr(), attention.getScaleAttr(),
        attention.getSoftcapAttr(), attention.getSoftmaxPrecisionAttr());
    return replaceRoot(rewriter, op, flat.getY());
  }

private:
  /// Whether a dim of the joined heads is that of the queries, which is also
  /// that of the attention.
  static bool keepsDim(ReshapeOp joined, Value q, int64_t dim) {
    Value y = joined.getReshaped();
    SymbolicShapes shapes;
    return shapes.isSameDim(y, dim, q, dim) ||
           shapes.isSameDim(y, dim, joined.getData(), dim);
  }

  static bool swapsHeads(TransposeOp transpose) {
    return getPermutation(transpose) == SmallVector<int64_t>{0, 2, 1, 3};
  }

  /// x of Transpose(Reshape(x, [n, s, heads, size])).
  static Value join(Parts &parts, Value value) {
    auto transpose = parts.findSole<TransposeOp>(value);
    auto split = transpose ? parts.findSole<ReshapeOp>(transpose.getData())
                           : ReshapeOp();
    if (!split || !swapsHeads(transpose))
      return {};
    Value x = split.getData(), y = split.getReshaped();
    SymbolicShapes shapes;
    std::optional<int64_t> heads = getDim(y, 2), size = getDim(y, 3);
    if (getRank(x) != 3 || !heads || !size ||
        getDim(x, 2) != SaturatingInt(*heads) * *size ||
        !shapes.isSameDim(x, 0, y, 0) || !shapes.isSameDim(x, 1, y, 1))
      return {};
    return x;
  }
};

struct FuseAttention : onnxc::impl::FuseAttentionBase<FuseAttention> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns.add<RecognizeAttention, TakeHeadsApart>(patterns.getContext(),
                                                     options);
  }
};
} // namespace
