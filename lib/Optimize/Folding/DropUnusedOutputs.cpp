//===- DropUnusedOutputs.cpp - Outputs without uses -----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Rewriting.h"

#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/Normalization.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Optimize/RewritePass.h"

namespace onnxc {
#define GEN_PASS_DEF_DROPUNUSEDOUTPUTS
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

static constexpr StringLiteral segmentsName = "resultSegmentSizes";

/// The location with "" for the names of formal outputs that no longer exist.
static Location clearOutputs(Operation *op, ArrayRef<unsigned> dropped) {
  SourceAttr source = getSource(op->getLoc());
  if (!source || !source.getOutputs())
    return op->getLoc();
  MLIRContext *context = op->getContext();
  SmallVector<Attribute> outputs(source.getOutputs().getValue());
  for (unsigned formal : dropped)
    if (formal < outputs.size())
      outputs[formal] = StringAttr::get(context, "");
  while (!outputs.empty() && cast<StringAttr>(outputs.back()).empty())
    outputs.pop_back();
  return FusedLoc::get(
      {op->getLoc()},
      SourceAttr::get(context, source.getName(), source.getOp(),
                      ArrayAttr::get(context, outputs), source.getAttributes(),
                      source.getDoc(), source.getMetadata()),
      context);
}

namespace {
/// Optional outputs.
struct DropOptional : RewritePattern {
  DropOptional(MLIRContext *context, const RewriteOptions &)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    auto schema = dyn_cast<SchemaOpInterface>(op);
    if (!schema || op->getNumRegions() > 0 || op->use_empty() ||
        op->getNumResults() < 2)
      return rewriter.notifyMatchFailure(op, "no optional outputs");
    auto norm = dyn_cast<BatchNormalizationOp>(op);
    if (norm && norm.getTrainingMode())
      return rewriter.notifyMatchFailure(op, "training has three outputs");
    SmallVector<int> segments = getResultSegments(op);
    SmallVector<unsigned> dropped;
    SmallVector<int32_t> left(segments);
    SmallVector<Type> types;
    SmallVector<Value> kept;
    unsigned next = 0;
    for (auto [formal, spec] : llvm::enumerate(schema.getResultSpecs())) {
      for (int i = 0; i < segments[formal]; ++i) {
        Value result = op->getResult(next++);
        if (spec.kind == ValueKind::Optional && result.use_empty()) {
          dropped.push_back(formal);
          left[formal] = 0;
          continue;
        }
        types.push_back(result.getType());
        kept.push_back(result);
      }
    }
    if (dropped.empty() || types.empty())
      return rewriter.notifyMatchFailure(op, "all outputs are used");
    OperationState state(clearOutputs(op, dropped), op->getName(),
                         op->getOperands(), types,
                         op->getAttrDictionary().getValue());
    // An op with one optional output needs no word on it.
    if (op->hasAttr(segmentsName))
      state.attributes.set(segmentsName, rewriter.getDenseI32ArrayAttr(left));
    Operation *smaller = rewriter.create(state);
    SmallVector<Value> values(op->getNumResults());
    for (auto [i, result] : llvm::enumerate(kept))
      values[cast<OpResult>(result).getResultNumber()] = smaller->getResult(i);
    return replaceRoot(rewriter, op, values);
  }
};

/// A Split of which one part is used: a Slice.
struct SplitToSlice : Rewriting<SplitOp> {
  using Rewriting::Rewriting;

  LogicalResult matchAndRewrite(SplitOp op,
                                PatternRewriter &rewriter) const override {
    Value data = op.getInput();
    std::optional<int64_t> rank = getRank(data);
    std::optional<int64_t> axis =
        rank ? normalizeAxis(op.getAxis(), *rank) : std::nullopt;
    std::optional<int64_t> size = axis ? getDim(data, *axis) : std::nullopt;
    if (!size || op->getNumResults() < 2)
      return rewriter.notifyMatchFailure(op, "no known extent, or one part");
    std::optional<unsigned> used;
    for (OpResult result : op->getResults())
      if (!result.use_empty()) {
        if (used)
          return rewriter.notifyMatchFailure(op, "several parts are used");
        used = result.getResultNumber();
      }
    std::optional<SmallVector<int64_t>> sizes = getSizes(op, *size);
    if (!used || !sizes)
      return rewriter.notifyMatchFailure(op, "the sizes are not known");
    int64_t start = 0;
    for (unsigned i = 0; i < *used; ++i)
      start += (*sizes)[i];
    auto list = [&](int64_t value, StringRef name) {
      return optimize::makeConstant(
          rewriter, op, makeIntegers(op.getContext(), {value}), name);
    };
    SmallVector<int64_t> shape(*getShape(data));
    shape[*axis] = (*sizes)[*used];
    Value starts = list(start, "starts");
    Value ends = list(start + (*sizes)[*used], "ends");
    Value slice =
        SliceOp::create(rewriter, op.getLoc(),
                        RankedTensorType::get(shape, getElementType(data)),
                        data, starts, ends, list(*axis, "axes"), Value());
    SmallVector<Value> values(op->getNumResults());
    values[*used] = slice;
    return replaceRoot(rewriter, op, values);
  }

private:
  /// Of all parts, if they make up the whole.
  static std::optional<SmallVector<int64_t>> getSizes(SplitOp op,
                                                      int64_t size) {
    int64_t count = op->getNumResults();
    SmallVector<int64_t> sizes;
    if (op.getSplit()) {
      std::optional<SmallVector<int64_t>> given = getIntegers(op.getSplit());
      if (!given || static_cast<int64_t>(given->size()) != count)
        return std::nullopt;
      sizes = *given;
    } else {
      int64_t each = llvm::divideCeil(size, count);
      for (int64_t left = size, i = 0; i < count; ++i, left -= sizes.back())
        sizes.push_back(std::min(each, left));
    }
    int64_t sum = 0;
    for (int64_t part : sizes) {
      if (part < 0 || part > size)
        return std::nullopt;
      sum += part;
    }
    return sum == size ? std::optional(sizes) : std::nullopt;
  }
};

struct DropUnusedOutputs
    : onnxc::impl::DropUnusedOutputsBase<DropUnusedOutputs> {
  void populatePatterns(RewritePatternSet &patterns,
                        const RewriteOptions &options) override {
    patterns.add<DropOptional, SplitToSlice>(patterns.getContext(), options);
  }
};
} // namespace
