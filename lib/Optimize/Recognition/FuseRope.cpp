//===- FuseRope.cpp - Rotary embedding in its parts -----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// x cos + concat(-x2, x1) sin, of the halves x1 and x2 of x. Cosines and sines
// stand twice side by side there, in the operator's tables once.
//
//===----------------------------------------------------------------------===//

#include "Recognition.h"
#include "Rewriting/Matching.h"

#include "onnxc/Dialect/ONNX/Attention.h"
#include "onnxc/Dialect/ONNX/Conversion.h"
#include "onnxc/Dialect/ONNX/Math.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/Shape.h"
#include "onnxc/Dialect/ONNX/SymbolicShapes.h"
#include "onnxc/Dialect/ONNX/Trigonometry.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_FUSEROPE
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

/// Deeper no exporter computes cosines.
static constexpr unsigned maxDepth = 8;

/// Whether the second half of the last axis, which has `size` elements, says
/// what the first one says.
static bool saysTwice(Value value, int64_t size, unsigned depth = 0) {
  if (depth == maxDepth || getDim(value, -1) != size)
    return false;
  if (ElementsAttr constant = getConstant(value)) {
    std::optional<Elements> elements = Elements::get(constant);
    if (!elements)
      return false;
    for (int64_t i = 0; !elements->isSplat() && i < elements->size(); ++i)
      if (i % size < size / 2 &&
          elements->getBytes(i) != elements->getBytes(i + size / 2))
        return false;
    return true;
  }
  Operation *op = value.getDefiningOp();
  if (auto concat = dyn_cast_or_null<ConcatOp>(op))
    return concat.getInputs().size() == 2 &&
           areSameValue(concat.getInputs()[0], concat.getInputs()[1]) &&
           normalizeAxis(concat.getAxis(), *getRank(value)) ==
               *getRank(value) - 1;
  // What is done to each element by itself is done to both halves.
  bool isOfEach =
      isa_and_present<ScalarOpInterface>(op) && op->getNumOperands() == 1;
  if (isOfEach || isa_and_present<IdentityOp>(op))
    return saysTwice(op->getOperand(0), size, depth + 1);
  if (isa_and_present<MulOp, DivOp>(op))
    return getScalar(op->getOperand(1), op->getOperand(0)) &&
           saysTwice(op->getOperand(0), size, depth + 1);
  if (auto unsqueeze = dyn_cast_or_null<UnsqueezeOp>(op)) {
    auto axes = getUnsqueezedAxes(unsqueeze);
    return axes && !llvm::is_contained(*axes, *getRank(value) - 1) &&
           saysTwice(unsqueeze.getData(), size, depth + 1);
  }
  return false;
}

namespace {
/// One half of the last axis of a value.
struct Half {
  Value of;
  bool isSecond;
};

struct RecognizeRope : Rewriting<AddOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(AddOp op,
                                PatternRewriter &rewriter) const override {
    if (!isAvailable<RotaryEmbeddingOp>(op, options))
      return rewriter.notifyMatchFailure(op, "no RotaryEmbedding here");
    Parts parts(op);
    Value x, cosines, sines;
    bool found = inAnyOrder(op, [&](Value along, Value across) {
      size_t mark = parts.getMark();
      if (readProducts(parts, along, across, x, cosines, sines))
        return true;
      parts.returnTo(mark);
      return false;
    });
    if (!found)
      return rewriter.notifyMatchFailure(op, "no rotation of halves");
    Type element = getElementType(x), type = getResultType(op, x);
    std::optional<int64_t> size = getDim(x, 3);
    if (!type || element.isF64() || getElementType(cosines) != element ||
        getElementType(sines) != element || !size || *size % 2 != 0 ||
        !fitsTable(cosines, x) || !fitsTable(sines, x) ||
        !saysTwice(cosines, *size) || !saysTwice(sines, *size))
      return rewriter.notifyMatchFailure(op, "not angles of pairs");
    if (!parts.areSelfContained())
      return rewriter.notifyMatchFailure(op, "a part has other uses");
    Value ofCosines = makeTable(rewriter, op, cosines, *size, "cos");
    auto rope = RotaryEmbeddingOp::create(
        rewriter, fuseLocations(parts.getFirst(), op), type, x, ofCosines,
        makeTable(rewriter, op, sines, *size, "sin"), Value(), IntegerAttr(),
        IntegerAttr(), IntegerAttr());
    return replaceRoot(rewriter, op, rope->getResults());
  }

private:
  /// x * cosines and rotated(x) * sines.
  static bool readProducts(Parts &parts, Value along, Value across, Value &x,
                           Value &cosines, Value &sines) {
    auto first = parts.findSole<MulOp>(along);
    auto second = parts.findSole<MulOp>(across);
    if (!first || !second)
      return false;
    return inAnyOrder(second, [&](Value rotated, Value table) {
      size_t mark = parts.getMark();
      x = readRotated(parts, rotated);
      sines = table;
      if (!x || getRank(x) != 4) {
        parts.returnTo(mark);
        return false;
      }
      return inAnyOrder(first, [&](Value own, Value table) {
        cosines = table;
        return areSameValue(own, x);
      });
    });
  }

