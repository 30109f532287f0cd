//===- SlicesToSplit.cpp - Slices that are all parts of a tensor ----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting/Matching.h"
#include "Rewriting/Slices.h"

#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Optimize/RewritePass.h"

#include "llvm/ADT/SetVector.h"

#include <map>

namespace onnxc {
#define GEN_PASS_DEF_SLICESTOSPLIT
#include "onnxc/Optimize/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;
using namespace onnxc::optimize;

namespace {
/// A Slice of one range, or a Gather of as much.
struct Part {
  Operation *op;
  SliceRange range;
};

struct PlainRewriter : PatternRewriter {
  explicit PlainRewriter(MLIRContext *context) : PatternRewriter(context) {}
};

struct SlicesToSplit : onnxc::impl::SlicesToSplitBase<SlicesToSplit> {
  int64_t rewriteModule(ModuleOp module, const RewriteOptions &) override {
    llvm::SetVector<Value> sliced;
    module.walk([&](Operation *op) {
      if (isa<SliceOp, GatherOp>(op))
        sliced.insert(op->getOperand(0));
    });
    int64_t changes = 0;
    for (Value data : sliced)
      changes += splitInstead(data);
    if (changes)
      updateResultTypes(module);
    return changes;
  }

private:
  static int64_t splitInstead(Value data) {
    // Shapes are folded by what takes single dims of them.
    Type element = getElementType(data);
    if (!element || (isa<IntegerType>(element) && getRank(data) == 1))
      return 0;
    // By block and axis: ops of one block come one after the other.
    std::map<std::pair<Block *, int64_t>, SmallVector<Part>> byAxis;
    for (Operation *user : data.getUsers())
      if (std::optional<SliceRange> range = getRange(user, data))
        byAxis[{user->getBlock(), range->axis}].push_back({user, *range});
    for (auto &[key, parts] : byAxis)
      if (std::optional<int64_t> dim = getDim(data, key.second);
          dim && parts.size() >= 2 && arePartition(parts, *dim)) {
        replace(data, parts);
        return 1;
      }
    return 0;
  }

  /// What `user` takes of the data, if that is one range without steps.
  static std::optional<SliceRange> getRange(Operation *user, Value data) {
    if (auto slice = dyn_cast<SliceOp>(user); slice && slice.getData() == data)
      if (auto ranges = getSliceRanges(slice);
          ranges && ranges->size() == 1 && ranges->front().step == 1)
        return ranges->front();
    auto gather = dyn_cast<GatherOp>(user);
    std::optional<GatherPicks> picks = gather && gather.getData() == data
                                           ? getGatherPicks(gather)
                                           : std::nullopt;
    if (!picks || picks->shape.size() != 1 || picks->indices.empty())
      return std::nullopt;
    int64_t next = picks->indices.front();
    for (int64_t index : picks->indices)
      if (index != next++)
        return std::nullopt;
    return SliceRange{picks->axis, picks->indices.front(), next, 1};
  }

  /// Sorts the parts.
  static bool arePartition(SmallVectorImpl<Part> &parts, int64_t dim) {
    llvm::sort(parts, [](const Part &a, const Part &b) {
      return a.range.start < b.range.start;
    });
    int64_t end = 0;
    for (const Part &part : parts) {
      if (part.range.start != end || part.range.end <= end)
        return false;
      end = part.range.end;
    }
    return end == dim;
  }

  static void replace(Value data, ArrayRef<Part> parts) {
    Operation *first = parts.front().op;
    SmallVector<int64_t> lengths;
    SmallVector<Type> types;
    for (const Part &part : parts) {
      if (part.op->isBeforeInBlock(first))
        first = part.op;
      lengths.push_back(part.range.end - part.range.start);
      types.push_back(part.op->getResult(0).getType());
    }
    PlainRewriter rewriter(first->getContext());
    rewriter.setInsertionPoint(first);
    Value split = makeConstant(
        rewriter, first, makeIntegers(rewriter.getContext(), lengths), "split");
    auto whole = SplitOp::create(
        rewriter, makeLocation(parts), types, data, split,
        rewriter.getI64IntegerAttr(parts.front().range.axis), IntegerAttr());
    for (auto [part, output] : llvm::zip_equal(parts, whole.getOutputs()))
      rewriter.replaceOp(part.op, output);
  }

  /// The first's node, with the names of all outputs.
  static Location makeLocation(ArrayRef<Part> parts) {
    Operation *first = parts.front().op;
    SourceAttr source = getSource(first->getLoc());
    SmallVector<Attribute> names;
    SmallVector<Location> locations;
    for (const Part &part : parts) {
      locations.push_back(part.op->getLoc());
      SourceAttr own = getSource(part.op->getLoc());
      ArrayAttr outputs = own ? own.getOutputs() : ArrayAttr();
      if (!source || !outputs || outputs.size() != 1)
        return first->getLoc();
      names.push_back(outputs[0]);
    }
    MLIRContext *context = first->getContext();
    return FusedLoc::get(
        locations,
        SourceAttr::get(context, source.getName(), source.getOp(),
                        ArrayAttr::get(context, names), source.getAttributes(),
                        source.getDoc(), source.getMetadata()),
        context);
  }
};
} // namespace
