//===- FitMasks.cpp - Masks of the sizes of scores ------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// softmax(scores + mask) V, where nothing says that the mask is as long as the
// scores. What is compiled would be ready to broadcast the scores to the mask,
// which keeps them apart from the softmax. Yet the weights would then not fit
// the values: the mask has a column for each key or one for all, or the run
// fails. So it is brought to the sizes that it must have.
//
//===----------------------------------------------------------------------===//

#include "Recognition.h"
#include "Rewriting/Matching.h"

#include "onnxc/Dialect/ONNX/Activation.h"
#include "onnxc/Dialect/ONNX/Contraction.h"
#include "onnxc/Dialect/ONNX/Conversion.h"
#include "onnxc/Dialect/ONNX/Logic.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/Normalization.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Dialect/ONNX/SymbolicShapes.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_FITMASKS
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// So many operators may lie between scores and softmax.
static constexpr unsigned maxDepth = 8;

namespace {
enum class MaskForm {
  /// Nothing is known, or nothing is to be done.
  Other,
  /// It may be one column for all keys.
  OpenColumns,
  /// It is cut from a square to as many rows and columns as scores have.
  CutFromSquare
};

/// What is computed of scores on the way to a softmax.
class MaskReader {
public:
  explicit MaskReader(SoftmaxOp softmax) : softmax(softmax) {}

  /// The reason why there are no masks, or null.
  const char *read();
  MaskForm classify(Value mask);
  /// How many of the mask's first dimensions are to be its own: those behind
  /// them are to be the sizes of the scores.
  int64_t countOwnDims(Value mask, MaskForm form);

  /// Operands of what is computed of them.
  SmallVector<OpOperand *> masks;
  /// Products of queries and keys.
  Value scores;

private:
  bool readChain(Value value, unsigned depth);
  bool isCutFromSquare(Value mask);

  SoftmaxOp softmax;
  SymbolicShapes shapes{SymbolicShapes::Reach::Far};
};
} // namespace

const char *MaskReader::read() {
  std::optional<int64_t> rank = getRank(softmax.getInput());
  if (!rank || *rank < 2 ||
      normalizeAxis(int64_t(softmax.getAxis()), *rank) != *rank - 1)
    return "no softmax along the keys";
  if (!readChain(softmax.getInput(), 0) || getRank(scores) != rank)
    return "no scores of queries and keys";
  Value weights = softmax.getOutput();
  while (weights.hasOneUse() && isa<CastOp>(*weights.user_begin()))
    weights = weights.user_begin()->getResult(0);
  SymbolicDim keys = shapes.getDim(scores, *rank - 1);
  bool haveValues = llvm::any_of(weights.getUsers(), [&](Operation *user) {
    auto product = dyn_cast<MatMulOp>(user);
    int64_t ofValues = product ? getRank(product.getB()).value_or(0) : 0;
    return ofValues >= 2 && product.getA() == weights &&
           product->getBlock() == softmax->getBlock() &&
           shapes.isSame(keys, shapes.getDim(product.getB(), ofValues - 2));
  });
  return haveValues ? nullptr : "no values of as many keys";
}

/// Finds the scores that `value` is computed of, and the masks.
bool MaskReader::readChain(Value value, unsigned depth) {
  Operation *op = value.getDefiningOp();
  if (!op || depth == maxDepth)
    return false;
  if (isa<MatMulOp>(op)) {
    scores = value;
    return true;
  }
  // The result has at least the sizes of each operand.
  if (!isa<ScalarOpInterface>(op))
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!readChain(operand.get(), depth + 1))
      continue;
    for (OpOperand &other : op->getOpOperands())
      if (&other != &operand)
        masks.push_back(&other);
    return true;
  }
  return false;
}

MaskForm MaskReader::classify(Value mask) {
  int64_t rank = *getRank(scores), maskRank = getRank(mask).value_or(0);
  if (maskRank < 1 || maskRank > rank)
    return MaskForm::Other;
  auto fits = [&](int64_t dim) {
    SymbolicDim own = shapes.getDim(mask, dim);
    return own.is(1) ||
           shapes.isSame(own, shapes.getDim(scores, dim + rank - maskRank));
  };
  for (int64_t dim = 0; dim + 2 < maskRank; ++dim)
    if (!fits(dim))
      return MaskForm::Other;
  if (maskRank >= 2 && !fits(maskRank - 2))
    return isCutFromSquare(mask) ? MaskForm::CutFromSquare : MaskForm::Other;
  bool isOpen =
      !fits(maskRank - 1) && !shapes.getDim(mask, maskRank - 1).isKnown();
  return isOpen ? MaskForm::OpenColumns : MaskForm::Other;
}