  /// x of concat(-x2, x1).
  static Value readRotated(Parts &parts, Value value) {
    auto concat = parts.findSole<ConcatOp>(value);
    if (!concat || concat.getInputs().size() != 2 || getRank(value) != 4 ||
        normalizeAxis(concat.getAxis(), 4) != 3)
      return {};
    auto neg = parts.findSole<NegOp>(concat.getInputs()[0]);
    auto second = neg ? readHalf(parts, neg.getX()) : std::optional<Half>();
    auto first = readHalf(parts, concat.getInputs()[1]);
    if (!first || !second || first->isSecond || !second->isSecond ||
        !areSameValue(first->of, second->of))
      return {};
    return first->of;
  }

  static std::optional<Half> readHalf(Parts &parts, Value value) {
    if (auto split = parts.find<SplitOp>(value)) {
      Value x = split.getInput();
      std::optional<int64_t> rank = getRank(x), size = getDim(x, -1);
      if (!rank || !size || split->getNumResults() != 2 ||
          normalizeAxis(int64_t(split.getAxis()), *rank) != *rank - 1 ||
          getDim(value, -1) != *size / 2 || *size % 2 != 0)
        return std::nullopt;
      return Half{x, value == split->getResult(1)};
    }
    auto slice = parts.find<SliceOp>(value);
    if (!slice || !slice.getAxes())
      return std::nullopt;
    Value x = slice.getData();
    std::optional<int64_t> rank = getRank(x), size = getDim(x, -1),
                           start = getInteger(slice.getStarts()),
                           end = getInteger(slice.getEnds()),
                           axis = getInteger(slice.getAxes());
    if (!rank || !size || !start || !end || !axis || *size % 2 != 0 ||
        normalizeAxis(*axis, *rank) != *rank - 1 ||
        (slice.getSteps() && getInteger(slice.getSteps()) != 1))
      return std::nullopt;
    auto clamp = [&](int64_t at) {
      return std::clamp<int64_t>(at < 0 ? at + *size : at, 0, *size);
    };
    int64_t from = clamp(*start), to = clamp(*end);
    if (to - from != *size / 2 || (from != 0 && from != *size / 2))
      return std::nullopt;
    return Half{x, from != 0};
  }

  /// Whether a table [n, 1, s, size], or without its first dims, has the batch
  /// and positions of x [n, heads, s, size].
  static bool fitsTable(Value table, Value x) {
    std::optional<int64_t> rank = getRank(table);
    SymbolicShapes shapes;
    if (!rank || *rank < 2 || *rank > 4 ||
        !shapes.isSameDim(table, *rank - 2, x, 2))
      return false;
    if (*rank >= 3 && getDim(table, *rank - 3) != 1)
      return false;
    return *rank == 4 ? shapes.isSameDim(table, 0, x, 0) : getDim(x, 0) == 1;
  }

  /// The first half, [n, s, size / 2].
  static Value makeTable(PatternRewriter &rewriter, AddOp op, Value table,
                         int64_t size, StringRef name) {
    int64_t rank = *getRank(table);
    std::string suffix = name.str();
    auto integers = [&](ArrayRef<int64_t> numbers, StringRef what) {
      return makeConstant(rewriter, op, makeIntegers(op.getContext(), numbers),
                          suffix + "_" + what.str());
    };
    if (rank == 4) {
      // Most have put the heads there themselves.
      auto unsqueeze = table.getDefiningOp<UnsqueezeOp>();
      if (unsqueeze && getUnsqueezedAxes(unsqueeze) == SmallVector<int64_t>{1})
        table = unsqueeze.getData();
      else
        table =
            SqueezeOp::create(rewriter, makeHelperLocation(op, suffix + "_3d"),
                              table, integers({1}, "axes"));
    } else if (rank == 2) {
      table =
          UnsqueezeOp::create(rewriter, makeHelperLocation(op, suffix + "_3d"),
                              table, integers({0}, "axes"));
    }
    Value start = integers({0}, "start");
    Value end = integers({size / 2}, "end");
    return SliceOp::create(rewriter, makeHelperLocation(op, suffix), table,
                           start, end, integers({2}, "axis"), Value());
  }
};

struct FuseRope : onnxc::impl::FuseRopeBase<FuseRope> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns.add<RecognizeRope>(patterns.getContext(), options);
  }
};
} // namespace
