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

#include "onnxc/Dialect/ONNX/ClassicML.h"
#include "onnxc/Dialect/ONNX/ControlFlow.h"
#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/Logic.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/OpSupport.h"
#include "onnxc/Support/OptionFault.h"
#include "onnxc/Support/SaturatingInt.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace onnxc {
#define GEN_PASS_DEF_SPECIALIZESIZES
#include "onnxc/Infer/Passes.h.inc"
} // namespace onnxc

using namespace mlir;
using namespace onnxc;

/// Each makes the code longer by a whole model.
static constexpr unsigned maxVariants = 8;

/// What a small model has at most: nodes, and bytes of constants, which lie in
/// the file twice where a batch of one packs them in another way.
static constexpr unsigned maxSmallNodes = 128;
static constexpr uint64_t maxSmallBytes = 2 << 20;

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

/// The dimension that counts items: the first with a name that every input of
/// open sizes has, and one of them in front. Empty if there is none.
static StringRef findBatch(func::FuncOp entry) {
  llvm::MapVector<StringRef, llvm::SmallBitVector> found;
  llvm::SmallBitVector open(entry.getNumArguments());
  StringSet<> inFront;
  for (auto [i, type] : llvm::enumerate(entry.getArgumentTypes()))
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        !tensor || !tensor.hasStaticShape())
      open.set(i);
  forEachNamedDim(entry, [&](InputDim at, StringRef name) {
    auto type = cast<RankedTensorType>(entry.getArgumentTypes()[at.argument]);
    if (name.empty() || !type.isDynamicDim(at.dim))
      return;
    found.try_emplace(name, open.size()).first->second.set(at.argument);
    if (at.dim == 0)
      inFront.insert(name);
  });
  for (auto &[name, arguments] : found)
    if (arguments == open && inFront.contains(name))
      return name;
  return "";
}

static uint64_t countBytes(Attribute attribute) {
  if (auto elements = dyn_cast<ElementsAttr>(attribute)) {
    Type type = elements.getElementType();
    return uint64_t(elements.getNumElements()) *
           (type.isIntOrFloat()
                ? llvm::divideCeil(type.getIntOrFloatBitWidth(), 8)
                : sizeof(void *));
  }
  if (auto list = dyn_cast<DenseArrayAttr>(attribute))
    return list.getRawData().size();
  if (auto list = dyn_cast<ArrayAttr>(attribute))
    return list.size() * sizeof(void *);
  return 0;
}

/// Whether a run of the model may take as little as what is done around its
/// arithmetic: sizes, checks, calls, loops without known ends.
static bool isSmall(func::FuncOp entry) {
  unsigned nodes = 0;
  uint64_t bytes = 0;
  entry.walk([&](Operation *op) {
    nodes += !isa<ConstantOp, YieldOp>(op);
    for (NamedAttribute attribute : op->getAttrs())
      bytes += countBytes(attribute.getValue());
  });
  return nodes <= maxSmallNodes && bytes <= maxSmallBytes;
}

/// What branches hold: neither constants, which they share, nor maps and what
/// is made of them, which no If hands on.
static llvm::SetVector<Operation *> listMoved(Block &body) {
  llvm::SetVector<Operation *> moved;
  llvm::SetVector<Value> maps;
  for (Operation &op : body.without_terminator()) {
    SetVector<Value> captures;
    getUsedValuesDefinedAbove(op.getRegions(), captures);
    bool isOfMaps =
        isa<ZipMapOp>(op) ||
        llvm::any_of(op.getOperands(),
                     [&](Value v) { return maps.contains(v); }) ||
        llvm::any_of(captures, [&](Value v) { return maps.contains(v); });
    if (isOfMaps)
      maps.insert_range(op.getResults());
    else if (!isa<ConstantOp>(op))
      moved.insert(&op);
  }
  return moved;
}

/// The results of `ops` that are used by others.
static SmallVector<Value> listResults(Block &body, ArrayRef<Operation *> ops) {
  llvm::DenseSet<Operation *> all(ops.begin(), ops.end());
  SmallVector<Value> results;
  for (Operation *op : ops)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !all.contains(body.findAncestorOpInBlock(*user));
          }))
        results.push_back(result);
  return results;
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
    if (ranges.empty() && !batchOfOne)
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
    if (ranges.empty() && isSmall(entry))
      if (StringRef batch = findBatch(entry); !batch.empty())
        parsed.push_back({findDimension(entry, batch), {1}});
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
    llvm::SetVector<Operation *> moved = listMoved(body);
    SmallVector<Value> results = listResults(body, moved.getArrayRef());
    if (results.empty())
      return;
    // Constants and what takes part in no branch may stand before ops that
    // move.
    OpBuilder b(body.getTerminator());
    for (Operation &op : llvm::make_early_inc_range(body.without_terminator()))
      if (!moved.contains(&op) && !isa<ConstantOp>(op))
        op.moveBefore(body.getTerminator());
    b.setInsertionPointAfter(moved.back());
    Location loc = entry.getLoc();
    SmallVector<Value> sizes;
    for (const Range &range : ranges)
      sizes.push_back(makeSize(b, loc,
                               entry.getArgument(range.dims[0].argument),
                               range.dims[0].dim));
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
      choice->setAttr(model::likelySizes, b.getBoolAttr(!this->ranges.empty()));
      if (outer)
        YieldOp::create(b, loc, choice.getResults());
      else
        outer = choice;
      b.createBlock(&choice.getThenBranch());
      emitVariant(b, entry, moved.getArrayRef(), results, ranges, chosen);
      b.createBlock(&choice.getElseBranch());
    }
    auto last = YieldOp::create(b, loc, results);
    for (Operation *op : moved)
      op->moveBefore(last);
    for (auto [result, choice] : llvm::zip_equal(results, outer->getResults()))
      result.replaceUsesWithIf(choice, [&](OpOperand &use) {
        return !outer->isAncestor(use.getOwner());
      });
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
