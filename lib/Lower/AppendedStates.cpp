//===- AppendedStates.cpp - States that stay where they are ---------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AppendedStates.h"

#include "onnxc/Dialect/ONNX/Attention.h"
#include "onnxc/Dialect/ONNX/ControlFlow.h"
#include "onnxc/Dialect/ONNX/Core.h"
#include "onnxc/Dialect/ONNX/Indexing.h"
#include "onnxc/Dialect/ONNX/ModelAttributes.h"
#include "onnxc/Dialect/ONNX/Movement.h"
#include "onnxc/Dialect/ONNX/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/Shape.h"

using namespace mlir;
using namespace onnxc;

static Value skipIdentities(Value value) {
  while (auto identity = value.getDefiningOp<IdentityOp>())
    value = identity.getInput();
  return value;
}

/// Whether `value` is the first of the parts that `state` is split into along
/// `axis`.
static bool isFirstPart(Value value, Value state, int64_t axis) {
  auto split = value.getDefiningOp<SplitOp>();
  return split && value == split.getOutputs().front() &&
         skipIdentities(split.getInput()) == state &&
         static_cast<int64_t>(split.getAxis()) == axis;
}

/// Whether nothing but `use` reads its value; its sizes may be asked for.
static bool isOnlyUse(OpOperand &use) {
  return llvm::all_of(use.get().getUses(), [&](OpOperand &other) {
    return &other == &use || isa<ShapeOp, SizeOp>(other.getOwner());
  });
}

namespace {
/// What becomes of the rows of `state` in an entry; it grows along `axis`, or
/// not where that is negative.
struct Classifier {
  Value state;
  int64_t axis;
  /// Why nothing is known.
  StringRef obstacle = "";

  /// Where an operand of a terminator is its next value.
  StateRows classify(OpOperand &next);
  /// Whether there are branches that yield the value before.
  bool isKeptInBranch(OpOperand &next);

private:
  StateRows fail(StringRef why) {
    obstacle = why;
    return StateRows::Made;
  }
  StateRows classifyBranches(IfOp choice, unsigned number);
};
} // namespace

/// Branches append each for itself, unless the result is read as well. What one
/// of them makes otherwise are rows in the place of all that are there: so are
/// those of a prompt in decoders that optimum merges from two.
StateRows Classifier::classifyBranches(IfOp choice, unsigned number) {
  StateRows all = StateRows::Kept;
  bool isMade = false;
  for (Region &region : choice->getRegions()) {
    StateRows rows = classify(region.front().back().getOpOperand(number));
    isMade |= rows == StateRows::Made;
    if (rows != StateRows::Made)
      all = std::max(all, rows);
  }
  if (all == StateRows::Overwritten)
    return fail("it is made by a TensorScatter in a branch");
  if (all == StateRows::Kept)
    return isMade ? StateRows::Made : all;
  return isMade ? StateRows::Rewritten : all;
}

StateRows Classifier::classify(OpOperand &next) {
  OpOperand *use = &next;
  bool isOnly = isOnlyUse(*use);
  while (auto identity = use->get().getDefiningOp<IdentityOp>()) {
    use = &identity->getOpOperand(0);
    isOnly &= isOnlyUse(*use);
  }
  Value value = use->get();
  if (value == state)
    return StateRows::Kept;
  if (auto choice = value.getDefiningOp<IfOp>())
    return isOnly ? classifyBranches(choice,
                                     cast<OpResult>(value).getResultNumber())
                  : fail("it is read behind the If that makes it");
  if (auto scatter = value.getDefiningOp<TensorScatterOp>()) {
    if (axis >= 0 || scatter.getPastCache() != state)
      return fail("its TensorScatter has another past");
    return isOnlyUse(scatter.getPastCacheMutable())
               ? StateRows::Overwritten
               : fail("what it is before the run is read as well");
  }
  if (axis < 0)
    return fail("it does not grow");
  if (auto attention = value.getDefiningOp<AttentionOp>()) {
    bool isKey = value == attention.getPresentKey();
    Value past = isKey ? attention.getPastKey() : attention.getPastValue();
    return axis == 2 && past && skipIdentities(past) == state
               ? StateRows::Appended
               : fail("its Attention has another past");
  }
  auto concat = value.getDefiningOp<ConcatOp>();
  if (!concat)
    return fail("its next value is not a Concat");
  if (static_cast<int64_t>(concat.getAxis()) != axis)
    return fail("its Concat is along another dimension");
  Value first = skipIdentities(concat.getInputs().front());
  if (first == state)
    return StateRows::Appended;
  return isFirstPart(first, state, axis)
             ? StateRows::Rewritten
             : fail("its Concat does not begin with the value before");
}

bool Classifier::isKeptInBranch(OpOperand &next) {
  auto result = dyn_cast<OpResult>(skipIdentities(next.get()));
  auto choice = result ? dyn_cast<IfOp>(result.getOwner()) : IfOp();
  return choice && llvm::any_of(choice->getRegions(), [&](Region &region) {
           OpOperand &yielded =
               region.front().back().getOpOperand(result.getResultNumber());
           return skipIdentities(yielded.get()) == state ||
                  isKeptInBranch(yielded);
         });
}

StateRows onnxc::classifyState(ArrayRef<func::FuncOp> entries, StringRef name) {
  Location loc = UnknownLoc::get(entries[0]->getContext());
  StateRows rows = StateRows::Kept;
  bool grows = true;
  for (func::FuncOp entry : entries) {
    unsigned count = 0, place = 0;
    std::optional<unsigned> state;
    for (unsigned i = 0; i < entry.getNumArguments(); ++i)
      if (auto output = entry.getArgAttrOfType<StringAttr>(i, model::state)) {
        if (output == name) {
          state = i;
          place = count;
        }
        ++count;
      }
    assert(state && "all entries have the same states");
    auto axis = entry.getArgAttrOfType<IntegerAttr>(*state, model::stateAxis);
    OpOperand &next = entry.front().getTerminator()->getOpOperand(
        entry.getNumResults() - count + place);
    loc = next.get().getLoc();
    grows = axis && axis.getInt() >= 0;
    Classifier classifier{entry.getArgument(*state), axis ? axis.getInt() : -1};
    StateRows ofEntry = classifier.classify(next);
    if (ofEntry == StateRows::Made) {
      emitRemark(loc) << "state '" << name
                      << (classifier.isKeptInBranch(next)
                              ? "': a run leaves it as it is, or writes all of "
                                "it: "
                              : "': each run writes all of it: ")
                      << classifier.obstacle;
      return ofEntry;
    }
    rows = std::max(rows, ofEntry);
  }
  // No run changes it.
  if (rows == StateRows::Kept)
    return grows ? StateRows::Appended : StateRows::Made;
  if (rows == StateRows::Overwritten)
    emitRemark(loc) << "state '" << name << "': rows are written in place";
  else
    emitRemark(loc) << "state '" << name << "': new rows are appended in place"
                    << (rows == StateRows::Rewritten
                            ? ", unless a run writes rows before them"
                            : "");
  return rows;
}
