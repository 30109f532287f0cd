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
#include "onnxc/Dialect/Program/ProgramDialect.h"

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
/// How an entry makes the next value of a state: nothing where that is the
/// value before.
using EntryUpdate = std::optional<StateUpdate>;

/// How an entry makes the next value of `state`, which grows along `axis`, or
/// not where that is negative.
struct Classifier {
  Value state;
  int64_t axis;
  /// Why nothing is known.
  StringRef obstacle = "";

  /// Where an operand of a terminator is its next value.
  EntryUpdate classify(OpOperand &next);
  /// Whether there are branches that yield the value before.
  bool isKeptInBranch(OpOperand &next);

private:
  StateUpdate fail(StringRef why) {
    obstacle = why;
    return StateUpdate::Made;
  }
  EntryUpdate classifyBranches(IfOp choice, unsigned number);
};
} // namespace

/// Branches append each for itself, unless the result is read as well. What one
/// of them makes otherwise are rows in the place of all that are there: so are
/// those of a prompt in decoders that optimum merges from two.
EntryUpdate Classifier::classifyBranches(IfOp choice, unsigned number) {
  EntryUpdate all;
  bool isMade = false;
  for (Region &region : choice->getRegions()) {
    EntryUpdate update = classify(region.front().back().getOpOperand(number));
    isMade |= update == StateUpdate::Made;
    // Nothing, appended, rewritten, overwritten: each takes more of the runtime
    // than those before, and stands for them.
    if (update != StateUpdate::Made)
      all = std::max(all, update);
  }
  if (all == StateUpdate::Overwritten)
    return fail("it is made by a TensorScatter in a branch");
  if (!isMade)
    return all;
  return all ? StateUpdate::Rewritten : StateUpdate::Made;
}

EntryUpdate Classifier::classify(OpOperand &next) {
  OpOperand *use = &next;
  bool isOnly = isOnlyUse(*use);
  while (auto identity = use->get().getDefiningOp<IdentityOp>()) {
    use = &identity->getOpOperand(0);
    isOnly &= isOnlyUse(*use);
  }
  Value value = use->get();
  if (value == state)
    return std::nullopt;
  if (auto choice = value.getDefiningOp<IfOp>())
    return isOnly ? classifyBranches(choice,
                                     cast<OpResult>(value).getResultNumber())
                  : fail("it is read behind the If that makes it");
  if (auto scatter = value.getDefiningOp<TensorScatterOp>()) {
    if (axis >= 0 || scatter.getPastCache() != state)
      return fail("its TensorScatter has another past");
    return isOnlyUse(scatter.getPastCacheMutable())
               ? StateUpdate::Overwritten
               : fail("what it is before the run is read as well");
  }
  if (axis < 0)
    return fail("it does not grow");
  if (auto attention = value.getDefiningOp<AttentionOp>()) {
    bool isKey = value == attention.getPresentKey();
    Value past = isKey ? attention.getPastKey() : attention.getPastValue();
    return axis == 2 && past && skipIdentities(past) == state
               ? StateUpdate::Appended
               : fail("its Attention has another past");
  }
  auto concat = value.getDefiningOp<ConcatOp>();
  if (!concat)
    return fail("its next value is not a Concat");
  if (static_cast<int64_t>(concat.getAxis()) != axis)
    return fail("its Concat is along another dimension");
  Value first = skipIdentities(concat.getInputs().front());
  if (first == state)
    return StateUpdate::Appended;
  return isFirstPart(first, state, axis)
             ? StateUpdate::Rewritten
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

StateUpdate onnxc::classifyState(ArrayRef<func::FuncOp> entries,
                                 StringRef name) {
  Location loc = UnknownLoc::get(entries[0]->getContext());
  EntryUpdate update;
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
    EntryUpdate ofEntry = classifier.classify(next);
    if (ofEntry == StateUpdate::Made) {
      emitRemark(loc) << "state '" << name
                      << (classifier.isKeptInBranch(next)
                              ? "': a run leaves it as it is, or writes all of "
                                "it: "
                              : "': each run writes all of it: ")
                      << classifier.obstacle;
      return StateUpdate::Made;
    }
    update = std::max(update, ofEntry);
  }
  // No run changes it.
  if (!update)
    return grows ? StateUpdate::Appended : StateUpdate::Made;
  if (update == StateUpdate::Overwritten)
    emitRemark(loc) << "state '" << name << "': rows are written in place";
  else
    emitRemark(loc) << "state '" << name << "': new rows are appended in place"
                    << (update == StateUpdate::Rewritten
                            ? ", unless a run writes rows before them"
                            : "");
  return *update;
}
