//===- SpecializeSizes.cpp - Code for likely sizes ------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dimensions.h"
#include "Lengths.h"

#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Infer/Passes.h"

#include "onnxc/Dialect/ONNX/ControlFlow.h"
#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/Logic.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Support/OptionFault.h"
#include "onnxc/Support/SaturatingInt.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

namespace onnxc {
#define GEN_PASS_DEF_SPECIALIZESIZES
#include "onnxc/Infer/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

/// Each makes the code longer by a whole model.
static constexpr unsigned maxVariants = 8;

SmallVector<func::FuncOp> onnxc::listEntries(ModuleOp module) {
  SmallVector<func::FuncOp> entries;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(model::entry))
      entries.push_back(function);
  return entries;
}

static void
forEachNamedDim(func::FuncOp entry,
                llvm::function_ref<void(InputDim, StringRef)> visit) {
  for (BlockArgument argument : entry.getArguments()) {
    unsigned number = argument.getArgNumber();
    auto names = entry.getArgAttrOfType<ArrayAttr>(number, model::dimParams);
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!names || !type || names.size() != size_t(type.getRank()))
      continue;
    for (auto [dim, given] : llvm::enumerate(names.getAsRange<StringAttr>()))
      visit({number, unsigned(dim)}, given);
  }
}

SmallVector<InputDim> onnxc::findDimension(func::FuncOp entry, StringRef name) {
  SmallVector<InputDim> found;
  forEachNamedDim(entry, [&](InputDim dim, StringRef given) {
    if (given == name)
      found.push_back(dim);
  });
  return found;
}

LogicalResult onnxc::checkDimension(func::FuncOp entry, StringRef name) {
  if (!findDimension(entry, name).empty())
    return success();
  llvm::SetVector<StringRef> all;
  forEachNamedDim(entry, [&](InputDim, StringRef given) {
    if (!given.empty())
      all.insert(given);
  });
  return entry.emitError() << "no input has a dimension '" << name
                           << "'; named are "
                           << (all.empty() ? "none" : llvm::join(all, ", "));
}

namespace {

/// A named dimension and its likely sizes.
struct Range {
  SmallVector<InputDim> dims;
  SmallVector<int64_t> sizes;
};

class SpecializeSizes
    : public onnxc::impl::SpecializeSizesBase<SpecializeSizes> {
public:
  using SpecializeSizesBase::SpecializeSizesBase;

private:
  void runOnOperation() override {
    if (ranges.empty())
      return;
    SmallVector<func::FuncOp> entries = listEntries(getOperation());
    for (func::FuncOp entry : entries)
      if (failed(specialize(entry, entries.back())))
        return signalPassFailure();
  }

  /// `all` is the entry with all inputs; of `entry`, none may have the name.
  FailureOr<Range> parse(func::FuncOp entry, func::FuncOp all, StringRef text) {
    auto [name, bounds] = text.split('=');
    auto [low, high] = bounds.split("..");
    int64_t from, to;
    if (name.empty() || low.getAsInteger(10, from) ||
        high.getAsInteger(10, to) || from < 0 || to < from)
      return markOptionFault(entry.emitError())
             << "dimension '" << text
             << "': expected a name and a range, as in seq=1..512";
    if (failed(checkDimension(all, name)))
      return failure();
    llvm::SetVector<int64_t> sizes;
    sizes.insert(to);
    sizes.insert(from);
    if (ranges.size() == 1)
      for (int64_t size : {to / 2, to / 4})
        if (size >= from)
          sizes.insert(size);
    return Range{findDimension(entry, name),
                 SmallVector<int64_t>(sizes.getArrayRef())};
  }

  LogicalResult specialize(func::FuncOp entry, func::FuncOp all) {
    SmallVector<Range> parsed;
    SaturatingInt count = 1;
    for (const std::string &text : ranges) {
      FailureOr<Range> range = parse(entry, all, text);
      if (failed(range))
        return failure();
      if (range->dims.empty())
        continue;
      count *= int64_t(range->sizes.size());
      parsed.push_back(std::move(*range));
    }
    if (count > maxVariants)
      return entry.emitError()
             << "ranges of " << ranges.size() << " dimensions make "
             << count.get() << " combinations of sizes, at most " << maxVariants
             << " are possible";
    // One version for any sizes is enough where something is overridden.
    if (!parsed.empty() && !entry->hasAttr(model::overridden))
      branch(entry, parsed, count);
    return success();
  }

  /// Makes branches of the body; combinations of sizes are numbered.
  void branch(func::FuncOp entry, ArrayRef<Range> ranges, size_t count) {
    Block &body = entry.front();
    Operation *end = body.getTerminator();
    SmallVector<Operation *> moved;
    for (Operation &op : body.without_terminator())
      if (!isa<ConstantOp>(op))
        moved.push_back(&op);
    if (moved.empty())
      return;
    OpBuilder b(moved.front());
    // Constants may stand behind.
    b.setInsertionPoint(end);
    Location loc = entry.getLoc();
    SmallVector<Value> sizes;
    for (const Range &range : ranges)
      sizes.push_back(makeSize(b, loc,
                               entry.getArgument(range.dims[0].argument),
                               range.dims[0].dim));
    SmallVector<Value> results(end->getOperands());
    Operation *outer = nullptr;
    for (size_t variant = 0; variant < count; ++variant) {
      SmallVector<int64_t> chosen;
      size_t rest = variant;
      for (const Range &range : ranges) {
        chosen.push_back(range.sizes[rest % range.sizes.size()]);
        rest /= range.sizes.size();
      }
      Value condition;
      for (auto [size, value] : llvm::zip_equal(sizes, chosen)) {
        Value equal = makeEqual(b, loc, size, value);
        condition =
            condition ? AndOp::create(b, loc, equal.getType(), condition, equal)
                            .getResult()
                      : equal;
      }
      auto choice =
          IfOp::create(b, loc, TypeRange(ValueRange(results)), condition);
      if (outer)
        YieldOp::create(b, loc, choice.getResults());
      else
        outer = choice;
      b.createBlock(&choice.getThenBranch());
      emitVariant(b, entry, moved, results, ranges, chosen);
      b.createBlock(&choice.getElseBranch());
    }
    auto last = YieldOp::create(b, loc, results);
    for (Operation *op : moved)
      op->moveBefore(last);
    end->setOperands(outer->getResults());
  }

  /// A copy of the body for these sizes.
  void emitVariant(OpBuilder &b, func::FuncOp entry, ArrayRef<Operation *> body,
                   ValueRange results, ArrayRef<Range> ranges,
                   ArrayRef<int64_t> sizes) {
    llvm::MapVector<Value, SmallVector<int64_t>> shapes;
    for (auto [range, size] : llvm::zip_equal(ranges, sizes)) {
      for (InputDim at : range.dims) {
        Value argument = entry.getArgument(at.argument);
        auto type = cast<RankedTensorType>(argument.getType());
        auto shape =
            shapes.try_emplace(argument, llvm::to_vector(type.getShape()));
        shape.first->second[at.dim] = size;
      }
    }
    IRMapping mapping;
    for (auto &[argument, shape] : shapes)
      mapping.map(
          argument,
          IdentityOp::create(b, entry.getLoc(),
                             cast<ShapedType>(argument.getType()).clone(shape),
                             argument)
              .getResult());
    for (Operation *op : body)
      b.clone(*op, mapping);
    YieldOp::create(b, entry.getLoc(),
                    llvm::map_to_vector(results, [&](Value result) {
                      return mapping.lookupOrDefault(result);
                    }));
  }
};

} // namespace