int64_t MaskReader::countOwnDims(Value mask, MaskForm form) {
  int64_t maskRank = *getRank(mask), from = *getRank(scores) - maskRank;
  if (form == MaskForm::CutFromSquare)
    return maskRank - 2;
  int64_t own = maskRank - 1;
  while (own > 0 && !getDim(mask, own - 1) &&
         shapes.isSameDim(mask, own - 1, scores, from + own - 1))
    --own;
  return own;
}

/// Whether the mask is [keys - queries : keys, : keys] of a square of N rows.
/// If there are more than N keys, it has N columns and the run fails; if not,
/// it has the sizes of the scores.
bool MaskReader::isCutFromSquare(Value mask) {
  int64_t rank = *getRank(scores), maskRank = *getRank(mask);
  Size queries = shapes.getSize(shapes.getDim(scores, rank - 2)),
       keys = shapes.getSize(shapes.getDim(scores, rank - 1));
  auto isAt = [&](Value list, const Size &place) {
    auto elements = list ? shapes.getElements(list) : std::nullopt;
    return elements && elements->size() == 1 &&
           shapes.getSize(elements->front()) == place;
  };
  auto cuts = [&](SliceOp slice, int64_t axis, const Size &from) {
    if (!slice || !isAt(slice.getStarts(), from) ||
        !isAt(slice.getEnds(), keys) ||
        (slice.getSteps() && getInteger(slice.getSteps()) != 1))
      return false;
    std::optional<int64_t> own = slice.getAxes() ? getInteger(slice.getAxes())
                                                 : std::optional<int64_t>(0);
    return own && normalizeAxis(*own, maskRank) == axis;
  };
  auto last = mask.getDefiningOp<SliceOp>();
  auto first = last ? last.getData().getDefiningOp<SliceOp>() : SliceOp();
  if (!cuts(last, maskRank - 1, Size(0)) ||
      !cuts(first, maskRank - 2, keys - queries))
    return false;
  std::optional<int64_t> rows = getDim(first.getData(), maskRank - 2),
                         columns = getDim(first.getData(), maskRank - 1);
  return rows && rows == columns && *rows > 1;
}

namespace {
struct FitMask : Rewriting<SoftmaxOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(SoftmaxOp op,
                                PatternRewriter &rewriter) const override {
    if (options.keepOpset)
      return rewriter.notifyMatchFailure(
          op, "other programs broadcast masks as they are");
    MaskReader reader(op);
    if (const char *reason = reader.read())
      return rewriter.notifyMatchFailure(op, reason);
    // What is known of shapes holds until the first of them changes.
    SmallVector<std::tuple<OpOperand *, MaskForm, int64_t>> found;
    for (OpOperand *mask : reader.masks)
      if (MaskForm form = reader.classify(mask->get()); form != MaskForm::Other)
        found.push_back({mask, form, reader.countOwnDims(mask->get(), form)});
    if (found.empty())
      return rewriter.notifyMatchFailure(op, "no mask of open sizes");
    for (auto [mask, form, own] : found) {
      Operation *user = mask->getOwner();
      rewriter.setInsertionPoint(user);
      Value fitted = fit(user, mask->get(), form, own, reader.scores, rewriter);
      rewriter.modifyOpInPlace(user, [&] { mask->set(fitted); });
    }
    return success();
  }

private:
  static Value fit(Operation *user, Value mask, MaskForm form, int64_t own,
                   Value scores, PatternRewriter &rewriter) {
    int64_t rank = *getRank(scores), maskRank = *getRank(mask);
    Value keys = makeSizes(user, scores, rank - 1, rank, rewriter, "keys");
    if (form == MaskForm::OpenColumns)
      mask = expandColumns(rewriter, user, mask, keys);
    SmallVector<Value> sizes;
    if (own > 0)
      sizes.push_back(makeSizes(user, mask, 0, own, rewriter, "own_sizes"));
    sizes.push_back(makeSizes(user, scores, rank - maskRank + own, rank,
                              rewriter, "scores_sizes"));
    Value shape = ConcatOp::create(
        rewriter, makeHelperLocation(user, "mask_sizes"), sizes, /*axis=*/0);
    return ReshapeOp::create(rewriter, makeHelperLocation(user, "fitted_mask"),
                             mask, shape, rewriter.getI64IntegerAttr(1));
  }

  /// Dimensions `start` to `end` of a tensor.
  static Value makeSizes(Operation *user, Value value, int64_t start,
                         int64_t end, PatternRewriter &rewriter,
                         StringRef suffix) {
    return ShapeOp::create(
        rewriter, makeHelperLocation(user, suffix),
        RankedTensorType::get({end - start}, rewriter.getI64Type()), value,
        rewriter.getI64IntegerAttr(end), rewriter.getI64IntegerAttr(start));
  }
};

struct FitMasks : onnxc::impl::FitMasksBase<FitMasks> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns.add<FitMask>(patterns.getContext(), options);
  }
};
} // namespace
